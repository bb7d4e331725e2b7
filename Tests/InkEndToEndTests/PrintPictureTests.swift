import Foundation
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@Suite("Pictures for print", .timeLimit(.minutes(5)))
struct PrintPictureTests {
    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func pixels(_ path: String, width: Int) throws -> [UInt8] {
        var samples: [UInt8] = []
        _ = try ImageDecoders.decode(try bytes(path), as: .color, place: Place(file: path)) { chunk in
            switch chunk.content {
            case .samples(let rows): samples += rows
            case .constant(let value):
                let pixel = (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                samples += Array(repeating: pixel, count: chunk.rows.count * width).flatMap { $0 }
            }
        }
        return samples
    }

    @Test("A TIFF is the same file however it is cut and wherever it is made, and has the pixels of the PNG")
    func tiff() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        func export(_ name: String, _ options: [String] = []) throws -> [UInt8] {
            let result = try InkProcess.run(
                ["export", project, "-o", folder(name), "--size", "500x500", "--dpi", "300"] + options)
            #expect(result.code == 0, "\(result.error)")
            return try bytes(folder(name))
        }
        _ = try export("a.png")
        let file = try export("a.tif")
        for (index, tile) in ["500x16", "500x90", "64x40"].enumerated() {
            #expect(try export("\(index).tif", ["--tile", tile]) == file, "\(tile)")
        }
        let farm = try FarmProcesses(workers: 1)
        #expect(try export("b.tif", ["--broker", farm.endpoint]) == file)
        let png = try pixels(folder("a.png"), width: 500)
        #expect(try pixels(folder("a.tif"), width: 500) == png)
        for compression in ["lzw", "zstd", "none"] {
            _ = try export("c.tiff", ["--compression", compression])
            #expect(try pixels(folder("c.tiff"), width: 500) == png, "\(compression)")
        }
    }

