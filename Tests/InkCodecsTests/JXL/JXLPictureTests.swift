import CJXL
import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as JPEG XL", .enabled(if: ink_jxl_is_present() != 0, "libjxl is not installed here"))
struct JXLPictureTests {
    private static func pixels(_ size: PixelSize, _ format: PixelFormat) -> [UInt8] {
        (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % size.width, index / size.width)
            let pixel = [x / 3, y / 2, (x + y) / 4].map { UInt8($0 & 0xFF) }
            return format == .rgba ? pixel + [UInt8((x * 7 + y) & 0xFF)] : pixel
        }
    }

    private static func file(
        _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        _ description: PictureDescription = PictureDescription()
    ) throws -> [UInt8] {
        let head = PictureHead(size: size, pixels: format, encoding: encoding, description: description)
        return try pictureFile(pixels(size, format), head)
    }

    private static func encoding(_ effort: EncodingEffort, quality: Int? = nil, lossless: Bool = false)
        -> PictureEncoding
    {
        var encoding = PictureEncoding(format: .jxl, effort: effort, quality: quality)
        encoding.isLossless = lossless
        return encoding
    }

    @Test(
        "A picture has its own size, and shows what it should",
        arguments: [
            PixelSize(width: 1, height: 1), PixelSize(width: 37, height: 256), PixelSize(width: 601, height: 517),
            PixelSize(width: 20, height: 9000),
        ], [PixelFormat.rgb, .rgba])
    func picture(size: PixelSize, format: PixelFormat) throws {
        let expected = Self.pixels(size, format)
        for encoding in [
            Self.encoding(.fast), Self.encoding(.balanced, quality: 88), Self.encoding(.fast, lossless: true),
            Self.encoding(.balanced, lossless: true), Self.encoding(.fast, quality: 100),
        ] {
            let file = try Self.file(size, format, encoding)
            let decoded = try JXLDecoder.pixels(file)
            #expect(decoded.size == size && decoded.format == format)
            if encoding.isExactJXL {
                #expect(decoded.samples == expected, "\(encoding)")
            } else {
                var differences = [0, 0, 0, 0]
                for (index, pair) in zip(decoded.samples, expected).enumerated() {
                    differences[index % format.bytesPerPixel] += abs(Int(pair.0) - Int(pair.1))
                }
                for channel in 0..<3 {
                    #expect(Double(differences[channel]) / Double(size.area) < 6, "\(encoding) \(differences)")
                }
                #expect(differences[3] == 0, "transparency is exact")
            }
        }
    }

    @Test(
        "Every quality gives a picture, a better one more bytes and less difference", arguments: EncodingEffort.allCases
    )
    func qualities(effort: EncodingEffort) throws {
        let size = PixelSize(width: 300, height: 300)
        var random = SeededGenerator(seed: 34)
        // Lines of many colours on a ground of few, and transparency with steps.
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let (x, y) = (index % size.width, index / size.width)
            let isLine = (x + 2 * y) % 11 < 3
            let color = (0..<3).map { isLine ? UInt8((x * ($0 + 3)) & 0xFF) : UInt8(200 + $0 * 20) }
            return color.map { $0 ^ .random(in: 0...15, using: &random) } + [UInt8(255 - y / 30 * 20)]
        }
        var previous: (bytes: Int, difference: Int)?
        for quality in [1, 15, 30, 60, 80, 90, 99, 100] {
            let encoding = Self.encoding(effort, quality: quality)
            let head = PictureHead(size: size, pixels: .rgba, encoding: encoding)
            let file = try pictureFile(pixels, head)
            let samples = try JXLDecoder.pixels(file).samples
            var (difference, alpha) = (0, 0)
            for (index, pair) in zip(samples, pixels).enumerated() {
                let own = abs(Int(pair.0) - Int(pair.1))
                if index % 4 == 3 { alpha = max(alpha, own) } else { difference += own }
            }
            #expect(alpha <= (quality >= 88 ? 0 : 20), "quality \(quality)")
            if let previous {
                #expect(file.count >= previous.bytes, "quality \(quality)")
                #expect(difference <= previous.difference, "quality \(quality)")
            }
            previous = (file.count, difference)
        }
        #expect(previous?.difference == 0)
    }

    @Test("A quality is the distance that libjxl has for it")
    func distances() {
        for (quality, distance) in [(1, 23.8677), (15, 11.725), (30, 6.4), (90, 1.0), (99, 0.19)] {
            #expect(abs(Self.encoding(.fast, quality: quality).jxlDistance - distance) < 0.0001, "\(quality)")
        }
        #expect(abs(Self.encoding(.fast).jxlDistance - 1) < 0.0001)
    }

    @Test("What belongs to a picture is in boxes, in which the same codestream lies in parts")
    func boxes() throws {
        let size = PixelSize(width: 40, height: 600)
        let encoding = Self.encoding(.fast, lossless: true)
        let plain = try Self.file(size, .rgb, encoding)
        #expect(plain.starts(with: [0xFF, 0x0A]))
        let description = PictureDescription(dotsPerInch: 300, text: [PictureText(.author, "A & B")])
        let file = try Self.file(size, .rgb, encoding, description)
        var codestream: [UInt8] = []
        var types: [String] = []
        var numbers: [UInt32] = []
        var at = 0
        while at + 8 <= file.count {
            let count = Int(bigEndian(file, at: at))
            let type = String(decoding: file[(at + 4)..<(at + 8)], as: UTF8.self)
            types.append(type)
            if type == "jxlp" {
                numbers.append(bigEndian(file, at: at + 8))
                codestream += file[(at + 12)..<(at + count)]
            }
            if type == "Exif" { #expect(file[(at + 12)..<(at + count)].starts(with: [0x49, 0x49, 42, 0])) }
            if type == "xml " {
                #expect(String(decoding: file[(at + 8)..<(at + count)], as: UTF8.self).contains("A &amp; B"))
            }
            at += count
        }
        #expect(at == file.count)
        #expect(types == ["JXL ", "ftyp", "Exif", "xml ", "jxlp", "jxlp", "jxlp"])
        #expect(numbers == [0, 1, 0x8000_0002])
        #expect(codestream == plain)
        #expect(try JXLDecoder.pixels(file).samples == Self.pixels(size, .rgb))
    }

    @Test("A picture for which a decoder needs more than level 5 says so")
    func largeLevel() throws {
        func level(_ size: PixelSize) -> Bool {
            var assembler = JXLAssembler(PictureHead(size: size, pixels: .rgb, encoding: Self.encoding(.fast)))
            guard case .append(let bytes, _)? = assembler.begin().first else { return false }
            return String(decoding: bytes, as: UTF8.self).contains("jxll")
        }
        #expect(!level(PixelSize(width: 16_384, height: 16_384)))
        #expect(level(PixelSize(width: 16_384, height: 16_385)))
        // The widest picture.
        let size = PixelSize(width: JXLCodec().edgePixelsMax, height: 2)
        let file = try Self.file(size, .rgb, Self.encoding(.fast, lossless: true))
        #expect(try JXLDecoder.pixels(file).samples == Self.pixels(size, .rgb))
    }
}
