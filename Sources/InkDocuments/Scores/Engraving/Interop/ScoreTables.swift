import CScoreGlyphs

/// The tables of outlines that are a part of the program, as text.
enum ScoreTables {
    static let glyphs = lines(ink_score_glyphs())
    static let letters = lines(ink_score_letters())

    private static func lines(_ table: ink_score_table) -> [Substring] {
        // The table is a constant of the program, of as many bytes as it says.
        let bytes = UnsafeBufferPointer(start: table.bytes, count: table.byte_count)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
