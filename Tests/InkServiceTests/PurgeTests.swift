import Foundation
import InkBroker
import InkClient
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import InkWorker
import Testing

@Suite("Forgetting jobs", .serialized, .waits)
struct PurgeTests {
    private static let project = RandomProject.make(seed: 7).project

    /// Jobs that have been finished.
    private func finish(_ count: Int, _ client: Client) throws -> [JobNumber] {
        let keys = try (0..<count).map {
            try client.submit(Self.project, name: "p\($0).ink", size: .named("1500x1500"))
        }
        let jobs = try keys.map { try #require(client.job(of: $0)) }
        client.client.watch(jobs)
        for job in jobs {
            guard case .finished? = client.ending(of: job) else {
                Issue.record("job \(job): \(client.events)")
                continue
            }
        }
        return jobs
    }

    private func pictures(_ folder: TemporaryFolder) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "data/pictures")))
    }

    @Test("What a crash left of pictures that were being made goes at the next start, and its room is given back")
    func unfinishedPictures() throws {
        let folder = try TemporaryFolder(prefix: "ink-service")
        try folder.write([UInt8](repeating: 0, count: 5_000), to: "data/pictures/.7.png.tag-7.part")
        let farm = try Farm(workers: 0, folder: folder)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(try client.status()["store"]?["usedBytes"]?.integer == 0)
        #expect(try pictures(folder) == [])
    }

    @Test("Pictures make room where the disk is full", .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func fullDisk() throws {
        let disk = try #require(try SmallDisk(byteCount: 8 << 20))
        let folder = try TemporaryFolder(prefix: "ink-service", in: disk.path)
        let farm = try Farm(workers: 1, folder: folder) { $0.broker.spillFolder = NSTemporaryDirectory() }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let jobs = try finish(3, client)
        #expect(try pictures(folder).count == 3)
        disk.fill()
        let result = try client.client.order(.purge([], endedSecondsAgo: 0), timeoutMilliseconds: 20_000)
        #expect(result.code == .done && result.count == 3, "\(result), \(farm.log.events.suffix(3))")
        #expect(try pictures(folder).isEmpty)
        client.client.watch(jobs)
        #expect(client.until { client.events.contains { isUnknown($0, jobs[0]) } }, "\(client.events.suffix(5))")
    }

    /// The dashboard once kept the rows of purged jobs.
    @Test("Whoever watches is told of jobs that are purged, by an order or by their age")
    func purgesAreTold() throws {
        let farm = try Farm(workers: 1)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let jobs = try finish(2, client)
        let orders = [
            (jobs[0], OrderAction.purge([jobs[0]], endedSecondsAgo: 0)), (jobs[1], .purge([], endedSecondsAgo: 0)),
        ]
        for (job, order) in orders {
            let before = farm.service.board.version
            #expect(try client.client.order(order, timeoutMilliseconds: 20_000).count == 1)
            #expect(farm.service.board.changes(after: before).jobs.contains(job), "\(order)")
            let left = try farm.service.job(job)
            #expect(left == nil)
        }
    }

    private func isUnknown(_ event: FarmClientEvent, _ job: JobNumber) -> Bool {
        if case .notice(let notice) = event { notice.job == job && notice.ending == .unknown } else { false }
    }

    @Test("What has not ended, or never was, is named; what is forgotten already is no fault")
    func others() throws {
        let farm = try Farm(workers: 1)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let jobs = try finish(1, client)
        farm.stopWorkers()
        let key = try client.submit(Self.project)
        let queued = try #require(client.job(of: key))
        let result = try client.client.order(
            .purge([jobs[0], queued, jobs[0], 99], endedSecondsAgo: 0), timeoutMilliseconds: 20_000)
        #expect(result.code == .partly && result.count == 1, "\(result)")
        #expect(result.text == "not ended, or unknown: jobs \(queued), 99")
        let again = try client.client.order(.purge(jobs, endedSecondsAgo: 0), timeoutMilliseconds: 20_000)
        #expect(again.code == .done && again.count == 0, "\(again)")
        let never = try client.client.order(.purge([99], endedSecondsAgo: 0), timeoutMilliseconds: 20_000)
        #expect(never.code == .refused, "\(never)")
    }

    @Test("A purge that a crash cut short is ended at the next start, and other files stay")
    func crash() throws {
        let folder = try TemporaryFolder(prefix: "ink-service")
        var farm = try Farm(workers: 1, folder: folder)
        var client = try Client(farm.service.clientsEndpoint)
        let jobs = try finish(2, client)
        let path = folder.path(of: "data/pictures/\(jobs[0]).png")
        let picture = try Data(contentsOf: URL(fileURLWithPath: path))
        let result = try client.client.order(.purge([jobs[0]], endedSecondsAgo: 0), timeoutMilliseconds: 20_000)
        #expect(result.code == .done)
        client.client.stop()
        farm.stop()
        // As if it had died between the journal and the file.
        for name in ["\(jobs[0]).png", "00\(jobs[0]).png", "4711.png", "notes.txt"] {
            try picture.write(to: URL(fileURLWithPath: folder.path(of: "data/pictures/\(name)")))
        }

        farm = try Farm(workers: 0, folder: folder)
        defer { farm.stop() }
        client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        // Job 4711 has never been of this store.
        let expected: Set = ["\(jobs[1]).png", "00\(jobs[0]).png", "4711.png", "notes.txt"]
        let isRemoved = client.until { (try? pictures(folder)) == expected }
        let left = try pictures(folder)
        #expect(isRemoved, "\(left)")
    }
}
