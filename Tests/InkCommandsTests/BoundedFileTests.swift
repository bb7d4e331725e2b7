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
        "The best quality that fits is found, and nothing else is left",
        arguments: [
            (["--max-bytes", "4321"], 43), (["--max-bytes", "100"], 1), (["--max-bytes", "1K"], 10),
            (["--max-bytes", "1M"], 100), (["--max-bytes", "4321", "--quality", "30"], 30),
            (["--max-bytes", "4321", "--quality", "44"], 43), (["--max-bytes", "4321", "--quality", "1"], 1),
        ])
    func best(options: [String], quality: Int) throws {
        let folder = ScratchFolder()
        for name in ["a", "b"] { folder.file("in/\(name).ink", "title=sizes\nid=\(name)") }
        let (code, trial) = run(folder, ["--format", "jpeg"] + options)
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "in/b.ink", "out/a.jpg", "out/b.jpg", "r.json"])
        for export in try exports(folder) {
            #expect(export["quality"]?.integer == quality)
            #expect(export["bytes"]?.integer == 100 * quality)
        }
        #expect(trial.farm.requests.count <= 2 * 9, "\(trial.farm.requests.map(\.options.encoding.quality))")
        #expect(trial.farm.requests.allSatisfy { $0.bytesMax == nil && $0.outputs[0].contains("/.ink-sizes-") })
        // The bound belongs to the digest.
        let again = run(folder, ["--format", "jpeg", "--if-exists", "skip-unchanged"] + options)
        #expect(again.trial.farm.requests.isEmpty && again.trial.transcript.output.contains("2 unchanged"))
        let other = run(folder, ["--format", "jpeg", "--if-exists", "skip-unchanged", "--max-bytes", "999"])
        #expect(other.trial.transcript.output.contains("2 exported"))
    }

    @Test("A file that is too large even with quality 1 is an error, and is not written")
    func impossible() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "title=sizes")
        let (code, trial) = run(folder, ["--format", "webp", "--max-bytes", "99"])
        #expect(code == .badInput)
        let message = "\(folder("out/a.webp")): 100 bytes even with quality 1, more than the 99 of --max-bytes"
        #expect(trial.transcript.error.contains(message), "\(trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "r.json"])
    }

    @Test("Of several formats those are limited that have a quality, each alone")
    func severalFormats() throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "title=sizes")
        let (code, trial) = run(folder, ["--format", "png,jpeg,tiff,webp", "--max-bytes", "2000"])
        #expect(code == .done, "\(trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "out/a.jpg", "out/a.png", "out/a.tif", "out/a.webp", "r.json"])
        #expect(try exports(folder).map { $0["quality"]?.integer } == [nil, 20, nil, 20])
        #expect(trial.farm.requests.contains { $0.options.files.map(\.encoding.format) == [.png, .tiff] })
    }

    @Test("A trial that fails, or is stopped, ends the picture", arguments: [("farm-io", 74), ("farm-fails", 70)])
    func failure(title: String, code: Int32) throws {
        let folder = ScratchFolder()
        folder.file("in/a.ink", "title=\(title)")
        folder.file("in/b.ink", "title=farm-hangs")
        let result = run(folder, ["--format", "jpeg", "--max-bytes", "2000", "--fail-fast"])
        #expect(result.code.rawValue == code, "\(result.trial.transcript.error)")
        #expect(folder.files == ["in/a.ink", "in/b.ink", "r.json"])
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

    @Test("The search finds what is best of any sizes that grow, in few steps", arguments: 0..<200 as Range<UInt64>)
    func search(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var sizes = [Int.random(in: 1...10_000, using: &random)]
        for _ in 1..<100 {
            // Now and then a step, or none at all.
            let step =
                Double.random(in: 0...0.06, using: &random) * (Int.random(in: 0..<9, using: &random) == 0 ? 9 : 1)
            sizes.append(Int(Double(sizes.last ?? 0) * (1 + step)) + Int.random(in: 0...1, using: &random))
        }
        let highest = Bool.random(using: &random) ? nil : Int.random(in: 1...100, using: &random)
        let bytesMax = Int.random(in: (sizes[0] - 1)...(sizes[99] + 1), using: &random)
        var search = QualitySearch(bytesMax: bytesMax, highest: highest)
        var steps = 0
        while let quality = search.next, steps < 100 {
            #expect((1...(highest ?? 100)).contains(quality))
            search.note(quality, byteCount: sizes[quality - 1])
            steps += 1
        }
        let expected = (1...(highest ?? 100)).last { sizes[$0 - 1] <= bytesMax }
        #expect(search.best?.quality == expected, "seed \(seed)")
        #expect(steps <= 16, "seed \(seed)")
        if expected == nil { #expect(search.leastByteCount == sizes[0]) }
    }
}
