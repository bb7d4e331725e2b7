import Foundation
import InkEngine
import InkReference
import Testing

@Suite("Reference: contour lines (spec 10.2)")
struct ReferenceContourTests {
    private static let canvas = PixelSize(width: 60, height: 60)

    /// What a stroke leaves at every pixel of the canvas, row-major.
    private func alpha(_ stroke: Stroke) -> [Double] {
        let canvas = ReferenceContourTests.canvas
        return ReferenceRenderer.strokeAlpha(
            stroke, output: canvas,
            scanner: CoverageScanner(canvas: CanvasSize(canvas), output: canvas, stripsPerPixel: 16))
    }

    private func pixel(_ alphas: [Double], _ x: Int, _ y: Int) -> Double {
        alphas[y * ReferenceContourTests.canvas.width + x]
    }

    private func brush(
        lines: Int = 7, spacing: Double = 5, lineWidth: Double = 1, caps: LineCaps = .butt,
        dynamics: BrushDynamics = BrushDynamics(pressureAffectsOpacity: false)
    ) -> Brush {
        var brush = Brush(
            type: .contourLines, rotation: 33, spacing: spacing, opacity: 0.5, lineWidth: lineWidth,
            dynamics: dynamics)
        (brush.lines, brush.caps) = (lines, caps)
        return brush
    }

    private func stroke(
        _ brush: Brush, _ points: [(Double, Double)], pressures: [Double] = [], isClosed: Bool = false
    ) -> Stroke {
        var stroke = Stroke(
            brush: brush,
            points: points.enumerated().map { index, point in
                StrokePoint(
                    x: point.0, y: point.1, pressure: pressures.isEmpty ? 1 : pressures[index], azimuth: 7)
            })
        (stroke.smoothing, stroke.isClosed) = (.none, isClosed)
        return stroke
    }

    private func area(_ alphas: [Double]) -> Double { alphas.reduce(0, +) }

