import Foundation
import InkEngine
import InkReference
import Testing

@Suite("Reference: the line and the settings of brushes (spec 10.1, 10.3 to 10.5)")
struct ReferenceBrushTests {
    private let canvas = PixelSize(width: 40, height: 30)

    private func points(_ places: [(Double, Double)]) -> [StrokePoint] {
        places.map { StrokePoint(x: $0.0, y: $0.1) }
    }

    private func alpha(_ stroke: Stroke, zoom: Int = 1) -> (Int, Int) -> Double {
        let output = PixelSize(width: canvas.width * zoom, height: canvas.height * zoom)
        let scanner = CoverageScanner(canvas: CanvasSize(canvas), output: output, stripsPerPixel: 16)
        let found = ReferenceRenderer.strokeAlpha(stroke, output: output, scanner: scanner)
        return { x, y in found[y * output.width + x] }
    }

    private func total(_ found: (Int, Int) -> Double) -> Double {
        (0..<canvas.height).reduce(0) { sum, y in sum + (0..<canvas.width).reduce(0) { $0 + found($1, y) } }
    }

    /// Worked by hand: p = (0,0), (1,0), (1,4), (10,4); knots 0, 1, 3, 6 and the middle of the second segment at 2:
    /// A1 = 2 p1 - p0 = (2,0), A2 = (p1 + p2) / 2 = (1,2), A3 = 4/3 p2 - 1/3 p3 = (-2,4);
    /// B1 = A1 / 3 + 2/3 A2 = (4/3,4/3), B2 = 4/5 A2 + 1/5 A3 = (2/5,12/5); their mean is (13/15,28/15).
    @Test func centripetalAtHalfASegment() {
        let path = smoothedPath(points([(0, 0), (1, 0), (1, 4), (10, 4)]), smoothing: .centripetal)
        #expect(path.count == 31)
        #expect(abs(path[15].position.x - 13.0 / 15) < 1e-12 && abs(path[15].position.y - 28.0 / 15) < 1e-12)
        for (index, x) in [0.0, 1, 1, 10].enumerated() { #expect(abs(path[10 * index].position.x - x) < 1e-12) }
        // The phantom ends make a segment of its own straight.
        let straight = smoothedPath(points([(0, 0), (10, 20)]), smoothing: .centripetal)
        #expect(abs(straight[3].position.x - 3) < 1e-12 && abs(straight[3].position.y - 6) < 1e-12)
    }

    @Test func withoutSmoothingThePointsThemselvesCount() {
        let corners = points([(0, 0), (0, 0), (4, 0), (4, 4)])
        let path = smoothedPath(corners, smoothing: .none)
        #expect(path.map(\.position) == [Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 4, y: 4)])
        let closed = smoothedPath(corners, smoothing: .none, isClosed: true)
        #expect(closed.map(\.position) == path.map(\.position) + [Point(x: 0, y: 0)])
        // A last point equal to the first is dropped before.
        #expect(smoothedPath(corners + [corners[0]], smoothing: .none, isClosed: true) == closed)
        #expect(smoothedPath(points([(3, 3)]), isClosed: true).count == 1)
        #expect(
            smoothedPath(points([(3, 3), (5, 3)]), smoothing: .none, isClosed: true).map(\.position.x) == [3, 5, 3])
    }

    @Test(arguments: [Smoothing.uniform, .centripetal])
    func closedLinesTakeTheirNeighboursRoundTheCorner(smoothing: Smoothing) {
        let square = [(0.0, 0.0), (4, 0), (4, 4), (0, 4)]
        let path = smoothedPath(points(square), smoothing: smoothing, isClosed: true)
        #expect(path.count == 41 && path[40].position == path[0].position)
        // The middle of a side: 9/16 of both ends less 1/16 of both neighbours; equal sides have equal knots.
        for (index, expected) in [(2.0, -0.5), (4.5, 2), (2, 4.5), (-0.5, 2)].enumerated() {
            let middle = path[5 + 10 * index].position
            #expect(hypot(middle.x - expected.0, middle.y - expected.1) < 1e-12, "\(index): \(middle)")
        }
    }

