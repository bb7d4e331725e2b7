import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

@Suite struct SettingsTests {
    private static let all = BrokerSetting.all

    private func settings(
        _ arguments: [String] = [], _ variables: [String: String] = [:], file: String? = nil,
        syntax: [SettingSyntax] = SettingsTests.all, command: String = "broker"
    ) throws -> Settings {
        let config = file == nil ? [] : ["--config", "s.conf"]
        let line = try CommandLineParser.parse([command] + arguments + config, program: .ink)
        guard case .command(let parsed) = line else { throw CommandError.usage("no command") }
        return try Settings(syntax, parsed: parsed, variables: variables) { _ in Array((file ?? "").utf8) }
    }

    private func refusal(
        _ arguments: [String] = [], _ variables: [String: String] = [:], file: String? = nil
    ) -> CommandError? {
        do {
            _ = try settings(arguments, variables, file: file)
            return nil
        } catch {
            return error as? CommandError
        }
    }

    @Test(arguments: [
        ("block-memory", "64M", SettingValue.bytes(64 << 20)), ("block-memory", "1.5G", .bytes(3 << 29)),
        ("spill", "0", .bytes(0)), ("spill", "4096", .bytes(4096)), ("spill", "2T", .bytes(2 << 40)),
        ("retention", "30s", .milliseconds(30_000)), ("retention", "15m", .milliseconds(900_000)),
        ("retention", "12h", .milliseconds(43_200_000)), ("retention", "7d", .milliseconds(604_800_000)),
        ("heartbeat", "250", .milliseconds(250)), ("heartbeat", "1.5s", .milliseconds(1500)),
        ("verify", "1%", .share(0.01)), ("verify", "0.01", .share(0.01)), ("verify", "100%", .share(1)),
        ("verify", "1", .share(1)), ("queue-limit", "7", .count(7)), ("insecure", "yes", .on(true)),
        ("insecure", "0", .on(false)), ("log", "json", .text("json")), ("data", "/a b", .text("/a b")),
        ("workers", "tcp://*:5570", .text("tcp://*:5570")), ("workers", "tcp://[::1]:80", .text("tcp://[::1]:80")),
        ("clients", "ipc:///run/ink.sock", .text("ipc:///run/ink.sock")),
    ])
    func valuesAreRead(name: String, text: String, value: SettingValue) throws {
        let setting = try #require(Self.all.first { $0.name == name })
        #expect(try setting.kind.read(text) == value)
        #expect(try setting.kind.read(value.text) == value, "\(value.text)")
    }

