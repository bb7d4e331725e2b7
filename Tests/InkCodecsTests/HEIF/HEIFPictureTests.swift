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

    private static func pieces(
        _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding, bands: [Int]
    ) throws -> [EncodedPiece] {
        let pixels = pixels(size, format)
        let rowBytes = size.width * format.bytesPerPixel
        let encoder = HEIFPieceEncoder()
        var row = 0
        return try bands.map { count in
            defer { row += count }
            let band = Array(pixels[(row * rowBytes)..<((row + count) * rowBytes)])
            return try band.withUnsafeBufferPointer { buffer in
                try encoder.encode(
                    PixelRows(
                        pixels: UnsafeRawBufferPointer(buffer), width: size.width, format: format, firstRow: row),
                    PieceEncoding(encoding, isLast: row + count == size.height))
            }
        }
    }

    private static func file(
        _ pieces: [EncodedPiece], _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        description: PictureDescription = PictureDescription()
    ) throws -> [UInt8] {
        var assembler = try PictureCodecs.assembler(
            for: PictureHead(size: size, pixels: format, encoding: encoding, description: description))
        let streams = carriedOut(assembler.begin() + pieces.flatMap { assembler.add($0) } + assembler.end())
        #expect(streams.count == 1)
        return streams[0] ?? []
    }

    @Test(
        "A picture is the same file however it is cut, has its own size, and shows what it should",
        arguments: formats, [PixelFormat.rgb, .rgba])
    func picture(file: PictureFormat, format: PixelFormat) throws {
        let size = PixelSize(width: 601, height: 517)
        let encoding = PictureEncoding(format: file, effort: .fast, quality: 80)
        let cuts = [[517], [256, 261], [256, 256, 5]]
        let files = try cuts.map { bands in
            try Self.file(Self.pieces(size, format, encoding, bands: bands), size, format, encoding)
        }
        #expect(Set(files).count == 1)
        let (info, samples) = try decodedPixels(files[0])
        #expect(info.size == size && info.format.bytesPerPixel == format.bytesPerPixel)
        let expected = Self.pixels(size, format)
        var differences = [0, 0, 0, 0]
        for (index, pair) in zip(samples, expected).enumerated() {
            differences[index % format.bytesPerPixel] += abs(Int(pair.0) - Int(pair.1))
        }
        for channel in 0..<3 { #expect(Double(differences[channel]) / Double(size.area) < 3, "\(differences)") }
        #expect(differences[3] == 0, "transparency is exact")
    }

    @Test(
        "A picture without loss has exactly the pixels", .enabled(if: formats.contains(.avif)),
        arguments: [PixelFormat.rgb, .rgba])
    func lossless(format: PixelFormat) throws {
        let size = PixelSize(width: 523, height: 261)
        var encoding = PictureEncoding(format: .avif, effort: .fast)
        encoding.isLossless = true
        let pieces = try Self.pieces(size, format, encoding, bands: [256, 5])
        let (info, samples) = try decodedPixels(Self.file(pieces, size, format, encoding))
        #expect(info.size == size && samples == Self.pixels(size, format))
    }

    @Test("A digest is found in a whole file, and in none that is cut, longer or changed", arguments: formats)
    func digest(format: PictureFormat) throws {
        let size = PixelSize(width: 70, height: 40)
        let encoding = PictureEncoding(format: format, effort: .fast)
        let digest = try #require(PictureDigest(bytes: (0..<32).map { $0 }))
        let file = try Self.file(
            Self.pieces(size, .rgb, encoding, bands: [40]), size, .rgb, encoding,
            description: PictureDescription(digest: digest))
        let folder = try TemporaryFolder(prefix: "ink-avif")
        func stored(_ bytes: [UInt8]) throws -> PictureDigest? {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path(of: "a")))
            return try HEIFCodec(isAVIF: format == .avif).storedDigest(path: folder.path(of: "a"))
        }
        #expect(try stored(file) == digest)
        #expect(try stored(Array(file.dropLast())) == nil)
        #expect(try stored(file + [0]) == nil)
        #expect(try stored([]) == nil)
        for index in stride(from: 0, to: file.count, by: 13) {
            var changed = file
            changed[index] ^= 1
            #expect(try stored(changed) != digest, "byte \(index)")
        }
    }

    @Test("EXIF and XMP lie where the locations say", arguments: formats)
    func metadata(format: PictureFormat) throws {
        let size = PixelSize(width: 70, height: 40)
        let encoding = PictureEncoding(format: format, effort: .fast)
        let description = PictureDescription(text: [PictureText(.author, "A & B")])
        let file = try Self.file(
            Self.pieces(size, .rgb, encoding, bands: [40]), size, .rgb, encoding, description: description)
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

    @Test("A piece that is cut or longer is not sound, at any byte", arguments: formats)
    func damagedPieces(format: PictureFormat) throws {
        let encoding = PictureEncoding(format: format, effort: .fast)
        let piece = try Self.pieces(PixelSize(width: 16, height: 16), .rgba, encoding, bands: [16])[0]
        let codec = HEIFCodec(isAVIF: format == .avif)
        #expect(codec.isSound(piece.bytes[...], rowCount: 16, pixels: .rgba))
        #expect(!codec.isSound(piece.bytes[...], rowCount: 16, pixels: .rgb))
        for count in stride(from: 0, to: piece.bytes.count, by: 3) {
            #expect(!codec.isSound(piece.bytes[..<count], rowCount: 16, pixels: .rgba), "\(count) bytes")
        }
        #expect(!codec.isSound((piece.bytes + [0])[...], rowCount: 16, pixels: .rgba))
        var huge = piece.bytes
        huge.replaceSubrange(0..<4, with: [255, 255, 255, 255])
        #expect(!codec.isSound(huge[...], rowCount: 16, pixels: .rgba))
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
        #expect(codec.edgePixelsMax == 32_768)
    }
}
