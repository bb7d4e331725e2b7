public import InkEngine

/// Writes the plainest PNG files there are (stored deflate blocks, no filters), so that a test's images do not depend on
/// the encoder under test. PNG specification, sections 5, 10 and annex D; RFC 1950; RFC 1951, section 3.2.4.
public enum MinimalPNGWriter {
    /// A PNG of colour type 6. `rgba` has four bytes for each pixel, straight alpha.
    public static func png(rgba: [UInt8], size: PixelSize) -> [UInt8] { png(rgba, size, channels: 4, colorType: 6) }

    /// A PNG of colour type 2. `rgb` has three bytes for each pixel.
    public static func png(rgb: [UInt8], size: PixelSize) -> [UInt8] { png(rgb, size, channels: 3, colorType: 2) }

    /// A PNG of colour type 0. `gray` has one byte for each pixel.
    public static func png(gray: [UInt8], size: PixelSize) -> [UInt8] { png(gray, size, channels: 1, colorType: 0) }

    private static func png(_ samples: [UInt8], _ size: PixelSize, channels: Int, colorType: UInt8) -> [UInt8] {
        let rowBytes = size.width * channels
        precondition(samples.count == rowBytes * size.height && rowBytes > 0)
        var filtered: [UInt8] = []
        filtered.reserveCapacity(samples.count + size.height)
        for y in 0..<size.height {
            filtered.append(0)
            filtered += samples[(y * rowBytes)..<((y + 1) * rowBytes)]
        }
        let header = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height)) + [8, colorType, 0, 0, 0]
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlibStored(filtered)) + chunk("IEND", [])
    }

    /// A PNG chunk: length, type, data, CRC-32 of type and data. `type` has four ASCII letters.
    public static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + data
        precondition(named.count == data.count + 4)
        return bigEndian(UInt32(data.count)) + named + bigEndian(crc32(named))
    }

    /// A zlib stream of stored blocks.
    public static func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, bytes.count)
            let length = UInt16(end - start)
            stream.append(end == bytes.count ? 1 : 0)
            stream += [UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
            stream += bytes[start..<end]
            start = end
        } while start < bytes.count
        return stream + bigEndian(adler32(bytes))
    }

    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes { crc = crc >> 8 ^ crcTable[Int((crc ^ UInt32(byte)) & 255)] }
        return ~crc
    }

    private static let crcTable: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
