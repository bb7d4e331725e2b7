/// Coverage of a union of convex parts that may overlap: exact along x, sampled at the middles of `linesPerPixel` lines
/// a pixel row.
///
/// A line's error is at most half its height, so a level edge is off by 1/128 of the shape's alpha at most; sloped edges
/// average it out. Work is done in canvas space, where discs are round whatever the rounding of the output size.
struct PartRasterizer {
    static let linesPerPixel = 64

    let scale: OutputScale
    private var intervals: [(start: Double, end: Double)] = []

    init(scale: OutputScale) { self.scale = scale }

    /// Adds the union of `parts` (canvas space) to the accumulator.
    mutating func add(_ parts: [ConvexPart], to accumulator: CoverageAccumulator) {
        let rows = partsByRow(parts, cell: accumulator.cell)
        let weight = Int32(65_536 / PartRasterizer.linesPerPixel)
        for (row, members) in rows.enumerated() where !members.isEmpty {
            for line in 0..<PartRasterizer.linesPerPixel {
                let offset = (Double(line) + 0.5) / Double(PartRasterizer.linesPerPixel)
                let y = (Double(accumulator.cell.y + row) + offset) / scale.y
                collectIntervals(of: members, parts: parts, y: y)
                mergeIntervals { start, end in
                    accumulator.addSpan(row: row, start: start * scale.x, end: end * scale.x, weight: weight)
                }
            }
        }
    }

    /// The indices of the parts that reach into each row of the cell.
    private func partsByRow(_ parts: [ConvexPart], cell: PixelRect) -> [[Int32]] {
        var rows = [[Int32]](repeating: [], count: cell.height)
        for (index, part) in parts.enumerated() {
            let range = part.rangeY
            let top = range.min * scale.y - Double(cell.y)
            let bottom = range.max * scale.y - Double(cell.y)
            guard top < Double(cell.height), bottom > 0 else { continue }
            let first = max(Int(max(top, 0)), 0)
            let last = min(Int(min(bottom, Double(cell.height))), cell.height - 1)
            if first <= last { for row in first...last { rows[row].append(Int32(index)) } }
        }
        return rows
    }

    private mutating func collectIntervals(of members: [Int32], parts: [ConvexPart], y: Double) {
        intervals.removeAll(keepingCapacity: true)
        for index in members {
            let interval = parts[Int(index)].interval(atY: y)
            if interval.start < interval.end { intervals.append(interval) }
        }
        intervals.sort { $0.start < $1.start }
    }

    /// Calls `body` with the disjoint intervals of the union.
    private func mergeIntervals(_ body: (Double, Double) -> Void) {
        guard var current = intervals.first else { return }
        for interval in intervals.dropFirst() {
            if interval.start > current.end {
                body(current.start, current.end)
                current = interval
            } else if interval.end > current.end {
                current.end = interval.end
            }
        }
        body(current.start, current.end)
    }
}
