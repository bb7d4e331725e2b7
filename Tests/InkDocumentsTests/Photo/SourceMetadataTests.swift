import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite("EXIF and XMP of photos")
struct SourceMetadataTests {
    /// An EXIF block: orientation 6, an artist, camera data that say a size and a colour space, and a thumbnail at the end.
    private func exif(isLittle: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isLittle ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(kind, 2) + number(count, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let first =
            number(3, 2) + entry(274, 3, 1, number(6, 2)) + entry(315, 2, 3, Array("Me\0".utf8))
            + entry(0x8769, 4, 1, number(50, 4)) + number(92, 4)
        let camera =
            number(3, 2) + entry(0xA001, 3, 1, number(0xFFFF, 2)) + entry(0xA002, 4, 1, number(900, 4))
            + entry(0xA003, 3, 1, number(600, 2)) + number(0, 4)
        let thumbnail =
            number(2, 2) + entry(0x201, 4, 1, number(122, 4)) + entry(0x202, 4, 1, number(5, 4)) + number(0, 4)
        let head = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
        return head + first + camera + thumbnail + [0xFF, 0xD8, 1, 2, 3]
    }

    private func jpeg(_ segments: [[UInt8]]) -> [UInt8] {
        [0xFF, 0xD8] + segments.flatMap { JPEGMarker.segment(0xE1, $0) }
            + JPEGMarker.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0xFF, 0xD9]
    }

    @Test("EXIF becomes that of an upright picture in sRGB, without its thumbnail", arguments: [true, false])
    func upright(isLittle: Bool) throws {
        let source = SourceMetadata(of: jpeg([ExifSegment.mark + exif(isLittle: isLittle)]))
        let found = try #require(source.exif)
        #expect(ImageOrientation(exif: found[...]) == .upright)
        #expect(found.starts(with: (isLittle ? "II" : "MM").utf8))
        #expect(found.firstRange(of: Array("Me".utf8)) != nil)
        #expect(found.firstRange(of: [0xFF, 0xD8, 1, 2, 3] as [UInt8]) == nil)
        let sized = try #require(ExifTree(found)?.written(PixelSize(width: 300, height: 258), nil))
        let tree = try #require(ExifTree(sized))
        #expect(tree.values[.camera]?[40962]?.number == 300 && tree.values[.camera]?[40963]?.number == 258)
        #expect(tree.values[.camera]?[40961]?.number == 1 && tree.text(315) == "Me" && !tree.isDamaged)
    }

