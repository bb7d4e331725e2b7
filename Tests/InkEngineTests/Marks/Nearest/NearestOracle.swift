@testable import InkEngine

/// What the nearest place of a stroke's line says about points, evaluated as spec sections 10.2 and 10.3 have it, with many
/// samples a pixel.
struct NearestOracle {
    let brush: Brush
    private let vertices: [(position: Point, pressure: Double)]
    private let isClosed: Bool

    /// Samples of a pixel in either direction.
    var samples = 32

    init(_ stroke: Stroke) {
        brush = stroke.brush
        vertices = SmoothedPath(stroke.points).samples.map { ($0.position, $0.pressure) }
        isClosed = vertices.count > 1 && vertices[0].position == vertices[vertices.count - 1].position
    }

    /// A place of the line.
    private struct Place {
        var distance: Double
        var pressure: Double
        /// Whether it is an end behind which the point lies.
        var isBehind = false
    }

    private func place(of q: Point, on segment: Int) -> Place {
        let (a, b) = (vertices[segment], vertices[min(segment + 1, vertices.count - 1)])
        let step = b.position - a.position, way = q - a.position
        let squared = step.x * step.x + step.y * step.y
        let along = squared > 0 ? (way.x * step.x + way.y * step.y) / squared : 0
        let t = min(max(along, 0), 1)
        let hasEnds = !isClosed && vertices.count > 1
        return Place(
            distance: (way - t * step).length, pressure: a.pressure + t * (b.pressure - a.pressure),
            isBehind: hasEnds && (along < 0 && segment == 0 || along > 1 && segment == vertices.count - 2))
    }

    /// The nearest place that counts, among those on some segments.
    private func nearest(_ q: Point, _ segments: [Int], tie: Double) -> Place {
        var least = Double.infinity
        for segment in segments { least = min(least, place(of: q, on: segment).distance) }
        var found: Place?
        for segment in segments {
            let place = place(of: q, on: segment)
            guard place.distance <= least + tie else { continue }
            // The first counts, but it is not left out if another place is no end.
            if found == nil { found = place } else if !place.isBehind { found?.isBehind = false }
        }
        return found ?? Place(distance: .infinity, pressure: 0)
    }

    private func alpha(_ place: Place) -> Double { brush.opacity * brush.dynamics.opacity(place.pressure) }

    private func lineAlpha(_ place: Place) -> Double {
        let k = brush.scale * brush.dynamics.size(place.pressure)
        guard k > 0, brush.caps == .round || !place.isBehind else { return 0 }
        let (p, w) = (brush.spacing * k, brush.lineWidth * k)
        let j = min((place.distance / p).rounded(), Double(brush.lines / 2))
        return abs(place.distance - j * p) <= w / 2 ? alpha(place) : 0
    }

    /// What contour lines take of each pixel of a picture, row-major.
    func lines(_ size: PixelSize, scale: OutputScale) -> [Float] {
        let reach = brush.scale * (Double(brush.lines / 2) * brush.spacing + brush.lineWidth / 2)
        return pixels(size, scale: scale, reach: reach + 4) { lineAlpha($1) }
    }

    /// What a shape takes of each pixel with the alpha that is at the nearest place.
    func shape(_ size: PixelSize, scale: OutputScale, contains: (Point) -> Bool) -> [Float] {
        pixels(size, scale: scale, reach: .infinity) { contains($0) ? alpha($1) : 0 }
    }

    /// - Parameter reach: how far from the line anything is, and two pixels more.
    private func pixels(
        _ size: PixelSize, scale: OutputScale, reach: Double, _ value: (Point, Place) -> Double
    ) -> [Float] {
        let all = Array(0..<max(vertices.count - 1, 1))
        return (0..<size.area).map { pixel in
            let (x, y) = (Double(pixel % size.width), Double(pixel / size.width))
            func point(_ i: Double, _ j: Double) -> Point { Point(x: (x + i) / scale.x, y: (y + j) / scale.y) }
            // All that may be nearest to a point of the pixel.
            let middle = point(0.5, 0.5), radius = (point(0, 0) - middle).length
            let distances = all.map { place(of: middle, on: $0).distance }
            let limit = (distances.min() ?? 0) + 2 * radius + 1e-9
            let near = all.filter { distances[$0] <= limit }
            if limit > reach { return 0 }
            var sum = 0.0
            for j in 0..<samples {
                for i in 0..<samples {
                    let q = point((Double(i) + 0.5) / Double(samples), (Double(j) + 0.5) / Double(samples))
                    sum += value(q, nearest(q, near, tie: 1e-6 / scale.largest))
                }
            }
            return Float(sum / Double(samples * samples))
        }
    }
}
