import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker

private let second: UInt64 = 1_000_000_000

@Suite struct TimeEstimatorTests {
    private let rough = RoughSize(kind: .unread(.png, .balanced), work: 8e9, prepare: 0.1e9)

    private func work(rows: Int, wholes: [PictureWork.Whole] = []) -> PictureWork {
        var work = PictureWork(
            rows: Array(repeating: PictureWork.Row(strokes: 0.5e9, composite: 0.3e9, encode: 0.2e9), count: rows))
        work.wholes = wholes
        work.finish = 0.1e9
        work.tileTurn = 1e9
        return work
    }

    /// A job of eight tiles of a second each, as estimated, on two threads of which nothing is lost.
    private func rendering(_ estimator: inout TimeEstimator, _ id: JobID = JobID(1), priority: Int = 0, weight: Int = 1)
    {
        estimator.threads = 2
        estimator.submitted(id, rough, priority: priority, weight: weight, now: 0)
        estimator.began(id, now: 0)
        estimator.prepared(id, work(rows: 1), images: [], preparation: second / 10, now: 0)
        estimator.planned(id, work(rows: 8), now: 0)
    }

    private func tile(
        _ estimator: inout TimeEstimator, _ row: Int, slowness: Double = 1, now: UInt64, of id: JobID = JobID(1)
    ) {
        func time(_ nanoseconds: Double) -> UInt64 { UInt64(nanoseconds * slowness) }
        estimator.done(
            id, .tile(row: row, column: 0),
            PhaseTimes(raster: time(0.5e9), composite: time(0.3e9), encode: time(0.2e9)),
            estimate: 0, underWay: 2, now: now)
        estimator.accepted(id, .tile(row: row, column: 0), estimate: 0, now: now)
    }

