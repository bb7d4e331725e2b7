public import InkEngine
public import InkProtocol

/// What the runner needs of the engine. Called from several threads at once.
public protocol RenderingEngine: Sendable {
    /// Decodes a PNG file top to bottom and hands out its chunks of 64 rows in order.
    ///
    /// Throws `badInput` or `overLimit` with `task.place`, and what `onChunk` throws.
    func decode(
        _ png: [UInt8], _ task: DecodeTask, threadIndex: Int, onChunk: (DecodedRows) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageResult

    /// The samples of `task.rect` in `task.pixelFormat`, row-major without padding, and the time of the raster and
    /// composite phases.
    func render(
        _ task: TileTask, _ content: TileContent, threadIndex: Int
    ) throws(EngineError) -> (pixels: [UInt8], phases: TaskPhases)

    /// A piece of the picture's deflate stream from whole rows of samples.
    func encode(
        _ pixels: [UInt8], width: Int, format: OutputFormat, encoding: BandEncoding, threadIndex: Int
    ) throws(EngineError) -> BandResult
}

/// The samples of one chunk of a decoded image.
public enum DecodedRows: Hashable, Sendable {
    /// Every pixel has this value (`bytesPerPixel` bytes, the others 0).
    case constant(UInt32)
    /// Row-major without padding.
    case samples([UInt8])
}

/// The content of the blocks that a tile names.
public struct TileContent: Sendable {
    /// Of the blocks in `TileLayer.strokes`.
    public var strokes: [BlockID: [Stroke]]
    /// Of the blocks in the image slices: the chunk's samples.
    public var rows: [BlockID: [UInt8]]

    public init(strokes: [BlockID: [Stroke]] = [:], rows: [BlockID: [UInt8]] = [:]) {
        self.strokes = strokes
        self.rows = rows
    }
}

/// Does tasks with an engine: opens blocks, checks sizes, and makes results.
public struct EngineTaskRunner<Engine: RenderingEngine>: TaskRunner {
    private let engine: Engine

    public init(engine: Engine) { self.engine = engine }

    public func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> TaskPhases {
        switch task {
        case .decode(let task): try decode(task, context)
        case .render(let task): try render(task, context)
        case .encode(let task): try encode(task, context)
        }
    }

    private func decode(_ task: DecodeTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = steadyNanoseconds()
        var compressing: UInt64 = 0
        let png = try context.blocks.bytes(of: task.image)
        let image = try engine.decode(png, task, threadIndex: context.threadIndex) { rows throws(EngineError) in
            try context.checkCancellation()
            switch rows {
            case .constant(let value): try context.emit(.imageChunk(.constant(value)))
            case .samples(let samples):
                let before = steadyNanoseconds()
                let block = try EngineTaskRunner.seal(samples)
                compressing += steadyNanoseconds() - before
                try context.emit(.imageChunk(.block(block)))
            }
        }
        try context.emit(.imageEnd(image))
        return TaskPhases(decode: steadyNanoseconds() - start - compressing, encode: compressing)
    }

    private func render(_ task: TileTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = steadyNanoseconds()
        let content = try TileContent(of: task, from: context.blocks)
        let opened = steadyNanoseconds()
        try context.checkCancellation()
        let rendered = try engine.render(task, content, threadIndex: context.threadIndex)
        try EngineTaskRunner.check(rendered.pixels.count, is: task.rect.area * task.pixelFormat.bytesPerPixel)
        try context.checkCancellation()
        var phases = rendered.phases
        phases.decode += opened - start
        let before = steadyNanoseconds()
        switch task.delivery {
        case .pixels: try context.emit(.pixels(EngineTaskRunner.seal(rendered.pixels)))
        case .band(let encoding):
            let band = try engine.encode(
                rendered.pixels, width: task.rect.width, format: task.pixelFormat, encoding: encoding,
                threadIndex: context.threadIndex)
            try context.emit(.band(band))
        }
        phases.encode += steadyNanoseconds() - before
        return phases
    }

    private func encode(_ task: EncodeTask, _ context: TaskContext) throws(EngineError) -> TaskPhases {
        let start = steadyNanoseconds()
        let pixels = try EngineTaskRunner.band(task, context.blocks)
        let opened = steadyNanoseconds()
        try context.checkCancellation()
        let band = try engine.encode(
            pixels, width: task.rect.width, format: task.format, encoding: task.encoding,
            threadIndex: context.threadIndex)
        try context.emit(.band(band))
        return TaskPhases(decode: opened - start, encode: steadyNanoseconds() - opened)
    }

    /// The rows of a band from the tiles that lie side by side in it.
    private static func band(_ task: EncodeTask, _ blocks: BlockCache) throws(EngineError) -> [UInt8] {
        let bytesPerPixel = task.format.bytesPerPixel
        var tiles: [(rowBytes: Int, pixels: [UInt8])] = []
        for piece in task.pieces {
            let pixels = try blocks.bytes(of: piece.block)
            try check(pixels.count, is: piece.rect.area * bytesPerPixel)
            tiles.append((piece.rect.width * bytesPerPixel, pixels))
        }
        // Reserved only now: all of it is in memory as tiles already.
        var band: [UInt8] = []
        band.reserveCapacity(task.rect.area * bytesPerPixel)
        for row in 0..<task.rect.height {
            for tile in tiles { band += tile.pixels[(row * tile.rowBytes)..<((row + 1) * tile.rowBytes)] }
        }
        return band
    }

    private static func check(_ found: Int, is expected: Int) throws(EngineError) {
        guard found == expected else { throw .internalError("\(found) bytes of pixels, expected \(expected)") }
    }

    private static func seal(_ samples: [UInt8]) throws(EngineError) -> Block {
        do throws(ProtocolError) { return try Block(content: samples) } catch { throw .internalError("\(error)") }
    }
}

extension TileContent {
    /// Opens the blocks that `task` names; throws `internalError` for one that cannot be read or has another size than
    /// its place asks for, so that an engine can rely on both.
    public init(of task: TileTask, from blocks: BlockCache) throws(EngineError) {
        self.init()
        if let image = task.baseImage { try add(image, blocks) }
        for layer in task.layers {
            if let mask = layer.mask { try add(mask, blocks) }
            if let content = layer.content { try add(content, blocks) }
            for selection in layer.strokes {
                var found = strokes[selection.block]
                if found == nil { found = try blocks.strokes(of: selection.block) }
                guard selection.indices.last ?? -1 < found?.count ?? 0 else {
                    throw .internalError("a stroke is beyond the end of its block")
                }
                strokes[selection.block] = found
            }
        }
    }

    private mutating func add(_ slice: ImageSlice, _ blocks: BlockCache) throws(EngineError) {
        for (index, chunk) in slice.chunks.enumerated() {
            guard case .block(let id) = chunk else { continue }
            var samples = rows[id]
            if samples == nil { samples = try blocks.bytes(of: id) }
            let count = ImageSlice.rows(ofChunk: slice.firstChunk + index, imageHeight: slice.size.height).count
            let (size, overflow) = (count * slice.format.bytesPerPixel)
                .multipliedReportingOverflow(by: slice.size.width)
            guard !overflow, let found = samples?.count, found == size else {
                throw .internalError("a chunk has \(samples?.count ?? 0) bytes, expected \(size)")
            }
            rows[id] = samples
        }
    }
}
