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

/// Clients that are let in and say what no client of ours would.
@Suite("Clients that misbehave", .serialized, .waits)
struct HostileClientTests {
    private static func content(_ bytes: [UInt8], _ encoding: ContentEncoding = .zstd) -> ProjectSource {
        .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), encoding)
    }

    private static func submission(
        _ source: ProjectSource, size: SizeSpec = .named("100x100"), delivery: PictureDelivery = .fetch
    ) -> Submission {
        Submission(key: .random(), name: "x.ink", source: source, picture: PictureSpec(size: size), delivery: delivery)
    }

    private static func project(_ seed: UInt64 = 6) throws -> [UInt8] {
        try Zstandard.compress(ProjectWriter.write(RandomProject.make(seed: seed).project))
    }

    private static func rejection(_ client: Client, _ submission: Submission) -> Rejection? {
        client.wait(seconds: 20) { event in
            if case .rejected(submission.key, let rejection) = event { rejection } else { nil }
        }
    }

    // MARK: - Values

    /// Every message with numbers at their ends; sizes, tiles and layers of all kinds for a project that is there.
    @Test func numbersAtTheirEndsAreHarmless() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try farm.picture())
        let bytes = try Self.project()
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        client.client.submit(Self.submission(Self.content(bytes)), content: .bytes(bytes))
        let found = try farm.picture {
            let peer = try Peer.welcome(by: farm)
            let numbers: [UInt64] = [0, 1, 1 << 31, 1 << 53, 1 << 62, (1 << 63) - 1, 1 << 63, .max - 1, .max]
            let id = ContentID(hashing: bytes)
            var messages: [ClientMessage] = [.watch(numbers), .noticesTaken(numbers), .heartbeat]
            for number in numbers {
                let order = UInt32(truncatingIfNeeded: number)
                let actions: [OrderAction] = [
                    .cancel([number, number]), .retry([number, number]), .priority([number, number], 10),
                    .purge([number, number], endedSecondsAgo: number), .drain(worker: "\(number)"),
                ]
                messages += actions.map { .order(Order(number: order, action: $0)) }
                let topics: [Topic] = [.jobs(after: number, limit: 1000), .job(number), .story(number)]
                messages += topics.map { .question(Question(number: order, topic: $0)) }
                messages += numbers.map { .pictureRequest(number, offset: $0) }
                messages.append(.contentPart(ContentPart(id: id, offset: number, bytes: [1])))
            }
            messages.append(.contentUnavailable(id, reason: "\u{1B}[2J\n"))
            for message in messages { try peer.say([message.encoded()]) }
            try peer.say([ClientMessage.submit(Self.submission(Self.content(bytes))).encoded()])
            _ = try peer.hearAll(seconds: 0.2)
        }
        #expect(found == expected)
        // The one who said all that is served, too: it has broken no rule.
        #expect(try client.status()["clients"]?.integer ?? 0 >= 1)
    }

    @Test("What a client asks for and takes slowly is not read before it has taken the last")
    func slowReader() throws {
        let farm = try Farm()
        defer { farm.stop() }
        // More than may lie in the broker for one client, and in the sockets between.
        let windows = 60
        let size = windows * Int(ProtocolLimits.transferWindowBytes)
        let path = try farm.folder.write("", to: "data/pictures/77.png")
        #expect(truncate(path, size) == 0)
        let peer = try Peer.welcome(by: farm, queued: 10)
        for window in 0..<windows {
            let offset = UInt64(window) * ProtocolLimits.transferWindowBytes
            try peer.say([ClientMessage.pictureRequest(77, offset: offset).encoded()])
        }
        usleep(1_500_000)
        try peer.say([ClientMessage.heartbeat.encoded()])
        var missing = IndexSet(integersIn: 0..<size)
        while !missing.isEmpty {
            let range: Range<Int>? = try peer.wait { message in
                guard case .picturePart(let part) = message else { return nil }
                return Int(part.offset)..<(Int(part.offset) + part.bytes.count)
            }
            missing.remove(integersIn: try #require(range, "\(missing.count) bytes do not come"))
        }
    }

    @Test func aClientThatAsksWithoutEndIsRefused() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let peer = try Peer.welcome(by: farm)
        for number in 0..<20_000 as Range<UInt32> {
            let question = Question(number: number, topic: .jobs(after: 0, limit: 1000))
            try peer.say([ClientMessage.question(question).encoded()])
        }
        let isRefused = { farm.log.events.contains { $0.reason == "it asks for too much at once" } }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(client.until { isRefused() })
        #expect(client.until { (try? client.status()["clients"]?.integer) == 1 })
    }

    @Test func picturesThatCannotBeFailTheirJobsOnly() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let bytes = try Self.project()
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let edge = ProtocolLimits.edgePixels
        let sizes: [SizeSpec] = [
            .exact(PixelSize(width: edge, height: edge)), .exact(PixelSize(width: edge, height: 1)),
            .named("\(edge)x\(edge)"), .named("1e308x"), .named("99999999999999999999x"), .named("0x"), .named("-1x1"),
            .named("\u{0}"), .named("x"), .named("nan" + "x"),
        ]
        var submissions = sizes.map { Self.submission(Self.content(bytes), size: $0) }
        var layers = Self.submission(Self.content(bytes))
        layers.picture.options.layers = [65_535, 0, 65_535]
        submissions.append(layers)
        for submission in submissions { client.client.submit(submission, content: .bytes(bytes)) }
        for submission in submissions {
            let job = try #require(client.job(of: submission.key), "\(submission.picture)")
            client.client.watch([job])
            guard case .failed(.badInput, let text)? = client.ending(of: job) else {
                Issue.record("\(submission.picture)")
                continue
            }
            #expect(!text.isEmpty)
        }
        // Tiles of any size are allowed and give the same picture.
        var digests: Set<[UInt8]> = []
        for tile in [nil, PixelSize(width: 1, height: 1), PixelSize(width: edge, height: edge)] {
            var submission = Self.submission(Self.content(bytes))
            submission.picture.options.tile = tile
            client.client.submit(submission, content: .bytes(bytes))
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            guard case .finished(let picture)? = client.ending(of: job) else {
                Issue.record("tile \(String(describing: tile))")
                continue
            }
            #expect(picture.size.longestEdge == 100)
            digests.insert(picture.digest)
        }
        #expect(!digests.isEmpty)
    }

    // MARK: - Paths

    @Test func nothingIsReadOrWrittenOutsideTheRoots() throws {
        let folder = try TemporaryFolder(prefix: "ink-roots")
        let (input, output) = (folder.path(of: "in"), folder.path(of: "out"))
        let secret = folder.path(of: "secret.ink")
        for path in [input, output] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let project = try ProjectWriter.write(RandomProject.make(seed: 6).project)
        for path in [secret, input + "/good.ink"] { try Data(project).write(to: URL(fileURLWithPath: path)) }
        try FileManager.default.createSymbolicLink(atPath: input + "/link.ink", withDestinationPath: secret)
        try FileManager.default.createSymbolicLink(atPath: input + "/up", withDestinationPath: folder.path)
        let farm = try Farm {
            $0.inputRoots = [input]
            $0.outputRoot = output
        }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let forbidden: [Submission] =
            [
                secret, input, input + "/", input + "/../secret.ink", input + "/./good.ink", input + "//good.ink",
                input + "x/good.ink", "good.ink", "/", "/etc/passwd", input + "/good.ink\u{0}.png", input + "/a\nb",
            ].map { Self.submission(.path($0)) }
            + [
                "../\u{301}a.png", "a/..\u{2F}\u{20DD}b.png", "../a.png", "/a.png", "a/../../b.png", "./a.png",
                "a//b.png", "a/", "a\u{0}.png", "..", ".", "a\nb",
            ].map {
                Self.submission(.path(input + "/good.ink"), delivery: .write($0))
            }
        for submission in forbidden { client.client.submit(submission) }
        for submission in forbidden {
            let rejection = Self.rejection(client, submission)
            #expect(rejection?.code == .forbidden, "\(submission.source) \(submission.delivery)")
        }
        for path in [input + "/link.ink", input + "/up/secret.ink"] {
            let submission = Self.submission(.path(path))
            client.client.submit(submission)
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            guard case .failed(.badInput, let text)? = client.ending(of: job) else {
                Issue.record("\(path): \(client.events)")
                continue
            }
            #expect(text.contains("outside"), "\(text)")
        }
        let good = Self.submission(.path(input + "/good.ink"), delivery: .write("a/b.png"))
        client.client.submit(good)
        let job = try #require(client.job(of: good.key))
        client.client.watch([job])
        guard case .finished? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: output + "/a/b.png"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["in", "out", "secret.ink"])
    }

    // MARK: - Contents

    /// Other bytes than their hash says, in the wrong place, more than was asked for: nothing of it is kept.
    @Test func aContentIsWhatItsHashSays() throws {
        let farm = try Farm(workers: 1)
        defer { farm.stop() }
        let bytes = try Self.project()
        let id = ContentID(hashing: bytes)
        let peer = try Peer.welcome(by: farm)
        let submission = Self.submission(Self.content(bytes))
        try peer.say([ClientMessage.submit(submission).encoded()])
        let wanted: UInt64? = try peer.wait { message in
            if case .contentRequest(id, 0, let wanted) = message { wanted } else { nil }
        }
        #expect(wanted == UInt64(bytes.count))
        func part(_ offset: UInt64, _ bytes: [UInt8]) throws {
            try peer.say([ClientMessage.contentPart(ContentPart(id: id, offset: offset, bytes: bytes)).encoded()])
        }
        try part(UInt64(bytes.count), [1])
        try part(.max, [1])
        try part(1, [1])
        try part(0, bytes + [1])
        try part(0, [UInt8](repeating: 7, count: bytes.count))
        let code: Rejection.Code? = try peer.wait { message in
            if case .rejected(submission.key, let rejection) = message { rejection.code } else { nil }
        }
        #expect(code == .content)
        // The real content under the same name is asked for anew and taken.
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let honest = Self.submission(Self.content(bytes))
        client.client.submit(honest, content: .bytes(bytes))
        let job = try #require(client.job(of: honest.key))
        client.client.watch([job])
        guard case .finished? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
    }

    /// 32 KiB that stand for a gigabyte and do not say so; and such that say so, and some that are no frame at all.
    @Test func framesThatExpandWithoutEndFailTheirJobs() throws {
        let farm = try Farm(workers: 1) { $0.projectLimits.fileBytes = 4 << 20 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        // A window of 128 KiB, then blocks that each stand for 128 KiB of blanks.
        func blocks(_ count: Int) -> [UInt8] {
            (1...count).flatMap { index -> [UInt8] in
                let header = UInt32(128 << 10) << 3 | 1 << 1 | (index == count ? 1 : 0)
                return [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) } + [0x20]
            }
        }
        let undeclared = magic + [0x00, 0x38] + blocks(8192)
        func declared(_ size: UInt64) -> [UInt8] {
            magic + [0xE0] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + blocks(8192)
        }
        // The largest window that the format knows.
        let window = magic + [0x00, 0xFF] + blocks(4)
        let bombs = [undeclared, declared(1 << 30), declared(1 << 62), declared(3 << 20), window, magic, [0x28]]
        let before = residentBytes()
        for bomb in bombs {
            let submission = Self.submission(Self.content(bomb))
            client.client.submit(submission, content: .bytes(bomb))
            let job = try #require(client.job(of: submission.key))
            client.client.watch([job])
            guard case .failed(.badInput, let text)? = client.ending(of: job) else {
                Issue.record("\(bomb.count) bytes: \(client.events)")
                continue
            }
            #expect(text.contains("x.ink"), "\(text)")
        }
        #expect(residentBytes() - before < 512 << 20)
        #expect(try farm.picture() != nil)
    }

    // MARK: - Sessions

    @Test func sessionsBeyondTheLimitAreTurnedAway() throws {
        let farm = try Farm(workers: 0) { $0.limits.sessions = 3 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(client.until { (try? client.status()) != nil })
        let peers = try (0..<6).map { _ in try Peer(farm.service.clientsEndpoint) }
        var refused = 0
        for peer in peers {
            try peer.say([ClientMessage.hello(clientName: "one of many").encoded()])
            let answer = try ServiceMessage(frame: try #require(try peer.hear()))
            if case .refuse = answer { refused += 1 }
        }
        #expect(refused == 4)
        #expect(try client.status()["clients"]?.integer == 3)
    }

    /// A name of its own choice gives a connection nothing: not another's session, not two sessions.
    @Test func aConnectionThatTakesAnothersNameIsNotTakenForIt() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let hello = try ClientMessage.hello(clientName: "first").encoded()
        let first = NamedPeer(farm.service.clientsEndpoint, name: Array("name".utf8))
        first.say(hello)
        guard case .welcome = try ServiceMessage(frame: try #require(first.hear())) else {
            Issue.record("not welcome")
            return
        }
        let second = NamedPeer(farm.service.clientsEndpoint, name: Array("name".utf8))
        second.say(try ClientMessage.goodbye.encoded())
        usleep(300_000)
        // Its session still is.
        first.say(try ClientMessage.question(Question(number: 7, topic: .status)).encoded())
        while let frame = first.hear() {
            switch try ServiceMessage(frame: frame) {
            case .heartbeat: continue
            case .answerPart(let part): #expect(part.number == 7)
            case let other: Issue.record("\(other)")
            }
            break
        }
        for name in [[UInt8](repeating: 0xFF, count: 255), [1]] {
            let peer = NamedPeer(farm.service.clientsEndpoint, name: name)
            peer.say(hello)
            let frame = try #require(peer.hear())
            guard case .welcome = try ServiceMessage(frame: frame) else {
                Issue.record("not welcome")
                continue
            }
        }
    }

    // MARK: - What was said before

    /// All that a client said in its life, said again by others, in any order: no second job, and the picture stays.
    @Test func theWordsOfAnotherClientSaidAgainChangeNothing() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let relay = try Relay(to: farm.service.clientsEndpoint)
        defer { relay.stop() }
        let client = try Client(relay.endpoint)
        let key = try client.submit(RandomProject.make(seed: 6).project)
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        let path = farm.folder.path(of: "first.png")
        client.client.fetch(job, picture: picture, to: path)
        #expect(client.until { FileManager.default.fileExists(atPath: path) })
        client.client.stop()
        let frames = relay.frames
        #expect(frames.count >= 5)
        var random = SeededGenerator(seed: 3)
        let expected = try #require(try farm.picture())
        let found = try farm.picture {
            for _ in 0..<10 {
                let peer = try Peer(farm.service.clientsEndpoint)
                for frame in frames + frames.shuffled(using: &random) + frames.reversed() { try peer.say([frame]) }
                _ = try peer.hearAll(seconds: 0.05)
            }
        }
        #expect(found == expected)
        let second = try Client(farm.service.clientsEndpoint)
        defer { second.client.stop() }
        // The first one's job and the two pictures.
        #expect(try second.status()["jobs"]?["finished"]?.integer == 3)
        second.client.watch([job])
        #expect(second.ending(of: job) == .finished(picture))
    }

    /// Twice everything over the same connection: a client may repeat itself.
    @Test func aClientThatSaysEverythingThreeTimesIsServedOnce() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let expected = try #require(try farm.picture())
        let relay = try Relay(to: farm.service.clientsEndpoint)
        defer { relay.stop() }
        relay.repeatFrames(3)
        let client = try Client(relay.endpoint)
        defer { client.client.stop() }
        let key = try client.submit(RandomProject.make(seed: 5).project, size: .named("500x500"))
        let job = try #require(client.job(of: key))
        client.client.watch([job])
        guard case .finished(let picture)? = client.ending(of: job) else {
            Issue.record("\(client.events)")
            return
        }
        #expect(picture.digest == expected)
        #expect(try client.status()["jobs"]?["finished"]?.integer == 2)
    }

    @Test func theWordsOfAWorkerSaidAgainAreNotTaken() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        let relay = try Relay(to: farm.service.workersEndpoint)
        defer { relay.stop() }
        try farm.addWorker("overheard", endpoint: relay.endpoint)
        let expected = try #require(try farm.picture())
        let frames = relay.frames
        #expect(frames.count >= 5)
        try farm.addWorker("good")
        var random = SeededGenerator(seed: 4)
        let found = try farm.picture {
            for _ in 0..<5 {
                let peer = try Peer(farm.service.workersEndpoint)
                for frame in frames + frames.shuffled(using: &random) { try peer.say([frame]) }
                usleep(20_000)
            }
        }
        #expect(found == expected)
        // Now over its own connection: who repeats a part is dismissed, and the other one does the work.
        relay.repeatFrames(2)
        #expect(try farm.picture() == expected)
    }
}
