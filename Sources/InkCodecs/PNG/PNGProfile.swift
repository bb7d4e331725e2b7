import CZlib

/// The colour profile of a PNG (PNG specification, 11.3.2.3).
enum PNGProfile {
    private static let byteCountMax = 16 << 20

    /// The ICC profile of the chunk before the pixels, or, without one, of a text there, as ImageMagick has written it; nil
    /// if there is none or it is damaged.
    static func find(in png: [UInt8]) -> [UInt8]? {
        var written: PNGText?
        for (type, data) in PNGChunks(png) {
            guard !type.elementsEqual("IDAT".utf8) else { break }
            if type.elementsEqual("iCCP".utf8) {
                guard crc32(png[type.startIndex..<data.endIndex]) == bigEndian(png, at: data.endIndex),
                    let nameEnd = data.prefix(80).firstIndex(of: 0), nameEnd + 2 <= data.endIndex, png[nameEnd + 1] == 0
                else { return nil }
                return inflated(Array(data[(nameEnd + 2)...]), byteCountMax: byteCountMax)
            }
            if written == nil, let text = PNGText(type: type, data: data), let kind = text.profileKind,
                ["icc", "icm"].contains(kind)
            {
                written = text
            }
        }
        return written?.profile
    }

    /// What zlib has packed; nil for what is damaged or larger.
    static func inflated(_ packed: [UInt8], byteCountMax: Int) -> [UInt8]? {
        var capacity = min(1 << 14, byteCountMax)
        while true {
            var count = uLong(capacity)
            var result = Z_OK
            let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
                result = uncompress(buffer.baseAddress, &count, packed, uLong(packed.count))
                used = result == Z_OK ? Int(count) : 0
            }
            if result == Z_OK { return bytes }
            guard result == Z_BUF_ERROR, capacity < byteCountMax else { return nil }
            capacity = min(capacity * 4, byteCountMax)
        }
    }
}
