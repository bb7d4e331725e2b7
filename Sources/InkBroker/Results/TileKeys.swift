import InkEngine
import InkPlanning
import InkProtocol

/// Names the results of a picture's tiles by all that decides them: the task with what its blocks say in place of their
/// names, and the renderer. From a block of marks it takes what decides the pixels of those that meet the tile.
struct TileKeys: Sendable {
    private let plan: PicturePlan
    private let version: String
    private let marks: [BlockID: DecisiveMarks]
    /// The names of images' rows by their samples; of those that could be read.
    private let samples: [BlockID: BlockID]

    /// Reads and hashes the images.
    ///
    /// - Parameters:
    ///   - contents: where the plan's rows of images are.
    ///   - version: the renderer's.
    init(_ plan: PicturePlan, contents: [BlockID: BlockContent], version: String) {
        self.plan = plan
        samples = contents.compactMapValues { $0.samples.map { BlockID(hashing: $0) } }
        self.version = version
        var marks: [BlockID: DecisiveMarks] = [:]
        for layer in plan.pictures.flatMap(\.scene.layers) {
            layer.forEach { layer in for block in layer.marks { marks[block.id] = block.decisive } }
        }
        self.marks = marks
    }

    /// nil if something that decides the tile is not there any more.
    func key(row: Int, column: Int) -> BlockID? {
        var task = plan.task(row: row, column: column)
        guard canonize(&task.baseImage) else { return nil }
        var isWhole = true
        task.layers = task.layers.compactMap { layer in
            layer.mapped { (layer, children) -> TileLayer? in
                var mask = layer.mask
                if !canonize(&mask) { isWhole = false }
                let maskShapes = layer.maskShapes.flatMap(canonical)
                if layer.maskShapes != nil, maskShapes == nil { isWhole = false }
                let kind: TileLayer.Kind
                switch layer.kind {
                case .fill(let paint): kind = .fill(paint)
                case .group(let group, _): kind = .group(group, children)
                case .marks(var content, let selections):
                    if !canonize(&content) { isWhole = false }
                    guard let marks = canonical(selections) else {
                        isWhole = false
                        return nil
                    }
                    kind = .marks(content, marks)
                }
                return TileLayer(
                    opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, maskShapes: maskShapes, kind: kind)
            }
        }
        guard isWhole else { return nil }
        let digest = SHA256()
        digest.update(label: "renderer", Array(version.utf8))
        digest.update(label: "tile", WorkerTask.render(task).encoded())
        return BlockID(digest: digest.finish())
    }

    /// Names selections by their marks and by how these are put together, so that equal ones get equal names.
    private func canonical(_ selections: [StrokeSelection]) -> [StrokeSelection]? {
        var named: [StrokeSelection] = []
        for selection in selections {
            guard let block = marks[selection.block] else { return nil }
            var content: [UInt8] = []
            var lastRun: Int32?
            for index in selection.indices {
                guard index < block.digests.count else { return nil }
                let run = block.runs.numbers[index]
                let rounding = block.runs.roundings[Int(run)]
                content += block.digests[index].digest
                content += [run == lastRun ? 1 : 0, UInt8(rounding >> 8), UInt8(truncatingIfNeeded: rounding)]
                lastRun = run
            }
            named.append(StrokeSelection(block: BlockID(hashing: content), indices: []))
        }
        return named
    }

    /// Names the rows of an image by their samples, whoever has packed them; returns whether they could be read.
    private func canonize(_ slice: inout ImageSlice?) -> Bool {
        guard var changed = slice else { return true }
        for index in changed.chunks.indices {
            guard case .samples(let block) = changed.chunks[index] else { continue }
            guard let name = samples[block] else { return false }
            changed.chunks[index] = .samples(name)
        }
        slice = changed
        return true
    }
}

extension BlockContent {
    /// nil if it cannot be read, or is not what its name says.
    fileprivate var samples: [UInt8]? {
        switch self {
        case .local(let bytes): bytes
        case .frame(let id, let source):
            // Without its samples the tile has no key, and is rendered.
            (try? source.read()).flatMap { frame in try? Block.verified(frame: frame, as: id).content() }
        }
    }
}
