import Synchronization

/// The last lines on a terminal, which are drawn anew in their place. The cursor stands at the end of the last one.
///
/// Whoever writes something else takes them away first: `Console` does. Lines never reach the terminal's last column, so that
/// none wraps.
final class LiveLines: Sendable {
    enum Stream: Sendable {
        case output, error
    }

    private struct Drawing {
        var lines: [String] = []
        /// Of the terminal when they were drawn.
        var columns = 0
        var stream = Stream.error
        /// Whether the lines are worth keeping when the program ends.
        var isResult = false
        /// The program is ending.
        var isOver = false
    }

    private let drawing = Mutex(Drawing())

    /// What puts these lines in the place of the last ones.
    func redrawing(
        _ lines: [String], size: (columns: Int, rows: Int), stream: Stream, isResult: Bool = false
    ) -> String {
        drawing.withLock { drawing in
            if drawing.isOver { return "" }
            let start = Self.start(of: drawing, size)
            var fitting = lines.prefix(max(1, size.rows)).map { $0.cut(toColumns: max(0, size.columns - 1)) }
            // Behind the last one the terminal itself may write ^C, which must not wrap.
            if let last = fitting.popLast() { fitting.append(last.cut(toColumns: max(0, size.columns - 3))) }
            drawing = Drawing(lines: fitting, columns: size.columns, stream: stream, isResult: isResult)
            // Each line to its end, then the rest of the screen: nothing flickers.
            return start + fitting.joined(separator: "\u{1b}[K\n") + "\u{1b}[J"
        }
    }

    /// What takes the lines away, and where they stand; nil when none do.
    func erasing(size: (columns: Int, rows: Int)?) -> (text: String, stream: Stream)? {
        drawing.withLock { drawing in
            guard !drawing.lines.isEmpty else { return nil }
            defer { drawing.lines = [] }
            return (Self.start(of: drawing, size) + "\u{1b}[J", drawing.stream)
        }
    }

    /// What leaves the terminal to whoever comes after: lines that are a result stay, none is drawn any more. nil when no lines stand there, or when they
    /// are being drawn in this moment.
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
        // The terminal has written ^C behind the last line.
        return ("\r\(drawing.lines.last ?? "")\u{1b}[K\n", drawing.stream)
    }

    /// The way to the first column of the first line.
    private static func start(of drawing: Drawing, _ size: (columns: Int, rows: Int)?) -> String {
        guard !drawing.lines.isEmpty else { return "\r" }
        var rows = drawing.lines.count
        // A terminal that has become narrower has wrapped them.
        if let size, size.columns > 0, size.columns < drawing.columns {
            rows = drawing.lines.reduce(0) { $0 + $1.rows(ofColumns: size.columns) }
        }
        let up = min(rows, max(1, size?.rows ?? rows)) - 1
        return up > 0 ? "\r\u{1b}[\(up)A" : "\r"
    }
}
