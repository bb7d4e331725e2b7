import InkTestSupport

@testable import InkEngine

/// Exact areas by clipping a polygon to each pixel (Sutherland and Hodgman): slow, plain, independent of the accumulator.
func clippedArea(_ polygon: [Point], x: Double, y: Double) -> Double {
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

extension Polygons {
    init(_ all: [[Point]]) {
        self.init()
        for corners in all {
            for corner in corners { append(corner) }
            endPolygon()
        }
    }
}

extension SeededGenerator {
    /// A polygon of three to eight corners, clockwise, whose middle lies in the first 32 pixels either way.
    mutating func convexPolygon(radii: ClosedRange<Double>) -> [Point] {
        let center = Point(x: .random(in: 0...32, using: &self), y: .random(in: 0...32, using: &self))
        let radius = Double.random(in: radii, using: &self)
        let corners = Int.random(in: 3...8, using: &self)
        let start = Double.random(in: 0..<360, using: &self)
        let squash = Double.random(in: 0.01...1, using: &self)
        return (0..<corners).map { corner in
            let turn = sinCos(degrees: start + 360 * Double(corner) / Double(corners))
            return center + Point(x: radius * turn.cos, y: squash * radius * turn.sin)
        }
    }
}
