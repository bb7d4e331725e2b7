package import InkEngine

/// What two shapes have in common: an exact area but for arcs, which are cut into chords that stray by at most 1/4096
/// pixel, and for what happens within 1/2048 pixel of height (an error below 1/2048 of the pixel's area).
extension CoverageScanner {
    /// The pixels of the picture that a shape may touch; nil when there are none.
    package func pixels(of shape: UnionOfParts) -> PixelRect? {
        let parts = shape.parts.map(place)
        guard !parts.isEmpty else { return nil }
        func range(_ low: Double, _ high: Double, _ limit: Int) -> Range<Int> {
            let first = min(max(low.rounded(.down), 0), Double(limit))
            let last = min(max(high.rounded(.up), first), Double(limit))
            return Int(first)..<Int(last)
        }
        let columns = range(parts.map(\.minX).min()!, parts.map(\.maxX).max()!, output.width)
        let rows = range(parts.map(\.minY).min()!, parts.map(\.maxY).max()!, output.height)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// The area of each of `pixels` that lies in both shapes.
    package func coverage(of shape: UnionOfParts, inside other: UnionOfParts, pixels: PixelRect) -> Coverage {
        let rowsOfShapes = [shape, other].map { $0.parts.map(place).byRow(of: pixels) }
        var values: [Double] = []
        for row in pixels.rows {
            let columns = rowsOfShapes.map { rows in
                rows[row - pixels.y].byColumn(of: pixels, row: row)
            }
            for column in 0..<pixels.width {
                values.append(
                    CommonArea(column: pixels.x + column, row: row, shapes: columns.map { $0[column] }).area)
            }
        }
        return Coverage(rect: pixels, values: values)
    }
}

/// The area of one pixel that lies in each of some shapes.
///
/// The pixel is cut into levels at every corner of a part and four times in between, and each level in halves until the
/// borders of what lies in all shapes are straight lines across it.
private struct CommonArea {
    let left: Double
    let top: Double
    /// The parts of those shapes that do not cover the pixel at a glance.
    let shapes: [[PlacedPart]]

    private let thinnest = 1.0 / 2048
    private let straightness = 1.0 / 4096

    init(column: Int, row: Int, shapes: [[PlacedPart]]) {
        let (left, top) = (Double(column), Double(row))
        let corners = [left, left + 1].flatMap { x in [top, top + 1].map { y in Point(x: x, y: y) } }
        self.left = left
        self.top = top
        self.shapes = shapes.filter { parts in !parts.contains { part in corners.allSatisfy(part.contains) } }
    }

    var area: Double {
        guard !shapes.contains(where: \.isEmpty) else { return 0 }
        guard !shapes.isEmpty else { return 1 }
        let corners = shapes.flatMap { $0.flatMap { $0.cornerHeights ?? [$0.minY, $0.maxY] } }
        let levels = ([0, 0.25, 0.5, 0.75, 1].map { top + $0 } + corners.filter { $0 > top && $0 < top + 1 }).sorted()
        return zip(levels, levels.dropFirst()).reduce(0) { $0 + area(from: $1.0, to: $1.1) }
    }

    private func area(from top: Double, to bottom: Double) -> Double {
        let height = bottom - top
        guard height > 0 else { return 0 }
        let middle = borders(at: (top + bottom) / 2)
        if height > thinnest {
            // Not at the very ends, where parts begin and end.
            let upper = borders(at: top + height / 64)
            let lower = borders(at: bottom - height / 64)
            let isStraight =
                upper.count == middle.count && lower.count == middle.count
                && middle.indices.allSatisfy { abs(middle[$0] - (upper[$0] + lower[$0]) / 2) <= straightness }
            if !isStraight {
                return area(from: top, to: (top + bottom) / 2) + area(from: (top + bottom) / 2, to: bottom)
            }
        }
        return stride(from: 0, to: middle.count, by: 2).reduce(0) { $0 + height * (middle[$1 + 1] - middle[$1]) }
    }

