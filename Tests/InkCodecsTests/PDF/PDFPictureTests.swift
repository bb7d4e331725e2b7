import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as PDF")
struct PDFPictureTests {
    private static func head(
        _ size: PixelSize, _ pixels: PixelFormat, bleed: Int? = nil,
        _ description: PictureDescription = PictureDescription()
    ) -> PictureHead {
        PictureHead(
            size: size, pixels: pixels, encoding: PictureEncoding(format: .pdf, bleed: bleed), description: description)
    }

    private static func file(_ pixels: [UInt8], _ head: PictureHead) throws -> [UInt8] {
        try pictureFile(pixels, head) { 50 }
    }

    @Test("The streams hold the pixels, whatever the bands", arguments: 0..<20 as Range<UInt64>)
    func pixels(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = PixelSize(width: .random(in: 1...150, using: &random), height: .random(in: 1...90, using: &random))
        let format: PixelFormat = Bool.random(using: &random) ? .rgb : .rgba
        let pixels = patchwork(size: size, format: format, using: &random)
        let file = try pictureFile(pixels, Self.head(size, format)) { .random(in: 1...40, using: &random) }
        let pdf = try #require(PDFReader(file))
        let page = try #require(pdf.page)
        #expect(page.contains("/MediaBox [0 0 \(size.width) \(size.height)]"))
        let image = try #require(pdf.reference("/Im0", in: page))
        let (dictionary, stream) = try #require(pdf.stream(image))
        let colors = try Self.samples(stream, size, .rgb)
        let channels = format.bytesPerPixel
        let expected = pixels.indices.filter { $0 % channels < 3 }.map { pixels[$0] }
        #expect(colors == expected, "seed \(seed), \(size), \(format)")
        #expect(dictionary.contains("/SMask") == (format == .rgba))
        guard format == .rgba else { return }
        let mask = try #require(pdf.reference("/SMask", in: dictionary))
        let alpha = try Self.samples(try #require(pdf.stream(mask)).bytes, size, .gray)
        #expect(alpha == pixels.indices.filter { $0 % 4 == 3 }.map { pixels[$0] }, "seed \(seed), \(size)")
    }

    /// A stream is that of a PNG.
    private static func samples(
        _ stream: [UInt8], _ size: PixelSize, _ type: PNGHeader.ColorType
    ) throws -> [UInt8] {
        let edges = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height))
        let png =
            PNGHeader.signature + PNGStream.chunk("IHDR", edges + [8, type.rawValue, 0, 0, 0])
            + PNGStream.chunk("IDAT", stream) + PNGStream.chunk("IEND", [])
        let samples = try decodedPixels(png).samples
        return type == .gray ? stride(from: 0, to: samples.count, by: 3).map { samples[$0] } : samples
    }

    @Test func boxesAndTextsSayWhatThePageIs() throws {
        let size = PixelSize(width: 600, height: 300)
        let description = PictureDescription(
            dotsPerInch: 300,
            text: [
                PictureText(.title, "Eule (\\1)"), PictureText(.author, "\u{1F989}"), PictureText(.copyright, "CC0"),
                PictureText(.creationTime, "2026-05-04T10:20:30Z"),
            ], digest: PictureDigest(bytes: Array(repeating: 1, count: 32)))
        let pixels = [UInt8](repeating: 200, count: size.area * 3)
        let file = try Self.file(pixels, Self.head(size, .rgb, bleed: 8_504, description))
        let pdf = try #require(PDFReader(file))
        let page = try #require(pdf.page)
        #expect(page.contains("/MediaBox [0 0 144 72] /BleedBox [0 0 144 72] /TrimBox [8.504 8.504 135.496 63.496]"))
        let info = try #require(pdf.reference("/Info", in: pdf.trailer).flatMap(pdf.object))
        #expect(info.contains("/Title (Eule \\(\\\\1\\))") && info.contains("/Author <feffd83edd89>"))
        #expect(info.contains("/CreationDate (D:20260504102030+00'00')"))
        let catalog = try #require(pdf.reference("/Root", in: pdf.trailer).flatMap(pdf.object))
        let packet = try #require(pdf.reference("/Metadata", in: catalog).flatMap(pdf.stream))
        #expect(String(decoding: packet.bytes, as: UTF8.self).contains("CC0"))
        let profile = try #require(pdf.reference("/DestOutputProfile", in: catalog).flatMap(pdf.stream))
        #expect(profile.bytes == SRGBProfile.bytes)
        // Nothing of this where it is not wanted; equal pictures are equal files.
        let plain = try Self.file(pixels, Self.head(size, .rgb))
        let other = try #require(PDFReader(plain))
        #expect(!other.trailer.contains("/Info") && other.page?.contains("Box [0 0 600 300]") == true)
        #expect(other.page?.contains("TrimBox") == false)
        #expect(try plain == Self.file(pixels, Self.head(size, .rgb)))
    }

    @Test func pagesThatReadersDoNotShowAreRefused() throws {
        func check(_ edge: Int, dotsPerInch: Double? = nil, bleed: Int? = nil) throws(EngineError) {
            try PDFCodec().check(
                PixelSize(width: edge, height: 100), PictureEncoding(format: .pdf, bleed: bleed),
                dotsPerInch: dotsPerInch, place: Place(file: "a"))
        }
        try check(14_400)
        try check(30_000, dotsPerInch: 150)
        try check(100, bleed: 49_999)
        #expect(throws: EngineError.self) { try check(14_401) }
        #expect(throws: EngineError.self) { try check(30_001, dotsPerInch: 150) }
        #expect(throws: EngineError.self) { try check(100, bleed: 50_000) }
    }

    /// What is read of the file in memory.
    private static func source(_ file: [UInt8]) -> PDFBook.Source {
        PDFBook.Source(byteCount: file.count) { (count, offset) throws(EngineError) in
            guard offset >= 0, offset + count <= file.count else { throw .internalError("beyond the end") }
            return Array(file[offset..<(offset + count)])
        }
    }

    private static func book(_ files: [[UInt8]]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var book = PDFBook(software: "ink 1") { bytes += $0 }
        try book.begin()
        for file in files { try book.add(source(file), place: Place(file: "a.pdf")) }
        try book.end()
        return bytes
    }

    @Test func aBookHasThePagesOfItsFiles() throws {
        var random = SeededGenerator(seed: 5)
        let text = PictureDescription(text: [PictureText(.title, "Eule")], digest: PictureDigest(bytes: Array(0..<32)))
        let heads = [
            Self.head(PixelSize(width: 60, height: 40), .rgb, text), Self.head(PixelSize(width: 30, height: 90), .rgba),
            Self.head(PixelSize(width: 5, height: 1), .rgb),
            Self.head(PixelSize(width: 80, height: 80), .rgba, bleed: 9_000, text),
        ]
        let files = try heads.map {
            try Self.file(patchwork(size: $0.size, format: $0.pixels, using: &random), $0)
        }
        let book = try #require(PDFReader(try Self.book(files)))
        let pages = book.pages
        #expect(pages.count == files.count)
        for (page, file) in zip(pages, files) {
            let own = try #require(PDFReader(file))
            let ownPage = try #require(own.page)
            for box in ["/MediaBox", "/TrimBox", "/Group"] {
                let value = { (text: String) in text.firstRange(of: box).map { text[$0.lowerBound...].prefix(30) } }
                #expect(value(page) == value(ownPage))
            }
            let image = try #require(book.reference("/Im0", in: page).flatMap(book.stream))
            let ownImage = try #require(own.reference("/Im0", in: ownPage).flatMap(own.stream))
            #expect(image.bytes == ownImage.bytes)
            let mask = book.reference("/SMask", in: image.dictionary).flatMap(book.stream)
            #expect(mask?.bytes == own.reference("/SMask", in: ownImage.dictionary).flatMap(own.stream)?.bytes)
            let contents = try #require(book.reference("/Contents", in: page).flatMap(book.stream))
            #expect(contents.bytes == own.reference("/Contents", in: ownPage).flatMap(own.stream)?.bytes)
        }
        #expect(try Self.book(files) == Self.book(files))
    }

    @Test func onlyOurOwnFilesArePagesOfABook() throws {
        let size = PixelSize(width: 60, height: 40)
        let file = try Self.file([UInt8](repeating: 3, count: size.area * 3), Self.head(size, .rgb))
        var random = SeededGenerator(seed: 8)
        var others = [[], Array("%PDF-1.4\n".utf8), Array(file.dropLast(3)), Array(file.prefix(200)), file + [10]]
        for _ in 0..<200 {
            var damaged = file
            for at in damaged.indices.suffix(500) where Int.random(in: 0..<60, using: &random) == 0 {
                damaged[at] = .random(in: 48...57, using: &random)
            }
            others.append(damaged)
        }
        // Damaged files are refused, or read: nothing crashes.
        for other in others { _ = try? Self.book([other]) }
        for other in others.prefix(5) { #expect(throws: EngineError.self) { try Self.book([other]) } }
    }

    @Test func piecesWithAWrongHeadAreNotTaken() {
        let good = littleEndian(UInt64(2)) + [1, 2, 3, 4] + [9, 9, 8]
        func isWhole(_ bytes: [UInt8]) -> Bool { PDFCodec().isSound(bytes[...], rowCount: 1, pixels: .rgba) }
        #expect(isWhole(good))
        #expect(PDFPiece(([0] + good)[1...])?.alpha.elementsEqual([8]) == true)
        #expect(!isWhole(Array(good.dropLast())) && !isWhole([]) && !isWhole(Array(good.prefix(12))))
        #expect(!isWhole(littleEndian(UInt64.max) + [1, 2, 3, 4, 9, 9, 8]))
        #expect(!isWhole(littleEndian(UInt64(0)) + [1, 2, 3, 4, 9, 9, 8]))
    }
}
