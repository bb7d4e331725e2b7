import InkProtocol

/// A job in the scheduler.
struct ScheduledJob: Sendable {
    let id: JobID
    var priority: Int
    let weight: UInt64
    /// Whether its tasks stay here for now.
    var isPaused = false
    /// The renderer version of its first task, which all its tasks must have.
    var version: String?
    /// Since when there has been no worker of that version.
    var orphanedSince: UInt64?
    /// Weighted turns taken, in estimated nanoseconds. The job with the lowest value is next.
    var pass: UInt64
    var graph: StageGraph
    /// Tasks with a record.
    var tasks: Set<TaskID> = []
    /// Tasks that wait for another attempt, oldest first, without suspects.
    var retries: [TaskID] = []
    /// Tasks that are being looked up.
    var sought: Set<TaskID> = []
    /// Tasks that were not found and wait for their first attempt, oldest first.
    var missing: [TaskID] = []

    init(id: JobID, priority: Int, weight: Int, stages: [Stage], pass: UInt64) {
        self.id = id
        self.priority = priority
        self.weight = UInt64(max(1, min(weight, 1_000_000)))
        self.pass = pass
        graph = StageGraph(stages)
    }
}
