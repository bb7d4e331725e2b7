/// A convex piece of a shape whose pieces may overlap. Every horizontal line meets it in one interval at most.
enum ConvexPart: Hashable, Sendable {
    case disc(center: Point, radius: Double)
    /// Four corners in order.
    case quad(Point, Point, Point, Point)
    /// Corners in order.
    case polygon([Point])
    /// The convex hull of two discs, neither of which holds the other: the discs and the quad between the points where
    /// the common tangents touch.
    case capsule(PreparedStroke.Disc, PreparedStroke.Disc, Quad)

    struct Quad: Hashable, Sendable {
        var a: Point
        var b: Point
        var c: Point
        var d: Point
    }

    /// A line with butt caps; nothing is inside when its ends are one point.
    static func line(from start: Point, to end: Point, width: Double) -> ConvexPart {
        let step = end - start
        let length = step.length
        let half = length > 0 ? width / 2 / length : 0
        let side = Point(x: -step.y * half, y: step.x * half)
        return .quad(start - side, end - side, end + side, start + side)
    }

    /// The convex hull of two discs.
    static func hull(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) -> ConvexPart {
        let step = second.center - first.center
        let distance = step.length
        let difference = first.radius - second.radius
        if distance <= abs(difference) {
            let larger = difference >= 0 ? first : second
            return .disc(center: larger.center, radius: larger.radius)
        }
        let u = (1 / distance) * step
        let v = Point(x: -u.y, y: u.x)
        // The tangents touch both discs in the directions at which u's share is (r0 - r1) / distance.
        let sine = difference / distance
        let cosine = (1 - sine * sine).squareRoot()
        let left = sine * u + cosine * v
        let right = sine * u - cosine * v
        return .capsule(
            first, second,
            Quad(
                a: first.center + first.radius * right, b: second.center + second.radius * right,
                c: second.center + second.radius * left, d: first.center + first.radius * left))
    }

    /// The part turned, scaled by `size` and moved.
    func placed(at stamp: Stamp) -> ConvexPart {
        func map(_ p: Point) -> Point {
            stamp.center + (stamp.size * p.x) * stamp.along + (stamp.size * p.y) * stamp.across
        }
        switch self {
        case .disc(let center, let radius): return .disc(center: map(center), radius: radius * stamp.size)
        case .quad(let a, let b, let c, let d): return .quad(map(a), map(b), map(c), map(d))
        case .polygon(let corners): return .polygon(corners.map(map))
        case .capsule(let a, let b, _):
            return .hull(
                PreparedStroke.Disc(center: map(a.center), radius: a.radius * stamp.size),
                PreparedStroke.Disc(center: map(b.center), radius: b.radius * stamp.size))
        }
    }

    /// Lowest and highest y.
    var rangeY: (min: Double, max: Double) {
        switch self {
        case .disc(let center, let radius): (center.y - radius, center.y + radius)
        case .quad(let a, let b, let c, let d): (min(a.y, b.y, c.y, d.y), max(a.y, b.y, c.y, d.y))
        case .polygon(let corners):
            corners.reduce((Double.infinity, -Double.infinity)) { (min($0.0, $1.y), max($0.1, $1.y)) }
        case .capsule(let a, let b, _):
            (min(a.center.y - a.radius, b.center.y - b.radius), max(a.center.y + a.radius, b.center.y + b.radius))
        }
    }

    /// The interval in which the line at `y` meets the part; empty (start > end) where it does not.
    func interval(atY y: Double) -> (start: Double, end: Double) {
        var interval = (start: Double.infinity, end: -Double.infinity)
        switch self {
        case .disc(let center, let radius): ConvexPart.extend(&interval, discAt: center, radius: radius, y: y)
        case .quad(let a, let b, let c, let d):
            ConvexPart.extend(&interval, quad: Quad(a: a, b: b, c: c, d: d), y: y)
        case .polygon(let corners):
            for (index, corner) in corners.enumerated() {
                ConvexPart.extend(&interval, from: corners[index > 0 ? index - 1 : corners.count - 1], to: corner, y: y)
            }
        case .capsule(let a, let b, let quad):
            ConvexPart.extend(&interval, discAt: a.center, radius: a.radius, y: y)
            ConvexPart.extend(&interval, discAt: b.center, radius: b.radius, y: y)
            ConvexPart.extend(&interval, quad: quad, y: y)
        }
        return interval
    }

    /// The interval that holds all of the part between two lines, `top` < `bottom`; empty where there is nothing of it.
    func extent(from top: Double, to bottom: Double) -> (start: Double, end: Double) {
        // On the lines themselves, and at what sticks out between them.
        let above = interval(atY: top)
        let below = interval(atY: bottom)
        var extent = (start: min(above.start, below.start), end: max(above.end, below.end))
        func include(_ p: Point, reach: Double = 0) {
            guard p.y >= top, p.y <= bottom else { return }
            extent.start = min(extent.start, p.x - reach)
            extent.end = max(extent.end, p.x + reach)
        }
        switch self {
        case .disc(let center, let radius):
            include(center, reach: radius)
            include(Point(x: center.x, y: center.y - radius))
            include(Point(x: center.x, y: center.y + radius))
        case .quad(let a, let b, let c, let d):
            for corner in [a, b, c, d] { include(corner) }
        case .polygon(let corners):
            for corner in corners { include(corner) }
        case .capsule(let first, let second, let quad):
            for disc in [first, second] {
                include(disc.center, reach: disc.radius)
                include(Point(x: disc.center.x, y: disc.center.y - disc.radius))
                include(Point(x: disc.center.x, y: disc.center.y + disc.radius))
            }
            for corner in [quad.a, quad.b, quad.c, quad.d] { include(corner) }
        }
        return extent
    }

    private static func extend(
        _ interval: inout (start: Double, end: Double), discAt center: Point, radius: Double, y: Double
    ) {
        let square = radius * radius - (y - center.y) * (y - center.y)
        guard square > 0 else { return }
        let half = square.squareRoot()
        interval.start = min(interval.start, center.x - half)
        interval.end = max(interval.end, center.x + half)
    }

    private static func extend(_ interval: inout (start: Double, end: Double), quad: Quad, y: Double) {
        extend(&interval, from: quad.a, to: quad.b, y: y)
        extend(&interval, from: quad.b, to: quad.c, y: y)
        extend(&interval, from: quad.c, to: quad.d, y: y)
        extend(&interval, from: quad.d, to: quad.a, y: y)
    }

    private static func extend(
        _ interval: inout (start: Double, end: Double), from a: Point, to b: Point, y: Double
    ) {
        guard (a.y <= y) != (b.y <= y) else { return }
        let x = a.x + (y - a.y) * ((b.x - a.x) / (b.y - a.y))
        interval.start = min(interval.start, x)
        interval.end = max(interval.end, x)
    }
}
