package import InkEngine

/// Bounds of a stroke's smoothed line (spec sections 3.1 and 10.1), found without evaluating it, in one pass over the
/// points.
///
/// The uniform Catmull-Rom segment from p[i] to p[i+1] is the cubic Bézier curve with the control points p[i], p[i] +
/// (p[i+1] - p[i-1]) / 6, p[i+1] - (p[i+2] - p[i]) / 6, p[i+1]. It lies in their convex hull, and no polyline on it is
/// longer than their polyline. The control points of a centripetal segment lie in the directions (a (p[i+1] - p[i]) / b
/// + b (p[i] - p[i-1]) / a) / (a + b) / 3 from p[i], where a and b are the square roots of both distances, b times as
/// far behind it and a times as far before it.
package struct StrokeMeasure: Hashable, Sendable {
    /// A rectangle that contains the smoothed line, in canvas pixels; empty for no points.
    package private(set) var hull = Rect.empty
    /// An upper bound of the length of the smoothed line, in canvas pixels.
    package private(set) var lengthBound = 0.0
    /// Number of points after consecutive equal positions are merged.
    package private(set) var positionCount = 0
    /// Factor of the brush's lengths at the highest pressure.
    package private(set) var largestSize = 1.0

    /// By the number of the element in the layer tree, and by stroke.
    package static func all(of project: Project) -> [[StrokeMeasure]] {
        project.layers.flattened().map { $0.layer.strokes.map { StrokeMeasure($0) } }
    }

    /// The measure of the stroke as a viewport shows it.
    package func seen(through view: ViewMap) -> StrokeMeasure {
        var measure = self
        measure.hull = view.box(hull)
        measure.lengthBound = view.length(lengthBound)
        return measure
    }

    package init(_ stroke: Stroke) {
        let points = stroke.points
        var line = LineMeasure(stroke.smoothing)
        func add(_ point: StrokePoint) { line.add(SIMD2(point.x, point.y)) }
        let corner = stroke.isClosed ? points.firstIndex { ($0.x, $0.y) != (points[0].x, points[0].y) } : nil
        if let corner, let last = points.lastIndex(where: { ($0.x, $0.y) != (points[0].x, points[0].y) }) {
            // Round the corner: what comes before the first point does not count.
            add(points[last])
            add(points[0])
            add(points[corner])
            line.begin()
            for point in points[(corner + 1)...] { add(point) }
            add(points[0])
            add(points[corner])
            // The corner came twice.
            positionCount = line.positionCount - 2
        } else {
            for point in points { add(point) }
            line.end()
            positionCount = line.positionCount
        }
        lengthBound = line.length
        if positionCount > 0 { hull = Rect(minX: line.low.x, minY: line.low.y, maxX: line.high.x, maxY: line.high.y) }
        let dynamics = stroke.brush.dynamics
        if dynamics.pressureAffectsSize {
            largestSize = dynamics.size(points.reduce(0) { max($0, $1.pressure) })
        }
    }
}

/// Hull and length of the control polygons of a line whose points are added one by one. Consecutive equal positions are
/// merged. The point before the first is 2 p[0] - p[1]; the one after the last is 2 p[n-1] - p[n-2].
///
/// Nothing can be rendered before all points have been processed, by a single thread, so this code is optimized.
private struct LineMeasure {
    private(set) var low = SIMD2<Double>(repeating: .infinity)
    private(set) var high = SIMD2<Double>(repeating: -.infinity)
    private(set) var length = 0.0
    private(set) var positionCount = 0
    /// The last point and the one before it.
    private var last = SIMD2<Double>.zero
    private var before = SIMD2<Double>.zero
    private let smoothing: Smoothing
    /// The square root of the distance between them.
    private var interval = 0.0
    /// The vector from the point before the last to its following control point, and its length.
    private var handle = SIMD2<Double>.zero
    private var handleLength = 0.0

    init(_ smoothing: Smoothing) { self.smoothing = smoothing }

    @inline(__always)
    mutating func add(_ point: SIMD2<Double>) {
        if positionCount == 0 {
            formUnion(point)
        } else if point == last {
            return
        } else if positionCount == 1 {
            // A third of half the vector between the neighbours 2 p[0] - p[1] and p[1].
            setHandle(smoothing == .none ? .zero : (point - last) / 3)
            formUnion(point)
        } else {
            switch smoothing {
            case .uniform: endSegment(handleAtEnd: (point - before) / 6)
            case .centripetal:
                let next = Self.interval(point - last)
                let way = (interval / next * (point - last) + next / interval * (last - before)) / (interval + next) / 3
                endSegment(handleAtEnd: interval * way)
                setHandle(next * way)
            case .none: endSegment(handleAtEnd: .zero)
            }
            formUnion(point)
        }
        if smoothing == .centripetal { interval = Self.interval(point - last) }
        before = last
        last = point
        positionCount += 1
    }

    mutating func end() {
        if positionCount > 1 { endSegment(handleAtEnd: smoothing == .none ? .zero : (last - before) / 3) }
    }

    /// Forgets the length and the number of points that came before the last one and its predecessor.
    mutating func begin() {
        length = 0
        positionCount = 2
    }

    private static func interval(_ way: SIMD2<Double>) -> Double {
        // Above 0 for different places, whose squares may underflow.
        max((way * way).sum().squareRoot().squareRoot(), .leastNormalMagnitude)
    }

    /// The segment from `before` to `last`.
    @inline(__always)
    private mutating func endSegment(handleAtEnd: SIMD2<Double>) {
        let first = before + handle
        let second = last - handleAtEnd
        formUnion(first)
        formUnion(second)
        let inner = second - first
        length += handleLength + (inner * inner).sum().squareRoot()
        setHandle(handleAtEnd)
        length += handleLength
    }

    @inline(__always)
    private mutating func setHandle(_ handle: SIMD2<Double>) {
        self.handle = handle
        handleLength = (handle * handle).sum().squareRoot()
    }

    @inline(__always)
    private mutating func formUnion(_ point: SIMD2<Double>) {
        low.replace(with: point, where: point .< low)
        high.replace(with: point, where: point .> high)
    }
}
