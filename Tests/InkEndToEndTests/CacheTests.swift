import Foundation
import Glibc
import InkCodecs
import InkEngine
import InkJSON
import InkTestSupport
import Testing

/// Exports that render only what has changed.
@Suite("Kept results of tiles", .timeLimit(.minutes(10)))
struct CacheTests {
    /// Strokes over all of a canvas of 400 x 1,024, each in a few rows of it.
    private static func project(
        _ change: (inout [String]) -> Void = { _ in }, mask: String = "", group: Int = 500
    ) -> String {
        var strokes = (0..<64).map { row in
            """
            {"brush": {"type": "\(["dots", "waves", "solid", "crossHatch"][row % 4])", "spacing": 7, "color": "#2244\(10 + row)"},
             "points": [[20, \(16 * row + 5)], [380, \(16 * row + 9)]]}
            """
        }
        change(&strokes)
        return """
            {"version": "1.2", "canvasSize": {"width": 400, "height": 1024}, "background": "#ffffff", "layers": [
              {"id": "a", \(mask) "strokes": [\(strokes.joined(separator: ",\n"))]},
              {"id": "g", "type": "group", "layers": [{"id": "b", "opacity": 0.5, "strokes": [
                {"brush": {"type": "solid", "lineWidth": 9, "color": "#aa0000"}, "points": [[40, \(group)], [360, \(group + 20)]]}
              ]}]}]}
            """
    }

    private static func stroke(_ y: Int) -> String {
        "{\"brush\": {\"type\": \"solid\", \"lineWidth\": 4}, \"points\": [[100, \(y)], [120, \(y + 3)]]}"
    }

    /// Gray, 10 x 20, by its lower half.
    private static func mask(_ lower: UInt8) -> String {
        let gray = Array(repeating: UInt8(255), count: 100) + Array(repeating: lower, count: 100)
        let file = MinimalPNGWriter.png(gray: gray, size: PixelSize(width: 10, height: 20))
        return "\"maskImage\": \"\(Data(file).base64EncodedString())\","
    }

    private let folder: EndToEndFolder

    init() throws { folder = try EndToEndFolder() }

    /// Exports and returns the file, with how many tiles there are and were kept.
    private func export(
        _ text: String, _ options: [String] = ["--format", "png"], more: [String]
    ) throws -> (files: [String: [UInt8]], tiles: Int, cached: Int) {
        let project = try folder.file("a.ink", text)
        try? FileManager.default.removeItem(atPath: folder("out"))
        let result = try InkProcess.run(
            ["export", project, "-o", folder("out/"), "--size", "1x", "--report", folder("r.json")] + options + more)
        #expect(result.code == 0, "\(result.error)")
        let report = try JSONReader.read(try folder.read("r.json"))
        let exports = report["exports"]?.array ?? []
        var files: [String: [UInt8]] = [:]
        for name in folder.files(in: "out") { files[name] = try folder.read("out/\(name)") }
        #expect(!files.isEmpty)
        return (files, exports.first?["tiles"]?.integer ?? 0, exports.first?["cachedTiles"]?.integer ?? -1)
    }

    private var cache: [String] { ["--cache", folder("cache")] }

    /// The files of an export that finds nothing. Without a cache PNG and PDF files are packed in other bands.
    private func cold(_ text: String, _ options: [String] = ["--format", "png"]) throws -> [String: [UInt8]] {
        try? FileManager.default.removeItem(atPath: folder("fresh"))
        return try export(text, options, more: ["--cache", folder("fresh")]).files
    }

    private func pixels(_ files: [String: [UInt8]]) throws -> [[UInt8]] {
        try files.sorted { $0.key < $1.key }.map { try SimplePNG.read($0.value).samples }
    }

    @Test("What has not changed is not rendered again, and the file is that of an export without kept results")
    func changes() throws {
        let first = try export(Self.project(), more: cache)
        #expect(first.tiles == 16 && first.cached == 0)
        #expect(try pixels(export(Self.project(), more: []).files) == pixels(first.files))
        let again = try export(Self.project(), more: cache)
        #expect(again.cached == 16 && again.files == first.files)
        let cases: [(String, String, ClosedRange<Int>)] = [
            ("appended", Self.project { $0.append(Self.stroke(300)) }, 14...15),
            ("inserted at the front", Self.project { $0.insert(Self.stroke(700), at: 0) }, 14...15),
            ("removed", Self.project { $0.remove(at: 30) }, 14...15),
            ("a moved group", Self.project(group: 620), 12...14),
            ("a mask", Self.project(mask: Self.mask(90)), 0...0),
            ("another mask", Self.project(mask: Self.mask(80)), 0...9),
        ]
        for (name, text, kept) in cases {
            let changed = try export(text, more: cache)
            #expect(kept.contains(changed.cached), "\(name): \(changed.cached) of \(changed.tiles)")
            #expect(try cold(text) == changed.files, "\(name)")
            #expect(try export(text, more: cache).cached == 16, "\(name)")
        }
    }

