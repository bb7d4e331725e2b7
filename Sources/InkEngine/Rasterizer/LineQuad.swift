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

    var part: ConvexPart { .quad(corners[0], corners[1], corners[2], corners[3]) }

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
