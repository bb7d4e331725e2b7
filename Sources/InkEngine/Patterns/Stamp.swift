/// One impression of a brush. Lengths are canvas pixels.
struct Stamp: Hashable, Sendable {
    var center: Point
    /// The unit vector along the pattern, (cos a, sin a). For contour lines: along the polyline, turned by a, so that
    /// the normal is its turn by +90 degrees.
    var along: Point
    /// The factor k on every length of the stamp: the brush's scale times what pressure makes of it.
    var size: Double
    /// 0...1
    var alpha: Float

    /// The unit vector across: `along` turned by +90 degrees in a space whose y points down.
    var across: Point { Point(x: -along.y, y: along.x) }
}

/// Puts stamps at the arc lengths 0, d, 2d, ... of a smoothed path.
struct StampPlacer {
    private let path: SmoothedPath
    private let brush: Brush
    /// Arc length of each sample, canvas pixels.
    private let arcLengths: [Double]
    /// Canvas pixels between stamps.
    private let interval: Double

    init(path: SmoothedPath, brush: Brush) {
        self.path = path
        self.brush = brush
        arcLengths = StampPlacer.arcLengths(of: path)
        interval = brush.spacing * brush.scale
    }

    private static func arcLengths(of path: SmoothedPath) -> [Double] {
        var lengths: [Double] = []
        lengths.reserveCapacity(path.samples.count)
        var sum = 0.0
        for (i, sample) in path.samples.enumerated() {
            if i > 0 { sum += (sample.position - path.samples[i - 1].position).length }
            lengths.append(sum)
        }
        return lengths
    }

    /// How many stamps the stroke has; `Int.max` where that is beyond counting.
    var count: Int {
        guard let length = arcLengths.last else { return 0 }
        // A tap leaves one stamp, whatever the interval; one that underflows leaves more than can be counted.
        guard length > 0 else { return 1 }
        // A stamp within 1e-6 d of the end counts as at it.
        let count = (length / interval + 1e-6).rounded(.down) + 1
        return count < 1e15 ? Int(count) : .max
    }

    /// The stamps in arc-length order.
    ///
    /// - Precondition: `count` was checked against the limit.
    func stamps() -> [Stamp] {
        guard !path.samples.isEmpty else { return [] }
        let fixedTurn = sinCos(degrees: brush.rotation)
        // A joint within 1e-6 d of an arc length counts as at it.
        let tolerance = 1e-6 * interval
        var stamps: [Stamp] = []
        stamps.reserveCapacity(count)
        var segment = 0
        for index in 0..<count {
            let arcLength = Double(index) * interval
            // The later segment at a joint; the last one at the end.
            while segment + 2 < arcLengths.count, arcLengths[segment + 1] <= arcLength + tolerance { segment += 1 }
            stamps.append(stamp(at: arcLength, segment: segment, fixedTurn: fixedTurn))
        }
        return stamps
    }

    private func stamp(at arcLength: Double, segment: Int, fixedTurn: (sin: Double, cos: Double)) -> Stamp {
        let a = path.samples[segment]
        let b = path.samples.count == 1 ? a : path.samples[segment + 1]
        let length = path.samples.count == 1 ? 0 : arcLengths[segment + 1] - arcLengths[segment]
        let t = length > 0 ? min(max((arcLength - arcLengths[segment]) / length, 0), 1) : 0
        let pressure = a.pressure + t * (b.pressure - a.pressure)
        let azimuth = a.azimuth + t * (b.azimuth - a.azimuth)
        let turn = brush.dynamics.tiltAffectsRotation ? sinCos(degrees: brush.rotation + azimuth) : fixedTurn
        var along = Point(x: turn.cos, y: turn.sin)
        if brush.type == .contourLines, path.samples.count > 1 {
            let step = b.position - a.position
            let direction = (1 / step.length) * step
            along = Point(
                x: direction.x * turn.cos - direction.y * turn.sin, y: direction.x * turn.sin + direction.y * turn.cos)
        }
        return Stamp(
            center: a.position + t * (b.position - a.position),
            along: along,
            size: brush.scale * (brush.dynamics.pressureAffectsSize ? 0.5 + 0.5 * pressure : 1),
            alpha: Float(brush.opacity * (brush.dynamics.pressureAffectsOpacity ? pressure : 1)))
    }
}
