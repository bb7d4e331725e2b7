/// The gracenotes of embellishments, by rule.
///
/// The rules give what Bagpipe Player's tokens play, as MuseScore plays them back; pipers' tutors differ in a few places.
enum EmbellishmentRules {
    /// The gracenotes of an embellishment on a note; nil where it cannot be played there, or where only a file can say its
    /// notes.
    ///
    /// - Parameters:
    ///   - note: the melody note that is embellished.
    ///   - previous: the melody note before it, which `auto` depends on; nil at the start of a tune and after a rest.
    static func graceNotes(
        _ kind: EmbellishmentKind, _ variant: EmbellishmentVariant, on note: Pitch, after previous: Pitch?
    ) -> [Pitch]? {
        let variant = resolved(variant, of: kind, after: previous)
        switch kind {
        case .gracenotes: return nil
        case .single: return variant.opening
        case .strike:
            guard let low = strike(note) else { return nil }
            switch variant {
            case .regular: return [low]
            case .light: return note == .d ? [.c] : nil
            default: return graceNotes(.gStrike, variant, on: note, after: previous)
            }
        case .doubling: return doubling(variant, on: note)
        case .gStrike: return afterOpening(variant, on: note) { [$0, $1] }
        case .pele:
            guard let high = shakeNote(note), note != .highA else { return nil }
            return afterOpening(variant, on: note) { [$0, high, $0, $1] }
        case .doubleStrike, .tripleStrike:
            let isTriple = kind == .tripleStrike
            if variant == .regular || variant == .light {
                guard let low = variant == .light ? lightStrike(note) : strike(note) else { return nil }
                return isTriple ? [low, note, low, note, low] : [low, note, low]
            }
            if variant == .half, note == .highA {
                return isTriple ? [.highA, .highG, .highA, .highG, .highA, .highG] : [.highA, .highG, .highA, .highG]
            }
            return afterOpening(variant, on: note) { isTriple ? [$0, $1, $0, $1, $0, $1] : [$0, $1, $0, $1] }
        case .grip, .taorluath, .crunluath: return grip(kind, variant, on: note)
        case .gGrip: return gGrip(variant, on: note)
        case .bubblyNote:
            return note == .b ? form(variant, regular: [.lowG, .d, .lowG, .c, .lowG]) : nil
        case .birl: return note == .lowA ? birl(variant) : nil
        case .dThrow:
            guard note == .d else { return nil }
            if variant == .heavy {
                return previous == .lowG ? [.d, .lowG, .c] : [.lowG, .d, .lowG, .c]
            }
            return form(variant, regular: [.lowG, .d, .c])
        case .doubleGracenote: return variant.opening.map { $0 + [note] }
        case .edre: return [.e, .lowA, .f, .lowA]
        case .dare: return [.f, .e, .highG, .e]
        }
    }

    /// The note that an embellishment is for; nil where it suits others too.
    static func target(of kind: EmbellishmentKind) -> Pitch? {
        switch kind {
        case .dThrow: .d
        case .bubblyNote: .b
        case .birl: .lowA
        default: nil
        }
    }

    /// The variant that `auto` stands for after a note.
    private static func resolved(
        _ variant: EmbellishmentVariant, of kind: EmbellishmentKind, after previous: Pitch?
    ) -> EmbellishmentVariant {
        // High G cannot be cut out of high G.
        let opening: EmbellishmentVariant =
            switch previous {
            case .highG?: .thumb
            case .highA?: kind == .single || kind == .doubleGracenote ? .g : .half
            default: .g
            }
        guard variant == .auto else { return variant == .g && kind == .birl && previous == .highG ? .thumb : variant }
        switch kind {
        case .single, .doubling, .gStrike, .gGrip, .pele, .doubleStrike, .tripleStrike, .doubleGracenote:
            return opening
        case .grip, .taorluath, .crunluath:
            return previous == .d ? .b : previous == .lowG ? .half : .regular
        case .bubblyNote, .dThrow: return previous == .lowG ? .half : .regular
        case .birl: return previous == .lowA ? .half : .regular
        case .strike, .edre, .dare, .gracenotes: return .regular
        }
    }

