package import InkJSON

extension JSONValue {
    /// The document as bundles have it: two blanks per level and a line for each value, but lists of numbers on one; no
    /// escapes but those that JSON needs; whole numbers without a point, others as short as they read back.
    package var packText: [UInt8] {
        var text: [UInt8] = []
        append(to: &text, depth: 0)
        return text + [UInt8(ascii: "\n")]
    }

    private func append(to text: inout [UInt8], depth: Int) {
        switch self {
        case .null, .bool, .integer, .number: text += plainText.utf8
        case .string(let string): JSONValue.append(string, to: &text)
        case .array(let items):
            if items.allSatisfy({ $0.number != nil }) {
                text += "[\(items.map(\.plainText).joined(separator: ", "))]".utf8
                return
            }
            JSONValue.append(items, "[", "]", to: &text, depth) { $0.append(to: &$1, depth: depth + 1) }
        case .object(let members):
            if members.isEmpty {
                text += "{}".utf8
                return
            }
            JSONValue.append(members, "{", "}", to: &text, depth) { member, text in
                JSONValue.append(member.0, to: &text)
                text += ": ".utf8
                member.1.append(to: &text, depth: depth + 1)
            }
        }
    }

    /// A line for each element.
    private static func append<Element>(
        _ elements: [Element], _ open: String, _ close: String, to text: inout [UInt8], _ depth: Int,
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        func line(_ depth: Int) {
            text.append(UInt8(ascii: "\n"))
            text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        text += open.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            line(depth + 1)
            append(element, &text)
        }
        line(depth)
        text += close.utf8
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): text += "\\n".utf8
            case UInt8(ascii: "\r"): text += "\\r".utf8
            case UInt8(ascii: "\t"): text += "\\t".utf8
            case 0..<0x20: text += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    /// A number, a truth or null; empty for anything else.
    var plainText: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .number(let value):
            if let whole = wholeNumber { return String(whole) }
            return String(value)
        case .string, .array, .object: return ""
        }
    }
}
