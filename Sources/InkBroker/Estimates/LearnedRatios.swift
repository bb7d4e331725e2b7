import Glibc

/// How the times of work compare with their estimates, as the jobs so far have shown.
struct LearnedRatios: Sendable {
    private var means: [WorkKind: (logarithm: Double, variance: Double, count: Int)] = [:]
    /// How much slower this machine is than kinds of work usually are, as a logarithm.
    private var speed = 0.0

    /// The newest job counts at least this much.
    private static let leastWeight = 1.0 / 8

    func ratio(of kind: WorkKind) -> Double {
        if let known = means[kind] { return exp(known.logarithm) }
        return kind.usualRatio * exp(speed)
    }

    /// How far the next job's ratio may be from it, as a deviation of the logarithm.
    func spread(of kind: WorkKind) -> Double {
        guard let known = means[kind] else { return 1 }
        return (known.variance + 0.5 / Double(known.count * known.count)).squareRoot()
    }

    /// Takes what a job has shown.
    ///
    /// - Parameter ratio: measured time over the estimate, above 0.
    mutating func learn(_ kind: WorkKind, ratio: Double) {
        guard ratio > 0, ratio.isFinite else { return }
        let found = log(ratio)
        // A machine that is slow in one kind is slow in others; but no kind speaks for all.
        speed += (found - log(kind.usualRatio) - speed) / 8
        let (old, variance, count) = means[kind] ?? (found, 0, 0)
        let weight = max(Self.leastWeight, 1 / Double(count + 1))
        let step = found - old
        means[kind] = (
            old + step * weight, (1 - weight) * (variance + weight * step * step), min(count + 1, 1_000)
        )
    }
}
