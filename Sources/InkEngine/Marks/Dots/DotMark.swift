/// Stamps of eleven by eleven dots.
struct DotMark: Mark {
    /// Dots lie at -5...5 spacings in both directions.
    static let reach = 5

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        var made = PreparedMarks.stamps(path, of: brush, keptMax: keptMax, isCancelled, by: DiscPainter.self)
        if case .stamps(let stamps) = made.marks {
            made.dotSharing = DotSharing(stamps, spacing: brush.spacing, isCancelled: isCancelled)
        }
        return made
    }

    func reach(of brush: Brush, size: Double) -> Double {
        5 * 2.0.squareRoot() * (brush.spacing * size) + brush.dotRadius * size
    }

    func cost(of brush: Brush) -> MarkCost {
        let k = brush.scale
        let edge = 10 * brush.spacing * k + 2 * brush.dotRadius * k
        return .stamps(area: 1.5 * edge * edge)
    }

    // MARK: Stamps

    func halfExtent(_ pattern: Pattern.Properties) -> Point {
        // An arc's polygon may exceed its circle by a fraction of a per cent.
        let reach = 5 * pattern.spacing + pattern.dotRadius * 1.5
        return Point(x: reach, y: reach)
    }

    func outline(_ pattern: Pattern.Properties) -> Outline? { DotMark.grid(pattern).outline() }

    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] { DotMark.grid(pattern).discs() }

    private static func grid(_ pattern: Pattern.Properties) -> DiscGrid {
        DiscGrid(
            spacing: pattern.spacing, radius: pattern.dotRadius, reach: reach, pixelsPerUnit: pattern.pixelsPerUnit,
            fineness: pattern.fineness)
    }

    func line(of brush: Brush) -> LineStyle { LineStyle(width: 2 * brush.dotRadius, hasRoundCaps: true) }

    func stampLines(of brush: Brush) -> [[Point]] {
        let places = (-DotMark.reach...DotMark.reach).map { Double($0) * brush.spacing }
        return places.flatMap { v in places.map { u in [Point(x: u, y: v)] } }
    }

    // MARK: Patterns that lie still

    var canLieStill: Bool { true }

    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif? {
        let (period, _) = PatternMotif.lengths(of: brush)
        let radius = min(brush.dotRadius, PatternMotif.lengthMax)
        if DotLattice.coverAll(radius, period) { return nil }
        let disc = DotMark.disc(radius, spacing: period, pixelsPerUnit: pixelsPerUnit)
        return PatternMotif(
            outline: disc, parts: [disc], along: period, across: period,
            exactParts: [.disc(center: Point(x: 0, y: 0), radius: radius)])
    }

    /// A disc, or if discs overlap, what lies nearer to its centre than to others.
    private static func disc(_ dotRadius: Double, spacing: Double, pixelsPerUnit: Double) -> [Point] {
        let corners = min(Pattern.Fineness.fine.corners(radius: dotRadius * min(pixelsPerUnit, 1e6)), 1000)
        // As large as the disc.
        let angle = 2 * Double.pi / Double(corners)
        let radius = dotRadius * (angle / sinPi(2 / Double(corners))).squareRoot()
        var polygon = (0..<corners).map { corner -> Point in
            let turn = 2 * Double(corner) / Double(corners)
            return Point(x: radius * sinPi(turn + 0.5), y: radius * sinPi(turn))
        }
        for normal in [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)] {
            polygon = clipped(polygon, normal, spacing / 2)
        }
        return polygon
    }

    /// What lies on the side of a line at this distance from the origin.
    private static func clipped(_ polygon: [Point], _ normal: Point, _ distance: Double) -> [Point] {
        guard var last = polygon.last else { return [] }
        var result: [Point] = []
        func depth(_ p: Point) -> Double { distance - (p.x * normal.x + p.y * normal.y) }
        for point in polygon {
            let (a, b) = (depth(last), depth(point))
            if (a < 0) != (b < 0) { result.append(last + (a / (a - b)) * (point - last)) }
            if b >= 0 { result.append(point) }
            last = point
        }
        return result
    }

    func stillLines(of brush: Brush) -> StillLines? {
        if DotLattice.coverAll(brush.dotRadius, brush.spacing) { return nil }
        return StillLines(
            reach: brush.dotRadius * brush.scale, lines: .cells([0], width: brush.spacing * brush.scale))
    }
}
