public import InkProtocol

/// A job as the store keeps it.
public struct JobRecord: Hashable, Sendable {
    public var number: JobNumber
    public var key: SubmissionKey
    /// `Submission.stored`.
    public var submission: [UInt8]
    /// Who submitted it: the name of the client's key; empty where clients have none.
    public var owner: String
    public var priority: Int
    public var state: StoredState
    /// How often the broker died while it read the project.
    public var crashes: Int
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// nil before its end.
    public var endedAt: Int64?
    /// The id of the notice of its end; 0 before.
    public var notice: UInt64
    /// The warnings of its project when it was last read, one line each.
    public var warnings: [String]

    public init(
        number: JobNumber, key: SubmissionKey, submission: [UInt8], owner: String, priority: Int,
        state: StoredState = .queued, crashes: Int = 0, createdAt: Int64, endedAt: Int64? = nil, notice: UInt64 = 0,
        warnings: [String] = []
    ) {
        self.number = number
        self.key = key
        self.submission = submission
        self.owner = owner
        self.priority = priority
        self.state = state
        self.crashes = crashes
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.notice = notice
        self.warnings = warnings
    }
}

/// Where a job stands, as far as it must survive the broker.
public enum StoredState: Hashable, Sendable {
    /// To be rendered, from the start.
    case queued
    /// The broker is reading its project: should it die now, the project is under suspicion.
    case starting
    /// The picture is complete in its temporary file and is about to get its name.
    case publishing(PictureSeal)
    case ended(JobEnding)
}

/// A picture that is complete and synced under its temporary name.
public struct PictureSeal: Hashable, Sendable {
    /// The file's name to be; absolute.
    public var target: String
    /// Where it lies until then.
    public var temporary: String
    public var picture: FinishedPicture

    public init(target: String, temporary: String, picture: FinishedPicture) {
        self.target = target
        self.temporary = temporary
        self.picture = picture
    }
}

/// A change of the store. Those of one transaction are durable all or none.
public enum JournalEntry: Hashable, Sendable {
    /// A new job in state `queued`; one with a key that is known changes nothing, and the outcome names the older job.
    case accept(JobRecord)
    case starting(JobNumber)
    /// The warnings of its project, one line each.
    case warned(JobNumber, [String])
    /// Back to `queued` (its project has been read, or it has to be rendered again).
    case queued(JobNumber, crashes: Int)
    case publishing(JobNumber, PictureSeal)
    /// `story` is JSON text of what happened to its tiles, compressed by the store as it likes.
    case ended(JobNumber, JobEnding, notice: UInt64, at: Int64, story: [UInt8])
    /// An ended job is queued again, its end and notice forgotten.
    case retried(JobNumber)
    case priority(JobNumber, Int)
    /// The record, its story and its key are forgotten.
    case purged(JobNumber)
    /// Changes nothing, but is written: whether the disk takes entries.
    case probe

    /// Whether it is refused on a full disk, so that others still find room.
    var canWait: Bool {
        switch self {
        case .accept, .probe: true
        case .starting, .warned, .queued, .publishing, .ended, .retried, .priority, .purged: false
        }
    }
}

/// What came of a `JournalEntry`.
public enum JournalOutcome: Hashable, Sendable {
    case done
    /// Of `accept`: the job that has the key; `isNew` unless it was there before.
    case accepted(JobNumber, isNew: Bool)
    /// The job is unknown, or its state does not allow the change; nothing was changed.
    case unchanged
}
