/// One of the seven lines along a stroke of contour lines, as polygons of neighbouring quads that do not turn back
/// (spec section 3.3), for vector files.
package struct ContourStrip {
    private let line: Double
    private let brush: Brush
    private let isArea: Bool
    private var last: Stamp?
    private var left: [Point] = []
    private var right: [Point] = []

    /// Quads in a polygon; the next one begins at its end.
    private static let quadsMax = 64

    /// - Parameters:
    ///   - line: from `Brush.lineIndices`.
    ///   - isArea: whether pieces are polygons; if not, they are polylines in the middle of the line.
    package init(line: Int, brush: Brush, isArea: Bool) {
        self.line = Double(line)
        self.brush = brush
        self.isArea = isArea
    }

    private func point(_ stamp: Stamp, _ offset: Double) -> Point {
        let way = (line * brush.spacing + offset * brush.lineWidth) * stamp.size
        return stamp.center + way * stamp.across
    }

    /// - Returns: A piece that is complete.
    package mutating func add(_ stamp: Stamp) -> [Point]? {
        defer { last = stamp }
        guard let last else { return nil }
        let step = stamp.center - last.center
        let middle = point(stamp, 0) - point(last, 0)
        let turn = last.across.x * stamp.across.x + last.across.y * stamp.across.y
        guard middle.x * step.x + middle.y * step.y > 0, turn > 0 else { return end() }
        let piece = left.count > ContourStrip.quadsMax ? end() : nil
        if left.isEmpty {
            left.append(point(last, -0.5))
            right.append(point(last, 0.5))
        }
        left.append(point(stamp, -0.5))
        right.append(point(stamp, 0.5))
        return piece
    }

    /// - Returns: The last piece.
    package mutating func end() -> [Point]? {
        defer {
            left.removeAll(keepingCapacity: true)
            right.removeAll(keepingCapacity: true)
        }
        guard left.count > 1 else { return nil }
        return isArea ? left + right.reversed() : zip(left, right).map { 0.5 * ($0 + $1) }
    }
}

extension NearestLine {
    /// The places along a stroke between which vector files draw quads.
    package func stations(of brush: Brush) -> PlacedStamps {
        PlacedStamps(StampPlacer(path: path, brush: brush, pointsAlongPath: true))
    }
}
