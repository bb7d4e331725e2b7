import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import InkWorker
import Synchronization
import Testing

@Suite("Tasks through the engine")
struct EngineTaskRunnerTests {
    private final class Collector: Sendable {
        let items = Mutex<[ResultItem]>([])
    }

    private func run(_ task: WorkerTask, blocks: [Block], cancelled: Bool = false) throws -> [ResultItem] {
        let cache = BlockCache(limitBytes: 1 << 20)
        for block in blocks { cache.insert(block, holders: 1) }
        let collector = Collector()
        let cancellation = Cancellation()
        if cancelled { cancellation.cancel() }
        let context = TaskContext(blocks: cache, threadIndex: 0, cancellation: cancellation) { item in
            collector.items.withLock { $0.append(item) }
        }
        _ = try EngineTaskRunner(threads: 1).run(task, in: context)
        return collector.items.withLock { $0 }
    }

    /// The samples of the only item, the last band of an rgb picture, as a PNG reader sees them. The deflated bytes
    /// themselves may differ from one run to the next; what they inflate to may not.
    private func pixels(_ items: [ResultItem], size: PixelSize) throws -> [UInt8] {
        guard items.count == 1, case .band(let band) = items[0] else {
            Issue.record("\(items)")
            return []
        }
        #expect(band.rowCount == size.height && band.rawByteCount == size.height * (1 + 3 * size.width))
        let png =
            try PNGStream.prologue(size: size, format: .rgb, description: PictureDescription())
            + PNGStream.idat(band.bytes, isFirst: true) + PNGStream.epilogue(adler32: band.adler32)
        let rgba = try PNGDecoder.decodeRGBA(png, place: Place(file: "band")).rgba
        return rgba.indices.filter { $0 % 4 != 3 }.map { rgba[$0] }
    }

    @Test("Blocks that a task has made need not come back for the next one")
    func keepsBlocks() throws {
        let size = PixelSize(width: 3, height: 64)
        let png = try Block(
            content: MinimalPNGWriter.png(gray: (0..<size.area).map { UInt8($0) }, size: size))
        let cache = BlockCache(limitBytes: 1 << 20)
        cache.insert(png, holders: 1)
        let made = Collector()
        let context = TaskContext(blocks: cache, threadIndex: 0) { item in made.items.withLock { $0.append(item) } }
        let task = DecodeTask(image: png.id, use: .mask, place: Place(file: "f"), limits: Limits())
        _ = try EngineTaskRunner(threads: 1).run(.decode(task), in: context)
        let block = try #require(made.items.withLock { $0.first?.block })
        #expect(cache.hold(block.id))
        #expect(try cache.bytes(of: block.id) == (0..<size.area).map { UInt8($0) })
    }

