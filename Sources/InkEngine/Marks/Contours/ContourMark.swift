/// Lines at equal distances from the stroke, like a map's contour lines (spec section 10.2).
struct ContourMark: Mark {
    var leavesStamps: Bool { false }
    var followsPath: Bool { true }

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        PreparedMarks(
            marks: .contour(NearestLine(path)), painter: ContourPainter.self,
            reach: reach(of: brush, size: brush.scale))
    }

    func reach(of brush: Brush, size: Double) -> Double {
        (Double(brush.lines / 2) * brush.spacing + brush.lineWidth / 2) * size
    }

    /// Finding the nearest place takes longer than an area.
    func cost(of brush: Brush) -> MarkCost { .pixels(3) }
}
