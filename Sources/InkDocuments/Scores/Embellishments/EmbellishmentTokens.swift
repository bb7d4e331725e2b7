/// The embellishments as BWW writes them.
enum EmbellishmentTokens {
    /// A token and what it plays. The notes do not depend on where it stands.
    struct Entry: Sendable {
        var token: String
        var kind: EmbellishmentKind
        var variant: EmbellishmentVariant
        var graceNotes: [Pitch]
    }

    /// The tokens of light music, the simplest first.
    static let light: [Entry] = singles + onNotes + movements + doubleGracenotes
    /// Those of piobaireachd, too.
    static let all: [Entry] = light + PiobaireachdTokens.entries

    private static let ofToken = Dictionary(uniqueKeysWithValues: all.map { ($0.token, $0) })
    private static let ofNotes = Dictionary(grouping: all, by: \.graceNotes)
    private static let notesMax = all.map(\.graceNotes.count).max() ?? 1

    static func entry(of token: String) -> Entry? { ofToken[token] }

    /// The tokens that play an embellishment: one where there is one, else several in a row.
    static func tokens(of embellishment: Embellishment) -> [String] {
        if let same = ofNotes[embellishment.graceNotes] {
            let best =
                same.first {
                    $0.kind == embellishment.kind && $0.variant == embellishment.variant && $0.kind != .gracenotes
                }
                ?? same.first { $0.kind == embellishment.kind && $0.kind != .gracenotes } ?? same.first
            return best.map { [$0.token] } ?? []
        }
        var tokens: [String] = []
        var rest = embellishment.graceNotes[...]
        while !rest.isEmpty {
            // Every single note has a token.
            let length = (1...min(notesMax, rest.count)).last { ofNotes[Array(rest.prefix($0))] != nil } ?? 1
            if let entry = ofNotes[Array(rest.prefix(length))]?.first { tokens.append(entry.token) }
            rest = rest.dropFirst(length)
        }
        return tokens
    }

    /// `gg`, and strikes, whose suffix is the note that is struck.
    private static let singles: [Entry] =
        Pitch.allCases.dropFirst().map { pitch in
            let letter = pitch == .highA ? "t" : pitch == .highG ? "g" : pitch.pitchClass
            let variant: EmbellishmentVariant = pitch == .highA ? .thumb : pitch == .highG ? .g : .auto
            return Entry(token: letter + "g", kind: .single, variant: variant, graceNotes: [pitch])
        }
        + Pitch.allCases.dropLast().map {
            Entry(token: "str" + $0.suffix, kind: .strike, variant: .regular, graceNotes: [$0])
        }

    /// Those whose suffix is the note that they are on: doublings, strikes, grips, peles.
    private static let onNotes: [Entry] = {
        var entries: [Entry] = []
        func add(_ prefix: String, _ kind: EmbellishmentKind, _ variant: EmbellishmentVariant, to last: Pitch) {
            for note in Pitch.allCases where note <= last {
                guard let notes = EmbellishmentRules.graceNotes(kind, variant, on: note, after: nil) else { continue }
                entries.append(
                    Entry(token: prefix + note.suffix, kind: kind, variant: variant, graceNotes: notes))
            }
        }
        /// Light forms on D, which strike C: the letter l stands before all others.
        func addLight(_ prefix: String, _ kind: EmbellishmentKind, _ variant: EmbellishmentVariant) {
            guard let notes = EmbellishmentRules.graceNotes(kind, variant, on: .d, after: nil) else { return }
            let light = notes.map { $0 == .lowG ? Pitch.c : $0 }
            entries.append(
                Entry(
                    token: "l\(prefix)d", kind: kind, variant: variant == .g || variant == .regular ? .light : variant,
                    graceNotes: light))
        }
        add("db", .doubling, .regular, to: .highA)
        add("tdb", .doubling, .thumb, to: .f)
        add("hdb", .doubling, .half, to: .f)
        for (letter, variant) in [("g", EmbellishmentVariant.g), ("t", .thumb), ("h", .half)] {
            let last: Pitch = letter == "g" ? .f : .highG
            add("\(letter)st", .gStrike, variant, to: last)
            addLight("\(letter)st", .gStrike, variant)
            add("\(letter)grp", .gGrip, variant, to: letter == "h" ? .highA : last)
            let opening: [Pitch] = letter == "g" ? [.highG] : letter == "t" ? [.highA] : []
            entries.append(
                Entry(
                    token: "\(letter)grpdb", kind: .gGrip, variant: letter == "g" ? .b : variant,
                    graceNotes: opening + [.d, .lowG, .b, .lowG]))
            let pele = letter == "g" ? "pel" : "\(letter)pel"
            add(pele, .pele, variant, to: last)
            addLight(pele, .pele, variant)
        }
        for (number, kind) in [("2", EmbellishmentKind.doubleStrike), ("3", .tripleStrike)] {
            add("st\(number)", kind, .regular, to: .highA)
            addLight("st\(number)", kind, .regular)
            add("gst\(number)", kind, .g, to: .f)
            addLight("gst\(number)", kind, .g)
            add("tst\(number)", kind, .thumb, to: .highG)
            addLight("tst\(number)", kind, .thumb)
            add("hst\(number)", kind, .half, to: .highA)
            addLight("hst\(number)", kind, .half)
        }
        return entries
    }()

    /// Those that have no suffix.
    private static let movements: [Entry] = {
        let forms: [(String, EmbellishmentKind, EmbellishmentVariant, Pitch)] = [
            ("grp", .grip, .regular, .lowA), ("grpb", .grip, .b, .lowA), ("hgrp", .grip, .half, .lowA),
            ("tar", .taorluath, .regular, .lowA), ("tarb", .taorluath, .b, .lowA),
            ("htar", .taorluath, .half, .lowA),
            ("bubly", .bubblyNote, .regular, .b), ("hbubly", .bubblyNote, .half, .b),
            ("abr", .birl, .regular, .lowA), ("brl", .birl, .half, .lowA), ("gbr", .birl, .g, .lowA),
            ("tbr", .birl, .thumb, .lowA),
            ("thrd", .dThrow, .regular, .d), ("hthrd", .dThrow, .half, .d), ("hvthrd", .dThrow, .heavy, .d),
        ]
        let halfHeavy = Entry(token: "hhvthrd", kind: .dThrow, variant: .half, graceNotes: [.d, .lowG, .c])
        return forms.compactMap { token, kind, variant, note in
            EmbellishmentRules.graceNotes(kind, variant, on: note, after: nil).map {
                Entry(token: token, kind: kind, variant: variant, graceNotes: $0)
            }
        } + [halfHeavy]
    }()

    /// The letter of the first gracenote and the second, which is lower.
    private static let doubleGracenotes: [Entry] =
        [Pitch.d, .e, .f, .highG, .highA].flatMap { first in
            let letter = first == .highA ? "t" : first.pitchClass
            let variant: EmbellishmentVariant = first == .highA ? .thumb : first == .highG ? .g : .auto
            return Pitch.allCases.filter { $0 < first }.map {
                Entry(token: letter + $0.suffix, kind: .doubleGracenote, variant: variant, graceNotes: [first, $0])
            }
        }
}