    @Test func timeIsCountedDown() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        var last = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)])
        #expect((3.5...8).contains(last.seconds) && last.low < 4.1 && last.high > 4.1)
        for row in 0..<8 {
            let now = UInt64(row / 2 + 1) * second
            tile(&estimator, row, now: now)
            let left = try #require(estimator.timesLeft(now: now) { _ in 2 }[JobID(1)])
            // What has been measured is worth more than what was assumed.
            if row % 2 == 1 { #expect(abs(left.seconds - (4.1 - Double(row / 2 + 1))) < 0.8, "row \(row)") }
            if row % 2 == 1 { last = left }
        }
        // Only the file's last bytes are left.
        #expect(last.seconds < 0.3)
    }

    @Test func timePassesWithoutNews() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        func left(_ now: UInt64) throws -> Double {
            try #require(estimator.timesLeft(now: now) { _ in 2 }[JobID(1)]).seconds
        }
        let first = try left(0)
        let later = try left(second / 2)
        #expect((0.2...0.7).contains(first - later))
        // Tasks that do not end are not taken for done.
        #expect(try left(100 * second) > 2)
    }

    @Test func aSlowFarmIsLearned() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        for row in 0..<8 { tile(&estimator, row, slowness: 3, now: UInt64(row / 2 + 1) * 3 * second) }
        estimator.ended(JobID(1), isFinished: true, now: 12 * second + second / 10)
        for kind in [WorkKind.strokes, .composite, .encode(.png, .balanced)] {
            #expect(abs(estimator.learned.ratio(of: kind) - 3) < 0.01)
        }
        // What has never been measured is slower, too.
        #expect(
            estimator.learned.ratio(of: .whole(.webp, .balanced)) > 1.05 * WorkKind.whole(.webp, .balanced).usualRatio)
        rendering(&estimator, JobID(2))
        let left = try #require(estimator.timesLeft(now: 0) { _ in 0 }[JobID(2)])
        #expect((9...16).contains(left.seconds))
    }

    /// A job of which nothing is known is taken for one as those before, and says nothing of their encoding.
    @Test func unknownJobsAreAsOthers() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        for row in 0..<8 { tile(&estimator, row, slowness: 1, now: UInt64(row / 2 + 1) * second) }
        estimator.ended(JobID(1), isFinished: true, now: 4 * second + second / 10)
        let known = estimator.learned.ratio(of: rough.kind)
        estimator.submitted(JobID(2), nil, priority: 0, weight: 1, now: 5 * second)
        let left = try #require(estimator.timesLeft(now: 5 * second) { _ in 0 }[JobID(2)])
        #expect((3...6).contains(left.seconds), "\(left)")
        rendering(&estimator, JobID(3))
        estimator.ended(JobID(2), isFinished: true, now: 90 * second)
        #expect(estimator.learned.ratio(of: rough.kind) == known)
    }

    @Test func nobodyToWorkMeansNoEstimate() {
        var estimator = TimeEstimator()
        rendering(&estimator)
        estimator.threads = 0
        #expect(estimator.timesLeft(now: 0) { _ in 0 }.isEmpty)
        #expect(estimator.newTimesLeft(now: second) { _ in 0 }.isEmpty)
        #expect(estimator.timePerJob == nil)
    }

    @Test func moreUrgentJobsComeFirst() throws {
        var estimator = TimeEstimator()
        rendering(&estimator, JobID(1))
        rendering(&estimator, JobID(2), priority: 1)
        rendering(&estimator, JobID(3), priority: 1, weight: 3)
        let left = estimator.timesLeft(now: 0) { _ in 2 }
        let (low, urgent, heavy) = (
            try #require(left[JobID(1)]), try #require(left[JobID(2)]), try #require(left[JobID(3)])
        )
        #expect(heavy.seconds < 0.85 * urgent.seconds)
        #expect(urgent.seconds < 0.85 * low.seconds)
        // All of their work is done in the same time in any order.
        #expect((11...20).contains(low.seconds))
        // One that has not begun waits for all others.
        estimator.submitted(JobID(4), rough, priority: 5, weight: 1, now: 0)
        let waiting = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(4)])
        #expect(waiting.seconds > low.seconds)
    }

    @Test func pausedJobsTakeNoTime() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        let alone = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)])
        rendering(&estimator, JobID(2))
        let shared = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)])
        #expect(shared.seconds > 1.5 * alone.seconds)
        estimator.pauseSet(JobID(2), true, now: 0)
        let left = estimator.timesLeft(now: 0) { _ in 2 }
        #expect(left[JobID(2)] == nil && left[JobID(1)]?.seconds == alone.seconds)
        estimator.pauseSet(JobID(2), false, now: 100 * second)
        #expect(estimator.timesLeft(now: 100 * second) { _ in 2 }[JobID(2)] != nil)
    }

    @Test func oneTaskThatCannotBeDividedIsNotShared() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        let whole = PictureWork.Whole(
            kind: .whole(.jxl, .balanced), nanoseconds: 10e9 / WorkKind.whole(.jxl, .balanced).usualRatio)
        estimator.planned(JobID(1), work(rows: 8, wholes: [whole]), now: 0)
        let left = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)])
        #expect((12...18).contains(left.seconds))
        estimator.planned(JobID(1), work(rows: 8, wholes: [whole, whole]), now: 0)
        let both = try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)])
        #expect(abs(both.seconds - left.seconds) < 0.5)
    }

    @Test func asManyTrialsAreExpectedAsUsualAndThenOneMore() throws {
        func left(tasks: Int, done: Int) throws -> Double {
            var estimator = TimeEstimator()
            rendering(&estimator)
            var plan = work(rows: 8)
            let nanoseconds = 1e9 / WorkKind.whole(.jxl, .balanced).usualRatio / Double(tasks)
            plan.trials = .init(kind: .whole(.jxl, .balanced), nanoseconds: nanoseconds, tasks: tasks)
            estimator.planned(JobID(1), plan, now: 0)
            for row in 0..<8 { estimator.accepted(JobID(1), .tile(row: row, column: 0), estimate: 0, now: 0) }
            for _ in 0..<done { estimator.accepted(JobID(1), .trial(0, row: 0), estimate: 0, now: 0) }
            return try #require(estimator.timesLeft(now: 0) { _ in 2 }[JobID(1)]).seconds
        }
        // With two threads, the six trials of a file that is encoded as a whole take twice as long.
        let whole = try left(tasks: 1, done: 0)
        #expect((1.6...2.2).contains(try whole / left(tasks: 2, done: 0)))
        #expect((1.6...2.2).contains(try whole / left(tasks: 1, done: 3)))
        #expect(try left(tasks: 1, done: 5) > 0.9 && left(tasks: 1, done: 99) > 0.9)
    }

    @Test func resultsThatAreFoundCostNothing() throws {
        var estimator = TimeEstimator()
        rendering(&estimator)
        let before = try #require(estimator.timesLeft(now: 0) { _ in 0 }[JobID(1)])
        for row in 0..<4 {
            estimator.lookedUp(JobID(1), isFound: true)
            estimator.accepted(JobID(1), .tile(row: row, column: 0), estimate: 0, now: second / 100)
        }
        let after = try #require(estimator.timesLeft(now: second / 100) { _ in 0 }[JobID(1)])
        #expect(after.seconds < 0.25 * before.seconds)
    }

    @Test func newsIsToldNowAndThen() {
        var estimator = TimeEstimator()
        rendering(&estimator)
        var times: [UInt64] = []
        for millisecond in 0..<20_000 as Range<UInt64> {
            let now = millisecond * 1_000_000
            if !estimator.newTimesLeft(now: now, underWay: { _ in 2 }).isEmpty { times.append(millisecond) }
        }
        #expect(times.first == 0 && (60...90).contains(times.count))
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(pauses.allSatisfy { (50...500).contains($0) })
        #expect(pauses == pauses.sorted())
    }

    /// Whatever happens in whatever order, by names and places that do not exist too.
    @Test(arguments: 0..<200) func anyOrderOfEventsIsBorne(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var estimator = TimeEstimator()
        var now: UInt64 = 1
        func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func number() -> Double { [0, 1, 1e-300, 1e9, 1e18][int(0...4)] }
        func role() -> TaskRole {
            [
                .decode(int(0...5)), .tile(row: int(0...9), column: int(0...3)), .encode(row: int(0...9)),
                .finish(int(0...2)), .trial(int(0...9), row: int(0...9)),
            ][int(0...4)]
        }
        for _ in 0..<300 {
            let id = JobID(UInt64(int(1...4)))
            now = now &+ UInt64(int(0...1_000_000_000))
            switch int(0...11) {
            case 0:
                estimator.submitted(
                    id, int(0...1) == 0 ? nil : RoughSize(kind: .unknown, work: number(), prepare: number()),
                    priority: int(-2...2),
                    weight: int(-1...9), now: now)
            case 1: estimator.began(id, now: now)
            case 2:
                estimator.prepared(
                    id, work(rows: int(0...9)), images: [number(), number()], preparation: UInt64(int(0...9)), now: now)
            case 3:
                var plan = work(rows: int(0...9), wholes: [.init(kind: .whole(.avif, .fast), nanoseconds: number())])
                if int(0...1) == 0 {
                    plan.trials = .init(kind: .whole(.avif, .fast), nanoseconds: number(), tasks: int(1...9))
                }
                plan.columns = int(1...3)
                plan.encodesTiles = plan.columns == 1
                estimator.planned(id, plan, now: now)
            case 4:
                let phases = PhaseTimes(decode: UInt64(int(0...99)), raster: UInt64(number()), encode: UInt64(number()))
                estimator.done(id, role(), phases, estimate: number(), underWay: int(0...9), now: now)
            case 5: estimator.accepted(id, role(), estimate: number(), now: now)
            case 6: estimator.lookedUp(id, isFound: int(0...1) == 0)
            case 7: estimator.ended(id, isFinished: int(0...1) == 0, now: now)
            case 8: estimator.threads = int(0...9)
            case 9: estimator.prioritySet(id, int(-2...2))
            case 10: estimator.pauseSet(id, int(0...1) == 0, now: now)
            default: estimator.dispatched(underWay: int(0...3))
            }
            for (_, left) in estimator.timesLeft(now: now, underWay: { _ in int(0...4) }) {
                #expect(
                    left.low >= 0 && left.low <= left.seconds && left.seconds <= left.high && left.high.isFinite,
                    "seed \(seed)")
            }
        }
    }
}

