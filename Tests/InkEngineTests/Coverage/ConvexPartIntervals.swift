@testable import InkEngine

/// What a line meets of a part, in double precision.
extension ConvexPart {
    /// The interval in which the line at `y` meets the part; empty (start > end) where it does not.
    func interval(atY y: Double) -> (start: Double, end: Double) {
        var interval = (start: Double.infinity, end: -Double.infinity)
        switch self {
        case .disc(let center, let radius): ConvexPart.extend(&interval, discAt: center, radius: radius, y: y)
        case .quad(let a, let b, let c, let d):
            ConvexPart.extend(&interval, quad: Quad(a: a, b: b, c: c, d: d), y: y)
        case .polygon(let corners):
            for (index, corner) in corners.enumerated() {
                ConvexPart.extend(&interval, from: corners[index > 0 ? index - 1 : corners.count - 1], to: corner, y: y)
            }
        case .capsule(let a, let b, let quad):
            ConvexPart.extend(&interval, discAt: a.center, radius: a.radius, y: y)
            ConvexPart.extend(&interval, discAt: b.center, radius: b.radius, y: y)
            ConvexPart.extend(&interval, quad: quad, y: y)
        }
        return interval
    }

    private static func extend(
        _ interval: inout (start: Double, end: Double), discAt center: Point, radius: Double, y: Double
    ) {
        let square = radius * radius - (y - center.y) * (y - center.y)
        guard square > 0 else { return }
        let half = square.squareRoot()
        interval.start = min(interval.start, center.x - half)
        interval.end = max(interval.end, center.x + half)
    }

    private static func extend(_ interval: inout (start: Double, end: Double), quad: Quad, y: Double) {
        extend(&interval, from: quad.a, to: quad.b, y: y)
        extend(&interval, from: quad.b, to: quad.c, y: y)
        extend(&interval, from: quad.c, to: quad.d, y: y)
        extend(&interval, from: quad.d, to: quad.a, y: y)
    }

    private static func extend(
        _ interval: inout (start: Double, end: Double), from a: Point, to b: Point, y: Double
    ) {
        guard (a.y <= y) != (b.y <= y) else { return }
        let x = a.x + (y - a.y) * ((b.x - a.x) / (b.y - a.y))
        interval.start = min(interval.start, x)
        interval.end = max(interval.end, x)
    }
}
