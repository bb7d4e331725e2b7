import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("SVG files as images of layers")
struct SVGTests {
    private static let place = Place(file: "a.svg")

    private static func svg(_ content: String, _ attributes: String = #"width="8" height="4""#) -> [UInt8] {
        Array(
            #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \#(attributes)>"#.utf8)
            + Array(content.utf8) + Array("</svg>".utf8)
    }

    private static func written(_ file: [UInt8]) throws -> String {
        String(decoding: try SVGDocument(reading: file, place: place).text, as: UTF8.self)
    }

    private static func decode(
        _ file: [UInt8], as use: ImageUse = .color, raster: VectorRaster? = nil
    ) throws -> (info: DecodedImageInfo, chunks: [DecodedChunk]) {
        var chunks: [DecodedChunk] = []
        let info = try ImageDecoders.decode(file, as: use, raster: raster, place: place) { chunks.append($0) }
        return (info, chunks)
    }

    @Test(
        "What needs other files, fonts, time or scripts is refused by name",
        arguments: [
            ("<text>a</text>", "<text> depends on the fonts"), ("<g><filter id='f'/></g>", "<filter> takes"),
            ("<script>1</script>", "<script> is not run"), ("<foreignObject/>", "<foreignObject> is not allowed"),
            ("<animate/>", "<animate> is not allowed"), ("<a href='#b'/>", "<a> is not allowed"),
            ("<image href='b.png'/>", "href of <image> is not a picture in the document"),
            ("<image xlink:href='file:///etc/passwd'/>", "is not a picture in the document"),
            ("<image href='data:image/svg+xml;base64,PHN2Zy8+'/>", "is not a picture in the document"),
            ("<image href='data:image/png;base64,AAAA'/>", "href of <image> is damaged"),
            ("<use href='b.svg#c'/>", "href of <use> refers to something outside"),
            ("<use xlink:href='http://b/#c'/>", "refers to something outside"),
            ("<linearGradient href='b.svg#c'/>", "refers to something outside"),
            ("<rect href='#c'/>", "href of <rect> is not allowed"),
            ("<rect fill='url(b.svg#c)'/>", "fill of <rect> refers to something outside"),
            ("<rect fill='URL( \"http://b\")'/>", "refers to something outside"),
            ("<rect style='fill:url(http://b)'/>", "refers to something outside"),
            ("<rect style='fill:u\\72l(http://b)'/>", "has a backslash"),
            ("<rect style='Filter /*:*/ : blur(9px)'/>", "style of <rect> has a filter"),
            ("<rect filter='url(#f)'/>", "filter of <rect> takes unbounded time"),
            ("<rect filter='blur(9px)'/>", "filter of <rect> takes unbounded time"),
            ("<rect systemLanguage='de'/>", "depends on the machine"),
            ("<style>@IMPORT 'b.css';</style>", "<style> has @import"),
            ("<style>.a{filter:blur(1px)}</style>", "<style> has a filter"),
            ("<style><g/></style>", "<style> has elements in it"),
            ("<?xml-stylesheet href='b.css'?>", "style sheet of its own"),
            ("<g id='a'><use href='#a'/></g>", "a <use> repeats itself"),
            ("<use id='a' href='#b'/><use id='b' href='#a'/>", "a <use> repeats itself"),
            (String(repeating: "<g>", count: 101) + String(repeating: "</g>", count: 101), "more than 100 deep"),
            ("<g>", "not well-formed"), ("&b;", "not well-formed"), ("<b:rect/>", "not well-formed"),
        ])
    func refusals(content: String, reason: String) {
        let error = #expect(throws: EngineError.self) { try Self.written(Self.svg(content)) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("a.svg: the SVG") && text.contains(reason) && !text.contains("\n"), "\(text)")
    }

    @Test("Lines are named, and what is no SVG is refused")
    func places() {
        for (file, reason) in [
            ("<svg xmlns='http://www.w3.org/2000/svg'>\n\n<text/></svg>", "line 3: <text>"),
            ("<html/>", "line 1: the document is not SVG: its root is <html>"),
            ("<svg/>", "its root lacks the namespace"), ("  <", "not well-formed"), ("<!-- svg -->", "not well-formed"),
            ("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg xmlns='http://www.w3.org/2000/svg'/>", "it declares entities"),
        ] {
            let error = #expect(throws: EngineError.self) { try Self.written(Array(file.utf8)) }
            #expect(error?.description.contains(reason) == true, "\(file): \(error?.description ?? "")")
        }
        var limits = Limits()
        limits.svgBytes = 1 << 16
        let large = Self.svg(String(repeating: " ", count: 1 << 16))
        let error = #expect(throws: EngineError.self) {
            try EncodedImage(checking: large, place: Self.place, limits: limits)
        }
        #expect(error?.description.contains("svgBytes") == true)
        #expect(throws: Never.self) { try EncodedImage(checking: large, place: Self.place, limits: Limits()) }
    }

