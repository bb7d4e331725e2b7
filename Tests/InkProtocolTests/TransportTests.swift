import Glibc
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@Suite("ZeroMQ", .timeLimit(.minutes(5)))
struct TransportTests {
    private static func wait(_ socket: borrowing ZeroMQSocket) throws -> ReceivedMessage {
        var items = [socket.pollItem()]
        #expect(try ZeroMQPoll.wait(&items, timeoutMilliseconds: 20_000) == 1)
        #expect(items[0].isReadable)
        return try #require(try socket.receive())
    }

    @Test("A router and a dealer exchange frames of the largest size", arguments: ["inproc", "tcp"])
    func echo(transport: String) throws {
        let context = try ZeroMQContext()
        let router = try ZeroMQSocket(.router, context: context)
        try router.bind(transport == "inproc" ? "inproc://echo" : "tcp://127.0.0.1:*")
        let dealer = try ZeroMQSocket(.dealer, context: context)
        try dealer.connect(router.boundEndpoint)
        var random = SeededGenerator(seed: 1)
        let frame = random.bytes(4096) + [UInt8](repeating: 1, count: ProtocolLimits.frameBytes - 4096)
        #expect(try dealer.send([frame]) == .sent)
        let request = try Self.wait(router)
        #expect(request.parts.count == 2 && request.parts[1] == frame && request.discardedParts == 0)
        #expect(try router.send([request.parts[0], [1, 2, 3]]) == .sent)
        #expect(try Self.wait(dealer).parts == [[1, 2, 3]])
        #expect(try dealer.receive() == nil)
    }

    @Test("A router says so when a peer is unknown or does not keep up")
    func backPressure() throws {
        let context = try ZeroMQContext()
        var options = ZeroMQSocketOptions()
        options.highWaterMark = 2
        let router = try ZeroMQSocket(.router, context: context, options: options)
        try router.bind("inproc://pressure")
        let dealer = try ZeroMQSocket(.dealer, context: context, options: options)
        try dealer.connect("inproc://pressure")
        #expect(try router.send([[9, 9], [1]]) == .unreachable)
        _ = try dealer.send([[1]])
        let identity = try Self.wait(router).parts[0]
        var sent = 0
        while try router.send([identity, [UInt8(sent)]]) == .sent {
            sent += 1
            try #require(sent < 100)
        }
        #expect(try router.send([identity, [0]]) == .busy)
        // Nothing of a message that was turned away arrives.
        for index in 0..<sent { #expect(try Self.wait(dealer).parts == [[UInt8(index)]]) }
        #expect(try dealer.receive() == nil)
    }

    @Test("Surplus parts are counted, not kept")
    func surplusParts() throws {
        let context = try ZeroMQContext()
        let a = try ZeroMQSocket(.pair, context: context)
        let b = try ZeroMQSocket(.pair, context: context)
        try a.bind("inproc://surplus")
        try b.connect("inproc://surplus")
        _ = try b.send([[1], [2], [3], [4]])
        let message = try Self.wait(a)
        #expect(message.parts == [[1], [2]] && message.discardedParts == 2)
    }

    @Test("Peers are told of by the address that people write, also while they ask to come in")
    func addresses() throws {
        let context = try ZeroMQContext()
        let asking = Mutex<String?>(nil)
        let authenticator = try Authenticator(context: context) { _, _, address in
            asking.withLock { $0 = address }
            return "anna"
        }
        defer { authenticator.stop() }
        let keys = try CurveKeyPair.generate()
        var options = ZeroMQSocketOptions()
        options.security = .server(keys, domain: "workers")
        let router = try ZeroMQSocket(.router, context: context, options: options)
        // Of both families: IPv4 comes as a part of IPv6.
        try router.bind("tcp://*:*")
        options.security = .client(try .generate(), serverKey: keys.publicKey)
        let dealer = try ZeroMQSocket(.dealer, context: context, options: options)
        let port = try #require(router.boundEndpoint.split(separator: ":").last)
        try dealer.connect("tcp://127.0.0.1:\(port)")
        _ = try dealer.send([[1]])
        let message = try Self.wait(router)
        #expect(message.userID == "anna" && message.peerAddress == "127.0.0.1")
        #expect(asking.withLock { $0 } == "127.0.0.1")
    }

    @Test("A signal from another thread ends the wait")
    func wakeUp() throws {
        let wakeUp = try WakeUp()
        var items = [wakeUp.pollItem]
        #expect(try ZeroMQPoll.wait(&items, timeoutMilliseconds: 0) == 0)
        wakeUp.signal()
        wakeUp.signal()
        #expect(try ZeroMQPoll.wait(&items, timeoutMilliseconds: 20_000) == 1)
        wakeUp.clear()
        items = [wakeUp.pollItem]
        #expect(try ZeroMQPoll.wait(&items, timeoutMilliseconds: 0) == 0)
    }

    @Test("A socket file takes the place of one that was left behind, of nothing else, and goes with its owner")
    func socketFiles() throws {
        let folder = try TemporaryFolder(prefix: "ink-ipc")
        let context = try ZeroMQContext()
        let file = try folder.write("precious", to: "file")
        let path = folder.path(of: "s")
        func bind(_ path: String) throws {
            let socket = try ZeroMQSocket(.router, context: context)
            try socket.bind("ipc://\(path)")
        }
        #expect(throws: ProtocolError.self) { try bind(file) }
        #expect(try folder.read("file") == Array("precious".utf8))
        do {
            let first = try ZeroMQSocket(.router, context: context)
            try first.bind("ipc://\(path)")
            #expect(access(path, F_OK) == 0)
            #expect(throws: ProtocolError.self) { try bind(path) }
            let dealer = try ZeroMQSocket(.dealer, context: context)
            try dealer.connect("ipc://\(path)")
            #expect(try dealer.send([[1]]) == .sent)
            let message = try Self.wait(first)
            #expect(message.parts.last == [1] && message.peerAddress == nil)
        }
        #expect(access(path, F_OK) != 0)
        // As a process that was killed leaves it: nobody listens.
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        close(left)
        #expect(isBound && access(path, F_OK) == 0)
        try bind(path)
    }

    @Test("An endpoint that cannot be is an error with its name")
    func badEndpoint() throws {
        let context = try ZeroMQContext()
        let socket = try ZeroMQSocket(.dealer, context: context)
        #expect(
            throws: ProtocolError.transport(operation: "connect to nowhere", errno: EINVAL, reason: "Invalid argument")
        ) {
            try socket.connect("nowhere")
        }
    }
}
