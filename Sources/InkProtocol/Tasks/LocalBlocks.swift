public import InkEngine
import Synchronization

/// Blocks that a broker and workers in the same process pass to each other directly, without compression, hash or copy.
/// Thread-safe.
///
/// A local block has a name like any other block, but the name is invented, not a hash of bytes, and is never reused.
/// Where messages carry a block's frame, its frame is empty. The broker counts the users of a block and removes it
/// after the last one.
public final class LocalBlocks: Sendable {
    /// The content of a block.
    public enum Content: Sendable {
        case bytes([UInt8])
        case marks(MarkList)
        /// A value that a module above knows. What it takes is counted elsewhere.
        case value(any Sendable)

        /// Approximate memory use.
        public var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .value: 0
            case .marks(.strokes(let strokes)):
                strokes.reduce(0) {
                    $0 + MemoryLayout<Stroke>.stride + $1.points.count * MemoryLayout<StrokePoint>.stride
                }
            // Shapes may share their paths; counted is what each holds.
            case .marks(.shapes(let shapes)):
                shapes.reduce(0) {
                    $0 + MemoryLayout<Shape>.stride + $1.path.points.count * MemoryLayout<Point>.stride
                        + $1.path.verbs.count
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
    /// Distinguishes these names from content hashes by 128 random bits.
    private let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// - Parameter byteCountMax: maximum bytes of all blocks; further content has to be sent as ordinary blocks.
    public init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Total bytes of all blocks.
    public var byteCount: Int { state.withLock(\.byteCount) }

    public var isEmpty: Bool { state.withLock(\.contents.isEmpty) }

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

    /// The content of a block; nil if it does not exist.
    public func content(of id: BlockID) -> Content? { state.withLock { $0.contents[id] } }

    /// Removes a block if it exists.
    public func remove(_ id: BlockID) {
        let onRemove = state.withLock { state -> (@Sendable (BlockID) -> Void)? in
            guard let content = state.contents.removeValue(forKey: id) else { return nil }
            state.byteCount -= content.byteCount
            return state.onRemove
        }
        onRemove?(id)
    }

    /// Sets a function that is called, on any thread, with the name of every removed block.
    public func whenRemoved(_ body: @escaping @Sendable (BlockID) -> Void) { state.withLock { $0.onRemove = body } }

    /// Removes the blocks in a part of a result that is no longer needed.
    public func discard(_ bytes: [UInt8], sequence: UInt32) {
        // Such a result is short, so its blocks are named in its first part.
        guard sequence == 0 else { return }
        for id in ResultItem.localBlocks(in: bytes) { remove(id) }
    }
}
