import InkEngine

/// The digest of a picture's inputs in a zip archive, with the checksum that detects an incomplete or damaged archive:
/// its comment.
enum ArchiveDigest {
    private static let start = "inKD "
    static let checksumDigits = 8

    /// What precedes the checksum.
    static func comment(_ digest: PictureDigest) -> [UInt8] { Array("\(start)\(digest) ".utf8) }

    /// - Parameter crc: CRC-32 of all bytes before.
    static func checksum(_ crc: UInt32) -> [UInt8] { Array(bigEndian(crc).hexadecimal.utf8) }

    /// The digest of a complete archive; nil for any other file.
    static func read(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path), let magic = try file.read(4),
            magic == Array("PK".utf8) + [3, 4]
        else { return nil }
        var crc = crc32(magic)
        var tail: [UInt8] = []
        let endBytes = 22
        let digestDigits = 2 * PictureDigest.byteCount
        let tailBytes = endBytes + start.utf8.count + digestDigits + 1 + checksumDigits
        while let bytes = try file.readUpTo(BufferedFile.bufferByteCount) {
            tail += bytes
            guard tail.count > tailBytes else { continue }
            crc = crc32(Array(tail.dropLast(tailBytes)), seed: crc)
            tail = tail.suffix(tailBytes)
        }
        guard tail.count == tailBytes, tail.starts(with: Array("PK".utf8) + [5, 6]),
            tail.dropFirst(endBytes).starts(with: Array(start.utf8)),
            checksum(crc32(Array(tail.dropLast(checksumDigits)), seed: crc))[...] == tail.suffix(checksumDigits)
        else { return nil }
        let digits = tail.dropFirst(endBytes + start.utf8.count).prefix(digestDigits)
        return PictureDigest(hexadecimal: String(decoding: digits, as: UTF8.self))
    }
}

extension PictureDigest {
    /// nil unless the text is 64 hexadecimal digits.
    init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * PictureDigest.byteCount else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        self.init(bytes: bytes)
    }
}
