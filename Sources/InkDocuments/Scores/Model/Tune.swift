/// A text of a score.
package struct ScoreText: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case title, type, composer, arranger, footer, inline
    }

    package enum Alignment: String, CaseIterable, Hashable, Sendable {
        case left, center, right
    }

    package var kind: Kind
    package var text: String
    package var alignment: Alignment

    /// Where a text stands that a file does not place.
    package static func usualAlignment(of kind: Kind) -> Alignment {
        switch kind {
        case .title, .footer, .inline: .left
        case .type: .center
        case .composer, .arranger: .right
        }
    }
}

/// The kind of a tune.
package enum TuneType: String, CaseIterable, Hashable, Sendable {
    case march, slowMarch, retreat, slowAir, hymn, strathspey, reel, jig, hornpipe, polka, waltz, lament, piobaireachd
    case other

    /// The text that is printed where a file gives none; empty for `other`.
    package var text: String {
        switch self {
        case .slowMarch: "Slow March"
        case .slowAir: "Slow Air"
        case .other: ""
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }
}

/// Facts about a tune beside its music.
package struct TuneMetadata: Hashable, Sendable {
    package var title: String = ""
    package var tuneType: TuneType = .other
    /// The type as the file prints it, such as `6/8 March`; nil for the usual text.
    package var typeText: String?
    /// Beats a minute.
    package var tempo: Int?
    package var composer: String?
    package var arranger: String?
    package var footer: String?
    /// Where a file places a text otherwise than usual.
    package var alignments: [ScoreText.Kind: ScoreText.Alignment] = [:]

    /// The texts of the heading and the footer that are printed: no empty ones.
    package var texts: [ScoreText] {
        let all: [(ScoreText.Kind, String?)] = [
            (.title, title), (.type, typeText ?? tuneType.text), (.composer, composer), (.arranger, arranger),
            (.footer, footer),
        ]
        return all.compactMap { kind, text in
            guard let text, !text.isEmpty else { return nil }
            return ScoreText(
                kind: kind, text: text, alignment: alignments[kind] ?? ScoreText.usualAlignment(of: kind))
        }
    }
}

/// What a tune asks of its page.
package struct TuneLayoutPreference: Hashable, Sendable {
    /// Whether the tune begins on a new page.
    package var newPage = false
    /// Millimetres.
    package var staffSpace: Double?
}

/// The page that a BWW file was made for, from its line `TuneFormat`.
package struct FilePage: Hashable, Sendable {
    package var orientation: DocumentLayoutSettings.Orientation
    /// Left, top, right, bottom as they stand in the file, in 1/1000 inch.
    package var margins: [Int]
}

/// One tune of a score.
package struct Tune: Hashable, Sendable {
    package var id: ScoreID
    package var metadata = TuneMetadata()
    package var layoutPreference: TuneLayoutPreference?
    package var filePage: FilePage?
    package var parts: [Part] = []

    /// The lines of all parts in order.
    package var systems: [MusicalSystem] { parts.flatMap(\.systems) }
}
