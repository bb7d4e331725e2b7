import Foundation
import InkCodecs
import InkTestSupport
import Testing

/// Every format at every door: the same files, byte for byte.
@Suite("Doors times formats", .timeLimit(.minutes(10)))
struct DoorTests {
    /// A way of making a format: the ending of its file, and options as long names.
    struct Form: CustomStringConvertible, Sendable {
        var ending: String
        var options: [(name: String, value: String?)] = []

        var description: String { ([ending] + options.map { "\($0.name)=\($0.value ?? "")" }).joined(separator: " ") }
        var arguments: [String] { options.flatMap { ["--\($0.name)"] + ($0.value.map { [$0] } ?? []) } }
        var query: String {
            ([("format", ending)] + options).map { "&\($0.name)=\($0.value ?? "true")" }.joined()
        }
    }

    /// Each format that can be written on this machine, and the options that make another kind of file.
    private static let forms =
        PictureCodecs.all.filter { $0.missingPackage == nil }.map { Form(ending: $0.endings[0]) } + [
            Form(ending: "jpg", options: [("progressive", nil)]),
            Form(ending: "szi", options: [("tile-overlap", "1")]),
            Form(ending: "pdf", options: [("vector", nil)]), Form(ending: "svg", options: [("plot", nil)]),
        ]

    /// Strokes over and under each other, a group, a mask and a clipped layer.
    private static let project = """
        {"version": "1.2", "name": "Doors", "canvasSize": {"width": 90, "height": 60}, "background": "#fff8e0", "layers": [
          {"id": "low", "opacity": 0.6, "blendMode": "multiply", "order": 0, "strokes": [
            {"brush": {"type": "solid", "size": 6, "color": "#cc0000"}, "points": [[5, 5], [80, 55]]}]},
          {"id": "g", "type": "group", "order": 1, "opacity": 0.7, "layers": [
            {"id": "g1", "strokes": [
              {"brush": {"type": "dots", "size": 24, "spacing": 5, "color": "#0044cc"}, "points": [[10, 30], [70, 30]]}]}]},
          {"id": "b", "order": 4, "strokes": [
            {"brush": {"type": "solid", "size": 20, "color": "#222222"}, "points": [[20, 20], [75, 20]]}]},
          {"id": "c", "order": 5, "clipped": true, "strokes": [
            {"brush": {"type": "waves", "size": 20, "spacing": 4, "color": "#ffee00"}, "points": [[25, 5], [60, 50]]}]}]}
        """

