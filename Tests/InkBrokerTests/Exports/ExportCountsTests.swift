import Testing

@testable import InkBroker

@Suite("What an export has cost")
struct ExportCountsTests {
    /// A picture that waited an hour behind others was once said to have been rendered for an hour.
    @Test func timeWithoutATaskIsIdle() {
        var counts = ExportCounts()
        #expect(counts.idle(since: 100, now: 150) == 50, "nothing was given out")
        counts.dispatched(now: 300)
        counts.dispatched(now: 310)
        counts.returned(now: 320)
        #expect(counts.idle(since: 100, now: 320) == 200)
        counts.returned(now: 400)
        #expect(counts.idle(since: 100, now: 5000) == 200, "what comes after the last attempt is no wait for a worker")
        // Paused, or without workers.
        counts.dispatched(now: 5000)
        counts.returned(now: 5010)
        #expect(counts.idle(since: 100, now: 9000) == 200 + 4600)
        #expect(counts.attempts == 3)
    }
}
