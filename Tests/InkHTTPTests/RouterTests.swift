import Foundation
import InkEngine
import InkJSON
import InkService
import InkSystem
import InkTestSupport
import Testing

@testable import InkHTTP

@Suite("Routes without a socket", .timeLimit(.minutes(5)))
struct RouterTests {
    private static let batch = String(repeating: "0", count: 24)
    private static let methods = ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"]

    /// The paths of the contract, with numbers and names for what is in braces, and their methods.
    private static func routes() throws -> [(path: String, methods: Set<String>)] {
        let contract = try JSONReader.read(#require(Page.all["/openapi.json"]).bytes)
        let paths = try #require(contract["paths"]?.members)
        return paths.map { path, operations in
            let filled = path.replacing("{job}", with: "1").replacing("{batch}", with: batch)
                .replacing("{worker}", with: "w")
            return (filled, Set(operations.members?.map { $0.0.uppercased() } ?? []).intersection(methods))
        }
    }

    @Test("Each path takes the methods of its contract; others are answered 405 with those that it takes")
    func methods() throws {
        let front = try Front()
        let outside = (["/healthz", "/readyz", "/metrics"] + Page.all.keys).map { ($0, ["GET"] as Set) }
        for (path, own) in try Self.routes() + outside {
            for method in Self.methods {
                let answer = try front.ask(method, path)
                let isOwn = own.contains(method == "HEAD" ? "GET" : method)
                #expect((answer.status == 405) != isOwn, "\(method) \(path): \(answer.status)")
                #expect(!answer.detail.contains("no path"), "\(method) \(path)")
                guard answer.status == 405 else { continue }
                let allowed = answer.headers["allow"]?.components(separatedBy: ", ") ?? []
                #expect(Set(allowed) == own && answer.isRefusedUnread, "\(method) \(path): \(allowed)")
            }
        }
    }

    @Test("What is no path, number or name is missing")
    func missing() throws {
        let front = try Front()
        for path in [
            "/v1", "/v1/", "/v2/jobs", "/jobs", "/v1/jobs/", "/v1/jobs/1/", "/v1/jobs/1/pictures", "/v1/jobs/1/tiles/2",
            "/v1/jobs/0", "/v1/jobs/01", "/v1/jobs/+1", "/v1/jobs/x", "/v1/jobs/-1", "/v1/jobs/9007199254740992",
            "/v1/batches/", "/v1/batches/00", "/v1/batches/\(Self.batch)/tiles",
            "/v1/batches/\(Self.batch)/cancel/1", "/v1/batches/\(String(repeating: "A", count: 24))", "/v1/workers/w",
            "/v1/workers/w/stop", "/v1/stats/1", "/v1/events/1", "/v1/formats/png", "/healthz/", "/index.html", "//",
            "/v1//jobs", "/V1/jobs",
        ] { #expect(try front.ask("GET", path).status == 404, "\(path)") }
        #expect(try front.ask("POST", "/v1/workers//drain").status == 404)
    }

    @Test("Escapes are read once, and refused when they are no text")
    func escapes() throws {
        let front = try Front()
        #expect(try front.ask("GET", "/v1/%6Aobs").status == 200)
        for path in ["/v1/%6a%2Fobs", "/v1%2Fjobs", "/v1/%256Aobs"] {
            #expect(try front.ask("GET", path).status == 404, "\(path)")
        }
        for path in ["/v1/%", "/v1/jobs/%FF", "/%zz"] { #expect(try front.ask("GET", path).status == 400, "\(path)") }
    }

    @Test("A parameter that means nothing, comes twice or has a wrong value is refused by its name")
    func parameters() throws {
        let front = try Front()
        for (path, methods) in try Self.routes() {
            for method in methods {
                let answer = try front.ask(method, path + "?foo=1", ["content-type": "image/png"])
                #expect(answer.status == 400 && answer.detail.contains("\"foo\""), "\(method) \(path): \(answer.text)")
            }
        }
        for (path, queries) in [
            (
                "/v1/jobs",
                [
                    "state=x", "state=", "state=queued,queued", "state=queued,", "owner=", "name=", "batch=00",
                    "batch=\(Self.batch.dropLast())A", "sort=size", "sort=--id", "limit=0", "limit=1001", "limit=x",
                    "limit=1&limit=2", "cursor=zz", "cursor=00", "cursor=FFFFFFFFFFFFFFFF",
                    "name=\(String(repeating: "x", count: 257))",
                ]
            ),
            ("/v1/batches", ["limit=0", "cursor=00", "cursor=\(String(repeating: "0", count: 18))", "state=queued"]),
            ("/v1/jobs/1/picture", ["download=1", "download=", "download=true&download=true", "plain=true"]),
            ("/v1/jobs/1/preview", ["plain=yes", "download=true"]),
        ] {
            for query in queries {
                let answer = try front.ask("GET", "\(path)?\(query)")
                let name = query.prefix { $0 != "=" }
                #expect(answer.status == 400 && answer.detail.contains(name), "\(path)?\(query): \(answer.text)")
            }
        }
        for query in [
            "state=queued,running", "owner=a", "batch=\(Self.batch)", "sort=-ended", "limit=1000",
            "cursor=ffffffffffffffff",
        ] {
            #expect(try front.ask("GET", "/v1/jobs?\(query)").text == #"{"jobs":[],"next":null}"#, "\(query)")
        }
    }

    // MARK: - Access

    @Test("Each route needs a token of its role, and says so before a body is read")
    func roles() throws {
        let made = AccessRole.allCases.map { AccessToken.make(name: $0.rawValue, role: $0) }
        let front = try Front(tokens: made.map(\.token))
        for (path, methods) in try Self.routes() + [("/metrics", ["GET"])] {
            for method in methods {
                let isOperation = method == "DELETE" || path.hasPrefix("/v1/workers/")
                let needed: AccessRole = method == "GET" ? .read : isOperation ? .operate : .submit
                for header in [nil, "Bearer ink_00", "Basic \(made[2].text)", "Bearer", "Bearer \(made[2].text) x"] {
                    let answer = try front.ask(method, path, header.map { ["authorization": $0] } ?? [:])
                    #expect(answer.status == 401 && answer.isRefusedUnread, "\(method) \(path) \(header ?? "none")")
                    #expect(answer.headers["www-authenticate"] == "Bearer realm=\"ink\"")
                }
                for (text, token) in made {
                    let answer = try front.ask(method, path, ["authorization": "bearer \(text)"])
                    if token.role < needed {
                        #expect(answer.status == 403 && answer.isRefusedUnread, "\(method) \(path) \(token.name)")
                        #expect(answer.detail.contains("role \(needed.rawValue)"))
                    } else {
                        #expect(![401, 403].contains(answer.status), "\(method) \(path) \(token.name)")
                    }
                }
            }
        }
        for path in ["/", "/healthz"] { #expect(try front.ask("GET", path).status == 200, "\(path)") }
        // A token is of no use to a page of another site.
        let headers = ["authorization": "Bearer \(made[2].text)", "origin": "http://evil.example"]
        #expect(try front.ask("POST", "/v1/jobs/1/cancel", headers).status == 403)
        #expect(try front.ask("GET", "/v1/jobs", headers.merging(["host": "evil.example"]) { $1 }).status == 200)
    }

    @Test("Without tokens only this site's pages and programs change something, by the front's own name")
    func sites() throws {
        let front = try Front()
        for (headers, reads, writes) in [
            ([:], true, true), (["host": "localhost:80"], true, true), (["host": "evil.example"], false, false),
            (["host": ""], false, false), (["origin": "http://127.0.0.1"], true, true),
            (["origin": "HTTP://LOCALHOST:80", "host": "localhost:80"], true, true),
            (["origin": "http://127.0.0.1:81"], true, false), (["origin": "null"], true, false),
            (["origin": "http://evil.example"], true, false), (["sec-fetch-site": "same-origin"], true, true),
            (["sec-fetch-site": "none"], true, true), (["sec-fetch-site": "same-site"], true, false),
            (["sec-fetch-site": "cross-site"], true, false),
        ] as [([String: String], Bool, Bool)] {
            for (method, path, isTaken) in [
                ("GET", "/v1/jobs/1", reads), ("HEAD", "/v1/jobs/1", reads), ("DELETE", "/v1/jobs/1", writes),
                ("POST", "/v1/jobs/1/cancel", writes),
            ] {
                #expect(try front.ask(method, path, headers).status == (isTaken ? 404 : 403), "\(method) \(headers)")
            }
        }
        let request = HTTPRequest(method: "GET", path: "/", query: [], headers: [:])
        guard case .refuse(let response) = front.gateway.intake(of: request) else {
            Issue.record("a request without Host is taken")
            return
        }
        #expect(response.status == 400)
    }

    // MARK: - Conditions

    @Test("A page that a browser has is not sent again")
    func pages() throws {
        let front = try Front()
        for (path, page) in Page.all {
            let whole = try front.ask("GET", path)
            #expect(whole.status == 200 && whole.body == page.bytes && whole.headers["etag"] == page.tag, "\(path)")
            let known = try front.ask("GET", path, ["if-none-match": "W/\(page.tag)"])
            #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == page.tag, "\(path)")
            #expect(try front.ask("GET", path, ["if-none-match": "\"other\""]).status == 200, "\(path)")
        }
    }

    @Test("A drawing runs no script, whoever has made it")
    func drawing() throws {
        let front = try Front(hasWorker: true)
        for (format, isGuarded) in [("svg", true), ("png", false)] {
            let submitted = try front.submit("name=a.ink&size=16x16&format=\(format)").json
            let job = try #require(submitted["jobs"]?.array?.first?["id"]?.integer)
            let events = try #require(try front.ask("GET", "/v1/jobs/\(job)/events").stream)
            while events.next() != nil {}
            let picture = try front.ask("GET", "/v1/jobs/\(job)/picture")
            let policy = picture.headers["content-security-policy"]
            #expect(picture.status == 200)
            #expect(policy?.hasPrefix("sandbox; default-src 'none'") == (isGuarded ? true : nil), "\(format)")
        }
    }

    @Test("A picture is fetched whole, in parts, or not again, and is gone with its job")
    func picture() throws {
        let front = try Front(hasWorker: true)
        let submitted = try front.submit("name=%C3%A4.ink&size=16x16").json
        let job = try #require(submitted["jobs"]?.array?.first?["id"]?.integer)
        let events = try #require(try front.ask("GET", "/v1/jobs/\(job)/events").stream)
        while events.next() != nil {}
        let path = "/v1/jobs/\(job)/picture"
        let whole = try front.ask("GET", path)
        let facts = try front.ask("GET", "/v1/jobs/\(job)").json
        #expect(whole.status == 200 && facts["picture"]?["bytes"]?.integer == whole.body.count, "\(facts.line)")
        #expect(facts["picture"]?["sha256"]?.string == SHA256.digest(whole.body).hexadecimal)
        for (name, value) in [
            ("content-type", "image/png"), ("accept-ranges", "bytes"), ("cache-control", "private, no-cache"),
            ("etag", "\"\(SHA256.digest(whole.body).hexadecimal)\""),
        ] { #expect(whole.headers[name] == value) }
        let (tag, count) = (try #require(whole.headers["etag"]), whole.body.count)
        for (headers, status, range) in [
            (["range": "bytes=1-4"], 206, 1..<5), (["range": "bytes=-3"], 206, count - 3..<count),
            (["range": "bytes=9-", "if-range": tag], 206, 9..<count),
            (["range": "bytes=9-", "if-range": "\"x\""], 200, 0..<count),
            (["range": "bytes=\(count)-"], 416, nil), (["range": "lines=1-2"], 200, 0..<count),
            (["if-none-match": tag], 304, 0..<0), (["if-match": tag], 200, 0..<count),
            (["if-match": "\"x\""], 412, nil),
            (["range": "bytes=1-4", "if-none-match": tag], 304, 0..<0),
        ] as [([String: String], Int, Range<Int>?)] {
            let answer = try front.ask("GET", path, headers)
            #expect(answer.status == status, "\(headers): \(answer.status)")
            if let range { #expect(answer.body == Array(whole.body[range]), "\(headers)") }
            let place = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
            #expect(
                answer.headers["content-range"] == (status == 206 || status == 416 ? "bytes \(place)/\(count)" : nil),
                "\(headers)")
        }
        for (query, begins) in [("", "inline; "), ("?download=false", "inline; "), ("?download=true", "attachment; ")] {
            let name = try front.ask("GET", path + query).headers["content-disposition"] ?? ""
            #expect(name.hasPrefix(begins) && name.contains("UTF-8''%C3%A4-16x16.png"), "\(name)")
        }
        #expect(try front.ask("HEAD", path, ["range": "bytes=1-4"]).status == 200)
        #expect(try front.ask("GET", "/v1/jobs/\(job)/tiles").status == 404)
        #expect(try front.ask("POST", "/v1/jobs/\(job)/cancel").status == 409)
        #expect(try front.ask("DELETE", "/v1/jobs/\(job)").status == 204)
        for path in ["", "/picture", "/preview", "/story", "/events"].map({ "/v1/jobs/\(job)\($0)" }) {
            #expect(try front.ask("GET", path).status == 404, "\(path)")
        }
    }

    // MARK: - Orders

    @Test("Orders change jobs that are in a state for them, one by one or by their batch")
    func orders() throws {
        let front = try Front()
        let made = try front.submit("name=a.ink&size=8x8,9x9").json
        let numbers = made["jobs"]?.array?.compactMap { $0["id"]?.integer } ?? []
        let (job, batch) = ("/v1/jobs/\(try #require(numbers.first))", "/v1/batches/\(made["batch"]?.string ?? "")")
        for (path, body, status, state) in [
            (job + "/resume", nil, 200, "queued"), (job + "/pause", nil, 200, "paused"),
            (batch + "/pause", nil, 200, "paused"),
            (batch + "/resume", nil, 200, "queued"),
            (batch + "/priority", #"{"priority": 3}"#, 200, "queued"),
            (job + "/priority", #"{"priority": -10.0}"#, 200, "queued"),
            (job + "/priority", #"{"priority": 11}"#, 400, "queued"),
            (job + "/priority", #"{"priority": 1, "x": 1}"#, 400, "queued"), (job + "/priority", "[1]", 400, "queued"),
            (job + "/priority", "{", 400, "queued"), (job + "/priority", nil, 415, "queued"),
            (job + "/cancel", nil, 200, "cancelled"), (job + "/cancel", nil, 409, "cancelled"),
            (batch + "/cancel", nil, 200, "cancelled"), (batch + "/cancel", nil, 409, "cancelled"),
            (job + "/retry", nil, 200, "queued"), (job + "/retry", nil, 409, "queued"),
        ] as [(String, String?, Int, String)] {
            let answer = try body.map { try front.post(path, json: $0) } ?? front.ask("POST", path)
            #expect(answer.status == status, "\(path): \(answer.text)")
            #expect(try front.ask("GET", job).json["state"]?.string == state, "\(path)")
        }
        #expect(try front.ask("GET", job).json["priority"]?.integer == -10)
        #expect(try front.ask("GET", batch).json["cancelled"]?.integer == 1)
        #expect(try front.ask("GET", job + "/picture").status == 409)
        #expect(try front.ask("POST", "/v1/workers/w/drain").status == 404)
    }

    // MARK: - Events

    @Test("Events come as they happen, past proxies, and end with the job")
    func events() throws {
        let front = try Front()
        let job = try #require(try front.submit().json["jobs"]?.array?.first?["id"]?.integer)
        let (farm, one) = (try front.ask("GET", "/v1/events"), try front.ask("GET", "/v1/jobs/\(job)/events"))
        for answer in [farm, one] {
            #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
            #expect(answer.headers["cache-control"] == "no-store" && answer.headers["x-accel-buffering"] == "no")
        }
        func next(_ answer: FrontAnswer) -> String? {
            answer.stream?.next().map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(next(farm)?.hasPrefix("event: stats\ndata: {") == true)
        #expect(next(one)?.contains(#""state":"queued""#) == true)
        #expect(try front.ask("POST", "/v1/jobs/\(job)/cancel").status == 200)
        let last = try #require(next(one))
        #expect(
            last.hasPrefix("event: job\ndata: {") && last.contains(#""state":"cancelled""#) && last.hasSuffix("\n\n"))
        #expect(next(one) == nil)
        farm.stream?.close()
        #expect(next(farm) == nil)
    }
}
