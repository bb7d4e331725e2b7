/// Puts the strokes of a layer onto a cell of it.
final class StrokeLayer {
    private let painter: StrokePainter
    private let remaining: RemainingPlane

    init(maxWidth: Int, maxHeight: Int) {
        painter = StrokePainter(maxWidth: maxWidth, maxHeight: maxHeight)
        remaining = RemainingPlane(maxWidth: maxWidth, maxHeight: maxHeight)
    }

    /// Draws some strokes of a block onto `layer`, whose planes cover `cell`.
    ///
    /// - Parameter indices: ascending, each an index of the block's strokes.
    func draw(
        _ indices: [Int], of block: PreparedStrokeBlock, scale: OutputScale, cell: PixelRect, onto layer: FloatPlanes
    ) {
        remaining.resize(width: cell.width, height: cell.height)
        for (position, index) in indices.enumerated() {
            painter.paint(block.strokes[index], scale: scale, cell: cell, into: remaining)
            let isRunEnd = position + 1 == indices.count || block.runs[indices[position + 1]] != block.runs[index]
            if isRunEnd { apply(block.strokes[index], to: layer) }
        }
    }

    /// Uses up what the strokes of a run left of the layer.
    private func apply(_ stroke: PreparedStroke, to layer: FloatPlanes) {
        switch stroke.mode {
        case .erase:
            remaining.drain { row, first, end in
                for i in (row * remaining.width + first)..<(row * remaining.width + end) {
                    let kept = remaining.values[i]
                    layer.red[i] *= kept
                    layer.green[i] *= kept
                    layer.blue[i] *= kept
                    layer.alpha[i] *= kept
                }
            }
        case .paint:
            let color = stroke.brush.color
            let red = Float(color.red) / 255
            let green = Float(color.green) / 255
            let blue = Float(color.blue) / 255
            remaining.drain { row, first, end in
                for i in (row * remaining.width + first)..<(row * remaining.width + end) {
                    let kept = remaining.values[i]
                    let covered = 1 - kept
                    layer.red[i] = layer.red[i] * kept + red * covered
                    layer.green[i] = layer.green[i] * kept + green * covered
                    layer.blue[i] = layer.blue[i] * kept + blue * covered
                    layer.alpha[i] = layer.alpha[i] * kept + covered
                }
            }
        }
    }
}
