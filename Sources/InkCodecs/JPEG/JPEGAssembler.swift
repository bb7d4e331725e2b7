import InkEngine

/// Writes a header for the whole picture, the pieces with restart markers between them, and the end marker.
struct JPEGAssembler: PictureAssembler {
    private let head: [UInt8]
    private let rowMultiple: Int
    private let hasDigest: Bool
    /// Whether the only piece is a whole file.
    private let isWhole: Bool
    /// MCU rows so far.
    private var mcuRows = 0
    private var crc = crc32([])

    init(_ head: PictureHead) throws(EngineError) {
        rowMultiple = JPEGCodec().rowMultiple(head.encoding)
        hasDigest = head.description.digest != nil
        isWhole = head.encoding.isProgressive
        self.head = try JPEGAssembler.head(of: head, rowMultiple: rowMultiple)
    }

    /// Written by libjpeg for one MCU row of the picture's width; the height is patched afterwards.
    private static func head(of head: PictureHead, rowMultiple: Int) throws(EngineError) -> [UInt8] {
        let sample = PixelSize(width: head.size.width, height: min(rowMultiple, head.size.height))
        let pixels = [UInt8](repeating: 0, count: sample.area * 3)
        var encoding = head.encoding
        encoding.isProgressive = false
        let file = try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try JPEGPieceEncoder.file(
                UnsafeRawBufferPointer(bytes), sample, .rgb, encoding, density: head.description.density)
        }
        let segments = JPEGSegment.head(of: file)
        guard let frame = segments.first(where: { JPEGMarker.isFrame($0.marker) }), let scan = segments.last,
            scan.marker == JPEGMarker.startOfScan, segments.count > 2, head.size.height <= JPEGCodec().edgePixelsMax
        else { throw .internalError("libjpeg made no header for \(head.size) pixels") }
        if head.encoding.isProgressive {
            return Array(file[..<segments[1].data.upperBound]) + description(head.description, head.size)
        }
        var bytes = Array(file[..<scan.data.upperBound])
        bytes[frame.data.lowerBound + 1] = UInt8(head.size.height >> 8)
        bytes[frame.data.lowerBound + 2] = UInt8(head.size.height & 0xFF)
        // After JFIF's own segment, which must be the first.
        bytes.insert(contentsOf: description(head.description, head.size), at: segments[1].data.upperBound)
        return bytes
    }

    /// EXIF, XMP, the colour profile and the digest.
    private static func description(_ description: PictureDescription, _ size: PixelSize) -> [UInt8] {
        var bytes: [UInt8] = []
        if let exif = ExifData.make(description, size) {
            bytes += JPEGMarker.segment(JPEGMarker.metadata, ExifSegment.mark + exif)
        }
        if let packet = XMPPacket.make(description, byteCountMax: 65_000) {
            bytes += JPEGMarker.segment(JPEGMarker.metadata, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
        }
        if description.hasProfile {
            // The first part of one.
            bytes += JPEGMarker.segment(
                JPEGMarker.profile, Array("ICC_PROFILE\0".utf8) + [1, 1] + SRGBProfile.bytes)
        }
        if let digest = description.digest { bytes += JPEGDigest.segment(digest) }
        return bytes
    }

    mutating func begin() -> [PictureWrite] { [append(head)] }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        if isWhole {
            // Its own first segment says nothing of the resolution.
            let segments = JPEGSegment.head(of: piece.bytes)
            let start = segments.count > 1 ? segments[1].data.upperBound : 0
            return [append(Array(piece.bytes[start..<max(start, piece.bytes.count - 2)]))]
        }
        let marker = JPEGMarker.restart + UInt8((mcuRows + 7) % 8)
        let separator: [UInt8] = mcuRows > 0 ? [0xFF, marker] : []
        mcuRows += (piece.rowCount + rowMultiple - 1) / rowMultiple
        return [append(separator + piece.bytes)]
    }

    mutating func end() -> [PictureWrite] {
        [.append((hasDigest ? JPEGDigest.check(crc) : []) + [0xFF, JPEGMarker.endOfImage])]
    }

    private mutating func append(_ bytes: [UInt8]) -> PictureWrite {
        if hasDigest { crc = crc32(bytes, seed: crc) }
        return .append(bytes)
    }
}

/// The digest of a picture's inputs, and the checksum that detects an incomplete or damaged picture. Both are
/// application segments: the digest follows the other header segments, the checksum precedes the end marker.
enum JPEGDigest {
    private static let digestName = Array("inKD\0".utf8)
    private static let checkName = Array("inKC\0".utf8)

    static func segment(_ digest: PictureDigest) -> [UInt8] {
        JPEGMarker.segment(JPEGMarker.application, digestName + digest.bytes)
    }

    /// - Parameter crc: CRC-32 of all preceding bytes.
    static func check(_ crc: UInt32) -> [UInt8] {
        JPEGMarker.segment(JPEGMarker.application, checkName + bigEndian(crc))
    }

    /// The digest of a complete file, whose correct checksum is at its end; nil for any other file.
    static func read(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        let tailCount = check(0).count + 2
        var (head, tail): ([UInt8], [UInt8]) = ([], [])
        var crc = crc32([])
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            // The digest is among the first segments, which are much shorter than the buffer.
            if head.count < BufferedFile.bufferByteCount { head += piece }
            tail += piece
            guard tail.count > tailCount else { continue }
            crc = crc32(Array(tail.dropLast(tailCount)), seed: crc)
            tail = tail.suffix(tailCount)
        }
        guard head.starts(with: [0xFF, JPEGMarker.startOfImage]), tail == check(crc) + [0xFF, JPEGMarker.endOfImage]
        else { return nil }
        let found = JPEGSegment.head(of: head).first {
            $0.marker == JPEGMarker.application && head[$0.data].starts(with: digestName)
        }
        return found.flatMap { PictureDigest(bytes: Array(head[$0.data].dropFirst(digestName.count))) }
    }
}
