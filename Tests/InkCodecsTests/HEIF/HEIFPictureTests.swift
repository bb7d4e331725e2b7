import CHEIF
import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as AVIF and HEIC")
struct HEIFPictureTests {
    private static let place = Place(file: "a.avif")
    /// Those that can be written on this machine.
    private static let formats = [PictureFormat.avif, .heic].filter { ink_heif_can_encode($0 == .avif ? 1 : 0) != 0 }

    private static func pixels(_ size: PixelSize, _ format: PixelFormat) -> [UInt8] {
        (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % size.width, index / size.width)
            let pixel = [x / 3, y / 2, (x + y) / 4].map { UInt8($0 & 0xFF) }
            return format == .rgba ? pixel + [UInt8((x * 7 + y) & 0xFF)] : pixel
        }
    }

    @Test(
        "A picture has its own size, and shows what it should",
        arguments: formats, [PixelFormat.rgb, .rgba])
    func picture(file: PictureFormat, format: PixelFormat) throws {
        let size = PixelSize(width: 601, height: 517)
        let encoding = PictureEncoding(format: file, effort: .fast, quality: 80)
        let expected = Self.pixels(size, format)
        let head = PictureHead(size: size, pixels: format, encoding: encoding)
        let (info, samples) = try decodedPixels(pictureFile(expected, head))
        #expect(info.size == size && info.format.bytesPerPixel == format.bytesPerPixel)
        var differences = [0, 0, 0, 0]
        for (index, pair) in zip(samples, expected).enumerated() {
            differences[index % format.bytesPerPixel] += abs(Int(pair.0) - Int(pair.1))
        }
        for channel in 0..<3 { #expect(Double(differences[channel]) / Double(size.area) < 3, "\(differences)") }
        #expect(differences[3] == 0, "transparency is exact")
    }

    /// Tiles of AVIF are encoded ten times as fast as those of HEIC.
    @Test("A picture as wide or high as one can be is opened again", arguments: formats.prefix(1))
    func longestEdge(format: PictureFormat) throws {
        let edge = HEIFCodec(isAVIF: format == .avif).edgePixelsMax
        for size in [PixelSize(width: edge, height: 1), PixelSize(width: 1, height: edge)] {
            let head = PictureHead(
                size: size, pixels: .rgb, encoding: PictureEncoding(format: format, effort: .fast))
            let file = try pictureFile([UInt8](repeating: 200, count: size.area * 3), head)
            #expect(try decodedPixels(file).info.size == size)
        }
    }

    @Test("A file that would take too much memory before it is cut is not opened", arguments: formats)
    func area(format: PictureFormat) throws {
        let size = PixelSize(width: 16, height: 16)
        let head = PictureHead(size: size, pixels: .rgb, encoding: PictureEncoding(format: format, effort: .fast))
        var file = try pictureFile(Self.pixels(size, .rgb), head)
        let ispe = try #require(file.firstRange(of: Array("ispe".utf8))?.upperBound) + 4
        file.replaceSubrange(ispe..<(ispe + 8), with: bigEndian(UInt32(20_000)) + bigEndian(UInt32(20_000)))
        let error = #expect(throws: EngineError.self) { try decodedPixels(file) }
        #expect("\(error!)".contains("2^28"), "\(error!)")
    }

    @Test("EXIF and XMP lie where the locations say", arguments: formats)
    func metadata(format: PictureFormat) throws {
        let size = PixelSize(width: 70, height: 40)
        let encoding = PictureEncoding(format: format, effort: .fast)
        let description = PictureDescription(text: [PictureText(.author, "A & B")])
        let head = PictureHead(size: size, pixels: .rgb, encoding: encoding, description: description)
        let file = try pictureFile(Self.pixels(size, .rgb), head)
        let meta = try #require(ISOBox.find("meta", in: file[...]))
        let locations = try #require(ISOBox.find("iloc", in: meta.content.dropFirst(4)))
        // Version and sizes; of each item number, method, reference, extents, offset, length.
        let entries = Array(locations.content.dropFirst(8))
        var contents: [[UInt8]] = []
        for start in stride(from: 0, to: entries.count, by: 20) where entries[start + 3] == 0 {
            let (offset, count) = (Int(bigEndian(entries, at: start + 12)), Int(bigEndian(entries, at: start + 16)))
            contents.append(Array(file[offset..<(offset + count)]))
        }
        #expect(contents.contains { $0.starts(with: [0, 0, 0, 0, 0x49, 0x49, 42, 0]) })
        #expect(contents.contains { String(decoding: $0, as: UTF8.self).contains("A &amp; B") })
        #expect(try decodedPixels(file).info.size == size)
    }

    @Test("A piece says whether it has alpha", arguments: formats, [PixelFormat.rgb, .rgba])
    func alpha(file: PictureFormat, format: PixelFormat) throws {
        let size = PixelSize(width: 16, height: 16)
        let head = PictureHead(size: size, pixels: format, encoding: PictureEncoding(format: file, effort: .fast))
        let piece = try picturePieces(Self.pixels(size, format), head)[0]
        for other in [PixelFormat.rgb, .rgba] {
            let isSound = HEIFCodec(isAVIF: file == .avif).isSound(piece.bytes[...], rowCount: 16, pixels: other)
            #expect(isSound == (other == format))
        }
    }

    @Test("What readers would not show, or cannot be numbered, is refused before it is rendered")
    func limits() {
        let codec = HEIFCodec(isAVIF: true)
        func check(_ width: Int, _ height: Int, _ chroma: ChromaSampling?, isLossless: Bool = false) throws {
            var encoding = PictureEncoding(format: .avif, chroma: chroma)
            encoding.isLossless = isLossless
            try codec.check(
                PixelSize(width: width, height: height), encoding, dotsPerInch: nil, place: Self.place)
        }
        #expect(throws: Never.self) { try check(101, 100, nil) }
        #expect(throws: Never.self) { try check(100, 100, .quarter) }
        #expect(throws: EngineError.self) { try check(101, 100, .quarter) }
        #expect(throws: EngineError.self) { try check(100, 100, .quarter, isLossless: true) }
        #expect(throws: Never.self) { try check(16_384, 16_384, nil) }
        #expect(throws: EngineError.self) { try check(16_384, 16_385, nil) }
    }
}
