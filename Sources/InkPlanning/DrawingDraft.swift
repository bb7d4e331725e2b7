package import InkCodecs
package import InkEngine
import InkProtocol

/// What a task takes.
package struct TaskCost: Hashable, Sendable {
    /// Bytes that the worker needs for it at once.
    package var bytes: Int
    package var nanoseconds: UInt64

    package init(bytes: Int, nanoseconds: UInt64) {
        self.bytes = bytes
        self.nanoseconds = nanoseconds
    }
}

/// A file of lines and areas, split into blocks.
package struct DrawingDraft: Sendable {
    /// The block that holds what is drawn.
    package var picture: BlockID
    /// Blocks of its strokes.
    package var strokes: [BlockID] = []
    /// Without its images.
    package var cost: TaskCost

    /// Number of points in a block on average: a megabyte before compression.
    private static let pointsPerBlock = 1 << 16
    /// Nanoseconds for a stamp and for a point, and of every file.
    private static let stamp = 1_000.0
    private static let point = 2_000.0
    private static let file = 1_000_000.0
    /// Nanoseconds of an image's pixel.
    private static let pixel: UInt64 = 40
    /// Bytes of a point as it travels and as it is drawn.
    private static let pointBytes = 128

    /// Appends the blocks that it refers to to `blocks`.
    package init(
        _ drawn: DrawnPicture, cost: TaskCost, encoder: BlockEncoder, blocks: inout [EncodedBlock]
    ) throws(EngineError) {
        self.cost = cost
        let block = DrawnPictureBlock(drawn)
        let encoded = try encoder.bytes(block.encoded())
        picture = encoded.id
        blocks.append(encoded)
        var pending: [Stroke] = []
        var count = 0
        func finish() throws(EngineError) {
            let encoded = try encoder.strokes(pending)
            strokes.append(encoded.id)
            blocks.append(encoded)
            (pending, count) = ([], 0)
        }
        for stroke in block.strokes {
            pending.append(stroke)
            count += stroke.points.count
            if count >= Self.pointsPerBlock { try finish() }
        }
        if !pending.isEmpty { try finish() }
    }

    /// - Parameter pixels: of its images, which are encoded and kept as a part of the file.
    package func cost(with pixels: Int) -> TaskCost {
        let pixels = min(pixels, 1 << 40)
        return TaskCost(
            bytes: cost.bytes + 2 * pixels, nanoseconds: cost.nanoseconds + Self.pixel * UInt64(pixels))
    }

    /// What writing the strokes of a project costs.
    ///
    /// - Parameter strokes: of each element, and their measures.
    package static func cost(of strokes: [[Stroke]], _ measures: [[StrokeMeasure]]) -> TaskCost {
        var (points, nanoseconds) = (0, Self.file)
        for (stroke, measure) in zip(strokes.joined(), measures.joined()) {
            points += stroke.points.count
            nanoseconds += Self.stamp * Double(StampCount.bound(of: stroke, measure))
        }
        nanoseconds += Self.point * Double(points)
        return TaskCost(bytes: Self.pointBytes * points, nanoseconds: UInt64(min(nanoseconds, 1e15)))
    }
}
