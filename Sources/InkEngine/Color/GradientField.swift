/// A gradient as a picture shows it: the premultiplied colour of each place of the output.
struct GradientField {
    private enum Kind {
        /// t = (place - origin) * way
        case linear(origin: Point, way: Point)
        /// t is the length of (place - origin) under a map.
        case radial(origin: Point, toUnit: AffineMap)
        /// The last stop everywhere.
        case constant
    }

    private let kind: Kind
    /// Ascending, 0...1.
    private let offsets: [Double]
    /// Premultiplied red, green, blue and alpha, 0...1.
    private let colors: [SIMD4<Float>]

    /// - Parameters:
    ///   - gradient: of at least one stop.
    ///   - map: from the gradient's coordinates to output pixels; not singular.
    init(_ gradient: Gradient, map: AffineMap) {
        var least = 0.0
        offsets = gradient.stops.map { stop in
            least = max(least, min(stop.offset, 1))
            return least
        }
        colors = gradient.stops.map { stop in
            let alpha = Float(stop.color.alpha) / 255
            let color = SIMD3(Float(stop.color.red), Float(stop.color.green), Float(stop.color.blue)) / 255 * alpha
            return SIMD4(color, alpha)
        }
        let area = map.a * map.d - map.b * map.c
        switch gradient.kind {
        case .linear(let from, let to) where from != to:
            // Differences of places far away from each other stay numbers.
            let (step, length) = (to - from, (to - from).length)
            let unit = (1 / length) * step
            kind = .linear(
                origin: map.point(from),
                way: Point(
                    x: (map.d * unit.x - map.b * unit.y) / area / length,
                    y: (map.a * unit.y - map.c * unit.x) / area / length))
        case .radial(let center, let radius) where radius > 0:
            kind = .radial(
                origin: map.point(center),
                toUnit: AffineMap(
                    a: map.d / area / radius, b: -map.b / area / radius, c: -map.c / area / radius,
                    d: map.a / area / radius))
        default: kind = .constant
        }
    }

    /// The colour at the centre of a pixel of the output: premultiplied red, green, blue and alpha.
    func color(column: Int, row: Int) -> SIMD4<Float> {
        let place = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
        let t: Double
        switch kind {
        case .linear(let origin, let way): t = (place.x - origin.x) * way.x + (place.y - origin.y) * way.y
        case .radial(let origin, let toUnit): t = toUnit.point(place - origin).length
        case .constant: return colors[colors.count - 1]
        }
        // The number of stops that are not beyond t.
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] <= t { low = middle + 1 } else { high = middle }
        }
        if low == 0 { return colors[0] }
        if low == colors.count { return colors[low - 1] }
        let share = Float((t - offsets[low - 1]) / (offsets[low] - offsets[low - 1]))
        let color = colors[low - 1] + share * (colors[low] - colors[low - 1])
        return pointwiseMin(color, SIMD4(repeating: color.w))
    }
}

extension FloatPlanes {
    /// Fills with a gradient.
    ///
    /// - Parameter cell: what the planes cover, output pixels.
    func fill(_ field: GradientField, cell: PixelRect) {
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                let color = field.color(column: cell.x + column, row: cell.y + row)
                let index = row * width + column
                (red[index], green[index], blue[index], alpha[index]) = (color.x, color.y, color.z, color.w)
            }
        }
    }
}
