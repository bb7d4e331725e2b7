/// A stroke after smoothing and stamping: what the rasterizer needs of it, in canvas pixels, whatever the size of
/// the export. Made once a stroke and kept while its block is in use.
public final class PreparedStroke: Sendable {
    /// What is to be drawn along the stroke.
    enum Marks: Sendable {
        /// Stamps of one pattern, composited one after the other.
        case stamps(PlacedStamps)
        /// Contour lines: stamp j is drawn between stamps j and j + 1; the last one only ends its predecessor.
        case contour(PlacedStamps)
        /// One shape: the union of tapered capsules between consecutive discs.
        case solid(SolidPath, alpha: Float)
    }

    /// A disc of a solid stroke.
    struct Disc: Hashable, Sendable {
        var center: Point
        /// Canvas pixels.
        var radius: Double

        /// The box that holds it.
        var bounds: Rect {
            Rect(
                minX: center.x - radius, minY: center.y - radius, maxX: center.x + radius, maxY: center.y + radius)
        }
    }

    let brush: Brush
    let mode: StrokeMode
    let marks: Marks
    /// Whether nothing is left of what the marks cover.
    let isOpaque: Bool
    /// Whether no stamp takes as much as 1/256 of a pixel: then shares of 65,535 do not tell one of many stamps from the next.
    let isFaint: Bool
    /// Whether the stamps, but those of contour lines, have one size and direction, by their brush or because the pen was
    /// pressed and held alike all the way, as a mouse is; then they are worth tables of their own.
    let areStampsAlike: Bool
    /// Whether there is one stamp at most. Taps come again and again at one place: what is a hundredth of a pixel for one is
    /// ten for thirty.
    let isTap: Bool
    /// Of one pattern; 0 of other marks.
    var stampCount: Int { if case .stamps(let stamps) = marks { stamps.count } else { 0 } }
    /// None but for strokes of dots.
    let dotSharing: DotSharing
    /// A box that holds all marks.
    let bounds: Rect

    /// - Parameters:
    ///   - stroke: what to prepare.
    ///   - keptStampsMax: how many stamps may be kept; further ones are placed again whenever they are seen.
    ///   - isCancelled: checked now and then; if true, the result is not usable.
    /// - Precondition: `stampCount(of: stroke)` was checked against the limit.
    public init(_ stroke: Stroke, keptStampsMax: Int = .max, isCancelled: () -> Bool = { false }) {
        brush = stroke.brush
        mode = stroke.mode
        let path = SmoothedPath(stroke.points)
        var places = Rect.empty
        for sample in path.samples { places.formUnion(sample.position) }
        guard stroke.brush.type != .solid else {
            isFaint = false
            areStampsAlike = false
            isTap = false
            dotSharing = .none
            marks = PreparedStroke.solid(path, brush: stroke.brush)
            if case .solid(_, alpha: 1) = marks { isOpaque = true } else { isOpaque = false }
            bounds = places.expanded(by: stroke.brush.scale * stroke.brush.lineWidth / 2)
            return
        }
        let stamps = PlacedStamps(
            StampPlacer(path: path, brush: stroke.brush), keptMax: keptStampsMax, isCancelled: isCancelled)
        isOpaque = stamps.areOpaque
        isFaint = stamps.areFaint
        areStampsAlike =
            !brush.dynamics.mayChangeStamps || stamps.count >= PreparedStroke.alikeMin && stamps.areAlike
        isTap = stamps.count < 2
        dotSharing =
            brush.type == .dots ? DotSharing(stamps, spacing: brush.spacing, isCancelled: isCancelled) : .none
        if stroke.brush.type == .contourLines, stamps.count > 1 {
            marks = .contour(stamps)
            bounds = places.expanded(by: PreparedStroke.contourReach(of: stroke.brush))
            return
        }
        bounds = places.expanded(by: Pattern.reach(of: stroke.brush))
        if stroke.brush.type == .contourLines {
            // A stroke with a single stamp draws parallelLines, at the brush's rotation and not along the path.
            var lines = stroke.brush
            lines.type = .parallelLines
            marks = .stamps(PlacedStamps(StampPlacer(path: path, brush: lines)))
        } else {
            marks = .stamps(stamps)
        }
    }

    /// Fewer stamps of a size that only they may have, such as a tap's, are drawn faster than tables are made.
    private static let alikeMin = 16

    /// How far from its stamp a contour line reaches, canvas pixels: it ends at most three spacings and half a width from the
    /// next one.
    static func contourReach(of brush: Brush) -> Double { brush.scale * (4 * brush.spacing + brush.lineWidth) }

    /// Bytes this takes in a cache; its outlines are counted where they are kept.
    public var byteCount: Int {
        let own =
            switch marks {
            case .stamps(let stamps), .contour(let stamps): stamps.byteCount
            case .solid(let path, _): path.discs.count * MemoryLayout<Disc>.stride
            }
        return own + PreparedStroke.ownBytes
    }

    /// Of an object, and of its arrays beside their elements.
    private static let ownBytes = 512

    /// How many stamps are kept.
    var keptStampCount: Int {
        switch marks {
        case .stamps(let stamps), .contour(let stamps): stamps.keptCount
        case .solid: 0
        }
    }

    private static func solid(_ path: SmoothedPath, brush: Brush) -> Marks {
        let dynamics = brush.dynamics
        let discs = path.samples.map { sample in
            let size = dynamics.pressureAffectsSize ? 0.5 + 0.5 * sample.pressure : 1
            return Disc(center: sample.position, radius: 0.5 * brush.lineWidth * brush.scale * size)
        }
        let pressure = dynamics.pressureAffectsOpacity && !dynamics.pressureAffectsSize ? path.meanPressure : 1
        return .solid(SolidPath(discs), alpha: Float(brush.opacity * pressure))
    }

    /// How many stamps a stroke leaves; 1 for a solid stroke, 0 for one without points, `Int.max` where that is beyond
    /// counting.
    ///
    /// - Complexity: linear in the points; takes no memory for stamps.
    public static func stampCount(of stroke: Stroke) -> Int {
        if stroke.points.isEmpty { return 0 }
        if stroke.brush.type == .solid { return 1 }
        return StampPlacer(path: SmoothedPath(stroke.points), brush: stroke.brush).count
    }

    /// No less than `stampCount(of:)`, and little more than three times as many, without smoothing the points.
    public static func stampCountBound(of stroke: Stroke) -> Int {
        // A smoothed segment is no longer than its chord and a third of its own and both neighbours' chords, twice.
        var length = 0.0
        for (start, end) in zip(stroke.points, stroke.points.dropFirst()) {
            let (x, y) = (end.x - start.x, end.y - start.y)
            length += (x * x + y * y).squareRoot()
        }
        guard length > 0, stroke.brush.type != .solid else { return 1 }
        let count = 3 * length / (stroke.brush.spacing * stroke.brush.scale) + 2
        return count < 1e15 ? Int(count) : .max
    }
}
