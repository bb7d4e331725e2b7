import CWebP
public import InkEngine

extension PictureFormat {
    public static let webp = PictureFormat(rawValue: 4)
}

/// WebP files. Their data is one arithmetic-coded stream, or one tree of codes, so a picture is encoded as a whole.
struct WebPCodec: PictureCodec {
    var format: PictureFormat { .webp }
    var fileType: FileType { .webp }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [.effort, .quality, .lossless, .maxBytes] }
    var edgePixelsMax: Int { 16_383 }

    func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep] { [.whole(halvings: 0)] }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func encodeWhole(_ picture: WholePicture, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8] {
        let pixels = try picture.allPixels()
        var settings = ink_webp_settings()
        settings.width = UInt32(picture.size.width)
        settings.height = UInt32(picture.size.height)
        settings.bytes_per_pixel = UInt32(picture.format.bytesPerPixel)
        settings.is_lossless = encoding.isLossless ? 1 : 0
        settings.quality = Float(encoding.quality ?? 90)
        settings.effort =
            switch encoding.effort {
            case .fast: 1
            case .balanced: encoding.isLossless ? 3 : 4
            case .small: encoding.isLossless ? 9 : 6
            }
        settings.is_cancelled = { context in
            guard let context else { return 0 }
            return Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
        }
        let cancellation = Cancellation(picture.isCancelled)
        settings.context = Unmanaged.passUnretained(cancellation).toOpaque()
        var (made, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let failure = withExtendedLifetime(cancellation) { ink_webp_encode(pixels, &settings, &made, &count) }
        if let failure {
            if picture.isCancelled() { throw .cancelled }
            throw .internalError("libwebp: \(String(cString: failure))")
        }
        defer { ink_webp_free(made) }
        return Array(UnsafeBufferPointer(start: made, count: count))
    }

    /// For the library, which calls a function without surroundings.
    private final class Cancellation {
        let isCancelled: () -> Bool

        init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }
    }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { WebPAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try WebPAssembler.storedDigest(file)
    }
}

/// Puts the image of a WebP file into a file with what belongs to the picture.
struct WebPAssembler: PictureAssembler {
    private let head: PictureHead

    init(_ head: PictureHead) { self.head = head }

    mutating func begin() -> [PictureWrite] { [] }

    /// The only piece: a whole file.
    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        var chunks = WebPAssembler.chunks(of: piece.bytes).filter { $0.name != "VP8X" }
        let exif = ExifData.make(head.description, head.size).map { Chunk(name: "EXIF", data: $0[...]) }
        let packet = XMPPacket.make(head.description).map { Chunk(name: "XMP ", data: $0[...]) }
        let profile = head.description.hasProfile ? Chunk(name: "ICCP", data: SRGBProfile.bytes[...]) : nil
        let hasAlphaChunk = chunks.contains { $0.name == "ALPH" }
        if hasAlphaChunk || head.description.digest != nil || exif != nil || packet != nil || profile != nil {
            var flags = head.pixels == .rgba ? Flags.alpha : 0
            if profile != nil { flags |= Flags.profile }
            if exif != nil { flags |= Flags.exif }
            if packet != nil { flags |= Flags.xmp }
            let header = Chunk(name: "VP8X", data: WebPAssembler.extendedHeader(head.size, flags: flags)[...])
            chunks = [header] + [profile].compactMap(\.self) + chunks + [exif, packet].compactMap(\.self)
        }
        if let digest = head.description.digest {
            let before = WebPAssembler.file(chunks, further: WebPAssembler.digestChunkBytes)
            return [
                .append(before),
                .append(Chunk(name: "inKD", data: (digest.bytes + bigEndian(crc32(before)))[...]).bytes),
            ]
        }
        return [.append(WebPAssembler.file(chunks))]
    }

    mutating func end() -> [PictureWrite] { [] }

    private struct Chunk {
        var name: String
        var data: ArraySlice<UInt8>

        /// Padded to an even number.
        var bytes: [UInt8] {
            Array(name.utf8) + littleEndian(data.count, bytes: 4) + data + (data.count % 2 == 0 ? [] : [0])
        }
    }

    /// Name and length, digest, CRC-32 of all bytes before.
    private static let digestChunkBytes = 8 + PictureDigest.byteCount + 4
    private static let magic = (riff: Array("RIFF".utf8), webp: Array("WEBP".utf8))

    private static func chunks(of file: [UInt8]) -> [Chunk] {
        var chunks: [Chunk] = []
        var at = 12
        while at + 8 <= file.count {
            let count = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
            let end = min(file.count, at + 8 + count)
            chunks.append(Chunk(name: String(decoding: file[at..<(at + 4)], as: UTF8.self), data: file[(at + 8)..<end]))
            at = end + count % 2
        }
        return chunks
    }

    /// - Parameter further: bytes that will follow.
    private static func file(_ chunks: [Chunk], further: Int = 0) -> [UInt8] {
        let body = chunks.flatMap(\.bytes)
        return magic.riff + littleEndian(4 + body.count + further, bytes: 4) + magic.webp + body
    }

    /// What an extended file says it has.
    private enum Flags {
        static let (profile, alpha, exif, xmp): (UInt8, UInt8, UInt8, UInt8) = (0x20, 0x10, 0x08, 0x04)
    }

    private static func extendedHeader(_ size: PixelSize, flags: UInt8) -> [UInt8] {
        [flags, 0, 0, 0] + littleEndian(size.width - 1, bytes: 3)
            + littleEndian(size.height - 1, bytes: 3)
    }

    private static func littleEndian(_ value: Int, bytes count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The digest of a complete file; nil for any other file.
    static func storedDigest(_ file: BufferedFile) throws(EngineError) -> PictureDigest? {
        var (head, tail): ([UInt8], [UInt8]) = ([], [])
        var crc = crc32([])
        var count = 0
        while let piece = try file.readUpTo(BufferedFile.bufferByteCount) {
            if head.isEmpty { head = Array(piece.prefix(12)) }
            count += piece.count
            tail += piece
            guard tail.count > digestChunkBytes else { continue }
            crc = crc32(Array(tail.dropLast(digestChunkBytes)), seed: crc)
            tail = tail.suffix(digestChunkBytes)
        }
        let start = Chunk(name: "inKD", data: [UInt8](repeating: 0, count: digestChunkBytes - 8)[...]).bytes.prefix(8)
        guard tail.count == digestChunkBytes, tail.starts(with: start), tail.suffix(4) == bigEndian(crc)[...],
            head == magic.riff + littleEndian(count - 8, bytes: 4) + magic.webp
        else { return nil }
        return PictureDigest(bytes: Array(tail.dropFirst(8).dropLast(4)))
    }
}
