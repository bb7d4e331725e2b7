import InkEngine

/// Writes the header of a codestream (ISO/IEC 18181-1), then the frames. Where more belongs to the picture than its
/// pixels, they are in boxes (ISO/IEC 18181-2): a part of the codestream for each frame, so that the file only grows.
struct JXLAssembler: PictureAssembler {
    private let head: PictureHead
    private let frameCount: Int
    /// Written so far.
    private var frames = 0
    private var crc = crc32([])

    init(_ head: PictureHead) {
        self.head = head
        frameCount = JXLPiece.frameCount(rowCount: head.size.height)
    }

    private var exif: [UInt8]? { ExifData.make(head.description, head.size) }
    private var xmp: [UInt8]? { XMPPacket.make(head.description) }

    /// More than a decoder of level 5 must be able to decode.
    private var isLarge: Bool { head.size.area > 1 << 28 }

    private var isContainer: Bool { isLarge || head.description.digest != nil || exif != nil || xmp != nil }

    mutating func begin() -> [PictureWrite] {
        guard isContainer else { return [append(codestreamHeader)] }
        var bytes = ISOBox.make("JXL ", [0x0D, 0x0A, 0x87, 0x0A])
        bytes += ISOBox.make("ftyp", Array("jxl ".utf8) + bigEndian(0 as UInt32) + Array("jxl ".utf8))
        if isLarge { bytes += ISOBox.make("jxll", [10]) }
        // Where the TIFF header begins.
        if let exif { bytes += ISOBox.make("Exif", bigEndian(0 as UInt32) + exif) }
        if let xmp { bytes += ISOBox.make("xml ", xmp) }
        return [append(bytes)]
    }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        guard let frames = JXLPiece.frames(in: piece.bytes[...], rowCount: piece.rowCount) else {
            preconditionFailure("a piece that was found sound")
        }
        return frames.map { frame in
            guard isContainer else { return append(Array(frame)) }
            let header = self.frames == 0 ? codestreamHeader : []
            // The last has the highest bit.
            let number = UInt32(self.frames) | (self.frames == frameCount - 1 ? 1 << 31 : 0)
            self.frames += 1
            return append(ISOBox.make("jxlp", bigEndian(number) + header + frame))
        }
    }

    mutating func end() -> [PictureWrite] {
        head.description.digest.map { [.append(JXLDigest.box($0, crc))] } ?? []
    }

    private mutating func append(_ bytes: [UInt8]) -> PictureWrite {
        if head.description.digest != nil { crc = crc32(bytes, seed: crc) }
        return .append(bytes)
    }

    /// Signature, size, and what the samples are: 8 bits, sRGB, perhaps with alpha that nothing is multiplied by.
    private var codestreamHeader: [UInt8] {
        let (hasAlpha, isExact) = (head.pixels == .rgba, head.encoding.isExactJXL)
        var bits = JXLBits()
        bits.add(0x0AFF, 16)
        // Not a small picture; no common ratio of its edges.
        bits.add(0, 1)
        bits.addEdge(head.size.height)
        bits.add(0, 3)
        bits.addEdge(head.size.width)
        // Whether the samples are what is usual: XYB without alpha.
        bits.add(hasAlpha || isExact ? 0 : 1, 1)
        if hasAlpha || isExact {
            // No further fields, whole numbers, 8 bits, small enough for 16-bit arithmetic.
            bits.add(0b1_00_0_0, 5)
            // The number of further channels, and that the only one is a usual alpha.
            bits.add(hasAlpha ? 0b1_01 : 0b00, hasAlpha ? 3 : 2)
            bits.add(isExact ? 0 : 1, 1)
            // sRGB; no extensions.
            bits.add(0b00_1, 3)
        }
        // The usual transformation of XYB.
        bits.add(1, 1)
        return bits.bytes
    }
}

/// Bits, the lowest first, padded to bytes.
private struct JXLBits {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func add(_ value: Int, _ bitCount: Int) {
        for bit in 0..<bitCount {
            if count.isMultiple(of: 8) { bytes.append(0) }
            bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(count % 8)
            count += 1
        }
    }

    /// In the fewest of 9, 13, 18 or 30 bits.
    mutating func addEdge(_ pixels: Int) {
        let bitCounts = [9, 13, 18, 30]
        let choice = bitCounts.firstIndex { pixels - 1 < 1 << $0 } ?? bitCounts.count - 1
        add(choice, 2)
        add(pixels - 1, bitCounts[choice])
    }
}

/// The digest of a picture's inputs, in a box at the end of the file.
enum JXLDigest {
    /// An extension type of our own.
    private static let identifier = Array("ink picture dgst".utf8)
    private static let byteCount = 8 + 16 + PictureDigest.byteCount + 4

    /// - Parameter crc: CRC-32 of all preceding bytes.
    static func box(_ digest: PictureDigest, _ crc: UInt32) -> [UInt8] {
        ISOBox.make("uuid", identifier + digest.bytes + bigEndian(crc))
    }

    /// The digest of a complete file; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        var tail: [UInt8] = []
        var crc = crc32([])
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            tail += piece
            guard tail.count > byteCount else { continue }
            crc = crc32(Array(tail.dropLast(byteCount)), seed: crc)
            tail = tail.suffix(byteCount)
        }
        guard tail.count == byteCount,
            let digest = PictureDigest(bytes: Array(tail.dropFirst(24).prefix(PictureDigest.byteCount))),
            tail == box(digest, crc)
        else { return nil }
        return digest
    }
}
