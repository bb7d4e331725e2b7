import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// What a newcomer meets in the first hour: each message says what to do.
@Suite struct MessageTests {
    private let folder = ScratchFolder()

    private func error(_ arguments: [String]) -> String {
        let trial = CommandTrial()
        #expect(trial.run(arguments) != .done)
        return trial.transcript.error
    }

    @Test(arguments: [
        (["--format", "pngg"], "did you mean png?"), (["--effort", "smal"], "did you mean small?"),
        (["--if-exists", "overwrit"], "did you mean overwrite?"), (["--size", "big"], "210x297mm"),
        (["--size", "8.5x11"], "8.5x11in"), (["--name", "foo"], "{name}-{size}.{ext}"),
        (["--name", "{nam}.png"], "did you mean name?"),
        (["--compression", "deflat", "--format", "tiff"], "did you mean deflate?"),
        (["--presets", "none"], "ink preset show"), (["--progress", "plan"], "did you mean plain?"),
        (["--fill", "suggest"], "did you mean suggested?"),
    ])
    func wrongValuesOfOptionsSayWhatIsRight(arguments: [String], advice: String) {
        let said = error(["export", "a.ink"] + arguments)
        #expect(said.contains(advice) && said.split(separator: "\n").count == 1, "\(said)")
    }

    @Test("A wrong path, an empty folder and a file that is there say what helps")
    func places() {
        #expect(error(["export", folder("missing.ink")]).contains("check the spelling, or give the full path"))
        folder.folder("empty")
        #expect(error(["export", folder("empty")]).contains("-v lists what it contains"))
        folder.file("a.ink")
        folder.file("a-2k.png", "x")
        let said = error(["export", folder("a.ink"), "--if-exists", "fail"])
        #expect(said.contains("--if-exists overwrite replaces it, suffix keeps both"), "\(said)")
        #expect(error(["export", folder("a.ink/b.ink")]).contains("part of the path is a file"))
    }

    @Test(
        "Commands about jobs say which command lists them",
        arguments: [["wait"], ["cancel"], ["story"], ["wait", "abc"]])
    func jobs(arguments: [String]) { #expect(error(arguments).contains("\"ink jobs\"")) }

    @Test("A client without a broker says how to start or to name one")
    func broker() {
        var watch = LinkWatch(RemoteOptions(endpoint: "tcp://farm:5571", timeoutMilliseconds: nil))
        let news = watch.news(now: 60_000) ?? ""
        #expect(news.contains("\"ink broker\" starts a broker, --broker names another"), "\(news)")
        let failure = watch.failure(now: 60_000)?.description ?? ""
        #expect(failure.contains("\"ink broker\" starts one, --broker names another"), "\(failure)")
    }
}
