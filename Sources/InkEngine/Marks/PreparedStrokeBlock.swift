/// The prepared strokes of a block, and which of them are composited together.
public struct PreparedStrokeBlock: Sendable {
    /// In order; nil for strokes that were not requested.
    public private(set) var strokes: [PreparedStroke?]
    let runs: StrokeRuns
    /// A box that contains each stroke's marks. Every cell tests all boxes.
    let bounds: [Rect]

    /// Stamps kept per block, 12 MB: more than the points of a block have with most brushes.
    public static let keptStampsMax = 1 << 18

    /// - Parameters:
    ///   - strokes: the strokes to prepare.
    ///   - keptStampsMax: maximum number of stamps to keep; further stamps are placed again whenever they are needed.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
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
        runs = StrokeRuns(strokes)
        self.strokes = prepared
    }

    /// Number of strokes in the block.
    public var count: Int { bounds.count }

    /// The bounds and runs of the strokes, without the prepared strokes.
    public var withoutStrokes: PreparedStrokeBlock {
        var block = self
        block.strokes = []
        return block
    }

    /// A copy with some of the strokes prepared again.
    ///
    /// - Parameters:
    ///   - all: the strokes that the block was made from.
    ///   - indices: ascending; the strokes needed.
    ///   - isSeen: whether a box is visible; only strokes with visible marks are prepared.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
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

    /// Size in a cache, in bytes.
    public var byteCount: Int {
        let perStroke = MemoryLayout<PreparedStroke?>.stride + MemoryLayout<Int32>.stride + MemoryLayout<Rect>.stride
        return strokes.reduce(64 + count * perStroke) { $0 + ($1?.byteCount ?? 0) }
    }
}
