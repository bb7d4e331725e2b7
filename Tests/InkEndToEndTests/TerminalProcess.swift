import CSystem
import Foundation
import Glibc
import InkTestSupport
import Synchronization

/// `ink` on a terminal of its own, as in a window: what is typed reaches it, and what it draws can be looked at.
final class TerminalProcess: Sendable {
    private let process = Process()
    private let main: Int32
    private let written = Mutex("")
    private let isClosed = DispatchSemaphore(value: 0)
    let columns: Int
    let rows: Int

    /// - Parameter environment: besides `TERM=xterm`.
    init(_ arguments: [String], columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
        self.columns = columns
        self.rows = rows
        var ends = (main: Int32(-1), other: Int32(-1))
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&ends.main, &ends.other, nil, nil, &size) == 0 else { throw POSIXError(.EIO) }
        main = ends.main
        let other = ends.other
        for end in [main, other] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The terminal has to be the program's own, or it would not turn a key into a signal.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["--ctty", "--wait", try InkProcess.executable().path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
            .merging(environment) { $1 }
        let terminal = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        try terminal.close()
        Thread.detachNewThread { [self] in read() }
    }

    deinit { close(main) }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var bytes: [UInt8] = []
        while true {
            let count = Glibc.read(main, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // A terminal that nobody has open any more is an error.
            if count <= 0 { break }
            bytes += buffer[..<count]
            written.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
        }
        isClosed.signal()
    }

    /// All that was written so far, escape sequences and all.
    var output: String { written.withLock { $0 } }

    /// What stands on the terminal.
    var screen: TerminalScreen {
        var screen = TerminalScreen(columns: columns, rows: rows)
        screen.write(output)
        return screen
    }

    func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(main, $0.baseAddress, $0.count) } }

    /// Waits until something has been written; whether it has.
    func wait(for text: String, seconds: Double = 60) -> Bool {
        let deadline = Date() + seconds
        while Date() < deadline {
            if output.contains(text) { return true }
            if !process.isRunning { return output.contains(text) }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return false
    }

    /// The exit code, when all has been written.
    func end() -> Int32 {
        process.waitUntilExit()
        isClosed.wait()
        isClosed.signal()
        return process.terminationStatus
    }
}
