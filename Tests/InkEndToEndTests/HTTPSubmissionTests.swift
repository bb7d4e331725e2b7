import Foundation
import InkTestSupport
import Testing

/// Submissions by HTTP: keys, limits, names, and what the contract says of the answers.
@Suite("Submissions by HTTP", .timeLimit(.minutes(10)))
struct HTTPSubmissionTests {
    private static let front = ["--http", "127.0.0.1:0"]

    @Test("Of two documents that come with one key at once, one is accepted and the other is told so")
    func keyAtOnce() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        for round in 0..<6 {
            let answers = Answers()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let document = GoodProject.small.replacingOccurrences(of: "Good", with: "Good \(index)")
                let headers = ["Idempotency-Key": "round-\(round)"]
                answers.add((try? http.submit(document, "name=a.ink&size=64x64", headers))?.0.status ?? 0)
            }
            #expect(answers.all.sorted() == [201, 409], "round \(round)")
        }
        let jobs = try http.get("/v1/jobs").json["jobs"] as? [Any]
        #expect(jobs?.count == 6)
    }

    private final class Answers: @unchecked Sendable {
        private let lock = NSLock()
        private var statuses: [Int] = []

        func add(_ status: Int) { lock.withLock { statuses.append(status) } }
        var all: [Int] { lock.withLock { statuses } }
    }

    @Test("A key stands for all documents of a form: with one more or less it is refused")
    func keyOfForm() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        func post(_ count: Int) throws -> HTTPClient.Answer {
            let (type, body) = HTTPClient.form(
                (0..<count).map { ("document", "\($0).ink", Array(GoodProject.small.utf8)) })
            return try http.send("POST", "/v1/jobs", ["Content-Type": type, "Idempotency-Key": "k"], body: body)
        }
        #expect(try post(2).status == 201)
        #expect(try post(2).status == 200)
        #expect(try post(3).status == 409)
        #expect(try post(1).status == 409)
        #expect((try http.get("/v1/jobs").json["jobs"] as? [Any])?.count == 2)
    }

    @Test("A document for which there will never be room is refused for good, with the limit, before it is sent")
    func neverRoom() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front + ["--quota", "4M"])
        let http = try farm.http()
        let head = """
            POST /v1/jobs?name=a.ink HTTP/1.1\r\nHost: 127.0.0.1:\(http.port)\r\nConnection: close\r
            Content-Type: application/octet-stream\r\nContent-Length: 1500000\r\n\r\n
            """
        // The answer comes although no byte of the document does.
        let answer = HTTPClient.answer(try http.raw(Array(head.utf8), seconds: 20))
        #expect(answer.status == 413 && answer.text.contains("--quota") && answer.headers["retry-after"] == nil)
        let all = try http.submit(GoodProject.small + String(repeating: " ", count: 1 << 20), "name=a.ink&size=64x64")
        #expect(all.0.status == 413)
        #expect(try http.submit(GoodProject.small, "name=a.ink&size=64x64").0.status == 201)
    }

    @Test("A size that a format cannot have is refused when it is submitted, and the options are named")
    func tooLargeForFormat() throws {
        let folder = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        let project = try folder.file("a.ink", GoodProject.small)
        // 48 x 32: the first is known without the document, the second not.
        for size in ["20000x20000", "400x"] {
            let (answer, _) = try http.submit(GoodProject.small, "name=a.ink&format=webp&size=\(size)")
            #expect(answer.status == 422, "\(answer.text)")
            let submitted = try farm.run(["submit", project, "--format", "webp", "--size", size])
            let exported = try InkProcess.run([
                "export", project, "--format", "webp", "--size", size, "-o", folder("out/"),
            ])
            #expect(submitted.code != 0 && exported.code != 0)
            for text in [submitted.error, exported.error] {
                #expect(text.contains("--size") && text.contains("--format") && text.contains("16383"), "\(text)")
            }
            // As the address has them.
            let problem = answer.json["detail"] as? String ?? ""
            #expect(problem.contains("a smaller size, or another format") && problem.contains("16383"), "\(problem)")
        }
        #expect((try http.get("/v1/jobs").json["jobs"] as? [Any])?.isEmpty == true)
    }

    @Test("Pictures have the names that ink export gives them: in status, by HTTP and with ink wait, folders too")
    func names() throws {
        let folder = try EndToEndFolder()
        let data = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("InkConformanceTests/Data/aseprite/layers_and_tags.aseprite")
        try folder.file("in/deep/walk.aseprite", [UInt8](try Data(contentsOf: data)))
        try folder.file("in/a.ink", GoodProject.small)
        try folder.file("in/deep/a.ink", GoodProject.small)
        let export = try InkProcess.run(["export", folder("in"), "--documents", "--size", "32x32", "-o", folder("out")])
        #expect(export.code == 0, "\(export.error)")
        func tree(_ name: String) throws -> Set<String> {
            Set(try FileManager.default.subpathsOfDirectory(atPath: folder(name)).filter { $0.hasSuffix(".png") })
        }
        let expected = try tree("out")
        #expect(expected.count == 6 && expected.contains("a-32x32.png") && expected.contains("deep/a-32x32.png"))

        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let submitted = try farm.run(["submit", folder("in"), "--documents", "--size", "32x32", "--json"])
        #expect(submitted.code == 0, "\(submitted.error)")
        let jobs = try http.get("/v1/jobs").json["jobs"] as? [[String: Any]] ?? []
        #expect(Set(jobs.compactMap { $0["file"] as? String }) == expected)
        let numbers = jobs.compactMap { $0["id"] as? Int }
        let waited = try farm.run(["wait"] + numbers.map(String.init) + ["-o", folder("fetched")])
        #expect(waited.code == 0, "\(waited.error)")
        #expect(try tree("fetched") == expected)
        for job in try http.get("/v1/jobs").json["jobs"] as? [[String: Any]] ?? [] {
            let (number, file) = (job["id"] as? Int ?? 0, job["file"] as? String ?? "")
            let name = file.split(separator: "/").last ?? ""
            let picture = try http.get("/v1/jobs/\(number)/picture?download=true")
            let disposition = picture.headers["content-disposition"] ?? ""
            #expect(disposition.contains("filename=\"\(name)\""), "\(disposition)")
            #expect(try farm.run(["status", "\(number)"]).output.contains(file))
        }
        // A document that is sent alone, and one in a folder.
        let (type, body) = HTTPClient.form([
            ("document", "deep/walk.aseprite", [UInt8](try Data(contentsOf: data))),
            ("options", nil, Array(#"{"size": ["32x32"]}"#.utf8)),
        ])
        let made = try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body)
        let files = (made.json["jobs"] as? [[String: Any]] ?? []).compactMap { $0["file"] as? String }
        #expect(Set(files) == expected.filter { $0.contains("walk") }, "\(made.text)")
    }

    @Test("Answers have the members that the contract says, and no others")
    func contract() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let made = try http.submit(GoodProject.small, "name=a.ink&size=64x64,32x32")
        for job in made.1 { #expect(try http.end(of: job) == "finished") }
        let failing = try http.submit(GoodProject.small, "name=b.ink&size=4000x4000").1
        let first = try #require(made.1.first)
        let document = try http.get("/openapi.json").json
        var contract = Contract(document)
        let batch = try http.job(first)["batch"] as? String ?? ""
        for (path, answer) in [
            ("/v1/jobs", try http.get("/v1/jobs")), ("/v1/jobs/{job}", try http.get("/v1/jobs/\(first)")),
            ("/v1/jobs/{job}", try http.get("/v1/jobs/\(failing.first ?? 0)")),
            ("/v1/batches", try http.get("/v1/batches")), ("/v1/batches/{batch}", try http.get("/v1/batches/\(batch)")),
            ("/v1/workers", try http.get("/v1/workers")), ("/v1/stats", try http.get("/v1/stats")),
            ("/v1/formats", try http.get("/v1/formats")),
        ] {
            #expect(answer.status == 200)
            contract.compare(answer.json, with: path)
        }
        // What is only there in a state that this farm is not in.
        let rare: Set<String> = ["Stats.store.problem", "Job.error", "Failure.", "Job.progress", "Job.timeLeft"]
        let missing = contract.missing.filter { name in !rare.contains { name.hasPrefix($0) } }
        #expect(contract.unknown.isEmpty && missing.isEmpty, "unknown: \(contract.unknown), missing: \(missing)")
    }
}

