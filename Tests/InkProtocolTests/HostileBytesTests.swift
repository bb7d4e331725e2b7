import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkProtocol

/// Every decoder, given noise and encodings that were tampered with: it throws an error of its own kind with a text of
/// one line, or returns a value that means exactly these bytes. Nothing else comes of it.
@Suite("Bytes of strangers")
struct HostileBytesTests {
    /// A decoder, how to make bytes that it takes, and what it makes of bytes: nil for a value whose encoding may differ.
    struct Decoder: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let valid: @Sendable (inout SeededGenerator) throws -> [UInt8]
        let decode: @Sendable ([UInt8]) throws -> [UInt8]?
        /// Whether an encoding stands behind a checksum, without which no change would get past it.
        var isFrame = false
    }

    static let decoders: [Decoder] = [
        Decoder(
            testDescription: "messages of workers", valid: { try $0.workerMessage().encoded() },
            decode: { try WorkerMessage(frame: $0).encoded() }, isFrame: true),
        Decoder(
            testDescription: "messages to workers", valid: { try $0.brokerMessage().encoded() },
            decode: { try BrokerMessage(frame: $0).encoded() }, isFrame: true),
        Decoder(
            testDescription: "messages of clients", valid: { try $0.clientMessage().encoded() },
            decode: { try ClientMessage(frame: $0).encoded() }, isFrame: true),
        Decoder(
            testDescription: "messages to clients", valid: { try $0.serviceMessage().encoded() },
            decode: { try ServiceMessage(frame: $0).encoded() }, isFrame: true),
        Decoder(
            testDescription: "tasks", valid: { $0.workerTask().encoded() },
            decode: { try WorkerTask(decoding: $0).encoded() }),
        Decoder(
            testDescription: "submissions", valid: { $0.submission().stored },
            decode: { try Submission(stored: $0).stored }),
        Decoder(
            testDescription: "finished pictures", valid: { $0.finishedPicture().stored },
            decode: { try PictureReport(stored: $0).stored }),
        Decoder(
            testDescription: "marks",
            valid: { random in
                MarkBlock(random.bool() ? .strokes(random.strokes()) : .shapes(random.shapes(random.int(0...5))))
                    .encoded()
            },
            decode: { bytes in
                // What nobody uses, and columns of what is so anyway, are read and not written.
                let block = try MarkBlock(decoding: bytes)
                #expect(try MarkBlock(decoding: block.encoded()).encoded() == block.encoded())
                return nil
            }),
        Decoder(
            testDescription: "drawn pictures",
            valid: { random in
                var picture = DrawnPictureBlock(random.drawnPicture())
                while picture.strokes.count != 3 || picture.shapes.count > 9 {
                    picture = DrawnPictureBlock(random.drawnPicture())
                }
                return picture.encoded()
            },
            decode: { bytes in
                // What is not drawn is read and not written.
                let strokes = Array(repeating: Stroke(brush: Brush(type: .dots), points: []), count: 3)
                for count in 0...9 {
                    let shapes = Array(repeating: Shape(path: ShapePath()), count: count)
                    if let read = try? DrawnPictureBlock(decoding: bytes, strokes: strokes, shapes: shapes) {
                        _ = read.encoded()
                        return nil
                    }
                }
                _ = try DrawnPictureBlock(decoding: bytes, strokes: strokes)
                return nil
            }),
        Decoder(
            testDescription: "replay files",
            valid: { random in
                let block = try Block(content: random.bytes(20))
                let task = WorkerTask.decode(
                    DecodeTask(image: block.id, use: .color, place: random.place(), limits: Limits()))
                return ReplayFile(title: random.text(), task: task, blocks: [block]).encoded()
            }, decode: { try ReplayFile(decoding: $0).encoded() }),
        Decoder(
            testDescription: "results of tasks",
            valid: { random in
                let kinds = [ResultTests.image, ResultTests.band, ResultTests.draft]
                let items = kinds[random.int(0...2)](&random)
                return try items.flatMap { try $0.encodedRecord() }
            },
            decode: { bytes in
                for kind in [ResultKind.decodedImages(2), .band, .pixels, .pieces, .draft, .whole] {
                    try? assemble(bytes, kind)
                }
                return nil
            }),
        Decoder(
            testDescription: "ends of readings",
            valid: { random in
                Array(try ResultItem.readingEnd(random.readingEnd()).encodedRecord().dropFirst(5))
            },
            decode: { bytes in
                Array(try ResultItem(tag: 9, content: ByteReader(bytes)).encodedRecord().dropFirst(5))
            }),
        Decoder(
            testDescription: "zstd frames", valid: { try Zstandard.compress($0.bytes($0.int(0...300))) },
            decode: { bytes in
                let declared = Zstandard.declaredSize(of: bytes)
                let content = try Zstandard.decompress(bytes, limit: 1 << 16)
                #expect(content.count <= 1 << 16 && (declared == nil || declared == content.count))
                return nil
            }),
        Decoder(
            testDescription: "endpoints",
            valid: { Array(["tcp://[::1]:5570", "ipc:///run/ink", "tcp://*:0"][$0.int(0...2)].utf8) },
            decode: { bytes in
                let endpoint = try Endpoint(String(decoding: bytes, as: UTF8.self))
                _ = endpoint.isLocal
                return nil
            }),
    ]

    private static func assemble(_ bytes: [UInt8], _ kind: ResultKind) throws(ProtocolError) {
        var assembler = ResultTests.assembler(kind, limit: 1 << 12)
        var sequence: UInt32 = 0
        for start in stride(from: 0, to: bytes.count, by: 7) {
            let part = Array(bytes[start..<min(bytes.count, start + 7)])
            let items = try assembler.append(
                ResultPart(task: ResultTests.task, attempt: 2, sequence: sequence, bytes: part))
            #expect(items.count <= 7)
            sequence += 1
        }
        try assembler.finish(
            TaskDone(
                task: ResultTests.task, attempt: 2, partCount: sequence, resultBytes: UInt64(bytes.count),
                phases: PhaseTimes()))
    }

    private static func check(_ bytes: [UInt8], _ decoder: Decoder, seed: UInt64) {
        do {
            if let again = try decoder.decode(bytes) { #expect(again == bytes, "seed \(seed)") }
        } catch {
            #expect(error is ProtocolError, "seed \(seed): \(error)")
            #expect(!"\(error)".contains("\n") && "\(error)".utf8.count < 5_000, "seed \(seed)")
        }
    }

    @Test(arguments: decoders) func noise(decoder: Decoder) {
        for seed in UInt64(0)..<600 {
            var random = SeededGenerator(seed: seed)
            var bytes = random.bytes(random.int(0...200))
            Self.check(bytes, decoder, seed: seed)
            // Small numbers are what most fields want.
            bytes = bytes.map { $0 % 4 }
            Self.check(bytes, decoder, seed: seed)
            guard decoder.isFrame else { continue }
            let type = UInt8(random.int(0...63))
            let frame =
                Array("INKF".utf8) + [UInt8(ProtocolLimits.version), 0, type, 0] + [UInt8](repeating: 0, count: 8)
                + bytes
            Self.check(resealed(frame), decoder, seed: seed)
        }
    }

    @Test(arguments: decoders) func encodingsThatWereTamperedWith(decoder: Decoder) throws {
        for seed in UInt64(0)..<400 {
            var random = SeededGenerator(seed: seed)
            let whole = try decoder.valid(&random)
            Self.check(whole, decoder, seed: seed)
            let other = try decoder.valid(&random)
            for _ in 0..<4 {
                var bytes = whole
                for _ in 0..<random.int(1...4) { bytes = Self.changed(bytes, other, decoder, &random) }
                Self.check(decoder.isFrame && bytes.count >= 16 ? resealed(bytes) : bytes, decoder, seed: seed)
            }
        }
    }

    private static func changed(
        _ bytes: [UInt8], _ other: [UInt8], _ decoder: Decoder, _ random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        let first = decoder.isFrame ? min(16, bytes.count) : 0
        let index = random.int(first...bytes.count)
        switch random.int(0...7) {
        case 0 where index < bytes.count: bytes[index] = random.bytes(1)[0]
        case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8(random.int(0...7))
        case 2 where index < bytes.count: bytes[index] = random.bool() ? 0xFF : 0
        case 3: bytes.removeSubrange(index...)
        case 4: bytes.insert(contentsOf: random.bytes(random.int(1...9)), at: index)
        // Numbers at their ends: of four and eight bytes, and of a varint.
        case 5: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: random.bool() ? 4 : 8), at: index)
        case 6: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: random.int(1...9)) + [1], at: index)
        // The end of another one.
        default: bytes = Array(bytes[..<index] + other[min(index, other.count)...])
        }
        return bytes
    }

    @Test("No beginning of an encoding is one", arguments: decoders)
    func cuts(decoder: Decoder) throws {
        for seed in UInt64(0)..<30 {
            var random = SeededGenerator(seed: seed)
            let whole = try decoder.valid(&random)
            for count in stride(from: 0, to: whole.count, by: max(1, whole.count / 50)) {
                Self.check(Array(whole[..<count]), decoder, seed: seed)
            }
        }
    }

    // MARK: - The reader under all of them

    @Test func unknownFlagsAreRefused() throws {
        var reader = ByteReader([5, 0, 7])
        let known = MetadataKinds(rawValue: 5)
        #expect(try reader.flags("a", of: known) == known)
        #expect(try reader.flags("b", of: known) == [])
        #expect(throws: ProtocolError.badValue(what: "c", offset: 2, found: "7", expected: "bits of 5")) {
            try reader.flags("c", of: known)
        }
    }

    /// Whatever is asked of it, a reader stays within its bytes.
    @Test func aReaderNeverLeavesItsBytes() {
        for seed in UInt64(0)..<400 {
            var random = SeededGenerator(seed: seed)
            var reader = ByteReader(random.bytes(random.int(0...40)))
            for _ in 0..<30 {
                let before = reader.offset
                do throws(ProtocolError) {
                    switch random.int(0...10) {
                    case 0: _ = try reader.uint8("x")
                    case 1: _ = try reader.uint16("x")
                    case 2: _ = try reader.uint32("x")
                    case 3: _ = try reader.uint64("x")
                    case 4: _ = try reader.varint("x")
                    case 5: _ = try reader.bool("x")
                    case 6: _ = try reader.double("x", in: 0...1)
                    case 7: _ = try reader.bytes([0, 3, -1, .max, .min].randomElement(using: &random) ?? 0, "x")
                    case 8: _ = try reader.text("x", limit: [0, 5, .max].randomElement(using: &random) ?? 0)
                    case 9: _ = try reader.count("x", elementBytes: random.int(1...9))
                    default: try reader.require([1, -1, .max, .min].randomElement(using: &random) ?? 0, "x")
                    }
                } catch {
                    #expect(!"\(error)".isEmpty)
                }
                #expect(reader.offset >= before && reader.remaining >= 0, "seed \(seed)")
            }
            let left = reader.remaining
            #expect(reader.rest().count == left && reader.remaining == 0)
        }
    }

    /// What bytes claim is compared with what is there before memory is taken for it.
    @Test func countsThatBytesCannotHoldTakeNoMemory() {
        let huge = [UInt8](repeating: 0xFF, count: 9) + [1]
        for bytes in [huge, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x80, 0x80, 0x80, 0x80, 0x40]] {
            var reader = ByteReader(bytes + [1, 2, 3])
            #expect(throws: ProtocolError.self) { try reader.count("elements", elementBytes: 1) }
            var text = ByteReader(bytes + [1, 2, 3])
            #expect(throws: ProtocolError.self) { try text.text("text", limit: .max) }
            for head: [UInt8] in [[0], [0, 0], [1], [1, 0], [1, 0, 0], [1, 1, 0]] {
                #expect(throws: ProtocolError.self) { try MarkBlock(decoding: head + bytes) }
            }
        }
    }
}
