/// A note or a rest as it stands on a staff, of a pipe or of a drum.
struct StaffNote: Hashable, Sendable {
    var id: ScoreID
    var duration: NoteDuration
    var isRest: Bool
    /// Half staff spaces above the bottom line.
    var step: Int
    var head: ScoreGlyph
    /// The gracenotes before it, by their steps.
    var graces: [Int] = []
    var accidental: ScoreGlyph?
    var articulation: [Articulation] = []
    /// A sign on the stem.
    var stroke: ScoreGlyph?
    var beam: Beam?
    /// Whether it stands on the one line of a drum.
    var isDrum = false

    var y: Spaces { Spaces(steps: step * Spaces.stepsPerSpace / 2) }
    /// Beams or flags; a rest has none.
    var flagCount: Int { isRest ? 0 : duration.noteType.flagCount }

    init(_ note: PipeNote) {
        id = note.id
        duration = note.duration
        isRest = note.pitch == nil
        step = note.pitch?.staffStep ?? 4
        head = isRest ? Self.rest(note.duration.noteType) : Self.head(note.duration.noteType)
        graces = note.embellishment?.graceNotes.map(\.staffStep) ?? []
        accidental = note.accidental?.glyph
        articulation = note.articulation
        beam = note.beam
    }

    /// Right strokes lie above the one line of a drum, left ones below.
    init(_ note: SnareDrumNote) {
        id = note.id
        duration = note.duration
        isRest = note.isRest
        isDrum = true
        let side = note.hand == .right ? 1 : -1
        step = isRest ? 0 : side
        head = isRest ? Self.rest(note.duration.noteType) : Self.head(note.duration.noteType)
        switch note.stickTechnique {
        case .tap: break
        case .buzz: stroke = .buzzRoll
        case .roll:
            stroke =
                switch note.duration.noteType.flagCount {
                case 0: .tremolo3
                case 1: .tremolo2
                default: .tremolo1
                }
        case .rimshot: head = .noteheadXBlack
        case .backstick: head = .noteheadDiamondBlack
        case .crossstick: head = .noteheadCircleX
        }
        graces =
            switch note.ornament {
            case nil: []
            case .flam: [-side]
            case .drag: [-side, -side]
            case .openDrag: [-side, side]
            case .ruff: [-side, -side, -side]
            case .swissRuff: [side, -side]
            }
        articulation = note.articulation
        beam = note.beam
    }

    private static func head(_ type: NoteType) -> ScoreGlyph {
        switch type {
        case .semibreve: .noteheadWhole
        case .minim: .noteheadHalf
        default: .noteheadBlack
        }
    }

    private static func rest(_ type: NoteType) -> ScoreGlyph {
        switch type {
        case .semibreve: .restWhole
        case .minim: .restHalf
        case .crotchet: .restQuarter
        case .quaver: .rest8th
        case .semiquaver: .rest16th
        case .demisemiquaver: .rest32nd
        }
    }

    /// The space that follows the note where a line is neither stretched nor compressed.
    var spring: Spaces {
        var spring: Spaces =
            switch duration.noteType {
            case .semibreve: 6.0
            case .minim: 4.4
            case .crotchet: 3.2
            case .quaver: 2.3
            case .semiquaver: 1.65
            case .demisemiquaver: 1.2
            }
        if duration.dots > 0 { spring = spring * 1.3 }
        if let tuplet = duration.tuplet { spring = spring * (Double(tuplet.normal) / Double(tuplet.actual)) }
        return spring
    }
}

extension Accidental {
    var glyph: ScoreGlyph {
        switch self {
        case .sharp: .accidentalSharp
        case .natural: .accidentalNatural
        case .flat: .accidentalFlat
        }
    }
}
