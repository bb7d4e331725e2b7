/// A stroke's points after smoothing: a polyline, in canvas pixels, with pressure and azimuth along it.
///
/// Uniform Catmull-Rom through every point with phantom ends `2 p0 - p1` and `2 pn-1 - pn-2`, ten subdivisions a
/// segment. Consecutive samples differ in position, so every segment has a direction.
struct SmoothedPath: Sendable {
    /// One vertex of the polyline.
    struct Sample: Hashable, Sendable {
        var position: Point
        /// 0...1
        var pressure: Double
        /// Degrees, unwrapped: neighbours differ the short way round and may lie outside 0..<360.
        var azimuth: Double
    }

    static let subdivisions = 10

    private(set) var samples: [Sample]
    /// The mean pressure of the stroke's points after merging, not of the samples.
    let meanPressure: Double

    /// - Parameter points: may be empty; the path then has no samples.
    init(_ points: [StrokePoint]) {
        let merged = SmoothedPath.merged(points)
        meanPressure = merged.isEmpty ? 0 : merged.reduce(0) { $0 + $1.pressure } / Double(merged.count)
        samples = []
        guard let last = merged.last else { return }
        samples.reserveCapacity((merged.count - 1) * SmoothedPath.subdivisions + 1)
        for i in 0..<(merged.count - 1) { appendSegment(i, of: merged) }
        append(last)
    }

    /// Drops all but the last of consecutive points of exactly equal position, and unwraps the azimuth.
    private static func merged(_ points: [StrokePoint]) -> [Sample] {
        var merged: [Sample] = []
        merged.reserveCapacity(points.count)
        for point in points {
            let sample = Sample(
                position: Point(x: point.x, y: point.y), pressure: point.pressure, azimuth: point.azimuth)
            if merged.last?.position == sample.position {
                merged[merged.count - 1] = sample
            } else {
                merged.append(sample)
            }
        }
        for i in merged.indices.dropFirst() {
            let turn = merged[i].azimuth - merged[i - 1].azimuth
            merged[i].azimuth = merged[i - 1].azimuth + shortest(turn)
        }
        return merged
    }

    /// The turn the short way round, -180...180 degrees. Half a turn keeps the sense in which the numbers run.
    private static func shortest(_ turn: Double) -> Double {
        let rest = turn.truncatingRemainder(dividingBy: 360)
        if rest > 180 { return rest - 360 }
        return rest < -180 ? rest + 360 : rest
    }

    private mutating func appendSegment(_ i: Int, of points: [Sample]) {
        let p1 = points[i].position
        let p2 = points[i + 1].position
        let p0 = i > 0 ? points[i - 1].position : 2 * p1 - p2
        let p3 = i + 2 < points.count ? points[i + 2].position : 2 * p2 - p1
        for step in 0..<SmoothedPath.subdivisions {
            let t = Double(step) / Double(SmoothedPath.subdivisions)
            append(
                Sample(
                    position: SmoothedPath.catmullRom(p0, p1, p2, p3, t),
                    pressure: points[i].pressure + t * (points[i + 1].pressure - points[i].pressure),
                    azimuth: points[i].azimuth + t * (points[i + 1].azimuth - points[i].azimuth)))
        }
    }

    /// Keeps the later of two samples at one place, as for points: a segment without length has no direction.
    private mutating func append(_ sample: Sample) {
        if samples.last?.position == sample.position {
            samples[samples.count - 1] = sample
        } else {
            samples.append(sample)
        }
    }

    /// The uniform Catmull-Rom spline between p1 (t = 0) and p2 (t = 1).
    static func catmullRom(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point, _ t: Double) -> Point {
        func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
            let linear = c - a
            let square = 2 * a - 5 * b + 4 * c - d
            let cube = 3 * (b - c) + d - a
            return b + 0.5 * t * (linear + t * (square + t * cube))
        }
        return Point(x: value(p0.x, p1.x, p2.x, p3.x), y: value(p0.y, p1.y, p2.y, p3.y))
    }
}
