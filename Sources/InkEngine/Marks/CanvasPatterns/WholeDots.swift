import CKernels

/// What uncovers a pattern that lies still: the footprint of a stroke, or another shape.
protocol PatternCover {
    /// Contains it, in canvas pixels.
    var bounds: Rect { get }
    /// Marks the dots of the window whose centres lie inside, or within `DotLattice.margin` of its outline.
    func mark(_ dots: inout DotWindow)
}

/// The dots of a pattern that lies still and whose edge is whole (spec section 10.4).
struct DotLattice {
    /// How far from the outline of what uncovers them the centres of dots still count as inside, in canvas pixels.
    static let margin = 1e-5

    /// A dot near the canvas's origin, and the ways to the next ones in a row and in a column; in canvas pixels.
    fileprivate let origin: Point
    fileprivate let along: Point
    fileprivate let across: Point
    /// The distance from a dot to the next one.
    fileprivate let period: Double
    let radius: Double

    /// Dots closer than this, in output pixels, are not told apart.
    private static let periodMin = 0.25
    /// Likewise for those that overlap and leave gaps, which are drawn one by one.
    private static let overlappingPeriodMin = 1.0

    /// Nil for patterns that are cut, because of the brush or since nobody can tell.
    init?(_ brush: Brush, scale: OutputScale) {
        guard brush.wholeDotRadius > 0 else { return nil }
        let unit = min(brush.scale, PatternMotif.lengthMax)
        let radius = min(brush.dotRadius, PatternMotif.lengthMax) * unit
        var period = min(brush.spacing, PatternMotif.lengthMax) * unit
        let start = scale.patternOrigin
        let turn = sinCos(degrees: brush.rotation)
        let (u, v) = (Point(x: turn.cos, y: turn.sin), Point(x: -turn.sin, y: turn.cos))
        let pixels = period * min(scale.x, scale.y)
        if pixels < DotLattice.periodMin {
            // Fewer dots that cover as much.
            period *= (DotLattice.periodMin / pixels).rounded(.up)
            guard period.isFinite, DotLattice.coverAll(radius, period) else { return nil }
        } else if pixels < DotLattice.overlappingPeriodMin, 2 * radius > period, !DotLattice.coverAll(radius, period) {
            return nil
        }
        // Exact: the remainder of an origin that is far away still tells where the pattern lies.
        let x = (start.x * u.x + start.y * u.y).remainder(dividingBy: period)
        let y = (start.x * v.x + start.y * v.y).remainder(dividingBy: period)
        guard x.isFinite, y.isFinite else { return nil }
        origin = x * u + y * v
        along = period * u
        across = period * v
        self.period = period
        self.radius = radius
    }

    /// Whether no point lies outside of all dots.
    static func coverAll(_ radius: Double, _ period: Double) -> Bool { radius * radius * 2 >= period * period }

    fileprivate var areApart: Bool { 2 * radius <= period }
    fileprivate var coverAll: Bool { DotLattice.coverAll(radius, period) }

    /// A point in multiples of the ways from the origin.
    fileprivate func place(_ p: Point) -> Point {
        let offset = p - origin
        let square = period * period
        return Point(
            x: (offset.x * along.x + offset.y * along.y) / square,
            y: (offset.x * across.x + offset.y * across.y) / square)
    }

    fileprivate func center(_ column: Double, _ row: Double) -> Point { origin + column * along + row * across }
}

/// The dots that may meet a cell, of which some are marked.
struct DotWindow {
    fileprivate let lattice: DotLattice
    /// The box of their centres, in canvas pixels.
    let box: Rect
    private var first = Point(x: 0, y: 0)
    private var columns = 0
    private var rows = 0
    private var marks: [Bool] = []

    init(_ lattice: DotLattice, cell: PixelRect, scale: OutputScale) {
        self.lattice = lattice
        // A pixel more on each side, and a dot, whose neighbours tell whether it is needed as a whole.
        box = Rect(
            minX: Double(cell.x - 1) / scale.x, minY: Double(cell.y - 1) / scale.y,
            maxX: Double(cell.x + cell.width + 1) / scale.x, maxY: Double(cell.y + cell.height + 1) / scale.y
        ).expanded(by: lattice.radius + 2 * lattice.period)
        let places = DotWindow.places(of: box, lattice)
        first = Point(x: places.minX.rounded(.up), y: places.minY.rounded(.up))
        columns = max(Int(places.maxX.rounded(.down) - first.x) + 1, 0)
        rows = max(Int(places.maxY.rounded(.down) - first.y) + 1, 0)
        marks = [Bool](repeating: false, count: columns * rows)
    }

