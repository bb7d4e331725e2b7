import Foundation
import InkBroker
import InkClient
import InkEngine
import InkProtocol
import InkService
import InkTestSupport
import InkWorker
import Testing

/// Renders right, and changes the bands that it hands in.
private struct SpoilingRunner: TaskRunner {
    let honest = EngineTaskRunner(threads: 1)
    let spoil: @Sendable (inout BandResult) -> Void

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> TaskPhases {
        let spoiling = TaskContext(blocks: context.blocks, threadIndex: context.threadIndex) {
            (item) throws(EngineError) in
            guard case .band(var band) = item else { return try context.emit(item) }
            spoil(&band)
            try context.emit(.band(band))
        }
        return try honest.run(task, in: spoiling)
    }
}

/// What workers compress is opened before it becomes part of a picture.
@Suite("Bands that are not what they claim", .serialized)
struct SpoiltBandTests {
    struct Spoilt: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let spoil: @Sendable (inout BandResult) -> Void

        init(_ name: String, _ spoil: @escaping @Sendable (inout BandResult) -> Void) {
            testDescription = name
            self.spoil = spoil
        }
    }

    private static let spoilt: [Spoilt] = [
        Spoilt("another checksum") { $0.adler32 ^= 1 },
        Spoilt("noise") { $0.deflated = [UInt8](repeating: 0xA5, count: $0.deflated.count) },
        Spoilt("cut") { $0.deflated.removeLast(min(9, $0.deflated.count - 1)) },
        // A stored block, empty and the last of its stream: what follows would never be read.
        Spoilt("an end in the middle") { $0.deflated = [1, 0, 0, 0xFF, 0xFF] },
        Spoilt("bytes behind") { $0.deflated += [0] },
        Spoilt("twice as long") { $0.deflated += $0.deflated },
        Spoilt("a bit turned") { $0.deflated[$0.deflated.count / 2] ^= 0x10 },
    ]

    private static func picture(_ farm: Farm, before others: () throws -> Void = {}) throws -> [UInt8]? {
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(RandomProject.make(seed: 5).project, size: .named("400x400"))
        let job = try #require(client.job(of: key))
        try others()
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else { return nil }
        return picture.digest
    }

    @Test(arguments: spoilt) func areNotTaken(spoilt: Spoilt) throws {
        let honest = try Farm(workers: 1)
        let expected = try Self.picture(honest)
        honest.stop()
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        try farm.addWorker("spoiler", runner: SpoilingRunner(spoil: spoilt.spoil))
        let found = try Self.picture(farm) {
            let end = Date().addingTimeInterval(20)
            while Date() < end, farm.departures.isEmpty { usleep(5_000) }
            try farm.addWorker("good")
        }
        #expect(found != nil && found == expected)
        #expect(farm.departures.count == 1 && farm.departures[0].hasPrefix("spoiler: bad result: "))
    }
}

extension Farm {
    /// The workers that have gone, and why.
    fileprivate var departures: [String] {
        log.events.filter { $0.name == "worker.left" }.map { "\($0.worker ?? "?"): \($0.reason ?? "")" }
    }
}
