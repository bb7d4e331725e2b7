import CSystem
import CZeroMQ
import Glibc
import InkSystem

/// A ZeroMQ context. An `inproc://` endpoint is known only within one context. Safe to share.
public final class ZeroMQContext: Sendable {
    // A context is thread-safe by ZeroMQ's contract (zmq_ctx_new(3)); sockets are not.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer

    /// libzmq's own threads: one for input and output, and one that closes sockets.
    private static let threadCount = 2

    /// - Throws: `transport` if the system has no descriptors or memory left, `noThread` if it cannot start threads.
    public init() throws(ProtocolError) {
        guard let pointer = zmq_ctx_new() else { throw .zeroMQ("make a ZeroMQ context") }
        self.pointer = pointer
        try startThreads()
    }

    /// libzmq starts its threads with the first socket, and aborts the process if that fails. This function therefore
    /// tests first whether threads can be started. If another process takes the last threads or descriptors in between,
    /// the process still ends with a message, and with the exit code for system errors.
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

    // Every socket holds its context, so none is open here. Terminating waits only for messages that a socket's linger
    // time still allows to be sent.
    deinit { zmq_ctx_term(pointer) }
}

extension ProtocolError {
    /// The error of ZeroMQ's last call on this thread.
    static func zeroMQ(_ operation: String) -> ProtocolError {
        let code = zmq_errno()
        return .transport(operation: operation, errno: code, reason: String(cString: zmq_strerror(code)))
    }

    /// The error of the system's last call on this thread.
    static func system(_ operation: String) -> ProtocolError {
        let code = errno
        return .transport(operation: operation, errno: code, reason: String(cString: zmq_strerror(code)))
    }
}
