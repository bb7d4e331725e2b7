/// What a word in the body of a BWW file means.
enum BWWToken: Hashable, Sendable {
    case staff
    case key(KeyAccidental)
    case time(TimeSignature)
    case note(Pitch, NoteType, Beam)
    case rest(NoteType)
    /// One dot or two, for the last note of this pitch.
    case dots(Pitch, Int)
    case fermata(Pitch)
    /// Dots of the last note or rest, and a sign of the next note, as other formats have them.
    case dotted(Int)
    case accidental(KeyAccidental)
    case embellishment(String)
    case tieStart, tieEnd
    /// A tie in the old form, which stands after its first note.
    case oldTie(Pitch)
    case tupletStart(TupletRatio), tupletEnd(TupletRatio)
    /// A triplet in the old form, which stands after its third note.
    case oldTriplet
    case startBar(StartBarline)
    case endBar(EndBarline, endsLine: Bool)
    case timeLineStart(TimeLineLabel), timeLineEnd
    case mark(MeasureMark)
    case space

    /// The meaning of a word; nil for an unknown one.
    init?(_ word: String) {
        guard let token = Self.table[word] else { return nil }
        self = token
    }

    /// The meanings of a word that may have bar lines written to it without a space; nil for an unknown one.
    static func split(_ word: Substring, depth: Int = 3) -> [BWWToken]? {
        if word.utf8.count <= 15, let token = table[String(word)] { return [token] }
        // Longer words are no music, and cost nothing.
        guard depth > 0, word.utf8.count <= 64 else { return nil }
        for (bar, token) in bars {
            if word.hasPrefix(bar), let rest = split(word.dropFirst(bar.count), depth: depth - 1) {
                return [token] + rest
            }
            if word.hasSuffix(bar), let rest = split(word.dropLast(bar.count), depth: depth - 1) {
                return rest + [token]
            }
        }
        return nil
    }

    /// The longest first, so that no bar is taken for a shorter one.
    private static let bars: [(String, BWWToken)] = [
        ("''!It", .endBar(.repeat, endsLine: true)), ("''!I", .endBar(.repeat, endsLine: false)),
        ("I!''", .startBar(.repeat)), ("!!t", .endBar(.double, endsLine: true)),
        ("!It", .endBar(.heavy, endsLine: true)), ("!I", .endBar(.heavy, endsLine: false)),
        ("!t", .endBar(.single, endsLine: true)), ("I!", .startBar(.heavy)),
        ("!", .endBar(.single, endsLine: false)),
    ]

    /// The ratios of irregular groups by their names.
    static let tuplets: [(name: String, ratio: TupletRatio)] = [
        ("2", TupletRatio(actual: 2, normal: 3)), ("3", TupletRatio(actual: 3, normal: 2)),
        ("43", TupletRatio(actual: 4, normal: 3)), ("46", TupletRatio(actual: 4, normal: 6)),
        ("53", TupletRatio(actual: 5, normal: 3)), ("54", TupletRatio(actual: 5, normal: 4)),
        ("64", TupletRatio(actual: 6, normal: 4)), ("74", TupletRatio(actual: 7, normal: 4)),
        ("76", TupletRatio(actual: 7, normal: 6)),
    ]

    private static let table: [String: BWWToken] = {
        var table: [String: BWWToken] = ["&": .staff, "space": .space]
        for (word, token) in bars { table[word] = token }
        for numerator in TimeSignature.numerators {
            for denominator in [1, 2, 4, 8, 16] {
                table["\(numerator)_\(denominator)"] =
                    .time(TimeSignature(numerator: numerator, denominator: denominator))
            }
        }
        table["C"] = .time(.common)
        table["C_"] = .time(.cut)
        for type in NoteType.allCases {
            let value = "_\(type.denominator)"
            table["REST" + value] = .rest(type)
            for pitch in Pitch.allCases {
                table[pitch.name + value] = .note(pitch, type, .alone)
                table[pitch.name + "l" + value] = .note(pitch, type, .left)
                table[pitch.name + "r" + value] = .note(pitch, type, .right)
            }
        }
        for pitch in Pitch.allCases {
            let suffix = pitch.suffix
            for accidental in Accidental.allCases {
                table[accidental.rawValue + suffix] = .key(KeyAccidental(pitch: pitch, accidental: accidental))
            }
            table["'" + suffix] = .dots(pitch, 1)
            table["''" + suffix] = .dots(pitch, 2)
            table["fermat" + suffix] = .fermata(pitch)
            table["^t" + suffix] = .oldTie(pitch)
            table["^3" + suffix] = .oldTriplet
        }
        // Where two forms share a word, the new one; the reader knows whether one is open.
        table["^ts"] = .tieStart
        table["^te"] = .tieEnd
        for (name, ratio) in tuplets {
            table["^\(name)s"] = .tupletStart(ratio)
            table["^\(name)e"] = .tupletEnd(ratio)
        }
        for label in TimeLineLabel.allCases { table["'" + label.bwwName] = .timeLineStart(label) }
        table["_'"] = .timeLineEnd
        table["bis_'"] = .timeLineEnd
        for mark in MeasureMark.allCases { table[mark.rawValue] = .mark(mark) }
        for entry in EmbellishmentTokens.all { table[entry.token] = .embellishment(entry.token) }
        return table
    }()
}

extension TimeLineLabel {
    /// The name in a token: `1`, `si`, `do`.
    var bwwName: String {
        switch self {
        case .singling: "si"
        case .doubling: "do"
        default: rawValue
        }
    }
}
