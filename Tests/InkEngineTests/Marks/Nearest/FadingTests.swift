import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Alpha along shapes")
struct FadingTests {
    private static let size = PixelSize(width: 64, height: 48)

    private func painted(_ stroke: Stroke, cell: PixelRect? = nil, level: KernelLevel = .selected) -> [Float] {
        let size = FadingTests.size
        let cell = cell ?? PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height, level: level)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        let scale = OutputScale(canvas: CanvasSize(size), output: size)
        // Twice, because the shape's plane must be clean afterwards.
        painter.paint(PreparedStroke(stroke), scale: scale, cell: cell, into: plane)
        let once = plane.coverage
        painter.paint(PreparedStroke(stroke), scale: scale, cell: cell, into: plane)
        for (first, second) in zip(once, plane.coverage) {
            #expect(abs(second - (1 - (1 - first) * (1 - first))) < 1e-3)
        }
        return once
    }

    private func stroke(_ points: [(Double, Double, Double)], size: Bool = false) -> Stroke {
        var brush = Brush(type: .solid, lineWidth: 9)
        brush.dynamics = BrushDynamics(
            pressureAffectsOpacity: true, pressureAffectsSize: size, minimumSize: 0, minimumOpacity: 0.1)
        return Stroke(brush: brush, points: points.map { StrokePoint(x: $0.0, y: $0.1, pressure: $0.2) })
    }

    @Test("each point of a solid stroke has the alpha of the nearest place", arguments: [false, true])
    func solid(isSized: Bool) {
        let stroke = stroke([(8, 10, 0), (30, 30, 1), (56, 12, 0.3)], size: isSized)
        let found = painted(stroke)
        let discs = SmoothedPath(stroke.points).samples.map { sample in
            PreparedStroke.Disc(
                center: sample.position, radius: 4.5 * stroke.brush.dynamics.size(sample.pressure))
        }
        var oracle = NearestOracle(stroke)
        oracle.samples = 16
        let size = FadingTests.size
        let expected = oracle.shape(size, scale: OutputScale(canvas: CanvasSize(size), output: size)) { q in
            zip(discs, discs.dropFirst()).contains { a, b in
                // Among the discs between both, the one that reaches furthest towards the point.
                let step = b.center - a.center, length = step.length, way = q - a.center
                let slant = min(max((a.radius - b.radius) / length, -0.999), 0.999)
                let along = (way.x * step.x + way.y * step.y) / length
                let side = abs(way.x * step.y - way.y * step.x) / length
                let t = min(max((along - slant * side / (1 - slant * slant).squareRoot()) / length, 0), 1)
                return (way - t * step).length <= a.radius + t * (b.radius - a.radius)
            }
        }
        let errors = zip(found, expected).map { 255 * abs($0 - $1) }
        let drawn = expected.count { $0 > 0 }
        #expect(errors.reduce(0, +) / Float(drawn) < 1)
        #expect(errors.count { $0 > 10 } <= drawn / 50)
    }

    @Test("what fades is the same in every cell and for every level of kernels")
    func cells() {
        let stroke = stroke([(8, 10, 0), (30, 30, 1), (56, 12, 0.3), (20, 14, 0.9)], size: true)
        let whole = painted(stroke, level: .scalar)
        for level in KernelLevel.available {
            let isSame = painted(stroke, level: level) == whole
            #expect(isSame, "\(level)")
        }
        let cell = PixelRect(x: 13, y: 9, width: 37, height: 20)
        let expected = cell.rows.flatMap { whole[($0 * FadingTests.size.width + cell.x)...].prefix(cell.width) }
        #expect(painted(stroke, cell: cell) == expected)
    }

    @Test("a stroke without pressure at its ends comes to points")
    func points() {
        let found = painted(stroke([(10, 24, 0), (32, 24, 1), (54, 24, 0)], size: true))
        func height(_ column: Int) -> Float {
            (0..<48).reduce(0) { $0 + (found[$1 * 64 + column] > 0.005 ? 1 : 0) }
        }
        #expect(height(8) == 0 && height(11) <= 2 && height(32) >= 8 && height(52) <= 2 && height(55) == 0)
    }
}
