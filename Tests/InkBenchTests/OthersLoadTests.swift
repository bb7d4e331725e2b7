import Foundation
import Testing

@testable import InkBench

struct OthersLoadTests {
    @Test func readsTheFirstLine() throws {
        let text = "cpu  1000 200 300 8000 400 50 30 20 7 7\ncpu0 500 100 150 4000 200 25 15 10 0 0\n"
        let all = try #require(OthersLoad.Times.all(text, ticksPerSecond: 100))
        #expect(all.total == 100 && all.busy == 16)
        #expect(OthersLoad.Times.all("intr 5", ticksPerSecond: 100) == nil)
        #expect(OthersLoad.Times.all("cpu 1 2 3", ticksPerSecond: 100) == nil)
        #expect(OthersLoad.Times.all("", ticksPerSecond: 100) == nil)
    }

    @Test func whatIsNotOursIsOthers() {
        let start = OthersLoad.Times(total: 100, busy: 40, own: 10)
        let alone = OthersLoad.Times(total: 120, busy: 50, own: 20)
        #expect(OthersLoad.share(from: start, to: alone) == 0)
        let shared = OthersLoad.Times(total: 120, busy: 56, own: 20)
        #expect(OthersLoad.share(from: start, to: shared) == 0.3)
        // Clocks of different steps.
        #expect(OthersLoad.share(from: start, to: .init(total: 120, busy: 49, own: 20)) == 0)
        #expect(OthersLoad.share(from: start, to: .init(total: 100.1, busy: 40, own: 10)) == nil)
    }

    /// A benchmark asks children of its own for their memory: that is no other's work.
    @Test func childrenAreNotOthers() throws {
        let start = try #require(OthersLoad.Times.read())
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        child.arguments = ["-c", "n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done"]
        let own = clock()
        try child.run()
        child.waitUntilExit()
        let times = try #require(OthersLoad.Times.read())
        let here = Double(clock() - own) / Double(CLOCKS_PER_SEC)
        #expect(times.own - start.own > here + 0.02, "\(times.own - start.own) s, \(here) s of them here")
    }

    @Test func thisMachineSays() throws {
        let times = try #require(OthersLoad.Times.read())
        #expect(times.total > times.busy && times.own > 0)
    }
}
