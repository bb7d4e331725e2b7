package import InkEngine

extension ShapePath {
    /// Adds an arc of an ellipse from the last point, by SVG's implementation notes (SVG 2, section B.2): radii that
    /// are too small for the way are scaled up, an arc without a radius is a line, one without a way nothing.
    ///
    /// A piece of a huge ellipse becomes a curve, which then is exact to the last bits of its coordinates.
    ///
    /// - Parameters:
    ///   - turn: of the ellipse's x axis, degrees.
    ///   - isClockwise: in the direction of increasing angles, which is clockwise where y points down.
    /// - Returns: false, with nothing added, for an ellipse too large for numbers.
    package mutating func arc(
        to end: Point, radiusX: Double, radiusY: Double, turn: Double, isLarge: Bool, isClockwise: Bool
    ) -> Bool {
        guard let from = points.last, from != end else { return true }
        var (rx, ry) = (abs(radiusX), abs(radiusY))
        guard rx > 0, ry > 0 else {
            line(to: end)
            return true
        }
        let (sine, cosine) = sinCos(degrees: turn)
        let half = 0.5 * (from - end)
        let (hx, hy) = (cosine * half.x + sine * half.y, cosine * half.y - sine * half.x)
        // Radii that are scaled up in any case count only by their ratio; tiny ones would overflow the quotients.
        let reach = max(abs(hx), abs(hy))
        let radius = max(rx, ry)
        if radius < reach / 16 { (rx, ry) = (rx / radius * reach, ry / radius * reach) }
        // In a space where the ellipse is a circle of radius 1; its middle is found from the chord.
        var (qx, qy) = (hx / rx, hy / ry)
        var size = qx * qx + qy * qy
        if size > 1 {
            let factor = size.squareRoot()
            (rx, ry, qx, qy, size) = (rx * factor, ry * factor, qx / factor, qy / factor, 1)
        }
        let offset = max(0, 1 / size - 1).squareRoot()
        let way = isLarge == isClockwise ? -offset : offset
        let (cx, cy) = (way * qy, -way * qx)
        func vector(_ x: Double, _ y: Double) -> Point {
            Point(x: cosine * (rx * x) - sine * (ry * y), y: sine * (rx * x) + cosine * (ry * y))
        }
        if !isLarge, size < 1e-6 {
            // Less than 1/500 of the radius. The ways along the tangents are a third of the chord, however large the
            // radius; a line where that is nothing.
            let sweep = size > 0 ? 2 * angle(of: Point(x: offset, y: 1)) * (isClockwise ? 1 : -1) : 0
            let quarter = sweep / 4
            let arm = 4.0 / 3 * (quarter + quarter * quarter * quarter / 3)
            let (first, second) = (arm * vector(cy - qy, qx - cx), arm * vector(qy + cy, -qx - cx))
            guard size > 0, [first.x, first.y, second.x, second.y].allSatisfy(\.isFinite) else {
                line(to: end)
                return true
            }
            cubic(from + first, end - second, to: end)
            return true
        }
        let center = 0.5 * (from + end) + vector(cx, cy)
        let (u, v) = (vector(qx - cx, qy - cy), vector(cy - qy, qx - cx))
        // Sums of some of these are finite, too.
        guard [center.x, center.y, u.x, u.y, v.x, v.y].allSatisfy({ abs($0) < 1e300 }) else { return false }
        let sweep = 2 * angle(of: Point(x: isLarge ? -offset : offset, y: 1))
        arc(center: center, u: u, v: v, start: 0, sweep: isClockwise ? sweep : -sweep, to: end)
        return true
    }

    /// The path with curves in place of arcs, which differ from them by less than a millionth of the radius.
    package var withoutArcs: ShapePath {
        guard verbs.contains(.arc) else { return self }
        var made = ShapePath()
        var first = 0
        for verb in verbs {
            let own = points[first..<first + verb.pointCount]
            first += verb.pointCount
            switch verb {
            case .move: made.move(to: own[own.startIndex])
            case .line: made.line(to: own[own.startIndex])
            case .quadratic: made.quadratic(own[own.startIndex], to: own[own.startIndex + 1])
            case .cubic: made.cubic(own[own.startIndex], own[own.startIndex + 1], to: own[own.startIndex + 2])
            case .close: made.close()
            case .arc: PathArc(own).addCurves(to: &made)
            }
        }
        return made
    }
}

/// An arc of a path (`ShapePath.Verb.arc`).
struct PathArc: Equatable {
    let center: Point
    let (u, v): (Point, Point)
    /// Radians.
    let (start, sweep): (Double, Double)
    let end: Point

    /// - Parameter points: the five of the arc.
    init(_ points: ArraySlice<Point>) {
        let first = points.startIndex
        (center, u, v) = (points[first], points[first + 1], points[first + 2])
        (start, sweep) = (points[first + 3].x, points[first + 3].y)
        end = points[first + 4]
    }

    /// The place after a share of the sweep.
    func place(_ share: Double) -> Point {
        let (sine, cosine) = sinCos(degrees: (start + share * sweep) * (180 / Double.pi))
        return center + cosine * u + sine * v
    }

    /// Adds curves of at most 30 degrees.
    func addCurves(to path: inout ShapePath) {
        // An arc does not have so many turns that it matters how many of its curves there are.
        let turns = min(max(abs(sweep) / (.pi / 6), 1), 1200)
        let count = Int(turns.rounded(.up))
        let step = sweep / Double(count) * (180 / Double.pi)
        let (sine, cosine) = sinCos(degrees: step / 4)
        let arm = 4.0 / 3 * (sine / cosine)
        for index in 0..<count {
            let first = start * (180 / Double.pi) + Double(index) * step
            let ((s, c), (s2, c2)) = (sinCos(degrees: first), sinCos(degrees: first + step))
            let (from, to) = (center + c * u + s * v, center + c2 * u + s2 * v)
            path.cubic(
                from + arm * (c * v - s * u), to - arm * (c2 * v - s2 * u), to: index == count - 1 ? end : to)
        }
    }
}
