package import InkEngine

/// A convex piece of a shape, canvas space.
package enum Part: Hashable, Sendable {
    /// A convex quadrilateral; its corners in order round it.
    case quad(Point, Point, Point, Point)
    case disc(center: Point, radius: Double)

    /// A straight line of `width` with butt caps. A line of no length has no area.
    package static func line(from a: Point, to b: Point, width: Double) -> Part {
        let length = distance(a, b)
        guard length > 0 else { return .quad(a, a, a, a) }
        let along = (1 / length) * (b - a)
        let half = (width / 2) * Point(x: -along.y, y: along.x)
        return .quad(a + half, b + half, b - half, a - half)
    }

    package func contains(_ p: Point) -> Bool {
        switch self {
        case .disc(let center, let radius): return distance(p, center) <= radius
        case .quad(let a, let b, let c, let d):
            func side(_ from: Point, _ to: Point) -> Double {
                (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x)
            }
            let (ab, bc, cd, da) = (side(a, b), side(b, c), side(c, d), side(d, a))
            // A quadrilateral without area would otherwise hold its whole line.
            if ab == 0, bc == 0, cd == 0, da == 0 { return false }
            return ab >= 0 && bc >= 0 && cd >= 0 && da >= 0 || ab <= 0 && bc <= 0 && cd <= 0 && da <= 0
        }
    }
}

extension Part {
    /// How far inside of the border a point lies, below 0 outside: nearer to 0 than the distance outside near a corner.
    func depth(_ p: Point) -> Double {
        switch self {
        case .disc(let center, let radius): return radius - distance(p, center)
        case .quad(let a, let b, let c, let d):
            let corners = [a, b, c, d]
            // Corners that coincide have no side between them.
            let sides = zip(corners, [b, c, d, a]).filter { $0 != $1 }
            let turn = sides.indices.reduce(0) { sum, i in
                let (from, to) = sides[i]
                let (_, next) = sides[(i + 1) % sides.count]
                return sum + (to.x - from.x) * (next.y - to.y) - (to.y - from.y) * (next.x - to.x)
            }
            guard turn != 0 else { return -.infinity }
            return sides.map { from, to in
                let area = (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x)
                return (turn < 0 ? -area : area) / distance(from, to)
            }.min()!
        }
    }
}

/// Spec 3.4: "A stamp is one shape: the union of its parts".
package struct UnionOfParts: Hashable, Sendable {
    package var parts: [Part]

    package init(parts: [Part]) { self.parts = parts }

    /// Whether a point is in a part or within `margin` of it.
    package func contains(_ p: Point, margin: Double = 0) -> Bool {
        parts.contains { $0.contains(p) || margin > 0 && $0.depth(p) >= -margin }
    }
}
