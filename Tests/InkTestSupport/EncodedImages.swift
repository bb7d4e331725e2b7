import InkCodecs

/// The bytes of a PNG as far as a reader of projects looks: signature and header. It cannot be decoded.
public func pngHeader(width: Int, height: Int, depth: UInt8 = 8, colorType: UInt8 = 0, interlace: UInt8 = 0) -> [UInt8]
{
    func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + word(13) + Array("IHDR".utf8) + word(width)
        + word(height) + [depth, colorType, 0, 0, interlace, 0, 0, 0, 0]
}

/// The text of bytes in base64.
public func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }
