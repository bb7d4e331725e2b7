/// One impression of a brush. Lengths are canvas pixels.
package struct Stamp: Hashable, Sendable {
    package var center: Point
    /// The unit vector along the pattern, (cos a, sin a); for contour lines along the polyline.
    package var along: Point
    /// The factor k for every length of the stamp: the brush's scale times the effect of pressure.
    package var size: Double
    /// 0...1
    package var alpha: Float

    package init(center: Point, along: Point, size: Double, alpha: Float) {
        self.center = center
        self.along = along
        self.size = size
        self.alpha = alpha
    }

    /// Unit vector across: `along` rotated by +90 degrees in a space whose y axis points down.
    @inlinable
    package var across: Point { Point(x: -along.y, y: along.x) }
}

/// Places stamps at the arc lengths 0, d, 2d, ... of a smoothed path (spec sections 3.2 and 10.5).
struct StampPlacer: Sendable {
    private let path: SmoothedPath
    private let brush: Brush
    /// Distance between stamps, in canvas pixels.
    private let interval: Double
    private let fixedTurn: (sin: Double, cos: Double)
    private let pointsAlongPath: Bool

    /// - Parameter pointsAlongPath: whether stamps point along the path whatever the brush's angle is.
    init(path: SmoothedPath, brush: Brush, pointsAlongPath: Bool = false) {
        self.path = path
        self.brush = brush
        self.pointsAlongPath = pointsAlongPath
        interval = brush.stampDistance
        fixedTurn = sinCos(degrees: brush.rotation)
    }

    /// Size of the path in bytes.
    var byteCount: Int { path.byteCount }

    /// Number of stamps of the stroke; `Int.max` if it is too large to count.
    var count: Int {
        guard let length = path.arcLengths.last else { return 0 }
        // A tap has one stamp, whatever the interval. An interval that underflows gives too many to count.
        guard length > 0 else { return 1 }
        // A stamp within 1e-6 d of the end counts as at the end, where a closed path has its first one already.
        let count =
            path.isClosed
            ? max((length / interval - 1e-6).rounded(.up), 1) : (length / interval + 1e-6).rounded(.down) + 1
        return count < 1e15 ? Int(count) : .max
    }

    /// Some of the stamps, in arc-length order. A stamp does not depend on the range requested.
    ///
    /// - Parameters:
    ///   - range: within 0 ..< `count`, which was checked against the limit.
    ///   - segment: of the path, at or before the first stamp's; on return, the last stamp's.
    func stamps(_ range: Range<Int>, from segment: inout Int) -> [Stamp] {
        path.samples.withUnsafeBufferPointer { samples in
            path.arcLengths.withUnsafeBufferPointer { lengths in
                [Stamp](unsafeUninitializedCapacity: range.count) { stamps, made in
                    place(range, from: &segment, along: samples, lengths, into: stamps)
                    made = range.count
                }
            }
        }
    }

    private func place(
        _ range: Range<Int>, from segment: inout Int, along samples: UnsafeBufferPointer<SmoothedPath.Sample>,
        _ lengths: UnsafeBufferPointer<Double>, into stamps: UnsafeMutableBufferPointer<Stamp>
    ) {
        // A joint within 1e-6 d of an arc length counts as at it.
        let tolerance = 1e-6 * interval
        for index in range {
            let arcLength = Double(index) * interval
            // The later segment at a joint; the last one at the end.
            while segment + 2 < lengths.count, lengths[segment + 1] <= arcLength + tolerance { segment += 1 }
            let start = samples[segment]
            let end = samples.count == 1 ? start : samples[segment + 1]
            let length = samples.count == 1 ? 0 : lengths[segment + 1] - lengths[segment]
            let t = length > 0 ? min(max((arcLength - lengths[segment]) / length, 0), 1) : 0
            stamps.initializeElement(
                at: index - range.lowerBound, to: stamp(t, from: start, to: end, isPoint: samples.count == 1))
        }
    }

    /// The stamp at `t`, 0 to 1, of a segment; `isPoint`: of the only sample.
    @inline(__always)
    private func stamp(
        _ t: Double, from a: SmoothedPath.Sample, to b: SmoothedPath.Sample, isPoint: Bool
    ) -> Stamp {
        let pressure = a.pressure + t * (b.pressure - a.pressure)
        let azimuth = a.azimuth + t * (b.azimuth - a.azimuth)
        let turn = brush.dynamics.tiltAffectsRotation ? sinCos(degrees: brush.rotation + azimuth) : fixedTurn
        var along = Point(x: turn.cos, y: turn.sin)
        if pointsAlongPath || brush.followsPath, !isPoint {
            let step = b.position - a.position
            let direction = (1 / step.length) * step
            // Angles are added by turning a direction, which takes no arc function.
            along =
                pointsAlongPath
                ? direction
                : Point(
                    x: along.x * direction.x - along.y * direction.y, y: along.y * direction.x + along.x * direction.y)
        }
        return Stamp(
            center: a.position + t * (b.position - a.position),
            along: along,
            size: brush.scale * brush.dynamics.size(pressure),
            alpha: Float(brush.opacity * brush.dynamics.opacity(pressure)))
    }
}
