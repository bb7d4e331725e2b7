/// A region that meets every vertical line in one interval, between piecewise linear bounds.
///
/// Thickened graphs of functions are such regions, however wide they are; so what they share with themselves moved up or
/// down can be told column by column.
struct ColumnBounds {
    /// The region from `left` to `right`: between the line from `low.left` to `low.right` and that of `high`.
    struct Piece {
        var left: Double
        var right: Double
        var low: (left: Double, right: Double)
        var high: (left: Double, right: Double)
    }

    private let pieces: [Piece]

    /// The side of a polygon that is not vertical.
    private struct Side {
        var left: Point
        var right: Point
        var polygon: Int

        func y(at x: Double) -> Double {
            left.y + (right.y - left.y) * ((x - left.x) / (right.x - left.x))
        }

        /// The column in which another side is crossed.
        func crossing(_ other: Side) -> Double? {
            let from = max(left.x, other.left.x)
            let to = min(right.x, other.right.x)
            guard from < to else { return nil }
            let before = y(at: from) - other.y(at: from)
            let after = y(at: to) - other.y(at: to)
            guard before * after < 0 else { return nil }
            return from + (to - from) * (before / (before - after))
        }
    }

    /// What lies closer is one place, in units of the polygons.
    private static let nothing = 1e-9

    /// The union of convex polygons; nil when some vertical line meets it in more than one interval.
    init?(of polygons: [[Point]]) {
        var sides: [Side] = []
        for (index, corners) in polygons.enumerated() {
            guard var last = corners.last else { continue }
            for corner in corners {
                let (left, right) = last.x < corner.x ? (last, corner) : (corner, last)
                if right.x - left.x > ColumnBounds.nothing {
                    sides.append(Side(left: left, right: right, polygon: index))
                }
                last = corner
            }
        }
        var columns = sides.flatMap { [$0.left.x, $0.right.x] }
        for index in sides.indices {
            for other in sides[(index + 1)...] {
                if let column = sides[index].crossing(other) { columns.append(column) }
            }
        }
        columns.sort()
        var pieces: [Piece] = []
        for (left, right) in zip(columns, columns.dropFirst()) where right - left > ColumnBounds.nothing {
            guard let (low, high) = ColumnBounds.outermost(sides, at: (left + right) / 2) else { return nil }
            pieces.append(
                Piece(
                    left: left, right: right, low: (low.y(at: left), low.y(at: right)),
                    high: (high.y(at: left), high.y(at: right))))
        }
        guard !pieces.isEmpty else { return nil }
        self.pieces = pieces
    }

    /// The lowest and the highest side in a column; nil when what lies between them is not all covered.
    private static func outermost(_ sides: [Side], at x: Double) -> (low: Side, high: Side)? {
        var intervals: [(low: Double, high: Double, lowSide: Side, highSide: Side)] = []
        for side in sides where side.left.x < x && side.right.x > x {
            let y = side.y(at: x)
            if let last = intervals.last, last.lowSide.polygon == side.polygon {
                if y < last.low {
                    (intervals[intervals.count - 1].low, intervals[intervals.count - 1].lowSide) = (y, side)
                }
                if y > last.high {
                    (intervals[intervals.count - 1].high, intervals[intervals.count - 1].highSide) = (y, side)
                }
            } else {
                intervals.append((y, y, side, side))
            }
        }
        intervals.sort { $0.low < $1.low }
        guard var highest = intervals.first else { return nil }
        let lowest = highest
        for interval in intervals.dropFirst() {
            guard interval.low <= highest.high + nothing else { return nil }
            if interval.high > highest.high { highest = interval }
        }
        return (lowest.lowSide, highest.highSide)
    }

    /// The region's closed outline, the same way round as a Box's corners.
    var outline: [Point] { ColumnBounds.outline(of: pieces) }

    /// The closed outlines of what the region shares with itself moved by `distance` towards larger y, the other way round.
    func overlaps(movedBy distance: Double) -> [[Point]] {
        var overlaps: [[Point]] = []
        var run: [Piece] = []
        func end() {
            if !run.isEmpty { overlaps.append(ColumnBounds.outline(of: run).reversed()) }
            run.removeAll()
        }
        for var piece in pieces {
            piece.low = (piece.low.left + distance, piece.low.right + distance)
            let before = piece.high.left - piece.low.left
            let after = piece.high.right - piece.low.right
            guard before > 0 || after > 0 else {
                end()
                continue
            }
            let share = before / (before - after)
            let crossing = (
                x: piece.left + share * (piece.right - piece.left),
                y: piece.high.left + share * (piece.high.right - piece.high.left)
            )
            if before < 0 {
                end()
                (piece.left, piece.low.left, piece.high.left) = (crossing.x, crossing.y, crossing.y)
            }
            if after < 0 { (piece.right, piece.low.right, piece.high.right) = (crossing.x, crossing.y, crossing.y) }
            run.append(piece)
            if after < 0 { end() }
        }
        end()
        return overlaps
    }

    private static func outline(of pieces: [Piece]) -> [Point] {
        var corners: [Point] = []
        func add(_ point: Point) {
            // Sides are cut where others cross them, seen or not.
            if let last = corners.last, corners.count > 1 {
                let before = last - corners[corners.count - 2]
                let after = point - last
                if abs(before.x * after.y - before.y * after.x) < 1e-3 * nothing { corners.removeLast() }
            }
            corners.append(point)
        }
        for piece in pieces.reversed() {
            add(Point(x: piece.right, y: piece.high.right))
            add(Point(x: piece.left, y: piece.high.left))
        }
        for piece in pieces {
            add(Point(x: piece.left, y: piece.low.left))
            add(Point(x: piece.right, y: piece.low.right))
        }
        return corners + corners.prefix(1)
    }
}
