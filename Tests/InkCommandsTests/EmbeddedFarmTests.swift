import InkBroker
import InkJSON
import InkSystem
@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine
import InkProtocol
import InkReference
import InkTestSupport
import InkWorker
import Testing

@testable import InkCommands
@testable import InkExports

/// The command over a real broker, real workers and ZeroMQ.
@Suite(.serialized)
struct EmbeddedFarmTests {
    private func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.handlesSignals = false
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
        let project = try ProjectLoader.load(bytes: Array(Self.project.utf8)).project
        #expect(rgba == (try LocalRendering.render(project, images: DecodedImages(), output: size)))
        let report = try JSONReader.read(Array((folder.text("r.json") ?? "").utf8))
        let export = try #require(report["exports"]?.array?.first)
        #expect(export["sha256"]?.string == SHA256.digest(png).hexadecimal)
        #expect(export["bytes"]?.integer == png.count)
        #expect((export["phasesMs"]?["raster"]?.number ?? 0) > 0)
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
        let again = try FileSystem.read(folder("out/b-1x.png"), limitBytes: 1 << 24)
        let place = Place(file: "b-1x.png")
        #expect(try PNGDecoder.decodeRGBA(again, place: place).rgba == PNGDecoder.decodeRGBA(png, place: place).rgba)
    }

    @Test func aProjectThatFailsLeavesTheOthersAlone() {
        let folder = ScratchFolder()
        folder.file("in/a.ink", Self.project)
        // A PNG whose header is sound and whose pixels are missing: only the worker that decodes it can tell.
        let header = MinimalPNGWriter.png(gray: [1], size: PixelSize(width: 1, height: 1)).prefix(33)
        let mask = String(decoding: Base64.encode(Array(header)), as: UTF8.self)
        folder.file(
            "in/b.ink", Self.project.replacing("{\"strokes\"", with: "{\"maskImage\": \"\(mask)\", \"strokes\""))
        folder.file("in/c.ink", Self.project)
        folder.file("in/d.ink", "{")
        let (code, transcript) = run(["export", folder("in"), "-o", folder("out"), "--size", "1x"])
        #expect(code == .badInput)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a-1x.png", "out/c-1x.png"])
        #expect(transcript.error.contains("layers[0].maskImage"), "\(transcript.error)")
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

/// Where a report may not go.
@Suite struct ReportPlaceTests {
    @Test(arguments: ["a.ink", "limits.json", "list.txt", "a-2k.png", "folder"])
    func nothingThatIsReadOrMadeIsReplaced(name: String) throws {
        let folder = ScratchFolder()
        folder.file("a.ink", #"{"version": "1.1", "canvasSize": {"width": 9, "height": 9}, "layers": []}"#)
        folder.file("limits.json", "{}")
        folder.file("list.txt", folder("a.ink"))
        folder.file("folder/x", "")
        let before = folder.files.map { folder.text($0) }
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.handlesSignals = false
        let code = InkCommands.run(
            ["export", "@" + folder("list.txt"), "--limits", folder("limits.json"), "--report", folder(name)],
            environment)
        #expect(code == .usage, "\(transcript.error)")
        #expect(folder.files.map { folder.text($0) } == before)
    }
}
