import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct BandDeflaterTests {
    /// Rows wider than what is searched at a time, whichever search an encoder would have chosen for them.
    @Test(arguments: [DeflateSearch.runs, .longRuns, .pixels], 0..<40)
    func everySearchGivesTheRowsBackAndTheSameBytesAtEveryLevel(search: DeflateSearch, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let width = Int.random(in: 1...(seed % 4 == 0 ? 1400 : 200), using: &random)
        let rowByteCount = Int.random(in: 0...2, using: &random) + width * format.bytesPerPixel
        // As if each row were a pixel wider, whose first bytes are the filter's number, or nothing.
        let pixels = patchwork(size: PixelSize(width: width + 1, height: 60), format: format, using: &random)
        let rows = (0..<60).map { Array(pixels[($0 * (width + 1) * format.bytesPerPixel)...].prefix(rowByteCount)) }
        let cuts = [0, Int.random(in: 1...59, using: &random), 60]
        let start = BandDeflater.Start(
            search: search, filteredRowByteCount: rowByteCount, bytesPerPixel: format.bytesPerPixel,
            coarseness: UInt32.random(in: 0...4, using: &random), estimate: nil)
        let expected = try deflate(rows, cuts: cuts, start, level: .scalar)
        let opened = try RawInflate.open(expected, limit: 60 * rowByteCount + 1)
        #expect(opened.content == rows.flatMap { $0 }, "seed \(seed), width \(width), \(format)")
        for level in KernelLevel.available {
            let bytes = try deflate(rows, cuts: cuts, start, level: level)
            #expect(bytes == expected, "seed \(seed), width \(width), \(format), \(level.name)")
        }
    }

    /// Rows that are found again across their borders, of widths that end just behind what is searched at a time: no match
    /// may leave its row. One that did gave a whole stream of other rows.
    @Test(arguments: 0..<300)
    func noMatchLeavesItsRow(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let pixel = Int.random(in: 3...4, using: &random)
        let width = 513 + Int.random(in: 0...9, using: &random)
        let colours = UInt8.random(in: 1...7, using: &random)
        var rows = [(0...(width * pixel)).map { _ in UInt8.random(in: 0...colours, using: &random) }]
        for _ in 1...Int.random(in: 1...12, using: &random) {
            var row = rows[rows.count - 1]
            row[1 + Int.random(in: 496..<513, using: &random) * pixel] ^= UInt8.random(in: 1...255, using: &random)
            if Bool.random(using: &random) { row[1 + Int.random(in: 0..<(9 * pixel), using: &random)] ^= 1 }
            rows.append(row)
        }
        let start = BandDeflater.Start(
            search: .pixels, filteredRowByteCount: width * pixel + 1, bytesPerPixel: pixel, coarseness: 0,
            estimate: nil)
        for level in KernelLevel.available {
            let bytes = try deflate(rows, cuts: [0, rows.count], start, level: level)
            let opened = try RawInflate.open(bytes, limit: (rows.count + 1) * rows[0].count)
            #expect(opened.content == rows.flatMap { $0 }, "seed \(seed), \(width) of \(pixel), \(level.name)")
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
