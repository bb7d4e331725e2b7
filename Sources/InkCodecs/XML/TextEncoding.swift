package import InkEngine

/// An encoding other than UTF-8, recognized by a byte order mark or by the zero bytes of the first letters.
public enum TextEncoding: String, Sendable, CustomStringConvertible {
    case utf16 = "UTF-16"
    case utf32 = "UTF-32"

    public var description: String { rawValue }

    /// nil for UTF-8, and for bytes that are not text.
    public init?(of bytes: borrowing [UInt8]) {
        // The mark of UTF-32 starts with that of UTF-16.
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
            self = .utf32
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16
        } else {
            // Without a mark: JSON and lists of paths start with ASCII.
            guard bytes.count >= 4 else { return nil }
            let places = (0..<4).filter { bytes[$0] != 0 }
            // Sizes at the beginning of binary files look like one letter, too, but not what follows them.
            for start in stride(from: 0, to: min(bytes.count / 4 * 4, 8), by: 4) {
                let isText = (0..<4).allSatisfy { index in
                    places.contains(index)
                        ? (0x09..<0x7F).contains(bytes[start + index]) : bytes[start + index] == 0
                }
                guard isText else { return nil }
            }
            switch places {
            case [0], [3]: self = .utf32
            case [0, 2], [1, 3]: self = .utf16
            default: return nil
            }
        }
    }

    /// A text in UTF-8, without a mark: as it is, or from UTF-16 or UTF-32. What is no character becomes U+FFFD.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        guard let encoding = TextEncoding(of: bytes) else { return bytes }
        let size = encoding == .utf16 ? 2 : 4
        let isLittle = bytes[0] == 0xFF || bytes[0] != 0xFE && bytes[0] != 0
        func units<Unit: FixedWidthInteger>(_: Unit.Type) -> [Unit] {
            stride(from: 0, to: bytes.count - size + 1, by: size).map { at in
                (0..<size).reduce(Unit(0)) { unit, index in
                    unit << 8 | Unit(bytes[at + (isLittle ? size - 1 - index : index)])
                }
            }
        }
        let text =
            encoding == .utf16
            ? String(decoding: units(UInt16.self), as: UTF16.self)
            : String(decoding: units(UInt32.self), as: UTF32.self)
        let utf8 = Array(text.utf8)
        return utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(utf8.dropFirst(3)) : utf8
    }

    /// Rejects a text in another encoding, and names the encoding.
    ///
    /// - Throws: `badInput`.
    package static func requireUTF8(_ bytes: borrowing [UInt8], file: String) throws(EngineError) {
        guard let found = TextEncoding(of: bytes) else { return }
        throw .badInput(Place(file: file), reason: "is \(found) text, must be UTF-8")
    }
}
