import InkEngine
import InkProtocol
import InkTestSupport
import InkWorker
import Testing

extension BlockCache {
    /// All of a block's strokes.
    fileprivate func strokes(of id: BlockID) throws(EngineError) -> PreparedStrokeBlock {
        try strokes(of: id, among: Array(0..<100), isSeen: { _ in true }, isCancelled: { false })
    }
}

@Suite("Block cache")
struct BlockCacheTests {
    @Test("Content is decompressed; strokes are read")
    func content() throws {
        let cache = BlockCache(limitBytes: 1 << 20)
        let pixels = try Block(content: [UInt8](repeating: 3, count: 1000))
        let strokes = try TaskSamples.strokes(4)
        cache.insert(pixels, holders: 1)
        cache.insert(strokes, holders: 1)
        #expect(try cache.bytes(of: pixels.id) == [UInt8](repeating: 3, count: 1000))
        #expect(try cache.strokes(of: strokes.id).marks.count == 1)
        #expect(cache.bytes >= 1000)
        #expect(throws: EngineError.self) { try cache.bytes(of: strokes.id) }
        #expect(throws: EngineError.self) { try cache.strokes(of: pixels.id) }
        #expect(throws: EngineError.self) { try cache.bytes(of: BlockID(hashing: [])) }
    }

