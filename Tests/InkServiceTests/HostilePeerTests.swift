import Foundation
import Glibc
import InkBroker
import InkClient
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import Testing

/// Peers that are let in and do not keep to the protocol.
@Suite("Peers that misbehave", .serialized)
struct HostilePeerTests {
    /// A ZeroMQ peer that says what it likes.
    private final class Peer {
        let context: ZeroMQContext
        let socket: ZeroMQSocket

        init(_ endpoint: String) throws {
            context = try ZeroMQContext()
            var options = ZeroMQSocketOptions()
            options.maximumPartBytes = 64 << 20
            socket = try ZeroMQSocket(.dealer, context: context, options: options)
            try socket.connect(endpoint)
        }

        func say(_ parts: [[UInt8]]) throws {
            for _ in 0..<500 {
                if try socket.send(parts) == .sent { return }
                usleep(2_000)
            }
        }

        func hear(seconds: Double = 5) throws -> [UInt8]? {
            let end = Date().addingTimeInterval(seconds)
            while Date() < end {
                if let message = try socket.receive() { return message.parts.first }
                usleep(2_000)
            }
            return nil
        }
    }

    /// What the same project gives when nobody misbehaves.
    private static func picture(_ farm: Farm, seed: UInt64 = 5, during disturb: () throws -> Void = {}) throws
        -> [UInt8]?
    {
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let key = try client.submit(RandomProject.make(seed: seed).project, size: .named("500x500"))
        try disturb()
        guard let job = client.job(of: key) else { return nil }
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else { return nil }
        return picture.digest
    }

