import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PlainPNGReaderTests {
    /// A picture of one kind with a filter of its own for each row, its zlib stream in IDAT chunks cut anywhere.
    private struct Sample {
        let header: PNGHeader
        let png: [UInt8]

        init(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let kind = [PNGHeader.ColorType.gray, .grayAlpha, .rgb, .rgba].randomElement(using: &random) ?? .rgb
            let pixel = kind.channels
            let size = PixelSize(
                width: Int.random(in: 1...90, using: &random), height: Int.random(in: 1...150, using: &random))
            let values = Bool.random(using: &random) ? UInt8.min...UInt8.max : 250...251
            var prior = [UInt8](repeating: 0, count: size.width * pixel)
            var rows: [UInt8] = []
            // Runs of rows with one filter are restored together.
            let favourite = RowFilter.allCases.randomElement(using: &random) ?? .none
            for _ in 0..<size.height {
                let row = prior.map { Bool.random(using: &random) ? $0 : UInt8.random(in: values, using: &random) }
                let other = RowFilter.allCases.randomElement(using: &random) ?? .none
                let filter = Int.random(in: 0..<8, using: &random) == 0 ? other : favourite
                var filtered = row
                filtered.withUnsafeMutableBufferPointer { out in
                    RowFilters(level: .scalar).apply(
                        filter, row: row, prior: prior, count: row.count, pixel: pixel, out: out.baseAddress!)
                }
                rows += [filter.rawValue] + filtered
                prior = row
            }
            // Stored blocks.
            var zlib: [UInt8] = [0x78, 0x01]
            for start in stride(from: 0, to: rows.count, by: 5000) {
                let block = rows[start..<min(start + 5000, rows.count)]
                let low = UInt8(block.count & 255)
                let high = UInt8(block.count >> 8)
                zlib += [start + 5000 >= rows.count ? 1 : 0, low, high, ~low, ~high] + block
            }
            zlib += bigEndian(referenceAdler32(rows))
            let fields = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height)) + [8, kind.rawValue, 0, 0, 0]
            var png = PNGHeader.signature + PNGStream.chunk("IHDR", fields) + PNGStream.chunk("gAMA", [0, 0, 0, 9])
            var rest = zlib[...]
            png += PNGStream.chunk("IDAT", Array(rest.prefix(2)))
            rest = rest.dropFirst(2)
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 0...4000, using: &random))
                png += PNGStream.chunk("IDAT", Array(part))
                rest = rest.dropFirst(part.count)
            }
            png += PNGStream.chunk("tIME", [1, 2, 3, 4, 5, 6, 7]) + PNGStream.chunk("IEND", [])
            self.png = png
            header = try PNGHeader(png, place: pngPlace)
        }
    }

    private typealias Decoded = (info: DecodedImageInfo?, chunks: [DecodedChunk])

    private func plain(_ png: [UInt8], as purpose: ImageUse, _ level: KernelLevel) throws -> Decoded {
        let header = try PNGHeader(png, place: pngPlace)
        var chunks: [DecodedChunk] = []
        let info = try png.withUnsafeBufferPointer {
            try PNGDecoder.decodePlain($0, header, purpose, level) { chunks.append($0) }
        }
        return (info, chunks)
    }

    private func library(_ png: [UInt8], as purpose: ImageUse) throws -> Decoded {
        let header = try PNGHeader(png, place: pngPlace)
        var chunks: [DecodedChunk] = []
        let info = try png.withUnsafeBufferPointer {
            try PNGDecoder.decodeAny($0, header, purpose, pngPlace) { chunks.append($0) }
        }
        return (info, chunks)
    }

    @Test(arguments: 0..<120, ImageUse.allCases)
    func readsWhatLibpngReads(seed: UInt64, purpose: ImageUse) throws {
        let sample = try Sample(seed: seed)
        let expected = try library(sample.png, as: purpose)
        for level in KernelLevel.available {
            let found = try plain(sample.png, as: purpose, level)
            if purpose == .color && sample.header.colorType.channels < 3 {
                #expect(found.info == nil)
            } else {
                #expect(found.info == expected.info && found.chunks == expected.chunks, "seed \(seed), \(level.name)")
            }
        }
    }

    /// Whatever becomes of a damaged file, it is what libpng makes of it, and no chunk comes twice.
    @Test(arguments: 0..<60) func damageIsLibpngsToJudge(seed: UInt64) throws {
        let sample = try Sample(seed: seed)
        var random = SeededGenerator(seed: seed + 1000)
        for _ in 0..<40 {
            var png = sample.png
            let index = Int.random(in: PNGHeader.byteCount..<png.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: png[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: png.removeSubrange(index...)
            case 2: png.remove(at: index)
            // A chunk as it should be, where it may not.
            default: png.insert(contentsOf: PNGStream.chunk("IDAT", [1, 2, 3]), at: png.count - 12)
            }
            let expected = Result { try library(png, as: .mask) }
            var chunks: [DecodedChunk] = []
            let found = Result { try PNGDecoder.decode(png, as: .mask, place: pngPlace) { chunks.append($0) } }
            switch (expected, found) {
            case (.success(let expected), .success(let info)):
                #expect(expected.info == info && expected.chunks == chunks, "seed \(seed), byte \(index)")
            case (.failure(let expected), .failure(let error)):
                #expect("\(expected)" == "\(error)", "seed \(seed), byte \(index)")
            default: Issue.record("seed \(seed), byte \(index): \(expected) became \(found)")
            }
        }
    }

    /// The stream's checksum lies behind bits that are read ahead, in chunks that may end anywhere.
    @Test(arguments: 0..<12, EncodingEffort.allCases)
    func theChecksumCounts(seed: UInt64, effort: EncodingEffort) throws {
        var random = SeededGenerator(seed: seed)
        // Rows of 512 pixels are inflated 160 at a time; then one is left, worth fewer bits than are read ahead.
        let isLarge = seed % 2 == 0
        let size = PixelSize(width: isLarge ? 512 : Int.random(in: 1...60, using: &random), height: isLarge ? 161 : 40)
        var pixels = patchwork(size: size, format: .rgb, using: &random)
        if isLarge { pixels.replaceSubrange((160 * 1536)..., with: pixels[(159 * 1536)..<(160 * 1536)]) }
        let png = try encodedPNG(pixels: pixels, size: size, format: .rgb, effort: effort, cuts: [])
        var zlib: [UInt8] = []
        var at = PNGHeader.byteCount
        while at < png.count {
            let length = png[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            if png[(at + 4)..<(at + 8)].elementsEqual("IDAT".utf8) { zlib += png[(at + 8)..<(at + 8 + length)] }
            at += 12 + length
        }
        func isPlain(_ parts: [some Sequence<UInt8>]) throws -> Bool {
            let data = parts.flatMap { PNGStream.chunk("IDAT", Array($0)) }
            let whole = Array(png.prefix(PNGHeader.byteCount)) + data + PNGStream.chunk("IEND", [])
            return try plain(whole, as: .color, .selected).info != nil
        }
        #expect(try isPlain([zlib[...]]), "seed \(seed)")
        for behind in 0...16 {
            let cut = zlib.count - behind
            #expect(try isPlain([zlib[..<cut], [], zlib[cut...]]), "seed \(seed), \(behind) bytes in the last chunk")
            if behind > 0 {
                #expect(try !isPlain([zlib[..<cut]]), "seed \(seed), without \(behind) bytes")
            }
        }
        for index in (zlib.count - 4)..<zlib.count {
            var damaged = zlib
            damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            #expect(try !isPlain([damaged]), "seed \(seed), byte \(index - zlib.count)")
        }
        #expect(try !isPlain([zlib + [0]]), "seed \(seed), one byte more")
        #expect(try !isPlain([zlib, [0]]), "seed \(seed), one byte more in a chunk of its own")
    }

    @Test func othersAreLeftToLibpng() throws {
        let row = [UInt8](repeating: 9, count: 6)
        let keyed = plainPNG(
            width: 2, height: 1, bitDepth: 8, colorType: .rgb, before: PNGStream.chunk("tRNS", [0, 1, 0, 2, 0, 3]),
            rows: [row])
        #expect(try plain(keyed, as: .color, .scalar).info == nil)
        let more = plainPNG(width: 2, height: 1, bitDepth: 8, colorType: .rgb, rows: [row, row])
        #expect(try plain(more, as: .color, .scalar).info == nil)
        let fewer = plainPNG(width: 2, height: 3, bitDepth: 8, colorType: .rgb, rows: [row, row])
        #expect(try plain(fewer, as: .color, .scalar).info == nil)
        let sixteen = plainPNG(width: 1, height: 1, bitDepth: 16, colorType: .rgb, rows: [row])
        #expect(try plain(sixteen, as: .color, .scalar).info == nil)
        let sound = plainPNG(width: 2, height: 2, bitDepth: 8, colorType: .rgb, rows: [row, row])
        #expect(try plain(sound, as: .color, .scalar).info != nil)
    }
}
