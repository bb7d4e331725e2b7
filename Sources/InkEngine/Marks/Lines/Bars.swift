import CKernels

/// The straight lines of a stamp in one direction, in output pixels. They are parallelograms, because the two scales of
/// an export differ by rounding.
struct Bars {
    /// The stamp's centre.
    let center: Point
    /// From the centre of a line to the middle of its end; and the vector of one canvas pixel across the lines.
    private let halfLength: Point
    private let unitAcross: Point
    /// In canvas pixels; `spacing` is the distance between lines.
    private let length: Double
    private let spacing: Double
    private let width: Double
    private let count: Int

    /// The lines of `brush` along the unit vector `along` in canvas space; one wide bar if they touch.
    init(_ brush: Brush, _ stamp: Stamp, _ scale: OutputScale, along: Point, across: Point) {
        let lineWidth = brush.lineWidth * stamp.size
        spacing = brush.spacing * stamp.size
        length = Pattern.halfLength * stamp.size
        let isOne = lineWidth >= spacing
        count = isOne ? 1 : brush.lineIndices.count
        width = isOne ? 2 * Double(brush.lineIndices.upperBound) * spacing + lineWidth : lineWidth
        center = Point(x: stamp.center.x * scale.x, y: stamp.center.y * scale.y)
        halfLength = Point(x: along.x * length * scale.x, y: along.y * length * scale.y)
        unitAcross = Point(x: across.x * scale.x, y: across.y * scale.y)
    }

    /// These bars in the form that kernels take.
    var kernelBars: ink_bars {
        let across = ink_normal(to: halfLength)
        let along = ink_normal(to: unitAcross)
        let unit = abs(across.distance(unitAcross))
        return ink_bars(
            across: across, half_width: unit * width / 2, period: count > 1 ? unit * spacing : unit * width + 4,
            along: along, half_length: abs(along.distance(halfLength)), count: Int32(count), is_thin: false)
    }

    /// The lines of a stamp of parallel lines or cross-hatching, in the form that kernels take: one direction or two.
    static func kernelBars(of stamp: Stamp, _ brush: Brush, _ scale: OutputScale) -> [ink_bars] {
        let lines = Bars(brush, stamp, scale, along: stamp.along, across: stamp.across).kernelBars
        guard brush.hasCrossedLines else { return [lines] }
        return [lines, Bars(brush, stamp, scale, along: stamp.across, across: stamp.turnedBack).kernelBars]
    }

    /// Appends each line.
    func append(to polygons: inout Polygons) {
        for index in -(count / 2)...(count / 2) {
            let middle = Double(index) * spacing
            append(along: -length...length, across: (middle - width / 2)...(middle + width / 2), to: &polygons)
        }
    }

    /// Subtracts the intersections with another set of lines that is perpendicular to these and otherwise equal.
    func takeCrossings(from polygons: inout Polygons) {
        for i in -(count / 2)...(count / 2) {
            guard let across = range(i) else { continue }
            for j in -(count / 2)...(count / 2) {
                guard let along = range(j) else { continue }
                append(along: along, across: across, isTaken: true, to: &polygons)
            }
        }
    }

    /// The part of line `index` that the other direction's lines reach, in canvas pixels from the middle; nil if none.
    private func range(_ index: Int) -> ClosedRange<Double>? {
        let middle = Double(index) * spacing
        let start = max(middle - width / 2, -length)
        let end = min(middle + width / 2, length)
        return start < end ? start...end : nil
    }

    private func append(
        along: ClosedRange<Double>, across: ClosedRange<Double>, isTaken: Bool = false, to polygons: inout Polygons
    ) {
        func corner(_ u: Double, _ v: Double) -> Point { center + (u / length) * halfLength + v * unitAcross }
        polygons.append(corner(along.lowerBound, across.lowerBound))
        if isTaken {
            polygons.append(corner(along.lowerBound, across.upperBound))
            polygons.append(corner(along.upperBound, across.upperBound))
            polygons.append(corner(along.upperBound, across.lowerBound))
        } else {
            polygons.append(corner(along.upperBound, across.lowerBound))
            polygons.append(corner(along.upperBound, across.upperBound))
            polygons.append(corner(along.lowerBound, across.upperBound))
        }
        polygons.endPolygon()
    }
}

extension ink_normal {
    /// The normal of a direction.
    init(to direction: Point) {
        let largest = max(abs(direction.x), abs(direction.y))
        self.init(x: -direction.y / largest, y: direction.x / largest)
    }

    func distance(_ p: Point) -> Double { x * p.x + y * p.y }

    static func == (a: ink_normal, b: ink_normal) -> Bool { a.x == b.x && a.y == b.y }
}

