import Foundation
import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkReading
import InkService
import InkTestSupport
import InkWorker
import Synchronization
import Testing

@testable import InkStore

@Suite("A farm over loopback", .serialized, .waits)
struct FarmServiceTests {
    private static func project(_ seed: UInt64) -> Project { RandomProject.make(seed: seed).project }

    @Test func submitsRendersAndFetches() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(Self.project(1))
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        let path = farm.folder.path(of: "picture.png")
        client.client.fetch(job, picture: picture, to: path)
        let fetched = client.wait { event in
            if case .fetched(job, let path, _) = event { path } else { nil }
        }
        #expect(fetched == path)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(SHA256.digest([UInt8](data)) == picture.digest)

        let kept = farm.folder.path(of: "data/pictures/\(job).png")
        let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)

        let status = try JSONReader.read(try client.client.ask(.status, timeoutMilliseconds: 5000))
        #expect(status["jobs"]?["finished"]?.integer == 1)
        #expect(status["workers"]?.array?.count == 2)
        let story = try JSONReader.read(try client.client.ask(.story(job), timeoutMilliseconds: 5000))
        #expect((story["events"]?.array?.count ?? 0) >= 2)
    }

    /// Renders all but the last band, until it is let.
    private struct WaitingRunner: TaskRunner {
        /// Asked while the last band is waiting, which is while a picture is made.
        let mayFinish: @Sendable () -> Bool
        private let renderer = EngineTaskRunner(threads: 1, documents: TaskDocuments())

        init(_ mayFinish: @escaping @Sendable () -> Bool) { self.mayFinish = mayFinish }

        func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
            if case .render(let tile) = task, tile.rect.y + tile.rect.height == tile.output.height {
                while !mayFinish() {
                    try context.checkCancellation()
                    usleep(1_000)
                }
            }
            return try renderer.run(task, in: context)
        }
    }

    @Test func aPictureComesWhileItIsMade() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let mayFinish = Mutex(false)
        let isBegun = Mutex(false)
        try farm.addWorker(
            "w",
            runner: WaitingRunner {
                isBegun.withLock { $0 = true }
                return mayFinish.withLock { $0 }
            })
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(Self.project(3), tile: PixelSize(width: 300, height: 60))
        let job = try #require(client.job(of: key))
        let path = farm.folder.path(of: "out/picture.png")
        client.client.watch([job])
        #expect(client.until { isBegun.withLock { $0 } }, "\(client.events)")
        client.client.follow(job, to: path)
        // All bands but the last one are on this side.
        func partBytes() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: farm.folder.path(of: "out"))) ?? []
            guard let name = names.first(where: { $0.hasSuffix(".part") }) else { return 0 }
            let file = try? FileManager.default.attributesOfItem(atPath: farm.folder.path(of: "out/\(name)"))
            return (file?[.size] as? NSNumber)?.intValue ?? 0
        }
        #expect(client.until { partBytes() > 1_000 }, "\(partBytes()) bytes, \(client.events)")
        #expect(!FileManager.default.fileExists(atPath: path))
        let early = partBytes()
        mayFinish.withLock { $0 = true }
        guard case .finished(let picture)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        #expect(picture.byteCount > UInt64(early))
        client.client.fetch(job, picture: picture, to: path)
        #expect(client.wait { event in if case .fetched(job, path, _) = event { true } else { nil } } == true)
        #expect(SHA256.digest([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))) == picture.digest)
        #expect(try FileManager.default.contentsOfDirectory(atPath: farm.folder.path(of: "out")) == ["picture.png"])
    }

    /// A job of which all but the last band is done, and that never will be.
    private func unfinishedJob(_ farm: Farm, _ client: Client) throws -> JobNumber {
        try farm.addWorker("w", runner: WaitingRunner { false })
        let key = try client.submit(Self.project(3), tile: PixelSize(width: 300, height: 60))
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        #expect(client.until { client.isRendered(job) })
        // What a watcher is told, and what the broker answers.
        #expect(client.wait { if case .progress(job, _, _, let left?) = $0 { left.high > 0 } else { nil } } == true)
        let answer = try JSONReader.read(try client.client.ask(.job(job), timeoutMilliseconds: 20_000))
        #expect(answer["timeLeft"]?["high"]?.number ?? 0 > 0)
        #expect(try client.status()["timeLeft"]?["seconds"]?.number ?? -1 >= 0)
        return job
    }

    @Test("A broker that cannot read its jobs says so, and does not say that there are none")
    func unreadableStore() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        func ask(_ topic: Topic) throws -> JSONValue {
            try JSONReader.read(try client.client.ask(topic, timeoutMilliseconds: 20_000))
        }
        #expect(try ask(.jobs(after: 0, limit: 10))["jobs"]?.array?.isEmpty == true)
        try Database(path: farm.folder.path(of: "data/jobs.sqlite")).run("ALTER TABLE jobs RENAME TO lost")
        for topic in [Topic.jobs(after: 0, limit: 10), .job(1), .story(1)] {
            #expect(try ask(topic)["problem"]?.string?.contains("jobs.sqlite") == true, "\(topic)")
        }
        let status = try ask(.status)
        #expect(status["store"]?["problem"]?.string?.contains("jobs.sqlite") == true)
        #expect(status["jobs"]?["queued"]?.integer == 0 && status["jobs"]?["finished"]?.integer == nil)
    }

    @Test func everyWindowOfAnUnfinishedPictureIsSent() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let mayFinish = Mutex(false)
        try farm.addWorker("w", runner: WaitingRunner { mayFinish.withLock { $0 } })
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let job = try #require(
            client.job(of: try client.submit(Self.project(3), tile: PixelSize(width: 300, height: 60))))
        client.client.watch([job])
        #expect(client.until { client.isRendered(job) })
        let peer = try Peer.welcome(by: farm)
        for offset in [0, ProtocolLimits.transferWindowBytes] {
            try peer.say([ClientMessage.pictureRequest(job, offset: UInt64(offset)).encoded()])
        }
        func part() throws -> Range<UInt64>? {
            try peer.wait { message in
                guard case .picturePart(let part) = message else { return nil }
                return part.offset..<(part.offset + UInt64(part.bytes.count))
            }
        }
        var end = try #require(try part()).upperBound
        mayFinish.withLock { $0 = true }
        guard case .finished(let picture)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        #expect(end < picture.byteCount)
        while end < picture.byteCount, let next = try part() { end = max(end, next.upperBound) }
        #expect(end == picture.byteCount)
    }

    @Test func nothingStaysOfAPictureThatIsCancelled() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let job = try unfinishedJob(farm, client)
        client.client.follow(job, to: farm.folder.path(of: "out/picture.png"))
        func names() -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: farm.folder.path(of: "out"))) ?? []
        }
        #expect(client.until { names().count == 1 }, "\(client.events)")
        _ = try client.client.order(.cancel([job]), timeoutMilliseconds: 10_000)
        #expect(client.ending(of: job) == .cancelled)
        // Nor of the folder that was made for it, which goes after the file.
        #expect(client.until { !FileManager.default.fileExists(atPath: farm.folder.path(of: "out")) }, "\(names())")
    }

    @Test func jobsOfOneContentAreNumberedAsTheyWereSubmitted() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let keys = try (0..<8).map { try client.submit(Self.project(5), size: .named("\(100 + $0)x100")) }
        let jobs = keys.compactMap { client.job(of: $0) }
        #expect(jobs == Array(1...8))
    }

    @Test func aBrokerThatDrainsSaysSo() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let job = try unfinishedJob(farm, client)
        farm.service.drain()
        #expect(client.until { (try? client.status()["broker"]?["state"]?.string) == "draining" })
        // One that comes only now.
        let late = try Client(farm.service.clientsEndpoint)
        defer { late.client.stop() }
        #expect(try late.status()["broker"]?["state"]?.string == "draining")
        let refused = try late.submit(Self.project(4))
        let isBusy = late.wait { event in if case .busy(refused, _, _) = event { true } else { nil } }
        #expect(isBusy == true, "\(late.events)")
        _ = try late.client.order(.cancel([job]), timeoutMilliseconds: 10_000)
        farm.service.waitUntilEnded()
    }

    @Test("What was said of a project when the broker read it is told of its job, also after a restart")
    func warningsOfAJob() throws {
        let farm = try Farm()
        let folder = farm.folder
        func warnings(_ farm: Farm, of job: JobNumber) throws -> [String] {
            let client = try Client(farm.service.clientsEndpoint)
            defer { client.client.stop() }
            let answer = try JSONReader.read(try client.client.ask(.job(job), timeoutMilliseconds: 20_000))
            return (answer["warnings"]?.array ?? []).compactMap(\.string)
        }
        let client = try Client(farm.service.clientsEndpoint)
        let text = #"{"version":"1.1","canvasSize":{"width":9,"height":9},"layers":[{"blendmode":"plus"}]}"#
        let bytes = Array(text.utf8)
        let submission = Submission(
            key: .random(), name: "a.ink",
            source: .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), .plain),
            picture: PictureSpec(size: .named("1x")), delivery: .fetch)
        client.client.submit(submission, content: .bytes(bytes))
        let job = try #require(client.job(of: submission.key))
        client.client.watch([job])
        #expect(client.ending(of: job) != nil)
        client.client.stop()
        let expected = ["layers[0].blendmode: unknown key, ignored (did you mean blendMode?)"]
        #expect(try warnings(farm, of: job) == expected)
        #expect(farm.log.events.contains { $0.name == "job.warnings" && $0.job == job && $0.reason == expected[0] })
        farm.stop()
        let again = try Farm(workers: 0, folder: folder)
        defer { again.stop() }
        #expect(try warnings(again, of: job) == expected)
    }

    @Test func everyJobSurvivesARestart() throws {
        let folder = try TemporaryFolder(prefix: "ink-service")
        var farm = try Farm(workers: 0, folder: folder)
        let client = try Client(farm.service.clientsEndpoint)
        let keys = try (0..<5).map { try client.submit(Self.project(UInt64(10 + $0)), name: "p\($0).ink") }
        let jobs = keys.compactMap { client.job(of: $0) }
        #expect(jobs.count == 5)
        client.client.stop()
        farm.stop()

        farm = try Farm(workers: 2, folder: folder)
        defer { farm.stop() }
        let second = try Client(farm.service.clientsEndpoint)
        defer { second.client.stop() }
        second.client.watch(jobs)
        for job in jobs {
            guard case .finished? = second.ending(of: job) else {
                Issue.record("job \(job): \(second.events)")
                continue
            }
        }
    }

    @Test func aPictureBeyondTheQuotaFailsItsJobAndNothingOfItStays() throws {
        let project = Self.project(3)
        let byteCount = try Zstandard.compress(ProjectWriter.write(project)).count
        let farm = try Farm(workers: 1) { $0.quotaBytes = byteCount + 100 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(project)
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        let ending = client.ending(of: job)
        guard case .failed(.inputOutput, let text)? = ending else {
            Issue.record("\(String(describing: ending))")
            return
        }
        #expect(text.contains("--quota"), "\(text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: farm.folder.path(of: "data/pictures")) == [])
    }

    /// Contents of jobs that are forgotten make room, also when nothing is left to be purged.
    @Test func contentsThatNoJobNeedsMakeRoom() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let folder = farm.folder.path(of: "data/contents")
        func contents() -> [String] {
            (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).filter { name in
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
        }
        let job = try #require(client.job(of: try client.submit(Self.project(3))))
        client.client.watch([job])
        let content = try #require(contents().first)
        _ = try client.client.order(.cancel([job]), timeoutMilliseconds: 10_000)
        _ = client.ending(of: job)
        _ = try client.client.order(.purge([job], endedSecondsAgo: 0), timeoutMilliseconds: 10_000)
        #expect(contents() == [content])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -700)], ofItemAtPath: folder + "/" + content)
        _ = try client.client.order(.purge([], endedSecondsAgo: 0), timeoutMilliseconds: 10_000)
        #expect(client.until { contents().isEmpty }, "\(contents())")
    }

    @Test func aContentThatCanNeverFitIsRefusedForGood() throws {
        let farm = try Farm(workers: 0) { $0.quotaBytes = 100 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(Self.project(1))
        let rejection = client.wait { event in
            if case .rejected(key, let rejection) = event { rejection } else { nil }
        }
        #expect(rejection?.code == .invalid && rejection?.text.contains("--quota") == true, "\(client.events)")
    }
}
