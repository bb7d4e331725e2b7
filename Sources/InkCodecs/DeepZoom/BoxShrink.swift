import InkEngine

/// Pictures of half the size: each pixel is the mean of two by two, or of what there is of them at the right and lower
/// edges. Means are rounded to the nearest value, halves up. Colours count by their alpha.
enum BoxShrink {
    /// A row of the smaller picture from two of the larger, or from one twice.
    ///
    /// - Parameters:
    ///   - width: of the larger picture, at least 1.
    ///   - into: room for `(width + 1) / 2` pixels.
    static func halve(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, width: Int, _ format: PixelFormat,
        into: UnsafeMutablePointer<UInt8>
    ) {
        let pairs = width / 2
        switch format {
        case .rgb:
            for x in 0..<pairs { blendOpaque(upper + 6 &* x, lower + 6 &* x, next: 3, into + 3 &* x) }
            if width % 2 == 1 { blendOpaque(upper + 6 &* pairs, lower + 6 &* pairs, next: 0, into + 3 &* pairs) }
        case .rgba:
            for x in 0..<pairs { blend(upper + 8 &* x, lower + 8 &* x, next: 4, into + 4 &* x) }
            if width % 2 == 1 { blend(upper + 8 &* pairs, lower + 8 &* pairs, next: 0, into + 4 &* pairs) }
        }
    }

    @inline(__always)
    private static func blendOpaque(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, next: Int, _ into: UnsafeMutablePointer<UInt8>
    ) {
        for channel in 0..<3 {
            let sum =
                UInt16(upper[channel]) &+ UInt16(upper[channel &+ next]) &+ UInt16(lower[channel])
                &+ UInt16(lower[channel &+ next])
            into[channel] = UInt8(truncatingIfNeeded: (sum &+ 2) >> 2)
        }
    }

    @inline(__always)
    private static func blend(
        _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, next: Int, _ into: UnsafeMutablePointer<UInt8>
    ) {
        let (a, b, c, d) = (UInt32(upper[3]), UInt32(upper[3 &+ next]), UInt32(lower[3]), UInt32(lower[3 &+ next]))
        let alpha = a &+ b &+ c &+ d
        into[3] = UInt8(truncatingIfNeeded: (alpha &+ 2) >> 2)
        for channel in 0..<3 {
            let sum =
                UInt32(upper[channel]) &* a &+ UInt32(upper[channel &+ next]) &* b &+ UInt32(lower[channel]) &* c
                &+ UInt32(lower[channel &+ next]) &* d
            into[channel] = alpha == 0 ? 0 : UInt8(truncatingIfNeeded: (sum &+ alpha >> 1) / alpha)
        }
    }

    /// Rows halved in both directions.
    ///
    /// - Parameter pixels: `size.area` pixels of `format`, without padding.
    static func halved(_ pixels: UnsafePointer<UInt8>, _ size: PixelSize, _ format: PixelFormat) -> [UInt8] {
        let half = size.halved(1)
        let (rowBytes, halfBytes) = (size.width * format.bytesPerPixel, half.width * format.bytesPerPixel)
        return [UInt8](unsafeUninitializedCapacity: half.height * halfBytes) { into, count in
            if let base = into.baseAddress {
                for y in 0..<half.height {
                    let upper = pixels + 2 * y * rowBytes
                    halve(
                        upper, 2 * y + 1 < size.height ? upper + rowBytes : upper, width: size.width, format,
                        into: base + y * halfBytes)
                }
            }
            count = half.height * halfBytes
        }
    }
}

extension PixelRows {
    /// The rows of the picture halved so many times.
    ///
    /// - Precondition: `times` is at least 1; the rows are whole, and the first one's index is a multiple of two to the
    ///   power of `times`.
    public func halved(_ times: Int) -> [UInt8] {
        var size = PixelSize(width: width, height: pixels.count / (width * format.bytesPerPixel))
        var halved: [UInt8] = []
        for time in 0..<times {
            let smaller =
                time == 0
                ? pixels.withMemoryRebound(to: UInt8.self) { BoxShrink.halved($0.baseAddress!, size, format) }
                : halved.withUnsafeBufferPointer { BoxShrink.halved($0.baseAddress!, size, format) }
            halved = smaller
            size = size.halved(1)
        }
        return halved
    }
}
