/// The rounding of finished planes to 8 bits a channel.
enum PixelOutput {
    /// Writes the planes as interleaved 8-bit samples: straight colour and alpha for `rgba`, colour alone for `rgb`;
    /// rounded to nearest, halves up. A pixel of alpha exactly 0 is transparent black.
    ///
    /// - Parameters:
    ///   - format: `rgb` takes the premultiplied values as they are, which is right for an opaque picture.
    ///   - flattenOnWhite: puts the picture onto white first.
    ///   - target: `rowBytes` bytes for each row, of which the first `width * format.bytesPerPixel` are written.
    static func write(
        planes: FloatPlanes, format: OutputFormat, flattenOnWhite: Bool, to target: UnsafeMutablePointer<UInt8>,
        rowBytes: Int
    ) {
        precondition(rowBytes >= planes.width * format.bytesPerPixel)
        let start = PlanePointers(planes)
        for y in 0..<planes.height {
            let source = start.advanced(by: y * planes.width)
            let row = target + y * rowBytes
            switch format {
            case .rgb: writeRGB(source, planes.width, flattenOnWhite, row)
            case .rgba: writeRGBA(source, planes.width, flattenOnWhite, row)
            }
        }
        withExtendedLifetime(planes) {}
    }

    private static func writeRGB(
        _ source: PlanePointers, _ width: Int, _ flattenOnWhite: Bool, _ row: UnsafeMutablePointer<UInt8>
    ) {
        forEachGroup(source, width, flattenOnWhite) { pixels, count, x in
            let packed = pack(pixels.color, alpha: .zero)
            let target = UnsafeMutableRawPointer(row + 3 * x)
            // Four bytes are stored for each pixel but the row's last; the fourth is then overwritten by the next.
            let wide = x + count < width ? count : count - 1
            for lane in 0..<wide { target.storeBytes(of: packed[lane], toByteOffset: 3 * lane, as: UInt32.self) }
            for lane in wide..<count {
                for channel in 0..<3 {
                    row[3 * (x + lane) + channel] = UInt8(truncatingIfNeeded: packed[lane] >> UInt32(8 * channel))
                }
            }
        }
    }

    private static func writeRGBA(
        _ source: PlanePointers, _ width: Int, _ flattenOnWhite: Bool, _ row: UnsafeMutablePointer<UInt8>
    ) {
        forEachGroup(source, width, flattenOnWhite) { pixels, count, x in
            let packed = pack(pixels.color.straight(alpha: pixels.alpha), alpha: pixels.alpha)
            let target = UnsafeMutableRawPointer(row + 4 * x)
            if count == laneCount {
                target.storeBytes(of: packed, as: SIMD8<UInt32>.self)
            } else {
                for lane in 0..<count { target.storeBytes(of: packed[lane], toByteOffset: 4 * lane, as: UInt32.self) }
            }
        }
    }

    @inline(__always)
    private static func forEachGroup(
        _ source: PlanePointers, _ width: Int, _ flattenOnWhite: Bool, _ body: (LanePixels, Int, Int) -> Void
    ) {
        let white = LanePixels(.white)
        var x = 0
        while x < width {
            let count = min(laneCount, width - x)
            var pixels = LanePixels.load(source.advanced(by: x), count: count)
            if flattenOnWhite { pixels = pixels + white.scaled(by: Lanes(repeating: 1) - pixels.alpha) }
            body(pixels, count, x)
            x += count
        }
    }

    /// Red in the lowest byte, alpha in the highest, which is their order in memory on a little-endian machine.
    @inline(__always)
    private static func pack(_ color: LaneColor, alpha: Lanes) -> SIMD8<UInt32> {
        let low = rounded(color.red) | rounded(color.green) &<< 8
        return low | rounded(color.blue) &<< 16 | rounded(alpha) &<< 24
    }

    /// 255 times the value, clamped, to the nearest integer, halves up.
    @inline(__always)
    private static func rounded(_ value: Lanes) -> SIMD8<UInt32> {
        let clamped = lesser(greater(value, .zero), Lanes(repeating: 1))
        let raised = clamped * 255 + Lanes(repeating: 0.5)
        // Adding 2^23 leaves no bits for a fraction and so rounds, to nearest; one less where that went up is the
        // floor. A conversion to Int32 would be checked lane by lane.
        let shift = Lanes(repeating: 8_388_608)
        let nearest = raised + shift
        let floor = choose(nearest - shift .> raised, nearest - Lanes(repeating: 1), nearest)
        return unsafeBitCast(floor, to: SIMD8<UInt32>.self) & SIMD8(repeating: 0xFF)
    }
}
