import InkClient
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Testing

@testable import InkService

@Suite("Jobs that wait for a worker", .serialized, .waits)
struct WaitingJobTests {
    private func queued(_ farm: Farm, _ client: Client, _ job: JobNumber) throws -> Bool {
        let facts = try #require(try farm.service.job(job))
        var query = JobQuery()
        query.states = [.queued]
        let listed = try farm.service.jobs(query).jobs.map(\.number)
        let status = try client.status()["jobs"]
        let batch = try #require(try farm.service.batch(facts.batch))
        return facts.state == .queued && facts.progress == nil && listed == [job] && status?["queued"]?.integer == 1
            && status?["running"]?.integer == 0 && batch.counts == [.queued: 1]
    }

    /// It was once said to run, with 0 of 1 tile done, for ever.
    @Test("A job without any worker waits, everywhere, before it is begun and after its worker has left")
    func noWorker() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(
            RandomProject.make(seed: 7).project, size: .named("3000x3000"), tile: PixelSize(width: 64, height: 64))
        let job = try #require(client.job(of: key))
        // Until the broker has begun it.
        let hasBegun = client.until {
            let exports = (try? client.status())?["exports"]?.array ?? []
            return exports.contains { $0["job"]?.integer == Int(job) }
        }
        #expect(hasBegun)
        #expect(try queued(farm, client, job))
        try farm.addWorker("w")
        #expect(client.until { client.isRendered(job) })
        #expect(try farm.service.job(job)?.state == .running)
        farm.stopWorkers()
        let waitsAgain = client.until { (try? queued(farm, client, job)) == true }
        #expect(waitsAgain)
    }
}
