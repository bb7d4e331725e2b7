package import InkEngine

/// One stamp of a stroke, before it has a shape. Canvas space.
package struct Stamp: Hashable, Sendable {
    package var center: Point
    package var pressure: Double
    /// Degrees, unwrapped.
    package var azimuth: Double
    /// Unit vector of the polyline's direction at the stamp; (1, 0) for a stroke of one point.
    package var direction: Point

    package init(center: Point, pressure: Double, azimuth: Double, direction: Point) {
        self.center = center
        self.pressure = pressure
        self.azimuth = azimuth
        self.direction = direction
    }
}

/// Spec 3.2: "stamps lie at the arc lengths 0, d, 2d, ... up to its length, each placed by linear interpolation within
/// its polyline segment, pressure and angles likewise". Spec 10.1: of closed strokes "no stamp lies at its full length".
package func stamps(along path: [PathSample], every d: Double, isClosed: Bool = false) -> [Stamp] {
    guard let first = path.first else { return [] }
    // "A tap leaves one stamp."
    guard path.count > 1 else {
        return [
            Stamp(
                center: first.position, pressure: first.pressure, azimuth: first.azimuth, direction: Point(x: 1, y: 0))
        ]
    }
    var arcLengths = [0.0]
    for i in 1..<path.count { arcLengths.append(arcLengths[i - 1] + distance(path[i - 1].position, path[i].position)) }
    let length = arcLengths[path.count - 1]
    // "A stamp or a joint within 1e-6 d of an arc length counts as at it."
    let tolerance = 1e-6 * d
    var result: [Stamp] = []
    var segment = 0
    var index = 0
    let end = isClosed ? length - tolerance : length + tolerance
    while index == 0 || (isClosed ? Double(index) * d < end : Double(index) * d <= end) {
        let s = Double(index) * d
        // "(at a joint, the later one; at the end, the last)"
        while segment + 2 < path.count, arcLengths[segment + 1] <= s + tolerance { segment += 1 }
        result.append(stamp(at: s, segment: segment, path: path, arcLengths: arcLengths))
        index += 1
    }
    return result
}

private func stamp(at s: Double, segment: Int, path: [PathSample], arcLengths: [Double]) -> Stamp {
    let from = path[segment]
    let to = path[segment + 1]
    let segmentLength = arcLengths[segment + 1] - arcLengths[segment]
    let t = segmentLength > 0 ? min(max((s - arcLengths[segment]) / segmentLength, 0), 1) : 0
    return Stamp(
        center: from.position + t * (to.position - from.position),
        pressure: mix(from.pressure, to.pressure, t),
        azimuth: mix(from.azimuth, to.azimuth, t),
        direction: direction(ofSegment: segment, path: path))
}

/// A segment of no length has no direction of its own; it takes that of the nearest earlier one, else of a later one.
private func direction(ofSegment segment: Int, path: [PathSample]) -> Point {
    for candidate in Array((0...segment).reversed()) + Array(segment..<(path.count - 1)) {
        let step = path[candidate + 1].position - path[candidate].position
        let length = distance(path[candidate].position, path[candidate + 1].position)
        if length > 0 { return (1 / length) * step }
    }
    return Point(x: 1, y: 0)
}
