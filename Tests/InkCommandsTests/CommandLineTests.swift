import InkBroker
import InkEngine
import Testing

@testable import InkCommands

struct CommandLineTests {
    @Test func readsEachKindOfOption() throws {
        let line = try CommandLineParser.parse(
            ["export", "a.ink", "-", "--size", "2k,4k", "--size", "1x", "-o", "out", "--rgb", "b c.ink"], program: .ink)
        guard case .command(let command) = line else {
            Issue.record("not a command: \(line)")
            return
        }
        #expect(command.name == "export")
        #expect(command.all("PATH") == ["a.ink", "-", "b c.ink"])
        #expect(command.list("size") == ["2k", "4k", "1x"])
        #expect(command.value("output") == "out")
        #expect(command.isGiven("rgb"))
        #expect(!command.isGiven("rgba"))
    }

    @Test(arguments: ["{name}-{size}.png", "[a].png", "a,b.png", "%%.png", "\"q\".png", "ä ö.png", "x=y.png"])
    func takesNamesAsTheyAre(name: String) throws {
        let line = try CommandLineParser.parse(["export", name, "--name", name, "--", name], program: .ink)
        guard case .command(let command) = line else {
            Issue.record("not a command: \(line)")
            return
        }
        #expect(command.all("PATH") == [name, name])
        #expect(command.value("name") == name)
    }

    @Test(arguments: [
        [], ["frobnicate"], ["export", "--frobnicate"], ["export", "a", "--name"], ["export", "a", "--rgb=perhaps"],
        ["export", "a", "-o", "x", "-o", "y"], ["help", "frobnicate"], ["doctor", "extra"], ["export", "a\u{0}b"],
        ["export", "a", "--report", ""],
    ])
    func refusesWithOneLine(arguments: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(arguments) == .usage)
        #expect(trial.transcript.error.hasPrefix("ink: error: "))
        #expect(trial.transcript.error.split(separator: "\n").count == 1, "\(trial.transcript.error)")
        #expect(trial.transcript.output.isEmpty)
    }

    @Test(arguments: [
        ["--help"], ["help"], ["help", "export"], ["export", "--help"], ["import", "-h"], ["help", "doctor"],
    ])
    func helpGoesToStandardOutput(arguments: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(arguments) == .done)
        #expect(trial.transcript.error.isEmpty)
        #expect(trial.transcript.output.contains("Usage: ink"), "\(trial.transcript.output)")
    }

    @Test(arguments: [
        (["expotr", "a"], "there is no command \"expotr\""), (["export", "a", "--size"], "--size needs a value"),
        (["export", "a", "--workers", "1", "--workers", "2"], "--workers is given more than once"),
        (["export", "a", "--limits", ""], "--limits is empty"),
    ])
    func saysWhatIsWrong(arguments: [String], reason: String) {
        let trial = CommandTrial()
        #expect(trial.run(arguments) == .usage)
        #expect(trial.transcript.error.hasPrefix("ink: error: \(reason)"), "\(trial.transcript.error)")
    }

    @Test func versionIsOneLine() {
        let trial = CommandTrial()
        #expect(trial.run(["--version"]) == .done)
        #expect(trial.transcript.output == "ink \(ProgramVersion.text)\n")
    }

    @Test func helpOfExportNamesEveryOption() {
        let trial = CommandTrial()
        _ = trial.run(["help", "export"])
        for option in CommandSyntax.export.options {
            for name in option.names.split(separator: ",") {
                #expect(trial.transcript.output.contains(name), "\(name) is missing")
            }
        }
    }

    @Test(arguments: [
        ["--size", "3k"], ["--size", "0x"], ["--size", "-1x"], ["--size", "1x2x3"], ["--size", "infx"],
        ["--size", "2k,2k"], ["--size", ""], ["--name", "x"], ["--name", "{nam}.png"], ["--name", "../x.png"],
        ["--name", "/x.png"], ["--name", "{name.png"], ["--name", "name}.png"], ["--name", "a//b.png"],
        ["--name", "a\nb.png"], ["--name", "{layer}.png"], ["--workers", "0"], ["--workers", "257"],
        ["--workers", "two"], ["--background", "red"], ["--background", "#12345"], ["--layers", "a,,b"],
        ["--layers", "a", "--each-layer"], ["--fill", "all"], ["--dpi", "0"], ["--dpi", "nan"], ["--rgb", "--rgba"],
        ["--effort", "huge"], ["--tile", "15x16"], ["--tile", "16"], ["--tile", "16x"], ["--if-exists", "ask"],
        ["--keep-going", "--fail-fast"], ["--failed"], ["-o", ""], ["-o", "-"],
    ])
    func refusesBadValues(options: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(["export", "a.ink"] + options) == .usage, "\(options)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1, "\(trial.transcript.error)")
        #expect(trial.farm.requests.isEmpty)
    }

    @Test func optionsReachTheFarm() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "layer=l1:Sky\nlayer=-l2:Sea\n")
        let trial = CommandTrial()
        let code = trial.run([
            "export", path, "-o", folder("x.png"), "--size", "100x100", "--background", "#11223344", "--no-base",
            "--layers", "Sea,l1", "--fill", "suggested", "--dpi", "300", "--rgba", "--effort", "small", "--tile",
            "16x32", "--no-metadata", "--quiet",
        ])
        #expect(code == .done, "\(trial.transcript.error)")
        let request = try #require(trial.farm.requests.first)
        #expect(request.size == PixelSize(width: 100, height: 75))
        #expect(request.drawnLayers == [0, 1])
        #expect(
            request.look
                == PictureLook(
                    background: RGBA8(red: 0x11, green: 0x22, blue: 0x33, alpha: 0x44), includesBaseImage: false,
                    fillsSuggested: true, colorMode: .rgba, dotsPerInch: 300, effort: .small,
                    tile: PixelSize(width: 16, height: 32), hasMetadata: false))
        #expect(trial.transcript.output.isEmpty)
    }
}
