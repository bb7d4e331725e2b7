import InkEngine

/// Encodes bands as those of a PNG; alpha apart from the colours.
final class PDFPieceEncoder: PieceEncoder {
    private let colors = BandEncoder()
    private let alpha = BandEncoder()

    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        guard rows.format == .rgba else { return try colors.encode(rows, encoding) }
        let count = rows.pixels.count / 4
        guard rows.width > 0, count > 0, rows.pixels.count == count * 4, count % rows.width == 0 else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels")
        }
        let (colorBytes, alphaBytes) = (RowBuffer(byteCount: count * 3), RowBuffer(byteCount: count))
        let (rgb, a) = (colorBytes.base, alphaBytes.base)
        for pixel in 0..<count {
            rgb[3 &* pixel] = rows.pixels[4 &* pixel]
            rgb[3 &* pixel &+ 1] = rows.pixels[4 &* pixel &+ 1]
            rgb[3 &* pixel &+ 2] = rows.pixels[4 &* pixel &+ 2]
            a[pixel] = rows.pixels[4 &* pixel &+ 3]
        }
        func bytes(_ buffer: RowBuffer) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: buffer.base, count: buffer.byteCount)
        }
        let colorPiece = try colors.encode(
            pixels: bytes(colorBytes), width: rows.width, bytesPerPixel: 3, encoding: encoding)
        let alphaPiece = try alpha.encode(
            pixels: bytes(alphaBytes), width: rows.width, bytesPerPixel: 1, encoding: encoding)
        return EncodedPiece(
            rowCount: colorPiece.rowCount, rawByteCount: colorPiece.rawByteCount + alphaPiece.rawByteCount,
            adler32: colorPiece.adler32, bytes: PDFPiece.join(colorPiece, alphaPiece))
    }
}
