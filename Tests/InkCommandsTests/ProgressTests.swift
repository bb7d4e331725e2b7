import InkProtocol
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
        let lines = progress.lines(milliseconds: 2000, size: (80, 5))
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { !$0.contains("\n") })
        #expect(lines[0].hasPrefix("[##########          ]  50% a-long-na"))
        #expect(lines[3].hasPrefix("1 of 9 done, 2.0 Mpixels/s, 5 to 15 s left"))
    }

    @Test("Names can be told apart on narrow terminals, and no line is too long", arguments: [20, 40, 60, 80, 200])
    func namesCanBeToldApart(columns: Int) {
        var progress = ProgressDisplay(console: Transcript().console(), total: 9)
        for id in 0..<3 { progress.started(id, name: "drawings/a long folder/another one/frame-000\(id)-2k.png") }
        progress.progressed(0, done: 1, total: 2)
        for id in 0..<3 { progress.estimated(id, TimeLeft(seconds: 12, low: 10, high: 15)) }
        let lines = progress.lines(milliseconds: 2000, size: (columns, 9))
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.columns < columns - 1 }, "\(lines)")
        for id in 0..<3 { #expect(lines[id].hasSuffix("\(id)-2k.png"), "\(lines)") }
        if columns >= 40 { #expect(lines[0].contains("00\(0)-2k.png") && lines[0].contains("dra"), "\(lines)") }
    }

    @Test("Names are shortened in the middle")
    func shortening() {
        #expect("frame-0001.png".shortened(toColumns: 14) == "frame-0001.png")
        #expect("frames/walk/frame-0001.png".shortened(toColumns: 16) == "frame…e-0001.png")
        // Characters of two columns are not cut.
        #expect("漢字漢字漢字漢字.png".shortened(toColumns: 10).columns <= 10)
        #expect("漢字漢字漢字漢字.png".shortened(toColumns: 10) == "漢…字.png")
        for columns in 0..<30 { #expect("漢a字/b漢字c漢字.png".shortened(toColumns: columns).columns <= columns) }
    }

    @Test("Names of either direction do not move what stands around them")
    func directions() throws {
        #expect("a.ink -> b.png (2x2)".isolatingDirections() == "a.ink -> b.png (2x2)")
        #expect(
            "שלום 12.ink -> out/שלום 12-2k.png (20x10)".isolatingDirections()
                == "\u{2068}שלום 12.ink\u{2069} -> \u{2068}out/שלום 12-2k.png\u{2069} (20x10)")
        // On a terminal only; control characters are shown, also those that change the direction.
        for terminal in [(80, 24), nil] as [(Int, Int)?] {
            let transcript = Transcript()
            transcript.console(terminal: terminal).error("مرحبا\u{202e}.ink: cannot open")
            let name = "مرحبا\\u{202e}.ink"
            let shown = terminal == nil ? name : "\u{2068}\(name)\u{2069}"
            #expect(transcript.error.hasSuffix("ink: error: \(shown): cannot open\n"), "\(transcript.error)")
        }
    }

    @Test func theFarmsEstimatesAreShown() {
        var progress = ProgressDisplay(console: Transcript().console(), total: 2)
        for id in 0..<2 { progress.started(id, name: "\(id).png") }
        progress.progressed(0, done: 1, total: 2)
        progress.estimated(0, TimeLeft(seconds: 12, low: 10, high: 15))
        progress.estimated(1, TimeLeft(seconds: 60, low: 20, high: 100))
        // Two seconds later.
        let lines = progress.lines(milliseconds: 2000, size: (80, 5))
        #expect(
            lines == [
                "[##########          ]  50%   about 10 s left  0.png",
                "[                    ]   0% 18 s to 1:40 left  1.png", "0 of 2 done, 18 s to 1:40 left",
            ])
    }

    @Test(arguments: [
        (TimeLeft(seconds: 0.2, low: 0.1, high: 0.9), "less than 1 s"),
        (TimeLeft(seconds: 12, low: 10, high: 14), "about 12 s"),
        (TimeLeft(seconds: 12, low: 8, high: 20), "8 to 20 s"), (TimeLeft(seconds: 2, low: 0.3, high: 4), "up to 4 s"),
        (TimeLeft(seconds: 247, low: 240, high: 260), "about 4:05"),
        (TimeLeft(seconds: 7200, low: 3000, high: 9000), "50:00 to 2:30:00"),
        (TimeLeft(seconds: .infinity, low: .nan, high: -1), "about 277777:45:00"),
    ])
    func timesAreNoFinerThanTheyAreKnown(time: TimeLeft, text: String) { #expect(Shown.time(time) == text) }

    @Test func aBatchIncludesWhatHasNotBegun() {
        let running = TimeLeft(seconds: 4, low: 3, high: 6)
        let alone = BatchEstimate(
            running: [(0.5, running), (0.1, TimeLeft(seconds: 1, low: 1, high: 9))], made: 0, waiting: 0)
        #expect(alone.timeLeft(elapsedSeconds: 3) == TimeLeft(seconds: 4, low: 3, high: 9))
        // One and a half pictures took 3 seconds.
        let more = BatchEstimate(running: [(0.5, running)], made: 1, waiting: 10)
        #expect(more.timeLeft(elapsedSeconds: 3)?.seconds == 24)
        #expect(BatchEstimate(running: [(0, nil)], made: 0, waiting: 3).timeLeft(elapsedSeconds: 9) == nil)
        #expect(BatchEstimate(running: [], made: 3, waiting: 0).timeLeft(elapsedSeconds: 9) == nil)
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
