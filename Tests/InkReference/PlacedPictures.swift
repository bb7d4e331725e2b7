package import InkEngine

/// Samples in rows from the top, `channels` real numbers each; beyond the image every sample is `outside`.
package struct SampleField: Sendable {
    package var size: PixelSize
    package var channels: Int
    package var values: [Double]
    package var outside: Double

    package init(size: PixelSize, channels: Int, values: [Double], outside: Double) {
        precondition(values.count == size.area * channels)
        self.size = size
        self.channels = channels
        self.values = values
        self.outside = outside
    }

    func value(_ x: Int, _ y: Int, _ channel: Int) -> Double {
        guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return outside }
        return values[(y * size.width + x) * channels + channel]
    }

    /// Turned clockwise by 90 degrees.
    var turned: SampleField {
        var result = self
        result.size = PixelSize(width: size.height, height: size.width)
        result.values = []
        for y in 0..<result.size.height {
            for x in 0..<result.size.width {
                // The left column becomes the top row, its lowest sample the first.
                for channel in 0..<channels { result.values.append(value(y, size.height - 1 - x, channel)) }
            }
        }
        return result
    }
}

/// The whole numbers i with their weights, whose sum is 1: "normalised over all whole i".
private struct Weights {
    var first: Int
    var weights: [Double]

    /// "weight f((i + 1/2 - u) / max(1, r))"
    init(_ filter: ReferenceFilter, around u: Double, ratio r: Double) {
        let stretch = max(1, r)
        first = Int((u - filter.halfWidth * stretch - 1).rounded(.down))
        let last = Int((u + filter.halfWidth * stretch + 1).rounded(.up))
        let raw = (first...last).map { filter.value((Double($0) + 0.5 - u) / stretch) }
        let sum = raw.reduce(0, +)
        weights = raw.map { $0 / sum }
    }

    func sum(_ value: (Int) -> Double) -> Double {
        weights.enumerated().reduce(0) { $0 + $1.element * value(first + $1.offset) }
    }

    /// Whether no sample of an image of `count` counts.
    func misses(_ count: Int) -> Bool { first >= count || first + weights.count <= 0 }
}

/// Spec 8.3: a placed image at each pixel of `output`, in real numbers that are not clamped.
///
/// - Parameters:
///   - placement: in the space that the picture scales to the output.
///   - scale: s_x and s_y.
package func placed(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter
) -> [Double] {
    let quarters = (placement.rotation / 90).rounded()
    guard quarters * 90 == placement.rotation else {
        return freelyTurned(field, at: placement, scale: scale, output: output, filter: filter)
    }
    // "Multiples of 90 degrees: the image is turned exactly, then as above." About the rectangle's centre.
    var (field, placement) = (field, placement)
    let turns = quarters.truncatingRemainder(dividingBy: 4)
    for _ in 0..<Int(turns < 0 ? turns + 4 : turns) {
        field = field.turned
        placement = Placement(
            x: placement.x + placement.width / 2 - placement.height / 2,
            y: placement.y + placement.height / 2 - placement.width / 2, width: placement.height,
            height: placement.width)
    }
    return upright(field, at: placement, scale: scale, output: output, filter: filter)
}

/// "Rotation 0: 5.5's filters with source coordinates u_j = ((j + 1/2) / s - x) * n / width, r = n / (width * s)".
private func upright(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter
) -> [Double] {
    func weights(_ count: Int, _ n: Int, _ start: Double, _ length: Double, _ s: Double) -> [Weights] {
        (0..<count).map { j in
            Weights(
                filter, around: ((Double(j) + 0.5) / s - start) * Double(n) / length, ratio: Double(n) / (length * s))
        }
    }
    let columns = weights(output.width, field.size.width, placement.x, placement.width, scale.x)
    let rows = weights(output.height, field.size.height, placement.y, placement.height, scale.y)
    // "horizontal, then vertical, in real numbers, neither rounded nor clamped between"
    var horizontal = SampleField(
        size: PixelSize(width: output.width, height: field.size.height), channels: field.channels,
        values: [Double](repeating: field.outside, count: output.width * field.size.height * field.channels),
        outside: field.outside)
    for y in 0..<field.size.height {
        for (x, column) in columns.enumerated() where !column.misses(field.size.width) {
            for channel in 0..<field.channels {
                horizontal.values[(y * output.width + x) * field.channels + channel] = column.sum {
                    field.value($0, y, channel)
                }
            }
        }
    }
    var result = [Double](repeating: field.outside, count: output.area * field.channels)
    for (y, row) in rows.enumerated() where !row.misses(field.size.height) {
        for x in 0..<output.width {
            for channel in 0..<field.channels {
                result[(y * output.width + x) * field.channels + channel] = row.sum {
                    horizontal.value(x, $0, channel)
                }
            }
        }
    }
    return result
}

/// "Other rotations: the image is resampled by the rule above (x = y = 0, s_x = w2 / width, s_y = h2 / height) to
/// w2 = floor(width s_x + 1/2) by h2 likewise, at least 1, neither clamped nor rounded between. The pixel centre q takes the
/// value at (w2 / 2, h2 / 2) + R(-rotation)(q - c) ... by separable Lanczos-3 (masks: triangle) kernels of that pixel size,
/// normalised over all whole i".
private func freelyTurned(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter
) -> [Double] {
    let w2 = max(1, (placement.width * scale.x + 0.5).rounded(.down))
    let h2 = max(1, (placement.height * scale.y + 0.5).rounded(.down))
    let own = PixelSize(width: Int(w2), height: Int(h2))
    let resampled = SampleField(
        size: own, channels: field.channels,
        values: upright(
            field, at: Placement(width: placement.width, height: placement.height),
            scale: (w2 / placement.width, h2 / placement.height), output: own, filter: filter),
        outside: field.outside)
    // "c = ((x + width / 2) s_x, (y + height / 2) s_y)"
    let c = Point(
        x: (placement.x + placement.width / 2) * scale.x, y: (placement.y + placement.height / 2) * scale.y)
    var result = [Double](repeating: field.outside, count: output.area * field.channels)
    for y in 0..<output.height {
        for x in 0..<output.width {
            let q = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
            let p = Point(x: w2 / 2, y: h2 / 2) + turned(q - c, degrees: -placement.rotation)
            let (columns, rows) = (Weights(filter, around: p.x, ratio: 1), Weights(filter, around: p.y, ratio: 1))
            if columns.misses(own.width) || rows.misses(own.height) { continue }
            for channel in 0..<field.channels {
                result[(y * output.width + x) * field.channels + channel] = rows.sum { j in
                    columns.sum { i in resampled.value(i, j, channel) }
                }
            }
        }
    }
    return result
}

/// A placed content image, premultiplied RGBA: "samples outside the image are transparent".
func placedPicture(
    _ image: StraightImage, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize
) -> [Double] {
    let field = SampleField(size: image.size, channels: 4, values: premultiplied(image), outside: 0)
    return clampedColors(placed(field, at: placement, scale: scale, output: output, filter: .lanczos3))
}

/// A placed mask, one number a pixel: "samples outside the image are ... (masks: `maskOutside`)".
func placedMask(
    _ image: StraightImage, at placement: Placement, outside: Double, scale: (x: Double, y: Double), output: PixelSize
) -> [Double] {
    let field = SampleField(size: image.size, channels: 1, values: maskValues(image), outside: outside)
    return placed(field, at: placement, scale: scale, output: output, filter: .triangle).map { min(max($0, 0), 1) }
}
