import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Shapes in SVG and PDF")
struct VectorShapeTests {
    static let formats = [PictureFormat.svg, .vectorPDF]

    final class Made {
        var file: [UInt8] = []
        var images: [VectorImage] = []
        var warnings: [ReadingWarning] = []
        var xml: PlainXML { get throws { try PlainXML(file) } }
        var pdf: PDFReader { get throws { try #require(PDFReader(file)) } }

        /// What is drawn on the page of a PDF file.
        func contents() throws -> String {
            let pdf = try pdf
            let page = try #require(pdf.page)
            let text = try pdf.text(try #require(pdf.reference("/Contents", in: page)))
            return try #require(text)
        }
    }

    func made(
        _ layers: [Layer], as format: PictureFormat, background: RGBA8 = .transparent,
        options: PictureOptions = PictureOptions(), canvas: PixelSize? = PixelSize(width: 100, height: 80)
    ) throws -> Made {
        let made = Made()
        let head = PictureHead(
            size: PixelSize(width: 3, height: 2), pixels: .rgba, encoding: PictureEncoding(format: .pdf))
        let pdf = try pictureFile((0..<24).map { UInt8($0 * 9) }, head)
        let png = MinimalPNGWriter.png(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1))
        var options = options
        options.encoding = PictureEncoding(format: format)
        let drawn = try DrawnPicture(
            Project(canvasSize: canvas, background: background, layers: layers), options: options,
            output: PixelSize(width: 200, height: 160), name: "a.ink", description: PictureDescription())
        let picture = VectorPicture(
            drawn,
            tools: VectorPictureTools(
                write: { (bytes) throws(EngineError) in made.file += bytes },
                image: { (image) throws(EngineError) in
                    made.images.append(image)
                    return image.format == .pdf ? pdf : png
                }, isCancelled: { false }))
        made.warnings = try picture.write()
        try expectSurvey(of: drawn, made.images, made.warnings)
        return made
    }

    private func shape(_ build: (inout ShapePath) -> Void) -> Shape {
        var path = ShapePath()
        build(&path)
        return Shape(path: path)
    }

    var square: Shape { Shape(path: ShapePath(Rect(minX: 10, minY: 10, maxX: 50, maxY: 30))) }

    func layer(_ shapes: [Shape]) -> Layer {
        var layer = Layer()
        layer.shapes = shapes
        return layer
    }

    let red = RGBA8(red: 255, green: 0, blue: 0)

    // MARK: Paths

    @Test("Paths keep their lines and curves, and what follows the end of a subpath begins where it began")
    func paths() throws {
        var own = shape { path in
            path.move(to: Point(x: 10, y: 10))
            path.line(to: Point(x: 50, y: 10))
            path.quadratic(Point(x: 60, y: 10), to: Point(x: 60, y: 20))
            path.cubic(Point(x: 60, y: 30), Point(x: 50, y: 40), to: Point(x: 40, y: 40))
            path.line(to: Point(x: 30, y: 40))
            path.close()
            path.line(to: Point(x: 0, y: 0))
        }
        own.fill = .color(RGBA8(red: 255, green: 0, blue: 0, alpha: 51))
        own.rule = .evenodd
        let path = try #require(try made([layer([own])], as: .svg).xml.all("path").first)
        #expect(path.attributes["d"] == "m10 10 40 0q10 0 10 10c0 10-10 20-20 20l-10 0zl-10-10")
        #expect(path.attributes["fill"] == "#f00" && path.attributes["fill-opacity"] == ".2")
        #expect(path.attributes["fill-rule"] == "evenodd")
        let contents = try made([layer([own])], as: .vectorPDF).contents()
        #expect(
            contents
                == "/G1 gs\n2 0 0 -2 0 160 cm\n/A2000 gs\n1 0 0 rg\n10 10 m\n50 10 l\n56.667 10 60 13.333 60 20 c\n"
                + "60 30 50 40 40 40 c\n30 40 l\nh\n0 0 l\nf*\n")
    }

