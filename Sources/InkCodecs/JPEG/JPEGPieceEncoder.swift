import CJPEG
import Glibc
import InkEngine

/// Encodes bands as separate files and extracts the MCU rows from them.
final class JPEGPieceEncoder: PieceEncoder {
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let rowCount = rows.pixels.count / max(1, rows.width * rows.format.bytesPerPixel)
        guard rows.width > 0, rowCount > 0, rows.pixels.count == rowCount * rows.width * rows.format.bytesPerPixel
        else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels")
        }
        let size = PixelSize(width: rows.width, height: rowCount)
        let file = try JPEGPieceEncoder.file(rows.pixels, size, rows.format, encoding.picture, density: nil)
        guard let scan = JPEGSegment.head(of: file).last, scan.marker == JPEGMarker.startOfScan,
            file.suffix(2) == [0xFF, JPEGMarker.endOfImage]
        else { throw .internalError("libjpeg made a file without a scan") }
        var bytes = Array(file[scan.data.upperBound..<(file.count - 2)])
        let mcuRow = rows.firstRow / JPEGCodec().rowMultiple(encoding.picture)
        JPEGPieceEncoder.renumberRestarts(&bytes, by: UInt8(mcuRow % 8))
        return EncodedPiece(
            rowCount: rowCount,
            rawByteCount: JPEGCodec().rawByteCount(rowCount: rowCount, width: rows.width, pixels: rows.format),
            adler32: Adler32.empty, bytes: bytes)
    }

    /// Restart markers count modulo 8 from the top of the picture. In entropy-coded data, 0xFF is always followed by 0.
    private static func renumberRestarts(_ bytes: inout [UInt8], by first: UInt8) {
        guard first > 0 else { return }
        var isMarker = false
        for at in bytes.indices {
            let byte = bytes[at]
            if isMarker, (JPEGMarker.restart..<JPEGMarker.restart + 8).contains(byte) {
                bytes[at] = JPEGMarker.restart + (byte - JPEGMarker.restart + first) % 8
            }
            isMarker = byte == 0xFF
        }
    }

    /// A complete file of these pixels.
    static func file(
        _ pixels: UnsafeRawBufferPointer, _ size: PixelSize, _ format: PixelFormat, _ encoding: PictureEncoding,
        density: PictureDensity?
    ) throws(EngineError) -> [UInt8] {
        guard let base = pixels.baseAddress, max(size.width, size.height) <= JPEGCodec().edgePixelsMax else {
            throw .internalError("a JPEG of \(size) pixels cannot be")
        }
        var settings = ink_jpeg_settings()
        settings.width = UInt32(size.width)
        settings.height = UInt32(size.height)
        settings.bytes_per_pixel = UInt32(format.bytesPerPixel)
        settings.quality = UInt32(encoding.jpegQuality)
        settings.full_chroma = encoding.jpegChroma == .full ? 1 : 0
        settings.is_progressive = encoding.isProgressive ? 1 : 0
        // JFIF has 16-bit integers.
        if let density {
            settings.dots_per_inch_across = UInt32(min(max(density.across.rounded(), 1), 65_535))
            settings.dots_per_inch_down = UInt32(min(max(density.down.rounded(), 1), 65_535))
        }
        var (made, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        var message = [CChar](repeating: 0, count: INK_JPEG_MESSAGE_BYTES)
        let isMade = ink_jpeg_encode(base.assumingMemoryBound(to: UInt8.self), &settings, &made, &count, &message) != 0
        guard isMade, let made else {
            let end = message.firstIndex(of: 0) ?? message.endIndex
            let text = String(decoding: message[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw .internalError("libjpeg: \(text)")
        }
        defer { free(made) }
        return Array(UnsafeBufferPointer(start: made, count: count))
    }
}
