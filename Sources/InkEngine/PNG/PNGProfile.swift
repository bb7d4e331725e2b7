import CZlib

/// The colour profile of a PNG (PNG specification, 11.3.2.3).
enum PNGProfile {
    private static let byteCountMax = 16 << 20

    /// The ICC profile of the chunk before the pixels; nil if there is none or it is damaged.
    static func find(in png: [UInt8]) -> [UInt8]? {
        var at = PNGHeader.signature.count
        while at + 12 <= png.count {
            let length = Int(bigEndian(png, at: at))
            let type = png[(at + 4)..<(at + 8)]
            guard length <= png.count - at - 12, !type.elementsEqual("IDAT".utf8) else { return nil }
            if type.elementsEqual("iCCP".utf8) {
                let data = png[(at + 8)..<(at + 8 + length)]
                guard crc32(png[(at + 4)..<(at + 8 + length)]) == bigEndian(png, at: at + 8 + length),
                    let nameEnd = data.prefix(80).firstIndex(of: 0), nameEnd + 2 <= data.endIndex, png[nameEnd + 1] == 0
                else { return nil }
                return inflated(Array(data[(nameEnd + 2)...]))
            }
            at += length + 12
        }
        return nil
    }

    private static func inflated(_ packed: [UInt8]) -> [UInt8]? {
        var capacity = 1 << 14
        while capacity <= byteCountMax {
            var count = uLong(capacity)
            var result = Z_OK
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
                result = uncompress(buffer.baseAddress, &count, packed, uLong(packed.count))
                used = result == Z_OK ? Int(count) : 0
            }
            if result == Z_OK { return bytes }
            guard result == Z_BUF_ERROR else { return nil }
            capacity *= 4
        }
        return nil
    }
}
