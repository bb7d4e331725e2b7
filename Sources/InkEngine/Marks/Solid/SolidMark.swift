/// One shape: the union of tapered capsules between consecutive discs.
struct SolidMark: Mark {
    var leavesStamps: Bool { false }

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        let sweep = SolidMark.sweep(path, of: brush, width: brush.lineWidth)
        return PreparedMarks(
            marks: .solid(sweep.path, alpha: sweep.alpha), painter: SolidPainter.self,
            reach: brush.scale * brush.lineWidth / 2, fadingLine: sweep.fadingLine)
    }

    /// The discs of a brush of this width along a path, and their alpha, or the line along which it changes.
    static func sweep(
        _ path: SmoothedPath, of brush: Brush, width: Double
    ) -> (path: SolidPath, alpha: Float, fadingLine: NearestLine?) {
        let dynamics = brush.dynamics
        let discs = path.samples.map { sample in
            PreparedStroke.Disc(
                center: sample.position, radius: 0.5 * width * brush.scale * dynamics.size(sample.pressure))
        }
        let opacity = path.values { dynamics.opacity($0) }
        guard opacity.more == 0 else { return (SolidPath(discs), 1, NearestLine(path)) }
        return (SolidPath(discs), Float(brush.opacity * opacity.least), nil)
    }

    func reach(of brush: Brush, size: Double) -> Double { brush.lineWidth * size / 2 }

    func cost(of brush: Brush) -> MarkCost { .pixels(1) }
}
