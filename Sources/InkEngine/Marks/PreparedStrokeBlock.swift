/// The strokes of a block, prepared, and which of them are composited as one.
///
/// Neighbouring paint strokes of one colour form a run if all or none are opaque: what they leave of the layer is multiplied
/// up, and the colour is applied once. Runs are a property of the block and not of the strokes that meet a tile, so a pixel is computed by
/// the same operations in every tiling.
public struct PreparedStrokeBlock: Sendable {
    /// In order; nil for those that were not asked for.
    public private(set) var strokes: [PreparedStroke?]
    /// The run that each stroke belongs to.
    let runs: [Int32]
    /// A box that holds each stroke's marks; every cell looks at all of them.
    let bounds: [Rect]

    /// Stamps that a block keeps, 12 MB: more than its points leave of most brushes.
    public static let keptStampsMax = 1 << 18

    /// - Parameters:
    ///   - strokes: what to prepare.
    ///   - keptStampsMax: how many stamps may be kept; further ones are placed again whenever they are seen.
    ///   - isCancelled: checked now and then; if true, the result is not usable.
    public init(
        _ strokes: [Stroke], keptStampsMax: Int = keptStampsMax, isCancelled: () -> Bool = { false }
    ) {
        var keptLeft = keptStampsMax
        var prepared: [PreparedStroke] = []
        prepared.reserveCapacity(strokes.count)
        for stroke in strokes {
            if isCancelled() { break }
            prepared.append(PreparedStroke(stroke, keptStampsMax: keptLeft, isCancelled: isCancelled))
            keptLeft -= prepared[prepared.count - 1].keptStampCount
        }
        bounds = prepared.map(\.bounds)
        var runs: [Int32] = []
        for (index, stroke) in prepared.enumerated() {
            let continues = index > 0 && PreparedStrokeBlock.isRun(prepared[index - 1], stroke)
            runs.append((runs.last ?? 0) + (continues ? 0 : 1))
        }
        self.runs = runs
        self.strokes = prepared
    }

    private static func isRun(_ first: PreparedStroke, _ second: PreparedStroke) -> Bool {
        // One after the other, two erasing strokes leave the product of what each leaves, whatever their colours.
        first.mode == second.mode && (first.mode == .erase || first.brush.color == second.brush.color)
            && first.isOpaque == second.isOpaque
    }

    /// How many strokes the block has.
    public var count: Int { bounds.count }

    /// What is known of the strokes, without any of them: where they are, and which are composited as one.
    public var withoutStrokes: PreparedStrokeBlock {
        var block = self
        block.strokes = []
        return block
    }

    /// With some of the strokes, prepared again.
    ///
    /// - Parameters:
    ///   - all: what the block was made of.
    ///   - indices: ascending; which strokes are needed.
    ///   - isSeen: whether a box is visible; only strokes whose marks' box is are prepared.
    ///   - isCancelled: checked now and then; if true, the result is not usable.
    public func with(
        _ all: [Stroke], among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) -> PreparedStrokeBlock {
        var block = self
        block.strokes = [PreparedStroke?](repeating: nil, count: count)
        var keptLeft = PreparedStrokeBlock.keptStampsMax
        for index in indices where index < count && isSeen(bounds[index]) {
            if isCancelled() { break }
            let stroke = PreparedStroke(all[index], keptStampsMax: keptLeft, isCancelled: isCancelled)
            keptLeft -= stroke.keptStampCount
            block.strokes[index] = stroke
        }
        return block
    }

    /// Bytes this takes in a cache.
    public var byteCount: Int {
        let perStroke = MemoryLayout<PreparedStroke?>.stride + MemoryLayout<Int32>.stride + MemoryLayout<Rect>.stride
        return strokes.reduce(64 + count * perStroke) { $0 + ($1?.byteCount ?? 0) }
    }
}
