import Dispatch
import InkEngine
import InkExports
import InkSystem
import Synchronization

/// Accepts records from any thread and writes them on its own, so that a full pipe at standard error blocks nobody.
/// Records that arrive while too many wait are counted and dropped.
final class Log: Sendable {
    enum Format: String, Hashable, Sendable {
        case text, json
    }

    /// The most records that may wait to be written.
    static let waitingMax = 10_000

    private struct State {
        var waiting: [LogRecord] = []
        var lost = 0
        var isClosed = false
    }

    private let format: Format
    private let level: LogLevel
    private let write: @Sendable (String) -> Void
    private let rates: RepeatGuard.Rates
    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter write: writes whole lines; may block.
    /// - Throws: when its thread cannot be started.
    init(
        format: Format, level: LogLevel, rates: RepeatGuard.Rates = RepeatGuard.Rates(),
        write: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        self.format = format
        self.level = level
        self.rates = rates
        self.write = write
        try rethrowing(try PosixThread("log") { [self] in run() }.detach()) { CommandError.noThread("the log", $0) }
    }

    func record(_ record: LogRecord) {
        guard record.level.isLogged(at: level) else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.waiting.count < Self.waitingMax {
                state.waiting.append(record)
            } else {
                state.lost += 1
            }
        }
        arrivals.signal()
    }

    /// Whether records of this level are logged; for records that are expensive to create.
    func isLogged(_ level: LogLevel) -> Bool { level.isLogged(at: self.level) }

    /// Reports that a service cannot continue: as a record if programs read the log, otherwise as an error.
    func fail(_ event: String, _ error: CommandError) throws(CommandError) -> ExitCode {
        guard format == .json else { throw error }
        record(LogRecord(.error, event, ["reason": .text(error.description)]))
        return error.exitCode
    }

    /// Writes the waiting lines and stops; waits at most two seconds for a full pipe.
    func close() {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        arrivals.signal()
        if !wasClosed { _ = ended.wait(timeout: .now() + .seconds(2)) }
    }

    private func run() {
        var repeats = RepeatGuard(rates: rates)
        while true {
            _ = arrivals.wait(timeout: .now() + .seconds(1))
            let (records, lost, isClosed) = state.withLock { state in
                defer {
                    state.waiting = []
                    state.lost = 0
                }
                return (state.waiting, state.lost, state.isClosed)
            }
            var lines =
                records.flatMap { repeats.pass($0) } + repeats.flush(now: SystemClock.unixMilliseconds, all: isClosed)
            if lost > 0 { lines.append(LogRecord(.warning, "log.lost", ["count": .integer(lost)])) }
            if !lines.isEmpty {
                write(lines.map { (format == .json ? $0.json : $0.text) + "\n" }.joined())
            }
            if isClosed { break }
        }
        ended.signal()
    }
}
