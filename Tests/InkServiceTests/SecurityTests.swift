import Foundation
import Glibc
import InkBroker
import InkClient
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import Testing

/// Keys of a broker, and folders of those that it lets in.
struct Keyring {
    let folder: TemporaryFolder
    let broker: CurveKeyPair

    init() throws {
        folder = try TemporaryFolder(prefix: "ink-keys")
        for name in ["workers", "clients"] {
            try FileManager.default.createDirectory(atPath: folder.path(of: name), withIntermediateDirectories: true)
        }
        let made = try KeyFile.generate(name: "broker", role: .broker, folder: folder.path)
        broker = try KeyFile.secret(path: made.secret, role: .broker).pair
    }

    /// A new key, let in or not.
    func make(_ name: String, _ role: KeyRole, isAllowed: Bool = true) throws -> SocketSecurity {
        let made = try KeyFile.generate(name: name, role: role, folder: folder.path)
        if isAllowed { try allow(name, role) }
        return .client(try KeyFile.secret(path: made.secret, role: role).pair, serverKey: broker.publicKey)
    }

    func allow(_ name: String, _ role: KeyRole) throws {
        try FileManager.default.copyItem(atPath: folder.path(of: "\(name).pub"), toPath: allowed(name, role))
    }

    func shutOut(_ name: String, _ role: KeyRole) throws {
        try FileManager.default.removeItem(atPath: allowed(name, role))
    }

    private func allowed(_ name: String, _ role: KeyRole) -> String { folder.path(of: "\(role.rawValue)s/\(name).pub") }

    func security() throws -> ServiceSecurity {
        ServiceSecurity(
            pair: broker, workers: try AllowList(path: folder.path(of: "workers"), role: .worker),
            clients: try AllowList(path: folder.path(of: "clients"), role: .client))
    }
}

@Suite("Who is let in", .serialized, .waits)
struct SecurityTests {
    /// Long enough for a handshake, short enough to wait for those that never end.
    private static let patience = 1.2

    private static func farm(_ keys: Keyring, workers: Int = 1) throws -> Farm {
        let security = try keys.security()
        let farm = try Farm(workers: 0) { $0.security = security }
        for index in 0..<workers {
            try farm.addWorker("w\(index)", security: try keys.make("w\(index)", .worker))
        }
        return farm
    }

    private static func isWelcome(_ client: Client, seconds: Double = patience) -> Bool {
        let welcome: Bool? = client.wait(seconds: seconds) { event in
            if case .connected = event { true } else { nil }
        }
        return welcome == true
    }

    @Test func clientsWithTheirKeyGetPicturesThroughWorkersWithTheirs() throws {
        let keys = try Keyring()
        let farm = try Self.farm(keys)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint, security: try keys.make("anna", .client))
        defer { client.client.stop() }
        let key = try client.submit(RandomProject.make(seed: 4).project)
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        guard case .finished? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        let status = try client.status()
        #expect(status["workers"]?.array?.first?["key"]?.string == "w0", "\(status)")
    }

    @Test func peersWithoutKeysWrongKeysAndWrongServersStayOutside() throws {
        let keys = try Keyring()
        let farm = try Self.farm(keys, workers: 0)
        defer { farm.stop() }
        let stranger = try CurveKeyPair.generate()
        let known = try keys.make("known", .client)
        guard case .client(let pair, _) = known else { return }
        let outside: [(String, SocketSecurity?)] = [
            ("no key", nil),
            ("an unknown key", .client(stranger, serverKey: keys.broker.publicKey)),
            ("a known key, another server expected", .client(pair, serverKey: stranger.publicKey)),
            ("a worker's key", try keys.make("worker", .worker)),
        ]
        let clients = try outside.map { ($0.0, try Client(farm.service.clientsEndpoint, security: $0.1)) }
        for (name, client) in clients {
            #expect(!Self.isWelcome(client, seconds: name == "no key" ? Self.patience : 0.3), "\(name)")
            client.client.stop()
        }
        // Workers: none of them is ever listed.
        try farm.addWorker("no key")
        try farm.addWorker("unknown", security: .client(stranger, serverKey: keys.broker.publicKey))
        try farm.addWorker("a client", security: known)
        let client = try Client(farm.service.clientsEndpoint, security: known)
        defer { client.client.stop() }
        #expect(Self.isWelcome(client, seconds: 10))
        usleep(UInt32(Self.patience * 1e6))
        let status = try client.status()
        #expect(status["workers"]?.array?.isEmpty == true, "\(status)")
    }

    @Test func keysAreLetInAndShutOutWithoutARestart() throws {
        let keys = try Keyring()
        let farm = try Self.farm(keys, workers: 0)
        defer { farm.stop() }
        let late = try keys.make("late", .client, isAllowed: false)
        let early = try Client(farm.service.clientsEndpoint, security: late)
        #expect(!Self.isWelcome(early))
        early.client.stop()
        try keys.allow("late", .client)
        let client = try Client(farm.service.clientsEndpoint, security: late)
        #expect(Self.isWelcome(client, seconds: 10))
        client.client.stop()
        try keys.shutOut("late", .client)
        let again = try Client(farm.service.clientsEndpoint, security: late)
        #expect(!Self.isWelcome(again))
        again.client.stop()
    }

    @Test func connectionsThatHangOrTalkNonsenseHoldNothingUp() throws {
        let keys = try Keyring()
        let farm = try Self.farm(keys)
        defer { farm.stop() }
        var random = SeededGenerator(seed: 7)
        let greeting: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("CURVE".utf8)
        let speeches: [[UInt8]] = [
            [], [0xFF], greeting, greeting + [UInt8](repeating: 0, count: 47),
            Array("GET / HTTP/1.1\r\nHost: farm\r\n\r\n".utf8),
            (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) },
        ]
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for index in 0..<240 {
            let endpoint = index % 2 == 0 ? farm.service.clientsEndpoint : farm.service.workersEndpoint
            sockets.append(try Raw.connect(endpoint, saying: speeches[index % speeches.count]))
        }
        #expect(try farm.picture(security: keys.make("anna", .client)) != nil)
    }
}

/// TCP without ZeroMQ.
enum Raw {
    /// A connection to `tcp://127.0.0.1:PORT` that says that and nothing more.
    static func connect(_ endpoint: String, saying bytes: [UInt8]) throws -> Int32 {
        let port = try #require(endpoint.split(separator: ":").last.flatMap { UInt16($0) })
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        try say(descriptor, bytes)
        return descriptor
    }

    static func say(_ descriptor: Int32, _ bytes: [UInt8]) throws {
        try #require(send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// Whether so many bytes come.
    static func hear(_ descriptor: Int32, _ count: Int, seconds: Double = 10) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        var buffer = [UInt8](repeating: 0, count: 4096)
        var found = 0
        while Date() < end, found < count {
            let read = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if read > 0 { found += read } else { usleep(1_000) }
        }
        return found >= count
    }

    /// Whether the other side ends the connection.
    static func isClosed(_ descriptor: Int32, seconds: Double = 10) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        var buffer = [UInt8](repeating: 0, count: 4096)
        while Date() < end {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno == ECONNRESET { return true }
            if count < 0 { usleep(2_000) }
        }
        return false
    }
}
