import Foundation
package import InkEngine

/// A map of the plane that keeps lines straight, by what it does with places and with differences of places.
struct PlaneMap {
    var point: (Point) -> Point
    var vector: (Point) -> Point
}

/// One segment of a path.
enum PathSegment {
    case line(Point, Point)
    case quadratic(Point, Point, Point)
    case cubic(Point, Point, Point, Point)
    /// The places `center + cos(t) u + sin(t) v`, t from `start` over `sweep`, but for its ends.
    case arc(from: Point, center: Point, u: Point, v: Point, start: Double, sweep: Double, to: Point)

    /// The segments of each subpath of a path under a map; none of a subpath that is only a place.
    static func subpaths(of path: ShapePath, under map: PlaneMap) -> [[PathSegment]] {
        var subpaths: [[PathSegment]] = []
        var segments: [PathSegment] = []
        var (beginning, current) = (Point(x: 0, y: 0), Point(x: 0, y: 0))
        var rest = path.points[...]
        for verb in path.verbs {
            let own = Array(rest.prefix(verb.pointCount))
            rest = rest.dropFirst(verb.pointCount)
            var places = own.map(map.point)
            switch verb {
            case .move:
                subpaths.append(segments)
                segments = []
                beginning = places[0]
            case .line: segments.append(.line(current, places[0]))
            case .quadratic: segments.append(.quadratic(current, places[0], places[1]))
            case .cubic: segments.append(.cubic(current, places[0], places[1], places[2]))
            case .arc:
                segments.append(
                    .arc(
                        from: current, center: places[0], u: map.vector(own[1]), v: map.vector(own[2]),
                        start: own[3].x, sweep: own[3].y, to: places[4]))
            case .close:
                segments.append(.line(current, beginning))
                subpaths.append(segments)
                segments = []
                // What follows without a move begins where the subpath began.
                places = [beginning]
            }
            current = places[places.count - 1]
        }
        return (subpaths + [segments]).filter { !$0.isEmpty }
    }

    var start: Point {
        switch self {
        case .line(let a, _), .quadratic(let a, _, _), .cubic(let a, _, _, _), .arc(let a, _, _, _, _, _, _): a
        }
    }

    /// Places along the segment, its end but not its start, so close that chords stray by at most `tolerance`.
    func places(tolerance: Double) -> [Point] {
        /// Chords of n even steps stray by at most 1 / (8 n^2) of the greatest second derivative.
        func steps(_ secondDerivative: Double) -> Int {
            max(1, Int(min((secondDerivative / (8 * tolerance)).squareRoot().rounded(.up), 1e6)))
        }
        func along(_ count: Int, to end: Point, _ place: (Double) -> Point) -> [Point] {
            (1..<max(count, 1)).map { place(Double($0) / Double(count)) } + [end]
        }
        switch self {
        case .line(_, let b): return [b]
        case .quadratic(let a, let b, let c):
            return along(steps(2 * length(a - 2 * b + c)), to: c) { t in
                let s = 1 - t
                return (s * s) * a + (2 * s * t) * b + (t * t) * c
            }
        case .cubic(let a, let b, let c, let d):
            let greatest = 6 * max(length(a - 2 * b + c), length(b - 2 * c + d))
            return along(steps(greatest), to: d) { t in
                let s = 1 - t
                return (s * s * s) * a + (3 * s * s * t) * b + (3 * s * t * t) * c + (t * t * t) * d
            }
        case .arc(_, let center, let u, let v, let start, let sweep, let end):
            return along(steps((length(u) + length(v)) * sweep * sweep), to: end) { t in
                let angle = start + t * sweep
                return center + cos(angle) * u + sin(angle) * v
            }
        }
    }

    /// The least box that holds the segment.
    var extent: Rect {
        var places = [start]
        switch self {
        case .line(_, let b): places.append(b)
        case .quadratic(let a, let b, let c):
            places.append(c)
            for axis in [\Point.x, \Point.y] {
                let bend = a[keyPath: axis] - 2 * b[keyPath: axis] + c[keyPath: axis]
                places += turns([(a[keyPath: axis] - b[keyPath: axis]) / bend]) { t in
                    let s = 1 - t
                    return (s * s) * a + (2 * s * t) * b + (t * t) * c
                }
            }
        case .cubic(let a, let b, let c, let d):
            places.append(d)
            for axis in [\Point.x, \Point.y] {
                let (p, q) = (b[keyPath: axis] - a[keyPath: axis], c[keyPath: axis] - b[keyPath: axis])
                let r = d[keyPath: axis] - c[keyPath: axis]
                // p s^2 + 2 q s t + r t^2 = 0
                places += turns(roots(p - 2 * q + r, 2 * (q - p), p)) { t in
                    let s = 1 - t
                    return (s * s * s) * a + (3 * s * s * t) * b + (3 * s * t * t) * c + (t * t * t) * d
                }
            }
        case .arc(_, let center, let u, let v, let start, let sweep, let end):
            places.append(end)
            for axis in [\Point.x, \Point.y] {
                let turn = atan2(v[keyPath: axis], u[keyPath: axis])
                let (low, high) = (min(start, start + sweep), max(start, start + sweep))
                let first = ((low - turn) / Double.pi).rounded(.up)
                for k in 0...2 {
                    let angle = turn + (first + Double(k)) * Double.pi
                    if angle <= high { places.append(center + cos(angle) * u + sin(angle) * v) }
                }
            }
        }
        return places.reduce(into: .empty) { $0.formUnion($1) }
    }

