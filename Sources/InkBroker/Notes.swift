public import InkEngine
public import InkProtocol

/// Something that happened to a worker.
public struct WorkerNote: Hashable, Sendable {
    /// What happened to the worker.
    public enum What: Hashable, Sendable {
        case joined
        case left(reason: String)
        /// It was not taken on, or broke the rules.
        case refused(reason: String)
        case draining
    }

    public var worker: String
    public var what: What
    /// Where it connects from; nil within a process.
    public var address: String?
    /// The name of its key; nil without keys.
    public var keyName: String?
}

/// Something that happened to a task.
public struct TaskNote: Hashable, Sendable {
    /// What happened to the task.
    public enum What: Hashable, Sendable {
        case dispatched
        /// Given to a second worker, since the first is slow.
        case raced
        case finished
        /// Its result was there from an earlier export.
        case found
        case failed(reason: String)
        /// Its worker is gone or silent.
        case lost(reason: String)
        /// A result that nobody wanted any more.
        case dropped

        public var name: String {
            switch self {
            case .dispatched: "dispatched"
            case .raced: "raced"
            case .finished: "finished"
            case .found: "found"
            case .failed: "failed"
            case .lost: "lost"
            case .dropped: "dropped"
            }
        }

        public var reason: String? {
            switch self {
            case .failed(let reason), .lost(let reason): reason
            case .dispatched, .raced, .finished, .found, .dropped: nil
            }
        }
    }

    public var job: JobID
    /// `tile 0,3`.
    public var task: String
    /// The position of the tile, for a task that renders one.
    public var tile: TilePosition?
    /// From 1; 0 where no worker did it.
    public var attempt: UInt32
    /// Empty where no worker did it.
    public var worker: String
    public var what: What
}

/// A tile's place among those of a picture, from 0.
public struct TilePosition: Hashable, Sendable {
    public var column: Int
    public var row: Int
}

/// The tiles of a picture. All have one size, except at the right and bottom edges.
public struct PictureTiles: Hashable, Sendable {
    /// In output pixels.
    public var picture: PixelSize
    public var tile: PixelSize
    public var columns: Int
    public var rows: Int
}

/// How a broker stands, for people.
public struct BrokerReport: Hashable, Sendable {
    public var workers: [WorkerReport] = []
    /// Since the start.
    public var tasksDispatched = 0
    public var tasksFinished = 0
    public var tasksFailed = 0
    public var tasksRaced = 0
    public var tasksVerified = 0
    /// Tiles whose results were there from earlier exports.
    public var tasksFound = 0
    /// Until all that has been submitted is done; nil if there is nothing, or nobody to do it.
    public var timeLeft: TimeLeft?
    /// What a further job like those before would add to it; nil before the first has ended, and without workers.
    public var timePerJob: TimeLeft?
    /// The length of all blocks in memory, and of those on the disk.
    public var blockBytes = 0
    public var spilledBytes = 0
    /// What waits to be sent to workers.
    public var queuedBytes = 0

    public init() {}

    /// Threads of workers that have a task. A worker holds the next tasks, too.
    public var threadsBusy: Int { workers.reduce(0) { $0 + min($1.threads, $1.tasksHeld) } }
}

/// A connected worker.
public struct WorkerReport: Hashable, Sendable {
    public var name: String
    public var rendererVersion: String
    public var threads: Int
    public var tasksHeld: Int
    public var tasksDone: Int
    public var tasksFailed: Int
    /// In the last ten seconds.
    public var tasksPerSecond: Double
    public var isDraining: Bool
    public var millisecondsSinceHeard: Int
    public var address: String?
    public var keyName: String?
}
