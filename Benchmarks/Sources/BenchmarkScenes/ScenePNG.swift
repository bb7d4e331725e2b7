public import InkCodecs
public import InkEngine

extension Scenes {
    /// The bands of a picture, encoded one after the other by one encoder.
    ///
    /// - Parameter pixels: rows of `width` pixels of `format`, without padding.
    public static func bands(
        of pixels: [UInt8], width: Int, format: PixelFormat, effort: EncodingEffort, by encoder: BandEncoder
    ) throws -> [EncodedPiece] {
        let bandBytes = 256 * width * format.bytesPerPixel
        return try pixels.withUnsafeBytes { bytes in
            try stride(from: 0, to: bytes.count, by: bandBytes).map { first in
                let end = min(first + bandBytes, bytes.count)
                return try encoder.encode(
                    pixels: UnsafeRawBufferPointer(rebasing: bytes[first..<end]), width: width, format: format,
                    encoding: PieceEncoding(PictureEncoding(effort: effort), isLast: end == bytes.count))
            }
        }
    }

    /// A layer's picture as a PNG.
    public static func png(of image: SceneTasks.Image) throws -> [UInt8] {
        let bands = try bands(
            of: image.samples, width: canvas.width, format: .rgba, effort: .balanced, by: BandEncoder())
        var png = try PNGStream.prologue(size: canvas, format: .rgba, description: PictureDescription())
        var adler32: UInt32 = 1
        for (index, band) in bands.enumerated() {
            png += PNGStream.idat(band.bytes, isFirst: index == 0)
            adler32 = Adler32.combine(adler32, band.adler32, lengthB: band.rawByteCount)
        }
        return png + PNGStream.epilogue(adler32: adler32)
    }
}
