import CZeroMQ
import Dispatch
import InkSystem
import Synchronization

/// Decides for ZeroMQ which peers may connect (ZAP, RFC 27), on a thread of its own. It admits only peers with a CURVE
/// key that `allow` accepts.
///
/// It serves sockets with `SocketSecurity.server` of the same context. Make it before these sockets.
public final class Authenticator: Sendable {
    /// - Parameters: the socket's domain, the peer's public key as Z85, its network address. Returns the name under
    ///   which the peer's messages arrive (`ReceivedMessage.userID`); nil rejects it.
    public typealias Allow = @Sendable (_ domain: String, _ publicKey: String, _ address: String) -> String?

    private let wakeUp: WakeUp
    private let isStopping = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Throws: `transport` if the context already has an authenticator; `noThread`.
    public init(context: ZeroMQContext, allow: @escaping Allow) throws(ProtocolError) {
        wakeUp = try WakeUp()
        guard let socket = zmq_socket(context.pointer, ZMQ_REP) else { throw .zeroMQ("open a socket") }
        var zero: Int32 = 0
        zmq_setsockopt(socket, ZMQ_LINGER, &zero, MemoryLayout<Int32>.size)
        guard zmq_bind(socket, "inproc://zeromq.zap.01") == 0 else {
            let error = ProtocolError.zeroMQ("bind inproc://zeromq.zap.01")
            zmq_close(socket)
            throw error
        }
        nonisolated(unsafe) let handed = socket
        do throws(SystemFailure) {
            try PosixThread("authenticator") { [self, context] in
                run(handed, allow)
                zmq_close(handed)
                // The context must stay open as long as the socket.
                withExtendedLifetime(context) {}
                ended.signal()
            }.detach()
        } catch {
            zmq_close(socket)
            throw .noThread(errno: error.errno)
        }
    }

    /// Rejects all further peers. Returns when the thread has ended.
    public func stop() {
        guard !isStopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wakeUp.signal()
        ended.wait()
    }

    private func run(_ socket: UnsafeMutableRawPointer, _ allow: Allow) {
        while !isStopping.load(ordering: .acquiring) {
            var items = [wakeUp.pollItem, PollItem(socket: socket, writable: false)]
            // Fails when the context has ended, and with it all sockets that this thread serves.
            guard (try? ZeroMQPoll.wait(&items, timeoutMilliseconds: nil)) != nil else { return }
            guard items[1].isReadable, let request = Self.receive(socket) else { continue }
            Self.send(Self.answer(request, allow), socket)
        }
    }

    /// A ZAP request: version, request id, domain, address, identity, mechanism, credentials.
    private static func answer(_ request: [[UInt8]], _ allow: Allow) -> [[UInt8]] {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        let id = request.count > 1 ? request[1] : []
        func reply(_ code: String, _ reason: String, user: String = "") -> [[UInt8]] {
            [Array("1.0".utf8), id, Array(code.utf8), Array(reason.utf8), Array(user.utf8), []]
        }
        guard request.count >= 6, text(request[0]) == "1.0" else { return reply("500", "bad request") }
        guard request.count == 7, text(request[5]) == "CURVE", let key = CurveKeyPair.text(ofKey: request[6]) else {
            return reply("400", "a CURVE key is needed")
        }
        let address = text(request[3])
        guard let user = allow(text(request[2]), key, PeerAddress.shown(address) ?? address) else {
            return reply("400", "unknown key")
        }
        return reply("200", "OK", user: user)
    }

    private static func receive(_ socket: UnsafeMutableRawPointer) -> [[UInt8]]? {
        var parts: [[UInt8]] = []
        while true {
            var part = zmq_msg_t()
            zmq_msg_init(&part)
            defer { zmq_msg_close(&part) }
            guard zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) >= 0 else {
                if zmq_errno() == EINTR { continue }
                return nil
            }
            let size = zmq_msg_size(&part)
            if parts.count < 16, size <= 4096 {
                parts.append([UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&part), count: size)))
            }
            if zmq_msg_more(&part) == 0 { return parts }
        }
    }

    private static func send(_ parts: [[UInt8]], _ socket: UnsafeMutableRawPointer) {
        for (index, part) in parts.enumerated() {
            let more = index + 1 < parts.count ? ZMQ_SNDMORE : 0
            while part.withUnsafeBytes({ zmq_send(socket, $0.baseAddress, $0.count, more) }) < 0, zmq_errno() == EINTR {
            }
        }
    }
}
