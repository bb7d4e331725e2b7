/// The envelope of every message: one ZeroMQ part of 16 bytes of header and at most 1 MiB of body.
///
///     offset  size  field
///     0       4     magic, the ASCII letters INKF
///     4       2     protocol version
///     6       1     message type
///     7       1     flags, 0
///     8       4     body length in bytes
///     12      4     CRC-32 of bytes 0..<12 and of the body
///
/// All numbers are little-endian.
enum Frame {
    static let magic: UInt32 = 0x464B_4E49

    /// Makes a frame of that type; `write` writes the body.
    ///
    /// - Throws: `overLimit` if the body does not fit a frame.
    static func seal(
        type: UInt8, version: UInt16 = ProtocolLimits.version, _ write: (inout ByteWriter) -> Void
    ) throws(ProtocolError) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint32(magic)
        writer.uint16(version)
        writer.uint8(type)
        writer.uint8(0)
        writer.uint64(0)
        write(&writer)
        let bodyBytes = writer.bytes.count - ProtocolLimits.headerBytes
        guard bodyBytes <= ProtocolLimits.bodyBytes else {
            throw .overLimit(what: "message body", found: UInt64(bodyBytes), limit: UInt64(ProtocolLimits.bodyBytes))
        }
        writer.overwriteUInt32(UInt32(bodyBytes), at: 8)
        writer.overwriteUInt32(checksum(of: writer.bytes), at: 12)
        return writer.bytes
    }

    /// Checks the envelope. Returns the type and a reader at the start of the body.
    static func open(_ bytes: [UInt8]) throws(ProtocolError) -> (type: UInt8, body: ByteReader) {
        guard bytes.count <= ProtocolLimits.frameBytes else {
            throw .overLimit(what: "frame", found: UInt64(bytes.count), limit: UInt64(ProtocolLimits.frameBytes))
        }
        var reader = ByteReader(bytes)
        let foundMagic = try reader.uint32("magic")
        guard foundMagic == magic else { throw .badMagic(found: foundMagic) }
        let version = try reader.uint16("version")
        guard version == ProtocolLimits.version else { throw .unsupportedVersion(found: version) }
        let type = try reader.uint8("type")
        let flags = try reader.uint8("flags")
        guard flags == 0 else { throw .badValue(what: "flags", offset: 7, found: "\(flags)", expected: "0") }
        let length = Int(try reader.uint32("body length"))
        let declared = try reader.uint32("checksum")
        guard length == reader.remaining else {
            throw .truncated(what: "body", offset: reader.offset, expected: length, found: reader.remaining)
        }
        let computed = checksum(of: bytes)
        guard computed == declared else { throw .badChecksum(found: computed, expected: declared) }
        return (type, reader)
    }

    private static func checksum(of frame: [UInt8]) -> UInt32 {
        let header = Checksum.crc32(of: frame, 0..<12)
        return Checksum.crc32(of: frame, ProtocolLimits.headerBytes..<frame.count, continuing: header)
    }
}
