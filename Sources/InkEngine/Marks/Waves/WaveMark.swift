/// Stamps of waves.
struct WaveMark: Mark {
    /// A wave is a polyline of so many even steps.
    static let steps = 16

    /// The number of even steps of a stamp's line.
    static func stampSteps(waveLength: Double) -> Int { Int(min(max(320 / waveLength, 32), 640).rounded(.up)) }

    /// Vertex `step` of a stamp's middle line.
    static func stampVertex(_ step: Int, of steps: Int, spacing: Double, waveLength: Double) -> Point {
        let t = 2 * Pattern.halfLength * Double(step) / Double(steps) - Pattern.halfLength
        return Point(x: t, y: spacing / 4 * sinPi(2 * t / waveLength))
    }

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        .stamps(path, of: brush, keptMax: keptMax, isCancelled, by: WavePainter.self)
    }

    func reach(of brush: Brush, size: Double) -> Double {
        let (pitch, width) = (brush.spacing * size, brush.lineWidth * size)
        // A displaced end is cut at right angles to the wave, so it can reach half a width further along.
        return lineReach(
            size: size + width / 20, across: Double(brush.lineIndices.upperBound) * pitch + pitch / 4 + width / 2)
    }

    func cost(of brush: Brush) -> MarkCost {
        // Without a table, what counts is the number of steps.
        let steps = Double(WaveMark.stampSteps(waveLength: brush.waveLength)) / Double(2 * WaveMark.steps)
        return .stamps(area: 3 * LineMark.boxArea(of: brush) * steps)
    }

    // MARK: Stamps

    func halfExtent(_ pattern: Pattern.Properties) -> Point {
        let (spacing, width) = (pattern.spacing, pattern.lineWidth)
        return Point(x: Pattern.halfLength + width, y: pattern.outermost + width / 2 + spacing / 4 + width / 2)
    }

    func outline(_ pattern: Pattern.Properties) -> Outline? { WaveLines(pattern).outline() }

    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] { WaveLines(pattern).parts() }

    func line(of brush: Brush) -> LineStyle { LineStyle(width: brush.lineWidth, hasRoundJoins: true) }

    func stampLines(of brush: Brush) -> [[Point]] {
        let steps = WaveMark.stampSteps(waveLength: brush.waveLength)
        let middle = (0...steps).map { step in
            WaveMark.stampVertex(step, of: steps, spacing: brush.spacing, waveLength: brush.waveLength)
        }
        return brush.lineIndices.map { line in
            middle.map { Point(x: $0.x, y: $0.y + Double(line) * brush.spacing) }
        }
    }

    // MARK: Patterns that lie still

    var canLieStill: Bool { true }

    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif? {
        let (period, half) = PatternMotif.lengths(of: brush)
        guard
            let wave = WaveMotif(
                length: brush.waveLength, spacing: period, radius: half, pixelsPerUnit: pixelsPerUnit)
        else { return nil }
        let discs = (0...WaveMark.steps).map { PreparedStroke.Disc(center: wave.vertex($0), radius: half) }
        return PatternMotif(
            outline: wave.outline, parts: wave.parts, along: wave.length, across: period,
            exactParts: zip(discs, discs.dropFirst()).map { .hull($0, $1) })
    }

    func stillLines(of brush: Brush) -> StillLines? {
        let offsets = (0...WaveMark.steps).map { sinPi(Double($0) / 8) / 4 }
        return StillLines(
            reach: brush.spacing * brush.scale / 4 + brush.lineWidth * brush.scale,
            lines: .cells(offsets, width: brush.waveLength * brush.scale))
    }
}