extension ink_bars {
    /// Whether the coverages by ends and by sides may be multiplied, and lines drawn one after the other. For that no
    /// pixel may meet two lines, the lines must fit the integers, and they must not be parallel to the pixel grid. In
    /// the last case the ends are borders of zero width, whose corners the piecewise linear table cuts off, and all
    /// pixels along a straight stroke have the same error.
    var areFast: Bool {
        guard minor > ink_bars.minorMin else { return false }
        let shadowAcross = (1 + minor) / 2
        let shadowAlong = (1 + min(abs(along.x), abs(along.y))) / 2
        let side = Double(count / 2) * period + half_width + shadowAcross
        let end = half_length + shadowAlong
        // If an edge of the output is rounded up to one or two pixels, the two normals may almost coincide.
        let area = abs(across.x * along.y - across.y * along.x)
        let reach = max(
            abs(across.x) * end + abs(along.x) * side, abs(across.y) * end + abs(along.y) * side)
        return half_length >= 2 * shadowAcross && half_length >= 2 * shadowAlong
            && period - 2 * half_width >= 2 * shadowAcross && area > ink_bars.areaMin
            && reach < area * Double(INK_BARS_REACH_MAX)
    }

    /// Whether a pixel may meet both sides of a bar in such a way that the coverage by its end cannot be multiplied
    /// with the coverage by both sides.
    var isNarrow: Bool {
        let unit = (across.x * across.x + across.y * across.y).squareRoot()
        return 2 * half_width < unit * ink_bars.wideMin
    }

    /// Whether a pixel may meet the end of a bar and both sides of one of `others`, or the end and the side where that
    /// bar begins, so close that neither can be ignored. `others` are perpendicular to these bars and otherwise equal.
    func endsInThinBars(of others: ink_bars) -> Bool {
        let shadow = (1 + min(abs(along.x), abs(along.y))) / 2
        let index = min((half_length / others.period).rounded(), Double(others.count / 2))
        let fromMiddle = half_length - index * others.period
        let fromBeginning = others.half_width + fromMiddle
        if fromBeginning > 0, fromBeginning < ink_bars.nearEndMax * shadow { return true }
        return others.half_width < shadow && abs(fromMiddle) < others.half_width + 2 * shadow
    }

    /// Number of pixels of a row that are drawn together, which includes all that a line meets; 0 if lines are almost
    /// parallel to the rows, or meet too many pixels.
    var chunkWidth: Int32 {
        let pixels = 2 * (half_width + (1 + minor) / 2) / abs(across.x)
        guard let width = [8, 16, 32].first(where: { pixels <= $0 }) else { return 0 }
        // From the middle of a line to its last possible pixels.
        let byRow = abs(along.y - along.x * across.y / across.x)
        let rows = (half_length + (1 + minor) / 2 + Double(width) * abs(along.x)) / byRow
        return Double(count) * (2 * rows + 2) <= Double(INK_LINE_ROWS_MAX) ? Int32(width) : 0
    }

    /// The last line, counted from the middle one, that the other direction's ends may reach.
    func lastCrossed(by others: ink_bars) -> Int32 {
        let reach = others.half_length + half_width + 1 + minor
        return Int32(min((reach / period).rounded(.down), Double(count / 2)))
    }

    /// Whether a pixel may meet an end of a bar and a side of one of `others`, which are perpendicular to these bars
    /// and otherwise equal.
    func endsAtSides(of others: ink_bars) -> Bool {
        let index = min((half_length / others.period).rounded(), Double(others.count / 2))
        let clear = abs(abs(half_length - index * others.period) - others.half_width)
        // Pixels that only just meet both have almost no coverage there.
        return clear < 1.7 * (1 + min(abs(along.x), abs(along.y))) / 2
    }

    /// The smaller component of the normal: 0 for lines parallel to the pixel grid, 1 at 45 degrees.
    private var minor: Double { min(abs(across.x), abs(across.y)) }

    /// Area of the parallelogram between the two normals; 1/2 to 2 if the two scales are similar.
    private static let areaMin = 0.25
    /// A third of a degree from the direction of the pixel grid.
    private static let minorMin = 0.005
    /// Maximum distance of an end behind the side where a bar begins, in units of a pixel's projection, at which both
    /// are computed. With 1, in a picture filled with a brush, 0.14% of the pixels were off by more than 6 of 255.
    private static let nearEndMax = 1.05
    /// The narrowest bar, in pixels, at whose ends the product of both coverages is as accurate as for wider bars. Down
    /// to here the error is at most 0.025 of a pixel; it is 0.031 at 0.9 pixels, and 0.04 at three quarters of a pixel.
    private static let wideMin = 1.0
}

extension Stamp {
    /// Across the second direction of cross-hatching.
    var turnedBack: Point { Point(x: -along.x, y: -along.y) }
}
