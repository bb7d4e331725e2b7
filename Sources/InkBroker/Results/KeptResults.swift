import InkEngine
import InkProtocol
import InkSystem
import Synchronization

/// The results that a broker keeps, and what it knows of those that its tasks will give. For the loop's thread; the work is
/// done on lanes.
final class KeptResults {
    private let store: ResultStore
    private let local: LocalBlocks?
    private let finding: Lane
    private let keeping: Lane
    private var known: [JobID: KeyMaker] = [:]
    private var missing: [TaskID: (job: JobID, key: BlockID)] = [:]
    /// Found, and not accepted yet.
    private var found: [TaskID: Found] = [:]

    struct Found {
        var life: ExportLife
        var role: TaskRole
        var piece: EncodedPiece
    }

    /// Makes the keys of an export on the lane.
    private final class KeyMaker: Sendable {
        private let keys: Mutex<TileKeys>

        init(_ keys: TileKeys) { self.keys = Mutex(keys) }

        func key(row: Int, column: Int) -> BlockID? { keys.withLock { $0.key(row: row, column: column) } }
    }

    init(folder: String, bytesMax: Int, _ local: LocalBlocks?) throws(SystemFailure) {
        store = try ResultStore(folder: folder, bytesMax: bytesMax)
        self.local = local
        finding = try Lane()
        keeping = try Lane()
    }

    /// Looks for the result of a tile; `answer` is called on a lane with its key and what was found.
    func lookUp(
        row: Int, column: Int, of plan: PicturePlan, _ job: JobID, version: String,
        _ answer: @escaping @Sendable (BlockID?, EncodedPiece?) -> Void
    ) {
        let maker = known[job] ?? KeyMaker(TileKeys(plan, local: local, version: version))
        known[job] = maker
        finding.run { [store] in
            let key = maker.key(row: row, column: column)
            answer(key, key.flatMap(store.piece))
        }
    }

    /// Remembers under which key the result of a task is to be kept.
    func miss(_ task: TaskID, of job: JobID, _ key: BlockID) { missing[task] = (job, key) }

    func find(_ found: Found, for task: TaskID) { self.found[task] = found }

    func takeFound(_ task: TaskID) -> Found? { found.removeValue(forKey: task) }

    /// Keeps the result of a task that was looked up.
    func keep(_ piece: EncodedPiece, of task: TaskID) {
        guard let (_, key) = missing.removeValue(forKey: task) else { return }
        keeping.run { [store] in store.keep(piece, as: key) }
    }

    /// An export has ended.
    func forget(_ job: JobID) {
        guard known.removeValue(forKey: job) != nil else { return }
        missing = missing.filter { $0.value.job != job }
        found = found.filter { $0.value.life.job != job }
    }

    /// Waits until everything is on the disk that was to be kept.
    func wait() {
        finding.wait()
        keeping.wait()
    }
}
