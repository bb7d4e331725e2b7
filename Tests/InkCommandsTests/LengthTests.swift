import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkPlanning
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkCommands
@testable import InkExports

/// Lengths on the command line, in files of overlays and in requests.
@Suite struct LengthTests {
    private let folder = ScratchFolder()

    @Test(arguments: [
        ("24", 24), ("24px", 24), ("24 px", 24), (" 24 PX ", 24), ("1in", 300), ("2.54cm", 300), ("25.4 mm", 300),
        ("72pt", 300), ("72\u{a0}pt", 300), ("1e2", 100), ("0", 0),
    ])
    func lengthsTakeUnitsWithOrWithoutABlank(text: String, pixels: Double) throws {
        let length = try #require(WrittenLength(text))
        #expect(abs(length.pixels(dotsPerInch: 300) - pixels) < 1e-9)
    }

    @Test(arguments: [
        "", "mm", "-1", "-1mm", "1 foot", "1mmm", "1m", "nan", "inf", "0x10", "1,5mm", "1 2mm", "5%", "1e3mm", "..5",
    ])
    func othersAreNoLengths(text: String) { #expect(WrittenLength(text) == nil) }

    private func sizes(_ arguments: [String]) throws -> (sizes: [String], dotsPerInch: Double?) {
        let given = try CommandLineParser.parse(["export", "a.ink"] + arguments, program: .ink)
        guard case .command(let parsed) = given else { return ([], nil) }
        let export = try ExportArguments(parsed)
        return (export.sizes.map(\.name), export.options.dotsPerInch)
    }

    @Test(
        arguments: [
            (["--size", "210x297mm"], ["2480x3508"], 300), (["--size", "210 x 297 mm"], ["2480x3508"], 300),
            (["--size", "21cm x 297mm", "--dpi", "100"], ["827x1169"], 100),
            (["--size", "8.5x11in"], ["2550x3300"], 300),
            (["--size", "8.5inx11in"], ["2550x3300"], 300), (["--size", "8.5 in \u{d7} 11 in"], ["2550x3300"], 300),
            (["--size", "210 mm"], ["2480x2480"], 300), (["--size", "72pt,2k"], ["300x300", "2k"], 300),
            (["--size", "1200px"], ["1200x1200"], nil), (["--size", "1200px x 800px"], ["1200x800"], nil),
            (["--size", "1200 x 800 px"], ["1200x800"], nil), (["--size", "3000"], ["3000x3000"], nil),
            (["--size", "2x"], ["2x"], nil), (["--size", "1 in", "--plot"], ["96x96"], nil),
        ] as [([String], [String], Double?)])
    func sizesOnPaperArePixelsAtTheResolution(arguments: [String], names: [String], dotsPerInch: Double?) throws {
        let found = try sizes(arguments)
        #expect(found.sizes == names && found.dotsPerInch == dotsPerInch, "\(found)")
    }

    @Test(arguments: [
        ["--size", "8.5x11"], ["--size", "0mm"], ["--size", "210x0mm"], ["--size", "1e9in"], ["--size", "3000.5"],
        ["--margin", "-1mm"], ["--margin", "5%"], ["--bleed", "3", "--format", "pdf"],
        ["--bleed", "9in", "--format", "pdf"],
        ["--watermark", "x", "--watermark-size", "0mm"], ["--watermark", "x", "--watermark-margin", "1km"],
        ["--tile", "1mm"],
    ])
    func wrongLengthsSayWhatIsRight(arguments: [String]) {
        let trial = CommandTrial()
        #expect(trial.run(["export", "a.ink"] + arguments) == .usage)
        let error = trial.transcript.error
        #expect(error.contains(arguments.first { $0.hasPrefix("--") && $0 != "--watermark" } ?? ""), "\(error)")
        #expect(
            error.contains("px") || error.contains("mm") || error.contains("pixels") || error.contains("in is"),
            "\(error)")
    }

    @Test(
        arguments: [
            ("3mm", nil, 8504), ("3 mm", nil, 8504), ("0.3cm", nil, 8504), ("9pt", nil, 9000), ("0.125in", nil, 9000),
            ("36px", nil, 36000), ("36 px", "300", 8640), ("0mm", nil, nil),
        ] as [(String, String?, Int?)])
    func bleedsAreThousandthsOfAPoint(text: String, dpi: String?, bleed: Int?) throws {
        let arguments = ["export", "a.ink", "-o", "a.pdf", "--bleed", text] + (dpi.map { ["--dpi", $0] } ?? [])
        guard case .command(let parsed) = try CommandLineParser.parse(arguments, program: .ink) else { return }
        #expect(try ExportArguments(parsed).options.encoding.bleed == bleed)
    }

