import InkCodecs
import InkEngine
import InkProtocol

@testable import InkWorker

/// Makes recognisable results: a tile's samples are 7 for each block of strokes, a band is its tiles' samples as they
/// are, and an image that starts with a zero is bad.
struct FakeRunner: TaskRunner {
    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        switch task {
        case .decode(let task):
            let png = try context.blocks.bytes(of: task.image)
            guard png.first != 0 else { throw .badInput(task.place, reason: "not a PNG") }
            try context.emit(
                .imageEnd(
                    DecodedImageInfo(
                        size: PixelSize(width: 1, height: png.count), format: .mask8, maskBounds: nil)))
        case .render(let task):
            var value: UInt8 = 0
            for selection in task.layers.flatMap(\.strokes) {
                _ = try context.blocks.strokes(
                    of: selection.block, among: selection.indices, isSeen: { _ in true }, isCancelled: { false })
                value += 7
            }
            let count = task.rect.area * task.pixelFormat.bytesPerPixel
            try context.emit(.pixels(sealed([UInt8](repeating: value, count: count))))
        case .finish, .draw, .read, .whole: throw .internalError("nobody finishes, draws or reads here")
        case .encode(let task):
            var samples: [UInt8] = []
            for piece in task.pieces { samples += try context.blocks.bytes(of: piece.block) }
            try context.emit(
                .band(
                    EncodedPiece(
                        rowCount: task.rect.height, rawByteCount: samples.count, adler32: 1, bytes: samples)))
        }
        return PhaseTimes()
    }

    private func sealed(_ samples: [UInt8]) throws(EngineError) -> Block {
        do throws(ProtocolError) { return try Block(content: samples) } catch { throw .internalError("\(error)") }
    }
}
