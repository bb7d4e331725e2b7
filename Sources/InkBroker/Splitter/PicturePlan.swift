import InkCodecs
import InkEngine

/// The division of a picture into tiles, and the data that each tile needs.
struct PicturePlan: Sendable {
    typealias PlanLayer = SceneLayer<SceneImage<DecodedImage>, StrokeBlockIndex>

    let scene: Scene<SceneImage<DecodedImage>, StrokeBlockIndex>
    let format: PixelFormat
    let files: PictureSet
    /// One a file.
    let heads: [PictureHead]
    let grid: TileGrid
    /// Average estimate for a tile, in nanoseconds.
    let tileNanoseconds: Double
    let work: PictureWork
    /// Whether results of earlier exports may serve for its tiles, which are then cut where they do not change with what
    /// the picture shows.
    let looksUpTiles: Bool

    /// Rows of a tile that may be looked up: few, since one stroke changes all tiles that it meets.
    private static let keptRows = 64

    /// - Parameters:
    ///   - decoded: for each of the draft's images, in order: itself, or what each of its scalings gave.
    ///   - keepsResults: whether results of tiles are kept for other exports.
    /// - Throws: `BrokerError.refused` if the picture's format is unknown.
    init(
        _ draft: PictureDraft, decoded: [[DecodedImage]], keepsResults: Bool = false
    ) throws(BrokerError) {
        format = draft.format
        do throws(EngineError) {
            files = try PictureSet(draft.files.map(\.encoding), pixels: draft.format)
        } catch {
            throw .refused(error)
        }
        heads = zip(files.members, draft.files).map { member, file in
            PictureHead(
                size: draft.scene.output, pixels: member.pixels, encoding: file.encoding,
                description: draft.description(file))
        }
        /// The image as it was scaled for its place, if it was.
        func image(_ image: SceneImage<Int>) -> SceneImage<DecodedImage> {
            let request = draft.images[image.source]
            let position = request.scalings.firstIndex { $0.placement == image.placement } ?? 0
            var found = decoded[image.source][position]
            if image.placement != nil, !request.scalings.isEmpty {
                found.part = request.scalings[position].part(of: request.size, as: request.use)
            }
            return image.map { _ in found }
        }
        var scene = Scene<SceneImage<DecodedImage>, StrokeBlockIndex>(
            canvas: draft.scene.canvas, output: draft.scene.output, background: draft.scene.background,
            patternOrigin: draft.scene.patternOrigin, baseImage: draft.scene.baseImage.map(image))
        for layer in draft.scene.layers {
            let planned = layer.mapped { (layer, children) -> PlanLayer? in
                let mask = layer.mask.map(image)
                if let mask, mask.source.maskBounds == nil, mask.placement == nil || mask.outside == 0 { return nil }
                let kind: PlanLayer.Kind
                switch layer.kind {
                case .fill(let color): kind = .fill(color)
                case .group(let group, _): kind = .group(group, children)
                case .marks(let content, let strokes):
                    kind = .marks(content.map(image), strokes)
                }
                return PlanLayer(opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, kind: kind)
            }
            if let planned { scene.layers.append(planned) }
        }
        self.scene = scene
        let rowCosts = draft.costs.perRow
        let multiple = files.rowMultiple
        let tile = draft.tile ?? (keepsResults ? PixelSize(width: scene.output.width, height: Self.keptRows) : nil)
        grid =
            tile.map { TileGrid(output: scene.output, tile: $0, rowMultiple: multiple) }
            ?? TileGrid(output: scene.output, rowCosts: rowCosts, rowMultiple: multiple)
        looksUpTiles = keepsResults
        tileNanoseconds = rowCosts.reduce(0, +) / Double(grid.count)
        let rows = (0..<grid.rows).map(grid.pixelRows(ofRow:))
        work = PictureWork(draft.costs, rows: rows, columns: grid.columns, scene.output, files)
    }

    /// The task for a tile; the same for the same draft and decoded images.
    func task(row: Int, column: Int) -> TileTask {
        let rect = grid.rect(row: row, column: column)
        return TileTask(
            canvas: scene.canvas, output: scene.output, rect: rect, background: scene.background,
            baseImage: scene.baseImage.flatMap { visibleSlice(of: $0, rect, filter: .lanczos3) },
            layers: scene.layers.compactMap { tileLayer($0, rect) }, pixelFormat: format,
            delivery: delivery(ofRow: row),
            patternOrigin: scene.patternOrigin)
    }

