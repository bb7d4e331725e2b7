import InkTestSupport

@testable import InkEngine

/// A decoded image as the decoder hands it on, with its samples at hand.
struct TestImage {
    let size: PixelSize
    let format: SampleFormat
    private let bytes: [UInt8]
    private let constant: UInt32?

    /// Random samples: values at the ends of the range are as common as others, whole areas of them too.
    init(size: PixelSize, format: SampleFormat, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        var level: UInt8 = 0
        for _ in 0..<size.area {
            if Int.random(in: 0..<4, using: &random) == 0 { level = [0, 255, 128].randomElement(using: &random)! }
            switch format {
            case .mask16:
                let value = Int(level) * Int.random(in: 0...255, using: &random)
                bytes += [UInt8(value & 255), UInt8(value >> 8)]
            default:
                for _ in 0..<format.bytesPerPixel {
                    bytes.append(Bool.random(using: &random) ? level : UInt8.random(in: 0...255, using: &random))
                }
            }
        }
        self.size = size
        self.format = format
        self.bytes = bytes
        constant = nil
    }

    /// One value everywhere, as constant chunks or as samples.
    init(size: PixelSize, format: SampleFormat, constant: UInt32, asSamples: Bool = false) {
        self.size = size
        self.format = format
        let pixel = (0..<format.bytesPerPixel).map { UInt8(truncatingIfNeeded: constant >> UInt32(8 * $0)) }
        bytes = (0..<size.area).flatMap { _ in pixel }
        self.constant = asSamples ? nil : constant
    }

    /// Only the chunks that the output rows of `rect` need.
    func rows(_ output: PixelSize, _ rect: PixelRect, _ filter: ResampleFilter) throws -> ImageRows {
        let needed = Resampler.sourceRange(
            forOutput: rect.rows, source: size.height, destination: output.height, filter: filter)
        let indices = (needed.lowerBound / 64)...((needed.upperBound - 1) / 64)
        func id(_ index: Int) -> BlockID { BlockID(digest: [UInt8](repeating: UInt8(index), count: 32)) }
        let slice = ImageSlice(
            size: size, format: format, firstChunk: indices.lowerBound,
            chunks: indices.map { constant.map(RowChunk.constant) ?? .samples(id($0)) })
        return try ImageRows(slice) { block in
            let rows = ImageSlice.rows(ofChunk: Int(block.digest[0]), imageHeight: size.height)
            let stride = size.width * format.bytesPerPixel
            return Array(bytes[(rows.lowerBound * stride)..<(rows.upperBound * stride)])
        }
    }

    func color(_ output: PixelSize, _ rect: PixelRect) throws -> FloatPlanes {
        let planes = FloatPlanes(width: rect.width, height: rect.height)
        planes.fill(.white)
        let resampler = try Resampler(source: size, output: output, filter: .lanczos3, rect: rect)
        _ = try resampler.color(rows(output, rect, .lanczos3), cell: rect, into: planes)
        return planes
    }

    func mask(_ output: PixelSize, _ rect: PixelRect) throws -> (values: [Float], content: Resampler.MaskContent) {
        var values = [Float](repeating: 9, count: rect.area)
        let resampler = try Resampler(source: size, output: output, filter: .triangle, rect: rect)
        let content = try resampler.mask(rows(output, rect, .triangle), cell: rect, into: &values)
        return (values, content)
    }

    /// Section 5.5's formula in Double, straight from its text; neither clamped nor cut into passes of Float.
    func wanted(_ output: PixelSize, radius: Double, _ filter: (Double) -> Double) -> [[Double]] {
        func weights(_ source: Int, _ destination: Int) -> [[Double]] {
            let ratio = Double(source) / Double(destination)
            return (0..<destination).map { j in
                let values = (0..<source).map { filter((Double($0) + 0.5 - (Double(j) + 0.5) * ratio) / max(1, ratio)) }
                let sum = values.reduce(0, +)
                return values.map { $0 / sum }
            }
        }
        if size == output { return (0..<size.area).map(premultiplied) }
        let along = weights(size.width, output.width)
        let down = weights(size.height, output.height)
        var middle: [[Double]] = []
        for y in 0..<size.height {
            let pixels = (0..<size.width).map { premultiplied(y * size.width + $0) }
            for j in 0..<output.width {
                middle.append(weighted(pixels, by: along[j]))
            }
        }
        var result: [[Double]] = []
        for j in 0..<output.height {
            for x in 0..<output.width {
                let column = (0..<size.height).map { middle[$0 * output.width + x] }
                result.append(weighted(column, by: down[j]))
            }
        }
        return result
    }

    private func weighted(_ pixels: [[Double]], by weights: [Double]) -> [Double] {
        var sum = [0.0, 0.0, 0.0, 0.0]
        for (pixel, weight) in zip(pixels, weights) where weight != 0 {
            for c in 0..<4 { sum[c] += weight * pixel[c] }
        }
        return sum
    }

    private func premultiplied(_ pixel: Int) -> [Double] {
        let p = bytes[(pixel * format.bytesPerPixel)..<((pixel + 1) * format.bytesPerPixel)].map(Double.init)
        switch format {
        case .mask8: return [p[0] / 255, 0, 0, 0]
        case .mask16: return [(p[0] + 256 * p[1]) / 65_025, 0, 0, 0]
        case .rgb8: return [p[0] / 255, p[1] / 255, p[2] / 255, 1]
        case .scaledMask, .scaledColor: fatalError("not made here")
        case .rgba8: return [p[0] * p[3] / 65_025, p[1] * p[3] / 65_025, p[2] * p[3] / 65_025, p[3] / 255]
        }
    }
}
