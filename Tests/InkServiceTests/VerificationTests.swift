import Foundation
import InkBroker
import InkClient
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import InkWorker
import Testing

/// Whoever renders something else than it was asked, all checksums right.
private struct LyingRunner: TaskRunner {
    let honest = EngineTaskRunner(threads: 1)

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> TaskPhases {
        guard case .render(var tile) = task else { return try honest.run(task, in: context) }
        tile.background = RGBA8(red: 255, green: 0, blue: 255, alpha: 255)
        return try honest.run(.render(tile), in: context)
    }
}

@Suite("Results that are compared", .serialized)
struct VerificationTests {
    private static func picture(verify share: Double, liar: Bool, workers: Int = 2) throws -> (Data, Farm) {
        let farm = try Farm(workers: workers) { $0.broker.verifyShare = share }
        if liar { try farm.addWorker("liar", runner: LyingRunner()) }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let joined = client.until { (try? client.status())?["workers"]?.array?.count == workers + (liar ? 1 : 0) }
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
            if case .fetched(let fetched, _) = event, fetched == job { true } else { nil }
        }
        #expect(isFetched == true)
        return (try Data(contentsOf: URL(fileURLWithPath: path)), farm)
    }

    @Test func aLiarIsFoundOutAndDismissed() throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: false)
        quiet.stop()
        let (checked, farm) = try Self.picture(verify: 1, liar: true)
        defer { farm.stop() }
        #expect(checked == honest)
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let status = try client.status()
        #expect((status["tasks"]?["verified"]?.integer ?? 0) > 0, "\(status)")
        let dismissed = farm.log.events.filter { $0.reason?.contains("two other workers") == true }
        #expect(dismissed.first?.worker == "liar", "\(farm.log.events.map { "\($0)" })")
    }

    @Test func withoutComparisonsTheLiarGetsThrough() throws {
        let (honest, quiet) = try Self.picture(verify: 0, liar: false)
        quiet.stop()
        let (painted, farm) = try Self.picture(verify: 0, liar: true, workers: 0)
        farm.stop()
        #expect(painted != honest)
    }

    @Test func aLoneWorkerCannotBeComparedAndIsNotWaitedFor() throws {
        let (_, farm) = try Self.picture(verify: 1, liar: false, workers: 1)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(try client.status()["tasks"]?["verified"]?.integer == 0)
    }
}
