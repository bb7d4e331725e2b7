import InkEngine
import InkProtocol

/// The blocks that tasks wait for. Each is requested once, and only a limited number at a time.
struct BlockRequests: Sendable {
    private struct Wanted: Sendable {
        var assembly: BlockAssembly
        var waiting: [TaskAttempt]
    }

    private var wanted: [BlockID: Wanted] = [:]
    private var queue: [BlockID] = []
    private var inFlight: Set<BlockID> = []

    /// Registers that `key` waits for that block.
    mutating func want(_ id: BlockID, for key: TaskAttempt) {
        if wanted[id] == nil {
            wanted[id] = Wanted(assembly: BlockAssembly(id: id), waiting: [])
            queue.append(id)
        }
        wanted[id]?.waiting.append(key)
    }

    /// Registers that `key` no longer waits for any block. A block in transfer is still received: data that the broker
    /// has already sent cannot be distinguished from the answer to a second request.
    mutating func forget(_ key: TaskAttempt) {
        for id in Array(wanted.keys) {
            wanted[id]?.waiting.removeAll { $0 == key }
            if wanted[id]?.waiting.isEmpty == true, !inFlight.contains(id) { wanted[id] = nil }
        }
        queue.removeAll { wanted[$0] == nil }
    }

    /// Clears all waits and requests.
    mutating func removeAll() { self = BlockRequests() }

    /// The blocks to request now.
    mutating func nextRequests() -> [BlockRange] {
        let count = min(queue.count, ProtocolLimits.blocksInFlight - inFlight.count)
        guard count > 0 else { return [] }
        let ids = queue.prefix(count)
        queue.removeFirst(count)
        inFlight.formUnion(ids)
        return ids.map { BlockRange(id: $0) }
    }

    /// Takes a part; a part that was not requested is ignored.
    mutating func append(_ part: BlockPart) throws(ProtocolError) -> BlockAssembly.Progress {
        guard inFlight.contains(part.id), wanted[part.id] != nil else { return .waiting }
        return try wanted[part.id]!.assembly.append(part)
    }

    /// The block has arrived, or never will. Forgets it and returns the tasks that waited for it.
    mutating func complete(_ id: BlockID) -> [TaskAttempt] {
        guard inFlight.remove(id) != nil else { return [] }
        return wanted.removeValue(forKey: id)?.waiting ?? []
    }
}
