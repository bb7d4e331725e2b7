package import InkEngine

/// The part of the picture that a stroke can touch: columns `minX ..< maxX`, rows `minY ..< maxY`, in output pixels.
///
/// Conservative: no pixel outside is touched. Clipped to the picture; empty if the stroke is outside.
package struct StrokeExtent: Hashable, Sendable {
    package var minX: Int32
    package var minY: Int32
    package var maxX: Int32
    package var maxY: Int32
    /// False for an erasing stroke, which shows nothing by itself.
    package var isPaint: Bool

    package var isEmpty: Bool { minX >= maxX || minY >= maxY }

    package func meets(_ rect: PixelRect) -> Bool {
        Int(minX) < rect.x + rect.width && Int(maxX) > rect.x && Int(minY) < rect.y + rect.height && Int(maxY) > rect.y
    }

    package mutating func formUnion(_ other: StrokeExtent) {
        minX = min(minX, other.minX)
        minY = min(minY, other.minY)
        maxX = max(maxX, other.maxX)
        maxY = max(maxY, other.maxY)
        isPaint = isPaint || other.isPaint
    }

    package init(of stroke: Stroke, canvas: CanvasSize, output: PixelSize) {
        self.init(of: stroke, StrokeMeasure(stroke), canvas: canvas, output: output)
    }

    /// - Parameters:
    ///   - stroke: as in the project.
    ///   - measure: the stroke's.
    ///   - canvas: the project's size, canvas pixels.
    ///   - output: the picture's size, output pixels.
    package init(of stroke: Stroke, _ measure: StrokeMeasure, canvas: CanvasSize, output: PixelSize) {
        let brush = stroke.brush
        let hull = measure.hull.expanded(by: brush.mark.reach(of: brush, size: brush.scale * measure.largestSize))
        let scaleX = Double(output.width) / canvas.width
        let scaleY = Double(output.height) / canvas.height
        // One pixel more on each side covers the rounding of every way to compute the same place.
        minX = StrokeExtent.clamped((hull.minX * scaleX).rounded(.down) - 1, to: output.width, ifNaN: 0)
        minY = StrokeExtent.clamped((hull.minY * scaleY).rounded(.down) - 1, to: output.height, ifNaN: 0)
        maxX = StrokeExtent.clamped((hull.maxX * scaleX).rounded(.up) + 1, to: output.width, ifNaN: output.width)
        maxY = StrokeExtent.clamped((hull.maxY * scaleY).rounded(.up) + 1, to: output.height, ifNaN: output.height)
        isPaint = stroke.mode == .paint
        if hull.isEmpty { maxX = minX }
    }

    private static func clamped(_ value: Double, to edge: Int, ifNaN: Int) -> Int32 {
        if value.isNaN { return Int32(ifNaN) }
        return value <= 0 ? 0 : value >= Double(edge) ? Int32(edge) : Int32(value)
    }
}
