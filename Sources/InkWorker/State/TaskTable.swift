import InkEngine
import InkProtocol

/// The current tasks of a worker, and the cached blocks held for each.
struct TaskTable: Sendable {
    private enum Stage: Hashable, Sendable {
        case payload(BlockID?)
        case blocks(WorkerTask, missing: Set<BlockID>)
        case running(RunID)
    }

    private struct Entry: Sendable {
        let resultLimitBytes: UInt64
        var stage: Stage
        var held: [BlockID]
    }

    private var entries: [TaskAttempt: Entry] = [:]
    private var keyOfRun: [RunID: TaskAttempt] = [:]
    /// Runs whose connection is gone, and the blocks they hold until they end.
    private var abandoned: [RunID: [BlockID]] = [:]
    private var nextRun: RunID = 1

    /// Number of tasks that the broker waits for.
    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    func contains(_ key: TaskAttempt) -> Bool { entries[key] != nil }
    func key(of run: RunID) -> TaskAttempt? { keyOfRun[run] }

    /// All attempts at a task, in order.
    func keys(of task: TaskID) -> [TaskAttempt] {
        entries.keys.filter { $0.task == task }.sorted { $0.attempt < $1.attempt }
    }

    /// The run of a task that has started.
    func run(of key: TaskAttempt) -> RunID? {
        if case .running(let run) = entries[key]?.stage { run } else { nil }
    }

    /// All attempts that the broker waits for, in order.
    var all: [TaskAttempt] { entries.keys.sorted { ($0.task, $0.attempt) < ($1.task, $1.attempt) } }

    /// Attempts that cannot start before their blocks have arrived.
    var waitingForBlocks: [TaskAttempt] { all.filter { run(of: $0) == nil } }

    /// Runs that have started and not finished.
    var runs: [RunID] { keyOfRun.keys.sorted() }

    func isWaiting(_ key: TaskAttempt, forPayload id: BlockID) -> Bool { entries[key]?.stage == .payload(id) }

    mutating func add(_ key: TaskAttempt, resultLimitBytes: UInt64) {
        entries[key] = Entry(resultLimitBytes: resultLimitBytes, stage: .payload(nil), held: [])
    }

    mutating func wait(_ key: TaskAttempt, forPayload id: BlockID) { entries[key]?.stage = .payload(id) }

    mutating func wait(_ key: TaskAttempt, with task: WorkerTask, for missing: Set<BlockID>) {
        entries[key]?.stage = .blocks(task, missing: missing)
    }

    mutating func addHeld(_ id: BlockID, to key: TaskAttempt) { entries[key]?.held.append(id) }

    /// A block has arrived and is held for the task.
    mutating func arrived(_ id: BlockID, for key: TaskAttempt) {
        guard case .blocks(let task, var missing) = entries[key]?.stage else { return }
        missing.remove(id)
        entries[key]?.stage = .blocks(task, missing: missing)
        addHeld(id, to: key)
    }

    /// Starts the task if no block is missing.
    mutating func startIfReady(_ key: TaskAttempt) -> Run? {
        guard let entry = entries[key], case .blocks(let task, let missing) = entry.stage, missing.isEmpty else {
            return nil
        }
        let run = nextRun
        nextRun += 1
        entries[key]?.stage = .running(run)
        keyOfRun[run] = key
        return Run(id: run, task: task, resultLimitBytes: entry.resultLimitBytes)
    }

    /// Removes a task that is not running; returns the blocks held for it.
    mutating func remove(_ key: TaskAttempt) -> [BlockID] { entries.removeValue(forKey: key)?.held ?? [] }

    /// A run has ended. Returns its task (nil if the result is no longer needed) and the blocks held for it.
    mutating func finish(_ run: RunID) -> (key: TaskAttempt?, released: [BlockID]) {
        if let held = abandoned.removeValue(forKey: run) { return (nil, held) }
        guard let key = keyOfRun.removeValue(forKey: run) else { return (nil, []) }
        return (key, remove(key))
    }

    /// Removes all tasks; returns the blocks held for those not running, and the runs to cancel.
    mutating func abandonAll() -> (released: [BlockID], runs: [RunID]) {
        var released: [BlockID] = []
        for entry in entries.values {
            if case .running(let run) = entry.stage { abandoned[run] = entry.held } else { released += entry.held }
        }
        let runs = runs
        entries = [:]
        keyOfRun = [:]
        return (released, runs)
    }
}
