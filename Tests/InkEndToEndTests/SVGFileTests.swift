import Foundation
import InkCodecs
import InkEngine
import InkJSON
import Testing

@Suite("Drawings as SVG files", .timeLimit(.minutes(5)))
struct SVGFileTests {
    /// Every brush, both anchors, a group, a mask, erasing, clipping, a mode that SVG has and one that it lacks.
    static let project = """
        {"version": "1.2", "name": "All & <more>", "canvasSize": {"width": 150, "height": 100}, "background": "#fff8e8",
         "layers": [
          {"type": "fill", "id": "burnt", "blendMode": "linearBurn", "opacity": 0.5, "color": "#c0ffc0"},
          {"id": "stamps", "strokes": [
           {"brush": {"type": "parallelLines", "rotation": 30, "opacity": 0.6}, "points": [[10, 10, 0.4], [70, 20, 1]]},
           {"brush": {"type": "dots", "spacing": 7, "color": "#36a"}, "points": [[20, 50], [40, 60]]},
           {"brush": {"type": "waves", "spacing": 9, "opacity": 0.5, "dynamics": {"pressureAffectsSize": true}},
            "points": [[90, 20, 0.2], [130, 30, 1]]},
           {"brush": {"type": "contourLines", "spacing": 4, "color": "#a33"}, "points": [[20, 80], [60, 90], [90, 70]]},
           {"brush": {"type": "solid", "lineWidth": 8, "dynamics": {"pressureAffectsSize": true}},
            "points": [[100, 60, 0.1], [130, 70, 1], [110, 90, 0.3]]},
           {"brush": {"type": "solid", "lineWidth": 5}, "mode": "erase", "points": [[0, 15], [150, 85]]}]},
          {"type": "group", "id": "group", "opacity": 0.8, "blendMode": "multiply", "layers": [
           {"id": "base", "strokes": [{"brush": {"type": "solid", "lineWidth": 30, "color": "#fc6"},
            "points": [[40, 30], [110, 50]]}]},
           {"id": "on it", "clipped": true, "strokes": [{"brush": {"type": "crossHatch", "anchor": "canvas", "size": 60,
            "rotation": 10}, "points": [[60, 20], [90, 70]]}]}]}]}
        """

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func pixels(_ path: String) throws -> [UInt8] {
        try PNGDecoder.decodeRGBA(try bytes(path), place: Place(file: path)).1
    }

