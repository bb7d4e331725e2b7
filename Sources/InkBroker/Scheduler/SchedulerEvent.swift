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

/// What a task does for its job.
enum TaskRole: Hashable, Sendable, CustomStringConvertible {
    /// Decodes the job's image of this index.
    case decode(Int)
    case tile(row: Int, column: Int)
    /// Puts the tiles of a row together into a band.
    case encode(row: Int)

    var description: String {
        switch self {
        case .decode(let index): "decoding image \(index + 1)"
        case .tile(let row, let column): "tile \(column),\(row)"
        case .encode(let row): "encoding row \(row) of tiles"
        }
    }
}

/// What a task is estimated to take.
struct TaskCost: Hashable, Sendable {
    /// Bytes that the worker holds for it at once.
    var bytes: Int
    var nanoseconds: UInt64
}

/// The tasks of a job that come after its decode tasks, row by row.
struct TileSchedule: Hashable, Sendable {
    /// At least 1 each.
    var rows: Int
    var columns: Int
    /// Whether a complete row of tiles wants a task that encodes it.
    var needsEncoding: Bool
    var tileCost: TaskCost
    var encodeCost: TaskCost
    /// Rows beyond the ones written that may be under way; at least 1.
    var window: Int
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
    /// A job whose images take tasks of these costs.
    case jobAdded(JobID, priority: Int, weight: Int, decodes: [TaskCost])
    /// The answer to `planTiles`.
    case tilesPlanned(JobID, TileSchedule)
    /// So many of the job's rows are written.
    case rowsWritten(JobID, Int)
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
