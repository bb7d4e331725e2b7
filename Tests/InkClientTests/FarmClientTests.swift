import Foundation
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkClient

@Suite("Client over real sockets", .timeLimit(.minutes(5)))
struct FarmClientTests {
    private func client(_ broker: FakeBroker, _ log: EventLog) throws -> FarmClient {
        var configuration = FarmClientConfiguration(endpoint: broker.endpoint, name: "test")
        configuration.helloMilliseconds = 200
        let client = try FarmClient(configuration: configuration, context: broker.context) { log.add($0) }
        try client.start()
        return client
    }

    /// Submits, waits and fetches; the pictures by path.
    private func export(
        _ contents: [PreparedContent], _ client: FarmClient, _ log: EventLog, into folder: TemporaryFolder
    ) -> Bool {
        for (index, content) in contents.enumerated() {
            client.submit(ClientSamples.submission(content, UInt64(index)), content: content.content)
        }
        guard log.wait({ _ in log.jobs().count == contents.count }) else { return false }
        client.watch(Array(log.jobs().values))
        guard log.wait({ _ in log.notices().count == contents.count }) else { return false }
        for notice in log.notices() {
            guard case .finished(let picture) = notice.ending else { return false }
            client.fetch(notice.job, picture: picture, to: folder.path(of: "out/\(notice.job).png"))
            client.noticeTaken(notice.id)
        }
        return log.wait { _ in log.fetched().count == contents.count }
    }

    private func expectPictures(_ broker: FakeBroker, _ folder: TemporaryFolder, _ count: Int) throws {
        let pictures = broker.change { $0.service.pictures }
        #expect(pictures.count == count)
        for (job, bytes) in pictures { #expect(try folder.read("out/\(job).png") == bytes) }
        #expect(try folder.contents().filter { $0.hasPrefix("out/") }.count == count)
    }

    @Test("Contents of several windows go up, pictures of several windows come down")
    func large() throws {
        let broker = try FakeBroker(seed: 1) {
            $0.service.partBytes = 100_000...1_000_000
            $0.service.pictureBytes = 13_000_000...13_000_001
        }
        let log = EventLog()
        let folder = try TemporaryFolder()
        let file = try folder.write(ClientSamples.bytes(9_000_001, seed: 1), to: "in/a.ink")
        let client = try client(broker, log)
        let contents = [try PreparedContent(file: file), PreparedContent(bytes: [1])]
        #expect(export(contents, client, log, into: folder))
        try expectPictures(broker, folder, 2)
        #expect(broker.change { $0.service.contents }.values.contains(try folder.read("in/a.ink")))
        client.stop()
        // The goodbye is on its way when the client has stopped.
        for _ in 0..<5_000 where broker.change({ $0.goodbyes }) == 0 { usleep(1_000) }
        broker.stop()
        #expect(broker.change { $0.goodbyes } == 1)
    }

    @Test("Everything arrives once over a network that loses, repeats and reorders", arguments: 0..<6)
    func badNetwork(seed: UInt64) throws {
        let broker = try FakeBroker(seed: seed) {
            $0.lossShare = 5
            $0.repeatShare = 5
            $0.reorderShare = 5
            $0.service.queueLimit = 5
            $0.service.partBytes = 10_000...100_000
            // What is repeated only when a session ends is repeated often enough for a test.
            $0.service.liveness = 300
        }
        let log = EventLog()
        let folder = try TemporaryFolder()
        let client = try client(broker, log)
        let contents = (0..<12).map {
            PreparedContent(bytes: ClientSamples.bytes($0 * 9_000 + 1, seed: UInt64($0 % 7)))
        }
        // Sessions end now and then, so that the client's long patience is not what is tested.
        let hasEnded = Flag()
        DispatchQueue.global().async {
            while !hasEnded.isSet {
                usleep(400_000)
                broker.change { $0.service.restart() }
            }
        }
        #expect(export(contents, client, log, into: folder), "seed \(seed): \(log.all.suffix(20))")
        hasEnded.set()
        try expectPictures(broker, folder, 12)
        #expect(broker.change { $0.service.jobs.count } == 12)
        #expect(Set(log.notices().map(\.job)).count == log.notices().count)
        client.stop()
        broker.stop()
    }

    @Test("A client may start before the broker and outlive it")
    func restarts() throws {
        let broker = try FakeBroker(seed: 2, isUp: false) { $0.service.jobTime = 1_000 }
        let log = EventLog()
        let folder = try TemporaryFolder()
        let client = try client(broker, log)
        #expect(throws: ClientError.self) { try client.ask(.status, timeoutMilliseconds: 50) }
        let content = PreparedContent(bytes: ClientSamples.bytes(300_000, seed: 4))
        client.submit(ClientSamples.submission(content, 1), content: content.content)
        broker.change { $0.isUp = true }
        #expect(log.wait { _ in log.jobs().count == 1 })
        client.watch(Array(log.jobs().values))
        broker.restart()
        #expect(log.wait { _ in log.notices().count == 1 })
        broker.restart()
        guard let notice = log.notices().first, case .finished(let picture) = notice.ending else {
            Issue.record("no picture")
            return
        }
        client.fetch(notice.job, picture: picture, to: folder.path(of: "out/\(notice.job).png"))
        #expect(log.wait { _ in log.fetched().count == 1 })
        try expectPictures(broker, folder, 1)
        #expect(try client.ask(.status, timeoutMilliseconds: 30_000) == FakeService.answer(to: .status))
        client.stop()
        broker.stop()
    }

    @Test("A broken digest, a picture that is gone: the old file stays, and nothing else")
    func brokenPictures() throws {
        let broker = try FakeBroker(seed: 3) { $0.service.damagesPictures = true }
        let log = EventLog()
        let folder = try TemporaryFolder()
        try folder.write("old", to: "out/1.png")
        let client = try client(broker, log)
        let content = PreparedContent(bytes: [1])
        client.submit(ClientSamples.submission(content, 1), content: content.content)
        client.watch([1])
        // The job may be watched before it is there, which is how a job of another store looks.
        #expect(log.wait { _ in log.jobs().count == 1 && log.notices().count == 1 })
        client.watch([1])
        #expect(log.wait { _ in log.notices().contains { $0.id != 0 } })
        guard case .finished(let picture)? = log.notices().last?.ending else {
            Issue.record("no picture")
            return
        }
        client.fetch(1, picture: picture, to: folder.path(of: "out/1.png"))
        #expect(log.wait { _ in log.failures().count == 1 })
        broker.change { $0.service.forgetPicture(1) }
        client.fetch(1, picture: picture, to: folder.path(of: "out/1.png"))
        #expect(log.wait { _ in log.failures().count == 2 })
        #expect(
            log.failures() == [
                .damagedPicture(1),
                .pictureMissing(1, reason: "purged"),
            ])
        // Files are removed beside the client's thread.
        #expect(log.wait { _ in (try? folder.contents()) == ["out", "out/1.png"] })
        #expect(try folder.read("out/1.png") == Array("old".utf8))
        client.stop()
        broker.stop()
    }

