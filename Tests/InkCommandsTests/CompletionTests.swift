import Foundation
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// Completions and man pages, as the shells and man read them. Shells that are not installed are passed over.
@Suite struct CompletionTests {
    private let folder = ScratchFolder()

    private static func has(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// What a program prints, errors included.
    private func run(_ program: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.environment = ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 }
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    private func script(_ shell: String) throws -> String {
        folder.file("ink.\(shell)", try CompletionScript.text(for: shell, program: .ink))
    }

    private static let lines: [(line: [String], offered: [String])] = [
        (["ink", "exp"], ["export"]), (["ink", "export", "--eff"], ["--effort"]),
        (["ink", "export", "--effort", "s"], ["small"]), (["ink", "keygen", "w", "--role", "b"], ["broker"]),
        (["ink", "import", "--brush", "cross"], ["crossHatch", "cross-hatching"]),
        (["ink", "help", "stat"], ["status"]),
        (["ink", "template", "val"], ["validate"]), (["ink", "template", "from-image", "--tol"], ["--tolerance"]),
        (["ink", "export", "--format", "png,jx"], ["png,jxl"]), (["ink", "export", "--format", "we"], ["webp"]),
        (["ink", "submit", "--size", "2k,1080p,8"], ["2k,1080p,8k"]),
        (["ink", "jobs", "--state", "failed,ca"], ["failed,cancelled"]),
        (["ink", "completions", "z"], ["zsh"]), (["ink", "broker", "--log-level", "deb"], ["debug"]),
    ]

    @Test(arguments: lines)
    func bash(line: [String], offered: [String]) throws {
        let path = try script("bash")
        #expect(try run("bash", ["-n", path]).code == 0)
        let words = line.map { "'\($0)'" }.joined(separator: " ")
        let result = try run(
            "bash",
            [
                "-c",
                "source '\(path)'; COMP_WORDS=(\(words)); COMP_CWORD=\(line.count - 1); _ink; printf '%s\\n' \"${COMPREPLY[@]}\"",
            ])
        #expect(result.code == 0)
        #expect(result.output.split(separator: "\n").map(String.init) == offered)
    }

    @Test("A list does not offer what it has")
    func listsWithoutRepetitions() throws {
        let path = try script("bash")
        let result = try run(
            "bash",
            [
                "-c",
                "source '\(path)'; COMP_WORDS=(ink export --format = png,svg,); COMP_CWORD=4; _ink; printf '%s\\n' \"${COMPREPLY[@]}\"",
            ])
        let offered = result.output.split(separator: "\n").map(String.init)
        #expect(offered.contains("png,svg,webp") && offered.allSatisfy { $0.hasPrefix("png,svg,") }, "\(result.output)")
        #expect(!offered.contains("png,svg,png") && !offered.contains("png,svg,svg"), "\(result.output)")
    }

    /// A program `ink` for the shells, which answers what the real one would.
    private func answering(_ lines: String) throws -> String {
        folder.file("bin/ink", "#!/bin/sh\nprintf '%s\\n' \"$*\" >> '\(folder("asked"))'\nprintf '\(lines)'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("bin/ink"))
        return folder("bin")
    }

    @Test("Layers, presets and jobs are completed by what the program finds; blanks are quoted")
    func askedValues() throws {
        let path = try script("bash")
        let bin = try answering("Sky blue\\nSea\\tdescription\\nHouse/Wall\\n")
        func offered(_ words: String, _ index: Int) throws -> [String] {
            let result = try run(
                "bash",
                [
                    "-c",
                    "PATH='\(bin)':$PATH; source '\(path)'; COMP_WORDS=(\(words)); COMP_CWORD=\(index); _ink; printf '%s\\n' \"${COMPREPLY[@]}\"",
                ])
            return result.output.split(separator: "\n").map(String.init)
        }
        #expect(try offered("ink export a.ink --layers S", 4) == ["Sky\\ blue", "Sea"])
        #expect(try offered("ink export a.ink --layers Sea,S", 4) == ["Sea,Sky\\ blue"])
        #expect(try offered("ink wait Se", 2) == ["Sea"])
        #expect(try offered("ink import x --brush H", 4) == ["House/Wall"])
        let asked = try String(contentsOfFile: folder("asked"), encoding: .utf8)
        #expect(asked.hasPrefix("__complete layers export a.ink --layers S\n"), "\(asked)")
        #expect(asked.contains("__complete jobs wait Se\n__complete presets import x --brush H\n"), "\(asked)")
    }

    @Test(
        "The program finds layers of the named project, presets of folders and jobs of the broker, and says no errors")
    func foundValues() throws {
        func found(_ words: [String], _ broker: FakeBroker? = nil) -> String {
            let arguments = [AskedValues.command] + words
            guard let broker else {
                let trial = CommandTrial()
                #expect(trial.run(arguments) == .done)
                #expect(trial.transcript.error.isEmpty)
                return trial.transcript.output
            }
            let (code, output, error) = broker.run(arguments)
            #expect(code == .done && error.isEmpty, "\(error)")
            return output
        }
        let project = folder.file("a b.ink", "layer=l1:Sky\nlayer=l2:\nlayer=l3:One, two\n")
        #expect(found(["layers", "export", project.replacing(" ", with: "\\ "), "--layers", ""]) == "Sky\nl2\n")
        #expect(found(["layers", "export", folder("missing.ink"), "--layers", ""]) == "")
        #expect(found(["layers", "export", folder.file("b.ink", "broken")]) == "")
        folder.file("presets/mine.json", #"{"id": "mine", "name": "Mine", "brush": {"type": "dots"}}"#)
        #expect(found(["presets", "import", "x", "--presets", "=", folder("presets"), "--brush", ""]) == "mine\n")
        #expect(found(["presets", "import", "--presets", folder("none")]) == "")
        #expect(found(["nonsense"]) == "" && found([]) == "")
        let jobs = FakeBroker { _ in
            #"{"jobs": [{"job": 3, "state": "failed", "name": "a.ink"}, {"job": 4, "state": "running", "name": "b.ink"}], "more": false}"#
        }
        #expect(found(["jobs", "wait", ""], jobs) == "3\tfailed a.ink\n4\trunning b.ink\n")
        #expect(found(["jobs", "retry", ""], jobs) == "3\tfailed a.ink\n")
        #expect(found(["jobs", "cancel", "--broker", "nonsense"], jobs) == "")
    }

    @Test("bash completes files, folders and what follows an equals sign")
    func bashFiles() throws {
        let path = try script("bash")
        folder.file("a drawing.ink")
        folder.folder("a folder")
        func offered(_ words: String, _ index: Int) throws -> [String] {
            let result = try run(
                "bash",
                [
                    "-c",
                    "source '\(path)'; COMP_WORDS=(\(words)); COMP_CWORD=\(index); _ink; printf '%s\\n' \"${COMPREPLY[@]}\"",
                ])
            return result.output.split(separator: "\n").map(String.init).sorted()
        }
        #expect(try offered("ink export a", 2) == ["a drawing.ink", "a folder"])
        #expect(try offered("ink wait 1 -o a", 4) == ["a folder"])
        #expect(try offered("ink export --effort = sm", 4) == ["small"])
    }

    @Test(.enabled(if: has("zsh")))
    func zsh() throws {
        let path = try script("zsh")
        let syntax = try run("zsh", ["-n", path])
        #expect(syntax.code == 0, "\(syntax.output)")
        let sourced = try run(
            "zsh", ["-fc", "autoload -U compinit && compinit -u && source '\(path)' && print $_comps[ink]"])
        #expect(sourced.output == "_ink\n")
    }

    @Test(.enabled(if: has("fish")), arguments: lines)
    func fish(line: [String], offered: [String]) throws {
        let path = try script("fish")
        let syntax = try run("fish", ["--no-execute", path])
        #expect(syntax.code == 0, "\(syntax.output)")
        let result = try run("fish", ["-c", "source '\(path)'; complete -C '\(line.joined(separator: " "))'"])
        // Each with its description behind a tab; fish also offers what holds the text elsewhere.
        let words = result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(words.starts(with: offered), "\(result.output)")
    }

    @Test(arguments: CompletionScript.shells)
    func everyOptionIsThere(shell: String) throws {
        let text = try CompletionScript.text(for: shell, program: .ink)
        for command in ProgramSyntax.ink.commands {
            for word in command.name.split(separator: " ") { #expect(text.contains(word)) }
            for spelling in command.spellings where spelling.hasPrefix("--") {
                #expect(text.contains(shell == "fish" ? "-l \(spelling.dropFirst(2)) " : spelling), "\(spelling)")
            }
        }
    }

    @Test func anotherShellIsRefused() {
        let trial = CommandTrial()
        #expect(trial.run(["completions", "tcsh"]) == .usage)
        #expect(trial.run(["completions"]) == .usage)
        #expect(trial.run(["completions", "bash"]) == .done)
    }

    private static let pages: [String?] = [nil] + ProgramSyntax.ink.commands.map(\.name)

    @Test(arguments: pages)
    func manPagesHaveEveryOption(name: String?) throws {
        let page = try ManPage.text(of: name, program: .ink)
        #expect(page.contains("\n.SH NAME\nink"))
        #expect(page.contains("\n.SH EXIT STATUS\n"))
        let plain = page.replacing("\\-", with: "-")
        for command in ProgramSyntax.ink.commands {
            if name == nil { #expect(plain.contains(".BR ink-\(command.name.replacing(" ", with: "-")) (1)\n")) }
            if name == command.name {
                for spelling in command.spellings { #expect(plain.contains("\\fB\(spelling)\\fR")) }
            }
        }
        // No line of text begins like a macro that there is not.
        let macros: Set = ["TH", "SH", "SS", "TP", "PP", "B", "BR", "I", "nf", "fi", "\\\""]
        for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(macros.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
    }

    @Test(.enabled(if: has("mandoc")), arguments: pages)
    func manPagesAreInOrder(name: String?) throws {
        let path = folder.file("ink.1", try ManPage.text(of: name, program: .ink))
        // Only a date is missing, which would be that of the build.
        let result = try run("mandoc", ["-T", "lint", "-W", "warning", path])
        let complaints = result.output.split(separator: "\n").filter { !$0.contains("date") }
        #expect(complaints.isEmpty, "\(result.output)")
    }

    @Test func helpPrintsThem() {
        let trial = CommandTrial()
        #expect(trial.run(["help", "--man", "export"]) == .done)
        #expect(trial.transcript.output.contains(".TH INK\\-EXPORT 1"))
        #expect(trial.run(["help", "--man", "exprot"]) == .usage)
    }
}
