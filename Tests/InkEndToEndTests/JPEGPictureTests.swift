import Foundation
import InkCodecs
import InkEngine
import InkJSON
import Testing

@Suite("Pictures as JPEG", .timeLimit(.minutes(5)))
struct JPEGPictureTests {
    private func export(_ project: String, _ output: String, _ options: [String] = []) throws -> InkProcess.Result {
        try InkProcess.run(["export", project, "-o", output, "--size", "700x700"] + options)
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Red, green and blue of all pixels.
    private func pixels(_ path: String) throws -> [UInt8] {
        var samples: [UInt8] = []
        _ = try ImageDecoders.decode(try bytes(path), as: .color, place: Place(file: path)) { chunk in
            switch chunk.content {
            case .samples(let rows): samples += rows
            case .constant(let value):
                let pixel = (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                samples += Array(repeating: pixel, count: chunk.rows.count * 700).flatMap { $0 }
            }
        }
        return samples
    }

    @Test("A picture is the same file however it is cut, and shows what the PNG shows", arguments: ["4:4:4", "4:2:0"])
    func sameFile(chroma: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        #expect(try export(project, folder("a.png")).code == 0)
        var files: Set<[UInt8]> = []
        for (index, tile) in ["700x16", "700x90", "64x40", "300x700", nil].enumerated() {
            let options = ["--chroma", chroma, "--quality", "95"] + (tile.map { ["--tile", $0] } ?? [])
            let result = try export(project, folder("\(index).jpg"), options)
            #expect(result.code == 0, "\(result.error)")
            files.insert(try bytes(folder("\(index).jpg")))
        }
        #expect(files.count == 1)
        let (png, jpeg) = (try pixels(folder("a.png")), try pixels(folder("0.jpg")))
        #expect(png.count == jpeg.count)
        let difference = zip(png, jpeg).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(Double(difference) / Double(png.count) < (chroma == "4:4:4" ? 3 : 8))
    }

    @Test("A picture that shows the same is left, one that is damaged is made again")
    func unchanged() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let arguments = ["export", project, "--format", "jpeg", "--if-exists", "skip-unchanged", "-o", folder("out")]
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        let path = folder("out/" + (try #require(folder.files(in: "out").first { $0.hasSuffix(".jpg") })))
        #expect(try InkProcess.run(arguments).output.contains("1 unchanged"))
        let whole = try bytes(path)
        try Data(whole.dropLast(9)).write(to: URL(fileURLWithPath: path))
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        #expect(try bytes(path) == whole)
    }

    @Test("Several formats at once are the files of exports of their own, here and through a broker")
    func severalFormats() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for ending in ["png", "jpg", "webp"] { #expect(try export(project, folder("own.\(ending)")).code == 0) }
        func check(_ name: String, _ options: [String] = []) throws {
            let report = folder("\(name).json")
            let result = try InkProcess.run(
                ["export", project, "--format", "png,jpeg,webp", "--size", "700x700", "-o", folder("\(name)/")]
                    + ["--name", "b.{ext}", "--report", report] + options)
            #expect(result.code == 0, "\(result.error)")
            #expect(folder.files(in: name) == ["b.jpg", "b.png", "b.webp"])
            let exports = try #require(try JSONReader.read(try bytes(report))["exports"]?.array)
            #expect(exports.count == 3)
            for (export, ending) in zip(exports, ["png", "jpg", "webp"]) {
                let file = try bytes(folder("\(name)/b.\(ending)"))
                // How a PNG is packed depends on its bands.
                if name == "tiles", ending == "png" {
                    #expect(try pixels(folder("\(name)/b.png")) == pixels(folder("own.png")))
                } else {
                    #expect(try file == bytes(folder("own.\(ending)")), "\(name) \(ending)")
                }
                #expect(export["sha256"]?.string == SHA256.digest(file).hexadecimal)
                #expect(export["bytes"]?.integer == file.count)
            }
        }
        try check("here")
        let farm = try FarmProcesses(workers: 1)
        try check("there", ["--broker", farm.endpoint])
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".tar") })
        try check("tiles", ["--tile", "300x90"])
        // One of them is missing, so only that one is made.
        try FileManager.default.removeItem(atPath: folder("here/b.jpg"))
        let again = try InkProcess.run(
            ["export", project, "--format", "png,jpeg", "--size", "700x700", "-o", folder("here/")]
                + ["--name", "b.{ext}", "--if-exists", "skip-unchanged"])
        #expect(again.output.contains("1 exported, 1 unchanged"), "\(again.output)")
        #expect(try bytes(folder("here/b.jpg")) == bytes(folder("own.jpg")))
    }

    @Test("What a format does not have is refused before anything is made")
    func refusals() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for (options, word) in [
            (["-o", folder("a.jpg"), "--rgba"], "no transparency"),
            (["-o", folder("a.png"), "--quality", "9"], "--quality"),
            (["-o", folder("a.jpg"), "--effort", "fast"], "--effort"), (["--format", "gif"], "png, jpeg"),
            (["-o", folder("a.png"), "--lossless"], "--lossless"),
            (["-o", folder("a.webp"), "--lossless", "--quality", "9"], "cannot be used together"),
            (["-o", folder("a.webp"), "--progressive"], "--progressive"),
            (["-o", folder("a.jpg"), "--format", "png"], "contradict"),
            (["--format", "jpeg", "--quality", "0"], "--quality"),
            (["--format", "png,jpg,jpeg"], "more than once"),
            (["--format", "png,jpeg", "-o", folder("a.png")], "one file"),
            (["--format", "png,jpeg", "--name", "a.png"], "{ext}"),
        ] {
            let result = try InkProcess.run(["export", project] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
        #expect(folder.files == ["a.ink"])
        let tooLargeWebP = try InkProcess.run(["export", project, "-o", folder("a.webp"), "--size", "16384x16384"])
        #expect(tooLargeWebP.code == 64 && tooLargeWebP.error.contains("16383"), "\(tooLargeWebP.error)")
        let tooLarge = try InkProcess.run(["export", project, "-o", folder("a.jpg"), "--size", "65536x65536"])
        #expect(tooLarge.code == 64 && tooLarge.error.contains("65500"), "\(tooLarge.error)")
    }
}
