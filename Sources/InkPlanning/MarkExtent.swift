package import InkEngine

/// The part of the picture that a mark can touch: columns `minX ..< maxX`, rows `minY ..< maxY`, in output pixels.
///
/// Conservative: no pixel outside is touched. Clipped to the picture; empty if the mark is outside.
package struct MarkExtent: Hashable, Sendable {
    package var minX: Int32
    package var minY: Int32
    package var maxX: Int32
    package var maxY: Int32
    /// False for an erasing mark, which shows nothing by itself.
    package var isPaint: Bool

    package var isEmpty: Bool { minX >= maxX || minY >= maxY }

    package func meets(_ rect: PixelRect) -> Bool {
        Int(minX) < rect.x + rect.width && Int(maxX) > rect.x && Int(minY) < rect.y + rect.height && Int(maxY) > rect.y
    }

    package mutating func formUnion(_ other: MarkExtent) {
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
        self.init(hull, isPaint: stroke.mode == .paint, canvas: canvas, output: output)
    }

    /// - Parameters:
    ///   - shape: on the picture's canvas.
    ///   - canvas: its size, canvas pixels.
    ///   - output: the picture's size, output pixels.
    package init(of shape: Shape, canvas: CanvasSize, output: PixelSize) {
        var hull = shape.hull
        if case .pattern(let brush) = shape.fill, brush.edge == .whole {
            // Dots are drawn whole whose centres are inside.
            hull = hull.expanded(by: brush.scale * brush.dotRadius)
        }
        self.init(hull, isPaint: shape.mode == .paint, canvas: canvas, output: output)
    }

    private init(_ hull: Rect, isPaint: Bool, canvas: CanvasSize, output: PixelSize) {
        let scaleX = Double(output.width) / canvas.width
        let scaleY = Double(output.height) / canvas.height
        // One pixel more on each side covers the rounding of every way to compute the same place.
        minX = MarkExtent.clamped((hull.minX * scaleX).rounded(.down) - 1, to: output.width, ifNaN: 0)
        minY = MarkExtent.clamped((hull.minY * scaleY).rounded(.down) - 1, to: output.height, ifNaN: 0)
        maxX = MarkExtent.clamped((hull.maxX * scaleX).rounded(.up) + 1, to: output.width, ifNaN: output.width)
        maxY = MarkExtent.clamped((hull.maxY * scaleY).rounded(.up) + 1, to: output.height, ifNaN: output.height)
        self.isPaint = isPaint
        if hull.isEmpty { maxX = minX }
    }

    private static func clamped(_ value: Double, to edge: Int, ifNaN: Int) -> Int32 {
        if value.isNaN { return Int32(ifNaN) }
        return value <= 0 ? 0 : value >= Double(edge) ? Int32(edge) : Int32(value)
    }
}

extension Shape {
    /// Canvas pixels within which places of curves are computed far better than to a pixel.
    private static let preciseMax = 1e9

    /// A box that contains the shape, canvas pixels; empty if it draws nothing.
    fileprivate var hull: Rect {
        let reach = path.points.reduce(0) { max($0, max(abs($1.x), abs($1.y))) }
        let factor = max(abs(transform.a) + abs(transform.c), abs(transform.b) + abs(transform.d))
        let isPrecise = reach * factor + max(abs(transform.x), abs(transform.y)) <= Self.preciseMax
        return isPrecise ? path.extent(under: transform) : PreparedShape(self).bounds
    }
}
