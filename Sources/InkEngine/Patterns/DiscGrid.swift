/// The outline of a square grid of equal discs that may overlap.
///
/// Where a disc is covered by others its arc is left out; what remains of all circles bounds the union. Directions are
/// compared by a pseudo-angle that grows with the angle, so no arc function is needed.
struct DiscGrid {
    let spacing: Double
    let radius: Double
    /// Discs at -reach...reach in both directions.
    let reach: Int
    let pixelsPerUnit: Double
    let fineness: Pattern.Fineness

    /// Part of a circle, from one direction to another in the sense of growing angle; unit vectors.
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

    /// The outline of the union; of discs that lie apart one circle does for all.
    func outline() -> Outline {
        guard spacing >= 2 * radius else { return Outline(chains()) }
        let reach = -reach...reach
        let centers = reach.flatMap { j in reach.map { Point(x: Double($0) * spacing, y: Double(j) * spacing) } }
        return Outline([wholeCircle(directions())], copies: centers, isRound: true)
    }

    /// Chains of points that together bound the union.
    private func chains() -> [[Point]] {
        let circle = directions()
        var chains: [[Point]] = []
        for j in -reach...reach {
            for i in -reach...reach {
                let center = Point(x: Double(i) * spacing, y: Double(j) * spacing)
                let covered = coveredArcs(i: i, j: j)
                if covered.isEmpty {
                    chains.append(wholeCircle(circle).map { center + $0 })
                } else {
                    for gap in gaps(between: covered) {
                        chains.append(polygonal(directions(of: circle, along: gap)).map { center + $0 })
                    }
                }
            }
        }
        return chains
    }

    /// Equally spaced unit vectors round the circle, by growing angle from 0.
    private func directions() -> [Point] {
        let count = fineness.corners(radius: radius * pixelsPerUnit)
        return (0..<count).map { step in
            let turn = sinCos(degrees: 360 * Double(step) / Double(count))
            return Point(x: turn.cos, y: turn.sin)
        }
    }

    /// The regular polygon of the circle's own area, n/2 r'^2 sin(2 pi / n) = pi r^2, closed.
    private func wholeCircle(_ circle: [Point]) -> [Point] {
        let unitArea = sinPi(2 / Double(circle.count)) * Double(circle.count) / 2
        let r = radius * (Double.pi / unitArea).squareRoot()
        return circle.map { r * $0 } + [r * circle[0]]
    }

    /// A chain of chords over an arc, from its centre, that encloses with it what the arc does: its ends are the arc's, where
    /// others meet it; the points between them are a little further out.
    private func polygonal(_ directions: [Point]) -> [Point] {
        var directions = directions
        if directions.count == 2 {
            let middle = directions[0] + directions[1]
            // Half a turn has no middle; the circle's own points lie between its ends.
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
        // inner r^2 + outer r = angle; a chord's triangle is half its sine.
        guard outer > 0 else { return directions.map { radius * $0 } }
        let r = inner > 0 ? ((outer * outer + 4 * inner * angle).squareRoot() - outer) / (2 * inner) : angle / outer
        return directions.indices.map { k in
            (k == 0 || k == directions.count - 1 ? radius : radius * r) * directions[k]
        }
    }

    /// The arc's ends and those of `circle` that lie between them, in order.
    private func directions(of circle: [Point], along arc: Arc) -> [Point] {
        let first = DiscGrid.pseudoAngle(arc.start)
        let length = turn(from: first, to: DiscGrid.pseudoAngle(arc.end))
        let between = circle.map { (turn: turn(from: first, to: DiscGrid.pseudoAngle($0)), direction: $0) }
            .filter { $0.turn > 1e-9 && $0.turn < length - 1e-9 }
            .sorted { $0.turn < $1.turn }
        return [arc.start] + between.map(\.direction) + [arc.end]
    }

    /// The arcs of disc (i, j) that other discs of the grid cover.
    private func coveredArcs(i: Int, j: Int) -> [Arc] {
        let span = Int(min((2 * radius / spacing).rounded(.up), Double(2 * reach)))
        var arcs: [Arc] = []
        for dj in max(-span, -reach - j)...min(span, reach - j) {
            for di in max(-span, -reach - i)...min(span, reach - i) where di != 0 || dj != 0 {
                let offset = Point(x: Double(di) * spacing, y: Double(dj) * spacing)
                let distance = offset.length
                guard distance > 0, distance < 2 * radius else { continue }
                // Two equal circles cross at half the offset, a half chord to either side.
                let toward = (1 / distance) * offset
                let cosine = distance / (2 * radius)
                let sine = (1 - cosine * cosine).squareRoot()
                let side = Point(x: -toward.y, y: toward.x)
                arcs.append(Arc(start: cosine * toward - sine * side, end: cosine * toward + sine * side))
            }
        }
        return arcs
    }

    /// What the covered arcs leave of the full turn.
    private func gaps(between arcs: [Arc]) -> [Arc] {
        let sorted = arcs.sorted { DiscGrid.pseudoAngle($0.start) < DiscGrid.pseudoAngle($1.start) }
        let origin = DiscGrid.pseudoAngle(sorted[0].start)
        var gaps: [Arc] = []
        var reached = 0.0
        var end = sorted[0].start
        for arc in sorted {
            let start = DiscGrid.pseudoAngle(arc.start) - origin
            let length = turn(from: DiscGrid.pseudoAngle(arc.start), to: DiscGrid.pseudoAngle(arc.end))
            if start > reached { gaps.append(Arc(start: end, end: arc.start)) }
            if start + length > reached {
                reached = start + length
                end = arc.end
            }
        }
        if reached < 4 { gaps.append(Arc(start: end, end: sorted[0].start)) }
        return gaps
    }

    /// The pseudo-angle from one direction on to another, 0..<4.
    private func turn(from first: Double, to second: Double) -> Double {
        second < first ? second - first + 4 : second - first
    }

    /// Grows from 0 to 4 as the direction turns once from the x axis towards the y axis.
    private static func pseudoAngle(_ p: Point) -> Double {
        let ratio = p.y / (abs(p.x) + abs(p.y))
        if p.x < 0 { return 2 - ratio }
        return p.y < 0 ? 4 + ratio : ratio
    }
}
