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

    /// Bytes that they take.
    var byteCount: Int {
        corners.capacity * MemoryLayout<Point>.stride + counts.capacity * MemoryLayout<Int32>.stride
    }

    /// The same, without room for more.
    var trimmed: Polygons {
        var trimmed = self
        trimmed.corners = corners.trimmed
        trimmed.counts = counts.trimmed
        return trimmed
    }

    /// Adds a corner to the polygon that is being put together.
    mutating func append(_ corner: Point) { corners.append(corner) }

    /// Ends the polygon that is being put together.
    mutating func endPolygon() {
        counts.append(Int32(corners.count - start))
        start = corners.count
    }

    /// Calls `body` with the corners, x and y each, and how many each polygon has.
    func withKernelPolygons(_ body: (UnsafePointer<Double>, UnsafePointer<Int32>) -> Void) {
        corners.withUnsafeBytes { corners in
            guard let corners = corners.bindMemory(to: Double.self).baseAddress else { return }
            body(corners, counts)
        }
    }
}

extension Array {
    /// The same elements, without room for more.
    var trimmed: [Element] { [Element](unsafeUninitializedCapacity: count) { $1 = $0.initialize(from: self).1 } }
}

/// Convex polygons that rectangles are cut out of, each on top of those that it was cut out of.
struct ConvexPolygons {
    private var points: [Point] = []

    /// Each of six rectangles adds four corners at most.
    static let cornersMax = 28

    subscript(_ index: Int) -> Point { points[index] }

    mutating func removeAll() { points.removeAll(keepingCapacity: true) }

    /// Takes away what lies above a polygon.
    mutating func removeAll(above polygon: Range<Int>) { points.removeLast(points.count - polygon.upperBound) }

    /// Puts a rectangle on top.
    mutating func append(_ quad: LineQuad) -> Range<Int> {
        let start = points.count
        for index in 0..<4 { points.append(quad.corners[index]) }
        return start..<points.count
    }

    /// Puts on top what of a polygon lies in `quad`, which has the same sense of rotation; nil when that is nothing
    /// (Sutherland and Hodgman).
    mutating func append(_ polygon: Range<Int>, clippedBy quad: LineQuad) -> Range<Int>? {
        var polygon = polygon
        for side in 0..<4 {
            let origin = quad.corners[side]
            let step = quad.corners[(side + 1) % 4] - origin
            func inside(_ p: Point) -> Double { step.x * (p.y - origin.y) - step.y * (p.x - origin.x) }
            let start = points.count
            var last = points[polygon.upperBound - 1]
            var lastInside = inside(last)
            for index in polygon {
                let corner = points[index]
                let cornerInside = inside(corner)
                if (cornerInside > 0) != (lastInside > 0) {
                    points.append(last + (lastInside / (lastInside - cornerInside)) * (corner - last))
                }
                if cornerInside > 0 { points.append(corner) }
                last = corner
                lastInside = cornerInside
            }
            // Rounding may bend what is all but straight.
            if points.count - start > ConvexPolygons.cornersMax {
                points.removeLast(points.count - start - ConvexPolygons.cornersMax)
            }
            guard points.count - start > 2 else { return nil }
            polygon = start..<points.count
        }
        return polygon
    }
}
