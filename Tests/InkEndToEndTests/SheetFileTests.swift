import Foundation
import InkCodecs
import InkEngine
import InkJSON
import Testing

@Suite("Sheets of a run's pictures", .timeLimit(.minutes(5)))
struct SheetFileTests {
    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func size(_ path: String) throws -> PixelSize {
        let file = try bytes(path)
        return try ImageDecoders.decoder(of: file, place: Place(file: path)).header(file, place: Place(file: path)).size
    }

    @Test("A sprite sheet holds each layer without its border, here and through a broker")
    func spriteSheet() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let farm = try FarmProcesses(workers: 1)
        for (name, options) in [("here", [String]()), ("there", ["--broker", farm.endpoint])] {
            let result = try InkProcess.run(
                ["export", project, "--each-layer", "-o", folder("\(name)/"), "--size", "480x320"]
                    + ["--sheet", folder("\(name).png")] + options)
            #expect(result.code == 0, "\(result.error)")
        }
        #expect(folder.files(in: "here").sorted() == ["a-A-480x320.png", "a-B-480x320.png"])
        #expect(try bytes(folder("here.png")) == bytes(folder("there.png")))
        let text = try String(contentsOfFile: folder("there.json"), encoding: .utf8)
        let json = try JSONReader.read(try bytes(folder("here.json")))
        #expect(Array(text.replacing("there.png", with: "here.png").utf8) == (try bytes(folder("here.json"))))
        let meta = try #require(json["meta"])
        #expect(meta["image"]?.string == "here.png" && meta["app"]?.string == "ink")
        let sheet = try size(folder("here.png"))
        #expect(meta["size"]?["w"]?.integer == sheet.width && meta["size"]?["h"]?.integer == sheet.height)
        for name in ["a-A-480x320.png", "a-B-480x320.png"] {
            let frame = try #require(json["frames"]?[name], "\(name)")
            #expect(frame["sourceSize"]?["w"]?.integer == 480)
            let height = try #require(frame["frame"]?["h"]?.integer)
            let isWhole = height == 320 && frame["frame"]?["w"]?.integer == 480
            guard case .bool(!isWhole)? = frame["trimmed"] else {
                Issue.record("\(name): trimmed is \(frame["trimmed"].debugDescription)")
                continue
            }
            #expect(height > 50 && height <= 320 && height == frame["spriteSourceSize"]?["h"]?.integer)
        }
        for (options, word) in [
            (["--sheet", folder("s.jpg")], ".png"),
            (["--each-layer", "--sheet", folder("s.png"), "--format", "jpeg"], "png"),
            (["--each-layer", "--sheet", folder("s.png"), "--report", folder("s.json")], "report"),
        ] {
            let result = try InkProcess.run(["export", project] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
        #expect(folder.files == ["a.ink", "here", "here.json", "here.png", "there", "there.json", "there.png"])
    }

    @Test("A contact sheet shows all pictures of a run and which of them failed, here and through a broker")
    func contactSheet() throws {
        let folder = try EndToEndFolder()
        for number in 0..<5 { _ = try folder.file("in/drawing \(number).ink", GoodProject.small) }
        _ = try folder.file("in/broken.ink", "{\"version\": ")
        let farm = try FarmProcesses(workers: 1)
        for (name, options) in [("here", [String]()), ("there", ["--broker", farm.endpoint])] {
            for ending in ["png", "jpg"] {
                let result = try InkProcess.run(
                    ["export", folder("in"), "-o", folder(name), "--size", "300", "--format", "pdf,png"]
                        + ["--contact-sheet", folder("\(name).\(ending)"), "--contact-columns", "3"]
                        + ["--contact-size", "100"] + options)
                #expect(result.code == 65, "\(result.error)")
            }
        }
        // Three columns of 116, two rows of 144.
        #expect(try size(folder("here.png")) == PixelSize(width: 348, height: 288))
        #expect(try bytes(folder("here.png")) == bytes(folder("there.png")))
        #expect(try bytes(folder("here.jpg")) == bytes(folder("there.jpg")))
        for (options, word) in [
            (["--contact-sheet", folder("c.gif")], ".png or .jpg"), (["--contact-columns", "3"], "--contact-sheet"),
            (["--contact-sheet", folder("c.png"), "--contact-size", "9"], "--contact-size"),
            (["--contact-sheet", folder("c.png"), "--format", "pdf"], "add png"),
            (["--contact-sheet", folder("c.png"), "--report", folder("c.png")], "also"),
        ] {
            let result = try InkProcess.run(["export", folder("in"), "-o", folder("out")] + options)
            #expect(result.code == 64 && result.error.contains(word), "\(options): \(result.error)")
        }
        #expect(folder.files.sorted() == ["here", "here.jpg", "here.png", "in", "there", "there.jpg", "there.png"])
    }
}
