/// The shape of a brush's stamp in its own space: size 1, centre at the origin, `along` the x axis, `across` the y axis,
/// canvas pixels. Every stamp of a stroke is this shape turned, scaled and moved, so it is worked out once.
///
/// A stamp is the union of its parts. Where parts overlap, the outline of the union is made here, so that the signed
/// areas under its edges add up to the exact coverage; shapes for which that is not worked out keep their parts.
struct Pattern {
    enum Shape {
        /// Chains of edges whose signed areas add up to the coverage of the union.
        case outline(Outline)
        /// Convex parts that may overlap.
        case parts([ConvexPart])
    }

    let shape: Shape
    /// Half the width and height of a box round the origin that holds the shape.
    let halfExtent: Point

    /// Lines reach from -10 to +10.
    static let halfLength = 10.0
    static let dotRadius = 2.0
    /// Lines lie at -3...3 spacings.
    static let lineIndices = -3...3

    /// - Parameter pixelsPerUnit: output pixels in a unit of pattern space, at the largest stamp; decides how finely
    ///   arcs are cut.
    init(type: BrushType, spacing: Double, lineWidth: Double, pixelsPerUnit: Double) {
        let lineReach = 3 * spacing + lineWidth / 2
        switch type {
        case .parallelLines, .contourLines, .solid:
            shape = .outline(Outline(Pattern.lines(spacing: spacing, width: lineWidth).map(\.ring)))
            halfExtent = Point(x: Pattern.halfLength, y: lineReach)
        case .crossHatch:
            shape = .outline(Outline(Pattern.crossHatch(spacing: spacing, width: lineWidth)))
            let reach = max(Pattern.halfLength, lineReach)
            halfExtent = Point(x: reach, y: reach)
        case .dots:
            let grid = DiscGrid(spacing: spacing, radius: Pattern.dotRadius, reach: 5, pixelsPerUnit: pixelsPerUnit)
            shape = .outline(Outline(grid.chains()))
            // An arc's polygon may stand out from its circle by a fraction of a per cent.
            let reach = 5 * spacing + Pattern.dotRadius * 1.5
            halfExtent = Point(x: reach, y: reach)
        case .waves:
            let waves = WaveLines(spacing: spacing, width: lineWidth, pixelsPerUnit: pixelsPerUnit)
            shape = waves.rings().map { .outline(Outline($0)) } ?? .parts(waves.parts())
            halfExtent = Point(x: Pattern.halfLength + lineWidth, y: lineReach + spacing / 4 + lineWidth / 2)
        }
    }

    /// The seven lines as disjoint rectangles; one rectangle where they are so wide that they touch.
    private static func lines(spacing: Double, width: Double) -> [Box] {
        if width >= spacing {
            let reach = 3 * spacing + width / 2
            return [Box(x: -halfLength...halfLength, y: -reach...reach)]
        }
        return lineIndices.map { i in
            let middle = Double(i) * spacing
            return Box(x: -halfLength...halfLength, y: (middle - width / 2)...(middle + width / 2))
        }
    }

    /// |A or B| = |A| + |B| - |A and B|, and each of the three is a set of disjoint boxes: the crossings count
    /// negatively, by rings that run the other way round.
    private static func crossHatch(spacing: Double, width: Double) -> [[Point]] {
        let along = lines(spacing: spacing, width: width)
        let across = along.map { Box(x: $0.y, y: $0.x) }
        let crossings = along.flatMap { a in across.compactMap { b in a.intersection(b) } }
        return (along + across).map(\.ring) + crossings.map { $0.ring.reversed() }
    }

    /// An axis-parallel rectangle in pattern space.
    private struct Box {
        var x: ClosedRange<Double>
        var y: ClosedRange<Double>

        /// The corners in order, the first one again at the end.
        var ring: [Point] {
            [
                Point(x: x.lowerBound, y: y.lowerBound), Point(x: x.upperBound, y: y.lowerBound),
                Point(x: x.upperBound, y: y.upperBound), Point(x: x.lowerBound, y: y.upperBound),
                Point(x: x.lowerBound, y: y.lowerBound),
            ]
        }

        func intersection(_ other: Box) -> Box? {
            let left = max(x.lowerBound, other.x.lowerBound)
            let right = min(x.upperBound, other.x.upperBound)
            let top = max(y.lowerBound, other.y.lowerBound)
            let bottom = min(y.upperBound, other.y.upperBound)
            return left < right && top < bottom ? Box(x: left...right, y: top...bottom) : nil
        }
    }
}
