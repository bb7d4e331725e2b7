import CSystem
import Glibc
import InkEngine

/// Where a command's text goes. Tests put their own in its place.
struct Console: Sendable {
    /// Standard output; false when it cannot be written.
    var writeOutput: @Sendable (String) -> Bool
    /// Standard error.
    var writeError: @Sendable (String) -> Void
    /// Columns and rows of the terminal behind standard error; nil when there is none.
    var terminalSize: @Sendable () -> (columns: Int, rows: Int)?
    /// The same of the terminal behind standard output.
    var outputSize: @Sendable () -> (columns: Int, rows: Int)? = { nil }

    /// The process's own standard output and error.
    static let process = Console(
        writeOutput: { writeAll($0, to: STDOUT_FILENO) },
        writeError: { _ = writeAll($0, to: STDERR_FILENO) },
        terminalSize: { size(of: STDERR_FILENO) }, outputSize: { size(of: STDOUT_FILENO) })

    private static func size(of file: Int32) -> (columns: Int, rows: Int)? {
        guard isatty(file) == 1 else { return nil }
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// One line to standard output.
    /// - Throws: `outputClosed` when nobody reads it any more, `io`.
    func print(_ line: String) throws(CommandError) { try draw(line + "\n") }

    /// Text to standard output as it is.
    /// - Throws: `outputClosed` when nobody reads it any more, `io`.
    func draw(_ text: String) throws(CommandError) {
        errno = 0
        guard writeOutput(text) else {
            if errno == EPIPE { throw .outputClosed }
            throw .engine(.io(path: "standard output", operation: "write", errno: errno == 0 ? EIO : errno))
        }
    }

    /// `ink: error: <file>: <place>: <reason>` on one line.
    func error(_ message: String) { writeError("ink: error: \(message.escapingControls())\n") }

    func warning(_ message: String) { writeError("ink: warning: \(message.escapingControls())\n") }

    private static func writeAll(_ text: String, to file: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                return false
            }
            bytes = bytes.dropFirst(written)
        }
        return true
    }
}

extension String {
    /// Control characters written out (`\n`, `\u{1b}`), and those that turn the direction of a text, so that a file's name can
    /// neither break a line nor command a terminal.
    func escapingControls() -> String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isControl: text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}