    private static func resident() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    @Test func garbageMultipartAndOversizeMessagesChangeNothing() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try Self.picture(farm))
        var random = SeededGenerator(seed: 1)
        let found = try Self.picture(farm) {
            for endpoint in [farm.service.clientsEndpoint, farm.service.workersEndpoint] {
                let peer = try Peer(endpoint)
                for _ in 0..<300 {
                    let length = Int.random(in: 0...200, using: &random)
                    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                    try peer.say([[UInt8]](repeating: bytes, count: Int.random(in: 1...4, using: &random)))
                }
                let before = Self.resident()
                for _ in 0..<4 {
                    let large = try Peer(endpoint)
                    try large.say([[UInt8](repeating: 0x49, count: 8 << 20)])
                    try large.say([[UInt8]](repeating: [UInt8](repeating: 1, count: 900_000), count: 20))
                    usleep(20_000)
                }
                // What this process itself has sent is in there too.
                #expect(Self.resident() - before < 192 << 20)
            }
        }
        #expect(found == expected)
    }

    @Test func messagesBeforeHelloAreAnsweredAndMeanNothing() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Peer(farm.service.clientsEndpoint)
        try client.say([ClientMessage.heartbeat.encoded()])
        let answer = try #require(try client.hear())
        #expect(try ServiceMessage(frame: answer) == .unknownSession)
        let worker = try Peer(farm.service.workersEndpoint)
        try worker.say([WorkerMessage.heartbeat.encoded()])
        let other = try #require(try worker.hear())
        #expect(try BrokerMessage(frame: other) == .unknownWorker)
        // The other port's words open nothing.
        let stray = try Peer(farm.service.clientsEndpoint)
        try stray.say([WorkerMessage.heartbeat.encoded()])
        try stray.say([BrokerMessage.heartbeat.encoded()])
        while let answer = try stray.hear(seconds: 0.3) {
            #expect(try ServiceMessage(frame: answer) == .unknownSession)
        }
    }

    /// Whatever a worker said once is said again, out of order, by others: no tile is taken from any of it.
    @Test func resultsOfTasksThatWereNotGivenAreNotTaken() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try Self.picture(farm))
        var random = SeededGenerator(seed: 2)
        let found = try Self.picture(farm) {
            let peer = try Peer(farm.service.workersEndpoint)
            try peer.say([
                WorkerMessage.hello(
                    Hello(rendererVersion: "another", workerName: "liar", threads: 1, taskCredits: 1, byteCredits: 1)
                ).encoded()
            ])
            let band = BandResult(rowCount: 16, filteredByteCount: 16, adler32: 1, deflated: [1, 2, 3])
            let bytes = try ResultItem.band(band).encodedRecord()
            for _ in 0..<400 {
                let task = TaskID(UInt64.random(in: 0...40, using: &random))
                let attempt = UInt32.random(in: 0...3, using: &random)
                let messages: [WorkerMessage] = [
                    .resultPart(ResultPart(task: task, attempt: attempt, sequence: 0, bytes: bytes)),
                    .taskDone(
                        TaskDone(
                            task: task, attempt: attempt, partCount: 1, resultBytes: UInt64(bytes.count),
                            phases: TaskPhases())),
                    .taskFailed(TaskFailed(task: task, attempt: attempt, kind: .badInput, text: "no")),
                ]
                for message in messages.shuffled(using: &random) { try peer.say([message.encoded()]) }
            }
        }
        #expect(found == expected)
    }

    /// One submission, said fifty times over three connections in any order, is one job.
    @Test func aSubmissionThatIsReplayedIsOneJob() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bytes = try Zstandard.compress(ProjectWriter.write(RandomProject.make(seed: 6).project))
        let submission = Submission(
            key: .random(), name: "again.ink",
            source: .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), .zstd),
            picture: PictureSpec(size: .named("100x100")), delivery: .fetch, priority: 0)
        client.client.submit(submission, content: .bytes(bytes))
        _ = try #require(client.job(of: submission.key))
        for index in 0..<3 {
            let peer = try Peer(farm.service.clientsEndpoint)
            try peer.say([ClientMessage.hello(clientName: "replay \(index)").encoded()])
            for _ in 0..<50 { try peer.say([ClientMessage.submit(submission).encoded()]) }
            usleep(100_000)
        }
        let status = try client.status()
        let jobs = (status["jobs"]?["queued"]?.integer ?? 0) + (status["jobs"]?["running"]?.integer ?? 0)
        #expect(jobs == 1, "\(status)")
    }

    /// A frame of a few kilobytes that stands for a gigabyte of blanks.
    @Test func aContentThatExpandsWithoutEndFailsItsJobOnly() throws {
        let farm = try Farm(workers: 1) { $0.projectLimits.fileBytes = 4 << 20 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bomb = try Zstandard.compress([UInt8](repeating: 0x20, count: 256 << 20))
        #expect(bomb.count < 64 << 10)
        let before = Self.resident()
        let submission = Submission(
            key: .random(), name: "bomb.ink",
            source: .content(ContentID(hashing: bomb), byteCount: UInt64(bomb.count), .zstd),
            picture: PictureSpec(size: .named("100x100")), delivery: .fetch, priority: 0)
        client.client.submit(submission, content: .bytes(bomb))
        let job = try #require(client.job(of: submission.key))
        client.client.watch([job])
        guard case .failed(let code, let text)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        #expect(code == .badInput, "\(text)")
        #expect(Self.resident() - before < 128 << 20)
        #expect(try Self.picture(farm) != nil)
    }

    @Test func linksLeadNeitherOutOfTheInputRootsNorOfTheOutputRoot() throws {
        let folder = try TemporaryFolder(prefix: "ink-roots")
        let (inputs, outputs, outside) = (folder.path(of: "in"), folder.path(of: "out"), folder.path(of: "outside"))
        for path in [inputs, outputs, outside] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let project = try ProjectWriter.write(RandomProject.make(seed: 8).project)
        for path in [inputs, outside] { try Data(project).write(to: URL(fileURLWithPath: path + "/a.ink")) }
        let links = FileManager.default
        try links.createSymbolicLink(atPath: inputs + "/link.ink", withDestinationPath: outside + "/a.ink")
        try links.createSymbolicLink(atPath: outputs + "/away", withDestinationPath: outside)
        try links.createSymbolicLink(atPath: outputs + "/file.png", withDestinationPath: outside + "/file.png")
        try links.createSymbolicLink(atPath: outputs + "/near", withDestinationPath: outputs + "/there")
        try links.createDirectory(atPath: outputs + "/there", withIntermediateDirectories: true)
        let farm = try Farm(workers: 1) {
            $0.inputRoots = [inputs]
            $0.outputRoot = outputs
        }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        func end(_ input: String, _ output: String) throws -> JobEnding? {
            let submission = Submission(
                key: .random(), name: "a.ink", source: .path(inputs + "/" + input),
                picture: PictureSpec(size: .named("60x60")), delivery: .write(output), priority: 0)
            client.client.submit(submission, content: nil)
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            return client.ending(of: job)
        }
        for (input, output) in [("link.ink", "a.png"), ("a.ink", "away/new/a.png"), ("a.ink", "file.png")] {
            guard case .failed(.badInput, let text)? = try end(input, output) else {
                Issue.record("\(input) \(output)")
                continue
            }
            #expect(text.contains("broker's"), "\(text)")
        }
        guard case .finished? = try end("a.ink", "near/deep/a.png") else {
            Issue.record("a link inside is refused")
            return
        }
        #expect(FileManager.default.fileExists(atPath: outputs + "/there/deep/a.png"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["a.ink"])
    }
}
