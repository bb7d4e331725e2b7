import CKernels

/// Draws strokes of contour lines.
final class ContourPainter: MarkPainter {
    private let nearest: NearestPainter

    init(_ tools: PainterTools) { nearest = NearestPainter(kernels: tools.kernels) }

    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        guard case .contour(let line) = stroke.marks else { return }
        let brush = stroke.brush
        let reach = ContourMark().reach(of: brush, size: brush.scale)
        nearest.paint(
            line.kernelLines(brush, scale: scale), along: line, reach: reach, box: scale.pixels(of: stroke.bounds),
            scale: scale, into: plane, isCancelled)
    }
}

extension NearestLine {
    /// Lines closer than this, in output pixels, are drawn as one that is as wide as they are together.
    private static let spacingMin = 1e-3
    /// Longer lengths make no difference, and would overflow. In output pixels.
    private static let lengthMax = 1e12

    /// Contour lines along the line of a stroke.
    func kernelLines(_ brush: Brush, scale: OutputScale) -> ink_contour {
        var contour = kernelContour(brush, scale: scale)
        var unit = brush.scale * scale.largest
        // A size that is the same everywhere is a scale.
        if contour.size_more == 0 { unit *= contour.size_least }
        func length(_ value: Double) -> Double { min(value * unit, NearestLine.lengthMax) }
        var spacing = length(brush.spacing)
        var half = length(brush.lineWidth) / 2
        var outermost = Double(brush.lines / 2)
        let reach = outermost * spacing + half
        if half * 2 >= spacing {
            (half, outermost) = (reach, 0)
        } else if spacing < NearestLine.spacingMin {
            (half, outermost) = (half * (2 * outermost + 1), 0)
        }
        if outermost == 0 { spacing = 4 * half }
        contour.spacing = Float(max(spacing, 1e-30))
        contour.half_width = Float(half)
        contour.outermost = Int32(outermost)
        contour.reach = Float(reach)
        return contour
    }
}
