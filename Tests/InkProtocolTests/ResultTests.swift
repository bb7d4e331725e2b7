import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@Suite("Results in parts")
struct ResultTests {
    static let task = TaskID(7)

    static func image(_ random: inout SeededGenerator) -> [ResultItem] {
        let height = random.int(1...400)
        let chunks = (0..<((height + 63) / 64)).map { _ in
            random.bool()
                ? ResultItem.imageChunk(.constant(random.word()))
                : .imageChunk(.samples(Block(id: random.blockID(), frame: random.bytes(random.int(0...300)))))
        }
        let size = PixelSize(width: 5, height: height)
        let bounds = random.bool() ? PixelRect(x: 1, y: 0, width: 3, height: 1) : nil
        return chunks + [.imageEnd(DecodedImageInfo(size: size, format: .mask16, maskBounds: bounds))]
    }

    static func band(_ random: inout SeededGenerator) -> [ResultItem] {
        [
            .band(
                EncodedPiece(
                    rowCount: 3, rawByteCount: 33, adler32: random.word(),
                    bytes: random.bytes(random.int(0...99))))
        ]
    }

    static func localBand(_ random: inout SeededGenerator) -> [ResultItem] {
        let band = EncodedPiece(rowCount: 3, rawByteCount: 33, adler32: random.word(), bytes: [])
        return [.localBand(band, random.blockID())]
    }

    static func draft(_ random: inout SeededGenerator) -> [ResultItem] {
        func block() -> Block { Block(id: random.blockID(), frame: random.bytes(random.int(0...300))) }
        let items = (0..<random.int(0...4)).map { _ in random.bool() ? ResultItem.block(block()) : .draft(block()) }
        return items + [.readingEnd(random.readingEnd())]
    }

    static let end: [ResultItem] = [.readingEnd(ReadingEnd())]

    /// The items' records, cut at random.
    static func parts(_ items: [ResultItem], _ random: inout SeededGenerator) throws -> [ResultPart] {
        var stream: [UInt8] = []
        for item in items { stream += try item.encodedRecord() }
        var parts: [ResultPart] = []
        while !stream.isEmpty {
            let count = min(stream.count, random.int(1...100))
            parts.append(
                ResultPart(task: task, attempt: 2, sequence: UInt32(parts.count), bytes: Array(stream.prefix(count))))
            stream.removeFirst(count)
        }
        return parts
    }

    static func done(_ parts: [ResultPart]) -> TaskDone {
        TaskDone(
            task: task, attempt: 2, partCount: UInt32(parts.count),
            resultBytes: parts.reduce(0) { $0 + UInt64($1.bytes.count) }, phases: PhaseTimes())
    }

    static func assembler(_ kind: ResultKind, limit: UInt64 = 1 << 20) -> ResultAssembler {
        ResultAssembler(task: task, attempt: 2, kind: kind, limitBytes: limit)
    }

    @Test("A result comes back however it is cut", arguments: 0..<60)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for (kind, items) in [
            (ResultKind.decodedImages(1), Self.image(&random)), (.band, Self.band(&random)),
            (.decodedImages(3), Self.image(&random) + Self.image(&random) + Self.image(&random)),
            (.band, Self.localBand(&random)), (.pieces, Self.band(&random)),
            (.pieces, Self.band(&random) + Self.localBand(&random) + Self.band(&random)),
            (.draft, Self.draft(&random)), (.whole, Self.draft(&random)),
            (.whole, Array(Self.draft(&random).dropLast()) + Self.band(&random) + Self.localBand(&random) + Self.end),
        ] {
            let parts = try Self.parts(items, &random)
            var assembler = Self.assembler(kind)
            var received: [ResultItem] = []
            for part in parts { received += try assembler.append(part) }
            try assembler.finish(Self.done(parts))
            #expect(received == items, "seed \(seed)")
        }
    }

    @Test("Parts that are missing, doubled, of another task or too many are refused", arguments: 0..<20)
    func wrongParts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = try Self.parts(Self.image(&random), &random)
        func feed(_ parts: [ResultPart], limit: UInt64 = 1 << 20) throws(ProtocolError) {
            var assembler = Self.assembler(.decodedImages(1), limit: limit)
            for part in parts { _ = try assembler.append(part) }
            try assembler.finish(Self.done(parts))
        }
        #expect(throws: ProtocolError.self) { try feed(Array(parts.dropFirst())) }
        #expect(throws: ProtocolError.self) { try feed(Array(parts.dropLast())) }
        #expect(throws: ProtocolError.self) { try feed([parts[0]] + parts) }
        var other = parts
        other[0].attempt = 1
        #expect(throws: ProtocolError.self) { try feed(other) }
        let total = Self.done(parts).resultBytes
        #expect(throws: Never.self) { try feed(parts, limit: total) }
        #expect(throws: ProtocolError.overLimit(what: "result", found: total, limit: total - 1)) {
            try feed(parts, limit: total - 1)
        }
    }

    @Test("A result of another kind, with a chunk too many or too few, is refused")
    func wrongItems() throws {
        var random = SeededGenerator(seed: 4)
        let image = Self.image(&random)
        let wrong: [(ResultKind, [ResultItem])] = [
            (.band, image), (.pixels, Self.band(&random)), (.decodedImages(1), Self.band(&random)),
            (.decodedImages(1), [image[0]] + image), (.decodedImages(1), image + image), (.decodedImages(3), image),
            (.band, Self.band(&random) + Self.band(&random)), (.pieces, []), (.pieces, image),
            (.decodedImages(1), Array(image.dropFirst())), (.draft, image), (.band, Self.draft(&random)),
            (.draft, Array(Self.draft(&random).dropLast()) + Self.band(&random) + Self.end),
            (.whole, Self.band(&random)), (.whole, Self.band(&random) + Self.draft(&random)),
            (.whole, Self.draft(&random) + Self.band(&random)),
            (.draft, Self.draft(&random) + Self.draft(&random)), (.draft, Array(Self.draft(&random).dropLast())),
        ]
        for (kind, items) in wrong {
            let parts = try Self.parts(items, &random)
            #expect(throws: ProtocolError.self) {
                var assembler = Self.assembler(kind)
                for part in parts { _ = try assembler.append(part) }
                try assembler.finish(Self.done(parts))
            }
        }
    }

    @Test("A record that claims more than the limit is refused at once")
    func hugeRecord() {
        var assembler = Self.assembler(.band, limit: 1000)
        #expect(throws: ProtocolError.overLimit(what: "result item", found: 0xFFFF_FFFF, limit: 1000)) {
            try assembler.append(
                ResultPart(task: Self.task, attempt: 2, sequence: 0, bytes: [4, 0xFF, 0xFF, 0xFF, 0xFF]))
        }
    }

    @Test("An item that claims more than an item may have is refused before its bytes come")
    func hugeItem() {
        var assembler = ResultAssembler(
            task: Self.task, attempt: 2, kind: .decodedImages(1), limitBytes: 1 << 20, itemLimitBytes: 1000)
        #expect(throws: ProtocolError.overLimit(what: "result item", found: 1001, limit: 1000)) {
            try assembler.append(
                ResultPart(task: Self.task, attempt: 2, sequence: 0, bytes: [2, 0xE9, 3, 0, 0]))
        }
    }
}
