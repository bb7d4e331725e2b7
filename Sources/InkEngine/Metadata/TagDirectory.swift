/// A directory of tags, as in TIFF (TIFF 6.0, section 2) and EXIF, little-endian.
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
    func bytes(at offset: UInt64, isBig: Bool = false) -> [UInt8] {
        let (countBytes, entryBytes, inlineBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
        var head = isBig ? littleEndian(UInt64(entries.count)) : littleEndian(UInt16(entries.count))
        var values: [UInt8] = []
        let valuesAt = offset + UInt64(countBytes + entries.count * entryBytes + inlineBytes)
        for (tag, value) in entries.sorted(by: { $0.key < $1.key }) {
            let place = valuesAt + UInt64(values.count)
            let field = TagDirectory.field(value, at: place, isBig)
            head += littleEndian(tag) + littleEndian(field.kind)
            head += isBig ? littleEndian(UInt64(field.count)) : littleEndian(UInt32(field.count))
            if field.bytes.count <= inlineBytes {
                head += field.bytes + [UInt8](repeating: 0, count: inlineBytes - field.bytes.count)
                continue
            }
            head += isBig ? littleEndian(place) : littleEndian(UInt32(place))
            values += field.bytes + (field.bytes.count % 2 == 0 ? [] : [0])
        }
        // No directory follows.
        return head + [UInt8](repeating: 0, count: inlineBytes) + values
    }

    private struct Field {
        var kind: UInt16
        var count: Int
        var bytes: [UInt8]
    }

    private static func field(_ value: Value, at place: UInt64, _ isBig: Bool) -> Field {
        switch value {
        case .byte(let bytes): return Field(kind: 1, count: bytes.count, bytes: bytes)
        case .text(let text):
            let bytes = Array(text.utf8) + [0]
            return Field(kind: 2, count: bytes.count, bytes: bytes)
        case .short(let values): return Field(kind: 3, count: values.count, bytes: values.flatMap(littleEndian))
        case .long(let values): return Field(kind: 4, count: values.count, bytes: values.flatMap(littleEndian))
        case .rational(let over, let under):
            return Field(kind: 5, count: 1, bytes: littleEndian(over) + littleEndian(under))
        case .undefined(let bytes): return Field(kind: 7, count: bytes.count, bytes: bytes)
        case .offsets(let values):
            return isBig
                ? Field(kind: 16, count: values.count, bytes: values.flatMap(littleEndian))
                : Field(kind: 4, count: values.count, bytes: values.flatMap { littleEndian(UInt32($0)) })
        }
    }
}

/// The bytes of a number, least significant first.
func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