    @Test func aStraightStrokeIsSevenLinesWithoutSeams() {
        let found = alpha(stroke(brush(spacing: 5.5), [(10.25, 30.5), (42.5, 30.5)]))
        for x in 11..<42 { #expect(abs(pixel(found, x, 30) - 0.5) < 1e-9, "\(x)") }
        #expect(abs(pixel(found, 10, 30) - 0.375) < 1e-9 && abs(pixel(found, 42, 30) - 0.25) < 1e-9)
        #expect(pixel(found, 9, 30) == 0 && pixel(found, 43, 30) == 0 && pixel(found, 20, 29) == 0)
        // The third line on either side is 16.5 away: rows 13.5 to 14.5 and 46.5 to 47.5.
        for y in [13, 14, 46, 47] { #expect(abs(pixel(found, 20, y) - 0.25) < 1e-9, "\(y)") }
        #expect(abs(area(found) - 0.5 * 7 * 32.25) < 1e-6)
    }

    @Test func aSinglePointDrawsRings() {
        let found = alpha(stroke(brush(lines: 5), [(30.2, 29.7)]))
        // A disc of 0.5, rings from 4.5 to 5.5 and from 9.5 to 10.5: pi times 0.25 + 10 + 20.
        let expected: Double = 0.5 * Double.pi * 30.25
        #expect(abs(area(found) - expected) < 0.05, "\(area(found)), \(expected)")
        #expect(pixel(found, 30, 24) > 0.3 && pixel(found, 40, 29) > 0.3 && pixel(found, 30, 15) == 0)
    }

    @Test func roundCapsGoRoundTheEnds() {
        let found = alpha(stroke(brush(lines: 3, caps: .round), [(20, 30), (40, 30)]))
        let rings: Double = Double.pi * 10.25
        let expected: Double = 0.5 * (60 + rings)
        #expect(abs(area(found) - expected) < 0.05, "\(area(found))")
        #expect(abs(area(alpha(stroke(brush(lines: 3), [(20, 30), (40, 30)]))) - 0.5 * 3 * 20) < 0.02)
    }

    @Test func linesAreMitredInsideABendAndRoundOutside() {
        // From the left to (30, 30), then down.
        let found = alpha(stroke(brush(lines: 3), [(10, 30), (30, 30), (30, 50)]))
        // Inside: y = 35 up to x = 25, where it meets x = 25 going down.
        #expect(pixel(found, 23, 34) > 0.2 && pixel(found, 23, 35) > 0.2)
        #expect(pixel(found, 26, 34) == 0 && pixel(found, 26, 35) == 0 && pixel(found, 24, 32) == 0)
        // Outside: the corner of the square is bare, the arc is 5 away from the bend.
        #expect(pixel(found, 34, 25) == 0)
        #expect(pixel(found, 33, 26) > 0.2)
        // Outside two arms of 20 and a quarter of a ring.
        let quarter: Double = Double.pi * 2.5
        // In the middle the arms share a quarter of a pixel and have a quarter of a disc; inside they meet at (25, 35):
        // 15.5 by 15.5 less 14.5 by 14.5.
        let middle: Double = 39.75 + Double.pi / 16
        let expected: Double = 0.5 * (middle + 40 + quarter + 30)
        #expect(abs(area(found) - expected) < 0.05, "\(area(found)), \(expected)")
    }

    @Test func closedStrokesAndCoincidingEndsHaveNoEnds() {
        let square = [(20.0, 20.0), (40, 20), (40, 40), (20, 40)]
        let closed = alpha(stroke(brush(lines: 3), square, isClosed: true))
        #expect(alpha(stroke(brush(lines: 3), square + [(20, 20)])) == closed)
        #expect(alpha(stroke(brush(lines: 3), square + [(20, 20)], isClosed: true)) == closed)
        // Round outside of the corner at which it begins as at the others.
        for (x, y) in [(16, 16), (16, 43), (43, 16), (43, 43)] {
            #expect(abs(pixel(closed, x, y) - pixel(closed, 16, 16)) < 1e-3 && pixel(closed, x, y) > 0.2, "\(x), \(y)")
        }
        // A ring in the middle: x and y from 25 to 35.
        #expect(pixel(closed, 30, 24) > 0.2 && pixel(closed, 24, 30) > 0.2 && pixel(closed, 30, 30) == 0)
    }

    @Test func pointsBehindAnEndAreLeftOutOnlyThere() {
        // A hook: the end at (30, 20) looks at the first leg, whose places are nearer there.
        let found = alpha(stroke(brush(lines: 3, spacing: 4), [(20, 10), (20, 50), (30, 50), (30, 20)]))
        #expect(pixel(found, 30, 18) == 0 && pixel(found, 29, 22) > 0.2 && pixel(found, 30, 15) == 0)
        #expect(pixel(found, 24, 15) > 0.1 || pixel(found, 23, 15) > 0.1)
    }

    @Test func sizesFollowThePressureAtTheNearestPlace() {
        var dynamics = BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true)
        dynamics.minimumSize = 0
        let found = alpha(stroke(brush(lines: 3, dynamics: dynamics), [(10, 30.5), (50, 30.5)], pressures: [0, 1]))
        // Each line is a wedge: between d = 4.5 k and 5.5 k, k from 0 to 1 over 40; the middle one up to 0.5 k.
        #expect(abs(area(found) - 0.5 * 3 * 40 / 2) < 0.05, "\(area(found))")
        // At x = 30 half of it all: from 2.25 to 2.75 away.
        let column = (0..<60).map { pixel(found, 30, $0) }
        let covered: Double = column.reduce(0, +)
        #expect(abs(covered - 0.76875) < 0.01)
        #expect(column[27] > 0 && column[26] == 0 && column[33] > 0 && column[34] == 0)
    }

    @Test func alphasFollowThePressureAtTheNearestPlace() {
        var dynamics = BrushDynamics()
        dynamics.minimumOpacity = 0.2
        let found = alpha(stroke(brush(dynamics: dynamics), [(10, 30.5), (50, 30.5)], pressures: [0, 1]))
        for x in [10, 20, 35, 49] {
            let pressure = (Double(x) + 0.5 - 10) / 40
            for y in [15, 30, 45] { #expect(abs(pixel(found, x, y) - 0.5 * (0.2 + 0.8 * pressure)) < 1e-3, "\(x)") }
        }
    }

    @Test func aStrokeDoesNotDarkenItself() {
        let points = [(10.0, 30.0), (50, 30), (50, 10), (30, 10), (30, 55)]
        let found = alpha(stroke(brush(lineWidth: 3), points))
        #expect(found.allSatisfy { $0 <= 0.5 + 1e-12 })
        #expect(pixel(found, 30, 30) == 0.5)
    }

    @Test func rotationTiltAndAnchorCountForNothing() {
        var other = brush(dynamics: BrushDynamics(pressureAffectsOpacity: false, tiltAffectsRotation: true))
        (other.rotation, other.anchor) = (120, .canvas)
        let points = [(10.0, 30.0), (40, 40)]
        #expect(alpha(stroke(other, points)) == alpha(stroke(brush(), points)))
    }

    /// Against the plainest definition: every sample of 32 x 32 a pixel looks at all of the line.
    @Test(arguments: [LineCaps.butt, .round])
    func pixelsAreMeansOfTheDefinition(caps: LineCaps) {
        let points = [(12.0, 20.0, 1.0), (45, 12, 0.3), (20, 45, 0.8), (50, 50, 0.1), (40, 22, 1)]
        let brush = brush(lines: 5, spacing: 4, caps: caps, dynamics: BrushDynamics(pressureAffectsSize: true))
        let found = alpha(stroke(brush, points.map { ($0.0, $0.1) }, pressures: points.map(\.2)))
        for (x, y) in stride(from: 2, to: 58, by: 7).flatMap({ x in stride(from: 3, to: 58, by: 5).map { (x, $0) } }) {
            var sum = 0.0
            for n in 0..<1024 {
                let qx = Double(x) + (Double(n % 32) + 0.5) / 32
                let qy = Double(y) + (Double(n / 32) + 0.5) / 32
                var (least, pressure, isLeftOut) = (Double.infinity, 0.0, false)
                for (i, (a, b)) in zip(points, points.dropFirst()).enumerated() {
                    let (dx, dy) = (b.0 - a.0, b.1 - a.1)
                    let raw = ((qx - a.0) * dx + (qy - a.1) * dy) / (dx * dx + dy * dy)
                    let t = min(max(raw, 0), 1)
                    let d = hypot(a.0 + t * dx - qx, a.1 + t * dy - qy)
                    guard d < least else { continue }
                    (least, pressure) = (d, a.2 + t * (b.2 - a.2))
                    isLeftOut = caps == .butt && (i == 0 && raw < 0 || i == points.count - 2 && raw > 1)
                }
                let k = 0.5 + 0.5 * pressure
                let j = min((least / (4 * k)).rounded(), 2)
                if !isLeftOut, abs(least - 4 * k * j) <= k / 2 { sum += 0.5 * pressure }
            }
            #expect(abs(pixel(found, x, y) - sum / 1024) < 0.012, "\(x), \(y)")
        }
    }
}
