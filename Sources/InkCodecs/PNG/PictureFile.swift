public import InkEngine

/// PNG files on disk.
public enum PictureFile {
    /// The digest in the picture at `path` if the file is a complete PNG: signature, all chunks with correct CRCs, IHDR
    /// first, IEND last and nothing after it, one `inKD` chunk. nil for any other file, or if there is none.
    ///
    /// The pixels are not decoded: the CRCs show that the chunks are as written. Reads the file once, in pieces of
    /// limited size.
    ///
    /// - Throws: `EngineError.io` if there is a file that cannot be opened or read.
    public static func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        var scan = ChunkScan(file: file)
        return try scan.digestOfWholePicture()
    }
}

/// Reads a PNG file's chunks in order.
private struct ChunkScan {
    let file: BufferedFile
    private var digest: PictureDigest?
    private var isFirst = true
    private var hasPixels = false

    init(file: BufferedFile) { self.file = file }

    private struct Head {
        let type: [UInt8]
        let byteCount: Int
    }

    private static let header = Array("IHDR".utf8)
    private static let pixels = Array("IDAT".utf8)
    private static let end = Array("IEND".utf8)
    private static let digest = Array(PNGStream.digestChunkType.utf8)

    mutating func digestOfWholePicture() throws(EngineError) -> PictureDigest? {
        guard try file.read(PNGHeader.signature.count) == PNGHeader.signature else { return nil }
        while let head = try nextHead() {
            let isRead =
                if head.type == ChunkScan.digest { try readDigest(head) } else { try skip(head) }
            guard isRead else { return nil }
            isFirst = false
            hasPixels = hasPixels || head.type == ChunkScan.pixels
            guard head.type == ChunkScan.end else { continue }
            let isAtEnd = try file.isAtEnd()
            return hasPixels && head.byteCount == 0 && isAtEnd ? digest : nil
        }
        return nil
    }

    /// The next chunk's length and type; nil at the end of the file, or if no valid chunk follows.
    private func nextHead() throws(EngineError) -> Head? {
        guard let bytes = try file.read(8) else { return nil }
        let byteCount = bigEndian(bytes, at: 0)
        let head = Head(type: Array(bytes[4...]), byteCount: Int(byteCount))
        guard byteCount <= UInt32(Int32.max), isFirst == (head.type == ChunkScan.header) else { return nil }
        return head
    }

    /// Reads a digest chunk; false if it is the second one, or damaged.
    private mutating func readDigest(_ head: Head) throws(EngineError) -> Bool {
        guard digest == nil, head.byteCount == PictureDigest.byteCount,
            let data = try file.read(head.byteCount), let crc = try file.read(4)
        else { return false }
        digest = PictureDigest(bytes: data)
        return bigEndian(crc, at: 0) == crc32(data, seed: crc32(head.type))
    }

    /// Skips a chunk's data; false if it is truncated or damaged.
    private func skip(_ head: Head) throws(EngineError) -> Bool {
        var crc = crc32(head.type)
        var left = head.byteCount
        while left > 0 {
            guard let piece = try file.read(min(left, BufferedFile.bufferByteCount)) else { return false }
            crc = crc32(piece, seed: crc)
            left -= piece.count
        }
        guard let stored = try file.read(4) else { return false }
        return bigEndian(stored, at: 0) == crc
    }
}
