import Foundation
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@Suite("Pictures with watermarks", .timeLimit(.minutes(5)))
struct OverlayTests {
    /// A canvas of one colour.
    private func project(_ color: String, _ width: Int, _ height: Int, more: String = "") -> String {
        """
        {"version": "1.1", "canvasSize": {"width": \(width), "height": \(height)}, "background": "\(color)", "layers": [\(more)]}
        """
    }

    private func png(_ color: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        let pixels = (0..<(width * height)).flatMap { _ in color }
        return MinimalPNGWriter.png(rgba: pixels, size: PixelSize(width: width, height: height))
    }

    private func picture(_ folder: EndToEndFolder, _ name: String) throws -> SimplePicture {
        try SimplePNG.read(try folder.read(name))
    }

    private func export(_ arguments: [String]) throws {
        let result = try InkProcess.run(["export"] + arguments)
        #expect(result.code == 0, "ink export \(arguments.joined(separator: " ")): \(result.error)")
    }

    struct Vector: Sendable {
        var below: String
        var mark: [UInt8]
        var opacity: Double
        var result: SIMD4<UInt8>
    }

    static let vectors = [
        Vector(below: "#fbf5ea", mark: [255, 255, 255, 255], opacity: 0.6, result: [253, 251, 247, 255]),
        Vector(below: "#fbf5ea", mark: [0, 0, 0, 128], opacity: 0.6, result: [175, 171, 164, 255]),
        Vector(below: "#000000", mark: [255, 255, 255, 255], opacity: 0.6, result: [153, 153, 153, 255]),
        Vector(below: "#ffffff", mark: [200, 30, 30, 64], opacity: 1, result: [241, 199, 199, 255]),
        Vector(below: "#0a141e", mark: [255, 0, 0, 1], opacity: 0.6, result: [11, 20, 30, 255]),
    ]

