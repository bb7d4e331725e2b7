import InkTestSupport
import Testing

@testable import InkEngine

/// Exact areas by clipping a polygon to each pixel (Sutherland and Hodgman): slow, plain, independent of the accumulator.
private func clippedArea(_ polygon: [Point], x: Double, y: Double) -> Double {
    func clip(_ points: [Point], _ inside: (Point) -> Double) -> [Point] {
        var result: [Point] = []
        for (i, b) in points.enumerated() {
            let a = points[(i + points.count - 1) % points.count]
            let da = inside(a)
            let db = inside(b)
            if (da >= 0) != (db >= 0) { result.append(a + (da / (da - db)) * (b - a)) }
            if db >= 0 { result.append(b) }
        }
        return result
    }
    var points = clip(polygon) { $0.x - x }
    points = clip(points) { x + 1 - $0.x }
    points = clip(points) { $0.y - y }
    points = clip(points) { y + 1 - $0.y }
    var twice = 0.0
    for (i, b) in points.enumerated() {
        let a = points[(i + points.count - 1) % points.count]
        twice += a.x * b.y - b.x * a.y
    }
    return abs(twice) / 2
}

@Suite("Coverage accumulator")
struct CoverageAccumulatorTests {
    /// The coverage of `polygon` in every pixel of `cell`, row-major, through an accumulator of that cell.
    private func coverage(_ polygon: [Point], cell: PixelRect) -> [Float] {
        let accumulator = CoverageAccumulator(maxWidth: cell.width, maxHeight: cell.height)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        accumulator.move(to: cell)
        plane.move(to: cell)
        accumulator.add(EdgeChain(polygon + polygon.prefix(1)), at: Point(x: 0, y: 0))
        accumulator.multiply(plane, box: PixelRect(x: -100, y: -100, width: 300, height: 300), alpha: 1)
        let result = plane.coverage
        return result
    }

    private func randomConvexPolygon(_ generator: inout SeededGenerator) -> [Point] {
        let center = Point(x: .random(in: 0...32, using: &generator), y: .random(in: 0...32, using: &generator))
        let radius = Double.random(in: 0.05...20, using: &generator)
        let corners = Int.random(in: 3...8, using: &generator)
        let start = Double.random(in: 0..<360, using: &generator)
        let squash = Double.random(in: 0.01...1, using: &generator)
        return (0..<corners).map { corner in
            let turn = sinCos(degrees: start + 360 * Double(corner) / Double(corners))
            return center + Point(x: radius * turn.cos, y: squash * radius * turn.sin)
        }
    }

    @Test("the covered area of every pixel is that of the clipped polygon", arguments: 0..<60)
    func exactArea(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let polygon = randomConvexPolygon(&generator)
        let cell = PixelRect(x: 0, y: 0, width: 32, height: 32)
        let actual = coverage(polygon, cell: cell)
        var worst = 0.0
        for y in 0..<32 {
            for x in 0..<32 {
                worst = max(worst, abs(Double(actual[y * 32 + x]) - clippedArea(polygon, x: Double(x), y: Double(y))))
            }
        }
        #expect(worst < 2e-4, "seed \(seed)")
    }

    @Test("a cell shows the same numbers as the whole picture there", arguments: 0..<60)
    func cellsDoNotShow(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 1_000)
        let polygon = randomConvexPolygon(&generator)
        let whole = coverage(polygon, cell: PixelRect(x: 0, y: 0, width: 32, height: 32))
        let x = Int.random(in: 0..<31, using: &generator)
        let y = Int.random(in: 0..<31, using: &generator)
        let cell = PixelRect(
            x: x, y: y, width: .random(in: 1...(32 - x), using: &generator),
            height: .random(in: 1...(32 - y), using: &generator))
        let part = coverage(polygon, cell: cell)
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                #expect(part[row * cell.width + column] == whole[(y + row) * 32 + x + column], "seed \(seed), \(cell)")
            }
        }
    }
}