    @Test func azimuthsGoTheShortWayRoundTheCorner() {
        var pen = points([(0, 0), (10, 0), (10, 10)])
        for (index, azimuth) in [350.0, 200, 100].enumerated() { pen[index].azimuth = azimuth }
        let path = smoothedPath(pen, isClosed: true)
        #expect([0, 10, 20, 30].map { path[$0].azimuth } == [350, 200, 100, -10])
    }

    @Test func closedStrokesHaveNoStampAtTheirFullLength() {
        var stroke = Stroke(brush: Brush(spacing: 4), points: points([(0, 0), (8, 0), (8, 8), (0, 8)]))
        (stroke.smoothing, stroke.isClosed) = (.none, true)
        #expect(ReferenceRenderer.shapes(of: stroke).count == 8)
        stroke.brush.stampSpacing = 32
        #expect(ReferenceRenderer.shapes(of: stroke).count == 1)
        stroke.brush.stampSpacing = 31
        #expect(ReferenceRenderer.shapes(of: stroke).count == 2)
        (stroke.isClosed, stroke.brush.stampSpacing) = (false, 24)
        #expect(ReferenceRenderer.shapes(of: stroke).count == 2)
        // Two points go there and back.
        stroke = Stroke(brush: Brush(spacing: 5), points: points([(0, 0), (10, 0)]))
        stroke.isClosed = true
        #expect(ReferenceRenderer.shapes(of: stroke).count == 4)
    }

