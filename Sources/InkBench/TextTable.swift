/// Columns of text for a terminal: the first `leading` and the last `trailing` to the left, the others to the right.
struct TextTable: Sendable {
    private var rows: [[String]]
    private let leftColumns: Set<Int>

    init(head: [String], leading: Int, trailing: Int = 0) {
        rows = [head]
        leftColumns = Set(head.indices.prefix(leading)).union(head.indices.suffix(trailing))
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// Lines without trailing blanks; columns are as wide as needed.
    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                line += (column == 0 ? "" : "  ") + (leftColumns.contains(column) ? cell + blanks : blanks + cell)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension String {
    /// At most so many characters; of a longer text the middle is left out.
    func shortened(to count: Int) -> String {
        guard self.count > count, count > 3 else { return self }
        let kept = count - 3
        return prefix(kept - kept / 2) + "..." + suffix(kept / 2)
    }

    /// At most about as wide as so many letters.
    func shortened(toWidth width: Double) -> String {
        var count = self.count
        var text = self
        while text.letterWidths > width, count > 4 {
            count -= 1
            text = shortened(to: count)
        }
        return text
    }

    /// What a text takes of a line, letters: those of Asian scripts and pictures are about twice as wide, capitals a third more.
    private var letterWidths: Double {
        reduce(0) { width, character in
            width + (character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : character.isUppercase ? 1.4 : 1)
        }
    }
}
