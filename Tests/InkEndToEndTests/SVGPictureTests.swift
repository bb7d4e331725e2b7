import Foundation
import InkCodecs
import InkEngine
import Testing

@Suite("SVG images in exports", .timeLimit(.minutes(5)))
struct SVGPictureTests {
    private static let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"><rect x="1" y="1" width="20" height="12" rx="3"
        fill="#ffd166" stroke="#333" stroke-width="1.5"/><g opacity="0.5"><circle cx="20" cy="12" r="7" fill="#118ab2"/>
        <path d="M2 18L28 3" stroke="#d62828"/></g></svg>
        """

    private func pixels(_ path: String) throws -> (size: PixelSize, rgba: [UInt8]) {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let picture = try PNGDecoder.decodeRGBA(bytes, place: Place(file: path))
        return (picture.0, picture.1)
    }

    private func project(_ placement: String) -> String {
        """
        {"version": "1.2", "canvasSize": {"width": 80, "height": 60}, "layers": [{"id": "a", "contentFile": "a.svg"\
        \(placement.isEmpty ? "" : #", "contentPlacement": \#(placement)"#)}]}
        """
    }

    @Test(
        "A viewport and every tiling show what the whole shows, though each draws only its part",
        arguments: [0, 90, 180, 270, 33.5])
    func parts(rotation: Double) throws {
        let folder = try EndToEndFolder()
        _ = try folder.file("a.svg", Self.drawing)
        let path = try folder.file(
            "a.ink", project(#"{"x": 10, "y": 8.5, "width": 60, "height": 40, "rotation": \#(rotation)}"#))
        func export(_ name: String, _ options: [String]) throws -> (size: PixelSize, rgba: [UInt8]) {
            let result = try InkProcess.run(["export", path, "-o", folder(name)] + options)
            #expect(result.code == 0, "\(result.error)")
            return try pixels(folder(name))
        }
        let whole = try export("whole.png", ["--size", "8x"])
        #expect(whole.size == PixelSize(width: 640, height: 480))
        #expect(try export("tiles.png", ["--size", "8x", "--tile", "96x64"]).rgba == whole.rgba)
        // World (30, 25) in the middle of 160 x 128 pixels: from (160, 136) in the whole.
        let part = try export("part.png", ["--viewport", "30,25,8,0,160x128", "--size", "1x"])
        #expect(part.size == PixelSize(width: 160, height: 128))
        var (differences, colors) = (0, Set<[UInt8]>())
        for y in 0..<128 {
            let start = ((136 + y) * 640 + 160) * 4
            let row = Array(part.rgba[(y * 640)..<((y + 1) * 640)])
            differences += zip(row, whole.rgba[start..<(start + 640)]).count { abs(Int($0) - Int($1)) > 2 }
            colors.insert(Array(row[0..<4]))
        }
        // A few samples at edges, which the library rounds differently in another window.
        #expect(differences <= 20)
        #expect(part.rgba != [UInt8](repeating: 255, count: part.rgba.count) && !colors.isEmpty)
    }

    @Test("Zoom makes an SVG sharper, and what does not show is not drawn")
    func zoom() throws {
        let folder = try EndToEndFolder()
        _ = try folder.file("a.svg", Self.drawing)
        let path = try folder.file("a.ink", project(#"{"x": 10, "y": 10, "width": 60, "height": 40}"#))
        // The upper edge of the rectangle's border is at y = 10 + 2 * 0.25.
        let result = try InkProcess.run([
            "export", path, "-o", folder("a.png"), "--viewport", "30,10.5,1000,0,64x64", "--size", "1x",
        ])
        #expect(result.code == 0, "\(result.error)")
        let (_, rgba) = try pixels(folder("a.png"))
        let reds = (0..<64).map { rgba[($0 * 64 + 30) * 4] }
        #expect(reds[..<30].allSatisfy { $0 == 255 } && reds[34...].allSatisfy { $0 == 0x33 }, "\(reds)")
    }

    @Test("A file that is refused is named with its line, and leaves nothing behind")
    func refusal() throws {
        let folder = try EndToEndFolder()
        _ = try folder.file("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'>\n<text>a</text></svg>")
        let path = try folder.file("a.ink", project(""))
        let result = try InkProcess.run(["export", path, "-o", folder("a.png")])
        #expect(result.code == 65)
        #expect(result.error.contains("layers[0].contentFile: the SVG, line 2: <text>"), "\(result.error)")
        #expect(folder.files == ["a.ink", "a.svg"])
    }

    @Test("Doctor says what every format of images needs")
    func doctor() throws {
        let result = try InkProcess.run(["doctor"])
        #expect(result.code == 0)
        for format in ImageDecoders.all {
            let line = result.output.split(separator: "\n").first { $0.hasPrefix("  \(format.name) ") } ?? ""
            #expect(line.contains(format.library.missingPackage ?? format.library.name), "\(line)")
        }
        let json = try InkProcess.run(["doctor", "--json"]).output
        #expect(json.contains(#""format":"SVG""#) || json.contains(#""format": "SVG""#), "\(json)")
    }
}
