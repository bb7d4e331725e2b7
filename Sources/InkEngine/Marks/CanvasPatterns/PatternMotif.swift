/// What a pattern that lies still on the canvas repeats: polygons that do not overlap, and the distances at which they
/// recur along the lines and across them. The unit is the brush's scale, the origin a point where the pattern begins.
package struct PatternMotif: Sendable {
    /// The closed outline of the parts.
    let outline: [Point]
    /// Convex, and do not overlap.
    let parts: [[Point]]
    /// The distances after which the pattern repeats.
    let along: Double
    let across: Double
    /// Whether the pattern is the same all along.
    let isEndless: Bool
    /// Shapes that make up the motif, as exact as shapes can be; they may overlap.
    let exactParts: [ConvexPart]

    /// Longer lengths would overflow; no part of them is seen.
    static let lengthMax = 1e15

    init(
        outline: [Point], parts: [[Point]], along: Double, across: Double, isEndless: Bool = false,
        exactParts: [ConvexPart]? = nil
    ) {
        self.outline = outline
        self.parts = parts
        self.along = along
        self.across = across
        self.isEndless = isEndless
        self.exactParts = exactParts ?? parts.map { .polygon($0) }
    }

    /// The distance between the lines of a brush, and half of their width.
    static func lengths(of brush: Brush) -> (period: Double, half: Double) {
        (min(brush.spacing, lengthMax), min(brush.lineWidth, lengthMax) / 2)
    }

    /// The share of the plane that is covered.
    var density: Double { min(parts.reduce(0) { $0 + PatternMotif.area($1) / along } / across, 1) }

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
