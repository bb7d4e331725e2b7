import CSystem
import CZeroMQ
import Dispatch
import Glibc
import InkSystem
import Synchronization

/// Closes connections for which the process has no file descriptor.
///
/// Such a connection stays in the system's accept queue, and libzmq tries to accept it again immediately, forever and
/// at full speed. A separate thread with its own, almost empty descriptor table therefore accepts such connections and
/// closes them; the peer tries again later. (A reserved descriptor would not work: libzmq is usually faster to use it.)
final class AcceptGuard {
    /// Sockets that libzmq owns and listens on.
    private var listening: [Int32] = []
    private let thread: PosixThread
    private let shared = Shared()
    /// When connections were last closed, in milliseconds.
    private var last: UInt64?

    /// Number of calls of `bind` in the process.
    private static let bindCount = Atomic<Int>(0)
    /// How long its thread has to work before it is called again.
    private static let pauseMilliseconds: UInt64 = 20
    /// After this time without closed connections, the message is logged again.
    static let quietMilliseconds: UInt64 = 60_000

    private final class Shared: Sendable {
        let wake = DispatchSemaphore(value: 0)
        let listening = Mutex<[Int32]>([])
        let isEnding = Atomic<Bool>(false)
    }

    /// Starts the thread; must be called before anyone can connect.
    init() throws(SystemFailure) {
        let shared = shared
        thread = try PosixThread("accept-guard", stackBytes: 256 << 10) {
            shared.wake.wait()
            let listening = shared.listening.withLock { $0.sorted() }
            let hasOwnTable = ink_keep_only_files(listening, listening.count) == 0
            while !shared.isEnding.load(ordering: .relaxed) {
                shared.wake.wait()
                for descriptor in hasOwnTable ? listening : [] {
                    while case let connection = accept(descriptor, nil, nil), connection >= 0 { close(connection) }
                }
            }
        }
    }

    /// Ends the thread, because the system would keep the endpoints open with it.
    deinit {
        shared.isEnding.store(true, ordering: .relaxed)
        for _ in 0..<2 { shared.wake.signal() }
        thread.join()
    }

    /// Starts guarding the bound sockets.
    func start() {
        shared.listening.withLock { [listening] in $0 = listening }
        shared.wake.signal()
    }

    /// Binds, and records which descriptor libzmq listens on.
    ///
    /// - Returns: the result of `zmq_bind`, with `zmq_errno` set accordingly.
    func bind(_ socket: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer, to endpoint: String) -> Int32 {
        // libzmq releases the address of an earlier monitor only some time later.
        let place = "inproc://ink-listening-\(Self.bindCount.add(1, ordering: .relaxed).newValue)"
        guard zmq_socket_monitor(socket, place, ZMQ_EVENT_LISTENING) == 0 else { return -1 }
        guard let monitor = zmq_socket(context, ZMQ_PAIR) else {
            let code = zmq_errno()
            zmq_socket_monitor(socket, nil, 0)
            errno = code
            return -1
        }
        let result = zmq_connect(monitor, place) == 0 ? zmq_bind(socket, endpoint) : -1
        let code = zmq_errno()
        // A 16-bit event and its 32-bit value, in this machine's byte order; the endpoint is in a second part.
        var event = [UInt8](repeating: 0, count: 6)
        if result == 0, zmq_recv(monitor, &event, event.count, ZMQ_DONTWAIT) == event.count {
            let descriptor = event.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2, as: Int32.self) }
            // Nonblocking, because another thread may accept the connection after the poll.
            if fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 { listening.append(descriptor) }
        }
        zmq_socket_monitor(socket, nil, 0)
        zmq_close(monitor)
        errno = code
        return result
    }

    /// Incoming connections; empty while some are being closed.
    var pollItems: [PollItem] {
        if let last, SystemClock.milliseconds < last + Self.pauseMilliseconds { return [] }
        return listening.map { PollItem(descriptor: $0) }
    }

    /// Closes the connections for which there is no descriptor. Returns a message to log, only at the first time.
    func turnAway() -> String? {
        guard listening.contains(where: Self.hasWaiting) else { return nil }
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let isLacking = probe < 0 && (errno == EMFILE || errno == ENFILE)
        if probe >= 0 { close(probe) }
        // Otherwise libzmq is about to accept it.
        guard isLacking else { return nil }
        shared.wake.signal()
        let now = SystemClock.milliseconds
        defer { last = now }
        if let last, now - last < Self.quietMilliseconds { return nil }
        return "no file descriptor is left: new connections are closed; raise the limit (ulimit -n, LimitNOFILE)"
    }

    private static func hasWaiting(_ descriptor: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, 0) > 0
    }
}
