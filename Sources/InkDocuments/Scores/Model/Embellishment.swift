/// The gracenotes before a melody note.
package struct Embellishment: Hashable, Sendable {
    package var kind: EmbellishmentKind
    package var variant: EmbellishmentVariant = .auto
    /// The notes that are played, in order: what the kind gives on its note, or what the file lists.
    package var graceNotes: [Pitch]
    /// Whether the file lists the notes itself, which then count for more than the rules.
    package var isListed = false
}

/// The embellishments of pipe music.
package enum EmbellishmentKind: String, CaseIterable, Hashable, Sendable {
    /// One gracenote: high G unless the variant or the file says another.
    case single
    /// One low note that interrupts the melody note.
    case strike
    /// A strike after a gracenote.
    case gStrike
    case doubling
    /// Also called leumluath.
    case grip
    /// A grip that begins on the melody note.
    case gGrip
    case taorluath, bubblyNote, birl
    /// A throw on D.
    case dThrow = "throw"
    /// Also called shake.
    case pele
    case doubleStrike, tripleStrike
    /// Two gracenotes, the second on the note below.
    case doubleGracenote
    case crunluath, edre, dare
    /// A list of gracenotes that has no name, or several embellishments in a row.
    case gracenotes
}

/// How an embellishment begins.
package enum EmbellishmentVariant: String, CaseIterable, Hashable, Sendable {
    /// By the melody note before.
    case auto
    case regular, half, thumb, g, light, heavy, b
}
