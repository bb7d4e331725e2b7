import Foundation
import Glibc
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

/// `ink bench` as a person runs it, with small pictures.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BenchTests {
    /// Runs it with a folder for temporary files, which has to be empty afterwards.
    private func run(_ arguments: [String], _ folder: EndToEndFolder) throws -> InkProcess.Result {
        try FileManager.default.createDirectory(atPath: folder("tmp"), withIntermediateDirectories: true)
        let result = try InkProcess.run(
            ["bench", "--size", "256x256"] + arguments, environment: ["TMPDIR": folder("tmp")])
        #expect(folder.files(in: "tmp").isEmpty)
        return result
    }

    @Test func measuresScenesAndProjectsAndCompares() throws {
        let folder = try EndToEndFolder()
        try folder.file("in/own.ink", GoodProject.small)
        try folder.file("in/sub/broken.ink", "{")
        let json = folder("bench.json")
        let first = try run(
            ["--runs", "1", "--workers", "2", "--projects", folder("in"), "--json", json, "--chart", folder("c.svg")],
            folder)
        // The broken project is said, and left out.
        #expect(first.code == 65, "\(first.error)")
        #expect(first.error.hasPrefix("ink: error: \(folder("in/sub/broken.ink"))"), "\(first.error)")
        #expect(first.error.split(separator: "\n").count == 1, "\(first.error)")
        for scene in ["light", "medium", "heavy", "own"] {
            #expect(first.output.contains("\n\(scene) "), "\(first.output)")
        }
        #expect(first.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(first.output)")
        #expect(String(decoding: try folder.read("c.svg"), as: UTF8.self).hasSuffix("</svg>\n"))
        #expect(folder.files(in: "in") == ["own.ink", "sub"])

        let report = try JSONSerialization.jsonObject(with: Data(folder.read("bench.json"))) as? [String: Any]
        let results = try #require(report?["results"] as? [[String: Any]])
        #expect(results.compactMap { $0["scene"] as? String } == ["light", "medium", "heavy", "own"])
        for result in results {
            let runs = try #require(result["runs"] as? [[String: Any]])
            #expect(runs.count == 1)
            let command = try #require(runs[0]["commandMs"] as? Double)
            let export = try #require((runs[0]["exportsMs"] as? [Double])?.first)
            #expect(export > 0 && export <= command)
            #expect((result["phasesMs"] as? [String: Double])?["raster"].map { $0 > 0 } == true)
            #expect(result["width"] as? Int == 256)
            // As a process of its own: some MB for the program, some for each thread.
            #expect((result["peakBytes"] as? Int).map { (20_000_000..<150_000_000).contains($0) } == true)
        }

        let second = try run(["--runs", "1", "--compare", json, "--json", json], folder)
        #expect(second.code == 0, "\(second.error)")
        #expect(second.output.components(separatedBy: "too few runs to tell").count == 4, "\(second.output)")
        #expect(String(decoding: try folder.read("bench.json"), as: UTF8.self).contains("\"comparison\""))
    }

    @Test func manyProjectsAreExportedTogether() throws {
        let folder = try EndToEndFolder()
        for number in 1...13 { try folder.file("in/\(number % 2)/\(number).ink", GoodProject.small) }
        let result = try run(["--runs", "1", "--projects", folder("in"), "--json", folder("b.json")], folder)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.contains("\n13 projects "), "\(result.output)")
        let report = try JSONSerialization.jsonObject(with: Data(folder.read("b.json"))) as? [String: Any]
        let last = try #require((report?["results"] as? [[String: Any]])?.last)
        #expect(last["pictures"] as? Int == 13)
        #expect(((last["runs"] as? [[String: Any]])?.first?["exportsMs"] as? [Double])?.count == 13)
    }

    @Test func oneOfManyThatFailsIsLeftOutAlone() throws {
        let folder = try EndToEndFolder()
        for number in 1...13 { try folder.file("in/\(number).ink", GoodProject.small) }
        // Its header is right, so that only exporting finds out.
        var mask = MinimalPNGWriter.png(
            gray: [UInt8](repeating: 9, count: 48 * 32), size: PixelSize(width: 48, height: 32))
        mask[100] ^= 1
        try folder.file(
            "in/bad.ink",
            """
            {"canvasSize": {"width": 48, "height": 32}, "layers": [{"maskImage": "\(Data(mask).base64EncodedString())",
             "strokes": [{"points": [[0, 9], [48, 9]]}]}]}
            """)
        let result = try run(["--runs", "2", "--projects", folder("in"), "--json", folder("b.json")], folder)
        #expect(result.code == 65, "\(result.error)")
        #expect(result.error.hasPrefix("ink: error: \(folder("in/bad.ink")): "), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(result.output.contains("\n13 projects "), "\(result.output)")
    }

    @Test func whatCannotBeWrittenIsPrintedAllTheSame() throws {
        let folder = try EndToEndFolder()
        let result = try run(["--runs", "1", "--json", "/dev/full", "--chart", folder("c.svg")], folder)
        #expect(result.code == 74 && result.error.contains("/dev/full"), "\(result.error)")
        #expect(result.output.contains("\nheavy "), "\(result.output)")
        #expect(folder.files.contains("c.svg"))
    }

    @Test func whatCannotBePrintedIsWrittenAllTheSame() throws {
        let folder = try EndToEndFolder()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = try InkProcess(
            ["bench", "--size", "256x256", "--runs", "1", "--json", folder("b.json")], output: full)
        let result = process.wait()
        #expect(result.code == 74, "\(result.error)")
        #expect(folder.files == ["b.json"])
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func aSignalLeavesNothingBehind(signal: Int32, code: Int32) throws {
        let folder = try EndToEndFolder()
        try FileManager.default.createDirectory(atPath: folder("tmp"), withIntermediateDirectories: true)
        let process = try InkProcess(
            ["bench", "--runs", "1000", "--json", folder("b.json")], environment: ["TMPDIR": folder("tmp")])
        let deadline = ContinuousClock.now + .seconds(60)
        func isExporting() -> Bool {
            folder.files(in: "tmp").contains { !folder.files(in: "tmp/\($0)/pictures").isEmpty }
        }
        while !isExporting() {
            try #require(process.isRunning && ContinuousClock.now < deadline)
            Thread.sleep(forTimeInterval: 0.01)
        }
        process.send(signal)
        let result = process.wait()
        #expect(result.code == code, "\(result.error)")
        #expect(folder.files(in: "tmp").isEmpty)
        #expect(folder.files == ["tmp"] && result.output.isEmpty)
    }
}
