import Foundation
import Glibc
import InkBroker
import InkClient
import InkEngine
import InkJSON
import InkService
import InkTestSupport
import Testing

@testable import InkProtocol

extension ClientMessage {
    /// As the version says it that acknowledges nothing.
    fileprivate func encodedInVersion2() throws -> [UInt8] {
        let frame = try encoded()
        let (type, _) = try Frame.open(frame)
        return try Frame.seal(type: type, version: 2) { $0.raw(Array(frame[ProtocolLimits.headerBytes...])) }
    }
}

@Suite("Clients that take nothing", .serialized, .waits)
struct SlowClientTests {
    /// Clients that ask and take nothing.
    private func slowPeers(_ count: Int, of farm: Farm) throws -> [Peer] {
        let peers = try (0..<count).map { _ in try Peer(farm.service.clientsEndpoint, queued: 1) }
        for peer in peers { try peer.say([ClientMessage.hello(clientName: "slow").encodedInVersion2()]) }
        return peers
    }

    private func say(_ message: ClientMessage, _ peers: [Peer]) throws {
        for peer in peers { try peer.say([message.encodedInVersion2()]) }
    }

    private func queued(_ client: Client) throws -> Int { try client.status()["memory"]?["queuedBytes"]?.integer ?? -1 }

    @Test("Many clients that fetch pictures and take nothing leave room for one that does")
    func manySlowDownloads() throws {
        let farm = try Farm(workers: 0) { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let windows = 8
        let size = windows * Int(ProtocolLimits.transferWindowBytes)
        let path = try farm.folder.write("", to: "data/pictures/77.png")
        #expect(truncate(path, size) == 0)
        var slow = try slowPeers(40, of: farm)
        for window in 0..<windows {
            try say(.pictureRequest(77, offset: UInt64(window) * ProtocolLimits.transferWindowBytes), slow)
        }
        let limit = SendQueues().bytesMax + 41 * SendQueues.peerBytesMin
        var most = 0
        for _ in 0..<100 {
            most = max(most, try queued(client))
            usleep(10_000)
        }
        #expect(most <= limit + (1 << 20))
        #expect(most > limit / 2, "the queues are not even half full: the test tries nothing")
        let fast = try Peer.welcome(by: farm)
        try fast.say([ClientMessage.pictureRequest(77, offset: 0).encoded()])
        var missing = Int(ProtocolLimits.transferWindowBytes)
        while missing > 0 {
            let count: Int? = try fast.wait { if case .picturePart(let part) = $0 { part.bytes.count } else { nil } }
            missing -= try #require(count, "\(missing) bytes do not come")
        }
        #expect(try queued(client) > limit / 2, "the others have not been given up for it")
        slow.removeAll()
        #expect(client.until { (try? queued(client)) == 0 })
    }
}
