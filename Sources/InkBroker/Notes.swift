/// Something that happened to a worker.
public struct WorkerNote: Hashable, Sendable {
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
    public enum What: Hashable, Sendable {
        case dispatched
        /// Given to a second worker, since the first is slow.
        case raced
        case finished
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
            case .failed: "failed"
            case .lost: "lost"
            case .dropped: "dropped"
            }
        }

        public var reason: String? {
            switch self {
            case .failed(let reason), .lost(let reason): reason
            case .dispatched, .raced, .finished, .dropped: nil
            }
        }
    }

    public var job: JobID
    /// `tile 0,3`.
    public var task: String
    /// From 1.
    public var attempt: UInt32
    public var worker: String
    public var what: What
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
    /// Of blocks in memory and on the disk.
    public var blockBytes = 0
    public var spilledBytes = 0
    /// What waits to be sent to workers.
    public var queuedBytes = 0

    public init() {}
}

/// A connected worker.
public struct WorkerReport: Hashable, Sendable {
    public var name: String
    public var rendererVersion: String
    public var protocolVersion: UInt16
    public var threads: Int
    public var tasksHeld: Int
    public var tasksDone: Int
    public var isDraining: Bool
    public var millisecondsSinceHeard: Int
    public var address: String?
    public var keyName: String?
}
