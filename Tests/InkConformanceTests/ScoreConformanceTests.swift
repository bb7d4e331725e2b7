import Testing

@testable import InkDocuments
@testable import InkEngine

/// Files of BWW, against what is known of them (`Data/scores/SOURCES.md`).
@Suite struct ScoreConformanceTests {
    private func reading(_ name: String) throws -> ScoreReading {
        try ScoreFile.read(try Material.bytes("scores/\(name)"), name: name)
    }

    private func notes(_ reading: ScoreReading) -> [PipeNote] {
        reading.document.tunes.flatMap(\.systems).flatMap(\.measures).flatMap(\.bagpipes)
    }

    @Test func theTokensAreThoseOfLimePipes() throws {
        let text = String(decoding: try Material.bytes("scores/mitconf_all_symbols.bww"), as: UTF8.self)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("& ag bg") }.prefix { !$0.contains("^ts") }
        let words = lines.flatMap { $0.split(separator: " ") }.map(String.init).filter { $0 != "&" && $0 != "!t" }
        #expect(words.count == 221)
        #expect(Set(words) == Set(EmbellishmentTokens.light.map(\.token)))
        // Each word of the file has a meaning.
        let music = text.split(separator: "\n").filter { $0.hasPrefix("&") }.flatMap { $0.split(separator: " ") }
        let unknown = music.filter { BWWToken.split($0) == nil && !$0.hasPrefix("TuneTempo") }
        #expect(unknown.isEmpty, "\(unknown)")
    }

    /// Tunes, parts, lines, bars, notes, gracenotes, warnings.
    @Test(
        "Tunes are read whole",
        arguments: [
            ("mit_scotland_the_brave.bww", 1, 2, 4), ("mit_the_rowan_tree.bww", 1, 2, 4),
            ("mit_high_road_to_linton_set.bww", 3, 6, 9), ("tex_blue_bonnets.bww", 1, 4, 8),
            ("tex_green_hills_of_tyrol.bww", 1, 2, 4), ("own_march_24_endings.bww", 1, 2, 2),
            ("own_reel_cut_common.bww", 1, 1, 2), ("own_retreat_98_ties.bww", 1, 1, 2),
            ("own_strathspey_common.bww", 1, 2, 2),
        ])
    func tunes(name: String, tunes: Int, parts: Int, lines: Int) throws {
        let reading = try reading(name)
        #expect(reading.document.tunes.count == tunes)
        #expect(reading.document.tunes.flatMap(\.parts).count == parts)
        #expect(reading.document.tunes.flatMap(\.systems).count == lines)
        #expect(reading.problems.allSatisfy { $0.code == .barLength || $0.code == .embellishmentRepeated })
        #expect(reading.document.tunes.allSatisfy { !$0.metadata.title.isEmpty })
        // Both writers keep all of it.
        let json = try ScoreFile.read(ScoreFile.pbscore(reading.document), name: "t.pbscore")
        #expect(json.document == reading.document, "\(json.problems)")
        let (bww, losses) = ScoreFile.bww(reading.document)
        let again = try ScoreFile.read(bww, name: "t.bww")
        #expect(losses.isEmpty && notes(again).map(\.pitch) == notes(reading).map(\.pitch))
        #expect(notes(again).map(\.duration) == notes(reading).map(\.duration))
        #expect(
            notes(again).map { $0.embellishment?.graceNotes } == notes(reading).map { $0.embellishment?.graceNotes })
        #expect(again.document.noteGroups.map(\.kind) == reading.document.noteGroups.map(\.kind))
    }

    @Test func oldTiesAndTripletsAreGroups() throws {
        let ties = try reading("mitconf_ties_old.bww")
        #expect(ties.problems.isEmpty && ties.document.noteGroups.map(\.kind) == Array(repeating: .tie, count: 9))
        let triplets = try reading("mitconf_triplets.bww")
        #expect(triplets.problems.isEmpty && triplets.document.noteGroups.count == 9)
        #expect(notes(triplets).allSatisfy { $0.duration.tuplet == TupletRatio(actual: 3, normal: 2) })
    }

    @Test func timeSignaturesStandInTheirLines() throws {
        let reading = try reading("mitconf_time_signatures.bww")
        let found = reading.document.tunes[0].systems.compactMap { $0.measures.first?.timeSignature }
        #expect(found.count == 35 && Set(found).count == 35 && found.contains(.cut) && found.contains(.common))
    }

    @Test func inlineTextStandsAboveTheNextLine() throws {
        let reading = try reading("mitconf_tune_with_inline_comments.bww")
        let texts = reading.document.tunes[0].systems.map { $0.texts.map(\.text) }
        #expect(texts == [["tune inline text", "staff 1 inline text"], ["staff 2 inline text"]])
        #expect(reading.document.tunes[0].systems[0].texts.map(\.alignment) == [.right, .right])
    }
}
