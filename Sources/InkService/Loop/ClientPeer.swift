import InkProtocol
import Synchronization

/// A client's session, as the loop sees it.
struct ClientPeer {
    let id: SessionID
    /// ZeroMQ's name for the connection.
    let route: [UInt8]
    let name: String
    let owner: String
    /// The name of its key; every message must come with it. nil without keys.
    let userID: String?
    /// The version of its hello, used for everything sent to it.
    let protocolVersion: UInt16
    /// What goes to it of pictures and answers, and what has come of contents.
    var line: LineWindow
    var received = PartsReceived()
    var lastHeard: UInt64
    var lastSent: UInt64
    /// What waits to be sent to it, here and with ZeroMQ.
    let queued: QueuedBytes
    /// Messages that the connection had no room for, oldest first.
    var unsent: [[UInt8]] = []
    var unsentBytes = 0
    /// Answers on their way, oldest first; they go before pictures.
    var answers: [OutgoingAnswer] = []
    var answerBytes: Int { answers.reduce(0) { $0 + $1.text.count - $1.sent } }
    /// Pieces of pictures that were asked for, oldest first; as much is read at a time as the line takes.
    var downloads: [Download] = []
    /// The piece of which some is being read.
    var reading: Download?
    /// Bytes needed while it is read.
    var readingBytes = 0
    /// Requests for unfinished pictures that have not become downloads.
    var followed: [JobNumber: [Range<UInt64>]] = [:]
    /// Windows of pictures that were asked for and have not been sent.
    var openWindows: Int { followed.values.reduce(downloads.count) { $0 + $1.count } + (reading == nil ? 0 : 1) }

    /// Questions that have not been answered, oldest first: as they came, for answers are large.
    var questions: [Question] = []
    /// Whether the first of them is being answered.
    var isAsking = false
    /// For lanes, which may have work of a session that is over.
    let life = SessionLife()

    struct Download: Hashable {
        var job: JobNumber
        /// Bytes of the file, or up to its end.
        var range: Range<UInt64>
        /// Where the picture is while it is not finished.
        var unfinished: String?
    }

    struct OutgoingAnswer {
        var number: UInt32
        var text: [UInt8]
        var sent = 0
        /// When some of it went last, milliseconds.
        var lastMoved: UInt64
    }

    /// Bytes of messages that a client may leave lying.
    static let unsentBytesMax = 64 << 20
    /// Windows of pictures that a client may have asked for.
    static let downloadsMax = 256
    /// Questions that a client may have asked before the first is answered.
    static let questionsMax = 64
}

/// Whether a session still lives. Ended by one thread, seen by others.
final class SessionLife: Sendable {
    private let over = Atomic<Bool>(false)

    var isOver: Bool { over.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }
}
