import Foundation
import InkCodecs
import InkEngine
import InkJSON
import Testing

@Suite("Files of limited size", .timeLimit(.minutes(10)))
struct BoundedFileTests {
    private static let formats = PictureCodecs.all.filter {
        $0.settings.contains(.maxBytes) && $0.missingPackage == nil
    }.map(\.name)

    @Test("A file is the best that fits, the same here and through a broker", arguments: formats)
    func best(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        let report = folder("r.json")
        func export(_ name: String, _ options: [String]) throws -> (code: Int32, error: String) {
            let result = try InkProcess.run(
                ["export", project, "-o", folder(name), "--size", "300x300", "--format", format, "--report", report]
                    + options)
            return (result.code, result.error)
        }
        func exported() throws -> JSONValue? { try JSONReader.read(folder.read("r.json"))["exports"]?.array?.first }
        #expect(try export("plain.\(format)", ["--quality", "60"]).code == 0)
        let bytesMax = try folder.read("plain.\(format)").count
        #expect(try export("here.\(format)", ["--max-bytes", "\(bytesMax)"]).code == 0)
        let here = try folder.read("here.\(format)")
        let quality = try #require(try exported()?["quality"]?.integer)
        // A WebP of a slightly lower quality may be the larger one.
        #expect(quality >= 55 && here.count <= bytesMax, "\(quality), \(here.count) of \(bytesMax) bytes")
        #expect(try exported()?["sha256"]?.string == SHA256.digest(here).hexadecimal)
        if quality < 100 {
            #expect(try export("next.\(format)", ["--quality", "\(quality + 1)"]).code == 0)
            #expect(try folder.read("next.\(format)").count > bytesMax)
        }
        let farm = try FarmProcesses(workers: 1)
        #expect(try export("there.\(format)", ["--max-bytes", "\(bytesMax)", "--broker", farm.endpoint]).code == 0)
        #expect(try folder.read("there.\(format)") == here)
        let small = try export("small.\(format)", ["--max-bytes", "20"])
        #expect(small.code == 65 && small.error.contains("even with quality 1"), "\(small.error)")
        #expect(folder.files.allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("small") }, "\(folder.files)")
        let submitted = try InkProcess.run(
            ["submit", project, "--format", format, "--max-bytes", "20", "--broker", farm.endpoint])
        #expect(submitted.code == 64 && submitted.error.contains("--max-bytes"), "\(submitted.error)")
    }
}
