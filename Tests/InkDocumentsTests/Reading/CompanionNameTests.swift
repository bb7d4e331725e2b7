import Testing

@testable import InkDocuments

@Suite struct CompanionNameTests {
    private func name(_ kind: CompanionName.Kind, _ text: String) -> CompanionName? {
        CompanionName(kind, utf8: Array(text.utf8))
    }

    @Test("Names of files in a folder", arguments: [CompanionName.Kind.image, .folderFile])
    func paths(kind: CompanionName.Kind) {
        for good in ["a", "a/b.png", "a b/é.png", "..a", "a../b", "...", "\u{301}x"] {
            #expect(name(kind, good) != nil)
        }
        for bad in [
            "", ".", "..", "/", "/etc/passwd", "/\u{301}x", "../x", "a/../b", "a/..", "../\u{301}x", "a//b", "a/",
            "./a",
            "a/./b", "a\\b", "a\u{0}b", "a\nb", "C:/x", String(repeating: "a", count: CompanionName.bytesMax + 1),
        ] {
            #expect(name(kind, bad) == nil, "\(bad)")
        }
        #expect(CompanionName(kind, utf8: [0x61, 0xFF]) == nil)
        #expect(name(kind, String(repeating: "a", count: CompanionName.bytesMax)) != nil)
    }

    @Test func presets() {
        for good in ["0/a.json", "12/a b.json", "0/a\\b.json", "0/a...json"] {
            #expect(name(.preset, good) != nil, "\(good)")
        }
        for bad in [
            "", "a.json", "0/", "0/a", "0/.json", "0/.a.json", "00/a.json", "+1/a.json", "-1/a.json", "1/../a.json",
            "0//a.json", "/0/a.json", "0/a\u{0}.json", "99999999999999999999/a.json", "0/../../x.json",
            "0/\u{301}/x.json",
        ] {
            #expect(name(.preset, bad) == nil, "\(bad)")
        }
        #expect(name(.presetFolders, "") != nil && name(.presetFolders, "x") == nil)
    }

    @Test("Equivalent names are two files")
    func equivalent() {
        #expect(name(.image, "\u{E9}") != name(.image, "e\u{301}"))
        #expect(name(.image, "a") != name(.folderFile, "a"))
    }
}
