public import InkProtocol

/// An event for the log.
public struct FarmNote: Sendable {
    /// How much the event matters.
    public enum Level: Int, Sendable, Comparable {
        case error
        case warning
        case info
        case debug

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    public var level: Level
    /// The kind of event, such as `job.accepted` or `worker.lost`.
    public var name: String
    public var job: JobNumber?
    /// Such as `tile 0,3` or `decoding image 1`.
    public var task: String?
    public var worker: String?
    public var client: String?
    /// An explanation; one line.
    public var reason: String?
    /// The value of a field.
    public enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
    }

    /// Further fields of this kind of event.
    public var details: [(name: String, value: Value)]

    public init(
        _ level: Level, _ name: String, job: JobNumber? = nil, task: String? = nil, worker: String? = nil,
        client: String? = nil, reason: String? = nil, details: [(name: String, value: Value)] = []
    ) {
        self.level = level
        self.name = name
        self.job = job
        self.task = task
        self.worker = worker
        self.client = client
        self.reason = reason
        self.details = details
    }
}
