/// The measures that all lines of a tune are engraved by. Lengths are in staff spaces.
struct EngravingRules: Sendable {
    var settings: DocumentLayoutSettings
    var tuneType: TuneType

    static let staffLine: Spaces = 0.13
    static let stem: Spaces = 0.12
    static let stemLength: Spaces = 3.5
    static let ledgerLine: Spaces = 0.16
    static let ledgerReach: Spaces = 0.4
    static let dotGap: Spaces = 0.25
    static let dotStep: Spaces = 0.45
    /// The least distance of things that do not belong together.
    static let gapMin: Spaces = 0.15

    /// The gracenotes of a note as a group.
    func graces(_ steps: [Int], before note: StaffNote? = nil) -> GraceGroup {
        GraceGroup(steps, before: note, rules: self)
    }

    /// The room that gracenotes and accidental of a note take before its head.
    func room(before note: StaffNote) -> Spaces {
        let accidental = note.accidental.map { $0.advance + 0.2 } ?? 0
        return accidental + (note.graces.isEmpty ? 0 : graces(note.graces, before: note).width)
    }

    /// The room of a head with its dots.
    func room(of note: StaffNote) -> Spaces {
        guard note.duration.dots > 0 else { return note.head.advance }
        return note.head.advance + Self.dotGap + Self.dotStep * note.duration.dots
    }

    // MARK: - Fonts

    var regular: ScoreFace { settings.textFamily == .serif ? .serifRegular : .sansRegular }
    var bold: ScoreFace { settings.textFamily == .serif ? .serifBold : .sansBold }
    var italic: ScoreFace { settings.textFamily == .serif ? .serifItalic : .sansItalic }
}
