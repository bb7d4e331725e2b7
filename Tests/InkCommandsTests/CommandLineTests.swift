import InkBroker
import InkCodecs
import InkEngine
import InkPlanning
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

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
        ["frobnicate"], ["export", "--frobnicate"], ["export", "a", "--name"], ["export", "a", "--rgb=perhaps"],
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
        [], ["--help"], ["help"], ["help", "export"], ["export", "--help"], ["import", "-h"], ["help", "doctor"],
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

    @Test(arguments: ["--version", "-v", "-V", "version"])
    func versionIsOneLine(argument: String) {
        let trial = CommandTrial()
        #expect(trial.run([argument]) == .done)
        #expect(trial.transcript.output == "ink \(ProgramVersion.text)\n")
    }

    @Test("ink alone lists the commands")
    func listOfCommands() {
        let trial = CommandTrial()
        #expect(trial.run([]) == .done)
        for command in ProgramSyntax.ink.topCommands {
            #expect(trial.transcript.output.contains("  \(command.name) "))
        }
    }

    @Test(
        "What is misspelt is answered with what was meant",
        arguments: [
            (["exprot", "a"], "there is no command \"exprot\" (did you mean export?)"),
            (["--hepl"], "\"--hepl\" was not expected (did you mean --help?)"),
            (["help", "stauts"], "there is no command \"stauts\" (did you mean status?)"),
            (["export", "a", "--qiet"], "ink export has no option \"--qiet\" (did you mean --quiet?)"),
            (
                ["export", "a", "--bakground=red"],
                "ink export has no option \"--bakground=red\" (did you mean --background?)"
            ),
            (["export", "a", "--force"], "ink export has no option \"--force\"; use --if-exists overwrite"),
            (["export", "a", "--threads", "2"], "ink export has no option \"--threads\"; use --workers N"),
            (["export", "a", "--scale", "2"], "ink export has no option \"--scale\"; use --size 2k"),
            (["export", "a", "--frobnicate"], "ink export has no option \"--frobnicate\" (see"),
            (["doctor", "extra"], "\"extra\" was not expected"),
            (["import", "a", "-o", "o", "--brush", "dot"], "--brush: \"dot\" is not a brush (did you mean dots?)"),
            (
                ["import", "a", "-o", "o", "--brush", "Cross-Hatch"],
                "--brush: \"Cross-Hatch\" is not a brush (did you mean crossHatch?)"
            ),
        ])
    func didYouMean(arguments: [String], reason: String) {
        let trial = CommandTrial()
        #expect(trial.run(arguments) == .usage)
        #expect(trial.transcript.error.hasPrefix("ink: error: \(reason)"), "\(trial.transcript.error)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1)
    }

    @Test("A misspelt layer is answered with the one that was meant")
    func misspeltLayer() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "layer=l1:Himmel\nlayer=l2:Meer\n")
        let trial = CommandTrial()
        #expect(trial.run(["export", path, "--layers", "Himel"]) == .usage)
        #expect(
            trial.transcript.error.contains("no layer \"Himel\" (did you mean Himmel?); there are \"Himmel\", \"Meer\"")
        )
    }

    @Test(
        "Sizes are understood as people write them",
        arguments: [
            ("2048", "2048x2048"), ("50%", "0.5x"), ("12.5%", "0.125x"), ("200%", "2x"), ("7%", "0.07x"),
            ("33.3%", "0.333x"), ("2K", "2k"),
            ("1200 x 800", "1200x800"), ("1200\u{d7}800", "1200x800"), ("0.5X", "0.5x"),
        ])
    func sizes(text: String, name: String) throws {
        let line = try CommandLineParser.parse(["export", "a.ink", "--size", text], program: .ink)
        guard case .command(let command) = line else {
            Issue.record("not a command: \(line)")
            return
        }
        #expect(try ExportArguments(command).sizes.map(\.name) == [name])
    }

    @Test(
        "What stands in the wrong place is answered with what to type",
        arguments: [
            (["d.ink", "--size", "2k", "4k"], "use --size 2k,4k"), (["d.ink", "4k"], "use --size 4k"),
            (["d.ink", "--size", "2k", "50%"], "use --size 2k,50%"),
            (["d.ink", "out.png"], "use ink export d.ink -o out.png"),
            (["a.ink", "out.BMP"], "to write a picture there, use ink export a.ink -o out.png"),
            (["a.ink", "b.ink", "out.png"], "use ink export a.ink b.ink -o FOLDER/"),
            (["d.ink", "no-such/"], "use -o no-such/"), (["d.ink", "--size", "3k"], "use 1080p, 2k"),
            (["d.ink", "-o", "name.tga"], "is written, not .tga; use -o name.png, or -o name.tga/"),
            (["d.ink", "-o", "a.b/name.BMP"], "use -o a.b/name.png"),
            (["d.ink", "-o", ".tga"], "use -o picture.png"),
            (["d.ink", "-o", "copy.ink"], "copy.ink looks like a file"),
        ])
    func misplaced(arguments: [String], way: String) {
        let trial = CommandTrial()
        #expect(trial.run(["export"] + arguments) == .usage)
        #expect(trial.transcript.error.contains(way), "\(trial.transcript.error)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1)
        #expect(trial.farm.requests.isEmpty)
    }

    @Test("A picture that is there, as \"export *\" finds it beside projects, keeps no project from being exported")
    func pictureBesideProjects() {
        let folder = ScratchFolder()
        let (project, picture) = (folder.file("a.ink", "title=a\n"), folder.file("b.png", "\u{89}PNG"))
        let trial = CommandTrial()
        #expect(trial.run(["export", project, picture, "-o", folder("out")]) != .usage)
        #expect(trial.farm.requests.count == 2, "\(trial.transcript.error)")
    }

    @Test("A folder that is named like a file is a folder when it is there, or has a slash")
    func foldersNamedLikeFiles() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "title=a\n")
        for name in ["old.tga", "old.jpg"] { folder.folder(name) }
        #expect(CommandTrial().run(["export", path, "-o", folder("old.jpg"), "-q"]) == .done)
        #expect(CommandTrial().run(["export", path, "-o", folder("old.tga"), "-q"]) == .done)
        #expect(CommandTrial().run(["export", path, "-o", folder("new.tga/"), "-q"]) == .done)
        #expect(CommandTrial().run(["export", path, "-o", folder("no.tga"), "-q"]) == .usage)
        #expect(CommandTrial().run(["export", path, "-o", folder("b.ora"), "--dry-run", "-q"]) == .done)
        #expect(folder.files == ["a.ink", "new.tga/a-2k.png", "old.jpg/a-2k.png", "old.tga/a-2k.png"])
    }

    @Test(
        "No command makes a folder with the name of a file",
        arguments: [
            ["wait", "1", "-o", "x.png"], ["import", "x.ndjson", "-o", "x.ink"],
            ["template", "masks", "x.png", "--color", "#f00", "-o", "y.png"],
            ["keygen", "k", "--role", "broker", "-o", "k.key"], ["submit", "a.ink", "--into", "x.jpg"],
        ])
    func foldersOfOtherCommands(arguments: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(arguments) == .usage)
        #expect(trial.transcript.error.contains("looks like a file"), "\(trial.transcript.error)")
    }

    @Test("-j and -q are short for --workers and --quiet")
    func shortOptions() throws {
        let line = try CommandLineParser.parse(["export", "a", "-j", "3", "-q"], program: .ink)
        guard case .command(let command) = line else {
            Issue.record("not a command: \(line)")
            return
        }
        let arguments = try ExportArguments(command)
        #expect(try arguments.run.workers == 3 && ShownArguments(command).isQuiet)
        let worker = try CommandLineParser.parse(["worker", "-j4"], program: .ink)
        #expect(worker == .command(ParsedCommand(name: "worker", values: ["threads": ["4"]])))
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
        ["--keep-going", "--fail-fast"], ["--failed"], ["-o", ""],
        ["--progress", "loud"],
    ])
    func refusesBadValues(options: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(["export", "a.ink"] + options) == .usage, "\(options)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1, "\(trial.transcript.error)")
        #expect(trial.farm.requests.isEmpty)
    }

    @Test("--keep names the kinds that stay, and nothing else")
    func keep() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink")
        func run(_ options: [String]) throws -> (ExitCode, String, MetadataKinds?) {
            let trial = CommandTrial()
            let code = trial.run(
                ["export", path, "-o", folder("x.png"), "--if-exists", "overwrite", "--quiet"] + options)
            return (code, trial.transcript.error, trial.farm.requests.first?.options.keeps)
        }
        #expect(try run([]).2 == .all)
        #expect(try run(["--keep", "all"]).2 == .all)
        #expect(try run(["--keep", "copyright, dates", "--keep", "places"]).2 == [.copyright, .dates, .places])
        for (options, reason) in [
            (
                ["--keep", "copright"],
                "\"copright\" is not a kind (did you mean copyright?); choose from copyright, caption"
            ),
            (["--keep", "none"], "to keep nothing, use --no-metadata"), (["--keep", ""], "--keep is empty"),
            (["--keep", "dates,"], "a kind is empty"), (["--keep", "dates,dates"], "dates is given more than once"),
            (["--keep", "all,dates"], "\"all\" stands alone"),
            (["--keep", "dates", "--no-metadata"], "--keep and --no-metadata cannot be used together"),
        ] {
            let (code, error, kept) = try run(options)
            #expect(code == .usage && error.contains(reason) && kept == nil, "\(options): \(error)")
        }
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
        #expect(
            request.options
                == PictureOptions(
                    background: RGBA8(red: 0x11, green: 0x22, blue: 0x33, alpha: 0x44), includesBaseImage: false,
                    layers: [0, 1], fillsSuggested: true, colorMode: .rgba, encoding: PictureEncoding(effort: .small),
                    tile: PixelSize(width: 16, height: 32), dotsPerInch: 300, hasMetadata: false,
                    digest: request.options.digest))
        #expect(request.options.digest?.isEmpty == false)
        #expect(trial.transcript.output.isEmpty)
    }
}