/// Compares answers with the schemas of an OpenAPI document, member by member.
private struct Contract {
    private let document: [String: Any]
    private var declared: Set<String> = []
    private var seen: Set<String> = []
    private(set) var unknown: Set<String> = []
    /// Declared and never seen.
    var missing: Set<String> { declared.subtracting(seen) }

    init(_ document: [String: Any]) { self.document = document }

    mutating func compare(_ answer: Any, with path: String) {
        let paths = document["paths"] as? [String: Any]
        let get = (paths?[path] as? [String: Any])?["get"] as? [String: Any]
        let responses = get?["responses"] as? [String: Any]
        let content = (resolved(responses?["200"]).schema["content"] as? [String: Any])?["application/json"]
        guard let schema = (content as? [String: Any])?["schema"] else {
            unknown.insert("no schema of \(path)")
            return
        }
        compare(answer, schema, path)
    }

    private func resolved(_ schema: Any?) -> (schema: [String: Any], name: String?) {
        let schema = schema as? [String: Any] ?? [:]
        guard let reference = schema["$ref"] as? String else { return (schema, nil) }
        var found: Any? = document
        let parts = reference.split(separator: "/").dropFirst().map(String.init)
        for part in parts { found = (found as? [String: Any])?[part] }
        return (found as? [String: Any] ?? [:], parts.last)
    }

    private mutating func compare(_ value: Any, _ schema: Any, _ place: String) {
        let (schema, name) = resolved(schema)
        let place = name ?? place
        if let choices = (schema["oneOf"] ?? schema["anyOf"]) as? [[String: Any]] {
            for choice in choices where choice["type"] as? String != "null" { compare(value, choice, place) }
            return
        }
        for part in schema["allOf"] as? [[String: Any]] ?? [] { compare(value, part, place) }
        if let items = schema["items"], let list = value as? [Any] {
            for item in list { compare(item, items, place) }
        }
        guard let properties = schema["properties"] as? [String: Any] else { return }
        declared.formUnion(properties.keys.map { "\(place).\($0)" })
        guard let members = value as? [String: Any] else { return }
        for (key, member) in members {
            guard let property = properties[key] else {
                if schema["additionalProperties"] == nil { unknown.insert("\(place).\(key)") }
                continue
            }
            seen.insert("\(place).\(key)")
            compare(member, property, "\(place).\(key)")
        }
    }
}
