/// Stamps of parallel lines, or of two such sets at right angles.
struct LineMark: Mark {
    let areCrossed: Bool

    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks {
        .stamps(path, of: brush, keptMax: keptMax, isCancelled, by: BarPainter.self)
    }

    func reach(of brush: Brush, size: Double) -> Double {
        let (pitch, width) = (brush.spacing * size, brush.lineWidth * size)
        return lineReach(size: size, across: Double(brush.lineIndices.upperBound) * pitch + width / 2)
    }

    func cost(of brush: Brush) -> MarkCost {
        let area = LineMark.boxArea(of: brush)
        return .stamps(area: areCrossed ? 2 * area : area)
    }

    /// The area of the box round the lines of a stamp, in canvas pixels.
    static func boxArea(of brush: Brush) -> Double {
        let k = brush.scale
        let pitch = brush.spacing * k
        return 20 * k * (2 * Double(brush.lineIndices.upperBound) * pitch + brush.lineWidth * k)
    }

    // MARK: Stamps

    func halfExtent(_ pattern: Pattern.Properties) -> Point {
        let across = pattern.outermost + pattern.lineWidth / 2
        let reach = max(Pattern.halfLength, across)
        return areCrossed ? Point(x: reach, y: reach) : Point(x: Pattern.halfLength, y: across)
    }

    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] {
        // The lines may touch.
        let lines = LineMark.lines(spacing: pattern.spacing, pattern.lineIndices).map { line in
            ConvexPart.line(from: line[0], to: line[1], width: pattern.lineWidth)
        }
        return areCrossed ? lines + lines.map { $0.placed(at: LineMark.quarterTurn) } : lines
    }

    private static let quarterTurn = Stamp(center: Point(x: 0, y: 0), along: Point(x: 0, y: 1), size: 1, alpha: 1)

    func stampLines(of brush: Brush) -> [[Point]] {
        let lines = LineMark.lines(spacing: brush.spacing, brush.lineIndices)
        return areCrossed ? lines + lines.map { $0.map { Point(x: $0.y, y: $0.x) } } : lines
    }

    /// The lines along the pattern.
    private static func lines(spacing: Double, _ indices: ClosedRange<Int>) -> [[Point]] {
        let end = Pattern.halfLength
        return indices.map { [Point(x: -end, y: Double($0) * spacing), Point(x: end, y: Double($0) * spacing)] }
    }

    // MARK: Patterns that lie still

    var canLieStill: Bool { true }

    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif? {
        guard brush.lineWidth < brush.spacing else { return nil }
        let (period, half) = PatternMotif.lengths(of: brush)
        guard areCrossed else {
            // Lines are cut into pieces, which are all that a cell needs of them.
            let length = min(max(LineMark.pieceLength / pixelsPerUnit, 1e-12), PatternMotif.lengthMax)
            let piece = LineMark.box(0...length, -half...half)
            return PatternMotif(outline: piece, parts: [piece], along: length, across: period, isEndless: true)
        }
        let end = period / 2
        let outline = [
            (-end, -half), (-half, -half), (-half, -end), (half, -end), (half, -half), (end, -half), (end, half),
            (half, half), (half, end), (-half, end), (-half, half), (-end, half),
        ].map { Point(x: $0.0, y: $0.1) }
        let parts = [
            LineMark.box(-end...end, -half...half), LineMark.box(-half...half, half...end),
            LineMark.box(-half...half, -end...(-half)),
        ]
        return PatternMotif(outline: outline, parts: parts, along: period, across: period)
    }

    /// Length of a piece of a line, in output pixels.
    private static let pieceLength = 32.0

    private static func box(_ along: ClosedRange<Double>, _ across: ClosedRange<Double>) -> [Point] {
        [
            Point(x: along.lowerBound, y: across.lowerBound), Point(x: along.upperBound, y: across.lowerBound),
            Point(x: along.upperBound, y: across.upperBound), Point(x: along.lowerBound, y: across.upperBound),
        ]
    }

    func stillLines(of brush: Brush) -> StillLines? {
        guard brush.lineWidth < brush.spacing else { return nil }
        return StillLines(reach: brush.lineWidth * brush.scale, lines: .straight(areCrossed: areCrossed))
    }
}

extension Brush {
    /// Whether a stamp of lines has two sets of them, at right angles.
    var hasCrossedLines: Bool { type == .crossHatch }
}