    @Test(arguments: [
        ("block-memory", "64MB"), ("block-memory", "-1"), ("block-memory", ""), ("block-memory", "1e6"),
        ("block-memory", "99999999999999T"), ("spill", "M"), ("spill", "1..5M"), ("retention", "7"),
        ("retention", "7w"), ("retention", "d"), ("heartbeat", "9"), ("heartbeat", "1x"), ("verify", "101%"),
        ("verify", "-1%"), ("verify", "%"), ("verify", "nan"), ("queue-limit", "0"), ("queue-limit", "1.5"),
        ("queue-limit", "many"), ("insecure", "maybe"), ("log", "xml"), ("log-level", "loud"), ("data", ""),
        ("data", "a\nb"), ("workers", "5570"), ("workers", "tcp://host"), ("workers", "tcp://:5570"),
        ("workers", "tcp://host:0"), ("workers", "tcp://host:65536"), ("workers", "tcp://host:+80"),
        ("workers", "tcp://a b:80"), ("workers", "tcp://a;b:80"), ("workers", "inproc://x"), ("workers", "ipc://"),
        ("name", ""), ("name", "a\u{1b}[2J"),
    ])
    func badValuesAreRefused(name: String, text: String) throws {
        let setting = try #require(Self.all.first { $0.name == name })
        #expect(throws: SettingRefusal.self) { try setting.kind.read(text) }
        if text.isEmpty { return }
        // An endpoint to connect to has no wildcard.
        #expect(throws: SettingRefusal.self) { try WorkerSetting.broker.kind.read("tcp://*:5570") }
        #expect(
            refusal(["--\(name)=\(text)"])?.exitCode == (setting.kind == .flag ? nil : .usage) || setting.kind == .flag)
        let variable = refusal([], [setting.variable: text])
        #expect(variable?.exitCode == .configuration)
        #expect(variable?.description.hasPrefix("\(setting.variable): ") == true, "\(variable?.description ?? "")")
        if !text.contains("\n") {
            let file = refusal(file: "\n# settings\n\(name) = \"\(text)\"\n")
            #expect(file?.exitCode == .configuration)
            #expect(file?.description.hasPrefix("s.conf: line 3: \(name): ") == true, "\(file?.description ?? "")")
        }
    }

    @Test(arguments: [
        ("queue-limt = 7", "line 1: there is no setting \"queue-limt\" (did you mean queue-limit?)"),
        ("\n\nfoo=1", "line 3: there is no setting \"foo\""),
        ("active = 1\nactive = 2", "line 2: active is already set in line 1"),
        ("active", "line 1: \"active\" is not name = value"),
        ("data = \"x", "line 1: data: a quote is not closed"),
        ("data = \"x\" y", "line 1: data: \"y\" after the closing quote"),
        ("check-config = true", "line 1: there is no"),
        ("config = x", "line 1: there is no"), ("active = ", "line 1: active: \"\" is not a whole number"),
    ])
    func filesAreRefusedWithTheLine(text: String, message: String) throws {
        let error = try #require(refusal(file: text))
        #expect(error.exitCode == .configuration)
        #expect(error.description.hasPrefix("s.conf: \(message)"), "\(error)")
    }

    @Test func filesMayHaveCommentsQuotesAndLists() throws {
        let settings = try settings(
            file: """
                # a comment
                  data=/srv/ink # where it lies

                \toutput-root = "/out # put"  # another
                input-root = /a#b
                input-root = "/c ""d"" "
                insecure = true\r
                name = "" # and nothing else
                """.replacing("name = \"\"", with: "name = \"x\""))
        #expect(settings.text(BrokerSetting.data) == "/srv/ink")
        #expect(settings.text(BrokerSetting.outputRoot) == "/out # put")
        #expect(settings.texts(BrokerSetting.inputRoot) == ["/a#b", "/c \"d\" "])
        #expect(settings.isOn(KeySetting.insecure))
        #expect(settings.text(BrokerSetting.name) == "x")
        #expect(settings.source(BrokerSetting.outputRoot) == .file("s.conf", line: 4))
        #expect(settings.place(BrokerSetting.outputRoot) == "s.conf: line 4: output-root")
    }

    @Test func listsOfTheEnvironmentAreCutAtColons() throws {
        let settings = try settings([], ["INK_INPUT_ROOT": "/a:/b", "INK_PRESETS": "", "INK_DATA": ""])
        #expect(settings.texts(BrokerSetting.inputRoot) == ["/a", "/b"])
        #expect(!settings.isSet(BrokerSetting.presets))
        #expect(settings.text(BrokerSetting.data) == "ink-data")
        #expect(settings.source(BrokerSetting.data) == .standard)
    }

    @Test func aFileThatCannotBeReadIsSaid() throws {
        let folder = ScratchFolder()
        let trial = CommandTrial()
        #expect(trial.run(["broker", "--config", folder("none.conf"), "--check-config"]) != .done)
        #expect(trial.transcript.error.hasPrefix("ink: error: \(folder("none.conf")): "), "\(trial.transcript.error)")
    }

    /// A value that the setting can have.
    private static func randomValue(_ kind: SettingKind, _ random: inout SeededGenerator) -> SettingValue {
        switch kind {
        case .text, .path:
            let pieces = ["a", "#", " ", "\"", "=", "ä", "/", "b:c", "'", "\\"]
            return .text(
                "x"
                    + (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        pieces.randomElement(using: &random) ?? ""
                    }.joined() + "y")
        case .endpoint:
            return .text("tcp://h\(Int.random(in: 0...9, using: &random)):\(Int.random(in: 1...65535, using: &random))")
        case .count(let range): return .count(Int.random(in: range, using: &random))
        case .bytes(let range): return .bytes(Int.random(in: range, using: &random))
        case .duration(_, let range): return .milliseconds(Int.random(in: range, using: &random))
        case .share: return .share(Double(Int.random(in: 0...1000, using: &random)) / 1000)
        case .choice(let words): return .text(words.randomElement(using: &random) ?? "")
        case .flag: return .on(true)
        }
    }

    @Test(arguments: 0..<200)
    func flagsWinOverEnvironmentOverFileOverDefault(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var arguments: [String] = []
        var variables: [String: String] = [:]
        var lines: [(name: String, text: String)] = []
        var expected: [String: [SettingValue]] = [:]
        var sources: [String: Int] = [:]
        for setting in Self.all {
            for place in 0..<3 where Bool.random(using: &random) {
                let count = setting.isList ? Int.random(in: 1...3, using: &random) : 1
                var values = (0..<count).map { _ in Self.randomValue(setting.kind, &random) }
                if place == 1, setting.isList {
                    values = values.map { .text($0.text.replacing(":", with: ";")) }
                }
                switch place {
                case 0: for value in values { lines.append((setting.name, SettingsFile.quoted(value.text))) }
                case 1: variables[setting.variable] = values.map(\.text).joined(separator: ":")
                default:
                    if setting.kind == .flag {
                        arguments.append("--\(setting.name)")
                    } else {
                        for value in values { arguments += ["--\(setting.name)", value.text] }
                    }
                }
                expected[setting.name] = values
                sources[setting.name] = place
            }
        }
        lines.shuffle(using: &random)
        // Lines of a list keep their order among themselves.
        for setting in Self.all where setting.isList {
            let places = lines.indices.filter { lines[$0].name == setting.name }
            if sources[setting.name] == 0 {
                for (place, value) in zip(places, expected[setting.name] ?? []) {
                    lines[place].text = SettingsFile.quoted(value.text)
                }
            }
        }
        let file = lines.map { "\($0.name) = \($0.text)\n" }.joined()
        let settings = try settings(arguments, variables, file: file)
        for setting in Self.all {
            let standard = try setting.standard.map { [try setting.kind.read($0)] } ?? []
            #expect(settings.values(setting) == expected[setting.name] ?? standard, "seed \(seed): \(setting.name)")
            switch (sources[setting.name], settings.source(setting)) {
            case (0, .file), (1, .variable), (2, .flag), (nil, .standard), (nil, nil): break
            case (let place, let source):
                Issue.record(
                    "seed \(seed): \(setting.name) from \(String(describing: source)), not \(String(describing: place))"
                )
            }
        }
        // What is printed is a file that says the same.
        let again = try self.settings(file: settings.effectiveText)
        for setting in Self.all {
            #expect(again.values(setting) == settings.values(setting), "seed \(seed): \(setting.name)")
        }
    }

    @Test func variablesOfOtherNamesAreNoticed() {
        let variables = ["INK_DATA": "x", "INK_QUEUE_LIMT": "7", "PATH": "/bin", "INK_CONFIG": "c"]
        #expect(Settings.unknownVariables(variables, known: ProgramSyntax.settings) == ["INK_QUEUE_LIMT"])
    }

    @Test func defaultsKeepTheirOwnBounds() throws {
        for setting in BrokerSetting.all + WorkerSetting.all + RemoteSetting.all {
            guard let standard = setting.standard else { continue }
            #expect(try setting.kind.read(standard).text.isEmpty == false, "\(setting.name)")
        }
    }
}