    @Test("A transform and a viewport move shapes; a singular one draws nothing, as do those outside of the picture")
    func transforms() throws {
        var moved = square
        moved.transform = AffineMap(a: 0, b: 0.5, c: -0.5, d: 0, x: 60, y: 10)
        let path = try #require(try made([layer([moved])], as: .svg).xml.all("path").first)
        #expect(path.attributes["d"] == "m55 15 0 20-10 0 0-20z")
        var options = PictureOptions()
        options.view = .place(
            center: Point(x: 30, y: 20), zoom: 2, rotation: 90, size: CanvasSize(width: 100, height: 80))
        let turned = try #require(try made([layer([square])], as: .svg, options: options).xml.all("path").first)
        // The corner 10, 10 is 20 to the left of the centre and 10 above it.
        #expect(turned.attributes["d"] == "m70 0 0 80-40 0 0-80z")
        var flat = square
        flat.transform = AffineMap(a: 1, b: 2, c: 2, d: 4)
        var far = square
        far.transform.x = 1000
        #expect(try made([layer([flat, far])], as: .svg).xml.all("path").isEmpty)
    }

    @Test(
        "Arcs are curves that are nowhere farther from the circle than a hundredth of a pixel",
        arguments: [1.0, 40, 3000])
    func arcs(radius: Double) throws {
        struct Points: VectorPathText {
            var worst = 0.0
            var radius: Double
            var last = Point(x: 0, y: 0)
            var isEmpty: Bool { false }
            var byteCount: Int { 0 }
            mutating func move(to point: Point) { last = point }
            mutating func line(to point: Point) { last = point }
            mutating func quadratic(_ control: Point, to point: Point) { last = point }
            mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
                for step in 0...20 {
                    let (t, s) = (Double(step) / 20, 1 - Double(step) / 20)
                    let place =
                        (s * s * s) * last + (3 * s * s * t) * first + (3 * s * t * t) * second + (t * t * t) * point
                    worst = max(worst, abs(place.length - radius))
                }
                last = point
            }
            mutating func end() {}
            mutating func close() {}
            mutating func polygon(_ points: some Sequence<Point>) {}
        }
        var path = ShapePath()
        path.move(to: Point(x: radius, y: 0))
        path.arc(
            center: Point(x: 0, y: 0), u: Point(x: radius, y: 0), v: Point(x: 0, y: radius), start: 0,
            sweep: -1.5 * Double.pi, to: Point(x: 0, y: radius))
        var points = Points(radius: radius)
        path.write(to: &points, tolerance: 0.01)
        #expect(points.worst < 0.01 && points.last == Point(x: 0, y: radius))
    }

    @Test("A symbol is written once and used by reference, with the digits that its size needs", arguments: formats)
    func symbols(format: PictureFormat) throws {
        let symbol = shape { path in
            path.move(to: Point(x: 0.001, y: 0))
            path.line(to: Point(x: 0.011, y: 0))
            path.line(to: Point(x: 0.011, y: 0.012345))
        }
        let uses = (0..<5).map { index in
            Shape(
                path: symbol.path, symbol: "head",
                transform: AffineMap(a: 1000, b: 0, c: 0, d: 1000, x: 10 + 10 * Double(index), y: 20),
                fill: .color(index == 0 ? red : .black))
        }
        let made = try made([layer(uses)], as: format)
        if format == .svg {
            let xml = try made.xml
            #expect(xml.all("path").map { $0.attributes["d"] } == ["m.001 0 .01 0 0 .012345"])
            #expect(xml.all("use").map { $0.attributes["fill"] } == ["#f00", "#000", "#000", "#000", "#000"])
            #expect(xml.all("use")[1].attributes["transform"] == "matrix(1000 0 0 1000 20 20)")
            #expect(xml.all("path").map { $0.attributes["id"] } == ["head"])
            #expect(Set(xml.all("use").map { $0.attributes["xlink:href"] }) == ["#head"])
        } else {
            let (pdf, contents) = (try made.pdf, try made.contents())
            #expect(contents.matches(of: /q 1000 0 0 1000 \d+ 20 cm \/X(\d+) Do Q/).count == 5)
            let number = try #require(contents.firstMatch(of: /\/X(\d+) Do/).flatMap { Int($0.1) })
            #expect(try pdf.text(number) == ".001 0 m\n.011 0 l\n.011 .012345 l\nf\n")
        }
    }