    @Test("use may repeat much, but not without bounds")
    func uses() throws {
        func doubled(_ levels: Int) -> [UInt8] {
            var content = "<rect id='a0' width='1' height='1'/>"
            for level in 1...levels {
                content += "<g id='a\(level)'><use href='#a\(level - 1)'/><use href='#a\(level - 1)'/></g>"
            }
            return Self.svg(content)
        }
        _ = try Self.written(doubled(12))
        for levels in [24, 60, 5000] {
            let error = #expect(throws: EngineError.self) { try Self.written(doubled(levels)) }
            #expect(error?.description.contains("<use>") == true)
        }
    }

    @Test("What means nothing to a picture is left out, and the rest is written as it was")
    func whatIsWritten() throws {
        let text = try Self.written(
            Self.svg(
                "<title>a</title><metadata><b xmlns='urn:b'><script xmlns='http://www.w3.org/2000/svg'/></b></metadata>"
                    + "<b xmlns='urn:b'><c/></b><rect b:c='d' xmlns:b='urn:b' onclick='e()' fill='url(#a)' id='&lt;&amp;&quot;'/>"
                    + "<style>a &gt; b { fill: url('#c') }</style>text<?pi?><!-- --><use xlink:href=' #a'/>"))
        #expect(
            text.hasSuffix(
                #"height:4.0px!important"><rect fill="url(#a)" id="&lt;&amp;&quot;"></rect>"#
                    + #"<style>a &gt; b { fill: url('#c') }</style><use xlink:href=" #a"></use></svg>"#),
            "\(text)")
    }

