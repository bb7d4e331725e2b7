import InkEngine

/// Equal cells over a box.
struct PlotGrid {
    let box: Rect
    let columns: Int
    let rows: Int

    /// - Parameter cells: about as many as there are to be.
    init(_ box: Rect, cells: Int) {
        self.box = box
        let (width, height) = (max(box.maxX - box.minX, 1e-9), max(box.maxY - box.minY, 1e-9))
        func count(_ own: Double, _ other: Double) -> Int {
            Int(min(max((Double(max(cells, 1)) * own / other).squareRoot().rounded(.up), 1), 1024))
        }
        (columns, rows) = (count(width, height), count(height, width))
    }

    var cellCount: Int { columns * rows }

    func column(_ x: Double) -> Int { PlotGrid.index(x, box.minX, box.maxX, columns) }
    func row(_ y: Double) -> Int { PlotGrid.index(y, box.minY, box.maxY, rows) }

    /// What lies beyond an edge counts as in the last cell before it.
    private static func index(_ value: Double, _ low: Double, _ high: Double, _ count: Int) -> Int {
        guard high > low else { return 0 }
        return Int(min(max((value - low) / (high - low) * Double(count), 0), Double(count - 1)))
    }

    func x(ofColumn index: Int) -> Double { box.minX + (box.maxX - box.minX) * Double(index) / Double(columns) }
    func y(ofRow index: Int) -> Double { box.minY + (box.maxY - box.minY) * Double(index) / Double(rows) }

    func rect(_ column: Int, _ row: Int) -> Rect {
        Rect(minX: x(ofColumn: column), minY: y(ofRow: row), maxX: x(ofColumn: column + 1), maxY: y(ofRow: row + 1))
    }

    /// Calls with all cells that a box meets.
    func forEachCell(in part: Rect, _ body: (Int) -> Void) {
        let common = part.intersection(box)
        if common.isEmpty { return }
        for row in row(common.minY)...row(common.maxY) {
            for column in column(common.minX)...column(common.maxX) { body(row * columns + column) }
        }
    }

    /// The parts of a line in the box that lie in one cell each, in their order.
    func pieces(_ a: Point, _ b: Point) -> [(part: ClosedRange<Double>, cell: Int)] {
        let (from, to) = ((column(a.x), row(a.y)), (column(b.x), row(b.y)))
        if from == to { return [(0...1, from.1 * columns + from.0)] }
        var stops = [0.0, 1.0]
        func add(_ index: (Int) -> Double, _ one: Int, _ other: Int, _ start: Double, _ end: Double) {
            guard one != other, start != end else { return }
            for line in (min(one, other) + 1)...max(one, other) {
                let t = (index(line) - start) / (end - start)
                if t > 0, t < 1 { stops.append(t) }
            }
        }
        add(x(ofColumn:), from.0, to.0, a.x, b.x)
        add(y(ofRow:), from.1, to.1, a.y, b.y)
        stops.sort()
        return zip(stops, stops.dropFirst()).compactMap { start, end in
            guard start < end else { return nil }
            let middle = a + (0.5 * (start + end)) * (b - a)
            return (start...end, row(middle.y) * columns + column(middle.x))
        }
    }
}

/// What is inside of polygons, by a fill rule, as far as it lies on a page.
struct PlotRegion: PlotArea {
    private let rule: FillRule
    /// How near to the region a point counts as inside.
    private let slack: Double
    private let grid: PlotGrid
    private var edges: [(from: Point, to: Point)] = []
    /// The first of the edges near each cell, in `near`.
    private var starts: [Int32] = []
    private var near: [Int32] = []
    /// How often the polygons go round each cell that no edge is near to.
    private var windings: [Int32] = []

    private static let cellsMax = 1 << 18
    /// Pairs of edges that are near to one another, of a path that is not too tangled to find what is round it.
    private static let pairsMax = 50_000_000

    /// Whether so many edges cross that all of them are drawn, and nothing is hidden by the area.
    private(set) var isTangled = false

