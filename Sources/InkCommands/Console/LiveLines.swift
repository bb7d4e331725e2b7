import Synchronization

/// The last lines on a terminal, redrawn in place. The cursor is at the end of the last one.
///
/// Before writing anything else, remove them, as `Console` does. Lines never reach the terminal's last column, so that
/// none wraps.
final class LiveLines: Sendable {
    enum Stream: Sendable {
        case output, error
    }

    private struct Drawing {
        var lines: [String] = []
        /// The terminal's columns when the lines were drawn.
        var columns = 0
        var stream = Stream.error
        /// Whether the lines stay when the program ends.
        var isResult = false
        /// The program is ending.
        var isOver = false
    }

    private let drawing = Mutex(Drawing())

    /// The text that replaces the previous lines with these.
    func redrawing(
        _ lines: [String], size: (columns: Int, rows: Int), stream: Stream, isResult: Bool = false
    ) -> String {
        drawing.withLock { drawing in
            if drawing.isOver { return "" }
            let start = Self.start(of: drawing, size)
            var fitting = lines.prefix(max(1, size.rows)).map { $0.cut(toColumns: max(0, size.columns - 1)) }
            // After the last line the terminal may print ^C, which must not wrap.
            if let last = fitting.popLast() { fitting.append(last.cut(toColumns: max(0, size.columns - 3))) }
            // The marks take no columns.
            fitting = fitting.map { $0.isolatingDirections() }
            drawing = Drawing(lines: fitting, columns: size.columns, stream: stream, isResult: isResult)
            // Clearing each line to its end, then the rest of the screen, avoids flicker.
            return start + fitting.joined(separator: "\u{1b}[K\n") + "\u{1b}[J"
        }
    }

    /// The text that removes the lines, and the stream that they are on; nil if there are none.
    func erasing(size: (columns: Int, rows: Int)?) -> (text: String, stream: Stream)? {
        drawing.withLock { drawing in
            guard !drawing.lines.isEmpty else { return nil }
            defer { drawing.lines = [] }
            return (Self.start(of: drawing, size) + "\u{1b}[J", drawing.stream)
        }
    }

    /// The text that hands the terminal over at the end: lines that are a result stay, and none is drawn any more. nil
    /// if there are no lines, or they are being drawn at this moment.
    func leaving(size: (columns: Int, rows: Int)?) -> (text: String, stream: Stream)? {
        let taken = drawing.withLockIfAvailable { drawing -> Drawing? in
            defer {
                drawing.lines = []
                drawing.isOver = true
            }
            return drawing.lines.isEmpty ? nil : drawing
        }
        guard let taken, let drawing = taken else { return nil }
        guard drawing.isResult else { return (Self.start(of: drawing, size) + "\u{1b}[J", drawing.stream) }
        // The terminal has printed ^C after the last line.
        return ("\r\(drawing.lines.last ?? "")\u{1b}[K\n", drawing.stream)
    }

    /// Moves to the first column of the first line.
    private static func start(of drawing: Drawing, _ size: (columns: Int, rows: Int)?) -> String {
        guard !drawing.lines.isEmpty else { return "\r" }
        var rows = drawing.lines.count
        // A terminal that became narrower has wrapped them.
        if let size, size.columns > 0, size.columns < drawing.columns {
            rows = drawing.lines.reduce(0) { $0 + $1.rows(ofColumns: size.columns) }
        }
        let up = min(rows, max(1, size?.rows ?? rows)) - 1
        return up > 0 ? "\r\u{1b}[\(up)A" : "\r"
    }
}
