/// Statistics of repeated measurements on a noisy machine: ranks, no means.
enum BenchStatistics {
    /// The middle value, or halfway between the two middle ones; nil for none.
    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// By how much the values of one sample are larger than those of another, as a factor.
    struct Ratio: Hashable, Sendable {
        /// The median of all quotients of a value of one and a value of the other (Hodges and Lehmann).
        var estimate: Double
        /// The interval that holds the true factor but for a chance of `errorChance`.
        var low: Double
        var high: Double
    }

    /// The chance that an interval is wrong.
    static let errorChance = 0.01

    /// The factor between two samples of positive values, with the interval that the Mann-Whitney test gives: no
    /// assumption but that the samples are alike in shape.
    ///
    /// - Returns: nil when there are too few values for such an interval (fewer than five each, or so).
    static func ratio(_ values: [Double], to others: [Double]) -> Ratio? {
        guard (values + others).allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        let quotients = values.flatMap { value in others.map { value / $0 } }.sorted()
        let left = leftOut(values.count, others.count)
        guard left > 0, let estimate = median(quotients) else { return nil }
        return Ratio(estimate: estimate, low: quotients[left - 1], high: quotients[quotients.count - left])
    }

    /// How many quotients from either end the interval's ends are: the largest k for which U is below k with a chance
    /// of at most half of `errorChance`, where both samples come from one distribution.
    static func leftOut(_ m: Int, _ n: Int) -> Int {
        guard m > 0, n > 0 else { return 0 }
        let pairs = Double(m * n)
        guard m * n <= 2500 else {
            // 2.5758: the normal distribution's quantile for half of `errorChance`.
            return max(0, Int((pairs / 2 - 2.5758 * (pairs * Double(m + n + 1) / 12).squareRoot()).rounded(.down)))
        }
        let counts = rankSums(m, n)
        let chance = errorChance / 2 * counts.reduce(0, +)
        var below = 0.0
        for (value, count) in counts.enumerated() {
            below += count
            if below > chance { return value }
        }
        return 0
    }

    /// In how many ways m of m + n ranks can be chosen so that U has the value of the index.
    private static func rankSums(_ m: Int, _ n: Int) -> [Double] {
        // ways[k][u]: k ranks chosen so far; choosing rank r as the k-th passes r - k ranks of the other sample.
        var ways = [[Double]](repeating: [Double](repeating: 0, count: m * n + 1), count: m + 1)
        ways[0][0] = 1
        for rank in 1...(m + n) {
            for chosen in stride(from: min(rank, m), to: 0, by: -1) {
                let passed = rank - chosen
                guard passed <= n else { continue }
                for sum in passed...(m * n) { ways[chosen][sum] += ways[chosen - 1][sum - passed] }
            }
        }
        return ways[m]
    }
}
