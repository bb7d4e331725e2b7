import InkClient
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// Warnings reach whoever has to know of them, in every way that a run reports.
@Suite struct WarningTests {
    private func report(_ folder: ScratchFolder) throws -> JSONValue {
        try JSONReader.read(Array((folder.text("r.json") ?? "").utf8))
    }

    private func texts(_ value: JSONValue?) -> [String] { (value?["warnings"]?.array ?? []).compactMap(\.string) }

    private func folderOfThree() -> ScratchFolder {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "warning=odd\nwarning=strange")
        folder.file("in/b.ink")
        folder.file("in/c.ink", "warning=odd")
        return folder
    }

    @Test("Warnings stand in the report by picture, and the summary counts the pictures")
    func reported() throws {
        let folder = folderOfThree()
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--size", "1x,2x", "--report", folder("r.json")]) == .done)
        #expect(trial.transcript.output.hasPrefix("6 exported, 4 with warnings in "), "\(trial.transcript.output)")
        #expect(
            trial.transcript.error == """
                ink: warning: \(folder("in/a.ink")): layers[0]: odd
                ink: warning: \(folder("in/a.ink")): layers[0]: strange
                ink: warning: \(folder("in/c.ink")): layers[0]: odd

                """)
        let report = try report(folder)
        #expect(report["summary"]?["withWarnings"]?.integer == 4)
        let found = try #require(report["exports"]?.array).map(texts)
        #expect(
            found == [
                ["layers[0]: odd", "layers[0]: strange"], ["layers[0]: odd", "layers[0]: strange"], [], [],
                ["layers[0]: odd"], ["layers[0]: odd"],
            ])
    }

    @Test("What is said of many files as a whole is said of the first, and counted; -v says it of each")
    func saidOfManyFiles() {
        let wide = ReadingWarning(.other, at: nil, "its colours are clipped")
        let placed = ReadingWarning(.other, at: "layers[0]", "odd")
        func said(_ shown: ShownArguments) -> String {
            let transcript = Transcript()
            let observer = ConsoleObserver(transcript.console(), shown)
            observer.hasRead("a.jpg", [wide, placed])
            observer.hasRead("b.jpg", [wide, placed])
            observer.hasRead("c.jpg", [wide])
            observer.ended()
            return transcript.error
        }
        #expect(
            said(ShownArguments()) == """
                ink: warning: a.jpg: its colours are clipped
                ink: warning: a.jpg: layers[0]: odd
                ink: warning: b.jpg: layers[0]: odd
                ink: warning: 2 more files: its colours are clipped (-v names them)

                """)
        var verbose = ShownArguments()
        verbose.isVerbose = true
        #expect(said(verbose).contains("c.jpg: its colours are clipped\n"))
        #expect(!said(verbose).contains("more files"))
        #expect(said(ShownArguments(isQuiet: true)).isEmpty)
    }

    @Test("With --strict a project with warnings is refused, nothing of it is written, and the others go on")
    func strict() throws {
        let folder = folderOfThree()
        let trial = CommandTrial()
        let code = trial.run([
            "export", folder("in"), "--size", "1x,2x", "--strict", "--quiet", "--report", folder("r.json"),
        ])
        #expect(code == .badInput)
        #expect(folder.files.filter { $0.hasSuffix(".png") } == ["in/b-1x.png", "in/b-2x.png"])
        #expect(
            trial.transcript.error == """
                ink: error: \(folder("in/a.ink")): layers[0]: odd (the first of 2 warnings, which are errors with --strict)
                ink: error: \(folder("in/c.ink")): layers[0]: odd (--strict)
                ink: warning: 4 of 6 pictures have warnings, which --quiet hides and --report lists

                """)
        let exports = try #require(try report(folder)["exports"]?.array)
        #expect(exports.map { $0["state"]?.string } == ["failed", "failed", "done", "done", "failed", "failed"])
        #expect(exports.map { texts($0).count } == [2, 2, 0, 0, 1, 1])
        #expect(exports.compactMap { $0["error"]?["code"]?.integer } == [65, 65, 65, 65])
    }

    @Test("--strict also refuses what a file that is unchanged or a dry run would let pass", arguments: [true, false])
    func strictIsFirst(isDry: Bool) {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", "warning=odd")
        #expect(CommandTrial().run(["export", path, "-o", folder("a.png"), "--if-exists", "skip-unchanged"]) == .done)
        let arguments = ["export", path, "-o", folder("a.png"), "--if-exists", "skip-unchanged", "--strict"]
        #expect(CommandTrial().run(arguments + (isDry ? ["--dry-run"] : [])) == .badInput)
    }

    @Test("--quiet hides the warnings, not that there are some")
    func quiet() {
        let folder = folderOfThree()
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--quiet"]) == .done)
        #expect(trial.transcript.output.isEmpty)
        #expect(
            trial.transcript.error
                == "ink: warning: 2 of 3 pictures have warnings, which --quiet hides and --report lists\n")
        let silent = CommandTrial()
        #expect(silent.run(["export", folder("in/b.ink"), "--quiet"]) == .done)
        #expect(silent.transcript.error.isEmpty)
    }

    @Test("What was strict is strict when it is made again from its report")
    func repeated() throws {
        let folder = folderOfThree()
        #expect(CommandTrial().run(["export", folder("in"), "--strict", "--report", folder("r.json")]) == .badInput)
        #expect(CommandTrial().run(["export", "--from-report", folder("r.json"), "--failed"]) == .badInput)
        #expect(folder.files.filter { $0.hasSuffix(".png") } == ["in/b-2k.png"])
    }

    @Test("ink inspect shows warnings as text and as JSON, and refuses them with --strict")
    func inspected() throws {
        let folder = ScratchFolder()
        let path = folder.file(
            "a.ink", #"{"version":"1.1","canvasSize":{"width":9,"height":9},"layers":[{"blendmode":"multiply"}]}"#)
        let line = "layers[0].blendmode: unknown key, ignored (did you mean blendMode?)"
        func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
            let transcript = Transcript()
            var environment = CommandEnvironment.process
            environment.console = transcript.console()
            return (InkCommands.run(["inspect", path] + arguments, environment), transcript)
        }
        let (code, transcript) = run([])
        #expect(code == .done && transcript.error.isEmpty)
        #expect(transcript.output.contains("\n  warning: \(line)\n"), "\(transcript.output)")
        #expect(texts(try JSONReader.read(Array(run(["--json"]).transcript.output.utf8))) == [line])
        let strict = run(["--strict"])
        #expect(strict.code == .badInput)
        #expect(strict.transcript.error == "ink: error: \(path): \(line) (--strict)\n")
        #expect(strict.transcript.output == transcript.output)
    }

    // MARK: Farms

    @Test("ink submit says warnings with its jobs, and makes no job of them with --strict")
    func submitted() throws {
        let folder = folderOfThree()
        let broker = FakeBroker()
        let (code, output, error) = broker.run(["submit", folder("in"), "--json", "--insecure"])
        #expect(code == .done)
        let lines = try output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
        #expect(lines.map { texts($0).count } == [2, 0, 1])
        #expect(error.contains("ink: warning: \(folder("in/c.ink")): layers[0]: odd\n"), "\(error)")
        // What the broker reads says it too: its own readers have not seen the files.
        guard case .bytes(let bytes)? = broker.now.jobs[1]?.content else {
            Issue.record("no content")
            return
        }
        let reading = try ProjectLoader.load(bytes: Zstandard.decompress(bytes, limit: 1 << 20))
        #expect(reading.warnings.map(\.description) == ["layers[0]: odd", "layers[0]: strange"])

        let strict = FakeBroker()
        let refused = strict.run(["submit", folder("in"), "--strict", "--insecure"])
        #expect(refused.code == .badInput && refused.output == "1\tb-2k.png\n")
        #expect(strict.now.jobs.count == 1)
        #expect(strict.run(["submit", folder("in"), "--strict", "--shared", "--insecure"]).code == .usage)
    }

    @Test("ink wait says the warnings that the broker has of a job, with --quiet only that there are some")
    func waitedFor() throws {
        let answers: @Sendable (Topic) -> String? = { topic in
            switch topic {
            case .job(1): #"{"job":1,"warnings":["layers[0].colour: odd"]}"#
            default: #"{"jobs":[{"job":1,"name":"a.ink","size":"2k"},{"job":2,"name":"b.ink","size":"2k"}]}"#
            }
        }
        func broker() -> FakeBroker {
            let broker = FakeBroker(answers: answers)
            for (job, name) in [(1, "a.ink"), (2, "b.ink")] {
                broker.put(JobNumber(job), name: name, ending: .finished(FakeBroker.picture(JobNumber(job))))
            }
            return broker
        }
        let loud = broker().run(["wait", "1-2", "--no-fetch", "--json", "--insecure"])
        #expect(loud.code == .done)
        #expect(loud.error == "ink: warning: job 1 (a.ink): layers[0].colour: odd\n")
        let lines = try loud.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
        #expect(lines.map { texts($0).count } == [1, 0])
        let quiet = broker().run(["wait", "1-2", "--no-fetch", "--quiet", "--insecure"])
        #expect(quiet.code == .done && quiet.output.isEmpty)
        #expect(
            quiet.error
                == "ink: warning: 1 of 2 jobs have warnings, which --quiet hides and \"ink status JOB\" shows\n")
    }

    @Test("ink status JOB shows a job's warnings")
    func status() throws {
        let broker = FakeBroker(answers: { _ in
            #"{"job":1,"name":"a.ink","state":"finished","warnings":["odd","st\u001bange"]}"#
        })
        let (code, output, _) = broker.run(["status", "1", "--insecure"])
        #expect(code == .done)
        #expect(output.contains("\n  Warning    odd\n  Warning    st"), "\(output)")
        #expect(!output.contains("\u{1b}"))
    }
}
