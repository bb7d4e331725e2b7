/// Reads JSON text (RFC 8259) into a `JSONValue`: reports of earlier runs, which are small next to projects.
public struct JSONReader {
    /// Arrays and objects inside each other.
    public static let depthMax = 32

    /// Why a text is no JSON, and at which byte.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        public var offset: Int
        public var reason: String

        public var description: String { "byte \(offset): \(reason)" }
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// Whether a key that an object has twice is an error.
    private let refusesRepeatedKeys: Bool

    private init(_ bytes: [UInt8], refusesRepeatedKeys: Bool) {
        self.bytes = bytes
        self.refusesRepeatedKeys = refusesRepeatedKeys
    }

    /// The document that the bytes hold.
    ///
    /// - Parameter refusesRepeatedKeys: whether a key that an object has twice is an error; else the last one counts.
    /// - Throws: why the bytes are no JSON document, and where.
    public static func read(_ bytes: [UInt8], refusesRepeatedKeys: Bool = false) throws(Failure) -> JSONValue {
        var reader = JSONReader(bytes, refusesRepeatedKeys: refusesRepeatedKeys)
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.offset == bytes.count else { throw reader.failure("something follows the document") }
        return value
    }

    private func failure(_ reason: String) -> Failure { Failure(offset: offset, reason: reason) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { offset += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard let byte = next, UInt32(byte) == character.value else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSONValue {
        guard depth < Self.depthMax else { throw failure("nested too deep") }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSONValue {
        offset += 1
        var members: [(String, JSONValue)] = []
        var keys: Set<[UInt8]> = []
        if take("}") { return .object(members) }
        repeat {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
            let start = offset
            let name = try string()
            // By bytes: Swift's == also equates canonically equivalent names.
            if refusesRepeatedKeys, !keys.insert(Array(name.utf8)).inserted {
                offset = start
                throw failure("the key \(JSONValue.quoted(name)) is there twice")
            }
            guard take(":") else { throw failure("a colon is missing") }
            members.append((name, try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw failure("an object is not closed") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(Failure) -> JSONValue {
        offset += 1
        var items: [JSONValue] = []
        if take("]") { return .array(items) }
        repeat { items.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw failure("an array is not closed") }
        return .array(items)
    }

    private mutating func string() throws(Failure) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure("not UTF-8") }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escaped()).utf8)
            case 0..<32: throw failure("a control character in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string is not closed")
    }

    private mutating func escaped() throws(Failure) -> Character {
        guard let byte = next else { throw failure("a string is not closed") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "u"):
            var code = try unit()
            if (0xD800..<0xDC00).contains(code), next == UInt8(ascii: "\\"), offset + 1 < bytes.count,
                bytes[offset + 1] == UInt8(ascii: "u")
            {
                offset += 2
                let low = try unit()
                guard (0xDC00..<0xE000).contains(low) else { throw failure("half a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure("half a surrogate pair") }
            return Character(scalar)
        default: throw failure("an unknown escape")
        }
    }

    /// Four hexadecimal digits.
    private mutating func unit() throws(Failure) -> UInt32 {
        guard offset + 4 <= bytes.count,
            bytes[offset..<(offset + 4)].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let code = UInt32(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self), radix: 16)
        else { throw failure("four hexadecimal digits are missing") }
        offset += 4
        return code
    }

    /// Whether a text has the form of a number: no sign but a minus, no leading zeros, digits on both sides of a point.
    private static func isNumber(_ text: String.UTF8View) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let found = rest.prefix { (48...57).contains($0) }
            rest = rest.dropFirst(found.count)
            return found.count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let isZero = rest.first == UInt8(ascii: "0")
        let count = digits()
        guard count > 0, !isZero || count == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() > 0 else { return false }
        }
        if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    private mutating func word() throws(Failure) -> JSONValue {
        let start = offset
        while let byte = next, !" \t\r\n,:]}[{\"".utf8.contains(byte) { offset += 1 }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        switch text {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default:
            guard Self.isNumber(text.utf8) else {
                offset = start
                throw failure("not a value")
            }
            if let integer = Int(text) { return .integer(integer) }
            guard let number = Double(text), number.isFinite else {
                offset = start
                throw failure("not a value")
            }
            return .number(number)
        }
    }
}

extension JSONValue {
    /// The last member of that name; nil when there is none or this is no object.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.0 == name }?.1
    }

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int? { if case .integer(let value) = self { value } else { nil } }
    /// 2.0 is a whole number too.
    public var wholeNumber: Int? { integer ?? number.flatMap { Int(exactly: $0) } }
    public var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
    public var members: [(String, JSONValue)]? { if case .object(let members) = self { members } else { nil } }

    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