    @Test("Symbols keep their ids where these are names that a file has once")
    func symbolIDs() throws {
        let ids = [
            "noteheadBlack", "s1", "m12", "a", "two words", "\"><b", "été", "", "7", "clef-G.2", "noteheadBlack",
        ]
        let uses = ids.enumerated().map { index, id in
            // The last has other digits than the first.
            let scale = index == ids.count - 1 ? 1000.0 : 1
            return Shape(
                path: square.path, symbol: id, transform: AffineMap(a: scale, d: scale, x: Double(index)),
                fill: .color(.black))
        }
        let xml = try made([layer(uses)], as: .svg).xml
        let defined = xml.all("path").compactMap { $0.attributes["id"] }
        #expect(Set(defined).count == defined.count)
        #expect(defined.filter { !$0.hasPrefix("s") } == ["noteheadBlack", "clef-G.2"])
        #expect(xml.all("use").allSatisfy { defined.contains(String(($0.attributes["xlink:href"] ?? "").dropFirst())) })
    }

    // MARK: Fills

    @Test("Gradients are the format's own; those without extent are the last colour", arguments: formats)
    func gradients(format: PictureFormat) throws {
        let stops = [
            Gradient.Stop(offset: 0.25, color: red), Gradient.Stop(offset: 0.75, color: .black),
            Gradient.Stop(offset: 0.75, color: .white),
        ]
        var linear = square
        linear.fill = .gradient(
            Gradient(kind: .linear(from: Point(x: 10, y: 10), to: Point(x: 50, y: 10)), stops: stops))
        linear.transform = AffineMap(a: 2)
        var radial = square
        radial.fill = .gradient(Gradient(kind: .radial(center: Point(x: 30, y: 20), radius: 20), stops: stops))
        var flat = square
        flat.fill = .gradient(Gradient(kind: .radial(center: Point(x: 30, y: 20), radius: 0), stops: stops))
        let made = try made([layer([linear, radial, radial, flat])], as: format)
        if format == .svg {
            let xml = try made.xml
            let first = try #require(xml.all("linearGradient").first)
            #expect(first.attributes["gradientTransform"] == "matrix(2 0 0 1 0 0)" && first.attributes["x2"] == "50")
            #expect(xml.all("radialGradient").count == 1 && xml.all("stop").count == 6)
            #expect(xml.all("stop").prefix(3).map { $0.attributes["offset"] } == [".25", ".75", ".75"])
            let fills = xml.all("path").map { $0.attributes["fill"] ?? "" }
            #expect(fills[1] == fills[2] && fills[0].hasPrefix("url(#g") && fills[3] == "#fff")
        } else {
            let contents = try made.contents()
            #expect(contents.contains("W n\n2 0 0 1 0 0 cm /S"))
            #expect(contents.count(of: " sh\n") == 3 && contents.count(of: "W n\n") == 3)
            let pdf = try made.pdf
            let shadings = (1...pdf.objectCount).compactMap(pdf.object).filter { $0.contains("/ShadingType") }
            #expect(shadings.count == 2)
            #expect(shadings[0].contains("/Coords [10 10 50 10] /Extend [true true]"))
            #expect(shadings[0].contains("/Bounds [.25 .75]") && shadings[1].contains("/Coords [30 20 0 30 20 20]"))
        }
    }

