import Glibc

/// Past errors of estimates of one sort: logarithms of the true time over the estimated one. An interval is as wide as
/// they were.
struct ErrorHistory: Sendable {
    /// Where 5, 50 and 95 of 100 errors are below, or are to be expected.
    struct Usual: Hashable, Sendable {
        var low: Double
        var middle: Double
        var high: Double
    }

    /// The oldest at `next`, once there are `countMax`.
    private var errors: [Double]
    private var next = 0
    /// Below which 5, 50 and 95 of 100 of the next job's are to be expected.
    private(set) var quantiles: Usual

    private static let countMax = 160
    private static let margin = 0.015

    /// - Parameter count: as many as so many errors the usual ones weigh.
    init(_ usual: Usual, count: Int = 13) {
        // Two halves of normal distributions, at equal steps of probability.
        errors = (1...count).map { step in
            let deviation = Self.normalQuantile((Double(step) - 0.5) / Double(count)) / 1.645
            return usual.middle + deviation * (deviation < 0 ? usual.middle - usual.low : usual.high - usual.middle)
        }
        quantiles = Self.quantiles(of: errors)
    }

    /// The oldest are forgotten, the usual ones first.
    mutating func add(_ error: Double) {
        guard error.isFinite else { return }
        if errors.count < Self.countMax {
            errors.append(error)
        } else {
            errors[next] = error
            next = (next + 1) % Self.countMax
        }
        quantiles = Self.quantiles(of: errors)
    }

    private static func quantiles(of errors: [Double]) -> Usual {
        let sorted = errors.sorted()
        func rank(_ share: Double) -> Double {
            let position = share * Double(sorted.count) - 0.5
            let index = min(max(Int(position.rounded(.down)), 0), sorted.count - 2)
            return sorted[index] + (sorted[index + 1] - sorted[index]) * min(max(position - Double(index), 0), 1)
        }
        // The next job differs from all those before, and the errors of one job are alike.
        return Usual(low: rank(0.05 - margin), middle: rank(0.5), high: rank(0.95 + margin))
    }

    /// The value of the normal distribution below which that share is, to about 0.005.
    private static func normalQuantile(_ share: Double) -> Double {
        let tail = min(share, 1 - share)
        let t = sqrt(-2 * log(tail))
        let value = t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t))
        return share < 0.5 ? -value : value
    }
}
