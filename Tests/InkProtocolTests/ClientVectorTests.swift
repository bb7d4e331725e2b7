import InkCodecs
import InkEngine
import InkProtocol
import Testing

/// The examples of docs/protocol.md between clients and broker: what the document says in hex is what the program sends
/// and understands.
@Suite("Test vectors of docs/protocol.md for clients")
struct ClientVectorTests {
    private static let content = ContentID(digest: (0..<32).map { UInt8($0) })
    private static let key = SubmissionKey(bytes: (0..<16).map { UInt8($0 + 0xA0) })

    private static let submission = ContentID(digest: (0..<32).map { UInt8($0 + 0x60) })

    private static let picture: PictureReport = {
        var picture = PictureReport(
            size: PixelSize(width: 2048, height: 1536),
            files: [WrittenFile(byteCount: 1_234_567, digest: (0..<32).map { UInt8($0 + 0xC0) })], tileCount: 24,
            attemptCount: 27, elapsed: 250_000_000)
        picture.phases = PhaseTimes(decode: 3, raster: 4, composite: 5, encode: 6)
        (picture.phases.queue, picture.phases.prepare, picture.phases.stitch) = (1, 2, 7)
        picture.brokerCPU = 300
        return picture
    }()

    private static let limitedPicture: PictureReport = {
        var limited = picture
        (limited.files[0].byteCount, limited.quality) = (204_799, 83)
        return limited
    }()

    static let byContent = Submission(
        key: key, name: "owl.ink", source: .content(content, byteCount: 300_000, .plain),
        picture: PictureSpec(size: .named("2k")), delivery: .fetch)

    static let byPath: Submission = {
        var picture = PictureSpec(size: .exact(PixelSize(width: 1920, height: 1080)))
        picture.options.background = RGBA8(red: 1, green: 2, blue: 3, alpha: 255)
        picture.options.includesBaseImage = false
        picture.options.layers = [0, 2, 300]
        picture.options.fillsSuggested = true
        picture.options.colorMode = .rgba
        picture.options.encoding.effort = .small
        picture.options.tile = PixelSize(width: 512, height: 256)
        picture.options.dotsPerInch = 300
        picture.options.hasMetadata = false
        picture.options.digest = (0..<32).map { UInt8($0 + 0x40) }
        return Submission(
            key: key, name: "owl.ink", source: .path("/srv/ink/owl.ink"), picture: picture,
            delivery: .write("owls/owl.png"), priority: -5, weight: 100)
    }()

    static let bounded: Submission = {
        var submission = byContent
        submission.picture.options.encoding = PictureEncoding(format: .jpeg)
        submission.picture.options.encoding.bytesMax = 204_800
        return submission
    }()

    static let fromClient: [String: ClientMessage] = [
        "hello": .hello(clientName: "c"),
        "client heartbeat": .heartbeat,
        "submit by content": .submit(byContent),
        "submit by path, every field": .submit(byPath),
        "submit of a file with a bound": .submit(bounded),
        "contentPart": .contentPart(ContentPart(id: content, offset: 262_144, bytes: [1, 2, 3])),
        "contentUnavailable": .contentUnavailable(content, reason: "gone"),
        "watch": .watch([7, 8]),
        "noticesTaken": .noticesTaken([12]),
        "pictureRequest": .pictureRequest(7, offset: 4_190_208),
        "order cancel": .order(Order(number: 1, action: .cancel([7, 8]))),
        "order retry": .order(Order(number: 2, action: .retry([7]))),
        "order priority": .order(Order(number: 3, action: .priority([7], 5))),
        "order purge": .order(Order(number: 4, action: .purge([], endedSecondsAgo: 86_400))),
        "order drain": .order(Order(number: 5, action: .drain(worker: "w"))),
        "question status": .question(Question(number: 6, topic: .status)),
        "question jobs": .question(Question(number: 7, topic: .jobs(after: 41, limit: 1000))),
        "question job": .question(Question(number: 8, topic: .job(7))),
        "question story": .question(Question(number: 9, topic: .story(7))),
        "goodbye": .goodbye,
        "client acknowledge": .acknowledge(300_000),
    ]

    static let fromBroker: [String: ServiceMessage] = [
        "welcome": .welcome(
            ClientWelcome(
                brokerName: "b", storeID: SubmissionKey(bytes: (0..<16).map { UInt8($0 + 0xB0) }),
                heartbeatMilliseconds: 1000, livenessMilliseconds: 3000)),
        "refuse": .refuse(reason: "old"),
        "broker heartbeat": .heartbeat,
        "unknownSession": .unknownSession,
        "accepted": .accepted(key, 7),
        "rejected busy": .rejected(key, Rejection(code: .busy, retryMilliseconds: 1000, text: "100000 jobs wait")),
        "rejected forbidden": .rejected(key, Rejection(code: .forbidden, text: "no root")),
        "contentRequest": .contentRequest(content, offset: 0, byteCount: 300_000),
        "progress": .progress(7, done: 3, total: 200),
        "progress with the time left": .progress(
            7, done: 3, total: 200, timeLeft: TimeLeft(seconds: 12.5, low: 8, high: 20.25)),
        "notice finished": .notice(
            Notice(
                id: 12, job: 7, submission: submission,
                ending: .finished(picture))),
        "notice finished with a quality": .notice(
            Notice(
                id: 15, job: 7, submission: submission,
                ending: .finished(limitedPicture))),
        "notice failed": .notice(
            Notice(id: 13, job: 8, submission: submission, ending: .failed(.badInput, text: "not a project"))),
        "notice cancelled": .notice(Notice(id: 14, job: 9, ending: .cancelled)),
        "notice unknown": .notice(Notice(id: 0, job: 10, ending: .unknown)),
        "picturePart": .picturePart(PicturePart(job: 7, offset: 4_190_208, totalBytes: 4_190_211, bytes: [1, 2, 3])),
        "picturePart of an unfinished picture": .picturePart(
            PicturePart(job: 7, offset: 4_190_208, totalBytes: nil, bytes: [1, 2, 3])),
        "pictureMissing": .pictureMissing(7, reason: "purged"),
        "orderDone": .orderDone(OrderResult(number: 1, code: .partly, count: 1, text: "not under way: job 8")),
        "answerPart": .answerPart(AnswerPart(number: 6, offset: 0, totalBytes: 4, bytes: Array("null".utf8))),
        "broker acknowledge": .acknowledge(300_000),
    ]

    @Test("Each example is what the program sends, and is understood")
    func examples() throws {
        let vectors = try WireVectorTests.vectors(fence: "client-vectors")
        var missing: [String] = []
        func compare(_ name: String, _ frame: [UInt8]) {
            if vectors[name] != frame { missing.append("\(name):\n\(WireVectorTests.hex(frame))") }
        }
        for (name, message) in Self.fromClient {
            compare(name, try message.encoded())
            #expect((try? ClientMessage(frame: vectors[name] ?? [])) == message, "\(name)")
        }
        for (name, message) in Self.fromBroker {
            compare(name, try message.encoded())
            #expect((try? ServiceMessage(frame: vectors[name] ?? [])) == message, "\(name)")
        }
        #expect(missing.isEmpty, "the document should say\n\(missing.sorted().joined(separator: "\n"))")
        #expect(vectors.count == Self.fromClient.count + Self.fromBroker.count)
    }
}
