import InkSystem
import InkJSON

/// The severity of an event, the worst first.
enum LogLevel: String, Hashable, Sendable, CaseIterable {
    /// Somebody has to act.
    case error
    /// Something went wrong that the farm handles itself.
    case warning
    /// Events for operators.
    case info
    /// Every task.
    case debug

    private var rank: Int { LogLevel.allCases.firstIndex(of: self) ?? 0 }

    /// Whether events of this level are logged if the level is set to `least`.
    func isLogged(at least: LogLevel) -> Bool { rank <= least.rank }
}

/// One event of the log.
struct LogRecord: Hashable, Sendable {
    enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int)
    }

    struct Field: Hashable, Sendable {
        var name: String
        var value: Value
    }

    /// Milliseconds since 1970.
    var time: Int64
    var level: LogLevel
    /// What happened, such as `job.finished`; the same event always has the same name.
    var event: String
    /// In output order. Names come from this program, values may come from anybody.
    var fields: [Field]

    init(
        _ level: LogLevel, _ event: String, time: Int64 = SystemClock.unixMilliseconds,
        _ fields: KeyValuePairs<String, Value?> = [:]
    ) {
        self.time = time
        self.level = level
        self.event = event
        self.fields = fields.compactMap { name, value in value.map { Field(name: name, value: $0) } }
    }
}

extension LogRecord {
    /// `2026-11-20T10:20:30.123Z info job.finished job=12 ms=532 reason="disk full"`
    var text: String {
        var line = "\(UTCTime.text(unixMilliseconds: time)) \(level.rawValue) \(event)"
        for field in fields {
            switch field.value {
            case .integer(let value): line += " \(field.name)=\(value)"
            case .text(let value): line += " \(field.name)=\(Self.word(value))"
            }
        }
        return line
    }

    /// The record as a JSON object on one line.
    var json: String {
        var members: [(String, JSONValue)] = [
            ("time", .string(UTCTime.text(unixMilliseconds: time))), ("level", .string(level.rawValue)),
            ("event", .string(event)),
        ]
        for field in fields {
            switch field.value {
            case .integer(let value): members.append((field.name, .integer(value)))
            case .text(let value): members.append((field.name, .string(value)))
            }
        }
        return JSONValue.object(members).line
    }

    /// The value itself if that is unambiguous, otherwise in quotes with control characters escaped.
    private static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    ? scalar.value > 0x20 && scalar.value < 0x7f && !"\"\\=".unicodeScalars.contains(scalar)
                    : scalar.properties.isAlphabetic
            }
        return isPlain ? text : JSONValue.quoted(text)
    }
}
