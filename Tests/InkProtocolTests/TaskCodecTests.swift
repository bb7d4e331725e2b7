import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@Suite("Tasks as bytes")
struct TaskCodecTests {
    @Test("A task comes back as it was", arguments: 0..<200)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let task = random.workerTask()
        let bytes = task.encoded()
        #expect(try WorkerTask(decoding: bytes) == task, "seed \(seed)")
        #expect(task.encoded() == bytes)
        #expect(throws: ProtocolError.self, "seed \(seed)") { try WorkerTask(decoding: bytes + [0]) }
        let cut = random.int(0...(bytes.count - 1))
        #expect(throws: ProtocolError.self, "seed \(seed), cut \(cut)") {
            try WorkerTask(decoding: Array(bytes[..<cut]))
        }
    }

    @Test("A changed task is refused or is another task, with bytes of its own", arguments: 0..<400)
    func changedBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var bytes = random.workerTask().encoded()
        for _ in 0..<random.int(1...3) { bytes[random.int(0...(bytes.count - 1))] = random.bytes(1)[0] }
        if let task = try? WorkerTask(decoding: bytes) { #expect(task.encoded() == bytes, "seed \(seed)") }
    }

    @Test("All blend modes and brush types have a number")
    func numbers() throws {
        for mode in BlendMode.allCases {
            let layer = TileLayer(opacity: 1, blendMode: mode, mask: nil, content: nil, strokes: [])
            let task = WorkerTask.render(tile(layers: [layer]))
            #expect(try WorkerTask(decoding: task.encoded()) == task)
        }
        for type in BrushType.allCases {
            let block = MarkBlock(.strokes([Stroke(brush: Brush(type: type), points: [StrokePoint(x: 1, y: 2)])]))
            #expect(try MarkBlock(decoding: block.encoded()) == block)
        }
    }

    @Test("A tile outside the picture is refused")
    func wrongRects() {
        let outside = tile(rect: PixelRect(x: 0, y: 60, width: 100, height: 41))
        #expect(throws: ProtocolError.self) { try WorkerTask(decoding: WorkerTask.render(outside).encoded()) }
    }

    @Test("A band's pieces that leave a gap, overlap, differ in height or fit no block are refused", arguments: 0..<5)
    func wrongPieces(fault: Int) {
        var random = SeededGenerator(seed: 5)
        var task = random.encodeTask()
        task.pieces = [0, 8].map { x in
            BandTile(rect: PixelRect(x: x, y: 3, width: 8, height: 4), block: random.blockID())
        }
        task.rect = PixelRect(x: 0, y: 3, width: 16, height: 4)
        #expect(throws: Never.self) { try WorkerTask(decoding: WorkerTask.encode(task).encoded()) }
        switch fault {
        case 0: task.pieces[1].rect.x = 9
        case 1: task.pieces[1].rect.x = 7
        case 2: task.pieces[0].rect.height = 5
        case 3:
            task.rect = PixelRect(x: 0, y: 0, width: ProtocolLimits.edgePixels, height: ProtocolLimits.edgePixels)
            task.pieces = [BandTile(rect: task.rect, block: random.blockID())]
        default: task.rect.width = 17
        }
        #expect(throws: ProtocolError.self) { try WorkerTask(decoding: WorkerTask.encode(task).encoded()) }
    }

    @Test("Tiles that do not cover the picture are refused", arguments: 0..<5)
    func wrongWholes(fault: Int) {
        var random = SeededGenerator(seed: 6)
        var task = FinishTask(size: PixelSize(width: 16, height: 10), format: .rgb, encoding: .init(), rows: [])
        task.rows = [0..<6, 6..<10].map { rows in
            [0, 8].map { x in
                BandTile(
                    rect: PixelRect(x: x, y: rows.lowerBound, width: 8, height: rows.count), block: random.blockID())
            }
        }
        #expect(throws: Never.self) { try WorkerTask(decoding: WorkerTask.finish(task).encoded()) }
        switch fault {
        case 0: task.rows[1][1].rect.x = 9
        case 1: task.rows.removeLast()
        case 2: task.rows[1][0].rect.height = 5
        case 3: task.rows[0].removeLast()
        default: task.size.height = 11
        }
        #expect(throws: ProtocolError.self) { try WorkerTask(decoding: WorkerTask.finish(task).encoded()) }
    }

    @Test("A drawn picture comes back with its strokes, and writes the same file", arguments: 0..<40 as Range<UInt64>)
    func drawnPictures(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let block = DrawnPictureBlock(random.drawnPicture())
        let (bytes, strokes, shapes) = (block.encoded(), block.strokes, block.shapes)
        let read = try DrawnPictureBlock(decoding: bytes, strokes: strokes, shapes: shapes)
        #expect(read.encoded() == bytes)
        #expect(read.strokes == strokes && read.shapes == shapes)
        let elements = { (block: DrawnPictureBlock) in block.picture.layers.flattened().map(\.layer) }
        #expect(elements(read).map(\.maskShapes) == elements(block).map(\.maskShapes))
        #expect(elements(read).map(\.contentFilter) == elements(block).map(\.contentFilter))
        #expect(read.picture.description == block.picture.description)
        let more = strokes + [Stroke(brush: Brush(type: .dots), points: [])]
        #expect(throws: ProtocolError.self) {
            try DrawnPictureBlock(decoding: bytes, strokes: more, shapes: shapes)
        }
        #expect(throws: ProtocolError.self) {
            try DrawnPictureBlock(decoding: bytes, strokes: strokes, shapes: shapes + [Shape(path: ShapePath())])
        }
        if !strokes.isEmpty {
            #expect(throws: ProtocolError.self) {
                try DrawnPictureBlock(decoding: bytes, strokes: Array(strokes.dropLast()), shapes: shapes)
            }
        }
        if !shapes.isEmpty {
            #expect(throws: ProtocolError.self) {
                try DrawnPictureBlock(decoding: bytes, strokes: strokes, shapes: Array(shapes.dropLast()))
            }
        }
    }

    @Test("A claimed count of elements that the bytes cannot hold is refused before memory is taken")
    func claimedCount() {
        var bytes = WorkerTask.render(tile()).encoded()
        // Behind kind, canvas, output, tile, absent frame, origin of patterns, colour and absent base image: the number of
        // layers.
        let offset = 1 + 16 + 2 + 4 + 1 + 16 + 4 + 1
        #expect(bytes[offset] == 0)
        bytes.replaceSubrange(offset...offset, with: [0x80, 0x80, 0x04])
        #expect(
            throws: ProtocolError.badValue(
                what: "layers", offset: offset, found: "65536", expected: "at most 1 in these bytes")
        ) {
            try WorkerTask(decoding: bytes)
        }
    }

    @Test("A task's blocks are listed once each, in order")
    func blocks() {
        var random = SeededGenerator(seed: 9)
        let ids = (0..<4).map { _ in random.blockID() }
        let slice = ImageSlice(
            size: PixelSize(width: 8, height: 200), format: .mask8, firstChunk: 0,
            chunks: [.samples(ids[0]), .constant(3), .samples(ids[1])])
        let layer = TileLayer(
            opacity: 1, blendMode: .normal, mask: slice, content: nil,
            strokes: [StrokeSelection(block: ids[2], indices: [0]), StrokeSelection(block: ids[0], indices: [])])
        let task = WorkerTask.render(tile(layers: [layer, layer]))
        #expect(task.blocks == [ids[0], ids[1], ids[2]])
    }

    @Test("A large task travels as a block, a small one in the message")
    func payload() throws {
        let small = WorkerTask.render(tile())
        let (inline, none) = try TaskPayload.make(small)
        #expect(inline == .inline(small.encoded()) && none == nil)
        var random = SeededGenerator(seed: 1)
        let selection = StrokeSelection(block: random.blockID(), indices: Array(stride(from: 0, to: 900_000, by: 3)))
        let layer = TileLayer(opacity: 1, blendMode: .normal, mask: nil, content: nil, strokes: [selection])
        let large = WorkerTask.render(tile(layers: [layer]))
        let (payload, block) = try TaskPayload.make(large)
        let carried = try #require(block)
        #expect(payload == .block(carried.id))
        #expect(try WorkerTask(decoding: carried.content(limit: ProtocolLimits.taskBytes)) == large)
    }

    private func tile(
        rect: PixelRect = PixelRect(x: 0, y: 0, width: 100, height: 10), layers: [TileLayer] = []
    ) -> TileTask {
        TileTask(
            canvas: CanvasSize(PixelSize(width: 100, height: 100)), output: PixelSize(width: 100, height: 100),
            rect: rect,
            background: .white, baseImage: nil, layers: layers, pixelFormat: .rgb,
            delivery: .band(PieceEncoding(PictureEncoding(effort: .fast), isLast: false)))
    }
}

