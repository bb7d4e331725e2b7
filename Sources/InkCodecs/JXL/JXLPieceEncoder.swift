import CJXL
import Glibc
import InkEngine

/// Encodes each 256 rows as a frame that replaces what is in its place.
final class JXLPieceEncoder: PieceEncoder {
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let rowBytes = rows.width * rows.format.bytesPerPixel
        let rowCount = rows.pixels.count / max(1, rowBytes)
        guard rowBytes > 0, rowCount > 0, rows.pixels.count == rowCount * rowBytes else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels")
        }
        if let package = JXLCodec().missingPackage {
            throw .badInput(Place(file: "jxl"), reason: "the worker cannot write JPEG XL: install \(package) there")
        }
        var frames: [[UInt8]] = []
        for start in stride(from: 0, to: rowCount, by: JXLPiece.frameRows) {
            let end = min(start + JXLPiece.frameRows, rowCount)
            var settings = ink_jxl_settings()
            settings.width = UInt32(rows.width)
            settings.height = UInt32(end - start)
            settings.first_row = UInt32(rows.firstRow + start)
            settings.channels = UInt32(rows.format.bytesPerPixel)
            settings.is_lossless = encoding.picture.isExactJXL ? 1 : 0
            settings.distance = Float(encoding.picture.jxlDistance)
            settings.effort = Int32(encoding.picture.jxlEffort)
            settings.is_last = encoding.isLast && end == rowCount ? 1 : 0
            settings.is_whole = settings.is_last != 0 && settings.first_row == 0 ? 1 : 0
            let pixels = UnsafeRawBufferPointer(rebasing: rows.pixels[(start * rowBytes)..<(end * rowBytes)])
            frames.append(try JXLPieceEncoder.frame(pixels, settings))
        }
        return EncodedPiece(
            rowCount: rowCount,
            rawByteCount: JXLCodec().rawByteCount(rowCount: rowCount, width: rows.width, pixels: rows.format),
            adler32: Adler32.empty, bytes: JXLPiece.join(frames))
    }

    private static func frame(
        _ pixels: UnsafeRawBufferPointer, _ settings: ink_jxl_settings
    ) throws(EngineError) -> [UInt8] {
        var settings = settings
        var (made, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        if let failure = ink_jxl_encode(
            pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), &settings, &made, &count)
        {
            throw .internalError("libjxl: \(String(cString: failure))")
        }
        defer { free(made) }
        return Array(UnsafeBufferPointer(start: made, count: count))
    }
}
