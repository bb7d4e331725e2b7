import CZeroMQ
import Glibc
import InkSystem

/// The type of a socket, which determines how messages are routed.
public enum ZeroMQSocketType: Sendable {
    /// For the broker: received messages begin with the sender's routing id, sent ones with the receiver's.
    case router
    /// For a worker or client.
    case dealer
    /// One to one, for tests.
    case pair
}

/// The options of a socket.
public struct ZeroMQSocketOptions: Sendable {
    /// Maximum number of messages that wait in either direction for each peer.
    public var highWaterMark = 1000
    /// Maximum number of incoming messages that wait for each peer, if different.
    public var receivedHighWaterMark: Int?
    /// How long closing waits for unsent data, in milliseconds.
    public var lingerMilliseconds = 200
    /// A peer on a network that sends a larger part is disconnected; `inproc` has no such limit.
    public var maximumPartBytes = ProtocolLimits.frameBytes
    /// Keys of the connection; nil: no authentication and no encryption.
    public var security: SocketSecurity?

    public init() {}
}

/// The outcome of sending a message.
public enum SendOutcome: Hashable, Sendable {
    case sent
    /// The peer's queue is full; try again later.
    case busy
    /// For a router: the peer is unknown or gone.
    case unreachable
}

/// The parts of a received message.
public struct ReceivedMessage: Sendable {
    /// At most `ZeroMQSocket.partsKept`; a router's first part is the sender's routing id.
    public var parts: [[UInt8]]
    /// Number of further parts, which no message of the protocol has.
    public var discardedParts: Int
    /// The authenticated peer: the name of its key; nil if no keys are used.
    public var userID: String?
    /// The peer's network address; nil within a process.
    public var peerAddress: String?
}

/// Formats the addresses of peers from libzmq.
enum PeerAddress {
    /// An endpoint with IPv4 in the usual form.
    static func plain(_ endpoint: String) -> String {
        guard endpoint.hasPrefix("tcp://[::ffff:"), endpoint.contains("."), let end = endpoint.lastIndex(of: "]") else {
            return endpoint
        }
        let address = endpoint[..<end].dropFirst("tcp://[::ffff:".count)
        return "tcp://\(address)\(endpoint[endpoint.index(after: end)...])"
    }

    /// For people: IPv4 in the usual form, not embedded in IPv6; nil for a peer on this host (`localhost:UID:GID:PID`).
    static func shown(_ text: String) -> String? {
        if text.hasPrefix("localhost:") { return nil }
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }
}

/// A socket, with one owner, used by one thread at a time.
public struct ZeroMQSocket: ~Copyable {
    /// Maximum number of parts of a message that are kept.
    public static let partsKept = 2

    private let pointer: UnsafeMutableRawPointer
    // Keeps the context open as long as the socket.
    private let context: ZeroMQContext
    private let listening = Listening()

    /// A socket that is neither bound nor connected.
    public init(
        _ type: ZeroMQSocketType, context: ZeroMQContext, options: ZeroMQSocketOptions = ZeroMQSocketOptions()
    ) throws(ProtocolError) {
        let number =
            switch type {
            case .router: ZMQ_ROUTER
            case .dealer: ZMQ_DEALER
            case .pair: ZMQ_PAIR
            }
        guard let pointer = zmq_socket(context.pointer, number) else { throw .zeroMQ("open a socket") }
        do throws(ProtocolError) {
            try ZeroMQSocket.configure(pointer, type, options)
        } catch {
            zmq_close(pointer)
            throw error
        }
        self.pointer = pointer
        self.context = context
    }

    deinit { zmq_close(pointer) }

    /// The endpoints of a socket. The file of an `ipc` endpoint is removed when nobody listens on it any more.
    private final class Listening {
        var place: (path: String, file: FileStatus.Identity)?
        /// As reported by the system.
        var endpoints: [String] = []
        /// nil within a process.
        var guarding: AcceptGuard?

        deinit {
            // Unless another process listens there by now.
            if let (path, file) = place, (try? FileSystem.status(of: path))?.identity == file { unlink(path) }
        }
    }

