import CKernels

/// The points of a stroke after smoothing: a polyline in canvas pixels, with pressure and azimuth along it (spec sections
/// 3.1 and 10.1).
///
/// A Catmull-Rom spline, uniform or centripetal, through every point, with ten subdivisions per segment; or the points
/// themselves. The neighbours of an open path's ends are `2 p0 - p1` and `2 pn-1 - pn-2`; those of a closed one are found
/// round the corner, and it ends where it begins. Consecutive samples differ in position, so every segment has a
/// direction.
package struct SmoothedPath: Sendable {
    /// One vertex of the polyline. The fields are laid out as `ink_path.h` requires.
    struct Sample: Hashable, Sendable {
        var position: Point
        /// 0...1
        var pressure: Double
        /// Degrees, unwrapped: neighbours differ by at most half a turn, and values may lie outside 0..<360.
        var azimuth: Double
    }

    static let subdivisions = Int(INK_PATH_SUBDIVISIONS)

    private(set) var samples: [Sample]
    /// Distance along the polyline to each sample, in canvas pixels.
    private(set) var arcLengths: [Double]
    /// Whether the last sample is the first one again, but for whole turns of its azimuth. A single point has no ends to
    /// join.
    private(set) var isClosed: Bool
    /// Size of the samples in bytes.
    var byteCount: Int { samples.count * (MemoryLayout<Sample>.stride + MemoryLayout<Double>.stride) }
    /// The mean pressure of the stroke's points after merging, not of the samples.
    let meanPressure: Double

    init(_ stroke: Stroke, level: KernelLevel = .selected) {
        self.init(stroke.points, smoothing: stroke.smoothing, isClosed: stroke.isClosed, level: level)
    }

    /// - Parameter points: may be empty; the path then has no samples.
    init(
        _ points: [StrokePoint], smoothing: Smoothing = .uniform, isClosed: Bool = false,
        level: KernelLevel = .selected
    ) {
        var merged = SmoothedPath.merged(points)
        if isClosed, merged.count > 1, merged.last?.position == merged[0].position { merged.removeLast() }
        meanPressure = merged.isEmpty ? 0 : merged.reduce(0) { $0 + $1.pressure } / Double(merged.count)
        self.isClosed = isClosed && merged.count > 1
        if self.isClosed { merged.append(merged[0]) }
        SmoothedPath.unwrapAzimuths(&merged)
        samples = merged
        arcLengths = [Double](repeating: 0, count: merged.count)
        guard merged.count > 1 else { return }
        let kernels = ink_path_kernels(level.c).pointee
        switch smoothing {
        case .none: break
        case .uniform: smooth(by: kernels.smooth)
        case .centripetal: smooth(by: kernels.smooth_centripetally)
        }
        let areDistinct = samples.withUnsafeBytes { samples in
            let capacity = samples.count / MemoryLayout<Sample>.stride
            var areDistinct = false
            arcLengths = [Double](unsafeUninitializedCapacity: capacity) { lengths, count in
                guard let samples = samples.bindMemory(to: Double.self).baseAddress, let lengths = lengths.baseAddress
                else { return }
                areDistinct = kernels.measure(samples, capacity, lengths)
                count = capacity
            }
            return areDistinct
        }
        if !areDistinct { mergeSamples() }
    }

    /// Drops all but the last of consecutive points at exactly the same position.
    private static func merged(_ points: [StrokePoint]) -> [Sample] {
        var merged: [Sample] = []
        // One more for the end of a closed path, and the neighbours of both ends.
        merged.reserveCapacity(points.count + 3)
        for point in points {
            let sample = Sample(
                position: Point(x: point.x, y: point.y), pressure: point.pressure, azimuth: point.azimuth)
            if merged.last?.position == sample.position {
                merged[merged.count - 1] = sample
            } else {
                merged.append(sample)
            }
        }
        return merged
    }

    private static func unwrapAzimuths(_ samples: inout [Sample]) {
        for i in samples.indices.dropFirst() {
            let turn = samples[i].azimuth - samples[i - 1].azimuth
            // Most pens do not report it.
            if turn == 0 { continue }
            samples[i].azimuth = samples[i - 1].azimuth + shortest(turn)
        }
    }

    /// The shorter turn, -180...180 degrees. Half a turn keeps its sign.
    private static func shortest(_ turn: Double) -> Double {
        let rest = turn.truncatingRemainder(dividingBy: 360)
        if rest > 180 { return rest - 360 }
        return rest < -180 ? rest + 360 : rest
    }

    private typealias Kernel = @convention(c) (UnsafePointer<Double>?, Int, UnsafeMutablePointer<Double>?) -> Void

    /// Replaces the points, at least two, by the samples of a spline through them.
    private mutating func smooth(by kernel: Kernel) {
        let points = samples
        let last = points.count - 1
        let before = isClosed ? points[last - 1].position : 2 * points[0].position - points[1].position
        let after = isClosed ? points[1].position : 2 * points[last].position - points[last - 1].position
        // Only the positions of neighbours count.
        let around =
            [Sample(position: before, pressure: 0, azimuth: 0)] + points
            + [Sample(position: after, pressure: 0, azimuth: 0)]
        let capacity = last * SmoothedPath.subdivisions + 1
        samples = [Sample](unsafeUninitializedCapacity: capacity) { samples, count in
            around.withUnsafeBytes { around in
                kernel(
                    around.bindMemory(to: Double.self).baseAddress, points.count,
                    UnsafeMutableRawBufferPointer(samples).bindMemory(to: Double.self).baseAddress)
            }
            count = capacity
        }
    }

    /// Keeps the last of consecutive samples at the same position, as for points: a segment of length 0 has no
    /// direction.
    private mutating func mergeSamples() {
        var kept: [Sample] = []
        var lengths: [Double] = []
        kept.reserveCapacity(samples.count)
        lengths.reserveCapacity(samples.count)
        for (sample, length) in zip(samples, arcLengths) {
            if kept.last?.position == sample.position {
                kept[kept.count - 1] = sample
            } else {
                kept.append(sample)
                lengths.append(length)
            }
        }
        samples = kept
        arcLengths = lengths
        isClosed = isClosed && kept.count > 1
    }
}
