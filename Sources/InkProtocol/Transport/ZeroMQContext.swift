import CSystem
import CZeroMQ
import Glibc
import InkSystem

/// The sockets' common ground; endpoints `inproc://` are known within one context only. Safe to share.
public final class ZeroMQContext: Sendable {
    // A context is thread-safe by ZeroMQ's contract (zmq_ctx_new(3)); only sockets are not.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// libzmq's own threads: one for input and output, one that closes sockets.
    private static let threadCount = 2

    /// Throws `transport` when the system has no descriptors or memory left, `noThread` when it gives no threads.
    public init() throws(ProtocolError) {
        guard let pointer = zmq_ctx_new() else { throw .zeroMQ("make a ZeroMQ context") }
        self.pointer = pointer
        try startThreads()
    }

    /// libzmq starts its threads with the first socket, and ends the process where one is refused. So whether they can be had
    /// is tried out first. Should another process take the last ones in between, or the descriptors that they need be used up,
    /// the process at least ends in words, and with the code of trouble with the system.
    private func startThreads() throws(ProtocolError) {
        var socket: UnsafeMutableRawPointer?
        do throws(SystemFailure) {
            try PosixThread.reserving(Self.threadCount) {
                Self.abortWords.withCString { words in
                    var before = sigaction()
                    ink_begin_abort_words(words, EX_IOERR, &before)
                    socket = zmq_socket(pointer, ZMQ_PAIR)
                    ink_end_abort_words(&before)
                }
            }
        } catch {
            throw .noThread(errno: error.errno)
        }
        guard let socket else { throw .zeroMQ("open a socket") }
        zmq_close(socket)
    }

    private static let abortWords = """
        ink: error: cannot start ZeroMQ: the system gives no thread, memory or file descriptor; raise the limit of processes and \
        threads (ulimit -u, a container's pids limit, TasksMax) or of descriptors (ulimit -n)

        """

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
