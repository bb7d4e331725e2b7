import InkCodecs
public import InkEngine
public import InkPlanning
public import InkProtocol
import InkSystem
import Synchronization

/// Executes tasks with the engine: reads blocks, renders, and makes results.
public final class EngineTaskRunner: TaskRunner {
    /// A thread's tools and scratch memory, created by that thread. Its lock is never contended, because no two runs
    /// have the same thread number.
    private final class Bench: Sendable {
        struct Tools {
            let renderer = TileRenderer()
            let encoder = PieceSetEncoder()
        }

        private let tools = Mutex<Tools?>(nil)

        func use<Result>(
            _ body: (inout Tools) throws(EngineError) -> sending Result
        ) throws(EngineError) -> sending Result {
            try tools.withLock { tools throws(EngineError) in
                var made = tools ?? Tools()
                defer { tools = made }
                return try body(&made)
            }
        }
    }

    private let benches: [Bench]
    private let documents: (any DocumentTaskReader)?

    /// - Parameters:
    ///   - threads: runs have thread numbers 0 ..< threads.
    ///   - documents: reads the documents of tasks; nil where all projects are in the process.
    public init(threads: Int, documents: (any DocumentTaskReader)? = nil) {
        benches = (0..<threads).map { _ in Bench() }
        self.documents = documents
    }

    public func prepare(thread index: Int) {
        // If this fails, the thread's first task tries again and reports the failure.
        try? benches[index].use { _ throws(EngineError) in }
    }

