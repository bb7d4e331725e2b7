/// One of the nine notes of a pipe chanter, from low G to high A.
package enum Pitch: Int, CaseIterable, Comparable, Hashable, Sendable {
    case lowG, lowA, b, c, d, e, f, highG, highA

    /// The name in scores: `LG`, `LA`, `B` ... `HG`, `HA`.
    package var name: String { Self.names[rawValue] }
    /// The name in tokens of BWW: `lg`, `la`, `b` ... `hg`, `ha`.
    package var suffix: String { Self.suffixes[rawValue] }
    /// Half staff spaces above the bottom line of the staff: 2 for low G, 10 for high A.
    package var staffStep: Int { rawValue + 2 }
    /// The letter of the scientific name, `a` to `g`.
    package var pitchClass: String { Self.classes[rawValue] }
    /// The octave of the scientific name: 5 for high G and high A, else 4. Octaves of pipe music begin at G, not at C.
    package var octave: Int { self >= .highG ? 5 : 4 }

    private static let names = ["LG", "LA", "B", "C", "D", "E", "F", "HG", "HA"]
    private static let suffixes = ["lg", "la", "b", "c", "d", "e", "f", "hg", "ha"]
    private static let classes = ["g", "a", "b", "c", "d", "e", "f", "g", "a"]
    private static let ofName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
    private static let ofSuffix = Dictionary(uniqueKeysWithValues: allCases.map { ($0.suffix, $0) })

    /// A note by its name, such as `LG`; nil for another.
    package init?(name: some StringProtocol) {
        guard let pitch = Self.ofName[String(name)] else { return nil }
        self = pitch
    }

    /// A note by its name in tokens, such as `lg`; nil for another.
    package init?(suffix: some StringProtocol) {
        guard let pitch = Self.ofSuffix[String(suffix)] else { return nil }
        self = pitch
    }

    /// A note by its scientific name. G and A sound in two octaves, 4 and 5; the others are one note in either.
    package init?(pitchClass: String, octave: Int) {
        guard octave == 4 || octave == 5, let index = Self.classes.firstIndex(of: pitchClass) else { return nil }
        self = Self.allCases[index < 2 && octave == 5 ? index + 7 : index]
    }

    package static func < (a: Pitch, b: Pitch) -> Bool { a.rawValue < b.rawValue }
}

/// A sign before a note or in a key signature.
package enum Accidental: String, CaseIterable, Hashable, Sendable {
    case sharp, natural, flat
}

/// One sign of a key signature.
package struct KeyAccidental: Hashable, Sendable {
    package var pitch: Pitch
    package var accidental: Accidental

    /// F sharp and C sharp, the key of the pipe chanter.
    package static let pipes = [
        KeyAccidental(pitch: .f, accidental: .sharp), KeyAccidental(pitch: .c, accidental: .sharp),
    ]
}
