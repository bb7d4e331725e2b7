import Glibc
import InkEngine
import InkSystem
import InkProtocol

/// The blocks that jobs need, by name, each held once and counted by its jobs.
///
/// Blocks beyond a memory budget go to a temporary file without a name, which is gone when the process is. Not safe
/// for more than one thread: the broker's loop owns it.
struct BlockStore {
    /// Bytes of blocks kept in memory.
    let memoryBytesMax: Int
    /// Bytes of the temporary file, beyond which nothing is taken in.
    let spillBytesMax: Int
    /// Where the temporary file is made.
    let folder: String
    /// Blocks of this process that are there without a frame.
    let local: LocalBlocks?
    private(set) var memoryBytes = 0
    private var entries: [BlockID: Entry] = [:]
    private var spill: SpillFile?

    private struct Entry {
        var place: Storage
        /// How often it has been put or retained.
        var references: Int
    }

    private enum Storage {
        case memory([UInt8])
        case file(offset: Int, count: Int)
        /// With the process's own blocks.
        case local(count: Int)

        var count: Int {
            switch self {
            case .memory(let frame): frame.count
            case .file(_, let count), .local(let count): count
            }
        }
    }

    init(memoryBytesMax: Int, spillBytesMax: Int, folder: String, local: LocalBlocks? = nil) {
        self.memoryBytesMax = memoryBytesMax
        self.spillBytesMax = spillBytesMax
        self.folder = folder
        self.local = local
    }

    var blockCount: Int { entries.count }
    var spilledBytes: Int { spill?.usedBytes ?? 0 }

    /// The frame's byte count, a local block's size; nil when no such block is held.
    func byteCount(of id: BlockID) -> Int? { entries[id]?.place.count }

    /// Takes a block in, or counts one that is there already once more. A local block has an empty frame.
    ///
    /// - Throws: `BrokerError.spill`.
    mutating func put(_ id: BlockID, _ frame: [UInt8]) throws(BrokerError) {
        if entries[id] != nil {
            entries[id]?.references += 1
            return
        }
        if frame.isEmpty, let content = local?.content(of: id) {
            entries[id] = Entry(place: .local(count: content.byteCount), references: 1)
            return
        }
        if memoryBytes + frame.count <= memoryBytesMax || frame.isEmpty {
            memoryBytes += frame.count
            entries[id] = Entry(place: .memory(frame), references: 1)
            return
        }
        do throws(SystemFailure) {
            if spill == nil { spill = try SpillFile(folder: folder) }
            let offset = try spill!.store(frame, bytesMax: spillBytesMax)
            entries[id] = Entry(place: .file(offset: offset, count: frame.count), references: 1)
        } catch {
            throw .spill(operation: error.operation, errno: error.errno)
        }
    }

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
        case .file(let offset, let count): spill?.free(offset..<(offset + count))
        case .local: local?.remove(id)
        }
    }

    /// `count` bytes of a block from `offset`, fewer at its end; nil when no such block is held, it is a local one, or
    /// the offset is beyond its end.
    func part(of id: BlockID, offset: Int, count: Int) throws(BrokerError) -> [UInt8]? {
        guard let entry = entries[id], offset >= 0, offset <= entry.place.count else { return nil }
        let length = min(count, entry.place.count - offset)
        switch entry.place {
        case .memory(let frame):
            return offset == 0 && length == frame.count ? frame : Array(frame[offset..<(offset + length)])
        case .local: return nil
        case .file(let start, _):
            do throws(SystemFailure) {
                return try spill?.file.read(length, at: start + offset)
            } catch {
                throw .spill(operation: error.operation, errno: error.errno)
            }
        }
    }
}

/// A file without a name whose freed ranges are used again, first fit.
private struct SpillFile {
    let file: FileDescriptor
    private(set) var usedBytes = 0
    private var end = 0
    /// Ascending, never touching each other nor the end.
    private var holes: [Range<Int>] = []

    init(folder: String) throws(SystemFailure) {
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        let path = "\(folder)/.ink-blocks.\(name)"
        file = try FileDescriptor(
            opening: path, flags: O_CREAT | O_EXCL | O_RDWR, mode: 0o600, operation: "create a file in \(folder)")
        unlink(path)
    }

    mutating func store(_ frame: [UInt8], bytesMax: Int) throws(SystemFailure) -> Int {
        if let index = holes.firstIndex(where: { $0.count >= frame.count }) {
            let hole = holes[index]
            try file.write(frame, at: hole.lowerBound)
            let rest = (hole.lowerBound + frame.count)..<hole.upperBound
            if rest.isEmpty { holes.remove(at: index) } else { holes[index] = rest }
            usedBytes += frame.count
            return hole.lowerBound
        }
        guard frame.count <= bytesMax, end <= bytesMax - frame.count else {
            throw SystemFailure(operation: "grow", errno: EFBIG)
        }
        try file.write(frame, at: end)
        defer { end += frame.count }
        usedBytes += frame.count
        return end
    }

    mutating func free(_ range: Range<Int>) {
        usedBytes -= range.count
        var range = range
        var index = holes.firstIndex { $0.lowerBound >= range.upperBound } ?? holes.endIndex
        if index < holes.endIndex, holes[index].lowerBound == range.upperBound {
            range = range.lowerBound..<holes.remove(at: index).upperBound
        }
        if index > 0, holes[index - 1].upperBound == range.lowerBound {
            index -= 1
            range = holes.remove(at: index).lowerBound..<range.upperBound
        }
        guard range.upperBound == end else {
            holes.insert(range, at: index)
            return
        }
        end = range.lowerBound
        // Giving the room back is a courtesy to others on the disk; the store is sound without it.
        try? file.truncate(to: end)
    }
}