@Suite struct ToldEstimatesTests {
    private func told(at time: UInt64) -> JobEstimate.Told {
        let sort = ErrorSort(progress: 0, doubt: 0, isAlone: true, isWhole: false, encoding: .composite)
        return JobEstimate.Told(time: time, expected: Double(time), slack: 0, sort: sort)
    }

    private func job() -> JobEstimate {
        JobEstimate(RoughSize(kind: .unknown, work: 1, prepare: 1), priority: 0, weight: 1, place: 0, now: 100)
    }

    /// An estimate counts for as long as it stood, so also one that was too long and stood to the end.
    @Test func estimatesCountAsLongAsTheyStood() {
        var job = job()
        job.tell(told(at: 100))
        job.begin(now: 200)
        #expect(job.toldAtMoments(until: 400).map(\.time) == [100, 100, 100, 100])
        for time in [200, 220, 300] as [UInt64] { job.tell(told(at: time)) }
        let times = job.toldAtMoments(until: 400).map(\.time)
        #expect([100, 200, 220, 300].map { time in times.count { $0 == time } } == [4, 2, 8, 10])
        job.pause(true, now: 350)
        #expect(job.toldAtMoments(until: 400).isEmpty)
        job.tell(told(at: 360))
        #expect(job.toldAtMoments(until: 400).map(\.time) == [360, 360, 360, 360])
    }

