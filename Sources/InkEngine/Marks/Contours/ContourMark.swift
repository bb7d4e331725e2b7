/// Seven lines along the stroke, one shape through the places of its stamps. A stroke with a single stamp has nothing to
/// follow and draws parallel lines at the brush's rotation.
struct ContourMark: Mark {
    var followsPath: Bool { true }
    private let lines = LineMark(areCrossed: false)

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        let places = PlacedStamps(
            StampPlacer(path: path, brush: brush, followsPath: true), keptMax: keptMax, isCancelled: isCancelled)
        if places.count > 1 {
            return PreparedMarks(
                marks: .contour(places), painter: ContourPainter.self, reach: ContourMark.reach(of: brush))
        }
        return .stamps(path, of: brush, keptMax: .max, isCancelled, by: OutlineStampPainter.self)
    }

    /// How far from its first station a quad reaches, in canvas pixels: it ends at most three spacings and half a width
    /// from the next one.
    static func reach(of brush: Brush) -> Double { brush.scale * (4 * brush.spacing + brush.lineWidth) }

    func reach(of brush: Brush, size: Double) -> Double { lines.reach(of: brush, size: size) }

    func cost(of brush: Brush) -> MarkCost {
        let k = brush.scale
        let pitch = brush.spacing * k
        return .stamps(area: 2 * pitch * (6 * pitch + brush.lineWidth * k))
    }

    func halfExtent(spacing: Double, lineWidth: Double) -> Point {
        lines.halfExtent(spacing: spacing, lineWidth: lineWidth)
    }

    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] { lines.parts(pattern) }

    func stampLines(spacing: Double) -> [[Point]] { lines.stampLines(spacing: spacing) }
}
