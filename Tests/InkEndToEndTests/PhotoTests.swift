import Foundation
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@Suite("Photos as inputs", .timeLimit(.minutes(5)))
struct PhotoTests {
    private let size = PixelSize(width: 37, height: 23)

    private func png(alpha: UInt8 = 255) -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width { pixels += [UInt8(x * 6), UInt8(y * 9), UInt8(x ^ y), x == 3 ? alpha : 255] }
        }
        return MinimalPNGWriter.png(rgba: pixels, size: size)
    }

    /// A JPEG that is to be turned a quarter clockwise, as a camera says it.
    private func turnedJPEG(_ folder: EndToEndFolder, _ name: String) throws {
        _ = try folder.file("make/source.png", png())
        let made = try InkProcess.run(["export", folder("make/source.png"), "-o", folder("make/plain.jpg")])
        #expect(made.code == 0, "\(made.error)")
        let exif: [UInt8] =
            Array("Exif\0\0MM\0*\0\0\0".utf8) + [8, 0, 2]
            + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0] + [0x01, 0x3B, 0, 2, 0, 0, 0, 3, 0x4D, 0x65, 0, 0]
            + [0, 0, 0, 0]
        var file = try folder.read("make/plain.jpg")
        file.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
        _ = try folder.file(name, file)
        try FileManager.default.removeItem(atPath: folder("make"))
    }

    private func export(_ arguments: [String]) throws -> InkProcess.Result {
        try InkProcess.run(["export"] + arguments)
    }

    @Test(
        "A photo is exported in its size and format beside itself, and the pixels are the photo's",
        arguments: [255, 90] as [UInt8])
    func same(alpha: UInt8) throws {
        let folder = try EndToEndFolder()
        let photo = try folder.file("a.png", png(alpha: alpha))
        #expect(try export([photo]).code == 0)
        #expect(folder.files == ["a-1x.png", "a.png"])
        let (made, original) = (
            try SimplePNG.read(try folder.read("a-1x.png")), try SimplePNG.read(try folder.read("a.png"))
        )
        #expect(made.width == size.width && made.height == size.height)
        for y in 0..<size.height {
            for x in 0..<size.width { #expect(made.rgba(x, y) == original.rgba(x, y), "\(x), \(y)") }
        }
        // Another time it is there already, and stays as it is.
        let again = try export([photo, "--watermark", "x"])
        #expect(again.code == 74 && again.error.contains("a-1x.png: already exists"), "\(again.error)")
        let replaced = try export([photo, "--watermark", "x", "--if-exists", "overwrite"])
        #expect(replaced.code == 0, "\(replaced.error)")
        let over = try export([photo, "--name", "{name}.{ext}", "--if-exists", "overwrite"])
        #expect(over.code == 64 && over.error.contains("would replace the input"), "\(over.error)")
    }

    @Test(
        "A photo that a camera has turned comes out upright, with what the camera says of it", arguments: [false, true])
    func turned(isRemote: Bool) throws {
        let folder = try EndToEndFolder()
        try turnedJPEG(folder, "a.jpg")
        let farm = isRemote ? try FarmProcesses(workers: 1) : nil
        let there = farm.map { ["--broker", $0.endpoint] } ?? []
        let result = try export([folder("a.jpg"), "--watermark", "© Me", "--watermark-size", "8"] + there)
        #expect(result.code == 0, "\(result.error)")
        let file = try folder.read("a-1x.jpg")
        let header = try EncodedImage(checking: file, place: Place(file: "a-1x.jpg"), limits: Limits()).header
        #expect(header.size == PixelSize(width: size.height, height: size.width))
        let artist: [UInt8] = [0x01, 0x3B, 0, 2, 0, 0, 0, 3, 0x4D, 0x65, 0]
        #expect(file.firstRange(of: artist) != nil)
        #expect(file.firstRange(of: [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0]) != nil)
        let bare = try export([folder("a.jpg"), "-o", folder("bare.jpg"), "--no-metadata"] + there)
        #expect(bare.code == 0, "\(bare.error)")
        #expect(try folder.read("bare.jpg").firstRange(of: Array("Exif".utf8)) == nil)
        let layered = try export([folder("a.jpg"), "-o", folder("a.psd")] + there)
        #expect(layered.code == 0, "\(layered.error)")
        #expect(try folder.read("a.psd").firstRange(of: Array("8BIM".utf8) + [0x04, 0x22, 0, 0]) != nil)
        #expect(try folder.read("a.psd").firstRange(of: artist) != nil)
        // There and back.
        let avif = try export([folder("a.jpg"), "-o", folder("a.avif")] + there)
        if avif.code != 72 {
            #expect(avif.code == 0, "\(avif.error)")
            let back = try export([folder("a.avif"), "-o", folder("back.jpg")] + there)
            #expect(back.code == 0, "\(back.error)")
            #expect(try folder.read("back.jpg").firstRange(of: artist) != nil)
        }
        let png = try export([folder("a.jpg"), "--format", "png", "--size", "50%"] + there)
        #expect(png.code == 0, "\(png.error)")
        #expect(try folder.read("a-0.5x.png").firstRange(of: artist) != nil)
    }

    @Test("A photo loses its caption, its resolution or the video's name on the way", arguments: [false, true])
    func captions(isRemote: Bool) throws {
        let folder = try EndToEndFolder()
        try turnedJPEG(folder, "a.jpg")
        func dataset(_ number: UInt8, _ text: String) -> [UInt8] {
            [0x1C, 2, number, 0, UInt8(text.utf8.count)] + text.utf8
        }
        let records = dataset(120, "A caption") + dataset(116, "(c) Me") + dataset(90, "Kiel")
        let resources: [UInt8] =
            Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(records.count)] + records
            + (records.count % 2 == 0 ? [] : [0])
        var file = try folder.read("a.jpg")
        // JFIF comes first; 300 dots per inch across, 200 down, of the stored pixels.
        #expect(file[6..<10].elementsEqual("Exif".utf8))
        file.insert(
            contentsOf: [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, 1, 1, 44, 0, 200, 0, 0]
                + [0xFF, 0xED, 0, UInt8(resources.count + 2)] + resources, at: 2)
        let photo = try folder.file("b.jpg", file + [0, 0, 0, 24] + Array("ftypmp42".utf8))
        let farm = isRemote ? try FarmProcesses(workers: 1) : nil
        let there = farm.map { ["--broker", $0.endpoint] } ?? []
        for ending in ["jpg", "png", "webp", "tif", "pdf", "psd"] {
            let result = try export([photo, "-o", folder("made.\(ending)"), "--if-exists", "overwrite"] + there)
            #expect(result.code == 0, "\(result.error)")
            #expect(result.error.contains("the video of the motion photo is left out"), "\(ending): \(result.error)")
            let made = try folder.read("made.\(ending)")
            for text in ["A caption", "(c) Me", "Kiel"] {
                #expect(made.firstRange(of: Array(text.utf8)) != nil, "\(text) in \(ending)")
            }
        }
        // Turned, so that the axes have changed places.
        let made = try folder.read("made.png")
        let physical = Array("pHYs".utf8) + [0, 0, 0x1E, 0xC2, 0, 0, 0x2E, 0x23, 1]
        #expect(made.firstRange(of: physical) != nil)
        let half = try export(
            [photo, "-o", folder("half.png"), "--size", "50%", "--keep", "copyright, places"] + there)
        #expect(half.code == 0, "\(half.error)")
        let kept = try folder.read("half.png")
        #expect(kept.firstRange(of: Array("pHYs".utf8)) == nil)
        #expect(kept.firstRange(of: Array("(c) Me".utf8)) != nil && kept.firstRange(of: Array("Kiel".utf8)) != nil)
        #expect(kept.firstRange(of: Array("A caption".utf8)) == nil)
    }

    @Test("A folder of photos is exported into another; photos beside projects are theirs unless asked for")
    func folders() throws {
        let folder = try EndToEndFolder()
        try turnedJPEG(folder, "photos/a.jpg")
        _ = try folder.file("photos/b/c.png", png())
        _ = try folder.file("photos/d.txt", "x")
        let photos = folder("photos")
        let none = try export([photos, "--watermark", "x"])
        #expect(none.code == 64 && none.error.contains("-o"), "\(none.error)")
        #expect(try export([photos, "-o", photos]).code == 64)
        #expect(folder.files(in: "photos") == ["a.jpg", "b", "d.txt"])
        // The output may lie inside, and is not taken for photos the next time.
        for _ in 0..<2 {
            let made = try export([photos, "-o", folder("photos/out"), "--if-exists", "overwrite"])
            #expect(made.code == 0 && made.output.contains("2 exported"), "\(made.output)\(made.error)")
        }
        #expect(folder.files(in: "photos/out") == ["a-1x.jpg", "b"])
        try FileManager.default.removeItem(atPath: folder("photos/out"))
        _ = try folder.file("photos/e.ink", GoodProject.small)
        let projects = try export([photos, "-o", folder("p")])
        #expect(projects.code == 0 && projects.output.contains("1 exported"), "\(projects.output)")
        let all = try export([photos, "-o", folder("q"), "--photos"])
        #expect(all.code == 0 && all.output.contains("3 exported"), "\(all.output)\(all.error)")
        #expect(folder.files(in: "q") == ["a-1x.jpg", "b", "e-2k.png"])
    }

    @Test("A damaged photo is an error that names it; the others go on")
    func refusals() throws {
        let folder = try EndToEndFolder()
        _ = try folder.file("a.png", Array(png().prefix(200)))
        _ = try folder.file("b.png", png())
        _ = try folder.file("c.heic", png())
        let result = try export([folder("a.png"), folder("b.png"), "-o", folder("out")])
        #expect(result.code == 65 && result.error.contains("a.png"), "\(result.error)")
        #expect(folder.files(in: "out") == ["b-1x.png"])
        // By its content it is a PNG.
        #expect(try export([folder("c.heic"), "--format", "png", "-o", folder("c.png")]).code == 0)
        // So is one without an ending, in its own size.
        _ = try folder.file("e", png())
        #expect(try export([folder("e"), "--format", "png"]).code == 0)
        #expect(folder.files.contains("e-1x.png"))
        _ = try folder.file("d.ink", png())
        let project = try export([folder("d.ink")])
        #expect(project.code == 65 && project.error.contains("is a PNG picture"), "\(project.error)")
    }
}
