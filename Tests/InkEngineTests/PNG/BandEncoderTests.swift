import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct BandEncoderTests {
    @Test(arguments: EncodingEffort.allCases, 0..<40)
    func bandsOfAnyHeightGiveThePicture(effort: EncodingEffort, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // One encoder for pictures of several widths and formats, as a worker has it.
        let encoder = BandEncoder()
        for _ in 0..<3 {
            let size = PixelSize(
                width: [1, 2, 3, 15, 16, 17, 70, 129].randomElement(using: &random) ?? 1,
                height: Int.random(in: 1...60, using: &random))
            let format: OutputFormat = Bool.random(using: &random) ? .rgb : .rgba
            let pixels = randomPixels(size: size, format: format, using: &random)
            var cuts: Set<Int> = []
            for _ in 0..<Int.random(in: 0...6, using: &random) where size.height > 1 {
                cuts.insert(Int.random(in: 1..<size.height, using: &random))
            }
            let png = try encodedPNG(
                pixels: pixels, size: size, format: format, effort: effort, cuts: cuts.sorted(), encoder: encoder)
            // libpng inflates the concatenated stream, checks its Adler-32 and undoes the filters.
            let decoded = try PNGDecoder.decodeRGBA(png, place: pngPlace)
            let isSame = decoded.size == size && decoded.rgba == asRGBA(pixels, format: format)
            #expect(isSame, "seed \(seed), \(size), \(format), \(effort), cuts \(cuts.sorted())")
        }
    }

    @Test(arguments: EncodingEffort.allCases)
    func outputLargerThanTheBuffersIsWhole(effort: EncodingEffort) throws {
        var random = SeededGenerator(seed: 1)
        let size = PixelSize(width: 500, height: 300)
        let pixels = (0..<(size.area * 4)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let png = try encodedPNG(pixels: pixels, size: size, format: .rgba, effort: effort, cuts: [250])
        #expect(try PNGDecoder.decodeRGBA(png, place: pngPlace).rgba == pixels)
    }

    @Test func checksumAndCountsAreOfTheFilteredBytes() throws {
        // White rows are best left unfiltered, so the filtered bytes are known.
        let pixels = [UInt8](repeating: 255, count: 10 * 3 * 4)
        let band = try BandEncoder().encode(
            pixels: pixels, width: 10, format: .rgb, encoding: BandEncoding(effort: .fast, isLast: true))
        #expect(band.rowCount == 4)
        #expect(band.filteredByteCount == 4 * 31)
        let filtered = (0..<4).flatMap { _ in [0] + [UInt8](repeating: 255, count: 30) }
        #expect(band.adler32 == referenceAdler32(filtered))
    }

    @Test(arguments: [0, 1, 29, 31, 61])
    func pixelsThatAreNotWholeRowsAreRefused(byteCount: Int) {
        #expect(throws: EngineError.self) {
            try BandEncoder().encode(
                pixels: [UInt8](repeating: 0, count: byteCount), width: 10, format: .rgb,
                encoding: BandEncoding(effort: .balanced, isLast: true))
        }
    }

    @Test(arguments: [0, -1, Int.max, 1 << 40])
    func impossibleWidthsAreRefused(width: Int) {
        #expect(throws: EngineError.self) {
            try BandEncoder().encode(
                pixels: [1, 2, 3, 4], width: width, format: .rgba, encoding: BandEncoding(effort: .small, isLast: false)
            )
        }
    }

    @Test(arguments: RowFilter.allCases, [1, 3, 4])
    func filtersFollowTheirDefinition(filter: RowFilter, pixel: Int) {
        for seed: UInt64 in 0..<20 {
            var random = SeededGenerator(seed: seed)
            let count = pixel * Int.random(in: 1...80, using: &random)
            let row = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let prior = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            var out = [UInt8](repeating: 99, count: count)
            out.withUnsafeMutableBufferPointer { out in
                RowFilters.apply(
                    filter, row: row, prior: prior, count: count, pixel: pixel, out: out.baseAddress!)
            }
            let expected = row.indices.map { i in
                let left = i >= pixel ? Int(row[i - pixel]) : 0
                let corner = i >= pixel ? Int(prior[i - pixel]) : 0
                return row[i] &- referencePrediction(filter, left: left, above: Int(prior[i]), corner: corner)
            }
            #expect(out == expected, "seed \(seed)")
            let sum = out.reduce(0) { $0 + ($1 < 128 ? UInt64($1) : 256 - UInt64($1)) }
            #expect(RowFilters.sumOfMagnitudes(out, count: count) == sum, "seed \(seed)")
        }
    }

    /// PNG specification, 9.2 and 9.4, as it is written there.
    private func referencePrediction(_ filter: RowFilter, left: Int, above: Int, corner: Int) -> UInt8 {
        switch filter {
        case .none: return 0
        case .sub: return UInt8(left)
        case .up: return UInt8(above)
        case .average: return UInt8((left + above) / 2)
        case .paeth:
            let p = left + above - corner
            if abs(p - left) <= abs(p - above) && abs(p - left) <= abs(p - corner) { return UInt8(left) }
            return abs(p - above) <= abs(p - corner) ? UInt8(above) : UInt8(corner)
        }
    }
}

@Suite struct Adler32Tests {
    @Test(arguments: 0..<30)
    func checksumsOfPartsCombine(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit: UInt8 = Bool.random(using: &random) ? 255 : 0
        let bytes = (0..<Int.random(in: 0...70_000, using: &random)).map { _ in
            // Long runs of 255 are where sums overflow first.
            max(limit, UInt8.random(in: .min ... .max, using: &random))
        }
        let cut = Int.random(in: 0...bytes.count, using: &random)
        let first = Adler32.checksum(Array(bytes[..<cut]))
        let second = Adler32.checksum(Array(bytes[cut...]))
        let whole = referenceAdler32(bytes)
        #expect(Adler32.checksum(bytes) == whole, "seed \(seed)")
        #expect(Adler32.combine(first, second, lengthB: bytes.count - cut) == whole, "seed \(seed)")
    }

    @Test func knownValue() {
        // The example of many descriptions of the algorithm.
        #expect(Adler32.checksum(Array("Wikipedia".utf8)) == 0x11E6_0398)
        #expect(Adler32.checksum([UInt8]()) == Adler32.empty)
    }
}