    @Test("Where colour and alpha change together, stops between show what premultiplied colours would be")
    func translucentGradients() throws {
        let clear = RGBA8(red: 0, green: 0, blue: 255, alpha: 0)
        func stops(_ from: RGBA8, _ to: RGBA8) -> [Gradient.Stop] {
            let gradient = Gradient(
                kind: .linear(from: Point(x: 0, y: 0), to: Point(x: 1, y: 0)),
                stops: [Gradient.Stop(offset: 0, color: from), Gradient.Stop(offset: 1, color: to)])
            return VectorGradient(gradient, color: nil, map: .identity).stops
        }
        // A colour that nobody sees is not mixed in.
        #expect(stops(red, clear).map(\.color) == [red, RGBA8(red: 255, green: 0, blue: 0, alpha: 0), clear])
        #expect(stops(red, .black).count == 2)
        let half = RGBA8(red: 0, green: 0, blue: 255, alpha: 51)
        let mixed = stops(red, half)
        #expect(mixed.count == 17)
        for stop in mixed {
            // Premultiplied: red falls from 1 to 0, blue rises from 0 to 0.2.
            let (t, alpha) = (stop.offset, Double(stop.color.alpha) / 255)
            #expect(abs(alpha - (1 - 0.8 * t)) < 0.003)
            #expect(abs(Double(stop.color.red) / 255 * alpha - (1 - t)) < 0.005)
            #expect(abs(Double(stop.color.blue) / 255 * alpha - 0.2 * t) < 0.005)
        }
        var own = square
        own.fill = .gradient(
            Gradient(
                kind: .linear(from: Point(x: 10, y: 0), to: Point(x: 50, y: 0)),
                stops: [Gradient.Stop(offset: 0, color: red), Gradient.Stop(offset: 1, color: half)]))
        let made = try made([layer([own])], as: .vectorPDF)
        let page = try #require(try made.pdf.page)
        let mask = try #require(page.firstMatch(of: /\/SMask << \/S \/Luminosity \/G (\d+) 0 R >>/))
        let text = try made.pdf.text(Int(mask.1) ?? 0) ?? ""
        #expect(text.contains("1 0 0 1 0 0 cm /S") && text.hasSuffix(" sh\n"))
    }

    @Test("A fill element with a gradient covers the picture; it moves with the world")
    func fillElements() throws {
        var fill = Layer()
        fill.kind = .fill(
            .gradient(
                Gradient(
                    kind: .linear(from: Point(x: 0, y: 0), to: Point(x: 1, y: 0)),
                    stops: [Gradient.Stop(offset: 0, color: red), Gradient.Stop(offset: 1, color: .black)])))
        var options = PictureOptions()
        options.view = .place(center: Point(x: 0, y: 0), zoom: 2, rotation: 0, size: CanvasSize(width: 100, height: 80))
        let xml = try made([fill], as: .svg, options: options).xml
        #expect(xml.all("path").map { $0.attributes["d"] } == ["m0 0 100 0 0 80-100 0z"])
        #expect(xml.all("linearGradient")[0].attributes["gradientTransform"] == "matrix(2 0 0 2 50 40)")
        #expect(try made([fill], as: .vectorPDF).contents().contains(" sh\n"))
    }

