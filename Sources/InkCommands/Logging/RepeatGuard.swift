/// Passes a limited number of records of one event per second and counts the others.
struct RepeatGuard: Sendable {
    /// The most records of one event per second.
    struct Rates: Hashable, Sendable {
        /// The most warnings and errors, which repeat when something is broken.
        var warnings = 20
        var others = 500
    }

    private struct Window {
        var start: Int64
        var passed = 0
        var suppressed = 0
        var level: LogLevel
    }

    private static let windowMilliseconds: Int64 = 1000

    private let rates: Rates
    // One entry per event name; the names come from this program, so there are few.
    private var windows: [String: Window] = [:]

    init(rates: Rates = Rates()) { self.rates = rates }

    /// The records to write for this one: itself, nothing, or also the number of records dropped before it.
    mutating func pass(_ record: LogRecord) -> [LogRecord] {
        var records: [LogRecord] = []
        var window = windows[record.event] ?? Window(start: record.time, level: record.level)
        // A clock that was set back also starts a new window.
        if record.time - window.start >= Self.windowMilliseconds || record.time < window.start {
            if let note = note(record.event, window, now: record.time) { records.append(note) }
            window = Window(start: record.time, level: record.level)
        }
        let rate = record.level.isLogged(at: .warning) ? rates.warnings : rates.others
        if window.passed < rate {
            window.passed += 1
            records.append(record)
        } else {
            window.suppressed += 1
        }
        windows[record.event] = window
        return records
    }

    /// The number of dropped records, for past windows or for all.
    mutating func flush(now: Int64, all: Bool = false) -> [LogRecord] {
        var notes: [LogRecord] = []
        for (event, window) in windows.sorted(by: { $0.key < $1.key })
        where all || now - window.start >= Self.windowMilliseconds {
            if let note = note(event, window, now: now) { notes.append(note) }
            windows[event] = nil
        }
        return notes
    }

    private func note(_ event: String, _ window: Window, now: Int64) -> LogRecord? {
        guard window.suppressed > 0 else { return nil }
        return LogRecord(
            window.level, "log.suppressed", time: now,
            ["of": .text(event), "count": .integer(window.suppressed), "ms": .integer(Int(max(0, now - window.start)))])
    }
}
