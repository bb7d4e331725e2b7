import CZeroMQ
import Dispatch
import Foundation
import InkClient
import InkCodecs
import InkEngine
import InkProtocol
import InkService
import InkTestSupport
import Synchronization
import Testing

/// A ZeroMQ peer that says what it likes.
final class Peer {
    let context: ZeroMQContext
    let socket: ZeroMQSocket
    private var received = PartsReceived()

    /// - Parameter queued: messages that may wait on its side.
    init(
        _ endpoint: String, context: ZeroMQContext? = nil, security: SocketSecurity? = nil, queued: Int = 1000
    ) throws {
        self.context = try context ?? ZeroMQContext()
        var options = ZeroMQSocketOptions()
        options.maximumPartBytes = 64 << 20
        options.highWaterMark = queued
        options.security = security
        socket = try ZeroMQSocket(.dealer, context: self.context, options: options)
        try socket.connect(endpoint)
    }

    /// A client that says only what it is told to, once the broker has welcomed it.
    static func welcome(by farm: Farm, queued: Int = 1000) throws -> Peer {
        let peer = try Peer(farm.service.clientsEndpoint, context: farm.context, queued: queued)
        try peer.say([ClientMessage.hello(clientName: "peer").encoded()])
        let isWelcome: Bool? = try peer.wait { if case .welcome = $0 { true } else { nil } }
        try #require(isWelcome == true)
        return peer
    }

    func say(_ parts: [[UInt8]]) throws {
        for _ in 0..<500 {
            if try socket.send(parts) == .sent { return }
            usleep(2_000)
        }
    }

    func hear(seconds: Double = 5) throws -> [UInt8]? {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if let frame = try socket.receive()?.parts.first {
                try acknowledge(frame)
                return frame
            }
            usleep(2_000)
        }
        return nil
    }

    /// Says how much has come, as the broker waits for it.
    private func acknowledge(_ frame: [UInt8]) throws {
        // What is no message is for the test to judge.
        switch try? ServiceMessage(frame: frame) {
        case .picturePart(let part): received.take(part.bytes.count)
        case .answerPart(let part): received.take(part.bytes.count)
        default: return
        }
        if let total = received.acknowledgement() { try say([ClientMessage.acknowledge(total).encoded()]) }
    }

    /// The first message of the broker that `pick` takes; nil when none comes.
    func wait<T>(seconds: Double = 20, _ pick: (ServiceMessage) -> T?) throws -> T? {
        let end = Date().addingTimeInterval(seconds)
        while let frame = try hear(seconds: end.timeIntervalSinceNow) {
            if let found = pick(try ServiceMessage(frame: frame)) { return found }
        }
        return nil
    }

    /// Everything that the broker says but heartbeats, until it has said nothing else for so long.
    func hearAll(seconds: Double) throws -> [ServiceMessage] {
        var messages: [ServiceMessage] = []
        var end = Date().addingTimeInterval(seconds)
        while Date() < end {
            guard let frame = try hear(seconds: end.timeIntervalSinceNow) else { break }
            let message = try ServiceMessage(frame: frame)
            if message == .heartbeat { continue }
            messages.append(message)
            end = Date().addingTimeInterval(seconds)
        }
        return messages
    }
}

/// A peer that gives its connection a name of its own choice.
final class NamedPeer {
    private let context = zmq_ctx_new()
    private let socket: UnsafeMutableRawPointer?

    init(_ endpoint: String, name: [UInt8]) {
        socket = zmq_socket(context, ZMQ_DEALER)
        var time: Int32 = 0
        zmq_setsockopt(socket, ZMQ_LINGER, &time, 4)
        time = 20_000
        zmq_setsockopt(socket, ZMQ_RCVTIMEO, &time, 4)
        zmq_setsockopt(socket, ZMQ_ROUTING_ID, name, name.count)
        zmq_connect(socket, endpoint)
    }

    deinit {
        zmq_close(socket)
        zmq_ctx_term(context)
    }

    func say(_ frame: [UInt8]) { zmq_send(socket, frame, frame.count, 0) }

    func hear() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 2 << 20)
        let count = zmq_recv(socket, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<Int(count)])
    }
}

/// Stands between one peer and the broker, and remembers what the peer said.
final class Relay: Sendable {
    private struct State {
        var frames: [[UInt8]] = []
        /// How often each of the peer's frames is passed on.
        var repeats = 1
        var isStopped = false
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)
    let endpoint: String

    init(to broker: String) throws {
        let context = try ZeroMQContext()
        let front = try ZeroMQSocket(.router, context: context)
        try front.bind("tcp://127.0.0.1:*")
        endpoint = front.boundEndpoint
        let handed = Handed(socket: front)
        DispatchQueue(label: "relay").async { @Sendable [self] in
            do { try run(handed.take(), context, broker) } catch { print("relay: \(error)") }
            ended.signal()
        }
    }

    private final class Handed: @unchecked Sendable {
        private var socket: ZeroMQSocket?
        init(socket: consuming ZeroMQSocket) { self.socket = consume socket }
        func take() -> ZeroMQSocket { socket.take()! }
    }

    var frames: [[UInt8]] { state.withLock { $0.frames } }
    func repeatFrames(_ count: Int) { state.withLock { $0.repeats = count } }

    func stop() {
        state.withLock { $0.isStopped = true }
        ended.wait()
        ended.signal()
    }

    private func run(_ front: borrowing ZeroMQSocket, _ context: ZeroMQContext, _ broker: String) throws {
        var route: [UInt8] = []
        var back = try ZeroMQSocket(.dealer, context: context)
        while !state.withLock({ $0.isStopped }) {
            var items = [front.pollItem(), back.pollItem()]
            _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 10)
            while let message = try front.receive() {
                if message.parts[0] != route {
                    route = message.parts[0]
                    back = try ZeroMQSocket(.dealer, context: context)
                    try back.connect(broker)
                }
                let repeats = state.withLock { state in
                    state.frames.append(message.parts[1])
                    return state.repeats
                }
                for _ in 0..<repeats { while try back.send([message.parts[1]]) == .busy { usleep(1_000) } }
            }
            while let message = try back.receive() {
                while try front.send([route, message.parts[0]]) == .busy { usleep(1_000) }
            }
        }
    }
}

extension Farm {
    /// What a certain project gives, while somebody disturbs; nil when it gives nothing.
    func picture(seed: UInt64 = 5, security: SocketSecurity? = nil, during disturb: () throws -> Void = {}) throws
        -> [UInt8]?
    {
        let client = try Client(service.clientsEndpoint, security: security)
        defer { client.client.stop() }
        let key = try client.submit(RandomProject.make(seed: seed).project, size: .named("500x500"))
        try disturb()
        guard let job = client.job(of: key) else { return nil }
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else { return nil }
        return picture.digest
    }
}

/// What this process takes of the memory.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
}