    @Test("An image comes back as chunks and an end")
    func decode() throws {
        let size = PixelSize(width: 3, height: 130)
        let gray = (0..<size.area).map { $0 < 64 * 3 ? UInt8(9) : UInt8(truncatingIfNeeded: $0 % 250) }
        let png = try Block(content: MinimalPNGWriter.png(gray: gray, size: size))
        let task = WorkerTask.decode(
            DecodeTask(image: png.id, use: .mask, place: Place(file: "f"), limits: Limits()))
        #expect(
            try run(task, blocks: [png]) == [
                .imageChunk(.constant(9)), .imageChunk(.samples(try Block(content: Array(gray[192..<384])))),
                .imageChunk(.samples(try Block(content: Array(gray[384...])))),
                .imageEnd(
                    DecodedImageInfo(
                        size: size, format: .mask8, maskBounds: PixelRect(x: 0, y: 0, width: 3, height: 130))),
            ])
    }

    @Test("A file of lines comes in pieces, with the images that were rendered; one image more or less is an error")
    func draw() throws {
        let strokes = (0..<100).map { index in
            Stroke(
                brush: Brush(type: .dots),
                points: [0, 2000].map { StrokePoint(x: $0, y: Double(index) * 20) })
        }
        let size = PixelSize(width: 4, height: 2)
        var picture = DrawnPicture(
            [Layer(name: "a", strokes: strokes)], name: "f", encoding: PictureEncoding(format: .svg),
            canvas: CanvasSize(width: 2000, height: 2000), output: size, background: .transparent,
            fillsSuggested: false)
        picture.hasBaseImage = true
        let drawn = DrawnPictureBlock(picture)
        let content = try Block(content: drawn.encoded())
        let lines = try MarkBlock(.strokes(drawn.strokes)).sealed()
        let pixels = (0..<32 as Range<UInt8>).map { $0 * 7 }
        let tile = BandTile(
            rect: PixelRect(x: 0, y: 0, width: 4, height: 2), block: try Block(content: pixels).id)
        let image = FinishTask(size: size, format: .rgba, encoding: PictureEncoding(), rows: [[tile]])
        func run(_ images: [FinishTask]) throws -> [ResultItem] {
            let task = DrawTask(picture: content.id, marks: [lines.id], images: images)
            return try self.run(.draw(task), blocks: [content, lines, try Block(content: pixels)])
        }
        let pieces = try run([image]).compactMap { item in if case .band(let piece) = item { piece } else { nil } }
        #expect(pieces.count > 1 && pieces.allSatisfy { $0.rowCount == 2 && $0.rawByteCount == $0.bytes.count })
        #expect(pieces.dropLast().allSatisfy { $0.bytes.count == ResultLimit.drawnPieceBytes })
        let whole = WholePicture(size: size, format: .rgba) { take throws(EngineError) in
            try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
                try take(
                    PixelRows(pixels: UnsafeRawBufferPointer(bytes), width: 4, format: .rgba, firstRow: 0))
            }
        }
        let png = try PictureSet.file(of: whole, PictureEncoding(), PieceSetEncoder())
        var file: [UInt8] = []
        let tools = VectorPictureTools(
            write: { (bytes) throws(EngineError) in file += bytes }, image: { (_) throws(EngineError) in png },
            isCancelled: { false })
        try VectorPicture(picture, tools: tools).write()
        #expect(pieces.flatMap(\.bytes) == file)
        #expect(throws: EngineError.self) { try run([]) }
        #expect(throws: EngineError.self) { try run([image, image]) }
    }

    @Test("Of a large image that is placed small, its pixels in the picture come back, for one place after the other")
    func scaledImages() throws {
        let size = PixelSize(width: 600, height: 500)
        let gray = (0..<size.area).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 600) }
        let png = try Block(content: MinimalPNGWriter.png(gray: gray, size: size))
        func scaling(_ edge: Double, rotation: Double = 0) -> ImageScaling {
            ImageScaling(
                placement: Placement(x: 5, y: 6, width: edge, height: edge, rotation: rotation),
                canvas: CanvasSize(width: 100, height: 90), output: PixelSize(width: 100, height: 90))
        }
        func run(_ scalings: [ImageScaling]) throws -> [ResultItem] {
            let task = DecodeTask(
                image: png.id, use: .color, scalings: scalings, place: Place(file: "f"), limits: Limits())
            #expect(WorkerTask.decode(task).resultKind == .decodedImages(scalings.count))
            return try self.run(.decode(task), blocks: [png])
        }
        let (small, large) = (scaling(20), scaling(70, rotation: 30))
        let items = try run([small, large])
        #expect(try items == run([small]) + run([large]))
        var held = 0
        for item in items { held += try item.block?.content().count ?? 0 }
        let sizes = [small, large].compactMap { $0.size(of: size, as: .color) }
        #expect(sizes.count == 2 && sizes[0] == PixelSize(width: 20, height: 20))
        #expect(held == sizes.reduce(0) { $0 + $1.area } * 16)
        #expect(held < gray.count)
        // More than it is worth, and nothing that shows.
        #expect(throws: EngineError.self) { try run([scaling(90), scaling(89), scaling(88)]) }
        #expect(throws: EngineError.self) {
            var beside = small
            beside.placement?.x = 500
            _ = try run([beside])
        }
    }

    @Test("What is wrong with an image keeps its place")
    func badImage() throws {
        let png = try Block(content: [0])
        let place = Place(file: "f.ink", path: "layers[1].maskImage")
        let task = WorkerTask.decode(DecodeTask(image: png.id, use: .mask, place: place, limits: Limits()))
        let error = #expect(throws: EngineError.self) { try run(task, blocks: [png]) }
        guard case .badInput(let found, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == place)
    }

    @Test("A tile comes back as pixels or as a band of the same pixels")
    func render() throws {
        let strokes = try TaskSamples.strokes(1)
        guard case .pixels(let block)? = try run(TaskSamples.tile([strokes.id]), blocks: [strokes]).first else {
            Issue.record("no pixels")
            return
        }
        let pixels = try Zstandard.decompress(block.frame, limit: 1000)
        // A stamp of black lines across white: row 0 is half covered, the line being one wide round y = 0.
        #expect(pixels == [UInt8](repeating: 128, count: 12) + [UInt8](repeating: 255, count: 12))
        let encoding = PieceEncoding(PictureEncoding(effort: .fast), isLast: true)
        let items = try run(TaskSamples.tile([strokes.id], delivery: .band(encoding)), blocks: [strokes])
        #expect(try self.pixels(items, size: PixelSize(width: 4, height: 2)) == pixels)
    }

    @Test("Tiles side by side become rows")
    func encode() throws {
        // Two tiles of 1 and 2 columns, 2 rows, rgb.
        let left = try Block(content: [1, 1, 1, 2, 2, 2])
        let right = try Block(content: [3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6])
        let encoding = PieceEncoding(PictureEncoding(effort: .fast), isLast: true)
        let task = WorkerTask.encode(
            EncodeTask(
                rect: PixelRect(x: 0, y: 8, width: 3, height: 2), format: .rgb, encoding: encoding,
                pieces: [
                    BandTile(rect: PixelRect(x: 0, y: 8, width: 1, height: 2), block: left.id),
                    BandTile(rect: PixelRect(x: 1, y: 8, width: 2, height: 2), block: right.id),
                ]))
        let rows: [UInt8] = [1, 1, 1, 3, 3, 3, 4, 4, 4, 2, 2, 2, 5, 5, 5, 6, 6, 6]
        #expect(try pixels(run(task, blocks: [left, right]), size: PixelSize(width: 3, height: 2)) == rows)
        #expect(throws: EngineError.internalError("6 bytes of pixels, expected 12")) {
            let short = Block(id: right.id, frame: left.frame)
            return try run(task, blocks: [left, short])
        }
    }

    @Test("A chunk of the wrong size and a stroke beyond its block are refused")
    func defects() throws {
        let mask = try Block(content: [UInt8](repeating: 1, count: 15))
        guard case .render(var tile) = TaskSamples.tile() else { return }
        tile.layers[0].mask = ImageSlice(
            size: PixelSize(width: 4, height: 4), format: .mask8, firstChunk: 0, chunks: [.samples(mask.id)])
        #expect(throws: EngineError.internalError("block \(mask.id) has 15 bytes, which are not 4 rows of 4 pixels")) {
            try run(.render(tile), blocks: [mask])
        }
        let strokes = try TaskSamples.strokes(7)
        tile.layers[0].mask = nil
        tile.layers[0].kind = .marks(nil, [StrokeSelection(block: strokes.id, indices: [0, 1])])
        #expect(throws: EngineError.internalError("block \(strokes.id) has only 1 strokes")) {
            try run(.render(tile), blocks: [strokes])
        }
    }

    @Test("A cancelled run hands out nothing")
    func cancelled() throws {
        let strokes = try TaskSamples.strokes(7)
        #expect(throws: EngineError.cancelled) {
            try run(TaskSamples.tile([strokes.id]), blocks: [strokes], cancelled: true)
        }
    }
}
