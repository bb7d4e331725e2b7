import CKernels

/// Draws shapes: filled, or as far as a pattern that lies still on the canvas covers them.
final class ShapePainter {
    private let tools: PainterTools
    private let rasterizer: ShapeRasterizer
    private let patterns: CanvasPatternPainter
    private let wholeDots: WholeDotPainter

    init(_ tools: PainterTools) {
        self.tools = tools
        rasterizer = ShapeRasterizer(maxWidth: tools.maxWidth, maxHeight: tools.maxHeight)
        patterns = CanvasPatternPainter(tools)
        wholeDots = WholeDotPainter(tools)
    }

    /// Multiplies the plane by 1 - alpha * coverage, row by row.
    private struct Filling: ShapeRasterizer.Receiver {
        let plane: RemainingPlane
        let covered: KernelPlane<Float>
        let alpha: Float
        let kernels: UnsafePointer<ink_raster>

        var needsTrapezoids: Bool { false }

        func partial(column: Int, row: Int, trapezoids: Growing<Double>) {}

        func finish(row: Int, columns: Range<Int>) {
            let cell = covered.cell
            var box = ink_box(
                left: Int32(columns.lowerBound - cell.x), top: Int32(row - cell.y),
                right: Int32(columns.upperBound - cell.x), bottom: Int32(row + 1 - cell.y))
            kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, &box, alpha)
            plane.markDrawn(box)
        }
    }

    /// Multiplies `plane`, which covers the cell that the tools were moved to, by the transmittance of a shape.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ shape: PreparedShape, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        if let brush = shape.pattern, let dots = DotLattice(brush, scale: scale) {
            return wholeDots.paint(
                dots, under: shape, alpha: shape.alpha, scale: scale, into: plane, isCancelled: isCancelled)
        }
        guard let rect = scale.pixels(of: shape.bounds).intersection(tools.covered.cell) else { return }
        var alpha = shape.alpha
        if let brush = shape.pattern {
            let pattern = patterns.pattern(for: brush, scale: scale)
            guard case .even(let share) = pattern.way else {
                patterns.paint(
                    shape, by: rasterizer, pattern, scale: scale, rect: rect, into: plane, isCancelled: isCancelled)
                return
            }
            alpha *= Float(share)
        }
        var filling = Filling(plane: plane, covered: tools.covered, alpha: alpha, kernels: tools.kernels)
        rasterizer.cover(shape, scale: scale, rect: rect, in: tools.covered, &filling, isCancelled: isCancelled)
    }
}

extension PixelRect {
    /// What lies in both; nil if nothing does.
    func intersection(_ other: PixelRect) -> PixelRect? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
        return left < right && top < bottom
            ? PixelRect(x: left, y: top, width: right - left, height: bottom - top) : nil
    }
}
