import Foundation
import InkEngine
import InkTestSupport
import Testing

@testable import InkBroker

@Suite struct BlockStoreTests {
    /// Puts, reads and releases at random and compares with a plain table.
    @Test(arguments: 0..<12) func keepsWhatIsPutInMemoryOrOnDisk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var store = BlockStore(memoryBytesMax: 4000, spillBytesMax: 1 << 20, folder: NSTemporaryDirectory())
        var model: [(id: BlockID, frame: [UInt8], references: Int)] = []
        for step in 0..<400 {
            if model.count < 40, Bool.random(using: &random) {
                let frame = (0..<Int.random(in: 1...900, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let id = FakeBlocks.id(of: frame)
                try store.put(id, frame)
                model.append((id, frame, 1))
            } else if let index = model.indices.randomElement(using: &random) {
                if Bool.random(using: &random), model[index].references < 3 {
                    try store.put(model[index].id, model[index].frame)
                    model[index].references += 1
                } else {
                    store.release(model[index].id)
                    model[index].references -= 1
                    if model[index].references == 0 { model.remove(at: index) }
                }
            }
            #expect(store.blockCount == model.count && store.memoryBytes <= 4000, "seed \(seed), step \(step)")
            let held = model.reduce(0) { $0 + $1.frame.count }
            #expect(store.memoryBytes + store.spilledBytes == held, "seed \(seed), step \(step)")
            guard let entry = model.randomElement(using: &random) else { continue }
            let offset = Int.random(in: 0...entry.frame.count, using: &random)
            let part = try store.part(of: entry.id, offset: offset, count: 300)
            #expect(part == Array(entry.frame[offset...].prefix(300)), "seed \(seed), step \(step)")
        }
        for entry in model { for _ in 0..<entry.references { store.release(entry.id) } }
        #expect(store.blockCount == 0 && store.memoryBytes == 0 && store.spilledBytes == 0)
    }

    @Test func refusesMoreThanTheDiskBudget() throws {
        var store = BlockStore(memoryBytesMax: 10, spillBytesMax: 100, folder: NSTemporaryDirectory())
        try store.put(FakeBlocks.id(of: [1]), [UInt8](repeating: 1, count: 90))
        #expect(throws: BrokerError.self) { try store.put(FakeBlocks.id(of: [2]), [UInt8](repeating: 2, count: 90)) }
        store.release(FakeBlocks.id(of: [1]))
        try store.put(FakeBlocks.id(of: [2]), [UInt8](repeating: 2, count: 90))
        #expect(try store.part(of: FakeBlocks.id(of: [2]), offset: 89, count: 10) == [2])
    }

    @Test func doesNotKnowOtherBlocks() throws {
        var store = BlockStore(memoryBytesMax: 10, spillBytesMax: 100, folder: "/nonexistent")
        try store.put(FakeBlocks.id(of: [1]), [1, 2])
        #expect(try store.part(of: FakeBlocks.id(of: [2]), offset: 0, count: 1) == nil)
        #expect(try store.part(of: FakeBlocks.id(of: [1]), offset: 3, count: 1) == nil)
        #expect(throws: BrokerError.spill(operation: "create a file in /nonexistent", errno: 2)) {
            try store.put(FakeBlocks.id(of: [3]), [UInt8](repeating: 0, count: 11))
        }
    }
}