    @Test("A block that is not zstd is an error, each time")
    func damaged() {
        let cache = BlockCache(limitBytes: 1 << 20)
        let block = Block(id: BlockID(hashing: [1]), frame: [1])
        cache.insert(block, holders: 1)
        for _ in 0..<2 { #expect(throws: EngineError.self) { try cache.bytes(of: block.id) } }
    }

    @Test("A block of more stamps than memory holds is an error")
    func countlessStamps() throws {
        let cache = BlockCache(limitBytes: 1 << 20)
        for (spacing, isRead) in [(1e-300, false), (1e-6, false), (1.0, true)] {
            let stroke = Stroke(
                brush: Brush(spacing: spacing), points: [StrokePoint(x: 0, y: 0), StrokePoint(x: 1000, y: 0)])
            let block = try MarkBlock(.strokes([stroke])).sealed()
            cache.insert(block, holders: 1)
            #expect(((try? cache.strokes(of: block.id)) != nil) == isRead, "\(spacing)")
        }
    }

    @Test("The longest unused goes first; what is held stays")
    func eviction() throws {
        let cache = BlockCache(limitBytes: 2500)
        let blocks = try (0..<4).map { try Block(content: [UInt8](repeating: UInt8($0), count: 1000)) }
        for block in blocks[0...1] {
            cache.insert(block, holders: 1)
            _ = try cache.bytes(of: block.id)
        }
        cache.release(blocks[1].id)
        cache.release(blocks[0].id)
        cache.insert(blocks[2], holders: 1)
        _ = try cache.bytes(of: blocks[2].id)
        #expect(!cache.hold(blocks[1].id) && cache.hold(blocks[0].id) && cache.hold(blocks[2].id))
        // All are held now: the limit has to wait.
        cache.insert(blocks[3], holders: 1)
        _ = try cache.bytes(of: blocks[3].id)
        #expect(cache.bytes == 3000)
        cache.release(blocks[3].id)
        #expect(!cache.hold(blocks[3].id) && cache.bytes == 2000)
    }

    /// Some MB when they are prepared, of a hundred bytes.
    private func longStrokes(_ number: Int) throws -> Block {
        let stroke = Stroke(
            brush: Brush(spacing: 1),
            points: [StrokePoint(x: 0, y: Double(number)), StrokePoint(x: 200_000, y: Double(number))])
        return try MarkBlock(.strokes([stroke])).sealed()
    }

    @Test("Prepared strokes that do not fit are made for each use, those that fit once")
    func preparedStrokes() throws {
        let cache = BlockCache(limitBytes: 0)
        let blocks = try (0..<8).map(longStrokes)
        for block in blocks { cache.insert(block, holders: 1) }
        let held = cache.bytes
        func isKept(_ block: Block) throws -> Bool {
            let (first, second) = (try cache.strokes(of: block.id), try cache.strokes(of: block.id))
            #expect(first.marks.count == 1 && first.byteCount > 9_000_000)
            guard case .stroke(let one) = first.marks[0], case .stroke(let other) = second.marks[0] else {
                return false
            }
            return one === other
        }
        // The least limit there is has room for three.
        #expect(try blocks.map(isKept) == [true, true, true, false, false, false, false, false])
        try cache.open(strokes: blocks.map(\.id))
        #expect(cache.bytes < held + 32 << 20)
        // Others go for those that are needed.
        for block in blocks[..<3] { cache.release(block.id) }
        #expect(try isKept(blocks[5]))
        for block in blocks[3...] { cache.release(block.id) }
        #expect(cache.bytes == 0)
    }

    @Test("Of strokes that are not kept only those are prepared again that are asked for and seen")
    func someStrokes() throws {
        let cache = BlockCache(limitBytes: 0)
        for number in 0..<4 {
            let block = try longStrokes(number)
            cache.insert(block, holders: 1)
            try cache.open(strokes: [block.id])
        }
        let strokes = (0..<5).map { number in
            let y = 1000 * Double(number)
            return Stroke(
                brush: Brush(spacing: 1), points: [StrokePoint(x: 0, y: y), StrokePoint(x: 40_000, y: y)])
        }
        let block = try MarkBlock(.strokes(strokes)).sealed()
        cache.insert(block, holders: 1)
        let all = try cache.strokes(of: block.id)
        #expect(all.count == 5 && all.marks.allSatisfy { $0 != nil })
        let some = try cache.strokes(
            of: block.id, among: [0, 1, 3], isSeen: { $0.maxY > 500 }, isCancelled: { false })
        #expect(some.count == 5 && some.marks.map { $0 != nil } == [false, true, false, true, false])
        // Asked for what it does not have, it has none.
        #expect(try cache.strokes(of: block.id, among: [7], isSeen: { _ in true }, isCancelled: { false }).count == 5)
    }

    @Test("Shapes are prepared as strokes are, and nothing else is")
    func shapes() throws {
        let cache = BlockCache(limitBytes: 0)
        var random = SeededGenerator(seed: 1)
        let block = try MarkBlock(.shapes(random.shapes(5))).sealed()
        cache.insert(block, holders: 1)
        try cache.open(strokes: [block.id])
        let prepared = try cache.strokes(of: block.id)
        #expect(prepared.marks.count == 5)
        #expect(prepared.marks.allSatisfy { if case .shape = $0 { true } else { false } })
        #expect(try cache.marks(of: block.id).shapes.count == 5)
        #expect(throws: EngineError.self) { try cache.bytes(of: block.id) }
    }

    @Test("Strokes that are not wanted any more are not kept half prepared")
    func cancelledStrokes() throws {
        let cache = BlockCache(limitBytes: 1 << 30)
        let block = try longStrokes(1)
        cache.insert(block, holders: 1)
        let before = cache.bytes
        for _ in 0..<2 {
            #expect(throws: EngineError.cancelled) {
                _ = try cache.strokes(of: block.id, among: [0], isSeen: { _ in true }, isCancelled: { true })
            }
            #expect(throws: EngineError.cancelled) {
                try cache.open(strokes: [block.id], isCancelled: { true })
            }
        }
        #expect(cache.bytes == before)
        #expect(try cache.strokes(of: block.id).marks.count == 1)
    }

    @Test("Bytes add up over many turns")
    func manyTurns() throws {
        let cache = BlockCache(limitBytes: 5000)
        let blocks = try (0..<30).map { try Block(content: [UInt8](repeating: UInt8($0), count: 1000)) }
        for turn in 0..<600 {
            let block = blocks[turn * 7 % 30]
            if !cache.hold(block.id) { cache.insert(block, holders: 1) }
            #expect(try cache.bytes(of: block.id).count == 1000)
            cache.release(block.id)
            #expect(cache.bytes <= 5000)
        }
        #expect(blocks.filter { cache.hold($0.id) }.count == 5)
    }
}
