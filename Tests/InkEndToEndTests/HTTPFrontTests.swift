import Foundation
import Glibc
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

/// The HTTP front of the real broker.
@Suite("HTTP", .timeLimit(.minutes(10)))
struct HTTPFrontTests {
    private static let front = ["--http", "127.0.0.1:0"]

    @Test("A document becomes a picture: accepted, followed, fetched whole and in parts")
    func walk() throws {
        let farm = try FarmProcesses(workers: 2, brokerOptions: Self.front)
        let http = try farm.http()
        let (answer, jobs) = try http.submit(GoodProject.small, "name=my%20drawing.ink&size=600x400&format=jpeg")
        #expect(answer.status == 201, "\(answer.text)")
        let job = try #require(jobs.first)
        #expect(answer.headers["location"] == "/v1/jobs/\(job)")
        // The stream ends with the job.
        let events = try http.get("/v1/jobs/\(job)/events").text
        #expect(events.hasPrefix("event: job\ndata: {") && events.contains("\"state\":\"finished\""))
        let done = try http.job(job)
        let picture = try #require(done["picture"] as? [String: Any])
        #expect(picture["file"] as? String == "my drawing-600x400.jpg" && picture["width"] as? Int == 600)
        let file = try http.get("/v1/jobs/\(job)/picture?download=true")
        #expect(file.status == 200 && file.headers["content-type"] == "image/jpeg")
        #expect(file.headers["content-disposition"]?.contains("filename*=UTF-8''my%20drawing-600x400.jpg") == true)
        #expect(SHA256.digest(file.body).hexadecimal == picture["sha256"] as? String)
        let tag = try #require(file.headers["etag"])
        #expect(try http.get("/v1/jobs/\(job)/picture", ["If-None-Match": tag]).status == 304)
        for (range, expected) in [
            ("bytes=0-9", file.body[..<10]), ("bytes=10-", file.body[10...]), ("bytes=-7", file.body.suffix(7)),
        ] {
            let part = try http.get("/v1/jobs/\(job)/picture", ["Range": range])
            #expect(part.status == 206 && part.body == Array(expected), "\(range)")
        }
        #expect(try http.get("/v1/jobs/\(job)/picture", ["Range": "bytes=\(file.body.count)-"]).status == 416)
        let preview = try http.get("/v1/jobs/\(job)/preview")
        #expect(try PNGHeader(preview.body, place: Place(file: "preview")).size.longestEdge == 768)
        #expect(try http.get("/v1/jobs/\(job)/story").json["job"] as? Int == job)
        #expect(try http.send("DELETE", "/v1/jobs/\(job)").status == 204)
        #expect(try http.get("/v1/jobs/\(job)").status == 404)
        #expect(try http.get("/v1/jobs/\(job)/picture").status == 404)
        #expect(!FileManager.default.fileExists(atPath: farm.path("data/previews/\(job).png")))
    }

