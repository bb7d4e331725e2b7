import CSystem
import CZeroMQ
import Dispatch
import Glibc
import InkSystem
import Synchronization

/// Turns connections away for which the process has no descriptor.
///
/// Such a connection stays in the system's line, and libzmq tries at once to take it again, for ever, at full speed. So a
/// thread with a table of descriptors of its own, which is all but empty, takes such connections and closes them; whoever made
/// them comes again later. (A descriptor held in reserve would not do: libzmq is mostly quicker to take it.)
final class AcceptGuard {
    /// Of sockets that libzmq listens with and owns.
    private var listening: [Int32] = []
    private let thread: PosixThread
    private let shared = Shared()
    /// When connections were turned away last, milliseconds.
    private var last: UInt64?

    /// Of the process.
    private static let bindCount = Atomic<Int>(0)
    /// How long its thread has to work before it is asked again.
    private static let pauseMilliseconds: UInt64 = 20
    /// It is repeated after this time without an answer.
    private static let quietMilliseconds: UInt64 = 60_000

    private final class Shared: Sendable {
        let wake = DispatchSemaphore(value: 0)
        let listening = Mutex<[Int32]>([])
        let isEnding = Atomic<Bool>(false)
    }

    /// Starts the thread: before anybody can connect.
    init() throws(SystemFailure) {
        let shared = shared
        thread = try PosixThread(stackBytes: 256 << 10) {
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

    /// Ends the thread, with which the system would keep the endpoints.
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

    /// Binds, and keeps in mind which descriptor libzmq listens with.
    ///
    /// - Returns: what `zmq_bind` does; so with `zmq_errno`.
    func bind(_ socket: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer, to endpoint: String) -> Int32 {
        // libzmq gives the place of an earlier monitor free only some time later.
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
        // A 16-bit event and its 32-bit value, in this machine's order; the endpoint is in a second part.
        var event = [UInt8](repeating: 0, count: 6)
        if result == 0, zmq_recv(monitor, &event, event.count, ZMQ_DONTWAIT) == event.count {
            let descriptor = event.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2, as: Int32.self) }
            // Another may be quicker than a look at the line.
            if fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 { listening.append(descriptor) }
        }
        zmq_socket_monitor(socket, nil, 0)
        zmq_close(monitor)
        errno = code
        return result
    }

    /// Connections that come; not while some are being turned away.
    var pollItems: [PollItem] {
        if let last, SystemClock.milliseconds < last + Self.pauseMilliseconds { return [] }
        return listening.map { PollItem(descriptor: $0) }
    }

    /// Has the connections closed that there is no descriptor for. Returns what is to be said of it: only when it begins.
    func turnAway() -> String? {
        guard listening.contains(where: Self.hasWaiting) else { return nil }
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let isLacking = probe < 0 && (errno == EMFILE || errno == ENFILE)
        if probe >= 0 { close(probe) }
        // Else libzmq is about to take it.
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
