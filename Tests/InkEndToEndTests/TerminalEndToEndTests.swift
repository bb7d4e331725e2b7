import Foundation
import InkTestSupport
import Testing

/// The program on a terminal: what stands there in the end.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TerminalEndToEndTests {
    private func long(_ folder: EndToEndFolder, _ name: String = "long.ink") throws -> [String] {
        let path = try folder.file(name, GoodProject.long)
        return ["export", path, "-o", folder("out"), "--size", "8k", "-j", "2"]
    }

    @Test("Ctrl-C in an export leaves a clean terminal", arguments: [(80, 24), (40, 5)])
    func interruptedExport(columns: Int, rows: Int) throws {
        let folder = try EndToEndFolder()
        let terminal = try TerminalProcess(try long(folder, "日本語の長い名前👍.ink"), columns: columns, rows: rows)
        // A narrow terminal has no room for the bar.
        #expect(terminal.wait(for: columns < 60 ? "1% " : "[#"), "\(terminal.output)")
        terminal.type("\u{3}")
        #expect(terminal.end() == 130)
        let screen = terminal.screen
        #expect(screen.lines.count == 1 && screen.text.hasPrefix("0 exported, 1 not made in "), "\(screen.text)")
        #expect(screen.isAtEmptyLine)
        #expect(folder.files(in: "out").isEmpty)
    }

    @Test("A second Ctrl-C at once leaves a clean terminal too")
    func interruptedTwice() throws {
        let folder = try EndToEndFolder()
        let terminal = try TerminalProcess(try long(folder))
        #expect(terminal.wait(for: "[#"), "\(terminal.output)")
        terminal.type("\u{3}")
        Thread.sleep(forTimeInterval: 0.15)
        terminal.type("\u{3}")
        #expect(terminal.end() == 130)
        #expect(!terminal.screen.text.contains("^C") && !terminal.screen.text.contains("[#"), "\(terminal.screen.text)")
        #expect(terminal.screen.isAtEmptyLine)
    }

    @Test("Ctrl-C in a command that waits for what is typed leaves no ^C", arguments: ["export", "import"])
    func interruptedReading(command: String) throws {
        let folder = try EndToEndFolder()
        let terminal = try TerminalProcess([command, "-", "-o", folder("out")])
        terminal.type("{\n")
        Thread.sleep(forTimeInterval: 1)
        terminal.type("\u{3}")
        #expect(terminal.end() == 130)
        let lines = terminal.screen.lines
        #expect(lines.first == "{" && lines.count == (command == "export" ? 2 : 1), "\(terminal.screen.text)")
        #expect(!terminal.screen.text.contains("^C"), "\(terminal.screen.text)")
        #expect(terminal.screen.isAtEmptyLine)
    }

    @Test("Ctrl-C in a wait for a broker that is not there leaves a clean terminal")
    func interruptedWait() throws {
        let folder = try EndToEndFolder()
        let terminal = try TerminalProcess(["wait", "1", "--broker", "ipc://\(folder("nobody"))"])
        Thread.sleep(forTimeInterval: 1)
        terminal.type("\u{3}")
        #expect(terminal.end() == 130)
        #expect(terminal.screen.text.isEmpty, "\(terminal.screen.text)")
        #expect(terminal.screen.isAtEmptyLine)
    }

    @Test("A terminal that only prints gets no escape codes", arguments: ["dumb", ""])
    func dumbTerminal(name: String) throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("a.ink", GoodProject.long)
        let terminal = try TerminalProcess(
            ["export", path, "-o", folder("out"), "--size", "1080p"], environment: ["TERM": name])
        #expect(terminal.end() == 0)
        #expect(!terminal.output.contains("\u{1b}"), "\(terminal.output)")
        #expect(terminal.screen.text.hasPrefix("1 exported in "), "\(terminal.screen.text)")
    }

    @Test("Nothing is coloured, and what is no terminal gets no escape codes")
    func noColours() throws {
        let folder = try EndToEndFolder()
        let arguments = try long(folder)
        let terminal = try TerminalProcess(arguments, environment: ["NO_COLOR": "1"])
        let piped = try InkProcess.run(
            arguments + ["--if-exists", "overwrite", "--progress", "none"], environment: ["TERM": "xterm"])
        #expect(terminal.end() == 0 && piped.code == 0)
        // Colours are sequences that end in m.
        let codes = terminal.output.split(separator: "\u{1b}").dropFirst()
        #expect(codes.allSatisfy { ["A", "K", "J"].contains($0.first { $0.isLetter }) }, "\(terminal.output)")
        #expect(!(piped.output + piped.error).contains("\u{1b}") && piped.error.isEmpty, "\(piped.error)")
    }
}
