/// The prepared strokes or shapes of a block, and which of them are composited together.
public struct PreparedStrokeBlock: Sendable {
    /// In order; nil for marks that were not requested.
    package private(set) var marks: [PreparedMark?]
    let runs: StrokeRuns
    /// A box that contains each mark. Every cell tests all boxes.
    let bounds: [Rect]

    /// Stamps kept per block, 12 MB: more than the points of a block have with most brushes.
    public static let keptStampsMax = 1 << 18

    /// - Parameters:
    ///   - marks: the strokes or shapes to prepare.
    ///   - keptStampsMax: maximum number of stamps to keep; further stamps are placed again whenever they are needed.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
    public init(
        _ marks: MarkList, keptStampsMax: Int = keptStampsMax, isCancelled: () -> Bool = { false }
    ) {
        var keptLeft = keptStampsMax
        var prepared: [PreparedMark] = []
        prepared.reserveCapacity(marks.count)
        for index in 0..<marks.count {
            if isCancelled() { break }
            prepared.append(marks.prepared(index, keptStampsMax: keptLeft, isCancelled: isCancelled))
            keptLeft -= prepared[index].keptStampCount
        }
        bounds = prepared.map(\.bounds)
        runs = StrokeRuns(marks)
        self.marks = prepared
    }

    /// Number of marks in the block.
    public var count: Int { bounds.count }

    /// The bounds and runs of the marks, without the prepared marks.
    public var withoutMarks: PreparedStrokeBlock {
        var block = self
        block.marks = []
        return block
    }

    /// A copy with some of the marks prepared again.
    ///
    /// - Parameters:
    ///   - all: the marks that the block was made from.
    ///   - indices: ascending; the marks needed.
    ///   - isSeen: whether a box is visible; only visible marks are prepared.
    ///   - isCancelled: checked now and then; if true, the result must not be used.
    public func with(
        _ all: MarkList, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) -> PreparedStrokeBlock {
        var block = self
        block.marks = [PreparedMark?](repeating: nil, count: count)
        var keptLeft = PreparedStrokeBlock.keptStampsMax
        for index in indices where index < count && isSeen(bounds[index]) {
            if isCancelled() { break }
            let mark = all.prepared(index, keptStampsMax: keptLeft, isCancelled: isCancelled)
            keptLeft -= mark.keptStampCount
            block.marks[index] = mark
        }
        return block
    }

    /// Size in a cache, in bytes.
    public var byteCount: Int {
        let perMark = MemoryLayout<PreparedMark?>.stride + MemoryLayout<Int32>.stride + MemoryLayout<Rect>.stride
        return marks.reduce(64 + count * perMark) { $0 + ($1?.byteCount ?? 0) }
    }
}
