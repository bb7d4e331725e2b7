/// Polygons whose areas add up, output pixels, as kernels take them. Those that turn the other way take area away.
struct Polygons {
    private(set) var corners: [Point] = []
    /// How many corners each polygon has.
    private(set) var counts: [Int32] = []
    /// Where the polygon that is being put together begins.
    private var start = 0

    mutating func removeAll() {
        corners.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Adds a corner to the polygon that is being put together.
    mutating func append(_ corner: Point) { corners.append(corner) }

    /// Ends the polygon that is being put together.
    mutating func endPolygon() {
        counts.append(Int32(corners.count - start))
        start = corners.count
    }
}

/// A convex polygon that quadrilaterals are cut out of.
struct ConvexPolygon {
    /// Each of six quadrilaterals adds four corners at most.
    private var corners = InlineArray<28, Point>(repeating: Point(x: 0, y: 0))
    private(set) var count = 0

    init(_ quad: LineQuad) {
        for index in 0..<4 { append(quad.corners[index]) }
    }

    private init() {}

    subscript(_ index: Int) -> Point { corners[index] }

    private mutating func append(_ corner: Point) {
        // Rounding may bend what is all but straight.
        guard count < corners.count else { return }
        corners[count] = corner
        count += 1
    }

    /// What of it lies in `quad`, which has the same sense of rotation; nil when that is nothing (Sutherland and
    /// Hodgman).
    func clipped(by quad: LineQuad) -> ConvexPolygon? {
        var polygon = self
        for side in 0..<4 {
            let origin = quad.corners[side]
            let step = quad.corners[(side + 1) % 4] - origin
            func inside(_ p: Point) -> Double { step.x * (p.y - origin.y) - step.y * (p.x - origin.x) }
            var rest = ConvexPolygon()
            var last = polygon[polygon.count - 1]
            var lastInside = inside(last)
            for index in 0..<polygon.count {
                let corner = polygon[index]
                let cornerInside = inside(corner)
                if (cornerInside > 0) != (lastInside > 0) {
                    rest.append(last + (lastInside / (lastInside - cornerInside)) * (corner - last))
                }
                if cornerInside > 0 { rest.append(corner) }
                last = corner
                lastInside = cornerInside
            }
            guard rest.count > 2 else { return nil }
            polygon = rest
        }
        return polygon
    }
}
