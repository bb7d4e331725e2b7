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

    @Test("A file is the best that fits, the same at every door", arguments: formats)
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
        // But for the digest of what was asked for, it is the file of that quality.
        #expect(try export("same.\(format)", ["--quality", "\(quality)"]).code == 0)
        let same = try folder.read("same.\(format)")
        #expect(same.count == here.count && zip(same, here).count { $0 != $1 } <= 128)
        let farm = try FarmProcesses(workers: 1, brokerOptions: ["--http", "127.0.0.1:0"])
        #expect(try export("there.\(format)", ["--max-bytes", "\(bytesMax)", "--broker", farm.endpoint]).code == 0)
        #expect(try folder.read("there.\(format)") == here)
        #expect(try exported()?["quality"]?.integer == quality)
        let bound = ["--format", format, "--max-bytes", "\(bytesMax)", "--size", "300x300"]
        let submitted = try farm.run(["submit", "--quiet", project] + bound).output
        let number = submitted.trimmingCharacters(in: .newlines)
        let waited = try farm.run(["wait", number, "-o", folder("submitted/")])
        #expect(waited.code == 0, "\(waited.error)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("submitted"))
        #expect(try names.map { try folder.read("submitted/\($0)") } == [here], "\(names)")
        let http = try farm.http()
        let (answer, jobs) = try http.submit(
            GoodProject.long, "name=a.ink&size=300x300&format=\(format)&max-bytes=\(bytesMax)")
        let job = try #require(jobs.first, "\(answer.text)")
        #expect(try http.end(of: job) == "finished")
        #expect(try http.job(job)["picture"].flatMap { $0 as? [String: Any] }?["quality"] as? Int == quality)
        #expect(try http.get("/v1/jobs/\(job)/picture").body == here)
        let small = try export("small.\(format)", ["--max-bytes", "20"])
        #expect(small.code == 65 && small.error.contains("even with quality 1"), "\(small.error)")
        #expect(folder.files.allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("small") }, "\(folder.files)")
        let (_, refused) = try http.submit(GoodProject.long, "size=300x300&format=\(format)&max-bytes=20")
        #expect(try http.end(of: refused.first ?? 0) == "failed")
    }
}
