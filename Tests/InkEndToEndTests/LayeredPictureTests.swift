import Foundation
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkTestSupport
import Testing

@Suite("Files with layers", .timeLimit(.minutes(5)))
struct LayeredPictureTests {
    private static func stroke(_ points: String, _ color: String) -> String {
        #""strokes": [{"brush": {"type": "solid", "size": 6, "color": "\#(color)"}, "points": \#(points)}]"#
    }

    /// Everything that a tree may have. `m.png` is a mask.
    private static let tree = """
        {"version": "1.2", "name": "Tree", "canvasSize": {"width": 60, "height": 40}, "background": "#fff8e0", "layers": [
          {"id": "low", "name": "Lowest & <é>", "opacity": 0.6, "blendMode": "multiply", "order": 0,
           \(stroke("[[5, 5], [50, 35]]", "#cc0000"))},
          {"id": "g", "name": "Group", "type": "group", "order": 1, "opacity": 0.7, "blendMode": "screen", "layers": [
            {"id": "g1", "name": "One", "order": 1, \(stroke("[[10, 30], [50, 30]]", "#0044cc"))},
            {"id": "g0", "name": "Zero", "order": 0, "blendMode": "vividLight", \(stroke("[[10, 10], [50, 10]]", "#00cc44"))}]},
          {"id": "p", "name": "Pass", "type": "group", "passThrough": true, "order": 2, "layers": [
            {"id": "h", "name": "Hidden", "isVisible": false, \(stroke("[[30, 0], [30, 40]]", "#000000"))}]},
          {"id": "k", "name": "Masked", "type": "group", "order": 3, "maskFile": "m.png", "layers": [
            {"id": "f", "name": "Fill", "type": "fill", "color": "#3366ff", "opacity": 0.5}]},
          {"id": "b", "name": "Base", "order": 4, "opacity": 0.8, \(stroke("[[20, 20], [45, 20]]", "#222222"))},
          {"id": "c", "name": "Clipped", "order": 5, "clipped": true, \(stroke("[[25, 5], [40, 38]]", "#ffee00"))},
          {"id": "e", "name": "Empty", "order": 6}]}
        """

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func project(_ folder: EndToEndFolder) throws -> String {
        let mask = try folder.file(
            "mask.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 60, "height": 40}, "background": "#000000", "layers": [
              {\(Self.stroke("[[12, 8], [40, 30]]", "#ffffff"))}]}
            """)
        #expect(try export(mask, folder("m.png")).code == 0)
        return try folder.file("a.ink", Self.tree)
    }

    private func export(_ project: String, _ output: String, _ options: [String] = []) throws -> InkProcess.Result {
        let result = try InkProcess.run(["export", project, "-o", output, "--size", "2x"] + options)
        #expect(result.code == 0, "\(output): \(result.error)")
        return result
    }

    @Test("A PSD has the tree, and shows what the PNG shows", arguments: ["psd", "psb"])
    func photoshop(ending: String) throws {
        let folder = try EndToEndFolder()
        let project = try project(folder)
        _ = try export(project, folder("a.png"))
        let result = try export(project, folder("a.\(ending)"), ["--dpi", "144"])
        #expect(!result.error.contains("warning"), "\(result.error)")
        let file = try PSDFile(try bytes(folder("a.\(ending)")))
        #expect(file.version == (ending == "psd" ? 1 : 2))
        #expect(file.channels == 3 && file.width == 120 && file.height == 80 && !file.hasMergedAlpha)
        #expect(file.resources[1005]?.prefix(4).elementsEqual([0, 144, 0, 0]) == true)
        let lines = file.records.map { record in
            "\(record.name) \(record.key) \(record.opacity)\(record.isHidden ? " hidden" : "")"
                + "\(record.isClipped ? " clipped" : "")\(record.divider.map { " \($0)" } ?? "")"
                + "\(record.mask == nil ? "" : " mask")"
        }
        #expect(
            lines == [
                "Background norm 255", "Lowest & <é> mul  153", "</Layer group> norm 255 3", "Zero vLit 255",
                "One norm 255", "Group scrn 179 1", "</Layer group> norm 255 3", "Hidden norm 255 hidden",
                "Pass pass 255 1", "</Layer group> norm 255 3", "Fill norm 128", "Masked norm 255 1 mask",
                "Base norm 204", "Clipped norm 255 clipped", "Empty norm 255",
            ])
        let png = try SimplePNG.read(try bytes(folder("a.png")))
        for channel in 0..<3 {
            #expect(file.merged[channel] == stride(from: channel, to: png.samples.count, by: 3).map { png.samples[$0] })
        }
        // A layer is what it is alone, without its opacity.
        let alone = Self.tree.replacing(#""opacity": 0.6, "blendMode": "multiply", "#, with: "")
        _ = try export(
            try folder.file("b.ink", alone), folder("low.png"), ["--layers", "low", "--background", "transparent"])
        try checkPixels(file.records[1], of: try SimplePNG.read(try bytes(folder("low.png"))))
        let empty = try #require(file.records.last)
        #expect(empty.width == 0 && empty.planes.isEmpty)
        let mask = try #require(file.records[11].planes[-2])
        #expect(mask.contains(255) && file.records[11].mask.map { $0.left > 10 && $0.right < 100 } == true)
    }

    private func checkPixels(_ record: PSDFile.Record, of picture: SimplePicture) throws {
        let alpha = try #require(record.planes[-1])
        let planes = try (0..<3).map { try #require(record.planes[$0]) }
        var different = 0
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let pixel = picture.rgba(x, y)
                guard record.left..<record.right ~= x, record.top..<record.bottom ~= y else {
                    different += pixel.w == 0 ? 0 : 1
                    continue
                }
                let at = (y - record.top) * record.width + x - record.left
                if SIMD4(planes[0][at], planes[1][at], planes[2][at], alpha[at]) != pixel { different += 1 }
            }
        }
        #expect(different == 0, "\(record.name)")
        // It is cut to where its strokes can be: to a few pixels around what they are.
        let shown = alpha.indices.filter { alpha[$0] > 0 }
        let (columns, rows) = (shown.map { $0 % record.width }, shown.map { $0 / record.width })
        for (place, count) in [(columns, record.width), (rows, record.bottom - record.top)] {
            let (first, last) = (try #require(place.min()), try #require(place.max()))
            #expect(first <= 4 && last >= count - 5, "\(record.name): \(first) to \(last) of \(count)")
        }
    }

    @Test("A transparent picture has alpha in the merged picture too, matted with white")
    func transparent() throws {
        let folder = try EndToEndFolder()
        let project = try project(folder)
        let options = ["--background", "transparent", "--layers", "g,c"]
        _ = try export(project, folder("a.png"), options)
        _ = try export(project, folder("a.psd"), options)
        let file = try PSDFile(try bytes(folder("a.psd")))
        #expect(file.hasMergedAlpha && file.channels == 4)
        #expect(file.records.map(\.name) == ["</Layer group>", "Zero", "One", "Group", "Clipped"])
        #expect(file.records.allSatisfy { !$0.isClipped })
        let png = try SimplePNG.read(try bytes(folder("a.png")))
        for index in 0..<(png.width * png.height) {
            let alpha = Int(png.samples[4 * index + 3])
            #expect(Int(file.merged[3][index]) == alpha)
            let matted = (Int(png.samples[4 * index]) * alpha + 255 * (255 - alpha) + 127) / 255
            #expect(Int(file.merged[0][index]) == matted, "pixel \(index)")
        }
    }

    @Test("An OpenRaster file has the tree, the layers and the picture as PNG files")
    func openRaster() throws {
        let folder = try EndToEndFolder()
        let project = try project(folder)
        _ = try export(project, folder("a.png"))
        let result = try export(project, folder("a.ora"))
        for word in ["vividLight", "clipped", "a group with a mask"] { #expect(result.error.contains(word)) }
        let zip = try StoredZip(try bytes(folder("a.ora")))
        #expect(zip.names[0] == "mimetype" && zip.files["mimetype"] == Array("image/openraster".utf8))
        let stack = String(decoding: try #require(zip.files["stack.xml"]), as: UTF8.self)
        // A layer lies where its strokes are.
        let place = /x="(\d+)" y="(\d+)"/
        let lines = stack.split(separator: "\n").map { line in
            String(line.drop { $0 == " " }).replacing(place, with: #"x="0" y="0""#)
        }
        func layer(_ name: String, _ number: Int, _ opacity: String = "1.0", _ more: String = "visible") -> String {
            #"<layer name="\#(name)" opacity="\#(opacity)" visibility="\#(more)" "#
                + #"composite-op="svg:\#(number == 1 ? "multiply" : "src-over")" src="data/layer\#(number).png" x="0" y="0"/>"#
        }
        #expect(
            lines == [
                #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<image version="0.0.5" w="120" h="80">"#, "<stack>",
                layer("Empty", 7), layer("Base", 6, "0.8"), layer("Masked", 5),
                #"<stack name="Pass" opacity="1.0" visibility="visible" composite-op="svg:src-over" isolation="auto">"#,
                layer("Hidden", 4, "1.0", "hidden"), "</stack>",
                #"<stack name="Group" opacity="0.7" visibility="visible" composite-op="svg:screen" isolation="isolate">"#,
                layer("One", 3), layer("Zero", 2), "</stack>", layer("Lowest &amp; &lt;é&gt;", 1, "0.6"),
                layer("Background", 0), "</stack>", "</image>",
            ], "\(stack)")
        #expect(zip.names.filter { $0.hasPrefix("data/") }.count == 8)
        let merged = try SimplePNG.read(try #require(zip.files["mergedimage.png"]))
        #expect(merged.samples == (try SimplePNG.read(try bytes(folder("a.png")))).samples)
        let thumbnail = try SimplePNG.read(try #require(zip.files["Thumbnails/thumbnail.png"]))
        #expect(max(thumbnail.width, thumbnail.height) <= 256)
        let hidden = try SimplePNG.read(try #require(zip.files["data/layer4.png"]))
        let line = try #require(stack.split(separator: "\n").first { $0.contains("data/layer4.png") })
        let corner = try #require(line.firstMatch(of: place)).output
        let (x, y) = (try #require(Int(corner.1)), try #require(Int(corner.2)))
        #expect(x > 40 && x + hidden.width < 80 && hidden.rgba(60 - x, 40 - y).w == 255)
    }

    @Test("Files with layers beside others are the same alone, in tiles, and through a broker")
    func sameFile() throws {
        let folder = try EndToEndFolder()
        let project = try project(folder)
        for ending in ["png", "psd", "psb", "ora"] { _ = try export(project, folder("own.\(ending)")) }
        func check(_ name: String, _ options: [String]) throws {
            let report = folder("\(name).json")
            _ = try export(
                project, folder("\(name)/"),
                ["--format", "ora,png,psd,psb", "--name", "b.{ext}", "--report", report] + options)
            #expect(folder.files(in: name) == ["b.ora", "b.png", "b.psb", "b.psd"])
            let exports = try #require(try JSONReader.read(try bytes(report))["exports"]?.array)
            for (export, ending) in zip(exports, ["ora", "png", "psd", "psb"]) {
                let file = try bytes(folder("\(name)/b.\(ending)"))
                #expect(try file == bytes(folder("own.\(ending)")), "\(name) \(ending)")
                #expect(export["sha256"]?.string == SHA256.digest(file).hexadecimal)
                #expect(export["bytes"]?.integer == file.count)
            }
        }
        try check("here", [])
        // A PNG is packed band by band, which shows in its bytes, and so in those of an ORA.
        _ = try export(project, folder("tiles.psd"), ["--tile", "50x16"])
        #expect(try bytes(folder("tiles.psd")) == bytes(folder("own.psd")))
        let farm = try FarmProcesses(workers: 1)
        try check("there", ["--broker", farm.endpoint])
    }

    @Test("A file that shows the same is left, one that is damaged is made again", arguments: ["psd", "psb", "ora"])
    func unchanged(ending: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let arguments = ["export", project, "-o", folder("a.\(ending)"), "--if-exists", "skip-unchanged"]
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        #expect(try InkProcess.run(arguments).output.contains("1 unchanged"))
        let whole = try bytes(folder("a.\(ending)"))
        for place in [40, 90, whole.count / 2, whole.count - 1] {
            var damaged = whole
            damaged[place] ^= 1
            try Data(damaged).write(to: URL(fileURLWithPath: folder("a.\(ending)")))
            #expect(try InkProcess.run(arguments).output.contains("1 exported"), "byte \(place)")
        }
        try Data(whole.dropLast(5)).write(to: URL(fileURLWithPath: folder("a.\(ending)")))
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        #expect(try bytes(folder("a.\(ending)")) == whole)
    }

    @Test("A full disk leaves nothing behind", .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func fullDisk() throws {
        let disk = try #require(try SmallDisk(byteCount: 1 << 17))
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        for ending in ["psd", "ora"] {
            let result = try InkProcess.run(
                ["export", project, "-o", "\(disk.path)/new/a.\(ending)", "--size", "8192", "--rgba"])
            #expect(result.code == 74, "\(result.error)")
            #expect(result.error.contains("No space left"), "\(result.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [])
        }
    }

    @Test("What a format does not have is refused before anything is made")
    func refusals() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        for (command, word) in [
            (["export", project, "-o", folder("a.psd"), "--effort", "small"], "--effort"),
            (["export", project, "-o", folder("a.ora"), "--quality", "9"], "--quality"),
        ] {
            let result = try InkProcess.run(command)
            #expect(result.code == 64 && result.error.contains(word), "\(command): \(result.error)")
        }
        try FileManager.default.createDirectory(atPath: folder("b.psd"), withIntermediateDirectories: true)
        let taken = try InkProcess.run(["export", project, "--name", "b.{ext}", "--format", "psd", "-o", folder("")])
        #expect(taken.code == 74, "\(taken.error)")
        #expect(folder.files.sorted() == ["a.ink", "b.psd"])
    }
}