    @Test("The maker's own notes stay where they were, in the order of bytes that they have", arguments: [true, false])
    func makerNotes(isLittle: Bool) throws {
        let notes = (0..<40).map { UInt8($0 + 100) }
        for place in [26, 300] {
            var main = TagDirectory()
            main[34665] = .long([8 + 2 + 12 + 4])
            main[34665] = .long([UInt32(place == 26 ? 400 : 26)])
            var camera = TagDirectory()
            camera[37500] = .elsewhere(count: notes.count, at: UInt64(place))
            camera[36867] = .text("2026:05:04 10:20:30")
            var file = [UInt8](repeating: 0, count: 600)
            func put(_ bytes: [UInt8], at start: Int) {
                file.replaceSubrange(start..<(start + bytes.count), with: bytes)
            }
            put(isLittle ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8], at: 0)
            put(main.bytes(at: 8, isLittle: isLittle), at: 8)
            put(camera.bytes(at: place == 26 ? 400 : 26, isLittle: isLittle), at: place == 26 ? 400 : 26)
            put(notes, at: place)
            let written = try #require(ExifTree(file)?.written(PixelSize(width: 3, height: 2), nil))
            #expect(Array(written[place..<(place + notes.count)]) == notes, "at \(place)")
            let again = try #require(ExifTree(written))
            #expect(again.values[.camera]?[37500]?.bytes == notes)
            #expect(again.values[.camera]?[36867]?.text == "2026:05:04 10:20:30")
        }
    }

    @Test("Damaged EXIF is read without harm")
    func damaged() {
        let whole = exif(isLittle: true)
        var random = SeededGenerator(seed: 34)
        for count in 0..<whole.count { _ = SourceMetadata(of: jpeg([ExifSegment.mark + whole.prefix(count)])) }
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 4..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let found = SourceMetadata(of: jpeg([ExifSegment.mark + bytes])).exif {
                let written = ExifTree(found)?.written(PixelSize(width: 70_000, height: 3), nil)
                #expect(written.flatMap { ExifTree($0) }?.isDamaged == false, "\(bytes)")
            }
        }
    }

    @Test("XMP says that the picture is upright, and nothing of a gain map and of further pictures")
    func xmp() throws {
        func source(_ text: String) -> SourceMetadata {
            SourceMetadata(of: jpeg([SourceMetadata.xmpMark + Array(text.utf8)]))
        }
        let plain = source(
            XMPText.packet(
                "<tiff:Orientation>8</tiff:Orientation><tiff:ImageWidth>9</tiff:ImageWidth>", "dc:source='6'"))
        let text = String(decoding: try #require(plain.xmp), as: UTF8.self)
        #expect(text.contains("<tiff:Orientation>1</tiff:Orientation>") && text.contains("<dc:source>6</dc:source>"))
        #expect(!text.contains("ImageWidth"))
        #expect(plain.leftOut.isEmpty)
        let mapped = source(
            XMPText.packet(
                "<Container:Directory><rdf:Seq/></Container:Directory><HDRGainMap:V>1</HDRGainMap:V><dc:rights>Me</dc:rights>",
                "hdrgm:Version=\"1.0\" dc:source='b'\n  xmpNote:HasExtendedXMP='12'"))
        #expect(
            mapped.leftOut == [
                "the picture's gain map for HDR screens is left out", "the second part of the XMP data is left out",
            ])
        let kept = String(decoding: try #require(mapped.xmp), as: UTF8.self)
        #expect(kept.contains("<dc:source>b</dc:source>") && kept.contains("<dc:rights>Me</dc:rights>"))
        #expect(!["hdrgm", "Container", "HDRGainMap", "xmpNote"].contains { kept.contains($0) }, "\(kept)")
        for damaged in ["<x hdrgm:V", "<x hdrgm:V=\"1>", "<hdrgm:V>1</x>", "<hdrgm:", " hdrgm:", "", "\u{FEFF}"] {
            #expect(source(damaged).xmp == nil, "\(damaged)")
            #expect(
                source(damaged).leftOut.last?.hasPrefix("the XMP data is left out: it is damaged") == true, "\(damaged)"
            )
        }
        let entities = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>]>" + XMPText.packet("<dc:rights>&a;&a;</dc:rights>")
        #expect(source(entities).xmp == nil && source(entities).leftOut.count == 1)
        let deep = String(repeating: "<dc:a>", count: 100) + String(repeating: "</dc:a>", count: 100)
        #expect(source(XMPText.packet(deep)).xmp == nil && source(XMPText.packet(deep)).leftOut.count == 1)
    }

    @Test("That a file has further pictures is said")
    func sequences() {
        let said = ["only the first picture of the file is taken"]
        // Two directories of one entry each, the second of the kind that is given; nil: no second one.
        func tiff(_ kind: UInt8?) -> [UInt8] {
            let entry: [UInt8] = [0, 1, 4, 0, 1, 0, 0, 0, 5, 0, 0, 0]
            let first: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0] + entry
            guard let kind else { return first + [0, 0, 0, 0] }
            return first + [26, 0, 0, 0, 1, 0, 254, 0, 4, 0, 1, 0, 0, 0, kind, 0, 0, 0, 0, 0, 0, 0]
        }
        #expect(SourceMetadata(of: tiff(0)).leftOut == said)
        #expect(SourceMetadata(of: tiff(1)).leftOut.isEmpty && SourceMetadata(of: tiff(nil)).leftOut.isEmpty)
        func webp(_ flags: UInt8) -> [UInt8] {
            Array("RIFF".utf8) + [30, 0, 0, 0] + Array("WEBPVP8X".utf8) + [10, 0, 0, 0, flags]
                + [UInt8](repeating: 0, count: 9)
        }
        #expect(SourceMetadata(of: webp(2)).leftOut == said && SourceMetadata(of: webp(4)).leftOut.isEmpty)
        #expect(SourceMetadata(of: [0, 0, 0, 12] + Array("ftypavis".utf8)).leftOut == said)
        func gif(_ frames: Int) -> [UInt8] {
            // A global table of two colours, an extension, then frames of one pixel.
            let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x21, 0xFE, 1, 65, 0]
            let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 9, 9, 9, 8, 8, 8, 2, 2, 0x44, 1, 0]
            return head + (0..<frames).flatMap { _ in frame } + [0x3B]
        }
        #expect(SourceMetadata(of: gif(2)).leftOut == said && SourceMetadata(of: gif(1)).leftOut.isEmpty)
        for count in 6..<gif(2).count { _ = SourceMetadata(of: Array(gif(2).prefix(count))) }
        let png = MinimalPNGWriter.png(gray: [1], size: PixelSize(width: 1, height: 1))
        #expect(SourceMetadata(of: png).leftOut.isEmpty)
        let animated =
            Array(png[..<33]) + [0, 0, 0, 8] + Array("acTL".utf8) + [UInt8](repeating: 0, count: 12) + png[33...]
        #expect(SourceMetadata(of: animated).leftOut == said)
    }

    @Test("What is too large or damaged is left out, and said to be")
    func leftOut() {
        func leftOut(_ mark: [UInt8], _ bytes: [UInt8]) -> [String] { SourceMetadata(of: jpeg([mark + bytes])).leftOut }
        // What lies behind the values is not taken along.
        #expect(leftOut(ExifSegment.mark, exif(isLittle: true) + Array(repeating: 1, count: 65_000)).isEmpty)
        #expect(leftOut(ExifSegment.mark, [1, 2, 3]) == ["the EXIF data is left out: it is damaged"])
        let large = XMPText.packet("<dc:source>\(String(repeating: "&quot;", count: 10_000))</dc:source>")
        #expect(leftOut(SourceMetadata.xmpMark, Array(large.utf8)).isEmpty)
        let larger = XMPText.packet("<dc:source>\(String(repeating: "&#34;", count: 12_900))</dc:source>")
        #expect(
            leftOut(SourceMetadata.xmpMark, Array(larger.utf8)).first?
                .hasPrefix("the XMP data is left out: it has 7") == true)
        let history = XMPText.packet(
            "<photoshop:DocumentAncestors>\(String(repeating: "&#34;", count: 12_500))</photoshop:DocumentAncestors>"
                + "<dc:source>Kept</dc:source>")
        let shorter = SourceMetadata(of: jpeg([SourceMetadata.xmpMark + Array(history.utf8)]))
        #expect(shorter.xmp?.holds("Kept") == true && shorter.leftOut.first?.contains("its history") == true)
        #expect(leftOut(SourceMetadata.xmpMark, [0xFF]).first?.hasPrefix("the XMP data is left out: it is") == true)
        #expect(leftOut(ExifSegment.mark, exif(isLittle: true)).isEmpty)
    }

    @Test("Author and rights are those of the tags, also of a TIFF, with its XMP")
    func author() throws {
        let inJPEG = SourceMetadata(of: jpeg([ExifSegment.mark + exif(isLittle: false)]))
        #expect(inJPEG.author == "Me" && inJPEG.copyright == nil)
        var tags = TagDirectory()
        tags[256] = .long([7])
        tags[271] = .text("Maker")
        tags[315] = .text("Zoë Painter ")
        tags[33432] = .text("Ⓒ Zoë")
        tags[700] = .byte(Array(XMPText.packet("<dc:source>b</dc:source>").utf8))
        let tiff = SourceMetadata(of: [0x49, 0x49, 42, 0, 8, 0, 0, 0] + tags.bytes(at: 8))
        #expect(tiff.author == "Zoë Painter" && tiff.copyright == "Ⓒ Zoë")
        let kept = try #require(tiff.exif.flatMap { ExifTree($0) })
        #expect(kept.text(271) == "Maker" && kept.values[.main]?[256] == nil)
        #expect(tiff.xmp?.holds("<dc:source>b</dc:source>") == true)
        tags[315] = .undefined([0x5A, 0x6F, 0xEB, 0, 0x41])
        #expect(ExifTree([0x49, 0x49, 42, 0, 8, 0, 0, 0] + tags.bytes(at: 8))?.text(315) == "Zoë")
    }

    @Test("A PNG is turned as its EXIF data say, also where they lie behind the pixels", arguments: [true, false])
    func turnedPNG(isBehind: Bool) throws {
        let size = PixelSize(width: 3, height: 2)
        func pixels(_ order: [UInt8]) -> [UInt8] { order.flatMap { [$0 * 40, 0, $0, 255] } }
        var png = MinimalPNGWriter.png(rgba: pixels([0, 1, 2, 3, 4, 5]), size: size)
        let type = Array("eXIf".utf8) + exif(isLittle: false)
        let chunk = bigEndian(UInt32(type.count - 4)) + type + bigEndian(crc32(type))
        png.insert(contentsOf: chunk, at: isBehind ? png.count - 12 : 33)
        let place = Place(file: "a.png")
        #expect(try PNGImages().header(png, place: place).size == PixelSize(width: 2, height: 3))
        let turned = try PNGDecoder.decodeRGBA(png, place: place)
        #expect(turned.size == PixelSize(width: 2, height: 3))
        #expect(turned.rgba == pixels([3, 0, 4, 1, 5, 2]))
        #expect(SourceMetadata(of: png).exif.map { ImageOrientation(exif: $0[...]) } == .upright)
    }

    @Test("A project keeps EXIF and XMP when it is written and read")
    func written() throws {
        var project = Project(canvasSize: PixelSize(width: 3, height: 2))
        project.metadata.exif = exif(isLittle: true)
        project.metadata.xmp = Array("<x/>".utf8)
        project.metadata.density = PictureDensity(across: 300, down: 203.2)
        let read = try ProjectReader.read(
            try ProjectWriter.write(project), file: "a.ink", limits: Limits())
        #expect(read.project.metadata == project.metadata)
        #expect(read.warnings.isEmpty)
    }
}

/// Packets of XMP for tests.
enum XMPText {
    /// - Parameters:
    ///   - elements: properties as elements.
    ///   - attributes: properties as attributes.
    static func packet(_ elements: String, _ attributes: String = "") -> String {
        let spaces: KeyValuePairs = [
            "dc": XMPData.Namespace.dc, "xmp": XMPData.Namespace.xmp, "tiff": XMPData.Namespace.tiff,
            "exif": XMPData.Namespace.exif, "photoshop": XMPData.Namespace.photoshop,
            "xmpNote": XMPData.Namespace.note, "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/",
            "HDRGainMap": "http://ns.apple.com/HDRGainMap/1.0/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
            "Container": "http://ns.google.com/photos/1.0/container/",
            "GDepth": "http://ns.google.com/photos/1.0/depthmap/", "odd": "http://example.org/odd/",
            "iptc": XMPData.Namespace.iptcExtension,
        ]
        let declared = spaces.map { "xmlns:\($0.key)=\"\($0.value)\"" }.joined(separator: " ")
        return "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"\(XMPData.Namespace.rdf)\">"
            + "<rdf:Description rdf:about=\"\" \(declared) \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
    }
}
