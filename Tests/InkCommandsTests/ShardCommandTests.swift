import InkEngine
import InkJSON
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

@Suite("Runs in parts, and their reports")
struct ShardCommandTests {
    private let folder = ScratchFolder()

    private func json(_ name: String) throws -> JSONValue {
        try JSONReader.read(Array((folder.text(name) ?? "").utf8))
    }

    @Test("The parts make each picture once, and their reports become one")
    func partsMakeAll() throws {
        for index in 0..<12 { folder.file("in/\(index).ink") }
        folder.file("in/sub/bad.ink", "broken")
        var made: [String] = []
        var codes: [ExitCode] = []
        for part in 0..<5 {
            let trial = CommandTrial()
            codes.append(
                trial.run([
                    "export", folder("in"), "-o", folder("out"), "--size", "1x", "--shard", "\(part)/5", "--report",
                    folder("r\(part).json"),
                ]))
            let report = try json("r\(part).json")
            #expect(report["shard"]?["index"]?.integer == part && report["shard"]?["count"]?.integer == 5)
            #expect(report["options"]?["shard"] == nil)
            made += report["exports"]?.array?.compactMap { $0["output"]?.string } ?? []
        }
        #expect(made.count == 13 && Set(made).count == 13)
        #expect(codes.count(where: { $0 == .badInput }) == 1 && codes.count(where: { $0 == .done }) == 4)
        let trial = CommandTrial()
        let reports = (0..<5).map { folder("r\($0).json") }
        #expect(trial.run(["report", "merge", "-o", folder("all.json")] + reports) == .badInput)
        #expect(trial.transcript.output.hasPrefix("12 exported, 1 failed in "), "\(trial.transcript.output)")
        #expect(trial.transcript.error.contains("is broken"))
        let whole = try json("all.json")
        #expect(whole["exports"]?.array?.count == 13)
        #expect(whole["shards"]?["missing"]?.array?.count == 0 && whole["exitCode"]?.integer == 65)
        // What can be repeated.
        let again = CommandTrial()
        folder.file("in/sub/bad.ink", "")
        #expect(again.run(["export", "--from-report", folder("all.json"), "--failed"]) == .done)
        #expect(again.farm.requests.count == 1)
    }

