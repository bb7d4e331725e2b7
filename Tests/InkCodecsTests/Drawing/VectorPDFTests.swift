import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as PDF of lines")
struct VectorPDFTests {
    private final class Made {
        var file: [UInt8] = []
        var images: [VectorImage] = []
        var warnings: [ReadingWarning] = []
        /// The image that stands for all.
        var image: [UInt8] = []
        var pdf: PDFReader { get throws { try #require(PDFReader(file)) } }

        func page() throws -> String {
            let pdf = try pdf
            return try #require(pdf.page)
        }

        /// What is drawn on the page.
        func contents() throws -> String {
            let (pdf, page) = (try pdf, try page())
            let number = try #require(pdf.reference("/Contents", in: page))
            let text = try pdf.text(number)
            return try #require(text)
        }

        /// The dictionaries and contents of all forms.
        func forms() throws -> [(dictionary: String, text: String)] {
            let pdf = try pdf
            return try (1...pdf.objectCount).compactMap { number in
                guard let dictionary = pdf.object(number), dictionary.contains("/Subtype /Form") else { return nil }
                guard let text = try pdf.text(number) else { return nil }
                return (dictionary, text)
            }
        }
    }

    private static let canvas = PixelSize(width: 100, height: 80)
    private static let image = EncodedImage(
        bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "image")

    private func made(
        _ layers: [Layer], background: RGBA8 = .white, options: PictureOptions = PictureOptions(),
        text: [PictureText] = [], bleed: Int? = nil
    ) throws -> Made {
        let made = Made()
        let size = PixelSize(width: 3, height: 2)
        let head = PictureHead(size: size, pixels: .rgba, encoding: PictureEncoding(format: .pdf))
        made.image = try pictureFile((0..<24).map { UInt8($0 * 9) }, head)
        var options = options
        options.encoding = PictureEncoding(format: .vectorPDF, bleed: bleed)
        let drawn = try DrawnPicture(
            Project(canvasSize: Self.canvas, background: background, layers: layers), options: options,
            output: PixelSize(width: 200, height: 160), name: "a.ink",
            description: PictureDescription(
                dotsPerInch: options.dotsPerInch, text: text,
                digest: options.digest.flatMap { PictureDigest(bytes: $0) }))
        let picture = VectorPicture(
            drawn,
            tools: VectorPictureTools(
                write: { (bytes) throws(EngineError) in made.file += bytes },
                image: { (image) throws(EngineError) in
                    made.images.append(image)
                    return made.image
                }, isCancelled: { false }))
        made.warnings = try picture.write()
        try expectSurvey(of: drawn, made.images, made.warnings)
        return made
    }

    private func line(_ brush: Brush, mode: StrokeMode = .paint, pressure: Double = 1) -> Stroke {
        Stroke(
            brush: brush, mode: mode,
            points: [StrokePoint(x: 20, y: 20, pressure: pressure), StrokePoint(x: 80, y: 60)])
    }

    @Test("The page has the picture's size, the boxes and the texts of other PDF files")
    func page() throws {
        let text = [PictureText(.title, "Rose (1)"), PictureText(.software, "ink")]
        let made = try made([], options: PictureOptions(dotsPerInch: 144), text: text, bleed: 9000)
        let pdf = try made.pdf
        let page = try #require(pdf.page)
        #expect(page.contains("/MediaBox [0 0 100 80] /BleedBox [0 0 100 80] /TrimBox [9 9 91 71]"))
        let info = try #require(pdf.reference("/Info", in: pdf.trailer).flatMap(pdf.object))
        #expect(info.contains(#"/Title (Rose \(1\))"#))
        let catalog = try #require(pdf.reference("/Root", in: pdf.trailer).flatMap(pdf.object))
        #expect(pdf.reference("/DestOutputProfile", in: catalog).flatMap(pdf.stream)?.bytes == SRGBProfile.bytes)
        #expect(pdf.reference("/Metadata", in: catalog).flatMap(pdf.stream) != nil)
        #expect(try made.contents() == "/G1 gs\n1 0 0 -1 0 80 cm\n1 1 1 rg\n0 0 100 80 re f\n")
        #expect(try self.made([], background: .transparent).contents() == "/G1 gs\n2 0 0 -2 0 160 cm\n")
        #expect(throws: EngineError.self) { try self.made([], bleed: 90_000) }
        #expect(throws: EngineError.self) { try self.made([], options: PictureOptions(dotsPerInch: 0.5)) }
    }

    @Test("Strokes are drawn into the page; what stays as it is is not said again")
    func strokes() throws {
        let brush = Brush(type: .solid, lineWidth: 3, color: RGBA8(red: 255, green: 0, blue: 0))
        let contents = try made([Layer(strokes: [line(brush), line(brush)])], background: .transparent).contents()
        let stroke = "20 20 m\n80 60 l\nS\n"
        #expect(contents == "/G1 gs\n2 0 0 -2 0 160 cm\n1 0 0 RG\n3 w\n1 J\n1 j\n\(stroke)\(stroke)")
        var wide = Brush(type: .solid, opacity: 0.5, lineWidth: 9)
        wide.dynamics.pressureAffectsSize = true
        let area = try made([Layer(strokes: [line(wide, pressure: 0)])], background: .transparent)
        #expect(try area.contents().hasSuffix("h\nf\n") && area.contents().contains("/A5000 gs\n0 0 0 rg\n"))
        #expect(try area.page().contains("/A5000 << /CA 0.5 /ca 0.5 >>"))
    }

    @Test(
        "Stamps are forms of one shape, each with its alpha",
        arguments: [BrushType.parallelLines, .crossHatch, .dots, .waves])
    func stamps(type: BrushType) throws {
        let brush = Brush(type: type, spacing: 12, opacity: 0.5)
        let made = try made([Layer(strokes: [line(brush, pressure: 0.5), line(brush)])])
        let contents = try made.contents()
        #expect(contents.matches(of: /q 1 0 0 1 \S+ \S+ cm \/X\d+ Do Q/).count == 14)
        #expect(Set(contents.matches(of: /\/A(\d+) gs/).map(\.1)).count == 7)
        let forms = try made.forms()
        #expect(forms.count == 1)
        let counts: [BrushType: Int] = [.parallelLines: 7, .crossHatch: 14, .dots: 121, .waves: 7]
        #expect(forms[0].text.count { $0 == "m" } == counts[type] && forms[0].text.hasSuffix("S\n"))
        #expect(contents.contains("1 J\n") == (type == .dots) && contents.contains("1 j\n") == (type == .waves))
        var turning = Brush(type: type, spacing: 12)
        turning.dynamics = BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true)
        let scaled = try self.made([Layer(strokes: [line(turning, pressure: 0)])]).contents()
        #expect(scaled.contains("q .5 0 0 .5 20 20 cm"))
    }

