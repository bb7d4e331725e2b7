import InkEngine
import InkTestSupport
import Testing

@testable import InkPlanning

@Suite struct MarkExtentTests {
    private let canvas = CanvasSize(width: 400, height: 300)
    private let output = PixelSize(width: 600, height: 450)

    /// Marks at the extremes of every stamp, by the specification's geometry, lie within the extent.
    @Test(arguments: 0..<60) func holdsEveryMark(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let stroke = randomStroke(&random)
        let extent = MarkExtent(of: stroke, canvas: canvas, output: output)
        for mark in marks(of: stroke) {
            let x = mark.x * 1.5
            let y = mark.y * 1.5
            guard x >= 0, y >= 0, x < 600, y < 450 else { continue }
            let isInside =
                Double(extent.minX) <= x && x <= Double(extent.maxX) && Double(extent.minY) <= y
                && y <= Double(extent.maxY)
            #expect(isInside, "seed \(seed): \(x), \(y) is outside of \(extent)")
        }
    }

    @Test func isTightForASolidLine() {
        let brush = Brush(type: .solid, lineWidth: 4)
        let extent = MarkExtent(
            of: .line(from: (100, 100), to: (200, 100), brush: brush), canvas: canvas, output: canvas.pixels)
        #expect(extent == extentOf(minX: 97, minY: 97, maxX: 203, maxY: 103))
    }

    @Test func isEmptyOffThePicture() {
        let far = Stroke.line(from: (-500, 10), to: (-400, 20))
        #expect(MarkExtent(of: far, canvas: canvas, output: output).isEmpty)
        #expect(MarkExtent(of: Stroke(points: []), canvas: canvas, output: output).isEmpty)
    }

    @Test func coversAllWhenLengthsOverflow() {
        let brush = Brush(spacing: 1e300, scale: 1e300)
        let extent = MarkExtent(of: .line(from: (1, 1), to: (2, 2), brush: brush), canvas: canvas, output: output)
        #expect(extent == extentOf(minX: 0, minY: 0, maxX: 600, maxY: 450))
    }

    private func extentOf(minX: Int32, minY: Int32, maxX: Int32, maxY: Int32) -> MarkExtent {
        var extent = MarkExtent(of: .line(from: (0, 0), to: (1, 1)), canvas: canvas, output: output)
        (extent.minX, extent.minY, extent.maxX, extent.maxY) = (minX, minY, maxX, maxY)
        return extent
    }

    private func randomStroke(_ random: inout SeededGenerator) -> Stroke {
        let brush = Brush(
            type: BrushType.allCases.randomElement(using: &random)!,
            rotation: .random(in: -180...180, using: &random), spacing: .random(in: 1...12, using: &random),
            scale: .random(in: 0.3...3, using: &random), lineWidth: .random(in: 0.3...8, using: &random),
            dynamics: BrushDynamics(pressureAffectsSize: .random(using: &random)))
        let points = (0..<Int.random(in: 1...7, using: &random)).map { _ in
            StrokePoint(
                x: .random(in: -20...420, using: &random), y: .random(in: -20...320, using: &random),
                pressure: .random(in: 0...1, using: &random))
        }
        return Stroke(brush: brush, points: points)
    }

    /// The outermost points of the shapes around points of the smoothed line, in 16 directions where it matters.
    private func marks(of stroke: Stroke) -> [Point] {
        let size = StrokeMeasure(stroke).largestSize
        let k = stroke.brush.scale * size
        let pitch = stroke.brush.spacing * k
        let half = stroke.brush.lineWidth * k / 2
        var offsets: [(Double, Double)]
        switch stroke.brush.type {
        case .parallelLines: offsets = [(10 * k, 3 * pitch + half)]
        case .crossHatch: offsets = [(10 * k, 3 * pitch + half), (3 * pitch + half, 10 * k)]
        case .dots: offsets = [(5 * pitch + 1.4 * k, 5 * pitch + 1.4 * k), (5 * pitch, 5 * pitch + 2 * k)]
        case .waves: offsets = [(10 * k, 3 * pitch + half), (7.5 * k, 3.25 * pitch + half)]
        case .contourLines: offsets = [(0, 3 * pitch + half), (0, 0)]
        case .solid: offsets = [(half, 0), (0, half), (half * 0.7, half * 0.7)]
        }
        offsets += offsets.map { (-$0.0, $0.1) } + offsets.map { ($0.0, -$0.1) } + offsets.map { (-$0.0, -$0.1) }
        // The exact cosine and sine of 3-4-5 turned by the rotation's share: any orthonormal pair would do.
        let turns = [(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (0.8, -0.6), (-0.28, 0.96)]
        return smoothed(stroke).flatMap { centre in
            turns.flatMap { turn in
                offsets.map {
                    Point(
                        x: centre.x + $0.0 * turn.0 - $0.1 * turn.1, y: centre.y + $0.0 * turn.1 + $0.1 * turn.0)
                }
            }
        }
    }

    private func smoothed(_ stroke: Stroke) -> [Point] {
        let p = stroke.points.map { Point(x: $0.x, y: $0.y) }
        guard p.count > 1 else { return p }
        func at(_ index: Int) -> Point {
            if index < 0 { return Point(x: 2 * p[0].x - p[1].x, y: 2 * p[0].y - p[1].y) }
            let n = p.count
            if index >= n { return Point(x: 2 * p[n - 1].x - p[n - 2].x, y: 2 * p[n - 1].y - p[n - 2].y) }
            return p[index]
        }
        func spline(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ t: Double) -> Double {
            let t2 = t * t
            let t3 = t2 * t
            return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t2 + (3 * b - a - 3 * c + d) * t3)
        }
        return (0..<(p.count - 1)).flatMap { i in
            (0...10).map { step in
                let t = Double(step) / 10
                return Point(
                    x: spline(at(i - 1).x, at(i).x, at(i + 1).x, at(i + 2).x, t),
                    y: spline(at(i - 1).y, at(i).y, at(i + 1).y, at(i + 2).y, t))
            }
        }
    }
}

