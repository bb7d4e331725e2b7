import CScoreGlyphs

/// The tables of outlines that are a part of the program, as text.
enum ScoreTables {
    static let glyphs = lines(ink_score_glyphs())
    static let letters = lines(ink_score_letters())

    private static func lines(_ table: ink_score_table) -> [Substring] {
        // The table is a constant of the program, of as many bytes as it says.
        let bytes = UnsafeBufferPointer(start: table.bytes, count: table.byte_count)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    }
}

extension Substring {
    /// The words between single blanks, which are found as bytes: whole characters take ten times as long.
    func tableWords(maxSplits: Int = .max) -> [Substring] {
        utf8.split(separator: UInt8(ascii: " "), maxSplits: maxSplits).map { Substring($0) }
    }
}
