import Foundation
import InkEngine
import InkSystem
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker

@Suite struct BlockStoreTests {
    /// A store, the lane of its disk, and what that lane says.
    private final class Bench {
        let lane: Lane
        let spilled: Spilled
        var store: BlockStore

        final class Spilled: Sendable {
            let blocks = Mutex<[SpilledBlock]>([])
        }

        init(memory: Int, disk: Int, storage: any SpillStorage) throws {
            let spilled = Spilled()
            lane = try Lane("test")
            self.spilled = spilled
            store = BlockStore(
                memoryBytesMax: memory, spillBytesMax: disk, storage: storage, lane: lane,
                onSpilled: { block in spilled.blocks.withLock { $0.append(block) } })
        }

        /// Waits for the disk, as far as it has been asked. Returns why writes failed.
        func settle() -> [SystemFailure] {
            lane.wait()
            return take(spilled.blocks.withLock { $0.count })
        }

        /// Takes what the disk has said of so many blocks.
        func take(_ count: Int) -> [SystemFailure] {
            let blocks = spilled.blocks.withLock { blocks in
                defer { blocks.removeFirst(min(count, blocks.count)) }
                return Array(blocks.prefix(count))
            }
            return blocks.compactMap { store.take($0) }
        }
    }

    /// Puts, reads and releases at random and compares with a plain table; the disk is now quick, now slow.
    @Test(arguments: 0..<12) func keepsWhatIsPutInMemoryOrOnDisk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bench = try Bench(memory: 4000, disk: 1 << 20, storage: NamelessFile(in: NSTemporaryDirectory()))
        var model: [(id: BlockID, frame: [UInt8], references: Int)] = []
        for step in 0..<400 {
            if model.count < 40, Bool.random(using: &random) {
                let frame = (0..<Int.random(in: 1...900, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let id = FakeBlocks.id(of: frame)
                try bench.store.put(id, frame)
                model.append((id, frame, 1))
            } else if let index = model.indices.randomElement(using: &random) {
                if Bool.random(using: &random), model[index].references < 3 {
                    try bench.store.put(model[index].id, model[index].frame)
                    model[index].references += 1
                } else {
                    bench.store.release(model[index].id)
                    model[index].references -= 1
                    if model[index].references == 0 { model.remove(at: index) }
                }
            }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: #expect(bench.settle().isEmpty)
            case 1: #expect(bench.take(1).isEmpty)
            default: break
            }
            let store = bench.store
            #expect(store.blockCount == model.count && store.memoryBytes <= 4000, "seed \(seed), step \(step)")
            let held = model.reduce(0) { $0 + $1.frame.count }
            #expect(store.memoryBytes + store.spilledBytes == held, "seed \(seed), step \(step)")
            guard let entry = model.randomElement(using: &random) else { continue }
            let source = try #require(store.source(of: entry.id))
            let end = Int.random(in: 0...entry.frame.count, using: &random)
            let range = Int.random(in: 0...end, using: &random)..<end
            #expect(try source.read(range) == Array(entry.frame[range]), "seed \(seed), step \(step)")
            #expect(try source.read() == entry.frame, "seed \(seed), step \(step)")
        }
        for entry in model { for _ in 0..<entry.references { bench.store.release(entry.id) } }
        #expect(bench.settle().isEmpty)
        let store = bench.store
        #expect(store.blockCount == 0 && store.memoryBytes == 0 && store.spilledBytes == 0 && store.waitingBytes == 0)
    }

    @Test func refusesMoreThanTheDiskBudget() throws {
        let bench = try Bench(memory: 10, disk: 100, storage: NamelessFile(in: NSTemporaryDirectory()))
        try bench.store.put(FakeBlocks.id(of: [1]), [UInt8](repeating: 1, count: 90))
        #expect(throws: BrokerError.spill(operation: "grow", errno: EFBIG)) {
            try bench.store.put(FakeBlocks.id(of: [2]), [UInt8](repeating: 2, count: 90))
        }
        bench.store.release(FakeBlocks.id(of: [1]))
        try bench.store.put(FakeBlocks.id(of: [2]), [UInt8](repeating: 2, count: 90))
        #expect(bench.settle().isEmpty)
        #expect(try bench.store.source(of: FakeBlocks.id(of: [2]))?.read(80..<90) == [UInt8](repeating: 2, count: 10))
    }

    @Test func doesNotKnowOtherBlocks() throws {
        let bench = try Bench(memory: 10, disk: 100, storage: FakeSpill())
        try bench.store.put(FakeBlocks.id(of: [1]), [1, 2])
        #expect(bench.store.source(of: FakeBlocks.id(of: [2])) == nil)
        #expect(bench.store.byteCount(of: FakeBlocks.id(of: [2])) == nil)
    }

    @Test("A block that the disk does not take stays in memory, and why is said")
    func failedWrite() throws {
        let bench = try Bench(memory: 10, disk: 100, storage: NamelessFile(in: "/nonexistent"))
        let frame = [UInt8](repeating: 3, count: 11)
        try bench.store.put(FakeBlocks.id(of: [3]), frame)
        let failure = SystemFailure(operation: "create a file in /nonexistent", errno: ENOENT, path: "/nonexistent")
        #expect(bench.settle() == [failure])
        #expect(try bench.store.source(of: FakeBlocks.id(of: [3]))?.read() == frame)
        #expect(bench.store.memoryBytes == 11 && bench.store.spilledBytes == 0 && bench.store.waitingBytes == 0)
    }

    @Test("What a write that came too late says changes nothing")
    func lateWrite() throws {
        let bench = try Bench(memory: 0, disk: 100, storage: FakeSpill())
        let id = FakeBlocks.id(of: [4])
        try bench.store.put(id, [4, 4])
        bench.lane.wait()
        bench.store.release(id)
        try bench.store.put(id, [4, 4])
        #expect(bench.take(1).isEmpty)
        #expect(bench.store.waitingBytes == 2, "the second is on its way still")
        #expect(bench.settle().isEmpty)
        #expect(bench.store.waitingBytes == 0 && bench.store.spilledBytes == 2)
        #expect(try bench.store.source(of: id)?.read() == [4, 4])
    }
}
