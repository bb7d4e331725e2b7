/// A kind of mark: all that is particular to a type of brush. A new kind is a folder with a type that conforms, and a
/// line in `BrushType.mark`.
///
/// The defaults are those of marks without stamps, and whose pattern covers everything where it lies still.
package protocol Mark: Sendable {
    // MARK: Strokes

    /// Whether strokes consist of stamps, and are not single shapes.
    var leavesStamps: Bool { get }
    /// Whether marks are nothing without a stroke that they follow, so that areas cannot be filled with them.
    var followsPath: Bool { get }
    /// - Parameters:
    ///   - keptMax: maximum number of stamps to keep; further stamps are placed again whenever they are needed.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
    func prepare(_ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool) -> PreparedMarks
    /// The greatest distance of a mark from the smoothed path, in canvas pixels. Infinite for lengths that overflow; never
    /// NaN for values that a reader accepts.
    ///
    /// - Parameter size: the largest factor of the brush's lengths: its scale times the effect of pressure.
    func reach(of brush: Brush, size: Double) -> Double
    func cost(of brush: Brush) -> MarkCost

    // MARK: Stamps, in pattern space

    /// Half the width and height of a box round the origin that contains a stamp of size 1.
    func halfExtent(_ pattern: Pattern.Properties) -> Point
    /// The outline of a stamp; nil if it has none, or its parts are drawn instead.
    func outline(_ pattern: Pattern.Properties) -> Outline?
    /// The parts of a stamp, which may overlap.
    func parts(_ pattern: Pattern.Properties) -> [ConvexPart]

    // MARK: Patterns that lie still

    /// Whether the pattern can be tied to the canvas.
    var canLieStill: Bool { get }
    /// What the pattern repeats; nil if it covers everything.
    ///
    /// - Parameter pixelsPerUnit: output pixels per unit, which determine how finely curves are divided.
    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif?

    // MARK: Lines, for vector files and pens

    /// The line that marks of size 1 are drawn with.
    func line(of brush: Brush) -> LineStyle
    /// The polylines of a stamp in pattern space; one of a single point is a dot.
    func stampLines(of brush: Brush) -> [[Point]]
    /// The lines of a pattern that lies still; nil if it covers everything.
    func stillLines(of brush: Brush) -> StillLines?
}

extension BrushType {
    /// The only place that chooses by the type of a brush.
    package var mark: any Mark {
        switch self {
        case .parallelLines: LineMark(areCrossed: false)
        case .crossHatch: LineMark(areCrossed: true)
        case .dots: DotMark()
        case .contourLines: ContourMark()
        case .waves: WaveMark()
        case .solid: SolidMark()
        }
    }

    /// Whether the pattern can be tied to the canvas.
    public var canLieStill: Bool { mark.canLieStill }

    /// The type that fills areas in its place: itself, unless it needs a stroke to follow.
    package var fillType: BrushType { mark.followsPath ? .parallelLines : self }
}

extension Brush {
    package var mark: any Mark { isCanvasPattern ? CanvasPatternMark() : type.mark }

    /// Whether strokes consist of stamps, and are not single shapes.
    public var leavesStamps: Bool { mark.leavesStamps }

    /// Whether strokes uncover a pattern that lies still on the canvas (spec section 8.1).
    public var isCanvasPattern: Bool { anchor == .canvas && type.canLieStill }

    /// Maximum extent of stamps from their centre, in canvas pixels.
    package var stampReach: Double { scale * type.mark.halfExtent(Pattern.Properties(self)).length }

    /// The lines of a stamp, counted from the middle one.
    package var lineIndices: ClosedRange<Int> { Pattern.lineIndices(lines) }

    /// The line that marks of a size are drawn with.
    package func line(size: Double) -> LineStyle {
        var line = type.mark.line(of: self)
        line.width *= size
        return line
    }
}

extension Mark {
    var leavesStamps: Bool { true }
    var followsPath: Bool { false }
    func halfExtent(_ pattern: Pattern.Properties) -> Point { Point(x: 0, y: 0) }
    func outline(_ pattern: Pattern.Properties) -> Outline? { nil }
    func parts(_ pattern: Pattern.Properties) -> [ConvexPart] { [] }
    var canLieStill: Bool { false }
    func motif(of brush: Brush, pixelsPerUnit: Double) -> PatternMotif? { nil }
    func line(of brush: Brush) -> LineStyle { LineStyle(width: brush.lineWidth) }
    func stampLines(of brush: Brush) -> [[Point]] { [] }
    func stillLines(of brush: Brush) -> StillLines? { nil }

    /// The distance of the corner of a box round a line, 10 long on either side, from the middle.
    func lineReach(size: Double, across: Double) -> Double { (100 * size * size + across * across).squareRoot() }
}

/// What a kind of mark makes of a stroke.
package struct PreparedMarks {
    var marks: PreparedStroke.Marks
    /// Chosen once for all stamps of the stroke.
    var painter: any MarkPainter.Type
    /// How far from the samples of the path the marks reach, in canvas pixels.
    var reach: Double
    var dotSharing = DotSharing.none
    /// Along which the alpha of a single shape changes.
    var fadingLine: NearestLine?

    /// Stamps that are drawn one after the other.
    static func stamps(
        _ path: SmoothedPath, of brush: Brush, keptMax: Int, _ isCancelled: () -> Bool, by painter: any MarkPainter.Type
    ) -> PreparedMarks {
        let stamps = PlacedStamps(StampPlacer(path: path, brush: brush), keptMax: keptMax, isCancelled: isCancelled)
        return PreparedMarks(marks: .stamps(stamps), painter: painter, reach: brush.stampReach)
    }
}

/// What the time that marks take grows with.
package enum MarkCost {
    /// Each stamp: the area of its box, in canvas pixels, weighted by the cost of its shapes.
    case stamps(area: Double)
    /// Each pixel that the stroke can touch, weighted.
    case pixels(Double)
}

/// The line that a mark is drawn with.
package struct LineStyle: Hashable {
    /// Canvas pixels.
    package var width: Double
    package var hasRoundCaps: Bool
    package var hasRoundJoins: Bool

    package init(width: Double, hasRoundCaps: Bool = false, hasRoundJoins: Bool = false) {
        self.width = width
        self.hasRoundCaps = hasRoundCaps
        self.hasRoundJoins = hasRoundJoins
    }
}

/// The lines of a pattern that lies still. The space is the pattern's, the unit a canvas pixel.
package struct StillLines {
    package enum Lines {
        /// Straight lines along the pattern, one period apart; if they are crossed, across it as well.
        case straight(areCrossed: Bool)
        /// In every row, cells of this width: a polyline of evenly spaced vertices from one side to the other, which are
        /// displaced across by these shares of the period. A single vertex is a dot at the first side.
        case cells([Double], width: Double)
    }

    /// How far beyond the middle of its row a line reaches, with its width.
    package var reach: Double
    package var lines: Lines
}
