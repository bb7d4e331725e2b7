public import InkEngine

/// Content that is transferred by name: a zstd frame, named by the SHA-256 of the frame.
public struct Block: Hashable, Sendable {
    /// The name.
    public let id: BlockID
    /// One whole zstd frame.
    public let frame: [UInt8]

    /// A block that was received or stored. The name is not checked; use `verified(frame:as:)` for that.
    public init(id: BlockID, frame: [UInt8]) {
        self.id = id
        self.frame = frame
    }

    /// Compresses `content` and names it.
    ///
    /// - Throws: `overLimit` for content beyond `ProtocolLimits.blockContentBytes`, `badCompression`.
    public init(content: [UInt8], level: Zstandard.Level = .fast) throws(ProtocolError) {
        guard content.count <= ProtocolLimits.blockContentBytes else {
            throw .overLimit(
                what: "block content", found: UInt64(content.count), limit: UInt64(ProtocolLimits.blockContentBytes))
        }
        frame = try Zstandard.compress(content, level: level)
        id = BlockID(hashing: frame)
    }

    /// The block of that name with that frame.
    ///
    /// - Throws: `wrongBlock` if the frame's hash differs.
    public static func verified(frame: [UInt8], as id: BlockID) throws(ProtocolError) -> Block {
        let found = BlockID(hashing: frame)
        guard found == id else { throw .wrongBlock(found: found, expected: id) }
        return Block(id: id, frame: frame)
    }

    /// The decompressed content, at most `limit` bytes.
    ///
    /// - Throws: `overLimit`, `badCompression`.
    public func content(limit: Int = ProtocolLimits.blockContentBytes) throws(ProtocolError) -> [UInt8] {
        try Zstandard.decompress(frame, limit: limit)
    }
}
