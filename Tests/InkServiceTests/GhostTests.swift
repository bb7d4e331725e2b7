import InkClient
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import Testing

/// Peers that are gone before they have been welcomed.
@Suite("Peers that leave at once", .serialized, .waits)
struct GhostTests {
    @Test("A worker or client that is gone when it is welcomed leaves nothing behind")
    func ghosts() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let hello = Hello(
            rendererVersion: "test-1", workerName: "ghost", threads: 1, taskCredits: 4, byteCredits: 1 << 20)
        for _ in 0..<60 {
            try Peer(farm.service.workersEndpoint).say([WorkerMessage.hello(hello).encoded()])
            try Peer(farm.service.clientsEndpoint).say([ClientMessage.hello(clientName: "ghost").encoded()])
        }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(client.until { (try? client.status()["workers"]?.array?.isEmpty) == true })
        // A job waits for a worker, and is not given to one that is not there.
        let job = try #require(client.job(of: try client.submit(RandomProject.make(seed: 1).project)))
        client.client.watch([job])
        try farm.addWorker("w")
        guard case .finished? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
    }
}
