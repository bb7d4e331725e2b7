import InkCodecs
import InkEngine
import InkJSON
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// `--max-bytes`, with a farm whose files have 100 bytes for each step of quality.
@Suite("Files of limited size")
struct BoundedFileTests {
    private func run(_ folder: ScratchFolder, _ options: [String]) -> (code: ExitCode, trial: CommandTrial) {
        let trial = CommandTrial()
        let code = trial.run(
            ["export", folder("in"), "-o", folder("out"), "--report", folder("r.json"), "--name", "{name}.{ext}"]
                + options)
        return (code, trial)
    }

    private func exports(_ folder: ScratchFolder) throws -> [JSONValue] {
        try JSONReader.read(FileSystem.read(folder("r.json"), limitBytes: 1 << 20))["exports"]?.array ?? []
    }

    @Test(
        "The farm is asked for the best quality that fits, and what it found is reported",
        arguments: [
            (["--max-bytes", "4321"], 43), (["--max-bytes", "100"], 1), (["--max-bytes", "1K"], 10),
            (["--max-bytes", "1M"], 100), (["--max-bytes", "4321", "--quality", "30"], 30),
            (["--max-bytes", "4321", "--quality", "44"], 43), (["--max-bytes", "4321", "--quality", "1"], 1),
        ])
    func best(options: [String], quality: Int) throws {
        let folder = ScratchFolder()
        for name in ["a", "b"] { folder.file("in/\(name).ink", "title=a\nid=\(name)") }
        let (code, trial) = run(folder, ["--format", "jpeg"] + options)
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "in/b.ink", "out/a.jpg", "out/b.jpg", "r.json"])
        for export in try exports(folder) {
            #expect(export["quality"]?.integer == quality)
            #expect(export["bytes"]?.integer == 100 * quality)
        }
        #expect(trial.farm.requests.count == 2)
        // The bound belongs to the digest.
        let again = run(folder, ["--format", "jpeg", "--if-exists", "skip-unchanged"] + options)
        #expect(again.trial.farm.requests.isEmpty && again.trial.transcript.output.contains("2 unchanged"))
        let other = run(folder, ["--format", "jpeg", "--if-exists", "skip-unchanged", "--max-bytes", "999"])
        #expect(other.trial.transcript.output.contains("2 exported"))
    }

    @Test("Of several formats those are limited that have a quality, each alone")
    func severalFormats() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "title=a")
        let (code, trial) = run(folder, ["--format", "png,jpeg,tiff,webp", "--max-bytes", "2000"])
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "out/a.jpg", "out/a.png", "out/a.tif", "out/a.webp", "r.json"])
        #expect(try exports(folder).map { $0["quality"]?.integer } == [nil, 20, nil, 20])
        #expect(trial.farm.requests.contains { $0.options.files.map(\.encoding.format) == [.png, .tiff] })
    }

    @Test("What cannot be limited is a usage error")
    func refusals() {
        let folder = ScratchFolder()
        folder.file("in/a.ink")
        for (options, word) in [
            (["--max-bytes", "100"], "png has none; jpeg, webp, avif, jxl, heic has"),
            (["--format", "webp", "--lossless", "--max-bytes", "100"], "cannot be used together"),
            (["--format", "jpeg", "--max-bytes", "0"], "is not a size"),
            (["--format", "jpeg", "--max-bytes", "10X"], "is not a size"),
        ] {
            let (code, trial) = run(folder, options)
            #expect(code == .usage && trial.transcript.error.contains(word), "\(trial.transcript.error)")
        }
    }
}
