/// The width of text on a terminal. A column is the width of a Latin letter; East Asian characters and emoji take two,
/// combining marks none.
extension StringProtocol {
    /// The text's width in columns; the larger number where terminals disagree (joined emoji).
    var columns: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return reduce(0) { $0 + $1.columns }
    }

    /// As many of the text's first characters as fit into this number of columns.
    func cut(toColumns columns: Int) -> String {
        // Most text fits, because no character takes more columns than bytes.
        if utf8.count <= columns { return String(self) }
        var taken = 0
        let end = indices.first { index in
            taken += self[index].columns
            return taken > columns
        }
        return String(self[..<(end ?? endIndex)])
    }

    /// The text in at most so many columns, shortened in the middle: beginning and end tell names apart, the end more.
    func shortened(toColumns columns: Int) -> String {
        if utf8.count <= columns || self.columns <= columns { return String(self) }
        guard columns > 1 else { return columns == 1 ? "…" : "" }
        let head = cut(toColumns: (columns - 1) / 3)
        var room = columns - 1 - head.columns
        var start = endIndex
        while start > startIndex {
            let before = index(before: start)
            room -= self[before].columns
            if room < 0 { break }
            start = before
        }
        return head + "…" + self[start...]
    }

    /// The rows of the text when wrapped. Characters are not split.
    func rows(ofColumns columns: Int) -> Int {
        var rows = 1
        var column = 0
        for character in self {
            column += character.columns
            if column > columns {
                rows += 1
                column = character.columns
            }
        }
        return rows
    }

    /// The text padded with blanks to this number of columns.
    func padded(toColumns columns: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, columns - self.columns))
    }
}

extension Character {
    fileprivate var columns: Int {
        let sum = unicodeScalars.reduce(0) { $0 + $1.columns }
        // Selects the emoji form of the preceding character.
        return sum == 1 && unicodeScalars.contains("\u{fe0f}") ? 2 : sum
    }
}

extension Unicode.Scalar {
    /// East Asian Width W and F of Unicode without emoji, which have a property of their own; some unassigned ones
    /// between.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3040...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
        0x1D300...0x1D376, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var columns: Int {
        if value < 0x300 { return properties.generalCategory == .control ? 0 : 1 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch value {
        // Vowels and final consonants of Hangul stand inside the syllable.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
        // Half a flag each.
        case 0x1F1E6...0x1F1FF: return 1
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
