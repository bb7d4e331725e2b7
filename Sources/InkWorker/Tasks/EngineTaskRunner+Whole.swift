import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkSystem
import Synchronization

/// Pictures that are made alone: what several workers would do for a picture, one task after the other, with blocks that
/// stay here.
extension EngineTaskRunner {
    func whole(_ task: WholeTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        var phases = PhaseTimes()
        let items: [ResultItem]
        switch task.read {
        case .local(let id):
            let bench = LoneBench()
            let (draft, blocks) = try source(id, context).draft(encoder: .local(bench.local))
            bench.take(blocks)
            phases.prepare = SystemClock.nanoseconds - start
            // Cut again for the workers that make it together, which costs little beside the picture.
            guard let pieces = try pieces(of: draft, for: task, bench, context, &phases) else {
                phases.add(try run(.read(task.read), in: context), atMost: .max)
                return phases
            }
            guard let shared = context.blocks.share(value: draft.outline) else {
                throw .internalError("a draft is made for another process")
            }
            items = [.draft(shared)] + Self.items(of: pieces, context) + [.readingEnd(ReadingEnd())]
        case .document(let document): items = try self.items(of: document, task, context, &phases, since: start)
        }
        for (index, item) in items.enumerated() {
            do throws(EngineError) { try context.emit(item) } catch {
                for case let block? in items[(index + 1)...].map(\.block) { context.blocks.withdraw(block) }
                throw error
            }
        }
        return phases
    }

    private func items(
        of document: DocumentTask, _ task: WholeTask, _ context: TaskContext, _ phases: inout PhaseTimes,
        since start: UInt64
    ) throws(EngineError) -> [ResultItem] {
        let bench = LoneBench()
        var warnings: [String] = []
        let (reading, draft, outline): (DocumentTaskReading, PictureDraft, [ResultItem])
        do throws(EngineError) {
            defer { phases.prepare = SystemClock.nanoseconds - start }
            reading = try self.reading(document, context)
            guard case .read(let project, let lines) = reading else { return try document.result(of: reading) }
            warnings = lines
            var blocks: [EncodedBlock] = []
            draft = try document.draft(of: project, .local(bench.local), &blocks)
            bench.take(blocks)
            guard draft.isMadeAlone(within: task.nanosecondsMax) else { return try document.result(of: reading) }
            let blank = draft.outline
            let named = Dictionary(blank.blocks.map { ($0, 0) }) { first, _ in first }
            outline = try document.items(of: blank, blocks: named)
        } catch {
            return try DocumentTask.result(refusing: error, warnings: warnings)
        }
        guard let pieces = try pieces(of: draft, for: task, bench, context, &phases) else {
            return try document.result(of: reading)
        }
        return outline + Self.items(of: pieces, context) + [.readingEnd(ReadingEnd(warnings: warnings))]
    }

    /// The picture's pieces; nil if it would take too long, or its pieces are more than the broker has room for.
    private func pieces(
        of draft: PictureDraft, for task: WholeTask, _ bench: LoneBench, _ context: TaskContext,
        _ phases: inout PhaseTimes
    ) throws(EngineError) -> [EncodedPiece]? {
        guard draft.isMadeAlone(within: task.nanosecondsMax) else { return nil }
        var sum = phases
        defer { phases = sum }
        return try PictureComposition.pieces(
            of: draft, bytesMax: task.pieceBytesMax,
            run: { task throws(EngineError) in
                let (items, times) = try bench.run(task, context, self)
                sum.add(times, atMost: .max)
                return items
            }, release: bench.release)
    }

    /// The pieces as they are emitted: all by reference, if there is room for them.
    private static func items(of pieces: [EncodedPiece], _ context: TaskContext) -> [ResultItem] {
        var items: [ResultItem] = []
        for piece in pieces {
            guard let block = context.blocks.share(piece.bytes) else {
                for case let block? in items.map(\.block) { context.blocks.withdraw(block) }
                return pieces.map(ResultItem.band)
            }
            var piece = piece
            piece.bytes = []
            items.append(.localBand(piece, block.id))
        }
        return items
    }
}

/// The blocks of a picture that is made alone: what it is cut into, samples of images (`WholeTask.imageBytesMax`) and of
/// tiles (`WholeTask.sampleBytesMax`).
private final class LoneBench: Sendable {
    /// Only a document that is larger than them makes more; that is compressed, and kept so.
    private static let localBytesMax = 256 << 20
    private static let cacheBytes = 128 << 20

    let local = LocalBlocks(byteCountMax: localBytesMax)
    private let cache: BlockCache

    init() { cache = BlockCache(limitBytes: Self.cacheBytes, local: local) }

    /// Takes those in for which there was no room by reference.
    func take(_ blocks: [EncodedBlock]) {
        for block in blocks where !block.frame.isEmpty {
            cache.insert(Block(id: block.id, frame: block.frame), holders: 1)
        }
    }

    func release(_ id: BlockID) {
        local.remove(id)
        cache.release(id)
    }

    /// Does a task; its result, with the bytes of bands.
    func run(
        _ task: WorkerTask, _ context: TaskContext, _ runner: EngineTaskRunner
    ) throws(EngineError) -> (items: [ResultItem], phases: PhaseTimes) {
        try context.checkCancellation()
        var held: [BlockID] = []
        defer { for id in held { cache.release(id) } }
        for id in task.blocks {
            guard cache.hold(id) else { throw .internalError("block \(id) is not at hand") }
            held.append(id)
        }
        let items = Mutex<[ResultItem]>([])
        let part = context.part(blocks: cache) { [local, cache] item throws(EngineError) in
            var item = item
            if case .localBand(var band, let id) = item, case .bytes(let bytes) = local.content(of: id) {
                local.remove(id)
                band.bytes = bytes
                item = .band(band)
            } else if let block = item.block, !block.frame.isEmpty {
                cache.insert(block, holders: 1)
            }
            items.withLock { [item] in $0.append(item) }
        }
        let phases = try runner.run(task, in: part)
        return (items.withLock { $0 }, phases)
    }
}
