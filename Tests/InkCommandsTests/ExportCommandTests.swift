import Glibc
import InkBroker
import InkCodecs
import InkEngine
import InkJSON
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

struct ExportCommandTests {
    @Test func aFolderBecomesATreeOfPictures() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/sub/b.ink")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "-o", folder("out"), "--size", "2k,1x"]) == .done)
        #expect(
            folder.files == [
                "in/a.ink", "in/sub/b.ink", "out/a-1x.png", "out/a-2k.png", "out/sub/b-1x.png", "out/sub/b-2k.png",
            ])
        #expect(trial.transcript.output.hasPrefix("4 exported in "), "\(trial.transcript.output)")
        #expect(trial.transcript.output.contains("4 of 4 within 3 s"))
        #expect(trial.transcript.error.isEmpty, "\(trial.transcript.error)")
    }

    @Test func oneBadProjectDoesNotStopTheOthers() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/b.ink", "broken")
        folder.file("in/c.ink")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "-o", folder("out"), "--size", "1x,2x"]) == .badInput)
        #expect(trial.transcript.error == "ink: error: \(folder("in/b.ink")): layers[0]: is broken\n")
        #expect(trial.farm.requests.count == 4)
        #expect(trial.transcript.output.contains("4 exported, 2 failed"))
    }

    @Test func failFastStopsAtTheFirst() {
        let folder = ScratchFolder()
        for name in ["a", "b", "c", "d"] { folder.file("in/\(name).ink", name == "b" ? "broken" : "title=farm-hangs") }
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--fail-fast", "--report", folder("r.json")]) == .badInput)
        let states = exports(folder).compactMap { $0["state"]?.string }
        #expect(states == ["cancelled", "failed", "cancelled", "cancelled"])
    }

    @Test(arguments: [
        (["title=farm-io"], ExitCode.inputOutput), (["title=farm-fails"], .internalError),
        (["broken", "broken"], .badInput), (["broken", "title=farm-io"], .exportFailed), (["", ""], .done),
        (["", "title=farm-io"], .inputOutput),
    ])
    func exitCodeTellsTheKindOfFailure(projects: [String], code: ExitCode) {
        let folder = ScratchFolder()
        for (index, text) in projects.enumerated() { folder.file("in/\(index).ink", text) }
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--quiet"]) == code, "\(trial.transcript.error)")
        #expect(trial.transcript.output.isEmpty)
    }

    @Test func whatIsUnchangedIsSkipped() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/b.ink")
        let export = ["export", folder("in"), "-o", folder("out")]
        #expect(CommandTrial().run(export) == .done)
        let second = CommandTrial()
        #expect(second.run(export) == .done)
        #expect(second.farm.requests.isEmpty)
        #expect(second.transcript.output.contains("0 exported, 2 unchanged"))
        // Other content, other options, another renderer, a damaged picture: each is made again.
        folder.file("in/a.ink", "title=other")
        #expect(requests(export) == 1)
        #expect(requests(export + ["--background", "#000"]) == 2)
        #expect(requests(export + ["--background", "#000", "--tile", "64x64"]) == 0)
        #expect(requests(export + ["--background", "#000"], FakeFarm(rendererVersion: "fake 2")) == 2)
        folder.file("out/a-2k.png", "half a pict")
        #expect(requests(export + ["--background", "#000"], FakeFarm(rendererVersion: "fake 2")) == 1)
    }

    private func requests(_ arguments: [String], _ farm: FakeFarm = FakeFarm()) -> Int {
        let trial = CommandTrial(farm: farm)
        _ = trial.run(arguments)
        return trial.farm.requests.count
    }

    @Test(arguments: [
        ["--background", "#123"], ["--no-base"], ["--fill", "suggested"], ["--rgba"], ["--dpi", "72"],
        ["--effort", "small"], ["--no-metadata"], ["--layers", "Sky"],
    ])
    func whateverShowsMakesAPictureAnew(options: [String]) {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "layer=1:Sky\nlayer=2:Sea\n")
        let export = ["export", folder("in"), "-o", folder("out")]
        #expect(requests(export) == 1)
        #expect(requests(export + options) == 1)
        #expect(requests(export + options) == 0)
        #expect(requests(export) == 1)
    }

    @Test func failedLayersCanBeRepeated() {
        let folder = ScratchFolder()
        folder.file("in/c.ink", "title=farm-io\nlayer=1:Sky\nlayer=2:Sea\n")
        let report = folder("r.json")
        let export = ["export", folder("in"), "-o", folder("out"), "--each-layer", "--report", report]
        #expect(CommandTrial().run(export) == .inputOutput)
        folder.file("in/c.ink", "layer=1:Sky\nlayer=2:Sea\n")
        let second = CommandTrial()
        #expect(second.run(["export", "--from-report", report, "--failed"]) == .done)
        #expect(second.farm.requests.map { $0.outputs[0] } == ["Sky", "Sea"].map { folder("out/c-\($0)-2k.png") })
        #expect(second.farm.requests.map(\.options.layers) == [[0], [1]])
    }

    @Test("A report makes its folder, as pictures do, and leaves none behind when the run is refused")
    func reportsInNewFolders() {
        let folder = ScratchFolder()
        folder.file("a.ink", "")
        let report = ["--report", folder("new/deep/r.json")]
        let code = CommandTrial().run(["export", folder("a.ink"), "-o", folder("new/")] + report)
        #expect(code == .done && folder.text("new/deep/r.json")?.isEmpty == false)
        let other = ["export", folder("a.ink"), "-o", folder("b.png"), "--report", folder("gone/r.json")]
        #expect(CommandTrial().run(other + ["--size", "9k,9k"]) == .usage)
        #expect(folder.text("gone/r.json") == nil && rmdir(folder("gone")) != 0)
    }

    @Test func aLayerThatIsGoneFailsWhenItsPictureIsRepeated() {
        let folder = ScratchFolder()
        folder.file("in/c.ink", "title=farm-io\nlayer=1:Sky\nlayer=2:Sea\n")
        let report = folder("r.json")
        let export = ["export", folder("in"), "-o", folder("out"), "--each-layer", "--report", report]
        #expect(CommandTrial().run(export) == .inputOutput)
        folder.file("in/c.ink", "layer=1:Sky\nlayer=-2:Sea\n")
        let second = CommandTrial()
        #expect(second.run(["export", "--from-report", report, "--report", report]) == .badInput)
        #expect(second.farm.requests.map(\.options.layers) == [[0]])
        #expect(second.transcript.error.contains("c-Sea-2k.png cannot be rendered again"), "\(second.transcript.error)")
        // It is in the report as it was, and can be repeated when the layer is there again.
        folder.file("in/c.ink", "layer=1:Sky\nlayer=2:Sea\n")
        let third = CommandTrial()
        #expect(third.run(["export", "--from-report", report, "--failed"]) == .done, "\(third.transcript.error)")
        #expect(third.farm.requests.map(\.options.layers) == [[1]])
    }

    @Test func aRepeatedRunReplacesNothingWhenNamesAreToDiffer() {
        let folder = ScratchFolder()
        folder.file("a.ink", "")
        let report = folder("r.json")
        #expect(CommandTrial().run(["export", folder("a.ink"), "--if-exists", "suffix", "--report", report]) == .done)
        let second = CommandTrial()
        #expect(second.run(["export", "--from-report", report]) == .done)
        #expect(second.farm.requests.map { $0.outputs[0] } == [folder("a-2k-1.png")])
        #expect(second.farm.requests.map(\.replacesFile) == [false])
    }

    @Test func whatWasUnchangedHasNotFailed() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/b.ink", "broken")
        let report = folder("r.json")
        let export = ["export", folder("in"), "--report", report]
        for _ in 0..<2 { #expect(CommandTrial().run(export) == .badInput) }
        #expect(exports(folder).compactMap { $0["state"]?.string } == ["skipped", "failed"])
        folder.file("in/b.ink")
        let again = ["export", "--from-report", report, "--failed", "--if-exists", "overwrite"]
        #expect(requests(again) == 1)
    }

    @Test func pathsOfAReportStartFromItsFolder() {
        let folder = ScratchFolder()
        folder.file("x/a.ink")
        let report = folder.file(
            "r.json",
            """
            {"format": "ink-export-report", "version": 1, "folder": "\(folder("x"))", "options": {"output": ["out"]},
            "exports": [{"input": "a.ink", "tree": [], "state": "failed"}]}
            """)
        let trial = CommandTrial()
        #expect(trial.run(["export", "--from-report", report]) == .done, "\(trial.transcript.error)")
        #expect(trial.farm.requests.map { $0.outputs[0] } == [folder("x/out/a-2k.png")])
    }

    @Test func theCommandLineSaysWhetherARepeatedRunKeepsGoing() {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "broken")
        folder.file("in/b.ink")
        let report = folder("r.json")
        #expect(CommandTrial().run(["export", folder("in"), "--fail-fast", "--report", report]) == .badInput)
        let trial = CommandTrial()
        #expect(
            trial.run(["export", "--from-report", report, "--keep-going", "--if-exists", "overwrite"]) == .badInput)
        #expect(trial.farm.requests.count == 1, "\(trial.transcript.error)")
    }

    @Test func failFastMakesNothingWhenAnInputIsMissing() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("missing.ink"), path, "--fail-fast"]) == .inputOutput)
        #expect(trial.farm.requests.isEmpty)
        #expect(folder.text("a-2k.png") == nil)
    }

    @Test func aSingleNamedProjectIsOverwritten() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink")
        #expect(requests(["export", path]) == 1)
        #expect(requests(["export", path]) == 1)
        #expect(requests(["export", path, "--if-exists", "skip-unchanged"]) == 0)
    }

    @Test func existingFilesAreRespected() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink")
        folder.file("a-2k.png", "mine")
        let failing = CommandTrial()
        #expect(failing.run(["export", path, "--if-exists", "fail"]) == .inputOutput)
        #expect(
            failing.transcript.error
                == "ink: error: \(folder("a-2k.png")): already exists; --if-exists overwrite replaces it, suffix keeps both\n"
        )
        #expect(CommandTrial().run(["export", path, "--if-exists", "suffix"]) == .done)
        #expect(folder.text("a-2k.png") == "mine")
        #expect(folder.text("a-2k-1.png") != nil)
    }

    @Test func collisionsAreRefusedBeforeAnythingIsRendered() {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "title=same")
        folder.file("in/b.ink", "title=same")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--name", "{title}.png"]) == .usage)
        #expect(trial.farm.requests.isEmpty)
        #expect(trial.transcript.error.contains("would be the name of"))
    }

    @Test func linkedOutputFoldersCollideToo() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("other/a.ink")
        folder.link("alias", to: "in")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in/a.ink"), folder("alias/a.ink")]) == .usage)
    }

    @Test func dryRunMakesNothing() {
        let folder = ScratchFolder()
        let path = folder.file("in/a.ink")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "-o", folder("out"), "--dry-run"]) == .done)
        #expect(
            trial.transcript.output.hasPrefix("\(path) -> \(folder("out/a-2k.png")) (2048x1536)\n1 would be"),
            "\(trial.transcript.output)")
        #expect(folder.files == ["in/a.ink"])
    }

    @Test func missingInputsAreSaid() {
        let trial = CommandTrial()
        #expect(trial.run(["export", "/nonexistent/a\nb.ink"]) == .inputOutput)
        #expect(
            trial.transcript.error
                == "ink: error: /nonexistent/a\\nb.ink: cannot open: No such file or directory; check the spelling, or give the full path\n"
        )
    }

    @Test func failedExportsCanBeRepeated() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/x/b.ink", "title=farm-io")
        folder.file("in/x/c.ink", "broken")
        let first = CommandTrial()
        let report = folder("r.json")
        #expect(
            first.run(["export", folder("in"), "-o", folder("out"), "--size", "1x,3x", "--rgba", "--report", report])
                == .exportFailed)
        folder.file("in/x/b.ink")
        folder.file("in/x/c.ink")
        let second = CommandTrial()
        #expect(second.run(["export", "--from-report", report, "--failed", "--report", report]) == .done)
        #expect(
            second.farm.requests.map { $0.outputs[0] }
                == ["b-1x", "b-3x", "c-1x", "c-3x"].map { folder("out/x/\($0).png") })
        #expect(second.farm.requests.allSatisfy { $0.options.colorMode == .rgba })
        let third = CommandTrial()
        #expect(third.run(["export", "--from-report", report, "--failed"]) == .done)
        #expect(third.farm.requests.isEmpty)
        for option in [["-o", "x"], ["--name", "{n}.png"], ["--size", "2k"], ["--layers", "a"], ["--each-layer"]] {
            #expect(CommandTrial().run(["export", "--from-report", report] + option) == .usage, "\(option)")
        }
    }

    @Test func repeatingTakesUnplannedProjectsWhole() {
        let folder = ScratchFolder()
        folder.file("in/x/c.ink", "broken")
        let report = folder("r.json")
        let export = ["export", folder("in"), "-o", folder("out"), "--each-layer", "--report", report]
        #expect(CommandTrial().run(export) == .badInput)
        folder.file("in/x/c.ink", "layer=1:Sky\nlayer=2:Sea\n")
        let second = CommandTrial()
        #expect(second.run(["export", "--from-report", report, "--failed"]) == .done)
        #expect(second.farm.requests.map { $0.outputs[0] } == ["Sky", "Sea"].map { folder("out/x/c-\($0)-2k.png") })
    }

    @Test(arguments: ["", "{}", "[1", "{\"format\":\"ink-export-report\",\"version\":99}", "\u{0}"])
    func whatIsNoReportIsRefused(text: String) {
        let folder = ScratchFolder()
        let path = folder.file("r.json", text)
        #expect(CommandTrial().run(["export", "--from-report", path]) == .configuration)
    }

    @Test(arguments: [#""sizes": ["1x"]"#, #""PATH": ["a.ink"]"#, #""rgba": null"#, #""size": [1]"#])
    func optionsOfAReportAreChecked(option: String) {
        let folder = ScratchFolder()
        let path = folder.file(
            "r.json",
            #"{"format": "ink-export-report", "version": 1, "folder": "/", "exports": [], "options": {\#(option)}}"#)
        let trial = CommandTrial()
        #expect(trial.run(["export", "--from-report", path]) == .configuration)
        let error = trial.transcript.error
        #expect(error.contains("options.\(option.split(separator: "\"")[0]) "), "\(error)")
    }

    @Test func aProjectWithoutVisibleLayersHasNoLayersToExport() {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "layer=-1:Sky\n")
        folder.file("in/b.ink", "layer=1:Sky\n")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "-o", folder("out"), "--each-layer"]) == .badInput)
        #expect(trial.transcript.error.contains("in/a.ink: no layer is visible"), "\(trial.transcript.error)")
        #expect(trial.farm.requests.map { $0.outputs[0] } == [folder("out/b-Sky-2k.png")])
    }

    @Test func jsonReportHasEveryExport() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        folder.file("in/b\"\u{1}.ink", "broken")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "-o", folder("out"), "--json"]) == .badInput)
        let report = try JSONReader.read(Array(trial.transcript.output.utf8))
        let exports = try #require(report["exports"]?.array)
        #expect(exports.count == 2)
        #expect(exports[0]["state"]?.string == "done")
        #expect(exports[0]["width"]?.integer == 2048)
        #expect(exports[0]["sha256"]?.string == "ab")
        #expect(
            exports[0]["phasesMs"]?.members?.map(\.0)
                == ["read", "decode", "queue", "prepare", "raster", "composite", "encode", "stitch"])
        #expect(exports[1]["error"]?["code"]?.integer == 65)
        #expect(exports[1]["input"]?.string == folder("in/b\"\u{1}.ink"))
        #expect(report["summary"]?["failed"]?.integer == 1)
        #expect(report["exitCode"]?.integer == 65)
    }

    private func exports(_ folder: ScratchFolder) -> [JSONValue] {
        guard let text = folder.text("r.json"), let report = try? JSONReader.read(Array(text.utf8)) else { return [] }
        return report["exports"]?.array ?? []
    }

    @Test func aRunStopsAtASignal() throws {
        let folder = ScratchFolder()
        let inputs = (0..<40).map { ExportInput(path: folder.file("\($0).ink", "title=farm-hangs")) }
        guard case .command(let parsed) = try CommandLineParser.parse(["export", "x"], program: .ink) else { return }
        let arguments = try ExportArguments(parsed)
        let farm = FakeFarm()
        let queue = EventQueue<ExportRun.Event>()
        try farm.start { queue.post(.farm($0)) }
        let preparation = PicturePreparation(
            arguments: arguments, policy: .overwrite, limits: Limits(), rendererVersion: "1",
            storedDigest: { _ in nil },
            sha256: { $0 })
        let plan = try ExportPlan(inputs: inputs, outlines: [:], arguments: arguments, resolve: { $0 })
        var run = ExportRun(
            inputs: inputs, plan: plan, failed: [], preparation: preparation, opener: FakeOpener(), farm: farm,
            observer: ConsoleObserver(Transcript().console(), ShownArguments()), queue: queue, run: arguments.run,
            readAheadCount: 3)
        queue.post(.stop(.terminate))
        try run.execute {}
        #expect(run.stoppedBy == .terminate)
        #expect(run.records.allSatisfy { $0.state == .cancelled })
        #expect(farm.requests.count <= 3, "more projects were in flight than allowed")
    }

    @Test("Skipped files of a search are counted by kind, and listed with reasons by --dry-run, -v and reports")
    func skippedFiles() throws {
        let (folder, output) = (ScratchFolder(), ScratchFolder())
        for name in ["b.ink", "z.txt", "sub/c.png", ".hidden/d.txt", ".e"] { folder.file(name) }
        let listed = """
            ink: skipped \(folder("z.txt")): neither a project nor a document that ink reads
            ink: skipped \(folder("sub/c.png")): a picture that may belong to a project; name it, or give --photos

            """
        let counts = [
            "ink: 1 picture was skipped, which may belong to the projects: name it, or give --photos",
            "ink: 1 other file was skipped: it is neither a project nor a document that ink reads",
        ]
        let plain = CommandTrial()
        #expect(plain.run(["export", folder.path, "-o", output("out")]) == .done)
        #expect(plain.transcript.error == counts.map { $0 + " (-v lists them)\n" }.joined())
        for option in ["--dry-run", "-v"] {
            let trial = CommandTrial()
            #expect(trial.run(["export", folder.path, "-o", output("out2"), option]) == .done)
            #expect(trial.transcript.error == listed + counts.map { $0 + "\n" }.joined())
        }
        let quiet = CommandTrial()
        #expect(quiet.run(["export", folder.path, "-o", output("out3"), "-q"]) == .done)
        #expect(quiet.transcript.error.isEmpty)
        let json = CommandTrial()
        #expect(json.run(["export", folder.path, "-o", output("out4"), "--json", "-q"]) == .done)
        let report = try JSONReader.read(Array(json.transcript.output.utf8))
        #expect(report["skippedFileCount"]?.integer == 2)
        let files = report["skippedFiles"]?.array ?? []
        #expect(files.map { $0["kind"]?.string } == ["other", "photo"])
        #expect(files.first?["path"]?.string == folder("z.txt"))
    }
}
