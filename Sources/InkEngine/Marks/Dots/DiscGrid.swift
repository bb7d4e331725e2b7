/// The outline of a square grid of equal discs that may overlap.
///
/// Directions are compared by a pseudo-angle that grows with the angle, so no arc function is needed.
struct DiscGrid {
    let spacing: Double
    let radius: Double
    /// Discs at -reach...reach in both directions.
    let reach: Int
    let pixelsPerUnit: Double
    let fineness: Pattern.Fineness

    /// An arc of a circle between two directions, in the sense of increasing angle; unit vectors.
    private struct Arc {
        var start: Point
        var end: Point
    }

    /// The discs, which may overlap.
    func discs() -> [ConvexPart] {
        (-reach...reach).flatMap { j in
            (-reach...reach).map { i in
                .disc(center: Point(x: Double(i) * spacing, y: Double(j) * spacing), radius: radius)
            }
        }
    }

    /// The outline of the union: if the discs are apart, one circle that serves for all; else the outer boundary, and
    /// one hole that serves for all gaps between four discs.
    func outline() -> Outline {
        let circle = directions()
        guard spacing < 2 * radius else {
            return Outline([Outline.Chain(wholeCircle(circle), copies: places(-reach...reach))], isRound: true)
        }
        // Two neighbours cross at half the spacing, half a chord to either side.
        let cosine = spacing / (2 * radius)
        let crossing = Point(x: cosine, y: (1 - cosine * cosine).squareRoot())
        let side = 2 * reach + 1
        var chains = [Outline.Chain(border(circle, crossing), shapeCount: side * side)]
        if crossing.x > crossing.y {
            chains.append(Outline.Chain(hole(circle, crossing), copies: places(-reach..<reach)))
        }
        return Outline(chains)
    }

    /// The centres at these columns and rows.
    private func places(_ indices: some Sequence<Int>) -> [Point] {
        indices.flatMap { j in indices.map { Point(x: Double($0) * spacing, y: Double(j) * spacing) } }
    }

    /// The outer boundary of the union, closed.
    ///
    /// - Parameter crossing: unit vector from a disc's centre to its intersection with its neighbour along x, on the
    ///   side of y.
    private func border(_ circle: [Point], _ crossing: Point) -> [Point] {
        let edge = Double(reach) * spacing
        let across = Point(x: -crossing.x, y: crossing.y)
        // First the side facing y, then the corner that it leads to.
        let ofSide = polygonal(directions(of: circle, along: Arc(start: crossing, end: across))).dropLast()
        let ofCorner = polygonal(directions(of: circle, along: Arc(start: crossing, end: across.turned))).dropLast()
        var side: [Point] = []
        for i in (-reach + 1..<reach).reversed() {
            side += ofSide.map { Point(x: Double(i) * spacing, y: edge) + $0 }
        }
        side += ofCorner.map { Point(x: -edge, y: edge) + $0 }
        return closed(side) { $0.turned }
    }

    /// The gap between the disc at the origin and its three neighbours towards increasing x and y, closed.
    private func hole(_ circle: [Point], _ crossing: Point) -> [Point] {
        let arc = Arc(start: crossing, end: Point(x: crossing.y, y: crossing.x))
        let middle = Point(x: spacing / 2, y: spacing / 2)
        let quarter = polygonal(directions(of: circle, along: arc)).dropLast().map { $0 - middle }
        return closed(quarter) { -1 * $0.turned }.map { middle + $0 }
    }

    /// A quarter of a chain, followed by its three quarter turns, back to the first point.
    private func closed(_ quarter: [Point], turn: (Point) -> Point) -> [Point] {
        var chain = quarter
        var turned = quarter
        for _ in 0..<3 {
            turned = turned.map(turn)
            chain += turned
        }
        return chain + quarter.prefix(1)
    }

    /// Equally spaced unit vectors round the circle, by increasing angle from 0.
    private func directions() -> [Point] {
        let count = fineness.corners(radius: radius * pixelsPerUnit)
        return (0..<count).map { step in
            let turn = sinCos(degrees: 360 * Double(step) / Double(count))
            return Point(x: turn.cos, y: turn.sin)
        }
    }

    /// A regular polygon with the area of the circle, n/2 r'^2 sin(2 pi / n) = pi r^2, closed.
    private func wholeCircle(_ circle: [Point]) -> [Point] {
        let unitArea = sinPi(2 / Double(circle.count)) * Double(circle.count) / 2
        let r = radius * (Double.pi / unitArea).squareRoot()
        return circle.map { r * $0 } + [r * circle[0]]
    }

    /// A chain of chords over an arc that encloses, together with the centre, the same area as the arc. Its ends are
    /// those of the arc, where other arcs meet it; the points between them lie slightly further out.
    private func polygonal(_ directions: [Point]) -> [Point] {
        var directions = directions
        if directions.count == 2 {
            let middle = directions[0] + directions[1]
            // Half a turn has no middle direction, but the circle's own points lie between its ends.
            if middle.length > 0 { directions.insert((1 / middle.length) * middle, at: 1) }
        }
        var angle = 0.0
        var inner = 0.0
        var outer = 0.0
        for k in 1..<directions.count {
            let (a, b) = (directions[k - 1], directions[k])
            let sine = a.x * b.y - a.y * b.x
            // The arc sine, for up to 30 degrees.
            let square = sine * sine
            angle += sine * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (5.0 / 112 + square * 35 / 1152))))
            if k == 1 || k == directions.count - 1 { outer += sine } else { inner += sine }
        }
        // inner r^2 + outer r = angle; the triangle under a chord is half its sine.
        guard outer > 0 else { return directions.map { radius * $0 } }
        let r = inner > 0 ? ((outer * outer + 4 * inner * angle).squareRoot() - outer) / (2 * inner) : angle / outer
        return directions.indices.map { k in
            (k == 0 || k == directions.count - 1 ? radius : radius * r) * directions[k]
        }
    }

    /// The ends of the arc and the directions of `circle` between them, in order.
    private func directions(of circle: [Point], along arc: Arc) -> [Point] {
        let first = DiscGrid.pseudoAngle(arc.start)
        let length = turn(from: first, to: DiscGrid.pseudoAngle(arc.end))
        let between = circle.map { (turn: turn(from: first, to: DiscGrid.pseudoAngle($0)), direction: $0) }
            .filter { $0.turn > 1e-9 && $0.turn < length - 1e-9 }
            .sorted { $0.turn < $1.turn }
        return [arc.start] + between.map(\.direction) + [arc.end]
    }

    /// The difference of pseudo-angles from one direction to another, 0..<4.
    private func turn(from first: Double, to second: Double) -> Double {
        second < first ? second - first + 4 : second - first
    }

    /// Increases from 0 to 4 as the direction turns once from the x axis towards the y axis.
    private static func pseudoAngle(_ p: Point) -> Double {
        let ratio = p.y / (abs(p.x) + abs(p.y))
        if p.x < 0 { return 2 - ratio }
        return p.y < 0 ? 4 + ratio : ratio
    }
}

extension Point {
    /// Rotated by a quarter turn, from the x axis to the y axis.
    fileprivate var turned: Point { Point(x: -y, y: x) }
}
