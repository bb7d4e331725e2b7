public import InkEngine

/// A picture in real numbers: premultiplied, sRGB-encoded RGBA, four doubles a pixel, rows from the top.
public struct ReferencePicture: Sendable {
    public let width: Int
    public let height: Int
    /// `width * height * 4` values in 0...1.
    public var pixels: [Double]

    public init(width: Int, height: Int, pixels: [Double]) {
        precondition(pixels.count == width * height * 4)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// A picture of one straight colour.
    public init(size: PixelSize, color: RGBA8) {
        let alpha = Double(color.alpha) / 255
        let pixel = [color.red, color.green, color.blue].map { Double($0) / 255 * alpha } + [alpha]
        self.init(width: size.width, height: size.height, pixels: (0..<size.area).flatMap { _ in pixel })
    }

    /// Spec 5.6: "8 bits a channel, round to nearest; straight alpha in PNG". Where alpha is 0 the colour is 0.
    public func rgba8() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: pixels.count)
        for start in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = pixels[start + 3]
            guard alpha > 0 else { continue }
            for channel in 0..<3 { bytes[start + channel] = Self.rounded(pixels[start + channel] / alpha) }
            bytes[start + 3] = Self.rounded(alpha)
        }
        return bytes
    }

    /// Spec 5.6: "`--rgb` without an opaque background flattens on white". Three bytes a pixel.
    public func rgb8() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        for start in stride(from: 0, to: pixels.count, by: 4) {
            let white = 1 - pixels[start + 3]
            for channel in 0..<3 { bytes.append(Self.rounded(pixels[start + channel] + white)) }
        }
        return bytes
    }

    private static func rounded(_ value: Double) -> UInt8 {
        precondition(!value.isNaN, "the reference made something that is no colour")
        return UInt8((min(max(value, 0), 1) * 255).rounded())
    }
}
