import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as TIFF")
struct TIFFPictureTests {
    private static func file(
        _ pixels: [UInt8], _ head: PictureHead, isBig: Bool? = nil, heights: () -> Int = { 1 }
    ) throws -> [UInt8] {
        try pictureFile(pixels, head, try TIFFAssembler(head, isBig: isBig), heights: heights)
    }

    private static func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test(
        "libtiff reads the pixels back, of all kinds",
        arguments: StripCompression.allCases, 0..<12 as Range<UInt64>)
    func pixels(compression: StripCompression, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Strips of noise that are wide enough to fill LZW's table more than once.
        let isNoise = seed % 3 == 0
        let size = PixelSize(
            width: isNoise ? .random(in: 300...700, using: &random) : .random(in: 1...200, using: &random),
            height: .random(in: 1...(isNoise ? 40 : 120), using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let pixels =
            isNoise
            ? Self.noise(size.area * format.bytesPerPixel, &random)
            : patchwork(size: size, format: format, using: &random)
        let encoding = PictureEncoding(
            format: .tiff, effort: EncodingEffort.allCases.randomElement(using: &random)!, compression: compression)
        let head = PictureHead(
            size: size, pixels: format, encoding: encoding, description: PictureDescription(hasProfile: true))
        let isBig = Bool.random(using: &random)
        let file = try Self.file(pixels, head, isBig: isBig) { .random(in: 1...4, using: &random) }
        let (info, samples) = try decodedPixels(file)
        #expect(info.size == size && info.format == (format == .rgb ? .rgb8 : .rgba8))
        #expect(samples == pixels, "seed \(seed), \(size), \(encoding)")
    }

    @Test func tagsSayWhatThePictureIs() throws {
        let size = PixelSize(width: 20, height: 40)
        let description = PictureDescription(
            dotsPerInch: 299.5,
            text: [
                PictureText(.title, "Eule \u{1F989}"), PictureText(.author, "A & B"), PictureText(.copyright, "CC0"),
                PictureText(.software, "ink 1"), PictureText(.creationTime, "2026-05-04T10:20:30Z"),
            ], digest: PictureDigest(bytes: Array(repeating: 7, count: 32)), hasProfile: true)
        for isBig in [false, true] {
            let head = PictureHead(
                size: size, pixels: .rgba, encoding: PictureEncoding(format: .tiff), description: description)
            let pixels = [UInt8](repeating: 9, count: size.area * 4)
            let file = try Self.file(pixels, head, isBig: isBig)
            let tags = try #require(TagReader(file))
            #expect(tags.numbers(256) == [20] && tags.numbers(257) == [40] && tags.numbers(258) == [8, 8, 8, 8])
            #expect(tags.numbers(259) == [8] && tags.numbers(317) == [2] && tags.numbers(338) == [2])
            #expect(tags.numbers(278) == [16])
            #expect(tags.numbers(273).count == 3 && tags.numbers(279).count == 3)
            #expect(tags.numbers(273).allSatisfy { $0 % 2 == 0 })
            #expect(tags.numbers(282) == [599, 2] && tags.numbers(283) == [599, 2] && tags.numbers(296) == [2])
            #expect(tags.text(270) == "Eule \u{1F989}" && tags.text(315) == "A & B" && tags.text(33432) == "CC0")
            #expect(tags.text(305) == "ink 1" && tags.text(306) == "2026:05:04 10:20:30")
            let packet = String(decoding: tags.tags[700]?.bytes ?? [], as: UTF8.self)
            #expect(packet.contains("<rdf:li>A &amp; B</rdf:li>") && packet.contains("2026-05-04T10:20:30+00:00"))
            #expect(tags.tags[34675]?.bytes == SRGBProfile.bytes)
            // Nothing of this where it is not wanted.
            let plain = try #require(
                TagReader(
                    try Self.file(
                        pixels, PictureHead(size: size, pixels: .rgba, encoding: PictureEncoding(format: .tiff)))))
            #expect(
                plain.tags.keys.allSatisfy { ![270, 282, 296, 305, 306, 315, 700, 33432, 34675].contains($0) })
        }
    }

    @Test func filesThatMayPassFourGigabytesAreBig() {
        func isBig(_ edge: Int, _ compression: StripCompression? = nil, _ pixels: PixelFormat = .rgb) -> Bool {
            TIFFAssembler.isBig(
                PictureHead(
                    size: PixelSize(width: edge, height: edge), pixels: pixels,
                    encoding: PictureEncoding(format: .tiff, compression: compression)))
        }
        #expect(!isBig(16_384) && !isBig(32_768) && !isBig(30_000, .lzw))
        #expect(isBig(32_768, nil, .rgba) && isBig(32_768, .lzw) && isBig(37_800) && isBig(65_536))
    }

    @Test func aBigFileHasItsDigest() throws {
        let digest = try #require(PictureDigest(bytes: (0..<32).map { UInt8($0) }))
        let head = PictureHead(
            size: PixelSize(width: 20, height: 30), pixels: .rgb, encoding: PictureEncoding(format: .tiff),
            description: PictureDescription(dotsPerInch: 300, text: [PictureText(.title, "Eule")], digest: digest))
        let file = try Self.file([UInt8](repeating: 7, count: 1800), head, isBig: true)
        try expectDigest(digest, of: file, by: TIFFCodec())
    }

    @Test func piecesWithAWrongTableAreNotTaken() {
        let good = TIFFStrips.join([[1, 2, 3], [4, 5]])
        #expect(TIFFStrips.lengths(in: good[...], rowCount: 17) == [3, 2])
        #expect(TIFFStrips.lengths(in: ([0] + good)[1...], rowCount: 32) == [3, 2])
        for (bytes, rows) in [
            (good, 16), (good, 33), (good, 0), ([0, 0, 0, 0, 1, 2], 16), ([3, 0, 0, 0, 1, 2], 16),
        ] as [([UInt8], Int)] {
            #expect(!TIFFCodec().isSound(bytes[...], rowCount: rows, pixels: .rgb), "\(bytes), \(rows) rows")
        }
    }
}
