import InkEngine

/// Where in the picture a stroke can leave a mark: columns `minX ..< maxX`, rows `minY ..< maxY`, output pixels.
///
/// Conservative: no pixel outside is touched. Clipped to the picture; empty when the stroke misses it.
struct StrokeExtent: Hashable, Sendable {
    var minX: Int32
    var minY: Int32
    var maxX: Int32
    var maxY: Int32
    /// An erasing stroke shows nothing by itself.
    var isPaint: Bool

    var isEmpty: Bool { minX >= maxX || minY >= maxY }

    func meets(_ rect: PixelRect) -> Bool {
        Int(minX) < rect.x + rect.width && Int(maxX) > rect.x && Int(minY) < rect.y + rect.height && Int(maxY) > rect.y
    }

    mutating func formUnion(_ other: StrokeExtent) {
        minX = min(minX, other.minX)
        minY = min(minY, other.minY)
        maxX = max(maxX, other.maxX)
        maxY = max(maxY, other.maxY)
        isPaint = isPaint || other.isPaint
    }

    /// - Parameters:
    ///   - stroke: as in the project.
    ///   - canvas: the project's size, canvas pixels.
    ///   - output: the picture's size, output pixels.
    init(of stroke: Stroke, canvas: PixelSize, output: PixelSize) {
        let hull = StrokeGeometry(stroke.points).hull.expanded(by: BrushReach.of(stroke))
        let scaleX = Double(output.width) / Double(canvas.width)
        let scaleY = Double(output.height) / Double(canvas.height)
        // One pixel more on each side covers the rounding of every way to compute the same place.
        minX = StrokeExtent.clamped((hull.minX * scaleX).rounded(.down) - 1, to: output.width, ifNaN: 0)
        minY = StrokeExtent.clamped((hull.minY * scaleY).rounded(.down) - 1, to: output.height, ifNaN: 0)
        maxX = StrokeExtent.clamped((hull.maxX * scaleX).rounded(.up) + 1, to: output.width, ifNaN: output.width)
        maxY = StrokeExtent.clamped((hull.maxY * scaleY).rounded(.up) + 1, to: output.height, ifNaN: output.height)
        isPaint = stroke.mode == .paint
        if hull.isEmpty { maxX = minX }
    }

    private static func clamped(_ value: Double, to edge: Int, ifNaN: Int) -> Int32 {
        if value.isNaN { return Int32(ifNaN) }
        return value <= 0 ? 0 : value >= Double(edge) ? Int32(edge) : Int32(value)
    }
}

/// How far from its polyline a brush can draw, canvas pixels.
enum BrushReach {
    /// The greatest distance of a mark from the smoothed polyline, at the largest size the stroke reaches.
    ///
    /// Infinite for lengths that overflow; never NaN for values that a reader lets through.
    static func of(_ stroke: Stroke) -> Double {
        let brush = stroke.brush
        let size = largestSize(of: stroke)
        let k = brush.scale * size
        let pitch = brush.spacing * k
        let width = brush.lineWidth * k
        switch brush.type {
        case .parallelLines, .crossHatch: return lines(k: k, across: 3 * pitch + width / 2)
        case .dots: return 5 * 2.0.squareRoot() * pitch + 2 * k
        // A displaced end is cut at right angles to the wave, so that it can reach half a width further along.
        case .waves: return lines(k: k + width / 20, across: 3 * pitch + pitch / 4 + width / 2)
        case .contourLines: return max(3 * pitch + width / 2, lines(k: k, across: 3 * pitch + width / 2))
        case .solid: return width / 2
        }
    }

    /// A line of half-length 10 k whose outermost edge lies `across` from the stamp's centre.
    private static func lines(k: Double, across: Double) -> Double {
        (100 * k * k + across * across).squareRoot()
    }

    static func largestSize(of stroke: Stroke) -> Double {
        guard stroke.brush.dynamics.pressureAffectsSize else { return 1 }
        return 0.5 + 0.5 * (stroke.points.map(\.pressure).max() ?? 1)
    }
}

