import CJSON
import InkEngine

/// A parsed JSON text. `JSONNode`s point into it and must not outlive it: keep it with `withExtendedLifetime`.
final class JSONDocument {
    private let document: OpaquePointer
    /// The first hundred repairs.
    let repairs: [JSONRepair]

    /// The outermost value.
    var root: JSONNode {
        // After parsing, the tape has at least the two root words and one value.
        JSONNode(tape: ink_json_tape(document)!, strings: ink_json_strings(document)!, index: 1)
    }

    /// Parses a whole JSON text, UTF-8 with or without a byte order mark.
    ///
    /// - Parameter text: consumed, so that it can be freed as soon as it is parsed; give it 64 bytes of spare capacity
    /// to   avoid a copy.
    /// - Throws: `badInput` with line, column and path if the text is not JSON or a number has no finite value;
    /// `overLimit`   for the depth and the number of values.
    init(_ text: consuming [UInt8], file: String, limits: Limits) throws(EngineError) {
        var text = text
        let length = text.count
        text.append(contentsOf: repeatElement(0, count: Int(INK_JSON_PADDING)))
        let start = JSONDocument.start(of: text)
        try JSONDocument.checkValueCount(text[start..<length], file: file, limits: limits)

        // The parser does not count empty containers; one level less is certainly within the limit.
        var (status, parsed) = JSONDocument.parse(text, start..<length, depth: limits.jsonDepth - 1)
        if status != INK_JSON_OK {
            // The parser reports only that something may be wrong; this finds what and where, or repairs it.
            repairs = try JSONDiagnosis.mend(
                &text, range: start..<length, file: file, depthLimit: limits.jsonDepth)
            (status, parsed) = JSONDocument.parse(text, start..<length, depth: limits.jsonDepth)
        } else {
            repairs = []
        }
        guard let parsed else {
            let reason =
                status == INK_JSON_NO_MEMORY ? "there is not enough memory to read it" : "is not valid JSON"
            throw .badInput(Place(file: file), reason: reason)
        }
        document = parsed
    }

    /// Parses the rest of a project's text; nil if it is not JSON or nearly exceeds the depth limit.
    init?(_ text: ProjectText, limits: Limits) {
        let rest = text.rest
        var parsed: OpaquePointer?
        guard JSONDocument.parse(rest.baseAddress, rest.count, depth: limits.jsonDepth - 1, &parsed) == INK_JSON_OK,
            let parsed
        else { return nil }
        document = parsed
        repairs = []
    }

    deinit { ink_json_free(document) }

    /// The start of a text, after its byte order mark.
    static func start(of text: borrowing [UInt8]) -> Int { text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// Rejects a text that would take more memory than the limits allow.
    ///
    /// - Throws: `overLimit`.
    static func checkValueCount(_ text: ArraySlice<UInt8>, file: String, limits: Limits) throws(EngineError) {
        let bound = text.withUnsafeBufferPointer { ink_json_value_bound($0.baseAddress, $0.count) }
        guard bound > limits.jsonValues else { return }
        throw .overLimit(
            Place(file: file), what: "the number of JSON values", found: "up to \(bound)", limit: "\(limits.jsonValues)"
        )
    }

    /// `text` has `INK_JSON_PADDING` bytes after `range`.
    private static func parse(_ text: [UInt8], _ range: Range<Int>, depth: Int) -> (Int, OpaquePointer?) {
        var document: OpaquePointer?
        let status = text.withUnsafeBufferPointer {
            parse($0.baseAddress! + range.lowerBound, range.count, depth: depth, &document)
        }
        return (status, document)
    }

    private static func parse(
        _ text: UnsafePointer<UInt8>?, _ count: Int, depth: Int, _ document: inout OpaquePointer?
    ) -> Int {
        Int(ink_json_parse(text, count, max(0, depth), &document))
    }
}

/// One value of a `JSONDocument`: a position on simdjson's tape. `ink_json.h` describes its words.
struct JSONNode {
    let tape: UnsafePointer<UInt64>
    let strings: UnsafePointer<UInt8>
    let index: Int

    enum Kind {
        case object, array, string, number, bool, null
    }

    /// The tape's letters for the kinds of words.
    enum Tag {
        static let object = UInt8(ascii: "{")
        static let array = UInt8(ascii: "[")
        static let string = UInt8(ascii: "\"")
        static let signed = UInt8(ascii: "l")
        static let unsigned = UInt8(ascii: "u")
        static let double = UInt8(ascii: "d")
        static let `true` = UInt8(ascii: "t")
        static let `false` = UInt8(ascii: "f")
    }

