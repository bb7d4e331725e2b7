import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Hidden lines, pens and hatching of plots")
struct PlotHidingTests {
    private static let page = Rect(minX: 0, minY: 0, maxX: 100, maxY: 80)
    private let red = RGBA8(red: 255, green: 0, blue: 0)
    private let blue = RGBA8(red: 0, green: 0, blue: 255)

    private func drawn(
        _ layers: [Layer], _ plot: PlotSettings = PlotSettings(), background: RGBA8 = .white
    ) throws -> DrawnPicture {
        // A canvas pixel is a millimetre.
        var options = PictureOptions(dotsPerInch: 25.4)
        options.encoding = PictureEncoding(format: .plot)
        options.encoding.plot = plot
        return try DrawnPicture(
            Project(canvasSize: PixelSize(width: 100, height: 80), background: background, layers: layers),
            options: options, output: PixelSize(width: 100, height: 80), name: "a.ink",
            description: PictureDescription())
    }

    private func plotted(
        _ layers: [Layer], _ plot: PlotSettings = PlotSettings(), background: RGBA8 = .white
    ) throws -> (xml: PlainXML, warnings: [ReadingWarning]) {
        var file: [UInt8] = []
        let drawn = try drawn(layers, plot, background: background)
        let picture = VectorPicture(
            drawn,
            tools: VectorPictureTools(
                write: { (bytes) throws(EngineError) in file += bytes },
                image: { (_) throws(EngineError) in [] }, isCancelled: { false }))
        let warnings = try picture.write()
        try expectSurvey(of: drawn, [], warnings)
        return (try PlainXML(file), warnings)
    }

    /// The length that the pen of each colour draws, in millimetres.
    private func lengths(
        _ layers: [Layer], _ plot: PlotSettings = PlotSettings(), background: RGBA8 = .white
    ) throws -> [String: Double] {
        let xml = try plotted(layers, plot, background: background).xml
        var lengths: [String: Double] = [:]
        for path in xml.all("path") {
            let pen = xml.elements[path.parents.last ?? 0].attributes["stroke"] ?? ""
            let numbers = (path.attributes["d"] ?? "").matches(of: /-?(\d+\.?\d*|\.\d+)/).compactMap { Double($0.0) }
            for index in stride(from: 2, to: numbers.count - 1, by: 2) {
                lengths[pen, default: 0] += Point(x: numbers[index], y: numbers[index + 1]).length
            }
        }
        return lengths
    }

    private func square(_ x: Double, _ y: Double, _ edge: Double, _ color: RGBA8) -> Shape {
        Shape(path: ShapePath(Rect(minX: x, minY: y, maxX: x + edge, maxY: y + edge)), fill: .color(color))
    }

    private func layer(_ shapes: [Shape], opacity: Double = 1) -> Layer {
        var layer = Layer(opacity: opacity)
        layer.shapes = shapes
        return layer
    }

    private func line(_ y: Double, _ color: RGBA8, width: Double = 1) -> Layer {
        Layer(strokes: [
            Stroke(
                brush: Brush(type: .solid, lineWidth: width, color: color),
                points: [StrokePoint(x: 10, y: y), StrokePoint(x: 90, y: y)])
        ])
    }

