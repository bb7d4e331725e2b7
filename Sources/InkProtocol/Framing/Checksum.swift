import CISAL

/// CRC-32 as in PNG, gzip and zlib (ISO 3309: polynomial 0x04C11DB7, reflected, initial value and final xor all ones).
public enum Checksum {
    /// The checksum of `bytes[range]` appended to the data whose checksum is `crc`.
    public static func crc32(of bytes: [UInt8], _ range: Range<Int>, continuing crc: UInt32 = 0) -> UInt32 {
        bytes[range].withUnsafeBufferPointer { slice in
            crc32_gzip_refl(crc, slice.baseAddress, UInt64(slice.count))
        }
    }
}
