import InkProtocol
import Synchronization

/// A client's session in the loop.
struct ClientPeer {
    let id: SessionID
    /// ZeroMQ's name for the connection.
    let route: [UInt8]
    let name: String
    let owner: String
    /// The name of its key, which every message must have; nil without keys.
    let userID: String?
    /// Windows for the parts of pictures and answers sent to it, and for the parts of contents received.
    var line: LineWindow
    var received = PartsReceived()
    var lastHeard: UInt64
    var lastSent: UInt64
    /// Bytes that wait to be sent to it, here and in ZeroMQ.
    let queued: QueuedBytes
    /// Messages for which the connection had no room, oldest first.
    var unsent: [[UInt8]] = []
    var unsentBytes = 0
    /// Answers being sent, oldest first; they go before pictures.
    var answers: [OutgoingAnswer] = []
    var answerBytes: Int { answers.reduce(0) { $0 + $1.text.count - $1.sent } }
    /// Requested pieces of pictures, oldest first. Only as much is read at a time as the line takes.
    var downloads: [Download] = []
    /// The piece from which data is being read.
    var reading: Download?
    /// Number of bytes being read.
    var readingBytes = 0
    /// Requests for unfinished pictures that have not become downloads.
    var followed: [JobNumber: [Range<UInt64>]] = [:]
    /// Number of requested picture windows that have not been sent.
    var openWindows: Int { followed.values.reduce(downloads.count) { $0 + $1.count } + (reading == nil ? 0 : 1) }

    /// Unanswered questions, oldest first. They are kept as questions, because answers are large.
    var questions: [Question] = []
    /// Whether the first question is being answered.
    var isAsking = false
    /// For lanes, which may have work of a session that has ended.
    let life = SessionLife()

    struct Download: Hashable {
        var job: JobNumber
        /// Byte range of the file, or up to its end.
        var range: Range<UInt64>
        /// Path of the picture while it is not finished.
        var unfinished: String?
    }

    struct OutgoingAnswer {
        var number: UInt32
        var text: [UInt8]
        var sent = 0
        /// When data was last sent, in milliseconds.
        var lastMoved: UInt64
    }

    /// Maximum bytes of messages that a client may leave unread.
    static let unsentBytesMax = 64 << 20
    /// Maximum number of picture windows that a client may have requested.
    static let downloadsMax = 256
    /// Maximum number of unanswered questions of a client.
    static let questionsMax = 64
}

/// Whether a session still exists. Set by one thread, read by others.
final class SessionLife: Sendable {
    private let over = Atomic<Bool>(false)

    var isOver: Bool { over.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }
}
