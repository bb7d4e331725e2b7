import InkCodecs
import InkEngine

/// Rows of a picture as they are decoded.
struct DecodedRows {
    var rows: Range<Int>
    /// Row-major, without padding.
    var samples: [UInt8]
    /// 3: RGB, 4: RGB and straight alpha.
    var channels: Int

    /// Decodes a picture from its top, a few rows at a time.
    ///
    /// - Parameters:
    ///   - width: of the picture as it is decoded.
    ///   - raster: for a vector picture.
    ///   - take: gets the rows in order.
    /// - Throws: as `ImageDecoders.decode`.
    static func decode(
        _ file: [UInt8], width: Int, raster: VectorRaster? = nil, convertsProfiles: Bool = false, place: Place,
        limits: Limits, take: (DecodedRows) -> Void
    ) throws(EngineError) {
        // How many channels a chunk of one value has is known from another chunk, or at the end.
        var waiting: [(rows: Range<Int>, value: UInt32)] = []
        func pass(_ channels: Int) {
            for chunk in waiting {
                let pixel = (0..<channels).map { UInt8(truncatingIfNeeded: chunk.value >> (8 * UInt32($0))) }
                let row = (0..<width).flatMap { _ in pixel }
                take(
                    DecodedRows(
                        rows: chunk.rows, samples: chunk.rows.flatMap { _ in row }, channels: channels))
            }
            waiting = []
        }
        let info = try ImageDecoders.decode(
            file, as: .color, convertsProfiles: convertsProfiles, raster: raster, place: place, limits: limits
        ) { chunk in
            switch chunk.content {
            case .constant(let value): waiting.append((chunk.rows, value))
            case .samples(let samples):
                let channels = samples.count / max(1, chunk.rows.count * width)
                pass(channels)
                take(DecodedRows(rows: chunk.rows, samples: samples, channels: channels))
            }
        }
        pass(info.format.bytesPerPixel)
    }
}