    @Test("Files whose bytes are patched or spooled travel with others, here and through a broker")
    func severalFormats() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let farm = try FarmProcesses(workers: 1)
        let options = ["--size", "300x300", "--background", "#ffffff80"]
        for (name, more) in [("here", []), ("there", ["--broker", farm.endpoint])] {
            let result = try InkProcess.run(
                ["export", project, "--format", "pdf,tiff,png", "-o", folder("\(name)/"), "--name", "b.{ext}"] + options
                    + more)
            #expect(result.code == 0, "\(result.error)")
            #expect(folder.files(in: name) == ["b.pdf", "b.png", "b.tif"])
        }
        for ending in ["pdf", "png", "tif"] {
            #expect(try bytes(folder("here/b.\(ending)")) == bytes(folder("there/b.\(ending)")), "\(ending)")
        }
        #expect(try InkProcess.run(["export", project, "-o", folder("own.tif")] + options).code == 0)
        #expect(try bytes(folder("own.tif")) == bytes(folder("here/b.tif")))
    }

    @Test("A PDF is the same file here and through a broker")
    func pdf() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        let farm = try FarmProcesses(workers: 1)
        var files: [[UInt8]] = []
        for options in [[], ["--broker", farm.endpoint]] {
            let path = folder("\(files.count).pdf")
            let result = try InkProcess.run(
                ["export", project, "-o", path, "--size", "500x500", "--background", "#ffffff80", "--bleed", "3mm"]
                    + options)
            #expect(result.code == 0, "\(result.error)")
            files.append(try bytes(path))
        }
        #expect(files[0] == files[1])
        let text = String(decoding: files[0].map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
        #expect(text.contains("/TrimBox [8.504 8.504 ") && text.contains("/SMask") && text.hasSuffix("%%EOF\n"))
    }

    @Test("All pictures of a run are pages of one PDF, unless one is missing")
    func book() throws {
        let folder = try EndToEndFolder()
        for name in ["a", "b"] { _ = try folder.file("in/\(name).ink", GoodProject.small) }
        let arguments = [
            "export", folder("in"), "-o", folder("out"), "--size", "100,200", "--pdf-book", folder("book.pdf"),
        ]
        for _ in 0..<2 {
            let result = try InkProcess.run(arguments)
            #expect(result.code == 0, "\(result.error)")
            let text = String(decoding: try bytes(folder("book.pdf")).map { $0 < 128 ? $0 : 63 }, as: UTF8.self)
            #expect(text.contains("/Count 4 >>"))
        }
        #expect(folder.files(in: "out") == ["a-100x100.pdf", "a-200x200.pdf", "b-100x100.pdf", "b-200x200.pdf"])
        try FileManager.default.removeItem(atPath: folder("book.pdf"))
        _ = try folder.file("in/c.ink", "{")
        let failed = try InkProcess.run(arguments)
        #expect(failed.code != 0 && failed.error.contains("not written"), "\(failed.error)")
        #expect(!folder.files.contains("book.pdf"))
        for (options, word) in [
            (["--pdf-book", "book.png"], ".pdf"), (["--pdf-book", "b.pdf", "--format", "png"], "must contain pdf"),
            (["--pdf-book", folder("out/a-100x100.pdf")], "picture"),
        ] {
            let result = try InkProcess.run(
                ["export", folder("in/a.ink"), "-o", folder("out/"), "--size", "100"] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
    }

    @Test("Photos are pages of a book; a run that repeats some of the pages leaves the book as it is")
    func partOfBook() throws {
        let folder = try EndToEndFolder()
        _ = try folder.file("in/a.ink", GoodProject.small)
        _ = try folder.file("in/b.ink", GoodProject.small)
        let photo = MinimalPNGWriter.png(rgb: [1, 2, 3], size: PixelSize(width: 1, height: 1))
        _ = try folder.file("in/c.png", photo)
        let (book, report) = (folder("book.pdf"), folder("report.json"))
        let all = ["a.ink", "b.ink", "c.png"].map { folder("in/\($0)") }
        let made = try InkProcess.run(
            ["export"] + all + [
                "-o", folder("out"), "--size", "100", "--pdf-book", book, "--report", report, "--format", "pdf,png",
                "--contact-sheet", folder("sheet.png"),
            ])
        #expect(made.code == 0, "\(made.error)")
        let whole = try bytes(book)
        let sheet = try bytes(folder("sheet.png"))
        #expect(String(decoding: whole.map { $0 < 128 ? $0 : 63 }, as: UTF8.self).contains("/Count 3 >>"))
        let nothing = try InkProcess.run(["export", "--from-report", report, "--failed"])
        #expect(nothing.code == 0 && nothing.error.isEmpty, "\(nothing.error)")
        let text = String(decoding: try bytes(report), as: UTF8.self)
        _ = try folder.file(
            "report.json", text.replacing(/"state":\s*"done"/, with: "\"state\":\"failed\"", maxReplacements: 1))
        let part = try InkProcess.run(
            ["export", "--from-report", report, "--failed", "--if-exists", "overwrite"])
        #expect(part.code == 1 && part.error.contains("left as it was"), "\(part.error)")
        #expect(part.error.components(separatedBy: "left as it was").count == 3, "\(part.error)")
        #expect(try bytes(book) == whole)
        #expect(try bytes(folder("sheet.png")) == sheet)
    }

    @Test("A picture that shows the same is left, one that is damaged is made again", arguments: ["tiff", "pdf"])
    func unchanged(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let arguments = [
            "export", project, "--format", format, "--background", "transparent", "--if-exists", "skip-unchanged",
            "-o", folder("out"),
        ]
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        let path = folder("out/" + (try #require(folder.files(in: "out").first)))
        #expect(try InkProcess.run(arguments).output.contains("1 unchanged"))
        let whole = try bytes(path)
        try Data(whole.dropLast(9)).write(to: URL(fileURLWithPath: path))
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        #expect(try bytes(path) == whole)
    }

    @Test("What a format does not have is refused before anything is made")
    func refusals() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for (options, word) in [
            (["-o", folder("a.tif"), "--compression", "zip"], "deflate, lzw, zstd or none"),
            (["-o", folder("a.png"), "--compression", "lzw"], "tiff has"),
            (["-o", folder("a.tif"), "--quality", "9"], "--quality"),
            (["-o", folder("a.tif"), "--bleed", "3mm"], "pdf has"), (["-o", folder("a.pdf"), "--bleed", "3"], "3mm"),
            (["-o", folder("a.pdf"), "--bleed", "999mm"], "--bleed"),
        ] {
            let result = try InkProcess.run(["export", project] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
        for (options, word) in [
            (["-o", folder("a.pdf"), "--size", "15000"], "--dpi 75"),
            (["-o", folder("a.pdf"), "--size", "100", "--bleed", "1in"], "leaves nothing"),
        ] {
            let result = try InkProcess.run(["export", project] + options)
            #expect(result.code == 65 && result.error.contains(word), "\(options): \(result.error)")
        }
        #expect(folder.files == ["a.ink"])
    }
}