    private static func configure(
        _ pointer: UnsafeMutableRawPointer, _ type: ZeroMQSocketType, _ options: ZeroMQSocketOptions
    ) throws(ProtocolError) {
        func set<T: FixedWidthInteger>(_ option: Int32, _ value: T) throws(ProtocolError) {
            var value = value
            guard zmq_setsockopt(pointer, option, &value, MemoryLayout<T>.size) == 0 else {
                throw .zeroMQ("set option \(option) of a socket")
            }
        }
        func setText(_ option: Int32, _ text: String) throws(ProtocolError) {
            guard zmq_setsockopt(pointer, option, text, text.utf8.count) == 0 else {
                throw .zeroMQ("set option \(option) of a socket")
            }
        }
        try set(ZMQ_SNDHWM, Int32(clamping: options.highWaterMark))
        try set(ZMQ_RCVHWM, Int32(clamping: options.receivedHighWaterMark ?? options.highWaterMark))
        try set(ZMQ_LINGER, Int32(clamping: options.lingerMilliseconds))
        try set(ZMQ_MAXMSGSIZE, Int64(options.maximumPartBytes))
        try set(ZMQ_IPV6, Int32(1))
        // Peers that connect and send nothing are disconnected. Connections wait in a bounded queue.
        try set(ZMQ_HANDSHAKE_IVL, Int32(5_000))
        try set(ZMQ_BACKLOG, Int32(512))
        try set(ZMQ_TCP_KEEPALIVE, Int32(1))
        try set(ZMQ_TCP_KEEPALIVE_IDLE, Int32(30))
        // A peer that reads nothing for this long loses its waiting messages.
        try set(ZMQ_TCP_MAXRT, Int32(60_000))
        // Short enough that a broker that comes back is found within a second.
        try set(ZMQ_RECONNECT_IVL, Int32(100))
        try set(ZMQ_RECONNECT_IVL_MAX, Int32(1_000))
        try set(ZMQ_CONNECT_TIMEOUT, Int32(5_000))
        switch options.security {
        case .server(let pair, let domain):
            try set(ZMQ_CURVE_SERVER, Int32(1))
            try setText(ZMQ_CURVE_SECRETKEY, pair.secretKey)
            try setText(ZMQ_ZAP_DOMAIN, domain)
        case .client(let pair, let serverKey):
            try setText(ZMQ_CURVE_SERVERKEY, serverKey)
            try setText(ZMQ_CURVE_PUBLICKEY, pair.publicKey)
            try setText(ZMQ_CURVE_SECRETKEY, pair.secretKey)
        case nil: break
        }
        // Without it, a router silently drops messages that it cannot deliver.
        if type == .router { try set(ZMQ_ROUTER_MANDATORY, Int32(1)) }
    }

    /// Listens on `endpoint` (`inproc://name`, `ipc://path`, `tcp://host:port`); for a host name, on all of its
    /// addresses that belong to this machine.
    ///
    /// - Throws: `badValue` for a name without such an address, and `transport`; the latter also if the file of an
    ///   `ipc` endpoint is not an abandoned socket.
    public func bind(_ endpoint: String) throws(ProtocolError) {
        let path = endpoint.hasPrefix("ipc://") ? String(endpoint.dropFirst(6)) : nil
        if let path { try ZeroMQSocket.checkFree(path, endpoint) }
        var guarding: AcceptGuard?
        if !endpoint.hasPrefix("inproc://") {
            do throws(SystemFailure) { guarding = try AcceptGuard() } catch { throw .noThread(errno: error.errno) }
        }
        for place in try Endpoint(endpoint).listeningEndpoints() {
            // All use the port that the system chose for the first.
            let isChosen = place.hasSuffix(":*") || place.hasSuffix(":0")
            let port = listening.endpoints.first?.split(separator: ":").last
            let text = isChosen ? port.map { String(place.dropLast()) + $0 } ?? place : place
            let bound = guarding?.bind(pointer, context: context.pointer, to: text) ?? zmq_bind(pointer, text)
            guard bound == 0 else { throw .zeroMQ("bind \(text)") }
            // ZeroMQ reports IPv4 embedded in IPv6.
            listening.endpoints.append(PeerAddress.plain(lastEndpoint))
        }
        guarding?.start()
        listening.guarding = guarding
        // If the file cannot be examined, it is left behind; the next listener finds that nobody uses it.
        guard let path, let file = try? FileSystem.status(of: path)?.identity else { return }
        listening.place = (path, file)
    }

    /// Checks that the path is free, because libzmq replaces whatever is there: a file with contents, or a socket that
    /// another process listens on.
    private static func checkFree(_ path: String, _ endpoint: String) throws(ProtocolError) {
        func refusal(_ reason: String) -> ProtocolError {
            .transport(operation: "bind \(endpoint)", errno: EADDRINUSE, reason: reason)
        }
        let found: FileStatus?
        do throws(SystemFailure) {
            found = try FileSystem.status(of: path)
        } catch {
            throw refusal(String(cString: strerror(error.errno)))
        }
        guard let found else { return }
        guard found.isSocket else { throw refusal("a file of this name exists and is not a socket") }
        if FileSystem.isListenedAt(path) { throw refusal("another process listens there") }
    }

    /// The endpoints that the socket listens on, with the port that the system chose for port 0 or `*`; separated by
    /// commas.
    public var boundEndpoint: String { listening.endpoints.joined(separator: ", ") }

