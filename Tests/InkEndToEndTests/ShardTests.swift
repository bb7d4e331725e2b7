import Foundation
import InkTestSupport
import Testing

/// Runs in parts, each a process of its own, of which some die.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ShardTests {
    private struct Report: Decodable {
        struct Shards: Decodable {
            var count: Int
            var missing: [Int]
        }
        struct Export: Decodable {
            var output: String
            var state: String
        }
        var shards: Shards
        var exports: [Export]
        var exitCode: Int
    }

    private func merge(_ folder: EndToEndFolder) throws -> (code: Int32, report: Report) {
        let reports = folder.files(in: "parts").map { folder("parts/\($0)") }
        let result = try InkProcess.run(["report", "merge", "-o", folder("report.json")] + reports)
        return (result.code, try JSONDecoder().decode(Report.self, from: Data(try folder.read("report.json"))))
    }

    @Test("Of eight parts two are killed; their next try makes what is missing")
    func twoOfEightAreKilled() throws {
        let folder = try EndToEndFolder()
        for index in 0..<40 { try folder.file("in/\(index).ink", GoodProject.small) }
        func arguments(_ part: Int) -> [String] {
            [
                "export", folder("in"), "-o", folder("out"), "--size", "2k", "--workers", "1", "--quiet", "--shard",
                "\(part)/8", "--report", folder("parts/\(part).json"),
            ]
        }
        let killed = [2, 5]
        for part in 0..<8 {
            let before = folder.files(in: "out").count
            let process = try InkProcess(arguments(part))
            if killed.contains(part) {
                let deadline = ContinuousClock.now + .seconds(60)
                while folder.files(in: "out").count == before {
                    try #require(process.isRunning && ContinuousClock.now < deadline)
                    Thread.sleep(forTimeInterval: 0.002)
                }
                process.send(SIGKILL)
            }
            let result = process.wait()
            #expect(result.code == (killed.contains(part) ? 137 : 0), "\(part): \(result.error)")
        }
        var merged = try merge(folder)
        #expect(merged.code == 1 && merged.report.exitCode == 1)
        #expect(merged.report.shards.missing == killed && merged.report.shards.count == 8)
        #expect(merged.report.exports.count < 40)
        for part in killed { #expect(try InkProcess.run(arguments(part)).code == 0) }
        merged = try merge(folder)
        #expect(merged.code == 0 && merged.report.shards.missing.isEmpty)
        #expect(Set(merged.report.exports.map(\.output)) == Set((0..<40).map { folder("out/\($0)-2k.png") }))
        // A whole run finds nothing to do.
        let whole = try InkProcess.run(["export", folder("in"), "-o", folder("out"), "--size", "2k"])
        #expect(whole.output.hasPrefix("0 exported, 40 unchanged"), "\(whole.output)")
    }

    @Test("SIGTERM ends a part with its report, and a variable names it")
    func aPartIsPreempted() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("long.ink", GoodProject.long)
        let process = try InkProcess(
            ["export", path, "-o", folder("out"), "--size", "8k", "--report", folder("r.json")],
            environment: ["INK_SHARD": "0", "INK_SHARDS": "1"])
        try waitForPicture(folder, process)
        process.send(SIGTERM)
        #expect(process.wait().code == 143)
        let result = try InkProcess.run(["report", "merge", folder("r.json")])
        #expect(result.code == 143, "\(result.error)")
    }

    @Test("--exit-with-parent ends an export whose parent was killed")
    func theParentDies() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("long.ink", GoodProject.long)
        // The shell is the parent; what it started holds the pipes that are waited for.
        let process = try InkProcess(
            ["export", path, "-o", folder("out"), "--size", "8k", "--exit-with-parent", "--report", folder("r.json")],
            prefix: ["/bin/sh", "-c", "\"$@\" & wait", "sh"])
        try waitForPicture(folder, process)
        let start = ContinuousClock.now
        process.send(SIGKILL)
        _ = process.wait()
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(folder.files(in: "out").isEmpty)
        #expect(String(decoding: try folder.read("r.json"), as: UTF8.self).contains("\"exitCode\": 143"))
    }

    private func waitForPicture(_ folder: EndToEndFolder, _ process: InkProcess) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !folder.files(in: "out").contains(where: { $0.hasSuffix(".part") }) {
            try #require(process.isRunning && ContinuousClock.now < deadline, "\(folder.files(in: "out"))")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
