import Foundation
import InkCodecs
import InkDocuments
import InkEngine
import InkTestSupport
import Testing

/// `ink template` as a person uses it.
@Suite(.timeLimit(.minutes(10))) struct TemplateTests {
    private let folder: EndToEndFolder

    init() throws { folder = try EndToEndFolder() }

    private func ink(_ arguments: String..., limits: ProcessLimits = ProcessLimits()) throws -> InkProcess.Result {
        try InkProcess.run(arguments, limits: limits)
    }

    /// Three vertical stripes, the last one half transparent or not.
    private func picture(_ name: String) throws -> String {
        let size = PixelSize(width: 90, height: 60)
        var samples: [UInt8] = []
        for index in 0..<size.area { samples += [[200, 40, 40], [250, 240, 90], [30, 80, 190]][index % 90 / 30] }
        return try folder.file(name, try WholePNG.encode(samples: samples, size: size, format: .rgb8))
    }

    @Test("The same picture gives the same bytes, also from a JPEG, and with any number of threads")
    func bytes() throws {
        let png = try picture("a.png")
        #expect(try ink("export", png, "--format", "jpeg", "--quality", "90", "-o", folder("a.jpg")).code == 0)
        for (index, input) in [png, folder("a.jpg")].enumerated() {
            for number in 1...2 {
                let result = try ink(
                    "template", "from-image", input, "-o", folder("\(index)\(number).zip"), "--name", "x")
                #expect(result.code == 0, "\(result.error)")
                #expect(result.output == "\(folder("\(index)\(number).zip")): 3 regions of 3 colours, 90x60\n")
            }
            #expect(try folder.read("\(index)1.zip") == folder.read("\(index)2.zip"))
        }
    }

    @Test("Layers of Photoshop and OpenRaster files keep their names, and their alpha becomes the mask")
    func layers() throws {
        let png = try picture("a.png")
        #expect(try ink("template", "from-image", png).code == 0)
        let template = folder("a.inktemplate")
        let exported = try ink(
            "export", template, "--fill", "suggested", "--format", "psd,ora", "--size", "1x", "-o", folder("out"))
        #expect(exported.code == 0, "\(exported.error)")
        let names = try ProjectLoader.load(path: template).project.layers.map(\.name)
        for format in ["psd", "ora"] {
            let file = folder("out/a-1x.\(format)")
            let result = try ink("template", "from-\(format)", file, "-o", folder("\(format).inktemplate"))
            #expect(result.code == 0, "\(result.error)")
            let made = try ProjectLoader.load(path: folder("\(format).inktemplate")).project
            #expect(names.allSatisfy { made.layers.map(\.name).contains($0) }, "\(made.layers.map(\.name))")
            #expect(try ink("template", "validate", folder("\(format).inktemplate")).code == 0)
            // Each is only the file that its command is for.
            #expect(try ink("template", "from-kra", file, "-o", folder("x.zip")).code == 65)
        }
    }

    @Test("A Krita file becomes a template")
    func krita() throws {
        let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("InkConformanceTests/Data/kra")
        let file = try #require(
            FileManager.default.contentsOfDirectory(atPath: data.path).filter { $0.hasSuffix(".kra") }.sorted().first)
        let path = data.appendingPathComponent(file).path
        let result = try ink("template", "from-kra", path, "-o", folder("k.inktemplate"))
        #expect(result.code == 0, "\(result.error)")
        #expect(try ink("template", "validate", folder("k.inktemplate")).code == 0)
    }

    @Test("Bad input gives one line of error, no crash, and leaves nothing")
    func hostile() throws {
        var random = SeededGenerator(seed: 7)
        let size = PixelSize(width: 300, height: 300)
        let noise = (0..<(size.area * 3)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let png = try WholePNG.encode(samples: noise, size: size, format: .rgb8)
        try folder.file("noise.png", png)
        try folder.file("cut.png", Array(png.prefix(5000)))
        try folder.file("empty.png", [UInt8]())
        try folder.file("text.psd", "no picture")
        for (arguments, code) in [
            (["from-image", folder("noise.png")], 65), (["from-image", folder("cut.png")], 65),
            (["from-image", folder("empty.png")], 65), (["from-image", folder("none.png")], 74),
            (["from-image", folder("")], 65), (["from-psd", folder("text.psd")], 65),
            (["pack", folder("text.psd")], 65), (["unpack", folder("noise.png")], 65),
            (["new-project", folder("text.psd")], 65),
        ] {
            let result = try InkProcess.run(
                ["template"] + arguments + (arguments[0] == "new-project" ? ["-o", folder("x.ink")] : []),
                limits: .halfGigabyte)
            #expect(result.code == Int32(code), "\(arguments): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(arguments): \(result.error)")
        }
        #expect(folder.files == ["cut.png", "empty.png", "noise.png", "text.psd"])
    }

    @Test("A template of a full disk is not half there")
    func fullDisk() throws {
        let png = try picture("a.png")
        let result = try ink("template", "from-image", png, limits: ProcessLimits(fileBytes: 1024))
        #expect(result.code == 74, "\(result.code) \(result.error)")
        #expect(folder.files == ["a.png"], "\(folder.files)")
    }
}
