import InkTestSupport
import Testing

@testable import InkBench

struct BenchStatisticsTests {
    @Test func mediansAreTheMiddle() {
        #expect(BenchStatistics.median([]) == nil)
        #expect(BenchStatistics.median([4]) == 4)
        #expect(BenchStatistics.median([9, 1, 5]) == 5)
        #expect(BenchStatistics.median([9, 1, 5, 6]) == 5.5)
    }

    /// The tables of the Mann-Whitney test, two-sided at 1%: U up to the critical value is significant, so the
    /// interval leaves out one more. 0 where no U is.
    private static let critical: [(m: Int, n: Int, leftOut: Int)] = [
        (4, 4, 0), (3, 8, 0), (5, 5, 1), (6, 6, 3), (7, 7, 5), (8, 8, 8), (5, 10, 5), (10, 10, 17), (15, 15, 52),
        (20, 20, 106),
    ]

    @Test(arguments: critical)
    func intervalsAreThoseOfTheTables(m: Int, n: Int, leftOut: Int) {
        #expect(BenchStatistics.leftOut(m, n) == leftOut)
        #expect(BenchStatistics.leftOut(n, m) == leftOut)
    }

    @Test func manyValuesGoOnWhereFewerEnd() {
        let exact = Double(BenchStatistics.leftOut(50, 50))
        let approximate = Double(BenchStatistics.leftOut(50, 51))
        #expect(approximate > exact && approximate < exact * 1.04, "\(exact) \(approximate)")
    }

    @Test func aRatioIsTheMedianQuotientWithItsEnds() throws {
        let ratio = try #require(BenchStatistics.ratio([2, 4, 6, 8, 10], to: [1, 1, 1, 1, 1]))
        #expect(ratio == BenchStatistics.Ratio(estimate: 6, low: 2, high: 10))
        let few = BenchStatistics.ratio([2, 4, 6, 8], to: [1, 1, 1, 1])
        #expect(few == nil)
        let zero = BenchStatistics.ratio([0, 4, 6, 8, 10], to: [1, 1, 1, 1, 1])
        #expect(zero == nil)
    }

    /// Times that others' work disturbs: most near `base`, some far above.
    private func times(_ count: Int, base: Double, _ random: inout SeededGenerator) -> [Double] {
        (0..<count).map { _ in
            let noise = Double.random(in: 0...0.08, using: &random) + Double.random(in: 0...0.08, using: &random)
            let disturbance =
                Int.random(in: 0..<8, using: &random) == 0 ? Double.random(in: 0...1.5, using: &random) : 0
            return base * (1 + noise + disturbance)
        }
    }

    @Test(arguments: [(count: 6, found: 0.5), (count: 10, found: 0.7), (count: 24, found: 0.97)])
    func theSameIsSeldomCalledAnotherAndAnotherIsFound(count: Int, least: Double) {
        var random = SeededGenerator(seed: UInt64(count))
        let trials = 600
        var (alarms, found, wrong) = (0, 0, 0)
        for _ in 0..<trials {
            let old = times(count, base: 100, &random)
            let same = BenchComparison.verdict(BenchStatistics.ratio(times(count, base: 100, &random), to: old))
            if same != .noDifference { alarms += 1 }
            switch BenchComparison.verdict(BenchStatistics.ratio(times(count, base: 130, &random), to: old)) {
            case .slower: found += 1
            case .faster: wrong += 1
            default: break
            }
        }
        #expect(Double(alarms) <= 0.02 * Double(trials), "\(alarms) of \(trials)")
        #expect(Double(found) >= least * Double(trials), "\(found) of \(trials)")
        #expect(wrong == 0)
    }
}