    @Test(
        "The size is that of the root, of its viewBox, or 300 by 150",
        arguments: [
            (#"width="10" height="5.4""#, 10, 5), (#"width=" 1in " height="25.4mm""#, 96, 96),
            (#"width="1e2px" height="2em""#, 100, 32), (#"viewBox="0 0 30,40""#, 30, 40),
            (#"viewBox="0 0 30 40" width="60""#, 60, 80), (#"viewBox="0 0 30 40" height="20px" width="100%""#, 15, 20),
            ("", 300, 150), (#"viewBox="0 0 0 9" width="-3""#, 300, 150), (#"width="0.1" height="0.1""#, 1, 1),
        ])
    func sizes(attributes: String, width: Int, height: Int) throws {
        let header = try SVGImages().header(Self.svg("", attributes), place: Self.place)
        #expect(header.size == PixelSize(width: width, height: height) && header.isVector)
    }

    /// The colour in the middle of a picture of 40 by 20 pixels.
    private static func middle(_ file: [UInt8], _ raster: VectorRaster? = nil) throws -> [UInt8] {
        let (info, chunks) = try decode(file, raster: raster)
        let (x, y) = (info.size.width / 2, info.size.height / 2)
        switch try #require(chunks.first { $0.rows.contains(y) }).content {
        case .constant(let value): return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        case .samples(let samples):
            let at = (y % 64 * info.size.width + x) * 4
            return Array(samples[at..<at + 4])
        }
    }

    @Test(
        "Rules of style sheets see the document as it is",
        arguments: [
            "svg svg rect { fill: red } rect { fill: lime }", "rect { fill: red } :root > rect { fill: lime }",
            "rect { fill: red } svg:root > rect { fill: lime }", "rect { fill: red } svg > rect { fill: lime }",
            "rect { fill: lime } * > svg > rect { fill: red }",
            "rect { fill: lime } svg:nth-child(2) rect { fill: red }",
            "rect { fill: red } svg:first-child > rect { fill: lime }", "rect { fill: red } #r > rect { fill: lime }",
            "rect { fill: red } svg[width=\"40\"] > rect { fill: lime }",
            "rect { fill: lime } svg svg { display: none }",
            "rect { fill: lime } svg { width: 3px !important; transform: none }",
            "rect { fill: lime } svg { overflow: hidden; x: 9px; viewBox: 0 0 1 1 }",
        ])
    func rulesSeeNoWrapper(rules: String) throws {
        let content = "<style>\(rules.replacing(">", with: "&gt;"))</style><rect width='100%' height='100%'/>"
        for box in ["", #" viewBox="0 0 4 2""#, #" viewBox="10 10 4 2" preserveAspectRatio="none""#] {
            let file = Self.svg(
                box.contains("10 10") ? content.replacing("<rect", with: "<rect x='10' y='10'") : content,
                #"id="r" width="40" height="20"\#(box)"#)
            #expect(try Self.middle(file) == [0, 255, 0, 255], "\(rules) \(box)")
            let large = VectorRaster(
                whole: PixelSize(width: 40_000, height: 20_000),
                part: PixelRect(x: 39_900, y: 19_930, width: 90, height: 64))
            #expect(try Self.middle(file, large) == [0, 255, 0, 255], "\(rules) \(box), a part")
        }
    }

    @Test("A view box lies in the document as its root says")
    func viewBoxes() throws {
        // A square of 2 by 2 in 40 by 20: its edges lie at 10 and 30, at 0 and 20, or at 20 and 40; sliced, all is red.
        let square = "<rect width='100%' height='100%' fill='red'/><rect width='1' height='2' fill='blue'/>"
        for (aspect, expected) in [
            ("", [2: 0, 15: 2, 25: 1, 38: 0]), ("xMinYMid", [2: 2, 15: 1, 25: 0]), ("xMaxYMin", [15: 0, 25: 2, 35: 1]),
            ("none", [2: 2, 18: 2, 22: 1, 38: 1]), ("xMidYMid slice", [2: 2, 18: 2, 22: 1, 38: 1]),
            ("odd", [15: 2, 25: 1]),
        ] as [(String, [Int: Int])] {
            let file = Self.svg(
                square,
                #"width="40" height="20" viewBox="0 0 2 2""#
                    + (aspect.isEmpty ? "" : " preserveAspectRatio='\(aspect)'"))
            let chunk = try #require(try Self.decode(file).chunks.first)
            guard case .samples(let samples) = chunk.content else {
                Issue.record("one colour")
                continue
            }
            for (x, color) in expected {
                let at = (10 * 40 + x) * 4
                let wanted: [UInt8] = [[0, 0, 0, 0], [255, 0, 0, 255], [0, 0, 255, 255]][color]
                #expect(Array(samples[at..<at + 4]) == wanted, "\(aspect) at \(x)")
            }
        }
    }

    @Test(
        "What the root does to all that it shows stays",
        arguments: [
            (#"transform="translate(20)""#, ""), (#"style="transform:translate(20px)""#, ""),
            ("", ":root { transform: translate(20px) }"), (#"class="a""#, "svg.a { transform: translate(20px, 0) }"),
            (#"transform="scale(-1 1) translate(-40)""#, ""), (#"style="fill:url(#a" transform="translate(20)""#, ""),
        ])
    func rootTransforms(attribute: String, rules: String) throws {
        let file = Self.svg(
            "<style>\(rules)</style><rect width='20' height='20' fill='lime'/>",
            #"width="40" height="20" \#(attribute)"#)
        let (_, chunks) = try Self.decode(file)
        guard case .samples(let samples) = chunks[0].content else {
            Issue.record("one colour")
            return
        }
        #expect(Array(samples[(10 * 40 + 10) * 4..<(10 * 40 + 10) * 4 + 4]) == [0, 0, 0, 0])
        #expect(Array(samples[(10 * 40 + 30) * 4..<(10 * 40 + 30) * 4 + 4]) == [0, 255, 0, 255])
    }

    @Test("A size beyond all limits is refused before anything is drawn")
    func hugeSizes() throws {
        for attributes in [#"width="1e9" height="1e9""#, #"width="1e300" height="1""#] {
            #expect(throws: EngineError.self) {
                try EncodedImage(checking: Self.svg("", attributes), place: Self.place, limits: Limits())
            }
        }
        for whole in [PixelSize(width: 1 << 23, height: 1), PixelSize(width: 20_000, height: 20_000)] {
            let error = #expect(throws: EngineError.self) {
                try Self.decode(Self.svg(""), raster: VectorRaster(whole: whole))
            }
            guard case .overLimit = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("A document fills its raster, whatever the shape, also as a mask")
    func fillsRaster() throws {
        let file = Self.svg("<rect width='4' height='4' fill='#ff8000' fill-opacity='0.2'/>")
        let raster = VectorRaster(whole: PixelSize(width: 10, height: 100))
        let (info, chunks) = try Self.decode(file, raster: raster)
        #expect(info.format == .rgba8 && info.size == raster.whole && chunks.count == 2)
        for chunk in chunks {
            guard case .samples(let samples) = chunk.content else {
                Issue.record("one colour")
                continue
            }
            for index in 0..<(chunk.rows.count * 10) {
                let pixel = Array(samples[(4 * index)..<(4 * index + 4)])
                #expect(pixel == (index % 10 < 5 ? [255, 130, 0, 51] : [0, 0, 0, 0]) || pixel == [255, 125, 0, 51])
            }
        }
        let mask = try Self.decode(file, as: .mask, raster: raster).info
        #expect(mask.format == .mask16 && mask.maskBounds == PixelRect(x: 0, y: 0, width: 5, height: 100))
    }

    @Test("A part of an enormous raster is drawn, groups with opacity too")
    func partOfMuch() throws {
        let file = Self.svg("<g opacity='.5'><rect width='4' height='4'/></g><rect x='4' width='4' height='4'/>")
        let whole = PixelSize(width: 4_000_000, height: 2_000_000)
        let part = PixelRect(x: 1_999_990, y: 1_234_567, width: 20, height: 64)
        let (info, chunks) = try Self.decode(file, raster: VectorRaster(whole: whole, part: part))
        #expect(info.size == part.size)
        guard case .samples(let samples) = chunks[0].content else {
            Issue.record("one colour")
            return
        }
        let alphas = (0..<20).map { samples[4 * $0 + 3] }
        #expect(
            alphas[..<10].allSatisfy { $0 == 127 || $0 == 128 } && alphas[10...].allSatisfy { $0 == 255 }, "\(alphas)")
    }

    @Test("Bands and strips do not show")
    func bandsDoNotShow() throws {
        // Strips of 1,024 columns, and bands of 448 rows.
        let whole = PixelSize(width: 17_000, height: 640)
        let file = Self.svg(
            "<defs><linearGradient id='a'><stop stop-color='red'/><stop offset='1' stop-color='blue'/></linearGradient>"
                + "</defs><ellipse cx='4' cy='2' rx='4' ry='1.9' fill='url(#a)' stroke='black' stroke-width='.1'/>")
        let (_, chunks) = try Self.decode(file, raster: VectorRaster(whole: whole))
        #expect(chunks.count == 10)
        let part = PixelRect(x: 16_300, y: 390, width: 200, height: 100)
        let (_, expected) = try Self.decode(file, raster: VectorRaster(whole: whole, part: part))
        var differences = 0
        for y in 0..<part.height {
            func row(_ chunks: [DecodedChunk], _ y: Int, width: Int, x: Int) -> [UInt8] {
                guard case .samples(let samples) = chunks[y / 64].content else {
                    return [UInt8](repeating: 0, count: part.width * 4)
                }
                let start = (y % 64 * width + x) * 4
                return Array(samples[start..<(start + part.width * 4)])
            }
            let found = row(chunks, part.y + y, width: whole.width, x: part.x)
            let wanted = row(expected, y, width: part.width, x: 0)
            differences += zip(found, wanted).count { abs(Int($0) - Int($1)) > 4 }
            #expect(found.count == wanted.count)
        }
        // A few samples at edges: where a band begins, the library cuts outlines a little differently.
        #expect(differences <= 80)
    }

    @Test("A document that takes too long is given up, and so is one that takes too much memory")
    func bounds() throws {
        let strokes = String(
            repeating: "<path d='M0 0L8 4M0 4L8 0' stroke='red' stroke-width='9' opacity='.5'/>", count: 5000)
        let document = try SVGDocument(reading: Self.svg(strokes), place: Self.place)
        let raster = VectorRaster(whole: PixelSize(width: 4000, height: 2000))
        let rasterizer = try SVGRasterizer(document, raster, seconds: 1, place: Self.place)
        let row = RowBuffer(byteCount: 4 * 4000)
        let error = #expect(throws: EngineError.self) { try rasterizer.forEachNextRow(into: row.base) {} }
        #expect(error?.description.contains("longer than 1 seconds") == true, "\(String(describing: error))")
        // Each level has a surface of its own.
        let groups = String(repeating: "<g opacity='.9'>", count: 98)
        let deep = Self.svg(groups + "<rect width='8' height='4'/>" + String(repeating: "</g>", count: 98))
        let large = VectorRaster(whole: PixelSize(width: 1024, height: 16_384))
        #expect(throws: EngineError.self) { try Self.decode(deep, raster: large) }
    }

    @Test("Every cut of a file gives an error")
    func cuts() throws {
        let file = Self.svg("<g><rect width='4' height='4'/></g>")
        for count in 0..<file.count {
            #expect(throws: EngineError.self) { try Self.decode(Array(file[..<count])) }
        }
    }

    // MARK: - Placements

    @Test("What shows of a placed image lies where it lay in the whole", arguments: 0..<300 as Range<UInt64>)
    func visibleParts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rotations = [0, 90, 180, 270, -90, 450, Double.random(in: -400...400, using: &random)]
        let zoom = pow10(Double.random(in: -1...3, using: &random))
        let placement = Placement(
            x: .random(in: -300...300, using: &random) * zoom, y: .random(in: -300...300, using: &random) * zoom,
            width: .random(in: 1...500, using: &random) * zoom, height: .random(in: 1...500, using: &random) * zoom,
            rotation: rotations.randomElement(using: &random)!)
        let canvas = CanvasSize(width: 200, height: 150)
        let output = PixelSize(width: 301, height: 226)
        let (raster, placed) = VectorRaster.visible(of: placement, canvas: canvas, output: output)
        let (whole, part) = (raster.whole, raster.part)
        #expect(part.width > 0 && part.height > 0 && part.x >= 0 && part.y >= 0)
        #expect(part.x + part.width <= whole.width && part.y + part.height <= whole.height)
        // At most what a turned output covers, and the margins.
        #expect(part.width <= 301 + 226 + 70 || part.width == whole.width, "\(part)")
        let scale = OutputScale(canvas: canvas, output: output)
        let of = PlacedGeometry(placement, image: whole, scale: scale, filter: .lanczos3)
        let ofPart = PlacedGeometry(placed!, image: part.size, scale: scale, filter: .lanczos3)
        for x in [0.5, 150, 300.5] {
            for y in [0.5, 100, 225.5] {
                let (a, b) = (Self.place(x, y, in: of, whole), Self.place(x, y, in: ofPart, part.size))
                let tolerance = 1e-6 * max(1, zoom)
                #expect(abs(a.x - b.x - Double(part.x)) < tolerance && abs(a.y - b.y - Double(part.y)) < tolerance)
                // Whatever the filters reach for there is in the part.
                let reach = 4.0
                for (position, low, high, edge) in [
                    (a.x, part.x, part.x + part.width, whole.width), (a.y, part.y, part.y + part.height, whole.height),
                ] where position > -reach && position < Double(edge) + reach {
                    #expect(low == 0 || Double(low) <= position - reach)
                    #expect(high == edge || Double(high) >= position + reach)
                }
            }
        }
    }

    private func pow10(_ x: Double) -> Double {
        var value = 1.0
        for _ in 0..<Int(abs(x) * 10) { value *= 1.2589254117941673 }
        return x < 0 ? 1 / value : value
    }

    /// The place in an image's samples of a place in the output.
    private static func place(_ x: Double, _ y: Double, in geometry: PlacedGeometry, _ size: PixelSize) -> Point {
        if let rotation = geometry.rotation {
            return rotation.upright(x - geometry.cover.center.x, y - geometry.cover.center.y)
        }
        func source(_ axis: PlacedGeometry.Axis, _ output: Double) -> Double {
            let position = output * axis.ratio + axis.origin
            return axis.isReversed ? Double(axis.count) - position : position
        }
        let (u, v) = (source(geometry.columns, x), source(geometry.rows, y))
        return geometry.isTransposed ? Point(x: v, y: u) : Point(x: u, y: v)
    }

    @Test("An image over the canvas has the output's pixels")
    func overCanvas() {
        let output = PixelSize(width: 70, height: 30)
        let found = VectorRaster.visible(of: nil, canvas: CanvasSize(width: 7, height: 3), output: output)
        #expect(found.raster == VectorRaster(whole: output) && found.placement == nil)
    }
}
