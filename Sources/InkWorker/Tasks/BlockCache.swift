public import InkEngine
public import InkProtocol
import Synchronization

/// The blocks of a process. Each is decompressed and parsed once, by the thread that needs it first.
///
/// Blocks that tasks hold stay. Others are evicted, least recently used first, when all together exceed the limit.
/// Prepared strokes take more memory than their source. They are kept in addition to the source as long as all prepared
/// strokes fit a part of the limit; beyond it, strokes are prepared again for each use.
public final class BlockCache: TileBlocks, Sendable {
    private struct Entry {
        let content: CachedBlock
        var bytes: Int
        /// The part of these bytes that prepared strokes take.
        var preparedBytes = 0
        var holders: Int
        /// When the last holder released the block; identifies the entry's valid place in `idle`.
        var idleSince: UInt64
    }

    private struct State {
        var entries: [BlockID: Entry] = [:]
        var bytes = 0
        var preparedBytes = 0
        /// Blocks without holders, least recently used first. An entry that was held again since then is out of date.
        var idle: [(id: BlockID, since: UInt64)] = []
        var idleStart = 0
        var clock: UInt64 = 0
    }

    private let limitBytes: Int
    /// Maximum bytes of prepared strokes, including those of blocks that are held.
    private let preparedLimitBytes: Int
    private let state = Mutex(State())
    /// Local blocks, which need no transfer.
    private let local: LocalBlocks?

    /// A cache that keeps at most `limitBytes` of blocks that are not in use.
    ///
    /// - Parameter local: shared with a broker in this process; nil if the broker may be elsewhere.
    public init(limitBytes: Int, local: LocalBlocks? = nil) {
        self.limitBytes = limitBytes
        preparedLimitBytes = max(limitBytes / 2, BlockCache.preparedLimitMin)
        self.local = local
        local?.whenRemoved { [weak self] in self?.forget($0) }
    }

    /// With less, the strokes of a tile would be prepared again for each of its cells. In bytes.
    private static let preparedLimitMin = 32 << 20

    /// Total bytes of all blocks.
    public var bytes: Int { state.withLock { $0.bytes } }

    /// Holds a block if it exists; false if it does not.
    public func hold(_ id: BlockID) -> Bool {
        state.withLock { state in
            if state.entries[id] != nil {
                state.entries[id]!.holders += 1
                return true
            }
            guard let content = local?.content(of: id) else { return false }
            // Its bytes are counted elsewhere; only what is made from them counts here.
            state.entries[id] = Entry(content: CachedBlock(content), bytes: 0, holders: 1, idleSince: 0)
            return true
        }
    }

    /// Shares a result's bytes with the broker directly; nil if they must be sent.
    public func share(_ bytes: [UInt8]) -> Block? { local?.add(.bytes(bytes)).map { Block(id: $0, frame: []) } }

    /// Undoes `share`.
    public func withdraw(_ block: Block) {
        if block.frame.isEmpty { local?.remove(block.id) }
    }

    /// Discards all local blocks in a part of a result.
    func discard(_ bytes: [UInt8], sequence: UInt32) { local?.discard(bytes, sequence: sequence) }

