import InkEngine
import InkProtocol

/// A block being received: its frame so far. Memory grows with the data that arrives, not with the announced size.
struct BlockAssembly: Sendable {
    let id: BlockID
    private var frame: [UInt8] = []
    private var totalBytes: UInt64?
    /// Start of the window that was requested last.
    private var windowStart = 0

    init(id: BlockID) { self.id = id }

    /// What to do after a part.
    enum Progress: Hashable, Sendable {
        case waiting
        /// The window has arrived; request the next.
        case needsMore(BlockRange)
        case complete(Block)
    }

    /// Takes the next part.
    ///
    /// - Throws: `outOfSequence` for a part that does not follow the previous one, `wrongBlock` if the complete block
    ///   has a different hash.
    mutating func append(_ part: BlockPart) throws(ProtocolError) -> Progress {
        guard part.offset == UInt64(frame.count) else {
            throw .outOfSequence(what: "block part", found: "at \(part.offset)", expected: "at \(frame.count)")
        }
        guard part.totalBytes == totalBytes ?? part.totalBytes else {
            throw .outOfSequence(
                what: "block size", found: "\(part.totalBytes)", expected: "\(totalBytes ?? part.totalBytes)")
        }
        totalBytes = part.totalBytes
        frame.append(contentsOf: part.bytes)
        if UInt64(frame.count) == part.totalBytes { return .complete(try Block.verified(frame: frame, as: id)) }
        guard frame.count - windowStart >= ProtocolLimits.blockWindowBytes else { return .waiting }
        windowStart = frame.count
        return .needsMore(BlockRange(id: id, offset: UInt64(frame.count)))
    }
}
