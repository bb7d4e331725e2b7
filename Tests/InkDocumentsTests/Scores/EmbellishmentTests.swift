import Testing

@testable import InkDocuments

/// The gracenotes of each row of the rules, written by hand.
@Suite struct EmbellishmentTests {
    private func names(_ notes: [Pitch]?) -> String? { notes?.map(\.name).joined(separator: " ") }

    @Test(
        "A token plays its gracenotes",
        arguments: [
            ("gg", "HG"), ("tg", "HA"), ("dg", "D"), ("strlg", "LG"), ("strhg", "HG"),
            ("dblg", "HG LG D"), ("dbc", "HG C D"), ("dbd", "HG D E"), ("dbe", "HG E F"), ("dbf", "HG F HG"),
            ("dbhg", "HG F"), ("dbha", "HA HG"), ("tdbb", "HA B D"), ("hdbe", "E F"),
            ("gstla", "HG LA LG"), ("gste", "HG E LA"), ("gstf", "HG F E"), ("lgstd", "HG D C"),
            ("tsthg", "HA HG F"), ("ltstd", "HA D C"), ("hstc", "C LG"), ("lhstd", "D C"),
            ("grp", "LG D LG"), ("grpb", "LG B LG"), ("hgrp", "D LG"),
            ("ggrpla", "HG LA LG D LG"), ("ggrpdb", "HG D LG B LG"), ("ggrpf", "HG F LG F LG"),
            ("tgrphg", "HA HG LG F LG"), ("hgrphg", "HG LG D LG"), ("hgrpha", "HA LG D LG"),
            ("tar", "LG D LG E"), ("tarb", "LG B LG E"), ("htar", "D LG E"),
            ("bubly", "LG D LG C LG"), ("hbubly", "D LG C LG"),
            ("brl", "LG LA LG"), ("abr", "LA LG LA LG"), ("gbr", "HG LA LG LA LG"), ("tbr", "HA LA LG LA LG"),
            ("thrd", "LG D C"), ("hvthrd", "LG D LG C"), ("hthrd", "D C"), ("hhvthrd", "D LG C"),
            ("pella", "HG LA E LA LG"), ("pele", "HG E F E LA"), ("lpeld", "HG D E D C"), ("hpelhg", "HG HA HG F"),
            ("st2la", "LG LA LG"), ("st2e", "LA E LA"), ("lst2d", "C D C"), ("gst2f", "HG F E F E"),
            ("hst2ha", "HA HG HA HG"), ("st3ha", "HG HA HG HA HG"), ("tst3hg", "HA HG F HG F HG F"),
            ("lhst3d", "D C D C D C"),
            ("dlg", "D LG"), ("ec", "E C"), ("fe", "F E"), ("gb", "HG B"), ("thg", "HA HG"),
            ("crunl", "LG D LG E LA F LA"), ("crunlb", "LG B LG E LA F LA"), ("edre", "E LA F LA"),
            ("dare", "F E HG E"), ("hiharin", "D LA LG LA LG"), ("echoe", "E"),
        ])
    func token(_ token: String, notes: String) throws {
        let entry = try #require(EmbellishmentTokens.entry(of: token))
        #expect(names(entry.graceNotes) == notes)
    }

