import CSystem
import Glibc
import InkEngine
import InkExports
import InkSystem

/// Where a command's text goes; tests replace it.
struct Console: Sendable {
    /// Writes to standard output; false if that fails.
    var writeOutput: @Sendable (String) -> Bool
    /// Standard error.
    var writeError: @Sendable (String) -> Void
    /// Columns and rows of the terminal at standard error; nil without a terminal.
    var terminalSize: @Sendable () -> (columns: Int, rows: Int)?
    /// Columns and rows of the terminal at standard output.
    var outputSize: @Sendable () -> (columns: Int, rows: Int)? = { nil }
    /// Whether standard output is a terminal, of any kind.
    var isOutputTerminal: @Sendable () -> Bool = { false }
    /// The temporary lines at the end of the terminal.
    let live = LiveLines()
    private let errors = ErrorGroups()

    /// The process's own standard output and error.
    static let process = Console(
        writeOutput: { writeAll($0, to: STDOUT_FILENO) },
        writeError: { _ = writeAll($0, to: STDERR_FILENO) },
        terminalSize: { size(of: STDERR_FILENO) }, outputSize: { size(of: STDOUT_FILENO) },
        isOutputTerminal: { isatty(STDOUT_FILENO) == 1 })

    /// Also nil for a terminal that cannot move its cursor: without a name, or named dumb.
    private static func size(of file: Int32) -> (columns: Int, rows: Int)? {
        guard isatty(file) == 1, let name = getenv("TERM"), name[0] != 0, strcmp(name, "dumb") != 0 else { return nil }
        var size = winsize()
        guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// One line to standard output, as it is: for programs.
    /// - Throws: `outputClosed` when the reader is gone, `io`.
    func print(_ line: String) throws(CommandError) { try draw(line + "\n") }

    /// Lines to standard output for people, with names of either direction isolated on a terminal.
    /// - Throws: `outputClosed` when the reader is gone, `io`.
    func printText(_ text: String) throws(CommandError) {
        try print(outputSize() == nil ? text : text.isolatingDirections())
    }

    /// Copies a file to the process's standard output.
    /// - Throws: `outputClosed` when the reader is gone, `io`.
    func printFile(_ path: String) throws(CommandError) {
        clearLive()
        do throws(SystemFailure) {
            let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try file.read(into: &bytes)
                if count == 0 { return }
                errno = 0
                guard Self.writeAll(bytes[..<count], to: STDOUT_FILENO) else {
                    throw SystemFailure(operation: "write", errno: errno == 0 ? EIO : errno, path: "standard output")
                }
            }
        } catch {
            if error.operation == "write", error.errno == EPIPE { throw .outputClosed }
            throw .engine(EngineError(error))
        }
    }

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

    /// Prints `ink: error: <file>: <place>: <reason>` on one line. After the first errors of a cause, further ones are
    /// counted.
    func error(_ message: String) {
        if errors.take(message) { say("ink: error: \(message.escapingControls())") }
    }

    /// Prints one of the errors of a file of which all are to be seen, also those of one cause.
    func fault(_ message: String) { say("ink: error: \(message.escapingControls())") }

    /// Prints how many errors were only counted.
    func sayRemainingErrors() {
        for line in errors.takeRemaining() { say("ink: error: \(line.escapingControls())") }
    }

    func warning(_ message: String) { say("ink: warning: \(message.escapingControls())") }

    /// Prints `ink: <news>`: something that a user may want to know.
    func note(_ message: String) { say("ink: \(message.escapingControls())") }

    private func say(_ line: String) {
        clearLive()
        writeError((terminalSize() == nil ? line : line.isolatingDirections()) + "\n")
    }

    // MARK: - Lines that change

    /// Shows lines at the end of the terminal, in place of the previous ones.
    func show(_ lines: [String], size: (columns: Int, rows: Int)) {
        writeError(live.redrawing(lines, size: size, stream: .error))
    }

    /// Like `show`, on standard output; the lines stay when the program ends.
    /// - Throws: `outputClosed`, `io`.
    func showResult(_ lines: [String], size: (columns: Int, rows: Int)) throws(CommandError) {
        try put(live.redrawing(lines, size: size, stream: .output, isResult: true))
    }

    /// Removes the temporary lines.
    func clearLive() {
        guard let erasing = live.erasing(size: terminalSize() ?? outputSize()) else { return }
        send(erasing)
    }

    private func send(_ text: (text: String, stream: LiveLines.Stream)) {
        switch text.stream {
        case .error: writeError(text.text)
        // The next write reports a closed pipe.
        case .output: _ = writeOutput(text.text)
        }
    }

    /// Cleans up the terminal: removes temporary lines and the `^C` that it prints for a key.
    func leaveTerminal(hasEcho: Bool) {
        if let leaving = live.leaving(size: terminalSize() ?? outputSize()) {
            send(leaving)
        } else if hasEcho {
            eraseEcho()
        }
    }

    /// Removes the `^C` that a terminal has printed; temporary lines are redrawn soon. Does not wait for a blocked
    /// terminal.
    func eraseEcho() {
        var terminal = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&terminal, 1, 0) == 1, terminal.revents & Int16(POLLOUT) != 0 else { return }
        if terminalSize() != nil {
            writeError("\r\u{1b}[K")
        } else if isatty(STDERR_FILENO) == 1 {
            writeError("\n")
        }
    }

    private static func writeAll(_ text: String, to file: Int32) -> Bool { writeAll(Array(text.utf8)[...], to: file) }

    private static func writeAll(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Bool {
        var bytes = bytes
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
