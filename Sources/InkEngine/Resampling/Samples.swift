import CKernels

// Conversion of decoded samples to Float: straight 8-bit values to premultiplied 0...1. The products of the factors
// with the largest sample are exactly 1, and a channel of 255 is exactly its alpha.

extension SampleFormat {
    private static let perLevel: Float = 1 / 255
    private static let perProduct: Float = 1 / 65_025

    /// The value of a mask's constant chunk.
    func maskValue(_ constant: UInt32) -> Float {
        switch self {
        case .mask8: Float(constant & 0xFF) * Self.perLevel
        case .scaledMask: Self.bounded(Float(bitPattern: constant), 0, 1)
        default: Float(constant & 0xFFFF) * Self.perProduct
        }
    }

    /// The premultiplied colour of a picture's constant chunk: red, green, blue, alpha.
    func pixelValue(_ constant: UInt32, _ kernels: CompositingKernels) -> SIMD4<Float> {
        // Bytes beyond the fourth are 0, and a colour is at most its alpha.
        if self == .scaledColor { return .zero }
        var pixel = SIMD4<Float>.zero
        withUnsafeBytes(of: constant.littleEndian) { bytes in
            withUnsafeMutableBytes(of: &pixel) { pixel in
                kernels.resample.read_pixels(
                    pixels, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, 1,
                    pixel.assumingMemoryBound(to: Float.self).baseAddress)
            }
        }
        return pixel
    }

    /// The values `columns` of a row of `mask16` samples.
    static func readMask16(
        _ row: UnsafePointer<UInt8>, columns: Range<Int>, into target: UnsafeMutablePointer<Float>
    ) {
        let source = row + 2 * columns.lowerBound
        for x in 0..<columns.count {
            // A block that our decoder did not make may contain values above 255 * 255.
            target[x] = min(1, Float(UInt32(source[2 * x]) | UInt32(source[2 * x + 1]) << 8) * perProduct)
        }
    }

    /// The largest amount of a colour's value. Sums of a filter stay far below it, but a block that our decoder did not
    /// make may contain any.
    private static let colorMax: Float = 16

    /// NaN becomes `low`.
    private static func bounded(_ value: Float, _ low: Float, _ high: Float) -> Float {
        value > low ? (value < high ? value : high) : low
    }

    /// The values `columns` of a row of `scaledMask` or `scaledColor` samples: one Float each, or four.
    func readScaled(_ row: UnsafePointer<UInt8>, columns: Range<Int>, into target: UnsafeMutablePointer<Float>) {
        let source = UnsafeRawPointer(row + columns.lowerBound * bytesPerPixel)
        let (low, high) = isMask ? (0, 1) : (-Self.colorMax, Self.colorMax)
        for k in 0..<(columns.count * bytesPerPixel / 4) {
            target[k] = Self.bounded(source.loadUnaligned(fromByteOffset: 4 * k, as: Float.self), low, high)
        }
    }
}
