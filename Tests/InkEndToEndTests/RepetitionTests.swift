import Foundation
import InkTestSupport
import Testing

/// `--if-exists skip-unchanged`, and reports that are run again.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RepetitionTests {
    private let folder: EndToEndFolder
    private let path: String
    private let picture = "out/p-1x.png"

    init() throws {
        folder = try EndToEndFolder()
        path = try folder.file("p.ink", GoodProject.small)
    }

    /// Exports, and says whether the picture was made anew.
    private func export(_ options: String...) throws -> Bool {
        let arguments = [
            "export", path, "-o", folder("out"), "--size", "1x", "--if-exists", "skip-unchanged", "--json",
        ]
        let result = try InkProcess.run(arguments + options)
        try #require(result.code == 0, "\(result.error)")
        let summary = try Self.object(result.output)["summary"] as? [String: Any]
        let (done, skipped) = (summary?["done"] as? Int, summary?["skipped"] as? Int)
        try #require((done ?? 0) + (skipped ?? 0) == 1)
        return done == 1
    }

    private static func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test func onlyWhatHasChangedIsMadeAnew() throws {
        #expect(try export())
        let first = try folder.read(picture)
        #expect(try !export())
        // How it is made does not count, what it shows does.
        #expect(try !export("--workers", "3"))
        #expect(try export("--background", "#123456"))
        #expect(try !export("--background", "#123456"))
        #expect(try export("--rgba"))
        #expect(try export("--dpi", "300"))
        #expect(try export("--no-metadata"))
        #expect(try export())
        #expect(try folder.read(picture) == first)
        try folder.file("p.ink", GoodProject.small.replacingOccurrences(of: "#3355aa", with: "#3355ab"))
        #expect(try export())
        #expect(try folder.read(picture) != first)
    }

    @Test func aDamagedPictureIsMadeAnew() throws {
        #expect(try export())
        let whole = try folder.read(picture)
        var flipped = whole
        flipped[whole.count / 2] ^= 1
        let damages = [Array(whole.dropLast()), Array(whole.prefix(whole.count / 2)), flipped, [], whole + [0]]
        for (index, damaged) in damages.enumerated() {
            try folder.file(picture, damaged)
            #expect(try export(), "damage \(index)")
            #expect(try folder.read(picture) == whole)
        }
        #expect(try !export())
    }

    @Test func otherPoliciesForWhatExists() throws {
        #expect(try export())
        func run(_ policy: String) throws -> InkProcess.Result {
            try InkProcess.run(
                ["export", path, "-o", folder("out"), "--size", "1x", "--if-exists", policy, "--quiet"])
        }
        let refused = try run("fail")
        #expect(refused.code == 74 && refused.error.contains("already exists"), "\(refused.error)")
        #expect(try run("overwrite").code == 0)
        #expect(folder.files(in: "out") == ["p-1x.png"])
        #expect(try run("suffix").code == 0)
        #expect(try run("suffix").code == 0)
        #expect(folder.files(in: "out") == ["p-1x-1.png", "p-1x-2.png", "p-1x.png"])
        #expect(try folder.read("out/p-1x-2.png") == folder.read(picture))
    }

    @Test func whatFailedIsRepeatedFromTheReport() throws {
        let bad = try folder.file("bad.ink", "{}")
        let report = folder("report.json")
        let first = try InkProcess.run(
            [
                "export", path, bad, "-o", folder("out"), "--size", "1x,20x10", "--background", "#abcdef", "--quiet",
                "--report", report,
            ])
        #expect(first.code == 65)
        let exports = try #require(
            try Self.object(String(decoding: folder.read("report.json"), as: UTF8.self))["exports"] as? [[String: Any]])
        #expect(exports.map { $0["state"] as? String } == ["done", "done", "failed", "failed"])
        #expect(folder.files(in: "out") == ["p-1x.png", "p-20x10.png"])
        let made = try exports.prefix(2).map { try #require($0["sha256"] as? String) }
        #expect(made[0] != made[1])

        try folder.file("bad.ink", GoodProject.small)
        let again = try InkProcess.run(["export", "--from-report", report, "--failed", "--json"])
        #expect(again.code == 0, "\(again.error)")
        let repeated = try #require(try Self.object(again.output)["exports"] as? [[String: Any]])
        #expect(repeated.map { $0["state"] as? String } == ["done", "done"])
        #expect(folder.files(in: "out").count == 4)
        // The same project with the same options is the same picture.
        #expect(
            try SimplePNG.read(folder.read("out/bad-1x.png")).samples == SimplePNG.read(folder.read(picture)).samples)
        let digests = try exports.prefix(2).map { try #require($0["sha256"] as? String) }
        for (index, name) in ["p-1x.png", "p-20x10.png"].enumerated() {
            #expect(try sha256(of: folder(String("out/" + name))) == digests[index])
        }
    }

    private func sha256(of path: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sha256sum", path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return String(text.prefix(64))
    }
}