    @Test("A pattern that lies still is clipped by the outline of the stroke, and the clip ends with it")
    func canvasPatterns() throws {
        let brush = Brush(rotation: 20, spacing: 5, anchor: .canvas, size: 10)
        let solid = Brush(type: .solid, lineWidth: 2)
        let contents = try made([Layer(strokes: [line(brush), line(solid)])], background: .transparent).contents()
        let match = try #require(contents.firstMatch(of: /q\n(\d[^a-z]* [mlh]\n|h\n)+W n\n/))
        let rest = contents[match.range.upperBound...]
        let end = try #require(rest.firstRange(of: "S\nQ\n"))
        #expect(rest[end.upperBound...].hasPrefix("0 0 0 RG\n2 w\n1 J\n1 j\n"))
    }

    @Test("Lines thinner than a pixel are areas, which no reader makes wider")
    func thinLines() throws {
        func contents(_ brush: Brush, to end: StrokePoint = StrokePoint(x: 80, y: 20)) throws -> String {
            let stroke = Stroke(brush: brush, points: [StrokePoint(x: 20, y: 20), end])
            return try made([Layer(strokes: [stroke])], background: .transparent).contents()
        }
        // Two output pixels for each of the canvas.
        let thin = try contents(Brush(type: .solid, lineWidth: 0.4))
        #expect(
            thin == "/G1 gs\n2 0 0 -2 0 160 cm\n0 0 0 rg\n"
                + "19.8429 20.2 m\n80.1571 20.2 l\n80.1571 19.8 l\n19.8429 19.8 l\nh\nf\n")
        #expect(try contents(Brush(type: .solid, lineWidth: 0.6)).hasSuffix("S\n"))
        let dot = try contents(Brush(type: .solid, lineWidth: 0.4), to: StrokePoint(x: 20, y: 20))
        #expect(dot.hasSuffix("h\nf\n") && dot.count { $0 == "l" } == 7)
        let stamps = try made([Layer(strokes: [line(Brush(type: .crossHatch, lineWidth: 0.4))])])
        let forms = try stamps.forms()
        let form = try #require(forms.first)
        #expect(form.text.hasSuffix("f\n") && form.text.count { $0 == "h" } == 14)
        #expect(try stamps.contents().contains("0 0 0 rg\n") && !stamps.contents().contains("RG"))
        let pattern = Brush(type: .waves, spacing: 5, lineWidth: 0.4, anchor: .canvas, size: 10)
        #expect(try contents(pattern).contains(" rg\n") && contents(pattern).hasSuffix("f\nQ\n"))
    }