    @Test("A part without inputs is a success, with the report of one")
    func emptyPart() throws {
        let path = folder.file("a.ink")
        let own = Shard.part(of: path, count: 9)
        let trial = CommandTrial()
        #expect(
            trial.run(["export", path, "--shard", "\((own + 1) % 9)/9", "--report", folder("r.json")]) == .done,
            "\(trial.transcript.error)")
        #expect(try json("r.json")["exports"]?.array?.isEmpty == true)
        #expect(folder.files == ["a.ink", "r.json"])
    }

    @Test("Inputs of one name are found by every part")
    func collisions() {
        let paths = ["x/a.ink", "y/a.ink"].map { folder.file($0) }
        for index in 0..<6 { folder.file("in/\(index).ink") }
        for part in 0..<3 {
            let trial = CommandTrial()
            #expect(
                trial.run(["export", folder("in")] + paths + ["-o", folder("out"), "--shard", "\(part)/3"]) == .usage)
            #expect(trial.transcript.error.contains("would be the name of"), "\(trial.transcript.error)")
        }
        #expect(!folder.files.contains { $0.hasPrefix("out") })
    }

    @Test("So are layers whose names are those of another input's")
    func collisionsOfLayers() {
        folder.file("in/a.ink", "layer=1:b-sky")
        folder.file("in/a-b.ink", "layer=1:sky")
        for index in 0..<6 { folder.file("in/\(index).ink", "layer=1:sky") }
        for part in 0..<3 {
            let trial = CommandTrial()
            let code = trial.run(["export", folder("in"), "-o", folder("out"), "--each-layer", "--shard", "\(part)/3"])
            #expect(code == .usage, "\(trial.transcript.error)")
        }
        folder.file("in/a.ink", "layer=1:sea")
        var count = 0
        for part in 0..<3 {
            let trial = CommandTrial()
            #expect(
                trial.run(["export", folder("in"), "-o", folder("out"), "--each-layer", "--shard", "\(part)/3"])
                    == .done)
            count += trial.farm.requests.count
        }
        #expect(count == 8)
    }

    @Test(
        "What a part cannot do is refused",
        arguments: [
            ["--watch"], ["--sheet", "s.png"], ["--contact-sheet", "c.png"], ["--pdf-book", "b.pdf"], ["-o", "-"],
            ["--name", "{title}.png"], ["--name", "{id}.png"], ["--name", "{n}.png"],
        ])
    func refused(options: [String]) {
        folder.file("in/a.ink")
        let trial = CommandTrial()
        #expect(trial.run(["export", folder("in"), "--shard", "0/2"] + options) == .usage)
        #expect(trial.transcript.error.contains("--shard"), "\(trial.transcript.error)")
    }

    @Test func standardInputAndReportsAreInNoPart() {
        for arguments in [["-"], ["--from-report", "r.json"]] {
            folder.file("r.json")
            let trial = CommandTrial()
            #expect(trial.run(["export"] + arguments + ["--shard", "0/2"]) != .done)
        }
    }

    @Test("Variables name a part where the command line does not")
    func variables() throws {
        let path = folder.file("a.ink")
        func run(_ options: [String], _ variables: [String: String]) -> (code: ExitCode, pictures: Int, error: String) {
            let trial = CommandTrial()
            let code = trial.run(["export", path, "--if-exists", "overwrite"] + options, variables: variables)
            return (code, trial.farm.requests.count, trial.transcript.error)
        }
        let own = Shard.part(of: path, count: 3)
        let other = (own + 1) % 3
        #expect(run([], ["INK_SHARD": "\(own)", "INK_SHARDS": "3"]) == (.done, 1, ""))
        #expect(run([], ["INK_SHARD": "\(own)/3"]) == (.done, 1, ""))
        #expect(run([], ["INK_SHARD": "\(other)", "INK_SHARDS": "3"]) == (.done, 0, ""))
        #expect(run(["--shard", "\(own)/3"], ["INK_SHARD": "\(other)", "INK_SHARDS": "3"]) == (.done, 1, ""))
        #expect(run([], ["INK_SHARD": "", "INK_SHARDS": ""]) == (.done, 1, ""))
        for variables in [["INK_SHARD": "1"], ["INK_SHARDS": "3"], ["INK_SHARD": "3", "INK_SHARDS": "3"]] {
            let (code, pictures, error) = run([], variables)
            #expect(code == .usage && pictures == 0 && error.contains("INK_SHARD"), "\(error)")
        }
    }

    // MARK: - Merging

    private func report(
        _ name: String, part: String, count: Int = 3, plan: String = "p", exit: Int = 0, exports: String = ""
    ) -> String {
        folder.file(
            name,
            """
            {"format": "ink-export-report", "version": 1, "renderer": "r", "folder": "/data/\(part)", "workers": 2,
             "exitCode": \(exit), "options": {"size": ["2k"]}, "shard": {"index": \(part), "count": \(count), "plan": "\(plan)"},
             "summary": {"milliseconds": \(100 * (Int(part) ?? 0))}, "exports": [\(exports)]}
            """)
    }

    private static let done = """
        {"input": "a.ink", "tree": [], "output": "out/a.png", "size": "2k", "state": "done", "width": 20, "height": 10,
         "milliseconds": 12.5, "phasesMs": {"read": 2.5, "raster": 4}, "tiles": 3, "bytes": 77,
         "sha256": "\(String(repeating: "ab", count: 32))", "warnings": ["layers[0]: x"], "error": null}
        """

    @Test("Missing parts are named, and the code is that of a run that is not whole")
    func missing() throws {
        let paths = [report("2.json", part: "2", exports: Self.done), report("0.json", part: "0")]
        let trial = CommandTrial()
        #expect(trial.run(["report", "merge", "--json"] + paths) == .exportFailed)
        #expect(trial.transcript.error == "ink: error: 1 of 3 parts have no report: 1\n")
        let whole = try JSONReader.read(Array(trial.transcript.output.utf8))
        #expect(whole["shards"]?["count"]?.integer == 3)
        #expect(whole["shards"]?["missing"]?.array?.compactMap(\.integer) == [1])
        #expect(whole["folder"]?.string == "/data/0" && whole["summary"]?["milliseconds"]?.integer == 200)
        let export = try #require(whole["exports"]?.array?.first)
        #expect(export["input"]?.string == "/data/2/a.ink" && export["output"]?.string == "/data/2/out/a.png")
        #expect(export["milliseconds"]?.number == 12.5 && export["phasesMs"]?["read"]?.number == 2.5)
        #expect(export["bytes"]?.integer == 77 && export["sha256"]?.string == String(repeating: "ab", count: 32))
        #expect(export["warnings"]?.array?.compactMap(\.string) == ["layers[0]: x"])
        #expect(whole["summary"]?["pixels"]?.integer == 200 && whole["summary"]?["withWarnings"]?.integer == 1)
    }

    @Test("A part that was stopped gives the run its code")
    func stopped() {
        let cancelled = Self.done.replacing("\"done\"", with: "\"cancelled\"")
        let paths = [
            report("0.json", part: "0"), report("1.json", part: "1", exit: 143, exports: cancelled),
            report("2.json", part: "2"),
        ]
        #expect(CommandTrial().run(["report", "merge"] + paths) == .terminated)
    }

    @Test func partsOfDifferentPlansAreJoinedWithAWarning() {
        let trial = CommandTrial()
        let paths = (0..<3).map { report("\($0).json", part: "\($0)", plan: $0 == 2 ? "q" : "p") }
        #expect(trial.run(["report", "merge"] + paths) == .done)
        #expect(
            trial.transcript.error.contains(
                "ink: warning: \(paths[0]) and \(paths[2]) are of runs with different inputs"))
    }

    @Test("What does not fit is bad input")
    func misfits() {
        let good = report("good.json", part: "0")
        for (other, said) in [
            (report("count.json", part: "1", count: 4), "one of 4 parts"),
            (report("again.json", part: "0"), "and so is"),
            (report("index.json", part: "3"), "not the report of a part"),
            (folder.file("text.json", "hello"), "text.json"),
            (report("bad.json", part: "1", exports: "{}"), "exports[0]"),
            (folder.file("empty.json", "{}"), "not the report"),
        ] {
            let trial = CommandTrial()
            #expect(trial.run(["report", "merge", good, other]) == .badInput, "\(other)")
            #expect(
                trial.transcript.error.contains(said) && trial.transcript.error.contains(other),
                "\(trial.transcript.error)")
        }
        #expect(CommandTrial().run(["report", "merge", folder("none.json")]) == .inputOutput)
        #expect(CommandTrial().run(["report", "merge"]) == .usage)
    }

    @Test(
        "Whatever numbers a report claims, merging ends",
        arguments: ["-1", "9223372036854775807", "1e300", "\"x\"", "null", "[]"])
    func hostileNumbers(value: String) {
        var export = Self.done
        for (key, number) in [
            ("width", "20"), ("tiles", "3"), ("bytes", "77"), ("milliseconds", "12.5"), ("read", "2.5"),
        ] {
            export.replace("\"\(key)\": \(number)", with: "\"\(key)\": \(value)")
        }
        let path = report("0.json", part: "0", count: 1, exports: export + "," + export)
        #expect(CommandTrial().run(["report", "merge", path]) == .done)
    }
}
