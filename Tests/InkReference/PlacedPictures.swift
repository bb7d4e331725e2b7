package import InkEngine

/// Samples in rows from the top, `channels` real numbers each.
package struct SampleField: Sendable {
    package var size: PixelSize
    package var channels: Int
    package var values: [Double]

    package init(size: PixelSize, channels: Int, values: [Double]) {
        precondition(values.count == size.area * channels)
        self.size = size
        self.channels = channels
        self.values = values
    }

    /// "sample i stands for min(max(i, 0), n - 1)"
    func value(_ x: Int, _ y: Int, _ channel: Int) -> Double {
        let (column, row) = (min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1))
        return values[(row * size.width + column) * channels + channel]
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

/// A placed image at each pixel of the output.
package struct PlacedSamples: Sendable {
    /// As they were resampled, not clamped; 0 where the cover is 0.
    package var values: [Double]
    /// "`cover`, the exact area of the pixel inside the placement's rectangle"
    package var cover: [Double]
}

/// The whole numbers i with their weights, whose sum is 1: "normalised over all".
private struct Weights {
    var first: Int
    var weights: [Double]

    /// "weight f((i + 1/2 - u) / max(1, r)) over all whole i"
    init(_ filter: ReferenceFilter, around u: Double, ratio r: Double) {
        let stretch = max(1, r)
        first = Int((u - filter.halfWidth * stretch - 1).rounded(.down))
        let last = Int((u + filter.halfWidth * stretch + 1).rounded(.up))
        let raw = (first...last).map { filter.value((Double($0) + 0.5 - u) / stretch) }
        let sum = raw.reduce(0, +)
        weights = raw.map { $0 / sum }
    }

    /// "the value is the mean of its samples"
    init(meanOf count: Int) {
        first = 0
        weights = [Double](repeating: 1 / Double(count), count: count)
    }

    func sum(_ value: (Int) -> Double) -> Double {
        weights.enumerated().reduce(0) { $0 + $1.element * value(first + $1.offset) }
    }
}

/// Spec 8.3: a placed image at each pixel of `output`.
///
/// - Parameters:
///   - placement: in the space that the picture scales to the output.
///   - scale: s_x and s_y.
package func placed(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter
) -> PlacedSamples {
    let quarters = (placement.rotation / 90).rounded()
    guard abs(placement.rotation - quarters * 90) <= 1e-9 else {
        return freelyTurned(field, at: placement, scale: scale, output: output, filter: filter)
    }
    // "Multiples of 90 degrees (within 1e-9): the image is turned exactly, then as above." About the rectangle's centre.
    var (field, placement) = (field, placement)
    let turns = quarters.truncatingRemainder(dividingBy: 4)
    for _ in 0..<Int(turns < 0 ? turns + 4 : turns) {
        (field, placement) = (field.turned, placement.turned)
    }
    placement.rotation = 0
    return PlacedSamples(
        values: upright(
            field, at: placement, scale: scale, output: output, filter: filter, means: means(placement, scale)),
        cover: cover(of: placement, scale: scale, output: output))
}

/// "Along an axis on which the picture takes less than 2 output pixels"
private func means(_ placement: Placement, _ scale: (x: Double, y: Double)) -> (x: Bool, y: Bool) {
    (placement.width * scale.x < 2, placement.height * scale.y < 2)
}

/// "Rotation 0: 5.5's filters with source coordinates u_j = ((j + 1/2) / s - x) * n / width, r = n / (width * s)".
private func upright(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter, means: (x: Bool, y: Bool)
) -> [Double] {
    func weights(_ count: Int, _ n: Int, _ start: Double, _ length: Double, _ s: Double, _ mean: Bool) -> [Weights?] {
        (0..<count).map { j in
            let (begin, end) = (start * s, (start + length) * s)
            // The cover is 0 there.
            if Double(j + 1) < begin - 1 || Double(j) > end + 1 { return nil }
            if mean { return Weights(meanOf: n) }
            return Weights(
                filter, around: ((Double(j) + 0.5) / s - start) * Double(n) / length, ratio: Double(n) / (length * s))
        }
    }
    let columns = weights(output.width, field.size.width, placement.x, placement.width, scale.x, means.x)
    let rows = weights(output.height, field.size.height, placement.y, placement.height, scale.y, means.y)
    // "horizontal, then vertical, in real numbers, neither rounded nor clamped between"
    var horizontal = SampleField(
        size: PixelSize(width: output.width, height: field.size.height), channels: field.channels,
        values: [Double](repeating: 0, count: output.width * field.size.height * field.channels))
    for y in 0..<field.size.height {
        for (x, column) in columns.enumerated() {
            guard let column else { continue }
            for channel in 0..<field.channels {
                horizontal.values[(y * output.width + x) * field.channels + channel] = column.sum {
                    field.value($0, y, channel)
                }
            }
        }
    }
    var result = [Double](repeating: 0, count: output.area * field.channels)
    for (y, row) in rows.enumerated() {
        guard let row else { continue }
        for (x, column) in columns.enumerated() where column != nil {
            for channel in 0..<field.channels {
                result[(y * output.width + x) * field.channels + channel] = row.sum {
                    horizontal.value(x, $0, channel)
                }
            }
        }
    }
    return result
}

/// "Other rotations: the image is resampled by the rule above without `cover` (x = y = 0, s_x = w2 / width,
/// s_y = h2 / height) to w2 = floor(width s_x + 1/2) by h2 likewise, at least 1, neither clamped nor rounded between. The
/// pixel centre q takes the value at (w2 / 2, h2 / 2) + diag(w2 / (width s_x), h2 / (height s_y)) R(-rotation)(q - c) ...
/// by separable Lanczos-3 (masks: triangle) kernels of that pixel size, normalised over all whole i, indices held inside
/// w2 x h2".
private func freelyTurned(
    _ field: SampleField, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize,
    filter: ReferenceFilter
) -> PlacedSamples {
    let w2 = max(1, (placement.width * scale.x + 0.5).rounded(.down))
    let h2 = max(1, (placement.height * scale.y + 0.5).rounded(.down))
    let own = PixelSize(width: Int(w2), height: Int(h2))
    let resampled = SampleField(
        size: own, channels: field.channels,
        values: upright(
            field, at: Placement(width: placement.width, height: placement.height),
            scale: (w2 / placement.width, h2 / placement.height), output: own, filter: filter,
            means: means(placement, scale)))
    // "c = ((x + width / 2) s_x, (y + height / 2) s_y)"
    let c = Point(
        x: (placement.x + placement.width / 2) * scale.x, y: (placement.y + placement.height / 2) * scale.y)
    let cover = cover(of: placement, scale: scale, output: output)
    var result = [Double](repeating: 0, count: output.area * field.channels)
    for y in 0..<output.height {
        for x in 0..<output.width where cover[y * output.width + x] > 0 {
            let q = Point(x: Double(x) + 0.5, y: Double(y) + 0.5)
            let inside = turned(q - c, degrees: -placement.rotation)
            let p = Point(
                x: w2 / 2 + w2 / (placement.width * scale.x) * inside.x,
                y: h2 / 2 + h2 / (placement.height * scale.y) * inside.y)
            let (columns, rows) = (Weights(filter, around: p.x, ratio: 1), Weights(filter, around: p.y, ratio: 1))
            for channel in 0..<field.channels {
                result[(y * output.width + x) * field.channels + channel] = rows.sum { j in
                    columns.sum { i in resampled.value(i, j, channel) }
                }
            }
        }
    }
    return PlacedSamples(values: result, cover: cover)
}

/// "`cover`, the exact area of the pixel inside the placement's rectangle": "the turned rectangle (width s_x by height s_y
/// about c)".
package func cover(of placement: Placement, scale: (x: Double, y: Double), output: PixelSize) -> [Double] {
    let center = Point(
        x: (placement.x + placement.width / 2) * scale.x, y: (placement.y + placement.height / 2) * scale.y)
    let (halfWidth, halfHeight) = (placement.width * scale.x / 2, placement.height * scale.y / 2)
    return (0..<output.area).map { index in
        let q = Point(x: Double(index % output.width), y: Double(index / output.width))
        // The pixel's square, seen from the rectangle.
        var corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map { (x: Double, y: Double) in
            turned(q + Point(x: x, y: y) - center, degrees: -placement.rotation)
        }
        corners = cut(corners) { $0.x + halfWidth }
        corners = cut(corners) { halfWidth - $0.x }
        corners = cut(corners) { $0.y + halfHeight }
        corners = cut(corners) { halfHeight - $0.y }
        return area(corners)
    }
}

/// The part of a convex polygon where `depth`, which is linear, is not below 0.
private func cut(_ corners: [Point], _ depth: (Point) -> Double) -> [Point] {
    var kept: [Point] = []
    for (index, a) in corners.enumerated() {
        let b = corners[(index + 1) % corners.count]
        let (da, db) = (depth(a), depth(b))
        if da >= 0 { kept.append(a) }
        if (da < 0) != (db < 0) { kept.append(a + (da / (da - db)) * (b - a)) }
    }
    return kept
}

private func area(_ corners: [Point]) -> Double {
    guard let first = corners.first else { return 0 }
    var twice = 0.0
    for (b, c) in zip(corners.dropFirst(), corners.dropFirst(2)) {
        let (ab, ac) = (b - first, c - first)
        twice += ab.x * ac.y - ab.y * ac.x
    }
    return abs(twice) / 2
}

/// A placed content image, premultiplied RGBA: "Clamping as in 5.5, then `cover`."
func placedPicture(
    _ image: StraightImage, at placement: Placement, scale: (x: Double, y: Double), output: PixelSize
) -> [Double] {
    let field = SampleField(size: image.size, channels: 4, values: premultiplied(image))
    let found = placed(field, at: placement, scale: scale, output: output, filter: .lanczos3)
    return clampedColors(found.values).enumerated().map { $1 * found.cover[$0 / 4] }
}

/// A placed mask, one number a pixel: "(masks: cover * value + (1 - cover) * `maskOutside`)".
func placedMask(
    _ image: StraightImage, at placement: Placement, outside: Double, scale: (x: Double, y: Double), output: PixelSize
) -> [Double] {
    let field = SampleField(size: image.size, channels: 1, values: maskValues(image))
    let found = placed(field, at: placement, scale: scale, output: output, filter: .triangle)
    return zip(found.values, found.cover).map { value, cover in
        cover * min(max(value, 0), 1) + (1 - cover) * outside
    }
}
