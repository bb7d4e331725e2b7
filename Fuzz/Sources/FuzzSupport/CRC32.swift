/// PNG specification, annex D; also that of the protocol's frames.
public func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes { crc = crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 255)] }
    return ~crc
}

private let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
}
