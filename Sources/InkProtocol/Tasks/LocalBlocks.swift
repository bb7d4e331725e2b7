public import InkEngine
import Synchronization

/// Blocks that a broker and workers in its own process hand to each other as they are: nothing is compressed, hashed or
/// copied. Safe for all threads.
///
/// A local block has a name like any other, but one that stands for no bytes: it is made up, and never used again. Where
/// messages carry the block's frame, its frame is empty. The broker counts who needs it, and removes it after the last.
public final class LocalBlocks: Sendable {
    /// What a block holds.
    public enum Content: Sendable {
        case bytes([UInt8])
        case strokes([Stroke])

        /// Its approximate memory use.
        public var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .strokes(let strokes):
                strokes.reduce(0) {
                    $0 + MemoryLayout<Stroke>.stride + $1.points.count * MemoryLayout<StrokePoint>.stride
                }
            }
        }
    }

    private struct State {
        var contents: [BlockID: Content] = [:]
        var byteCount = 0
        var lastNumber: UInt64 = 0
        var onRemove: (@Sendable (BlockID) -> Void)?
    }

    private let state = Mutex(State())
    private let byteCountMax: Int
    /// Distinguishes these names from content hashes, by 128 random bits.
    private let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// - Parameter byteCountMax: bytes of all blocks; further content has to be sent as blocks.
    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Bytes of all blocks that are there.
    public var byteCount: Int { state.withLock(\.byteCount) }

    /// Stores a block and names it; nil if there is no room.
    public func add(_ content: Content) -> BlockID? {
        let size = content.byteCount
        return state.withLock { state in
            guard state.byteCount + size <= byteCountMax else { return nil }
            state.lastNumber += 1
            let id = BlockID(words: [state.lastNumber, random.0, random.1, 0])
            state.contents[id] = content
            state.byteCount += size
            return id
        }
    }

    /// The content of a block; nil if it is not there.
    public func content(of id: BlockID) -> Content? { state.withLock { $0.contents[id] } }

    /// Lets a block go; nothing happens when it is gone.
    public func remove(_ id: BlockID) {
        let onRemove = state.withLock { state -> (@Sendable (BlockID) -> Void)? in
            guard let content = state.contents.removeValue(forKey: id) else { return nil }
            state.byteCount -= content.byteCount
            return state.onRemove
        }
        onRemove?(id)
    }

    /// Has `body` called, on any thread, with the name of every block that goes.
    public func whenRemoved(_ body: @escaping @Sendable (BlockID) -> Void) { state.withLock { $0.onRemove = body } }

    /// Releases the blocks in a part of a result that is no longer wanted.
    public func discard(_ bytes: [UInt8], sequence: UInt32) {
        // Such a result is short, so that its blocks are named in its first part.
        guard sequence == 0 else { return }
        for id in ResultItem.localBlocks(in: bytes) { remove(id) }
    }
}
