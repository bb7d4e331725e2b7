/// A convex piece of a shape whose pieces may overlap. Every horizontal line meets it in at most one interval.
package enum ConvexPart: Hashable, Sendable {
    case disc(center: Point, radius: Double)
    /// Four corners in order.
    case quad(Point, Point, Point, Point)
    /// Corners in order.
    case polygon([Point])
    /// The convex hull of two discs, neither of which contains the other: the discs, and the quad between the points
    /// where the common tangents touch.
    case capsule(PreparedStroke.Disc, PreparedStroke.Disc, Quad)

    package struct Quad: Hashable, Sendable {
        var a: Point
        var b: Point
        var c: Point
        var d: Point
    }

    /// A line with butt caps; empty if its ends are the same point.
    static func line(from start: Point, to end: Point, width: Double) -> ConvexPart {
        let step = end - start
        let length = step.length
        let half = length > 0 ? width / 2 / length : 0
        let side = Point(x: -step.y * half, y: step.x * half)
        return .quad(start - side, end - side, end + side, start + side)
    }

    /// The convex hull of two discs.
    package static func hull(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) -> ConvexPart {
        let step = second.center - first.center
        let distance = step.length
        let difference = first.radius - second.radius
        if distance <= abs(difference) {
            let larger = difference >= 0 ? first : second
            return .disc(center: larger.center, radius: larger.radius)
        }
        let u = (1 / distance) * step
        let v = Point(x: -u.y, y: u.x)
        // The tangents touch both discs in the directions whose component along u is (r0 - r1) / distance.
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

    /// The part after rotation, scaling by `size`, and translation.
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

    /// A bounding box.
    var bounds: Rect {
        var box = Rect.empty
        switch self {
        case .disc(let center, let radius): box = PreparedStroke.Disc(center: center, radius: radius).bounds
        case .quad(let a, let b, let c, let d):
            box.formUnion(a)
            box.formUnion(b)
            box.formUnion(c)
            box.formUnion(d)
        case .polygon(let corners): for corner in corners { box.formUnion(corner) }
        case .capsule(let a, let b, _):
            box = a.bounds
            box.formUnion(b.bounds)
        }
        return box
    }

    /// A point in or near it.
    var place: Point {
        switch self {
        case .disc(let center, _): center
        case .quad(let a, _, _, _): a
        case .polygon(let corners): corners.first ?? Point(x: 0, y: 0)
        case .capsule(let disc, _, _): disc.center
        }
    }
}
