public import InkProtocol
import InkSystem

/// Why a worker cannot start, or has ended without draining.
public enum WorkerError: Error, Hashable, Sendable {
    /// The broker does not accept this worker.
    case refused(reason: String)
    /// The sockets failed.
    case transport(ProtocolError)
    /// The system could not start a thread.
    case noThread(errno: Int32)
    /// An invalid value in the configuration.
    case configuration(what: String, found: String, expected: String)
}

extension WorkerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let reason): "the broker refused this worker: \(reason)"
        case .transport(let cause): "worker: \(cause)"
        case .noThread(let errno): "worker: \(PosixThread.refusal(errno: errno))"
        case .configuration(let what, let found, let expected): "worker: \(what) is \(found), expected \(expected)"
        }
    }
}
