/// What a stroke uncovers of a pattern that lies still on the canvas, whatever type the pattern has.
struct CanvasPatternMark: Mark {
    var leavesStamps: Bool { false }

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        let footprint = SolidMark.sweep(path, of: brush, width: brush.size)
        return PreparedMarks(
            marks: .canvas(footprint.path, alpha: footprint.alpha), painter: CanvasPatternPainter.self,
            reach: brush.scale * brush.size / 2 + brush.wholeDotRadius, fadingLine: footprint.fadingLine)
    }

    func reach(of brush: Brush, size: Double) -> Double {
        brush.size * size / 2 + brush.wholeDotRadius
    }

    /// A pattern takes longer than its footprint.
    func cost(of brush: Brush) -> MarkCost { .pixels(3) }
}
