import InkTestSupport
import Synchronization
import Testing

@testable import InkHTTP

/// Forms as programs write them: `multipart/form-data`.
@Suite("Forms", .timeLimit(.minutes(5)))
struct FormReaderTests {
    private struct Part: Hashable {
        var name: String
        var fileName: String?
        var bytes: [UInt8]
    }

    private final class Parts: FormTaker {
        private let state = Mutex<[Part]>([])
        var all: [Part] { state.withLock { $0 } }

        func begin(_ part: FormPart) {
            state.withLock { $0.append(Part(name: part.name, fileName: part.fileName, bytes: [])) }
        }

        func take(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0[$0.count - 1].bytes += bytes } }

        func end() -> HTTPResponse { HTTPResponse(200) }
        func close() {}
    }

    /// What a form holds that arrives in pieces of these lengths, and the rest; nil and the answer if it is refused.
    private func read(
        _ body: [UInt8], _ boundary: String = "boundary=b", pieces: [Int] = []
    ) throws -> (parts: [Part], answer: HTTPResponse) {
        var reader = try #require(FormReader(contentType: "multipart/form-data; \(boundary)"))
        let parts = Parts()
        var rest = body[...]
        do {
            for count in pieces + [body.count] where !rest.isEmpty {
                let piece = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
                try piece.withUnsafeBytes { try reader.take($0, parts) }
            }
            let answer = try reader.end(parts)
            return (parts.all, answer)
        } catch let problem as Problem {
            return (parts.all, problem.response)
        }
    }

    private func text(_ answer: HTTPResponse) -> String {
        guard case .bytes(let bytes) = answer.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func lines(_ text: String) -> [UInt8] { Array(text.replacing("\n", with: "\r\n").utf8) }

    @Test("A form of .NET: names without quotation marks, the boundary with them, the file's name twice")
    func dotNet() throws {
        let body = lines(
            """
            --7427
            Content-Type: text/plain; charset=utf-8
            Content-Disposition: form-data; name=options

            {"size":["1x"]}
            --7427
            Content-Disposition: form-data; name=document; filename="=?utf-8?B?w6QuaW5r?="; filename*=utf-8''%C3%A4.ink

            drawing
            --7427--

            """)
        let (parts, answer) = try read(body, "boundary=\"7427\"")
        #expect(answer.status == 200, "\(text(answer))")
        #expect(
            parts == [
                Part(name: "options", fileName: nil, bytes: Array(#"{"size":["1x"]}"#.utf8)),
                Part(name: "document", fileName: "\u{e4}.ink", bytes: Array("drawing".utf8)),
            ])
    }

    @Test(
        "Headers of a part in any order and spelling",
        arguments: [
            ("Content-Disposition: form-data; name=\"document\"; filename=\"a.ink\"", "a.ink"),
            ("content-disposition:form-data;filename=a.ink;name=document", "a.ink"),
            ("CONTENT-DISPOSITION: FORM-DATA ; FileName = \"a.ink\" ; NAME = \"document\" ;", "a.ink"),
            ("Content-Type: a/b\nContent-Disposition: form-data;\n name=document;\n\tfilename=a.ink\nX: 1", "a.ink"),
            (#"Content-Disposition: form-data; name="document"; filename="a\"b\\c.ink""#, #"a"b\c.ink"#),
            (#"Content-Disposition: form-data; name="document"; filename="C:\a;b.ink""#, #"C:\a;b.ink"#),
            ("Content-Disposition: form-data; name=document; filename=my drawing.ink", "my drawing.ink"),
            ("Content-Disposition: form-data; name=document; filename=\"\u{e4}\u{1f58b}.ink\"", "\u{e4}\u{1f58b}.ink"),
            ("Content-Disposition: form-data; name=document; filename=a; filename*=x-y''%E4", "a"),
            ("Content-Disposition: form-data; name=document; filename*=UTF-8'de'%F0%9F%96%8B.ink", "\u{1f58b}.ink"),
            ("Content-Disposition: form-data; name=document", nil),
            ("Content-Transfer-Encoding: binary\nContent-Disposition: form-data; name=document; filename=\"\"", ""),
        ])
    func headers(header: String, fileName: String?) throws {
        for break_ in ["\r\n", "\n"] {
            let body = "--b\n\(header)\n\nx\n--b--".replacing("\n", with: break_)
            let (parts, answer) = try read(Array(body.utf8))
            #expect(answer.status == 200, "\(header): \(text(answer))")
            #expect(parts == [Part(name: "document", fileName: fileName, bytes: [120])], "\(header)")
        }
    }

    @Test("What only looks like a boundary is content, and what lies around a form does not count")
    func boundaries() throws {
        let body = lines(
            """
            for old programs
            --b \t
            Content-Disposition: form-data; name=a

            --bc
            --b-
             --b
            --b--c
            \r--b
            --b
            Content-Disposition: form-data; name=empty


            --b
            Content-Disposition: form-data; name=none

            --b--\u{20}
            the end
            --b
            """)
        let (parts, answer) = try read(body)
        #expect(answer.status == 200, "\(text(answer))")
        #expect(
            parts == [
                Part(name: "a", fileName: nil, bytes: lines("--bc\n--b-\n --b\n--b--c\n\r--b")),
                Part(name: "empty", fileName: nil, bytes: []), Part(name: "none", fileName: nil, bytes: []),
            ])
        // The shortest there is, and one without parts.
        #expect(try read(Array("--b--".utf8)).answer.status == 200)
        #expect(try read(lines("\n--b--\n")).answer.status == 200)
    }

    @Test(
        "What is no form is refused with the reason",
        arguments: [
            ("", "before its last boundary"), ("--b", "before its last boundary"),
            ("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "before its last boundary"),
            ("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b", "before its last boundary"),
            ("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--b--x", "before its last boundary"),
            ("--c\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--c--\r\n", "before its last boundary"),
            ("--b\r\n\r\nx\r\n--b--", "Content-Disposition: form-data"),
            ("--b\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b--", "Content-Disposition: form-data"),
            ("--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--", "Content-Disposition: form-data"),
            ("--b\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nx\r\n--b--", "not understood"),
            ("--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--b--", "not understood"),
            ("--b\r\nContent-Disposition: form-data; name=a\r\nno header\r\n\r\nx\r\n--b--", "no colon"),
            (
                "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
                "Content-Transfer-Encoding"
            ),
            ("--b\r\nContent-Disposition: form-data; name=\"a\0b\"\r\n\r\nx\r\n--b--", "NUL"),
        ])
    func refusals(body: String, reason: String) throws {
        let (_, answer) = try read(Array(body.utf8))
        #expect(answer.status == 400 && text(answer).contains(reason.replacing("\"", with: "\\\"")), "\(text(answer))")
    }

    @Test("Neither headers nor what comes before the first boundary may go on for ever")
    func bounds() throws {
        let head = "--b\r\nContent-Disposition: form-data; name=a\r\nX: "
        let long = Array(head.utf8) + [UInt8](repeating: 120, count: 20_000)
        #expect(try read(long, pieces: Array(repeating: 1_000, count: 30)).answer.status == 400)
        for filler in [UInt8(ascii: "x"), UInt8(ascii: "\n")] {
            let body = [UInt8](repeating: filler, count: 200_000)
            #expect(try read(body, pieces: Array(repeating: 1_000, count: 300)).answer.status == 400)
        }
        // Blanks behind a boundary are not waited for without end.
        let blanks =
            lines("--b\nContent-Disposition: form-data; name=a\n\n") + lines("\n--b")
            + [UInt8](repeating: 32, count: 5_000) + lines("\n--b--")
        #expect(try read(blanks, pieces: Array(repeating: 100, count: 60)).parts.first?.bytes.count == 5_005)
    }

    @Test(
        "The type names the boundary",
        arguments: [
            ("multipart/form-data; boundary=b", true), ("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"b c\"", true),
            ("multipart/form-data", false), ("multipart/form-data; boundary=", false),
            ("multipart/form-data; boundary=\"b ", false), ("multipart/form-data; boundary=\"b \"", false),
            ("multipart/form-data; boundary=a; boundary=b", false),
            ("multipart/form-data; boundary=\(String(repeating: "b", count: 201))", false),
        ])
    func types(type: String, isGood: Bool) { #expect((FormReader(contentType: type) != nil) == isGood, "\(type)") }

    @Test("However the network cuts a form, its parts are the same", arguments: 0..<200 as Range<UInt64>)
    func cuts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lineEnd: [UInt8] = Bool.random(using: &random) ? [13, 10] : [10]
        let boundary = ["b", "-", "--", "bb", "0123456789"].randomElement(using: &random)!
        let delimiter = Array("--\(boundary)".utf8)
        // Content that is full of beginnings of boundaries.
        let pieces = [
            lineEnd, [13], [10], delimiter, Array(delimiter.dropLast()), [45], [45, 45], [32], [0, 255], [98],
        ]
        var parts: [Part] = []
        var body: [UInt8] = Bool.random(using: &random) ? Array("before".utf8) + lineEnd : []
        for number in 0..<Int.random(in: 0...4, using: &random) {
            var bytes: [UInt8] = []
            repeat {
                bytes = (0..<Int.random(in: 0...12, using: &random)).flatMap { _ in
                    pieces.randomElement(using: &random)!
                }
            } while Self.holdsBoundary(lineEnd + bytes + lineEnd, lineEnd + delimiter, lineEnd)
            let name = "part\(number)"
            body += delimiter + lineEnd + Array("Content-Disposition: form-data; name=\(name)".utf8) + lineEnd + lineEnd
            body += bytes + lineEnd
            parts.append(Part(name: name, fileName: nil, bytes: bytes))
        }
        body += delimiter + [45, 45]
        if Bool.random(using: &random) { body += lineEnd + Array("after".utf8) }
        for cut in [[], Array(repeating: 1, count: body.count)]
            + (0..<8).map({ _ in (0..<20).map { _ in Int.random(in: 1...17, using: &random) } })
        {
            let (found, answer) = try read(body, "boundary=\"\(boundary)\"", pieces: cut)
            #expect(answer.status == 200, "seed \(seed), pieces \(cut): \(text(answer))")
            #expect(
                found == parts,
                "seed \(seed), pieces \(cut), \(String(reflecting: String(decoding: body, as: UTF8.self)))")
        }
        // What is no form gives the same answer too.
        let damaged = body.filter { _ in Int.random(in: 0..<20, using: &random) > 0 }
        let whole = try read(damaged, "boundary=\"\(boundary)\"")
        for _ in 0..<4 {
            let cut = (0..<20).map { _ in Int.random(in: 1...17, using: &random) }
            let (found, answer) = try read(damaged, "boundary=\"\(boundary)\"", pieces: cut)
            #expect(answer.status == whole.answer.status && found == whole.parts, "seed \(seed), pieces \(cut)")
        }
    }

    /// Whether bytes hold a whole boundary, which no content may.
    private static func holdsBoundary(_ bytes: [UInt8], _ wanted: [UInt8], _ lineEnd: [UInt8]) -> Bool {
        bytes.indices.contains { start in
            guard bytes[start...].starts(with: wanted) else { return false }
            var rest = bytes[(start + wanted.count)...]
            if rest.starts(with: [45, 45]) { rest = rest.dropFirst(2) }
            rest = rest.drop { $0 == 32 || $0 == 9 }
            return rest.starts(with: lineEnd)
        }
    }
}
