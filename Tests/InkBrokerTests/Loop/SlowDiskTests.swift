import Dispatch
import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A broker whose blocks all go to a disk that fails, or that takes as long as a test likes.
@Suite("A disk for blocks that fails or is slow", .serialized)
struct SlowDiskTests {
    private static let size = PixelSize(width: 100, height: 300)
    private static let bands = PixelSize(width: 100, height: 50)
    private static let tiles = PixelSize(width: 50, height: 60)

    private static func picture(_ tile: PixelSize) -> String {
        FakePicture.file(TileGrid(output: size, tile: tile), .rgb)
    }

    /// No two of different numbers share a block.
    private static func project(_ number: Int, noise: [UInt8] = []) -> Project {
        let strokes = (0..<5).map { Stroke.line(from: (5, Double($0) * 50), to: (95, Double($0 * 50 + number))) }
        func image(_ name: String) -> EncodedImage {
            EncodedImage(
                bytes: Array("\(name)\(number) 100 300 ".utf8) + noise,
                header: ImageHeader(size: size, isHeldWhole: false), place: name)
        }
        return Project(
            canvasSize: size, baseImage: image("base"),
            layers: [Layer(maskImage: image("mask"), strokes: strokes), Layer(strokes: strokes)])
    }

    private static func noise(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 1)
        return (0..<(count / 8)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }

    private func farm(_ spill: FakeSpill, _ change: (inout BrokerConfiguration) -> Void = { _ in }) throws -> Farm {
        try Farm(spill: spill) { configuration in
            configuration.blockMemoryBytes = 0
            configuration.livenessMilliseconds = 60_000
            change(&configuration)
        }
    }

    /// Has two exports of one project and one of another cut into blocks, none of which is read yet.
    private func submitThree(_ farm: Farm) {
        farm.submit(1, "1.png", project: Self.project(1), tile: Self.bands)
        farm.submit(2, "2.png", project: Self.project(1), tile: Self.bands)
        farm.submit(3, "3.png", project: Self.project(2), tile: Self.bands)
        #expect(farm.until { (1...3).allSatisfy { farm.isPrepared($0) } })
    }

