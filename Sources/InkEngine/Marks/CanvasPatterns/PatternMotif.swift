/// What a pattern that lies still on the canvas repeats: polygons that do not overlap, and the distances at which they
/// recur along the lines and across them. The unit is the brush's scale, the origin a point where the pattern begins.
struct PatternMotif: Sendable {
    enum Shape: Sendable {
        /// The pattern covers everything.
        case all
        /// The closed outline of the parts, and the parts, which are convex and do not overlap.
        case polygons(outline: [Point], parts: [[Point]])
    }

    let shape: Shape
    /// The distances after which the pattern repeats.
    let along: Double
    let across: Double
    /// Shapes that make up the motif, as exact as shapes can be; they may overlap.
    let exactParts: [ConvexPart]

    /// Longer lengths would overflow; no part of them is seen.
    static let lengthMax = 1e15
    static let dotRadius = Pattern.dotRadius
    /// The length of a wave, and the number of its vertices.
    private static let waveLength = 10.0
    private static let waveVertices = 16

    /// - Parameters:
    ///   - pixelsPerUnit: output pixels in a unit, which tell how finely curves are divided.
    init(type: BrushType, spacing: Double, lineWidth: Double, pixelsPerUnit: Double) {
        let period = min(spacing, PatternMotif.lengthMax)
        let half = min(lineWidth, PatternMotif.lengthMax) / 2
        across = period
        switch type {
        case .parallelLines, .contourLines, .solid:
            // Lines are cut into pieces, which are all that a cell needs of them.
            let length = min(max(PatternMotif.pieceLength / pixelsPerUnit, 1e-12), PatternMotif.lengthMax)
            along = length
            let piece = PatternMotif.box(0...length, -half...half)
            shape = lineWidth >= spacing ? .all : .polygons(outline: piece, parts: [piece])
            exactParts = [.polygon(piece)]
        case .crossHatch:
            along = period
            let (end, cell) = (period / 2, -period / 2...period / 2)
            let parts =
                lineWidth >= spacing
                ? []
                : [
                    PatternMotif.box(cell, -half...half), PatternMotif.box(-half...half, half...end),
                    PatternMotif.box(-half...half, -end...(-half)),
                ]
            let outline = [
                (-end, -half), (-half, -half), (-half, -end), (half, -end), (half, -half), (end, -half), (end, half),
                (half, half), (half, end), (-half, end), (-half, half), (-end, half),
            ].map { Point(x: $0.0, y: $0.1) }
            shape = lineWidth >= spacing ? .all : .polygons(outline: outline, parts: parts)
            exactParts = parts.map { .polygon($0) }
        case .dots:
            along = period
            let radius = PatternMotif.dotRadius
            let disc = PatternMotif.disc(spacing: period, pixelsPerUnit: pixelsPerUnit)
            shape = radius * radius * 2 >= period * period ? .all : .polygons(outline: disc, parts: [disc])
            exactParts = [.disc(center: Point(x: 0, y: 0), radius: radius)]
        case .waves:
            along = PatternMotif.waveLength
            let wave = WaveMotif(spacing: period, radius: half, pixelsPerUnit: pixelsPerUnit)
            shape = wave.coversAll ? .all : .polygons(outline: wave.outline, parts: wave.parts)
            exactParts = (0..<PatternMotif.waveVertices).map { step in
                .hull(
                    PreparedStroke.Disc(center: WaveMotif.vertex(step, spacing: period), radius: half),
                    PreparedStroke.Disc(center: WaveMotif.vertex(step + 1, spacing: period), radius: half))
            }
        }
    }

    /// The share of the plane that is covered.
    var density: Double {
        guard case .polygons(_, let parts) = shape else { return 1 }
        let area = parts.reduce(0) { $0 + PatternMotif.area($1) / along }
        return min(area / across, 1)
    }

    /// Length of a piece of a line, in output pixels.
    private static let pieceLength = 32.0

    private static func box(_ along: ClosedRange<Double>, _ across: ClosedRange<Double>) -> [Point] {
        [
            Point(x: along.lowerBound, y: across.lowerBound), Point(x: along.upperBound, y: across.lowerBound),
            Point(x: along.upperBound, y: across.upperBound), Point(x: along.lowerBound, y: across.upperBound),
        ]
    }

    /// A disc, or if discs overlap, what lies nearer to its centre than to others.
    private static func disc(spacing: Double, pixelsPerUnit: Double) -> [Point] {
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

    private static func area(_ polygon: [Point]) -> Double {
        guard var last = polygon.last else { return 0 }
        var doubled = 0.0
        for point in polygon {
            doubled += last.x * point.y - last.y * point.x
            last = point
        }
        return abs(doubled) / 2
    }
}