    public func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        switch task {
        case .decode(let task): try decode(task, context)
        case .render(let task): try render(task, context)
        case .encode(let task): try encode(task, context)
        case .finish(let task): try finish(task, context)
        case .draw(let task): try draw(task, context)
        case .read(let task): try read(task, context)
        case .whole(let task): try whole(task, context)
        }
    }

    private func decode(_ task: DecodeTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        var compressing: UInt64 = 0
        let file = try context.blocks.bytes(of: task.image)
        func sealed(_ chunk: DecodedChunk) throws(EngineError) -> ResultItem {
            try context.checkCancellation()
            switch chunk.content {
            case .constant(let value): return .imageChunk(.constant(value))
            case .samples(let samples):
                let before = SystemClock.nanoseconds
                defer { compressing += SystemClock.nanoseconds - before }
                return .imageChunk(.samples(try EngineTaskRunner.seal(samples, context)))
            }
        }
        if task.scalings.isEmpty {
            let info = try ImageDecoders.decode(
                file, as: task.use, convertsProfiles: task.convertsProfiles, raster: task.raster, place: task.place,
                limits: task.limits
            ) { (chunk) throws(EngineError) in try context.emit(sealed(chunk)) }
            try context.emit(.imageEnd(info))
        } else {
            // What is ready of the further ones waits until the first has ended.
            var items: [[ResultItem]] = Array(repeating: [], count: task.scalings.count)
            let infos = try ImageDecoders.decode(
                file, as: task.use, convertsProfiles: task.convertsProfiles, scalings: task.scalings,
                place: task.place, limits: task.limits, isCancelled: { context.isCancelled }
            ) { (index, chunk) throws(EngineError) in
                let item = try sealed(chunk)
                if index == 0 { try context.emit(item) } else { items[index].append(item) }
            }
            for (waiting, info) in zip(items, infos) {
                for item in waiting { try context.emit(item) }
                try context.emit(.imageEnd(info))
            }
        }
        return PhaseTimes(decode: SystemClock.nanoseconds - start - compressing, encode: compressing)
    }

    private func render(_ task: TileTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        var blocks: [BlockID] = []
        for element in task.layers { element.forEach { blocks += $0.marks.map(\.block) } }
        try context.blocks.open(strokes: blocks) { context.isCancelled }
        let tile = try benches[context.threadIndex].use { tools throws(EngineError) in
            try tools.renderer.render(task, blocks: context.blocks) { context.isCancelled }
        }
        let rendered = SystemClock.nanoseconds
        try context.checkCancellation()
        switch task.delivery {
        case .pixels: try context.emit(.pixels(EngineTaskRunner.seal(tile.pixels, context)))
        case .band(let encoding):
            try emitBand(tile.pixels, task.rect, format: task.pixelFormat, encoding, context)
        case .bandAndPixels(let encoding, let halvings):
            try emitBand(tile.pixels, task.rect, format: task.pixelFormat, encoding, context)
            let pixels =
                halvings == 0
                ? tile.pixels
                : tile.pixels.withUnsafeBufferPointer { bytes in
                    PixelRows(
                        pixels: UnsafeRawBufferPointer(bytes), width: task.rect.width, format: task.pixelFormat,
                        firstRow: task.rect.y
                    ).halved(halvings)
                }
            try context.emit(.pixels(EngineTaskRunner.seal(pixels, context)))
        }
        // The remaining time of rendering is spent on reading blocks.
        let known = tile.rasterNanoseconds + tile.compositeNanoseconds
        return PhaseTimes(
            decode: rendered - start - min(known, rendered - start), raster: tile.rasterNanoseconds,
            composite: tile.compositeNanoseconds, encode: SystemClock.nanoseconds - rendered)
    }

    private func encode(_ task: EncodeTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        let pixels = try EngineTaskRunner.band(task.pieces, height: task.rect.height, task.format, context.blocks)
        let opened = SystemClock.nanoseconds
        try context.checkCancellation()
        try emitBand(pixels, task.rect, format: task.format, task.encoding, context)
        return PhaseTimes(decode: opened - start, encode: SystemClock.nanoseconds - opened)
    }

    private func finish(_ task: FinishTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        var opening: UInt64 = 0
        let picture = EngineTaskRunner.picture(of: task, context) { opening += $0 }
        try emit(try PictureSet.encodeWhole(picture, task.encoding), context)
        return PhaseTimes(decode: opening, encode: SystemClock.nanoseconds - start - opening)
    }

    /// - Parameter onOpened: gets the nanoseconds that the tiles of each row took to be read.
    private static func picture(
        of task: FinishTask, _ context: TaskContext, onOpened: @escaping (UInt64) -> Void
    ) -> WholePicture {
        let width = task.size.halved(task.halvings).width
        var picture = WholePicture(
            size: task.size, format: task.format, halvings: task.halvings
        ) { take throws(EngineError) in
            var y = 0
            for row in task.rows {
                try context.checkCancellation()
                let before = SystemClock.nanoseconds
                let height = row[0].rect.height
                let pixels = try EngineTaskRunner.band(row, height: height, task.format, context.blocks)
                onOpened(SystemClock.nanoseconds - before)
                try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                    try take(
                        PixelRows(
                            pixels: UnsafeRawBufferPointer(bytes), width: width, format: task.format,
                            firstRow: y))
                }
                y += height
            }
        }
        picture.isCancelled = { context.isCancelled }
        return picture
    }

    private func draw(_ task: DrawTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        var (strokes, shapes): ([Stroke], [Shape]) = ([], [])
        for id in task.marks {
            switch try context.blocks.marks(of: id) {
            case .strokes(let found): strokes += found
            case .shapes(let found): shapes += found
            }
        }
        let content = try context.blocks.bytes(of: task.picture)
        let drawn: DrawnPicture
        do throws(ProtocolError) {
            drawn = try DrawnPictureBlock(decoding: content, strokes: strokes, shapes: shapes).picture
        } catch {
            throw .internalError("a drawn picture cannot be read: \(error)")
        }
        let opened = SystemClock.nanoseconds
        var encoding: UInt64 = 0
        var images = task.images[...]
        var piece = EncodedPiece(rowCount: drawn.output.height, rawByteCount: 0, adler32: Adler32.empty, bytes: [])
        func emitPiece() throws(EngineError) {
            piece.rawByteCount = piece.bytes.count
            try emit(piece, context)
            piece.bytes = []
        }
        let tools = VectorPictureTools(
            write: { (bytes) throws(EngineError) in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let part = rest.prefix(ResultLimit.drawnPieceBytes - piece.bytes.count)
                    piece.bytes += part
                    rest = rest.dropFirst(part.count)
                    if piece.bytes.count == ResultLimit.drawnPieceBytes { try emitPiece() }
                }
            },
            image: { [benches] (image) throws(EngineError) in
                guard let task = images.popFirst() else {
                    throw .internalError("a file of lines has an image that was not rendered")
                }
                let before = SystemClock.nanoseconds
                defer { encoding += SystemClock.nanoseconds - before }
                return try benches[context.threadIndex].use { tools throws(EngineError) in
                    try PictureSet.file(
                        of: EngineTaskRunner.picture(of: task, context) { _ in }, task.encoding, tools.encoder)
                }
            }, isCancelled: { context.isCancelled })
        try VectorPicture(drawn, tools: tools).write()
        if !piece.bytes.isEmpty { try emitPiece() }
        guard images.isEmpty else {
            throw .internalError("a file of lines has \(images.count) images fewer than were rendered")
        }
        return PhaseTimes(
            decode: opened - start, raster: SystemClock.nanoseconds - opened - encoding, encode: encoding)
    }

    private func read(_ task: ReadTask, _ context: TaskContext) throws(EngineError) -> PhaseTimes {
        let start = SystemClock.nanoseconds
        switch task {
        case .local(let id):
            let (draft, blocks) = try source(id, context).draft()
            try emit(blocks, context)
            guard let shared = context.blocks.share(value: draft) else {
                throw .internalError("a draft is made for another process")
            }
            try context.emit(.draft(shared))
            try context.emit(.readingEnd(ReadingEnd()))
        case .document(let task): try answer(task, context)
        }
        var phases = PhaseTimes()
        phases.prepare = SystemClock.nanoseconds - start
        return phases
    }

    /// The project of this process to which a block refers.
    func source(_ id: BlockID, _ context: TaskContext) throws(EngineError) -> DraftSource {
        guard let source = try context.blocks.value(of: id) as? DraftSource else {
            throw .internalError("block \(id) is no project")
        }
        return source
    }

    func reading(_ task: DocumentTask, _ context: TaskContext) throws(EngineError) -> DocumentTaskReading {
        guard let documents else { throw .internalError("this worker reads no documents") }
        return try documents.read(task) { id throws(EngineError) in
            try context.checkCancellation()
            return try context.blocks.bytes(of: id)
        }
    }

    private func answer(_ task: DocumentTask, _ context: TaskContext) throws(EngineError) {
        let items: [ResultItem]
        do throws(EngineError) {
            items = try task.result(of: reading(task, context))
        } catch {
            items = try DocumentTask.result(refusing: error)
        }
        for item in items { try context.emit(item) }
    }

    /// Emits the blocks of a draft. If one is not taken, those behind it are let go.
    private func emit(_ made: [EncodedBlock], _ context: TaskContext) throws(EngineError) {
        let blocks = made.map { Block(id: $0.id, frame: $0.frame) }
        for (index, block) in blocks.enumerated() {
            do throws(EngineError) { try context.emit(.block(block)) } catch {
                for block in blocks[(index + 1)...] { context.blocks.withdraw(block) }
                throw error
            }
        }
    }

    private func emitBand(
        _ pixels: [UInt8], _ rect: PixelRect, format: PixelFormat, _ encoding: PieceEncoding, _ context: TaskContext
    ) throws(EngineError) {
        let piece = try benches[context.threadIndex].use { tools throws(EngineError) in
            try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                let rows = PixelRows(
                    pixels: UnsafeRawBufferPointer(bytes), width: rect.width, format: format, firstRow: rect.y)
                return try tools.encoder.encode(rows, encoding)
            }
        }
        try emit(piece, context)
    }

    private func emit(_ piece: EncodedPiece, _ context: TaskContext) throws(EngineError) {
        var piece = piece
        if let block = context.blocks.share(piece.bytes) {
            piece.bytes = []
            try context.emit(.localBand(piece, block.id))
        } else {
            try context.emit(.band(piece))
        }
    }

    /// The rows of a band, joined from tiles side by side.
    private static func band(
        _ pieces: [BandTile], height: Int, _ format: PixelFormat, _ blocks: BlockCache
    ) throws(EngineError) -> [UInt8] {
        let bytesPerPixel = format.bytesPerPixel
        var tiles: [(rowBytes: Int, pixels: [UInt8])] = []
        for piece in pieces {
            let pixels = try blocks.bytes(of: piece.block)
            let expected = piece.rect.area * bytesPerPixel
            guard pixels.count == expected else {
                throw .internalError("\(pixels.count) bytes of pixels, expected \(expected)")
            }
            tiles.append((piece.rect.width * bytesPerPixel, pixels))
        }
        // Reserved only now, when all of it is already in memory as tiles.
        var band: [UInt8] = []
        band.reserveCapacity(tiles.reduce(0) { $0 + $1.pixels.count })
        for row in 0..<height {
            for tile in tiles { band += tile.pixels[(row * tile.rowBytes)..<((row + 1) * tile.rowBytes)] }
        }
        return band
    }

    private static func seal(_ samples: [UInt8], _ context: TaskContext) throws(EngineError) -> Block {
        if let block = context.blocks.share(samples) { return block }
        do throws(ProtocolError) { return try Block(content: samples) } catch { throw .internalError("\(error)") }
    }
}
