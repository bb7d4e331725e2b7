package import InkEngine

/// One point of a smoothed stroke, canvas space.
package struct PathSample: Hashable, Sendable {
    package var position: Point
    /// 0...1
    package var pressure: Double
    /// Degrees, unwrapped over the stroke: may lie outside 0..<360.
    package var azimuth: Double

    package init(position: Point, pressure: Double, azimuth: Double) {
        self.position = position
        self.pressure = pressure
        self.azimuth = azimuth
    }
}

/// Spec 3.1: "Consecutive points of exactly equal position are merged first: the later one replaces the earlier."
package func mergingCoincidentPoints(_ points: [StrokePoint]) -> [StrokePoint] {
    var merged: [StrokePoint] = []
    for point in points {
        if let last = merged.last, last.x == point.x, last.y == point.y {
            merged[merged.count - 1] = point
        } else {
            merged.append(point)
        }
    }
    return merged
}

/// Spec 3.1: "azimuth the short way round (unwrapped over the whole stroke, so that later interpolation never goes
/// the long way)". Between two ways of exactly 180 degrees the one that the numbers themselves take is kept.
package func unwrappedAzimuths(_ points: [StrokePoint]) -> [Double] {
    var unwrapped: [Double] = []
    for point in points {
        guard let previous = unwrapped.last else {
            unwrapped.append(point.azimuth)
            continue
        }
        var turn = (point.azimuth - previous).truncatingRemainder(dividingBy: 360)
        if turn > 180 { turn -= 360 }
        if turn < -180 { turn += 360 }
        unwrapped.append(previous + turn)
    }
    return unwrapped
}

/// Spec 3.1: "Uniform Catmull-Rom through all points, 10 subdivisions a segment": 10 (n - 1) + 1 samples for n points
/// (after merging). "One point stays one point." No points give no samples.
package func smoothedPath(_ strokePoints: [StrokePoint]) -> [PathSample] {
    let points = mergingCoincidentPoints(strokePoints)
    let azimuths = unwrappedAzimuths(points)
    let p = points.map { Point(x: $0.x, y: $0.y) }
    let last = p.count - 1
    guard last >= 0 else { return [] }
    var samples: [PathSample] = []
    for i in 0..<last {
        // "phantom ends p-1 = 2 p0 - p1 and pn = 2 pn-1 - pn-2"
        let before = i > 0 ? p[i - 1] : 2 * p[0] - p[1]
        let after = i + 2 <= last ? p[i + 2] : 2 * p[last] - p[last - 1]
        // "segment i gives the points at t = 0, 0.1, ... 0.9"
        for step in 0..<10 {
            let t = Double(step) / 10
            samples.append(
                PathSample(
                    position: catmullRom(before, p[i], p[i + 1], after, t),
                    // "Pressure, altitude and azimuth are interpolated linearly between p[i] and p[i+1]"
                    pressure: mix(points[i].pressure, points[i + 1].pressure, t),
                    azimuth: mix(azimuths[i], azimuths[i + 1], t)))
        }
    }
    // "and the last point is added at the end"
    samples.append(PathSample(position: p[last], pressure: points[last].pressure, azimuth: azimuths[last]))
    return samples
}

/// The uniform Catmull-Rom spline from `b` (t = 0) to `c` (t = 1), with tangents (c - a) / 2 and (d - b) / 2.
func catmullRom(_ a: Point, _ b: Point, _ c: Point, _ d: Point, _ t: Double) -> Point {
    let constant = 2 * b
    let linear = c - a
    let quadratic = 2 * a - 5 * b + 4 * c - d
    let cubic = 3 * b - a - 3 * c + d
    return 0.5 * (constant + t * linear + (t * t) * quadratic + (t * t * t) * cubic)
}
