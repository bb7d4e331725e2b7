import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

@Suite("Files of limited size")
struct TrialStateTests {
    private static let place = Place(file: "a.ink")
    private static let formats = PictureCodecs.all.filter {
        $0.settings.contains(.maxBytes) && $0.missingPackage == nil
    }.map(\.format)

    /// A plan of a picture, and its pixels: a grey that gets lighter, under noise.
    private static func plan(_ encoding: PictureEncoding) throws -> (PicturePlan, [UInt8]) {
        let size = PixelSize(width: 48, height: 600)
        var options = PictureOptions(encoding: encoding, tile: PixelSize(width: 48, height: 16))
        options.digest = [UInt8](repeating: 7, count: 32)
        var blocks: [EncodedBlock] = []
        let project = Project(canvasSize: size, background: RGBA8(red: 9, green: 9, blue: 9, alpha: 255))
        let draft = try PictureDraft(
            project, order: PictureOrder(output: size, options: options), name: "a.ink", limits: Limits(),
            encoder: FakeBlocks.encoder, blocks: &blocks)
        var random = SeededGenerator(seed: 1)
        let pixels = (0..<size.area * 3).map { UInt8($0 % 144 + Int.random(in: 0...63, using: &random)) }
        return (try PicturePlan(draft, decoded: []), pixels)
    }

    private static func trials(_ plan: PicturePlan) -> TrialState? {
        TrialState(plan) { head throws(EngineError) in try PictureCodecs.assembler(for: head) }
    }

    /// What is made of a quality, and how it is cut into the rows of a plan.
    private static func pieces(_ plan: PicturePlan, _ pixels: [UInt8], _ encoding: PictureEncoding) throws
        -> [EncodedPiece]
    {
        var head = plan.heads[0]
        head.encoding = encoding
        let multiple = plan.whole.set.members[0].codec.rowMultiple(encoding)
        var rows = (0..<plan.rowCount).map { plan.whole.grid.pixelRows(ofRow: $0).count }[...]
        return try picturePieces(pixels, head) { ((rows.popFirst() ?? 0) + multiple - 1) / multiple }
    }

    private static func file(_ plan: PicturePlan, _ pixels: [UInt8], _ encoding: PictureEncoding) throws -> [UInt8] {
        var head = plan.heads[0]
        head.encoding = encoding
        return written(try pieces(plan, pixels, encoding), try PictureCodecs.assembler(for: head))
    }

    private static func written(_ pieces: [EncodedPiece], _ assembler: any PictureAssembler) -> [UInt8] {
        var assembler = assembler
        var writes = assembler.begin()
        for piece in pieces { writes += assembler.add(piece) }
        return carriedOut(writes + assembler.end())[0] ?? []
    }

    @Test("The file is the one of the quality that was found, and the pieces come in any order", arguments: formats)
    func best(format: PictureFormat) throws {
        var encoding = PictureEncoding(format: format, effort: .fast)
        let (plain, pixels) = try Self.plan(encoding)
        let bytesMax = try Self.file(plain, pixels, encoding.with(quality: 62)).count + 3
        encoding.bytesMax = bytesMax
        let plan = try Self.plan(encoding).0
        var trials = try #require(Self.trials(plan))
        var random = SeededGenerator(seed: UInt64(format.rawValue))
        try trials.advance(place: Self.place)
        while let tried = trials.encoding {
            #expect(tried.bytesMax == nil)
            let pieces = try Self.pieces(plan, pixels, tried)
            #expect(trials.isWhole == (pieces.count == 1 && plan.rowCount > 1))
            for (row, piece) in pieces.enumerated().shuffled(using: &random) {
                #expect(trials.fault(in: piece, row: row, of: trials.number) == nil)
                // One of an earlier trial is late.
                #expect(trials.fault(in: EncodedPiece(late: piece), row: row, of: trials.number - 1) == nil)
                try trials.take(EncodedPiece(late: piece), row: row, of: trials.number - 1)
                #expect(trials.fault(in: EncodedPiece(late: piece), row: row, of: trials.number) != nil)
                try trials.take(piece, row: row, of: trials.number)
            }
            try trials.advance(place: Self.place)
        }
        let quality = try #require(trials.quality)
        let (found, assembler) = try trials.takeBest()
        let file = Self.written(found, assembler)
        #expect(file == (try Self.file(plan, pixels, encoding.with(quality: quality))))
        #expect(file.count == assembler.byteCount(of: found) && file.count <= bytesMax)
        #expect(quality >= 55 && trials.count <= 16, "\(quality), \(trials.count) trials")
    }

    @Test("A file that is too large with quality 1 is the input's fault")
    func impossible() throws {
        var encoding = PictureEncoding(format: .jpeg, quality: 80)
        encoding.bytesMax = 100
        let (plan, pixels) = try Self.plan(encoding)
        var trials = try #require(Self.trials(plan))
        let least = try Self.file(plan, pixels, encoding.with(quality: 1)).count
        let reason = "\(least) bytes even with quality 1, more than the 100 of --max-bytes"
        #expect(throws: EngineError.badInput(Self.place, reason: reason)) {
            while true {
                try trials.advance(place: Self.place)
                let tried = try #require(trials.encoding)
                for (row, piece) in try Self.pieces(plan, pixels, tried).enumerated() {
                    try trials.take(piece, row: row, of: trials.number)
                }
            }
        }
        #expect(trials.count == 2)
    }

    @Test("The search finds what is best of any sizes that grow, in few steps", arguments: 0..<200 as Range<UInt64>)
    func search(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sizes = [Int.random(in: 1...10_000, using: &random)]
        for _ in 1..<100 {
            // Now and then a step, or none at all.
            let step =
                Double.random(in: 0...0.06, using: &random) * (Int.random(in: 0..<9, using: &random) == 0 ? 9 : 1)
            sizes.append(Int(Double(sizes.last ?? 0) * (1 + step)) + Int.random(in: 0...1, using: &random))
        }
        let highest = Bool.random(using: &random) ? nil : Int.random(in: 1...100, using: &random)
        let bytesMax = Int.random(in: (sizes[0] - 1)...(sizes[99] + 1), using: &random)
        var search = QualitySearch(bytesMax: bytesMax, highest: highest)
        var steps = 0
        while let quality = search.next, steps < 100 {
            #expect((1...(highest ?? 100)).contains(quality))
            search.note(quality, byteCount: sizes[quality - 1])
            steps += 1
        }
        let expected = (1...(highest ?? 100)).last { sizes[$0 - 1] <= bytesMax }
        #expect(search.best?.quality == expected, "seed \(seed)")
        #expect(steps <= 16, "seed \(seed)")
        if expected == nil { #expect(search.leastByteCount == sizes[0]) }
    }
}

extension EncodedPiece {
    /// One that does not fit.
    fileprivate init(late piece: EncodedPiece) {
        self = piece
        rowCount += 1
    }
}
