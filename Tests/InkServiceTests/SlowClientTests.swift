import Foundation
import Glibc
import InkBroker
import InkClient
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import Testing

@Suite("Clients that take nothing", .serialized, .waits)
struct SlowClientTests {
    /// Clients that ask and take nothing.
    private func slowPeers(_ count: Int, of farm: Farm) throws -> [Peer] {
        let peers = try (0..<count).map { _ in
            try Peer(farm.service.clientsEndpoint, context: farm.context, queued: 1)
        }
        try say(.hello(clientName: "slow"), peers)
        return peers
    }

    private func say(_ message: ClientMessage, _ peers: [Peer]) throws {
        for peer in peers { try peer.say([message.encoded()]) }
    }

    private func queued(_ client: Client) throws -> Int { try client.status()["memory"]?["queuedBytes"]?.integer ?? -1 }

    @Test("Many clients that fetch pictures and take nothing leave room for one that does")
    func manySlowDownloads() throws {
        // Within the process there are no windows: only the broker's queues say how slow they are.
        let farm = try Farm(workers: 0) {
            $0.clientsEndpoint = "inproc://slow-clients"
            $0.livenessMilliseconds = 60_000
        }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint, context: farm.context)
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
