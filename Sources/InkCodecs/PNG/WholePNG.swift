import CZlib
public import InkEngine

/// Encodes pictures in memory with 8 bits per sample, such as masks, as complete PNG files.
public enum WholePNG {
    /// A file with all rows filtered by `Up`.
    ///
    /// - Parameters:
    ///   - samples: `size.area` pixels, row-major.
    ///   - size: of the picture, in pixels.
    ///   - format: `mask8`, which becomes gray, `rgb8` or `rgba8`.
    /// - Throws: `EngineError.internalError` if the number of samples does not match `size`, or the compressor fails.
    public static func encode(
        samples: [UInt8], size: PixelSize, format: SampleFormat = .mask8
    ) throws(EngineError) -> [UInt8] {
        let colorType: PNGHeader.ColorType? =
            switch format {
            case .mask8: .gray
            case .rgb8: .rgb
            case .rgba8: .rgba
            default: nil
            }
        let rowBytes = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard let colorType, size.width > 0, size.height > 0, size.longestEdge <= Int(Int32.max), !rowBytes.overflow,
            samples.count == size.area * format.bytesPerPixel
        else { throw .internalError("\(samples.count) samples are not a \(format) picture of \(size) pixels") }
        let stream = try zlibStream(filtered(samples, rowBytes: rowBytes.partialValue, rowCount: size.height))
        let edges = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height))
        return PNGHeader.signature
            + PNGStream.chunk("IHDR", edges + [8, colorType.rawValue, 0, 0, 0])
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

    private static func filtered(_ samples: [UInt8], rowBytes: Int, rowCount: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (rowBytes + 1) * rowCount) { target, count in
            samples.withUnsafeBufferPointer { samples in
                for y in 0..<rowCount {
                    let (row, out) = (y * rowBytes, y * (rowBytes + 1))
                    target[out] = 2
                    for x in 0..<rowBytes {
                        let above = y == 0 ? 0 : samples[row - rowBytes + x]
                        target[out + 1 + x] = samples[row + x] &- above
                    }
                }
            }
            count = (rowBytes + 1) * rowCount
        }
    }
}
