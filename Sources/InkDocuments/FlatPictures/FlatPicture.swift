package import InkEngine

/// A decoded picture of flat colours, such as a cartoon, in which regions are looked for.
package struct FlatPicture: Sendable {
    package let size: PixelSize
    /// Row-major.
    let pixels: [FlatColor]

    /// - Parameters:
    ///   - samples: `size.area` pixels of `format`, without padding.
    ///   - format: `rgb8` or `rgba8`.
    /// - Throws: `internalError` if samples, size and format do not match.
    package init(samples: [UInt8], size: PixelSize, format: SampleFormat) throws(EngineError) {
        let channels = format.bytesPerPixel
        guard format == .rgb8 || format == .rgba8, size.width > 0, size.height > 0,
            samples.count == size.area * channels
        else { throw .internalError("\(samples.count) bytes are not a \(format) picture of \(size) pixels") }
        self.size = size
        pixels = samples.withUnsafeBufferPointer { samples in
            [FlatColor](unsafeUninitializedCapacity: size.area) { pixels, count in
                for index in 0..<size.area {
                    let at = index * channels
                    pixels[index] = FlatColor(
                        samples[at], samples[at + 1], samples[at + 2], alpha: channels == 4 ? samples[at + 3] : 255)
                }
                count = size.area
            }
        }
    }

    /// 1 for each pixel that differs by at most `levels` from the four pixels beside it, else 0.
    func flatPixels(levels: Int) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        return pixels.withUnsafeBufferPointer { pixels in
            [UInt8](unsafeUninitializedCapacity: size.area) { flat, count in
                for y in 0..<height {
                    for x in 0..<width {
                        let at = y * width + x
                        let own = pixels[at]
                        let isFlat =
                            (x == 0 || own.isNear(pixels[at - 1], levels))
                            && (x == width - 1 || own.isNear(pixels[at + 1], levels))
                            && (y == 0 || own.isNear(pixels[at - width], levels))
                            && (y == height - 1 || own.isNear(pixels[at + width], levels))
                        flat[at] = isFlat ? 1 : 0
                    }
                }
                count = size.area
            }
        }
    }
}

/// A colour with premultiplied alpha, so that the mean of two is what an edge between them shows.
struct FlatColor: Hashable, Sendable {
    /// Red in the lowest byte, alpha in the highest.
    let value: UInt32

    /// Fully transparent.
    static let nothing = FlatColor(value: 0)

    init(value: UInt32) { self.value = value }

    /// From straight alpha.
    @inline(__always) init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8) {
        if alpha == 255 {
            value = UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000
        } else {
            let a = UInt32(alpha)
            func product(_ channel: UInt8) -> UInt32 { (UInt32(channel) * a + 127) / 255 }
            value = product(red) | product(green) << 8 | product(blue) << 16 | a << 24
        }
    }

    init(_ color: RGBA8) { self.init(color.red, color.green, color.blue, alpha: color.alpha) }

    @inline(__always) func channel(_ index: UInt32) -> Int { Int(value >> (8 * index) & 0xFF) }

    /// Without alpha.
    var opaque: RGBA8 {
        let alpha = max(1, channel(3))
        func straight(_ index: UInt32) -> UInt8 { UInt8(min(255, (channel(index) * 255 + alpha / 2) / alpha)) }
        return RGBA8(red: straight(0), green: straight(1), blue: straight(2))
    }

    /// The largest difference of a channel.
    @inline(__always) func distance(_ other: FlatColor) -> Int {
        if value == other.value { return 0 }
        return max(
            max(abs(channel(0) - other.channel(0)), abs(channel(1) - other.channel(1))),
            max(abs(channel(2) - other.channel(2)), abs(channel(3) - other.channel(3))))
    }

    @inline(__always) func isNear(_ other: FlatColor, _ levels: Int) -> Bool {
        value == other.value || distance(other) <= levels
    }

    /// The sum of the squared differences of the channels.
    @inline(__always) func squares(_ other: FlatColor) -> Int {
        var sum = 0
        for index: UInt32 in 0..<4 {
            let difference = channel(index) - other.channel(index)
            sum += difference * difference
        }
        return sum
    }

    /// Luminance, 0...255.
    @inline(__always) var luma: Int { (77 * channel(0) + 150 * channel(1) + 29 * channel(2)) >> 8 }

    /// Whether a colour may be another one whose hue is smeared.
    func isSmeared(_ other: FlatColor) -> Bool {
        let (own, a) = (luma, other.luma)
        return abs(own - a) <= 32 && abs(channel(3) - other.channel(3)) <= 32
            && abs((channel(0) - own) - (other.channel(0) - a)) <= 48
            && abs((channel(2) - own) - (other.channel(2) - a)) <= 48
    }

    /// How different two colours look where luminance tells more than the rest.
    func unlikeness(_ other: FlatColor) -> Int {
        let (own, a) = (luma, other.luma)
        return 3 * abs(own - a) + abs((channel(0) - own) - (other.channel(0) - a))
            + abs((channel(2) - own) - (other.channel(2) - a)) + 3 * abs(channel(3) - other.channel(3))
    }

    /// Whether an edge between two colours may show this one. Luminance and the two differences of colour are looked at
    /// by themselves, because JPEG files keep colours at half the resolution.
    ///
    /// - Parameter overshoots: whether they may go a little beyond both, as single pixels do beside an edge.
    func isMixed(of one: FlatColor, _ other: FlatColor, overshoots: Bool) -> Bool {
        func lies(_ own: Int, _ a: Int, _ b: Int) -> Bool {
            let margin = FlatColor.mixedLevels + (overshoots ? abs(a - b) / 6 : 0)
            return own >= min(a, b) - margin && own <= max(a, b) + margin
        }
        let (own, a, b) = (luma, one.luma, other.luma)
        return lies(own, a, b) && lies(channel(3), one.channel(3), other.channel(3))
            && lies(channel(0) - own, one.channel(0) - a, other.channel(0) - b)
            && lies(channel(2) - own, one.channel(2) - a, other.channel(2) - b)
    }

    /// Noise of what is between two colours.
    private static let mixedLevels = 12
}
