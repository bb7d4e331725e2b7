import InkEngine
import InkJSON
import InkTestSupport
import Testing

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

    @Test("A range of a file, or all of it where the header is another")
    func ranges() {
        for (header, expected) in [
            (nil, .all), ("bytes=0-0", .part(0..<1)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=9-20", .part(9..<10)), ("bytes=10-", .none), ("bytes=-0", .none),
            ("bytes=5-4", .all), ("bytes=0-1,3-4", .all), ("lines=0-1", .all), ("bytes=a-b", .all),
            ("bytes=0-9223372036854775807", .part(0..<10)),
        ] as [(String?, ByteRange)] {
            #expect(ByteRange(header, of: 10) == expected, "\(header ?? "none")")
        }
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

    @Test("Options become those of the command line; unknown ones and files are refused")
    func options() throws {
        let json = try JSONReader.read(
            Array(#"{"size": ["2k", "4k"], "rgba": true, "rgb": false, "quality": 7.0, "dpi": 300}"#.utf8))
        let options = try PictureOptionsSyntax.read(json)
        #expect(options.map { "\($0.name)=\($0.value)" } == ["size=2k", "size=4k", "rgba=", "quality=7", "dpi=300"])
        let query = [("size", "2k,4k"), ("rgba", "true"), ("rgb", "false")].map { (name: $0.0, value: $0.1) }
        #expect(try PictureOptionsSyntax.read(query).map(\.value) == ["2k", "4k", ""])
        for wrong in [
            #"{"overlay": "x"}"#, #"{"font": "x"}"#, #"{"limits": "x"}"#, #"{"presets": "x"}"#, #"{"into": "x"}"#,
            #"{"size": "2k"}"#, #"{"size": []}"#, #"{"quality": 7.5}"#, #"{"quality": 101}"#, #"{"rgb": "yes"}"#,
            #"{"effort": "most"}"#, #"{"background": ""}"#, "[]",
        ] {
            let value = try JSONReader.read(Array(wrong.utf8))
            #expect(throws: Problem.self, "\(wrong)") { try PictureOptionsSyntax.read(value) }
        }
        // Every option of the contract, and no other.
        let contract = try JSONReader.read(PackageResources.openapi_json)
        let names = contract["components"]?["schemas"]?["Options"]?["properties"]?.members?.map(\.0) ?? []
        #expect(Set(names) == Set(PictureOptionsSyntax.all.map(\.name)))
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