@Suite("Blocks of marks")
struct MarkBlockTests {
    @Test("Strokes come back to the last bit", arguments: 0..<60)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let block = MarkBlock(.strokes(random.strokes()))
        #expect(try MarkBlock(decoding: block.encoded()) == block, "seed \(seed)")
        let sealed = try block.sealed()
        #expect(try MarkBlock(decoding: sealed.content()) == block)
        #expect(try block.sealed() == sealed)
    }

    @Test("Shapes come back to the last bit, with what they say", arguments: 0..<60)
    func shapes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let block = MarkBlock(.shapes((0..<3).flatMap { _ in random.saidShapes() }))
        #expect(try MarkBlock(decoding: block.encoded()) == block, "seed \(seed)")
        #expect(try MarkBlock(decoding: block.sealed().content()) == block)
    }

    @Test("A symbol is there once in a block, but two paths of one name are two paths")
    func symbols() throws {
        var random = SeededGenerator(seed: 1)
        let (path, other) = (random.path(reach: 50), random.path(reach: 60))
        func block(_ paths: [ShapePath]) -> MarkBlock { MarkBlock(.shapes(paths.map { Shape(path: $0, symbol: "a") })) }
        let one = block([path]).encoded().count
        // Two indices and flags.
        #expect(block([path, path, path]).encoded().count == one + 2 * 3)
        let mixed = block([path, other, path, other])
        #expect(try MarkBlock(decoding: mixed.encoded()) == mixed)
    }

    @Test("Few bytes cannot ask for any number of segments")
    func segments() throws {
        var path = ShapePath()
        path.move(to: Point(x: 0, y: 0))
        for _ in 0..<100_000 { path.close() }
        let count = ProtocolLimits.markBlockSegments / 100_000
        let most = Array(repeating: Shape(path: path, symbol: "a"), count: count)
        #expect(throws: ProtocolError.self) { try MarkBlock(decoding: MarkBlock(.shapes(most)).encoded()) }
        let fewer = MarkBlock(.shapes(Array(most.dropLast())))
        #expect(try MarkBlock(decoding: fewer.encoded()).marks.count == count - 1)
    }

    @Test("Values of shapes, paints and brushes that no project has do not get in")
    func valuesOfShapes() {
        let path = ShapePath(verbs: [.move], points: [Point(x: 0, y: 0)])!
        let place = Point(x: 1, y: 2)
        func gradient(_ kind: Gradient.Kind, _ offsets: [Double]) -> Paint {
            .gradient(Gradient(kind: kind, stops: offsets.map { Gradient.Stop(offset: $0, color: .black) }))
        }
        let linear = Gradient.Kind.linear(from: place, to: place)
        var bad: [Shape] = [
            Shape(path: path, fill: gradient(linear, [])), Shape(path: path, fill: gradient(linear, [0.5, 0.4])),
            Shape(path: path, fill: gradient(linear, [1.1])),
            Shape(path: path, fill: gradient(linear, Array(repeating: 0, count: 257))),
            Shape(path: path, fill: gradient(.radial(center: place, radius: -1), [0])),
            Shape(path: path, fill: gradient(.linear(from: place, to: Point(x: .nan, y: 0)), [0])),
            Shape(path: path, fill: .pattern(Brush(type: .solid))),
            Shape(path: path, fill: .pattern(Brush(type: .dots, anchor: .stamp))),
            Shape(path: path, transform: AffineMap(a: .infinity)), Shape(path: path, opacity: 1.5),
            Shape(path: ShapePath(verbs: [.move], points: [Point(x: .infinity, y: 0)])!),
        ]
        let changes: [(inout Brush) -> Void] = [
            { $0.lines = 4 }, { $0.lines = 65 }, { $0.dotRadius = 0 }, { $0.waveLength = 0.4 },
            { $0.stampSpacing = 0 }, { $0.dynamics.minimumSize = 1.1 }, { $0.dynamics.minimumOpacity = -0.1 },
        ]
        for change in changes {
            var brush = Brush(type: .dots, anchor: .canvas)
            change(&brush)
            bad.append(Shape(path: path, fill: .pattern(brush)))
        }
        for shape in bad {
            let bytes = MarkBlock(.shapes([shape])).encoded()
            #expect(throws: ProtocolError.self, "\(shape)") { try MarkBlock(decoding: bytes) }
        }
    }

    @Test("Timestamp and altitude stay at home; full pressure and no azimuth take no room")
    func columns() throws {
        let points = (0..<100).map { StrokePoint(x: Double($0), y: 1, timestamp: 7, altitude: 30) }
        let bytes = MarkBlock(.strokes([Stroke(points: points)])).encoded()
        #expect(bytes.count == 1 + 1 + 86 + 1 + 3 + 1 + 100 * 16)
        let back = try MarkBlock(decoding: bytes).marks.strokes[0].points
        #expect(back == (0..<100).map { StrokePoint(x: Double($0), y: 1) })
    }

    @Test("Hostile blocks are refused or make strokes within the ranges", arguments: 0..<300)
    func hostile(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = MarkBlock(.strokes(random.strokes())).encoded()
        for _ in 0..<random.int(1...3) {
            let index = random.int(0...(bytes.count - 1))
            if random.int(0...4) == 0 { bytes.removeSubrange(index...) } else { bytes[index] = random.bytes(1)[0] }
            if bytes.isEmpty { break }
        }
        guard let block = try? MarkBlock(decoding: bytes) else { return }
        for stroke in block.marks.strokes {
            #expect(stroke.brush.spacing > 0 && stroke.brush.spacing.isFinite, "seed \(seed)")
            #expect(stroke.points.allSatisfy { (0...1).contains($0.pressure) && abs($0.x) <= 1e12 }, "seed \(seed)")
        }
    }

    @Test("Not-a-number and infinity do not get in", arguments: [Double.nan, .infinity, -.infinity, 1.0000001, -0.1])
    func values(pressure: Double) {
        let block = MarkBlock(.strokes([Stroke(points: [StrokePoint(x: 0, y: 0, pressure: pressure)])]))
        #expect(throws: ProtocolError.self) { try MarkBlock(decoding: block.encoded()) }
        let brush = MarkBlock(
            .strokes([
                Stroke(brush: Brush(spacing: pressure == 1.0000001 ? 0 : -.infinity), points: [])
            ]))
        #expect(throws: ProtocolError.self) { try MarkBlock(decoding: brush.encoded()) }
    }

    @Test("Byte planes let zstd bite")
    func compression() throws {
        var random = SeededGenerator(seed: 3)
        var (x, y) = (500.0, 500.0)
        let points = (0..<8000).map { _ in
            x += (random.double(-3...3) * 100).rounded() / 100
            y += (random.double(-3...3) * 100).rounded() / 100
            return StrokePoint(x: x, y: y)
        }
        let block = MarkBlock(.strokes([Stroke(points: points)]))
        #expect(Double(try block.sealed().frame.count) < 0.85 * Double(block.encoded().count))
    }
}
