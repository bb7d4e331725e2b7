import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@Suite("Messages between clients and broker")
struct ClientMessageTests {
    @Test("A message comes back as it was sent, and equal messages are equal bytes", arguments: 0..<400)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fromClient = random.clientMessage()
        #expect(try ClientMessage(frame: fromClient.encoded()) == fromClient, "seed \(seed)")
        #expect(try fromClient.encoded() == fromClient.encoded())
        let fromBroker = random.serviceMessage()
        #expect(try ServiceMessage(frame: fromBroker.encoded()) == fromBroker, "seed \(seed)")
        let submission = random.submission()
        #expect(try Submission(stored: submission.stored) == submission, "seed \(seed)")
        let picture = random.finishedPicture()
        #expect(try PictureReport(stored: picture.stored) == picture, "seed \(seed)")
    }

    /// The checksum is repaired, so that the readers of the fields see the damage. What they still accept must be a
    /// message of its own: it encodes to exactly these bytes.
    @Test("Hostile bodies are refused or mean exactly what they say", arguments: 0..<800)
    func hostileBodies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fromClient = random.bool()
        var frame = fromClient ? try random.clientMessage().encoded() : try random.serviceMessage().encoded()
        for _ in 0..<random.int(1...4) where frame.count > 16 {
            let index = random.int(16...(frame.count - 1))
            switch random.int(0...3) {
            case 0: frame[index] = random.bytes(1)[0]
            case 1: frame[index] = 0xFF
            case 2: frame.removeSubrange(index...)
            default: frame.insert(contentsOf: random.bytes(random.int(1...9)), at: index)
            }
        }
        frame = resealed(frame)
        if fromClient, let message = try? ClientMessage(frame: frame) {
            // A reader may take empty names that no writer sends; the broker answers them with "invalid".
            if let again = try? message.encoded() { #expect(again == frame, "seed \(seed)") }
        }
        if !fromClient, let message = try? ServiceMessage(frame: frame) {
            #expect(try message.encoded() == frame, "seed \(seed)")
        }
    }

    @Test("No cut and no type of another way is understood")
    func direction() throws {
        let frame = try ClientMessage.watch([1, 2, 3]).encoded()
        for index in frame.indices {
            #expect(throws: ProtocolError.self, "cut at \(index)") { try ClientMessage(frame: Array(frame[..<index])) }
        }
        #expect(throws: ProtocolError.unknownType(36)) { try ServiceMessage(frame: frame) }
        #expect(throws: ProtocolError.unknownType(36)) { try WorkerMessage(frame: frame) }
        #expect(throws: ProtocolError.unknownType(1)) {
            try ClientMessage(
                frame: WorkerMessage.hello(
                    Hello(rendererVersion: "", workerName: "", threads: 1, taskCredits: 1, byteCredits: 0)
                ).encoded())
        }
    }

    private func submission(_ change: (inout Submission) -> Void) -> ClientMessage {
        var submission = Submission(
            key: SubmissionKey(bytes: [UInt8](repeating: 1, count: 16)), name: "a", source: .path("/a"),
            picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        change(&submission)
        return .submit(submission)
    }

    @Test("What would arrive as something else is not sent: cut paths, lists that are too long or empty")
    func refusedBySender() {
        let long = String(repeating: "p", count: 4097)
        let tooMany = [UInt64](repeating: 7, count: 1001)
        let refused: [ClientMessage] = [
            submission { $0.source = .path("/" + long) },
            submission { $0.delivery = .write(long) },
            submission { $0.name = "" },
            submission { $0.name = String(repeating: "n", count: 257) },
            submission { $0.picture.size = .named(String(repeating: "1", count: 257)) },
            submission { $0.picture.size = .exact(PixelSize(width: 0, height: 1)) },
            submission { $0.picture.options.layers = [65_536] },
            submission { $0.picture.options.layers = [-1] },
            submission { $0.picture.options.dotsPerInch = .nan },
            submission { $0.picture.options.digest = [1, 2, 3] },
            submission {
                $0.source = .content(BlockID(digest: [UInt8](repeating: 0, count: 32)), byteCount: 0, .plain)
            },
            .watch([]), .watch(tooMany), .noticesTaken([]),
            .order(Order(number: 1, action: .cancel([]))), .order(Order(number: 1, action: .retry(tooMany))),
            .order(Order(number: 1, action: .priority([], 1))),
            .order(Order(number: 1, action: .purge(tooMany, endedSecondsAgo: 0))),
        ]
        for message in refused { #expect(throws: ProtocolError.self, "\(message)") { try message.encoded() } }
    }

    @Test("A request for no bytes or more than a window is refused")
    func windows() throws {
        let id = BlockID(digest: [UInt8](repeating: 0, count: 32))
        let window = ProtocolLimits.transferWindowBytes
        for count in [0, window + 1, .max] {
            let frame = try ServiceMessage.contentRequest(id, offset: 0, byteCount: count).encoded()
            #expect(throws: ProtocolError.self) { try ServiceMessage(frame: frame) }
        }
        let frame = try ServiceMessage.contentRequest(id, offset: 7, byteCount: window).encoded()
        #expect(try ServiceMessage(frame: frame) == .contentRequest(id, offset: 7, byteCount: window))
    }

    @Test("Parts of the largest size fit a frame")
    func partSize() throws {
        let bytes = [UInt8](repeating: 7, count: ProtocolLimits.partBytes)
        let part = ServiceMessage.picturePart(
            PicturePart(job: 1, offset: 0, totalBytes: UInt64(bytes.count), bytes: bytes))
        let frame = try part.encoded()
        #expect(frame.count <= ProtocolLimits.frameBytes)
        #expect(try ServiceMessage(frame: frame) == part)
    }
}