    @Test("A mark is blended onto the real-number picture, and only where it lies", arguments: vectors)
    func compositing(_ vector: Vector) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", project(vector.below, 90, 70))
        _ = try folder.file("mark.png", png(vector.mark, 20, 10))
        _ = try folder.file(
            "o.json",
            """
            {"overlays": [{"type": "image", "file": "mark.png", "size": {"px": 20},
              "anchor": {"h": "left", "v": "top", "margin": 7}, "style": {"opacity": \(vector.opacity)}}]}
            """)
        let options = [project, "--overlay", folder("o.json"), "--size", "1x"]
        try export(options + ["-o", folder("a.png")])
        let picture = try picture(folder, "a.png")
        let below = try #require(RGBA8(hex: vector.below))
        for y in 0..<70 {
            for x in 0..<90 {
                let isInside = (7..<27).contains(x) && (7..<17).contains(y)
                let expected =
                    isInside ? vector.result : SIMD4(below.red, below.green, below.blue, 255)
                #expect(picture.rgba(x, y) == expected, "\(x), \(y)")
            }
        }
        for tile in ["16x16", "90x16", "33x70"] {
            try export(options + ["-o", folder("t.png"), "--tile", tile, "--if-exists", "overwrite"])
            #expect(try self.picture(folder, "t.png").samples == picture.samples, "\(tile)")
        }
    }

    @Test("An enlarged or shrunk mark covers its rectangle to the edge and nothing beyond")
    func edges() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", project("#808080", 301, 203))
        _ = try folder.file("mark.png", png([0, 40, 250, 255], 100, 50))
        for width in [33, 101, 250] {
            try export([
                project, "--watermark", folder("mark.png"), "--watermark-size", "\(width)", "--watermark-opacity", "1",
                "--watermark-anchor", "bottom-right", "--watermark-margin", "5", "--size", "1x", "-o",
                folder("\(width).png"),
            ])
            let picture = try picture(folder, "\(width).png")
            let height = Int((Double(width) / 2 + 0.5).rounded(.down))
            for y in 0..<203 {
                for x in 0..<301 {
                    let isInside = (301 - 5 - width..<296).contains(x) && (203 - 5 - height..<198).contains(y)
                    #expect(
                        picture.rgba(x, y) == (isInside ? [0, 40, 250, 255] : [128, 128, 128, 255]),
                        "\(width): \(x), \(y)")
                }
            }
        }
    }

    @Test("An SVG is drawn in the size that it has in the picture; what depends on the machine is refused")
    func vector() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", project("#ffffff", 120, 90))
        func svg(_ content: String) -> String {
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\">\(content)</svg>"
        }
        _ = try folder.file("mark.svg", svg("<rect x=\"2\" width=\"2\" height=\"2\" fill=\"#c00000\"/>"))
        try export([
            project, "--watermark", folder("mark.svg"), "--watermark-size", "80", "--watermark-anchor", "top-left",
            "--watermark-margin", "5", "--watermark-opacity", "1", "--size", "1x", "-o", folder("a.png"),
        ])
        let picture = try picture(folder, "a.png")
        for y in 0..<90 {
            for x in 0..<120 {
                let isInside = (45..<85).contains(x) && (5..<45).contains(y)
                #expect(picture.rgba(x, y) == (isInside ? [192, 0, 0, 255] : [255, 255, 255, 255]), "\(x), \(y)")
            }
        }
        _ = try folder.file("text.svg", svg("<text>a</text>"))
        let result = try InkProcess.run(["export", project, "--watermark", folder("text.svg"), "-o", folder("b.png")])
        #expect(result.code == 65 && result.error.contains("text.svg"), "\(result.error)")
    }

    @Test("Tiles lie where the layout says, shifted in every other row")
    func repeated() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", project("#ffffff", 200, 100))
        _ = try folder.file("mark.png", png([0, 0, 0, 255], 60, 20))
        _ = try folder.file(
            "o.json",
            """
            {"overlays": [{"type": "image", "file": "mark.png", "size": {"px": {"width": 60}}, "style": {"opacity": 1},
              "anchor": {"h": "left", "v": "top"}, "repeat": {"gapX": 30, "gapY": 20, "stagger": 0.5}}]}
            """)
        try export([project, "--overlay", folder("o.json"), "--size", "1x", "-o", folder("a.png")])
        let picture = try picture(folder, "a.png")
        let places = [16: [16, 106, 196], 56: [-29, 61, 151], 96: [16, 106, 196]]
        for y in 0..<100 {
            for x in 0..<200 {
                let isInside = places.contains { top, lefts in
                    (top..<top + 20).contains(y) && lefts.contains { ($0..<$0 + 60).contains(x) }
                }
                #expect(picture.rgba(x, y) == (isInside ? [0, 0, 0, 255] : [255, 255, 255, 255]), "\(x), \(y)")
            }
        }
    }

    @Test("A mark lies upright at its place through a turned viewport, on an infinite canvas, and over chosen layers")
    func views() throws {
        let folder = try EndToEndFolder()
        let layer = """
            {"id": "a", "strokes": [{"brush": {"type": "solid", "lineWidth": 8, "color": "#00aa00"}, "points": [[0, 0], [80, 60]]}]},
            {"id": "b", "strokes": [{"brush": {"type": "solid", "lineWidth": 8, "color": "#aa0000"}, "points": [[80, 0], [0, 60]]}]}
            """
        let plain = try folder.file("a.ink", project("#ffffff", 80, 60, more: layer))
        let infinite = try folder.file(
            "b.ink", "{\"version\": \"1.2\", \"canvas\": \"infinite\", \"layers\": [\(layer)]}")
        _ = try folder.file("mark.png", png([0, 0, 255, 255], 12, 6))
        let mark = [
            "--watermark", folder("mark.png"), "--watermark-size", "12", "--watermark-opacity", "1",
            "--watermark-margin", "3",
        ]
        for (name, options) in [
            ("turned", [plain, "--viewport", "40,30,1.5,33,90x70"]), ("fit", [infinite]),
            ("layers", [plain, "--layers", "b"]), ("canvas", [plain]),
        ] {
            try export(options + mark + ["--size", "160x160", "-o", folder("\(name).png")])
            try export(options + ["--size", "160x160", "-o", folder("\(name)-bare.png")])
            let (marked, bare) = (try picture(folder, "\(name).png"), try picture(folder, "\(name)-bare.png"))
            #expect(marked.width == bare.width && marked.height == bare.height)
            let (width, height) = (marked.width, marked.height)
            for y in 0..<height {
                for x in 0..<width {
                    let isInside = (width - 15..<width - 3).contains(x) && (height - 9..<height - 3).contains(y)
                    #expect(
                        marked.rgba(x, y) == (isInside ? [0, 0, 255, 255] : bare.rgba(x, y)), "\(name): \(x), \(y)")
                }
            }
        }
    }

    @Test("A broker's pictures with marks are those that are made here, in all formats, and are found unchanged")
    func remote() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let options = [
            project, "--watermark", "© Ink 2026", "--watermark-anchor", "center", "--size", "300x300,500x500",
            "--format",
            "png,jpeg",
        ]
        try export(options + ["-o", folder("here/")])
        let farm = try FarmProcesses(workers: 1)
        try export(options + ["-o", folder("there/"), "--broker", farm.endpoint])
        #expect(folder.files(in: "here").count == 4)
        for name in folder.files(in: "here") {
            #expect(try folder.read("here/\(name)").elementsEqual(folder.read("there/\(name)")), "\(name)")
        }
        let again = try InkProcess.run(
            ["export"] + options + ["-o", folder("there/"), "--broker", farm.endpoint, "--if-exists", "skip-unchanged"])
        #expect(again.output.contains("4 unchanged"), "\(again.output)\(again.error)")
        let bare = try InkProcess.run(
            ["export", project, "--size", "300x300", "-o", folder("here/"), "--if-exists", "skip-unchanged"])
        #expect(bare.output.contains("1 exported"), "\(bare.output)\(bare.error)")
        let shared = try InkProcess.run(
            ["submit", project, "--shared", "--watermark", "x", "--broker", farm.endpoint])
        #expect(shared.code == 64 && shared.error.contains("--shared"), "\(shared.error)")

        // A mark does not change how a size is called, nor the name that a picture gets by it.
        let submitted = try InkProcess.run(
            ["submit", project, "--quiet", "--watermark", "x", "--size", "0.5x,2k", "--broker", farm.endpoint])
        #expect(submitted.code == 0, "\(submitted.error)")
        let waited = try InkProcess.run(
            ["wait"] + submitted.output.split(separator: "\n").map(String.init)
                + ["-o", folder("waited"), "--broker", farm.endpoint])
        #expect(waited.code == 0, "\(waited.error)")
        #expect(folder.files(in: "waited").sorted() == ["a-0.5x.png", "a-2k.png"])
    }

    @Test("What cannot be laid over a picture is refused, with its place, before anything is made")
    func refusals() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        _ = try folder.file("mark.png", png([0, 0, 255, 255], 12, 6))
        _ = try folder.file("broken.png", Array(png([0, 0, 255, 255], 12, 6).prefix(20)))
        _ = try folder.file("text.txt", "no picture")
        let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
        func text(_ more: String) -> String { "{\"overlays\": [{\"type\": \"text\", \"text\": \"a\"\(more)}]}" }
        func image(_ more: String) -> String {
            "{\"overlays\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"image\", \"file\": \"mark.png\"\(more)}]}"
        }
        for (json, code, words) in [
            ("{", 65, ["byte 1"]), ("{\"overlays\": []}", 65, ["overlays"]),
            ("{\"overlay\": []}", 65, ["overlay", "is not a key"]),
            (
                image(", \"size\": {\"auto\": {\"min\": 9, \"max\": 8}}"), 65,
                ["overlays[1].size.auto", "min is above max"]
            ),
            (image(", \"size\": 9"), 65, ["overlays[1].size"]),
            (image(", \"size\": {\"percent\": 5}"), 65, ["overlays[1].size.percent"]),
            (image(", \"anchor\": {\"margin\": -1}"), 65, ["overlays[1].anchor.margin"]),
            (image(", \"anchor\": {\"unit\": \"percent\", \"margin\": 2}"), 65, ["overlays[1].anchor.margin"]),
            (image(", \"anchor\": {\"h\": \"middle\"}"), 65, ["overlays[1].anchor.h", "left, center, right"]),
            (image(", \"repeat\": {\"gapX\": -1}"), 65, ["overlays[1].repeat.gapX", "overlap"]),
            (image(", \"style\": {\"opacity\": 2}"), 65, ["overlays[1].style.opacity"]),
            (image(", \"style\": {\"blendMode\": \"glow\"}"), 65, ["overlays[1].style.blendMode"]),
            (image(", \"colour\": 2"), 65, ["overlays[1].colour"]),
            ("{\"overlays\": [{\"type\": \"image\", \"file\": \"none.png\"}]}", 74, ["none.png"]),
            ("{\"overlays\": [{\"type\": \"image\", \"file\": \"text.txt\"}]}", 65, ["text.txt"]),
            ("{\"overlays\": [{\"type\": \"image\", \"file\": \"broken.png\"}]}", 65, ["broken.png"]),
            (text(", \"size\": {\"px\": 9}"), 65, ["overlays[0].size", "font.size"]),
            (text(", \"font\": {\"family\": \"Comic\"}"), 65, ["overlays[0].font.family", "--font"]),
            (text(", \"font\": {\"size\": 0}"), 65, ["overlays[0].font.size"]),
            (text(", \"font\": {\"color\": \"red\"}"), 65, ["overlays[0].font.color"]),
            (text(", \"font\": {\"file\": \"mark.png\"}"), 65, ["mark.png", "font"]),
            (text(", \"font\": {\"file\": \"\(font)\", \"size\": 2001}"), 65, ["overlays[0].font.size"]),
            ("{\"overlays\": [{\"type\": \"text\", \"text\": \"漢\"}]}", 65, ["overlays[0].text", "U+6F22"]),
        ] {
            _ = try folder.file("o.json", json)
            let result = try InkProcess.run(["export", project, "--overlay", folder("o.json"), "-o", folder("x.png")])
            #expect(
                result.code == Int32(code) && words.allSatisfy { result.error.contains($0) }, "\(json): \(result.error)"
            )
        }
        for (options, code, word) in [
            (["--watermark", ""], 64, "empty"), (["--watermark", "a\nb"], 64, "line break"),
            (["--watermark", "漢"], 64, "U+6F22"), (["--watermark", folder("none.png")], 74, "none.png"),
            (["--watermark", "a", "--watermark-opacity", "2"], 64, "--watermark-opacity"),
            (["--watermark", "a", "--watermark-anchor", "top-top"], 64, "--watermark-anchor"),
            (["--watermark", "a", "--watermark-size", "0"], 64, "--watermark-size"),
            (["--watermark-size", "9"], 64, "needs --watermark"), (["--font", font], 64, "--font needs"),
        ] {
            let result = try InkProcess.run(["export", project, "-o", folder("x.png")] + options)
            #expect(result.code == Int32(code) && result.error.contains(word), "\(options): \(result.error)")
        }
        #expect(!folder.files.contains("x.png"))
    }

    @Test("A mark that reaches beyond the picture is cut, with a warning")
    func cut() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", project("#ffffff", 50, 40))
        _ = try folder.file("mark.png", png([0, 0, 0, 255], 40, 10))
        let result = try InkProcess.run([
            "export", project, "--watermark", folder("mark.png"), "--watermark-opacity", "1", "--size", "1x", "-o",
            folder("a.png"),
        ])
        #expect(result.code == 0 && result.error.contains("lies outside"), "\(result.error)")
        let picture = try picture(folder, "a.png")
        #expect(picture.rgba(0, 8) == [0, 0, 0, 255] && picture.rgba(33, 23) == [0, 0, 0, 255])
        #expect(picture.rgba(34, 8) == [255, 255, 255, 255] && picture.rgba(0, 24) == [255, 255, 255, 255])
    }
}