    /// The blocks that hold the samples of images.
    var imageBlocks: Set<BlockID> {
        var blocks: Set<BlockID> = []
        func add(_ image: SceneImage<DecodedImage>?) {
            for case .samples(let block) in image?.source.chunks ?? [] { blocks.insert(block) }
        }
        add(scene.baseImage)
        for layer in scene.layers {
            layer.forEach { layer in
                add(layer.mask)
                if case .marks(let image, _) = layer.kind { add(image) }
            }
        }
        return blocks
    }

    private func delivery(ofRow row: Int) -> TileDelivery {
        guard grid.isBands, !files.streamed.isEmpty else { return .pixels }
        let encoding = encoding(ofRow: row)
        return files.wholes.isEmpty ? .band(encoding) : .bandAndPixels(encoding, halvings: halvings)
    }

    /// How often the samples of tiles are halved. Those of a part of a row are needed as they are for the row.
    var halvings: Int { grid.isBands && !files.streamed.isEmpty ? files.halvings(of: scene.output) : 0 }

    /// How a row of tiles is encoded, for the files that are encoded piece by piece.
    func encoding(ofRow row: Int) -> PieceEncoding {
        let encodings = files.streamed.map(\.encoding)
        return PieceEncoding(encodings[0], others: Array(encodings.dropFirst()), isLast: row == grid.rows - 1)
    }

    /// Size of a tile's samples as they are delivered, in bytes.
    func pixelBytes(row: Int, column: Int) -> Int {
        grid.rect(row: row, column: column).size.halved(halvings).area * format.bytesPerPixel
    }

    /// Size of the raw bytes of the piece for a row of tiles.
    func rawBytes(ofRow row: Int) -> Int {
        let rowCount = grid.pixelRows(ofRow: row).count
        return files.streamed.isEmpty
            ? rowCount * scene.output.width * format.bytesPerPixel
            : files.rawByteCount(rowCount: rowCount, width: scene.output.width)
    }

    /// Nil if nothing of the element can be visible in `rect`.
    private func tileLayer(_ layer: PlanLayer, _ rect: PixelRect) -> TileLayer? {
        layer.mapped { (layer, children) -> TileLayer? in
            var mask: ImageSlice?
            if let image = layer.mask {
                guard let slice = visibleSlice(of: image, rect, filter: .triangle) else { return nil }
                mask = slice
            }
            let kind: TileLayer.Kind
            switch layer.kind {
            case .fill(let color): kind = .fill(color)
            case .group(let group, _): kind = .group(group, children)
            case .marks(let image, let blocks):
                let content = image.flatMap { visibleSlice(of: $0, rect, filter: .lanczos3) }
                var hasPaint = false
                let strokes = blocks.compactMap { block -> StrokeSelection? in
                    let indices = block.indices(meeting: rect)
                    guard !indices.isEmpty else { return nil }
                    hasPaint = hasPaint || indices.contains { block.extents[$0].isPaint }
                    return StrokeSelection(block: block.id, indices: indices)
                }
                guard content != nil || hasPaint else { return nil }
                kind = .marks(content, strokes)
            }
            return TileLayer(opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, kind: kind)
        }
    }

    /// The chunks that a part of the output needs; nil if they are all transparent, or all 0 in a mask, or none shows.
    private func visibleSlice(
        of image: SceneImage<DecodedImage>, _ rect: PixelRect, filter: ResampleFilter
    ) -> ImageSlice? {
        let decoded = image.source
        let needed: Range<Int>?
        if let placement = image.placement {
            needed = ImageSlice.rowsNeeded(
                for: rect, placement, image: decoded.size, part: decoded.part, canvas: scene.canvas,
                output: scene.output, filter: filter)
        } else {
            needed = ImageSlice.rowsNeeded(
                for: rect.rows, imageHeight: decoded.size.height, outputHeight: scene.output.height, filter: filter)
        }
        var slice =
            needed.map { decoded.slice(rows: $0) }
            ?? ImageSlice(size: decoded.size, format: decoded.format, firstChunk: 0, chunks: [])
        slice.placement = image.placement
        slice.outside = image.outside
        slice.part = decoded.part
        let isHidden = slice.chunks.allSatisfy { chunk in
            if case .constant(let value) = chunk { decoded.format.isInvisible(value) } else { false }
        }
        return isHidden && (image.placement == nil || image.outside == 0) ? nil : slice
    }
}
