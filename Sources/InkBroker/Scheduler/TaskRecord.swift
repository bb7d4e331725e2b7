import InkPlanning
import InkProtocol

/// A worker's claim on a task until `deadline`.
struct Lease: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// Time on the scheduler's clock, in nanoseconds.
    var since: UInt64
    var deadline: UInt64
}

/// A task that has been dispatched at least once and whose result is still needed.
struct TaskRecord: Sendable {
    let id: TaskID
    let job: JobID
    let position: TaskPosition
    let cost: TaskCost
    /// Number of attempts begun.
    var attempts: UInt32 = 0
    /// Number of attempts that count against the task.
    var failures = 0
    /// Was lost together with other tasks, so that the cause is unknown. From now on it is tried alone.
    var isSuspect = false
    var leases: [Lease] = []
    /// All workers that were given the task, including those whose lease has ended and that may still work on it.
    var tries: [(worker: WorkerID, attempt: UInt32)] = []
    /// Workers that failed it or were lost with it.
    var tried: Set<WorkerID> = []
    /// Results that wait for comparison, oldest first.
    var held: [HeldResult] = []
    private(set) var story: [String] = []
    private var forgotten = 0

    init(id: TaskID, job: JobID, position: TaskPosition, cost: TaskCost) {
        self.id = id
        self.job = job
        self.position = position
        self.cost = cost
    }

    /// Keeps the newest `limit` lines, and the number of dropped lines.
    mutating func note(_ line: String, limit: Int) {
        if story.count - (forgotten > 0 ? 1 : 0) >= limit {
            story.remove(at: forgotten > 0 ? 1 : 0)
            forgotten += 1
            let summary = "\(forgotten) earlier"
            if forgotten == 1 { story.insert(summary, at: 0) } else { story[0] = summary }
        }
        story.append(line)
    }
}

/// A result that has arrived but is not accepted yet.
struct HeldResult: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// Digest of its content.
    var digest: [UInt8]
}
