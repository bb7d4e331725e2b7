import Foundation
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// `import`, `template`, `inspect` and `doctor`, with real readers and writers.
struct OtherCommandsTests {
    private func run(_ arguments: [String], input: String = "") -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.readStandardInput = { _ throws(EngineError) in Array(input.utf8) }
        return (InkCommands.run(arguments, environment), transcript)
    }

    private static let drawing =
        #"{"word":"cat","key_id":"7","drawing":[[[0,100],[0,50],[0,9]],[[5],[5],[10]]]}"# + "\n"

    @Test func drawingsBecomeProjects() throws {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", Self.drawing + Self.drawing.replacing("\"7\"", with: "\"8\""))
        let (code, transcript) = run([
            "import", file, "-o", folder("out"), "--brush", "dots", "--canvas", "400x300", "--margin", "50", "--color",
            "#f80", "--spacing", "7.5", "--line-width", "2",
        ])
        #expect(code == .done, "\(transcript.error)")
        #expect(folder.files == ["cats.ndjson", "out/cat-7.ink", "out/cat-8.ink"])
        #expect(transcript.output == "2 projects in \(folder("out"))\n")
        let project = try ProjectLoader.load(path: folder("out/cat-7.ink")).project
        #expect(project.canvasSize == CanvasSize(width: 400, height: 300))
        let stroke = try #require(project.layers.first?.strokes.first)
        #expect(
            stroke.brush
                == Brush(
                    type: .dots, spacing: 7.5, lineWidth: 2, anchor: .canvas,
                    color: RGBA8(red: 255, green: 136, blue: 0)))
        #expect(stroke.points.map(\.x) == [50, 350])
        #expect(stroke.points.map(\.y) == [75, 225])
    }

    private static let outlines = """
        <svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><text>a</text>
        <polyline points="5,5 20,25 35,5" fill="none" stroke="#d33" stroke-width="3"/></svg>
        """

    @Test func outlinesBecomeStrokes() throws {
        let folder = ScratchFolder()
        let file = folder.file("a.svg", Self.outlines)
        let (code, transcript) = run(["import", "--strokes", file, "-o", folder("out")])
        #expect(code == .done && transcript.error.contains("left out: text"), "\(transcript.error)")
        let project = try ProjectLoader.load(path: folder("out/a.ink")).project
        #expect(project.canvasSize == CanvasSize(width: 40, height: 30))
        let stroke = try #require(project.layers.first?.strokes.first)
        #expect(
            stroke.brush.type == .solid && stroke.brush.lineWidth == 3 && stroke.brush.color == RGBA8(hex: "#dd3333"))
        // A pattern in a canvas of its own.
        let changed = run(
            [
                "import", "--strokes", file, "-o", folder("waves"), "--brush", "waves", "--canvas", "400x400",
                "--margin", "0",
            ])
        #expect(changed.code == .done, "\(changed.transcript.error)")
        let other = try ProjectLoader.load(path: folder("waves/a.ink")).project
        #expect(other.canvasSize == CanvasSize(width: 400, height: 400))
        let brush = try #require(other.layers.first?.strokes.first?.brush)
        #expect(brush.type == .waves && brush.isCanvasPattern && brush.size == 30 && brush.color == stroke.brush.color)
    }

    @Test func brushesOfDocumentsAreChangedByExport() throws {
        let folder = ScratchFolder()
        let ink = "<ink xmlns=\"http://www.w3.org/2003/InkML\"><trace>0 0, 100 0, 100 100</trace></ink>"
        let file = folder.file("a.inkml", ink)
        #expect(run(["export", file, "-o", folder("plain.png"), "--size", "64"]).code == .done)
        let (code, transcript) = run(["export", file, "-o", folder("dots.png"), "--size", "64", "--brush", "dots"])
        #expect(code == .done, "\(transcript.error)")
        #expect(
            try Data(contentsOf: URL(filePath: folder("plain.png")))
                != Data(contentsOf: URL(filePath: folder("dots.png"))))
        let wrong = run(["export", file, "--brush", "dot"])
        #expect(
            wrong.code == .usage && wrong.transcript.error.contains("did you mean dots?"), "\(wrong.transcript.error)")
    }

    @Test(
        "Patterns lie still unless they are asked to move",
        arguments: [
            (["--brush", "waves"], BrushAnchor.canvas, 20.0), (["--brush", "waves", "--anchor", "stamp"], .stamp, 20),
            (["--brush", "crossHatch", "--size", "31"], .canvas, 31), (["--brush", "contourLines"], .stamp, 20),
            ([], .stamp, 20),
        ])
    func anchors(options: [String], anchor: BrushAnchor, size: Double) throws {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", Self.drawing)
        let (code, transcript) = run(["import", file, "-o", folder("out")] + options)
        #expect(code == .done, "\(transcript.error)")
        let project = try ProjectLoader.load(path: folder("out/cat-7.ink")).project
        let brush = try #require(project.layers.first?.strokes.first?.brush)
        #expect(brush.anchor == anchor && brush.size == size, "\(options)")
    }

    @Test func badLinesAreNamedAndTheOthersGoOn() {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", "{\"word\":\n" + Self.drawing + "{\"word\":\"dog\"}\n" + Self.drawing)
        let (code, transcript) = run(["import", file, "-o", folder("out"), "--quiet"])
        #expect(code == .badInput)
        let lines = transcript.error.split(separator: "\n")
        #expect(lines.count == 2, "\(transcript.error)")
        for (line, number) in zip(lines, [1, 3]) {
            #expect(line.hasPrefix("ink: error: \(file): line \(number)"), "\(line)")
        }
        #expect(folder.files == ["cats.ndjson", "out/cat-7-2.ink", "out/cat-7.ink"])
        #expect(transcript.output.isEmpty)
    }

    @Test func existingProjectsAreNotReplacedUnasked() {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", Self.drawing)
        folder.file("out/cat-7.ink", "mine")
        let (code, transcript) = run(["import", file, "-o", folder("out")])
        #expect(code == .inputOutput)
        #expect(
            transcript.error
                == "ink: error: 1 project is there already and was left as before (\(folder("out/cat-7.ink"))); "
                + "use --if-exists overwrite to replace, or another folder\n")
        #expect(transcript.output == "0 projects, 1 failed\n")
        #expect(folder.text("out/cat-7.ink") == "mine")
        #expect(run(["import", file, "-o", folder("out"), "--if-exists", "overwrite"]).code == .done)
        #expect(folder.text("out/cat-7.ink") != "mine")
    }

    @Test(
        "A wrong file is one line that names its kind, and leaves no folder",
        arguments: [
            ("\u{7f}ELF\n\n\n", "is a program"), ("<svg>\n</svg>\n", "the SVG, line 1"), ("", "the file is empty"),
            ("{\n\"type\": \"excalidraw\",\n\"version\": 2\n}\n", "is an Excalidraw drawing"),
            ("\n \n", "holds no drawing"),
            ("{\n\"strokes\": [\n[1, 2],\n[3, 4]\n]\n}", "none of its 6 lines is a drawing of Quick, Draw!"),
            ("a\u{0}b\nc\n", "is binary data"), ("{\"word\": 5}\n", "its line is not a drawing"),
            ("{\"canvasSize\": {\"width\": 5, \"height\": 5}}", "is already an Ink project"),
        ])
    func wrongImports(text: String, kind: String) {
        let folder = ScratchFolder()
        let file = folder.file("x", text)
        let (code, transcript) = run(["import", file, "-o", folder("out"), "-q"])
        #expect(code == .badInput)
        #expect(transcript.error.split(separator: "\n").count == 1, "\(transcript.error)")
        #expect(transcript.error.contains(kind), "\(transcript.error)")
        #expect(!FileManager.default.fileExists(atPath: folder("out")))
    }

    @Test("Bad lines of one cause are one line")
    func badLinesAreGrouped() {
        let folder = ScratchFolder()
        let bad = (0..<500).map { "{\"word\": \"w\($0)\"}\n" }.joined()
        let file = folder.file("x.ndjson", bad + Self.drawing + "{\"word\":\n")
        let (code, transcript) = run(["import", file, "-o", folder("out")])
        #expect(code == .badInput)
        let lines = transcript.error.split(separator: "\n")
        #expect(lines.count == 2, "\(transcript.error)")
        #expect(lines[0].contains("line 1, drawing: is missing (and 499 more: line 2, line 3,"), "\(lines[0])")
        #expect(lines[1].contains("line 502"), "\(lines[1])")
        #expect(transcript.output == "1 project in \(folder("out")), 501 failed\n")
    }

    @Test("Drawings come from standard input")
    func importOfStandardInput() {
        let folder = ScratchFolder()
        let (code, transcript) = run(["import", "-", "-o", folder("out")], input: Self.drawing)
        #expect(code == .done, "\(transcript.error)")
        #expect(folder.files == ["out/cat-7.ink"])
        #expect(run(["import", "-", "-", "-o", folder("out")]).code == .usage)
    }

    @Test func drawingsOfOneNameInAFileGetNumbers() {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", Self.drawing + Self.drawing)
        #expect(run(["import", file, "-o", folder("out")]).code == .done)
        #expect(folder.files == ["cats.ndjson", "out/cat-7-2.ink", "out/cat-7.ink"])
    }

    @Test("Drawings that are given to export are sent to import")
    func drawingsForExport() {
        let folder = ScratchFolder()
        let file = folder.file("cats.ndjson", Self.drawing + Self.drawing)
        let (code, transcript) = run(["export", file])
        #expect(code == .badInput)
        #expect(
            transcript.error.contains(
                "holds drawings of Quick, Draw!, is not an Ink project; ink import makes projects of them"))
    }

    @Test("A thousand errors of one cause do not hide another, and are counted")
    func errorsAreGrouped() {
        let folder = ScratchFolder()
        for number in 100..<140 { folder.file("in/\(number).ink", "<svg/>") }
        folder.file("in/139.ink", "GIF89a")
        let (code, transcript) = run(["export", folder("in"), "-o", folder("out")])
        #expect(code == .badInput)
        let lines = transcript.error.split(separator: "\n")
        #expect(lines.count == ErrorGroups.saidCount + 2, "\(transcript.error)")
        #expect(lines.contains { $0.hasSuffix("139.ink: is a GIF picture, not an Ink project") })
        #expect(lines.last?.hasPrefix("ink: error: 34 more like it (") == true)
        #expect(
            lines.last?.hasSuffix("/in/114.ink, ...): is an SVG drawing, not an Ink project") == true,
            "\(lines.last ?? "")")
        #expect(!transcript.output.contains("SVG"))
    }

    @Test(arguments: [
        [], ["x.ndjson"], ["x", "-o", ""], ["x", "-o", "o", "--brush", "pen"], ["x", "-o", "o", "--canvas", "0x5"],
        ["x", "-o", "o", "--margin", "1024"], ["x", "-o", "o", "--color", "#11223344"],
        ["x", "-o", "o", "--spacing", "0"], ["x", "-o", "o", "--if-exists", "suffix"],
        ["x", "-o", "o", "--anchor", "page", "--brush", "dots"], ["x", "-o", "o", "--anchor", "canvas"],
        ["x", "-o", "o", "--size", "9"], ["x", "-o", "o", "--brush", "dots", "--size", "0"],
    ])
    func badImportArgumentsAreUsage(arguments: [String]) {
        #expect(run(["import"] + arguments).code == .usage, "\(arguments)")
    }

    @Test func masksComeFromColors() throws {
        let folder = ScratchFolder()
        // 40 x 200 pixels, several chunks: the left half red, the right half blue, one row of both in the other order.
        let red: [UInt8] = [255, 0, 0]
        let blue: [UInt8] = [0, 0, 255]
        let row = Array((0..<40).map { $0 < 20 ? red : blue }.joined())
        let size = PixelSize(width: 40, height: 200)
        let pixels = Array((0..<200).map { _ in row }.joined())
        let band = try BandEncoder().encode(
            pixels: pixels, width: 40, format: .rgb,
            encoding: PieceEncoding(PictureEncoding(effort: .fast), isLast: true))
        let png =
            try PNGStream.prologue(size: size, format: .rgb, description: .init())
            + PNGStream.idat(band.bytes, isFirst: true) + PNGStream.epilogue(adler32: band.adler32)
        try FileSystem.writeAtomically(png, to: folder("flat.png"))
        let (code, transcript) = run(["template", "masks", folder("flat.png"), "--color", "#f00,#00ff00"])
        #expect(code == .done, "\(transcript.error)")
        #expect(transcript.error.hasSuffix("no pixel has the colour #00ff00, so its mask is empty\n"))
        #expect(folder.files == ["flat-00ff00_mask.png", "flat-ff0000_mask.png", "flat.png"])
        let mask = try FileSystem.read(folder("flat-ff0000_mask.png"), limitBytes: 1 << 20)
        let (found, rgba) = try PNGDecoder.decodeRGBA(mask, place: Place(file: "mask"))
        #expect(found == size)
        for y in [0, 63, 64, 100, 199] {
            #expect(rgba[(y * 40 + 5) * 4] == 255, "row \(y)")
            #expect(rgba[(y * 40 + 35) * 4] == 0, "row \(y)")
        }
        #expect(run(["template", "masks", folder("flat.png"), "--color", "#f00"]).code == .inputOutput)
        #expect(run(["template", "masks", folder("flat.png")]).code == .usage)
        #expect(run(["template", "masks", folder("missing.png"), "--color", "#f00"]).code == .inputOutput)
    }

    @Test("A template of a picture, an archive of it, a project of that")
    func templatesOfPictures() throws {
        let folder = ScratchFolder()
        let size = PixelSize(width: 60, height: 40)
        var samples: [UInt8] = []
        for index in 0..<size.area { samples += index % 60 < 30 ? [220, 30, 30] : [20, 90, 200] }
        try FileSystem.writeAtomically(
            try WholePNG.encode(samples: samples, size: size, format: .rgb8), to: folder("flag.png"))
        let (code, transcript) = run(["template", "from-image", folder("flag.png")])
        #expect(code == .done, "\(transcript.error)")
        let template = folder("flag.inktemplate")
        #expect(transcript.output == "\(template): 2 regions of 2 colours, 60x40\n")
        #expect(
            folder.files == [
                "flag.inktemplate/base.png", "flag.inktemplate/guide.png",
                "flag.inktemplate/layers/blue-right_mask.png", "flag.inktemplate/layers/red-left_mask.png",
                "flag.inktemplate/manifest.json", "flag.inktemplate/preview.png", "flag.png",
            ])
        let reading = try ProjectLoader.load(path: template)
        #expect(reading.warnings.isEmpty && reading.project.name == "flag")
        #expect(reading.project.layers.map(\.name) == ["Red, left", "Blue, right"])
        #expect(reading.project.layers.map(\.order) == [0, 1])
        #expect(Set(reading.project.layers.map { $0.suggestedPattern?.type }).count == 2)
        #expect(run(["template", "validate", template, "--strict"]).transcript.output == "\(template): valid\n")
        // Again, and as an archive.
        #expect(run(["template", "from-image", folder("flag.png")]).code == .inputOutput)
        #expect(run(["template", "from-image", folder("flag.png"), "-o", folder("flag.zip")]).code == .done)
        #expect(run(["template", "pack", template, "-o", folder("packed.zip"), "-q"]).code == .done)
        #expect(
            try FileSystem.read(folder("packed.zip"), limitBytes: 1 << 20)
                == FileSystem.read(folder("flag.zip"), limitBytes: 1 << 20))
        #expect(run(["template", "unpack", folder("packed.zip"), "-o", folder("b.inktemplate"), "-q"]).code == .done)
        #expect(
            run(["template", "pack", folder("b.inktemplate"), "-o", folder("packed.zip"), "-q"]).code == .inputOutput)
        let first = try FileSystem.read(folder("packed.zip"), limitBytes: 1 << 20)
        #expect(
            run(["template", "pack", folder("b.inktemplate"), "-o", folder("packed.zip"), "--if-exists", "overwrite"])
                .code == .done)
        #expect(try FileSystem.read(folder("packed.zip"), limitBytes: 1 << 20) == first)
        let shown = try FileSystem.read(folder("b.inktemplate/preview.png"), limitBytes: 1 << 20)
        #expect(run(["template", "preview", folder("b.inktemplate")]).code == .done)
        #expect(try FileSystem.read(folder("b.inktemplate/preview.png"), limitBytes: 1 << 20) == shown)
        #expect(try SimplePNG.read(shown).width == 512)
        #expect(run(["template", "preview", folder("packed.zip"), "--size", "1x"]).code == .usage)
        #expect(
            run(["template", "preview", folder("packed.zip"), "--size", "1x", "-o", folder("p.png")]).code == .done)
        #expect(
            run(["template", "new-project", folder("packed.zip"), "-o", folder("p.ink"), "--name", "Flag"]).code
                == .done)
        let project = try ProjectLoader.load(path: folder("p.ink")).project
        #expect(project.name == "Flag" && project.layers.map(\.name) == ["Red, left", "Blue, right"])
        #expect(project.layers.allSatisfy { $0.maskImage?.size == size })
        #expect(!folder.files.contains { $0.contains(".ink-template") || $0.contains(".part") })
    }

    @Test("Whatever is there and is no template is not replaced")
    func templatesReplaceOnlyTemplates() throws {
        let folder = ScratchFolder()
        let size = PixelSize(width: 20, height: 20)
        try FileSystem.writeAtomically(
            try WholePNG.encode(samples: [UInt8](repeating: 90, count: 400), size: size), to: folder("gray.png"))
        folder.file("gray.inktemplate/letter.txt", "dear")
        let code = run(["template", "from-image", folder("gray.png"), "--if-exists", "overwrite"]).code
        #expect(code == .inputOutput)
        #expect(folder.files == ["gray.inktemplate/letter.txt", "gray.png"])
        // Nor is a template with a file of somebody else in it.
        let template = folder("own.inktemplate")
        #expect(run(["template", "from-image", folder("gray.png"), "-o", template]).code == .done)
        #expect(
            run(["template", "from-image", folder("gray.png"), "-o", template, "--if-exists", "overwrite"]).code
                == .done)
        folder.file("own.inktemplate/.notes", "mine")
        let (kept, transcript) = run([
            "template", "from-image", folder("gray.png"), "-o", template, "--if-exists", "overwrite",
        ])
        #expect(kept == .inputOutput && transcript.error.contains("holds .notes too"), "\(transcript.error)")
        #expect(folder.files.contains("own.inktemplate/.notes"))
    }

    @Test(arguments: [
        ["from-image"], ["from-image", "x.png", "-o", "x.png"], ["from-image", "x.png", "--tolerance", "2"],
        ["from-image", "x.png", "--colors", "red"], ["from-image", "x.png", "--colors", "#f00,#f00"],
        ["from-image", "x.png", "--dilate", "-1"], ["from-image", "x.png", "--blur", "99"],
        ["from-image", "x.png", "--min-area", "0"], ["from-image", "x.png", "--base", "photo"],
        ["from-image", "x.png", "--if-exists", "suffix"], ["from-psd"], ["pack"], ["pack", "a", "-o", "b.inktemplate"],
        ["unpack", "a.zip", "-o", "b.zip"], ["validate"], ["preview"], ["preview", "a", "--size", "big"],
        ["new-project"], ["new-project", "a", "-o", "b.png"], ["masks", "x.png"], ["masks"], ["nothing"], ["from"],
    ])
    func badTemplateArgumentsAreUsage(arguments: [String]) {
        let (code, transcript) = run(["template"] + arguments)
        #expect(code == .usage, "\(arguments)")
        #expect(transcript.error.split(separator: "\n").count == 1, "\(transcript.error)")
    }

    @Test("A command that has moved is still found")
    func movedCommand() {
        #expect(run(["masks", "x.png"]).transcript.error.contains("ink template masks"))
        #expect(run(["template"]).transcript.output.contains("from-image"))
        #expect(run(["help", "template", "pack"]).transcript.output.contains("ink template pack"))
        #expect(run(["help", "--man", "template-pack"]).transcript.output.contains(".TH INK\\-TEMPLATE\\-PACK 1"))
    }

    @Test func inspectionCountsWhatIsThere() throws {
        let folder = ScratchFolder()
        let file = folder.file(
            "a.ink",
            """
            {"version": "1.1", "name": "Cat\\n", "canvasSize": {"width": 100, "height": 50}, "layers": [
              {"name": "top", "order": 2, "blendMode": "multiply", "opacity": 0.5, "isVisible": false},
              {"name": "bottom", "order": 1, "strokes": [
                {"brush": {"spacing": 10}, "points": [[0, 0], [95, 0]]},
                {"brush": {"type": "solid"}, "points": [[0, 0]]}]}]}
            """)
        let (code, transcript) = run(["inspect", file])
        #expect(code == .done, "\(transcript.error)")
        #expect(
            transcript.output == """
                \(file) "Cat\\n"
                  canvas 100x50, background #ffffff
                  2 layers, 2 strokes, 3 points, 10 stamps
                  layer "bottom": normal, 2 strokes (parallelLines, solid), 3 points, 10 stamps
                  layer "top": multiply, hidden, opacity 0.5

                """)
        let report = try JSONReader.read(Array(run(["inspect", file, "--json"]).transcript.output.utf8))
        #expect(report["stamps"]?.integer == 10)
        #expect(report["layers"]?.array?.count == 2)
    }

    @Test("An inspection has elements as they are drawn: a group that clipping isolates does not pass through")
    func inspectionOfClipping() {
        let folder = ScratchFolder()
        let group = #""type": "group", "passThrough": true, "blendMode": "multiply", "layers": [{"name": "in"}]"#
        let file = folder.file(
            "a.ink",
            """
            {"version": "1.2", "canvasSize": {"width": 100, "height": 50}, "layers": [
              {"name": "last", "clipped": true, "order": 9},
              {"name": "open", \(group)}, {"name": "base", \(group)}]}
            """)
        let lines = run(["inspect", file]).transcript.output.split(separator: "\n").dropFirst(3)
        #expect(
            lines == [
                "  group \"open\": passes through", "    layer \"in\": normal", "  group \"base\": multiply",
                "    layer \"in\": normal", "  layer \"last\": normal, clipped",
            ])
    }

    @Test func inspectionSaysWhatWouldBeRefused() {
        let folder = ScratchFolder()
        let file = folder.file(
            "a.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 100, "height": 50}, "layers": [
              {"strokes": [{"brush": {"spacing": 0.0000001}, "points": [[0, 0], [1000, 0]]}]}]}
            """)
        let (code, transcript) = run(["inspect", file])
        #expect(code == .badInput)
        #expect(transcript.error.contains("\(file): layers[0].strokes[0]"), "\(transcript.error)")
        #expect(run(["inspect", folder("missing.ink")]).code == .inputOutput)
        #expect(run(["inspect"]).code == .usage)
    }

    @Test func inspectionSaysAllErrorsOfAFile() throws {
        let folder = ScratchFolder()
        let file = folder.file(
            "a.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 100, "height": 0}, "background": "red", "layers": [
              {"opacity": 2, "blendMode": "glow", "strokes": [{"mode": "x", "brush": {"type": "y", "scale": 0}},
                {"points": [[0]]}]}, 7, {"maskImage": "mask.png"}]}
            """)
        let (code, transcript) = run(["inspect", file])
        #expect(code == .badInput)
        let lines = transcript.error.split(separator: "\n")
        let places = [
            "canvasSize.height", "background", "layers[0].opacity", "layers[0].blendMode",
            "layers[0].strokes[0].brush.type", "layers[0].strokes[0].brush.scale", "layers[0].strokes[0].mode",
            "layers[0].strokes[1].points[0]", "layers[1]", "layers[2].maskImage",
        ]
        #expect(lines.count == places.count, "\(transcript.error)")
        for (line, place) in zip(lines, places) { #expect(line.contains("\(file): \(place)"), "\(line)") }
        let report = try JSONReader.read(Array(run(["inspect", file, "--json"]).transcript.output.utf8))
        #expect(report["refused"]?.array?.count == places.count)
        // Whoever exports it hears of the first.
        #expect(run(["export", file, "-o", folder("o/")]).transcript.error.contains("canvasSize.height"))
    }

    @Test func inspectionSaysTwentyErrorsAndCountsTheOthers() {
        let folder = ScratchFolder()
        let layers = Array(repeating: #"{"opacity": 2}"#, count: 50).joined(separator: ",")
        let file = folder.file("a.ink", #"{"version":"1.1","canvasSize":{"width":1,"height":1},"layers":[\#(layers)]}"#)
        let lines = run(["inspect", file]).transcript.error.split(separator: "\n")
        #expect(lines.count == 21 && lines.last?.hasSuffix("and 30 more errors") == true, "\(lines)")
    }

    @Test func limitsOfAFileCount() {
        let folder = ScratchFolder()
        let file = folder.file("a.ink", #"{"version": "1.1", "canvasSize": {"width": 100, "height": 50}}"#)
        let limits = folder.file("limits.json", #"{"edgePixels": 99}"#)
        #expect(run(["inspect", file, "--limits", limits]).code == .badInput)
        #expect(run(["inspect", file, "--limits", folder.file("bad.json", #"{"edge": 99}"#)]).code == .configuration)
        #expect(run(["inspect", file, "--limits", folder("missing.json")]).code == .inputOutput)
    }

    @Test func theSelfTestPictureIsAProject() throws {
        let project = try ProjectLoader.load(bytes: Array(SelfTestPicture.project.utf8)).project
        #expect(project.canvasSize == CanvasSize(width: 96, height: 64))
        #expect(project.layers.map(\.blendMode) == [.normal, .multiply])
    }
}