    @Test("Whatever is changed where, the file is that of an export without kept results", arguments: 1...6)
    func edits(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func stroke() -> String {
            let type = ["dots", "waves", "solid", "crossHatch", "contourLines"].randomElement(using: &generator)!
            let color = ["#224410", "#224490", "#aa0000"].randomElement(using: &generator)!
            let mode = Int.random(in: 0..<8, using: &generator) == 0 ? "erase" : "paint"
            let (x, y) = (Int.random(in: 0...380, using: &generator), Int.random(in: 0...1000, using: &generator))
            let points = (0..<60).map { "[\(x + $0 % 20), \(y + $0 / 3)]" }.joined(separator: ", ")
            return """
                {"brush": {"type": "\(type)", "spacing": 6, "lineWidth": 2, "size": 14, "color": "\(color)", "opacity": 0.8},
                 "mode": "\(mode)", "points": [\(points)]}
                """
        }
        var strokes = (0..<500).map { _ in stroke() }
        func text() -> String {
            """
            {"version": "1.2", "canvasSize": {"width": 400, "height": 1024}, "background": "#ffffff", "layers": [
              {"id": "a", "strokes": [\(strokes.joined(separator: ",\n"))]}]}
            """
        }
        _ = try export(text(), more: cache)
        var kept: [Int] = []
        for edit in 0..<5 {
            let place = [0, strokes.count / 2, strokes.count - 1][edit % 3]
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: strokes.remove(at: place)
            case 1: strokes.swapAt(place, Int.random(in: 0..<strokes.count, using: &generator))
            case 2: strokes[place] = stroke()
            default: strokes.insert(stroke(), at: place)
            }
            let changed = try export(text(), more: cache)
            #expect(try cold(text()) == changed.files, "seed \(seed), edit \(edit)")
            kept.append(changed.cached)
        }
        // Mostly what the stroke meets, rarely what a run of strokes meets that it is in.
        #expect(kept.sorted()[2] >= 12, "seed \(seed): \(kept) of 16")
    }

    @Test(
        "Tiles of all formats are kept, each with its settings",
        arguments: [
            ["jpeg", "--quality", "80"], ["tiff"], ["pdf"], ["png,jpeg"], ["png", "--effort", "small"], ["szi"],
            ["webp"], ["jpeg", "--progressive"], ["png,webp"], ["png", "--tile", "128x64"], ["psd"], ["ora"],
        ])
    func formats(options: [String]) throws {
        let options = ["--format"] + options
        let first = try export(Self.project(), options, more: cache)
        let again = try export(Self.project(), options, more: cache)
        #expect(again.files == first.files)
        #expect(try cold(Self.project(), options) == first.files)
        #expect(again.tiles > 0 && again.cached == again.tiles, "\(again.cached) of \(again.tiles)")
        // Another picture of the same project has others.
        if options[1] == "jpeg" {
            let other = try export(Self.project(), ["--format", "jpeg", "--quality", "81"], more: cache)
            #expect(other.cached == 0 && other.files != first.files)
        }
    }

    @Test("All results are in the folder when the process has ended", arguments: 1...5)
    func ending(run: Int) throws {
        let options = ["--format", "png", "--tile", "32x32"]
        let made = try export(Self.project(), options, more: ["--cache", folder("cache\(run)")])
        #expect(made.tiles == 416 && folder.files(in: "cache\(run)").count == 416, "\(made.tiles)")
    }

    @Test("Damaged results are made again, and what does not fit goes, least recently used first")
    func damage() throws {
        let first = try export(Self.project(), more: cache)
        for (index, name) in folder.files(in: "cache").sorted().enumerated() {
            var bytes = try folder.read("cache/\(name)")
            switch index % 4 {
            case 0: bytes[bytes.count / 2] ^= 1
            case 1: bytes.removeLast(7)
            case 2: bytes = []
            default: continue
            }
            _ = try folder.file("cache/\(name)", bytes)
        }
        let again = try export(Self.project(), more: cache)
        #expect(again.cached == 4 && again.files == first.files, "\(again.cached)")
        #expect(try export(Self.project(), more: cache).cached == 16)
        // Files under each other's names, and one that nobody writes to.
        let names = folder.files(in: "cache").sorted()
        let files = try names.map { try folder.read("cache/\($0)") }
        _ = try folder.file("cache/\(names[0])", files[1])
        _ = try folder.file("cache/\(names[1])", files[0])
        #expect(unlink(folder("cache/\(names[2])")) == 0 && mkfifo(folder("cache/\(names[2])"), 0o600) == 0)
        let mixed = try export(Self.project(), more: cache)
        #expect(mixed.cached == 13 && mixed.files == first.files, "\(mixed.cached)")
        #expect(try export(Self.project(), more: cache).cached == 16)
        // Of a larger picture, which takes more than a megabyte.
        let large = ["--size", "1600x4096", "--if-exists", "overwrite"]
        func kept() throws -> Int {
            try folder.files(in: "cache").reduce(0) { try $0 + folder.read("cache/\($1)").count }
        }
        _ = try export(Self.project(), more: cache + large)
        let unbounded = try kept()
        #expect(unbounded > 3 << 19, "\(unbounded)")
        for _ in 0..<2 { #expect(try export(Self.project(), more: cache + large + ["--cache-size", "1M"]).tiles > 0) }
        let bounded = try kept()
        #expect(bounded <= 1 << 20, "\(bounded)")
    }

    @Test("A process that is killed leaves a folder that serves the next")
    func kill() throws {
        let project = try folder.file("long.ink", GoodProject.long)
        let process = try InkProcess(
            ["export", project, "-o", folder("long.png"), "--size", "4k", "--if-exists", "overwrite"] + cache)
        while folder.files(in: "cache").count < 3 { usleep(5_000) }
        process.send(SIGKILL)
        _ = process.wait()
        let cold = try InkProcess.run(
            ["export", project, "-o", folder("cold.png"), "--size", "4k", "--cache", folder("fresh")])
        #expect(cold.code == 0, "\(cold.error)")
        let warm = try InkProcess.run(["export", project, "-o", folder("long.png"), "--size", "4k"] + cache)
        #expect(warm.code == 0 && warm.output.contains("tiles were kept"), "\(warm.output)\(warm.error)")
        #expect(try folder.read("long.png") == folder.read("cold.png"))
    }

    @Test("A broker keeps results for all its jobs")
    func broker() throws {
        let first = try cold(Self.project())
        let farm = try FarmProcesses(workers: 2, brokerOptions: ["--result-cache", folder("cache")])
        for _ in 0..<2 {
            let there = try export(Self.project(), more: ["--broker", farm.endpoint])
            #expect(there.files == first)
        }
        let kept = folder.files(in: "cache").count
        #expect(kept == 16)
        let changed = try export(
            Self.project { $0.append(Self.stroke(300)) }, more: ["--broker", farm.endpoint, "--if-exists", "overwrite"])
        #expect((17...18).contains(folder.files(in: "cache").count))
        #expect(try cold(Self.project { $0.append(Self.stroke(300)) }) == changed.files)
    }

    @Test(
        "Results are named by what samples say, not by how a worker has packed them: a farm finds those of one process")
    func otherFarm() throws {
        let text = Self.project(mask: Self.mask(90))
        let alone = try export(text, more: cache)
        #expect(alone.cached == 0 && folder.files(in: "cache").count == 16)
        let farm = try FarmProcesses(workers: 1, brokerOptions: ["--result-cache", folder("cache")])
        let there = try export(text, more: ["--broker", farm.endpoint])
        #expect(there.files == alone.files)
        #expect(folder.files(in: "cache").count == 16)
        // A mask that differs is another.
        _ = try export(
            Self.project(mask: Self.mask(80)), more: ["--broker", farm.endpoint, "--if-exists", "overwrite"])
        #expect(folder.files(in: "cache").count > 16)
    }

    @Test("A folder that cannot be used is an error before anything is made")
    func refusals() throws {
        let project = try folder.file("a.ink", GoodProject.small)
        _ = try folder.file("file", "x")
        for (options, code, words) in [
            (["--cache", folder("file")], 74, "file"), (["--cache-size", "5M"], 64, "needs --cache"),
            (["--cache", folder("c"), "--cache-size", "x"], 64, "not a size"),
            (["--cache", folder("c"), "--broker", "tcp://127.0.0.1:1"], 64, "--broker"),
        ] as [([String], Int32, String)] {
            let result = try InkProcess.run(["export", project, "-o", folder("b.png")] + options)
            #expect(result.code == code && result.error.contains(words), "\(options): \(result.code) \(result.error)")
        }
        #expect(!folder.files.contains("b.png"))
    }
}
