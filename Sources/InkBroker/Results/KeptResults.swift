import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkSystem
import Synchronization

/// The results that a broker keeps. For the loop's thread; the work is done on lanes.
final class KeptResults {
    private let store: ResultStore
    private let finding: Lane
    private let keeping: Lane
    private let backlog = Backlog()
    private let trouble: Trouble
    private var known: [JobID: KeyMaker] = [:]

    /// Bytes of results on their way to the disk. With too much on its way, further results are not kept: a slow disk must
    /// not fill the memory.
    private final class Backlog: Sendable {
        private static let bytesMax = 128 << 20
        private let bytes = Mutex(0)

        func take(_ count: Int) -> Bool {
            bytes.withLock { bytes in
                guard bytes == 0 || bytes + count <= Self.bytesMax else { return false }
                bytes += count
                return true
            }
        }

        func give(_ count: Int) { bytes.withLock { $0 -= count } }
    }

    /// Tells when results begin to be lost.
    private final class Trouble: Sendable {
        private let folder: String
        private let onBegin: @Sendable (String) -> Void
        private let isFailing = Mutex(false)

        init(folder: String, onBegin: @escaping @Sendable (String) -> Void) {
            self.folder = folder
            self.onBegin = onBegin
        }

        /// - Parameter failure: why a result was not kept; nil if it was.
        func note(_ failure: SystemFailure?) {
            let wasFailing = isFailing.withLock { isFailing in
                defer { isFailing = failure != nil }
                return isFailing
            }
            guard let failure, !wasFailing else { return }
            onBegin("\(folder): cannot \(failure.operation): \(SystemFailure.text(of: failure.errno))")
        }
    }

    /// The keys of an export, which the lane prepares before it makes the first.
    private final class KeyMaker: Sendable {
        private let keys = Mutex<TileKeys?>(nil)

        func prepare(_ keys: TileKeys) { self.keys.withLock { $0 = keys } }

        func key(row: Int, column: Int) -> BlockID? { keys.withLock { $0?.key(row: row, column: column) } }
    }

    /// - Parameter onTrouble: called on a lane, with the reason, when results begin to be lost.
    init(
        folder: String, bytesMax: Int, onTrouble: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SystemFailure) {
        trouble = Trouble(folder: folder, onBegin: onTrouble)
        store = try ResultStore(folder: folder, bytesMax: bytesMax)
        finding = try Lane("broker-find")
        keeping = try Lane("broker-keep")
    }

    /// Looks for the result of a tile; `answer` is called on a lane with its key and what was found.
    ///
    /// - Parameter content: where a block is that the plan names.
    func lookUp(
        row: Int, column: Int, of plan: PicturePlan, _ job: JobID, version: String, content: (BlockID) -> BlockContent?,
        _ answer: @escaping @Sendable (BlockID?, KeptResult?) -> Void
    ) {
        let maker: KeyMaker
        if let known = known[job] {
            maker = known
        } else {
            maker = KeyMaker()
            known[job] = maker
            var contents: [BlockID: BlockContent] = [:]
            for block in plan.imageBlocks { contents[block] = content(block) }
            finding.run { [contents] in maker.prepare(TileKeys(plan, contents: contents, version: version)) }
        }
        finding.run { [store] in
            let key = maker.key(row: row, column: column)
            answer(key, key.flatMap(store.result))
        }
    }

    /// Keeps a result; `done` is called on a lane when its blocks are not needed any more.
    func keep(
        _ band: EncodedPiece?, _ pixels: BlockContent?, as key: BlockID, _ done: @escaping @Sendable () -> Void
    ) {
        let byteCount = (band?.bytes.count ?? 0) + (pixels?.byteCount ?? 0)
        guard backlog.take(byteCount) else { return done() }
        keeping.run { [store, backlog, trouble] in
            defer { backlog.give(byteCount) }
            let block = pixels.map { pixels in
                switch pixels {
                // What cannot be read back or packed is only not there next time.
                case .local(let bytes): try? Block(content: bytes)
                case .frame(let id, let source): (try? source.read()).map { Block(id: id, frame: $0) }
                }
            }
            done()
            if let block, block == nil { return }
            trouble.note(store.keep(KeptResult(band: band, pixels: block ?? nil), as: key))
        }
    }

    /// An export has ended.
    func forget(_ job: JobID) { known[job] = nil }

    /// Waits until everything is on the disk that was to be kept.
    func wait() {
        finding.wait()
        keeping.wait()
    }
}