    /// Nil if nothing of it is on the page.
    ///
    /// - Parameter lines: the polygons, each closed or not.
    init?(_ lines: PlotLines, rule: FillRule, page: Rect, slack: Double = 0) {
        self.rule = rule
        self.slack = slack
        var box = Rect.empty
        for point in lines.points { box.formUnion(point) }
        box = Rect(
            minX: max(box.minX, page.minX), minY: max(box.minY, page.minY), maxX: min(box.maxX, page.maxX),
            maxY: min(box.maxY, page.maxY))
        guard box.minX < box.maxX, box.minY < box.maxY else { return nil }
        box = box.expanded(by: 2 * slack + 1e-6)
        for index in 0..<lines.count {
            let line = lines[index]
            guard let last = line.last else { continue }
            var before = last
            for point in line {
                if point != before { edges.append((before, point)) }
                before = point
            }
        }
        grid = PlotGrid(box, cells: min(2 * edges.count + 16, PlotRegion.cellsMax))
        var counts = Array(repeating: Int32(0), count: grid.cellCount + 1)
        let margin = slack + 1e-9 * (1 + abs(box.maxX) + abs(box.maxY))
        for edge in edges { PlotRegion.forEachCell(near: edge, grid, margin) { counts[$0 + 1] += 1 } }
        for cell in 1..<counts.count { counts[cell] += counts[cell - 1] }
        starts = counts
        let pairs = zip(counts, counts.dropFirst()).reduce(0) { $0 + Int($1.1 - $1.0) * Int($1.1 - $1.0) }
        isTangled = pairs > PlotRegion.pairsMax
        near = Array(repeating: 0, count: Int(counts[counts.count - 1]))
        for (index, edge) in edges.enumerated() {
            PlotRegion.forEachCell(near: edge, grid, margin) { cell in
                near[Int(counts[cell])] = Int32(index)
                counts[cell] += 1
            }
        }
        windings = Array(repeating: 0, count: grid.cellCount)
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let cell = row * grid.columns + column
                guard starts[cell] == starts[cell + 1] else { continue }
                if column > 0, starts[cell - 1] == starts[cell] {
                    windings[cell] = windings[cell - 1]
                } else {
                    let own = grid.rect(column, row)
                    let middle = Point(x: (own.minX + own.maxX) / 2, y: (own.minY + own.maxY) / 2)
                    windings[cell] = winding(middle, from: column - 1, row)
                }
            }
        }
    }

    /// Calls with all cells that an edge is within a margin of, and some more.
    private static func forEachCell(
        near edge: (from: Point, to: Point), _ grid: PlotGrid, _ margin: Double, _ body: (Int) -> Void
    ) {
        let (low, high) = edge.from.y <= edge.to.y ? edge : (edge.to, edge.from)
        guard high.y >= grid.box.minY, low.y <= grid.box.maxY else { return }
        let step = high.y - low.y
        for row in grid.row(low.y - margin)...grid.row(high.y + margin) {
            var (left, right) = (min(low.x, high.x), max(low.x, high.x))
            if step > 0 {
                func x(_ y: Double) -> Double {
                    low.x + min(max((y - low.y) / step, 0), 1) * (high.x - low.x)
                }
                let (one, other) = (x(grid.y(ofRow: row) - margin), x(grid.y(ofRow: row + 1) + margin))
                (left, right) = (max(left, min(one, other)), min(right, max(one, other)))
            }
            for column in grid.column(left - margin)...grid.column(right + margin) { body(row * grid.columns + column) }
        }
    }

    /// How often the polygons go round a point: what crosses the way to the left, up to a cell where it is known.
    private func winding(_ point: Point, from column: Int, _ row: Int) -> Int32 {
        var sum: Int32 = 0
        var column = column
        while column >= 0 {
            let cell = row * grid.columns + column
            if starts[cell] == starts[cell + 1] { return sum + windings[cell] }
            for index in starts[cell]..<starts[cell + 1] {
                let (from, to) = edges[Int(near[Int(index)])]
                guard (from.y <= point.y) != (to.y <= point.y) else { continue }
                let x = from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
                // Other cells have the edge too.
                if x < point.x, grid.column(x) == column { sum += from.y < to.y ? 1 : -1 }
            }
            column -= 1
        }
        return sum
    }

    /// What the region lies in, and a little more.
    var box: Rect { grid.box }

    private func isInside(_ winding: Int32) -> Bool { rule == .nonzero ? winding != 0 : winding & 1 != 0 }

    /// Without slack.
    private func holds(_ point: Point) -> Bool {
        guard grid.box.contains(point) else { return false }
        return isInside(winding(point, from: grid.column(point.x), grid.row(point.y)))
    }

    private func holds(_ point: Point, beside normal: Point, isInner: Bool = false) -> Bool {
        if slack == 0 { return holds(point) }
        let (one, other) = (holds(point + slack * normal), holds(point - slack * normal))
        return isInner ? one && other : one || other
    }

    func contains(_ point: Point) -> Bool { holds(point, beside: Point(x: 0, y: 1)) }

    func isInside(_ box: Rect) -> Bool? {
        guard box.maxX > grid.box.minX, box.minX < grid.box.maxX, box.maxY > grid.box.minY, box.minY < grid.box.maxY
        else { return false }
        let isWithin =
            grid.box.contains(Point(x: box.minX, y: box.minY))
            && grid.box.contains(Point(x: box.maxX, y: box.maxY))
        var first: Bool?
        for row in grid.row(box.minY)...grid.row(box.maxY) {
            for column in grid.column(box.minX)...grid.column(box.maxX) {
                let cell = row * grid.columns + column
                let own = isInside(windings[cell])
                guard starts[cell] == starts[cell + 1], first ?? own == own else { return nil }
                first = own
            }
        }
        return first == true && !isWithin ? nil : first
    }

    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>] { parts(from: a, to: b, isInner: false) }

    func innerParts(from a: Point, to b: Point) -> [ClosedRange<Double>] { parts(from: a, to: b, isInner: true) }

    private func parts(from a: Point, to b: Point, isInner: Bool) -> [ClosedRange<Double>] {
        guard let seen = grid.box.parts(from: a, to: b).first else { return [] }
        let way = b - a
        let length = way.length
        guard length > 0 else { return contains(a) ? [0...1] : [] }
        let normal = Point(x: -way.y / length, y: way.x / length)
        func place(_ t: Double) -> Point { a + t * way }
        var parts = PlotParts()
        let (start, span) = (seen.lowerBound, seen.upperBound - seen.lowerBound)
        for (part, cell) in grid.pieces(place(start), place(seen.upperBound)) {
            let (from, to) = (start + part.lowerBound * span, start + part.upperBound * span)
            if starts[cell] == starts[cell + 1] {
                if isInside(windings[cell]) { parts.add(from...to) }
                continue
            }
            var stops = [from, to]
            for index in starts[cell]..<starts[cell + 1] {
                let (one, other) = edges[Int(near[Int(index)])]
                let edge = other - one
                let cross = way.x * edge.y - way.y * edge.x
                guard cross != 0 else { continue }
                let offset = one - a
                let t = (offset.x * edge.y - offset.y * edge.x) / cross
                if t > from, t < to { stops.append(t) }
            }
            stops.sort()
            for (low, high) in zip(stops, stops.dropFirst())
            where low < high && holds(place(0.5 * (low + high)), beside: normal, isInner: isInner) {
                parts.add(low...high)
            }
        }
        return parts.ranges
    }

    /// The lines round the region: those of the polygons that have something else on their other side.
    func outline() -> PlotLines {
        var lines = PlotLines()
        var last: Point?
        let step = max(slack, 1e-4 * ((grid.box.maxX - grid.box.minX) + (grid.box.maxY - grid.box.minY))) / 8
        for (from, to) in edges {
            guard let seen = grid.box.parts(from: from, to: to).first else { continue }
            let way = to - from
            let normal = (step / way.length) * Point(x: -way.y, y: way.x)
            var stops = [seen.lowerBound, seen.upperBound]
            if isTangled {
                lines.add([from + seen.lowerBound * way, from + seen.upperBound * way])
                continue
            }
            let (start, span) = (seen.lowerBound, seen.upperBound - seen.lowerBound)
            for (part, cell) in grid.pieces(from + start * way, from + seen.upperBound * way) {
                let piece = (start + part.lowerBound * span)...(start + part.upperBound * span)
                for index in starts[cell]..<starts[cell + 1] {
                    let (one, other) = edges[Int(near[Int(index)])]
                    let edge = other - one
                    let cross = way.x * edge.y - way.y * edge.x
                    guard cross != 0 else { continue }
                    let offset = one - from
                    let t = (offset.x * edge.y - offset.y * edge.x) / cross
                    let u = (offset.x * way.y - offset.y * way.x) / cross
                    if piece.contains(t), t > start, t < seen.upperBound, u >= 0, u <= 1 { stops.append(t) }
                }
            }
            stops.sort()
            for (low, high) in zip(stops, stops.dropFirst()) where low < high {
                let middle = from + (0.5 * (low + high)) * way
                guard holds(middle + normal) != holds(middle - normal) else { continue }
                let (one, other) = (low <= 0 ? from : from + low * way, high >= 1 ? to : from + high * way)
                if last != one {
                    lines.end()
                    lines.add(one)
                }
                lines.add(other)
                last = other
            }
        }
        lines.end()
        return lines
    }
}

