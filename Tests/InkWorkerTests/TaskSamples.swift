import InkEngine
import InkProtocol

/// Small tasks for the tests.
enum TaskSamples {
    /// A block of one stroke that differs with `number`.
    static func strokes(_ number: Int) throws -> Block {
        try MarkBlock(.strokes([Stroke(points: [StrokePoint(x: Double(number), y: 0)])])).sealed()
    }

    /// A tile of 4 x 2 pixels that names these blocks of strokes.
    static func tile(_ blocks: [BlockID] = [], delivery: TileDelivery = .pixels) -> WorkerTask {
        let layer = TileLayer(
            opacity: 1, blendMode: .normal, mask: nil, content: nil,
            strokes: blocks.map { StrokeSelection(block: $0, indices: [0]) })
        return .render(
            TileTask(
                canvas: CanvasSize(PixelSize(width: 4, height: 4)), output: PixelSize(width: 4, height: 4),
                rect: PixelRect(x: 0, y: 0, width: 4, height: 2), background: .white, baseImage: nil,
                layers: [layer], pixelFormat: .rgb, delivery: delivery))
    }

    static func assignment(
        _ id: UInt64, _ task: WorkerTask, attempt: UInt32 = 1, resultLimit: UInt64 = 1 << 30
    ) -> TaskAssignment {
        TaskAssignment(
            task: TaskID(id), attempt: attempt, deadlineMilliseconds: 10_000, resultLimitBytes: resultLimit,
            payload: .inline(task.encoded()))
    }

    /// The parts with which a broker answers a request from `offset` on.
    static func parts(_ block: Block, from offset: UInt64 = 0) -> [BrokerMessage] {
        BlockPart.ranges(from: offset, totalBytes: block.frame.count).map { range in
            .blockPart(
                BlockPart(
                    id: block.id, offset: UInt64(range.lowerBound), totalBytes: UInt64(block.frame.count),
                    bytes: Array(block.frame[range])))
        }
    }
}