    @Test func stampsFollowThePath() {
        var brush = Brush(spacing: 8, lineWidth: 1)
        brush.followsPath = true
        var stroke = Stroke(brush: brush, points: points([(20, 5), (20, 20)]))
        let shape = ReferenceRenderer.shapes(of: stroke)[0].shape
        #expect(shape.contains(Point(x: 20, y: 14)) && shape.contains(Point(x: 28, y: 14)))
        #expect(!shape.contains(Point(x: 24, y: 5)))
        stroke.points = [stroke.points[0]]
        brush.followsPath = false
        #expect(
            ReferenceRenderer.shapes(of: stroke)[0].shape
                == ReferenceRenderer.shapes(of: Stroke(brush: brush, points: stroke.points))[0].shape)
    }

    @Test func marksHaveTheirSettings() {
        func parts(_ type: BrushType, _ change: (inout Brush) -> Void) -> [Part] {
            var brush = Brush(type: type)
            change(&brush)
            return ReferenceRenderer.shapes(of: Stroke(brush: brush, points: points([(50, 50)]))).first?.shape.parts
                ?? []
        }
        #expect(parts(.parallelLines) { $0.lines = 3 }.count == 3)
        #expect(parts(.crossHatch) { $0.lines = 1 }.count == 2)
        #expect(parts(.waves) { ($0.lines, $0.waveLength) = (1, 4) }.count == 80 + 79 * 16)
        #expect(parts(.waves) { ($0.lines, $0.waveLength) = (1, 9.9) }.count == 33 + 32 * 16)
        #expect(parts(.waves) { ($0.lines, $0.waveLength) = (1, 1000) }.count == 32 + 31 * 16)
        let dots = UnionOfParts(parts: parts(.dots) { $0.dotRadius = 0.5 })
        #expect(dots.contains(Point(x: 50.49, y: 50)) && !dots.contains(Point(x: 50.51, y: 50)))
        // A crest at a quarter of the length, 1.5 down the page.
        let wave = UnionOfParts(parts: parts(.waves) { ($0.lines, $0.waveLength) = (1, 20) })
        #expect(wave.contains(Point(x: 55, y: 51.5)) && !wave.contains(Point(x: 52.5, y: 51.9)))
    }

    @Test func pressureHasItsMinima() {
        var brush = Brush(opacity: 0.5, dynamics: BrushDynamics(pressureAffectsSize: true))
        (brush.dynamics.minimumSize, brush.dynamics.minimumOpacity) = (0.2, 0.4)
        #expect(abs(dynamicSize(brush, pressure: 0.5) - 0.6) < 1e-15)
        #expect(abs(dynamicAlpha(brush, pressure: 0.5) - 0.35) < 1e-15)
        // A stamp of size 0 draws nothing.
        brush.dynamics.minimumSize = 0
        let tap = Stroke(brush: brush, points: [StrokePoint(x: 9, y: 9, pressure: 0)])
        #expect(ReferenceRenderer.shapes(of: tap).isEmpty)
    }

    @Test func aSolidStrokeComesToAPoint() {
        var brush = Brush(
            type: .solid, lineWidth: 12,
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true))
        brush.dynamics.minimumSize = 0
        let stroke = Stroke(
            brush: brush, points: [StrokePoint(x: 30, y: 15), StrokePoint(x: 15, y: 15, pressure: 0)])
        // The hull of a disc of 6 and a place 15 away: two right triangles and a sector.
        let tangent: Double = (15.0 * 15 - 6 * 6).squareRoot()
        let sector: Double = 2 * Double.pi - 2 * acos(6.0 / 15)
        let expected: Double = 6 * tangent + sector / 2 * 36
        #expect(abs(total(alpha(stroke)) - expected) < 0.03)
    }

    @Test func solidAlphaIsThatOfTheNearestPlace() {
        var stroke = Stroke(
            brush: Brush(
                type: .solid, opacity: 0.8, lineWidth: 10, dynamics: BrushDynamics(pressureAffectsOpacity: true)),
            points: [StrokePoint(x: -10, y: 15, pressure: 0), StrokePoint(x: 50, y: 15, pressure: 1)])
        for mode in StrokeMode.allCases {
            stroke.mode = mode
            let found = alpha(stroke)
            for x in [0, 11, 20, 39] {
                let expected = 0.8 * (Double(x) + 10.5) / 60
                #expect(abs(found(x, 12) - expected) < 1e-3 && abs(found(x, 17) - expected) < 1e-3)
                #expect(found(x, 9) == 0 && found(x, 20) == 0)
            }
        }
        // Half a row: rows from 10.5 on.
        stroke.points = stroke.points.map { StrokePoint(x: $0.x, y: 15.5, pressure: $0.pressure) }
        #expect(abs(alpha(stroke)(20, 10) - 0.8 * 30.5 / 60 / 2) < 1e-3)
    }

    @Test func patternsTakeTheAlphaAlongTheStroke() {
        let brush = Brush(
            spacing: 4, lineWidth: 1, anchor: .canvas, size: 8, dynamics: BrushDynamics(pressureAffectsOpacity: true))
        let found = alpha(
            Stroke(
                brush: brush,
                points: [StrokePoint(x: -10, y: 15, pressure: 0), StrokePoint(x: 50, y: 15, pressure: 1)]))
        // The lines are y from 11.5 to 12.5 and from 15.5 to 16.5.
        for (y, share) in [(11, 0.5), (12, 0.5), (13, 0), (15, 0.5), (16, 0.5)] {
            #expect(abs(found(20, y) - share * 30.5 / 60) < 1e-3, "\(y)")
        }
    }

    @Test func wholeDotsAreThoseWithTheirCentresInside() {
        var brush = Brush(type: .dots, spacing: 10, anchor: .canvas, size: 18)
        (brush.edge, brush.dotRadius) = (.whole, 3)
        // A disc of 9 about (20, 15) holds the centres (20, 10) and (20, 20) only.
        let tap = alpha(Stroke(brush: brush, points: points([(20, 15)])))
        #expect(abs(total(tap) - 2 * 9 * Double.pi) < 0.03)
        #expect(tap(20, 7) > 0.8 && tap(10, 10) == 0)
        // On its outline: the centres at 10 from it.
        brush.size = 20
        let level = alpha(Stroke(brush: brush, points: points([(20, 20)])))
        #expect(level(20, 10) > 0.99 && level(10, 20) > 0.99 && level(30, 20) > 0.99 && level(10, 10) == 0)
    }

    @Test func stillWavesHaveTheirLength() {
        var brush = Brush(type: .waves, spacing: 16, lineWidth: 1, anchor: .canvas, size: 90)
        brush.waveLength = 20
        let found = alpha(Stroke(brush: brush, points: points([(20, 15)])))
        // Line 1: y = 16, 20 at x = 5 and 25, 12 at 15 and 35.
        #expect(found(5, 19) > 0.3 && found(5, 20) > 0.3 && found(15, 11) > 0.3 && found(15, 12) > 0.3)
        #expect(found(25, 19) > 0.3 && found(5, 12) == 0)
    }
}
