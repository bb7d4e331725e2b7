/// Draws solid strokes by their outline, and where it cannot be used, as the union of their hulls.
final class SolidPainter: MarkPainter {
    private let tools: PainterTools
    private let crossings: CrossingPainter

    init(_ tools: PainterTools) {
        self.tools = tools
        crossings = CrossingPainter(level: tools.level)
    }

    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        guard case .solid(let path, let alpha) = stroke.marks else { return }
        paint(path, alpha: alpha, scale: scale, into: plane, isCancelled)
    }

    func paint(
        _ path: SolidPath, alpha: Float, scale: OutputScale, into plane: RemainingPlane,
        _ isCancelled: @escaping () -> Bool
    ) {
        guard alpha > 0, !path.discs.isEmpty else { return }
        let accumulator = tools.accumulator
        let box = scale.pixels(of: path.bounds)
        guard box.intersects(accumulator.cell) else { return }
        guard let outline = path.outline(scale, isCancelled: isCancelled) else { return }
        guard outline.isOfUse else {
            tools.parts.add(outline.hulls, scale: scale, isCancelled: isCancelled)
            accumulator.multiply(plane, box: box, alpha: alpha)
            return
        }
        crossings.keep(outline.crossings, of: plane)
        accumulator.add(outline.polygons)
        accumulator.multiplyPolygons(plane, rows: box.rows, alpha: alpha)
        crossings.paint(outline, alpha: alpha, scale: scale, into: plane, isCancelled: isCancelled)
    }
}
