import InkEngine

/// Cubic curves through a row of points, after Schneider, "An Algorithm for Automatically Fitting Digitized Curves"
/// (Graphics Gems, 1990): least squares between the ends' directions, places on the curve improved by Newton's steps, and
/// halves where one curve is not near enough.
struct CurveFit {
    /// The largest distance of a point from its curve.
    private let tolerance: Double
    private(set) var curves: [(first: Point, second: Point, end: Point)] = []

    /// - Parameters:
    ///   - points: at least two, of which neighbours differ.
    ///   - start: a unit vector from the first point along the curve; nil: as the points say.
    ///   - end: a unit vector from the last point back along the curve; nil: as the points say.
    init(_ points: [Point], start: Point?, end: Point?, tolerance: Double) {
        self.tolerance = tolerance
        let reach = min(Self.tangentReach, points.count - 1)
        let last = points.count - 1
        var (from, tangent) = (0, start ?? Self.unit(points[reach] - points[0]))
        // Halving takes as many steps as there are points, each over all of them, where a row of points is unkind.
        while last - from > Self.rowMax + Self.tangentReach {
            let middle = from + Self.rowMax
            let way = Self.unit(points[middle - Self.tangentReach] - points[middle + Self.tangentReach])
            fit(points[from...middle], tangent, way)
            (from, tangent) = (middle, -1 * way)
        }
        fit(points[from...], tangent, end ?? Self.unit(points[last - reach] - points[last]))
    }

    /// The most points that are fitted at once.
    private static let rowMax = 1000

    /// Points that say how a curve begins, since neighbours lie on a grid.
    static let tangentReach = 4
    private static let improvements = 4

    static func unit(_ vector: Point) -> Point {
        let length = vector.length
        return length > 0 ? (1 / length) * vector : Point(x: 1, y: 0)
    }

    private static func dot(_ a: Point, _ b: Point) -> Double { a.x * b.x + a.y * b.y }

    private mutating func fit(_ points: ArraySlice<Point>, _ start: Point, _ end: Point) {
        let (first, last) = (points[points.startIndex], points[points.endIndex - 1])
        if points.count == 2 {
            let third = (last - first).length / 3
            curves.append((first + third * start, last + third * end, last))
            return
        }
        var places = Self.lengths(of: points)
        var worst = points.startIndex
        for step in 0...Self.improvements {
            let curve = Self.curve(points, places, start, end)
            let found = Self.error(of: curve, points, places)
            worst = found.index
            if found.distance <= tolerance {
                curves.append((curve.1, curve.2, curve.3))
                return
            }
            // Far away, better places do not help.
            if found.distance > 4 * tolerance || step == Self.improvements { break }
            for index in places.indices {
                places[index] = Self.improved(places[index], points[points.startIndex + index], on: curve)
            }
        }
        let middle = min(max(worst, points.startIndex + 1), points.endIndex - 2)
        let reach = min(Self.tangentReach, middle - points.startIndex, points.endIndex - 1 - middle)
        let tangent = Self.unit(points[middle - reach] - points[middle + reach])
        fit(points[...middle], start, tangent)
        fit(points[middle...], -1 * tangent, end)
    }

    /// The points' places by the lengths of their chords, 0...1.
    private static func lengths(of points: ArraySlice<Point>) -> [Double] {
        var lengths = [0.0]
        for (a, b) in zip(points, points.dropFirst()) { lengths.append(lengths[lengths.count - 1] + (b - a).length) }
        let total = lengths[lengths.count - 1]
        return total > 0 ? lengths.map { $0 / total } : lengths
    }

    private typealias Cubic = (Point, Point, Point, Point)

    private static func curve(
        _ points: ArraySlice<Point>, _ places: [Double], _ start: Point, _ end: Point
    ) -> Cubic {
        let (first, last) = (points[points.startIndex], points[points.endIndex - 1])
        var (c00, c01, c11, x0, x1) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (point, t) in zip(points, places) {
            let u = 1 - t
            let (b0, b1, b2, b3) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
            let (a0, a1) = (b1 * start, b2 * end)
            c00 += dot(a0, a0)
            c01 += dot(a0, a1)
            c11 += dot(a1, a1)
            let rest = point - ((b0 + b1) * first + (b2 + b3) * last)
            x0 += dot(a0, rest)
            x1 += dot(a1, rest)
        }
        let determinant = c00 * c11 - c01 * c01
        let chord = (last - first).length
        var (alpha, beta) = (0.0, 0.0)
        if abs(determinant) > 1e-12 {
            alpha = (x0 * c11 - x1 * c01) / determinant
            beta = (c00 * x1 - c01 * x0) / determinant
        }
        // Handles that point backwards, or far beyond, make loops.
        let least = 1e-3 * chord
        if alpha < least || beta < least || alpha > 3 * chord || beta > 3 * chord {
            (alpha, beta) = (chord / 3, chord / 3)
        }
        return (first, first + alpha * start, last + beta * end, last)
    }

    private static func point(_ curve: Cubic, _ t: Double) -> Point {
        let u = 1 - t
        let ends = u * u * u * curve.0 + t * t * t * curve.3
        return ends + 3 * u * u * t * curve.1 + 3 * u * t * t * curve.2
    }

    private static func error(
        of curve: Cubic, _ points: ArraySlice<Point>, _ places: [Double]
    ) -> (distance: Double, index: Int) {
        var (worst, at) = (0.0, points.startIndex)
        for (index, t) in zip(points.indices, places) {
            let distance = (point(curve, t) - points[index]).length
            if distance > worst { (worst, at) = (distance, index) }
        }
        return (worst, at)
    }

    /// A step of Newton towards the place that is nearest to a point.
    private static func improved(_ t: Double, _ target: Point, on curve: Cubic) -> Double {
        let u = 1 - t
        let (a, b, c) = (curve.1 - curve.0, curve.2 - curve.1, curve.3 - curve.2)
        let slope = 3 * u * u * a + 6 * u * t * b + 3 * t * t * c
        let bend = 6 * u * (b - a) + 6 * t * (c - b)
        let off = point(curve, t) - target
        let divisor = dot(slope, slope) + dot(off, bend)
        guard abs(divisor) > 1e-12 else { return t }
        return min(max(t - dot(off, slope) / divisor, 0), 1)
    }
}
