import InkTestSupport
import Synchronization
import Testing

@testable import InkCommands
@testable import InkExports

@Suite struct TerminalTests {
    // MARK: Columns

    @Test(
        "Text takes the columns that terminals give it",
        arguments: [
            ("abc", 3), ("", 0), ("日本語", 6), ("한국어", 6), ("ｆｕｌｌ", 8), ("é", 1), ("e\u{301}", 1), ("👍", 2),
            ("❤\u{fe0f}", 2),
            ("ก็", 1), ("\u{200b}", 0), ("🇩🇪", 2), ("…→", 2), ("한", 2),
        ])
    func columns(text: String, count: Int) { #expect(text.columns == count) }

    @Test("No character takes fewer columns than the C library says")
    func columnsOfTheLibrary() {
        var narrow: [String] = []
        for value in UInt32(0x20)..<0x30000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .unassigned, .privateUse, .surrogate, .control, .format, .lineSeparator, .paragraphSeparator: continue
            default: break
            }
            if String(scalar).columns < TerminalScreen.width(scalar) { narrow.append(String(value, radix: 16)) }
        }
        #expect(narrow.isEmpty, "\(narrow.count): \(narrow.prefix(20))")
    }

    @Test(
        "Text is cut at a column, between characters",
        arguments: [
            ("abc", 2, "ab"), ("日本語", 4, "日本"), ("日本語", 5, "日本"), ("日本語", 1, ""), ("e\u{301}e\u{301}", 1, "e\u{301}"),
            ("abc", 0, ""),
            ("abc", 9, "abc"),
        ])
    func cutting(text: String, columns: Int, expected: String) { #expect(text.cut(toColumns: columns) == expected) }

    // MARK: Lines that change

    private static let names = [
        "plain.png", "日本語の長い名前のファイル.png", "👍🏽👨‍👩‍👧 emoji.png", "e\u{301}e\u{301}e\u{301} marks.png", "한국어 파일.png",
    ]

    private func run(columns: Int, rows: Int, widths: [Int] = []) -> TerminalScreen {
        let transcript = Transcript()
        var screen = TerminalScreen(columns: columns, rows: rows)
        screen.write("$ ink export\n")
        var seen = 0
        func flush() {
            let all = transcript.error
            screen.write(String(all.utf8.dropFirst(seen)) ?? "")
            seen = all.utf8.count
        }
        let size = SizeBox(columns, rows)
        var console = transcript.console()
        console.terminalSize = { size.value }
        var progress = ProgressDisplay(console: console, total: 5)
        for (id, name) in Self.names.enumerated() { progress.started(id, name: name) }
        for step in 0..<12 {
            if let width = widths.isEmpty ? nil : widths[step % widths.count] {
                flush()
                screen.resize(columns: width)
                size.set(width, rows)
            }
            for id in Self.names.indices { progress.progressed(id, done: step, total: 12) }
            progress.draw(milliseconds: Double(step) * 200)
            if step == 6 { console.warning("w") }
        }
        progress.clear()
        flush()
        return screen
    }

    @Test(
        "Progress of names in any script leaves nothing on a narrow terminal",
        arguments: [(80, 24), (40, 24), (20, 10), (12, 4), (5, 3), (2, 2), (1, 1), (80, 1), (33, 2)])
    func progressLeavesNothing(columns: Int, rows: Int) {
        let screen = run(columns: columns, rows: rows)
        let expected = TerminalScreen.of("$ ink export\nink: warning: w\n", columns: columns, rows: rows)
        #expect(screen.text == expected.text, "\(screen.text)")
        #expect(screen.isAtEmptyLine)
    }

    @Test(
        "Progress leaves nothing on a terminal that changes its width",
        arguments: [[80, 40, 20, 79], [70, 69, 68], [60, 13, 60, 13], [30, 90, 15]])
    func progressOnAResizedTerminal(widths: [Int]) {
        let screen = run(columns: 80, rows: 40, widths: widths)
        #expect(screen.text.replacing("\n", with: "") == "$ ink exportink: warning: w", "\(screen.text)")
    }

    @Test("What is drawn never reaches the last column")
    func linesDoNotWrap() {
        for columns in 1...60 {
            let live = LiveLines()
            let text = live.redrawing(Self.names, size: (columns, 24), stream: .error)
            for line in text.split(separator: "\n") {
                let shown = line.replacing("\u{1b}[K", with: "").replacing("\u{1b}[J", with: "").replacing(
                    "\r", with: "")
                #expect(String(shown).columns < columns || columns == 1 && shown.isEmpty, "\(columns): \(shown)")
            }
        }
    }

    @Test("A ^C behind the lines goes with them, and a result stays without it")
    func interruptedLines() throws {
        for isResult in [false, true] {
            let live = LiveLines()
            var screen = TerminalScreen(columns: 30, rows: 10)
            screen.write(
                "$ ink\n" + live.redrawing(["one", "two"], size: (30, 10), stream: .error, isResult: isResult))
            screen.write("^C")
            screen.write(try #require(live.leaving(size: (30, 10))).text)
            #expect(screen.text == (isResult ? "$ ink\none\ntwo" : "$ ink"))
            #expect(screen.isAtEmptyLine)
            #expect(live.leaving(size: (30, 10)) == nil)
        }
    }

    // MARK: Lines now and then

    private func lines(_ style: ProgressStyle, terminal: (Int, Int)?, seconds: Int) -> [Substring] {
        let transcript = Transcript()
        var progress = ProgressDisplay(console: transcript.console(terminal: terminal), total: 9, style: style)
        progress.started(0, name: "a")
        for time in 0...(seconds * 10) { progress.draw(milliseconds: Double(time) * 100) }
        progress.clear()
        return transcript.error.split(separator: "\n")
    }

    @Test("Off a terminal a line comes now and then, more and more seldom")
    func plainProgress() {
        #expect(lines(.auto, terminal: nil, seconds: 9).isEmpty)
        #expect(lines(.auto, terminal: nil, seconds: 35) == Array(repeating: "ink: 0 of 9 done", count: 3))
        #expect(lines(.plain, terminal: (80, 24), seconds: 35).count == 3)
        #expect((20...50).contains(lines(.plain, terminal: nil, seconds: 2000).count))
        #expect(lines(.none, terminal: (80, 24), seconds: 100).isEmpty)
        #expect(lines(.none, terminal: nil, seconds: 100).isEmpty)
    }

    @Test("Watching draws in its place, without taking the screen")
    func watchingOnATerminal() {
        let count = SizeBox(0, 0)
        let broker = FakeBroker(answers: { _ in
            count.set(count.value.columns + 1, 0)
            let turn = count.value.columns
            let end = turn > 3 ? #", "endedAt": 1000"# : ""
            return #"{"job": 7, "name": "日本語", "state": "running", "done": \#(turn), "total": 9\#(end)}"#
        })
        let transcript = Transcript()
        var console = transcript.console()
        console.outputSize = { (30, 10) }
        #expect(InkCommands.run(["status", "7", "--watch"], broker.environment(console)) == .done)
        let screen = TerminalScreen.of("$ ink status\n" + transcript.output, columns: 30, rows: 10)
        #expect(
            screen.lines.prefix(3) == ["$ ink status", "Job 7  日本語", "  State      running, 4 of 9"], "\(screen.text)")
        #expect(screen.isAtEmptyLine)
    }
}

extension TerminalScreen {
    fileprivate static func of(_ text: String, columns: Int, rows: Int) -> TerminalScreen {
        var screen = TerminalScreen(columns: columns, rows: rows)
        screen.write(text)
        return screen
    }
}

/// A terminal's size that changes.
private final class SizeBox: Sendable {
    private let size: Mutex<(columns: Int, rows: Int)>

    init(_ columns: Int, _ rows: Int) { size = Mutex((columns, rows)) }

    var value: (columns: Int, rows: Int) { size.withLock { $0 } }
    func set(_ columns: Int, _ rows: Int) { size.withLock { $0 = (columns, rows) } }
}
