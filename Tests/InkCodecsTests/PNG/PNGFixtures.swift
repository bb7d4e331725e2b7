import InkTestSupport

@testable import InkCodecs
@testable import InkEngine

let pngPlace = Place(file: "test.png")

/// A PNG written byte by byte, without any compressor, of whatever kind; `rows` are unfiltered sample bytes.
func plainPNG(
    width: Int, height: Int, bitDepth: UInt8, colorType: PNGHeader.ColorType, interlace: UInt8 = 0,
    before: [UInt8] = [], rows: [[UInt8]]
) -> [UInt8] {
    let raw = rows.flatMap { row -> [UInt8] in [0] + row }
    var zlib: [UInt8] = [0x78, 0x01]
    var offset = 0
    repeat {
        let count = min(65_535, raw.count - offset)
        let low = UInt8(count & 255)
        let high = UInt8(count >> 8)
        zlib += [offset + count == raw.count ? 1 : 0, low, high, ~low, ~high]
        zlib += raw[offset..<(offset + count)]
        offset += count
    } while offset < raw.count
    zlib += bigEndian(referenceAdler32(raw))
    let kind: [UInt8] = [bitDepth, colorType.rawValue, 0, 0, interlace]
    let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + kind
    return PNGHeader.signature + PNGStream.chunk("IHDR", header) + before + PNGStream.chunk("IDAT", zlib)
        + PNGStream.chunk("IEND", [])
}

/// RFC 1950's definition, byte by byte.
func referenceAdler32(_ bytes: [UInt8]) -> UInt32 {
    var s1: UInt32 = 1
    var s2: UInt32 = 0
    for byte in bytes {
        s1 = (s1 + UInt32(byte)) % 65_521
        s2 = (s2 + s1) % 65_521
    }
    return s2 << 16 | s1
}

/// Pixels as exports have them, or as compressors dislike them, chosen by the generator.
func randomPixels(size: PixelSize, format: PixelFormat, using random: inout SeededGenerator) -> [UInt8] {
    let count = size.area * format.bytesPerPixel
    let step = Int.random(in: 1...9, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return [UInt8](repeating: 255, count: count)
    case 1: return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    case 2: return (0..<count).map { UInt8(truncatingIfNeeded: $0 / step) }
    case 3:
        // Hatching: the same line again and again.
        return (0..<count).map { $0 / format.bytesPerPixel % (step + 2) == 0 ? 30 : 255 }
    default:
        var pixels = [UInt8](repeating: 255, count: count)
        for _ in 0..<(count / 20) { pixels[Int.random(in: 0..<count, using: &random)] = 7 }
        return pixels
    }
}

/// The picture as a PNG made of bands that end after the rows `cuts`.
func encodedPNG(
    pixels: [UInt8], size: PixelSize, format: PixelFormat, effort: EncodingEffort, cuts: [Int],
    description: PictureDescription = .init(), encoder: BandEncoder = BandEncoder()
) throws -> [UInt8] {
    var png = try PNGStream.prologue(size: size, format: format, description: description)
    var adler32 = Adler32.empty
    let rowByteCount = size.width * format.bytesPerPixel
    let edges = [0] + cuts + [size.height]
    for (first, end) in zip(edges, edges.dropFirst()) {
        let band = try encoder.encode(
            pixels: Array(pixels[(first * rowByteCount)..<(end * rowByteCount)]), width: size.width, format: format,
            encoding: PieceEncoding(PictureEncoding(effort: effort), isLast: end == size.height))
        adler32 = Adler32.combine(adler32, band.adler32, lengthB: band.rawByteCount)
        png += PNGStream.idat(band.bytes, isFirst: first == 0)
    }
    return png + PNGStream.epilogue(adler32: adler32)
}

/// Opaque pixels are given their alpha.
func asRGBA(_ pixels: [UInt8], format: PixelFormat) -> [UInt8] {
    guard format == .rgb else { return pixels }
    return stride(from: 0, to: pixels.count, by: 3).flatMap { Array(pixels[$0..<($0 + 3)]) + [255] }
}