    private var lastEndpoint: String {
        var text = [CChar](repeating: 0, count: 512)
        var size = text.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// For `ZeroMQPoll.wait`, for a listening socket: ready when connections come in. Call `turnAway` then.
    public var listeningItems: [PollItem] { listening.guarding?.pollItems ?? [] }

    /// Closes incoming connections for which the process has no descriptor, because libzmq would try to accept them
    /// forever. Returns the message to log, only at the first time.
    public func turnAway() -> String? { listening.guarding?.turnAway() }

    /// Connects to `endpoint`, now or as soon as a peer listens there.
    ///
    /// - Throws: `transport`.
    public func connect(_ endpoint: String) throws(ProtocolError) {
        guard zmq_connect(pointer, endpoint) == 0 else { throw .zeroMQ("connect to \(endpoint)") }
    }

    /// Sends a message of these parts, all or none, without waiting.
    ///
    /// - Parameter queue: counts larger parts until ZeroMQ has sent them.
    /// - Throws: `transport`; a full queue and an unknown peer are outcomes, no errors.
    public func send(_ parts: [[UInt8]], countedIn queue: QueuedBytes? = nil) throws(ProtocolError) -> SendOutcome {
        for (index, part) in parts.enumerated() {
            let flags = ZMQ_DONTWAIT | (index + 1 < parts.count ? ZMQ_SNDMORE : 0)
            while true {
                let sent: Int32
                if let queue, part.count >= ZeroMQSocket.countedBytesMin {
                    sent = sendCounted(part, flags, queue)
                } else {
                    sent = part.withUnsafeBytes { zmq_send(pointer, $0.baseAddress, $0.count, flags) }
                }
                if sent >= 0 { break }
                let code = zmq_errno()
                if code == EINTR { continue }
                // Only the first part can be rejected: ZeroMQ accepts a message as a whole.
                if index == 0, code == EAGAIN { return .busy }
                if index == 0, code == EHOSTUNREACH { return .unreachable }
                throw .zeroMQ("send")
            }
        }
        return .sent
    }

    /// Smaller parts are not counted; the high-water mark limits them.
    private static let countedBytesMin = 1024

    /// Kept alive with a part until ZeroMQ releases it.
    private final class Parcel: Sendable {
        let count: Int
        let queue: QueuedBytes

        init(count: Int, queue: QueuedBytes) {
            self.count = count
            self.queue = queue
            queue.add(count)
        }

        deinit { queue.remove(count) }
    }

    private func sendCounted(_ part: [UInt8], _ flags: Int32, _ queue: QueuedBytes) -> Int32 {
        guard let copy = malloc(part.count) else {
            errno = ENOMEM
            return -1
        }
        part.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        let parcel = Unmanaged.passRetained(Parcel(count: part.count, queue: queue)).toOpaque()
        var message = zmq_msg_t()
        let made = zmq_msg_init_data(
            &message, copy, part.count,
            { data, parcel in
                free(data)
                Unmanaged<Parcel>.fromOpaque(parcel!).release()
            }, parcel)
        guard made == 0 else {
            free(copy)
            Unmanaged<Parcel>.fromOpaque(parcel).release()
            errno = ENOMEM
            return -1
        }
        let sent = zmq_msg_send(&message, pointer, flags)
        if sent < 0 {
            let code = zmq_errno()
            zmq_msg_close(&message)
            errno = code
        }
        return sent
    }

    /// The next message that has arrived; nil if there is none. Does not wait. Parts of more than
    /// `ProtocolLimits.frameBytes` are not copied and count as discarded.
    ///
    /// - Throws: `transport`.
    public func receive() throws(ProtocolError) -> ReceivedMessage? {
        var message = ReceivedMessage(parts: [], discardedParts: 0)
        var part = zmq_msg_t()
        zmq_msg_init(&part)
        defer { zmq_msg_close(&part) }
        while true {
            guard zmq_msg_recv(&part, pointer, ZMQ_DONTWAIT) >= 0 else {
                let code = zmq_errno()
                if code == EINTR { continue }
                if code == EAGAIN { return nil }
                throw .zeroMQ("receive")
            }
            let size = zmq_msg_size(&part)
            if message.parts.count < ZeroMQSocket.partsKept, size <= ProtocolLimits.frameBytes {
                let bytes = UnsafeRawBufferPointer(start: zmq_msg_data(&part), count: size)
                message.parts.append([UInt8](bytes))
            } else {
                message.discardedParts += 1
            }
            if zmq_msg_more(&part) == 0 {
                message.userID = zmq_msg_gets(&part, "User-Id").map { String(cString: $0) }
                message.peerAddress = zmq_msg_gets(&part, "Peer-Address")
                    .flatMap { PeerAddress.shown(String(cString: $0)) }
                return message
            }
        }
    }

    /// For `ZeroMQPoll.wait`: readable if a message has arrived, writable (if requested) if one can be sent.
    public func pollItem(writable: Bool = false) -> PollItem { PollItem(socket: pointer, writable: writable) }
}
