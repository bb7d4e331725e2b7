import InkEngine
import InkProtocol
import InkWorker
import Synchronization
import Testing

/// Makes recognisable pixels: a tile's are its strokes' x, a band is its samples as they are, an image has as many
/// rows as its file has bytes.
struct FakeEngine: RenderingEngine {
    func decode(
        _ png: [UInt8], _ task: DecodeTask, threadIndex: Int, onChunk: (DecodedRows) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageResult {
        guard png.first != 0 else { throw .badInput(task.place, reason: "not a PNG") }
        for chunk in 0..<((png.count + 63) / 64) {
            let rows = min(64, png.count - chunk * 64)
            try onChunk(chunk == 0 ? .constant(9) : .samples([UInt8](repeating: UInt8(chunk), count: rows * 3)))
        }
        return DecodedImageResult(
            size: PixelSize(width: 3, height: png.count), format: .mask8,
            maskBounds: PixelRect(x: 0, y: 0, width: 1, height: 1))
    }

    func render(
        _ task: TileTask, _ content: TileContent, threadIndex: Int
    ) throws(EngineError) -> (pixels: [UInt8], phases: TaskPhases) {
        let value = content.strokes.values.reduce(0.0) { $0 + $1[0].points[0].x }
        let count = task.rect.area * task.pixelFormat.bytesPerPixel
        // 200 stands for a renderer that is out of its mind.
        let pixels = [UInt8](repeating: UInt8(value), count: value == 200 ? 1 : count)
        return (pixels, TaskPhases(raster: 5, composite: 6))
    }

    func encode(
        _ pixels: [UInt8], width: Int, format: OutputFormat, encoding: BandEncoding, threadIndex: Int
    ) throws(EngineError) -> BandResult {
        BandResult(
            rowCount: pixels.count / (width * format.bytesPerPixel), filteredByteCount: pixels.count, adler32: 1,
            deflated: pixels)
    }
}

@Suite("Tasks through the engine")
struct EngineTaskRunnerTests {
    private final class Collector: Sendable {
        let items = Mutex<[ResultItem]>([])
    }

    private func run(
        _ task: WorkerTask, blocks: [Block], cancelled: Bool = false
    ) throws -> (items: [ResultItem], phases: TaskPhases) {
        let cache = BlockCache(limitBytes: 1 << 20)
        for block in blocks { cache.insert(block, holders: 1) }
        let collector = Collector()
        let cancellation = Cancellation()
        if cancelled { cancellation.cancel() }
        let context = TaskContext(blocks: cache, threadIndex: 0, cancellation: cancellation) { item in
            collector.items.withLock { $0.append(item) }
        }
        let phases = try EngineTaskRunner(engine: FakeEngine()).run(task, in: context)
        return (collector.items.withLock { $0 }, phases)
    }

    @Test("An image comes back as chunks and an end")
    func decode() throws {
        let png = try Block(content: [UInt8](repeating: 1, count: 130))
        let task = WorkerTask.decode(
            DecodeTask(image: png.id, purpose: .mask, place: Place(file: "f"), limits: Limits()))
        let items = try run(task, blocks: [png]).items
        #expect(
            items == [
                .imageChunk(.constant(9)), .imageChunk(.block(try Block(content: [UInt8](repeating: 1, count: 192)))),
                .imageChunk(.block(try Block(content: [UInt8](repeating: 2, count: 6)))),
                .imageEnd(
                    DecodedImageResult(
                        size: PixelSize(width: 3, height: 130), format: .mask8,
                        maskBounds: PixelRect(x: 0, y: 0, width: 1, height: 1))),
            ])
    }

    @Test("What is wrong with an image keeps its place")
    func badImage() throws {
        let png = try Block(content: [0])
        let place = Place(file: "f.ink", path: "layers[1].maskImage")
        let task = WorkerTask.decode(DecodeTask(image: png.id, purpose: .mask, place: place, limits: Limits()))
        #expect(throws: EngineError.badInput(place, reason: "not a PNG")) { try run(task, blocks: [png]) }
    }

    @Test("A tile comes back as a band or as pixels, with its phases")
    func render() throws {
        let strokes = try TaskSamples.strokes(7)
        let pixels = [UInt8](repeating: 7, count: 4 * 2 * 3)
        let asPixels = try run(TaskSamples.tile([strokes.id]), blocks: [strokes])
        #expect(asPixels.items == [.pixels(try Block(content: pixels))])
        #expect(asPixels.phases.raster == 5 && asPixels.phases.composite == 6)
        let band = TileDelivery.band(BandEncoding(effort: .fast, isLast: true))
        #expect(
            try run(TaskSamples.tile([strokes.id], delivery: band), blocks: [strokes]).items
                == [.band(BandResult(rowCount: 2, filteredByteCount: 24, adler32: 1, deflated: pixels))])
    }

    @Test("Tiles side by side become rows")
    func encode() throws {
        // Two tiles of 1 and 2 columns, 2 rows, rgb.
        let left = try Block(content: [1, 1, 1, 2, 2, 2])
        let right = try Block(content: [3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6])
        let task = WorkerTask.encode(
            EncodeTask(
                rect: PixelRect(x: 0, y: 8, width: 3, height: 2), format: .rgb,
                encoding: BandEncoding(effort: .fast, isLast: false),
                pieces: [
                    EncodePiece(rect: PixelRect(x: 0, y: 8, width: 1, height: 2), block: left.id),
                    EncodePiece(rect: PixelRect(x: 1, y: 8, width: 2, height: 2), block: right.id),
                ]))
        let expected: [UInt8] = [1, 1, 1, 3, 3, 3, 4, 4, 4, 2, 2, 2, 5, 5, 5, 6, 6, 6]
        #expect(
            try run(task, blocks: [left, right]).items
                == [.band(BandResult(rowCount: 2, filteredByteCount: 18, adler32: 1, deflated: expected))])
        #expect(throws: EngineError.internalError("6 bytes of pixels, expected 12")) {
            let short = Block(id: right.id, frame: left.frame)
            return try run(task, blocks: [left, short])
        }
    }

    @Test("Blocks of the wrong size, strokes beyond their block and pixels of the wrong count are defects")
    func defects() throws {
        let mask = try Block(content: [UInt8](repeating: 1, count: 15))
        let slice = ImageSlice(
            size: PixelSize(width: 4, height: 4), format: .mask8, firstChunk: 0, chunks: [.block(mask.id)])
        guard case .render(var tile) = TaskSamples.tile() else { return }
        tile.layers[0].mask = slice
        #expect(throws: EngineError.internalError("a chunk has 15 bytes, expected 16")) {
            try run(.render(tile), blocks: [mask])
        }
        let strokes = try TaskSamples.strokes(7)
        tile.layers[0].mask = nil
        tile.layers[0].strokes = [StrokeSelection(block: strokes.id, indices: [0, 1])]
        #expect(throws: EngineError.internalError("a stroke is beyond the end of its block")) {
            try run(.render(tile), blocks: [strokes])
        }
        let mad = try TaskSamples.strokes(200)
        #expect(throws: EngineError.internalError("1 bytes of pixels, expected 24")) {
            try run(TaskSamples.tile([mad.id]), blocks: [mad])
        }
    }

    @Test("A cancelled run ends before it renders")
    func cancelled() throws {
        let strokes = try TaskSamples.strokes(7)
        #expect(throws: EngineError.internalError("cancelled")) {
            try run(TaskSamples.tile([strokes.id]), blocks: [strokes], cancelled: true)
        }
    }
}
