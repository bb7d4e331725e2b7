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
    /// Of its hello: what is sent to it is in this version.
    let protocolVersion: UInt16
    var lastHeard: UInt64
    var lastSent: UInt64
    /// Messages that the connection had no room for, oldest first.
    var unsent: [[UInt8]] = []
    var unsentBytes = 0
    /// Pieces of pictures that were asked for, oldest first; one window is read at a time.
    var downloads: [Download] = []
    var isReading = false
    /// What was asked for of pictures that are not finished, as far as it has not become a download.
    var followed: [JobNumber: [Range<UInt64>]] = [:]
    /// Windows of pictures that were asked for and have not been sent.
    var openWindows: Int { followed.values.reduce(downloads.count) { $0 + $1.count } }

    /// Of questions that have not been answered.
    var openQuestions = 0
    /// For lanes, which may have work of a session that is over.
    let life = SessionLife()

    struct Download: Hashable {
        var job: JobNumber
        /// Bytes of the file, or up to its end.
        var range: Range<UInt64>
        /// Where the picture is while it is not finished.
        var unfinished: String?
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
