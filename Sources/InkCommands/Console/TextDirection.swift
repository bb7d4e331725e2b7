/// Texts of either direction on a terminal.
///
/// A terminal orders a line from left to right or by the first letter that has a direction, and letters that run from right to
/// left pull digits and marks beside them along. Names are isolated (Unicode Standard Annex 9), so that nothing around them
/// moves.
extension String {
    /// Whether any letter runs from right to left.
    var hasRightToLeft: Bool {
        // Letters below U+0590 run from left to right.
        utf8.contains { $0 >= 0xD6 } && unicodeScalars.contains(where: \.isRightToLeft)
    }

    /// The line with each part that holds letters from right to left between FSI and PDI. Parts are what messages and tables
    /// set off: by a colon, a comma, quotation marks, brackets, an arrow, two blanks.
    ///
    /// Only for terminals: elsewhere a name with further characters is another name.
    func isolatingDirections() -> String {
        guard hasRightToLeft else { return self }
        var text = ""
        var part = ""
        func finish() {
            text += part.hasRightToLeft ? "\u{2068}\(part)\u{2069}" : part
            part = ""
        }
        var rest = self[...]
        while let character = rest.first {
            if let mark = Self.marks.first(where: { rest.hasPrefix($0) }) {
                finish()
                text += mark
                rest = rest.dropFirst(mark.count)
            } else {
                part.append(character)
                rest = rest.dropFirst()
            }
        }
        finish()
        return text
    }

    private static let marks = [": ", " -> ", "; ", ", ", "\"", "  ", " (", ")", "% ", "]", "\t"]
}

extension Unicode.Scalar {
    /// Hebrew, Arabic, Syriac, Thaana, NKo and others between, their presentation forms, and the scripts of the plane
    /// above: the blocks whose unassigned characters run from right to left, too.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
