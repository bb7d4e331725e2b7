import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

@Suite("Workers that take nothing", .serialized)
struct SlowWorkerTests {
    private static let size = PixelSize(width: 100, height: 300)
    private static let bands = PixelSize(width: 100, height: 50)

    @Test("Many workers that take nothing leave room for one that does, and what waited for them goes with them")
    func manySlowWorkers() throws {
        // Within the process there are no windows: only the broker's queues say how slow they are.
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        var random = SeededGenerator(seed: 1)
        let noise = (0..<(3 << 20)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        let image = EncodedImage(
            bytes: Array("base 100 300 ".utf8) + noise, header: ImageHeader(size: Self.size, isHeldWhole: false),
            place: "base")
        farm.submit(1, "1.png", project: Project(canvasSize: Self.size, baseImage: image, layers: []), tile: Self.bands)
        #expect(farm.until { farm.isPrepared(1) })
        let block = try Block(content: image.bytes).id
        var slow = try (0..<40).map {
            try RawWorker(farm.endpoint, context: farm.context, name: "slow \($0)", queued: 1)
        }
        #expect(farm.until { farm.report?.workers.count == slow.count })
        let windows = stride(from: UInt64(0), to: 24 << 20, by: ProtocolLimits.blockWindowBytes)
        for worker in slow { try worker.say(.blockRequest(windows.map { BlockRange(id: block, offset: $0) })) }
        let limit = SendQueues().bytesMax + slow.count * SendQueues.peerBytesMin
        var most = 0
        for _ in 0..<200 {
            most = max(most, try #require(farm.report).queuedBytes)
            usleep(5_000)
        }
        #expect(most <= limit + (1 << 20))
        #expect(most > limit / 2, "the queues are not even half full: the test tries nothing")
        farm.submit(2, tile: Self.bands, priority: 10)
        farm.hire()
        _ = try #require(try farm.end(of: 2)?.get())
        #expect(farm.file("a.png") == FakePicture.file(TileGrid(output: Self.size, tile: Self.bands), .rgb))
        #expect(try #require(farm.report).queuedBytes > limit / 2, "they have not been given up for it")
        #expect(slow.indices.allSatisfy { farm.departures(of: "slow \($0)").isEmpty })
        slow.removeAll()
        #expect(farm.until { farm.report?.queuedBytes == 0 }, "\(String(describing: farm.report))")
    }

    @Test("A block that is read for a worker that has left meanwhile is let go, and so is what it took of the queues")
    func leavesWhileReading() throws {
        let spill = FakeSpill()
        let farm = try Farm(spill: spill) { $0.blockMemoryBytes = 0 }
        defer { farm.stop() }
        farm.submit(1, tile: Self.bands)
        #expect(farm.until { farm.isPrepared(1) && farm.report?.blockBytes == 0 })
        spill.holdReads()
        let block = try Block(content: Array("base 100 300".utf8)).id
        let leaver = try RawWorker(farm.endpoint, context: farm.context)
        try leaver.say(.blockRequest([BlockRange(id: block)]))
        #expect(farm.until { spill.held == 1 })
        #expect(try #require(farm.report).queuedBytes > 0)
        try leaver.say(.goodbye(.left))
        #expect(farm.until { farm.departures(of: "raw") == ["it left"] })
        #expect(try #require(farm.report).queuedBytes == 0)
        farm.broker.cancel(JobID(1))
        #expect(farm.until { farm.end(of: 1) != nil })
        spill.letGo()
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }

    @Test("Blocks on the disk are read once for a worker that takes nothing, not again and again")
    func readsOnce() throws {
        let spill = FakeSpill()
        // Within the process there are no windows, which would leave room for a message or two.
        let farm = try Farm(spill: spill) {
            $0.blockMemoryBytes = 0
            $0.livenessMilliseconds = 60_000
        }
        defer { farm.stop() }
        farm.submit(1, tile: Self.bands)
        #expect(farm.until { farm.isPrepared(1) && farm.report?.blockBytes == 0 })
        let block = try Block(content: Array("base 100 300".utf8)).id
        let worker = try RawWorker(farm.endpoint, context: farm.context, queued: 1)
        // So many messages that there is no room for another.
        var asked = 0
        repeat {
            let before = spill.reads
            try worker.say(.blockRequest(Array(repeating: BlockRange(id: block), count: 60)))
            asked += 60
            _ = farm.until(seconds: 4) { spill.reads >= before + 60 }
            if spill.reads < asked { break }
        } while asked < 200_000
        let reads = spill.reads
        usleep(300_000)
        #expect(spill.reads <= reads + 1)
        #expect(reads <= asked)
        var answers = 0
        while answers < asked, try worker.hear({ if case .blockPart = $0 { true } else { nil } }) == true {
            answers += 1
        }
        #expect(answers == asked && spill.reads == asked)
    }
}
