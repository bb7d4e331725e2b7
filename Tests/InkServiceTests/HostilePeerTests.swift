import Foundation
import Glibc
import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkService
import InkTestSupport
import Testing

/// Peers that are let in and do not keep to the protocol.
@Suite("Peers that misbehave", .serialized, .waits)
struct HostilePeerTests {
    @Test func garbageMultipartAndOversizeMessagesChangeNothing() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try farm.picture())
        var random = SeededGenerator(seed: 1)
        let found = try farm.picture() {
            for endpoint in [farm.service.clientsEndpoint, farm.service.workersEndpoint] {
                let peer = try Peer(endpoint)
                for _ in 0..<300 {
                    let length = Int.random(in: 0...200, using: &random)
                    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
                    try peer.say([[UInt8]](repeating: bytes, count: Int.random(in: 1...4, using: &random)))
                }
                // More than may be held, one small part of it after the other: what this process itself has sent is in
                // its memory too, and so is what other suites need at the same time.
                let before = residentBytes()
                for _ in 0..<30 {
                    let large = try Peer(endpoint)
                    try large.say([[UInt8](repeating: 0x49, count: 4 << 20)])
                    try large.say([[UInt8]](repeating: [UInt8](repeating: 1, count: 900_000), count: 5))
                    usleep(20_000)
                }
                #expect(residentBytes() - before < 192 << 20)
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
    @Test func otherVersionsAreRefusedInTheirOwn() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let hello = Hello(rendererVersion: "r", workerName: "w", threads: 1, taskCredits: 1, byteCredits: 1)
        let greetings = [
            (farm.service.clientsEndpoint, try ClientMessage.hello(clientName: "c").encoded(), "client.refused"),
            (farm.service.workersEndpoint, try WorkerMessage.hello(hello).encoded(), "worker.refused"),
        ]
        for (endpoint, greeting, note) in greetings {
            for version in [ProtocolLimits.version - 1, ProtocolLimits.version + 1] {
                let error = ProtocolError.unsupportedVersion(found: version)
                var other = greeting
                other[4] = UInt8(version)
                let peer = try Peer(endpoint)
                try peer.say([other])
                let refusal = try #require(error.refusal)
                #expect(try peer.hear() == refusal)
                // It is logged after the answer, by another thread.
                let isLogged = (0..<1_000).contains { _ in
                    if farm.log.events.contains(where: { $0.name == note && $0.reason == error.description }) {
                        return true
                    }
                    usleep(5_000)
                    return false
                }
                #expect(isLogged)
            }
        }
    }

    @Test func resultsOfTasksThatWereNotGivenAreNotTaken() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try farm.picture())
        var random = SeededGenerator(seed: 2)
        let found = try farm.picture() {
            let peer = try Peer(farm.service.workersEndpoint)
            try peer.say([
                WorkerMessage.hello(
                    Hello(rendererVersion: "another", workerName: "liar", threads: 1, taskCredits: 1, byteCredits: 1)
                ).encoded()
            ])
            let band = EncodedPiece(rowCount: 16, rawByteCount: 16, adler32: 1, bytes: [1, 2, 3])
            let bytes = try ResultItem.band(band).encodedRecord()
            for _ in 0..<400 {
                let task = TaskID(UInt64.random(in: 0...40, using: &random))
                let attempt = UInt32.random(in: 0...3, using: &random)
                let messages: [WorkerMessage] = [
                    .resultPart(ResultPart(task: task, attempt: attempt, sequence: 0, bytes: bytes)),
                    .taskDone(
                        TaskDone(
                            task: task, attempt: attempt, partCount: 1, resultBytes: UInt64(bytes.count),
                            phases: PhaseTimes())),
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
        let before = residentBytes()
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
        #expect(residentBytes() - before < 240 << 20)
        #expect(try farm.picture() != nil)
    }

    /// ZeroMQ's own words by hand: a frame that announces more than the limit ends its connection before its bytes come.
    @Test(arguments: [UInt64(ProtocolLimits.frameBytes) + 1, 1 << 31, 1 << 40, .max >> 1, .max])
    func framesThatAnnounceTooMuchEndTheirConnection(length: UInt64) throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let greeting: [UInt8] =
            [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)
        let ready: [UInt8] =
            [4, 28, 5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 6] + Array("DEALER".utf8)
        let header: [UInt8] = [2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        func connection(_ endpoint: String, saying bytes: [UInt8]) throws -> Int32 {
            let socket = try Raw.connect(endpoint, saying: greeting + ready)
            // The broker's greeting and its own READY.
            try #require(Raw.hear(socket, 100))
            try Raw.say(socket, bytes)
            return socket
        }
        let before = residentBytes()
        for endpoint in [farm.service.clientsEndpoint, farm.service.workersEndpoint] {
            var sockets: [Int32] = []
            defer { for socket in sockets { close(socket) } }
            for _ in 0..<20 { sockets.append(try connection(endpoint, saying: header + [1, 2, 3])) }
            for socket in sockets { #expect(Raw.isClosed(socket)) }
        }
        #expect(residentBytes() - before < 512 << 20)
        // The same words with a frame that may be are understood: it is the length that ends the others.
        let socket = try connection(farm.service.clientsEndpoint, saying: [0, 3, 1, 2, 3])
        defer { close(socket) }
        #expect(!Raw.isClosed(socket, seconds: 0.3))
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

    @Test("A picture does not replace its project, and that of a photo replaces nothing")
    func inputsStay() throws {
        let folder = try TemporaryFolder(prefix: "ink-roots")
        let root = folder.path(of: "both")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let photo = MinimalPNGWriter.png(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1))
        try Data(photo).write(to: URL(fileURLWithPath: root + "/a.png"))
        try FileManager.default.createSymbolicLink(atPath: root + "/link.png", withDestinationPath: root + "/a.png")
        let farm = try Farm(workers: 1) {
            $0.inputRoots = [root]
            $0.outputRoot = root
        }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        func end(_ input: String, _ output: String) throws -> JobEnding? {
            let submission = Submission(
                key: .random(), name: input, source: .path(root + "/" + input),
                picture: PictureSpec(size: .named("1x")), delivery: .write(output), priority: 0)
            client.client.submit(submission, content: nil)
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            return client.ending(of: job)
        }
        for (input, output) in [("a.png", "a.png"), ("link.png", "a.png"), ("a.png", "link.png")] {
            guard case .failed(.badInput, let text)? = try end(input, output) else {
                Issue.record("\(input) \(output)")
                continue
            }
            #expect(text.contains("would replace the input"), "\(text)")
        }
        guard case .finished? = try end("a.png", "b.png") else {
            Issue.record("a picture beside the photo is refused")
            return
        }
        guard case .failed(.inputOutput, let text)? = try end("a.png", "b.png") else {
            Issue.record("a picture of a photo replaces a file")
            return
        }
        #expect(text.contains(root + "/b.png") && text.contains("exists"), "\(text)")
        #expect(FileManager.default.contents(atPath: root + "/a.png") == Data(photo))
    }
}
