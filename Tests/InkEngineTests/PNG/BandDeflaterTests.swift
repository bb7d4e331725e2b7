import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct BandDeflaterTests {
    /// Rows wider than what is searched at a time, whichever search an encoder would have chosen for them.
    @Test(arguments: [DeflateSearch.runs, .pixels], 0..<40)
    func everySearchGivesTheRowsBackAndTheSameBytesAtEveryLevel(search: DeflateSearch, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let format: OutputFormat = Bool.random(using: &random) ? .rgb : .rgba
        let width = Int.random(in: 1...(seed % 4 == 0 ? 1400 : 200), using: &random)
        let rowByteCount = 1 + width * format.bytesPerPixel
        // As if each row were a pixel wider, whose first byte is the filter's number.
        let pixels = patchwork(size: PixelSize(width: width + 1, height: 60), format: format, using: &random)
        let rows = (0..<60).map { Array(pixels[($0 * (width + 1) * format.bytesPerPixel)...].prefix(rowByteCount)) }
        let cuts = [0, Int.random(in: 1...59, using: &random), 60]
        let start = BandDeflater.Start(
            search: search, filteredRowByteCount: rowByteCount, bytesPerPixel: format.bytesPerPixel,
            coarseness: UInt32.random(in: 0...2, using: &random), estimate: nil)
        let expected = try deflate(rows, cuts: cuts, start, level: .scalar)
        let opened = try RawInflate.open(expected, limit: 60 * rowByteCount + 1)
        #expect(opened.content == rows.flatMap { $0 }, "seed \(seed), width \(width), \(format)")
        for level in KernelLevel.available {
            let bytes = try deflate(rows, cuts: cuts, start, level: level)
            #expect(bytes == expected, "seed \(seed), width \(width), \(format), \(level.name)")
        }
    }

    private func deflate(
        _ rows: [[UInt8]], cuts: [Int], _ start: BandDeflater.Start, level: KernelLevel
    ) throws -> [UInt8] {
        let deflater = BandDeflater(level: level)
        deflater.begin(start)
        var bytes: [UInt8] = []
        for (first, end) in zip(cuts, cuts.dropFirst()) {
            let part = rows[first..<end].flatMap { $0 }
            let room = try deflater.room(rowCount: end - first)
            room.update(from: part, count: part.count)
            deflater.write(rowCount: end - first, end: end == rows.count ? .last : .more) { bytes += $0 }
        }
        return bytes
    }
}
