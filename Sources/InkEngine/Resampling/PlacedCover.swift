/// How much of each pixel lies inside of a placed image's rectangle (spec section 8.3). It depends on the pixel alone, so
/// that tiles and cells do not show.
struct PlacedCover: Sendable {
    /// The middle of the rectangle, output pixels.
    let center: Point
    private let halfWidth: Double
    private let halfHeight: Double
    let sine: Double
    let cosine: Double
    private let corners: [Point]

    /// A cover this close to 0 or 1 is 0 or 1: edges that lie on those of pixels but for rounding errors are sharp, and
    /// what lies inside of the rectangle stays opaque.
    private static let leastShare = 0x1p-20
    /// How far beyond an edge a pixel may reach, in output pixels, and still count as inside: its cover is 1 after rounding.
    private static let tolerance = 0x1p-24

    /// - Parameters:
    ///   - width: of the rectangle before it is turned clockwise about its centre, output pixels, above 0.
    ///   - height: likewise.
    init(center: Point, width: Double, height: Double, sine: Double = 0, cosine: Double = 1) {
        (self.center, self.sine, self.cosine) = (center, sine, cosine)
        (halfWidth, halfHeight) = (width / 2, height / 2)
        let right = Point(x: halfWidth * cosine, y: halfWidth * sine)
        let down = Point(x: -halfHeight * sine, y: halfHeight * cosine)
        corners = [center - right - down, center + right - down, center + right + down, center - right + down]
    }

    /// The pixels of `rect` that the box around the rectangle meets; nil if there are none.
    func bounds(in rect: PixelRect) -> PixelRect? {
        var box = Rect.empty
        for corner in corners { box.formUnion(corner) }
        let columns = Self.pixels(box.minX, box.maxX, in: rect.columns)
        let rows = Self.pixels(box.minY, box.maxY, in: rect.rows)
        guard !columns.isEmpty, !rows.isEmpty else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// Whether all pixels of `rect` lie inside.
    func contains(_ rect: PixelRect) -> Bool {
        [rect.x, rect.x + rect.width].allSatisfy { x in
            [rect.y, rect.y + rect.height].allSatisfy { y in
                let (u, v) = inside(Double(x), Double(y))
                return abs(u) <= halfWidth + Self.tolerance && abs(v) <= halfHeight + Self.tolerance
            }
        }
    }

    /// Some pixels of a row.
    struct Row {
        /// Those of which something lies inside.
        var seen: Range<Int>
        /// Those of them that lie inside as a whole.
        var whole: Range<Int>
    }

    /// The cover of the pixels `columns` of row `y`.
    ///
    /// - Parameter shares: gets the cover of those that are seen, but not as a whole; the first of `columns` comes first.
    func row(_ y: Int, _ columns: Range<Int>, into shares: UnsafeMutablePointer<Float>) -> Row {
        let (upper, lower) = (span(Double(y)), span(Double(y + 1)))
        var (low, high) = (min(upper.low, lower.low), max(upper.high, lower.high))
        for corner in corners where corner.y > Double(y) && corner.y < Double(y + 1) {
            (low, high) = (min(low, corner.x), max(high, corner.x))
        }
        let seen = Self.pixels(low, high, in: columns)
        // The rectangle is convex: a pixel lies inside if its upper and its lower edge do.
        let first = Self.bounded((max(upper.low, lower.low) - Self.tolerance).rounded(.up), in: seen)
        let end = Self.bounded((min(upper.high, lower.high) + Self.tolerance).rounded(.down), in: seen)
        let whole = first < end ? first..<end : seen.upperBound..<seen.upperBound
        for x in seen where !whole.contains(x) { shares[x - columns.lowerBound] = share(x, y) }
        return Row(seen: seen, whole: whole)
    }

    /// The numbers of `range` whose unit intervals share something worth mentioning with an interval.
    private static func pixels(_ low: Double, _ high: Double, in range: Range<Int>) -> Range<Int> {
        let first = bounded((low + leastShare).rounded(.down), in: range)
        return first..<max(first, bounded((high - leastShare).rounded(.up), in: range))
    }

    private static func bounded(_ value: Double, in range: Range<Int>) -> Int {
        Int(min(max(value, Double(range.lowerBound)), Double(range.upperBound)))
    }

    /// A place of the output as it is seen from the rectangle: from its centre, along its edges.
    private func inside(_ x: Double, _ y: Double) -> (u: Double, v: Double) {
        let (dx, dy) = (x - center.x, y - center.y)
        return (cosine * dx + sine * dy, cosine * dy - sine * dx)
    }

    /// What the rectangle, grown by the tolerance, contains of a horizontal line; `low` is above `high` if that is nothing.
    private func span(_ y: Double) -> (low: Double, high: Double) {
        let dy = y - center.y
        var (low, high) = (-Double.infinity, Double.infinity)
        // Where |slope * dx + offset| is at most `half`.
        func cut(_ slope: Double, _ offset: Double, _ half: Double) {
            let (a, b) = ((-half - offset) / slope, (half - offset) / slope)
            if slope == 0 {
                if abs(offset) > half { (low, high) = (.infinity, -.infinity) }
            } else {
                (low, high) = (max(low, min(a, b)), min(high, max(a, b)))
            }
        }
        cut(cosine, sine * dy, halfWidth + Self.tolerance)
        cut(-sine, cosine * dy, halfHeight + Self.tolerance)
        return low <= high ? (center.x + low, center.x + high) : (.infinity, -.infinity)
    }

    /// The area of a pixel inside of the rectangle: its square, cut along the four edges.
    private func share(_ x: Int, _ y: Int) -> Float {
        let (u, v) = inside(Double(x) + 0.5, Double(y) + 0.5)
        let (a, b) = ((cosine + sine) / 2, (cosine - sine) / 2)
        var polygon = [
            Point(x: u + a, y: v + b), Point(x: u - b, y: v + a), Point(x: u - a, y: v - b), Point(x: u + b, y: v - a),
        ]
        polygon = Self.cut(polygon) { halfWidth - $0.x }
        polygon = Self.cut(polygon) { halfWidth + $0.x }
        polygon = Self.cut(polygon) { halfHeight - $0.y }
        polygon = Self.cut(polygon) { halfHeight + $0.y }
        guard let first = polygon.first else { return 0 }
        var twice = 0.0
        for index in polygon.indices.dropFirst(2) {
            let (p, q) = (polygon[index - 1] - first, polygon[index] - first)
            twice += p.x * q.y - p.y * q.x
        }
        let area = abs(twice) / 2
        return area < Self.leastShare ? 0 : area > 1 - Self.leastShare ? 1 : Float(area)
    }

    /// The part of a convex polygon in which `depth`, which is linear, is not below 0.
    private static func cut(_ polygon: [Point], _ depth: (Point) -> Double) -> [Point] {
        var kept: [Point] = []
        kept.reserveCapacity(polygon.count + 1)
        for (index, p) in polygon.enumerated() {
            let q = polygon[index + 1 == polygon.count ? 0 : index + 1]
            let (here, there) = (depth(p), depth(q))
            if here >= 0 { kept.append(p) }
            if (here < 0) != (there < 0) { kept.append(p + (here / (here - there)) * (q - p)) }
        }
        return kept
    }
}
