/// The side that a note's flag or partial beam points to, which is how a file says what is beamed.
package enum Beam: String, CaseIterable, Hashable, Sendable {
    /// The flag points left: the note goes on with a beam from before.
    case left
    /// The flag points right: the note begins a beam or continues one.
    case right
    /// The note has a flag of its own and is not beamed.
    case alone = "none"
}

/// A sign above a note.
package enum Articulation: String, CaseIterable, Hashable, Sendable {
    case fermata, accent
}

/// A note or a rest of a pipe.
package struct PipeNote: Hashable, Sendable {
    package var id: ScoreID
    package var duration: NoteDuration
    /// Nil for a rest.
    package var pitch: Pitch?
    package var accidental: Accidental?
    /// The gracenotes before the note, with their pitches.
    package var embellishment: Embellishment?
    package var articulation: [Articulation] = []
    /// The groups that the note is a member of (`ScoreDocument.noteGroups`), in the order of the document.
    package var noteGroups: [ScoreID] = []
    /// How the note is beamed; nil leaves it to the beats of the bar.
    package var beam: Beam?
}

/// A note or a rest of a snare drum.
package struct SnareDrumNote: Hashable, Sendable {
    package enum Hand: String, CaseIterable, Hashable, Sendable {
        case right, left
    }

    package enum StickTechnique: String, CaseIterable, Hashable, Sendable {
        case tap, buzz, roll, rimshot, backstick, crossstick
    }

    package enum StickHeight: String, CaseIterable, Hashable, Sendable {
        case low, mid, high
    }

    /// The small notes before a stroke.
    package enum Ornament: String, CaseIterable, Hashable, Sendable {
        case flam, drag, openDrag, ruff, swissRuff
    }

    package var id: ScoreID
    package var duration: NoteDuration
    package var isRest = false
    package var hand: Hand = .right
    package var stickTechnique: StickTechnique = .tap
    package var stickHeight: StickHeight?
    package var ornament: Ornament?
    package var articulation: [Articulation] = []
    /// The groups that the note is a member of (`ScoreDocument.noteGroups`), in the order of the document.
    package var noteGroups: [ScoreID] = []
    /// How the note is beamed; nil leaves it to the beats of the bar.
    package var beam: Beam?
}

/// Notes that belong together.
package struct NoteGroup: Hashable, Sendable {
    /// What the notes are to each other.
    package enum Kind: Hashable, Sendable {
        /// Two notes of one pitch that sound as one.
        case tie
        case tuplet(TupletRatio)
        /// Bars of one time only, under a bracket.
        case timeLine(TimeLineLabel)
        /// Drummers who play together, under a bracket.
        case unison
        /// A drum roll, tied to the note that ends it.
        case roll
        case hairpin(Hairpin)
    }

    /// A change of loudness.
    package enum Hairpin: String, CaseIterable, Hashable, Sendable {
        case crescendo, diminuendo
    }

    package var id: ScoreID
    package var kind: Kind
    /// The notes in the order of the music, all of one instrument; two or more for a tie.
    package var members: [ScoreID]
}

/// The text in the bracket of a time line.
package enum TimeLineLabel: String, CaseIterable, Hashable, Sendable {
    case first = "1"
    case second = "2"
    case secondOf2 = "22"
    case secondOf3 = "23"
    case secondOf4 = "24"
    case secondOf2And4 = "224"
    case secondOf5 = "25"
    case secondOf6 = "26"
    case secondOf7 = "27"
    case secondOf8 = "28"
    case intro, singling, doubling, bis

    /// The text as a player reads it.
    package var text: String {
        switch self {
        case .first, .second: rawValue
        case .secondOf2: "2 of 2"
        case .secondOf3: "2 of 3"
        case .secondOf4: "2 of 4"
        case .secondOf2And4: "2 of 2 & 4"
        case .secondOf5: "2 of 5"
        case .secondOf6: "2 of 6"
        case .secondOf7: "2 of 7"
        case .secondOf8: "2 of 8"
        case .intro: "Intro"
        case .singling: "Singling"
        case .doubling: "Doubling"
        case .bis: "Bis"
        }
    }
}
