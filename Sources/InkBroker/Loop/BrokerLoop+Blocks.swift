import InkEngine
import InkProtocol
import InkSystem

/// Blocks to workers and to the disk.
extension BrokerLoop {
    /// Bytes of blocks that are sent to a worker before the others are looked at again.
    private static let bytesPerTurn = 8 << 20

    func want(_ ranges: [BlockRange], _ worker: WorkerID) {
        behind.insert(worker)
        for range in ranges {
            guard let total = store.byteCount(of: range.id) else {
                send(.blockMissing(range.id), to: worker)
                continue
            }
            let parts = BlockPart.ranges(from: range.offset, totalBytes: total)
            if parts.isEmpty { send(.blockMissing(range.id), to: worker) }
            for part in parts {
                peers[worker]?.wanted.append(WantedPart(id: range.id, range: part, totalBytes: total))
            }
        }
        if peers[worker]?.wanted.count ?? 0 > BrokerLoop.wantedPartsMax {
            refuse(worker, "it asks for too much at once")
        }
    }

    /// Sends what a worker has asked for, as far as there is room: on its line, and in the queues of all workers together.
    /// Returns whether it waits for that, or for the disk.
    func flushParts(_ worker: WorkerID) -> Bool {
        var sent = 0
        while sent < BrokerLoop.bytesPerTurn {
            guard let peer = peers[worker], var part = peer.wanted.first else { return false }
            if peer.isReading { return true }
            guard let source = store.source(of: part.id) else {
                peers[worker]?.wanted.removeFirst()
                send(.blockMissing(part.id), to: worker)
                continue
            }
            let partBytes = min(peer.line.partBytes, part.range.count)
            guard peers[worker]?.line.hasRoom(for: partBytes, now: SystemClock.milliseconds) == true else {
                return true
            }
            let count = queues.room(for: peer.queued, count: partBytes)
            guard count > 0 else { return true }
            part.range = part.range.prefix(count)
            sent += count
            switch source {
            case .memory(let frame):
                send(part, Array(frame[part.range]), to: worker)
                guard peers[worker]?.unsent.isEmpty == true else { return false }
            case .file:
                read(part, from: source, for: worker)
                return true
            }
        }
        return false
    }

    private func read(_ part: WantedPart, from source: BlockSource, for worker: WorkerID) {
        peers[worker]?.readingBytes = part.range.count
        peers[worker]?.readingSince = SystemClock.nanoseconds
        peers[worker]?.queued.add(part.range.count)
        // It may not go before it has been read.
        store.retain(part.id)
        let mailbox = mailbox
        reading.run {
            let result: Result<[UInt8], SystemFailure>
            do throws(SystemFailure) { result = .success(try source.read(part.range)) } catch {
                result = .failure(error)
            }
            mailbox.post(.partRead(worker, part, result))
        }
    }

    func take(_ result: Result<[UInt8], SystemFailure>, of part: WantedPart, _ worker: WorkerID) {
        defer { release([part.id]) }
        guard let peer = peers[worker] else { return }
        peers[worker]?.readingBytes = 0
        peer.queued.remove(peer.readingBytes)
        behind.insert(worker)
        switch result {
        case .success(let bytes): send(part, bytes, to: worker)
        case .failure(let failure):
            peers[worker]?.wanted.removeFirst()
            failExports(needing: part.id, failure)
            // It counts the blocks that it waits for.
            send(.blockMissing(part.id), to: worker)
        }
    }

    /// Sends the beginning of the first piece that a worker wants, or all of it.
    private func send(_ part: WantedPart, _ bytes: [UInt8], to worker: WorkerID) {
        guard let first = peers[worker]?.wanted.first else { return }
        if first.range.upperBound == part.range.upperBound {
            peers[worker]?.wanted.removeFirst()
        } else {
            peers[worker]?.wanted[0].range = part.range.upperBound..<first.range.upperBound
        }
        peers[worker]?.line.send(bytes.count, now: SystemClock.milliseconds)
        if let owner = owners[part.id] { exports.count(owner) { $0.bytesSent += bytes.count } }
        let message = BlockPart(
            id: part.id, offset: UInt64(part.range.lowerBound), totalBytes: UInt64(part.totalBytes), bytes: bytes)
        send(.blockPart(message), to: worker)
    }

    // MARK: - The disk

    /// Takes note of a block that was to be brought to the disk.
    func take(_ block: SpilledBlock) {
        if let failure = store.take(block) { failExports(needing: block.id, failure) }
        tell(.diskAdvanced)
    }

    /// Ends every export that cannot do without a block.
    func failExports(needing block: BlockID, _ failure: SystemFailure) {
        var needing = Set(exports.needing(block))
        for assembly in peers.values.flatMap(\.assemblies.values)
        where assembly.payloadBlock == block || assembly.result.blocks.contains(block) {
            if exports[assembly.life] != nil { needing.insert(assembly.life.job) }
        }
        for id in needing.sorted() {
            tell(.failed(id, .spill(operation: failure.operation, errno: failure.errno)))
        }
    }
}
