/// A JSON document that is to be written; members keep their order.
public enum JSONValue: Sendable {
    case object([(String, JSONValue)])
    case array([JSONValue])
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)
    case null

    public static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    public static func optional(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
    /// A time in milliseconds, to the microsecond.
    public static func milliseconds(_ value: Double?) -> JSONValue {
        value.map { .number(($0 * 1000).rounded() / 1000) } ?? .null
    }
    public static func milliseconds(nanoseconds: UInt64?) -> JSONValue {
        milliseconds(nanoseconds.map { Double($0) / 1e6 })
    }

    /// The document with two blanks a level; short arrays and objects of plain values stay on one line.
    public func text(indent: String = "") -> String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .number(let value): return Self.number(value)
        case .string(let value): return Self.quoted(value)
        case .array(let items):
            return Self.block(items.map { ("", $0) }, open: "[", close: "]", indent: indent)
        case .object(let members):
            return Self.block(
                members.map { (Self.quoted($0.0) + ": ", $0.1) }, open: "{", close: "}", indent: indent)
        }
    }

    /// The document on one line, without blanks.
    public var line: String {
        switch self {
        case .array(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.line }.joined(separator: ",") + "}"
        case .null, .bool, .integer, .number, .string: text()
        }
    }

    private var isPlain: Bool {
        switch self {
        case .object(let members): members.isEmpty
        case .array(let items): items.isEmpty
        default: true
        }
    }

    private static func block(
        _ entries: [(prefix: String, value: JSONValue)], open: String, close: String, indent: String
    ) -> String {
        if entries.isEmpty { return open + close }
        let inner = indent + "  "
        let parts = entries.map { $0.prefix + $0.value.text(indent: inner) }
        if entries.allSatisfy({ $0.value.isPlain }), parts.reduce(0, { $0 + $1.utf8.count }) < 90 {
            return open + parts.joined(separator: ", ") + close
        }
        return "\(open)\n\(inner)" + parts.joined(separator: ",\n\(inner)") + "\n\(indent)\(close)"
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        return String(value)
    }

    public static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            // Also the controls and line ends beyond ASCII, which some terminals and readers of lines act on.
            case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) || scalar.value | 1 == 0x2029:
                let hex = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// An object whose members are in this order.
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }

    /// An object with the members of one, then those of another.
    public static func + (object: JSONValue, more: JSONValue) -> JSONValue {
        .object((object.members ?? []) + (more.members ?? []))
    }

    public static func += (object: inout JSONValue, more: JSONValue) { object = object + more }
}
