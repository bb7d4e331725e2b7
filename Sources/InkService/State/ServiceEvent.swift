public import InkProtocol
import InkStore

/// One session of a client. A client that says hello again gets another one.
struct SessionID: Hashable, Sendable, Comparable {
    var rawValue: UInt64

    static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }
}

/// One reception of a content. It distinguishes results for an abandoned reception from those for the next one.
struct UploadID: Hashable, Sendable {
    var content: ContentID
    var number: UInt64
}

/// An order of a session, with the client's number.
struct OrderID: Hashable, Sendable {
    var session: SessionID
    var number: UInt32
}

/// A batch that is entered as a whole.
struct EntryID: Hashable, Sendable {
    var rawValue: UInt64
}

/// The answer to it.
public enum EntryAnswer: Hashable, Sendable {
    /// The jobs that have not been purged, in the order of the submissions; `isNew` unless they existed before.
    case entered([JobNumber], isNew: Bool)
    /// The batch is known, with other submissions.
    case conflict
    /// There is no job.
    case rejected(Rejection)
}

/// Identifies what a journal's answer belongs to.
enum JournalToken: Hashable, Sendable {
    case accept(SubmissionKey)
    case enter(EntryID)
    case starting(JobNumber)
    case ended(JobNumber)
    case order(OrderID)
    /// The answer is not needed.
    case note
    /// A test whether the disk accepts entries again.
    case probe
}

/// How an export of the broker ended.
enum ExportEnd: Hashable, Sendable {
    case ended(JobEnding)
    /// It can be tried again: the workers of its renderer version have left.
    case again(reason: String)
    /// It can be tried again, but not at once: the system lacks a resource that all jobs need.
    case later(reason: String)
}

/// An event that concerns jobs and clients.
enum ServiceEvent: Sendable {
    // Clients.
    /// `owner` is the name of the client's key or, without keys, of the client.
    case joined(SessionID, owner: String)
    case left(SessionID)
    case submitted(SessionID, Submission)
    /// The bytes are passed next to the event.
    case contentArrived(SessionID, ContentID, offset: UInt64, count: Int)
    case contentUnavailable(SessionID, ContentID, reason: String)
    case watched(SessionID, [JobNumber])
    case noticesTaken(SessionID, [UInt64])
    case ordered(SessionID, Order)

    // The disk.
    /// All submissions of a batch, whose contents are there.
    case entered(EntryID, owner: String, [Submission])
    /// The answer to `examine`.
    case examined(SubmissionKey, known: KnownSubmission?, hasContent: Bool)
    /// The answers to `beginContent`, `writeContent`, `finishContent`.
    case contentBegun(UploadID)
    case contentWritten(UploadID, through: UInt64)
    case contentStored(UploadID)
    case contentFailed(UploadID, StoreError)
    case committed(JournalToken, Result<[JournalOutcome], StoreError>)
    /// The answer to `lookUp`.
    case lookedUp(SessionID, [Notice])
    /// The answer to `reload`.
    case reloaded([JobRecord])
    /// The answer to `recover`: the picture, if it has its final name.
    case recovered(JobNumber, PictureReport?)

    // The broker.
    /// The job's project has been read and split.
    case prepared(JobNumber)
    /// One worker makes all of its picture, or does not after all; so many such pictures may be under way.
    case alone(JobNumber, Bool, atOnce: Int)
    case progressed(JobNumber, done: Int, total: Int, timeLeft: TimeLeft? = nil)
    /// `story`: JSON text.
    case exportEnded(JobNumber, ExportEnd, story: [UInt8])

    /// From now on no job is started or accepted.
    case stopping
    /// Time has passed.
    case tick
}

/// An action of the service, to be executed in order.
enum ServiceAction: Hashable, Sendable {
    case send(SessionID, ServiceMessage)
    case answerEntry(EntryID, EntryAnswer)
    /// Check whether a job has the key and whether the content exists.
    case examine(SubmissionKey, ProjectSource)
    /// Reserve room for a content.
    case beginContent(UploadID, byteCount: UInt64)
    /// Write the bytes of the event.
    case writeContent(UploadID, offset: UInt64)
    /// All bytes are written: check and sync the content.
    case finishContent(UploadID)
    case discardContent(UploadID)
    case journal(JournalToken, [JournalEntry])
    /// Pass the job to the broker.
    case start(JobNumber)
    case cancelExport(JobNumber)
    case setPriority(JobNumber, Int)
    case setPaused(JobNumber, Bool)
    /// Find the ends of jobs that are not in memory.
    case lookUp(SessionID, [JobNumber])
    case reload([JobNumber])
    case recover(JobNumber, SealedPicture)
    /// An end is durable; for the log.
    case told(JobNumber, JobEnding)
}
