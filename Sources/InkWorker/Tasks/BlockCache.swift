public import InkEngine
public import InkProtocol
import Synchronization

/// The blocks that a process has at hand, each decompressed and read once, whichever thread asks first.
///
/// Blocks that tasks hold stay; the others go, the longest unused first, when all together exceed the limit.
public final class BlockCache: TileBlocks, Sendable {
    private struct Entry {
        let content: CachedBlock
        var bytes: Int
        var holders: Int
        /// When the last holder let go; names the entry's valid place in `idle`.
        var idleSince: UInt64
    }

    private struct State {
        var entries: [BlockID: Entry] = [:]
        var bytes = 0
        /// Blocks without holders, the longest unused first; an entry that was held again since is out of date.
        var idle: [(id: BlockID, since: UInt64)] = []
        var idleStart = 0
        var clock: UInt64 = 0
    }

    private let limitBytes: Int
    private let state = Mutex(State())
    /// Blocks that are there without having come.
    private let local: LocalBlocks?

    /// A cache that keeps at most `limitBytes` of blocks that nobody holds.
    ///
    /// - Parameter local: shared with the broker, which is in this process; nil when it may be anywhere.
    public init(limitBytes: Int, local: LocalBlocks? = nil) {
        self.limitBytes = limitBytes
        self.local = local
        local?.whenRemoved { [weak self] in self?.forget($0) }
    }

    /// Bytes of all blocks.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// Holds a block that is there; false when it is not.
    public func hold(_ id: BlockID) -> Bool {
        state.withLock { state in
            if state.entries[id] != nil {
                state.entries[id]!.holders += 1
                return true
            }
            guard let content = local?.content(of: id) else { return false }
            // Its bytes are counted where they are; here counts what is made of them.
            state.entries[id] = Entry(content: CachedBlock(content), bytes: 0, holders: 1, idleSince: 0)
            return true
        }
    }

    /// Hands a result's bytes to the broker as they are; nil where they have to travel.
    public func share(_ bytes: [UInt8]) -> Block? { local?.add(.bytes(bytes)).map { Block(id: $0, frame: []) } }

    /// Takes back what `share` handed out.
    public func withdraw(_ block: Block) {
        if block.frame.isEmpty { local?.remove(block.id) }
    }

    /// The same for all that a part of a result brings.
    func discard(_ bytes: [UInt8], sequence: UInt32) { local?.discard(bytes, sequence: sequence) }

    /// A local block that is gone is of no use to anybody who does not hold it.
    private func forget(_ id: BlockID) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.holders == 0 else { return }
            state.entries[id] = nil
            state.bytes -= entry.bytes
        }
    }

    /// Adds a block, or holders to the block that is there.
    public func insert(_ block: Block, holders: Int) {
        state.withLock { state in
            if state.entries[block.id] != nil {
                state.entries[block.id]!.holders += holders
                return
            }
            state.entries[block.id] = Entry(
                content: CachedBlock(frame: block.frame), bytes: block.frame.count, holders: holders, idleSince: 0)
            state.bytes += block.frame.count
            if holders == 0 { makeIdle(block.id, &state) }
        }
    }

    /// One holder less.
    public func release(_ id: BlockID) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.holders > 0 else { return }
            state.entries[id]!.holders -= 1
            if entry.holders == 1 { makeIdle(id, &state) }
        }
    }

    /// The decompressed content of a block that is held.
    ///
    /// Throws `internalError` when the block is not there or its content cannot be read: the sender's fault.
    public func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        let (content, change) = try block(id).bytes()
        account(id, change)
        return content
    }

    /// The strokes of a block that is held, smoothed and stamped; throws as `bytes(of:)`.
    public func strokes(of id: BlockID) throws(EngineError) -> PreparedStrokeBlock {
        let (strokes, change) = try block(id).strokes()
        account(id, change)
        return strokes
    }

    /// Opens those of the blocks of strokes, all held, that no other thread is opening, so that threads which need the
    /// same ones share the work instead of waiting for each other at every block.
    ///
    /// Throws as `bytes(of:)`.
    public func open(strokes ids: [BlockID]) throws(EngineError) {
        for id in ids { account(id, try block(id).openStrokesIfFree()) }
    }

    private func block(_ id: BlockID) throws(EngineError) -> CachedBlock {
        guard let block = state.withLock({ $0.entries[id]?.content }) else {
            throw .internalError("block \(id) is not at hand")
        }
        return block
    }

    private func account(_ id: BlockID, _ change: Int) {
        guard change != 0 else { return }
        state.withLock { state in
            guard state.entries[id] != nil else { return }
            state.entries[id]!.bytes += change
            state.bytes += change
            evict(&state)
        }
    }

    private func makeIdle(_ id: BlockID, _ state: inout State) {
        state.clock += 1
        state.entries[id]!.idleSince = state.clock
        state.idle.append((id, state.clock))
        evict(&state)
    }

    private func evict(_ state: inout State) {
        while state.bytes > limitBytes, state.idleStart < state.idle.count {
            dropOldest(&state)
        }
        // Places that are out of date are cleared away when they are the majority.
        if state.idle.count > 64, state.idle.count > 2 * state.entries.count + state.idleStart {
            state.idle = state.idle[state.idleStart...].filter { isValid($0, state) }
            state.idleStart = 0
        } else if state.idleStart > 64, state.idleStart * 2 > state.idle.count {
            state.idle.removeFirst(state.idleStart)
            state.idleStart = 0
        }
    }

    private func dropOldest(_ state: inout State) {
        let place = state.idle[state.idleStart]
        state.idleStart += 1
        guard isValid(place, state), let entry = state.entries.removeValue(forKey: place.id) else { return }
        state.bytes -= entry.bytes
    }

    private func isValid(_ place: (id: BlockID, since: UInt64), _ state: State) -> Bool {
        guard let entry = state.entries[place.id] else { return false }
        return entry.holders == 0 && entry.idleSince == place.since
    }
}

