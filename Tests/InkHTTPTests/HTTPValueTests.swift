import Foundation
import InkBroker
import InkCodecs
import InkEngine
import InkJSON
import InkPlanning
import InkSystem
import InkTestSupport
import Testing

@testable import InkExports
@testable import InkHTTP

@Suite("Values of the HTTP front", .timeLimit(.minutes(5)))
struct HTTPValueTests {
    @Test("HMAC-SHA256 gives what RFC 4231 gives")
    func hmac() {
        for (key, message, expected) in [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] {
            #expect(HMAC.sha256(message, key: key).hexadecimal == expected)
        }
    }

    @Test("Percent-encoding is taken apart, or not at all")
    func percentEncoding() {
        for (text, expected) in [
            ("a%20b+c", "a b+c"), ("%C3%A4", "\u{e4}"), ("%", nil), ("%2", nil), ("%zz", nil), ("%FF", nil), ("", ""),
        ] as [(String, String?)] {
            #expect(PercentEncoding.decode(text) == expected, "\(text)")
        }
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
    }

    private static func request(_ method: String = "GET", _ headers: [String: String] = [:]) -> HTTPRequest {
        HTTPRequest(method: method, path: "/", query: [], headers: headers)
    }

    @Test("A range of a file, or all of it where the header is another")
    func ranges() {
        for (header, expected) in [
            (nil, .whole), ("bytes=0-0", .part(0..<1)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=9-20", .part(9..<10)), ("bytes=10-", .nothing),
            ("bytes=-0", .nothing), ("bytes=5-4", .whole), ("bytes=0-1,3-4", .whole), ("lines=0-1", .whole),
            ("bytes=a-b", .whole), ("bytes=0-9223372036854775807", .part(0..<10)),
            ("bytes=0-99999999999999999999", .part(0..<10)), ("bytes=99999999999999999999-", .nothing),
            ("Bytes = 2-3 ,", .part(2..<4)), ("bytes=+1-2", .whole), ("bytes=-", .whole), ("bytes=1-2-3", .whole),
            ("bytes=", .whole), ("", .whole),
        ] as [(String?, HTTPRequest.Wanted)] {
            let request = Self.request("GET", header.map { ["range": $0] } ?? [:])
            #expect(request.wanted(tag: "\"t\"", of: 10) == expected, "\(header ?? "none")")
        }
        // A range is defined for GET alone.
        #expect(Self.request("HEAD", ["range": "bytes=0-0"]).wanted(tag: "\"t\"", of: 10) == .whole)
    }

    @Test("A download that is resumed goes on only with the same picture (If-Range and its kin)")
    func conditions() {
        let part = HTTPRequest.Wanted.part(5..<10)
        for (headers, expected) in [
            (["if-range": "\"t\""], part), (["if-range": "\"other\""], .whole), (["if-range": "W/\"t\""], .whole),
            (["if-range": "Sun, 06 Nov 1994 08:49:37 GMT"], .whole),
            (["if-none-match": "\"t\""], .known), (["if-none-match": "W/\"t\""], .known),
            (["if-none-match": "\"a\", \"t\" ,\"b\""], .known), (["if-none-match": "*"], .known),
            (["if-none-match": "\"a\", \"b\""], part), (["if-match": "\"t\""], part), (["if-match": "*"], part),
            (["if-match": "\"a\",\"t\""], part), (["if-match": "W/\"t\""], .another), (["if-match": "\"a\""], .another),
            (["if-match": "\"a\"", "if-none-match": "\"t\""], .another),
            (["if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"], part),
            (["if-unmodified-since": "Sun, 06 Nov 1994 08:49:37 GMT"], part),
        ] as [([String: String], HTTPRequest.Wanted)] {
            let request = Self.request("GET", headers.merging(["range": "bytes=5-"]) { $1 })
            #expect(request.wanted(tag: "\"t\"", of: 10) == expected, "\(headers)")
        }
        #expect(Self.request("GET", ["if-range": "\"other\""]).wanted(tag: "\"t\"", of: 10) == .whole)
    }

    @Test("The front is asked by the names and addresses that it was given, in any spelling")
    func ownNames() {
        for (host, name) in [
            ("LocalHost:8080", "localhost"), ("127.0.0.2", "127.0.0.2"), ("farm.example.:80", "farm.example"),
            ("[::1]:8080", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("::1", "::1"), ("[FE80::1%eth0]:1", "fe80::1"),
            ("[fe80::1%25eth0]", "fe80::1"), ("", ""), ("[", ""), ("[x:y]", "x:y"),
        ] { #expect(AccessRules.name(of: host) == name, "\(host)") }
        for (host, asked, isKnown) in [
            ("127.0.0.2", "127.0.0.2:80", true), ("127.0.0.2", "127.0.0.3", false), ("127.0.0.1", "localhost", true),
            ("localhost", "127.0.0.1:1", true), ("127.1", "127.0.0.1", true), ("127.0.0.3", "evil.example", false),
            ("127.0.0.1", "127.0.0.1.evil.example", false), ("127.0.0.1", "farm.example:443", true),
        ] {
            var configuration = GatewayConfiguration(host: host, port: 0)
            configuration.hosts = ["Farm.example:8080"]
            let rules = AccessRules(tokens: [], hosts: configuration.names)
            let problem = rules.check(Self.request("GET", ["host": asked]))
            #expect((problem == nil) == isKnown, "\(asked) at \(host): \(problem?.detail ?? "taken")")
        }
        // A name that only begins like a loopback address is none.
        #expect(GatewayConfiguration(host: "127.0.0.1.nowhere.invalid", port: 0).addressProblem != nil)
        #expect(GatewayConfiguration(host: "0.0.0.0", port: 0).isOpen)
        #expect(GatewayConfiguration(host: "*", port: 0).isOpen)
        #expect(!GatewayConfiguration(host: "[::1]", port: 0).isOpen)
    }

    @Test("All addresses of a name are listened at, with one port")
    func allAddresses() throws {
        let addresses = try ["127.0.0.1", "127.0.0.2"].flatMap { try HostAddress.toListen(at: $0, port: "0").get() }
        let server = HTTPServer(headers: []) { _ in .answer { HTTPResponse(200) } }
        let port = try server.start(addresses, port: 0)
        defer { server.stop() }
        for address in ["127.0.0.1", "127.0.0.2"] {
            let all = HostAddress.all(of: address, port: "\(port)", waitingAtMost: 20_000)
            #expect(HostAddress.answering(all, waitingAtMost: 20_000) != nil, "\(address):\(port)")
        }
        // One that is taken is named, and none is kept.
        let second = HTTPServer(headers: []) { _ in .answer { HTTPResponse(200) } }
        let failure = #expect(throws: SystemFailure.self) { try second.start(addresses.reversed(), port: port) }
        #expect(failure?.operation.contains("127.0.0.2:\(port)") == true, "\(failure?.operation ?? "")")
        #expect(second.connectionCount == 0)
    }

    @Test("Whatever is wrong with an option is told with what is possible")
    func optionRefusals() {
        for (option, text) in [
            ("brush", "use ink export --brush"), ("sice", "there are size,"), ("overlay", "a part of a form"),
        ] {
            do throws(Problem) {
                _ = try RequestedOptions([(option, "x")], others: ["brush", "overlay", "size"])
                Issue.record("\(option) is taken")
            } catch {
                #expect(error.detail.contains(text), "\(error.detail)")
            }
        }
    }

    @Test(
        "An error names an option as the request has it, with its place",
        arguments: [
            (#"{"quality": 101}"#, 400, "options.quality: not a whole number from 1 to 100"),
            (#"{"size": "2k"}"#, 400, "options.size: not a list of texts"),
            (#"{"effort": "most"}"#, 400, "options.effort: not one of fast, balanced, small"),
            (#"{"size": ["huge"]}"#, 422, "options.size: \"huge\" is not a size"),
            (#"{"rgb": true, "rgba": true}"#, 422, "options.rgb and rgba cannot be used together"),
            (#"{"keep": ["camera"], "no-metadata": true}"#, 422, "options.keep and no-metadata cannot be"),
            (#"{"bleed": "9in"}"#, 422, "options.bleed: 9in is too much"),
        ])
    func namesInErrors(text: String, status: Int, says: String) throws {
        let json = try JSONReader.read(Array(text.utf8))
        do throws(Problem) {
            _ = try RequestedOptions(json, others: [])
            Issue.record("\(text) is taken")
        } catch {
            #expect(error.status == status && error.detail.hasPrefix(says), "\(error.status): \(error.detail)")
        }
        let query = #expect(throws: Problem.self) { try RequestedOptions([("dpi", "much")], others: []) }
        #expect(query?.detail == "dpi: \"much\" is not a number from 1 to 100000" && query?.status == 400)
    }

    @Test("A name is sent so that old and new browsers read it, and nothing else")
    func disposition() {
        #expect(
            ContentDisposition.text("k\u{e4}\"se\r\n.png", isAttachment: true)
                == "attachment; filename=\"k__se__.png\"; filename*=UTF-8''k%C3%A4%22se%0D%0A.png")
    }

    @Test("Tokens are found by their digests, and a wrong line is named")
    func tokens() throws {
        let (text, token) = AccessToken.make(name: "anna", role: .submit)
        let read = try AccessToken.read("# people\n\n\(token.line)\n", file: "t")
        #expect(read == [token] && !token.line.contains(text.dropFirst(4)))
        for wrong in ["anna submit", "anna chief \(String(repeating: "0", count: 64))", "anna read 00", "a b c d"] {
            #expect(throws: GatewayError.self) { try AccessToken.read("\(token.line)\n\(wrong)\n", file: "t") }
        }
    }

    @Test("Options of JSON and of an address choose the same; unknown ones and files are refused")
    func options() throws {
        let json = try JSONReader.read(
            Array(
                (#"{"size": ["2k", "10x20mm"], "rgba": true, "rgb": false, "quality": 7.0, "dpi": 254, "margin": 4, "#
                    + #""max-bytes": 2048}"#).utf8))
        let query = [
            ("size", "2k,10x20mm"), ("rgba", "true"), ("rgb", "false"), ("quality", "7"), ("dpi", "254"),
            ("margin", "4"), ("max-bytes", "2K"),
        ].map { (name: $0.0, value: $0.1) }
        let choices = try RequestedOptions(json, others: []).choices
        #expect(try RequestedOptions(query, others: []).choices == choices)
        #expect(choices.sizes.map(\.name) == ["2k", "100x200"])
        #expect(choices.options.colorMode == .rgba && choices.options.dotsPerInch == 254)
        #expect(choices.options.view == .fit(margin: 4) && choices.encoding.quality == 7)
        #expect(choices.encoding.bytesMax == 2048)
        #expect(!choices.isGiven("rgb") && choices.isGiven("rgba"))
        for wrong in [
            #"{"overlay": "x"}"#, #"{"font": "x"}"#, #"{"limits": "x"}"#, #"{"presets": "x"}"#, #"{"into": "x"}"#,
            #"{"size": "2k"}"#, #"{"size": []}"#, #"{"quality": 7.5}"#, #"{"quality": 101}"#, #"{"rgb": "yes"}"#,
            #"{"effort": "most"}"#, #"{"background": ""}"#, "[]",
        ] {
            let value = try JSONReader.read(Array(wrong.utf8))
            #expect(throws: Problem.self, "\(wrong)") { try RequestedOptions(value, others: []) }
        }
    }

    @Test("The contract has every option of the table and no other, with the same values")
    func optionsOfContract() throws {
        let contract = try JSONReader.read(#require(Page.all["/openapi.json"]).bytes)
        let schemas = contract["components"]?["schemas"]?["Options"]?["properties"]?.members ?? []
        let options = PictureOption.all.filter(\.isOfRequests)
        #expect(Set(schemas.map(\.0)) == Set(options.map(\.name)))
        for (name, schema) in schemas {
            let option = try #require(options.first { $0.name == name })
            let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? ""]
            let bounds = [schema["minimum"]?.number, schema["maximum"]?.number]
            let (expected, range): ([String], [Double?]) =
                switch option.kind {
                case .flag: (["boolean"], [nil, nil])
                case .text, .choice: (["string"], [nil, nil])
                case .texts: (["array"], [nil, nil])
                case .length: (["number", "string"], [0, nil])
                case .bytes: (["integer", "string"], [1, nil])
                case .integer(let range): (["integer"], [Double(range.lowerBound), Double(range.upperBound)])
                case .number(let range): (["number"], [range.lowerBound, range.upperBound])
                }
            #expect(types == expected && bounds == range, "\(name)")
            if case .choice(let words) = option.kind {
                #expect(schema["enum"]?.array?.compactMap(\.string) == words, "\(name)")
            }
        }
    }

    @Test("Every file of the dashboard is part of the program")
    func pages() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources/InkHTTP/Pages").standardized
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let page = try #require(Page.all[file == "index.html" ? "/" : "/" + file], "Sources/CPages lacks \(file)")
            #expect(try page.bytes == Array(Data(contentsOf: folder.appending(path: file))))
        }
    }

    @Test("Labels of metrics are escaped")
    func metrics() {
        var text = MetricsText()
        text.begin("a", .gauge, "What.")
        text.add("a", ["b": "\"\\\n"], 0.5)
        #expect(text.text == "# HELP a What.\n# TYPE a gauge\na{b=\"\\\"\\\\\\n\"} 0.5\n")
    }

    @Test("A document's name is a file's name in its own folder, whatever it is")
    func fileNames() {
        for name in [
            "../../x", "/etc/passwd", "a\\b\\..", "", ".", "..", "\0", ".hidden",
            String(repeating: "\u{e4}", count: 900),
        ] {
            let found = Spool.fileName(name)
            #expect(
                !found.isEmpty && !found.contains("/") && !found.utf8.contains(0) && !found.hasPrefix("."), "\(name)")
            #expect(found.utf8.count <= 220)
        }
    }

    @Test("A trace is followed if its header is sound")
    func traceParent() {
        let (trace, span) = (String(repeating: "ab", count: 16), String(repeating: "cd", count: 8))
        let context = TraceContext("00-\(trace)-\(span)-01")
        #expect(context?.trace == trace && context?.parent == span)
        #expect(TraceContext("cc-\(trace)-\(span)-01-more") != nil)
        for wrong in [
            nil, "", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(String(repeating: "0", count: 32))-\(span)-01",
            "00-\(trace)-\(String(repeating: "0", count: 16))-01", "00-\(trace.dropLast())-\(span)-01",
        ] {
            #expect(TraceContext(wrong) == nil, "\(wrong ?? "none")")
        }
    }
}
