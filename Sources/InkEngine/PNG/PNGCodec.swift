/// PNG files: bands of rows as pieces of one deflate stream.
struct PNGCodec: PictureCodec {
    var format: PictureFormat { .png }
    var name: String { "png" }
    var endings: [String] { ["png"] }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [.effort] }
    var edgePixelsMax: Int { Int(Int32.max) }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        // Each row is preceded by its filter number.
        rowCount * (1 + width * pixels.bytesPerPixel)
    }

    func content(of piece: EncodedPiece) -> [UInt8]? {
        // One byte more than declared, so that an excess is noticed.
        guard let found = try? RawInflate.open(piece.bytes, limit: piece.rawByteCount + 1), found.isWhole,
            found.content.count == piece.rawByteCount, Adler32.checksum(found.content) == piece.adler32
        else { return nil }
        // Includes whether it ends the stream, because the stream depends on it.
        return found.content + [found.endsStream ? 1 : 0]
    }

    func makeEncoder() -> any PieceEncoder { BandEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        PNGAssembler(
            prologue: try PNGStream.prologue(size: head.size, format: head.pixels, description: head.description))
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PictureFile.storedDigest(path: path) }
}

/// Writes consecutive IDAT chunks; the checksum of all comes last.
private struct PNGAssembler: PictureAssembler {
    let prologue: [UInt8]
    private var adler32 = Adler32.empty
    private var isFirst = true

    init(prologue: [UInt8]) { self.prologue = prologue }

    mutating func begin() -> [PictureWrite] { [.append(prologue)] }

    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] {
        defer { isFirst = false }
        adler32 = Adler32.combine(adler32, piece.adler32, lengthB: piece.rawByteCount)
        return [.append(PNGStream.idat(piece.bytes, isFirst: isFirst))]
    }

    mutating func end() -> [PictureWrite] { [.append(PNGStream.epilogue(adler32: adler32))] }
}
