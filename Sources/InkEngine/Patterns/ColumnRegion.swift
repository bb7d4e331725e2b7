/// A region as columns in each of which it lies between pairs of straight lines: what polygons cover together, however they
/// lie over each other.
struct ColumnRegion {
    /// A straight line from a column's left end to its right one: y there.
    private struct Line {
        var left: Double
        var right: Double

        var middle: Double { (left + right) / 2 }

        func moved(by distance: Double) -> Line { Line(left: left + distance, right: right + distance) }

        /// The part between two shares of the way, 0...1.
        func part(from first: Double, to last: Double) -> Line {
            Line(left: left + first * (right - left), right: left + last * (right - left))
        }

        /// How far on the way this line crosses another one.
        func crossing(_ other: Line) -> Double? {
            let before = left - other.left
            let after = right - other.right
            return before * after < 0 ? before / (before - after) : nil
        }
    }

    private struct Interval {
        var low: Line
        var high: Line
    }

    private struct Column {
        var left: Double
        var right: Double
        /// None of which meet, by growing y.
        var intervals: [Interval]
    }

    /// The side of a polygon that is not upright.
    private struct Side {
        var left: Point
        var right: Point
        var polygon: Int

        func y(at x: Double) -> Double {
            left.y + (right.y - left.y) * ((x - left.x) / (right.x - left.x))
        }

        func line(from first: Double, to last: Double) -> Line { Line(left: y(at: first), right: y(at: last)) }

        /// Where another side is crossed.
        func crossing(_ other: Side) -> Double? {
            let first = max(left.x, other.left.x)
            let last = min(right.x, other.right.x)
            guard first < last else { return nil }
            return line(from: first, to: last).crossing(other.line(from: first, to: last))
                .map { first + $0 * (last - first) }
        }
    }

    /// What lies closer is one place, in units of the polygons.
    private static let nothing = 1e-9

    private var columns: [Column] = []

    /// The union of convex polygons.
    init(_ polygons: [[Point]]) {
        var sides: [Side] = []
        for (index, corners) in polygons.enumerated() {
            guard var last = corners.last else { continue }
            for corner in corners {
                let (left, right) = last.x < corner.x ? (last, corner) : (corner, last)
                if right.x - left.x > ColumnRegion.nothing {
                    sides.append(Side(left: left, right: right, polygon: index))
                }
                last = corner
            }
        }
        var ends = sides.flatMap { [$0.left.x, $0.right.x] }
        for index in sides.indices {
            ends += sides[(index + 1)...].compactMap { sides[index].crossing($0) }
        }
        ends.sort()
        for (left, right) in zip(ends, ends.dropFirst()) where right - left > ColumnRegion.nothing {
            var intervals: [Interval] = []
            var polygon = -1
            for side in sides where side.left.x < right && side.right.x > left {
                let line = side.line(from: left, to: right)
                if side.polygon != polygon {
                    intervals.append(Interval(low: line, high: line))
                    polygon = side.polygon
                } else if line.middle < intervals[intervals.count - 1].low.middle {
                    intervals[intervals.count - 1].low = line
                } else if line.middle > intervals[intervals.count - 1].high.middle {
                    intervals[intervals.count - 1].high = line
                }
            }
            columns.append(Column(left: left, right: right, intervals: ColumnRegion.united(intervals)))
        }
    }

    /// Those of some intervals that meet as one.
    private static func united(_ intervals: [Interval]) -> [Interval] {
        var united: [Interval] = []
        for interval in intervals.sorted(by: { $0.low.middle < $1.low.middle }) {
            if let last = united.last, interval.low.middle <= last.high.middle + nothing {
                if interval.high.middle > last.high.middle { united[united.count - 1].high = interval.high }
            } else {
                united.append(interval)
            }
        }
        return united
    }

    /// The union of the region moved towards larger y by each of some multiples of `distance`.
    func repeated(_ multiples: ClosedRange<Int>, of distance: Double) -> ColumnRegion {
        var repeated = self
        repeated.columns = columns.flatMap { column -> [Column] in
            let lines = column.intervals.flatMap { [$0.low, $0.high] }
            var cuts = [0.0, 1.0]
            for line in lines {
                for other in lines {
                    for multiple in 0..<multiples.count {
                        if let cut = line.crossing(other.moved(by: Double(multiple) * distance)) { cuts.append(cut) }
                    }
                }
            }
            cuts.sort()
            let width = column.right - column.left
            return zip(cuts, cuts.dropFirst()).filter { ($1 - $0) * width > ColumnRegion.nothing }.map { first, last in
                let parts = column.intervals.map {
                    Interval(low: $0.low.part(from: first, to: last), high: $0.high.part(from: first, to: last))
                }
                let all = multiples.flatMap { multiple in
                    parts.map {
                        Interval(
                            low: $0.low.moved(by: Double(multiple) * distance),
                            high: $0.high.moved(by: Double(multiple) * distance))
                    }
                }
                return Column(
                    left: column.left + first * width, right: column.left + last * width,
                    intervals: ColumnRegion.united(all))
            }
        }
        return repeated
    }

    /// Closed outlines whose areas make up the region, the same way round as a quad's corners.
    ///
    /// The region is cut upright where the number of intervals changes.
    var outlines: [[Point]] {
        var outlines: [[Point]] = []
        var first = 0
        for index in columns.indices {
            let count = columns[index].intervals.count
            guard index + 1 == columns.count || columns[index + 1].intervals.count != count else { continue }
            outlines += (0..<count).map { outline(of: columns[first...index], interval: $0) }
            first = index + 1
        }
        return outlines
    }

    private func outline(of columns: ArraySlice<Column>, interval: Int) -> [Point] {
        var corners: [Point] = []
        func add(_ point: Point) {
            // Lines are cut where others cross them, seen or not.
            if let last = corners.last, corners.count > 1 {
                let before = last - corners[corners.count - 2]
                let after = point - last
                if abs(before.x * after.y - before.y * after.x) < 1e-3 * ColumnRegion.nothing { corners.removeLast() }
            }
            corners.append(point)
        }
        for column in columns.reversed() {
            add(Point(x: column.right, y: column.intervals[interval].high.right))
            add(Point(x: column.left, y: column.intervals[interval].high.left))
        }
        for column in columns {
            add(Point(x: column.left, y: column.intervals[interval].low.left))
            add(Point(x: column.right, y: column.intervals[interval].low.right))
        }
        return corners + corners.prefix(1)
    }
}
