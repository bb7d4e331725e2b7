public import InkEngine

/// A block from an offset on.
public struct BlockRange: Hashable, Sendable {
    public var id: BlockID
    /// The number of bytes that the worker already has. The broker answers with consecutive parts, together at most
    /// `ProtocolLimits.blockWindowBytes`; the worker then requests the rest.
    public var offset: UInt64

    public init(id: BlockID, offset: UInt64 = 0) {
        self.id = id
        self.offset = offset
    }
}

extension BlockRange: WireValue {
    static let leastBytes = 33

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        id = try BlockID(from: &reader)
        offset = try reader.varint("offset")
    }

    package func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.varint(offset)
    }
}

/// A piece of a block's frame.
public struct BlockPart: Hashable, Sendable {
    public var id: BlockID
    public var offset: UInt64
    /// Size of the whole frame, in bytes.
    public var totalBytes: UInt64
    /// 1 to `ProtocolLimits.partBytes` bytes.
    public var bytes: [UInt8]

    public init(id: BlockID, offset: UInt64, totalBytes: UInt64, bytes: [UInt8]) {
        self.id = id
        self.offset = offset
        self.totalBytes = totalBytes
        self.bytes = bytes
    }

    /// The ranges of a frame of `totalBytes` bytes that answer a request from `offset` on, one per part; empty if the
    /// offset lies at or beyond the end.
    public static func ranges(from offset: UInt64, totalBytes: Int) -> [Range<Int>] {
        guard let start = Int(exactly: offset), start < totalBytes else { return [] }
        let end = min(totalBytes, start + ProtocolLimits.blockWindowBytes)
        return stride(from: start, to: end, by: ProtocolLimits.partBytes).map { first in
            first..<min(end, first + ProtocolLimits.partBytes)
        }
    }
}

extension BlockPart: WireValue {
    package init(from reader: inout ByteReader) throws(ProtocolError) {
        id = try BlockID(from: &reader)
        offset = try reader.uint64("offset")
        totalBytes = try reader.uint64("total bytes")
        guard totalBytes <= UInt64(ProtocolLimits.blockFrameBytes) else {
            throw .overLimit(what: "block", found: totalBytes, limit: UInt64(ProtocolLimits.blockFrameBytes))
        }
        let start = reader.offset
        bytes = try reader.partBytes("block bytes")
        guard offset <= totalBytes, UInt64(bytes.count) <= totalBytes - offset else {
            throw .badValue(
                what: "block part", offset: start, found: "\(bytes.count) bytes at \(offset)",
                expected: "a piece of \(totalBytes) bytes")
        }
    }

    package func write(to writer: inout ByteWriter) {
        id.write(to: &writer)
        writer.uint64(offset)
        writer.uint64(totalBytes)
        writer.raw(bytes)
    }
}
