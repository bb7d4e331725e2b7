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

/// A point of a stroke with its azimuth unwrapped.
private struct Knot {
    var position: Point
    var pressure: Double
    var azimuth: Double

    var sample: PathSample { PathSample(position: position, pressure: pressure, azimuth: azimuth) }
}

/// The polyline of a stroke (spec 3.1 and 10.1). No points give no samples.
///
/// Uniform: "Uniform Catmull-Rom through all points, 10 subdivisions a segment": 10 (n - 1) + 1 samples for n points
/// (after merging). "One point stays one point." A closed one has a segment more and "ends where it began".
package func smoothedPath(
    _ strokePoints: [StrokePoint], smoothing: Smoothing = .uniform, isClosed: Bool = false
) -> [PathSample] {
    var points = mergingCoincidentPoints(strokePoints)
    guard let first = points.first else { return [] }
    // "`closed` means nothing to a single point"
    let isClosed = isClosed && points.count > 1
    // "the last point is joined to the first (a last point equal to the first is dropped before)"
    if isClosed, let last = points.last, last.x == first.x, last.y == first.y { points.removeLast() }
    if isClosed { points.append(first) }
    let knots = zip(points, unwrappedAzimuths(points)).map { point, azimuth in
        Knot(position: Point(x: point.x, y: point.y), pressure: point.pressure, azimuth: azimuth)
    }
    // "`none` (the points themselves, corners and all)"
    guard smoothing != .none, knots.count > 1 else { return knots.map(\.sample) }
    let last = knots.count - 1
    func place(_ i: Int) -> Point {
        // "smoothing takes its neighbours round the corner"
        if isClosed { return knots[(i + last) % last].position }
        // "phantom ends p-1 = 2 p0 - p1 and pn = 2 pn-1 - pn-2"
        if i < 0 { return 2 * knots[0].position - knots[1].position }
        if i > last { return 2 * knots[last].position - knots[last - 1].position }
        return knots[i].position
    }
    let curve = smoothing == .centripetal ? centripetalCatmullRom : catmullRom
    var samples: [PathSample] = []
    for i in 0..<last {
        let (from, to) = (knots[i], knots[i + 1])
        // "segment i gives the points at t = 0, 0.1, ... 0.9"
        for step in 0..<10 {
            let t = Double(step) / 10
            samples.append(
                PathSample(
                    position: curve(place(i - 1), from.position, to.position, place(i + 2), t),
                    // "Pressure, altitude and azimuth are interpolated linearly between p[i] and p[i+1]"
                    pressure: mix(from.pressure, to.pressure, t), azimuth: mix(from.azimuth, to.azimuth, t)))
        }
    }
    // "and the last point is added at the end"
    return samples + [knots[last].sample]
}

/// The polyline of a stroke.
package func smoothedPath(_ stroke: Stroke) -> [PathSample] {
    smoothedPath(stroke.points, smoothing: stroke.smoothing, isClosed: stroke.isClosed)
}

/// The uniform Catmull-Rom spline from `b` (t = 0) to `c` (t = 1), with tangents (c - a) / 2 and (d - b) / 2.
func catmullRom(_ a: Point, _ b: Point, _ c: Point, _ d: Point, _ t: Double) -> Point {
    let constant = 2 * b
    let linear = c - a
    let quadratic = 2 * a - 5 * b + 4 * c - d
    let cubic = 3 * b - a - 3 * c + d
    return 0.5 * (constant + t * linear + (t * t) * quadratic + (t * t * t) * cubic)
}

/// Spec 10.1: "Catmull-Rom with knots t_i+1 = t_i + sqrt(|p_i+1 - p_i|), evaluated at the same ten places of each segment by
/// Barry and Goldman's pyramid", from `b` (fraction 0) to `c` (fraction 1).
func centripetalCatmullRom(_ a: Point, _ b: Point, _ c: Point, _ d: Point, _ fraction: Double) -> Point {
    let t0 = 0.0
    let t1 = t0 + distance(a, b).squareRoot()
    let t2 = t1 + distance(b, c).squareRoot()
    let t3 = t2 + distance(c, d).squareRoot()
    let t = mix(t1, t2, fraction)
    func level(_ p: Point, _ q: Point, _ from: Double, _ to: Double) -> Point {
        ((to - t) / (to - from)) * p + ((t - from) / (to - from)) * q
    }
    let (a1, a2, a3) = (level(a, b, t0, t1), level(b, c, t1, t2), level(c, d, t2, t3))
    let (b1, b2) = (level(a1, a2, t0, t2), level(a2, a3, t1, t3))
    return level(b1, b2, t1, t2)
}
