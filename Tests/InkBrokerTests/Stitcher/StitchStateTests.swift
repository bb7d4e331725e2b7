import InkEngine
import InkTestSupport
import Testing

@testable import InkBroker

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

    private func bands(_ random: inout SeededGenerator) -> (bands: [StitchBand], content: [UInt8]) {
        var content: [UInt8] = []
        let bands = (0..<grid.rows).map { row -> StitchBand in
            let rows = grid.pixelRows(ofRow: row).count
            let bytes = (0..<(rows * 16)).map { _ in UInt8.random(in: 0...255, using: &random) }
            content += bytes
            return StitchBand(
                row: row, bytes: [UInt8(row)], adler32: adler32(bytes), filteredByteCount: bytes.count, rowCount: rows)
        }
        return (bands, content)
    }

    @Test(arguments: 0..<30) func anyOrderGivesTheSamePicture(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (bands, content) = bands(&random)
        var state = StitchState(grid: grid, format: .rgb, window: grid.rows)
        var written: [Int] = []
        for band in bands.shuffled(using: &random) { written += try state.accept(band).map(\.row) }
        #expect(written == Array(0..<grid.rows), "seed \(seed)")
        #expect(state.isComplete && state.adler32 == adler32(content), "seed \(seed)")
    }

    @Test func refusesWhatCannotBePartOfThePicture() throws {
        var random = SeededGenerator(seed: 1)
        let (bands, _) = bands(&random)
        var state = StitchState(grid: grid, format: .rgb, window: 2)
        #expect(throws: StitchError.beyondWindow(row: 2, next: 0)) { try state.accept(bands[2]) }
        #expect(try state.accept(bands[1]).isEmpty)
        #expect(throws: StitchError.repeated(row: 1)) { try state.accept(bands[1]) }
        var bad = bands[0]
        bad.rowCount = 15
        #expect(throws: StitchError.wrongRowCount(row: 0, found: 15, expected: 16)) { try state.accept(bad) }
        bad = bands[0]
        bad.filteredByteCount -= 1
        #expect(throws: StitchError.wrongByteCount(row: 0, found: 255, expected: 256)) { try state.accept(bad) }
        bad = bands[0]
        bad.bytes = []
        #expect(throws: StitchError.empty(row: 0)) { try state.accept(bad) }
        bad.row = 6
        #expect(throws: StitchError.notInPicture(row: 6, rows: 6)) { try state.accept(bad) }
        #expect(try state.accept(bands[0]).map(\.row) == [0, 1])
        #expect(throws: StitchError.repeated(row: 0)) { try state.accept(bands[0]) }
    }
}
