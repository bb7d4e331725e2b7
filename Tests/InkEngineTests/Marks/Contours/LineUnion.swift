@testable import InkEngine

/// The union of the lines of one stamp of contour lines, by inclusion and exclusion: what `ContourPainter` draws is compared with.
struct LineUnion {
    private static let count = Pattern.lineIndices.count

    private var quads = InlineArray<7, LineQuad?>(repeating: nil)
    /// For each line, a bit for each later one that it may meet.
    private var meetings = InlineArray<7, UInt8>(repeating: 0)

    init(from stamp: Stamp, to next: Stamp, brush: Brush) {
        let width = brush.lineWidth * stamp.size
        var starts = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
        var ends = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
        for index in 0..<LineUnion.count {
            let offset = Double(index + Pattern.lineIndices.lowerBound) * brush.spacing
            starts[index] = stamp.center + (offset * stamp.size) * stamp.across
            ends[index] = next.center + (offset * next.size) * next.across
            quads[index] = LineQuad(from: starts[index], to: ends[index], width: width)
        }
        for first in 0..<LineUnion.count {
            let step = ends[first] - starts[first]
            let enough = width * step.length
            for second in (first + 1)..<LineUnion.count {
                // Mostly all of the second line lies a width away from the first one's middle, on one side.
                let a = step.x * (starts[second].y - starts[first].y) - step.y * (starts[second].x - starts[first].x)
                let b = step.x * (ends[second].y - starts[first].y) - step.y * (ends[second].x - starts[first].x)
                if (a >= enough && b >= enough) || (a <= -enough && b <= -enough) {
                    // Both places are as many times as far away as there are lines in between: so are those of all others.
                    break
                }
                guard let one = quads[first], let other = quads[second] else { continue }
                if one.meets(other) { meetings[first] |= 1 << UInt8(second) }
            }
        }
    }

    /// Appends convex polygons whose areas add up to that of the lines' union: the lines, without what two of them share, with
    /// what three share, and so on.
    ///
    /// - Parameter shared: scratch memory.
    func append(to polygons: inout Polygons, _ scale: OutputScale, shared: inout ConvexPolygons) {
        for index in 0..<LineUnion.count {
            guard let quad = quads[index] else { continue }
            for corner in 0..<4 { polygons.append(scale.output(quad.corners[corner])) }
            polygons.endPolygon()
            guard meetings[index] != 0 else { continue }
            shared.removeAll()
            let whole = shared.append(quad)
            appendShared(of: whole, among: meetings[index], isTaken: true, to: &polygons, scale, &shared)
        }
    }

    /// - Parameters:
    ///   - polygon: what some lines share.
    ///   - others: bits of later lines that all of those may meet.
    ///   - isTaken: whether what one more of them shares is to be taken away.
    private func appendShared(
        of polygon: Range<Int>, among others: UInt8, isTaken: Bool, to polygons: inout Polygons, _ scale: OutputScale,
        _ shared: inout ConvexPolygons
    ) {
        var rest = others
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            guard let quad = quads[index] else { continue }
            if let part = shared.append(polygon, clippedBy: quad) {
                for corner in 0..<part.count {
                    polygons.append(
                        scale.output(shared[isTaken ? part.upperBound - 1 - corner : part.lowerBound + corner]))
                }
                polygons.endPolygon()
                appendShared(of: part, among: rest & meetings[index], isTaken: !isTaken, to: &polygons, scale, &shared)
            }
            shared.removeAll(above: polygon)
        }
    }
}

/// A line with butt caps as a rectangle of canvas space.
struct LineQuad {
    /// In order, always the same way round.
    let corners: InlineArray<4, Point>

    /// Nil for a line without length, which covers nothing.
    init?(from start: Point, to end: Point, width: Double) {
        let step = end - start
        let length = step.length
        guard length > 0 else { return nil }
        let half = width / 2 / length
        let side = Point(x: -step.y * half, y: step.x * half)
        corners = [start - side, end - side, end + side, start + side]
    }

    /// Whether two rectangles share any area.
    func meets(_ other: LineQuad) -> Bool { !isApart(from: other) && !other.isApart(from: self) }

    /// Whether a line along one of this rectangle's sides separates it from the other (separating axis theorem: two
    /// rectangles are disjoint exactly when a side of one of them does so).
    private func isApart(from other: LineQuad) -> Bool {
        isApart(from: other, along: corners[1] - corners[0]) || isApart(from: other, along: corners[3] - corners[0])
    }

    private func isApart(from other: LineQuad, along axis: Point) -> Bool {
        func reach(_ p: Point) -> Double { (p.x - corners[0].x) * axis.x + (p.y - corners[0].y) * axis.y }
        let own = axis.x * axis.x + axis.y * axis.y
        var low = Double.infinity
        var high = -Double.infinity
        for index in 0..<4 {
            let value = reach(other.corners[index])
            low = min(low, value)
            high = max(high, value)
        }
        return high <= 0 || low >= own
    }
}

/// Convex polygons that rectangles are cut out of, each on top of those that it was cut out of.
struct ConvexPolygons {
    private var points: [Point] = []

    /// Each of six rectangles adds four corners at most.
    static let cornersMax = 28

    subscript(_ index: Int) -> Point { points[index] }

    mutating func removeAll() { points.removeAll(keepingCapacity: true) }

    /// Takes away what lies above a polygon.
    mutating func removeAll(above polygon: Range<Int>) { points.removeLast(points.count - polygon.upperBound) }

    /// Puts a rectangle on top.
    mutating func append(_ quad: LineQuad) -> Range<Int> {
        let start = points.count
        for index in 0..<4 { points.append(quad.corners[index]) }
        return start..<points.count
    }

    /// Puts on top what of a polygon lies in `quad`, which has the same sense of rotation; nil when that is nothing
    /// (Sutherland and Hodgman).
    mutating func append(_ polygon: Range<Int>, clippedBy quad: LineQuad) -> Range<Int>? {
        var polygon = polygon
        for side in 0..<4 {
            let origin = quad.corners[side]
            let step = quad.corners[(side + 1) % 4] - origin
            func inside(_ p: Point) -> Double { step.x * (p.y - origin.y) - step.y * (p.x - origin.x) }
            let start = points.count
            var last = points[polygon.upperBound - 1]
            var lastInside = inside(last)
            for index in polygon {
                let corner = points[index]
                let cornerInside = inside(corner)
                if (cornerInside > 0) != (lastInside > 0) {
                    points.append(last + (lastInside / (lastInside - cornerInside)) * (corner - last))
                }
                if cornerInside > 0 { points.append(corner) }
                last = corner
                lastInside = cornerInside
            }
            // Rounding may bend what is all but straight.
            if points.count - start > ConvexPolygons.cornersMax {
                points.removeLast(points.count - start - ConvexPolygons.cornersMax)
            }
            guard points.count - start > 2 else { return nil }
            polygon = start..<points.count
        }
        return polygon
    }
}
