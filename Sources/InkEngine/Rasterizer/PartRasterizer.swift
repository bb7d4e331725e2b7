/// Coverage of a union of convex parts that may overlap: exact along x, sampled at the middles of `linesPerPixel` lines
/// a pixel row.
///
/// A line's error is at most half its height, so a level edge is off by 1/128 of the shape's alpha at most; sloped edges
/// average it out. Work is done in canvas space, where discs are round whatever the rounding of the output size.
///
/// What a part covers over a whole row's height is found first. A part that lies within what others cover so needs no
/// lines, which leaves the few parts at the border of a thick stroke out of hundreds.
struct PartRasterizer {
    static let linesPerPixel = 64

    private typealias Interval = (start: Double, end: Double)

    let scale: OutputScale
    private var intervals: [Interval] = []
    private var solid: [Interval] = []
    private var loose: [ConvexPart] = []

    init(scale: OutputScale) { self.scale = scale }

    /// Adds the union of `parts` (canvas space) to the accumulator.
    mutating func add(_ parts: [ConvexPart], to accumulator: CoverageAccumulator) {
        let cell = accumulator.cell
        let rows = RowTable(parts, scale: scale, cell: cell)
        let columns = (start: Double(cell.x) / scale.x, end: Double(cell.x + cell.width) / scale.x)
        for row in 0..<cell.height {
            let top = Double(cell.y + row) / scale.y
            let bottom = Double(cell.y + row + 1) / scale.y
            sortOut(rows.parts(inRow: row), of: parts, top: top, bottom: bottom, columns: columns)
            if solid.isEmpty && loose.isEmpty { continue }
            addRow(row, top: top, bottom: bottom, to: accumulator)
        }
    }

    /// Finds what of a row is covered over its whole height (`solid`, disjoint, ascending), and the parts that may cover
    /// more than that (`loose`). Parts that do not meet the columns are left out.
    private mutating func sortOut(
        _ indices: ArraySlice<Int32>, of parts: [ConvexPart], top: Double, bottom: Double, columns: Interval
    ) {
        intervals.removeAll(keepingCapacity: true)
        for index in indices {
            // A convex part covers between two lines whatever it covers on both.
            let above = parts[Int(index)].interval(atY: top)
            let below = parts[Int(index)].interval(atY: bottom)
            let both = (start: max(above.start, below.start), end: min(above.end, below.end))
            if both.start < both.end { intervals.append(both) }
        }
        solid.removeAll(keepingCapacity: true)
        PartRasterizer.merge(&intervals) { solid.append($0) }
        loose.removeAll(keepingCapacity: true)
        for index in indices {
            let part = parts[Int(index)]
            let extent = part.extent(from: top, to: bottom)
            guard extent.start < columns.end, extent.end > columns.start else { continue }
            if !solid.contains(where: { $0.start <= extent.start && extent.end <= $0.end }) { loose.append(part) }
        }
    }

    private mutating func addRow(_ row: Int, top: Double, bottom: Double, to accumulator: CoverageAccumulator) {
        let lines = PartRasterizer.linesPerPixel
        let one: Int32 = 65_536
        if loose.isEmpty {
            for span in solid {
                accumulator.addSpan(row: row, start: span.start * scale.x, end: span.end * scale.x, weight: one)
            }
            return
        }
        for line in 0..<lines {
            let y = top + (Double(line) + 0.5) / Double(lines) * (bottom - top)
            intervals.removeAll(keepingCapacity: true)
            intervals += solid
            for part in loose {
                let interval = part.interval(atY: y)
                if interval.start < interval.end { intervals.append(interval) }
            }
            PartRasterizer.merge(&intervals) { span in
                accumulator.addSpan(
                    row: row, start: span.start * scale.x, end: span.end * scale.x, weight: one / Int32(lines))
            }
        }
    }

    /// Calls `body` with the disjoint intervals of the union, ascending.
    private static func merge(_ intervals: inout [Interval], _ body: (Interval) -> Void) {
        intervals.sort { $0.start < $1.start }
        guard var current = intervals.first else { return }
        for interval in intervals.dropFirst() {
            if interval.start > current.end {
                body(current)
                current = interval
            } else if interval.end > current.end {
                current.end = interval.end
            }
        }
        body(current)
    }
}

/// Which parts reach into which row of a cell: the parts' indices, row after row.
private struct RowTable {
    private var starts: [Int]
    private var indices: [Int32]

    init(_ parts: [ConvexPart], scale: OutputScale, cell: PixelRect) {
        let ranges = parts.map { part -> Range<Int> in
            let range = part.rangeY
            let top = range.min * scale.y - Double(cell.y)
            let bottom = range.max * scale.y - Double(cell.y)
            guard top < Double(cell.height), bottom > 0 else { return 0..<0 }
            let first = Int(max(top, 0))
            let last = Int(min(bottom, Double(cell.height - 1)))
            return first <= last ? first..<(last + 1) : 0..<0
        }
        starts = [Int](repeating: 0, count: cell.height + 1)
        for range in ranges { for row in range { starts[row + 1] += 1 } }
        for row in 0..<cell.height { starts[row + 1] += starts[row] }
        indices = [Int32](repeating: 0, count: starts[cell.height])
        var next = starts
        for (index, range) in ranges.enumerated() {
            for row in range {
                indices[next[row]] = Int32(index)
                next[row] += 1
            }
        }
    }

    func parts(inRow row: Int) -> ArraySlice<Int32> { indices[starts[row]..<starts[row + 1]] }
}
