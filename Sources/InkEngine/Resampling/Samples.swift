// The conversion of decoded samples to Float: straight 8-bit to premultiplied 0...1, all with one correctly rounded
// division, so that a channel of 255 is exactly its alpha.

extension SampleFormat {
    /// Whether the samples are a mask's.
    var isMask: Bool { self == .mask8 || self == .mask16 }

    /// The value of a mask's constant chunk.
    func maskValue(_ constant: UInt32) -> Float {
        self == .mask8 ? Float(constant & 0xFF) / 255 : Float(constant & 0xFFFF) / 65_025
    }

    /// The premultiplied colour of a picture's constant chunk: red, green, blue, alpha.
    func pixelValue(_ constant: UInt32) -> SIMD4<Float> {
        withUnsafeBytes(of: constant.littleEndian) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { pixel(at: 0, in: $0.baseAddress!) }
        }
    }

    /// The premultiplied colour of pixel `x` of a row of `rgb8` or `rgba8` samples.
    @inline(__always)
    func pixel(at x: Int, in row: UnsafePointer<UInt8>) -> SIMD4<Float> {
        if self == .rgb8 {
            let p = row + 3 * x
            return SIMD4(Float(p[0]), Float(p[1]), Float(p[2]), 255) / 255
        }
        let p = row + 4 * x
        // Whole numbers up to 65,025, which Float holds exactly.
        let a = Float(p[3])
        return SIMD4(Float(p[0]) * a, Float(p[1]) * a, Float(p[2]) * a, 255 * a) / 65_025
    }

    /// The values `columns` of a row of `mask8` or `mask16` samples.
    func readMask(_ row: UnsafePointer<UInt8>, columns: Range<Int>, into target: UnsafeMutablePointer<Float>) {
        let count = columns.count
        if self == .mask8 {
            let source = row + columns.lowerBound
            for x in 0..<count { target[x] = Float(source[x]) / 255 }
        } else {
            let source = row + 2 * columns.lowerBound
            for x in 0..<count {
                // A block that was not made by our decoder may hold more than 255 * 255.
                target[x] = min(1, Float(UInt32(source[2 * x]) | UInt32(source[2 * x + 1]) << 8) / 65_025)
            }
        }
    }
}
