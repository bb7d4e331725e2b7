import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct PatternSuggestionTests {
    @Test("Neighbours never get the same pattern, up to thirteen of them", arguments: 0..<20 as Range<UInt64>)
    func neighbours(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...40, using: &random)
        var neighbours = [[Int]](repeating: [], count: count)
        for _ in 0..<(count * 4) {
            let (a, b) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            guard a != b, !neighbours[a].contains(b), neighbours[a].count < 13, neighbours[b].count < 13 else {
                continue
            }
            neighbours[a].append(b)
            neighbours[b].append(a)
        }
        let areas = (0..<count).map { _ in PatternSuggestion.Area(color: .white, isThin: false) }
        let patterns = PatternSuggestion.patterns(for: areas, neighbours: neighbours)
        for (index, others) in neighbours.enumerated() {
            for other in others { #expect(patterns[index] != patterns[other], "seed \(seed): \(index) and \(other)") }
        }
    }

    @Test("Lines are solid, and light colours become dark enough for white paper")
    func colors() {
        let patterns = PatternSuggestion.patterns(
            for: [
                .init(color: .white, isThin: false), .init(color: .white, isThin: true),
                .init(color: .black, isThin: false),
            ],
            neighbours: [[1], [0], []])
        #expect(patterns[0].color == RGBA8(red: 150, green: 150, blue: 150) && patterns[0].type != .solid)
        #expect(patterns[1] == SuggestedPattern(type: .solid, color: .white))
        #expect(patterns[2].color == .black)
    }

    @Test(
        "Colours have the names that people give them",
        arguments: [
            ("#000", "Black"), ("#222222", "Black"), ("#fff", "White"), ("#808080", "Grey"), ("#e02020", "Red"),
            ("#4f8a45", "Dark green"), ("#7bb661", "Green"), ("#bfe3f5", "Light blue"), ("#e8762d", "Orange"),
            ("#ffd94a", "Yellow"), ("#764ba2", "Purple"), ("#8b5a2b", "Brown"), ("#f4ede0", "Beige"),
            ("#fa709a", "Pink"),
            ("#1d6a78", "Dark turquoise"), ("#808000", "Olive"), ("#ff0010", "Red"),
        ])
    func names(color: String, name: String) throws {
        #expect(RegionNames.name(of: try #require(RGBA8(hex: color))) == name)
    }

    @Test("Ids are names of files, each once")
    func ids() {
        #expect(
            RegionNames.ids(of: [
                "Light blue, top", "Light Blue top", "", "../..", "Été", String(repeating: "x", count: 99),
            ])
                == ["light-blue-top", "light-blue-top-2", "layer", "layer-2", "t", String(repeating: "x", count: 60)])
        #expect(RegionNames.unique(["A", "a", "A", "A 2"]) == ["A", "a 2", "A 3", "A 2 2"])
    }
}