    /// The box that contains the places of a box's points in the lattice.
    private static func places(of box: Rect, _ lattice: DotLattice) -> Rect {
        var places = Rect.empty
        for x in [box.minX, box.maxX] {
            for y in [box.minY, box.maxY] { places.formUnion(lattice.place(Point(x: x, y: y))) }
        }
        return places
    }

    /// Marks the dots whose centres lie in a box and are inside of something.
    mutating func mark(in part: Rect, where isInside: (Point) -> Bool) {
        let common = part.intersection(box)
        guard !common.isEmpty else { return }
        let places = DotWindow.places(of: common, lattice)
        func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let start = min(max(low.rounded(.down), 0), Double(count))
            return Int(start)..<Int(min(max(high.rounded(.up) + 1, start), Double(count)))
        }
        let inside = range(places.minX - first.x, places.maxX - first.x, columns)
        for row in range(places.minY - first.y, places.maxY - first.y, rows) {
            for column in inside where !marks[row * columns + column] {
                if isInside(center(column, row)) { marks[row * columns + column] = true }
            }
        }
    }

    private func center(_ column: Int, _ row: Int) -> Point {
        lattice.center(first.x + Double(column), first.y + Double(row))
    }

    /// Calls `body` with the centre of each dot that is marked.
    fileprivate func forEach(_ body: (Point) -> Void) {
        for row in 0..<rows {
            for column in 0..<columns where marks[row * columns + column] { body(center(column, row)) }
        }
    }

    /// Parts whose union is that of the dots that are marked.
    ///
    /// If dots leave no gaps, a dot all of whose neighbours are marked is needed only as far as it is the nearest one:
    /// whatever it covers beyond lies nearer to one of the others.
    fileprivate func parts() -> [ConvexPart] {
        guard lattice.coverAll else {
            var parts: [ConvexPart] = []
            forEach { parts.append(.disc(center: $0, radius: lattice.radius)) }
            return parts
        }
        var parts: [ConvexPart] = []
        for row in 0..<rows {
            // The last column has no neighbours, so every run ends.
            var start: Int?
            for column in 0..<columns {
                let isWithin = isSurrounded(column, row)
                if isWithin, start == nil { start = column }
                if !isWithin {
                    if let start { parts.append(run(start..<column, row)) }
                    start = nil
                    if marks[row * columns + column] {
                        parts.append(.disc(center: center(column, row), radius: lattice.radius))
                    }
                }
            }
        }
        return parts
    }

    private func isSurrounded(_ column: Int, _ row: Int) -> Bool {
        guard column > 0, row > 0, column + 1 < columns, row + 1 < rows else { return false }
        return (row - 1...row + 1).allSatisfy { row in
            (column - 1...column + 1).allSatisfy { marks[row * columns + $0] }
        }
    }

    /// What is nearest to the dots of a row.
    private func run(_ columns: Range<Int>, _ row: Int) -> ConvexPart {
        func corner(_ column: Double, _ side: Double) -> Point {
            lattice.center(first.x + column, first.y + Double(row) + side)
        }
        let (start, end) = (Double(columns.lowerBound) - 0.5, Double(columns.upperBound) - 0.5)
        return .quad(corner(start, -0.5), corner(end, -0.5), corner(end, 0.5), corner(start, 0.5))
    }
}

extension PatternCover {
    /// The centres of the dots of a pattern that are drawn whole in a picture, in canvas pixels; nil if the pattern is
    /// cut.
    fileprivate func wholeDots(of brush: Brush, scale: OutputScale, output: PixelSize) -> [Point]? {
        guard let lattice = DotLattice(brush, scale: scale) else { return nil }
        let picture = PixelRect(x: 0, y: 0, width: output.width, height: output.height)
        let reach = lattice.radius + DotLattice.margin
        guard let cell = scale.pixels(of: bounds.expanded(by: reach)).intersection(picture) else { return [] }
        var dots = DotWindow(lattice, cell: cell, scale: scale)
        mark(&dots)
        var centers: [Point] = []
        dots.forEach { centers.append($0) }
        return centers
    }
}

extension PreparedStroke {
    /// The centres of the dots that the stroke uncovers if these are drawn whole, in canvas pixels; nil if it cuts them,
    /// or uncovers something else.
    ///
    /// - Complexity: linear in the dots of the box of the stroke that the picture shows.
    package func wholeDots(_ scale: OutputScale, output: PixelSize) -> [Point]? {
        guard case .canvas(let path, _) = marks else { return nil }
        return path.wholeDots(of: brush, scale: scale, output: output)
    }
}

