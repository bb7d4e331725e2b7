/// What a score may hold. Beyond these numbers a tune or a file is refused (`E_LIMIT`).
enum ScoreLimits {
    static let fileBytes = 4 << 20
    static let tunes = 200
    /// In one tune.
    static let systems = 200
    /// Notes, rests and bars of one instrument in one line.
    static let columns = 600
    /// Before one note.
    static let graceNotes = 24
    /// Characters of one text.
    static let text = 300
    /// Warnings that are kept of one file; errors that stop tunes are always kept.
    static let warnings = 500
}
