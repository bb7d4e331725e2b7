import InkEngine

/// Writes a header, the strips of all pieces, and the directory that says where they are. The header is patched at the
/// end.
struct TIFFAssembler: PictureAssembler {
    private let head: PictureHead
    private let isBig: Bool
    /// The offsets of all strips.
    private var offsets: [UInt64] = []
    private var byteCounts: [UInt64] = []
    /// The file's length so far, always even.
    private var length: UInt64 = 0
    /// The checksum of everything after the header.
    private var crc = crc32([])

    var isAppendOnly: Bool { false }

    /// - Parameter isBig: whether it is a BigTIFF; nil: where it may have to be.
    init(_ head: PictureHead, isBig: Bool? = nil) throws(EngineError) {
        guard head.size.width > 0, head.size.height > 0, head.size.longestEdge <= TIFFCodec().edgePixelsMax else {
            throw .internalError("a TIFF of \(head.size) pixels cannot be")
        }
        self.head = head
        self.isBig = isBig ?? TIFFAssembler.isBig(head)
    }

    /// Whether the file may exceed the offsets of 32 bits: pixels as packed in the worst case, the table of strips, and
    /// texts.
    static func isBig(_ head: PictureHead) -> Bool {
        let raw = Double(head.size.width) * Double(head.size.height) * Double(head.pixels.bytesPerPixel)
        let packed = head.encoding.stripCompression == .lzw ? raw * 1.51 : raw * 1.01
        return packed + Double(TIFFStrips.count(rowCount: head.size.height)) * 64 + 16e6 >= Double(UInt32.max)
    }

    /// With the place of the directory; before that is known, 0.
    private func header(directory: UInt64) -> [UInt8] {
        isBig
            ? [0x49, 0x49, 43, 0, 8, 0, 0, 0] + littleEndian(directory)
            : [0x49, 0x49, 42, 0] + littleEndian(UInt32(directory))
    }

    mutating func begin() -> [PictureWrite] {
        let header = header(directory: 0)
        length = UInt64(header.count)
        return [.append(header)]
    }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        guard let lengths = TIFFStrips.lengths(in: piece.bytes[...], rowCount: piece.rowCount) else {
            preconditionFailure("a piece without a table of its strips")
        }
        for byteCount in lengths {
            offsets.append(length)
            byteCounts.append(UInt64(byteCount))
            length += UInt64(byteCount + byteCount % 2)
        }
        let strips = Array(piece.bytes[TIFFStrips.tableBytes(rowCount: piece.rowCount)...])
        crc = crc32(strips, seed: crc)
        return [.append(strips)]
    }

    mutating func end() -> [PictureWrite] {
        let header = header(directory: length)
        var bytes = directories()
        if let digest = head.description.digest {
            bytes += TIFFDigest.mark + digest.bytes
            bytes += littleEndian(crc32(header, seed: crc32(bytes, seed: crc)))
        }
        return [.append(bytes), .patch(header, at: 0)]
    }

    /// The directory of the picture, then those of the camera and the place where the photo has these.
    private func directories() -> [UInt8] {
        var main = directory
        let photo = head.description.exif.flatMap { ExifTree($0) }?.directories(head.size, head.description.density)
        for (tag, value) in photo?[.main]?.entries ?? [:] where main[tag] == nil { main[tag] = value }
        let others = ExifTree.Directory.allCases.filter { $0.pointer != nil && photo?[$0] != nil }
        for directory in others { if let pointer = directory.pointer { main[pointer] = .offsets([0]) } }
        var end = length + UInt64(main.bytes(at: length, isBig: isBig).count)
        var bytes: [UInt8] = []
        for directory in others {
            guard let pointer = directory.pointer, let tags = photo?[directory] else { continue }
            main[pointer] = .offsets([end])
            let written = tags.bytes(at: end, isBig: isBig)
            bytes += written
            end += UInt64(written.count)
        }
        return main.bytes(at: length, isBig: isBig) + bytes
    }

    private var directory: TagDirectory {
        var tags = TagDirectory()
        let encoding = head.encoding
        let channels = head.pixels.bytesPerPixel
        tags[256] = .long([UInt32(head.size.width)])
        tags[257] = .long([UInt32(head.size.height)])
        tags[258] = .short(Array(repeating: 8, count: channels))
        tags[259] = .short([encoding.stripCompression.tiffNumber])
        // RGB.
        tags[262] = .short([2])
        tags[273] = .offsets(offsets)
        tags[274] = .short([1])
        tags[277] = .short([UInt16(channels)])
        tags[278] = .long([UInt32(TIFFStrips.rowsPerStrip)])
        tags[279] = .offsets(byteCounts)
        tags[284] = .short([1])
        // Differences along the row.
        if encoding.stripCompression != .none { tags[317] = .short([2]) }
        // Straight alpha.
        if head.pixels == .rgba { tags[338] = .short([2]) }
        tags.add(head.description)
        tags[700] = XMPPacket.make(head.description).map { .byte($0) }
        if head.description.hasProfile { tags[34675] = .undefined(SRGBProfile.bytes) }
        return tags
    }
}

extension StripCompression {
    fileprivate var tiffNumber: UInt16 {
        switch self {
        case .none: 1
        case .lzw: 5
        case .deflate: 8
        case .zstd: 50_000
        }
    }
}

/// The digest of a picture's inputs, and the checksum that detects an incomplete or damaged picture: the last bytes of the
/// file, which no tag points to. libtiff warns of tags that it does not know.
enum TIFFDigest {
    /// Before the digest. After it comes the CRC-32 of all that precedes it, the header last.
    static let mark = Array("inKD".utf8)
    private static let crcBytes = 4

    /// The digest of a complete file; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        guard var header = try file.read(8) else { return nil }
        switch header[..<4] {
        case [0x49, 0x49, 42, 0]: break
        case [0x49, 0x49, 43, 0]:
            guard let more = try file.read(8) else { return nil }
            header += more
        default: return nil
        }
        let tailCount = mark.count + PictureDigest.byteCount + crcBytes
        var tail: [UInt8] = []
        var crc = crc32([])
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            tail += piece
            guard tail.count > tailCount else { continue }
            crc = crc32(tail.dropLast(tailCount), seed: crc)
            tail = tail.suffix(tailCount)
        }
        guard tail.count == tailCount, tail.starts(with: mark) else { return nil }
        let sum = crc32(header, seed: crc32(tail.dropLast(crcBytes), seed: crc))
        guard tail.suffix(crcBytes).elementsEqual(littleEndian(sum)) else { return nil }
        return PictureDigest(bytes: Array(tail[mark.count..<(mark.count + PictureDigest.byteCount)]))
    }
}