/// Parts of a line, 0 to 1, in ascending order and apart.
struct PlotParts {
    private(set) var ranges: [ClosedRange<Double>] = []

    init(_ ranges: [ClosedRange<Double>] = []) { self.ranges = ranges }

    /// Adds a part that begins behind the beginning of the last.
    mutating func add(_ part: ClosedRange<Double>) {
        if let last = ranges.last, part.lowerBound <= last.upperBound + 1e-12 {
            ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
        } else {
            ranges.append(part)
        }
    }

    /// What lies between the parts.
    var inverse: PlotParts {
        var inverse = PlotParts()
        var reached = 0.0
        for range in ranges {
            if range.lowerBound > reached { inverse.ranges.append(reached...range.lowerBound) }
            reached = max(reached, range.upperBound)
        }
        if reached < 1 { inverse.ranges.append(reached...1) }
        return inverse
    }

    func intersection(_ other: PlotParts) -> PlotParts {
        var both = PlotParts()
        var (own, next) = (0, 0)
        while own < ranges.count, next < other.ranges.count {
            let (a, b) = (ranges[own], other.ranges[next])
            let (from, to) = (max(a.lowerBound, b.lowerBound), min(a.upperBound, b.upperBound))
            if from < to { both.add(from...to) }
            if a.upperBound < b.upperBound { own += 1 } else { next += 1 }
        }
        return both
    }

    func subtracting(_ other: PlotParts) -> PlotParts { intersection(other.inverse) }

    func union(_ other: PlotParts) -> PlotParts {
        var all = PlotParts()
        for range in (ranges + other.ranges).sorted(by: { $0.lowerBound < $1.lowerBound }) { all.add(range) }
        return all
    }
}