    /// The note that a strike touches: below the note, and light enough to be heard. Nothing is below low G.
    static func strike(_ note: Pitch) -> Pitch? {
        switch note {
        case .lowG: nil
        case .lowA, .b, .c, .d: .lowG
        case .e: .lowA
        case .f: .e
        case .highG: .f
        case .highA: .highG
        }
    }

    private static func lightStrike(_ note: Pitch) -> Pitch? { note == .d ? .c : nil }

    /// The last gracenote of a doubling.
    static func top(_ note: Pitch) -> Pitch? {
        switch note {
        case .lowG, .lowA, .b, .c: .d
        case .d: .e
        case .e: .f
        case .f: .highG
        case .highG, .highA: nil
        }
    }

    /// The high note of a pele.
    private static func shakeNote(_ note: Pitch) -> Pitch? {
        switch note {
        case .lowG: nil
        case .lowA, .b, .c, .d: .e
        case .e: .f
        case .f: .highG
        case .highG, .highA: .highA
        }
    }

    private static func doubling(_ variant: EmbellishmentVariant, on note: Pitch) -> [Pitch]? {
        guard let opening = variant.opening else { return nil }
        switch note {
        case .highG: return variant == .thumb ? [.highA, .highG, .f] : [.highG, .f]
        case .highA: return variant == .half ? [.highG] : [.highA, .highG]
        default: return top(note).map { opening + [note, $0] }
        }
    }

    /// An opening gracenote, then what is played with the note and its strike.
    private static func afterOpening(
        _ variant: EmbellishmentVariant, on note: Pitch, _ rest: (_ note: Pitch, _ low: Pitch) -> [Pitch]
    ) -> [Pitch]? {
        // There is no higher note to cut high A with, nor high G but with the thumb.
        guard let low = variant == .light ? lightStrike(note) : strike(note), let opening = variant.opening,
            note != .highA, note != .highG || variant == .thumb || variant == .half
        else { return nil }
        return opening + rest(note, low)
    }

    private static func grip(
        _ kind: EmbellishmentKind, _ variant: EmbellishmentVariant, on note: Pitch
    ) -> [Pitch]? {
        let grip: [Pitch]? = variant == .b ? [.lowG, .b, .lowG] : form(variant, regular: [.lowG, .d, .lowG])
        switch kind {
        // The E of a taorluath would not be heard before these.
        case .taorluath where note < .e: return grip.map { $0 + [.e] }
        case .crunluath: return grip.map { $0 + [.e, .lowA, .f, .lowA] }
        default: return grip
        }
    }

    private static func gGrip(_ variant: EmbellishmentVariant, on note: Pitch) -> [Pitch]? {
        guard note != .lowG, let opening = variant == .b ? [.highG] : variant.opening else { return nil }
        guard note < .highG || variant == .half || (note == .highG && variant == .thumb) else { return nil }
        let middle: Pitch =
            variant == .b ? .b : note == .f || (note == .highG && variant == .thumb) ? .f : .d
        return opening + [note, .lowG, middle, .lowG]
    }

    private static func birl(_ variant: EmbellishmentVariant) -> [Pitch]? {
        let full: [Pitch] = [.lowA, .lowG, .lowA, .lowG]
        switch variant {
        case .regular: return full
        case .half: return Array(full.dropFirst())
        case .g: return [.highG] + full
        case .thumb: return [.highA] + full
        case .auto, .light, .heavy, .b: return nil
        }
    }

    /// A movement that begins with a low G, which the half form leaves out.
    private static func form(_ variant: EmbellishmentVariant, regular: [Pitch]) -> [Pitch]? {
        switch variant {
        case .regular: regular
        case .half: Array(regular.dropFirst())
        default: nil
        }
    }
}

extension EmbellishmentVariant {
    /// The gracenote that a movement from above begins with; nil where the variant has none such.
    fileprivate var opening: [Pitch]? {
        switch self {
        case .regular, .g, .light: [.highG]
        case .thumb: [.highA]
        case .half: []
        case .auto, .heavy, .b: nil
        }
    }
}

extension EmbellishmentRules {
    /// Whether a gracenote is equal to the note before it, so that it cannot be heard.
    ///
    /// - Parameter previous: the melody note before the first gracenote.
    static func repeats(_ graceNotes: [Pitch], after previous: Pitch?) -> Bool {
        zip([previous] + graceNotes.map(Optional.some), graceNotes).contains { $0 == $1 }
    }
}