    @Test("A picture replaces the file that a link leads to, and no folder")
    func targets() throws {
        let broker = try FakeBroker(seed: 4)
        let log = EventLog()
        let folder = try TemporaryFolder()
        try folder.write("old", to: "real.png")
        try folder.makeFolder("folder.png")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(of: "link.png"), withDestinationPath: folder.path(of: "real.png"))
        let client = try client(broker, log)
        let content = PreparedContent(bytes: [1])
        client.submit(ClientSamples.submission(content, 1), content: content.content)
        #expect(log.wait { _ in log.jobs().count == 1 })
        client.watch([1])
        #expect(log.wait { _ in log.notices().count == 1 })
        guard case .finished(let picture)? = log.notices().last?.ending else {
            Issue.record("no picture")
            return
        }
        client.fetch(1, picture: picture, to: folder.path(of: "link.png"))
        client.fetch(1, picture: picture, to: folder.path(of: "folder.png"))
        client.fetch(1, picture: picture, to: folder.path(of: "real.png/x.png"))
        #expect(log.wait { _ in log.fetched().count == 1 && log.failures().count == 2 })
        #expect(
            Set(log.failures().map { "\($0)".replacingOccurrences(of: folder.path, with: "") }) == [
                "/folder.png: cannot replace: Is a directory",
                "/real.png/x.png: cannot make the folder: Not a directory",
            ])
        #expect(try folder.read("real.png") == broker.change { $0.service.pictures[1] })
        #expect(try folder.contents() == ["folder.png", "link.png", "real.png"])
        client.stop()
        broker.stop()
    }

    @Test("A file that changes after it was submitted is not sent")
    func changedFile() throws {
        let broker = try FakeBroker(seed: 5, isUp: false)
        let log = EventLog()
        let folder = try TemporaryFolder()
        let file = try folder.write("one", to: "a.ink")
        let client = try client(broker, log)
        let content = try PreparedContent(file: file)
        client.submit(ClientSamples.submission(content, 1), content: content.content)
        try folder.write("two", to: "b.ink")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: folder.path(of: "b.ink"), toPath: file)
        broker.change { $0.isUp = true }
        #expect(log.wait { _ in log.all.contains { if case .rejected = $0 { true } else { false } } })
        #expect(
            log.all.last
                == .rejected(
                    ClientSamples.key(1),
                    Rejection(code: .content, text: "\(file) has changed since it was submitted")))
        client.stop()
        broker.stop()
    }

    @Test("Orders and questions wait for their answers; a long list is several orders")
    func requests() throws {
        let broker = try FakeBroker(seed: 6)
        let log = EventLog()
        let client = try client(broker, log)
        let jobs = (1...2_500).map { JobNumber($0) }
        let result = try client.order(.cancel(jobs), timeoutMilliseconds: 30_000)
        #expect(result.code == .done && result.count == 3)
        #expect(
            broker.change { $0.service.orders } == [
                .cancel(Array(jobs[..<1000])), .cancel(Array(jobs[1000..<2000])), .cancel(Array(jobs[2000...])),
            ])
        #expect(try client.ask(.story(7), timeoutMilliseconds: 30_000) == FakeService.answer(to: .story(7)))
        #expect(throws: ClientError.self) { try client.order(.retry([]), timeoutMilliseconds: 30_000) }
        let hint = "the broker is there and has not answered this"
        #expect(throws: ClientError.unreachable(endpoint: broker.endpoint, waitedMilliseconds: 20, hint: hint)) {
            try client.order(.drain(worker: "nobody"), timeoutMilliseconds: 20)
        }
        client.stop()
        #expect(throws: ClientError.stopped) { try client.ask(.status, timeoutMilliseconds: 1_000) }
        broker.stop()
    }

    @Test("A refusal ends what is being waited for; garbage does not matter")
    func refusal() throws {
        let broker = try FakeBroker(seed: 7)
        let log = EventLog()
        let client = try client(broker, log)
        #expect(try !client.ask(.status, timeoutMilliseconds: 30_000).isEmpty)
        broker.change { $0.rawFrames = [[1, 2, 3], [], [UInt8](repeating: 0x49, count: 100)] }
        #expect(try !client.ask(.status, timeoutMilliseconds: 30_000).isEmpty)
        let refuse = try ServiceMessage.refuse(reason: "no room").encoded()
        var other = try ServiceMessage.heartbeat.encoded()
        other[4] = 9
        broker.change { $0.rawFrames = [refuse] }
        #expect(throws: ClientError.refused(reason: "no room")) {
            try client.order(.drain(worker: "nobody"), timeoutMilliseconds: 30_000)
        }
        #expect(log.all.contains(.refused(reason: "no room")))
        client.stop()

        let second = EventLog()
        let next = try self.client(broker, second)
        #expect(second.wait { $0.contains { if case .connected = $0 { true } else { false } } })
        broker.change { [other] in $0.rawFrames = [other] }
        #expect(
            second.wait {
                $0.contains { if case .refused(let reason) = $0 { reason.contains("version 9") } else { false } }
            })
        next.stop()
        broker.stop()
    }

    @Test("A client that was stopped or dropped leaves no thread and no file")
    func endings() throws {
        let broker = try FakeBroker(seed: 8) { $0.service.pictureBytes = 20_000_000...20_000_001 }
        let log = EventLog()
        let folder = try TemporaryFolder()
        var client: FarmClient? = try client(broker, log)
        let content = PreparedContent(bytes: [1])
        client?.submit(ClientSamples.submission(content, 1), content: content.content)
        #expect(log.wait { _ in log.jobs().count == 1 })
        client?.watch([1])
        #expect(log.wait { _ in log.notices().count == 1 })
        guard case .finished(let picture)? = log.notices().last?.ending else {
            Issue.record("no picture")
            return
        }
        client?.fetch(1, picture: picture, to: folder.path(of: "a.png"))
        client = nil
        let left = try folder.contents()
        #expect(left.isEmpty || left == ["a.png"])
        #expect(throws: ClientError.self) {
            try FarmClient(
                configuration: FarmClientConfiguration(endpoint: "nonsense", name: ""), context: broker.context
            ) { _ in }
        }
        broker.stop()
    }
}

/// Set once, by any thread.
final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
