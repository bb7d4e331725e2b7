public import InkProtocol

/// A job in the store.
public struct JobRecord: Hashable, Sendable {
    public var number: JobNumber
    public var key: SubmissionKey
    /// `Submission.stored`.
    public var submission: [UInt8]
    /// The submitter: the name of the client's key; empty without keys.
    public var owner: String
    public var priority: Int
    public var isPaused: Bool
    public var state: StoredState
    /// How often the broker crashed while it read the project.
    public var crashes: Int
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// nil before the end.
    public var endedAt: Int64?
    /// The id of the notice of its end; 0 before the end.
    public var notice: UInt64
    /// The warnings of its project when it was last read, one line each.
    public var warnings: [String]

    public init(
        number: JobNumber, key: SubmissionKey, submission: [UInt8], owner: String, priority: Int,
        isPaused: Bool = false, state: StoredState = .queued, crashes: Int = 0, createdAt: Int64, endedAt: Int64? = nil,
        notice: UInt64 = 0,
        warnings: [String] = []
    ) {
        self.number = number
        self.key = key
        self.submission = submission
        self.owner = owner
        self.priority = priority
        self.isPaused = isPaused
        self.state = state
        self.crashes = crashes
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.notice = notice
        self.warnings = warnings
    }
}

/// The state of a job that must survive the broker.
public enum StoredState: Hashable, Sendable {
    /// Waiting to be rendered, from the start.
    case queued
    /// The broker is reading its project. If the broker crashes now, the project is the suspected cause.
    case starting
    /// The picture is complete in its temporary file and is about to be renamed.
    case publishing(SealedPicture)
    case ended(JobEnding)
}

/// A change of the store. The entries of one transaction are durable all or none.
public enum JournalEntry: Hashable, Sendable {
    /// A new job in state `queued`. An entry with a known key changes nothing; its outcome contains the older job, or
    /// says that the key is another submission's.
    case accept(JobRecord)
    /// All jobs of a batch, at least one, in state `queued`: their keys begin alike. A batch that is known changes
    /// nothing; its outcome contains the older jobs, or says that it is of other submissions.
    case enter([JobRecord])
    case starting(JobNumber)
    /// The warnings of its project, one line each.
    case warned(JobNumber, [String])
    /// Back to `queued`: its project has been read, or it has to be rendered again.
    case queued(JobNumber, crashes: Int)
    case publishing(JobNumber, SealedPicture)
    /// `story` is JSON text with the events of its tiles; the store may compress it.
    case ended(JobNumber, JobEnding, notice: UInt64, at: Int64, story: [UInt8])
    /// An ended job is queued again; its end and notice are removed.
    case retried(JobNumber)
    case priority(JobNumber, Int)
    case paused(JobNumber, Bool)
    /// The record, its story and its key are removed.
    case purged(JobNumber)
    /// Changes nothing, but is written, to test whether the disk accepts entries.
    case probe

    /// The jobs that it changes.
    public var jobs: [JobNumber] {
        switch self {
        case .accept(let record): [record.number]
        case .enter(let records): records.map(\.number)
        case .starting(let job), .warned(let job, _), .queued(let job, _), .publishing(let job, _),
            .ended(let job, _, _, _, _), .retried(let job), .priority(let job, _), .paused(let job, _),
            .purged(let job):
            [job]
        case .probe: []
        }
    }

    /// The jobs that it has changed, by what came of it: a key that was known has entered none.
    public func jobs(after outcome: JournalOutcome) -> [JobNumber] {
        switch (self, outcome) {
        case (_, .accepted(let job, isNew: true)): [job]
        case (_, .entered(let jobs, isNew: true)): jobs
        case (_, .done): jobs
        case (_, .accepted), (_, .entered), (_, .conflict), (_, .unchanged): []
        }
    }

    /// Whether the entry is refused on a full disk, so that others still find room.
    var canWait: Bool {
        switch self {
        case .accept, .enter, .probe: true
        case .starting, .warned, .queued, .publishing, .ended, .retried, .priority, .paused, .purged: false
        }
    }
}

/// The outcome of a `JournalEntry`.
public enum JournalOutcome: Hashable, Sendable {
    case done
    /// For `accept`: the job with the key; `isNew` unless it existed before.
    case accepted(JobNumber, isNew: Bool)
    /// For `enter`: the jobs of the batch that have not been purged, by their keys; `isNew` unless they existed before.
    case entered([JobNumber], isNew: Bool)
    /// For `accept` and `enter`: the key is known, with another submission. Nothing was changed.
    case conflict
    /// The job is unknown, or its state does not allow the change. Nothing was changed.
    case unchanged
}
