import InkJSON
import InkService
import InkTestSupport
import Testing

@testable import InkHTTP

@Suite("Submissions without a socket", .timeLimit(.minutes(5)))
struct RouterSubmissionTests {
    private static func form(_ parts: [(name: String, file: String?, text: String)]) -> (type: String, body: [UInt8]) {
        let text = parts.map { part in
            "--b\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(part.file.map { "; filename=\"\($0)\"" } ?? "")"
                + "\r\n\r\n\(part.text)\r\n"
        }
        return ("multipart/form-data; boundary=b", Array((text.joined() + "--b--\r\n").utf8))
    }

    /// What the front has stored; a folder for uploads may be there.
    private static func stored(_ front: Front) throws -> [String] {
        try front.folder.contents().filter { !$0.hasSuffix("uploads") }
    }

    @Test("A document becomes a job for each size; the same key is the same submission")
    func accepted() throws {
        let front = try Front()
        let key = ["idempotency-key": "k"]
        let first = try front.submit("name=a.ink&size=8x8,9x9&priority=-3", key)
        #expect(first.status == 201 && first.json["jobs"]?.array?.count == 2, "\(first.text)")
        #expect(first.headers["location"] == "/v1/batches/\(first.json["batch"]?.string ?? "")")
        #expect(first.json["jobs"]?.array?.allSatisfy { $0["priority"]?.integer == -3 } == true)
        let again = try front.submit("name=a.ink&size=8x8,9x9&priority=-3", key)
        #expect(again.status == 200 && again.json["batch"]?.string == first.json["batch"]?.string)
        #expect(try front.submit("name=a.ink&size=8x8", key).status == 409)
        let form = Self.form([
            ("document", "b.ink", Front.drawing), ("document", "bad.ink", "x"), ("priority", nil, "4"),
            ("options", nil, #"{"size": ["7x7"]}"#),
        ])
        let second = try front.ask("POST", "/v1/jobs", ["content-type": form.type], form.body)
        let job = second.json["jobs"]?.array?.first
        #expect(second.status == 201 && second.headers["location"] == "/v1/jobs/\(job?["id"]?.integer ?? 0)")
        #expect(job?["name"]?.string == "b.ink" && job?["size"]?.string == "7x7" && job?["priority"]?.integer == 4)
        let failures = second.json["failures"]?.array?.compactMap { $0["text"]?.string }
        #expect(failures?.count == 1 && failures?[0].hasPrefix("bad.ink: ") == true, "\(second.text)")
        #expect(try front.ask("GET", "/v1/jobs").json["jobs"]?.array?.count == 3)
        #expect(try Self.stored(front).allSatisfy { !$0.contains("uploads/") })
    }

    @Test("What is refused is refused for its reason, and nothing of it is stored")
    func refused() throws {
        let front = try Front(documentBytesMax: 200_000)
        try front.folder.write("{}", to: "outside.ink")
        let before = try Self.stored(front)
        let (document, json) = ("application/octet-stream", "application/json")
        let large = String(repeating: " ", count: (1 << 20) + 1)
        for (type, query, headers, body, status, says) in [
            (nil, "name=a", [:], "{}", 415, "what the body is"),
            ("application/x-www-form-urlencoded", "", [:], "a=b", 415, "what the body is"),
            (document, "name=a", [:], "", 422, "is empty"), (document, "name=a", [:], "x", 422, "a: "),
            (document, "name=", [:], "{}", 400, "name is not"), (document, "name=a%00", [:], "{}", 400, "name is not"),
            (document, "priority=11", [:], "{}", 400, "priority"), (document, "priority=x", [:], "{}", 400, "priority"),
            (document, "quality=0", [:], "{}", 400, "quality"),
            (document, "brush=x", [:], "{}", 400, "ink export --brush"),
            (document, "watermark=x&watermark-anchor=nowhere", [:], "{}", 422, "watermark-anchor"),
            (document, "", ["idempotency-key": "two words"], "{}", 400, "Idempotency-Key"),
            (document, "", ["idempotency-key": ""], "{}", 400, "Idempotency-Key"),
            (document, "", ["idempotency-key": String(repeating: "k", count: 257)], "{}", 400, "Idempotency-Key"),
            (document, "", [:], large, 413, "--http-document-size"),
            (json, "name=a", [:], "{}", 400, "in the address"), (json, "", [:], "{}", 400, "paths is missing"),
            (json, "", [:], "[]", 400, "not a JSON object"), (json, "", [:], "{\"paths\": [", 400, "at byte"),
            (json, "", [:], #"{"paths": []}"#, 400, "1 to 1000"), (json, "", [:], #"{"paths": [""]}"#, 400, "an item"),
            (json, "", [:], #"{"paths": ["a"], "x": 1}"#, 400, "no member \"x\""),
            (json, "", [:], #"{"paths": ["a"], "options": {"font": "x"}}"#, 400, "font"),
            (json, "", [:], #"{"paths": ["../outside.ink", "/etc/passwd"]}"#, 422, "/etc/passwd: no such file"),
            (json, "", [:], large, 413, "1048576 bytes"),
        ] as [(String?, String, [String: String], String, Int, String)] {
            let headers = headers.merging(type.map { ["content-type": $0] } ?? [:]) { $1 }
            let answer = try front.ask("POST", "/v1/jobs?\(query)", headers, Array(body.utf8))
            #expect(answer.status == status && answer.detail.contains(says), "\(says): \(answer.text)")
            #expect(try Self.stored(front) == before, "\(says)")
        }
        let one = ("document", "a.ink", "{}") as (String, String?, String)
        for (parts, status, says) in [
            ([], 400, "document is missing"), ([("other", nil, "x")], 400, "no part \"other\""),
            ([one, ("options", nil, "{"), one], 400, "options is not JSON"),
            ([one, ("priority", nil, "1"), ("priority", nil, "1")], 400, "priority comes twice"),
            ([one, ("priority", nil, "\"1\"")], 400, "priority"), ([one, ("options", nil, large)], 413, "options"),
            ([("document", "a.ink", String(large.prefix(200_001)))], 413, "--http-document-size"),
            ([one, ("overlay-picture", "a.png", "x")], 400, "no part overlay"),
            ([one, ("watermark", "a.png", "x"), ("watermark", "b.png", "x")], 400, "watermark comes twice"),
            ([one, ("overlay", "o.json", "[")], 400, "JSON"), ([("document", "a.ink", "x")], 422, "a.ink: "),
        ] as [([(String, String?, String)], Int, String)] {
            let form = Self.form(parts)
            let answer = try front.ask("POST", "/v1/jobs", ["content-type": form.type], form.body)
            #expect(answer.status == status && answer.detail.contains(says), "\(says): \(answer.text)")
            #expect(try Self.stored(front) == before, "\(says)")
        }
        #expect(try front.ask("GET", "/v1/jobs").json["jobs"]?.array?.isEmpty == true)
    }

    @Test("A document for which there is no room is refused unread: for good, or until others are done")
    func room() throws {
        let front = try Front { $0.quotaBytes = 4_000 }
        let announced = ["content-length": "1001"]
        let never = try front.submit("name=a.ink", announced)
        #expect(never.status == 413 && never.isRefusedUnread && never.detail.contains("--quota"), "\(never.text)")
        #expect(never.headers["retry-after"] == nil)
        let request = try Front.request("POST", "/v1/jobs?name=b", ["content-type": "application/octet-stream"])
        guard case .take(let other) = front.gateway.intake(of: request) else {
            Issue.record("a document is not taken")
            return
        }
        try [UInt8](repeating: 32, count: 999).withUnsafeBytes { try other.take($0) }
        let busy = try front.submit()
        #expect(busy.status == 503 && busy.headers["retry-after"] == "5", "\(busy.text)")
        #expect(try front.submit("name=a.ink", ["content-length": "2"]).isRefusedUnread)
        other.close()
        #expect(try front.submit().status == 201)
    }

    @Test("A broker that stops takes no more documents, and says when to come again")
    func stopping() throws {
        let front = try Front()
        front.gateway.stop()
        let answer = try front.submit()
        #expect(answer.status == 503 && answer.isRefusedUnread && answer.headers["retry-after"] == "1")
        #expect(try front.ask("GET", "/v1/jobs").status == 200)
    }
}
