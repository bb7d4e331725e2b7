import CZeroMQ
import Glibc

/// The sockets' common ground; endpoints `inproc://` are known within one context only. Safe to share.
public final class ZeroMQContext: Sendable {
    // A context is thread-safe by ZeroMQ's contract (zmq_ctx_new(3)); only sockets are not.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// Throws `transport` when the system has no descriptors or memory left.
    public init() throws(ProtocolError) {
        guard let pointer = zmq_ctx_new() else { throw .zeroMQ("make a ZeroMQ context") }
        self.pointer = pointer
    }

    // Every socket holds its context, so none is open here and terminating does not wait, except for messages that
    // a socket's linger time still allows to be sent.
    deinit { zmq_ctx_term(pointer) }
}

extension ProtocolError {
    /// What ZeroMQ's last call on this thread failed with.
    static func zeroMQ(_ operation: String) -> ProtocolError {
        let code = zmq_errno()
        return .transport(operation: operation, errno: code, reason: String(cString: zmq_strerror(code)))
    }

    /// What the system's last call on this thread failed with.
    static func system(_ operation: String) -> ProtocolError {
        let code = errno
        return .transport(operation: operation, errno: code, reason: String(cString: zmq_strerror(code)))
    }
}
