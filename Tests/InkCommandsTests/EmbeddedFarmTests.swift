import InkBroker
import InkEngine
import InkProtocol
import InkWorker
import Testing

@testable import InkCommands

/// The command over a real broker, real workers and ZeroMQ; only the pixels are made up.
@Suite(.serialized)
struct EmbeddedFarmTests {
    /// What the made-up renderer draws at (x, y).
    private static func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), UInt8(truncatingIfNeeded: x / 7 + y / 3)]
    }

    private static func render(
        _ task: TileTask, _ content: InkWorker.TileContent, _ thread: Int
    ) throws(EngineError) -> (pixels: [UInt8], phases: TaskPhases) {
        if task.layers.contains(where: { $0.opacity == 0.125 }) {
            throw .badInput(Place(file: "project", path: "layers[0]"), reason: "cannot be drawn")
        }
        var pixels: [UInt8] = []
        for y in task.rect.rows {
            for x in task.rect.columns {
                pixels += pixel(x, y)
                if task.pixelFormat == .rgba { pixels.append(255) }
            }
        }
        return (pixels, TaskPhases(raster: 2_000_000, composite: 1_000_000))
    }

    private func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.handlesSignals = false
        environment.makeFarm = { workers, limits in
            EmbeddedFarm(
                workerCount: workers, limits: limits, rendererVersion: "test 1",
                makeRunner: { EngineTaskRunner(engine: LocalRenderer(threads: 1, renderTile: Self.render)) })
        }
        return (InkCommands.run(arguments, environment), transcript)
    }

    private static let project =
        #"{"version": "1.1", "name": "T", "canvasSize": {"width": 300, "height": 200}, "layers": [{"strokes": "#
        + #"[{"brush": {"type": "solid", "lineWidth": 9}, "points": [[10, 10], [290, 190]]}]}]}"#

    @Test(arguments: [["--workers", "1"], ["--workers", "3"], ["--tile", "64x48"], ["--tile", "1000x16", "--rgba"]])
    func picturesComeOutWhole(options: [String]) throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", Self.project)
        let (code, transcript) = run(["export", path, "--size", "1x", "--report", folder("r.json")] + options)
        #expect(code == .done, "\(transcript.error)")
        #expect(folder.files == ["a-1x.png", "a.ink", "r.json"])
        let png = try FileSystem.read(folder("a-1x.png"), limitBytes: 1 << 24)
        let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: Place(file: "a-1x.png"))
        #expect(size == PixelSize(width: 300, height: 200))
        var wrong = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = (y * size.width + x) * 4
                if Array(rgba[at..<(at + 3)]) != Self.pixel(x, y) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
        let report = try JSONReader.read(Array((folder.text("r.json") ?? "").utf8))
        let export = try #require(report["exports"]?.array?.first)
        #expect(export["sha256"]?.string == SHA256.digest(png).hexadecimal)
        #expect(export["bytes"]?.integer == png.count)
        #expect((export["phasesMs"]?["raster"]?.number ?? 0) >= 2)
    }

    @Test func upToDatePicturesAreLeft() throws {
        let folder = ScratchFolder()
        for name in ["a", "b", "c"] { folder.file("in/\(name).ink", Self.project) }
        let export = ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--workers", "2"]
        #expect(run(export).transcript.output.hasPrefix("3 exported in "))
        let png = try FileSystem.read(folder("out/b-1x.png"), limitBytes: 1 << 24)
        try FileSystem.writeAtomically(Array(png.dropLast()), to: folder("out/b-1x.png"))
        let second = run(export)
        #expect(second.transcript.output.hasPrefix("1 exported, 2 unchanged in "), "\(second.transcript.output)")
        #expect(try FileSystem.read(folder("out/b-1x.png"), limitBytes: 1 << 24) == png)
    }

    @Test func aProjectThatFailsLeavesTheOthersAlone() {
        let folder = ScratchFolder()
        folder.file("in/a.ink", Self.project)
        folder.file("in/b.ink", Self.project.replacing("{\"strokes\"", with: "{\"opacity\": 0.125, \"strokes\""))
        folder.file("in/c.ink", Self.project)
        folder.file("in/d.ink", "{")
        let (code, transcript) = run(["export", folder("in"), "-o", folder("out"), "--size", "1x"])
        #expect(code == .badInput)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-1x.png", "out/c-1x.png"])
        #expect(transcript.error.contains("layers[0]: cannot be drawn"), "\(transcript.error)")
        #expect(transcript.error.contains("\(folder("in/d.ink"))"), "\(transcript.error)")
    }

    @Test func anUnwritablePlaceIsSaid() {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", Self.project)
        folder.file("blocked", "a file where a folder should be")
        let (code, transcript) = run(["export", path, "-o", folder("blocked/x.png")])
        #expect(code == .inputOutput, "\(transcript.error)")
        #expect(transcript.error.hasPrefix("ink: error: \(folder("blocked"))"), "\(transcript.error)")
        #expect(folder.files == ["a.ink", "blocked"])
    }
}
