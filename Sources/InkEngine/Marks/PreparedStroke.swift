/// A stroke after smoothing and stamping, as the rasterizer needs it: in canvas pixels, independent of the export's
/// size. Made once per stroke and kept while its block is in use.
public final class PreparedStroke: Sendable {
    /// The marks along the stroke.
    package enum Marks: Sendable {
        /// Stamps of one pattern, composited one after the other.
        case stamps(PlacedStamps)
        /// Lines at equal distances from the stroke: one shape.
        case contour(NearestLine)
        /// One shape: the union of tapered capsules between consecutive discs.
        case solid(SolidPath, alpha: Float)
        /// Likewise, but only what it uncovers of a pattern that lies still on the canvas.
        case canvas(SolidPath, alpha: Float)
    }

    /// A disc of a solid stroke.
    package struct Disc: Hashable, Sendable {
        package var center: Point
        /// Canvas pixels.
        package var radius: Double

        package init(center: Point, radius: Double) {
            self.center = center
            self.radius = radius
        }

        /// A bounding box.
        package var bounds: Rect {
            Rect(
                minX: center.x - radius, minY: center.y - radius, maxX: center.x + radius, maxY: center.y + radius)
        }
    }

    package let brush: Brush
    let mode: StrokeMode
    package let marks: Marks
    /// Whether every stamp covers less than 1/256 of a pixel. Transmittance in 1/65,535 is then too coarse to represent
    /// each of many stamps.
    let isFaint: Bool
    /// Whether the stamps have one size and direction: because of the brush, or because pressure and direction of the pen were
    /// constant, as for a mouse. Tables for these stamps then pay off.
    let areStampsAlike: Bool
    /// Whether there is at most one stamp. Taps recur at one place, so an error of a hundredth of a pixel for one adds
    /// up to ten times that much for thirty.
    let isTap: Bool
    /// Only for strokes of dots.
    let dotSharing: DotSharing
    let painter: any MarkPainter.Type
    /// Along which the alpha of a single shape changes; nil if it does not. The shape's own is then 1.
    package let fadingLine: NearestLine?
    /// A box that contains all marks.
    package let bounds: Rect

    /// - Parameters:
    ///   - stroke: the stroke to prepare.
    ///   - keptStampsMax: maximum number of stamps to keep; further stamps are placed again whenever they are needed.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
    /// - Precondition: `stampCount(of: stroke)` was checked against the limit.
    public init(_ stroke: Stroke, keptStampsMax: Int = .max, isCancelled: () -> Bool = { false }) {
        brush = stroke.brush
        mode = stroke.mode
        let path = SmoothedPath(stroke)
        var places = Rect.empty
        for sample in path.samples { places.formUnion(sample.position) }
        let made = brush.mark.prepare(path, of: brush, keptMax: keptStampsMax, isCancelled)
        (marks, painter, dotSharing, fadingLine) = (made.marks, made.painter, made.dotSharing, made.fadingLine)
        bounds = places.expanded(by: made.reach)
        if case .stamps(let stamps) = marks {
            isFaint = stamps.areFaint
            areStampsAlike =
                !brush.mayChangeStamps || stamps.count >= PreparedStroke.alikeMin && stamps.areAlike
            isTap = stamps.count < 2
        } else {
            (isFaint, areStampsAlike, isTap) = (false, false, false)
        }
    }

    /// Fewer stamps of a size of their own, such as a tap's, are drawn faster than tables are made.
    private static let alikeMin = 16

    /// For stamps of a pattern; 0 for other marks.
    var stampCount: Int { if case .stamps(let stamps) = marks { stamps.count } else { 0 } }

    /// Size in a cache, in bytes, without its outlines, which are counted where they are kept.
    public var byteCount: Int {
        let own =
            switch marks {
            case .stamps(let stamps): stamps.byteCount
            case .contour(let line): line.byteCount
            case .solid(let path, _), .canvas(let path, _): path.discs.count * MemoryLayout<Disc>.stride
            }
        return own + (fadingLine?.byteCount ?? 0) + PreparedStroke.ownBytes
    }

    /// Overhead of the object and of its arrays.
    private static let ownBytes = 512

    /// Number of stamps kept.
    var keptStampCount: Int {
        switch marks {
        case .stamps(let stamps): stamps.keptCount
        case .contour, .solid, .canvas: 0
        }
    }

    /// Number of stamps of a stroke; 1 for one that is a single shape, 0 for one without points, `Int.max` if it is too large to
    /// count.
    ///
    /// - Complexity: linear in the points; takes no memory for stamps.
    public static func stampCount(of stroke: Stroke) -> Int {
        if stroke.points.isEmpty { return 0 }
        if !stroke.brush.leavesStamps { return 1 }
        return StampPlacer(path: SmoothedPath(stroke), brush: stroke.brush).count
    }

    /// An upper bound of `stampCount(of:)`, at most about four times as large, computed without smoothing the points.
    public static func stampCountBound(of stroke: Stroke) -> Int {
        // A uniform segment is at most as long as its chord plus twice a third of the sum of its own and both
        // neighbours' chords; a centripetal one has handles of at most two thirds of its chord.
        let factor =
            switch stroke.smoothing {
            case .uniform: 3.0
            case .centripetal: 11.0 / 3
            case .none: 1.0
            }
        var length = 0.0
        for (start, end) in zip(stroke.points, stroke.points.dropFirst()) {
            let (x, y) = (end.x - start.x, end.y - start.y)
            length += (x * x + y * y).squareRoot()
        }
        if stroke.isClosed, let first = stroke.points.first, let last = stroke.points.last {
            let (x, y) = (first.x - last.x, first.y - last.y)
            length += (x * x + y * y).squareRoot()
        }
        guard length > 0, stroke.brush.leavesStamps else { return 1 }
        let count = factor * length / stroke.brush.stampDistance + 2
        return count < 1e15 ? Int(count) : .max
    }
}
