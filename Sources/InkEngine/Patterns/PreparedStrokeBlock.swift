/// The strokes of a block, prepared, and which of them are composited as one.
///
/// Neighbouring paint strokes of one colour form a run if all or none are opaque: what they leave of the layer is multiplied
/// up, and the colour is applied once. Runs are a property of the block and not of the strokes that meet a tile, so a pixel is computed by
/// the same operations in every tiling.
public struct PreparedStrokeBlock: Sendable {
    public let strokes: [PreparedStroke]
    /// The run that each stroke belongs to.
    let runs: [Int32]
    /// A box that holds each stroke's marks; every cell looks at all of them.
    let bounds: [Rect]

    public init(_ strokes: [Stroke]) {
        self.strokes = strokes.map(PreparedStroke.init)
        bounds = self.strokes.map(\.bounds)
        var runs: [Int32] = []
        for (index, stroke) in self.strokes.enumerated() {
            let continues = index > 0 && PreparedStrokeBlock.isRun(self.strokes[index - 1], stroke)
            runs.append((runs.last ?? 0) + (continues ? 0 : 1))
        }
        self.runs = runs
    }

    private static func isRun(_ first: PreparedStroke, _ second: PreparedStroke) -> Bool {
        // One after the other, two erasing strokes leave the product of what each leaves, whatever their colours.
        first.mode == second.mode && (first.mode == .erase || first.brush.color == second.brush.color)
            && first.isOpaque == second.isOpaque
    }

    /// Bytes this takes in a cache, roughly.
    public var byteCount: Int { strokes.reduce(64) { $0 + $1.byteCount + 4 } }
}
