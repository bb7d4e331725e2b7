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
struct StampPlacer: Sendable {
    private let path: SmoothedPath
    private let brush: Brush
    /// Canvas pixels between stamps.
    private let interval: Double
    private let fixedTurn: (sin: Double, cos: Double)

    init(path: SmoothedPath, brush: Brush) {
        self.path = path
        self.brush = brush
        interval = brush.spacing * brush.scale
        fixedTurn = sinCos(degrees: brush.rotation)
    }

    /// Bytes that the path takes.
    var byteCount: Int { path.byteCount }

    /// How many stamps the stroke has; `Int.max` where that is beyond counting.
    var count: Int {
        guard let length = path.arcLengths.last else { return 0 }
        // A tap leaves one stamp, whatever the interval; one that underflows leaves more than can be counted.
        guard length > 0 else { return 1 }
        // A stamp within 1e-6 d of the end counts as at it.
        let count = (length / interval + 1e-6).rounded(.down) + 1
        return count < 1e15 ? Int(count) : .max
    }

    /// Some of the stamps, in arc-length order; the same ones whichever others are asked for with them.
    ///
    /// - Parameters:
    ///   - range: within 0 ..< `count`, which was checked against the limit.
    ///   - segment: of the path, at or before the first stamp's; afterwards the last stamp's.
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
        if brush.type == .contourLines, !isPoint {
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
