public import InkEngine
public import InkProtocol
import Synchronization
import InkSystem

/// Does tasks with the engine: opens blocks, renders, and makes results.
public final class EngineTaskRunner: TaskRunner {
    /// A thread's tools with their scratch memory, made by the thread. Its lock is never waited for, since no two runs have
    /// one thread's number.
    private final class Bench: Sendable {
        struct Tools {
            let renderer = TileRenderer()
            let encoder = BandEncoder()
        }

        private let tools = Mutex<Tools?>(nil)

        func use<Result>(
            _ body: (Tools) throws(EngineError) -> sending Result
        ) throws(EngineError) -> sending Result {
            try tools.withLock { tools throws(EngineError) in
                let made = tools ?? Tools()
                tools = made
                return try body(made)
            }
        }
    }

    private let benches: [Bench]

    /// - Parameter threads: runs have thread numbers 0 ..< threads.
    public init(threads: Int) { benches = (0..<threads).map { _ in Bench() } }

    public func prepare(thread index: Int) {
        // What cannot be had now is asked for again by the thread's first task, which fails with it.
        try? benches[index].use { _ throws(EngineError) in }
    }

    public func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> TaskPhases {
        switch task {
        case .decode(let task): try decode(task, context)
        case .render(let task): try render(task, context)
        case .encode(let task): try encode(task, context)
        }
    }

    private func decode(_ task: DecodeTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = SystemClock.nanoseconds
        var compressing: UInt64 = 0
        let png = try context.blocks.bytes(of: task.image)
        let info = try PNGDecoder.decode(png, as: task.purpose, place: task.place, limits: task.limits) {
            (chunk: DecodedChunk) throws(EngineError) in
            try context.checkCancellation()
            switch chunk.content {
            case .constant(let value): try context.emit(.imageChunk(.constant(value)))
            case .samples(let samples):
                let before = SystemClock.nanoseconds
                let block = try EngineTaskRunner.seal(samples, context)
                compressing += SystemClock.nanoseconds - before
                try context.emit(.imageChunk(.block(block)))
            }
        }
        let image = DecodedImageResult(size: info.size, format: info.format, maskBounds: info.maskBounds)
        try context.emit(.imageEnd(image))
        return TaskPhases(decode: SystemClock.nanoseconds - start - compressing, encode: compressing)
    }

    private func render(_ task: TileTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = SystemClock.nanoseconds
        try context.blocks.open(strokes: task.layers.flatMap { $0.strokes.map(\.block) }) { context.isCancelled }
        let tile = try benches[context.threadIndex].use { tools throws(EngineError) in
            try tools.renderer.render(task, blocks: context.blocks) { context.isCancelled }
        }
        let rendered = SystemClock.nanoseconds
        try context.checkCancellation()
        switch task.delivery {
        case .pixels: try context.emit(.pixels(EngineTaskRunner.seal(tile.pixels, context)))
        case .band(let encoding):
            try emitBand(tile.pixels, width: task.rect.width, format: task.pixelFormat, encoding, context)
        }
        // Opening blocks is what of the rendering was neither strokes nor compositing.
        let known = tile.rasterNanoseconds + tile.compositeNanoseconds
        return TaskPhases(
            decode: rendered - start - min(known, rendered - start), raster: tile.rasterNanoseconds,
            composite: tile.compositeNanoseconds, encode: SystemClock.nanoseconds - rendered)
    }

    private func encode(_ task: EncodeTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = SystemClock.nanoseconds
        let pixels = try EngineTaskRunner.band(task, context.blocks)
        let opened = SystemClock.nanoseconds
        try context.checkCancellation()
        try emitBand(pixels, width: task.rect.width, format: task.format, task.encoding, context)
        return TaskPhases(decode: opened - start, encode: SystemClock.nanoseconds - opened)
    }

    private func emitBand(
        _ pixels: [UInt8], width: Int, format: OutputFormat, _ encoding: BandEncoding, _ context: TaskContext
    ) throws(EngineError) {
        let band = try benches[context.threadIndex].use { tools throws(EngineError) in
            try tools.encoder.encode(pixels: pixels, width: width, format: format, encoding: encoding)
        }
        var result = BandResult(
            rowCount: band.rowCount, filteredByteCount: band.filteredByteCount, adler32: band.adler32, deflated: [])
        if let block = context.blocks.share(band.bytes) {
            try context.emit(.localBand(result, block.id))
        } else {
            result.deflated = band.bytes
            try context.emit(.band(result))
        }
    }

    /// The rows of a band from its tiles, side by side.
    private static func band(_ task: EncodeTask, _ blocks: BlockCache) throws(EngineError) -> [UInt8] {
        let bytesPerPixel = task.format.bytesPerPixel
        var tiles: [(rowBytes: Int, pixels: [UInt8])] = []
        for piece in task.pieces {
            let pixels = try blocks.bytes(of: piece.block)
            let expected = piece.rect.area * bytesPerPixel
            guard pixels.count == expected else {
                throw .internalError("\(pixels.count) bytes of pixels, expected \(expected)")
            }
            tiles.append((piece.rect.width * bytesPerPixel, pixels))
        }
        // Reserved only now: all of it is in memory as tiles already.
        var band: [UInt8] = []
        band.reserveCapacity(tiles.reduce(0) { $0 + $1.pixels.count })
        for row in 0..<task.rect.height {
            for tile in tiles { band += tile.pixels[(row * tile.rowBytes)..<((row + 1) * tile.rowBytes)] }
        }
        return band
    }

    private static func seal(_ samples: [UInt8], _ context: TaskContext) throws(EngineError) -> Block {
        if let block = context.blocks.share(samples) { return block }
        do throws(ProtocolError) { return try Block(content: samples) } catch { throw .internalError("\(error)") }
    }
}
