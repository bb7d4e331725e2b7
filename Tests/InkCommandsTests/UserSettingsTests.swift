import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkCommands
@testable import InkExports

/// The user's config file: `~/.config/ink/config`.
@Suite struct UserSettingsTests {
    private let folder = ScratchFolder()

    /// The outputs of an export with this file.
    private func export(
        _ config: String, _ options: [String] = [], variables: [String: String] = [:]
    ) -> (code: ExitCode, trial: CommandTrial) {
        folder.file("home/.config/ink/config", config)
        folder.file("in/a.ink")
        let trial = CommandTrial()
        let code = trial.run(
            ["export", folder("in"), "-o", folder("out")] + options,
            variables: ["HOME": folder("home")].merging(variables) { $1 })
        return (code, trial)
    }

    @Test func defaultsOfExportComeFromTheFile() {
        let (code, trial) = export(
            "size = 4k, 0.5x\neffort = small  # smaller files\nbackground = \"#abc\"\nrgba = on\n")
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-0.5x.png", "out/a-4k.png"])
        #expect(trial.farm.requests.allSatisfy { $0.options.encoding.effort == .small })
        #expect(trial.farm.requests.allSatisfy { $0.options.background == RGBA8(hex: "#aabbcc") })
    }

    @Test(
        "A flag wins over the file, also one that excludes what is there",
        arguments: [
            ("size = 4k", ["--size", "2k"], "a-2k.png"), ("rgb = true", ["--rgba"], "a-2k.png"),
            ("fail-fast = true", ["--keep-going"], "a-2k.png"), ("name = {id}.png", ["--name", "n.png"], "n.png"),
            ("name = {title}.png", ["-o", "FILE"], "one.png"), ("rgb = off", ["--rgba"], "a-2k.png"),
            ("quality = 60", ["--lossless", "--format", "webp"], "a-2k.webp"),
        ])
    func flagsWin(config: String, options: [String], output: String) {
        let isFile = options.contains("FILE")
        folder.file("home/.config/ink/config", config + "\n")
        folder.file("in/a.ink")
        let trial = CommandTrial()
        let place = isFile ? ["-o", folder("out/one.png")] : ["-o", folder("out")] + options
        #expect(
            trial.run(["export", folder("in/a.ink")] + place, variables: ["HOME": folder("home")]) == .done,
            "\(trial.transcript.error)")
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/\(output)"])
    }

    @Test("What means nothing to the format of a picture is for others", arguments: ["png", "jpeg"])
    func settingsOfOtherFormats(format: String) {
        folder.file("home/.config/ink/config", "effort = small\nquality = 60\nrgba = true\nformat = png\n")
        folder.file("in/a.ink")
        let trial = CommandTrial()
        let arguments = ["export", folder("in/a.ink"), "-o", folder("out"), "--format", format]
        #expect(trial.run(arguments, variables: ["HOME": folder("home")]) == .done, "\(trial.transcript.error)")
        let expected =
            format == "png" ? PictureEncoding(effort: .small) : PictureEncoding(format: .jpeg, quality: 60)
        #expect(trial.farm.requests.map(\.options.encoding) == [expected])
        #expect(trial.farm.requests.map(\.options.colorMode) == [format == "png" ? .rgba : .automatic])
    }

    @Test(
        "A bad file is refused with file and line, and nothing is exported",
        arguments: [
            ("size = 2k\nsize = 4k\n", "line 2: size "),
            ("\nsizes = 4k\n", "line 2: there is no setting \"sizes\" (did you mean size?)"),
            ("size = 3q\n", "line 1: size: \"3q\" is not a size"),
            ("broker = farm:5571\n", "line 1: broker: \"farm:5571\""),
            ("effort = most\n", "line 1: effort: \"most\" is not fast"), ("workers = 0\n", "line 1: workers: "),
            ("rgb = perhaps\n", "line 1: rgb: \"perhaps\" is not true or false"), ("nonsense\n", "line 1: "),
            ("rgb = true\nrgba = true\n", "cannot be used together"), ("name = a.tga\n", "line 1: name: "),
            ("data = x\n", "line 1: there is no setting \"data\""), ("timeout = 0\n", "line 1: timeout: "),
        ])
    func badFiles(config: String, reason: String) {
        let (code, trial) = export(config, ["--size", "1x"])
        #expect(code == .configuration)
        #expect(trial.transcript.error.contains("home/.config/ink/config"), "\(trial.transcript.error)")
        #expect(trial.transcript.error.contains(reason), "\(trial.transcript.error)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1)
        #expect(!folder.files.contains { $0.hasPrefix("out/") })
    }

    @Test func theFileIsFoundAsXDGSays() throws {
        folder.file("home/.config/ink/config", "size = 1x\n")
        folder.file("xdg/ink/config", "size = 2x\n")
        folder.file("named", "size = 3x\n")
        func size(_ variables: [String: String]) throws -> String? {
            try UserSettings.read(variables)?.lines.first?.value
        }
        let home = folder("home")
        #expect(try size(["HOME": home]) == "1x")
        #expect(try size(["HOME": home, "XDG_CONFIG_HOME": ""]) == "1x")
        #expect(try size(["HOME": home, "XDG_CONFIG_HOME": "xdg"]) == "1x")
        #expect(try size(["HOME": home, "XDG_CONFIG_HOME": folder("xdg")]) == "2x")
        #expect(try size(["HOME": home, "XDG_CONFIG_HOME": folder("xdg"), "INK_CONFIG": folder("named")]) == "3x")
        #expect(try size(["HOME": home, "INK_CONFIG": "/dev/null"]) == nil)
        #expect(try size(["HOME": folder("nobody")]) == nil)
        #expect(try size([:]) == nil)
        #expect(throws: CommandError.self) { try size(["INK_CONFIG": folder("missing")]) }
    }

    @Test("A home folder that may not be entered has no file; other errors are reported")
    func otherUsersHome() throws {
        func read(_ number: Int32) throws -> SettingsFile? {
            try UserSettings.read(
                ["HOME": "/root"],
                exists: { path throws(EngineError) in throw .io(path: path, operation: "look", errno: number) })
        }
        #expect(try read(EACCES) == nil)
        #expect(throws: CommandError.self) { try read(EIO) }
    }

    @Test func pathsStartFromTheFileOrTheHomeFolder() throws {
        folder.file("config/ink/config", "key = ~/k.key\nbroker-key = b.pub\npresets = p\npresets = /q\nlimits = ~x\n")
        let file = try #require(
            try UserSettings.read(["HOME": "/home/ann", "XDG_CONFIG_HOME": folder("config")]))
        #expect(
            file.lines.map(\.value)
                == [
                    "/home/ann/k.key", folder("config/ink/b.pub"), folder("config/ink/p"), "/q",
                    folder("config/ink/~x"),
                ])
    }

    @Test("Clients take broker and keys from the flag, else the environment, else the file")
    func clients() throws {
        folder.file("k.key")
        folder.file("b.pub")
        let path = folder.file(
            "config", "broker = tcp://file:1\nkey = k.key\nbroker-key = b.pub\ntimeout = 3\nsize = 4k\n")
        func options(_ arguments: [String], _ variables: [String: String]) throws -> RemoteOptions {
            let broker = FakeBroker()
            _ = broker.run(["status"] + arguments, variables: variables)
            return try #require(broker.options.withLock { $0 })
        }
        let file = ["INK_CONFIG": path]
        let fromFile = try options([], file)
        #expect(fromFile.endpoint == "tcp://file:1")
        #expect(fromFile.keyPath == folder("k.key"))
        #expect(fromFile.brokerKeyPath == folder("b.pub"))
        #expect(fromFile.timeoutMilliseconds == 3000)
        let variable = file.merging(["INK_BROKER": "tcp://variable:2"]) { $1 }
        #expect(try options([], variable).endpoint == "tcp://variable:2")
        #expect(try options(["--broker", "tcp://flag:3"], variable).endpoint == "tcp://flag:3")
    }

    @Test("Defaults of export also apply to submit and inspect, where these have the option")
    func otherCommands() {
        folder.file("config", "size = 3x\nname = {id}.png\nif-exists = overwrite\nstrict = true\nworkers = 2\n")
        folder.file("a.ink", "warning=odd\n")
        folder.file("b.ink")
        let trial = CommandTrial()
        let file = ["INK_CONFIG": folder("config")]
        #expect(trial.run(["inspect", folder("b.ink")], variables: file) == .done, "\(trial.transcript.error)")
        #expect(trial.run(["inspect", folder("a.ink")], variables: file) == .badInput)
        let (code, output, error) = FakeBroker().run(["submit", folder("b.ink"), "--json"], variables: file)
        #expect(code == .done, "\(error)")
        #expect(output.contains("\"size\":\"3x\""), "\(output)")
    }

    @Test("A broker in the file does not send projects away")
    func exportStaysHere() {
        let (code, trial) = export("broker = tcp://farm.example:5571\nworkers = 3\n")
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(trial.farm.requests.count == 1)
    }

    @Test("With --from-report the report's options win over the file")
    func reports() {
        #expect(export("size = 1x\n", ["--report", folder("r.json")]).code == .done)
        folder.file("home/.config/ink/config", "size = 4k\neffort = small\n")
        let trial = CommandTrial()
        let code = trial.run(
            ["export", "--from-report", folder("r.json"), "--if-exists", "overwrite"],
            variables: ["HOME": folder("home")])
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-1x.png"])
        #expect(trial.farm.requests.allSatisfy { $0.options.encoding.effort != .small })
    }

    @Test("Broker and worker do not read it")
    func services() {
        folder.file("home/.config/ink/config", "nonsense\n")
        let trial = CommandTrial()
        let code = trial.run(
            ["broker", "--check-config", "--spill-folder", folder.path], variables: ["HOME": folder("home")])
        #expect(code == .done, "\(trial.transcript.error)")
    }
}
