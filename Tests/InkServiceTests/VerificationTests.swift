import Foundation
import InkBroker
import InkClient
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkReading
import InkService
import InkTestSupport
import InkWorker
import Testing

/// Whoever renders something else than it was asked, all checksums right.
private struct LyingRunner: TaskRunner {
    private let honest = EngineTaskRunner(threads: 1, documents: TaskDocuments())

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        guard case .render(var tile) = task else { return try honest.run(task, in: context) }
        tile.background = RGBA8(red: 255, green: 0, blue: 255, alpha: 255)
        return try honest.run(.render(tile), in: context)
    }
}

/// Whoever calls every document an error.
private struct RefusingRunner: TaskRunner {
    private let honest = EngineTaskRunner(threads: 1, documents: TaskDocuments())

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        guard case .read = task else { return try honest.run(task, in: context) }
        let failure = EngineError.badInput(Place(file: "test.ink"), reason: "I do not like it")
        try context.emit(.readingEnd(ReadingEnd(failure: failure)))
        return PhaseTimes()
    }
}

/// Renders right, and changes the bands that it hands in.
private struct SpoilingRunner: TaskRunner {
    private let honest = EngineTaskRunner(threads: 1, documents: TaskDocuments())
    let spoil: @Sendable (inout EncodedPiece) -> Void

    init(_ spoil: @escaping @Sendable (inout EncodedPiece) -> Void) { self.spoil = spoil }

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        let spoiling = TaskContext(blocks: context.blocks, threadIndex: context.threadIndex) {
            (item) throws(EngineError) in
            guard case .band(var band) = item else { return try context.emit(item) }
            spoil(&band)
            try context.emit(.band(band))
        }
        return try honest.run(task, in: spoiling)
    }
}

@Suite("Results that are compared", .serialized, .waits)
struct VerificationTests {
    struct Spoilt: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let spoil: @Sendable (inout EncodedPiece) -> Void

        init(_ name: String, _ spoil: @escaping @Sendable (inout EncodedPiece) -> Void) {
            testDescription = name
            self.spoil = spoil
        }
    }

    /// Bands of which a part or all stands for the right bytes.
    private static let spoilt: [Spoilt] = [
        Spoilt("another checksum") { $0.adler32 ^= 1 },
        // A stored block, empty and the last of its stream: what follows it is never read.
        Spoilt("an end in the middle") { $0.bytes += [1, 0, 0, 0xFF, 0xFF] },
        Spoilt("bytes behind") { $0.bytes += [7] },
        Spoilt("twice") { $0.bytes += $0.bytes },
        // The flush at the end alone might be missing without harm.
        Spoilt("cut") { $0.bytes.removeLast(min(12, $0.bytes.count - 1)) },
        Spoilt("noise") { $0.bytes = [UInt8](repeating: 0xA5, count: $0.bytes.count) },
    ]

    @Test(arguments: spoilt) func aBandThatWouldSpoilTheFileIsFoundOut(spoilt: Spoilt) throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: nil)
        quiet.stop()
        let (checked, farm) = try Self.picture(verify: 1, liar: SpoilingRunner(spoilt.spoil))
        defer { farm.stop() }
        #expect(checked == honest)
        let dismissed = farm.log.events.filter { $0.reason?.contains("two other workers") == true }
        #expect(dismissed.first?.worker == "liar", "\(farm.log.events.map { "\($0)" })")
    }

    private static func picture(
        verify share: Double, liar: (any TaskRunner)?, workers: Int = 2
    ) throws -> (Data, Farm) {
        let farm = try Farm(workers: workers) {
            $0.broker.verifyShare = share
            // On a busy machine, too, there is somebody to be compared with.
            $0.broker.livenessMilliseconds = 60_000
        }
        if let liar { try farm.addWorker("liar", runner: liar) }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let joined = client.until {
            (try? client.status())?["workers"]?.array?.count == workers + (liar == nil ? 0 : 1)
        }
        #expect(joined)
        let key = try client.submit(RandomProject.make(seed: 3).project, size: .named("700x700"))
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else {
            farm.stop()
            throw CocoaError(.fileReadUnknown, userInfo: ["events": "\(client.events)"])
        }
        let path = farm.folder.path(of: "picture.png")
        client.client.fetch(job, picture: picture, to: path)
        let isFetched: Bool? = client.wait { event in
            if case .fetched(let fetched, _, _) = event, fetched == job { true } else { nil }
        }
        #expect(isFetched == true)
        return (try Data(contentsOf: URL(fileURLWithPath: path)), farm)
    }

    @Test func aLiarIsFoundOutAndDismissed() throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: nil)
        quiet.stop()
        let (checked, farm) = try Self.picture(verify: 1, liar: LyingRunner())
        defer { farm.stop() }
        #expect(checked == honest)
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let status = try client.status()
        #expect((status["tasks"]?["verified"]?.integer ?? 0) > 0, "\(status)")
        let dismissed = farm.log.events.filter { $0.reason?.contains("two other workers") == true }
        #expect(dismissed.first?.worker == "liar", "\(farm.log.events.map { "\($0)" })")
    }

    @Test("One worker alone has no document refused")
    func refusals() throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: nil)
        quiet.stop()
        let (checked, farm) = try Self.picture(verify: 1, liar: RefusingRunner())
        farm.stop()
        #expect(checked == honest)
    }

    @Test func withoutComparisonsTheLiarGetsThrough() throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: nil)
        quiet.stop()
        let (painted, farm) = try Self.picture(verify: 0, liar: LyingRunner(), workers: 0)
        farm.stop()
        #expect(painted != honest)
    }

    @Test func aLoneWorkerCannotBeComparedAndIsNotWaitedFor() throws {
        let (_, farm) = try Self.picture(verify: 1, liar: nil, workers: 1)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(try client.status()["tasks"]?["verified"]?.integer == 0)
    }
}