@Suite struct StampCountTests {
    @Test(arguments: [
        (60.0, 6.0, 1.0, 11), (59.999, 6, 1, 10), (5.9, 6, 1, 1), (6, 6, 1, 2), (12, 6, 2, 2), (12, 3, 0.5, 9),
    ])
    func countsArcLengths(length: Double, spacing: Double, scale: Double, stamps: Int) {
        let stroke = Stroke.line(from: (10, 10), to: (10 + length, 10), brush: Brush(spacing: spacing, scale: scale))
        #expect(StampCount.exact(of: stroke) == stamps)
    }

    @Test func countsTapsAndSolidStrokes() {
        let point = StrokePoint(x: 1, y: 1)
        #expect(StampCount.exact(of: Stroke(points: [point])) == 1)
        #expect(StampCount.exact(of: Stroke(points: [point, point])) == 1)
        #expect(StampCount.exact(of: Stroke(points: [])) == 0)
        #expect(StampCount.exact(of: .line(from: (0, 0), to: (99, 0), brush: Brush(type: .solid))) == 0)
    }

    @Test(arguments: 0..<40) func boundIsNeverBelowTheCount(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let points = (0..<Int.random(in: 1...30, using: &random)).map { _ in
            StrokePoint(x: .random(in: -9...9, using: &random), y: .random(in: -9...9, using: &random))
        }
        let stroke = Stroke(brush: Brush(spacing: .random(in: 0.01...3, using: &random)), points: points)
        #expect(StampCount.bound(of: stroke, StrokeMeasure(stroke)) >= StampCount.exact(of: stroke), "seed \(seed)")
    }

    @Test(arguments: 0..<40) func linesOfEverySmoothingAreWithinTheirMeasure(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var points = (0..<Int.random(in: 1...12, using: &random)).map { _ in
            StrokePoint(x: .random(in: -90...90, using: &random), y: .random(in: -90...90, using: &random))
        }
        if Bool.random(using: &random) { points.append(points[0]) }
        if Bool.random(using: &random) { points.insert(points[0], at: 0) }
        for smoothing in Smoothing.allCases {
            for isClosed in [false, true] {
                var stroke = Stroke(brush: Brush(spacing: 0.3), points: points)
                (stroke.smoothing, stroke.isClosed) = (smoothing, isClosed)
                let measure = StrokeMeasure(stroke)
                let text = "seed \(seed), \(smoothing), closed: \(isClosed)"
                #expect(StampCount.bound(of: stroke, measure) >= StampCount.exact(of: stroke), "\(text)")
                if isClosed { #expect(measure.positionCount == Set(points.map { [$0.x, $0.y] }).count, "\(text)") }
                guard case .stamps(let stamps) = PreparedStroke(stroke).marks else { continue }
                let hull = measure.hull.expanded(by: 1e-9)
                stamps.forEach { stamp in
                    let (x, y) = (stamp.center.x, stamp.center.y)
                    let isInside = x >= hull.minX && x <= hull.maxX && y >= hull.minY && y <= hull.maxY
                    #expect(isInside, "\(text): \(x), \(y)")
                }
            }
        }
    }

    @Test func refusesAProjectOverTheLimitAndNamesTheStroke() throws {
        var limits = Limits()
        limits.stamps = 100
        let stroke = Stroke.line(from: (0, 0), to: (240, 0))
        let layer = Layer(strokes: [stroke, stroke])
        let canvas = PixelSize(width: 300, height: 300)
        try StampCount.check(Project(canvasSize: canvas, layers: [layer]), limits: limits, file: "a.ink")
        #expect(
            throws: EngineError.overLimit(
                Place(file: "a.ink", path: "layers[1].strokes[0]"), what: "the number of stamps up to here",
                found: "123", limit: "100")
        ) {
            try StampCount.check(Project(canvasSize: canvas, layers: [layer, layer]), limits: limits, file: "a.ink")
        }
    }

    @Test(arguments: [(1e-200, 1e-200), (1e-12, 1.0), (Double.leastNonzeroMagnitude, 0.5)])
    func refusesSpacingsThatUnderflow(spacing: Double, scale: Double) {
        let stroke = Stroke.line(from: (0, 0), to: (1e6, 0), brush: Brush(spacing: spacing, scale: scale))
        let project = Project(canvasSize: PixelSize(width: 9, height: 9), layers: [Layer(strokes: [stroke])])
        #expect(throws: EngineError.self) { try StampCount.check(project, limits: Limits(), file: "a.ink") }
    }
}
