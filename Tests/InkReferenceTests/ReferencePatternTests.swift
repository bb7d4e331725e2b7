import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: patterns that stay with the canvas (spec 8.1)")
struct ReferencePatternTests {
    private let canvas = PixelSize(width: 40, height: 30)

    private func brush(
        _ type: BrushType = .parallelLines, rotation: Double = 0, spacing: Double = 4, lineWidth: Double = 1,
        size: Double = 8, scale: Double = 1, opacity: Double = 1, dynamics: BrushDynamics? = nil
    ) -> Brush {
        Brush(
            type: type, rotation: rotation, spacing: spacing, opacity: opacity, scale: scale, lineWidth: lineWidth,
            anchor: .canvas, size: size, dynamics: dynamics)
    }

    private func alpha(_ brush: Brush, _ points: [StrokePoint], output: PixelSize? = nil) -> (Int, Int) -> Double {
        let output = output ?? canvas
        let scanner = CoverageScanner(canvas: CanvasSize(canvas), output: output, stripsPerPixel: 16)
        let found = ReferenceRenderer.strokeAlpha(
            Stroke(brush: brush, points: points), output: output, scanner: scanner)
        return { x, y in found[y * output.width + x] }
    }

    /// From beyond the left edge to beyond the right one.
    private func level(_ y: Double) -> [StrokePoint] { [StrokePoint(x: -10, y: y), StrokePoint(x: 50, y: y)] }

    private func expect(
        _ found: (Int, Int) -> Double, rows: ClosedRange<Int>, x: Int = 20, _ expected: [Double],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let actual = rows.map { found(x, $0) }
        #expect(near(actual, expected), "rows \(rows): \(actual)", sourceLocation: location)
    }

    @Test func linesLieAtMultiplesOfTheSpacing() {
        // The footprint is y from 11 to 19; the lines are y from 11.5 to 12.5, 15.5 to 16.5, 19.5 to 20.5.
        expect(alpha(brush(), level(15)), rows: 10...20, [0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 0])
        // From 11.9 to 19.9: the lines stay where they are.
        expect(alpha(brush(), level(15.9)), rows: 10...20, [0, 0.1, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0.4, 0])
        expect(alpha(brush(opacity: 0.5), level(15)), rows: 10...13, [0, 0.25, 0.25, 0])
    }

