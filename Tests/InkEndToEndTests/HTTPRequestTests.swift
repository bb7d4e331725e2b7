import Foundation
import InkEngine
import InkTestSupport
import Testing

/// What programs of others send to the HTTP front, and what its document says of the answers.
@Suite("Requests as others make them", .timeLimit(.minutes(5)))
struct HTTPRequestTests {
    private static let front = ["--http", "127.0.0.1:0"]

    private static func png() -> [UInt8] {
        MinimalPNGWriter.png(rgba: [UInt8](repeating: 200, count: 1600), size: PixelSize(width: 20, height: 20))
    }

    @Test("A picture without a name, or with another ending, keeps the format of its content")
    func photoWithoutEnding() throws {
        let folder = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        _ = try folder.file("photo.png", Self.png())
        for format in ["jpeg", "webp", "tiff"] {
            let made = try InkProcess.run(["export", folder("photo.png"), "-o", folder("a.\(format)")])
            #expect(made.code == 0, "\(made.error)")
        }
        for (file, format) in [("photo.png", "png"), ("a.jpeg", "jpeg"), ("a.webp", "webp"), ("a.tiff", "tiff")] {
            let bytes = try folder.read(file)
            for name in ["", "&name=scan.dat", "&name=scan.psd", "&name=scan.gif", "&name=scan"] {
                let answer = try http.send(
                    "POST", "/v1/jobs?priority=0\(name)", ["Content-Type": "image/*"], body: bytes)
                #expect(answer.status == 201, "\(file)\(name): \(answer.text)")
                let job = (answer.json["jobs"] as? [[String: Any]])?.first
                #expect(job?["formats"] as? [String] == [format] && job?["size"] as? String == "1x", "\(file)\(name)")
                #expect(try http.end(of: job?["id"] as? Int ?? 0) == "finished", "\(file)\(name)")
            }
            // The same at the command line: the ending of the result is that of the content.
            for name in ["scan.dat", "scan.kra", "scan"] {
                _ = try folder.file(name, bytes)
                let result = try InkProcess.run(
                    ["export", folder(name), "-o", folder("out/"), "--name", "\(file)-\(name).{ext}"])
                #expect(result.code == 0, "\(file) as \(name): \(result.error)")
                let ending = ["jpeg": "jpg", "tiff": "tif"][format] ?? format
                #expect(
                    FileManager.default.fileExists(atPath: folder("out/\(file)-\(name).\(ending)")),
                    "\(file) as \(name)")
            }
        }
    }

    @Test("A form of .NET is taken")
    func formOfDotNet() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        let body = Array(
            """
            --7427-efb8\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=options\r\n\r\n\
            {"size":["32x32"]}\r\n--7427-efb8\r\nContent-Disposition: form-data; name=document; filename=a.ink; \
            filename*=utf-8''%C3%A4.ink\r\n\r\n\(GoodProject.small)\r\n--7427-efb8--\r\n
            """.utf8)
        let answer = try http.send(
            "POST", "/v1/jobs", ["Content-Type": "multipart/form-data; boundary=\"7427-efb8\""], body: body)
        let job = (answer.json["jobs"] as? [[String: Any]])?.first
        #expect(answer.status == 201 && job?["name"] as? String == "\u{e4}.ink", "\(answer.text)")
        #expect(job?["size"] as? String == "32x32")
    }

    @Test("Names are found as people type them, in any alphabet")
    func findByName() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        let names = [
            "\u{c4}PFEL.ink", "\u{e4}pfel.ink", "cafe\u{301}.ink", "STRASSE_50%.ink",
            "\u{39f}\u{394}\u{39f}\u{3a3}.ink",
        ]
        let allowed = CharacterSet.alphanumerics
        for name in names {
            let text = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
            #expect(try http.submit(GoodProject.small, "name=\(text)&size=32x32").0.status == 201)
        }
        for (part, count) in [
            ("apf", 0), ("\u{e4}pf", 2), ("\u{c4}PF", 2), ("a\u{308}pf", 2), ("caf\u{e9}", 1), ("CAFE\u{301}", 1),
            ("cafe", 0), ("stra\u{df}e_", 1), ("0%", 1), ("\u{3bf}\u{3b4}\u{3cc}\u{3c2}", 0),
            ("\u{3bf}\u{3b4}\u{3bf}\u{3c2}", 1), (".ink", 5),
        ] {
            let text = part.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
            let found = try http.get("/v1/jobs?name=\(text)").json["jobs"] as? [[String: Any]]
            #expect(found?.count == count, "\(part): \(found?.compactMap { $0["name"] } ?? [])")
        }
    }

    @Test("A batch is named after its first document, and downloads of several sizes differ")
    func names() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let (type, body) = HTTPClient.form([
            ("options", nil, Array(#"{"size": ["16x16", "32x32"]}"#.utf8)),
            ("document", "owl.ink", Array(GoodProject.small.utf8)),
            ("document", "hen.ink", Array(GoodProject.small.utf8)),
            ("document", "fox.ink", Array(GoodProject.small.utf8)),
        ])
        let answer = try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body)
        let jobs = (answer.json["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
        #expect(jobs.count == 6, "\(answer.text)")
        let batch = answer.json["batch"] as? String ?? ""
        #expect(try http.get("/v1/batches/\(batch)").json["name"] as? String == "owl.ink and 2 more")
        let (alone, _) = try http.submit(GoodProject.small, "name=one.ink&size=16x16,32x32")
        let batches = try http.get("/v1/batches").json["batches"] as? [[String: Any]] ?? []
        #expect(batches.compactMap { $0["name"] as? String } == ["one.ink", "owl.ink and 2 more"], "\(alone.text)")
        var files: Set<String> = []
        for job in jobs {
            #expect(try http.end(of: job) == "finished")
            let name = try http.get("/v1/jobs/\(job)/picture?download=true").headers["content-disposition"] ?? ""
            files.insert(String(name.split(separator: "\"").dropFirst().first ?? ""))
        }
        #expect(
            files == [
                "owl-16x16.png", "owl-32x32.png", "hen-16x16.png", "hen-32x32.png", "fox-16x16.png", "fox-32x32.png",
            ])
    }

    @Test("A download goes on only with the picture that it began with")
    func ifRange() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let job = try #require(try http.submit(GoodProject.small, "size=32x32").1.first)
        #expect(try http.end(of: job) == "finished")
        let path = "/v1/jobs/\(job)/picture"
        let whole = try http.get(path)
        let tag = try #require(whole.headers["etag"])
        for (condition, status) in [
            ("\"another\"", 200), (tag, 206), ("W/\(tag)", 200), ("Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ] {
            let answer = try http.get(path, ["Range": "bytes=10-", "If-Range": condition])
            #expect(answer.status == status, "\(condition)")
            #expect(answer.body == Array(status == 200 ? whole.body[...] : whole.body[10...]), "\(condition)")
        }
        #expect(try http.get(path, ["If-Match": "\"another\""]).status == 412)
        #expect(try http.get(path, ["If-None-Match": "W/\"x\", \(tag)"]).status == 304)
        let head = try http.send("HEAD", path, ["Range": "bytes=0-1"])
        #expect(head.status == 200 && head.headers["content-length"] == "\(whole.body.count)" && head.body.isEmpty)
    }

    @Test("What is refused says what to do")
    func messages() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        // A drawing with the media type of JSON is taken for a list of paths.
        let project = try http.post("/v1/jobs", json: GoodProject.small)
        #expect(project.status == 400 && project.text.contains("application/octet-stream"), "\(project.text)")
        let named = try http.send(
            "POST", "/v1/jobs?name=a.ink", ["Content-Type": "application/json"], body: Array(GoodProject.small.utf8))
        #expect(named.status == 400 && named.text.contains("application/octet-stream"), "\(named.text)")
        for (query, status, text) in [
            ("brush=waves", 400, "use ink export --brush"), ("pdf-book=a.pdf", 400, "use ink export --pdf-book"),
            ("max-bytes=2M", 422, "png has none"), ("sise=2k", 400, "there are size, "),
            ("tile-overlap=2", 400, "is not 0 or 1"),
        ] {
            let (answer, _) = try http.submit(GoodProject.small, query)
            #expect(answer.status == status && answer.text.contains(text), "\(query): \(answer.text)")
        }
        for (document, text) in [
            (#"{"version": "1.1", "id": nonsense}"#, "is not a value of JSON"), ("", "empty"),
        ] {
            let (answer, _) = try http.submit(document, "size=32x32")
            #expect(answer.status == 422 && answer.text.contains(text), "\(document): \(answer.text)")
        }
    }

    // MARK: - The document

    private static let document: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/http.md"), encoding: .utf8)) ?? ""
    }()

    private static func documented(_ name: String) throws -> Any {
        let text = try #require(
            document.components(separatedBy: "<!-- answer: \(name) -->\n```json\n").dropFirst().first)
        let json = try #require(text.components(separatedBy: "\n```").first)
        return try JSONSerialization.jsonObject(with: Data(json.utf8))
    }

    /// The members of a value and of those in it, with the kinds of their values; of a list those of its first item.
    private static func shape(_ value: Any, _ path: String = "") -> Set<String> {
        switch value {
        case let object as [String: Any]:
            return object.reduce(into: ["\(path): object"]) { $0.formUnion(shape($1.value, "\(path).\($1.key)")) }
        case let list as [Any]:
            return (list.first.map { shape($0, "\(path)[]") } ?? []).union(["\(path): list"])
        case is String: return ["\(path): text"]
        case is NSNull: return ["\(path): null"]
        default: return ["\(path): number"]
        }
    }

    private static let hasCurl = (try? Shell.run("command -v curl").code) == 0

    @Test("The first commands of docs/http.md work", .enabled(if: hasCurl, "curl is not installed"))
    func documentedCommands() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let folder = try EndToEndFolder()
        _ = try folder.file("owl.ink", GoodProject.small)
        let blocks = Self.document.components(separatedBy: "\n```sh\n").dropFirst()
        let script = try #require(blocks.first?.components(separatedBy: "\n```").first)
        // The farm runs already, elsewhere, and is not to draw much.
        let commands = script.components(separatedBy: "\n").filter { !$0.hasPrefix("ink ") }.joined(separator: "\n")
            .replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(try farm.http().port)")
            .replacingOccurrences(of: "curl ", with: "curl -sS --fail-with-body ")
            .replacingOccurrences(of: "size=4k", with: "size=64")
        #expect(commands.components(separatedBy: "curl ").count == 4, "\(commands)")
        let result = try Shell.run("set -e\n\(commands)", folder: URL(fileURLWithPath: folder.path))
        #expect(result.code == 0, "\(result.output)")
        #expect(folder.files.contains("owl-64x64.jpg"), "\(folder.files)")
    }

    @Test("The answers in docs/http.md have the members that are sent")
    func documentedAnswers() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let job = try #require(try http.submit(GoodProject.small, "name=owl.ink&size=64&format=jpeg").1.first)
        #expect(try http.end(of: job) == "finished")
        let idle = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let queued = try idle.http().submit(GoodProject.small, "name=owl.ink&size=64&format=jpeg").0
        #expect(try Self.shape(Self.documented("Submitted")) == Self.shape(queued.json), "\(queued.text)")
        let done = try http.job(job)
        #expect(try Self.shape(Self.documented("Job")) == Self.shape(done), "\(done)")
        let problem = try http.get("/v1/jobs/7")
        #expect(try Self.shape(Self.documented("Problem")) == Self.shape(problem.json), "\(problem.text)")
        let detail = (try Self.documented("Problem") as? [String: Any])?["detail"] as? String
        #expect(detail == problem.json["detail"] as? String)
    }
}
