import InkJSON
import InkTestSupport
import Testing

@testable import InkBench
@testable import InkCommands
@testable import InkExports

/// What `ink bench` refuses, before it measures anything.
struct BenchCommandTests {
    @Test(arguments: [
        ["--runs", "0"], ["--runs", "1001"], ["--runs", "many"], ["--workers", "0"], ["--size", "3k"],
        ["--size", "2k,2k"], ["--json", ""], ["--chart", ""], ["--compare", ""], ["--projects", ""], ["more"],
    ])
    func refusesBadValues(options: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(["bench"] + options) == .usage, "\(options)")
        #expect(trial.transcript.error.split(separator: "\n").count == 1, "\(trial.transcript.error)")
        #expect(trial.farm.requests.isEmpty && trial.transcript.output.isEmpty)
    }

    private func refusal(_ options: [String]) -> (code: ExitCode, error: String) {
        let trial = CommandTrial()
        let code = trial.run(["bench"] + options)
        #expect(trial.farm.requests.isEmpty && trial.transcript.output.isEmpty)
        return (code, trial.transcript.error)
    }

    @Test func refusesFilesThatCannotBeWritten() {
        let folder = ScratchFolder()
        let earlier = folder.file(
            "earlier.json",
            BenchReport(
                program: "0", rendererVersion: "0", date: "", machine: .read(), workers: 1, othersShare: nil,
                results: []
            ).json.text())
        for option in ["--json", "--chart"] {
            #expect(refusal([option, folder.path]).code == .usage)
            let missing = refusal([option, folder("earlier.json/x")])
            #expect(missing.code == .inputOutput)
            #expect(missing.error.contains(folder("earlier.json/x")), "\(missing.error)")
        }
        #expect(refusal(["--json", folder("x"), "--chart", folder("./x")]).code == .usage)
        #expect(refusal(["--compare", earlier, "--chart", earlier]).code == .usage)
        #expect(folder.files == ["earlier.json"])
    }

    @Test func refusesWhatCannotBeRead() {
        let folder = ScratchFolder()
        folder.folder("empty")
        let broken = folder.file("broken/a.ink", "broken")
        #expect(refusal(["--compare", folder("none")]).code == .inputOutput)
        #expect(refusal(["--compare", folder.file("x.json", "{}")]).code == .configuration)
        #expect(refusal(["--projects", folder("none")]).code == .inputOutput)
        #expect(refusal(["--projects", broken]).code == .usage)
        #expect(refusal(["--projects", folder("empty")]).code == .badInput)
        let bad = refusal(["--projects", folder("broken")])
        #expect(bad.code == .badInput)
        #expect(bad.error.contains("layers[0]: is broken"), "\(bad.error)")
    }

    @Test func refusesToReplaceAProject() {
        let folder = ScratchFolder()
        let path = folder.file("in/a.ink", "layer=a")
        let refused = refusal(["--projects", folder("in"), "--json", path])
        #expect(refused.code == .usage)
        #expect(refused.error.contains("would replace a project"), "\(refused.error)")
        #expect(folder.text("in/a.ink") == "layer=a")
    }
}