    @Test("Only this site, by its own name, and only with a token of the role")
    func access() throws {
        let open = try FarmProcesses(workers: 0, brokerOptions: Self.front + ["--http-host", "ink.example"])
        let http = try open.http()
        for (host, status) in [
            ("127.0.0.1", 200), ("LOCALHOST:1", 200), ("ink.example", 200), ("evil.example", 403), ("[::1]:80", 200),
            ("127.0.0.1.evil.example", 403), ("", 403),
        ] {
            #expect(try http.get("/v1/jobs", ["Host": host]).status == status, "\(host)")
        }
        for (headers, status) in [
            (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
            (["Sec-Fetch-Site": "cross-site"], 403),
            (["Sec-Fetch-Site": "same-site"], 403), (["Origin": "http://127.0.0.1:\(http.port)"], 404),
            (["Sec-Fetch-Site": "same-origin"], 404),
        ] {
            #expect(try http.send("POST", "/v1/jobs/1/cancel", headers).status == status, "\(headers)")
        }

        let folder = try EndToEndFolder()
        var tokens: [String: String] = [:]
        for role in ["read", "submit", "operate"] {
            let result = try InkProcess.run(["keygen", role, "--http", "--role", role, "-o", folder("tokens")])
            #expect(result.code == 0, "\(result.error)")
            tokens[role] = result.output.split(separator: " ").last?.trimmingCharacters(in: .newlines)
        }
        let stored = try String(decoding: folder.read("tokens"), as: UTF8.self)
        for token in tokens.values { #expect(!stored.contains(token.dropFirst(4))) }
        #expect(try InkProcess.run(["keygen", "read", "--http", "--role", "read", "-o", folder("tokens")]).code == 64)
        let closed = try FarmProcesses(workers: 0, brokerOptions: Self.front + ["--http-tokens", folder("tokens")])
        let guarded = try closed.http()
        #expect(try guarded.get("/").status == 200 && guarded.get("/healthz").status == 200)
        for (path, needed) in [
            ("GET /v1/jobs", 0), ("GET /metrics", 0), ("GET /v1/events?x=1", 3), ("POST /v1/jobs/1/cancel", 1),
            ("DELETE /v1/jobs/1", 2), ("POST /v1/workers/a/drain", 2),
        ] where needed < 3 {
            let (method, target) = (String(path.split(separator: " ")[0]), String(path.split(separator: " ")[1]))
            #expect(try guarded.send(method, target).status == 401, "\(path)")
            #expect(try guarded.send(method, target, ["Authorization": "Bearer ink_00"]).status == 401, "\(path)")
            for (rank, role) in ["read", "submit", "operate"].enumerated() {
                let header = ["Authorization": "Bearer \(tokens[role] ?? "")"]
                let status = try guarded.send(method, target, header).status
                #expect(rank < needed ? status == 403 : status == 200 || status == 404, "\(path) \(role): \(status)")
            }
        }
    }

    @Test(
        "It does not start where others could come in, or with wrong settings",
        arguments: [
            ["--http", "0.0.0.0:0"], ["--http", "*:0"], ["--http", "127.0.0.1.nowhere.invalid:0"], ["--http", "8080"],
            ["--http", "127.0.0.1:70000"],
            ["--http-tokens", "/nonexistent"], ["--http", "127.0.0.1:0", "--http-tokens", "/dev/null"],
        ])
    func refusedSettings(options: [String]) throws {
        let folder = try EndToEndFolder()
        let result = try InkProcess.run(["broker", "--data", folder("data")] + options)
        #expect(result.code == 78, "\(result.code) \(result.error)")
        #expect(result.error.contains("http"))
    }

    @Test("The same key is the same submission, and another document with it is refused")
    func idempotency() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let key = ["Idempotency-Key": "a-key"]
        let (first, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64,32x32", key)
        #expect(first.status == 201 && jobs.count == 2, "\(first.text)")
        let batch = try #require(first.json["batch"] as? String)
        #expect(first.headers["location"] == "/v1/batches/\(batch)")
        let (again, sameJobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64,32x32", key)
        #expect(again.status == 200 && sameJobs == jobs)
        #expect(try http.submit(GoodProject.small, "name=a.ink&size=65x65", key).0.status == 409)
        #expect(try http.submit(GoodProject.small, "name=a.ink", ["Idempotency-Key": "with blanks"]).0.status == 400)
        for job in jobs { #expect(try http.end(of: job) == "finished") }
        let facts = try http.get("/v1/batches/\(batch)").json
        #expect(facts["jobs"] as? Int == 2 && facts["finished"] as? Int == 2 && facts["endedAt"] is String)
        #expect(try http.get("/v1/batches/\(String(repeating: "0", count: 24))").status == 404)
    }

    @Test("Forms and paths: several documents, and what is wrong with some does not stop the others")
    func severalDocuments() throws {
        let folder = try EndToEndFolder()
        try folder.file("in/deep/b.ink", GoodProject.small)
        let farm = try FarmProcesses(
            workers: 1, brokerOptions: Self.front + ["--input-root", folder("in"), "--http-document-size", "100K"])
        let http = try farm.http()
        let small = Array(GoodProject.small.utf8)
        func post(_ parts: [(String, String?, [UInt8])]) throws -> HTTPClient.Answer {
            let (type, body) = HTTPClient.form(parts)
            return try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body)
        }
        let options = Array(#"{"size": ["40x40"], "format": ["png", "jpeg"], "watermark": "(c) A"}"#.utf8)
        let made = try post([
            ("document", "a.ink", small), ("options", nil, options), ("document", "../../etc/bad.ink", Array("{".utf8)),
            ("document", "b.ink", small), ("priority", nil, Array("3".utf8)),
        ])
        #expect(made.status == 201, "\(made.text)")
        let jobs = made.json["jobs"] as? [[String: Any]] ?? []
        #expect(jobs.count == 4 && jobs.allSatisfy { $0["priority"] as? Int == 3 })
        let failures = made.json["failures"] as? [[String: Any]] ?? []
        #expect(failures.count == 1 && !"\(failures)".contains("uploads"), "\(failures)")
        let first = try #require(jobs.first?["id"] as? Int)
        #expect(try http.end(of: first) == "finished")
        #expect(Set(jobs.compactMap { ($0["formats"] as? [String])?.first }) == ["png", "jpeg"])

        #expect(try post([("document", "a.ink", Array("no drawing".utf8))]).status == 422)
        #expect(try post([("options", nil, options)]).status == 400)
        #expect(try post([("document", "a", small), ("options", nil, Array("[".utf8))]).status == 400)
        #expect(try post([("document", "a", small), ("other", nil, small)]).status == 400)
        #expect(try post([("document", "a.ink", [UInt8](repeating: 32, count: 200_000))]).status == 413)
        for option in [
            #"{"size": ["0"]}"#, #"{"watermark": "/etc/passwd"}"#, #"{"watermark": "a.png"}"#,
            #"{"format": ["nope"]}"#,
        ] {
            #expect(
                try post([("document", "a.ink", small), ("options", nil, Array(option.utf8))]).status == 422,
                "\(option)")
        }
        for option in [
            #"{"overlay": "/etc/passwd"}"#, #"{"font": "/etc/passwd"}"#, #"{"limits": "/dev/zero"}"#,
            #"{"size": "2k"}"#,
            #"{"quality": 0}"#, #"{"rgb": 1}"#,
        ] {
            #expect(
                try post([("document", "a.ink", small), ("options", nil, Array(option.utf8))]).status == 400,
                "\(option)")
        }

        let paths = try http.post("/v1/jobs", json: #"{"paths": ["deep/b.ink", "c.ink", "/etc/passwd", "../x"]}"#)
        #expect(paths.status == 201 && (paths.json["failures"] as? [Any])?.count == 3, "\(paths.text)")
        #expect((paths.json["jobs"] as? [[String: Any]])?.first?["name"] as? String == "deep/b.ink")
        #expect(try http.post("/v1/jobs", json: #"{"paths": []}"#).status == 400)
        // Nothing of what was sent stays.
        #expect(
            farm.wait(seconds: 30) {
                ((try? FileManager.default.contentsOfDirectory(atPath: farm.path("data/uploads"))) ?? [""]).isEmpty
            })
    }

    @Test("Lists come page by page in any order, each job once")
    func lists() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        var all: Set<Int> = []
        for (index, name) in ["b", "A", "c%", "a_", "b"].enumerated() {
            let encoded = name.replacing("%", with: "%25")
            let document = index == 2 ? GoodProject.small + " " : GoodProject.small
            all.formUnion(try http.submit(document, "name=\(encoded)&size=\(32 + index)x32&priority=\(index - 2)").1)
        }
        for job in all { #expect(try http.end(of: job) == "finished") }
        for sort in ["id", "-id", "name", "-name", "priority", "-priority", "ended", "-ended"] {
            var found: [Int] = []
            var cursor: String?
            repeat {
                let page = try http.get("/v1/jobs?limit=2&sort=\(sort)\(cursor.map { "&cursor=\($0)" } ?? "")").json
                found += (page["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
                cursor = page["next"] as? String
            } while cursor != nil
            #expect(found.count == 5 && Set(found) == all, "\(sort): \(found)")
        }
        func count(_ query: String) throws -> Int {
            (try http.get("/v1/jobs?\(query)").json["jobs"] as? [Any])?.count ?? -1
        }
        #expect(try count("name=b") == 2)
        #expect(try count("name=%25") == 1 && count("name=_") == 1)
        #expect(try count("state=finished") == 5 && count("state=failed,running,queued") == 0)
        #expect(try count("owner=http") == 5 && count("owner=nobody") == 0)
        for wrong in [
            "state=x", "state=", "limit=0", "limit=1001", "limit=x", "cursor=zz", "sort=size", "foo=1",
            "limit=1&limit=2",
        ] {
            #expect(try http.get("/v1/jobs?\(wrong)").status == 400, "\(wrong)")
        }
    }

    @Test("Batches come page by page, the newest first, as each is told alone")
    func batches() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        #expect(try http.get("/v1/batches").text == #"{"batches":[],"next":null}"#)
        var ids: [String] = []
        var last = 0
        for size in ["32x32,40x40,48x48", "56x56", "64x64,72x72"] {
            let (answer, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=\(size)")
            ids.insert(try #require(answer.json["batch"] as? String), at: 0)
            for job in jobs { #expect(try http.end(of: job) == "finished") }
            last = try #require(jobs.last)
        }
        for limit in 1...4 {
            var found: [String] = []
            var cursor: String?
            repeat {
                let page = try http.get("/v1/batches?limit=\(limit)\(cursor.map { "&cursor=\($0)" } ?? "")").json
                let batches = page["batches"] as? [[String: Any]] ?? []
                #expect(batches.count <= limit)
                for batch in batches {
                    let id = try #require(batch["id"] as? String)
                    found.append(id)
                    #expect(
                        try NSDictionary(dictionary: batch)
                            == NSDictionary(dictionary: http.get("/v1/batches/\(id)").json))
                }
                cursor = page["next"] as? String
            } while cursor != nil
            #expect(found == ids, "\(limit)")
        }
        // What is removed is in no list.
        #expect(try http.send("DELETE", "/v1/jobs/\(last)").status == 204)
        let first = (try http.get("/v1/batches?limit=1").json["batches"] as? [[String: Any]])?.first
        #expect(first?["jobs"] as? Int == 1 && first?["finished"] as? Int == 1)
        #expect(try http.get("/v1/batches?cursor=ffffffffffffffff").status == 200)
        for wrong in ["limit=0", "limit=1001", "cursor=00", "cursor=zz", "cursor=FFFFFFFFFFFFFFFF", "state=queued"] {
            #expect(try http.get("/v1/batches?\(wrong)").status == 400, "\(wrong)")
        }
        #expect(try http.send("POST", "/v1/batches").status == 405)
    }

    @Test("Overlays that are sent lie over the documents as those of ink export; they name no file of the broker's")
    func overlays() throws {
        let folder = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let pixels: [UInt8] = (0..<400).flatMap { [UInt8(truncatingIfNeeded: $0), 40, 250, 255] }
        let mark = MinimalPNGWriter.png(rgba: pixels, size: PixelSize(width: 20, height: 20))
        let overlay = """
            {"overlays": [
              {"type": "image", "file": "mark.png", "anchor": {"h": "left", "v": "top"}, "size": {"px": 60}},
              {"type": "text", "text": "\u{a9} A. Painter", "font": {"size": 30, "unit": "px", "color": "#aa0000"},
               "style": {"opacity": 1}}]}
            """
        let project = try folder.file("a.ink", GoodProject.small)
        _ = try folder.file("mark.png", mark)
        let export = try InkProcess.run([
            "export", project, "--overlay", try folder.file("over.json", overlay), "--size", "400x300", "-o",
            folder("a.png"),
        ])
        #expect(export.code == 0, "\(export.error)")
        func post(_ overlay: String, _ more: [(String, String?, [UInt8])]) throws -> HTTPClient.Answer {
            let (type, body) = HTTPClient.form(
                [
                    ("overlay", "over.json", Array(overlay.utf8)), ("document", "a.ink", Array(GoodProject.small.utf8)),
                    ("options", nil, Array(#"{"size": ["400x300"]}"#.utf8)),
                ] + more)
            return try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body)
        }
        let picture = ("overlay-picture", "mark.png", mark) as (String, String?, [UInt8])
        let made = try post(overlay, [picture])
        #expect(made.status == 201, "\(made.text)")
        let job = try #require((made.json["jobs"] as? [[String: Any]])?.first?["id"] as? Int)
        #expect(try http.end(of: job) == "finished")
        let there = try SimplePNG.read(try http.get("/v1/jobs/\(job)/picture").body)
        #expect(there.samples == (try SimplePNG.read(try folder.read("a.png"))).samples)

        func image(_ file: String) -> String { #"{"overlays": [{"type": "image", "file": "\#(file)"}]}"# }
        for (overlay, more, status, says) in [
            (image(project), [], 422, "over.json: overlays[0].file"),
            (image("/etc/passwd"), [picture], 422, "was not sent"),
            (image("../1/over.json"), [picture], 422, "was not sent"),
            (
                #"{"overlays": [{"type": "image", "file": "mark.png", "file": "/etc/passwd"}]}"#, [picture], 422,
                "was not"
            ),
            (
                #"{"overlays": [{"type": "text", "text": "x", "font": {"file": "/a.ttf"}}]}"#, [], 422,
                "fonts are not taken"
            ),
            (#"{"overlays": [{"type": "text", "text": "x"}], "fonts": ["/a.ttf"]}"#, [], 422, "over.json: fonts: "),
            (#"{"overlays": [{"type": "text", "text": "x", "size": 3}]}"#, [], 422, "over.json: overlays[0].size"),
            (image("a.png"), [("overlay-picture", "a.png", Array("x".utf8))], 422, "a.png: the image is not"),
            ("[]", [], 422, "over.json: must be an object"), ("{", [], 400, "not JSON"), ("", [], 400, "not JSON"),
            (image("mark.png"), [picture, ("overlay", "b.json", [])], 400, "comes twice"),
        ] as [(String, [(String, String?, [UInt8])], Int, String)] {
            let answer = try post(overlay, more)
            #expect(answer.status == status && answer.text.contains(says), "\(says): \(answer.status) \(answer.text)")
            #expect(!answer.text.contains("uploads"), "\(answer.text)")
        }
        #expect(try post(overlay, [picture, picture]).status == 400)
        let (type, body) = HTTPClient.form([("document", "a.ink", Array(GoodProject.small.utf8)), picture])
        #expect(try http.send("POST", "/v1/jobs", ["Content-Type": type], body: body).status == 400)
    }

    @Test("What is said of overlays names the file that was sent, and each of their pictures is held once")
    func overlayMemory() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        // Outside of the picture, which is a warning of the job.
        let far = #"{"overlays": [{"type": "text", "text": "x", "anchor": {"offset": [5000, 5000]}}]}"#
        let (type, body) = HTTPClient.form([
            ("document", "a.ink", Array(GoodProject.small.utf8)), ("overlay", "far.json", Array(far.utf8)),
        ])
        for status in [201, 200] {
            let made = try http.send("POST", "/v1/jobs", ["Content-Type": type, "Idempotency-Key": "x"], body: body)
            #expect(made.status == status, "\(made.text)")
            let job = try #require((made.json["jobs"] as? [[String: Any]])?.first?["id"] as? Int)
            #expect(try http.end(of: job) == "finished")
            let text = try http.get("/v1/jobs/\(job)").text
            #expect(
                text.contains("far.json: overlays[0]: the overlay lies outside") && !text.contains("uploads"), "\(text)"
            )
        }
        // 8 MB, most of it no pixels.
        var mark = MinimalPNGWriter.png(
            rgba: [UInt8](repeating: 90, count: 1600), size: PixelSize(width: 20, height: 20))
        mark += [UInt8](repeating: 0, count: 8 << 20)
        let one = #"{"type": "image", "file": "mark.png"}"#
        let many = #"{"overlays": [\#(Array(repeating: one, count: 64).joined(separator: ","))]}"#
        let form = HTTPClient.form([
            ("document", "a.ink", Array(GoodProject.small.utf8)), ("overlay", "o.json", Array(many.utf8)),
            ("overlay-picture", "mark.png", mark),
        ])
        #expect(try http.send("POST", "/v1/jobs", ["Content-Type": form.type], body: form.body).status == 201)
        let process = try #require(farm.broker?.process.processIdentifier)
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }.flatMap { Int($0.filter(\.isNumber)) }
        #expect(try #require(peak) < 300_000, "\(peak ?? 0) kB, and 64 copies have 512 MB")
    }

    @Test("A form may be cut anywhere by the network", arguments: 1...4)
    func cutForm(bytes: Int) throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let mark = MinimalPNGWriter.png(
            rgba: [UInt8](repeating: 90, count: 1600), size: PixelSize(width: 20, height: 20))
        let overlay = Array(#"{"overlays": [{"type": "image", "file": "mark.png"}]}"#.utf8)
        let parts: [(name: String, file: String?, bytes: [UInt8])] = [
            ("document", "a.ink", Array(GoodProject.small.utf8)), ("options", nil, Array(#"{"size": ["40x40"]}"#.utf8)),
            ("priority", nil, Array("0".utf8)), ("watermark", "w.png", mark), ("overlay", "o.json", overlay),
            ("overlay-picture", "mark.png", mark), ("document", "a.ink", Array(GoodProject.small.utf8)),
        ]
        let (type, body) = HTTPClient.form(parts)
        // So many bytes after each part's head.
        let cuts = body.indices.dropFirst(4).filter { Array(body[($0 - 4)..<$0]) == Array("\r\n\r\n".utf8) }
        #expect(cuts.count >= parts.count)
        let made = try http.send(
            "POST", "/v1/jobs", ["Content-Type": type], body: body, cuts: cuts.map { $0 + bytes })
        #expect(made.status == 201 && (made.json["jobs"] as? [Any])?.count == 2, "\(made.text)")
        #expect((made.json["failures"] as? [Any] ?? []).isEmpty, "\(made.text)")
    }

    @Test("A picture that is sent beside the documents lies over them, as over those of ink export")
    func watermark() throws {
        let folder = try EndToEndFolder()
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front + ["--http-document-size", "200K"])
        let http = try farm.http()
        let pixels: [UInt8] = (0..<400).flatMap { [UInt8(truncatingIfNeeded: $0), 40, 250, 255] }
        let mark = MinimalPNGWriter.png(rgba: pixels, size: PixelSize(width: 20, height: 20))
        let options = Array(#"{"size": ["400x300"], "watermark-opacity": 1, "watermark-anchor": "top-left"}"#.utf8)
        let document = Array(GoodProject.small.utf8)
        func post(_ parts: [(String, String?, [UInt8])], _ headers: [String: String] = [:]) throws -> HTTPClient.Answer
        {
            let (type, body) = HTTPClient.form(parts)
            return try http.send(
                "POST", "/v1/jobs", headers.merging(["Content-Type": type]) { first, _ in first }, body: body)
        }
        _ = try folder.file("mark.png", mark)
        let project = try folder.file("a.ink", GoodProject.small)
        let export = try InkProcess.run([
            "export", project, "--watermark", folder("mark.png"), "--watermark-opacity", "1", "--watermark-anchor",
            "top-left", "--size", "400x300", "-o", folder("a.png"),
        ])
        #expect(export.code == 0, "\(export.error)")
        let expected = try SimplePNG.read(try folder.read("a.png"))
        // In any order of the parts, whatever the file is called.
        for (index, name) in ["mark.png", "../x", nil].enumerated() {
            var parts: [(String, String?, [UInt8])] = [
                ("document", "a.ink", document), ("options", nil, options), ("document", "b.ink", document),
            ]
            parts.insert(("watermark", name, mark), at: index)
            let made = try post(parts)
            #expect(made.status == 201, "\(made.text)")
            let jobs = (made.json["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
            #expect(jobs.count == 2)
            for job in jobs {
                #expect(try http.end(of: job) == "finished")
                let picture = try SimplePNG.read(try http.get("/v1/jobs/\(job)/picture").body)
                #expect(picture.samples == expected.samples, "\(index)")
            }
        }
        // Another picture is another submission.
        let key = ["Idempotency-Key": "marked"]
        let form: [(String, String?, [UInt8])] = [("document", "a.ink", document), ("watermark", "mark.png", mark)]
        #expect(try post(form, key).status == 201 && post(form, key).status == 200)
        #expect(
            try post([form[0], ("watermark", "mark.png", mark.dropLast(40) + mark.suffix(40).reversed())], key).status
                != 201)
        let other = MinimalPNGWriter.png(rgba: pixels.reversed(), size: PixelSize(width: 20, height: 20))
        #expect(try post([form[0], ("watermark", "mark.png", other)], key).status == 409)

        let text = Array(#"{"watermark": "(c) A"}"#.utf8)
        for (parts, status, says) in [
            ([form[0], ("watermark", "logo.png", Array("no picture".utf8))], 422, "logo.png: the image is not"),
            ([form[0], ("watermark", "logo.png", [])], 422, "the image is empty"),
            ([form[0], ("watermark", "logo.png", Array(mark.prefix(60)))], 422, "logo.png"),
            ([form[0], form[1], form[1]], 400, "comes twice"),
            ([form[0], form[1], ("options", nil, text)], 400, "send one of them"),
            ([form[1]], 400, "document is missing"),
            ([form[0], ("watermark", "a.png", [UInt8](repeating: 0, count: 300_000))], 413, "more than"),
        ] as [([(String, String?, [UInt8])], Int, String)] {
            let answer = try post(parts)
            #expect(answer.status == status && answer.text.contains(says), "\(says): \(answer.status) \(answer.text)")
            #expect(answer.headers["content-type"] == "application/problem+json" && !answer.text.contains("uploads"))
        }
        #expect(
            farm.wait(seconds: 30) {
                ((try? FileManager.default.contentsOfDirectory(atPath: farm.path("data/uploads"))) ?? [""]).isEmpty
            })
    }

    @Test("Jobs are paused, resumed, cancelled and tried again, and a pause outlives the broker")
    func orders() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        var http = try farm.http()
        let job = try #require(try http.submit(GoodProject.small, "name=a.ink&size=64x64").1.first)
        func state() throws -> String { try http.job(job)["state"] as? String ?? "" }
        #expect(try http.post("/v1/jobs/\(job)/pause").status == 200)
        #expect(try state() == "paused")
        farm.broker?.kill9()
        try farm.startBroker()
        http = try farm.http()
        try farm.addWorker()
        usleep(500_000)
        #expect(try state() == "paused")
        #expect(try http.post("/v1/jobs/\(job)/priority", json: #"{"priority": 7}"#).json["priority"] as? Int == 7)
        #expect(try http.post("/v1/jobs/\(job)/priority", json: #"{"priority": 11}"#).status == 400)
        #expect(try http.post("/v1/jobs/\(job)/cancel").status == 200)
        #expect(try state() == "cancelled")
        #expect(try http.post("/v1/jobs/\(job)/pause").status == 409)
        #expect(try http.post("/v1/jobs/\(job)/cancel").status == 409)
        #expect(try http.post("/v1/jobs/\(job)/retry").status == 200)
        #expect(try http.end(of: job) == "finished")
        #expect(try http.post("/v1/jobs/\(job)/retry").status == 409)
        for path in ["cancel", "pause", "resume", "retry"] {
            #expect(try http.post("/v1/jobs/99/\(path)").status == 404)
        }
        #expect(try http.post("/v1/workers/nobody/drain").status == 404)
        #expect(try http.post("/v1/workers/w1/drain").status == 204)
        #expect(farm.wait(seconds: 30) { farm.workers[0].process.isRunning == false })
        try farm.addWorker()
        #expect(farm.wait(seconds: 30) { farm.events("worker.joined").contains { $0["worker"] as? String == "w2" } })
        #expect(try http.post("/v1/workers/w2/dismiss").status == 204)
        #expect(farm.wait(seconds: 30) { farm.events("worker.left").contains { $0["worker"] as? String == "w2" } })
    }

    @Test("Whatever is sent, the broker answers or closes, and goes on")
    func hostile() throws {
        let farm = try FarmProcesses(workers: 1, brokerOptions: Self.front)
        let http = try farm.http()
        let host = "Host: localhost\r\n"
        for text in [
            "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\(host)\r\n", "\u{0}\u{1}\u{2}",
            "GET /%zz HTTP/1.1\r\n\(host)\r\n",
            "GET /v1/jobs/%ff HTTP/1.1\r\n\(host)\r\n", "GET /v1/jobs?name=%f HTTP/1.1\r\n\(host)\r\n",
            "GET / HTTP/1.1\r\n\r\n", "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\n\(host)\r\n",
            "POST /v1/jobs HTTP/1.1\r\n\(host)Content-Type: a/b\r\nContent-Length: -1\r\n\r\n",
            "POST /v1/jobs HTTP/1.1\r\n\(host)Content-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST /v1/jobs HTTP/1.1\r\n\(host)Content-Type: multipart/form-data\r\nContent-Length: 2\r\n\r\nab",
            "POST /v1/jobs HTTP/1.1\r\n\(host)Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 9\r\n\r\n--x\r\n\r\n\r\n",
            "TRACE / HTTP/1.1\r\n\(host)\r\n", "OPTIONS * HTTP/1.1\r\n\(host)\r\n",
        ] {
            let found = HTTPClient.answer(try http.raw(Array(text.utf8), seconds: 1))
            #expect(found.status == 0 || (400...505).contains(found.status), "\(text.prefix(80)): \(found.status)")
        }
        var random = SeededGenerator(seed: 36)
        let request = Array(
            "POST /v1/jobs?size=2k HTTP/1.1\r\n\(host)Content-Type: a/b\r\nContent-Length: 30\r\n\r\n".utf8)
        for _ in 0..<200 {
            var bytes = request + (0..<30).map { _ in UInt8.random(in: 0...255, using: &random) }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try http.raw(bytes, closesEarly: true)
        }
        // Uploads that stop in the middle leave nothing.
        for _ in 0..<5 {
            _ = try http.raw(
                Array("POST /v1/jobs HTTP/1.1\r\n\(host)Content-Type: a/b\r\nContent-Length: 99999\r\n\r\nabc".utf8),
                closesEarly: true)
        }
        #expect(try http.get("/healthz").status == 200)
        #expect(
            farm.wait(seconds: 60) {
                ((try? FileManager.default.contentsOfDirectory(atPath: farm.path("data/uploads"))) ?? [""]).isEmpty
            })
        #expect(farm.broker?.process.isRunning == true)
        let (_, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64")
        #expect(try http.end(of: jobs.first ?? 0) == "finished")
    }

    @Test("A body that is not wanted does not hold its connection")
    func endlessBody() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front + ["--http-document-size", "100K"])
        let http = try farm.http()
        func send(_ megabytes: Int) throws -> (sent: Int, answer: HTTPClient.Answer) {
            let head =
                "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: a/b\r\n"
                + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 32, count: 1 << 20) + Array("\r\n".utf8)
            let body = (0..<megabytes).flatMap { _ in chunk } + Array("0\r\n\r\n".utf8)
            var sent = 0
            let answer = try http.raw(Array(head.utf8) + body, seconds: 20) { sent = $0 }
            return (sent, HTTPClient.answer(answer))
        }
        // A little too much gets an answer; what goes on and on is cut off.
        #expect(try send(2).answer.status == 413)
        let long = try send(64)
        #expect(long.answer.status == 0 && long.sent < 40 << 20, "\(long.sent)")
        #expect(try http.get("/healthz").status == 200)
        #expect(try http.send("MADE-UP", "/v1/jobs").status == 405)
        #expect(try http.get("/metrics").text.contains("method=\"other\",code=\"405\""))
    }

    @Test("Health, readiness and metrics tell the truth, and a stop ends open streams")
    func operation() throws {
        let farm = try FarmProcesses(workers: 0, brokerOptions: Self.front)
        let http = try farm.http()
        #expect(try http.get("/healthz").status == 200)
        #expect(try http.get("/readyz").status == 503)
        // The test picture is nothing that waits.
        #expect(try http.get("/v1/stats").json["tilesWaiting"] as? Int == 0)
        try farm.addWorker()
        #expect(try farm.wait(seconds: 60) { try http.get("/readyz").status == 200 })
        let (_, jobs) = try http.submit(GoodProject.small, "name=a.ink&size=64x64")
        #expect(try http.end(of: jobs.first ?? 0) == "finished")
        let metrics = try http.get("/metrics")
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        let lines = metrics.text.split(separator: "\n")
        for expected in [
            "ink_jobs_ended_total{outcome=\"finished\"} 1", "ink_tiles_total{source=\"rendered\"} 1",
            "ink_pixels_exported_total 2752",
            "ink_export_duration_seconds_count 1", "ink_tiles_waiting 0", "ink_workers{state=\"ready\"} 1",
        ] {
            #expect(lines.contains { $0 == expected }, "\(expected)")
        }
        let names = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ")[0] }
        #expect(Set(names).count == names.count)
        for path in ["/", "/app.css", "/app.js", "/openapi.json"] {
            let page = try http.get(path)
            #expect(
                page.status == 200 && page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
            #expect(try http.get(path, ["If-None-Match": page.headers["etag"] ?? ""]).status == 304)
        }
        #expect(try http.get("/v1/nothing").status == 404 && http.send("PUT", "/v1/jobs").status == 405)
        let stream = Task.detached { try http.raw(Array("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)) }
        usleep(1_500_000)
        farm.broker?.send(SIGTERM)
        #expect(farm.broker?.end(seconds: 30) == 0)
        stream.cancel()
    }
}
