import InkProtocol

/// A job as the scheduler sees it.
struct ScheduledJob: Sendable {
    let id: JobID
    var priority: Int
    let weight: UInt64
    /// The renderer version of its first task, which all others have to be of.
    var version: String?
    /// Since when no worker of that version has been there.
    var orphanedSince: UInt64?
    /// Weighted turns taken, in estimated nanoseconds; the job that is furthest behind goes next.
    var pass: UInt64
    var graph: StageGraph
    /// Tasks with a record.
    var tasks: Set<TaskID> = []
    /// Tasks that wait for another try, oldest first; suspects are elsewhere.
    var retries: [TaskID] = []

    init(id: JobID, priority: Int, weight: Int, stages: [Stage], pass: UInt64) {
        self.id = id
        self.priority = priority
        self.weight = UInt64(max(1, min(weight, 1_000_000)))
        self.pass = pass
        graph = StageGraph(stages)
    }
}
