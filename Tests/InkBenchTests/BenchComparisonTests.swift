import Testing

@testable import InkBench

struct BenchComparisonTests {
    private func verdict(_ now: [Double], _ earlier: [Double]) -> BenchComparison.Verdict? {
        let comparison = BenchComparison(.sample([.sample(times: now)]), with: .sample([.sample(times: earlier)]))
        return comparison.rows.first?.verdict
    }

    @Test func saysWhatTheRunsLetItSay() {
        let base = [100.0, 101, 102, 103, 104, 105]
        #expect(verdict(base.map { $0 * 1.3 }, base) == .slower)
        #expect(verdict(base.map { $0 / 1.3 }, base) == .faster)
        #expect(verdict(base, base) == .noDifference)
        // Certain, and too small to matter.
        #expect(verdict(base.map { $0 * 1.5 / 1.48 }, [100, 100, 100, 100, 100, 100]) != .faster)
        #expect(verdict([102, 102, 102, 102, 102, 102], [100, 100, 100, 100, 100, 100]) == .noDifference)
        // Far apart, and too spread out.
        #expect(verdict([90, 400, 95, 380, 99, 370], [100, 101, 99, 102, 98, 103]) == .noDifference)
        #expect(verdict([300, 301, 302, 303], [100, 101, 102, 103]) == .tooFewRuns)
    }

    @Test func aBusyMachineCannotTell() {
        let base = [100.0, 101, 102, 103, 104, 105]
        let slow = BenchReport.sample([.sample(times: base.map { $0 * 1.3 })], othersShare: 0.4)
        let quiet = BenchReport.sample([.sample(times: base)], othersShare: 0.02)
        for (now, earlier) in [(slow, quiet), (quiet, slow)] {
            let comparison = BenchComparison(now, with: earlier)
            #expect(comparison.rows.map(\.verdict) == [.busyMachine])
            #expect(comparison.differences.contains { $0.contains("others took 40% of the cores") })
        }
        // No difference is none on a busy machine too; a system that does not say is taken to be quiet.
        #expect(BenchComparison(slow, with: slow).rows.map(\.verdict) == [.noDifference])
        let unknown = BenchReport.sample([.sample(times: base.map { $0 * 1.3 })], othersShare: nil)
        #expect(BenchComparison(unknown, with: quiet).rows.map(\.verdict) == [.slower])
    }

    @Test func theRatioIsOfTheMedians() throws {
        let comparison = BenchComparison(
            .sample([.sample(times: [150, 150, 160, 140, 150])]),
            with: .sample([.sample(times: [100, 90, 110, 100, 100])]))
        let row = try #require(comparison.rows.first)
        #expect(row.medianRatio == 1.5)
        #expect(row.earlier == 100 && row.now == 150)
    }

    @Test func whatIsNotTheSameIsNotCompared() {
        let now = BenchReport.sample([
            .sample("a", content: "1", times: [1, 2]), .sample("b", times: [1]), .sample("c", size: "4k", times: [1]),
        ])
        let earlier = BenchReport.sample([
            .sample("a", content: "2", times: [1, 2]), .sample("c", size: "2k", times: [1]),
        ])
        let comparison = BenchComparison(now, with: earlier)
        #expect(comparison.rows.map(\.verdict) == [.otherContent, .notMeasured, .notMeasured])
        #expect(comparison.rows.allSatisfy { $0.ratio == nil })
    }

    @Test func ofTwoOfOneNameTheOneOfTheSameContentCounts() {
        let mine = BenchResult.sample("light", content: "mine", times: [5, 5, 5, 5, 5])
        let builtIn = BenchResult.sample("light", times: [1, 1, 1, 1, 1])
        let comparison = BenchComparison(.sample([mine, builtIn]), with: .sample([builtIn, mine]))
        #expect(comparison.rows.map(\.earlier) == [5, 1])
        #expect(comparison.rows.map(\.verdict) == [.noDifference, .noDifference])
    }

    @Test func saysWhatElseIsDifferent() {
        let result = BenchResult.sample(times: [1])
        let now = BenchReport.sample([result])
        #expect(BenchComparison(now, with: now).differences.isEmpty)
        var machine = BenchMachine.sample
        machine.cores = 4
        machine.memoryBytes = nil
        machine.kernels = "scalar"
        var earlier = BenchReport.sample([result], machine: machine, workers: 4)
        earlier.program = "0.0.9"
        #expect(
            BenchComparison(now, with: earlier).differences == [
                "another version: ink 0.0.9 (renderer 1), now ink 0.1.0 (renderer 1)",
                "another machine: cores 4, now 8; memory unknown memory, now 32.0 GiB",
                "other settings: workers 4, now 8; kernels scalar, now v3",
            ])
    }
}
