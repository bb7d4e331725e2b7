import Testing

@testable import InkService

@Suite("What a farm has done")
struct HistoryTests {
    /// The chart of busy threads once showed how many jobs were under way.
    @Test func busyThreadsAreAMeanOfEachStep() {
        var history = History(startedAt: 0)
        for busy in [0, 2, 1] { history.add(threadsBusy: busy) }
        history.pass(queued: 7, now: 10_000)
        #expect(history.steps.map(\.threadsBusy) == [1, 1], "a step begins as the one before ended")
        #expect(history.steps.map(\.queued) == [7, 7])
        history.add(threadsBusy: 4)
        #expect(history.steps.map(\.threadsBusy) == [1, 4])
        history.add(threadsBusy: 0)
        #expect(history.steps.map(\.threadsBusy) == [1, 2])
    }

    @Test func anHourIsKept() {
        var history = History(startedAt: 0)
        history.pass(queued: 1, now: 3 * 3_600_000)
        #expect(history.steps.count == 360)
    }
}
