import InkCodecs
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkDocuments
@testable import InkEngine
@testable import InkExports

/// Templates that become projects: `template from-image -o X.ink` and `template fill`.
struct TemplateProjectTests {
    private func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        return (InkCommands.run(arguments, environment), transcript)
    }

    /// A flag of two colours.
    private func flag(_ folder: ScratchFolder) throws -> String {
        let size = PixelSize(width: 60, height: 40)
        let samples = (0..<size.area).flatMap { $0 % 60 < 30 ? [220, 30, 30] as [UInt8] : [20, 90, 200] }
        try FileSystem.writeAtomically(
            try WholePNG.encode(samples: samples, size: size, format: .rgb8), to: folder("flag.png"))
        return folder("flag.png")
    }

    @Test("A picture becomes a project whose masks are shapes, or pictures where that is wished")
    func projectsOfPictures() throws {
        let folder = ScratchFolder()
        let picture = try flag(folder)
        let (code, transcript) = run(["template", "from-image", picture, "-o", folder("flag.ink")])
        #expect(code == .done, "\(transcript.error)")
        #expect(transcript.output == "\(folder("flag.ink")): 2 regions of 2 colours, 60x40\n")
        let project = try ProjectLoader.load(path: folder("flag.ink")).project
        #expect(project.name == "flag" && project.layers.map(\.name) == ["Red, left", "Blue, right"])
        #expect(project.canvasSize == CanvasSize(width: 60, height: 40) && project.baseImage != nil)
        for (layer, x) in zip(project.layers, [0.0, 30]) {
            #expect(layer.maskImage == nil && layer.suggestedPattern != nil)
            let path = try #require(layer.maskShapes?.first).path
            let box = path.controlBox
            #expect(abs(box.minX - x) < 0.6 && abs(box.maxX - x - 30) < 0.6, "\(box)")
            #expect(abs(box.minY) < 0.6 && abs(box.maxY - 40) < 0.6)
        }
        #expect(
            run(["template", "from-image", picture, "-o", folder("b.ink"), "--masks", "bitmap", "-q"]).code == .done)
        let bitmaps = try ProjectLoader.load(path: folder("b.ink")).project.layers
        #expect(bitmaps.allSatisfy { $0.maskShapes == nil && $0.maskImage?.size == PixelSize(width: 60, height: 40) })
        for wrong in [["-o", folder("a.zip"), "--masks", "shapes"], ["-o", folder("c.ink"), "--masks", "paths"]] {
            #expect(run(["template", "from-image", picture] + wrong).code == .usage)
        }
    }

    @Test("A project that exists is refused before any work, and replaced where that is said")
    func existingProjects() throws {
        let folder = ScratchFolder()
        folder.file("flag.ink", "mine")
        // The picture is not even looked for.
        let (code, transcript) = run(["template", "from-image", folder("missing.png"), "-o", folder("flag.ink")])
        #expect(code == .inputOutput && transcript.error.contains("flag.ink"), "\(transcript.error)")
        let picture = try flag(folder)
        let arguments = ["template", "from-image", picture, "-o", folder("flag.ink")]
        #expect(run(arguments + ["--if-exists", "overwrite"]).code == .done)
        #expect(try ProjectLoader.load(path: folder("flag.ink")).project.layers.count == 2)
    }

    // MARK: - Filling

    private static let layers = #""layers":[{"name":"Sky"},{"type":"group","name":"All","layers":[{"name":"Sea"}]}]"#
    private static let start = #"{"version":"1.0","canvasSize":{"width":40,"height":20},"#

    private func fill(_ path: String, _ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        run(["template", "fill", path, "--if-exists", "overwrite", "-q"] + arguments)
    }

    private func shapes(_ path: String) throws -> [[Shape]] {
        try ProjectLoader.load(path: path).project.layers.flattened().map(\.layer.shapes)
    }

    @Test("A pattern lies over the canvas, below what is drawn, and is replaced by the next one")
    func filling() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", Self.start + Self.layers + "}")
        let (code, transcript) = fill(
            path,
            [
                "--layer", "Sky", "--layer", "All/Sea", "--brush", "dots", "--color", "#f80", "--rotation", "30",
                "--spacing", "8", "--dot-radius", "3", "--line-width", "2",
            ])
        #expect(code == .done, "\(transcript.error)")
        var brush = Brush(type: .dots, rotation: 30, spacing: 8, lineWidth: 2, anchor: .canvas)
        brush.color = RGBA8(red: 255, green: 0x88, blue: 0)
        brush.dotRadius = 3
        let made = try shapes(path)
        #expect(made.map(\.count) == [1, 0, 1] && made[0] == made[2] && made[0][0].fill == .pattern(brush))
        let box = Rect(minX: 0, minY: 0, maxX: 40, maxY: 20)
        #expect(made[0][0].path == ShapePath(box: box))
        #expect(fill(path, ["--layer", "Sky", "--brush", "solid", "--color", "#123456"]).code == .done)
        #expect(try shapes(path).map(\.count) == [1, 0, 1])
        #expect(try shapes(path)[0][0].fill == .color(#require(RGBA8(hex: "#123456"))))
    }

    @Test("A rectangle of a person's own is not replaced")
    func ownRectangle() throws {
        let folder = ScratchFolder()
        let own = ##""layers":[{"name":"Sky","shapes":[{"path":"M0 0L40 0L40 20L0 20Z","fill":"#ff0000"}]}]"##
        let path = folder.file("a.ink", Self.start + own + "}")
        for _ in 0..<2 { #expect(fill(path, ["--layer", "Sky", "--brush", "waves"]).code == .done) }
        let made = try shapes(path)[0]
        #expect(made.count == 2 && made[1].fill == .color(RGBA8(red: 255, green: 0, blue: 0)))
    }

    @Test("Presets keep their opacity, and spacings of any size are no crash")
    func presets() throws {
        let folder = ScratchFolder()
        folder.file("brushes/wash.json", ##"{"type":"solid","defaults":{"opacity":0.4,"color":"#204060"}}"##)
        folder.file("brushes/fine.json", #"{"type":"dots","defaults":{"spacing":0.0001}}"#)
        folder.file("brushes/big.json", #"{"type":"dots","defaults":{"spacing":10,"dotRadius":100}}"#)
        let path = folder.file("a.ink", Self.start + Self.layers + "}")
        func fill(_ preset: String, _ more: [String] = []) -> (code: ExitCode, transcript: Transcript) {
            self.fill(path, ["--layer", "Sky", "--brush", preset, "--presets", folder("brushes")] + more)
        }
        #expect(fill("wash").code == .done)
        #expect(
            try shapes(path)[0][0].fill == .color(RGBA8(red: 0x20, green: 0x40, blue: 0x60, alpha: 102)))
        #expect(fill("fine", ["--dot-radius", "0.005"]).code == .done)
        #expect(fill("fine", ["--dot-radius", "1"]).code == .usage)
        let (code, transcript) = fill("big", ["--spacing", "1"])
        #expect(code == .usage && transcript.error.contains("--dot-radius"), "\(transcript.error)")
        #expect(fill("big", ["--spacing", "1", "--dot-radius", "3"]).code == .done)
    }

    @Test("Only projects and templates are filled, and errors name the options that there are")
    func refusals() throws {
        let folder = ScratchFolder()
        let picture = try flag(folder)
        let (code, transcript) = fill(picture, ["--layer", "a", "--brush", "dots", "-o", folder("p.ink")])
        #expect(code == .badInput && transcript.error.contains("neither a project nor a template"))
        let path = folder.file("a.ink", Self.start + Self.layers + "}")
        let missing = fill(path, ["--layer", "Sea", "--brush", "dots"])
        #expect(missing.code == .usage && missing.transcript.error.contains("inside of one it is --layer \"All/Sea\""))
        #expect(fill(path, ["--layer", "All", "--brush", "dots"]).code == .usage)
        #expect(fill(path, ["--layer", "Sky", "--brush", "contourLines"]).code == .usage)
        #expect(fill(path, ["--layer", "Sky"]).code == .usage && fill(path, ["--brush", "dots"]).code == .usage)
        #expect(run(["template", "fill", path, "--layer", "Sky", "--brush", "dots"]).code == .inputOutput)
        #expect(try shapes(path).allSatisfy(\.isEmpty))
    }
}
