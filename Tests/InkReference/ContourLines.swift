package import InkEngine

/// One quad of contour lines, canvas space.
package struct ContourQuad: Hashable, Sendable {
    /// Two across a station, then two across the next one, in order round the quad.
    package var corners: [Point]
    package var alpha: Double

    package init(corners: [Point], alpha: Double) {
        self.corners = corners
        self.alpha = alpha
    }
}

/// Spec 3.3: "for i = -3...3 and each pair of neighbouring stations a quad", those that are not "left out", in arc-length
/// order.
///
/// Precondition: there are several stations; one "draws parallelLines".
package func contourQuads(of stations: [Stamp], brush: Brush) -> [ContourQuad] {
    precondition(stations.count > 1)
    return zip(stations, stations.dropFirst()).flatMap { station, next in contourQuads(station, next, brush) }
}

private func contourQuads(_ station: Stamp, _ next: Stamp, _ brush: Brush) -> [ContourQuad] {
    let from = StampFrame(station, brush)
    let to = StampFrame(next, brush)
    // "the unit vector across the polyline's direction at that arc length: direction rotated by +90 in canvas space"
    let n = Point(x: -station.direction.y, y: station.direction.x)
    let m = Point(x: -next.direction.y, y: next.direction.x)
    // "or whose normals have n_j . n_j+1 <= 0, is left out"
    guard dot(n, m) > 0 else { return [] }
    // "with alpha_j the mean of both stations' alphas"
    let alpha = (stampAlpha(station, brush) + stampAlpha(next, brush)) / 2
    return (-3...3).compactMap { i -> ContourQuad? in
        let offset = Double(i)
        // "one whose middle line runs against the stroke (its end minus its start, times c_j+1 - c_j, is not above 0)"
        let middle = (to.c + (offset * to.p) * m) - (from.c + (offset * from.p) * n)
        guard dot(middle, to.c - from.c) > 0 else { return nil }
        // "the corners c_j + (i P_j +- w_j / 2) n_j and c_j+1 + (i P_j+1 +- w_j+1 / 2) n_j+1"
        return ContourQuad(
            corners: [
                from.c + (offset * from.p - from.w / 2) * n, from.c + (offset * from.p + from.w / 2) * n,
                to.c + (offset * to.p + to.w / 2) * m, to.c + (offset * to.p - to.w / 2) * m,
            ], alpha: alpha)
    }
}

private func dot(_ a: Point, _ b: Point) -> Double { a.x * b.x + a.y * b.y }

extension CoverageScanner {
    /// Spec 3.3: "the stroke leaves A = min(the largest alpha_j of the quads that cover more than 0 of the pixel, the sum of
    /// alpha_j * the area of the pixel that quad j covers)". Row-major, one number a pixel.
    package func alpha(of quads: [ContourQuad]) -> [Double] {
        // Below this what is covered is an error of rounding.
        let nothing = 1e-9
        var sums = [Double](repeating: 0, count: output.area)
        var largest = sums
        for quad in quads {
            let corners = quad.corners.map { Point(x: $0.x * scaleX, y: $0.y * scaleY) }
            forEachPixel(of: corners) { pixel, area in
                guard area > nothing else { return }
                sums[pixel] += quad.alpha * area
                largest[pixel] = max(largest[pixel], quad.alpha)
            }
        }
        return zip(sums, largest).map { min($0, $1) }
    }

    /// Calls `body` with each pixel of the picture that a quad may cover and the area of what it winds round at all.
    ///
    /// The quad's winding is the sum of those of the triangles on both sides of a diagonal. Where these turn the same way they
    /// lie beside each other; else they take from each other what they share.
    private func forEachPixel(of corners: [Point], _ body: (_ pixel: Int, _ area: Double) -> Void) {
        let first = [corners[0], corners[1], corners[2]]
        let second = [corners[0], corners[2], corners[3]]
        var pieces = [(first, 1.0), (second, 1.0)]
        if doubleArea(first) * doubleArea(second) < 0 {
            pieces.append((clipped(first, by: second), -2))
        }
        for row in pixels(corners.map(\.y), limit: output.height) {
            let inRow = pieces.map { piece, weight in
                (between(piece, \.y, Double(row), Double(row + 1)), weight)
            }
            // What both triangles share lies in each of them.
            let columns = pixels(inRow[0].0.map(\.x) + inRow[1].0.map(\.x), limit: output.width)
            for column in columns {
                let area = inRow.reduce(0) { sum, piece in
                    sum + piece.1 * abs(doubleArea(between(piece.0, \.x, Double(column), Double(column + 1)))) / 2
                }
                body(row * output.width + column, area)
            }
        }
    }

    private func pixels(_ places: [Double], limit: Int) -> Range<Int> {
        guard let least = places.min(), let greatest = places.max() else { return 0..<0 }
        let low = min(max(least.rounded(.down), 0), Double(limit))
        let high = min(max(greatest.rounded(.up), low), Double(limit))
        return Int(low)..<Int(high)
    }

    /// The part of a convex polygon where a coordinate is within two limits.
    private func between(_ polygon: [Point], _ coordinate: KeyPath<Point, Double>, _ low: Double, _ high: Double)
        -> [Point]
    {
        cut(cut(polygon) { $0[keyPath: coordinate] - low }) { high - $0[keyPath: coordinate] }
    }

    /// The part of a convex polygon inside a triangle.
    private func clipped(_ polygon: [Point], by triangle: [Point]) -> [Point] {
        let sign = doubleArea(triangle) < 0 ? -1.0 : 1
        return (0..<3).reduce(polygon) { rest, i in
            let from = triangle[i]
            let to = triangle[(i + 1) % 3]
            return cut(rest) { sign * ((to.x - from.x) * ($0.y - from.y) - (to.y - from.y) * ($0.x - from.x)) }
        }
    }

    /// The part of a convex polygon where `side` is not below 0 (Sutherland and Hodgman).
    private func cut(_ polygon: [Point], _ side: (Point) -> Double) -> [Point] {
        var kept: [Point] = []
        for (a, b) in zip(polygon, polygon.dropFirst() + polygon.prefix(1)) {
            let (sideA, sideB) = (side(a), side(b))
            if sideA >= 0 { kept.append(a) }
            if sideA * sideB < 0 { kept.append(a + (sideA / (sideA - sideB)) * (b - a)) }
        }
        return kept
    }

    /// Twice the area of a polygon, negative where it turns the other way.
    private func doubleArea(_ polygon: [Point]) -> Double {
        guard let origin = polygon.first else { return 0 }
        return zip(polygon.dropFirst(), polygon.dropFirst(2)).reduce(0) { sum, edge in
            let (a, b) = (edge.0 - origin, edge.1 - origin)
            return sum + a.x * b.y - a.y * b.x
        }
    }
}