    /// The exports that fail, all for that reason; the others are whole.
    private func failures(_ farm: Farm, _ ids: ClosedRange<UInt64>, _ expected: BrokerError) throws -> [UInt64] {
        var failed: [UInt64] = []
        for id in ids {
            switch try #require(farm.end(of: id), "export \(id) does not end") {
            case .success: #expect(farm.file("\(id).png") == Self.picture(Self.bands))
            case .failure(let error):
                #expect(error == expected, "export \(id)")
                #expect(farm.file("\(id).png") == nil)
                failed.append(id)
            }
        }
        return failed
    }

    // MARK: - Faults

    @Test("A block that the disk does not take ends every export that needs it, and no other")
    func failedWrites() throws {
        let dry = FakeSpill()
        let trial = try farm(dry)
        submitThree(trial)
        #expect(trial.until { trial.report?.blockBytes == 0 })
        let count = dry.writes
        trial.stop()
        try #require(count >= 6)
        var failed: [[UInt64]] = []
        for number in 1...count {
            let spill = FakeSpill()
            spill.holdWrites()
            spill.fail(writes: [number])
            let farm = try farm(spill)
            defer { farm.stop() }
            submitThree(farm)
            spill.letGo()
            #expect(farm.until { spill.writes >= count })
            farm.hire()
            failed.append(try failures(farm, 1...3, .spill(operation: "write", errno: ENOSPC)))
            #expect(farm.departures(of: "fake").isEmpty)
            #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
        }
        #expect(failed == Array(repeating: [1, 2], count: count / 2) + Array(repeating: [3], count: count / 2))
    }

    @Test("A block that cannot be read back ends every export that needs it, and no other; its worker goes on")
    func failedReads() throws {
        let spill = FakeSpill()
        let farm = try farm(spill)
        defer { farm.stop() }
        farm.submit(1, "1.png", project: Self.project(1), tile: Self.bands)
        farm.submit(2, "2.png", project: Self.project(1), tile: Self.bands)
        #expect(farm.until { farm.isPrepared(1) && farm.isPrepared(2) && farm.report?.blockBytes == 0 })
        spill.spoil()
        farm.submit(3, "3.png", project: Self.project(2), tile: Self.bands)
        #expect(farm.until { farm.isPrepared(3) && farm.report?.blockBytes == 0 })
        farm.hire()
        #expect(try failures(farm, 1...3, .spill(operation: "read", errno: EIO)) == [1, 2])
        // The same blocks once more: it does not wait for the answers to its first requests.
        farm.submit(4, "4.png", project: Self.project(1), tile: Self.bands)
        #expect(try failures(farm, 4...4, .spill(operation: "read", errno: EIO)).isEmpty)
        #expect(farm.departures(of: "fake").isEmpty)
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }

    @Test("Whichever reading fails, for a worker or for a comparison: an export ends, and nothing is left of it")
    func anyFailedRead() throws {
        var (number, hasFailed) = (1, false)
        repeat {
            let spill = FakeSpill()
            spill.fail(reads: [number])
            let farm = try farm(spill) { $0.verifyShare = 1 }
            defer { farm.stop() }
            farm.hire("a") { _, _ in .good }
            farm.hire("b") { _, _ in .good }
            farm.submit(1, project: Self.project(1), tile: Self.tiles)
            switch try #require(farm.end(of: 1), "reading \(number): it does not end") {
            case .success:
                hasFailed = false
                #expect(farm.file("a.png") == Self.picture(Self.tiles))
                #expect(spill.reads < number, "reading \(number) failed and is not missed")
            case .failure(let error):
                hasFailed = true
                #expect(error == .spill(operation: "read", errno: EIO), "reading \(number)")
            }
            #expect(farm.departures(of: "a") + farm.departures(of: "b") == [], "reading \(number)")
            #expect(farm.until { farm.isEmpty }, "reading \(number): \(String(describing: farm.report))")
            number += 1
        } while hasFailed || number < 3
        #expect(number > 20)
    }

    // MARK: - Speed

    /// Heartbeats come and questions are answered, whatever the disk does.
    private func expectLife(_ farm: Farm, _ watcher: RawWorker, heartbeats: Int = 10) throws {
        for index in 0..<heartbeats {
            let isHeard: Bool? = try watcher.hear { $0 == .heartbeat ? true : nil }
            #expect(isHeard == true, "heartbeat \(index)")
            #expect(farm.report != nil, "question \(index)")
            if isHeard == nil { return }
        }
    }

    @Test("While blocks are on their way to a slow disk the loop answers, and who is not listened to is not lost")
    func slowWrites() throws {
        let spill = FakeSpill()
        spill.holdWrites()
        let farm = try farm(spill) { $0.livenessMilliseconds = 3_000 }
        defer { farm.stop() }
        farm.hire()
        let watcher = try RawWorker(farm.endpoint, context: farm.context)
        #expect(farm.until { farm.report?.workers.count == 2 })
        // So much that workers are not listened to any more.
        farm.submit(1, "1.png", project: Self.project(1, noise: Self.noise(12 << 20)), tile: Self.bands)
        farm.submit(2, "2.png", project: Self.project(2), tile: Self.bands)
        #expect(farm.until { farm.isPrepared(1) && spill.held > 0 })
        // Longer than a worker may be silent.
        try expectLife(farm, watcher, heartbeats: 80)
        #expect(farm.departures(of: "fake").isEmpty && farm.departures(of: "raw").isEmpty)
        #expect(!farm.isPrepared(2), "no more is taken in")
        spill.letGo()
        #expect(try failures(farm, 1...2, .cancelled(export: "")).isEmpty)
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }

    @Test("While blocks are read from a slow disk the loop answers, and who waits for them is not late for it")
    func slowReads() throws {
        let spill = FakeSpill()
        spill.holdReads()
        let farm = try farm(spill) {
            $0.leaseMilliseconds = 3_000
            $0.dismissalMilliseconds = 0
        }
        defer { farm.stop() }
        let watcher = try RawWorker(farm.endpoint, context: farm.context)
        farm.hire()
        farm.submit(1, "1.png", project: Self.project(1), tile: Self.bands)
        #expect(farm.until { spill.held > 0 })
        // Longer than a lease.
        try expectLife(farm, watcher, heartbeats: 80)
        #expect(farm.departures(of: "fake").isEmpty)
        spill.letGo()
        #expect(try failures(farm, 1...1, .cancelled(export: "")).isEmpty)
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }

    @Test("While results are compared, on a slow disk, the loop answers, and who handed them in is not late for it")
    func slowComparison() throws {
        let spill = FakeSpill()
        // More patience than that nobody needs who is not blamed for the disk.
        let farm = try farm(spill) {
            $0.verifyShare = 1
            $0.leaseMilliseconds = 3_000
            $0.dismissalMilliseconds = 0
        }
        defer { farm.stop() }
        let watcher = try RawWorker(farm.endpoint, context: farm.context)
        farm.hire()
        // Tiles of nothing need no blocks: what is read at first is read for digests.
        spill.holdReads()
        farm.submit(1, "1.png", project: Project(canvasSize: Self.size, layers: []), tile: Self.tiles)
        #expect(farm.until { spill.held > 0 })
        try expectLife(farm, watcher, heartbeats: 80)
        #expect(farm.departures(of: "fake").isEmpty)
        farm.hire("other") { _, _ in .good }
        spill.letGo()
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("1.png") == Self.picture(Self.tiles))
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }

    @Test("A replay is written beside the loop: its export has ended before, and the loop answers meanwhile")
    func slowReplay() throws {
        let spill = FakeSpill()
        let folder = try TemporaryFolder(prefix: "ink-replays")
        let farm = try farm(spill) { $0.replayFolder = folder.path }
        defer { farm.stop() }
        let watcher = try RawWorker(farm.endpoint, context: farm.context)
        farm.submit(1, "1.png", project: Farm.project(images: false), tile: Self.bands)
        // What is still in memory when the task fails would not be read for the replay.
        #expect(farm.until { farm.isPrepared(1) && farm.report?.blockBytes == 0 })
        farm.hire("fake") { _, _ in
            spill.holdReads()
            return .fail(.internalError, "boom")
        }
        guard case .failure(.taskFailed(_, _, _, let replay?)) = try #require(farm.end(of: 1)) else {
            Issue.record("\(farm.events(of: 1))")
            return
        }
        try #require(farm.until { spill.held > 0 })
        try expectLife(farm, watcher)
        #expect(!FileManager.default.fileExists(atPath: replay))
        spill.letGo()
        #expect(farm.until { FileManager.default.fileExists(atPath: replay) })
        let file = try ReplayFile(decoding: Array(try Data(contentsOf: URL(fileURLWithPath: replay))))
        #expect(!file.blocks.isEmpty && file.title.contains("boom"))
        #expect(farm.until { farm.isEmpty }, "\(String(describing: farm.report))")
    }
}
