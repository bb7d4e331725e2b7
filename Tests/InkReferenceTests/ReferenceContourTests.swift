import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: contour lines (spec 3.3)")
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
        spacing: Double = 5, opacity: Double = 0.5, lineWidth: Double = 1, size: Bool = false
    ) -> Brush {
        Brush(
            type: .contourLines, spacing: spacing, opacity: opacity, lineWidth: lineWidth,
            dynamics: BrushDynamics(pressureAffectsSize: size))
    }

    private func station(_ x: Double, _ y: Double, degrees: Double = 0) -> InkReference.Stamp {
        let angle = degrees * Double.pi / 180
        return Stamp(
            center: Point(x: x, y: y), pressure: 1, azimuth: 0, direction: Point(x: cos(angle), y: sin(angle)))
    }

    @Test func aStraightStrokeIsSevenLinesWithoutSeams() {
        let stroke = Stroke(
            brush: brush(spacing: 5.3), points: [StrokePoint(x: 10, y: 30.5), StrokePoint(x: 42.4, y: 30.5)])
        let found = alpha(stroke)
        // Stations at 10, 15.3, ... 41.8.
        for x in 10..<41 { #expect(abs(pixel(found, x, 30) - 0.5) < 1e-12, "\(x)") }
        #expect(abs(pixel(found, 41, 30) - 0.4) < 1e-12)
        #expect(pixel(found, 9, 30) == 0 && pixel(found, 42, 30) == 0 && pixel(found, 20, 29) == 0)
        // The third line on either side is 15.9 away: rows 14.1 to 15.1 and 45.9 to 46.9.
        #expect(abs(pixel(found, 20, 14) - 0.45) < 1e-12 && abs(pixel(found, 20, 15) - 0.05) < 1e-12)
        #expect(abs(pixel(found, 20, 45) - 0.05) < 1e-12 && abs(pixel(found, 20, 46) - 0.45) < 1e-12)
    }

    @Test func alphasAreMeansAndAddUpByArea() {
        let stroke = Stroke(
            brush: brush(opacity: 1),
            points: [StrokePoint(x: 10.5, y: 30.5), StrokePoint(x: 30.5, y: 30.5, pressure: 0.5)])
        let found = alpha(stroke)
        for (j, expected) in [0.9375, 0.8125, 0.6875, 0.5625].enumerated() {
            #expect(abs(pixel(found, 13 + 5 * j, 30) - expected) < 1e-12)
        }
        #expect(abs(pixel(found, 15, 30) - (0.9375 + 0.8125) / 2) < 1e-12)
    }

    @Test func aStrokeDoesNotDarkenItself() {
        let points = [(10.0, 30.0), (50, 30), (50, 10), (30, 10), (30, 55)].map { StrokePoint(x: $0.0, y: $0.1) }
        let found = alpha(Stroke(brush: brush(lineWidth: 3), points: points))
        #expect(found.allSatisfy { $0 <= 0.5 })
        // Where the middle lines cross, both cover all of the pixel.
        #expect(pixel(found, 30, 30) == 0.5)
    }

    @Test func theLargestAlphaIsOfThoseThatCoverThePixel() {
        // Over a line of 0.2 one of 0.9, which covers the right half of the pixel.
        let quads = [(0.0, 5.0, 0.2), (2.5, 5, 0.9), (3, 5, 1)].map { left, right, alpha in
            ContourQuad(
                corners: [
                    Point(x: left, y: 0), Point(x: left, y: 1), Point(x: right, y: 1), Point(x: right, y: 0),
                ], alpha: alpha)
        }
        let size = PixelSize(width: 5, height: 1)
        let found = CoverageScanner(canvas: CanvasSize(size), output: size, stripsPerPixel: 1).alpha(of: quads)
        for (x, expected) in [0.2, 0.2, 0.65, 1, 1].enumerated() { #expect(abs(found[x] - expected) < 1e-12, "\(x)") }
    }

    @Test func linesInsideATightTurnAreLeftOut() {
        // A turn of 40 degrees on 4.12: a line 4 to the inside still runs forward, one 8 to the inside backward.
        let turn = [station(20, 20), station(24, 21, degrees: 40)]
        let quads = contourQuads(of: turn, brush: brush(spacing: 4))
        #expect(quads.count == 5)
        #expect(quads.allSatisfy { $0.corners[0].y < 20 + 4 && $0.alpha == 0.5 })
    }

    @Test func stationsThatTurnByARightAngleDrawNothing() {
        for (degrees, count) in [(89.0, 5), (91, 0), (180, 0), (-91, 0)] {
            let quads = contourQuads(
                of: [station(20, 20), station(24, 20, degrees: degrees)], brush: brush(spacing: 4))
            #expect(quads.count == count, "\(degrees)")
        }
    }

    @Test func stationsThatCoincideDrawNothing() {
        let quads = contourQuads(of: [station(20, 20), station(20, 20, degrees: 20)], brush: brush())
        #expect(quads.isEmpty)
    }

    @Test func aSingleStampDrawsParallelLines() {
        for length in [0.0, 4.9] {
            var points = [StrokePoint(x: 30, y: 30)]
            if length > 0 { points.append(StrokePoint(x: 30, y: 30 + length)) }
            var lines = brush()
            lines.type = .parallelLines
            #expect(alpha(Stroke(brush: brush(), points: points)) == alpha(Stroke(brush: lines, points: points)))
        }
    }

    @Test func rotationAndTiltCountForNothing() {
        let points = [StrokePoint(x: 10, y: 30, azimuth: 50), StrokePoint(x: 40, y: 40, azimuth: 80)]
        var turned = brush()
        turned.rotation = 30
        turned.dynamics.tiltAffectsRotation = true
        #expect(alpha(Stroke(brush: turned, points: points)) == alpha(Stroke(brush: brush(), points: points)))
    }

    @Test func pressureActsOnBothEnds() throws {
        let stroke = Stroke(
            brush: brush(size: true), points: [StrokePoint(x: 10, y: 30), StrokePoint(x: 15, y: 30, pressure: 0)])
        let quads = try #require(ReferenceRenderer.contourQuads(of: stroke))
        #expect(quads.count == 7)
        // 5 apart and 1 wide at the start, 2.5 and a half at the end.
        let expected = [Point(x: 10, y: 44.5), Point(x: 10, y: 45.5), Point(x: 15, y: 37.75), Point(x: 15, y: 37.25)]
        for (found, expected) in zip(quads[6].corners, expected) {
            #expect(hypot(found.x - expected.x, found.y - expected.y) < 1e-9)
        }
    }

    /// Quads of any form, crossed ones too, against the plainest definition: the share of 32 x 32 points that they wind round.
    @Test(arguments: 0..<20)
    func areasAreSharesOfPointsWoundRound(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let corners = (0..<4).map { _ in
            Point(x: .random(in: -1...7, using: &generator), y: .random(in: -1...5, using: &generator))
        }
        let size = PixelSize(width: 6, height: 4)
        let scanner = CoverageScanner(canvas: CanvasSize(size), output: size, stripsPerPixel: 1)
        let found = scanner.alpha(of: [ContourQuad(corners: corners, alpha: 1)])
        for (pixel, area) in found.enumerated() {
            var inside = 0
            for sample in 0..<1024 {
                let x = Double(pixel % 6) + (Double(sample % 32) + 0.5) / 32
                let y = Double(pixel / 6) + (Double(sample / 32) + 0.5) / 32
                inside += winding(corners, Point(x: x, y: y)) != 0 ? 1 : 0
            }
            #expect(abs(area - Double(inside) / 1024) < 0.03, "seed \(seed), pixel \(pixel): \(corners)")
        }
    }

    private func winding(_ corners: [Point], _ p: Point) -> Int {
        zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { sum, edge in
            let (a, b) = edge
            guard (a.y <= p.y) != (b.y <= p.y) else { return sum }
            let isLeft = (b.x - a.x) * (p.y - a.y) - (p.x - a.x) * (b.y - a.y) > 0
            return sum + (b.y > a.y ? (isLeft ? 1 : 0) : (isLeft ? 0 : -1))
        }
    }
}
