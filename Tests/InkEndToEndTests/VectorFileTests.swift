import Foundation
import InkCodecs
import InkEngine
import InkJSON
import Testing

@Suite("Drawings as PDF files of lines and as plots", .timeLimit(.minutes(5)))
struct VectorFileTests {
    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func text(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    // MARK: PDF

    @Test(
        "A PDF of lines stands beside pictures of pixels, is the same in every run, and is left where it is up to date")
    func pdf() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", SVGFileTests.project)
        func export(_ name: String, _ options: [String] = []) throws -> String {
            let result = try InkProcess.run(
                ["export", project, "--format", "pdf,png", "--vector", "--size", "300x200", "-o", folder("\(name)/")]
                    + ["--name", "a.{ext}", "--bleed", "3mm", "--if-exists", "skip-unchanged"] + options)
            #expect(result.code == 0, "\(result.error)")
            let isMade = result.output.contains("2 exported")
            #expect(
                !isMade || result.error.contains("pdf has no blend mode linearBurn"), "\(result.error)")
            return result.output
        }
        _ = try export("one")
        let file = try bytes(folder("one/a.pdf"))
        let lines = try text(folder("one/a.pdf"))
        #expect(
            lines.contains("/Subtype /Form") && lines.contains("/BM /Multiply") && lines.contains("/TrimBox [8.504 "))
        // Of the layer whose mode PDF does not have.
        #expect(lines.matches(of: /\/Subtype \/Image/).count == 1)
        #expect(try export("one").contains("2 unchanged"))
        try Data(file.dropLast(5)).write(to: URL(fileURLWithPath: folder("one/a.pdf")))
        #expect(try export("one").contains("1 unchanged"))
        #expect(try bytes(folder("one/a.pdf")) == file)
        let farm = try FarmProcesses(workers: 1)
        _ = try export("two", ["--broker", farm.endpoint])
        #expect(try bytes(folder("two/a.pdf")) == file && bytes(folder("two/a.png")) == bytes(folder("one/a.png")))
        let queued = try InkProcess.run(
            ["submit", project, "--format", "pdf", "--vector", "--size", "300x200", "--bleed", "3mm"]
                + ["--broker", farm.endpoint])
        let job = queued.output.prefix { $0 != "\t" }
        let fetched = try InkProcess.run(["wait", String(job), "-o", folder("queue"), "--broker", farm.endpoint])
        #expect(queued.code == 0 && fetched.code == 0, "\(queued.error) \(fetched.error)")
        let name = try #require(folder.files(in: "queue").first)
        #expect(try bytes(folder("queue/\(name)")) == file)
        // A file of pixels is another file.
        let pixels = try InkProcess.run([
            "export", project, "-o", folder("one/a.pdf"), "--size", "300x200", "--if-exists", "skip-unchanged",
        ])
        #expect(pixels.output.contains("1 exported") && pixels.code == 0, "\(pixels.error)")
        #expect(try !text(folder("one/a.pdf")).contains("/Subtype /Form"))
    }

    @Test("Pages of lines make a book; without a format --vector writes PDF")
    func book() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("in/a.ink", SVGFileTests.project)
        _ = try folder.file("in/b.ink", GoodProject.small)
        let result = try InkProcess.run([
            "export", folder("in"), "-o", folder("out/"), "--vector", "--pdf-book", folder("book.pdf"), "--size",
            "300x200",
        ])
        #expect(result.code == 0, "\(result.error)")
        #expect(try text(folder("book.pdf")).contains("/Count 2 "))
        #expect(folder.files(in: "out").count == 2 && folder.files(in: "out").allSatisfy { $0.hasSuffix(".pdf") })
        let own = try InkProcess.run(["export", project, "--vector", "-o", folder("own/"), "--size", "60x40"])
        #expect(own.code == 0 && folder.files(in: "own") == ["a-60x40.pdf"], "\(own.error)")
    }

    // MARK: Plots

    @Test("A plot has the size of the canvas in millimetres, and the lines of a layer end where its mask ends")
    func plot() throws {
        let folder = try EndToEndFolder()
        let gray = try WholePNG.encode(samples: [255, 0], size: PixelSize(width: 2, height: 1))
        _ = try Data(gray).write(to: URL(fileURLWithPath: folder("mask.png")))
        let project = try folder.file(
            "a.ink",
            """
            {"version": "1.2", "canvasSize": {"width": 96, "height": 48}, "layers": [
             {"type": "fill", "id": "paper", "color": "#eee"},
             {"id": "cut", "maskFile": "mask.png", "strokes": [{"brush": {"type": "solid", "color": "#d00"},
              "points": [[12, 24], [84, 24]]}]},
             {"id": "erased", "strokes": [{"brush": {"type": "solid", "color": "#00d"}, "points": [[12, 36], [84, 36]]},
              {"brush": {"type": "solid", "lineWidth": 24}, "mode": "erase", "points": [[48, 36], [48, 36]]}]},
             {"id": "on it", "clipped": true, "strokes": [{"brush": {"type": "solid", "color": "#0d0"},
              "points": [[24, 12], [24, 47]]}]}]}
            """)
        let options = ["export", project, "--plot", "-o", folder("out/"), "--no-metadata"]
        let result = try InkProcess.run(options)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.error.contains("layers[0]: a pen cannot plot a fill"), "\(result.error)")
        #expect(folder.files(in: "out") == ["a-1x.svg"])
        let svg = try text(folder("out/a-1x.svg"))
        #expect(svg.contains("width=\"25.4mm\" height=\"12.7mm\" viewBox=\"0 0 25.4 12.7\""))
        let labels = svg.matches(of: /inkscape:label="([^"]*)"/).map { String($0.1) }
        #expect(labels == ["1 #d00 cut", "2 #00d erased", "3 #0d0 on it"])
        let paths = svg.matches(of: /<path d="m([\d.]+) ([\d.]+)[ -]([^"]*)"/)
        func near(_ text: Substring, _ value: Double) -> Bool { abs((Double(text) ?? .nan) - value) < 0.1 }
        // From 12 to the middle, which is 12.7 mm; from 12 to 36 and from 60 to 84; what is left round (24, 36).
        #expect(paths.count == 4, "\(svg)")
        #expect(near(paths[0].1, 3.175) && near(paths[0].3.prefix { $0 != " " }, 12.7 - 3.175), "\(svg)")
        #expect(near(paths[1].1, 3.175) && near(paths[1].3.prefix { $0 != " " }, 6.35), "\(svg)")
        #expect(near(paths[2].1, 15.875) && near(paths[3].1, 6.35) && near(paths[3].2, 9.4), "\(svg)")
        #expect(try InkProcess.run(options + ["--if-exists", "skip-unchanged"]).output.contains("1 unchanged"))
        let large = try InkProcess.run(
            ["export", project, "--plot", "-o", folder("large.svg"), "--size", "960", "--dpi", "200"])
        let plotted = try text(folder("large.svg"))
        #expect(large.code == 0 && plotted.contains("width=\"121.92mm\""), "\(large.error)")
    }

    @Test(
        "What makes no sense together is refused before anything is read",
        arguments: [
            (["--plot", "--format", "png"], "svg"), (["--plot", "-o", "a.pdf"], "svg"),
            (["--plot", "--vector"], "--vector"),
            (["--plot", "--background", "#fff"], "--background"), (["--plot", "--watermark", "a"], "--watermark"),
            (["--plot", "--effort", "small"], "plot has none"), (["--vector", "--format", "jpeg,png"], "jpeg, png"),
            (["--vector", "-o", "a.png"], "pixels"), (["--plot", "--pdf-book", "a.pdf"], "pdf"),
        ])
    func contradictions(options: [String], reason: String) throws {
        let result = try InkProcess.run(["export", "none.ink"] + options)
        #expect(result.code == 64 && result.error.contains(reason), "\(options): \(result.error)")
    }

    @Test("Defaults for pictures do not keep a plot from being made")
    func defaults() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let settings = try folder.file(
            "config", "format = jpeg\nquality = 80\nbackground = transparent\nrgb = yes\nsize = 8k\n")
        for (option, name) in [("--plot", "a-1x.svg"), ("--vector", "a-8k.pdf")] {
            let result = try InkProcess.run(
                ["export", project, option, "-o", folder("out/")], environment: ["INK_CONFIG": settings])
            #expect(
                result.code == 0 && folder.files(in: "out").contains(name), "\(folder.files(in: "out")) \(result.error)"
            )
        }
    }
}
