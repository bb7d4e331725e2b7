import InkSystem
import InkJSON
import Synchronization
import Testing

@testable import InkCommands
@testable import InkExports

@Suite struct LogTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_795_171_230_123, "2026-11-20T10:40:30.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (4_102_444_799_999, "2099-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
    func timesAreUTC(milliseconds: Int64, text: String) {
        #expect(UTCTime.text(unixMilliseconds: milliseconds) == text)
    }

    private static let record = LogRecord(
        .warning, "task.failed", time: 0,
        ["job": .integer(12), "worker": .text("w\u{1b}[2J\n1"), "reason": .text("no \"space\" = bad"), "none": nil])

    @Test func textIsOneLineWithoutControls() {
        #expect(
            Self.record.text
                == "1970-01-01T00:00:00.000Z warning task.failed job=12 worker=\"w\\u001b[2J\\n1\" "
                + "reason=\"no \\\"space\\\" = bad\"")
        #expect(LogRecord(.info, "x", time: 0, ["a": .text("")]).text.hasSuffix(" x a=\"\""))
        #expect(LogRecord(.info, "x", time: 0, ["a": .text("kö-1/2:3")]).text.hasSuffix(" x a=kö-1/2:3"))
        #expect(
            LogRecord(.info, "x", time: 0, ["a": .text("1\u{2028}2\u{9b}3")]).text.hasSuffix(
                " x a=\"1\\u20282\\u009b3\""))
    }

    @Test func jsonIsOneObjectALine() throws {
        let line = Self.record.json
        #expect(!line.contains("\n"))
        let value = try JSONReader.read(Array(line.utf8))
        #expect(value["time"]?.string == "1970-01-01T00:00:00.000Z")
        #expect(value["level"]?.string == "warning")
        #expect(value["event"]?.string == "task.failed")
        #expect(value["job"]?.integer == 12)
        #expect(value["worker"]?.string == "w\u{1b}[2J\n1")
        #expect(value["none"] == nil)
    }

    @Test func repeatsAreCountedAndLeftOut() {
        var repeats = RepeatGuard(rates: RepeatGuard.Rates(warnings: 2, others: 3))
        func pass(_ level: LogLevel, _ event: String, at time: Int64) -> [String] {
            repeats.pass(LogRecord(level, event, time: time)).map {
                $0.text.split(separator: " ").dropFirst().joined(separator: " ")
            }
        }
        for _ in 0..<2 { #expect(pass(.warning, "a", at: 10) == ["warning a"]) }
        for _ in 0..<5 { #expect(pass(.warning, "a", at: 20) == []) }
        #expect(pass(.info, "b", at: 20) == ["info b"])
        #expect(pass(.warning, "a", at: 1010) == ["warning log.suppressed of=a count=5 ms=1000", "warning a"])
        #expect(repeats.flush(now: 5000).isEmpty)
        for _ in 0..<4 { _ = pass(.info, "b", at: 6000) }
        #expect(repeats.flush(now: 6500).isEmpty)
        #expect(repeats.flush(now: 7000).count == 1)
        // A clock that goes back holds nothing up.
        #expect(pass(.info, "b", at: 100) == ["info b"])
    }

    @Test func levelsAreKept() throws {
        let lines = Mutex<String>("")
        let log = try Log(format: .text, level: .warning) { text in lines.withLock { $0 += text } }
        for level in LogLevel.allCases { log.record(LogRecord(level, "e.\(level.rawValue)", time: 0)) }
        log.close()
        log.record(LogRecord(.error, "late", time: 0))
        #expect(
            lines.withLock { $0 }
                == "1970-01-01T00:00:00.000Z error e.error\n1970-01-01T00:00:00.000Z warning e.warning\n")
        #expect(log.isLogged(.error))
        #expect(!log.isLogged(.info))
    }

    @Test func aReaderThatHangsHoldsNobodyUp() throws {
        let gate = Mutex<Void>(())
        let text = Mutex<String>("")
        let log = try Log(format: .json, level: .info, rates: RepeatGuard.Rates(warnings: .max, others: .max)) {
            lines in
            gate.withLock { _ in text.withLock { $0 += lines } }
        }
        gate.withLock { _ in
            for index in 0..<(2 * Log.waitingMax + 1000) {
                log.record(LogRecord(.info, "e", time: 0, ["n": .integer(index)]))
            }
        }
        log.close()
        let lines = text.withLock { $0 }.split(separator: "\n")
        #expect(lines.count < 2 * Log.waitingMax + 1000)
        #expect(lines.contains { $0.contains("\"event\":\"log.lost\"") })
    }
}
