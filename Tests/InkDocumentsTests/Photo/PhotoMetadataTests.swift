import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// What photos say about themselves in other ways than EXIF and XMP, and what `--keep` keeps of it.
@Suite("What a photo says about itself")
struct PhotoMetadataTests {
    // MARK: - Files

    private func jpeg(_ segments: [(UInt8, [UInt8])], behind: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8] + segments.flatMap { JPEGMarker.segment($0.0, $0.1) }
            + JPEGMarker.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0xFF, 0xD9] + behind
    }

    private func png(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        let plain = MinimalPNGWriter.png(gray: [1], size: PixelSize(width: 1, height: 1))
        return Array(plain[..<33]) + chunks.flatMap { PNGStream.chunk($0.0, $0.1) } + plain[33...]
    }

    private func dataset(_ record: UInt8, _ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        [0x1C, record, number, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] + value
    }

    private func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + [UInt8(number >> 8), UInt8(number & 0xFF), 0, 0] + bigEndian(UInt32(data.count)) + data
            + (data.count % 2 == 0 ? [] : [0])
    }

    private func iptc(_ values: [(UInt8, String)]) -> [UInt8] {
        dataset(1, 90, [0x1B, 0x25, 0x47]) + values.flatMap { dataset(2, $0.0, Array($0.1.utf8)) }
    }

    private let photoshopMark = Array("Photoshop 3.0\0".utf8)

    private func text(_ source: SourceMetadata) -> String { String(decoding: source.xmp ?? [], as: UTF8.self) }

    /// As ImageMagick writes profiles into texts.
    private func digits(_ name: String, _ bytes: [UInt8], said: Int? = nil) -> [UInt8] {
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        let lines = stride(from: 0, to: hex.count, by: 36).map { hex[$0..<min(hex.count, $0 + 36)].joined() }
        let count = String(said ?? bytes.count)
        let padded = String(repeating: " ", count: max(0, 8 - count.utf8.count)) + count
        return Array("\n\(name)\n\(padded)\n\(lines.joined(separator: "\n"))\n".utf8)
    }

    // MARK: - IPTC

    @Test("A caption in IPTC is lost")
    func captionLost() throws {
        let data = iptc([
            (5, "Title"), (25, "harbour"), (25, "Dusk"), (55, "20260504"), (60, "102030+0200"), (80, "A. Painter"),
            (90, "Kiel"), (95, "Holstein"), (101, "Germany"), (105, "Head"), (110, "Agency"), (115, "Source"),
            (116, "(c) A. Painter"), (118, "a@example.org"), (120, "A caption & more"), (4, "001:Current"),
            (12, "IPTC:01000000:arts::"), (37, "20300101"),
        ])
        let source = SourceMetadata(
            of: jpeg([
                (
                    0xED,
                    photoshopMark + resource(1028, data) + resource(1034, [1])
                        + resource(1035, Array("https://a.example".utf8))
                )
            ]))
        let xmp = try XMPData(try #require(source.xmp))
        typealias Space = XMPData.Namespace
        let expected: [(String, String, String)] = [
            (Space.dc, "title", "Title"), (Space.dc, "subject", "harbour"), (Space.dc, "creator", "A. Painter"),
            (Space.dc, "rights", "(c) A. Painter"), (Space.dc, "description", "A caption & more"),
            (Space.photoshop, "City", "Kiel"), (Space.photoshop, "State", "Holstein"),
            (Space.photoshop, "Country", "Germany"), (Space.photoshop, "Headline", "Head"),
            (Space.photoshop, "Credit", "Agency"), (Space.photoshop, "Source", "Source"),
            (Space.photoshop, "DateCreated", "2026-05-04T10:20:30+02:00"),
            (Space.iptcCore, "CreatorContactInfo", "a@example.org"), (Space.iptcCore, "IntellectualGenre", "Current"),
            (Space.iptcCore, "SubjectCode", "01000000"), (Space.rights, "Marked", "True"),
            (Space.rights, "WebStatement", "https://a.example"),
        ]
        for (space, name, value) in expected { #expect(xmp.text(.init(space, name)) == value, "\(name)") }
        #expect(text(source).contains("<rdf:li>Dusk</rdf:li>"))
        #expect(source.author == "A. Painter" && source.copyright == "(c) A. Painter")
        #expect(source.leftOut == ["the IPTC data 2:37 is left out: XMP has no like"])
    }

    @Test("IPTC is found in each place where programs have put it")
    func places() throws {
        let data = iptc([(120, "Caption")])
        let swapped = TagValue(kind: 4, count: 0, bytes: data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4))
            .swapped
        func tiff(_ tag: UInt16, _ value: TagDirectory.Value) -> [UInt8] {
            var tags = TagDirectory()
            tags[tag] = value
            return [0x49, 0x49, 42, 0, 8, 0, 0, 0] + tags.bytes(at: 8)
        }
        // In two segments, cut in the middle.
        let resources = photoshopMark + resource(1005, [UInt8](repeating: 0, count: 16)) + resource(1028, data)
        let half = resources.count - 12
        let files: [String: [UInt8]] = [
            "JPEG": jpeg([(0xED, resources)]),
            "JPEG in two segments": jpeg([
                (0xED, Array(resources[..<half])), (0xED, photoshopMark + resources[half...]),
            ]),
            "TIFF 33723": tiff(33723, .undefined(data)), "TIFF 33723 swapped": tiff(33723, .undefined(swapped)),
            "TIFF 33723 with resources": tiff(33723, .byte(resource(1028, data))),
            "TIFF 34377": tiff(34377, .byte(resource(1028, data))),
            "PNG iptc": png([("tEXt", Array("Raw profile type iptc\0".utf8) + digits("iptc", data))]),
            "PNG iptc with resources": png([
                ("tEXt", Array("Raw profile type iptc\0".utf8) + digits("iptc", resource(1028, data)))
            ]),
            "PNG 8bim": png([("tEXt", Array("Raw profile type 8bim\0".utf8) + digits("8bim", resource(1028, data)))]),
        ]
        for (name, file) in files {
            let source = SourceMetadata(of: file)
            #expect(text(source).contains(">Caption<"), "\(name)")
            #expect(source.leftOut.isEmpty, "\(name): \(source.leftOut)")
        }
    }

    @Test("Texts of IPTC are read in the characters that they are written in")
    func characters() {
        func caption(_ set: [UInt8]?, _ bytes: [UInt8]) -> String? {
            IPTCData((set.map { dataset(1, 90, $0) } ?? []) + dataset(2, 120, bytes)).values[120]?.first
        }
        #expect(caption([0x1B, 0x25, 0x47], Array("Zoë".utf8)) == "Zoë")
        #expect(caption(nil, Array("Zoë".utf8)) == "Zoë")
        #expect(caption(nil, [0x5A, 0x6F, 0xEB, 0x20, 0x93, 0x41, 0x94]) == "Zoë “A”")
        #expect(caption([0x1B, 0x2E, 0x41], [0x5A, 0xEB]) == "Zë")
        #expect(caption([0x1B, 0x25, 0x47], [0x5A, 0xEB]) == "Zë")
    }

    @Test("Where XMP says the same, XMP counts")
    func xmpWins() {
        let packet = XMPText.packet(
            "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>New</rdf:li></rdf:Alt></dc:description>")
        let source = SourceMetadata(
            of: jpeg([
                (0xE1, SourceMetadata.xmpMark + Array(packet.utf8)),
                (0xED, photoshopMark + resource(1028, iptc([(120, "Old"), (105, "Head")]))),
            ]))
        #expect(text(source).contains("New") && !text(source).contains("Old") && text(source).contains(">Head<"))
    }

    @Test("Damaged IPTC, resources, texts and indices are read without harm")
    func damaged() {
        let data = iptc([(120, "Caption"), (25, "a"), (55, "20260504"), (60, "102030+0200"), (116, "Rights")])
        let resources = photoshopMark + resource(1028, data) + resource(1035, Array("https://a.example".utf8))
        let index: [UInt8] =
            Array("MPF\0".utf8) + [
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0xB0, 2, 0, 7, 0, 0, 0, 32, 0, 0, 0, 26, 0, 0, 0, 0,
            ]
            + [UInt8](repeating: 0, count: 32)
        let files = [
            jpeg([(0xE0, Array("JFIF\0".utf8) + [1, 2, 1, 1, 44, 1, 44, 0, 0]), (0xED, resources), (0xE2, index)]),
            png([
                ("pHYs", [0, 0, 46, 35, 0, 0, 46, 35, 1]),
                ("tEXt", Array("Raw profile type iptc\0".utf8) + digits("iptc", data)),
                ("zTXt", Array("Comment\0\0".utf8) + [0x78, 0x9C, 0x4B, 0x04, 0, 0, 0x62, 0, 0x62]),
                (
                    "iTXt",
                    Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(XMPText.packet("<dc:rights>a</dc:rights>").utf8)
                ),
            ]),
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE, 3, 65, 66, 67, 0, 0x21, 0xFF, 11]
                + Array("XMP DataXMP".utf8) + Array(XMPText.packet("<dc:rights>a</dc:rights>").utf8) + [
                    1, 0xFF, 0xFE, 0, 0x3B,
                ],
        ]
        let seed: UInt64 = 46
        var random = SeededGenerator(seed: seed)
        for (number, file) in files.enumerated() {
            #expect(SourceMetadata(of: file).xmp != nil, "file \(number)")
            for count in stride(from: 0, to: file.count, by: 3) { _ = SourceMetadata(of: Array(file[..<count])) }
            for trial in 0..<500 {
                var bytes = file
                for _ in 0..<3 {
                    bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let source = SourceMetadata(of: bytes)
                if let xmp = source.xmp {
                    #expect((try? XMPData(xmp)) != nil, "seed \(seed), file \(number), trial \(trial)")
                }
                #expect(source.exif.map { ExifTree($0) != nil } ?? true, "seed \(seed), file \(number), trial \(trial)")
            }
        }
    }

    // MARK: - Resolution

    @Test("A photo loses its resolution")
    func densityLost() throws {
        func density(_ file: [UInt8]) -> PictureDensity? { SourceMetadata(of: file).density }
        func square(_ dots: Double) -> PictureDensity? { PictureDensity(across: dots, down: dots) }
        func jfif(_ unit: UInt8, _ dots: UInt8) -> [UInt8] {
            jpeg([(0xE0, Array("JFIF\0".utf8) + [1, 2, unit, 1, dots, 1, dots, 0, 0])])
        }
        #expect(density(jfif(1, 44)) == square(300))
        #expect(density(jfif(0, 1)) == nil)
        #expect(density(jpeg([(0xE0, Array("JFIF\0".utf8) + [1, 2, 2, 0, 118, 0, 118, 0, 0])])) == square(300))
        func physical(_ unit: UInt8) -> [UInt8] { png([("pHYs", [0, 0, 46, 35, 0, 0, 46, 35, unit])]) }
        #expect(density(physical(1)) == square(300) && density(physical(0)) == nil)
        func tags(_ unit: UInt16?, _ across: UInt32, _ down: UInt32, orientation: UInt16 = 1) -> [UInt8] {
            var tags = TagDirectory()
            tags[274] = .short([orientation])
            tags[282] = .rational(across, 1)
            tags[283] = .rational(down, 1)
            tags[296] = unit.map { .short([$0]) }
            return [0x49, 0x49, 42, 0, 8, 0, 0, 0] + tags.bytes(at: 8)
        }
        #expect(density(tags(nil, 240, 240)) == square(240) && density(tags(1, 240, 240)) == nil)
        #expect(density(tags(3, 100, 100)) == square(254))
        #expect(density(tags(2, 204, 98, orientation: 6)) == PictureDensity(across: 98, down: 204))
        #expect(density(jpeg([(0xE1, ExifSegment.mark + tags(2, 72, 72))])) == square(72))
        #expect(density(tags(2, 0, 0)) == nil && density(tags(2, 4_000_000_000, 1)) == nil)
        let fixed: [UInt8] = [0, 150, 0, 0, 0, 1, 0, 1, 0, 150, 0, 0, 0, 1, 0, 1]
        #expect(density(jpeg([(0xED, photoshopMark + resource(1005, fixed))])) == square(150))
    }

    @Test("Only a picture in the photo's own size has the photo's resolution")
    func densityOfSizes() throws {
        var project = Project(canvasSize: PixelSize(width: 30, height: 20))
        project.metadata.density = PictureDensity(across: 300, down: 300)
        func density(_ width: Int, _ height: Int, _ change: (inout PictureOptions) -> Void = { _ in }) -> Double? {
            var options = PictureOptions()
            change(&options)
            return options.density(of: project, output: PixelSize(width: width, height: height))?.across
        }
        #expect(density(30, 20) == 300 && density(60, 40) == nil && density(30, 21) == nil)
        #expect(density(30, 20) { $0.dotsPerInch = 72 } == 72 && density(60, 40) { $0.dotsPerInch = 72 } == 72)
        #expect(density(30, 20) { $0.hasMetadata = false } == nil && density(30, 20) { $0.keeps = .copyright } == 300)
        // A page of a PDF that would be too large is as without it.
        let tiny = PictureDensity(across: 1, down: 1)
        #expect(PDFPage(fitting: PixelSize(width: 20_000, height: 10), PictureEncoding(), tiny).width == 20_000)
        #expect(PDFPage(fitting: PixelSize(width: 100, height: 10), PictureEncoding(), tiny).width == 7_200)
    }

    // MARK: - What stays behind

    @Test("XMP names a video that is no longer in the file")
    func motionPhoto() {
        let packet = XMPText.packet(
            "<Container:Directory><rdf:Seq/></Container:Directory><dc:source>Kept</dc:source>",
            "GCamera:MotionPhoto='1' GCamera:MicroVideoOffset='5000' GCamera:BurstID='x'")
        let video: [UInt8] = [0, 0, 0, 24] + Array("ftypmp42".utf8)
        let source = SourceMetadata(of: jpeg([(0xE1, SourceMetadata.xmpMark + Array(packet.utf8))], behind: video))
        #expect(!["MotionPhoto", "MicroVideo", "Container"].contains { text(source).contains($0) })
        #expect(text(source).contains("Kept") && text(source).contains("BurstID"))
        #expect(source.leftOut == [XMPData.video])
        // One that no XMP names.
        #expect(SourceMetadata(of: jpeg([], behind: video)).leftOut == [XMPData.video])
        let depth = XMPText.packet("", "GDepth:Near='1' GDepth:Mime='image/png'")
        let deep = SourceMetadata(of: jpeg([(0xE1, SourceMetadata.xmpMark + Array(depth.utf8))]))
        #expect(deep.leftOut == [XMPData.depth] && deep.xmp == nil)
    }

    @Test("What is left out of a file is said, once")
    func lost() {
        let credentials = Array("JP".utf8) + [0, 1, 0, 0, 0, 1, 0, 0, 0, 0] + Array("jumb....c2pa".utf8)
        #expect(SourceMetadata(of: jpeg([(0xEB, credentials), (0xEB, credentials)])).leftOut == [XMPData.credentials])
        #expect(SourceMetadata(of: png([("caBX", [1, 2])])).leftOut == [XMPData.credentials])
        func index(_ kind: [UInt8]) -> [UInt8] {
            Array("MPF\0".utf8) + [
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0xB0, 2, 0, 7, 0, 0, 0, 32, 0, 0, 0, 26, 0, 0, 0, 0,
            ]
                + [0, 3, 0, 0] + [UInt8](repeating: 0, count: 12) + kind + [UInt8](repeating: 0, count: 12)
        }
        #expect(SourceMetadata(of: jpeg([(0xE2, index([0, 0, 0, 0]))])).leftOut == [XMPData.otherPicture])
        // A smaller picture of the same is not missed.
        #expect(SourceMetadata(of: jpeg([(0xE2, index([0, 1, 0, 2]))])).leftOut.isEmpty)
        let odd = png([("tEXt", Array("parameters\0a cat".utf8)), ("tEXt", Array("date:create\0now".utf8))])
        #expect(SourceMetadata(of: odd).leftOut == ["the text \"parameters\" of the PNG is left out"])
    }

    @Test("Comments and texts become properties of XMP")
    func comments() {
        let gif =
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE, 2, 72, 105, 0, 0x21, 0xFF, 11]
            + Array("XMP DataXMP".utf8)
            + Array(XMPText.packet("<dc:rights>Me</dc:rights>").utf8) + [1, 0xFF, 0xFE, 0xFD, 0, 0x3B]
        #expect(text(SourceMetadata(of: gif)).contains(">Hi<") && SourceMetadata(of: gif).copyright == "Me")
        #expect(text(SourceMetadata(of: jpeg([(0xFE, Array("Hi\0".utf8))]))).contains("exif:UserComment"))
        let texts = png([
            ("tEXt", Array("Author\0Zo".utf8) + [0xEB]), ("tEXt", Array("Copyright\0Me".utf8)),
            ("tEXt", Array("Software\0x".utf8)),
        ])
        let source = SourceMetadata(of: texts)
        #expect(source.author == "Zoë" && source.copyright == "Me" && !text(source).contains("CreatorTool"))
    }

    // MARK: - PNG

    @Test("A PNG with EXIF as text stays on its side", arguments: ["exif", "EXIF", "APP1"])
    func rawProfileOrientation(kind: String) throws {
        var tags = TagDirectory()
        tags[274] = .short([6])
        tags[315] = .text("Me")
        let exif: [UInt8] = ExifSegment.mark + [0x49, 0x49, 42, 0, 8, 0, 0, 0] + tags.bytes(at: 8)
        let key = Array("Raw profile type \(kind)\0".utf8)
        func orientation(_ chunks: [(String, [UInt8])]) -> ImageOrientation { ImageOrientation(ofPNG: png(chunks)) }
        #expect(orientation([("tEXt", key + digits("exif", exif))]) == .quarterTurn)
        #expect(orientation([("iTXt", key + [0, 0, 0, 0] + digits("exif", exif))]) == .quarterTurn)
        #expect(SourceMetadata(of: png([("tEXt", key + digits("exif", exif))])).author == "Me")
        // The chunk for EXIF counts, wherever it is.
        var upright = TagDirectory()
        upright[274] = .short([1])
        let chunk = [0x49, 0x49, 42, 0, 8, 0, 0, 0] + upright.bytes(at: 8)
        #expect(orientation([("tEXt", key + digits("exif", exif)), ("eXIf", chunk)]) == .upright)
        for broken in [
            digits("exif", exif, said: exif.count + 1), digits("exif", exif, said: -1),
            Array("\nexif\n 9999999999999\n00".utf8),
            Array("exif".utf8), [], Array("\nexif\n  4\nzzzzzzzz".utf8),
        ] {
            #expect(orientation([("tEXt", key + broken)]) == .upright, "\(broken)")
        }
    }

    // MARK: - Keeping

    @Test("What is not kept is in no byte of EXIF and XMP", arguments: MetadataKinds.named.map(\.name))
    func keep(name: String) throws {
        let kinds = try #require(MetadataKinds.named.first { $0.name == name }?.kind)
        var main = TagDirectory()
        var camera = TagDirectory()
        var places = TagDirectory()
        main[315] = .text("is-copyright")
        main[270] = .text("is-caption")
        main[306] = .text("is-dates")
        main[271] = .text("is-camera")
        main[51000] = .text("is-none")
        camera[37500] = .undefined(Array("is-camera-notes".utf8))
        camera[42016] = .text("is-none")
        camera[36867] = .text("is-dates")
        camera[42033] = .text("is-camera")
        camera[37510] = .undefined(Array("is-caption".utf8))
        camera[42032] = .text("is-copyright")
        places[29] = .text("is-places")
        main[34665] = .long([0])
        main[34853] = .long([0])
        let cameraAt = 8 + main.bytes(at: 8).count
        let placesAt = cameraAt + camera.bytes(at: 0).count
        main[34665] = .long([UInt32(cameraAt)])
        main[34853] = .long([UInt32(placesAt)])
        var project = Project(canvasSize: PixelSize(width: 3, height: 2))
        project.metadata.exif =
            [0x49, 0x49, 42, 0, 8, 0, 0, 0] + main.bytes(at: 8) + camera.bytes(at: UInt64(cameraAt))
            + places.bytes(at: UInt64(placesAt))
        project.metadata.xmp = Array(
            XMPText.packet(
                "<dc:rights>is-copyright</dc:rights><dc:subject>is-caption</dc:subject><xmp:CreateDate>is-dates</xmp:CreateDate>"
                    + "<exif:FNumber>is-camera</exif:FNumber><exif:GPSLatitude>is-places</exif:GPSLatitude>"
                    + "<photoshop:City>is-places</photoshop:City><odd:a>is-none</odd:a><xmp:CreatorTool>is-none</xmp:CreatorTool>"
                    + "<iptc:LocationShown><rdf:Bag><rdf:li>is-places</rdf:li></rdf:Bag></iptc:LocationShown>"
            ).utf8)
        project.name = "is-caption"
        (project.metadata.author, project.metadata.license) = ("is-copyright", "is-copyright")
        project.createdAt = "2026-05-04"
        var options = PictureOptions()
        options.keeps = kinds
        let size = PixelSize(width: 3, height: 2)
        let description = options.description(of: project, output: size, software: "ink", digest: nil)
        let exif = try #require(ExifData.make(description, size))
        let xmp = try #require(XMPPacket.make(description))
        for other in MetadataKinds.named.map(\.name) + ["none"] {
            let isKept = other == name
            #expect(xmp.holds("is-\(other)") == isKept, "XMP: \(other)")
            #expect(exif.holds("is-\(other)") == isKept, "EXIF: \(other)")
            let texts = description.text.contains { $0.text == "is-\(other)" }
            #expect(texts == (isKept && ["caption", "copyright"].contains(other)), "texts: \(other)")
        }
        #expect(description.text(.creationTime) == (name == "dates" ? "2026-05-04" : nil))
        #expect(description.text(.software) == "ink" && description.hasProfile)
        options.keeps = .all
        let whole = options.description(of: project, output: size, software: "ink", digest: nil)
        #expect(whole.exif == project.metadata.exif && whole.xmp == project.metadata.xmp)
        #expect(options.canonicalText != PictureOptions(hasMetadata: false).canonicalText)
    }

    /// A row of the table in the documentation.
    private func row(_ name: String, _ kind: MetadataKinds) -> String {
        let named = MetadataKinds.tags.filter { $0.kind == kind }
            .flatMap { $0.names.sorted { $0.key < $1.key }.map(\.value) }
        let others =
            kind == .camera ? ["all others of the EXIF directory"] : kind == .places ? ["all of the GPS directory"] : []
        var properties = MetadataKinds.propertyKinds.filter { $0.kind == kind }.flatMap { entry in
            entry.names.sorted().map { "`\(XMPData.standardPrefixes[entry.namespace] ?? "?"):\($0)`" }
        }
        if kind == .places { properties.append("`exif:GPS*`") }
        properties += MetadataKinds.namespaceKinds.filter { $0.value == kind }
            .map { "`\(XMPData.standardPrefixes[$0.key] ?? "?"):*`" }.sorted()
        let project: [PictureText.Keyword: String] = [
            .title: "title", .author: "author", .copyright: "licence", .creationTime: "date",
        ]
        let texts = PictureText.Keyword.allCases.filter { $0.kind == kind }.compactMap { project[$0] }
        return "| `\(name)` | \((named + others).joined(separator: ", ")) | \(properties.joined(separator: ", "))"
            + " | \(texts.joined(separator: ", ")) |"
    }

    @Test("The documentation names what is of each kind", arguments: MetadataKinds.named.map(\.name))
    func documented(name: String) throws {
        let kind = try #require(MetadataKinds.named.first { $0.name == name }?.kind)
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/using-ink.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains(row(name, kind) + "\n"), "\(row(name, kind))")
    }

    @Test("Kinds of metadata make another picture, so that it is not taken for unchanged")
    func canonical() {
        var texts: Set<String> = []
        for raw in 1...MetadataKinds.all.rawValue {
            var options = PictureOptions()
            options.keeps = MetadataKinds(rawValue: raw)
            texts.insert(options.canonicalText)
        }
        #expect(texts.count == 31 && texts.contains(PictureOptions().canonicalText))
    }

    @Test("A PDF has no place for EXIF, and loses it")
    func exifInPDF() throws {
        var main = TagDirectory()
        var camera = TagDirectory()
        var places = TagDirectory()
        main[271] = .text("Maker & Sons")
        camera[36867] = .text("2026:05:04 10:20:30")
        camera[36881] = .text("+02:00")
        camera[33434] = .rational(1, 250)
        places[1] = .text("N")
        places[2] = .copied(
            TagValue(kind: 5, count: 3, bytes: [54, 1, 19, 1, 23, 2].flatMap { littleEndian(UInt32($0)) }))
        main[34665] = .long([0])
        main[34853] = .long([0])
        let cameraAt = 8 + main.bytes(at: 8).count
        let placesAt = cameraAt + camera.bytes(at: 0).count
        main[34665] = .long([UInt32(cameraAt)])
        main[34853] = .long([UInt32(placesAt)])
        var description = PictureDescription(text: [PictureText(.author, "Me")])
        description.exif =
            [0x49, 0x49, 42, 0, 8, 0, 0, 0] + main.bytes(at: 8) + camera.bytes(at: UInt64(cameraAt))
            + places.bytes(at: UInt64(placesAt))
        let data = try XMPData(try #require(XMPPacket.makeWithExif(description)))
        typealias Space = XMPData.Namespace
        #expect(data.text(.init(Space.tiff, "Make")) == "Maker & Sons" && data.text(.init(Space.dc, "creator")) == "Me")
        #expect(data.text(.init(Space.exif, "DateTimeOriginal")) == "2026-05-04T10:20:30+02:00")
        #expect(data.text(.init(Space.exif, "ExposureTime")) == "1/250")
        #expect(data.text(.init(Space.exif, "GPSLatitude")) == "54,19.191667N")
    }

    // MARK: - Colours

    @Test("That vivid colours are clipped is not said")
    func wideGamut() {
        #expect(FileColors(profile: SRGBProfile.bytes).warning == nil)
        #expect(FileColors(profile: [1, 2, 3]).warning == nil && FileColors().warning == nil)
        #expect(FileColors(coded: (1, 13)).warning == nil)
        #expect(FileColors(coded: (12, 13)).warning?.contains("Display P3") == true)
        #expect(FileColors(coded: (9, 16)).warning?.contains("BT.2020, PQ") == true)
        // The same profile, with the green of Display P3.
        var profile = SRGBProfile.bytes
        if let at = profile.firstRange(of: bigEndian(0x6299) + bigEndian(0xB785) + bigEndian(0x18DA))?.lowerBound {
            profile.replaceSubrange(at..<(at + 12), with: bigEndian(0x4ABD) + bigEndian(0xB137) + bigEndian(0x0ABA))
        }
        let warning = FileColors(profile: profile).warning
        #expect(warning == "its colours (sRGB) are converted to sRGB, which has fewer: the most vivid ones are clipped")
    }
}
