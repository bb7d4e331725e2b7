public import InkEngine

/// How far two 8-bit pictures of the same size are apart.
///
/// With four channels, pixels whose alpha is 0 in both pictures are equal whatever their colour: it shows nothing.
public struct PictureComparison: Sendable, CustomStringConvertible {
    public let size: PixelSize
    public let channels: Int
    /// Mean of the absolute difference over all channels of all pixels, in steps of 1/255.
    public private(set) var meanError = 0.0
    public private(set) var maxError = 0
    /// Share of the pixels with a channel that is more than 6 steps off, 0...1.
    public private(set) var shareBeyond6 = 0.0
    /// Share of the pixels with a channel that is more than 1 step off, 0...1.
    public private(set) var shareBeyond1 = 0.0
    /// The first pixel with the largest error, and its bytes in both pictures.
    public private(set) var worst = (x: 0, y: 0)
    public private(set) var worstActual: [UInt8] = []
    public private(set) var worstExpected: [UInt8] = []

    /// Compares row-major pictures of `channels` bytes a pixel.
    ///
    /// Precondition: both have `size.area * channels` bytes.
    public init(actual: [UInt8], expected: [UInt8], size: PixelSize, channels: Int) {
        let count = size.area * channels
        precondition(channels > 0 && size.area > 0)
        precondition(actual.count == count, "the actual picture has \(actual.count) bytes, not \(count)")
        precondition(expected.count == count, "the expected picture has \(expected.count) bytes, not \(count)")
        self.size = size
        self.channels = channels
        var total = 0
        var beyond1 = 0
        var beyond6 = 0
        var worstPixel = 0
        actual.withUnsafeBufferPointer { actual in
            expected.withUnsafeBufferPointer { expected in
                for pixel in 0..<size.area {
                    let start = pixel * channels
                    if channels == 4, actual[start + 3] == 0, expected[start + 3] == 0 { continue }
                    var largest = 0
                    for channel in start..<(start + channels) {
                        let error = abs(Int(actual[channel]) - Int(expected[channel]))
                        total += error
                        if error > largest { largest = error }
                    }
                    if largest > 1 { beyond1 += 1 }
                    if largest > 6 { beyond6 += 1 }
                    if largest > maxError { (maxError, worstPixel) = (largest, pixel) }
                }
            }
        }
        meanError = Double(total) / Double(count)
        shareBeyond1 = Double(beyond1) / Double(size.area)
        shareBeyond6 = Double(beyond6) / Double(size.area)
        worst = (worstPixel % size.width, worstPixel / size.width)
        worstActual = Array(actual[(worstPixel * channels)..<((worstPixel + 1) * channels)])
        worstExpected = Array(expected[(worstPixel * channels)..<((worstPixel + 1) * channels)])
    }

    /// Spec 7: mean at most 0.5 and 99.9% of the pixels within 6. In a picture of under 1,000 pixels one may be beyond.
    public var isWithinSpecification: Bool {
        meanError <= 0.5 && shareBeyond6 <= max(0.001, 1 / Double(size.area))
    }

    /// Spec 7, blending and scaling alone: 99.9% of the pixels within 1. Small pictures as above.
    public var isWithinOneStep: Bool { shareBeyond1 <= max(0.001, 1 / Double(size.area)) }

    public var description: String {
        "\(size), \(channels) channels: mean error \(meanError), largest \(maxError) at (\(worst.x), \(worst.y)) "
            + "where \(worstActual) should be \(worstExpected), "
            + "beyond 1: \(shareBeyond1 * 100)%, beyond 6: \(shareBeyond6 * 100)%"
    }
}
