/// Gray pictures of 8 bits a sample, such as masks, as whole PNG files.
public enum GrayPNG {
    /// A file of colour type 0, rows filtered by `Up`.
    ///
    /// - Parameter samples: `size.area` values, row-major.
    /// - Returns: The file; its bytes may differ between processors, what they decompress to does not.
    /// - Throws: `EngineError.internalError` when `samples` do not make a picture of `size`, or the compressor fails.
    public static func encode(samples: [UInt8], size: PixelSize) throws(EngineError) -> [UInt8] {
        guard size.width > 0, size.height > 0, samples.count == size.area, size.longestEdge <= Int(Int32.max) else {
            throw .internalError("\(samples.count) samples are not a gray picture of \(size) pixels")
        }
        var filtered = filtered(samples, size)
        let deflater = ISALDeflater(level: 1)
        var stream: [UInt8] = [0x78, 0x01]
        var failure: EngineError?
        filtered.withUnsafeMutableBufferPointer { bytes in
            deflater.begin()
            do throws(EngineError) {
                try deflater.deflate(bytes, end: .last) { stream += $0 }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        stream += bigEndian(Adler32.checksum(filtered))
        let edges = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height))
        return PNGHeader.signature
            + PNGStream.chunk("IHDR", edges + [8, PNGHeader.ColorType.gray.rawValue, 0, 0, 0])
            + PNGStream.chunk("IDAT", stream) + PNGStream.chunk("IEND", [])
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
