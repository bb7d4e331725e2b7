import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct RawInflateTests {
    private static func band(effort: EncodingEffort, isLast: Bool, rows: Int) throws -> (EncodedPiece, Int) {
        var random = SeededGenerator(seed: UInt64(rows))
        let pixels = (0..<(70 * rows * 3)).map { _ in UInt8.random(in: 0...3, using: &random) }
        let encoding = PieceEncoding(PictureEncoding(effort: effort), isLast: isLast)
        return (
            try BandEncoder().encode(pixels: pixels, width: 70, format: .rgb, encoding: encoding), rows * (1 + 70 * 3)
        )
    }

    @Test(arguments: EncodingEffort.allCases, [false, true])
    func ourOwnBandsAreWholeAndEndAsTheyShould(effort: EncodingEffort, isLast: Bool) throws {
        for rows in [1, 2, 40, 2_000] {
            let (band, count) = try Self.band(effort: effort, isLast: isLast, rows: rows)
            for limit in [count, count + 1, count + 1000] {
                let piece = try RawInflate.open(band.bytes, limit: limit)
                #expect(piece.content.count == count && Adler32.checksum(piece.content) == band.adler32)
                #expect(piece.isWhole && piece.endsStream == isLast, "\(rows) rows")
            }
            #expect(try RawInflate.open(band.bytes, limit: count - 1).content.count == count - 1)
        }
    }

    @Test(arguments: EncodingEffort.allCases) func whatIsWrongIsSeen(effort: EncodingEffort) throws {
        let (band, count) = try Self.band(effort: effort, isLast: false, rows: 40)
        let (last, _) = try Self.band(effort: effort, isLast: true, rows: 40)
        #expect(try RawInflate.open(band.bytes + [1, 0, 0, 0xFF, 0xFF], limit: count).endsStream)
        #expect(try !RawInflate.open(band.bytes + [0], limit: count + 1).isWhole)
        #expect(try RawInflate.open(Array(band.bytes.dropLast(12)), limit: count + 1).content.count < count)
        #expect(try !RawInflate.open(last.bytes + [0], limit: count + 1).isWhole)
        #expect(try RawInflate.open(band.bytes + band.bytes, limit: count + 1).content.count == count + 1)
        #expect(throws: EngineError.self) { try RawInflate.open([0xFF, 0xFF, 0xFF], limit: 9) }
        #expect(throws: EngineError.self) { try RawInflate.open(band.bytes + [7], limit: count + 1) }
        let nothing = try RawInflate.open([], limit: 9)
        #expect(nothing.content.isEmpty && !nothing.endsStream)
    }
}
