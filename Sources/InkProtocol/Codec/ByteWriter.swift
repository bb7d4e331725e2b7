/// Appends little-endian values to bytes. The same calls give the same bytes.
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Makes room for `count` more bytes.
    public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    public mutating func uint8(_ value: UInt8) { bytes.append(value) }
    public mutating func uint16(_ value: UInt16) { integer(value) }
    public mutating func uint32(_ value: UInt32) { integer(value) }
    public mutating func uint64(_ value: UInt64) { integer(value) }
    public mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }
    public mutating func double(_ value: Double) { integer(value.bitPattern) }
    public mutating func raw(_ content: [UInt8]) { bytes.append(contentsOf: content) }
    public mutating func raw(_ content: ArraySlice<UInt8>) { bytes.append(contentsOf: content) }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Unsigned LEB128 in its shortest form.
    public mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// A varint.
    ///
    /// - Precondition: `value` is not negative.
    public mutating func integer(_ value: Int) { varint(UInt64(value)) }

    /// A varint of the length in bytes, followed by UTF-8. The text is cut to at most `limit` bytes at a scalar
    /// boundary.
    public mutating func text(_ text: String, limit: Int) {
        var content = Array(text.utf8)
        if content.count > limit {
            var end = limit
            // A continuation byte (10xxxxxx) cannot begin a scalar.
            while end > 0, content[end] & 0xC0 == 0x80 { end -= 1 }
            content.removeSubrange(end...)
        }
        integer(content.count)
        raw(content)
    }

    mutating func overwriteUInt32(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }
}