    @Test("A pattern fill is the pattern's lines near the shape, clipped by its path", arguments: formats)
    func patterns(format: PictureFormat) throws {
        var own = square
        own.rule = .evenodd
        own.opacity = 0.5
        own.fill = .pattern(Brush(type: .parallelLines, spacing: 5, lineWidth: 2, color: red))
        let made = try made([layer([own])], as: format)
        if format == .svg {
            let xml = try made.xml
            let clip = try #require(xml.all("clipPath").first)
            let paths = xml.all("path")
            #expect(
                paths[0].attributes["clip-rule"] == "evenodd" && paths[0].attributes["d"] == "m10 10 40 0 0 20-40 0z")
            #expect(paths[1].attributes["clip-path"] == "url(#\(clip.attributes["id"] ?? ""))")
            #expect(paths[1].attributes["stroke"] == "#f00" && paths[1].attributes["stroke-opacity"] == ".5")
            let lines = paths[1].attributes["d"]?.count { $0 == "m" } ?? 0
            #expect(5...9 ~= lines)
        } else {
            #expect(try made.contents().contains("10 30 l\nh\nW* n\n"))
        }
        own.fill = .pattern(Brush(type: .parallelLines, spacing: 1e-4, lineWidth: 1e-5))
        let fine = try self.made([layer([own])], as: format)
        #expect(fine.images.count == 1 && fine.warnings[0].reason.contains("too fine"))
    }

    // MARK: Layers

    @Test("Shapes lie under the strokes; those that erase are a mask round all below them", arguments: formats)
    func erasing(format: PictureFormat) throws {
        var erase = square
        (erase.mode, erase.opacity, erase.fill) = (.erase, 0.5, .color(.transparent))
        var layer = layer([square, erase, square])
        layer.strokes = [Stroke(brush: Brush(type: .solid, color: red), points: [StrokePoint(x: 5, y: 5)])]
        let made = try made([layer], as: format)
        if format == .svg {
            let xml = try made.xml
            let paths = xml.all("path")
            #expect(paths.map { xml.path($0).contains("mask") } == [true, false, false, false])
            #expect(paths[0].attributes["fill"] == "#000" && paths[0].attributes["fill-opacity"] == ".5")
            let masked = paths.map { path in
                path.parents.contains { xml.elements[$0].attributes["mask"] != nil }
            }
            #expect(masked == [false, true, false, false] && paths[3].attributes["stroke"] == "#f00")
        } else {
            #expect(try #require(try made.pdf.page).contains("/SMask"))
        }
    }

    @Test("Masks of shapes are masks; with an image both count; an empty list hides", arguments: formats)
    func masks(format: PictureFormat) throws {
        var own = layer([square])
        own.maskShapes = [square]
        let alone = try made([own], as: format)
        #expect(alone.images.isEmpty)
        own.maskImage = EncodedImage(
            bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "image")
        let both = try made([own], as: format)
        #expect(both.images.count == 1 && both.images[0].layers[0].maskShapes == nil)
        own.maskImage = nil
        own.maskShapes = []
        let hidden = try made([own], as: format)
        if format == .svg {
            let xml = try alone.xml
            let path = try #require(xml.all("path").first)
            #expect(path.attributes["fill"] == "#fff" && xml.path(path).last == "g" && xml.path(path).contains("mask"))
            #expect(try both.xml.all("mask").count == 2 && hidden.xml.all("mask").isEmpty)
        } else {
            // Nothing is drawn of what nothing shows.
            #expect(try !#require(try hidden.pdf.page).contains("/SMask"))
        }
    }

    @Test("A shape too far away makes an image of its layer", arguments: [1e12, 1e300])
    func farShapes(far: Double) throws {
        let own = shape { path in
            path.move(to: Point(x: 0, y: 0))
            path.line(to: Point(x: far, y: far))
            path.line(to: Point(x: 50, y: 0))
        }
        let made = try made([layer([own])], as: .svg)
        #expect(made.images.count == 1 && made.warnings[0].reason.contains("too far"))
    }

    @Test("Pictures of pixels stay sharp in readers")
    func pixelArt() throws {
        var own = Layer(
            contentImage: EncodedImage(
                bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "image"
            ))
        #expect(try made([own], as: .svg).xml.all("image")[0].attributes["image-rendering"] == nil)
        own.contentFilter = .nearest
        let made = try made([own], as: .svg)
        #expect(made.images[0].layers[0].contentFilter == .nearest)
        #expect(try made.xml.all("image")[0].attributes["image-rendering"] == "pixelated")
    }

    // MARK: Texts

    @Test(
        "What shapes say lies invisibly over them, once a word, and in the direction of its letters", arguments: formats
    )
    func texts(format: PictureFormat) throws {
        var letters = (0..<3).map { index in
            var letter = square
            letter.transform = AffineMap(a: 0, b: 0.2, c: -0.2, d: 0, x: 50, y: Double(10 * index))
            letter.textOf = "word"
            return letter
        }
        letters[0].text = "A\u{1F58B}<\n"
        var alone = square
        alone.text = "Z"
        let made = try made([layer(letters + [alone])], as: format)
        if format == .svg {
            let texts = try made.xml.all("text")
            #expect(texts.count == 2 && texts.allSatisfy { $0.attributes["fill-opacity"] == "0" })
            // Down the page, from 2 to 30, over letters from 44 to 48.
            #expect(texts[0].attributes["textLength"] == "28" && texts[0].attributes["font-size"] == "4")
            #expect(texts[0].attributes["transform"] == "matrix(0 1 -1 0 44.8 2)")
            #expect(String(decoding: made.file, as: UTF8.self).contains(">A\u{1F58B}&lt; </text>"))
        } else {
            let contents = try made.contents()
            #expect(contents.count(of: " 3 Tr ") == 2 && contents.contains("0 1 1 0 44.8 2 Tm <0001000200030004> Tj"))
            let pdf = try made.pdf
            let map = (1...pdf.objectCount).compactMap { pdf.stream($0)?.bytes }.map {
                String(decoding: $0, as: UTF8.self)
            }
            .first { $0.contains("begincmap") }
            #expect(
                map?.contains("<0001> <0041>\n<0002> <d83ddd8b>\n<0003> <003c>\n<0004> <0020>\n<0005> <005a>\n") == true
            )
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
