import Foundation
package import InkEngine

/// Spec 5.5: the filters, by their half-width and their value.
package enum ReferenceFilter: Sendable {
    /// "Content and base images: separable Lanczos-3 on premultiplied values"
    case lanczos3
    /// "masks: the triangle filter"
    case triangle

    func value(_ x: Double) -> Double {
        switch self {
        case .triangle: return max(0, 1 - abs(x))
        case .lanczos3:
            if x == 0 { return 1 }
            if abs(x) >= 3 { return 0 }
            return sin(Double.pi * x) / (Double.pi * x) * sin(Double.pi * x / 3) / (Double.pi * x / 3)
        }
    }

    var halfWidth: Double { self == .lanczos3 ? 3 : 1 }

    /// "Weight of source sample i for output sample j: f(((i + 1/2) - (j + 1/2) r) / max(1, r)), r = source size /
    /// output size, ... normalised over the samples inside the image".
    package func weights(output j: Int, sourceSize: Int, outputSize: Int) -> (first: Int, weights: [Double]) {
        let r = Double(sourceSize) / Double(outputSize)
        let stretch = max(1, r)
        let center = (Double(j) + 0.5) * r
        let first = max(0, Int((center - halfWidth * stretch - 1).rounded(.down)))
        let last = min(sourceSize - 1, Int((center + halfWidth * stretch + 1).rounded(.up)))
        let raw = (first...last).map { value(((Double($0) + 0.5) - center) / stretch) }
        let sum = raw.reduce(0, +)
        return (first, raw.map { $0 / sum })
    }
}

/// Spec 5.5: "An image is resampled once ... not at all when those are equal ... horizontal, then vertical, in real
/// numbers, neither rounded nor clamped between". `values` has `channels` numbers a pixel.
package func resampled(
    _ values: [Double], channels: Int, from source: PixelSize, to output: PixelSize, filter: ReferenceFilter
) -> [Double] {
    if source == output { return values }
    var horizontal = [Double](repeating: 0, count: output.width * source.height * channels)
    for x in 0..<output.width {
        let (first, weights) = filter.weights(output: x, sourceSize: source.width, outputSize: output.width)
        for y in 0..<source.height {
            for channel in 0..<channels {
                var sum = 0.0
                for (offset, weight) in weights.enumerated() {
                    sum += weight * values[(y * source.width + first + offset) * channels + channel]
                }
                horizontal[(y * output.width + x) * channels + channel] = sum
            }
        }
    }
    var result = [Double](repeating: 0, count: output.area * channels)
    for y in 0..<output.height {
        let (first, weights) = filter.weights(output: y, sourceSize: source.height, outputSize: output.height)
        for index in 0..<(output.width * channels) {
            var sum = 0.0
            for (offset, weight) in weights.enumerated() {
                sum += weight * horizontal[(first + offset) * output.width * channels + index]
            }
            result[y * output.width * channels + index] = sum
        }
    }
    return result
}

/// A content or base image at the output's size, premultiplied RGBA.
func scaledPicture(_ image: StraightImage, to output: PixelSize) -> [Double] {
    clampedColors(resampled(premultiplied(image), channels: 4, from: image.size, to: output, filter: .lanczos3))
}

func premultiplied(_ image: StraightImage) -> [Double] {
    var premultiplied = [Double](repeating: 0, count: image.rgba.count)
    for start in stride(from: 0, to: image.rgba.count, by: 4) {
        let alpha = Double(image.rgba[start + 3]) / 255
        for channel in 0..<3 { premultiplied[start + channel] = Double(image.rgba[start + channel]) / 255 * alpha }
        premultiplied[start + 3] = alpha
    }
    return premultiplied
}

/// "finally alpha is clamped to 0...1 and each colour to 0...alpha"
func clampedColors(_ pixels: [Double]) -> [Double] {
    var result = pixels
    for start in stride(from: 0, to: result.count, by: 4) {
        let alpha = min(max(result[start + 3], 0), 1)
        for channel in 0..<3 { result[start + channel] = min(max(result[start + channel], 0), alpha) }
        result[start + 3] = alpha
    }
    return result
}

/// A mask at the output's size, one number a pixel.
func scaledMask(_ image: StraightImage, to output: PixelSize) -> [Double] {
    resampled(maskValues(image), channels: 1, from: image.size, to: output, filter: .triangle).map {
        min(max($0, 0), 1)
    }
}

/// Spec 5.2: "A mask's value is red times alpha after expansion to RGBA".
func maskValues(_ image: StraightImage) -> [Double] {
    stride(from: 0, to: image.rgba.count, by: 4).map { (pixel: Int) -> Double in
        let red = Double(image.rgba[pixel]) / 255
        let alpha = Double(image.rgba[pixel + 3]) / 255
        return red * alpha
    }
}
