import InkEngine

/// A directory of tags, as in TIFF (TIFF 6.0, section 2) and EXIF.
struct TagDirectory {
    enum Value {
        case byte([UInt8])
        /// A text, ended by NUL. UTF-8, as most programs read it.
        case text(String)
        case short([UInt16])
        case long([UInt32])
        /// Numerator and denominator.
        case rational(UInt32, UInt32)
        case undefined([UInt8])
        /// Offsets and lengths in the file: 32 bits, in a BigTIFF 64.
        case offsets([UInt64])
        /// Taken over from another directory.
        case copied(TagValue)
        /// A value of kind 7 that lies elsewhere in the file.
        case elsewhere(count: Int, at: UInt64)
    }

    private(set) var entries: [UInt16: Value] = [:]

    subscript(tag: UInt16) -> Value? {
        get { entries[tag] }
        set { entries[tag] = newValue }
    }

    /// The directory, followed by the values that do not fit into its entries, in the order of their tags.
    ///
    /// - Parameters:
    ///   - offset: where the directory will lie, an even number.
    ///   - isBig: whether it is that of a BigTIFF.
    ///   - isLittle: whether numbers have their least significant byte first.
    func bytes(at offset: UInt64, isBig: Bool = false, isLittle: Bool = true) -> [UInt8] {
        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            isLittle ? littleEndian(value) : littleEndian(value).reversed()
        }
        let (countBytes, entryBytes, inlineBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        var head = isBig ? number(UInt64(entries.count)) : number(UInt16(entries.count))
        var values: [UInt8] = []
        let valuesAt = offset + UInt64(countBytes + entries.count * entryBytes + inlineBytes)
        for (tag, value) in entries.sorted(by: { $0.key < $1.key }) {
            let place = valuesAt + UInt64(values.count)
            let field = TagDirectory.field(value, at: place, isBig)
            head += number(tag) + number(field.kind)
            head += isBig ? number(UInt64(field.count)) : number(UInt32(field.count))
            if case .elsewhere(_, let place) = value {
                head += isBig ? number(place) : number(UInt32(place))
                continue
            }
            let bytes = isLittle ? field.bytes : field.swapped
            if bytes.count <= inlineBytes {
                head += bytes + [UInt8](repeating: 0, count: inlineBytes - bytes.count)
                continue
            }
            head += isBig ? number(place) : number(UInt32(place))
            values += bytes + (bytes.count % 2 == 0 ? [] : [0])
        }
        // No directory follows.
        return head + [UInt8](repeating: 0, count: inlineBytes) + values
    }

    private static func field(_ value: Value, at place: UInt64, _ isBig: Bool) -> TagValue {
        switch value {
        case .byte(let bytes): return TagValue(kind: 1, count: bytes.count, bytes: bytes)
        case .text(let text):
            let bytes = Array(text.utf8) + [0]
            return TagValue(kind: 2, count: bytes.count, bytes: bytes)
        case .short(let values): return TagValue(kind: 3, count: values.count, bytes: values.flatMap(littleEndian))
        case .long(let values): return TagValue(kind: 4, count: values.count, bytes: values.flatMap(littleEndian))
        case .rational(let over, let under):
            return TagValue(kind: 5, count: 1, bytes: littleEndian(over) + littleEndian(under))
        case .undefined(let bytes): return TagValue(kind: 7, count: bytes.count, bytes: bytes)
        case .offsets(let values):
            return isBig
                ? TagValue(kind: 16, count: values.count, bytes: values.flatMap(littleEndian))
                : TagValue(kind: 4, count: values.count, bytes: values.flatMap { littleEndian(UInt32($0)) })
        case .copied(let value): return value
        case .elsewhere(let count, _): return TagValue(kind: 7, count: count, bytes: [])
        }
    }
}

/// What a tag says.
struct TagValue: Hashable {
    /// The type, as TIFF and EXIF number them.
    var kind: UInt16
    /// The number of its values, or of characters.
    var count: Int
    /// Numbers have their least significant byte first.
    var bytes: [UInt8]

    /// The bytes of one number of a kind; nil for a kind that there is not.
    static func byteCount(ofKind kind: UInt16) -> Int? {
        switch kind {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 17, 18: 8
        default: nil
        }
    }

    /// The bytes of a number that has an order of its own: rationals have two.
    private var orderedBytes: Int { [5, 10].contains(kind) ? 4 : Self.byteCount(ofKind: kind) ?? 1 }

    /// The bytes in the other order.
    var swapped: [UInt8] {
        let size = orderedBytes
        guard size > 1 else { return bytes }
        return stride(from: 0, to: bytes.count - bytes.count % size, by: size).flatMap {
            bytes[$0..<($0 + size)].reversed()
        }
    }

    /// The first number, if it is whole.
    var number: Int? {
        guard [1, 3, 4, 13, 16, 18].contains(kind), let size = Self.byteCount(ofKind: kind), bytes.count >= size else {
            return nil
        }
        return bytes[..<size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The first number, if it is a fraction of two whole numbers.
    var fraction: Double? {
        guard kind == 5, bytes.count >= 8 else { return number.map { Double($0) } }
        func part(_ range: Range<Int>) -> Double { Double(bytes[range].reversed().reduce(0) { $0 << 8 | Int($1) }) }
        let (over, under) = (part(0..<4), part(4..<8))
        return under > 0 ? over / under : nil
    }

    /// nil for what is none, or empty. Not all programs write UTF-8, which is right for ASCII too.
    var text: String? {
        guard [1, 2, 7].contains(kind) else { return nil }
        let found = bytes.prefix { $0 != 0 }
        let text =
            String(validating: found, as: UTF8.self)
            ?? String(String.UnicodeScalarView(found.map { Unicode.Scalar($0) }))
        let trimmed = text.trimmingBlanks
        return trimmed.isEmpty ? nil : trimmed
    }
}