    private func expect(_ lengths: [String: Double], _ expected: [String: Double]) {
        #expect(
            lengths.keys.sorted() == expected.keys.sorted()
                && expected.allSatisfy { abs((lengths[$0] ?? 0) - $1) < 0.4 }, "\(lengths), not \(expected)")
    }

    // MARK: Hiding

    @Test("An opaque area hides what lies below it, and nothing that lies above it; it is drawn as its outline")
    func areas() throws {
        let square = layer([square(30, 20, 40, red)])
        expect(try lengths([line(40, .black), square]), ["#000": 40, "#f00": 160])
        expect(try lengths([square, line(40, .black)]), ["#000": 80, "#f00": 160])
        var keep = PlotSettings()
        keep.keepsHidden = true
        expect(try lengths([line(40, .black), square], keep), ["#000": 80, "#f00": 160])
        // Wide strokes are areas: 60 by 10 with round ends.
        let wide = Layer(strokes: [
            Stroke(
                brush: Brush(type: .solid, lineWidth: 10, color: red),
                points: [StrokePoint(x: 50, y: 20), StrokePoint(x: 50, y: 60)])
        ])
        expect(try lengths([line(40, .black), wide]), ["#000": 70, "#f00": 80 + 10 * Double.pi])
        expect(try lengths([line(40, .black), wide], keep), ["#000": 80, "#f00": 40])
    }

    @Test("What shines through hides nothing, lines hide nothing, and what covers in part hides in part")
    func translucence() throws {
        let faint = RGBA8(red: 255, green: 0, blue: 0, alpha: 254)
        expect(try lengths([line(40, .black), layer([square(30, 20, 40, faint)])]), ["#000": 80, "#f00": 160])
        expect(
            try lengths([line(40, .black), layer([square(30, 20, 40, red)], opacity: 0.9)]),
            ["#000": 80, "#f00": 160])
        // In one layer of an opacity the upper hides the lower.
        let pair = layer([square(30, 20, 40, red), square(40, 30, 20, blue)], opacity: 0.5)
        expect(try lengths([line(40, .black), pair]), ["#000": 80, "#f00": 160, "#00f": 80])
        let cut = layer([square(30, 20, 40, red), square(50, 40, 40, blue)], opacity: 0.5)
        expect(try lengths([cut]), ["#f00": 120, "#00f": 160])
        expect(try lengths([line(40, .black), line(40.5, red)]), ["#000": 80, "#f00": 80])
        var masked = layer([square(30, 20, 40, red)])
        masked.maskShapes = [square(20, 10, 30, .black)]
        // The mask cuts the outline too.
        expect(try lengths([line(30, .black), masked]), ["#000": 60, "#f00": 40])
        var hole = square(40, 30, 20, .black)
        hole.mode = .erase
        expect(try lengths([line(40, .black), layer([square(30, 20, 40, red), hole])]), ["#000": 60, "#f00": 160])
        var fill = Layer()
        fill.kind = .fill(.color(red))
        fill.maskShapes = [square(30, 20, 40, .black)]
        expect(try lengths([line(40, .black), fill]), ["#000": 40])
        var brush = Brush(type: .solid, lineWidth: 10, color: red)
        brush.dynamics.pressureAffectsOpacity = true
        let fading = Layer(strokes: [
            Stroke(brush: brush, points: [StrokePoint(x: 50, y: 20, pressure: 0.2), StrokePoint(x: 50, y: 60)])
        ])
        expect(try lengths([line(40, .black), fading]), ["#000": 80, "#f00": 80 + 10 * Double.pi])
    }

    @Test("A line along the edge of a mask is drawn if a quarter of its width is inside")
    func maskEdge() {
        let size = PixelSize(width: 20, height: 10)
        // Half bright at y = 5.
        let mask = PlotMask(
            (0..<200).map { $0 < 100 ? 0 : 255 }, size: size, canvas: CanvasSize(width: 20, height: 10))
        let cut = PlotCut(area: mask)
        func length(_ y: Double, width: Double) -> Double {
            cut.parts(from: Point(x: 2, y: y), to: Point(x: 18, y: y), width: width).ranges
                .reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        }
        #expect(length(4.5, width: 0) == 0 && length(4.5, width: 1.8) == 0)
        #expect(length(4.5, width: 2.2) == 1 && length(5.5, width: 0) == 1)
        // What crosses it ends at it.
        let crossing = cut.parts(from: Point(x: 9, y: 1), to: Point(x: 9, y: 9), width: 3).ranges
        #expect(crossing.count == 1 && abs(crossing[0].lowerBound - 0.5) < 1e-9)
    }

    @Test("Borders between areas of a colour are not drawn, nor what has the colour of the paper")
    func borders() throws {
        let pair = layer([square(10, 10, 20, red), square(20, 10, 20, red), square(60, 60, 10, .white)])
        expect(try lengths([pair]), ["#f00": 100])
        expect(try lengths([line(40, .black), layer([square(30, 20, 40, .white)])]), ["#000": 40])
        let abutting = layer([square(10, 10, 20, red), square(30, 10, 20, blue)])
        expect(try lengths([abutting]), ["#f00": 60, "#00f": 80])
        // Of a path that crosses itself, only what is round it.
        let path = ShapePath(Rect(minX: 10, minY: 10, maxX: 30, maxY: 30))
        var twice = path
        for verb in [Rect(minX: 20, minY: 15, maxX: 40, maxY: 35)] {
            twice.move(to: Point(x: verb.minX, y: verb.minY))
            twice.line(to: Point(x: verb.maxX, y: verb.minY))
            twice.line(to: Point(x: verb.maxX, y: verb.maxY))
            twice.line(to: Point(x: verb.minX, y: verb.maxY))
            twice.close()
        }
        expect(try lengths([layer([Shape(path: twice, fill: .color(red))])]), ["#f00": 110])
        expect(try lengths([layer([Shape(path: twice, rule: .evenodd, fill: .color(red))])]), ["#f00": 160])
    }

    @Test("Parts of lines are those whose points are visible", arguments: 0..<30 as Range<UInt64>)
    func parts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func point() -> Point {
            Point(x: .random(in: -20...120, using: &random), y: .random(in: -20...100, using: &random))
        }
        let polygons = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            (0..<Int.random(in: 3...12, using: &random)).map { _ in point() }
        }
        let rule = FillRule.allCases.randomElement(using: &random) ?? .nonzero
        var lines = PlotLines()
        for polygon in polygons { lines.add(polygon) }
        /// By all edges, one after the other.
        func holds(_ place: Point) -> Bool {
            var winding = 0
            for polygon in polygons {
                for index in polygon.indices {
                    let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
                    guard (a.y <= place.y) != (b.y <= place.y) else { continue }
                    if a.x + (place.y - a.y) / (b.y - a.y) * (b.x - a.x) < place.x { winding += a.y < b.y ? 1 : -1 }
                }
            }
            return rule == .nonzero ? winding != 0 : winding & 1 != 0
        }
        guard let region = PlotRegion(lines, rule: rule, page: Self.page) else { return }
        for _ in 0..<40 {
            let (a, b) = (point(), point())
            let parts = region.parts(from: a, to: b)
            #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            for _ in 0..<25 {
                let t = Double.random(in: 0...1, using: &random)
                let place = a + t * (b - a)
                guard Self.page.contains(place),
                    !parts.contains(where: { abs($0.lowerBound - t) < 1e-6 || abs($0.upperBound - t) < 1e-6 })
                else { continue }
                #expect(parts.contains { $0.contains(t) } == holds(place), "seed \(seed) at \(place)")
                #expect(region.contains(place) == holds(place), "seed \(seed) at \(place)")
            }
            let box = Rect(minX: min(a.x, b.x), minY: min(a.y, b.y), maxX: max(a.x, b.x), maxY: max(a.y, b.y))
            if let isInside = region.isInside(box) {
                for _ in 0..<10 {
                    let place = Point(
                        x: .random(in: box.minX...box.maxX, using: &random),
                        y: .random(in: box.minY...box.maxY, using: &random))
                    if Self.page.contains(place) { #expect(holds(place) == isInside, "seed \(seed) at \(place)") }
                }
            }
        }
        // Its outline is where the inside ends.
        let outline = region.outline()
        for index in 0..<outline.count {
            for (a, b) in zip(outline[index], outline[index].dropFirst()) where (b - a).length > 0.1 {
                let way = (1e-4 / (b - a).length) * (b - a)
                let (middle, normal) = (0.5 * (a + b), Point(x: -way.y, y: way.x))
                guard Self.page.contains(middle) else { continue }
                #expect(holds(middle + normal) != holds(middle - normal), "seed \(seed) at \(middle)")
            }
        }
    }

    @Test("A path of many segments is plotted")
    func largeShape() throws {
        var path = ShapePath()
        for index in 0..<20_000 {
            let turn = sinCos(degrees: Double(index) * 3.6)
            let radius = 5 + 30 * Double(index) / 20_000
            let place = Point(x: 50 + radius * turn.cos, y: 40 + radius * turn.sin)
            if index == 0 { path.move(to: place) } else { path.line(to: place) }
        }
        let lengths = try lengths([layer([Shape(path: path, fill: .color(red))])])
        #expect((lengths["#f00"] ?? 0) > 200)
    }

    @Test("Thousands of shapes that cover and erase are plotted")
    func manyShapes() throws {
        func squares(_ corner: Double, _ edge: Double, _ color: RGBA8) -> [Shape] {
            (0..<2_000).map { square(corner + 2 * Double($0 % 50), corner + 2 * Double($0 / 50), edge, color) }
        }
        var holes = squares(0.25, 0.5, .black)
        for index in holes.indices { holes[index].mode = .erase }
        // Each hole takes away a corner of a square: a quarter of two of its sides.
        let lengths = try lengths([layer(squares(0.5, 1, red) + holes)])
        #expect(abs((lengths["#f00"] ?? 0) - 2_000 * 3.5) < 100, "\(lengths)")
    }

    @Test("A shape that erases by a pattern needs an image of what it leaves")
    func erasingPattern() throws {
        var hole = square(30, 20, 40, .black)
        (hole.mode, hole.fill) = (.erase, .pattern(Brush(type: .dots)))
        let images = try drawn([layer([square(20, 10, 60, red), hole])]).survey().images
        #expect(images.count == 1 && images[0].background == .white)
        #expect(images[0].layers[0].shapes.map(\.mode) == [.paint])
    }

    @Test("A curve that leads far beyond the page is exact on it, and takes few lines")
    func farCurves() {
        var path = PlotPath(tolerance: 0.01, page: Self.page)
        path.move(to: Point(x: 0, y: 0))
        path.cubic(Point(x: 4e5, y: 1e2), Point(x: 4e5, y: 2e5), to: Point(x: 0, y: 9e5))
        let points = path.takeLines().points
        #expect(points.count < 2_000 && points.count > 2)
        // On the page the curve is this one: it leaves by the right edge.
        for place in stride(from: 1.0, through: 100, by: 9) {
            var (low, high) = (0.0, 1e-3)
            for _ in 0..<60 {
                let t = (low + high) / 2
                if 3 * t * (1 - t) * (1 - t) * 4e5 + 3 * t * t * (1 - t) * 4e5 < place { low = t } else { high = t }
            }
            let height = 3 * low * (1 - low) * (1 - low) * 1e2 + 3 * low * low * (1 - low) * 2e5 + low * low * low * 9e5
            let found = zip(points, points.dropFirst()).first { $0.x <= place && place <= $1.x }
                .map { $0.y + (place - $0.x) / ($1.x - $0.x) * ($1.y - $0.y) }
            #expect(found.map { abs($0 - height) < 0.02 } == true, "at \(place)")
        }
    }

    // MARK: Pens and hatching

    @Test("Near colours share the pen of the one in which most is drawn")
    func pens() throws {
        let colors = [red, RGBA8(red: 240, green: 10, blue: 10), blue, RGBA8(red: 10, green: 10, blue: 230), .black]
        var layers = colors.enumerated().map { line(10 + 10 * Double($0), $1) }
        layers[1].strokes[0].points[1].x = 30
        layers[2].strokes[0].points[1].x = 30
        var plot = PlotSettings()
        plot.pens = 3
        expect(try lengths(layers, plot), ["#f00": 100, "#0a0ae6": 100, "#000": 80])
        plot.pens = 1
        #expect(try lengths(layers, plot).count == 1)
        let many = (0..<400).map { index in
            line(0.2 * Double(index), RGBA8(red: UInt8(index % 200), green: UInt8(index / 2), blue: 40))
        }
        plot.pens = 7
        #expect(try lengths(many, plot).count == 7)
        #expect(try plotted(many, plot).warnings.isEmpty && plotted(many).warnings[0].reason.contains("--pens"))
    }

    @Test("Areas are hatched by lines at a distance and an angle, also those that hide others")
    func hatching() throws {
        var plot = PlotSettings()
        plot.hatch = PlotSettings.Hatch(spacing: 2000, angle: 0)
        let lines = try lengths([layer([square(30, 21, 40, red)])], plot)
        expect(lines, ["#f00": 160 + 20 * 40])
        plot.hatch = PlotSettings.Hatch(spacing: 50, angle: 0)
        var limits = VectorLimits()
        limits.plotLines = 100
        let pen = PlotPen(
            VectorScene(
                DrawnPicture(
                    [], name: "a", encoding: PictureEncoding(format: .plot),
                    canvas: CanvasSize(width: 100, height: 80), output: PixelSize(width: 100, height: 80),
                    background: .white, fillsSuggested: false),
                tools: VectorPictureTools(write: { _ in }, image: { _ in [] }, isCancelled: { false }), limits: limits),
            tolerance: 0.01)
        var outline = PlotLines()
        outline.add([Point(x: 0, y: 0), Point(x: 90, y: 0), Point(x: 0, y: 70)])
        let region = try #require(PlotRegion(outline, rule: .nonzero, page: Self.page))
        var full = pen
        #expect(throws: EngineError.self) { try full.hatch(region, step: Point(x: 0, y: 1e-3)) }
    }
}
