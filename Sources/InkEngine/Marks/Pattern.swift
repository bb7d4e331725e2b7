/// The shape of a brush's stamp in its own space, in canvas pixels: size 1, centre at the origin, `along` is the x
/// axis, `across` the y axis. Every stamp of a stroke is this shape after rotation, scaling and translation, so it is
/// computed once.
///
/// A stamp is the union of its parts. If parts overlap, the outline of the union is computed here, so that the signed
/// areas under its edges add up to the exact coverage. Shapes without such an outline keep their parts.
package final class Pattern: Sendable {
    enum Shape: Sendable {
        /// Chains of edges whose signed areas add up to the coverage of the union.
        case outline(Outline)
        /// Convex parts that may overlap.
        case parts([ConvexPart])
    }

    /// How closely polygons approximate curves.
    enum Fineness: Sendable {
        case usual
        /// For shapes that are drawn a hundred times at one place, where the errors of polygons add up.
        case fine

        /// Maximum distance between a chord and its arc, in output pixels.
        var flatness: Double { self == .fine ? 0.0025 : 0.01 }

        /// Number of corners of a circle's polygon; `radius` in output pixels.
        func corners(radius: Double) -> Int {
            // sagitta = r (1 - cos(pi / n)), approximately r pi^2 / (2 n^2).
            4 * Int(min(max((Double.pi / 4 * (max(radius, 0.05) / (2 * flatness)).squareRoot()).rounded(.up), 3), 250))
        }

        /// The largest area by which omitting a point may change an outline, in output pixels.
        var areaMax: Double { self == .fine ? 0 : 0.001 }
    }

    /// What determines the shape of a brush's stamps.
    package struct Properties: Hashable {
        var type: BrushType
        var spacing: Double
        var lineWidth: Double
        var lines: Int
        var dotRadius: Double
        var waveLength: Double
        /// Output pixels per unit of pattern space, for the largest stamp.
        var pixelsPerUnit: Double
        var fineness: Fineness

        init(_ brush: Brush, pixelsPerUnit: Double = 1, fineness: Fineness = .usual) {
            type = brush.type
            spacing = brush.spacing
            lineWidth = brush.line(size: 1).width
            lines = brush.lines
            dotRadius = brush.dotRadius
            waveLength = brush.waveLength
            self.pixelsPerUnit = pixelsPerUnit
            self.fineness = fineness
        }

        var lineIndices: ClosedRange<Int> { Pattern.lineIndices(lines) }
        /// How far the middle of the outermost line is from that of the stamp.
        var outermost: Double { Double(lineIndices.upperBound) * spacing }
    }

    let shape: Shape
    let fineness: Fineness
    let pixelsPerUnit: Double
    /// Half the width and height of a box round the origin that contains the shape.
    let halfExtent: Point

    /// Lines reach from -10 to +10.
    package static let halfLength = 10.0

    /// The lines of a stamp that has so many, an odd number, counted from the middle one.
    static func lineIndices(_ count: Int) -> ClosedRange<Int> { -max(count / 2, 0)...max(count / 2, 0) }

    init(_ properties: Properties) {
        fineness = properties.fineness
        pixelsPerUnit = properties.pixelsPerUnit
        let mark = properties.type.mark
        halfExtent = mark.halfExtent(properties)
        // Outlines consist of pieces of a pixel. They pay off unless they are much larger than a picture.
        let isLarge = pixelsPerUnit * halfExtent.length > EdgeChain.reachMax
        let outline = isLarge ? nil : mark.outline(properties)
        shape = outline.map(Shape.outline) ?? .parts(mark.parts(properties))
    }

    /// An upper bound of its memory, in points of 16 bytes.
    var pointCount: Int {
        switch shape {
        case .outline(let outline): return 64 + outline.pointCount
        case .parts(let parts):
            return parts.reduce(64) { count, part in
                if case .polygon(let corners) = part { count + 16 + corners.count } else { count + 16 }
            }
        }
    }

    /// The box in canvas space that contains a stamp of this shape.
    func bounds(at stamp: Stamp) -> Rect {
        let halfWidth = stamp.size * (abs(stamp.along.x) * halfExtent.x + abs(stamp.along.y) * halfExtent.y)
        let halfHeight = stamp.size * (abs(stamp.along.y) * halfExtent.x + abs(stamp.along.x) * halfExtent.y)
        return Rect(
            minX: stamp.center.x - halfWidth, minY: stamp.center.y - halfHeight,
            maxX: stamp.center.x + halfWidth, maxY: stamp.center.y + halfHeight)
    }
}

extension EdgeChain {
    /// As usual shapes have it.
    init(_ points: some RandomAccessCollection<Point>, shapeCount: Int = 1) {
        self.init(points, areaMax: Pattern.Fineness.usual.areaMax, shapeCount: shapeCount)
    }
}
