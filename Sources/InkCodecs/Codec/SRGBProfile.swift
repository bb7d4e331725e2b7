#if canImport(Glibc)
    import Glibc
#endif

/// A small ICC profile (ICC.1:2001-04) of sRGB, for files that say what their colours are.
///
/// Its curve has a value for each of the 256 samples, so that no reader has to interpolate.
enum SRGBProfile {
    static let bytes: [UInt8] = {
        let curve = tag("curv") + bigEndian(256) + (0...255).flatMap { sample16(linear(Double($0) / 255)) }
        // The primaries of IEC 61966-2-1, adapted to D50, as in most profiles of sRGB.
        let tags: [(names: [String], data: [UInt8])] = [
            (["desc"], text("sRGB")),
            (["cprt"], tag("text") + Array("CC0\0".utf8)),
            (["wtpt"], xyz(0xF6D6, 0x10000, 0xD32D)),
            (["rXYZ"], xyz(0x6FA2, 0x38F5, 0x0390)),
            (["gXYZ"], xyz(0x6299, 0xB785, 0x18DA)),
            (["bXYZ"], xyz(0x24A0, 0x0F84, 0xB6CF)),
            (["rTRC", "gTRC", "bTRC"], curve),
        ]
        let count = tags.reduce(0) { $0 + $1.names.count }
        var table = bigEndian(UInt32(count))
        var data: [UInt8] = []
        for (names, bytes) in tags {
            let offset = 128 + 4 + 12 * count + data.count
            for name in names {
                table += Array(name.utf8) + bigEndian(UInt32(offset)) + bigEndian(UInt32(bytes.count))
            }
            data += bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        return header(byteCount: 128 + table.count + data.count) + table + data
    }()

    /// Version 2.1, a display's, RGB to XYZ, of a fixed date, perceptual, with D50 as its white.
    private static func header(byteCount: Int) -> [UInt8] {
        var header = bigEndian(UInt32(byteCount)) + bigEndian(0) + bigEndian(0x0210_0000)
        header += Array("mntrRGB XYZ ".utf8) + [7, 208, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 28)
        header += bigEndian(0xF6D6) + bigEndian(0x10000) + bigEndian(0xD32D)
        return header + [UInt8](repeating: 0, count: 128 - header.count)
    }

    private static func tag(_ type: String) -> [UInt8] { Array(type.utf8) + bigEndian(0) }

    private static func xyz(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> [UInt8] {
        tag("XYZ ") + bigEndian(x) + bigEndian(y) + bigEndian(z)
    }

    /// A description in ASCII, with none in Unicode or for the Macintosh.
    private static func text(_ text: String) -> [UInt8] {
        tag("desc") + bigEndian(UInt32(text.utf8.count + 1)) + Array(text.utf8) + [0]
            + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
    }

    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func sample16(_ value: Double) -> [UInt8] {
        let sample = UInt16((value * 65_535).rounded())
        return [UInt8(sample >> 8), UInt8(sample & 0xFF)]
    }
}
