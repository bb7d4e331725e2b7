/// What stands at the beginning of a bar.
package enum StartBarline: String, CaseIterable, Hashable, Sendable {
    case none, heavy, `repeat`
}

/// What stands at the end of a bar.
package enum EndBarline: String, CaseIterable, Hashable, Sendable {
    case single, double, heavy, `repeat`, none
}

/// A sign at the end of a bar that says how the tune goes on.
package enum MeasureMark: String, CaseIterable, Hashable, Sendable {
    case fine, segno, dacapo, dalsegno, coda, dacapoalfine, dacapoalcoda, codasection

    /// The text as a player reads it; nil for a mark that is a sign.
    package var text: String? {
        switch self {
        case .segno, .coda: nil
        case .fine: "Fine"
        case .dacapo: "D.C."
        case .dalsegno: "D.S."
        case .dacapoalfine: "D.C. al Fine"
        case .dacapoalcoda: "D.C. al Coda"
        case .codasection: "Coda"
        }
    }
}

/// One bar of all instruments.
package struct Measure: Hashable, Sendable {
    package var id: ScoreID
    /// The time that counts in the bar; nil where a file says none. It is printed where it changes.
    package var timeSignature: TimeSignature?
    package var start: StartBarline = .none
    package var end: EndBarline = .single
    /// In the order of the file.
    package var marks: [MeasureMark] = []
    /// The notes of the pipes.
    package var bagpipes: [PipeNote] = []
    /// The notes of a second line of pipes.
    package var bagpipesSeconds: [PipeNote] = []
    package var snareDrum: [SnareDrumNote] = []
    /// Gracenotes with no note after them, drawn at the end of the bar.
    package var trailing: Embellishment?

    /// Whether an instrument has more notes than the time signature allows.
    var isOverfull: Bool {
        guard let time = timeSignature else { return false }
        func length(_ durations: [NoteDuration]) -> Ticks { durations.reduce(.zero) { $0 + $1.ticks } }
        return [bagpipes.map(\.duration), bagpipesSeconds.map(\.duration), snareDrum.map(\.duration)]
            .contains { length($0) > time.ticks }
    }

    package var isEmpty: Bool { bagpipes.isEmpty && bagpipesSeconds.isEmpty && snareDrum.isEmpty }
}

/// A line of an instrument.
package enum InstrumentType: String, CaseIterable, Hashable, Sendable {
    case bagpipes, bagpipesSeconds, snareDrum
}

/// One line of music, with a staff for each instrument. The author says where a line ends.
package struct MusicalSystem: Hashable, Sendable {
    package var id: ScoreID
    /// From above, each once; at least one.
    package var instruments: [InstrumentType] = [.bagpipes]
    /// The signs after the clef of the pipes.
    package var keySignature: [KeyAccidental] = []
    package var measures: [Measure] = []
    /// Texts above the line.
    package var texts: [ScoreText] = []
}

/// A part of a tune, from a heavy bar line to the next.
package struct Part: Hashable, Sendable {
    /// `A` for the first.
    package var partLetter: String
    package var systems: [MusicalSystem] = []
}
