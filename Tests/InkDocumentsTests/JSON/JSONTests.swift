import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct JSONTests {
    /// What is wrong with a text, without the file's name; nil when it parses.
    private func fault(_ text: [UInt8], depth: Int = 64) -> String? {
        var limits = Limits()
        limits.jsonDepth = depth
        do throws(EngineError) {
            _ = try JSONDocument(text, file: "f", limits: limits)
            return nil
        } catch {
            return String(error.description.dropFirst(3))
        }
    }

    @Test(arguments: [
        (
            "{",
            "the file ends too early (line 1, column 2, byte 1); it may have been cut off when it was saved or copied, so use a whole copy"
        ),
        (
            "[1,2",
            "[1]: the file ends too early (line 1, column 5, byte 4); it may have been cut off when it was saved or copied, so use a whole copy"
        ),
        (#"{"a" 1}"#, "a: expected ':' after the key, found '1' (line 1, column 6, byte 5)"),
        (
            #"{"a":1 "b":2}"#,
            #"a: expected ',' or '}', found '"' (line 1, column 8, byte 7); a comma may be missing before it"#
        ),
        ("[1 2]", "[0]: expected ',' or ']', found '2' (line 1, column 4, byte 3); a comma may be missing before it"),
        ("[1,]", "[1]: expected a value, found ']' (line 1, column 4, byte 3); remove the comma before it"),
        (
            #"{"a":1,}"#,
            "expected a key in double quotes, found '}' (line 1, column 8, byte 7); remove the comma before it"
        ),
        (
            "{'a':1}",
            "expected a key in double quotes, found ''' (line 1, column 2, byte 1); JSON has double quotes only"
        ),
        (
            "[tru]",
            #"[0]: the word "tru" is not a value of JSON (did you mean true?) (line 1, column 2, byte 1); text must be in double quotes"#
        ),
        (
            "[nulll]",
            #"[0]: the word "nulll" is not a value of JSON (did you mean null?) (line 1, column 2, byte 1); text must be in double quotes"#
        ),
        ("[01]", "[0]: a number must not begin with 0 (line 1, column 2, byte 1)"),
        ("[1.]", "[0]: expected a digit after the point, found ']' (line 1, column 4, byte 3)"),
        ("[1e]", "[0]: expected a digit of the exponent, found ']' (line 1, column 4, byte 3)"),
        ("[-]", "[0]: expected a digit, found ']' (line 1, column 3, byte 2)"),
        ("[+1]", "[0]: expected a value, found '+' (line 1, column 2, byte 1)"),
        ("[.5]", "[0]: expected a value, found '.' (line 1, column 2, byte 1)"),
        ("[0x10]", "[0]: expected the end of the number, found 'x' (line 1, column 3, byte 2)"),
        ("[NaN]", "[0]: NaN is not a number of JSON, numbers must be finite (line 1, column 2, byte 1)"),
        ("[-Infinity]", "[0]: -Infinity is not a number of JSON, numbers must be finite (line 1, column 2, byte 1)"),
        (
            #"{"x":[0,Infinity]}"#,
            "x[1]: Infinity is not a number of JSON, numbers must be finite (line 1, column 9, byte 8)"
        ),
        ("[0,-1e999]", "[1]: a number is too large to be read, it must be finite (line 1, column 4, byte 3)"),
        ("[1] 2", "something follows the end of the JSON text (line 1, column 5, byte 4)"),
        ("[1]]", "something follows the end of the JSON text (line 1, column 4, byte 3)"),
        (
            "[\n  1,\n  \"ä\", x]",
            #"[2]: the word "x" is not a value of JSON (line 3, column 8, byte 15); text must be in double quotes"#
        ),
        (
            #"["abc]"#,
            "[0]: the file ends too early, inside a string that begins at line 1, column 2 (line 1, column 7, byte 6); it may have been cut off when it was saved or copied, so use a whole copy"
        ),
        (#"["\q"]"#, "[0]: an unknown escape in a string (line 1, column 3, byte 2)"),
        (#"["\u12g4"]"#, #"[0]: \u must be followed by four hex digits (line 1, column 3, byte 2)"#),
        ("[\"a\nb\"]", "[0]: a control character must be escaped in a string (line 1, column 4, byte 3)"),
        (
            "   ",
            "the file ends too early (line 1, column 4, byte 3); it may have been cut off when it was saved or copied, so use a whole copy"
        ),
        ("[1}", "[0]: expected ',' or ']', found '}' (line 1, column 3, byte 2); a comma may be missing before it"),
    ])
    func aFaultIsSaidWithItsPlace(text: String, expected: String) {
        #expect(fault(Array(text.utf8)) == expected)
    }

    @Test("Half of a surrogate pair is read as U+FFFD, and its place is told")
    func loneSurrogates() throws {
        let text = #"{"a":["x\ud800","\udc00\ud83d\ude00\uD83D\u0041"],"\udbff":1, "n":18446744073709551616}"#
        let document = try JSONDocument(Array(text.utf8), file: "test.json", limits: Limits())
        let root = document.root
        let strings = try #require(root.field("a")).elements.map(\.string)
        #expect(strings == ["x\u{FFFD}", "\u{FFFD}😀\u{FFFD}A"])
        #expect(root.keys == ["a", "\u{FFFD}", "n"])
        #expect(
            document.repairs.map(\.description) == [
                "a[0]: half of a surrogate pair stands alone (line 1, column 9, byte 8), read as U+FFFD",
                "a[1]: half of a surrogate pair stands alone (line 1, column 18, byte 17), read as U+FFFD",
                "a[1]: half of a surrogate pair stands alone (line 1, column 36, byte 35), read as U+FFFD",
                "half of a surrogate pair stands alone (line 1, column 52, byte 51), read as U+FFFD",
            ])
        let many = "[" + Array(repeating: #""\udfff""#, count: 1000).joined(separator: ",") + "]"
        let second = try JSONDocument(Array(many.utf8), file: "test.json", limits: Limits())
        #expect(second.repairs.count == 100)
        #expect(second.root.elements.allSatisfy { $0.string == "\u{FFFD}" })
        withExtendedLifetime((document, second)) {}
    }

    @Test func textThatIsNotUTF8IsRefusedWithItsPlace() {
        for bytes: [UInt8] in [[0xC3], [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] {
            let text = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(fault(text) == "a: the text is not UTF-8 (line 1, column 7, byte 6)", "\(bytes)")
        }
    }

    @Test func goodTextsParse() throws {
        let texts = [
            "\u{FEFF}[1]", #"[" \" \\ \/ \b\f\n\r\t é 😀 ä 😀 \u0000"]"#, "[1,-0,0.5,1e-999,-1.5E+3]", "[]", "{}",
            #"{"":{"":[[]]}}"#, "[18446744073709551615,-9223372036854775808]",
        ]
        for text in texts { #expect(fault(Array(text.utf8)) == nil, "\(text)") }
    }

    @Test func integersOfAnyLengthHaveTheirValue() throws {
        for digits in [
            "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890",
            "-" + String(repeating: "7", count: 40), String(repeating: "9", count: 300),
        ] {
            let document = try JSONDocument(Array("[\(digits)]".utf8), file: "f", limits: Limits())
            let value = try #require(document.root.elements.first { _ in true }?.number)
            let exact = try #require(Double(digits))
            #expect(abs(value - exact) <= abs(exact) * 1e-15, "\(digits)")
            withExtendedLifetime(document) {}
        }
        #expect(fault(Array("[\(String(repeating: "9", count: 400))]".utf8))?.contains("must be finite") == true)
    }

    @Test(arguments: ["[0]", "[]", "{}", #"{"k": 0}"#])
    func depthIsLimitedExactly(innermost: String) {
        func nested(_ depth: Int, _ opening: String, _ closing: String) -> [UInt8] {
            let around = depth - 1
            return Array(
                (String(repeating: opening, count: around) + innermost + String(repeating: closing, count: around)).utf8
            )
        }
        for depth in [1, 2, 3, 64] {
            for (opening, closing) in [("[", "]"), (#"{"k": "#, "}"), ("[0, ", ", []]")] {
                #expect(fault(nested(depth, opening, closing), depth: depth) == nil, "depth \(depth), \(opening)")
                #expect(
                    fault(nested(depth + 1, opening, closing), depth: depth)?.contains("the limit is \(depth)") == true,
                    "depth \(depth), \(opening)")
            }
        }
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(
            fault(deep)
                == "[0][0][0][0][0][0][0][0][0][0][0][0]...: the depth of arrays and objects in each other is more than 64, the limit is 64"
        )
    }

    @Test func everyPrefixOfAProjectIsRefused() {
        let text = Array(
            project(
                layer: #""maskImage":"\#(base64(pngHeader(width: 64, height: 48)))","id":"é😀\n""#,
                stroke: ##""brush":{"color":"#fff","opacity":1.5e-1}"##, points: "[[1.25,-2,0.5],{\"x\":1,\"y\":2}]"
            ).utf8)
        #expect(throws: Never.self) {
            try ProjectReader.read(text, file: "f", limits: Limits())
        }
        for count in 0..<text.count {
            #expect(throws: EngineError.self, "prefix of \(count) bytes") {
                try ProjectReader.read(
                    Array(text[..<count]), file: "f", limits: Limits())
            }
        }
    }

    @Test func randomDamageIsReadOrRefused() throws {
        let seed: UInt64 = 20_251_110
        var random = SeededGenerator(seed: seed)
        let original = Array(
            project(layer: #""opacity":0.5,"id":"é""#, stroke: #""brush":{"type":"dots"}"#, points: "[[1,2,0.5],[3,4]]")
                .utf8)
        let interesting = Array("{}[]\",:\\0123456789-+.eEutfn \n\u{0}".utf8) + [0x80, 0xC3, 0xFF]
        for round in 0..<4_000 {
            var text = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[index] = interesting.randomElement(using: &random)!
                case 1: text.remove(at: index)
                case 2: text.insert(interesting.randomElement(using: &random)!, at: index)
                default: text[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            }
            do throws(EngineError) {
                _ = try ProjectReader.read(text, file: "f", limits: Limits())
            } catch {
                // The parser and the diagnosis must agree on what JSON is; this is what is said when they do not.
                #expect(
                    !error.description.hasSuffix("is not valid JSON"),
                    "seed \(seed), round \(round): \(String(decoding: text, as: UTF8.self))")
            }
        }
    }
}
