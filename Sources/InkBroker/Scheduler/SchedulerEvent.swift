import InkEngine
import InkProtocol

/// The name of an export in a broker. The submitter chooses it; it is unique in the broker's life.
public struct JobID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (a: JobID, b: JobID) -> Bool { a.rawValue < b.rawValue }

    public var description: String { "job \(rawValue)" }
}

/// One session of a worker. A worker that returns after it was lost is a new one.
struct WorkerID: Hashable, Sendable, Comparable {
    var rawValue: UInt64

    static func < (a: WorkerID, b: WorkerID) -> Bool { a.rawValue < b.rawValue }
}

/// One attempt at a task: what a worker holds.
struct AttemptID: Hashable, Sendable, Comparable {
    var task: TaskID
    /// From 1.
    var attempt: UInt32

    static func < (a: AttemptID, b: AttemptID) -> Bool { (a.task, a.attempt) < (b.task, b.attempt) }
}

/// Why a worker's attempt failed.
enum TaskFault: Hashable, Sendable {
    /// The input is wrong; a retry cannot help.
    case badInput(EngineError)
    /// Anything that another worker, or the same one later, may not encounter.
    case transient(String)
    /// The result is invalid; the worker is not trusted any more.
    case malformed(String)
    /// The worker dropped the task because it was cancelled, is leaving or has no room for it.
    case cancelled
}

/// An event that concerns the scheduler.
enum SchedulerEvent: Hashable, Sendable {
    /// A job and its first stages; others follow when these are complete.
    case jobAdded(JobID, priority: Int, weight: Int, stages: [Stage])
    /// The answer to the action `planStages`. Numbering continues after the stages before. Unless these are the last,
    /// others follow when they are complete.
    case stagesPlanned(JobID, [Stage], isLast: Bool = true)
    /// The first `count` groups of a stage have been written.
    case groupsWritten(JobID, stage: Int, count: Int)
    case priorityChanged(JobID, Int)
    /// No further task of the job is given to workers, or they are again. What workers have goes on.
    case pauseChanged(JobID, isPaused: Bool)
    /// The job is not needed any more, for any reason. There are no further actions for it.
    case jobDropped(JobID)
    /// `version`: the renderer's; all tiles of a job go to one version.
    case workerJoined(WorkerID, name: String, version: String = "", credits: WorkerCredits)
    /// The worker accepts no further tasks and finishes those it holds.
    case workerDraining(WorkerID)
    /// `delivered`: attempts whose tasks have left the broker; nil: all that it holds.
    case workerLost(WorkerID, reason: String, delivered: Set<AttemptID>? = nil)
    case taskProgressed(WorkerID, AttemptID)
    /// A result that has been checked. `digest`: of its content, for a task for which `wantsDigest` is true.
    case taskFinished(WorkerID, AttemptID, digest: [UInt8] = [])
    case taskFailed(WorkerID, AttemptID, TaskFault)
    /// The answer to the action `lookUp`: whether there is a result already.
    case lookedUp(TaskID, isFound: Bool)
    /// Time has passed.
    case tick
}

/// How much a worker accepts at once.
struct WorkerCredits: Hashable, Sendable {
    /// At least 1.
    var tasks: Int
    /// Sum of the tasks' estimates; a task larger than this goes to a worker that holds nothing else.
    var bytes: Int
}
