import InkPlanning
import InkProtocol

/// A task that a worker has been given and has not answered.
struct Holding: Hashable, Sendable {
    var bytes: Int
    var deadline: UInt64
    /// False if the lease has ended (late, cancelled, or another result came first). The worker is still busy with the
    /// task, and its credit is not free, but nobody waits.
    var isLease: Bool
}

/// A worker in the scheduler.
struct WorkerRecord: Sendable {
    let id: WorkerID
    let name: String
    let version: String
    let credits: WorkerCredits
    /// The time from dispatch to result here, as a multiple of the estimate; nil before the first result.
    private(set) var pace: Double?
    private(set) var holdings: [AttemptID: Holding] = [:]
    private(set) var usedBytes = 0
    /// Number of holdings that are leases.
    private(set) var leaseCount = 0
    var isDraining = false
    /// A suspect that will run here when the worker holds nothing.
    var reservedFor: TaskID?
    /// A suspect that runs here alone.
    var isolated: AttemptID?

    init(id: WorkerID, name: String, version: String, credits: WorkerCredits) {
        self.id = id
        self.name = name
        self.version = version
        self.credits = WorkerCredits(tasks: max(1, credits.tasks), bytes: max(1, credits.bytes))
    }

    /// Whether a thread is idle: half of the credits are for tasks that wait for a thread.
    var hasIdleThread: Bool { holdings.count * 2 < max(2, credits.tasks) }

    mutating func learn(nanoseconds: UInt64, estimate: UInt64) {
        let found = Double(nanoseconds) / Double(max(1, estimate))
        pace = pace.map { $0 + (found - $0) / 4 } ?? found
    }

    /// A task has taken this long and is not done. The pace is only corrected to slower values.
    mutating func learn(atLeast nanoseconds: UInt64, estimate: UInt64) {
        let found = Double(nanoseconds) / Double(max(1, estimate))
        guard let known = pace else {
            pace = found
            return
        }
        if found > known { learn(nanoseconds: nanoseconds, estimate: estimate) }
    }

    /// Whether the worker can be expected to make progress: not all of its credits are in tasks past their lease.
    var isUsable: Bool { !isDraining && holdings.count - leaseCount < credits.tasks }

    var takesMore: Bool {
        !isDraining && reservedFor == nil && isolated == nil && holdings.count < credits.tasks
    }

    mutating func take(_ id: AttemptID, cost: TaskCost, deadline: UInt64) {
        holdings[id] = Holding(bytes: cost.bytes, deadline: deadline, isLease: true)
        usedBytes += cost.bytes
        leaseCount += 1
    }

    mutating func renew(_ id: AttemptID, deadline: UInt64) { holdings[id]?.deadline = deadline }

    /// The broker no longer waits for its answer.
    mutating func endLease(_ id: AttemptID) {
        guard holdings[id]?.isLease == true else { return }
        holdings[id]?.isLease = false
        leaseCount -= 1
    }

    /// Nil if the worker does not hold it.
    mutating func giveBack(_ id: AttemptID) -> Holding? {
        guard let holding = holdings.removeValue(forKey: id) else { return nil }
        usedBytes -= holding.bytes
        if holding.isLease { leaseCount -= 1 }
        if isolated == id { isolated = nil }
        return holding
    }
}