/// The smoothed line of a stroke (spec section 3.1), as far as it can be bounded without evaluating it.
///
/// The Catmull-Rom segment from p[i] to p[i+1] is the cubic Bézier curve with the control points p[i],
/// p[i] + (p[i+1] - p[i-1]) / 6, p[i+1] - (p[i+2] - p[i]) / 6, p[i+1]: it lies in their convex hull, and no polyline
/// on it is longer than theirs.
struct StrokeGeometry {
    /// Positions, canvas pixels; consecutive equal ones merged.
    let positions: [Point]

    init(_ points: [StrokePoint]) {
        var positions: [Point] = []
        positions.reserveCapacity(points.count)
        for point in points {
            let position = Point(x: point.x, y: point.y)
            if positions.last != position { positions.append(position) }
        }
        self.positions = positions
    }

    /// p[index], with the phantom ends 2 p[0] - p[1] and 2 p[n-1] - p[n-2].
    func position(_ index: Int) -> Point {
        if index < 0 { return mirrored(positions[0], positions[1]) }
        if index >= positions.count { return mirrored(positions[positions.count - 1], positions[positions.count - 2]) }
        return positions[index]
    }

    private func mirrored(_ end: Point, _ inner: Point) -> Point {
        Point(x: 2 * end.x - inner.x, y: 2 * end.y - inner.y)
    }

    /// The four control points of segment `index`, 0 ..< positions.count - 1.
    func controlPoints(_ index: Int) -> (Point, Point, Point, Point) {
        let before = position(index - 1)
        let start = positions[index]
        let end = positions[index + 1]
        let after = position(index + 2)
        return (
            start, Point(x: start.x + (end.x - before.x) / 6, y: start.y + (end.y - before.y) / 6),
            Point(x: end.x - (after.x - start.x) / 6, y: end.y - (after.y - start.y) / 6), end
        )
    }

    /// A rectangle that holds the smoothed line, canvas pixels; empty for no points.
    var hull: Rect {
        var hull = Rect.empty
        for position in positions { hull.formUnion(position) }
        guard positions.count > 1 else { return hull }
        for index in 0..<(positions.count - 1) {
            let (_, first, second, _) = controlPoints(index)
            hull.formUnion(first)
            hull.formUnion(second)
        }
        return hull
    }

    /// No less than the length of the smoothed line, canvas pixels.
    var lengthBound: Double {
        guard positions.count > 1 else { return 0 }
        var length = 0.0
        for index in 0..<(positions.count - 1) {
            let (a, b, c, d) = controlPoints(index)
            length += distance(a, b) + distance(b, c) + distance(c, d)
        }
        return length
    }

    /// The length of the smoothed polyline of ten steps a segment, canvas pixels (spec section 3.1).
    var length: Double {
        guard positions.count > 1 else { return 0 }
        var length = 0.0
        for index in 0..<(positions.count - 1) {
            let (p0, p1, p2, p3) = (position(index - 1), positions[index], positions[index + 1], position(index + 2))
            var previous = p1
            for step in 1...10 {
                let next: Point
                if step == 10 {
                    next = p2
                } else {
                    let t = Double(step) / 10
                    next = Point(
                        x: StrokeGeometry.catmullRom(p0.x, p1.x, p2.x, p3.x, t),
                        y: StrokeGeometry.catmullRom(p0.y, p1.y, p2.y, p3.y, t))
                }
                length += distance(previous, next)
                previous = next
            }
        }
        return length
    }

    private static func catmullRom(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ t: Double) -> Double {
        let linear = (c - a) * t
        let square = (2 * a - 5 * b + 4 * c - d) * t * t
        let cube = (3 * b - a - 3 * c + d) * t * t * t
        return 0.5 * (2 * b + linear + square + cube)
    }

    private func distance(_ a: Point, _ b: Point) -> Double {
        let dx = b.x - a.x
        let dy = b.y - a.y
        return (dx * dx + dy * dy).squareRoot()
    }
}