    @inline(__always)
    var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

    var kind: Kind {
        switch tag {
        case Tag.object: .object
        case Tag.array: .array
        case Tag.string: .string
        case Tag.signed, Tag.unsigned, Tag.double: .number
        case Tag.true, Tag.false: .bool
        default: .null
        }
    }

    var isNull: Bool { kind == .null }

    /// The tape index after this value.
    @inline(__always)
    var endIndex: Int {
        switch tag {
        case Tag.object, Tag.array: Int(UInt32(truncatingIfNeeded: tape[index]))
        case Tag.signed, Tag.unsigned, Tag.double: index + 2
        default: index + 1
        }
    }

    @inline(__always)
    func at(_ index: Int) -> JSONNode { JSONNode(tape: tape, strings: strings, index: index) }

    /// The number's value, nil if this is not a number. Integers beyond 2^53 are rounded to the nearest double.
    @inline(__always)
    var number: Double? {
        switch tag {
        case Tag.double: Double(bitPattern: tape[index + 1])
        case Tag.signed: Double(Int64(bitPattern: tape[index + 1]))
        case Tag.unsigned: Double(tape[index + 1])
        default: nil
        }
    }

    var bool: Bool? {
        switch tag {
        case Tag.true: true
        case Tag.false: false
        default: nil
        }
    }

    /// The string's UTF-8 bytes, valid as long as the document exists; nil if this is not a string.
    var utf8: UnsafeBufferPointer<UInt8>? {
        guard tag == Tag.string else { return nil }
        let start = strings + Int(tape[index] & 0x00FF_FFFF_FFFF_FFFF)
        let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: start + 4, count: Int(UInt32(littleEndian: length)))
    }

    var string: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// Elements of an array or fields of an object, saturated at 2^24 - 1; 0 for other values.
    var count: Int {
        guard tag == Tag.array || tag == Tag.object else { return 0 }
        return Int(tape[index] >> 32 & 0xFF_FFFF)
    }

    /// The elements of an array; nothing for other values.
    var elements: Elements { Elements(container: self, isArray: tag == Tag.array) }

    struct Elements: Sequence, IteratorProtocol {
        private let container: JSONNode
        private var index: Int
        private let end: Int

        fileprivate init(container: JSONNode, isArray: Bool) {
            self.container = container
            index = container.index + 1
            end = isArray ? container.endIndex - 1 : index
        }

        mutating func next() -> JSONNode? {
            guard index < end else { return nil }
            let value = container.at(index)
            index = value.endIndex
            return value
        }
    }

    /// The value of a key, the last one if the key is repeated; nil if it is absent or null.
    ///
    /// - Complexity: linear in the number of fields, whatever their contents.
    func field(_ key: StaticString) -> JSONNode? {
        guard tag == Tag.object else { return nil }
        var found: JSONNode?
        var position = index + 1
        let end = endIndex - 1
        while position < end {
            let value = at(position + 1)
            if at(position).isString(key) { found = value }
            position = value.endIndex
        }
        guard let found, !found.isNull else { return nil }
        return found
    }

    /// The value of a key that a file has chosen; nil if it is absent or null.
    func member(named key: String) -> JSONNode? {
        guard tag == Tag.object else { return nil }
        var position = index + 1
        let end = endIndex - 1
        while position < end {
            let value = at(position + 1)
            if let name = at(position).utf8, name.elementsEqual(key.utf8) { return value.isNull ? nil : value }
            position = value.endIndex
        }
        return nil
    }

    /// Whether this is the string `text`.
    @inline(__always)
    func isString(_ text: StaticString) -> Bool {
        guard let bytes = utf8, bytes.count == text.utf8CodeUnitCount else { return false }
        let wanted = text.utf8Start
        for i in 0..<bytes.count where bytes[i] != wanted[i] { return false }
        return true
    }

    /// The keys of an object, in file order, including repeated ones.
    var keys: [String] {
        guard tag == Tag.object else { return [] }
        var keys: [String] = []
        var position = index + 1
        let end = endIndex - 1
        while position < end {
            keys.append(at(position).string ?? "")
            position = at(position + 1).endIndex
        }
        return keys
    }
}
