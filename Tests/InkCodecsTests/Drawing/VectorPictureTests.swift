import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Pictures as SVG")
struct VectorPictureTests {
    /// What a vector picture is made of, and its file.
    private final class Made {
        var file: [UInt8] = []
        var largestWrite = 0
        var images: [VectorImage] = []
        var warnings: [ReadingWarning] = []
        var xml: PlainXML { get throws { try PlainXML(file) } }
    }

    private static let canvas = PixelSize(width: 100, height: 80)

    private func made(
        _ layers: [Layer], background: RGBA8 = .white, options: PictureOptions = PictureOptions(),
        text: [PictureText] = [], size: PixelSize = PixelSize(width: 200, height: 160),
        limits: VectorLimits = VectorLimits()
    ) throws -> Made {
        let made = Made()
        let png = MinimalPNGWriter.png(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1))
        let project = Project(canvasSize: Self.canvas, background: background, layers: layers)
        let drawn = try DrawnPicture(
            project, options: options, output: size, name: "a.ink",
            description: PictureDescription(
                dotsPerInch: options.dotsPerInch, text: text,
                digest: options.digest.flatMap { PictureDigest(bytes: $0) }))
        let picture = VectorPicture(
            drawn,
            tools: VectorPictureTools(
                write: { (bytes) throws(EngineError) in
                    made.file += bytes
                    made.largestWrite = max(made.largestWrite, bytes.count)
                },
                image: { (image) throws(EngineError) in
                    made.images.append(image)
                    return png
                }, isCancelled: { false }), limits: limits)
        made.warnings = try picture.write()
        try expectSurvey(of: drawn, made.images, made.warnings, limits: limits)
        return made
    }

    private func line(_ brush: Brush, mode: StrokeMode = .paint, pressure: Double = 1) -> Stroke {
        Stroke(
            brush: brush, mode: mode,
            points: [StrokePoint(x: 20, y: 20, pressure: pressure), StrokePoint(x: 80, y: 60)])
    }

    // MARK: Text

    @Test("Coordinates are relative, rounded once, and without needless characters")
    func paths() {
        var path = VectorPath(decimals: 2)
        path.move(to: Point(x: 1.004, y: -0.5))
        path.line(to: Point(x: 1.006, y: 0.254))
        path.line(to: Point(x: 11, y: -1))
        path.line(to: Point(x: 11.001, y: -1.001))
        path.close()
        path.move(to: Point(x: 0, y: 0))
        path.end()
        #expect(String(decoding: path.text, as: UTF8.self) == "m1-.5 .01 .75 9.99-1.25zm-1 .5h0")
        var steps = VectorPath(decimals: 1)
        steps.move(to: Point(x: 0, y: 0))
        for index in 1...1000 { steps.line(to: Point(x: Double(index) / 3, y: 0)) }
        let numbers = String(decoding: steps.text, as: UTF8.self).dropFirst().split(separator: " ").compactMap {
            Double($0)
        }
        let sum = stride(from: 0, to: numbers.count, by: 2).reduce(0) { $0 + numbers[$1] }
        #expect(abs(sum - 1000.0 / 3) < 0.06)
        #expect(
            [2.5, 0.000_031, 1234].map { value -> String in
                var bytes: [UInt8] = []
                bytes.addLength(value)
                return String(decoding: bytes, as: UTF8.self)
            } == ["2.5", ".000031", "1234"])
    }

    @Test("Texts of a project cannot leave their places, and what XML forbids is left out")
    func hostileTexts() throws {
        let name = "a\"><script>&\u{1}\u{FFFF}\n\u{1F58B}'"
        let made = try made(
            [Layer(name: name, strokes: [line(Brush())])],
            text: [PictureText(.title, name), PictureText(.author, name)])
        let xml = try made.xml
        #expect(xml.all("script").isEmpty)
        let label = try #require(xml.all("g").first?.attributes["inkscape:label"])
        #expect(label == "a&quot;&gt;&lt;script&gt;&amp;&#10;\u{1F58B}'")
        #expect(xml.all("title").count == 1 && xml.all("dc:creator").count == 1)
    }

    @Test("The document has the picture's size, inches with a resolution, and the canvas as its view box")
    func size() throws {
        let plain = try #require(try made([]).xml.all("svg").first)
        #expect(plain.attributes["width"] == "200" && plain.attributes["height"] == "160")
        #expect(plain.attributes["viewBox"] == "0 0 100 80")
        let printed = try #require(try made([], options: PictureOptions(dotsPerInch: 80)).xml.all("svg").first)
        #expect(printed.attributes["width"] == "2.5in" && printed.attributes["height"] == "2in")
        #expect(try made([], background: .transparent).xml.all("rect").isEmpty)
        let flat = try made(
            [], background: RGBA8(red: 0, green: 0, blue: 0, alpha: 128), options: PictureOptions(colorMode: .rgb))
        #expect(try flat.xml.all("rect").first?.attributes["fill"] == "#7f7f7f")
    }

    // MARK: Marks

    @Test(
        "Stamps are uses of one shape, with an opacity of their own",
        arguments: [
            BrushType.parallelLines, .crossHatch, .dots, .waves,
        ])
    func stamps(type: BrushType) throws {
        let xml = try made([Layer(strokes: [line(Brush(type: type, spacing: 12, opacity: 0.5), pressure: 0.5)])]).xml
        let uses = xml.all("use")
        // A length of 72.1, a stamp each 12.
        #expect(uses.count == 7 && Set(uses.map { $0.attributes["xlink:href"] }).count == 1)
        #expect(Set(uses.map { $0.attributes["stroke-opacity"] }).count == 7)
        #expect(uses[0].attributes["stroke-opacity"] == ".25")
        #expect(uses.allSatisfy { $0.attributes["opacity"] == nil && $0.attributes["x"] != nil })
        let shape = try #require(xml.all("defs").isEmpty ? nil : xml.all("path").first?.attributes["d"])
        let counts: [BrushType: Int] = [.parallelLines: 7, .crossHatch: 14, .dots: 121, .waves: 7]
        #expect(shape.count { $0 == "m" } == counts[type])
        let group = try #require(xml.all("g").last)
        #expect(group.attributes["stroke-width"] == (type == .dots ? "4" : "1"))
        #expect(group.attributes["stroke-linecap"] == (type == .dots ? "round" : nil))
    }

    @Test("Stamps whose size or direction changes are scaled and turned")
    func changingStamps() throws {
        var brush = Brush(type: .parallelLines, spacing: 12)
        brush.dynamics = BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true)
        let xml = try made([Layer(strokes: [line(brush, pressure: 0)])]).xml
        let transforms = xml.all("use").compactMap { $0.attributes["transform"] }
        #expect(transforms.count == 7 && transforms[0] == "matrix(.5 0 0 .5 20 20)")
        #expect(Set(transforms).count == 7)
    }

    @Test("Solid strokes are lines, or areas if their width changes")
    func solid() throws {
        let lines = try made([Layer(strokes: [line(Brush(type: .solid, lineWidth: 3))])]).xml.all("path")
        #expect(lines.count == 1 && lines[0].attributes["d"] == "m20 20 60 40")
        #expect(lines[0].attributes["stroke-linecap"] == "round" && lines[0].attributes["stroke-width"] == "3")
        var brush = Brush(type: .solid, opacity: 0.5, lineWidth: 9)
        brush.dynamics.pressureAffectsSize = true
        let areas = try made([Layer(strokes: [line(brush, pressure: 0)])]).xml.all("path")
        #expect(
            areas.count == 1 && areas[0].attributes["fill"] == "#000" && areas[0].attributes["fill-opacity"] == ".5")
        #expect(areas[0].attributes["d"]?.hasSuffix("z") == true)
    }

    @Test(
        "A pattern that lies still is lines, clipped by the outline of the stroke",
        arguments: [
            BrushType.parallelLines, .crossHatch, .dots, .waves,
        ])
    func canvasPatterns(type: BrushType) throws {
        let brush = Brush(type: type, rotation: 20, spacing: 5, opacity: 0.5, anchor: .canvas, size: 10)
        let xml = try made([Layer(strokes: [line(brush)])]).xml
        let clip = try #require(xml.all("clipPath").first?.attributes["id"])
        let pattern = try #require(xml.all("path").last)
        #expect(pattern.attributes["clip-path"] == "url(#\(clip))" && pattern.attributes["stroke-opacity"] == ".5")
        let parts = pattern.attributes["d"]?.count { $0 == "m" } ?? 0
        #expect(parts > 3 && parts < 200, "\(parts)")
    }

    @Test("Contour lines of one opacity are one area; others are an image, and a warning names the layer")
    func contourLines() throws {
        let brush = Brush(type: .contourLines, spacing: 6)
        let even = try made([Layer(strokes: [line(brush)])])
        let path = try #require(try even.xml.all("path").first?.attributes["d"])
        #expect(path.count { $0 == "z" } == 8 && even.images.isEmpty)
        let changing = try made([Layer(strokes: [line(brush)]), Layer(strokes: [line(brush, pressure: 0.2)])])
        #expect(changing.images.count == 1 && changing.warnings.map(\.path) == ["layers[1]"])
        #expect(changing.warnings[0].reason.hasPrefix("the opacity of a stroke changes along it"))
    }

    // MARK: Layers

    @Test("Layers are groups with opacity, mode and name; groups are isolated")
    func layers() throws {
        let inner = Layer(name: "inner", opacity: 0.5, blendMode: .colorDodge, strokes: [line(Brush())])
        var group = Layer(name: "outer")
        group.kind = .group([inner], isPassThrough: false)
        let xml = try made([group, Layer(isVisible: false, strokes: [line(Brush())])]).xml
        let groups = xml.all("g").filter { $0.attributes["inkscape:groupmode"] != nil }
        #expect(groups.map { $0.attributes["inkscape:label"] } == ["outer", "inner"])
        #expect(groups[0].attributes["style"] == "isolation:isolate")
        #expect(groups[1].attributes["style"] == "mix-blend-mode:color-dodge")
        #expect(groups[1].attributes["opacity"] == ".5" && xml.path(groups[1]) == ["svg", "g"])
    }

    @Test("A mode that SVG lacks makes an image of the layer and all below it", arguments: BlendMode.allCases)
    func modes(mode: BlendMode) throws {
        let layers = [
            Layer(id: "a", strokes: [line(Brush())]), Layer(id: "b", blendMode: mode, strokes: [line(Brush())]),
            Layer(id: "c", strokes: [line(Brush())]),
        ]
        let made = try made(layers, background: .black)
        let lacking: Set<BlendMode> = [
            .plus, .linearDodge, .linearBurn, .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide,
            .darkerColor, .lighterColor,
        ]
        guard lacking.contains(mode) else {
            #expect(made.images.isEmpty && made.warnings.isEmpty)
            return
        }
        #expect(made.images.map { $0.layers.map(\.id) } == [["a", "b"]])
        #expect(made.images[0].background == .black && !made.images[0].includesBaseImage)
        #expect(made.warnings.map(\.path) == ["layers[1]"] && made.warnings[0].reason.contains(mode.rawValue))
        let xml = try made.xml
        #expect(xml.all("rect").isEmpty && xml.all("image").count == 1)
        #expect(xml.all("g").compactMap { $0.attributes["inkscape:label"] } == ["c"])
    }

    @Test("Erasing strokes are a mask round all that was painted before")
    func erasing() throws {
        let paint = line(Brush(type: .solid, color: RGBA8(red: 255, green: 0, blue: 0)))
        let erase = line(Brush(type: .solid, opacity: 0.5), mode: .erase)
        let xml = try made([Layer(strokes: [paint, erase, erase, paint])]).xml
        let mask = try #require(xml.all("mask").first)
        #expect(xml.all("mask").count == 1)
        let paths = xml.all("path")
        #expect(paths.map { xml.path($0).contains("mask") } == [true, true, false, false])
        #expect(paths[0].attributes["stroke"] == "#000" && paths[0].attributes["stroke-opacity"] == ".5")
        let masked = paths.map { path in
            path.parents.contains { xml.elements[$0].attributes["mask"] == "url(#\(mask.attributes["id"] ?? ""))" }
        }
        #expect(masked == [false, false, true, false])
        let often = try made([Layer(strokes: (0..<40).map { $0 % 2 == 0 ? paint : erase })])
        #expect(often.images.count == 1 && often.warnings.count == 1)
    }

    @Test("Elements are clipped to a base of one colour by its alpha; to others as an image")
    func clipping() throws {
        let red = Brush(type: .solid, color: RGBA8(red: 255, green: 0, blue: 0))
        var clipped = Layer(id: "clipped", blendMode: .multiply, strokes: [line(Brush(type: .waves))])
        clipped.isClipped = true
        let one = try made([Layer(id: "base", strokes: [line(red), line(red)]), clipped])
        let xml = try one.xml
        #expect(one.images.isEmpty && one.warnings.isEmpty)
        #expect(xml.all("mask").count == 1 && xml.all("rect").contains { $0.attributes["fill"] == "#f00" })
        #expect(
            xml.all("path").filter { xml.path($0).contains("mask") }.allSatisfy { $0.attributes["stroke"] == "#fff" })
        let two = try made([Layer(id: "base", strokes: [line(red), line(Brush(type: .solid))]), clipped])
        #expect(two.images.map { $0.layers.map(\.id) } == [["base", "clipped"]])
        #expect(two.images[0].layers[1].isClipped && two.warnings.count == 1)
    }

    @Test("Only what is chosen is drawn")
    func chosen() throws {
        var group = Layer(id: "g")
        group.kind = .group(
            [Layer(id: "g1", strokes: [line(Brush())]), Layer(id: "g2", strokes: [line(Brush())])], isPassThrough: false
        )
        let layers = [Layer(id: "a", isVisible: false, strokes: [line(Brush())]), group]
        func labels(_ numbers: [Int]?) throws -> [String] {
            try made(layers, options: PictureOptions(layers: numbers)).xml.all("g").compactMap {
                $0.attributes["inkscape:label"]
            }
        }
        #expect(try labels(nil) == ["g", "g1", "g2"])
        #expect(try labels([0]) == ["a"])
        #expect(try labels([3]) == ["g", "g2"])
    }

    // MARK: Limits

    @Test("Many stamps are written piece by piece; too many are an image")
    func manyStamps() throws {
        let points = (0...2000).map { StrokePoint(x: Double($0 % 2) * 99, y: 40, pressure: Double($0 % 7) / 7) }
        let stroke = Stroke(brush: Brush(spacing: 1), points: points)
        // 198,000 stamps.
        let many = try made([Layer(strokes: [stroke])])
        #expect(many.images.isEmpty && many.file.count > 5_000_000 && many.largestWrite < 1 << 18)
        #expect(many.file.count { $0 == UInt8(ascii: "\n") } > 150_000)
        let tooMany = try made([Layer(strokes: [stroke, stroke]), Layer(strokes: [line(Brush())])])
        #expect(tooMany.images.count == 1 && tooMany.warnings.map(\.path) == ["layers[0]"])
        #expect(tooMany.warnings[0].reason.contains("250000 stamps"))
        // Twenty million of a stroke are counted, and not made.
        let hostile = Stroke(brush: Brush(spacing: 1e-5), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 99, y: 9)])
        #expect(try made([Layer(strokes: [hostile])]).images.count == 1)
    }

    @Test(
        "Patterns too fine, strokes too far and ink too faint are images",
        arguments: [
            Brush(type: .parallelLines, spacing: 1e-4, lineWidth: 1e-5, anchor: .canvas),
            Brush(type: .dots, spacing: 3, scale: 0.01, anchor: .canvas, size: 9000),
            Brush(type: .waves, opacity: 0.003),
        ])
    func unfitMarks(brush: Brush) throws {
        let made = try made([Layer(strokes: [line(brush)])])
        #expect(made.images.count == 1 && made.warnings.count == 1)
        #expect(made.file.count < 10_000)
    }

    @Test("A stroke that reaches far beyond the picture is an image")
    func farStrokes() throws {
        let stroke = Stroke(
            brush: Brush(type: .solid), points: [StrokePoint(x: 5, y: 5), StrokePoint(x: 9e6, y: 9e6)])
        #expect(try made([Layer(strokes: [stroke])]).images.count == 1)
    }

    // MARK: Digest

    @Test("The digest counts only in a file that is complete and unchanged")
    func seal() throws {
        let digest = try #require(PictureDigest(bytes: [UInt8](repeating: 0xA5, count: 32)))
        let file = try made([Layer(strokes: [line(Brush())])], options: PictureOptions(digest: digest.bytes)).file
        _ = try PlainXML(file)
        try expectDigest(digest, of: file, by: SVGCodec())
    }
}
