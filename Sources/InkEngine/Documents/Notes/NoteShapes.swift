/// Lines that other programs make of shapes.
extension NotePage {
    /// A curve through the points (Catmull and Rom), 16 pieces between two of them.
    static func smoothed(_ points: [Point]) -> [Point] {
        var curve = [points[0]]
        for index in 0..<(points.count - 1) {
            let (b, c) = (points[index], points[index + 1])
            let a = index > 0 ? points[index - 1] : b
            let d = index + 2 < points.count ? points[index + 2] : c
            let (first, second) = (b + (1.0 / 6) * (c - a), c - (1.0 / 6) * (d - b))
            for step in 1...16 {
                let t = Double(step) / 16
                let u = 1 - t
                curve.append((u * u * u) * b + (3 * u * u * t) * first + (3 * u * t * t) * second + (t * t * t) * c)
            }
        }
        return curve
    }

    /// The most lines of a hatching.
    private static let hatchingMax = 20_000

    /// Parallel lines inside of a polygon, by the even-odd rule.
    ///
    /// - Parameters:
    ///   - angle: degrees, clockwise from the x axis.
    ///   - gap: between lines.
    static func hatching(_ polygon: [Point], angle: Double, gap: Double) -> [(Point, Point)] {
        let (sine, cosine) = sinCos(degrees: angle)
        let turned = polygon.map { Point(x: cosine * $0.x + sine * $0.y, y: cosine * $0.y - sine * $0.x) }
        var box = Rect.empty
        for point in turned { box.formUnion(point) }
        guard !box.isEmpty, gap > 0, (box.maxY - box.minY) / gap < Double(hatchingMax) else { return [] }
        var lines: [(Point, Point)] = []
        var y = box.minY + gap / 2
        while y < box.maxY {
            var crossings: [Double] = []
            for index in turned.indices {
                let (a, b) = (turned[index], turned[(index + 1) % turned.count])
                guard (a.y <= y) != (b.y <= y) else { continue }
                crossings.append(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                func back(_ x: Double) -> Point { Point(x: cosine * x - sine * y, y: sine * x + cosine * y) }
                lines.append((back(crossings[pair]), back(crossings[pair + 1])))
            }
            guard lines.count < hatchingMax else { return lines }
            y += gap
        }
        return lines
    }
}
