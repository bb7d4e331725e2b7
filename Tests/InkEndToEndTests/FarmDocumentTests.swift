import Foundation
import Testing

/// Documents of other programs on a farm.
@Suite("Documents on a farm", .timeLimit(.minutes(10)))
struct FarmDocumentTests {
    /// The program's own examples: one of each kind.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../examples/gallery").standardizedFileURL.path

    @Test("What is sent as a project keeps the document's name, and is the same picture")
    func gallery() throws {
        let out = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
            .filter { !$0.hasPrefix("SOURCES") && !$0.hasPrefix(".") }
        #expect(names.count > 8)
        let paths = names.map { "\(Self.folder)/\($0)" }
        let options = ["--size", "100x100", "--format", "png", "--name", "{name}-{n}.png", "-q"]
        let local = try InkProcess.run(["export"] + paths + options + ["-o", out("local/")])
        let remote = try farm.run(["export"] + paths + options + ["-o", out("remote/")])
        #expect(remote.code == local.code, "\(remote.error)")
        let pictures = try FileManager.default.contentsOfDirectory(atPath: out("local")).sorted()
        #expect(try FileManager.default.contentsOfDirectory(atPath: out("remote")).sorted() == pictures)
        for picture in pictures {
            #expect(try out.read("local/\(picture)") == out.read("remote/\(picture)"), "\(picture)")
        }
        let jobs = try farm.run(["submit", "--quiet"] + paths + ["--size", "100x100"])
        #expect(jobs.code == local.code, "\(jobs.error)")
        let numbers = jobs.output.split(separator: "\n").map(String.init)
        let wait = try farm.run(["wait"] + numbers + ["--no-fetch", "-q"])
        #expect(wait.code == 0, "\(wait.error)")
    }
}