/// A block's frame, and what became of it when somebody asked.
private final class CachedBlock: Sendable {
    private enum Content {
        case frame([UInt8])
        case local(LocalBlocks.Content)
        case bytes([UInt8])
        case strokes(PreparedStrokeBlock)
    }

    private let content: Mutex<Content>

    init(frame: [UInt8]) { content = Mutex(.frame(frame)) }
    init(_ local: LocalBlocks.Content) { content = Mutex(.local(local)) }

    /// The content and by how many bytes the block has grown. A second thread waits for the first one's work.
    func bytes() throws(EngineError) -> (content: [UInt8], change: Int) {
        try content.withLock { content throws(EngineError) in
            switch content {
            case .bytes(let bytes), .local(.bytes(let bytes)): return (bytes, 0)
            case .strokes, .local(.strokes): throw .internalError("a block of strokes is asked for as pixels")
            case .frame(let frame):
                let bytes = try CachedBlock.reading { () throws(ProtocolError) in
                    try Zstandard.decompress(frame, limit: ProtocolLimits.blockContentBytes)
                }
                content = .bytes(bytes)
                return (bytes, bytes.count - frame.count)
            }
        }
    }

    func strokes() throws(EngineError) -> (strokes: PreparedStrokeBlock, change: Int) {
        try content.withLock { content throws(EngineError) in try CachedBlock.openStrokes(&content) }
    }

    /// Opens a block of strokes unless a thread is at it; returns by how many bytes the block has grown.
    func openStrokesIfFree() throws(EngineError) -> Int {
        try content.withLockIfAvailable { content throws(EngineError) in
            try CachedBlock.openStrokes(&content).change
        } ?? 0
    }

    private static func openStrokes(
        _ content: inout Content
    ) throws(EngineError) -> (strokes: PreparedStrokeBlock, change: Int) {
        let (strokes, bytes): ([Stroke], Int)
        switch content {
        case .strokes(let strokes): return (strokes, 0)
        case .bytes, .local(.bytes): throw .internalError("a block of pixels is asked for as strokes")
        case .local(.strokes(let found)): (strokes, bytes) = (found, 0)
        case .frame(let frame):
            bytes = frame.count
            strokes = try CachedBlock.reading { () throws(ProtocolError) in
                try StrokeBlock(decoding: Zstandard.decompress(frame, limit: ProtocolLimits.strokeBlockBytes)).strokes
            }
            try CachedBlock.checkStamps(of: strokes)
        }
        let prepared = PreparedStrokeBlock(strokes)
        content = .strokes(prepared)
        return (prepared, prepared.byteCount - bytes)
    }

    /// Each stamp takes memory, and a few bytes of a block may ask for any number.
    private static func checkStamps(of strokes: [Stroke]) throws(EngineError) {
        let limit = ProtocolLimits.strokeBlockStamps
        func isWithin(_ count: (Stroke) -> Int) -> Bool {
            var left = limit
            return strokes.allSatisfy { stroke in
                let stamps = count(stroke)
                guard stamps <= left else { return false }
                left -= stamps
                return true
            }
        }
        // The bound is cheap, and up to three times what there is.
        guard isWithin(PreparedStroke.stampCountBound) || isWithin(PreparedStroke.stampCount) else {
            throw .internalError("a block of more than \(limit) stamps")
        }
    }

    private static func reading<T>(_ body: () throws(ProtocolError) -> T) throws(EngineError) -> T {
        do throws(ProtocolError) {
            return try body()
        } catch {
            throw .internalError("a block cannot be read: \(error)")
        }
    }
}
