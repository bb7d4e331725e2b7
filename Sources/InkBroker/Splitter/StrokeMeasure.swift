import InkEngine

/// What can be said of a stroke's smoothed line (spec section 3.1) without evaluating it; one pass over the points.
///
/// The Catmull-Rom segment from p[i] to p[i+1] is the cubic Bézier curve with the control points p[i],
/// p[i] + (p[i+1] - p[i-1]) / 6, p[i+1] - (p[i+2] - p[i]) / 6, p[i+1]: it lies in their convex hull, and no polyline
/// on it is longer than theirs.
struct StrokeMeasure: Hashable, Sendable {
    /// A rectangle that holds the smoothed line, canvas pixels; empty for no points.
    private(set) var hull = Rect.empty
    /// No less than the length of the smoothed line, canvas pixels.
    private(set) var lengthBound = 0.0
    /// Points after the merging of consecutive equal positions.
    private(set) var positionCount = 0
    /// The factor of the brush's lengths where the pressure is highest.
    private(set) var largestSize = 1.0

    init(_ stroke: Stroke) {
        StrokeSegments.visit(stroke.points) { before, start, end, after in
            let first = Point(x: start.x + (end.x - before.x) / 6, y: start.y + (end.y - before.y) / 6)
            let second = Point(x: end.x - (after.x - start.x) / 6, y: end.y - (after.y - start.y) / 6)
            hull.formUnion(end)
            hull.formUnion(first)
            hull.formUnion(second)
            lengthBound += distance(start, first) + distance(first, second) + distance(second, end)
            positionCount += 1
        }
        if let first = stroke.points.first {
            hull.formUnion(Point(x: first.x, y: first.y))
            positionCount += 1
        }
        if stroke.brush.dynamics.pressureAffectsSize {
            largestSize = 0.5 + 0.5 * stroke.points.reduce(0) { max($0, $1.pressure) }
        }
    }
}

/// The segments of a stroke's line, each with its neighbours.
private enum StrokeSegments {
    /// Calls `body` with p[i-1], p[i], p[i+1], p[i+2] for each segment; consecutive equal positions are merged, and the
    /// ends are 2 p[0] - p[1] and 2 p[n-1] - p[n-2].
    @inline(__always)
    static func visit(_ points: [StrokePoint], _ body: (Point, Point, Point, Point) -> Void) {
        var count = 0
        var before = Point(x: 0, y: 0)
        var start = before
        var end = before
        for point in points {
            let next = Point(x: point.x, y: point.y)
            if count == 0 {
                end = next
                count = 1
                continue
            }
            if next == end { continue }
            if count == 1 {
                before = mirrored(end, next)
            } else {
                body(before, start, end, next)
                before = start
            }
            start = end
            end = next
            count += 1
        }
        if count > 1 { body(before, start, end, mirrored(end, start)) }
    }

    private static func mirrored(_ end: Point, _ inner: Point) -> Point {
        Point(x: 2 * end.x - inner.x, y: 2 * end.y - inner.y)
    }
}

private func distance(_ a: Point, _ b: Point) -> Double {
    let dx = b.x - a.x
    let dy = b.y - a.y
    return (dx * dx + dy * dy).squareRoot()
}
