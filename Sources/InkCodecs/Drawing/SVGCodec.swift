public import InkEngine

extension PictureFormat {
    public static let svg = PictureFormat(rawValue: 9)
}

/// SVG files.
struct SVGCodec: VectorCodec {
    var format: PictureFormat { .svg }
    var fileType: FileType { .svg }
    var hasAlpha: Bool { true }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> { [] }
    var head: [UInt8] { SVGHead.declaration }
    var imageFormat: PictureFormat { SVGWriter.imageFormat }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try SVGSeal.read(file)
    }
}

/// The comment at the end of an SVG file: the digest of its inputs, and a checksum of all before the checksum.
struct SVGSeal {
    private static let head = Array("<!--ink ".utf8)
    private static let tail = Array("-->\n".utf8)
    private static let byteCount = head.count + 2 * PictureDigest.byteCount + 1 + 8 + tail.count

    /// - Parameter crc: of all before the comment.
    static func text(_ digest: PictureDigest, crc: UInt32) -> [UInt8] {
        let start = head + digest.description.utf8 + [UInt8(ascii: " ")]
        return start + bigEndian(crc32(start, seed: crc)).hexadecimal.utf8 + tail
    }

    /// The digest of a complete file; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        var rest: [UInt8] = []
        var crc = crc32([])
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            rest += piece
            guard rest.count > byteCount else { continue }
            crc = crc32(Array(rest.dropLast(byteCount)), seed: crc)
            rest = rest.suffix(byteCount)
        }
        guard rest.count == byteCount, rest.starts(with: head) else { return nil }
        let digits = rest[head.count...].prefix(2 * PictureDigest.byteCount)
        var bytes: [UInt8] = []
        for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        guard let digest = PictureDigest(bytes: bytes), rest == text(digest, crc: crc) else { return nil }
        return digest
    }
}
