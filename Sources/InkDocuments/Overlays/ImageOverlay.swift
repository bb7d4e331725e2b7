import InkCodecs
public import InkEngine

/// A picture that is laid over others: an image file, checked by its header.
public struct ImageOverlay: Sendable {
    private let file: EncodedImage
    private let place: Place

    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - place: names it in errors.
    ///   - limits: larger pictures are refused.
    /// - Throws: `badInput` for an unknown format and a damaged header, `overLimit` for its pixels.
    public init(_ bytes: [UInt8], place: Place, limits: Limits) throws(EngineError) {
        file = try EncodedImage(checking: bytes, place: place, limits: limits)
        self.place = place
    }

    /// Its own size after EXIF orientation.
    public var size: PixelSize { file.size }

    /// Scaled to `size` as layers are (spec section 5.5), rounded to 8 bits; not at all where it has that size. An SVG is drawn
    /// in it.
    ///
    /// - Throws: `badInput` for a damaged file, `overLimit` before memory is taken.
    func raster(_ size: PixelSize, limits: Limits) throws(EngineError) -> OverlayRaster {
        try OverlayRaster.check(size, limits, place)
        var chunks: [RowChunk] = []
        var samples: [[UInt8]] = []
        let info = try ImageDecoders.decode(
            file.bytes, as: .color, convertsProfiles: true,
            raster: file.header.isVector ? VectorRaster(whole: size) : nil,
            place: place, limits: limits
        ) { chunk in
            switch chunk.content {
            case .constant(let value): chunks.append(.constant(value))
            case .samples(let rows):
                // The chunk's number is its name.
                chunks.append(.samples(BlockID(words: [UInt64(samples.count), 0, 0, 0])))
                samples.append(rows)
            }
        }
        let slice = ImageSlice(size: info.size, format: info.format, firstChunk: 0, chunks: chunks)
        let image = try ImageRows(slice) { (block) throws(EngineError) in samples[Int(block.bytes[0])] }
        samples = []
        var pixels = [UInt8](repeating: 0, count: 4 * size.area)
        if info.size == size {
            Self.copy(image, into: &pixels)
        } else {
            try Self.scale(image, to: size, into: &pixels)
        }
        return OverlayRaster(rect: PixelRect(x: 0, y: 0, width: size.width, height: size.height), pixels: pixels)
    }

    private static func copy(_ image: ImageRows, into pixels: inout [UInt8]) {
        let (width, count) = (image.size.width, image.format.bytesPerPixel)
        for y in 0..<image.size.height {
            image.withRow(y) { row in
                for x in 0..<width {
                    let place = 4 * (y * width + x)
                    for k in 0..<4 {
                        pixels[place + k] =
                            switch row {
                            case _ where k >= count: 255
                            case .constant(let value): UInt8(truncatingIfNeeded: value >> UInt32(8 * k))
                            case .samples(let samples): samples[count * x + k]
                            }
                    }
                }
            }
        }
    }

    /// Rows that are scaled together.
    private static let rowsAtOnce = 64

    private static func scale(
        _ image: ImageRows, to size: PixelSize, into pixels: inout [UInt8]
    ) throws(EngineError) {
        let whole = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let resampler = try Resampler(source: image.size, output: size, filter: .lanczos3, rect: whole)
        for top in stride(from: 0, to: size.height, by: rowsAtOnce) {
            let cell = PixelRect(x: 0, y: top, width: size.width, height: min(rowsAtOnce, size.height - top))
            let planes = FloatPlanes(width: cell.width, height: cell.height)
            _ = try resampler.color(image, cell: cell, into: planes)
            for pixel in 0..<cell.area {
                let place = 4 * (top * size.width + pixel)
                let alpha = planes.alpha[pixel]
                guard alpha > 0 else { continue }
                pixels[place] = byte(planes.red[pixel] / alpha)
                pixels[place + 1] = byte(planes.green[pixel] / alpha)
                pixels[place + 2] = byte(planes.blue[pixel] / alpha)
                pixels[place + 3] = byte(alpha)
            }
        }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(min(255, max(0, (255 * value + 0.5).rounded(.down)))) }
}
