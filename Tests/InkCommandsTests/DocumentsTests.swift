import InkSystem
import Testing

@testable import InkCommands
@testable import InkExports

/// The documents and the help say what the program does.
@Suite struct DocumentsTests {
    private static let using = read("docs/using-ink.md")
    private static let running = read("docs/running-a-farm.md")
    private static let documents = using + running + read("docs/packs.md")

    private static func read(_ path: String) -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = (try? FileSystem.read("/\(root)/\(path)", limitBytes: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The row of a setting's table.
    private static func row(_ setting: SettingSyntax) -> String {
        let flag = "`\(setting.flag.replacing("|", with: "\\|"))`"
        let standard = setting.defaultText.map { " \($0) |" } ?? " |"
        return "| \(flag) | `\(setting.variable)` | `\(setting.name)` |\(standard) \(setting.help) |"
    }

    @Test func everySettingIsDocumented() {
        for setting in BrokerSetting.all + WorkerSetting.all {
            let row = Self.row(setting)
            #expect(Self.running.contains(row + "\n"), "docs/running-a-farm.md lacks: \(row)")
        }
        for setting in RemoteSetting.all {
            let row = Self.row(setting)
            #expect(Self.using.contains(row + "\n"), "docs/using-ink.md lacks: \(row)")
        }
        for setting in ExportSetting.all {
            let value = setting.kind == .flag ? "true" : setting.shown
            let row = "| `\(setting.name) = \(value.replacing("|", with: "\\|"))` | \(setting.help) |"
            #expect(Self.using.contains(row + "\n"), "docs/using-ink.md lacks: \(row)")
        }
    }

    @Test(arguments: ProgramSyntax.ink.commands.map(\.name))
    func everyCommandAndOptionIsInTheHelpAndTheDocuments(name: String) throws {
        let command = try #require(ProgramSyntax.ink.commands.first { $0.name == name })
        // Those of a family are in the list of the family.
        let words = name.split(separator: " ").map(String.init)
        let all = try CommandLineParser.help(for: words.count > 1 ? words[0] : nil, program: .ink)
        #expect(all.contains("  \(words[words.count - 1]) "))
        #expect(Self.documents.contains("`ink \(name)"), "ink \(name) is not documented")
        let help = try CommandLineParser.help(for: name, program: .ink)
        for option in command.options {
            for spelling in option.names.split(separator: ",") {
                #expect(help.contains(spelling), "\(spelling) is not in the help of \(name)")
            }
            if option.names.hasPrefix("-"), let long = option.names.split(separator: ",").last {
                #expect(Self.documents.contains(long), "\(long) of \(name) is not documented")
            }
        }
    }

    @Test("The document of HTTP lists the options that it takes, and those of ink export that it does not")
    func optionsOfHTTP() throws {
        let document = Self.read("docs/http.md")
        func listed(_ mark: String) throws -> [String] {
            let start = try #require(document.firstRange(of: "<!-- options that are \(mark) -->\n")).upperBound
            let end = try #require(document[start...].firstRange(of: ".\n")).lowerBound
            return document[start..<end].split { $0 == "," || $0.isWhitespace }.map { $0.filter { $0 != "`" } }
        }
        let options = CommandSyntax.export.options.filter(\.hasName).map(\.key)
        let taken = PictureOption.all.filter(\.isOfRequests).map(\.name)
        #expect(try listed("taken") == taken)
        // What watermarks and overlays are made of comes as parts of a form.
        #expect(try listed("refused") == options.filter { !taken.contains($0) && $0 != "overlay" })
    }

    @Test func theListOfCommandsIsGrouped() throws {
        let help = try CommandLineParser.help(for: nil, program: .ink)
        let headings = [CommandGroup.pictures, CommandGroup.services, CommandGroup.clients, CommandGroup.help]
        let places = headings.compactMap { help.firstRange(of: "\n\($0):\n")?.lowerBound }
        #expect(places.count == headings.count)
        #expect(places == places.sorted())
    }

    @Test(arguments: ExitCode.allCases)
    func everyExitCodeIsDocumented(code: ExitCode) {
        #expect(Self.using.contains("\n| \(code.rawValue) | "), "exit code \(code.rawValue)")
    }

    @Test func everyDefaultInTheDocumentsIsPrintedByTheHelp() throws {
        for (name, settings) in [("broker", BrokerSetting.all), ("worker", WorkerSetting.all)] {
            // The help breaks lines wherever it likes.
            let help = try CommandLineParser.help(for: name, program: .ink).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            for setting in settings {
                #expect(help.contains(setting.help), "\(setting.name): \(setting.help)")
                if let standard = setting.defaultText { #expect(help.contains("(default: \(standard))")) }
            }
        }
    }
}