    @Test func manyAreThinnedOut() {
        var job = job()
        job.begin(now: 100)
        for time in 0..<100_000 as Range<UInt64> { job.tell(told(at: 100 + time)) }
        let times = job.toldAtMoments(until: 100_100).map(\.time)
        #expect(times.count == 20)
        for (index, time) in times.enumerated() {
            let moment = 100 + 5_000 * Double(index) + 2_500
            #expect(Double(time) <= moment && moment - Double(time) <= 1_024, "\(times)")
        }
    }
}

@Suite struct ErrorHistoryTests {
    @Test func withoutErrorsTheUsualOnesCount() {
        let usual = ErrorHistory.Usual(low: -0.2, middle: 0.1, high: 0.9)
        let found = ErrorHistory(usual).quantiles
        #expect(abs(found.middle - usual.middle) < 0.01)
        // A tenth of their distance from the middle.
        #expect(abs(found.low - usual.low) < 0.03 && abs(found.high - usual.high) < 0.08)
    }

    /// Nine of ten further errors are within the quantiles of earlier ones.
    @Test(arguments: 0..<20) func newErrorsAreWithinOldOnes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Skewed, and far from the usual ones.
        func error() -> Double { pow(Double.random(in: 0...1, using: &random), 3) - 2 }
        var history = ErrorHistory(.init(low: -0.1, middle: 0, high: 0.1))
        for _ in 0..<400 { history.add(error()) }
        let quantiles = history.quantiles
        let within = (0..<2000).count { _ in (quantiles.low...quantiles.high).contains(error()) }
        #expect((1640...1950).contains(within), "seed \(seed): \(within) of 2000")
        history.add(.nan)
        #expect(history.quantiles == quantiles)
    }
}

@Suite struct TimeLeftTests {
    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1e300, 5])
    func numbersAreInOrder(value: Double) {
        for left in [
            TimeLeft(seconds: value, low: 3, high: 4), TimeLeft(seconds: 3, low: value, high: 4),
            TimeLeft(seconds: 3, low: 2, high: value), TimeLeft(seconds: 3, low: 2, high: 4).after(seconds: value),
        ] {
            #expect(0 <= left.low && left.low <= left.seconds && left.seconds <= left.high)
            #expect(left.high <= TimeLeft.secondsMax)
        }
    }
}