    private func turns(_ candidates: [Double], _ place: (Double) -> Point) -> [Point] {
        candidates.filter { $0 > 0 && $0 < 1 }.map(place)
    }

    private func roots(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        let discriminant = b * b - 4 * a * c
        guard discriminant >= 0 else { return [] }
        // Neither difference loses digits where `a` is near 0.
        let q = -(b + (b < 0 ? -1 : 1) * discriminant.squareRoot()) / 2
        return [q / a, c / q]
    }
}

/// What lies inside closed polygons by a rule, in output pixels.
package struct Outline: PlacedRegion {
    struct Edge {
        /// The upper end.
        var a: Point
        var b: Point
        /// 1 for an edge that runs down the page, else -1.
        var winding: Int

        func x(at y: Double) -> Double {
            min(max(a.x + (y - a.y) * (b.x - a.x) / (b.y - a.y), min(a.x, b.x)), max(a.x, b.x))
        }
    }

    var rule: FillRule
    /// None is level.
    var edges: [Edge] = []
    /// Every edge, level ones too, for what lies near them.
    private var sides: [(Point, Point)] = []

    /// Pairs of edges are compared only in outlines of at most so many.
    private static let crossingEdgesMax = 64

    /// Spec 9.1: "open subpaths are closed for filling".
    package init(_ polygons: [[Point]], rule: FillRule) {
        self.rule = rule
        for polygon in polygons {
            for (a, b) in zip(polygon, polygon.dropFirst() + polygon.prefix(1)) {
                sides.append((a, b))
                if a.y < b.y { edges.append(Edge(a: a, b: b, winding: 1)) }
                if a.y > b.y { edges.append(Edge(a: b, b: a, winding: -1)) }
            }
        }
    }

    var bounds: Rect {
        edges.reduce(into: .empty) { box, edge in
            box.formUnion(edge.a)
            box.formUnion(edge.b)
        }
    }

    var cuts: [Double] {
        var cuts = edges.flatMap { [$0.a.y, $0.b.y] }
        guard edges.count <= Outline.crossingEdgesMax else { return cuts }
        for (i, p) in edges.enumerated() {
            for q in edges[..<i] {
                let (top, bottom) = (max(p.a.y, q.a.y), min(p.b.y, q.b.y))
                guard top < bottom else { continue }
                // How far apart they are changes evenly between.
                let (above, below) = (p.x(at: top) - q.x(at: top), p.x(at: bottom) - q.x(at: bottom))
                if (above < 0) != (below < 0) { cuts.append(top + (bottom - top) * above / (above - below)) }
            }
        }
        return cuts
    }

    func reaching(from top: Double, to bottom: Double) -> Outline {
        var outline = self
        outline.edges = edges.filter { $0.a.y < bottom && $0.b.y > top }
        return outline
    }

    func spans(_ top: Double, _ bottom: Double) -> [Span] {
        let middle = (top + bottom) / 2
        let sides = edges.filter { $0.a.y <= middle && middle < $0.b.y }
            .map { (Side(top: $0.x(at: top), bottom: $0.x(at: bottom)), $0.winding) }
            .sorted { $0.0.middle < $1.0.middle }
        var spans: [Span] = []
        var winding = 0
        var left: Side?
        for (side, turn) in sides {
            winding += turn
            switch (left, isInside(winding)) {
            case (nil, true): left = side
            case (let from?, false):
                spans.append(Span(left: from, right: side))
                left = nil
            default: break
            }
        }
        return spans
    }

    private func isInside(_ winding: Int) -> Bool { rule == .nonzero ? winding != 0 : winding & 1 != 0 }

    /// Whether a place is inside or within `margin` of the outline.
    package func contains(_ p: Point, margin: Double = 0) -> Bool {
        let left = edges.filter { $0.a.y <= p.y && p.y < $0.b.y && $0.x(at: p.y) < p.x }
        return isInside(left.reduce(0) { $0 + $1.winding })
            || margin > 0 && sides.contains { distance(p, from: $0.0, to: $0.1) <= margin }
    }
}
