import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite struct PNGDecoderTests {
    private func decode(
        _ png: [UInt8], as purpose: ImageUse, limits: Limits = Limits()
    ) throws -> (info: DecodedImageInfo, chunks: [DecodedChunk]) {
        var chunks: [DecodedChunk] = []
        let info = try PNGDecoder.decode(png, as: purpose, place: pngPlace, limits: limits) { chunks.append($0) }
        return (info, chunks)
    }

    @Test func sixteenBitsBecomeTheNearestEight() throws {
        // Every 16-bit value once.
        let rows = (0..<256).map { high in (0..<256).flatMap { low -> [UInt8] in [UInt8(high), UInt8(low)] } }
        let png = plainPNG(width: 256, height: 256, bitDepth: 16, colorType: .gray, rows: rows)
        let (_, chunks) = try decode(png, as: .mask)
        let samples = chunks.flatMap { chunk in
            guard case .samples(let samples) = chunk.content else { return [UInt8]() }
            return samples
        }
        let expected = (0..<65_536).map { (value: Int) in UInt8((2 * value + 257) / 514) }
        #expect(samples == expected)
    }

    @Test func chunksAreOf64Rows() throws {
        // Row 70 is gray, the others white: the first and third chunk are constant.
        let rows = (0..<130).map { y in [UInt8](repeating: y == 70 ? 9 : 255, count: 5) }
        let png = plainPNG(width: 5, height: 130, bitDepth: 8, colorType: .gray, rows: rows)
        let (info, chunks) = try decode(png, as: .color)
        #expect(info == DecodedImageInfo(size: PixelSize(width: 5, height: 130), format: .rgb8, maskBounds: nil))
        #expect(chunks.map(\.index) == [0, 1, 2])
        #expect(chunks.map(\.rows) == [0..<64, 64..<128, 128..<130])
        #expect(chunks[0].content == .constant(0xFFFFFF))
        #expect(chunks[2].content == .constant(0xFFFFFF))
        let middle = (64..<128).flatMap { y in [UInt8](repeating: y == 70 ? 9 : 255, count: 15) }
        #expect(chunks[1].content == .samples(middle))
    }

    @Test func constantsKeepTheOrderOfChannels() throws {
        let png = plainPNG(
            width: 2, height: 1, bitDepth: 8, colorType: .rgba, rows: [[1, 2, 3, 4, 1, 2, 3, 4]])
        #expect(try decode(png, as: .color).chunks.map(\.content) == [.constant(0x0403_0201)])
        #expect(try decode(png, as: .mask).chunks.map(\.content) == [.constant(4)])
    }

    @Test(arguments: [PNGHeader.ColorType.rgba, .grayAlpha])
    func aMaskIsRedTimesAlpha(colorType: PNGHeader.ColorType) throws {
        let values: [(red: UInt8, alpha: UInt8)] = [(255, 255), (255, 3), (0, 255), (200, 100), (17, 0)]
        let row = values.flatMap { value -> [UInt8] in
            colorType == .rgba ? [value.red, 250, 251, value.alpha] : [value.red, value.alpha]
        }
        let png = plainPNG(width: 5, height: 1, bitDepth: 8, colorType: colorType, rows: [row])
        let (info, chunks) = try decode(png, as: .mask)
        #expect(info.format == .mask16)
        let expected = values.flatMap { value -> [UInt8] in
            let product = UInt16(value.red) * UInt16(value.alpha)
            return [UInt8(product & 255), UInt8(product >> 8)]
        }
        #expect(chunks.map(\.content) == [.samples(expected)])
        #expect(info.maskBounds == PixelRect(x: 0, y: 0, width: 4, height: 1))
    }

    @Test func transparencyByPaletteAndByKey() throws {
        let palette = PNGStream.chunk("PLTE", [200, 1, 2, 100, 3, 4, 50, 5, 6]) + PNGStream.chunk("tRNS", [10, 0])
        let indexed = plainPNG(
            width: 4, height: 1, bitDepth: 2, colorType: .palette, before: palette, rows: [[0b00_01_10_00]])
        #expect(
            try PNGDecoder.decodeRGBA(indexed, place: pngPlace).rgba
                == [200, 1, 2, 10, 100, 3, 4, 0, 50, 5, 6, 255, 200, 1, 2, 10])
        // The key is compared with all 16 bits, before they become 8.
        let key = PNGStream.chunk("tRNS", [0x12, 0x34])
        let gray = plainPNG(
            width: 2, height: 1, bitDepth: 16, colorType: .gray, before: key, rows: [[0x12, 0x34, 0x12, 0x35]])
        #expect(try decode(gray, as: .mask).chunks.map(\.content) == [.samples([0, 0, 0xEE, 0x11])])
    }

    @Test(arguments: 0..<60)
    func boundsOfAMask(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let width = Int.random(in: 1...40, using: &random)
        let height = Int.random(in: 1...140, using: &random)
        let hasAlpha = Bool.random(using: &random)
        var values = [[UInt8]](repeating: [UInt8](repeating: 0, count: width), count: height)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            values[Int.random(in: 0..<height, using: &random)][Int.random(in: 0..<width, using: &random)] = 1
        }
        let rows = hasAlpha ? values.map { row in row.flatMap { value -> [UInt8] in [value, 1] } } : values
        let png = plainPNG(
            width: width, height: height, bitDepth: 8, colorType: hasAlpha ? .grayAlpha : .gray, rows: rows)
        var expected: PixelRect?
        let ys = values.indices.filter { values[$0].contains(1) }
        let xs = (0..<width).filter { x in values.contains { $0[x] == 1 } }
        if let x = xs.first, let y = ys.first, let right = xs.last, let bottom = ys.last {
            expected = PixelRect(x: x, y: y, width: right - x + 1, height: bottom - y + 1)
        }
        #expect(try decode(png, as: .mask).info.maskBounds == expected, "seed \(seed)")
    }

    @Test func bytesBehindTheEndAreNotLookedAt() throws {
        let png = plainPNG(width: 1, height: 1, bitDepth: 8, colorType: .gray, rows: [[7]])
        #expect(try decode(png + [1, 2, 3], as: .mask).chunks == decode(png, as: .mask).chunks)
    }

    @Test func errorsOfTheReceiverComeThrough() {
        let png = plainPNG(width: 1, height: 1, bitDepth: 8, colorType: .gray, rows: [[7]])
        let stop = EngineError.internalError("stop")
        #expect(throws: stop) {
            try PNGDecoder.decode(png, as: .mask, place: pngPlace) { _ throws(EngineError) in throw stop }
        }
    }

    /// An RGB picture with a palette suggestion, a colour key and chunks that the pixels do not depend on.
    private var sample: [UInt8] {
        let before =
            PNGStream.chunk("gAMA", [0, 0, 0xB1, 0x8F]) + PNGStream.chunk("tRNS", [0, 1, 0, 2, 0, 3])
            + PNGStream.chunk("tEXt", Array("Title\0Some".utf8))
        let rows = (0..<9).map { y in (0..<21).map { UInt8(truncatingIfNeeded: 13 * y + $0) } }
        return plainPNG(width: 7, height: 9, bitDepth: 8, colorType: .rgb, before: before, rows: rows)
    }

    @Test func everyTruncationIsRefused() {
        let png = sample
        for count in 0..<png.count {
            #expect(throws: EngineError.self, "cut to \(count) bytes") {
                try PNGDecoder.decodeRGBA(Array(png.prefix(count)), place: pngPlace)
            }
        }
    }

    @Test(arguments: [UInt8(0x01), 0x20, 0x80, 0xFF])
    func aChangedByteIsRefusedOrWithoutEffect(flip: UInt8) throws {
        let png = sample
        let rgba = try PNGDecoder.decodeRGBA(png, place: pngPlace).rgba
        for index in png.indices {
            var damaged = png
            damaged[index] ^= flip
            do throws(EngineError) {
                let found = try PNGDecoder.decodeRGBA(damaged, place: pngPlace).rgba
                #expect(found == rgba, "byte \(index) ^ \(flip)")
            } catch {
                guard case .internalError(let message) = error else { continue }
                Issue.record("byte \(index) ^ \(flip): \(message)")
            }
        }
    }

    @Test func fewerOrMoreRowsThanClaimed() throws {
        let three = plainPNG(width: 2, height: 3, bitDepth: 8, colorType: .gray, rows: [[1, 2], [3, 4]])
        #expect(throws: EngineError.self) { try PNGDecoder.decodeRGBA(three, place: pngPlace) }
        let one = plainPNG(width: 2, height: 1, bitDepth: 8, colorType: .gray, rows: [[1, 2], [3, 4]])
        #expect(try PNGDecoder.decodeRGBA(one, place: pngPlace).rgba == [1, 1, 1, 255, 2, 2, 2, 255])
    }
}
