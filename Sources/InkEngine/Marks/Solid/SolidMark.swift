/// One shape: the union of tapered capsules between consecutive discs.
struct SolidMark: Mark {
    var leavesStamps: Bool { false }

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        let (solid, alpha) = SolidMark.sweep(path, of: brush, width: brush.lineWidth)
        return PreparedMarks(
            marks: .solid(solid, alpha: alpha), painter: SolidPainter.self, reach: brush.scale * brush.lineWidth / 2)
    }

    /// The discs of a brush of this width along a path, and their alpha.
    static func sweep(_ path: SmoothedPath, of brush: Brush, width: Double) -> (SolidPath, alpha: Float) {
        let dynamics = brush.dynamics
        let discs = path.samples.map { sample in
            let size = dynamics.pressureAffectsSize ? 0.5 + 0.5 * sample.pressure : 1
            return PreparedStroke.Disc(center: sample.position, radius: 0.5 * width * brush.scale * size)
        }
        let pressure = dynamics.pressureAffectsOpacity && !dynamics.pressureAffectsSize ? path.meanPressure : 1
        return (SolidPath(discs), Float(brush.opacity * pressure))
    }

    func reach(of brush: Brush, size: Double) -> Double { brush.lineWidth * size / 2 }

    func cost(of brush: Brush) -> MarkCost { .pixels(1) }
}
