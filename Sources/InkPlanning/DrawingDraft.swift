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
    /// Blocks of its strokes, then of its shapes.
    package var marks: [BlockID] = []
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
        try add(block.strokes, encoder, &blocks, points: \.points.count, list: MarkList.strokes)
        try add(block.shapes, encoder, &blocks, points: \.path.points.count, list: MarkList.shapes)
    }

    private mutating func add<Mark>(
        _ all: [Mark], _ encoder: BlockEncoder, _ blocks: inout [EncodedBlock], points: (Mark) -> Int,
        list: ([Mark]) -> MarkList
    ) throws(EngineError) {
        var first = 0
        var count = 0
        for (index, mark) in all.enumerated() {
            count += points(mark) + 1
            guard count >= Self.pointsPerBlock || index == all.count - 1 else { continue }
            let encoded = try encoder.marks(list(Array(all[first...index])))
            marks.append(encoded.id)
            blocks.append(encoded)
            (first, count) = (index + 1, 0)
        }
    }

    /// - Parameter pixels: of its images, which are encoded and kept as a part of the file.
    package func cost(with pixels: Int) -> TaskCost {
        let pixels = min(pixels, 1 << 40)
        return TaskCost(
            bytes: cost.bytes + 2 * pixels, nanoseconds: cost.nanoseconds + Self.pixel * UInt64(pixels))
    }

    /// What writing the marks of a project costs.
    ///
    /// - Parameter measures: of the strokes of each element.
    package static func cost(of layers: [Layer], _ measures: [[StrokeMeasure]]) -> TaskCost {
        var (points, nanoseconds) = (0, Self.file)
        for (layer, measures) in zip(layers, measures) {
            for (stroke, measure) in zip(layer.strokes, measures) {
                points += stroke.points.count
                nanoseconds += Self.stamp * Double(StampCount.bound(of: stroke, measure))
            }
            for shape in layer.shapes + (layer.maskShapes ?? []) { points += shape.path.points.count }
        }
        nanoseconds += Self.point * Double(points)
        return TaskCost(bytes: Self.pointBytes * points, nanoseconds: UInt64(min(nanoseconds, 1e15)))
    }
}
