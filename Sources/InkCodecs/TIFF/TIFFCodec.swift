public import InkEngine

extension PictureFormat {
    public static let tiff = PictureFormat(rawValue: 2)
}

/// TIFF files: strips of 16 rows, each packed alone, so that the file is the same however the picture was cut.
///
/// RGB, or RGB and straight alpha, of 8 bits. The directory lies behind the pixels. Files that may exceed 4 GiB are
/// BigTIFF.
struct TIFFCodec: PictureCodec {
    var format: PictureFormat { .tiff }
    var fileType: FileType { .tiff }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [.effort, .compression] }
    var edgePixelsMax: Int { Int(Int32.max) }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { TIFFStrips.rowsPerStrip }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        rowCount * width * pixels.bytesPerPixel
    }

    func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool {
        TIFFStrips.lengths(in: piece, rowCount: rowCount) != nil
    }

    // Equal pixels are packed to equal bytes, also by zstd in workers of one version.
    func content(of piece: EncodedPiece) -> [UInt8]? {
        TIFFStrips.lengths(in: piece.bytes[...], rowCount: piece.rowCount) == nil ? nil : piece.bytes
    }

    func makeEncoder() -> any PieceEncoder { TIFFPieceEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { try TIFFAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try TIFFDigest.read(file)
    }
}

extension PictureEncoding {
    var stripCompression: StripCompression { compression ?? .deflate }
}

/// The form of a piece: the length of each strip (4 bytes, little-endian), then the strips, each padded to an even
/// length.
enum TIFFStrips {
    static let rowsPerStrip = 16
    private static let lengthBytes = 4

    static func count(rowCount: Int) -> Int { (rowCount + rowsPerStrip - 1) / rowsPerStrip }

    /// Bytes before the first strip.
    static func tableBytes(rowCount: Int) -> Int { count(rowCount: rowCount) * lengthBytes }

    static func join(_ strips: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(strips.reduce(0) { $0 + lengthBytes + $1.count + 1 })
        for strip in strips { bytes += littleEndian(UInt32(strip.count)) }
        for strip in strips { bytes += strip + (strip.count % 2 == 0 ? [] : [0]) }
        return bytes
    }

    /// The lengths of all strips without their padding; nil if the bytes are not a piece of so many rows.
    static func lengths(in piece: ArraySlice<UInt8>, rowCount: Int) -> [Int]? {
        let tableCount = tableBytes(rowCount: rowCount)
        guard rowCount > 0, piece.count > tableCount else { return nil }
        var lengths: [Int] = []
        var left = piece.count - tableCount
        for start in stride(from: piece.startIndex, to: piece.startIndex + tableCount, by: lengthBytes) {
            let length = piece[start..<(start + lengthBytes)].reversed().reduce(0) { $0 << 8 | Int($1) }
            left -= length + length % 2
            guard length > 0, left >= 0 else { return nil }
            lengths.append(length)
        }
        return left == 0 ? lengths : nil
    }
}