    @Test func lightMusicHas221TokensAndNoneTwice() {
        #expect(EmbellishmentTokens.light.count == 221)
        #expect(Set(EmbellishmentTokens.all.map(\.token)).count == EmbellishmentTokens.all.count)
        #expect(EmbellishmentTokens.all.allSatisfy { !PiobaireachdTokens.refused.contains($0.token) })
        // No embellishment is at once a word of another kind.
        #expect(
            EmbellishmentTokens.all.allSatisfy { BWWToken($0.token) == .embellishment($0.token) })
    }

    @Test func noEmbellishmentRepeatsANote() {
        for entry in EmbellishmentTokens.light where entry.kind != .single && entry.kind != .strike {
            #expect(!EmbellishmentRules.repeats(entry.graceNotes, after: nil), "\(entry.token)")
        }
    }

    /// Kind, variant, note, note before, gracenotes; nil where it cannot be played.
    @Test(
        "The variant auto follows the note before",
        arguments: [
            (EmbellishmentKind.doubling, Pitch.c, nil as Pitch?, "HG C D"), (.doubling, .c, .highG, "HA C D"),
            (.doubling, .c, .highA, "C D"), (.doubling, .highG, .e, "HG F"), (.doubling, .highG, .highG, "HA HG F"),
            (.single, .c, .b, "HG"), (.single, .c, .highG, "HA"), (.single, .c, .highA, "HG"),
            (.grip, .b, .c, "LG D LG"), (.grip, .b, .d, "LG B LG"), (.grip, .b, .lowG, "D LG"),
            (.taorluath, .lowA, .d, "LG B LG E"), (.taorluath, .e, .c, "LG D LG"), (.taorluath, .highA, .lowG, "D LG"),
            (.bubblyNote, .b, .lowG, "D LG C LG"), (.birl, .lowA, .lowA, "LG LA LG"),
            (.birl, .lowA, .b, "LA LG LA LG"), (.dThrow, .d, .lowG, "D C"), (.dThrow, .d, .b, "LG D C"),
            (.gStrike, .f, .highA, "F E"), (.pele, .e, .highG, "HA E F E LA"),
            (.crunluath, .e, .d, "LG B LG E LA F LA"), (.strike, .e, .highG, "LA"),
        ])
    func auto(kind: EmbellishmentKind, note: Pitch, previous: Pitch?, notes: String) {
        #expect(names(EmbellishmentRules.graceNotes(kind, .auto, on: note, after: previous)) == notes)
    }

    @Test func whatCannotBePlayedHasNoNotes() {
        #expect(EmbellishmentRules.graceNotes(.dThrow, .auto, on: .c, after: nil) == nil)
        #expect(EmbellishmentRules.graceNotes(.birl, .auto, on: .b, after: nil) == nil)
        #expect(EmbellishmentRules.graceNotes(.strike, .auto, on: .lowG, after: nil) == nil)
        #expect(EmbellishmentRules.graceNotes(.gStrike, .g, on: .highG, after: nil) == nil)
        #expect(EmbellishmentRules.graceNotes(.gracenotes, .auto, on: .b, after: nil) == nil)
    }

    /// The rules give a note list for every kind, variant, note and note before, or none: they trap for nothing.
    @Test func theRulesAreTotal() {
        var longest = 0
        for kind in EmbellishmentKind.allCases {
            for variant in EmbellishmentVariant.allCases {
                for note in Pitch.allCases {
                    for previous in [nil] + Pitch.allCases.map(Optional.some) {
                        let notes = EmbellishmentRules.graceNotes(kind, variant, on: note, after: previous)
                        longest = max(longest, notes?.count ?? 0)
                    }
                }
            }
        }
        #expect(longest == 7)
    }

    @Test func tokensOfAnEmbellishmentPlayItsNotes() {
        for entry in EmbellishmentTokens.light {
            let embellishment = Embellishment(
                kind: entry.kind, variant: entry.variant, graceNotes: entry.graceNotes, isListed: true)
            let tokens = EmbellishmentTokens.tokens(of: embellishment)
            let played = tokens.flatMap { EmbellishmentTokens.entry(of: $0)?.graceNotes ?? [] }
            #expect(tokens.count == 1 && played == entry.graceNotes, "\(entry.token) became \(tokens)")
        }
        // What has no token of its own is several.
        let odd: [Pitch] = [.lowG, .highA, .lowG, .highA, .b, .highA]
        let tokens = EmbellishmentTokens.tokens(of: Embellishment(kind: .gracenotes, graceNotes: odd, isListed: true))
        #expect(tokens.flatMap { EmbellishmentTokens.entry(of: $0)?.graceNotes ?? [] } == odd)
    }
}
