import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

/// Adler-32 as RFC 1950 defines it, byte by byte.
func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
        a = (a + UInt32(byte)) % 65_521
        b = (b + a) % 65_521
    }
    return b << 16 | a
}

@Suite struct StitchStateTests {
    private let grid = TileGrid(output: PixelSize(width: 5, height: 90), tile: PixelSize(width: 16, height: 16))

    private func bands(_ random: inout SeededGenerator) -> [EncodedPiece] {
        (0..<grid.rows).map { row -> EncodedPiece in
            let rows = grid.pixelRows(ofRow: row).count
            let bytes = (0..<(rows * 16)).map { _ in UInt8.random(in: 0...255, using: &random) }
            return EncodedPiece(
                rowCount: rows, rawByteCount: bytes.count, adler32: adler32(bytes), bytes: [UInt8(row)])
        }
    }

    @Test(arguments: 0..<30) func anyOrderGivesTheSamePicture(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bands = bands(&random)
        var state = StitchState([(grid, try PictureSet([PictureEncoding()], pixels: .rgb))], window: grid.rows)
        var written: [Int] = []
        for row in bands.indices.shuffled(using: &random) {
            written += try state.accept(bands[row], row: row).map { Int($0.bytes[0]) }
        }
        #expect(written == Array(0..<grid.rows), "seed \(seed)")
        #expect(state.isComplete, "seed \(seed)")
    }

    @Test func refusesWhatCannotBePartOfThePicture() throws {
        var random = SeededGenerator(seed: 1)
        let bands = bands(&random)
        var state = StitchState([(grid, try PictureSet([PictureEncoding()], pixels: .rgb))], window: 2)
        #expect(throws: StitchError.beyondWindow(row: 2, next: 0)) { try state.accept(bands[2], row: 2) }
        #expect(try state.accept(bands[1], row: 1).isEmpty)
        #expect(throws: StitchError.repeated(row: 1)) { try state.accept(bands[1], row: 1) }
        var bad = bands[0]
        bad.rowCount = 15
        #expect(throws: StitchError.wrongRowCount(row: 0, found: 15, expected: 16)) { try state.accept(bad, row: 0) }
        bad = bands[0]
        bad.rawByteCount -= 1
        #expect(throws: StitchError.wrongByteCount(row: 0, found: 255, expected: 256)) { try state.accept(bad, row: 0) }
        bad = bands[0]
        bad.bytes = []
        #expect(throws: StitchError.incomplete(row: 0)) { try state.accept(bad, row: 0) }
        #expect(throws: StitchError.notInPicture(row: 6, rows: 6)) { try state.accept(bad, row: 6) }
        #expect(try state.accept(bands[0], row: 0).map(\.bytes) == [[0], [1]])
        #expect(throws: StitchError.repeated(row: 0)) { try state.accept(bands[0], row: 0) }
    }
}
