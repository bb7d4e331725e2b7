/// Stamps of seven waves.
struct WaveMark: Mark {
    /// A wave is a polyline of so many even steps.
    static let steps = 16
    static let length = 10.0

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        .stamps(path, of: brush, keptMax: keptMax, isCancelled, by: WavePainter.self)
    }

    func reach(of brush: Brush, size: Double) -> Double {
        let (pitch, width) = (brush.spacing * size, brush.lineWidth * size)
        // A displaced end is cut at right angles to the wave, so it can reach half a width further along.
        return lineReach(size: size + width / 20, across: 3 * pitch + pitch / 4 + width / 2)
    }

    func cost(of brush: Brush) -> MarkCost { .stamps(area: 3 * LineMark.boxArea(of: brush)) }

    // MARK: Stamps

    func halfExtent(spacing: Double, lineWidth: Double) -> Point {
        Point(x: Pattern.halfLength + lineWidth, y: 3 * spacing + lineWidth / 2 + spacing / 4 + lineWidth / 2)
    }

    func outline(_ pattern: Pattern.Properties) -> Outline? { WaveLines(pattern).outline() }

    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] { WaveLines(pattern).parts() }

    func line(of brush: Brush) -> LineStyle { LineStyle(width: brush.lineWidth, hasRoundJoins: true) }

    func stampLines(spacing: Double) -> [[Point]] {
        Pattern.lineIndices.map { line in
            (0...2 * WaveMark.steps).map { step in
                Point(
                    x: Pattern.halfLength * (Double(step) / 16 - 1),
                    y: spacing * (Double(line) + sinPi(Double(step - 16) / 8) / 4))
            }
        }
    }

    // MARK: Patterns that lie still

    var canLieStill: Bool { true }

    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif? {
        let (period, half) = PatternMotif.lengths(of: brush)
        guard let wave = WaveMotif(spacing: period, radius: half, pixelsPerUnit: pixelsPerUnit) else { return nil }
        let discs = (0...WaveMark.steps).map { step in
            PreparedStroke.Disc(center: WaveMotif.vertex(step, spacing: period), radius: half)
        }
        return PatternMotif(
            outline: wave.outline, parts: wave.parts, along: WaveMark.length, across: period,
            exactParts: zip(discs, discs.dropFirst()).map { .hull($0, $1) })
    }

    func stillLines(of brush: Brush) -> StillLines? {
        let offsets = (0...WaveMark.steps).map { sinPi(Double($0) / 8) / 4 }
        return StillLines(
            reach: brush.spacing * brush.scale / 4 + brush.lineWidth * brush.scale,
            lines: .cells(offsets, width: WaveMark.length * brush.scale))
    }
}