    /// Removes a local block that no longer exists, unless it is held.
    private func forget(_ id: BlockID) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.holders == 0 else { return }
            BlockCache.remove(id, &state)
        }
    }

    /// Adds a block, or adds holders to an existing block.
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

    /// Removes one holder.
    public func release(_ id: BlockID) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.holders > 0 else { return }
            state.entries[id]!.holders -= 1
            if entry.holders == 1 { makeIdle(id, &state) }
        }
    }

    /// The decompressed content of a block that is held.
    ///
    /// - Throws: `internalError` if the block does not exist, or if its content cannot be read, which is the sender's
    ///   fault.
    public func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        let (content, change) = try block(id).bytes()
        account(id, change)
        return content
    }

    /// A block of strokes that is held, smoothed and stamped: all of its strokes, or at least those of `indices`
    /// (ascending) whose marks' box is visible.
    ///
    /// - Parameter isCancelled: called now and then during preparation.
    /// - Throws: As `bytes(of:)`, and `cancelled`.
    public func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock {
        try block(id).strokes(among: indices, isSeen, isCancelled, id, in: self)
    }

    /// The marks of a block that is held, as they are.
    ///
    /// - Throws: As `bytes(of:)`.
    public func marks(of id: BlockID) throws(EngineError) -> MarkList { try block(id).marks() }

    /// Prepares the blocks of strokes, all held, that no other thread is preparing, as many as can be kept. Threads
    /// that need the same blocks therefore share the work, instead of waiting for each other at every block.
    ///
    /// - Throws: as `strokes(of:among:isSeen:isCancelled:)`.
    public func open(strokes ids: [BlockID], isCancelled: () -> Bool = { false }) throws(EngineError) {
        for id in ids {
            guard try block(id).openStrokesIfFree(isCancelled, id, in: self) else { return }
        }
    }

    /// What a local block refers to.
    ///
    /// - Throws: As `bytes(of:)`.
    func value(of id: BlockID) throws(EngineError) -> any Sendable {
        guard case .value(let value) = local?.content(of: id) else {
            throw .internalError("block \(id) refers to nothing in this process")
        }
        return value
    }

    /// Shares a value with the broker; nil if the broker may be elsewhere.
    func share(value: any Sendable) -> Block? { local?.add(.value(value)).map { Block(id: $0, frame: []) } }

    private func block(_ id: BlockID) throws(EngineError) -> CachedBlock {
        guard let block = state.withLock({ $0.entries[id]?.content }) else {
            throw .internalError("block \(id) is not at hand")
        }
        return block
    }

    /// Makes room for prepared strokes by removing unused blocks; false if there is none.
    fileprivate func isRoom(forPrepared bytes: Int) -> Bool {
        state.withLock { makeRoom(forPrepared: bytes, &$0) }
    }

    private func makeRoom(forPrepared bytes: Int, _ state: inout State) -> Bool {
        guard bytes <= preparedLimitBytes else { return false }
        while state.preparedBytes + bytes > preparedLimitBytes {
            guard state.idleStart < state.idle.count else { return false }
            dropOldest(&state)
        }
        return true
    }

    /// Counts the prepared strokes of a block; false if there is no room for them.
    fileprivate func keepPrepared(_ id: BlockID, bytes: Int) -> Bool {
        state.withLock { state in
            guard makeRoom(forPrepared: bytes, &state), state.entries[id] != nil else { return false }
            state.entries[id]!.bytes += bytes
            state.entries[id]!.preparedBytes += bytes
            state.bytes += bytes
            state.preparedBytes += bytes
            evict(&state)
            return true
        }
    }

    fileprivate func account(_ id: BlockID, _ change: Int) {
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
        // Entries that are out of date are removed when they are the majority.
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
        if isValid(place, state) { BlockCache.remove(place.id, &state) }
    }

    private static func remove(_ id: BlockID, _ state: inout State) {
        guard let entry = state.entries.removeValue(forKey: id) else { return }
        state.bytes -= entry.bytes
        state.preparedBytes -= entry.preparedBytes
    }

    private func isValid(_ place: (id: BlockID, since: UInt64), _ state: State) -> Bool {
        guard let entry = state.entries[place.id] else { return false }
        return entry.holders == 0 && entry.idleSince == place.since
    }
}

/// A block as received, and what has been made from it on request.
private final class CachedBlock: Sendable {
    private enum Content {
        case frame([UInt8])
        case local(LocalBlocks.Content)
        case bytes([UInt8])
    }

    private struct State {
        var content: Content
        /// Prepared strokes, if they are kept.
        var prepared: PreparedStrokeBlock?
        /// Bounds and runs of strokes for which there was no room, and the bytes that all of them take. Every thread
        /// then prepares the strokes it needs, and none waits.
        var unkept: (known: PreparedStrokeBlock, bytes: Int)?
    }

    private let state: Mutex<State>

