/// The written value of a note without its dots.
package enum NoteType: String, CaseIterable, Hashable, Sendable {
    case semibreve, minim, crotchet, quaver, semiquaver, demisemiquaver

    /// The fraction of a semibreve, as its denominator: 1, 2, 4, 8, 16 or 32.
    package var denominator: Int {
        switch self {
        case .semibreve: 1
        case .minim: 2
        case .crotchet: 4
        case .quaver: 8
        case .semiquaver: 16
        case .demisemiquaver: 32
        }
    }

    package init?(denominator: Int) {
        guard let type = Self.allCases.first(where: { $0.denominator == denominator }) else { return nil }
        self = type
    }

    package var requiresStem: Bool { self != .semibreve }
    /// Flags or beams: 1 for a quaver, 3 for a demisemiquaver.
    package var flagCount: Int {
        switch self {
        case .semibreve, .minim, .crotchet: 0
        case .quaver: 1
        case .semiquaver: 2
        case .demisemiquaver: 3
        }
    }
}

/// A duration of music as a whole number of ticks, so that sums are exact.
package struct Ticks: Hashable, Comparable, Sendable {
    package var count: Int

    /// Ticks of a semibreve: divisible by 128, for two dots on a demisemiquaver, and by each number up to 15, for tuplets.
    package static let semibreve = Ticks(count: 128 * 360_360)

    package static func < (a: Ticks, b: Ticks) -> Bool { a.count < b.count }
    package static func + (a: Ticks, b: Ticks) -> Ticks { Ticks(count: a.count + b.count) }
    package static func - (a: Ticks, b: Ticks) -> Ticks { Ticks(count: a.count - b.count) }
    package static func += (a: inout Ticks, b: Ticks) { a.count += b.count }
    package static let zero = Ticks(count: 0)
}

/// The written length of a note or a rest.
package struct NoteDuration: Hashable, Sendable {
    package var noteType: NoteType
    /// 0, 1 or 2.
    package var dots = 0
    /// The ratio of the tuplet that the note is in.
    package var tuplet: TupletRatio?

    /// The time that the note takes.
    package var ticks: Ticks {
        let plain = Ticks.semibreve.count / noteType.denominator
        // 1, 3/2 and 7/4: the division is exact, because a demisemiquaver is a multiple of four.
        let dotted = plain * ((2 << dots) - 1) / (1 << dots)
        guard let tuplet else { return Ticks(count: dotted) }
        return Ticks(count: dotted * tuplet.normal / tuplet.actual)
    }

    /// The factor of the note type's time, as `.pbscore` has it: 1.5 for a dot, 2/3 in a triplet.
    package var adjustment: Double {
        let dotted = Double((2 << dots) - 1) / Double(1 << dots)
        return tuplet.map { dotted * Double($0.normal) / Double($0.actual) } ?? dotted
    }
}

/// So many notes in the time of so many: 3 in the time of 2 for a triplet.
package struct TupletRatio: Hashable, Sendable {
    package var actual: Int
    package var normal: Int

    /// The numbers that both may be.
    package static let range = 1...15
}

/// What a bar is counted by.
package struct TimeSignature: Hashable, Sendable {
    /// How the signature is printed.
    package enum Symbol: String, CaseIterable, Hashable, Sendable {
        case none, common, cut
    }

    package var numerator: Int
    /// 1, 2, 4, 8 or 16.
    package var denominator: Int
    package var symbol: Symbol = .none

    package static let common = TimeSignature(numerator: 4, denominator: 4, symbol: .common)
    package static let cut = TimeSignature(numerator: 2, denominator: 2, symbol: .cut)
    package static let numerators = 1...32

    /// The time of a full bar.
    package var ticks: Ticks { Ticks(count: Ticks.semibreve.count / denominator * numerator) }
}