    /// Where a level line enters and leaves what lies in all shapes and in the pixel, from the left.
    private func borders(at y: Double) -> [Double] {
        var common = [left, left + 1]
        for parts in shapes {
            let own = union(of: parts.compactMap { $0.interval(at: y) })
            var both: [Double] = []
            for i in stride(from: 0, to: common.count, by: 2) {
                for j in stride(from: 0, to: own.count, by: 2) {
                    let (low, high) = (max(common[i], own[j]), min(common[i + 1], own[j + 1]))
                    if low < high { both += [low, high] }
                }
            }
            common = both
        }
        return common
    }

    /// Intervals apart from each other, from the left. Gaps of noise are closed.
    private func union(of intervals: [(Double, Double)]) -> [Double] {
        var merged: [Double] = []
        for (low, high) in intervals.sorted(by: { $0.0 < $1.0 }) {
            if let end = merged.last, low <= end + 1e-9 {
                merged[merged.count - 1] = max(end, high)
            } else {
                merged += [low, high]
            }
        }
        return merged
    }
}

extension PlacedPart {
    fileprivate var center: Point { Point(x: (minX + maxX) / 2, y: (minY + maxY) / 2) }

    fileprivate func contains(_ p: Point) -> Bool {
        guard let (low, high) = interval(at: p.y) else { return false }
        return low <= p.x && p.x <= high
    }

    /// What of a level line lies in the part.
    fileprivate func interval(at y: Double) -> (Double, Double)? {
        guard y >= minY, y <= maxY, minY < maxY else { return nil }
        guard let corners else {
            let fromCenter = (y - center.y) / ((maxY - minY) / 2)
            let half = (maxX - minX) / 2 * max(0, 1 - fromCenter * fromCenter).squareRoot()
            return (center.x - half, center.x + half)
        }
        // A level edge is crossed at both its ends by those beside it.
        var (least, greatest) = (Double.infinity, -Double.infinity)
        for i in 0..<4 {
            let (a, b) = (corners[i], corners[(i + 1) & 3])
            guard a.y != b.y, min(a.y, b.y) <= y, y <= max(a.y, b.y) else { continue }
            let x = mix(a.x, b.x, (y - a.y) / (b.y - a.y))
            (least, greatest) = (min(least, x), max(greatest, x))
        }
        return (least, greatest)
    }

    /// The least and the greatest x between two level lines, at most a little too wide.
    fileprivate func columns(from top: Double, to bottom: Double) -> (Double, Double)? {
        let (low, high) = (max(top, minY), min(bottom, maxY))
        guard low <= high else { return nil }
        let inside = cornerHeights ?? [center.y]
        let found = ([low, high] + inside.filter { $0 > low && $0 < high }).compactMap(interval)
        guard let least = found.map(\.0).min(), let greatest = found.map(\.1).max() else { return nil }
        return (least, greatest)
    }
}

extension [PlacedPart] {
    /// The parts that reach into each row.
    fileprivate func byRow(of pixels: PixelRect) -> [[PlacedPart]] {
        var rows = [[PlacedPart]](repeating: [], count: pixels.height)
        for part in self {
            for row in places(part.minY - Double(pixels.y), part.maxY - Double(pixels.y), pixels.height) {
                rows[row].append(part)
            }
        }
        return rows
    }

    /// The parts that reach into each pixel of a row.
    fileprivate func byColumn(of pixels: PixelRect, row: Int) -> [[PlacedPart]] {
        var columns = [[PlacedPart]](repeating: [], count: pixels.width)
        for part in self {
            guard let (low, high) = part.columns(from: Double(row), to: Double(row + 1)) else { continue }
            for column in places(low - Double(pixels.x), high - Double(pixels.x), pixels.width) {
                columns[column].append(part)
            }
        }
        return columns
    }

    private func places(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
        let first = Swift.min(Swift.max(low.rounded(.down), 0), Double(count))
        let last = Swift.min(Swift.max(high.rounded(.up), first), Double(count))
        return Int(first)..<Int(last)
    }
}
