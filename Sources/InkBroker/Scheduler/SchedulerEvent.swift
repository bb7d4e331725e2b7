import InkEngine
import InkProtocol

/// The name of an export in a broker; the submitter chooses it, unique in the broker's life.
public struct JobID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: JobID, b: JobID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "job \(rawValue)" }
}

/// One session of a worker: a worker that comes back after it was lost is another one.
struct WorkerID: Hashable, Sendable, Comparable {
    var rawValue: UInt64

    static func < (a: WorkerID, b: WorkerID) -> Bool { a.rawValue < b.rawValue }
}

/// One try at a task: what a worker holds.
struct AttemptID: Hashable, Sendable, Comparable {
    var task: TaskID
    /// From 1.
    var attempt: UInt32

    static func < (a: AttemptID, b: AttemptID) -> Bool { (a.task, a.attempt) < (b.task, b.attempt) }
}

/// What a task is estimated to take.
struct TaskCost: Hashable, Sendable {
    /// Bytes that the worker holds for it at once.
    var bytes: Int
    var nanoseconds: UInt64
}

/// How a worker's try went wrong.
enum TaskFault: Hashable, Sendable {
    /// The input's fault: no retry can mend it.
    case badInput(EngineError)
    /// Anything that another worker, or the same one later, may not run into.
    case transient(String)
    /// The result is not what it has to be: the worker is not to be trusted.
    case malformed(String)
    /// The worker dropped the task because it was told to, is leaving or has no room for it.
    case cancelled
}

/// What happened, as far as it concerns the scheduler.
enum SchedulerEvent: Hashable, Sendable {
    /// A job and its first stages; the others are known when these are complete.
    case jobAdded(JobID, priority: Int, weight: Int, stages: [Stage])
    /// The answer to `planStages`. The stages are numbered on from the first ones.
    case stagesPlanned(JobID, [Stage])
    /// So many groups of a stage are written, from its first on.
    case groupsWritten(JobID, stage: Int, count: Int)
    case priorityChanged(JobID, Int)
    /// The job is not wanted any more, for whatever reason: nothing further is said of it.
    case jobDropped(JobID)
    /// `version`: the renderer's; all tiles of a job go to one.
    case workerJoined(WorkerID, name: String, version: String = "", credits: WorkerCredits)
    /// The worker takes no further tasks; it finishes what it holds.
    case workerDraining(WorkerID)
    /// `delivered`: tries whose tasks have left the broker; nil: all that it holds.
    case workerLost(WorkerID, reason: String, delivered: Set<AttemptID>? = nil)
    case taskProgressed(WorkerID, AttemptID)
    /// A result that has been checked. `digest`: of its content, for a task that `wantsDigest`.
    case taskFinished(WorkerID, AttemptID, digest: [UInt8] = [])
    case taskFailed(WorkerID, AttemptID, TaskFault)
    /// Time has passed.
    case tick
}

/// How much a worker takes at once.
struct WorkerCredits: Hashable, Sendable {
    /// At least 1.
    var tasks: Int
    /// Of task estimates in all; a task larger than this goes to a worker that holds nothing else.
    var bytes: Int
}
