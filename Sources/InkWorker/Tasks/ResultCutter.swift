import InkEngine
import InkProtocol

/// Cuts a result's record stream into parts of the size that a message can carry.
struct ResultCutter: Sendable {
    private let limitBytes: UInt64
    private var pending: [UInt8] = []
    /// Total bytes of all records so far.
    private(set) var totalBytes: UInt64 = 0
    private(set) var partCount: UInt32 = 0
    /// Local blocks in data that has not been sent.
    private(set) var unsentLocalBlocks: [Block] = []

    init(limitBytes: UInt64) { self.limitBytes = limitBytes }

    /// Adds an item; passes full parts to `send`.
    ///
    /// - Throws: `internalError` if the result grows beyond the limit.
    mutating func append(
        _ item: ResultItem, _ send: (_ sequence: UInt32, _ bytes: [UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let record: [UInt8]
        do throws(ProtocolError) { record = try item.encodedRecord() } catch { throw .internalError("\(error)") }
        if let block = item.block, block.frame.isEmpty { unsentLocalBlocks.append(block) }
        totalBytes += UInt64(record.count)
        guard totalBytes <= limitBytes else {
            throw .internalError("the result has \(totalBytes) bytes, the broker allows \(limitBytes)")
        }
        if pending.isEmpty, !record.isEmpty, record.count < ProtocolLimits.partBytes {
            // Most results are one part, which is sent without a copy.
            pending = record
            return
        }
        var start = 0
        while start < record.count {
            let count = min(record.count - start, ProtocolLimits.partBytes - pending.count)
            pending += record[start..<(start + count)]
            start += count
            if pending.count == ProtocolLimits.partBytes { try flush(send) }
        }
    }

    /// Passes the rest to `send`.
    mutating func flush(
        _ send: (_ sequence: UInt32, _ bytes: [UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard !pending.isEmpty else { return }
        let bytes = pending
        pending = []
        let sequence = partCount
        partCount += 1
        try send(sequence, bytes)
        unsentLocalBlocks = []
    }
}
