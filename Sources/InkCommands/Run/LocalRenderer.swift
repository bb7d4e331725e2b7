import InkEngine
import InkProtocol
import InkWorker
import Synchronization

/// What renders a tile: samples of `TileTask.rect` in `TileTask.pixelFormat`, and the time of the phases.
typealias TileRendering =
    @Sendable (_ task: TileTask, _ content: InkWorker.TileContent, _ threadIndex: Int) throws(EngineError) -> (
        pixels: [UInt8], phases: TaskPhases
    )

/// The engine as a worker in this process uses it. One for each worker.
final class LocalRenderer: RenderingEngine {
    /// A thread's band encoder; the lock is never waited for, since no two runs have one thread's number.
    private final class Encoder: Sendable {
        let bands = Mutex(BandEncoder())
    }

    private let encoders: [Encoder]
    private let renderTile: TileRendering

    init(threads: Int, renderTile: @escaping TileRendering) {
        encoders = (0..<threads).map { _ in Encoder() }
        self.renderTile = renderTile
    }

    func decode(
        _ png: [UInt8], _ task: DecodeTask, threadIndex: Int, onChunk: (DecodedRows) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageResult {
        let purpose: ImagePurpose = task.purpose == .mask ? .mask : .color
        let info = try PNGDecoder.decode(png, as: purpose, place: task.place, limits: task.limits) {
            (chunk: DecodedChunk) throws(EngineError) in
            switch chunk.content {
            case .constant(let value): try onChunk(.constant(value))
            case .samples(let samples): try onChunk(.samples(samples))
            }
        }
        return DecodedImageResult(size: info.size, format: info.format, maskBounds: info.maskBounds)
    }

    func render(
        _ task: TileTask, _ content: InkWorker.TileContent, threadIndex: Int
    ) throws(EngineError) -> (pixels: [UInt8], phases: TaskPhases) {
        try renderTile(task, content, threadIndex)
    }

    func encode(
        _ pixels: [UInt8], width: Int, format: OutputFormat, encoding: BandEncoding, threadIndex: Int
    ) throws(EngineError) -> BandResult {
        let band = try encoders[threadIndex].bands.withLock { (encoder) throws(EngineError) in
            try encoder.encode(pixels: pixels, width: width, format: format, encoding: encoding)
        }
        return BandResult(
            rowCount: band.rowCount, filteredByteCount: band.filteredByteCount, adler32: band.adler32,
            deflated: band.bytes)
    }
}
