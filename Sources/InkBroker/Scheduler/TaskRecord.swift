import InkProtocol

/// A worker's claim on a task until `deadline`.
struct Lease: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// On the scheduler's clock, nanoseconds.
    var since: UInt64
    var deadline: UInt64
}

/// A task that has been dispatched at least once and whose result is still wanted.
struct TaskRecord: Sendable {
    let id: TaskID
    let job: JobID
    let position: TaskPosition
    let cost: TaskCost
    /// Tries begun.
    var attempts: UInt32 = 0
    /// Tries that count against the task.
    var failures = 0
    /// Was lost together with others, so that nobody knows which of them was the cause: tried alone from now on.
    var isSuspect = false
    var leases: [Lease] = []
    /// All who were given it, also those whose lease is over and who may still be at work.
    var tries: [(worker: WorkerID, attempt: UInt32)] = []
    /// Workers that failed it or were lost with it.
    var tried: Set<WorkerID> = []
    /// Results that wait for another one to be compared with, oldest first.
    var held: [HeldResult] = []
    private(set) var story: [String] = []
    private var forgotten = 0

    init(id: TaskID, job: JobID, position: TaskPosition, cost: TaskCost) {
        self.id = id
        self.job = job
        self.position = position
        self.cost = cost
    }

    /// Keeps the newest `limit` lines and the number of the others.
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

/// A result that has come and is not accepted yet.
struct HeldResult: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// Of its content.
    var digest: [UInt8]
}
