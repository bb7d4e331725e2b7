import CSystem
import Glibc
import InkEngine
import InkExports

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
    /// What stands at the end of the terminal for now.
    let live = LiveLines()
    private let errors = ErrorGroups()

    /// The process's own standard output and error.
    static let process = Console(
        writeOutput: { writeAll($0, to: STDOUT_FILENO) },
        writeError: { _ = writeAll($0, to: STDERR_FILENO) },
        terminalSize: { size(of: STDERR_FILENO) }, outputSize: { size(of: STDOUT_FILENO) })

    /// nil also for a terminal that only prints: one without a name, or one called dumb.
    private static func size(of file: Int32) -> (columns: Int, rows: Int)? {
        guard isatty(file) == 1, let name = getenv("TERM"), name[0] != 0, strcmp(name, "dumb") != 0 else { return nil }
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// One line to standard output.
    /// - Throws: `outputClosed` when the reader is gone, `io`.
    func print(_ line: String) throws(CommandError) { try draw(line + "\n") }

    /// Text to standard output as it is.
    /// - Throws: `outputClosed` when the reader is gone, `io`.
    private func draw(_ text: String) throws(CommandError) {
        clearLive()
        try put(text)
    }

    private func put(_ text: String) throws(CommandError) {
        errno = 0
        guard writeOutput(text) else {
            if errno == EPIPE { throw .outputClosed }
            throw .engine(.io(path: "standard output", operation: "write", errno: errno == 0 ? EIO : errno))
        }
    }

    /// `ink: error: <file>: <place>: <reason>` on one line. Of many errors of one cause the first are said, the others counted.
    func error(_ message: String) {
        if errors.take(message) { say("ink: error: \(message.escapingControls())") }
    }

    /// Says what of the errors has only been counted.
    func sayRemainingErrors() {
        for line in errors.takeRemaining() { say("ink: error: \(line.escapingControls())") }
    }

    func warning(_ message: String) { say("ink: warning: \(message.escapingControls())") }

    /// `ink: <news>`: something that a person may want to know.
    func note(_ message: String) { say("ink: \(message.escapingControls())") }

    private func say(_ line: String) {
        clearLive()
        writeError(line + "\n")
    }

    // MARK: - Lines that change

    /// Puts lines at the end of the terminal, in the place of the last such lines.
    func show(_ lines: [String], size: (columns: Int, rows: Int)) {
        writeError(live.redrawing(lines, size: size, stream: .error))
    }

    /// As `show`, on standard output; the lines stay when the program ends.
    /// - Throws: `outputClosed`, `io`.
    func showResult(_ lines: [String], size: (columns: Int, rows: Int)) throws(CommandError) {
        try put(live.redrawing(lines, size: size, stream: .output, isResult: true))
    }

    /// Takes away the lines that change.
    func clearLive() {
        guard let erasing = live.erasing(size: terminalSize() ?? outputSize()) else { return }
        send(erasing)
    }

    private func send(_ text: (text: String, stream: LiveLines.Stream)) {
        switch text.stream {
        case .error: writeError(text.text)
        // The next write reports that nobody reads.
        case .output: _ = writeOutput(text.text)
        }
    }

    /// Leaves the terminal as it should be found: without lines that change, and without the `^C` that it writes for a key.
    func leaveTerminal(hasEcho: Bool) {
        if let leaving = live.leaving(size: terminalSize() ?? outputSize()) {
            send(leaving)
        } else if hasEcho {
            eraseEcho()
        }
    }

    /// Takes away the `^C` that a terminal has written. Lines that change are drawn anew soon. Does not wait for a terminal that
    /// takes nothing.
    func eraseEcho() {
        var terminal = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&terminal, 1, 0) == 1, terminal.revents & Int16(POLLOUT) != 0 else { return }
        if terminalSize() != nil {
            writeError("\r\u{1b}[K")
        } else if isatty(STDERR_FILENO) == 1 {
            writeError("\n")
        }
    }

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