    @Test func everythingGrowsWithTheScale() {
        // The footprint is y from 7 to 23; lines at 8 and 16, 2 wide.
        expect(
            alpha(brush(scale: 2), level(15)), rows: 6...23,
            [0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func linesTurnWithTheRotationAndNotWithTilt() {
        let upright = brush(rotation: 90, dynamics: BrushDynamics(tiltAffectsRotation: true))
        let points = level(15).map { StrokePoint(x: $0.x, y: $0.y, azimuth: 33) }
        let found = alpha(upright, points)
        #expect(near((9...14).map { found($0, 15) }, [0, 0, 0.5, 0.5, 0, 0]))
        // Lines at 45 degrees meet the axes at multiples of 4 * sqrt(2); the area is the footprint's share of them.
        let slanted = alpha(brush(rotation: 45), level(15))
        let total = (0..<40).reduce(0) { sum, x in sum + (11..<19).reduce(0) { $0 + slanted(x, $1) } }
        #expect(abs(total - 8 * 40 / 4) < 1.5, "\(total)")
        // Through the origin, so through every pixel on the diagonal: all but two corners, of (sqrt(1/2) - 1/2)^2 each.
        #expect(abs(slanted(15, 15) - 0.914214) < 1e-3)
    }

    @Test func crossingLinesAreOneShape() {
        let found = alpha(brush(.crossHatch), level(15))
        #expect(near([found(12, 12), found(12, 13), found(13, 12), found(13, 13)], [0.75, 0.5, 0.5, 0]))
    }

    @Test func dotsLieOnTheGrid() {
        let found = alpha(brush(.dots, spacing: 10, lineWidth: 99, size: 18), level(15))
        let area = (15..<25).reduce(0) { sum, x in sum + (6..<15).reduce(0) { $0 + found(x, $1) } }
        #expect(abs(area - 4 * Double.pi) < 1e-2, "\(area)")
        #expect(found(20, 10) > 0.99 && found(25, 10) == 0)
    }

    @Test func wavesStartAtTheOrigin() {
        // k = 1, P = 16: the crest of line 0 is 4 below the axis at t = 2.5 + 10 n, the trough 4 above at 7.5 + 10 n.
        let found = alpha(brush(.waves, spacing: 16, lineWidth: 1, size: 60), level(15))
        // Line 1: y = 16 + 4 = 20 at x = 12.5 and 12 at 17.5.
        #expect(found(12, 19) > 0.45 && found(12, 20) > 0.3 && found(12, 12) == 0)
        #expect(found(17, 11) > 0.3 && found(17, 12) > 0.3 && found(17, 20) == 0)
        // At x = 10 the polyline crosses y = 16.
        #expect(found(10, 16) > 0.4 && found(9, 15) > 0.4)
    }

    @Test func pressureActsAsOnSolidStrokes() {
        // Lines without gaps show the footprint. A tap of pressure 0 has half the diameter.
        let dense = brush(
            spacing: 1, lineWidth: 1, size: 20,
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true))
        let found = alpha(dense, [StrokePoint(x: 20, y: 15, pressure: 0)])
        let area = (0..<40).reduce(0) { sum, x in sum + (0..<30).reduce(0) { $0 + found(x, $1) } }
        #expect(abs(area - 25 * Double.pi) < 0.02, "\(area)")
    }

    @Test(arguments: [BrushType.solid, .contourLines])
    func otherTypesStayAsTheyAre(type: BrushType) {
        var anchored = brush(type)
        let found = alpha(anchored, level(15))
        anchored.anchor = .stamp
        let plain = alpha(anchored, level(15))
        #expect((0..<30).allSatisfy { found(20, $0) == plain(20, $0) })
    }

    /// Against the plainest definition: the share of 64 x 64 points of a pixel that lie in footprint and pattern.
    @Test(arguments: BrushType.allCases.filter(\.canLieStill), 0..<4)
    func coverageIsTheShareOfPointsInside(type: BrushType, seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let brush = brush(
            type, rotation: seed == 0 ? 0.4 : number(-400...400), spacing: number(3...7), lineWidth: number(0.5...3),
            size: number(6...20), scale: number(0.5...1.2),
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true))
        let points = (0..<3).map { _ in StrokePoint(x: number(0...40), y: number(0...30), pressure: number(0...1)) }
        let output = PixelSize(width: 29, height: 22)
        let found = alpha(brush, points, output: output)
        var pen = brush
        pen.lineWidth = pen.size
        let footprint = solidShape(of: smoothedPath(points), brush: pen)
        let pixels = (0..<output.area).map { ($0 % output.width, $0 / output.width) }
        // Mostly where something partly covers the pixel.
        let partly = pixels.filter { found($0.0, $0.1) > 0.01 && found($0.0, $0.1) < 0.99 }
        #expect(partly.count > 20, "\(type), seed \(seed)")
        for (x, y) in partly.shuffled(using: &random).prefix(12) + pixels.shuffled(using: &random).prefix(6) {
            var inside = 0
            for n in 0..<(64 * 64) {
                let point = Point(
                    x: (Double(x) + (Double(n % 64) + 0.5) / 64) * 40 / 29,
                    y: (Double(y) + (Double(n / 64) + 0.5) / 64) * 30 / 22)
                if isInPattern(point, brush), footprint.contains(point) { inside += 1 }
            }
            let expected = Double(inside) / 4096
            #expect(
                abs(found(x, y) - expected) < 0.015,
                "\(type), seed \(seed), pixel (\(x), \(y)): \(found(x, y)), \(expected)")
        }
    }

    private func isInPattern(_ point: Point, _ brush: Brush) -> Bool {
        let a = brush.rotation * Double.pi / 180
        let along = point.x * cos(a) + point.y * sin(a)
        let across = point.y * cos(a) - point.x * sin(a)
        let (p, w, k) = (brush.spacing * brush.scale, brush.lineWidth * brush.scale, brush.scale)
        func toNearest(_ x: Double) -> Double { abs(x - p * (x / p).rounded()) }
        switch brush.type {
        case .parallelLines: return toNearest(across) <= w / 2
        case .crossHatch: return min(toNearest(across), toNearest(along)) <= w / 2
        case .dots: return toNearest(along) * toNearest(along) + toNearest(across) * toNearest(across) <= 4 * k * k
        default:
            // A line with round joins and without ends is what lies within w / 2 of it.
            let step = 0.625 * k
            let near = Int((along / step).rounded())
            let line = Int((across / p).rounded())
            for i in (line - 1)...(line + 1) {
                for n in (near - 8)...(near + 8) {
                    func vertex(_ n: Int) -> (Double, Double) {
                        (Double(n) * step, Double(i) * p + p / 4 * sin(2 * Double.pi * Double(n) * step / (10 * k)))
                    }
                    let ((x0, y0), (x1, y1)) = (vertex(n), vertex(n + 1))
                    let (dx, dy) = (x1 - x0, y1 - y0)
                    let t = min(max(((along - x0) * dx + (across - y0) * dy) / (dx * dx + dy * dy), 0), 1)
                    let (ex, ey) = (along - x0 - t * dx, across - y0 - t * dy)
                    if ex * ex + ey * ey <= w * w / 4 { return true }
                }
            }
            return false
        }
    }
}