extension PreparedShape {
    /// Likewise.
    package func wholeDots(_ scale: OutputScale, output: PixelSize) -> [Point]? {
        pattern.flatMap { wholeDots(of: $0, scale: scale, output: output) }
    }
}

/// Draws the dots that something uncovers. For one thread.
final class WholeDotPainter {
    private let tools: PainterTools
    /// The outline of the last dot, with its radii in output pixels.
    private var dot: (radius: Point, chain: EdgeChain)?
    private var places: [ink_point] = []

    /// Larger dots are drawn as parts. In output pixels.
    private static let chainRadiusMax = 4096.0

    init(_ tools: PainterTools) { self.tools = tools }

    /// Multiplies `plane` by the transmittance of the dots under a cover.
    func paint(
        _ lattice: DotLattice, under cover: some PatternCover, alpha: Float, scale: OutputScale,
        into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        let cell = tools.accumulator.cell
        let box = scale.pixels(of: cover.bounds.expanded(by: lattice.radius + DotLattice.margin)).withBorder
        guard alpha > 0, box.intersects(cell) else { return }
        var dots = DotWindow(lattice, cell: cell, scale: scale)
        cover.mark(&dots)
        let radius = scale.output(Point(x: lattice.radius, y: lattice.radius))
        if lattice.areApart, max(radius.x, radius.y) <= WholeDotPainter.chainRadiusMax {
            places.removeAll(keepingCapacity: true)
            let rows = Double(cell.y) - radius.y - 1...Double(cell.y + cell.height) + radius.y + 1
            let end = Double(cell.x + cell.width) + radius.x + 1
            dots.forEach { dot in
                let place = scale.output(dot)
                if rows.contains(place.y), place.x < end { places.append(ink_point(x: place.x, y: place.y)) }
            }
            places.withUnsafeBufferPointer { tools.accumulator.add(chain(radius), factor: 1, at: $0) }
        } else {
            tools.parts.add(dots.parts(), scale: scale, isCancelled: isCancelled)
        }
        tools.accumulator.multiply(plane, box: box, alpha: alpha)
    }

    private func chain(_ radius: Point) -> EdgeChain {
        if let dot, (dot.radius.x, dot.radius.y) == (radius.x, radius.y) { return dot.chain }
        let fineness = Pattern.Fineness.fine
        let chain = EdgeChain(
            DiscTable.circle(
                radiusX: radius.x, radiusY: radius.y, corners: fineness.corners(radius: max(radius.x, radius.y))),
            areaMax: fineness.areaMax)
        dot = (radius, chain)
        return chain
    }
}

extension Brush {
    /// The radius of dots of a pattern that lies still if they are drawn whole at the border of what uncovers them, in
    /// canvas pixels; 0 if they are cut.
    package var wholeDotRadius: Double { type == .dots && edge == .whole && isCanvasPattern ? dotRadius * scale : 0 }
}

/// The footprint of a stroke, hull by hull.
extension SolidPath: PatternCover {
    func mark(_ dots: inout DotWindow) {
        let margin = DotLattice.margin
        guard let first = discs.first else { return }
        if discs.count == 1 { SolidPath.mark(&dots, first, first, margin) }
        for (a, b) in zip(discs, discs.dropFirst()) { SolidPath.mark(&dots, a, b, margin) }
    }

    private static func mark(
        _ dots: inout DotWindow, _ a: PreparedStroke.Disc, _ b: PreparedStroke.Disc, _ margin: Double
    ) {
        var box = a.bounds
        box.formUnion(b.bounds)
        box = box.expanded(by: margin)
        guard box.maxX >= dots.box.minX, box.minX <= dots.box.maxX, box.maxY >= dots.box.minY, box.minY <= dots.box.maxY
        else { return }
        let way = b.center - a.center
        let length = way.length
        let sine = length > 0 ? (a.radius - b.radius) / length : 2
        guard abs(sine) < 1 else {
            // One disc holds the other.
            let larger = a.radius >= b.radius ? a : b
            dots.mark(in: box) { ($0 - larger.center).length <= larger.radius + margin }
            return
        }
        let cosine = (1 - sine * sine).squareRoot()
        dots.mark(in: box) { point in
            let offset = point - a.center
            let x = (offset.x * way.x + offset.y * way.y) / length
            let y = abs(offset.x * way.y - offset.y * way.x) / length
            // Along the hull's side, from where it touches the first disc.
            let place = x * cosine - y * sine
            if place < 0 { return offset.length <= a.radius + margin }
            if place > length * cosine { return (point - b.center).length <= b.radius + margin }
            return x * sine + y * cosine <= a.radius + margin
        }
    }
}
