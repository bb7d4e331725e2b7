/// The map from canvas space to output pixels. The two factors differ only by rounding.
package struct OutputScale: Hashable, Sendable {
    package let x: Double
    package let y: Double
    /// The picture's size in output pixels.
    let size: PixelSize
    /// Where patterns that lie still on the canvas begin, in canvas pixels; may be far away.
    package let patternOrigin: Point

    package init(canvas: CanvasSize, output: PixelSize, patternOrigin: Point = Point(x: 0, y: 0)) {
        size = output
        self.patternOrigin = patternOrigin
        x = Double(output.width) / canvas.width
        y = Double(output.height) / canvas.height
    }

    package var largest: Double { max(x, y) }

    /// From canvas space to output pixels.
    var map: AffineMap { AffineMap(a: x, d: y) }

    /// A point of canvas space in output pixels.
    package func output(_ p: Point) -> Point { Point(x: p.x * x, y: p.y * y) }

    /// Whether a box of canvas space contains none of the picture's pixels, nor any within a few pixels of it.
    func isOutside(_ box: Rect) -> Bool {
        let margin = 8.0
        return box.maxX * x < -margin || box.maxY * y < -margin || box.minX * x > Double(size.width) + margin
            || box.minY * y > Double(size.height) + margin
    }

    /// The output pixels that a box of canvas space touches, clamped to a range in which sums cannot overflow. Empty
    /// for a box with a NaN coordinate.
    func pixels(of box: Rect) -> PixelRect {
        func bound(_ value: Double) -> Int { Int(min(max(value, -1e9), 1e9)) }
        guard box.minX * x <= box.maxX * x, box.minY * y <= box.maxY * y else {
            return PixelRect(x: 0, y: 0, width: 0, height: 0)
        }
        let left = bound((box.minX * x).rounded(.down))
        let top = bound((box.minY * y).rounded(.down))
        // One more than the ceiling: an edge on a pixel boundary adds a zero to the next column.
        return PixelRect(
            x: left, y: top, width: bound((box.maxX * x).rounded(.up)) + 1 - left,
            height: bound((box.maxY * y).rounded(.up)) + 1 - top)
    }
}

extension PixelRect {
    /// Including the pixels round it.
    var withBorder: PixelRect { PixelRect(x: x - 1, y: y - 1, width: width + 2, height: height + 2) }

    func intersects(_ other: PixelRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}