    init(frame: [UInt8]) { state = Mutex(State(content: .frame(frame))) }
    init(_ local: LocalBlocks.Content) { state = Mutex(State(content: .local(local))) }

    /// The content, and by how many bytes the block has grown. A second thread waits for the first.
    func bytes() throws(EngineError) -> (content: [UInt8], change: Int) {
        try state.withLock { state throws(EngineError) in
            switch state.content {
            case .bytes(let bytes), .local(.bytes(let bytes)): return (bytes, 0)
            case .local(.marks): throw .internalError("a block of strokes is asked for as pixels")
            case .local(.value): throw .internalError("a value is asked for as pixels")
            case .frame(let frame):
                guard state.prepared == nil, state.unkept == nil else {
                    throw .internalError("a block of strokes is asked for as pixels")
                }
                let bytes = try CachedBlock.reading { () throws(ProtocolError) in
                    try Zstandard.decompress(frame, limit: ProtocolLimits.blockContentBytes)
                }
                state.content = .bytes(bytes)
                return (bytes, bytes.count - frame.count)
            }
        }
    }

    func marks() throws(EngineError) -> MarkList { try CachedBlock.read(state.withLock { $0.content }) }

    func strokes(
        among indices: [Int], _ isSeen: (Rect) -> Bool, _ isCancelled: () -> Bool, _ id: BlockID, in cache: BlockCache
    ) throws(EngineError) -> PreparedStrokeBlock {
        let (unkept, content) = state.withLock { ($0.prepared == nil ? $0.unkept : nil, $0.content) }
        guard let unkept, !cache.isRoom(forPrepared: unkept.bytes) else {
            return try state.withLock { state throws(EngineError) in
                try CachedBlock.open(&state, isCancelled, id, in: cache)
            }
        }
        let marks = try CachedBlock.read(content)
        let prepared = unkept.known.with(marks, among: indices, isSeen: isSeen, isCancelled: isCancelled)
        if isCancelled() { throw .cancelled }
        return prepared
    }

    /// Prepares a block of strokes unless another thread does; false if there is no room.
    func openStrokesIfFree(
        _ isCancelled: () -> Bool, _ id: BlockID, in cache: BlockCache
    ) throws(EngineError) -> Bool {
        try state.withLockIfAvailable { state throws(EngineError) in
            if state.prepared == nil, let unkept = state.unkept, !cache.isRoom(forPrepared: unkept.bytes) {
                return false
            }
            _ = try CachedBlock.open(&state, isCancelled, id, in: cache)
            return state.prepared != nil
        } ?? true
    }

    private static func open(
        _ state: inout State, _ isCancelled: () -> Bool, _ id: BlockID, in cache: BlockCache
    ) throws(EngineError) -> PreparedStrokeBlock {
        if let prepared = state.prepared { return prepared }
        let prepared = PreparedStrokeBlock(try read(state.content), isCancelled: isCancelled)
        if isCancelled() { throw .cancelled }
        let bytes = prepared.byteCount
        if cache.keepPrepared(id, bytes: bytes) {
            state.prepared = prepared
        } else if state.unkept == nil {
            let known = prepared.withoutMarks
            state.unkept = (known, bytes)
            cache.account(id, known.byteCount)
        }
        return prepared
    }

    private static func read(_ content: Content) throws(EngineError) -> MarkList {
        switch content {
        case .bytes, .local(.bytes), .local(.value): throw .internalError("a block of pixels is asked for as strokes")
        case .local(.marks(let marks)): return marks
        case .frame(let frame):
            let marks = try CachedBlock.reading { () throws(ProtocolError) in
                try MarkBlock(decoding: Zstandard.decompress(frame, limit: ProtocolLimits.markBlockBytes)).marks
            }
            if case .strokes(let strokes) = marks { try CachedBlock.checkStamps(of: strokes) }
            return marks
        }
    }

    /// Each stamp takes memory, and a few bytes of a block may ask for any number of stamps.
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
        // The bound is cheap to compute, but up to three times the exact number.
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
