import CZlib

/// Encodes gray pictures with 8 bits per sample, such as masks, as complete PNG files.
public enum GrayPNG {
    /// A file of colour type 0, with all rows filtered by `Up`.
    ///
    /// - Parameters:
    ///   - samples: `size.area` values, row-major.
    ///   - size: of the picture, in pixels.
    /// - Throws: `EngineError.internalError` if the number of samples does not match `size`, or the compressor fails.
    public static func encode(samples: [UInt8], size: PixelSize) throws(EngineError) -> [UInt8] {
        guard size.width > 0, size.height > 0, samples.count == size.area, size.longestEdge <= Int(Int32.max) else {
            throw .internalError("\(samples.count) samples are not a gray picture of \(size) pixels")
        }
        let stream = try zlibStream(filtered(samples, size))
        let edges = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height))
        return PNGHeader.signature
            + PNGStream.chunk("IHDR", edges + [8, PNGHeader.ColorType.gray.rawValue, 0, 0, 0])
            + PNGStream.chunk("IDAT", stream) + PNGStream.chunk("IEND", [])
    }

    private static func zlibStream(_ bytes: [UInt8]) throws(EngineError) -> [UInt8] {
        var count = compressBound(uLong(bytes.count))
        var stream = [UInt8](repeating: 0, count: Int(count))
        let status = compress2(&stream, &count, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION)
        guard status == Z_OK else { throw .internalError("zlib's compress2 failed with \(status)") }
        stream.removeLast(stream.count - Int(count))
        return stream
    }

    private static func filtered(_ samples: [UInt8], _ size: PixelSize) -> [UInt8] {
        let width = size.width
        return [UInt8](unsafeUninitializedCapacity: (width + 1) * size.height) { target, count in
            samples.withUnsafeBufferPointer { samples in
                for y in 0..<size.height {
                    let (row, out) = (y * width, y * (width + 1))
                    target[out] = 2
                    for x in 0..<width {
                        let above = y == 0 ? 0 : samples[row - width + x]
                        target[out + 1 + x] = samples[row + x] &- above
                    }
                }
            }
            count = (width + 1) * size.height
        }
    }
}
