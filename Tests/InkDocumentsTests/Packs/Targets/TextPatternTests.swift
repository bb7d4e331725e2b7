import InkTestSupport
import Testing

@testable import InkDocuments

@Suite("Patterns of recipes")
struct TextPatternTests {
    @Test(
        "Whole texts match",
        arguments: [
            ("[a-z][a-z0-9]{1,11}", ["ab", "a0", "abcdefghijkl"], ["a", "Ab", "abcdefghijklm", "a_", ""]),
            ("1\\.\\d{1,3}\\.\\d{1,3}", ["1.20.0", "1.0.999"], ["1.20", "1.20.0.0", "2.0.0", "1.20.1234", "1x20x0"]),
            ("(geometry\\.[A-Za-z0-9_.]+)?", ["", "geometry.cow", "geometry.a.B_9"], ["geometry.", "geometry.a-b"]),
            ("1x|[1-9]\\d{0,4}x[1-9]\\d{0,4}", ["1x", "64x64", "1x99999"], ["0x1", "1", "1x1x1", "123456x1"]),
            ("[A-Za-z0-9._/-]+", ["a/b-c_d.png"], ["", "a b", "ä"]),
            ("^a+$", ["a", "aaa"], ["", "b"]),
            ("[^/]*(?:b|cc)+?.", ["b!", "xxccbc"], ["/b!", "xx", "b\n"]),
            ("a{2}b{2,}", ["aabb", "aabbbb"], ["abb", "aab"]),
            ("[]a-]+", ["]", "a-]"], ["b"]),
            ("\\{\\}\\w\\s", ["{}a ", "{}_\t"], ["{}a", "{}- "]),
            ("", [""], ["a"]),
        ] as [(String, [String], [String])])
    func matches(pattern: String, good: [String], bad: [String]) throws {
        let pattern = try TextPattern(pattern)
        for text in good { #expect(pattern.matches(text), "\(text)") }
        for text in bad { #expect(!pattern.matches(text), "\(text)") }
    }

    @Test(
        "What is not known, or too much, is refused",
        arguments: [
            "(", ")", "a)", "[", "[z-a]", "*", "a**", "a{", "a{2", "a{3,2}", "a{1001}", "\\", "(?=a)", "\\b", "\\1",
            "((a{100}){100}){100}", "a{1000}b{1000}c",
            String(repeating: "(", count: 31) + String(repeating: ")", count: 31),
        ])
    func refuses(pattern: String) { #expect(throws: TextPattern.Fault.self) { try TextPattern(pattern) } }

    @Test("Repetitions of nothing, and of repetitions, take linear time", .timeLimit(.minutes(1)))
    func time() throws {
        #expect(try TextPattern("(a*)*(a|a|aa)+b").matches(String(repeating: "a", count: 10_000)) == false)
        #expect(try TextPattern("((){1000}){1000}(a?){200}a{200}").matches(String(repeating: "a", count: 300)))
        #expect(try TextPattern("(x+x+)+y").matches(String(repeating: "x", count: 5_000)) == false)
    }

    @Test("No text makes a pattern crash", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let letters = Array("ab01()[]{}|*+?.\\^$-,d")
        for _ in 0..<200 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random)! })
            guard let pattern = try? TextPattern(text) else { continue }
            _ = pattern.matches("ab01ab")
        }
    }
}
