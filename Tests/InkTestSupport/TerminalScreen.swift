import Glibc

/// What a person sees of what a program writes to a terminal: cursor up, clear to the end of the line and of the screen, lines
/// that wrap at the last column and are wrapped anew when the terminal becomes another width.
public struct TerminalScreen {
    private struct Row {
        var cells: [String] = []
        /// Whether the text goes on in the next row.
        var isWrapped = false
    }

    public private(set) var columns: Int
    private let rowCount: Int
    private var rows = [Row()]
    private var row = 0
    private var column = 0
    private var pending: [Unicode.Scalar] = []

    public init(columns: Int, rows: Int) {
        self.columns = columns
        rowCount = rows
    }

    /// All that stands there, scrolled out of sight too, without blanks and empty rows at the ends.
    public var text: String { lines.joined(separator: "\n") }

    public var lines: [String] {
        var lines = rows.map { row -> String in
            var text = row.cells.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Whether what is written next begins a line that is empty.
    public var isAtEmptyLine: Bool { column == 0 && rows[row...].allSatisfy { $0.cells.allSatisfy { $0 == " " } } }

    public mutating func write(_ text: String) {
        for scalar in text.unicodeScalars { write(scalar) }
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        if !pending.isEmpty || scalar == "\u{1b}" {
            pending.append(scalar)
            if pending.count > 2, scalar.properties.isAlphabetic { runSequence() }
            return
        }
        switch scalar {
        case "\r": column = 0
        case "\n":
            // The driver of a terminal writes the return.
            column = 0
            rows[row].isWrapped = false
            advance()
        default: put(scalar)
        }
    }

    private mutating func runSequence() {
        let number = Int(String(String.UnicodeScalarView(pending.dropFirst(2).dropLast()))) ?? 0
        switch pending.last {
        case "A": row = max(max(0, rows.count - rowCount), row - max(1, number))
        case "K": rows[row].cells.removeLast(max(0, rows[row].cells.count - column))
        case "J":
            rows[row].cells.removeLast(max(0, rows[row].cells.count - column))
            rows.removeLast(rows.count - row - 1)
            rows[row].isWrapped = false
        default: break
        }
        pending = []
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = Self.width(scalar)
        if width == 0 {
            if column > 0, column <= rows[row].cells.count { rows[row].cells[column - 1].unicodeScalars.append(scalar) }
            return
        }
        if column + width > columns {
            rows[row].isWrapped = true
            advance()
            column = 0
        }
        while rows[row].cells.count < column + width { rows[row].cells.append(" ") }
        rows[row].cells[column] = String(scalar)
        if width == 2 { rows[row].cells[column + 1] = "" }
        column += width
    }

    private mutating func advance() {
        row += 1
        if row == rows.count { rows.append(Row()) }
    }

    /// As a terminal does whose window changes.
    public mutating func resize(columns new: Int) {
        var old = TerminalScreen(columns: new, rows: rowCount)
        var place: (row: Int, column: Int)?
        for (index, line) in rows.enumerated() {
            for (at, cell) in line.cells.enumerated() {
                if index == row, at == column { place = (old.row, old.column) }
                for scalar in cell.unicodeScalars { old.put(scalar) }
            }
            if index == row, place == nil { place = (old.row, old.column) }
            if !line.isWrapped, index + 1 < rows.count { old.write("\n") }
        }
        (old.row, old.column) = place ?? (old.row, old.column)
        self = old
    }

    /// As the C library has it.
    public static func width(_ scalar: Unicode.Scalar) -> Int {
        guard let locale = newlocale(Int32(1 << LC_CTYPE), "C.UTF-8", nil) else { return 1 }
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        return max(0, Int(columnsOfCharacter(scalar.value)))
    }
}

/// `wcwidth`, which the module of the C library leaves out.
@_silgen_name("wcwidth") private func columnsOfCharacter(_ character: UInt32) -> CInt