    @Test("A layer that is simply drawn is no group; opacity, mode and mask need one")
    func groups() throws {
        let plain = Layer(strokes: [line(Brush(type: .solid))])
        #expect(try made([plain]).forms().isEmpty)
        var group = Layer(id: "g")
        group.kind = .group([plain, plain], isPassThrough: false)
        #expect(try made([group]).forms().isEmpty)
        var faint = plain
        (faint.opacity, faint.blendMode) = (0.5, .colorDodge)
        let made = try made([faint])
        let forms = try made.forms()
        let form = try #require(forms.first)
        #expect(form.dictionary.contains("/Group << /S /Transparency /CS /DeviceRGB /I true >>"))
        #expect(form.dictionary.contains("/BBox [0 0 100 80]"))
        let page = try made.page()
        #expect(page.contains("/G2 << /CA 0.5 /ca 0.5 /BM /ColorDodge >>"))
        #expect(try made.contents().hasSuffix("Do Q\n"))
        // What is blended inside of a group is blended with nothing below.
        group.kind = .group([plain, faint], isPassThrough: false)
        #expect(try self.made([group]).forms().count == 2)
        let erased = try self.made([Layer(strokes: [line(Brush(type: .solid)), line(Brush(), mode: .erase)])])
        let page2 = try erased.page()
        let mask = try #require(page2.firstMatch(of: /\/SMask << \/S \/Luminosity \/G (\d+) 0 R >>/))
        let text = try erased.pdf.text(Int(mask.1) ?? 0) ?? ""
        #expect(text.hasPrefix("/G1 gs\n1 1 1 rg\n0 0 100 80 re f\n0 0 0 RG\n"))
    }

    @Test("A mode that PDF lacks makes an image of the layer and all below it", arguments: BlendMode.allCases)
    func modes(mode: BlendMode) throws {
        let solid = Brush(type: .solid)
        let layers = [
            Layer(id: "a", strokes: [line(solid)]), Layer(id: "b", blendMode: mode, strokes: [line(solid)]),
            Layer(id: "c", strokes: [line(solid)]),
        ]
        let made = try made(layers)
        let contents = try made.contents()
        if made.images.isEmpty {
            #expect(made.warnings.isEmpty && contents.count { $0 == "S" } == (mode == .normal ? 3 : 2))
            let name = mode.rawValue.prefix(1).uppercased() + mode.rawValue.dropFirst()
            #expect(try made.page().contains("/BM /\(name) ") == (mode != .normal))
            return
        }
        #expect(made.images.map { $0.layers.map(\.id) } == [["a", "b"]] && made.images[0].format == .pdf)
        #expect(made.warnings.map(\.path) == ["layers[1]"] && made.warnings[0].reason.contains("the pdf file"))
        #expect(contents.hasPrefix("/G1 gs\n2 0 0 -2 0 160 cm\nq 100 0 0 -80 0 80 cm /X"))
    }

    @Test("The streams of an image are those of its file")
    func images() throws {
        let made = try made([Layer(contentImage: Self.image)])
        #expect(made.images.count == 1)
        let pdf = try made.pdf
        let number = try #require(
            (1...pdf.objectCount).first {
                pdf.object($0)?.contains("/Width 3 /Height 2 /ColorSpace /DeviceRGB") == true
            })
        let own = try #require(PDFReader(made.image))
        let image = try #require(pdf.stream(number))
        #expect(image.bytes == own.stream(PDFAssembler.Numbers.image)?.bytes)
        let mask = try #require(pdf.reference("/SMask", in: image.dictionary).flatMap(pdf.stream))
        #expect(mask.bytes == own.stream(PDFAssembler.Numbers.mask)?.bytes)
        #expect(try made.page().contains("/X\(number) \(number) 0 R"))
    }

    @Test("The digest counts only in a file that is complete and unchanged; pages of lines go into books")
    func seal() throws {
        let digest = try #require(PictureDigest(bytes: [UInt8](repeating: 0xA5, count: 32)))
        let layers = [Layer(opacity: 0.5, strokes: [line(Brush(spacing: 3))])]
        let options = PictureOptions(digest: digest.bytes)
        let file = try made(layers, options: options).file
        #expect(try made(layers, options: options).file == file)
        try expectDigest(digest, of: file, by: VectorPDFCodec())
        let pixels = try made([]).image
        var bytes: [UInt8] = []
        var book = PDFBook(software: "ink 1") { bytes += $0 }
        try book.begin()
        for page in [file, pixels, file] {
            let source = PDFBook.Source(byteCount: page.count) { (count, offset) throws(EngineError) in
                Array(page[offset..<(offset + count)])
            }
            try book.add(source, place: Place(file: "a.pdf"))
        }
        try book.end()
        let reader = try #require(PDFReader(bytes))
        #expect(reader.pages.count == 3)
        let own = try #require(PDFReader(file))
        for index in [0, 2] {
            let contents = try #require(reader.reference("/Contents", in: reader.pages[index]))
            // Names stay, and say what the numbers were.
            #expect(try reader.text(contents) == made(layers, options: options).contents())
            let form = try #require(reader.pages[index].firstMatch(of: /\/XObject << \/X(\d+) (\d+) 0 R/))
            #expect(try reader.text(Int(form.2) ?? 0) == own.text(Int(form.1) ?? 0))
        }
    }
}
