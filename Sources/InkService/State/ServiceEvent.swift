import InkProtocol
import InkStore

/// One session of a client: a client that says hello again has another one.
struct SessionID: Hashable, Sendable, Comparable {
    var rawValue: UInt64

    static func < (a: SessionID, b: SessionID) -> Bool { a.rawValue < b.rawValue }
}

/// What the disk refused.
struct StorageFault: Error, Hashable, Sendable {
    /// One line for a person.
    var text: String
    /// Whether trying again later can help: the disk or the quota is full.
    var isTemporary: Bool
    /// Whether the quota is used up, and the disk itself is well.
    var isOfQuota = false
}

/// One coming in of a content: what the disk says of one that was given up is not taken for the next one's.
struct UploadID: Hashable, Sendable {
    var content: ContentID
    var number: UInt64
}

/// An order of a session, by the client's number.
struct OrderID: Hashable, Sendable {
    var session: SessionID
    var number: UInt32
}

/// Marks what a journal's answer belongs to.
enum JournalToken: Hashable, Sendable {
    case accept(SubmissionKey)
    case starting(JobNumber)
    case ended(JobNumber)
    case order(OrderID)
    /// It is no longer wanted.
    case note
    /// Whether the disk takes entries again.
    case probe
}

/// How an export of the broker ended, in the service's words.
enum ExportEnd: Hashable, Sendable {
    case ended(JobEnding)
    /// It can be tried again: the workers of its renderer version have left.
    case again(reason: String)
    /// The same, but not at once: the system is short of something that all of them need.
    case later(reason: String)
}

/// What happened, as far as it concerns the jobs and the clients.
enum ServiceEvent: Sendable {
    // Clients.
    /// `owner` is the name of the client's key, or of the client where there are no keys.
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
    /// The answer to `examine`.
    case examined(SubmissionKey, job: JobNumber?, hasContent: Bool)
    /// The answers to `beginContent`, `writeContent`, `finishContent`.
    case contentBegun(UploadID)
    case contentWritten(UploadID, through: UInt64)
    case contentStored(UploadID)
    case contentFailed(UploadID, StorageFault)
    case committed(JournalToken, Result<[JournalOutcome], StorageFault>)
    /// The answer to `lookUp`.
    case lookedUp(SessionID, [Notice])
    /// The answer to `reload`.
    case reloaded([JobRecord])
    /// The answer to `recover`: the picture, if it is in its place.
    case recovered(JobNumber, FinishedPicture?)

    // The broker.
    /// The job's project has been read and cut.
    case prepared(JobNumber)
    case progressed(JobNumber, done: Int, total: Int)
    /// `story`: JSON text.
    case exportEnded(JobNumber, ExportEnd, story: [UInt8])

    /// No job is started or accepted any longer.
    case stopping
    /// Time has passed.
    case tick
}

/// The actions, in order.
enum ServiceAction: Hashable, Sendable {
    case send(SessionID, ServiceMessage)
    /// Look whether a job has the key and whether the content is there.
    case examine(SubmissionKey, ProjectSource)
    /// Make room for a content.
    case beginContent(UploadID, byteCount: UInt64)
    /// Write the bytes that came with the event.
    case writeContent(UploadID, offset: UInt64)
    /// All bytes are written: check and sync it.
    case finishContent(UploadID)
    case discardContent(UploadID)
    case journal(JournalToken, [JournalEntry])
    /// Give the job to the broker.
    case start(JobNumber)
    case cancelExport(JobNumber)
    case setPriority(JobNumber, Int)
    /// Look for the ends of jobs that are not in memory.
    case lookUp(SessionID, [JobNumber])
    case reload([JobNumber])
    case recover(JobNumber, PictureSeal)
    /// An end is durable: for logs.
    case told(JobNumber, JobEnding)
}