    /// Their contents by their paths below a folder.
    private static func files(below folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder),
                !isFolder.boolValue
            else { continue }
            files[name] = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return files
    }

    @Test("ink export, --broker, submit and HTTP make the same file", arguments: forms)
    func doors(form: Form) throws {
        let farm = try FarmProcesses(workers: 2, brokerOptions: ["--http", "127.0.0.1:0"])
        let folder = try EndToEndFolder()
        let project = try folder.file("doors.ink", Self.project)
        let options = ["--size", "180x120", "--format", form.ending, "--no-metadata", "-q"] + form.arguments
        // A submission's file has this name.
        let name = ["--name", "{name}-{size}.{ext}"]
        func made(_ door: String, _ run: (String) throws -> Int32) throws -> [String: Data] {
            try FileManager.default.createDirectory(atPath: folder(door), withIntermediateDirectories: true)
            #expect(try run(folder("\(door)/")) == 0, "\(door)")
            return try Self.files(below: folder(door))
        }
        let local = try made("local") { try InkProcess.run(["export", project, "-o", $0] + options + name).code }
        #expect(!local.isEmpty)
        let remote = try made("remote") { try farm.run(["export", project, "-o", $0] + options + name).code }
        #expect(remote == local)
        let submitted = try made("submitted") { path in
            let jobs = try farm.run(["submit", project] + options)
            #expect(jobs.code == 0, "\(jobs.error)")
            let number = jobs.output.trimmingCharacters(in: .whitespacesAndNewlines)
            return try farm.run(["wait", number, "-o", path, "-q"]).code
        }
        #expect(submitted == local)
        let http = try farm.http()
        let (answer, jobs) = try http.submit(Self.project, "name=doors.ink&size=180x120&no-metadata=true\(form.query)")
        #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
        let job = try #require(jobs.first)
        #expect(try http.end(of: job) == "finished")
        let picture = try http.get("/v1/jobs/\(job)/picture")
        #expect(picture.status == 200)
        if Self.folders.contains(form.ending) {
            #expect(try Self.unpacked(picture.body) == local)
            #expect(try Self.fetched(Array(local.keys), of: job, from: http) == local)
        } else {
            #expect(local.count == 1 && Data(picture.body) == local.values.first)
        }
    }

    @Test("submit and HTTP put pictures on the same paper, and paper is refused where the broker reads the document")
    func paper() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: ["--http", "127.0.0.1:0"])
        let folder = try EndToEndFolder()
        let project = try folder.file("doors.ink", Self.project)
        let options = ["--paper", "a5", "--crop-marks", "--dpi", "20", "--format", "png", "--no-metadata", "-q"]
        let submitted = try farm.run(["submit", project] + options)
        #expect(submitted.code == 0, "\(submitted.error)")
        let number = submitted.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        #expect(try farm.run(["wait", number, "-o", folder("out/"), "-q"]).code == 0)
        let http = try farm.http()
        let query = "name=doors.ink&paper=a5&crop-marks=true&dpi=20&format=png&no-metadata=true"
        let (answer, jobs) = try http.submit(Self.project, query)
        #expect(answer.status == 201, "\(answer.text)")
        let job = try #require(jobs.first)
        #expect(try http.end(of: job) == "finished")
        let picture = try http.get("/v1/jobs/\(job)/picture").body
        // 148 x 210 mm at 20 dots per inch; the size stands behind the signature and the name of the first chunk.
        #expect(Array(picture[16..<24]) == [0, 0, 0, 117, 0, 0, 0, 165])
        #expect(Array(try Self.files(below: folder("out")).values) == [Data(picture)])
        let shared = try farm.run(["submit", project, "--shared"] + options)
        #expect(shared.code == 64 && shared.error.contains("--paper"), "\(shared.error)")
    }

    // MARK: - Pictures that are folders

    private static let folders = ["dzi", "iiif"]
    private static let name = "doors-180x120"

    /// What `ink export` makes of an archive: HTTP gives such a picture as one, in which it has no name.
    private static func unpacked(_ archive: [UInt8]) throws -> [String: Data] {
        let files = try StoredZip(archive).files
        let isIIIF = files["image/info.json"] != nil
        return Dictionary(
            uniqueKeysWithValues: files.map { entry, bytes in
                let inside = String(entry.dropFirst("image/".count))
                let path = isIIIF ? "\(name).iiif/\(inside)" : inside.replacingOccurrences(of: "image", with: name)
                return (path, placed(bytes, path, from: "image"))
            })
    }

    /// Fetches the files one by one below the picture's place.
    private static func fetched(_ paths: [String], of job: Int, from http: HTTPClient) throws -> [String: Data] {
        let place = "/v1/jobs/\(job)/picture"
        var files: [String: Data] = [:]
        for path in paths {
            let inside = path.hasPrefix("\(name).iiif/") ? String(path.dropFirst("\(name).iiif/".count)) : path
            let answer = try http.get("\(place)/\(inside)")
            #expect(answer.status == 200, "\(inside)")
            files[path] = placed(answer.body, path, from: "http://127.0.0.1:\(http.port)\(place)")
        }
        return files
    }

    /// A description for IIIF says where the picture is; `ink export` writes the folder's name.
    private static func placed(_ bytes: [UInt8], _ path: String, from place: String) -> Data {
        guard path.hasSuffix("/info.json") else { return Data(bytes) }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"id\": \"\(place)\""), "\(text)")
        return Data(
            text.replacingOccurrences(of: "\"id\": \"\(place)\"", with: "\"id\": \"\(name).iiif\"").utf8)
    }
}
