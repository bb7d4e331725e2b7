/// The four bytes at `offset` as an unsigned number, most significant first.
///
/// - Precondition: `bytes` has `offset + 4` elements from index 0 on.
func bigEndian(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
}

/// The four bytes of `value`, most significant first.
package func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// The bytes of a number, least significant first.
func littleEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
