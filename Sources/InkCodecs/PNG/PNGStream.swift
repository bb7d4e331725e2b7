public import InkEngine

/// The parts of a PNG file around its compressed bands, as bytes in file order: `prologue`, `idat` for each band from
/// the top, `epilogue`.
///
/// The bands are pieces of one zlib stream (RFC 1950). Its two header bytes precede the first band. Its Adler-32 is in
/// a separate last IDAT chunk, so that it need not be known before the end.
public enum PNGStream {
    /// The private chunk for a picture's digest: ancillary, private, unsafe to copy (PNG specification, 5.4), so that a
    /// program that changes the picture removes it.
    static let digestChunkType = "inKD"

    /// Signature and chunks up to the first IDAT: IHDR, sRGB (perceptual), pHYs, tEXt and iTXt, XMP as iTXt, inKD.
    ///
    /// - Throws: `EngineError.internalError` for a size that PNG does not support (each edge is 1 to 2^31 - 1).
    public static func prologue(
        size: PixelSize, format: PixelFormat, description: PictureDescription
    ) throws(EngineError) -> [UInt8] {
        let edge = 1...Int(Int32.max)
        guard edge.contains(size.width), edge.contains(size.height) else {
            throw .internalError("a PNG of \(size) pixels cannot be")
        }
        let colorType: PNGHeader.ColorType = format == .rgb ? .rgb : .rgba
        let header = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height)) + [8, colorType.rawValue, 0, 0, 0]
        var bytes = PNGHeader.signature + chunk("IHDR", header) + chunk("sRGB", [0])
        if let density = description.density {
            func perMetre(_ dotsPerInch: Double) -> [UInt8] { bigEndian(UInt32((dotsPerInch / 0.0254).rounded())) }
            bytes += chunk("pHYs", perMetre(density.across) + perMetre(density.down) + [1])
        }
        for entry in description.text { bytes += entry.chunk }
        if let exif = ExifData.photo(description, size) { bytes += chunk("eXIf", exif) }
        if let packet = XMPPacket.make(description) { bytes += international("XML:com.adobe.xmp", packet) }
        if let digest = description.digest { bytes += chunk(digestChunkType, digest.bytes) }
        return bytes
    }

    /// A band as IDAT chunks; one chunk, unless it is very large.
    ///
    /// - Parameters:
    ///   - band: compressed bytes.
    ///   - isFirst: whether it is the topmost band, which gets the zlib header.
    public static func idat(_ band: [UInt8], isFirst: Bool) -> [UInt8] {
        // PNG allows 2^31 - 1 bytes of data in a chunk.
        idat(band, isFirst: isFirst, chunkByteCountMax: 1 << 30)
    }

    static func idat(_ band: [UInt8], isFirst: Bool, chunkByteCountMax: Int) -> [UInt8] {
        // Deflate with a window of 32 KB. The header's level bits mean "fastest"; no reader uses them.
        let head: [UInt8] = isFirst ? [0x78, 0x01] : []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(band.count + 12 * (band.count / chunkByteCountMax + 1) + head.count)
        var start = 0
        repeat {
            let prefix = start == 0 ? head : []
            let end = min(band.count, start + chunkByteCountMax - prefix.count)
            append("IDAT", prefix, band[start..<end], to: &bytes)
            start = end
        } while start < band.count
        return bytes
    }

    /// The zlib stream's checksum in a last IDAT, and IEND.
    ///
    /// - Parameter adler32: of the filtered bytes of all bands.
    public static func epilogue(adler32: UInt32) -> [UInt8] {
        chunk("IDAT", bigEndian(adler32)) + chunk("IEND", [])
    }

    /// `iTXt`: not compressed, method 0, no language, no translated keyword.
    static func international(_ keyword: String, _ text: [UInt8]) -> [UInt8] {
        chunk("iTXt", Array(keyword.utf8) + [0, 0, 0, 0, 0] + text)
    }

    /// A chunk: length, type, data, CRC.
    package static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(type, [], data[...], to: &bytes)
        return bytes
    }

    private static func append(_ type: String, _ prefix: [UInt8], _ data: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
        let head = Array(type.utf8) + prefix
        bytes += bigEndian(UInt32(prefix.count + data.count))
        bytes += head
        bytes += data
        bytes += bigEndian(crc32(data, seed: crc32(head)))
    }
}

extension PictureText {
    /// `tEXt` if the text is Latin-1, else `iTXt`, uncompressed; empty if no text is left.
    var chunk: [UInt8] {
        let text = cleanedText
        guard !text.isEmpty else { return [] }
        let key = Array(keyword.rawValue.utf8)
        // The specification does not allow tabs in tEXt.
        if text.unicodeScalars.allSatisfy({ $0.value < 256 && $0 != "\t" }) {
            return PNGStream.chunk("tEXt", key + [0] + text.unicodeScalars.map { UInt8($0.value) })
        }
        return PNGStream.international(keyword.rawValue, Array(text.utf8))
    }
}
