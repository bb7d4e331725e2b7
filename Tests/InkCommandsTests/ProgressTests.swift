import Testing

@testable import InkCommands
@testable import InkExports

struct ProgressTests {
    @Test(arguments: [
        (-1, "[                    ]"), (1e300, "[####################]"), (Double.nan, "[                    ]"),
    ])
    func progressOfAnyBrokerIsShown(share: Double, bar: String) {
        #expect(ProgressDisplay.bar(share) == bar)
        #expect(ProgressDisplay.percent(share).count == 4)
    }

    @Test func progressFitsTheTerminal() {
        var progress = ProgressDisplay(console: Transcript().console(), total: 9)
        for id in 0..<5 { progress.started(id, name: "a-long-name-\(id)\n.png") }
        progress.progressed(0, done: 1, total: 2)
        progress.ended(4, pixels: 4_000_000)
        let lines = progress.lines(milliseconds: 2000, rows: 5)
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { !$0.contains("\n") })
        #expect(lines[0].hasPrefix("[##########          ]  50% a-long-na"))
        #expect(lines[3].hasPrefix("1 of 9 done, 2.0 Mpixels/s, 10.0 s left"))
    }

    @Test func progressTakesItsLinesAway() {
        let transcript = Transcript()
        var progress = ProgressDisplay(console: transcript.console(terminal: (80, 24)), total: 1)
        progress.started(0, name: "a")
        progress.draw(milliseconds: 1000)
        progress.clear()
        #expect(transcript.error.hasSuffix("\r\u{1b}[1A\u{1b}[J"))
    }
}