    @Test(
        arguments: [
            ("24", .pixels(24)), ("5 mm", .pixels(5 / 25.4 * 72)), ("12pt", .pixels(12)), ("5%", .share(0.05)),
            ("5 %", .share(0.05)), ("1in", .pixels(72)),
        ] as [(String, OverlayLength)])
    func watermarksHaveLengthsOnPaper(text: String, length: OverlayLength) throws {
        for option in ["size", "margin"] {
            let arguments = ["export", "a.ink", "--watermark", "x", "--watermark-\(option)", text]
            guard case .command(let parsed) = try CommandLineParser.parse(arguments, program: .ink) else { return }
            let overlay = try ExportArguments(parsed).overlays
            #expect((option == "size" ? overlay.size : overlay.margin) == length)
        }
    }

    @Test("A margin on paper has so many pixels in the picture, whatever its size")
    func marginsOnPaper() throws {
        let box = CanvasSize(width: 400, height: 300)
        for size in ["1000x1000", "1000x500", "2k", "3x"] {
            let size = try #require(ExportSize(size))
            let margin = try #require(size.canvasMargin(of: 50, around: box))
            let canvas = CanvasSize(width: 400 + 2 * margin, height: 300 + 2 * margin)
            let pixels = try size.outputSize(canvas: canvas, limits: Limits(), place: Place(file: ""))
            #expect(abs(margin * Double(pixels.width) / canvas.width - 50) < 0.2, "\(size)")
        }
        #expect(try #require(ExportSize("100x100")).canvasMargin(of: 50, around: box) == nil)
    }

    @Test("Lengths in a file of overlays are numbers or texts with a unit")
    func overlayFiles() throws {
        let file = folder.file(
            "marks.json",
            """
            {"overlays": [{"type": "text", "text": "x", "font": {"size": "1in"},
              "style": {"stroke": true, "strokeWidth": "2px", "shadowBlur": "0.5 mm"},
              "anchor": {"margin": "25.4mm", "offset": ["-1in", 4]}, "repeat": {"gapX": "2.54 cm"}}]}
            """)
        let found = try OverlayFile.read(file, shown: file, fonts: [], dotsPerInch: 200, limits: Limits()).overlays[0]
        #expect(found.layout.margin == 200 && found.layout.offsetX == -200 && found.layout.offsetY == 4)
        #expect(found.layout.repetition?.gapX == 200)
        guard case .text(_, let size) = found.content else {
            Issue.record("\(found.content)")
            return
        }
        #expect(size == Overlay.FontSize(72, .points))
        for wrong in [
            #""anchor": {"margin": "5 miles"}"#, #""anchor": {"unit": "percent", "margin": "5mm"}"#,
            #""font": {"size": "0mm"}"#, #""font": {"size": "5mm", "unit": "px"}"#, #""repeat": {"gapX": "-5mm"}"#,
        ] {
            let file = folder.file("wrong.json", #"{"overlays": [{"type": "text", "text": "x", \#(wrong)}]}"#)
            #expect(throws: ExportError.self, "\(wrong)") {
                try OverlayFile.read(file, shown: file, fonts: [], dotsPerInch: 72, limits: Limits())
            }
        }
    }

    @Test(arguments: [
        ("a{n:03}.png", "a007.png"), ("{n:01}-{n}.png", "7-7.png"), ("{n:09}.{ext}", "000000007.png"),
    ])
    func numbersInNamesArePadded(template: String, name: String) throws {
        let found = try NameTemplate(template).fill { $0 == .ext ? "png" : "7" }
        #expect(found == name)
        #expect(try NameTemplate("{n:02}.png").fill { _ in "123" } == "123.png")
    }

    @Test(arguments: [
        "{n:}.png", "{n:3}.png", "{n:00}.png", "{n:010}.png", "{n:0x}.png", "{n:+3}.png", "{size:03}.png",
    ])
    func wrongFormatsOfNumbersSayWhatIsRight(template: String) {
        #expect { try NameTemplate(template) } throws: { "\($0)".contains("{n:03}") }
    }
}
