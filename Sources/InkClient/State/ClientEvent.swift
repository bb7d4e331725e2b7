import InkEngine
import InkProtocol

/// The client's number for a picture that it fetches.
typealias FetchID = UInt64

/// The client's number for an order or a question of its caller.
typealias RequestID = UInt64

/// An event of a client.
enum ClientEvent: Sendable {
    /// The loop begins.
    case started
    case received(ServiceMessage)
    /// The socket is gone.
    case connectionFailed(ProtocolError)
    /// Time has passed.
    case tick

    // The caller.
    case submit(Submission, ContentSource?)
    /// Withdraw submissions, unless the broker has them already.
    case withdraw([SubmissionKey])
    case expect([JobNumber: ContentID])
    case watch([JobNumber])
    case noticeTaken(UInt64)
    case follow(JobNumber, path: String, format: PictureFormat = .png)
    case fetch(JobNumber, PictureReport, path: String, format: PictureFormat = .png)
    case order(RequestID, OrderAction)
    case question(RequestID, Topic)
    /// The answer is no longer needed.
    case giveUp(RequestID)
    case stopRequested

    // The files.
    /// The answer to `read`.
    case contentRead(ContentRead)
    /// The answer to `write`, with the number of bytes.
    case written(FetchID, byteCount: Int)
    /// The answer to `finish`, with the bytes of a folder.
    case stored(FetchID, folderBytes: Int? = nil)
    /// The answer to `open`, `write` or `finish`; nothing of the file is left.
    case fileFailed(FetchID, ClientError)
}

/// A piece of a content, or why it cannot be read.
struct ContentRead: Sendable {
    var id: ContentID
    /// The request that it was read for.
    var serial: UInt64
    var offset: UInt64
    /// Number of bytes to read.
    var byteCount: Int
    var result: Result<[UInt8], ContentFailure>
}

/// Why a content cannot be sent.
enum ContentFailure: Error, Hashable, Sendable, CustomStringConvertible {
    case changed(path: String)
    case unreadable(ClientError)

    var description: String {
        switch self {
        case .changed(let path): "\(path) has changed since it was submitted"
        case .unreadable(let cause): cause.description
        }
    }
}

/// The outcome of an order or a question.
enum RequestOutcome: Hashable, Sendable {
    case done(OrderResult)
    case answer([UInt8])
    case failed(ClientError)
}

/// An action for the loop, to be executed in order.
enum ClientAction: Sendable {
    /// Close the current connection, if any, and make a new one.
    case connect
    case send(ClientMessage)
    case emit(FarmClientEvent)
    case answer(RequestID, RequestOutcome)
    /// A part of the answer has arrived; the wait continues.
    case answering(RequestID)
    /// Read a piece of a content; answered with `contentRead`.
    case read(ContentID, ContentSource, serial: UInt64, offset: UInt64, byteCount: Int)
    /// Make a temporary file in the folder of the path, for a picture of this format.
    case open(FetchID, path: String, format: PictureFormat)
    /// Append to it; answered with `written`.
    case write(FetchID, [UInt8])
    /// Compare it with the notice, sync and rename it; answered with `stored`.
    case finish(FetchID, PictureReport, of: JobNumber)
    /// Remove it.
    case discard(FetchID)
    /// The client has ended; no action follows.
    case stop
}
