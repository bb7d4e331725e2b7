import InkTestSupport
import Testing

@testable import InkCodecs
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
            let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
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

    /// Pictures larger than what is filtered, searched or remembered at a time.
    @Test(arguments: EncodingEffort.allCases, 0..<6)
    func pictureOfManyBlocksIsWhole(effort: EncodingEffort, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: Int.random(in: 300...900, using: &random), height: 700)
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let pixels = patchwork(size: size, format: format, using: &random)
        let png = try encodedPNG(
            pixels: pixels, size: size, format: format, effort: effort, cuts: [Int.random(in: 1..<699, using: &random)])
        let isSame = try PNGDecoder.decodeRGBA(png, place: pngPlace).rgba == asRGBA(pixels, format: format)
        #expect(isSame, "seed \(seed), \(size), \(format), \(effort)")
    }

    @Test(arguments: EncodingEffort.allCases, 0..<12)
    func everyLevelGivesTheSameBytes(effort: EncodingEffort, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(
            width: Int.random(in: 1...400, using: &random), height: Int.random(in: 1...300, using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let pixels =
            seed % 2 == 0
            ? patchwork(size: size, format: format, using: &random)
            : randomPixels(size: size, format: format, using: &random)
        let encoding = PieceEncoding(PictureEncoding(effort: effort), isLast: Bool.random(using: &random))
        let encoder = BandEncoder(level: .scalar)
        let expected = try encoder.encode(pixels: pixels, width: size.width, format: format, encoding: encoding)
        for level in KernelLevel.available {
            let other = BandEncoder(level: level)
            // What an encoder did before has no influence either.
            _ = try other.encode(pixels: [9, 8, 7, 6, 5, 4], width: 2, format: .rgb, encoding: encoding)
            let band = try other.encode(pixels: pixels, width: size.width, format: format, encoding: encoding)
            #expect(band == expected, "seed \(seed), \(size), \(format), \(effort), \(level.name)")
        }
        let again = try encoder.encode(pixels: pixels, width: size.width, format: format, encoding: encoding)
        #expect(again == expected, "seed \(seed)")
    }

    @Test(arguments: EncodingEffort.allCases) func checksumAndCountsAreOfTheFilteredBytes(effort: EncodingEffort) throws
    {
        var random = SeededGenerator(seed: 5)
        let pixels = patchwork(size: PixelSize(width: 10, height: 40), format: .rgb, using: &random)
        let band = try BandEncoder().encode(
            pixels: pixels, width: 10, format: .rgb,
            encoding: PieceEncoding(PictureEncoding(effort: effort), isLast: true))
        #expect(band.rowCount == 40)
        #expect(band.rawByteCount == 40 * 31)
        let opened = try RawInflate.open(band.bytes, limit: 2000)
        #expect(opened.content.count == 40 * 31)
        #expect(opened.isWhole && opened.endsStream)
        #expect(band.adler32 == referenceAdler32(opened.content))
    }

    /// Noise cannot be made smaller; it must not become much larger.
    @Test(arguments: EncodingEffort.allCases) func noiseGrowsByLittle(effort: EncodingEffort) throws {
        var random = SeededGenerator(seed: 3)
        let pixels = (0..<(300 * 300 * 4)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let band = try BandEncoder().encode(
            pixels: pixels, width: 300, format: .rgba,
            encoding: PieceEncoding(PictureEncoding(effort: effort), isLast: true))
        #expect(band.bytes.count < pixels.count + pixels.count / 50)
    }

    @Test(arguments: EncodingEffort.allCases) func flatPicturesBecomeSmall(effort: EncodingEffort) throws {
        let band = try BandEncoder().encode(
            pixels: [UInt8](repeating: 255, count: 1000 * 1000 * 3), width: 1000, format: .rgb,
            encoding: PieceEncoding(PictureEncoding(effort: effort), isLast: true))
        #expect(band.bytes.count < 6000)
    }

    @Test(arguments: [0, 1, 29, 31, 61])
    func pixelsThatAreNotWholeRowsAreRefused(byteCount: Int) {
        #expect(throws: EngineError.self) {
            try BandEncoder().encode(
                pixels: [UInt8](repeating: 0, count: byteCount), width: 10, format: .rgb,
                encoding: PieceEncoding(PictureEncoding(effort: .balanced), isLast: true))
        }
    }

    @Test(arguments: [0, -1, Int.max, 1 << 40])
    func impossibleWidthsAreRefused(width: Int) {
        #expect(throws: EngineError.self) {
            try BandEncoder().encode(
                pixels: [1, 2, 3, 4], width: width, format: .rgba,
                encoding: PieceEncoding(PictureEncoding(effort: .small), isLast: false)
            )
        }
    }

    @Test(arguments: RowFilter.allCases, [1, 3, 4])
    func filtersFollowTheirDefinition(filter: RowFilter, pixel: Int) {
        for seed: UInt64 in 0..<40 {
            var random = SeededGenerator(seed: seed)
            let count = pixel * Int.random(in: 1...(seed < 20 ? 80 : 900), using: &random)
            // Few values, so that predictors tie.
            let values = seed % 2 == 0 ? UInt8.min...UInt8.max : 100...103
            let row = (0..<count).map { _ in UInt8.random(in: values, using: &random) }
            let prior = (0..<count).map { _ in UInt8.random(in: values, using: &random) }
            let expected = row.indices.map { i in
                let left = i >= pixel ? Int(row[i - pixel]) : 0
                let corner = i >= pixel ? Int(prior[i - pixel]) : 0
                return row[i] &- referencePrediction(filter, left: left, above: Int(prior[i]), corner: corner)
            }
            let cost = expected.reduce(0) { $0 + UInt64(8 - min($1, 0 &- $1).leadingZeroBitCount) }
            for level in KernelLevel.available {
                let filters = RowFilters(level: level)
                var out = [UInt8](repeating: 99, count: count)
                out.withUnsafeMutableBufferPointer { out in
                    filters.apply(filter, row: row, prior: prior, count: count, pixel: pixel, out: out.baseAddress!)
                }
                #expect(out == expected, "seed \(seed), \(level.name)")
                #expect(filters.cost(of: out, count: count) == cost, "seed \(seed), \(level.name)")
            }
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
        for level in KernelLevel.available {
            let checksum = bytes.withUnsafeBytes { Adler32.checksum($0, level: level) }
            #expect(checksum == whole, "seed \(seed), \(level)")
        }
        #expect(Adler32.combine(first, second, lengthB: bytes.count - cut) == whole, "seed \(seed)")
    }

    @Test func knownValue() {
        // The example of many descriptions of the algorithm.
        #expect(Adler32.checksum(Array("Wikipedia".utf8)) == 0x11E6_0398)
        #expect(Adler32.checksum([UInt8]()) == Adler32.empty)
    }
}
