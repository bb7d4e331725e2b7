import CKernels

/// Intersections of straight lines across a wave of the `waves` pattern, at equal distances along it. Tables of waves
/// are made from them. In pattern space, at size 1.
///
/// A line across meets a wave with its width in one interval, whose ends are the highest and lowest positions on the
/// polyline of a disc that touches the line.
final class WaveSections {
    /// Maximum extent of the seven lines across, and of all lines along.
    let side: Double
    let end: Double
    /// Width of the widest section, in 1/65,536 period.
    let widest: UInt16
    /// Sections from `-last` to `last`.
    private let sections: [ink_wave_section]
    private let last: Int

    /// Only such waves have tables.
    static let lines = 7
    static let waveLength = 10.0
    private static let steps = 16
    /// Number of positions for a section where the line ends.
    private static let parts = 8
    /// Where the line turns up towards its end.
    private static let lastTrough = 7.5

    /// - Parameters:
    ///   - step: distance between sections.
    ///   - margin: how far beyond the line's end sections are needed.
    /// - Precondition: the line is narrower than `Pattern.halfLength`, so that its other end is out of reach.
    init(spacing: Double, width: Double, step: Double, margin: Double) {
        let radius = width / 2
        let line = WaveSections.line(spacing: spacing, beyond: 2 * radius + 1)
        side = 3 * spacing + spacing / 4 + radius
        end = Pattern.halfLength + radius
        last = Int(((end + margin) / step).rounded(.up))
        let half = (0...last).map { index -> ink_wave_section in
            let x = Double(index) * step
            // Sections change quickly near the end of the line. There each section represents the average halfway to
            // its neighbours.
            let isEnd = x + step / 2 > Pattern.halfLength - radius
            let parts = isEnd ? WaveSections.parts : 1
            var (area, moment) = (0.0, 0.0)
            for part in 0..<parts {
                let offset = (2 * Double(part) + 1) / Double(parts) - 1
                let interval = WaveSections.interval(of: line, radius: radius, at: x + offset * step / 2)
                guard interval.lower < interval.upper else { continue }
                area += interval.upper - interval.lower
                moment += (interval.upper - interval.lower) * (interval.upper + interval.lower) / 2
            }
            guard area > 0 else { return ink_wave_section() }
            let period = 65_536 / spacing
            return ink_wave_section(
                middle: UInt16(truncatingIfNeeded: Int((moment / area * period).rounded())),
                width: UInt16(min((area / Double(parts) * period).rounded(), 65_535)))
        }
        // A wave is symmetric under rotation by half a turn.
        sections =
            half.dropFirst().reversed().map { ink_wave_section(middle: 0 &- $0.middle, width: $0.width) } + half
        widest = half.map(\.width).max() ?? 0
    }

    /// Calls `body` with the middle section, which has `last` sections on both sides.
    func withMiddle(_ body: (UnsafePointer<ink_wave_section>) -> Void) {
        sections.withUnsafeBufferPointer { sections in
            guard let first = sections.baseAddress else { return }
            body(first + last)
        }
    }

    /// Whether there are sections at this distance from the middle.
    func reach(_ index: Int) -> Bool { index <= last }

    /// The middle line's vertices from -10 on, with straight extensions beyond the end.
    private static func line(spacing: Double, beyond: Double) -> [Point] {
        let vertices = (-steps...steps).map { step -> Point in
            let t = Pattern.halfLength * Double(step) / Double(steps)
            return Point(x: t, y: spacing / 4 * sinPi(2 * t / waveLength))
        }
        let last = vertices[2 * steps] - vertices[2 * steps - 1]
        let further = (beyond / last.x) * last
        return [vertices[0] - further] + vertices + [vertices[2 * steps] + further]
    }

    /// The part above 0 of the intersection of the line across at `x` with the wave, which is cut off vertically at its
    /// ends.
    private static func interval(of line: [Point], radius: Double, at x: Double) -> (lower: Double, upper: Double) {
        var interval = (lower: Double.infinity, upper: -Double.infinity)
        let direction = line[line.count - 1] - line[line.count - 2]
        let firstCut = Pattern.halfLength - radius * direction.y / direction.length
        for (a, b) in zip(line, line.dropFirst()) where a.x < x + radius && b.x > x - radius {
            let slope = (b.y - a.y) / (b.x - a.x)
            let sine = slope / (1 + slope * slope).squareRoot()
            /// The height of the line at the point where the edge of a disc touches it, or at the nearest point.
            func place(_ touching: Double) -> (middle: Double, half: Double) {
                let t = min(max(touching, a.x, x - radius), min(b.x, x + radius))
                let half = (radius * radius - (t - x) * (t - x)).squareRoot()
                return (a.y + (t - a.x) * slope, half.isFinite ? half : 0)
            }
            let above = place(x + radius * sine)
            let below = place(x - radius * sine)
            var upper = above.middle + above.half
            // The end cuts off the part that leads up to it. Before it, the arc of a wide line may lie above the cut.
            if x > firstCut, a.x >= lastTrough {
                upper = min(upper, (Pattern.halfLength - x) * direction.x / direction.y)
            }
            interval.upper = max(interval.upper, upper)
            interval.lower = min(interval.lower, below.middle - below.half)
        }
        return interval
    }
}
