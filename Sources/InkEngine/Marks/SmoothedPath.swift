import CKernels

/// The points of a stroke after smoothing: a polyline in canvas pixels, with pressure and azimuth along it.
///
/// A uniform Catmull-Rom spline through every point, with phantom ends `2 p0 - p1` and `2 pn-1 - pn-2` and ten
/// subdivisions per segment. Consecutive samples differ in position, so every segment has a direction.
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
    /// Size of the samples in bytes.
    var byteCount: Int { samples.count * (MemoryLayout<Sample>.stride + MemoryLayout<Double>.stride) }
    /// The mean pressure of the stroke's points after merging, not of the samples.
    let meanPressure: Double

    /// - Parameter points: may be empty; the path then has no samples.
    init(_ points: [StrokePoint], level: KernelLevel = .selected) {
        let merged = SmoothedPath.merged(points)
        meanPressure = merged.isEmpty ? 0 : merged.reduce(0) { $0 + $1.pressure } / Double(merged.count)
        samples = []
        arcLengths = []
        guard !merged.isEmpty else { return }
        let count = (merged.count - 1) * SmoothedPath.subdivisions + 1
        var areDistinct = false
        let kernels = ink_path_kernels(level.c).pointee
        samples = [Sample](unsafeUninitializedCapacity: count) { samples, sampleCount in
            arcLengths = [Double](unsafeUninitializedCapacity: count) { lengths, lengthCount in
                merged.withUnsafeBytes { merged in
                    guard let source = merged.bindMemory(to: Double.self).baseAddress,
                        let target = UnsafeMutableRawBufferPointer(samples).bindMemory(to: Double.self).baseAddress,
                        let lengths = lengths.baseAddress
                    else { return }
                    areDistinct = kernels.smooth(source, merged.count / MemoryLayout<Sample>.stride, target, lengths)
                }
                lengthCount = count
            }
            sampleCount = count
        }
        if !areDistinct { mergeSamples() }
    }

    /// Drops all but the last of consecutive points at exactly the same position, and unwraps the azimuth.
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
            // Most pens do not report it.
            if turn == 0 { continue }
            merged[i].azimuth = merged[i - 1].azimuth + shortest(turn)
        }
        return merged
    }

    /// The shorter turn, -180...180 degrees. Half a turn keeps its sign.
    private static func shortest(_ turn: Double) -> Double {
        let rest = turn.truncatingRemainder(dividingBy: 360)
        if rest > 180 { return rest - 360 }
        return rest < -180 ? rest + 360 : rest
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
    }
}
