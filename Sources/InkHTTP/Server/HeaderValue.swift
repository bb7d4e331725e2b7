/// The value of a header that has parameters, such as `multipart/form-data; boundary="a b"` (RFC 9110, 5.6.6).
struct HeaderValue: Hashable {
    /// What comes before the parameters, in small letters.
    var value: String
    /// By their names in small letters.
    var parameters: [String: String] = [:]

    /// nil unless each parameter has a name and a value, and comes once.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        value = Self.field(rest.take { $0 == UInt8(ascii: ";") }).lowercased()
        while rest.popFirst() != nil {
            let name = Self.field(rest.take { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }).lowercased()
            guard rest.popFirst() == UInt8(ascii: "=") else {
                // Some end with a semicolon.
                guard name.isEmpty, rest.isEmpty else { return nil }
                break
            }
            rest = rest.drop(while: Self.isBlank)
            let value: String
            if rest.first == UInt8(ascii: "\"") {
                guard let quoted = Self.takeQuoted(&rest),
                    Self.field(rest.take { $0 == UInt8(ascii: ";") }).isEmpty
                else { return nil }
                value = quoted
            } else {
                value = Self.field(rest.take { $0 == UInt8(ascii: ";") })
                guard !value.utf8.contains(UInt8(ascii: "\"")) else { return nil }
            }
            guard !name.isEmpty, parameters.updateValue(value, forKey: name) == nil else { return nil }
        }
    }

    /// The value of a parameter, by RFC 8187 where it is given so: `name*=UTF-8''%C3%A4`.
    func text(_ name: String) -> String? {
        if let extended = parameters["\(name)*"] {
            let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].lowercased() == "utf-8", let text = PercentEncoding.decode(parts[2]) {
                return text
            }
        }
        return parameters[name]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// Without the blanks around it.
    private static func field(_ bytes: ArraySlice<UInt8>) -> String {
        let start = bytes.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }
        return end.map { String(decoding: start[...$0], as: UTF8.self) } ?? ""
    }

    /// A text in quotation marks; nil if the second is missing. A backslash is one itself, but before a quotation mark and
    /// before another backslash: browsers send file names as they are.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        let (mark, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case mark: return String(decoding: text, as: UTF8.self)
            case backslash where rest.first == mark || rest.first == backslash: text.append(rest.removeFirst())
            default: text.append(byte)
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Takes what comes before one of these bytes.
    fileprivate mutating func take(where isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let field = prefix { !isEnd($0) }
        self = self[field.endIndex...]
        return field
    }
}
