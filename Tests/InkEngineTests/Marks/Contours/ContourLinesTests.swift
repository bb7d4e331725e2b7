import CKernels
import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Contour lines")
struct ContourLinesTests {
    private static let size = PixelSize(width: 160, height: 120)

    /// What strokes take of each pixel of a cell of a picture, row-major.
    private func painted(
        _ strokes: [Stroke], zoom: Int = 1, cell: PixelRect? = nil, level: KernelLevel = .selected
    ) -> [Float] {
        let size = ContourLinesTests.size
        let output = PixelSize(width: size.width * zoom, height: size.height * zoom)
        let cell = cell ?? PixelRect(x: 0, y: 0, width: output.width, height: output.height)
        let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height, level: level)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        let scale = OutputScale(canvas: CanvasSize(size), output: output)
        for stroke in strokes { painter.paint(PreparedStroke(stroke), scale: scale, cell: cell, into: plane) }
        return plane.coverage
    }

    private func reference(_ stroke: Stroke) -> [Float] {
        let size = ContourLinesTests.size
        let scanner = CoverageScanner(canvas: CanvasSize(size), output: size, stripsPerPixel: 16)
        return ReferenceRenderer.strokeAlpha(stroke, output: size, scanner: scanner).map { Float($0) }
    }

    private func worst(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).map { abs($0 - $1) }.max() ?? 0 }

    /// A stroke that winds and crosses itself, of any width and spacing.
    private func randomStroke(seed: Int) -> Stroke {
        var generator = SeededGenerator(seed: UInt64(seed))
        func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        let brush = Brush(
            type: .contourLines, rotation: random(0...360), spacing: random(1...12), opacity: random(0.2...1),
            scale: random(0.5...2), lineWidth: random(0.2...9),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: seed % 2 == 0, pressureAffectsSize: Bool.random(using: &generator)))
        let points = (0..<Int(random(2...9))).map { _ in
            StrokePoint(x: random(20...140), y: random(20...100), pressure: random(0...1))
        }
        return Stroke(brush: brush, points: points)
    }

    private static var options: RandomProject.Options {
        var options = RandomProject.Options.continuous
        options.brushTypes = [.contourLines]
        options.strokesPerLayer = 1...4
        options.stampsPerStrokeMax = 60
        options.hasImages = false
        return options
    }

    @Test("projects of contour lines come out as the specification has them", arguments: 0..<60)
    func exactness(seed: Int) throws {
        let random = RandomProject.make(seed: UInt64(seed), options: ContourLinesTests.options)
        let expected = ReferenceRenderer.render(
            project: random.project, images: random.images, output: random.output)
        let actual = try LocalRendering.render(random.project, images: random.images, output: random.output)
        let comparison = PictureComparison(
            actual: actual, expected: expected.rgba8(), size: random.output, channels: 4)
        #expect(comparison.isWithinSpecification, "\(comparison) of \(random)")
    }

    @Test("strokes that cross themselves and turn tightly are exact", arguments: 0..<60)
    func strokes(seed: Int) {
        let stroke = randomStroke(seed: seed)
        let errors = zip(painted([stroke]), reference(stroke)).map { abs($0 - $1) }
        // The largest alpha is that of a quad that reaches into the pixel by next to nothing, or is not.
        let far = errors.count { $0 >= 1e-3 }
        #expect(far <= (stroke.brush.dynamics.pressureAffectsOpacity ? 4 : 0), "seed \(seed): \(stroke)")
    }

    /// Stations turned and sized at will: most quads are convex, some turn the other way or cross themselves.
    @Test("quads of any form cover what they wind round", arguments: 0..<80)
    func quads(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        let brush = Brush(
            type: .contourLines, spacing: random(3...12), lineWidth: random(0.5...16),
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true))
        var angle = random(0...360), center = Point(x: 60, y: 60)
        let stations = (0..<4).map { _ in
            angle += random(-80...80)
            center = center + Point(x: random(-14...14), y: random(-14...14))
            let turn = sinCos(degrees: angle)
            return InkReference.Stamp(
                center: center, pressure: random(0...1), azimuth: 0, direction: Point(x: turn.cos, y: turn.sin))
        }
        let size = ContourLinesTests.size
        let scanner = CoverageScanner(canvas: CanvasSize(size), output: size, stripsPerPixel: 1)
        // Areas that add up to less than all of a pixel, so that none are cut off.
        let weight: Float = 1.0 / 32
        let expected = contourQuads(of: stations, brush: brush).reduce(into: [Double](repeating: 0, count: size.area)) {
            for (pixel, alpha) in scanner.alpha(of: [$1]).enumerated() { $0[pixel] += alpha }
        }
        let cell = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let accumulator = CoverageAccumulator(maxWidth: size.width, maxHeight: size.height)
        let sums = KernelPlane<Float>(maxWidth: size.width, maxHeight: size.height, value: 0)
        let largest = KernelPlane<Float>(maxWidth: size.width, maxHeight: size.height, value: 0)
        let drawn = DrawnBlocks(maxWidth: size.width, maxHeight: size.height)
        var contour = ink_contour(spacing: brush.spacing, width: brush.lineWidth, scale_x: 1, scale_y: 1)
        let kernelStations = stations.map {
            ink_station(
                x: $0.center.x, y: $0.center.y, across_x: -$0.direction.y, across_y: $0.direction.x,
                size: 0.5 + 0.5 * $0.pressure)
        }
        ink_raster_kernels(KernelLevel.selected.c).pointee
            .add_contour(accumulator.kernelDeltas, &contour, kernelStations, kernelStations.count)
        accumulator.addPolygons(
            to: ink_sums(sums: sums.values, largest: largest.values, stride: sums.stride, drawn: drawn.bits),
            rows: cell.rows, alpha: weight)
        for y in cell.rows {
            for x in cell.columns {
                let place = y * sums.stride + x
                let sum = Double(sums.values[place] / weight)
                #expect(abs(sum - expected[y * size.width + x]) < 5e-4, "seed \(seed), \(x), \(y): \(stations)")
                #expect(largest.values[place] == (sums.values[place] > 0 ? weight : 0), "seed \(seed), \(x), \(y)")
            }
        }
    }

    @Test("every level of kernels takes exactly the same", arguments: 0..<40)
    func levels(seed: Int) {
        let strokes = [randomStroke(seed: seed), randomStroke(seed: seed + 101)]
        let expected = painted(strokes, level: .scalar)
        for level in KernelLevel.available {
            let isSame = painted(strokes, level: level) == expected
            #expect(isSame, "seed \(seed), \(level)")
        }
    }

    @Test("a cell shows exactly what the whole picture shows there", arguments: 0..<60)
    func cells(seed: Int) {
        let strokes = [randomStroke(seed: seed), randomStroke(seed: seed + 101)]
        let whole = painted(strokes)
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = ContourLinesTests.size
        for _ in 0..<4 {
            let x = Int.random(in: 0..<size.width, using: &generator)
            let y = Int.random(in: 0..<size.height, using: &generator)
            let cell = PixelRect(
                x: x, y: y, width: .random(in: 1...(size.width - x), using: &generator),
                height: .random(in: 1...(size.height - y), using: &generator))
            let expected = cell.rows.flatMap { row in whole[(row * size.width + x)...].prefix(cell.width) }
            let isSame = painted(strokes, cell: cell) == expected
            #expect(isSame, "seed \(seed), \(cell)")
        }
    }

    @Test("tiles do not show", arguments: 0..<20)
    func tiles(seed: Int) throws {
        var options = ContourLinesTests.options
        options.blendModes = BlendMode.allCases
        let random = RandomProject.make(seed: UInt64(seed) + 500, options: options)
        let whole = try LocalRendering.render(random.project, images: random.images, output: random.output)
        for tile in [PixelSize(width: 31, height: 17), PixelSize(width: random.output.width, height: 23)] {
            let tiled = try LocalRendering.render(
                random.project, images: random.images, output: random.output, tile: tile)
            #expect(tiled == whole, "tiles of \(tile), \(random)")
        }
    }

    @Test("a translucent stroke is nowhere darker than its alpha", arguments: 0..<40)
    func noBlots(seed: Int) {
        var stroke = randomStroke(seed: seed)
        stroke.brush.dynamics.pressureAffectsOpacity = false
        let all = Float(stroke.brush.opacity) + 0.5 / 65_535
        #expect(painted([stroke]).allSatisfy { $0 <= all }, "seed \(seed): \(stroke)")
    }

    @Test("inside a wide line of one alpha no joint shows, at any zoom", arguments: [1, 2, 3, 4, 8], [6.0, 2.3, 0.7])
    func noSeams(zoom: Int, spacing: Double) {
        // One line in the picture: the others are beyond it, or lie on it.
        let brush = Brush(
            type: .contourLines, spacing: spacing, opacity: 0.4, lineWidth: spacing == 6 ? 5.5 : 40,
            dynamics: BrushDynamics(pressureAffectsOpacity: false))
        let points = [(8.0, 35.0), (50, 60), (90, 62), (152, 90)].map { StrokePoint(x: $0.0, y: $0.1) }
        let found = painted([Stroke(brush: brush, points: points)], zoom: zoom)
        let alpha = Float(0.4)
        for sample in SmoothedPath(points).samples where sample.position.x > 12 && sample.position.x < 145 {
            let (x, y) = (Int(sample.position.x * Double(zoom)), Int(sample.position.y * Double(zoom)))
            for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let taken = found[(y + j) * ContourLinesTests.size.width * zoom + x + i]
                #expect(abs(taken - alpha) < 1e-5, "\(x + i), \(y + j)")
            }
        }
    }

    @Test("so many stations are added up that no number holds what they cover together")
    func manyStations() {
        for opacity in [false, true] {
            // To and fro 6,000 times, with all lines over each other.
            let points = (0..<6_000).map {
                StrokePoint(x: 20 + 4 * Double($0 % 2), y: 20.5, pressure: $0 < 3 ? 1 : 0.75)
            }
            let brush = Brush(
                type: .contourLines, spacing: 0.5, opacity: 0.5, lineWidth: 6,
                dynamics: BrushDynamics(pressureAffectsOpacity: opacity))
            let found = painted([Stroke(brush: brush, points: points)])
            #expect(abs(found[20 * 160 + 22] - 0.5) < 1e-4)
            #expect(found[40 * 160 + 22] == 0)
        }
    }

    @Test("a dense stroke is that of many stations, however they are added up")
    func denseStroke() {
        let points = [(10.0, 10.0), (60, 40), (20, 50), (30, 8)].map { StrokePoint(x: $0.0, y: $0.1) }
        let brush = Brush(
            type: .contourLines, spacing: 0.02, opacity: 0.7, lineWidth: 1,
            dynamics: BrushDynamics(pressureAffectsOpacity: false))
        let stroke = Stroke(brush: brush, points: points)
        #expect(PreparedStroke.stampCount(of: stroke) > 5_000)
        // Their ends are rounded to 1/65,536 pixel.
        #expect(worst(painted([stroke]), reference(stroke)) < 0.01)
    }

    @Test("lines that are wider than can be followed are drawn as soon as others", .timeLimit(.minutes(5)))
    func wideLines() {
        let brush = Brush(type: .contourLines, spacing: 0.25, lineWidth: 1e9)
        let points = [StrokePoint(x: 80, y: 10, pressure: 1), StrokePoint(x: 80, y: 110, pressure: 0.5)]
        let found = painted([Stroke(brush: brush, points: points)])
        // All seven lines cover all, so that the largest alpha counts: that of the first quad of four.
        for (index, taken) in found.enumerated() {
            let y = Float(index / 160)
            let expected = y < 10 || y >= 110 ? 0 : 1 - (y + 0.125 - 10) / 200
            #expect(abs(taken - expected) < 1e-4, "\(index % 160), \(y)")
        }
    }

    @Test("stations without a place or a turn draw nothing, and leave nothing behind")
    func nothing() {
        let points = [StrokePoint(x: 10, y: 10), StrokePoint(x: 60, y: 40, pressure: 0.5)]
        let other = Stroke(brush: Brush(type: .contourLines, opacity: 0.5), points: points)
        for (spacing, scale, lineWidth) in [(1e300, 1e300, 1e300), (1, 10, 1e308), (3, 1, 1e308), (3, 1, 1e-300)] {
            // So faint that it does not show, whatever it covers.
            let brush = Brush(
                type: .contourLines, spacing: spacing, opacity: 1e-7, scale: scale, lineWidth: lineWidth)
            let isSame = painted([Stroke(brush: brush, points: points), other]) == painted([other])
            #expect(isSame, "\(brush)")
        }
        // There and back at once: the normals are opposite.
        let back = [StrokePoint(x: 10, y: 10), StrokePoint(x: 10.001, y: 10), StrokePoint(x: 10, y: 10)]
        let brush = Brush(type: .contourLines, spacing: 0.001, lineWidth: 4)
        #expect(painted([Stroke(brush: brush, points: back)]).allSatisfy { $0 < 0.1 })
    }
}