    @Test("An SVG, drawn by librsvg, shows what the PNG shows")
    func agreement() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", Self.project)
        let result = try InkProcess.run([
            "export", project, "--format", "png,svg", "--size", "600x400", "-o", folder("out/"), "--name", "a.{ext}",
            "--report", folder("report.json"),
        ])
        #expect(result.code == 0, "\(result.error)")
        #expect(result.error.contains("linearBurn"), "\(result.error)")
        #expect(folder.files(in: "out") == ["a.png", "a.svg"])
        let exports = try #require(try JSONReader.read(try bytes(folder("report.json")))["exports"]?.array)
        #expect(exports.count == 2)
        let svg = try bytes(folder("out/a.svg"))
        #expect(exports[1]["bytes"]?.integer == svg.count)
        #expect(exports[1]["sha256"]?.string == SHA256.digest(svg).hexadecimal)
        let again = try folder.file(
            "b.ink",
            #"{"version": "1.2", "canvasSize": {"width": 600, "height": 400}, "layers": [{"contentFile": "out/a.svg"}]}"#
        )
        let drawn = try InkProcess.run(["export", again, "--size", "1x", "-o", folder("b.png")])
        #expect(drawn.code == 0, "\(drawn.error)")
        let (own, other) = (try pixels(folder("out/a.png")), try pixels(folder("b.png")))
        #expect(own.count == other.count)
        let far = zip(own, other).count { abs(Int($0) - Int($1)) > 6 }
        #expect(Double(far) < 0.005 * Double(own.count), "\(far) of \(own.count) samples")
    }

    @Test("Nothing is left of the images in it")
    func leftovers() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", Self.project)
        _ = try folder.file("tmp/x", "")
        let result = try InkProcess.run(
            ["export", project, "-o", folder("a.svg")], environment: ["TMPDIR": folder("tmp")])
        #expect(result.code == 0, "\(result.error)")
        #expect(folder.files(in: "tmp") == ["x"])
    }

    @Test("A file that shows the same is left, one that is damaged is made again; runs give the same bytes")
    func unchanged() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", Self.project)
        let path = folder("a.svg")
        let arguments = ["export", project, "-o", path, "--if-exists", "skip-unchanged", "--size", "300x200"]
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        let whole = try bytes(path)
        #expect(try InkProcess.run(arguments + ["-j", "3"]).output.contains("1 unchanged"))
        var damaged = whole
        damaged[whole.count / 2] ^= 1
        for bad in [damaged, Array(whole.dropLast(9))] {
            try Data(bad).write(to: URL(fileURLWithPath: path))
            #expect(try InkProcess.run(arguments).output.contains("1 exported"))
            #expect(try bytes(path) == whole)
        }
        #expect(try InkProcess.run(arguments.dropLast() + ["330x400"]).output.contains("1 exported"))
        let refused = try InkProcess.run(["export", project, "-o", path, "--if-exists", "fail"])
        #expect(refused.code != 0 && refused.error.contains("already exists"))
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test("With a broker the file is the same, and from a queue, too")
    func broker() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", Self.project)
        let farm = try FarmProcesses(workers: 1)
        for (name, options) in [("here", []), ("there", ["--broker", farm.endpoint])] {
            let result = try InkProcess.run(
                ["export", project, "--format", "svg,png", "--size", "300x200", "-o", folder("\(name)/")]
                    + ["--name", "a.{ext}"] + options)
            #expect(result.code == 0, "\(result.error)")
        }
        #expect(try bytes(folder("here/a.svg")) == bytes(folder("there/a.svg")))
        #expect(try bytes(folder("here/a.png")) == bytes(folder("there/a.png")))
        let queued = try InkProcess.run(
            ["submit", project, "--format", "svg", "--size", "300x200", "--broker", farm.endpoint])
        let job = queued.output.prefix { $0 != "\t" }
        let fetched = try InkProcess.run(["wait", String(job), "-o", folder("queue"), "--broker", farm.endpoint])
        #expect(queued.code == 0 && fetched.code == 0, "\(queued.error) \(fetched.error)")
        let name = try #require(folder.files(in: "queue").first)
        #expect(try bytes(folder("queue/\(name)")) == bytes(folder("here/a.svg")))
    }

    @Test("Each layer and each viewport is a file; an image that cannot be read fails the picture without a file")
    func parts() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", Self.project)
        let layers = try InkProcess.run([
            "export", project, "--format", "svg", "--each-layer", "--size", "300x200", "-o", folder("layers/"),
        ])
        #expect(layers.code == 0 && folder.files(in: "layers").count == 3, "\(layers.error)")
        let view = try InkProcess.run([
            "export", project, "-o", folder("view.svg"), "--viewport", "75,50,2,30,100x100", "--size", "1x",
        ])
        #expect(view.code == 0, "\(view.error)")
        let broken = try folder.file("b.ink", ImagePlace.contentImage.project(Array(try brokenPNG().dropLast(30))))
        let failed = try InkProcess.run(["export", broken, "-o", folder("b.svg"), "--size", "40x40"])
        #expect(failed.code != 0 && failed.error.contains("contentImage"), "\(failed.error)")
        #expect(!folder.files.contains("b.svg") && folder.files.allSatisfy { !$0.hasSuffix(".part") })
    }

    private func brokenPNG() throws -> [UInt8] {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        _ = try InkProcess.run(["export", project, "-o", folder("a.png"), "--size", "40x40"])
        return try bytes(folder("a.png"))
    }
}
