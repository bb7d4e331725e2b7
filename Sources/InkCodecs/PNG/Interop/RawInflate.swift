import CZlib
public import InkEngine

/// Decompresses raw deflate (RFC 1951).
public enum RawInflate {
    /// A decompressed piece of a deflate stream.
    public struct Piece: Hashable, Sendable {
        public var content: [UInt8]
        /// Whether it ends its stream: nothing after it is read.
        public var endsStream: Bool
        /// Whether the piece is complete, so that another piece can follow unless it ends the stream: it ends after a
        /// block, at a byte boundary.
        public var isWhole: Bool
    }

    /// The first bytes of the contents of a gzip file, at most `limit`; nil if it is not gzip.
    package static func gzipHead(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        // 16 more than the window size selects a gzip header.
        guard let (output, status, _) = inflate(Array(bytes.prefix(limit)), windowBits: 31, limit: limit) else {
            return nil
        }
        return isSound(status) ? output : nil
    }

    /// The piece may end before the stream does: there is just nothing left to read.
    private static func isSound(_ status: Int32) -> Bool {
        status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR
    }

    /// The first bytes, zlib's status, and its stream, which has ended; nil if zlib cannot be set up.
    private static func inflate(
        _ bytes: [UInt8], windowBits: Int32, limit: Int
    ) -> (output: [UInt8], status: Int32, stream: z_stream)? {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        var input = bytes
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: max(1, limit)) { buffer, count in
            input.withUnsafeMutableBufferPointer { source in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(clamping: source.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: limit)
                status = CZlib.inflate(&stream, Z_SYNC_FLUSH)
                count = limit - Int(stream.avail_out)
            }
        }
        return (output, status, stream)
    }

    /// The contents of a piece of a deflate stream, or their first `limit` bytes.
    ///
    /// - Throws: `internalError` if the bytes are not deflate.
    public static func open(_ bytes: [UInt8], limit: Int) throws(EngineError) -> Piece {
        // A negative window size selects no header and no checksum.
        guard let (output, status, stream) = inflate(bytes, windowBits: -15, limit: limit) else {
            throw .internalError("zlib's inflateInit2 failed")
        }
        guard isSound(status) else { throw .internalError("zlib's inflate failed with \(status)") }
        // zlib reports the unused bits of the last byte (in the lowest six bits), and whether it is at the end of a
        // block (128).
        let isBehindBlock = stream.data_type & (128 | 63) == 128
        return Piece(
            content: output, endsStream: status == Z_STREAM_END,
            isWhole: stream.avail_in == 0 && (status == Z_STREAM_END || isBehindBlock))
    }
}
