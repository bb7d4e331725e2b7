import CKernels

/// Draws shapes whose alpha changes along the stroke (spec section 10.3): first the shape on a plane of its own, then each pixel
/// of it with the alpha that it has there.
///
/// Owns its scratch memory; not shared between threads.
final class FadingPainter {
    private let nearest: NearestPainter
    private let shape: RemainingPlane

    init(_ tools: PainterTools) {
        nearest = NearestPainter(kernels: tools.kernels)
        shape = RemainingPlane(maxWidth: tools.maxWidth, maxHeight: tools.maxHeight)
    }

    /// Multiplies `plane` by the transmittance of the stroke.
    ///
    /// - Parameters:
    ///   - line: the stroke's.
    ///   - painter: draws the shape.
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ stroke: PreparedStroke, along line: NearestLine, by painter: any MarkPainter, scale: OutputScale,
        into plane: RemainingPlane, _ isCancelled: @escaping () -> Bool
    ) {
        let cell = plane.pixels.cell
        shape.move(to: cell)
        painter.paint(stroke, scale: scale, into: shape, isCancelled: isCancelled)
        guard shape.isDrawn else { return }
        nearest.paint(
            line.kernelContour(stroke.brush, scale: scale), along: line, reach: .infinity, shape: shape, box: cell,
            scale: scale, into: plane, isCancelled)
        shape.drain { box in
            for row in Int(box.top)..<Int(box.bottom) {
                let first = shape.pixels.values + row * shape.pixels.stride
                // Kernels write whole vectors.
                let count = Int(box.right - box.left + 15) / 16 * 16
                (first + Int(box.left)).update(repeating: RemainingPlane.all, count: count)
            }
        }
    }
}
