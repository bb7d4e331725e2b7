package import InkEngine

/// PNG files: bands of rows as pieces of one deflate stream.
package struct PNGCodec: PictureCodec {
    package init() {}

    package var format: PictureFormat { .png }
    package var fileType: FileType { .png }
    package var hasAlpha: Bool { true }
    package var settings: Set<EncodingSetting> { [.effort] }
    package var edgePixelsMax: Int { Int(Int32.max) }

    package func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    package func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        // Each row is preceded by its filter number.
        rowCount * (1 + width * pixels.bytesPerPixel)
    }

    package func content(of piece: EncodedPiece) -> [UInt8]? {
        // One byte more than declared, so that an excess is noticed.
        // What is no deflate has no content.
        guard let found = try? RawInflate.open(piece.bytes, limit: piece.rawByteCount + 1), found.isWhole,
            found.content.count == piece.rawByteCount, Adler32.checksum(found.content) == piece.adler32
        else { return nil }
        // Includes whether it ends the stream, because the stream depends on it.
        return found.content + [found.endsStream ? 1 : 0]
    }

    package func makeEncoder() -> any PieceEncoder { BandEncoder() }

    package func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        PNGAssembler(
            prologue: try PNGStream.prologue(size: head.size, format: head.pixels, description: head.description))
    }

    package func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        try PictureFile.storedDigest(path: path)
    }
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
