import InkEngine
import InkProtocol
import InkWorker
import Testing

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
        #expect(try cache.strokes(of: strokes.id).strokes.count == 1)
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
            let block = try StrokeBlock(strokes: [stroke]).sealed()
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
