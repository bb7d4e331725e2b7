import InkEngine
import InkProtocol
import InkSystem

/// The blocks that jobs need, by name, each held once and counted by its jobs.
///
/// Blocks beyond a memory budget go to a file, which a lane writes: until a block is there it is read from memory. Not
/// safe for more than one thread: the broker's loop owns it, and never waits for the disk here.
struct BlockStore {
    /// Bytes of blocks kept in memory.
    let memoryBytesMax: Int
    /// Bytes of the file, beyond which nothing is taken in.
    let spillBytesMax: Int
    /// Blocks of this process that are there without a frame.
    let local: LocalBlocks?
    private let storage: any SpillStorage
    private let lane: Lane
    private let onSpilled: @Sendable (SpilledBlock) -> Void
    /// The length of all blocks that stay in memory.
    private(set) var memoryBytes = 0
    /// The length of blocks on their way to the file, which are in memory until they are there.
    private(set) var waitingBytes = 0
    private var entries: [BlockID: Entry] = [:]
    private var space = SpillSpace()
    private var lastWrite: UInt64 = 0

    private struct Entry {
        var place: Storage
        /// How often it has been put or retained.
        var references: Int
    }

    private enum Storage {
        case memory([UInt8])
        case waiting([UInt8], Range<Int>, write: UInt64)
        case file(Range<Int>)
        /// With the process's own blocks.
        case local(count: Int)

        var count: Int {
            switch self {
            case .memory(let frame), .waiting(let frame, _, _): frame.count
            case .file(let range): range.count
            case .local(let count): count
            }
        }
    }

    /// - Parameters:
    ///   - lane: writes to the file, in the order in which blocks come and go; for nothing else.
    ///   - onSpilled: called there after each write; its argument is to be given to `take`.
    init(
        memoryBytesMax: Int, spillBytesMax: Int, local: LocalBlocks? = nil, storage: any SpillStorage, lane: Lane,
        onSpilled: @escaping @Sendable (SpilledBlock) -> Void
    ) {
        self.memoryBytesMax = memoryBytesMax
        self.spillBytesMax = spillBytesMax
        self.local = local
        self.storage = storage
        self.lane = lane
        self.onSpilled = onSpilled
    }

    var blockCount: Int { entries.count }
    var spilledBytes: Int { space.usedBytes }

    /// Whether so much waits for the disk that no more should be taken in until some of it is there.
    var isBehind: Bool { waitingBytes > max(memoryBytesMax / 4, Self.waitingBytesMin) }

    private static let waitingBytesMin = 8 << 20

    /// The frame's byte count, a local block's size; nil when no such block is held.
    func byteCount(of id: BlockID) -> Int? { entries[id]?.place.count }

    /// Takes a block in, or counts one that is there already once more. A local block has an empty frame.
    ///
    /// - Throws: `BrokerError.spill` when the file may not grow so far.
    mutating func put(_ id: BlockID, _ frame: [UInt8]) throws(BrokerError) {
        if entries[id] != nil {
            retain(id)
            return
        }
        if frame.isEmpty, let content = local?.content(of: id) {
            entries[id] = Entry(place: .local(count: content.byteCount), references: 1)
            return
        }
        if memoryBytes + waitingBytes + frame.count <= memoryBytesMax || frame.isEmpty {
            memoryBytes += frame.count
            entries[id] = Entry(place: .memory(frame), references: 1)
            return
        }
        let range: Range<Int>
        do throws(SystemFailure) {
            range = try space.take(frame.count, bytesMax: spillBytesMax)
        } catch {
            throw .spill(operation: error.operation, errno: error.errno)
        }
        lastWrite += 1
        waitingBytes += frame.count
        entries[id] = Entry(place: .waiting(frame, range, write: lastWrite), references: 1)
        let (number, storage, onSpilled) = (lastWrite, storage, onSpilled)
        lane.run {
            var failure: SystemFailure?
            do throws(SystemFailure) { try storage.write(frame, at: range.lowerBound) } catch { failure = error }
            onSpilled(SpilledBlock(id: id, write: number, byteCount: frame.count, failure: failure))
        }
    }

    /// Takes note of a write that has ended. One that failed leaves its block in memory; returns why.
    mutating func take(_ spilled: SpilledBlock) -> SystemFailure? {
        waitingBytes -= spilled.byteCount
        // It may have gone since, and even have come again.
        guard case .waiting(let frame, let range, spilled.write)? = entries[spilled.id]?.place else { return nil }
        guard let failure = spilled.failure else {
            entries[spilled.id]?.place = .file(range)
            return nil
        }
        free(range)
        memoryBytes += frame.count
        entries[spilled.id]?.place = .memory(frame)
        return failure
    }

    /// Counts a block once more; nothing when no such block is held.
    mutating func retain(_ id: BlockID) { entries[id]?.references += 1 }

    /// Gives one count back; the block goes with the last.
    mutating func release(_ id: BlockID) {
        guard var entry = entries[id] else { return }
        entry.references -= 1
        guard entry.references <= 0 else {
            entries[id] = entry
            return
        }
        entries[id] = nil
        switch entry.place {
        case .memory(let frame): memoryBytes -= frame.count
        // What is written there next comes after this write.
        case .waiting(_, let range, _), .file(let range): free(range)
        case .local: local?.remove(id)
        }
    }

    private mutating func free(_ range: Range<Int>) {
        guard space.free(range) else { return }
        let (storage, end) = (storage, space.end)
        // Giving the room back is a courtesy to others on the disk; the store is sound without it.
        lane.run { try? storage.truncate(to: end) }
    }

    /// Where what a block holds is; nil when no such block is held. Valid as long as it is held.
    func content(of id: BlockID) -> BlockContent? {
        if case .bytes(let bytes) = local?.content(of: id) { return .local(bytes) }
        return source(of: id).map { .frame(id, $0) }
    }

    /// Where a block's frame is; nil when no such block is held, or it is a local one. Valid as long as it is held.
    func source(of id: BlockID) -> BlockSource? {
        switch entries[id]?.place {
        case .memory(let frame), .waiting(let frame, _, _): .memory(frame)
        case .file(let range): .file(storage, range)
        case .local, nil: nil
        }
    }
}

/// A write to the file that has ended.
struct SpilledBlock: Sendable {
    var id: BlockID
    /// Which of the store's writes it was.
    var write: UInt64
    var byteCount: Int
    var failure: SystemFailure?
}

/// Where what a block holds is.
enum BlockContent: Sendable {
    /// In this process, as it is.
    case local([UInt8])
    case frame(BlockID, BlockSource)

    var byteCount: Int {
        switch self {
        case .local(let bytes): bytes.count
        case .frame(_, let source): source.byteCount
        }
    }
}

/// Where a block's frame is. What lies in the file is read beside the loop.
enum BlockSource: Sendable {
    case memory([UInt8])
    case file(any SpillStorage, Range<Int>)

    var byteCount: Int {
        switch self {
        case .memory(let frame): frame.count
        case .file(_, let range): range.count
        }
    }

    /// Some of the frame's bytes.
    func read(_ range: Range<Int>) throws(SystemFailure) -> [UInt8] {
        switch self {
        case .memory(let frame): range == 0..<frame.count ? frame : Array(frame[range])
        case .file(let storage, let place): try storage.read(range.count, at: place.lowerBound + range.lowerBound)
        }
    }

    func read() throws(SystemFailure) -> [UInt8] {
        switch self {
        case .memory(let frame): frame
        case .file(let storage, let place): try storage.read(place.count, at: place.lowerBound)
        }
    }
}
