import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

@Suite("Plots")
struct PlotTests {
    private static let canvas = CanvasSize(width: 100, height: 80)
    private static let image = EncodedImage(
        bytes: [], header: ImageHeader(size: PixelSize(width: 1, height: 1), isHeldWhole: false), place: "image")

    private final class Made {
        var file: [UInt8] = []
        var images: [VectorImage] = []
        var warnings: [ReadingWarning] = []
        var xml: PlainXML { get throws { try PlainXML(file) } }

        /// The lines of each pen in millimetres.
        func lines() throws -> [[[Point]]] {
            let xml = try xml
            return xml.all("g").map { group in
                xml.all("path").filter { xml.elements[$0.parents.last ?? 0].attributes["id"] == group.attributes["id"] }
                    .map { path in
                        var (points, last): ([Point], Point) = ([], Point(x: 0, y: 0))
                        let numbers = (path.attributes["d"] ?? "").matches(of: /-?(\d+\.?\d*|\.\d+)/)
                            .compactMap { Double($0.0) }
                        for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                            last = last + Point(x: numbers[index], y: numbers[index + 1])
                            points.append(last)
                        }
                        return points
                    }
            }
        }
    }

    /// - Parameter mask: of gray values, that stands for all.
    private func made(
        _ layers: [Layer], options: PictureOptions = PictureOptions(), baseImage: EncodedImage? = nil,
        limits: VectorLimits = VectorLimits(), mask: [UInt8] = [255, 0], keepsHidden: Bool = false
    ) throws -> Made {
        let made = Made()
        let size = PixelSize(width: mask.count, height: 1)
        let png = MinimalPNGWriter.png(rgb: mask.flatMap { [$0, $0, $0] }, size: size)
        var options = options
        options.encoding = PictureEncoding(format: .plot)
        options.encoding.plot.keepsHidden = keepsHidden
        var project = Project(canvasSize: PixelSize(width: 100, height: 80), background: .white, layers: layers)
        project.baseImage = baseImage
        let drawn = try DrawnPicture(
            project, options: options, output: PixelSize(width: 200, height: 160), name: "a.ink",
            description: PictureDescription(
                digest: options.digest.flatMap { PictureDigest(bytes: $0) }))
        let picture = VectorPicture(
            drawn,
            tools: VectorPictureTools(
                write: { (bytes) throws(EngineError) in made.file += bytes },
                image: { (image) throws(EngineError) in
                    made.images.append(image)
                    return png
                }, isCancelled: { false }), limits: limits)
        made.warnings = try picture.write()
        try expectSurvey(of: drawn, made.images, made.warnings, limits: limits)
        return made
    }

    private func line(_ brush: Brush, from: Point = Point(x: 20, y: 40), to: Point = Point(x: 80, y: 40)) -> Stroke {
        Stroke(brush: brush, points: [StrokePoint(x: from.x, y: from.y), StrokePoint(x: to.x, y: to.y)])
    }

    // MARK: The file

    @Test("A plot is in millimetres, with a layer for each colour and flat lines without areas")
    func file() throws {
        let red = Brush(type: .solid, opacity: 0.3, color: RGBA8(red: 255, green: 0, blue: 0))
        var dots = Brush(type: .dots, spacing: 20, anchor: .canvas, size: 30)
        dots.color = RGBA8(red: 0, green: 0, blue: 255)
        let made = try made(
            [
                Layer(name: "A+B & !C", strokes: [line(red)]), Layer(name: "D", opacity: 0.1, strokes: [line(dots)]),
                Layer(
                    name: "E", blendMode: .divide,
                    strokes: [line(red, from: Point(x: 20, y: 50), to: Point(x: 20, y: 60))]),
            ], options: PictureOptions(dotsPerInch: 254))
        #expect(made.warnings.isEmpty && made.images.isEmpty)
        let xml = try made.xml
        let svg = try #require(xml.all("svg").first)
        #expect(svg.attributes["width"] == "20mm" && svg.attributes["height"] == "16mm")
        #expect(svg.attributes["viewBox"] == "0 0 20 16")
        let pens = xml.all("g")
        #expect(pens.map { $0.attributes["inkscape:label"] } == ["1 #f00 A_B &amp; _C, E", "2 #00f D"])
        #expect(pens.map { $0.attributes["stroke"] } == ["#f00", "#00f"])
        #expect(pens.allSatisfy { $0.attributes["inkscape:groupmode"] == "layer" && $0.attributes["fill"] == "none" })
        #expect(Set(xml.elements.map(\.name)) == ["svg", "g", "path"])
        #expect(xml.elements.allSatisfy { $0.attributes["opacity"] == nil && $0.attributes["stroke-opacity"] == nil })
        let lines = try made.lines()
        #expect(lines[0].map(\.count) == [2, 2] && lines[0][0][0].x == 4 && lines[0][0][0].y == 8)
        #expect(lines[1].allSatisfy { $0.count == 2 && abs($0[1].x - $0[0].x - 0.1) < 0.02 } && lines[1].count > 2)
        // 96 dots per inch without a resolution.
        #expect(try self.made([]).xml.all("svg")[0].attributes["width"] == "52.917mm")
    }

    @Test("What a pen cannot plot is named")
    func warnings() throws {
        var fill = Layer(id: "fill")
        fill.kind = .fill(.color(RGBA8(red: 1, green: 2, blue: 3)))
        let wide = Layer(strokes: [line(Brush(type: .solid, lineWidth: 60)), line(Brush(type: .solid))])
        let made = try made([fill, Layer(contentImage: Self.image), wide], baseImage: Self.image, keepsHidden: true)
        #expect(made.warnings.map(\.path) == ["baseImage", "layers[0]", "layers[1]", "layers[2]"])
        #expect(made.warnings[3].reason.contains("31.8 mm"), "\(made.warnings[3].reason)")
        #expect(made.images.isEmpty)
        let many = try self.made([fill, fill, wide, wide, wide], keepsHidden: true)
        #expect(many.warnings.map(\.path) == ["layers[0]", "layers[2]"] && many.warnings.map(\.count) == [2, 3])
        let fine = Brush(type: .parallelLines, spacing: 1e-4, lineWidth: 1e-5, anchor: .canvas)
        #expect(try self.made([Layer(strokes: [line(fine)])]).warnings.map(\.path) == ["layers[0]"])
        let colors = (0..<30).map { line(Brush(type: .solid, color: RGBA8(red: UInt8($0), green: 0, blue: 0))) }
        #expect(try self.made([Layer(strokes: colors)]).warnings.map(\.path) == ["layers"])
    }

    @Test("A plot of too many lines is refused, and counted before it is made")
    func limit() throws {
        var limits = VectorLimits()
        limits.plotLines = 1000
        let many = Layer(strokes: [line(Brush(spacing: 0.2))])
        let hostile = Layer(strokes: [line(Brush(spacing: 1e-6))])
        for layer in [many, hostile] {
            do {
                _ = try made([layer], limits: limits)
                Issue.record("made")
            } catch EngineError.overLimit(let place, _, _, _) {
                #expect(place.file == "a.ink")
            }
        }
    }

    @Test("The lines of contour lines and of solid strokes run in the middle of them")
    func middles() throws {
        let contour = Brush(type: .contourLines, spacing: 6)
        let lines = try made([Layer(strokes: [line(contour)])]).lines()[0]
        #expect(lines.count == 7 && lines.allSatisfy { $0.count == 2 && $0[0].y == $0[1].y })
        let heights = lines.map { $0[0].y }.sorted()
        #expect(zip(heights, heights.dropFirst()).allSatisfy { abs($1 - $0 - 6 * 2 * 25.4 / 96) < 0.02 })
        var brush = Brush(type: .solid, lineWidth: 9)
        brush.dynamics.pressureAffectsSize = true
        #expect(try made([Layer(strokes: [line(brush)])], keepsHidden: true).lines()[0].map(\.count) == [2])
    }

    // MARK: Cutting

    @Test("Masks, what clips and what erases cut lines; the rest of the picture is not touched")
    func cuts() throws {
        let solid = Brush(type: .solid)
        var masked = Layer(id: "masked", strokes: [line(solid)])
        masked.maskImage = Self.image
        let free = Layer(id: "free", strokes: [line(solid, from: Point(x: 20, y: 70), to: Point(x: 80, y: 70))])
        let millimetre = 2 * 25.4 / 96
        func spans(_ made: Made) throws -> [[Double]] {
            try made.lines()[0].map { [$0[0].x, $0[1].x].map { ($0 / millimetre * 10).rounded() / 10 }.sorted() }.sorted
            {
                $0[1] < $1[1]
            }
        }
        let cut = try made([masked, free])
        #expect(try spans(cut) == [[20, 50], [20, 80]])
        #expect(cut.images.count == 1 && cut.images[0].format == .png && cut.images[0].size?.longestEdge == 2048)
        var group = Layer(id: "g", maskImage: Self.image)
        group.kind = .group([free], isPassThrough: false)
        #expect(try spans(made([group])) == [[20, 50]])
        // What comes later is not erased.
        var erase = line(Brush(type: .solid, lineWidth: 10))
        erase.mode = .erase
        let later = line(solid, from: Point(x: 20, y: 60), to: Point(x: 80, y: 60))
        let erased = try made([Layer(strokes: [line(solid), erase, later])])
        #expect(try spans(erased) == [[20, 50], [20, 80]])
        #expect(erased.images[0].background == .white && erased.images[0].layers[0].strokes[0].mode == .paint)
        // The base is drawn whole, what is on it where its alpha is.
        var clipped = free
        clipped.isClipped = true
        let onBase = try made([Layer(id: "base", strokes: [line(solid)]), clipped])
        #expect(onBase.images[0].background == .transparent && onBase.images[0].layers.map(\.id) == ["base"])
        #expect(try spans(onBase) == [[20, 80], [20, 80]])
    }

    @Test("Nothing is drawn beyond the page")
    func page() throws {
        let long = line(Brush(type: .solid), from: Point(x: -500, y: 20), to: Point(x: 700, y: 50))
        let lines = try made([Layer(strokes: [long])]).lines()[0]
        #expect(lines.count == 1 && lines[0].allSatisfy { $0.x >= 0 && $0.x <= 52.92 && $0.y >= 0 && $0.y <= 42.34 })
        #expect(abs(lines[0][0].x - lines[0][1].x) > 52.8)

        // Dots are lines, which start and end inside.
        let dots = Brush(type: .dots, spacing: 4, lineWidth: 1, anchor: .canvas, size: 40)
        let rows = [0.0, 100].map { line(dots, from: Point(x: $0, y: 0), to: Point(x: $0, y: 80)) }
        let all = try made([Layer(strokes: rows)]).lines()[0]
        let places = all.joined().map(\.x)
        #expect(all.count > 100 && places.min() == 0 && places.allSatisfy { $0 <= 52.92 }, "\(all.count) dots")
    }

    @Test("Lines are cut where a point tells that they are inside", arguments: 0..<40 as Range<UInt64>)
    func areas(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func point() -> Point {
            Point(x: .random(in: -10...110, using: &random), y: .random(in: -10...90, using: &random))
        }
        let discs = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            PreparedStroke.Disc(center: point(), radius: .random(in: 0.1...15, using: &random))
        }
        let size = PixelSize(width: .random(in: 1...20, using: &random), height: .random(in: 1...20, using: &random))
        let values = (0..<size.area).map { _ in UInt8.random(in: 0...255, using: &random) }
        let box = Rect(minX: 10, minY: 15, maxX: 70, maxY: 60)
        /// - Parameter margin: canvas pixels round a point in which all has to be alike for the point to count.
        func check(_ area: some PlotArea, margin: Point, _ isInside: (Point) -> Bool) {
            for _ in 0..<40 {
                let (a, b) = (point(), point())
                let parts = area.parts(from: a, to: b)
                #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
                for _ in 0..<25 {
                    let t = Double.random(in: 0...1, using: &random)
                    let place = a + t * (b - a)
                    let near = [(-1.0, -1.0), (-1, 1), (1, -1), (1, 1), (0, 1), (1, 0), (0, -1), (-1, 0)].map { x, y in
                        isInside(place + Point(x: x * margin.x, y: y * margin.y))
                    }
                    guard near.allSatisfy({ $0 == isInside(place) }) else { continue }
                    #expect(
                        parts.contains { $0.contains(t) } == isInside(place),
                        "seed \(seed), \(type(of: area)) from \(a) to \(b) at \(t)")
                }
            }
        }
        check(box, margin: Point(x: 1e-6, y: 1e-6)) { box.contains($0) }
        let footprint = PlotFootprint(discs)
        check(footprint, margin: Point(x: 1e-6, y: 1e-6)) { footprint.contains($0) }
        let mask = PlotMask(values, size: size, canvas: Self.canvas)
        check(mask, margin: Point(x: 35 / Double(size.width), y: 28 / Double(size.height))) { mask.contains($0) }
        for _ in 0..<200 {
            let place = point()
            // The hull of two discs is all discs between them. How far the point is inside of one of them.
            var depth = -Double.infinity
            for index in 0..<max(discs.count - 1, 1) {
                let (a, b) = (discs[index], discs[min(index + 1, discs.count - 1)])
                for step in 0...1000 {
                    let t = Double(step) / 1000
                    let distance = (a.center + t * (b.center - a.center) - place).length
                    depth = max(depth, a.radius + t * (b.radius - a.radius) - distance)
                }
            }
            if abs(depth) > 0.2 { #expect(footprint.contains(place) == (depth > 0), "seed \(seed), \(place)") }
        }
    }

    @Test("A canvas pattern is cut by its stroke, to the outline that other formats clip to")
    func canvasPatterns() throws {
        let brush = Brush(spacing: 5, anchor: .canvas, size: 20)
        let lines = try made([Layer(strokes: [line(brush)])]).lines()[0]
        let millimetre = 2 * 25.4 / 96
        #expect(lines.count == 5)
        for line in lines {
            // A capsule round (20, 40) to (80, 40) of radius 10.
            let way = abs(line[0].y / millimetre - 40)
            // The outermost ones only touch it.
            if way > 9.9 { continue }
            let reach = max(100 - way * way, 0).squareRoot()
            let ends = [line[0].x, line[1].x].map { $0 / millimetre }.sorted()
            #expect(abs(ends[0] - (20 - reach)) < 0.1 && abs(ends[1] - (80 + reach)) < 0.1, "\(line)")
        }
    }

    // MARK: Order

    private func lines(_ all: [[Point]]) -> PlotLines {
        var lines = PlotLines()
        for line in all { lines.add(line) }
        return lines
    }

    @Test("Straight lines on one another become one, lines whose ends meet are joined, dots are touched once")
    func joining() {
        func point(_ x: Double, _ y: Double) -> Point { Point(x: x, y: y) }
        let slope = point(3, 1)
        let bars = [[0, 10], [9, 20], [20.01, 25], [26, 30]].map { part in
            [point(5, 5) + part[0] * slope, point(5, 5) + part[1] * slope]
        }
        let straight = lines(bars.map { Array($0.reversed()) } + bars + [bars[0].map { $0 + point(0, 1) }])
        let joined = straight.joined(tolerance: 0.05)
        #expect(joined.count == 3)
        let chain = lines([
            [point(0, 0), point(1, 3), point(2, 0)], [point(4, 0), point(3, 3), point(2.03, 0)],
            [point(9, 9), point(8, 8), point(9, 7)], [point(4, 0.04), point(5, 3), point(6, 0)],
        ])
        #expect(chain.joined(tolerance: 0.05).count == 2)
        let loop = lines([
            [point(0, 0), point(1, 3), point(2, 0)], [point(2, 0), point(1, -3), point(0, 0)],
        ]).joined(tolerance: 0.05)
        #expect(loop.count == 1 && loop[0].first == loop[0].last && loop[0].count == 5)
        let dots = lines([[point(1, 1)], [point(1, 1.01)], [point(1, 2)]]).joined(tolerance: 0.05)
        #expect(dots.count == 2 && dots.isDot(0) && dots.isDot(1))
        let curve = (0...1000).map { step -> Point in
            let turn = sinCos(degrees: Double(step) * 0.36)
            return point(30 * turn.cos, 30 * turn.sin)
        }
        let flat = PlotLines.simplified(curve, tolerance: 0.01)
        #expect(flat.count > 60 && flat.count < 200 && flat.first == curve.first && flat.last == curve.last)
        #expect(zip(flat, flat.dropFirst()).allSatisfy { (0.5 * ($0 + $1)).length > 30 - 0.0101 })
    }

    @Test("Every line is drawn once, each from the nearest end", arguments: 0..<20 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...300, using: &random)
        let all = lines(
            (0..<count).map { _ in
                (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    // Some of them in one place.
                    Point(
                        x: Double(Int.random(in: 0...20, using: &random)),
                        y: Double(Int.random(in: 0...9, using: &random)))
                }
            })
        let sorted = all.sorted()
        func key(_ line: ArraySlice<Point>) -> String { min("\(Array(line))", "\(Array(line.reversed()))") }
        #expect(
            (0..<sorted.count).map { key(sorted[$0]) }.sorted() == (0..<all.count).map { key(all[$0]) }.sorted(),
            "seed \(seed)")
        var last = Point(x: 0, y: 0)
        for index in 0..<sorted.count {
            let step = (sorted.start(index) - last).length
            let nearest = (index..<sorted.count).flatMap { [sorted.start($0), sorted.end($0)] }.map {
                ($0 - last).length
            }.min()
            #expect(step <= (nearest ?? 0) + 1e-9, "seed \(seed), line \(index)")
            last = sorted.end(index)
        }
    }

    @Test("The pen goes without drawing at most a fifth as far as in the order of the strokes")
    func travel() throws {
        var random = SeededGenerator(seed: 4)
        var drawn = PlotLines()
        for _ in 0..<60 {
            let brush = Brush(
                type: [.parallelLines, .crossHatch, .dots, .waves].randomElement(using: &random) ?? .dots,
                rotation: .random(in: 0...180, using: &random), spacing: .random(in: 3...9, using: &random))
            let points = (0..<6).map { _ in
                StrokePoint(x: .random(in: 0...400, using: &random), y: .random(in: 0...300, using: &random))
            }
            let prepared = PreparedStroke(Stroke(brush: brush, points: points))
            guard case .stamps(let stamps) = prepared.marks else { continue }
            stamps.forEach { stamp in
                var path = VectorPath(decimals: 2)
                VectorStampShape(stamp, of: brush).write(to: &path)
                let parts = String(decoding: path.text, as: UTF8.self).split(separator: "m")
                // The first point of each part is relative to the one before.
                var last = stamp.center
                for part in parts {
                    var line: [Point] = []
                    let numbers = part.matches(of: /-?(\d+\.?\d*|\.\d+)/).compactMap { Double($0.0) }
                    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                        last = last + Point(x: numbers[index], y: numbers[index + 1])
                        line.append(last)
                    }
                    drawn.add(line)
                }
            }
        }
        #expect(drawn.count > 10_000)
        let plotted = drawn.map { 0.26 * $0 }.joined(tolerance: 0.05).sorted()
        let ratio = plotted.travel / (0.26 * drawn.travel)
        #expect(ratio < 0.2, "\(ratio) of \(drawn.count) lines, \(plotted.count) joined")
    }
}
