import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: the marks that other programs are given")
struct StrokeMarkTests {
    private static func stroke(_ type: BrushType, sized: Bool) -> Stroke {
        let brush = Brush(
            type: type, rotation: 25, spacing: 6, opacity: 0.75, scale: 1.5, lineWidth: type == .solid ? 8 : 1.5,
            dynamics: BrushDynamics(pressureAffectsSize: sized, tiltAffectsRotation: true))
        let points = [(20.0, 30.0, 0.4), (60.0, 50.0, 1.0), (70.0, 90.0, 0.7)]
        return Stroke(brush: brush, points: points.map { StrokePoint(x: $0.0, y: $0.1, pressure: $0.2, azimuth: $0.1) })
    }

    @Test(arguments: BrushType.allCases.filter { $0 != .contourLines }, [false, true])
    func marksAreTheShapesOfTheStamps(type: BrushType, sized: Bool) {
        let stroke = StrokeMarkTests.stroke(type, sized: sized)
        let marks = StrokeMark.marks(of: stroke)
        let shapes = ReferenceRenderer.shapes(of: stroke)
        if type != .solid { #expect(marks.map(\.alpha) == shapes.map(\.alpha)) }
        #expect(marks.count > (type == .solid ? 0 : 5))
        var generator = SeededGenerator(seed: 7)
        var inside = 0
        var different = 0
        for _ in 0..<1_000 {
            let point = Point(x: .random(in: 0...100, using: &generator), y: .random(in: 0...120, using: &generator))
            for (mark, shape) in zip(marks, shapes) {
                let isInside = shape.shape.contains(point)
                inside += isInside ? 1 : 0
                different += mark.contains(point) == isInside ? 0 : 1
            }
        }
        #expect(inside > 50)
        // Arcs of joins are cut into corners.
        #expect(Double(different) <= 1 + 0.002 * Double(inside))
    }

    @Test(arguments: [false, true])
    func aPatternThatLiesStillIsDrawnWithinAFootprint(sized: Bool) throws {
        let brush = Brush(
            type: .parallelLines, rotation: 90, spacing: 6, lineWidth: 2, anchor: .canvas, size: 20,
            dynamics: BrushDynamics(pressureAffectsSize: sized))
        let points = [20.0, 70].map { StrokePoint(x: $0, y: 30, pressure: 1, azimuth: 0) }
        let marks = StrokeMark.marks(of: Stroke(brush: brush, points: points))
        let mark = try #require(marks.first)
        #expect(marks.count == 1)
        for (row, column) in (0..<60).flatMap({ row in (0..<90).map { (row, $0) } }) {
            let point = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
            let distance = hypot(point.x - min(max(point.x, 20), 70), point.y - 30)
            guard abs(distance - 10) > 0.05 else { continue }
            let isInLine = abs(point.x.remainder(dividingBy: 6)) < 1
            #expect(mark.contains(point) == (isInLine && distance < 10), "\(point)")
        }
    }

    @Test func aStrokeWithoutPointsHasNoMarks() {
        for type in BrushType.allCases {
            #expect(StrokeMark.marks(of: Stroke(brush: Brush(type: type), points: [])).isEmpty)
        }
    }
}

extension StrokeMark {
    fileprivate func contains(_ point: Point) -> Bool {
        pieces.contains { $0.contains(point) } && (footprint.isEmpty || footprint.contains { $0.contains(point) })
    }
}

extension StrokeMark.Piece {
    fileprivate func contains(_ p: Point) -> Bool {
        switch self {
        case .disc(let center, let radius): return hypot(p.x - center.x, p.y - center.y) <= radius
        case .polygon(let corners):
            var winding = 0
            for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1)) where (a.y <= p.y) != (b.y <= p.y) {
                let isLeft = (b.x - a.x) * (p.y - a.y) - (p.x - a.x) * (b.y - a.y) > 0
                if b.y > a.y, isLeft { winding += 1 }
                if b.y < a.y, !isLeft { winding -= 1 }
            }
            return winding != 0
        case .line(let points, let width):
            return zip(points, points.dropFirst()).contains { a, b in
                let along = Point(x: b.x - a.x, y: b.y - a.y)
                let square = along.x * along.x + along.y * along.y
                let t = min(max(((p.x - a.x) * along.x + (p.y - a.y) * along.y) / square, 0), 1)
                return hypot(p.x - a.x - t * along.x, p.y - a.y - t * along.y) <= width / 2
            }
        }
    }
}
