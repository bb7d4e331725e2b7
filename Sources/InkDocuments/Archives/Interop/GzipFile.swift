import CZlib
import InkEngine

/// Files that may be packed with gzip.
enum GzipFile {
    /// The contents of a file in gzip; a file that is not in gzip as it is.
    ///
    /// - Throws: `badInput` for damage, `overLimit` for more than a project file may have.
    static func contents(_ bytes: [UInt8], place: Place, limits: Limits) throws(EngineError) -> [UInt8] {
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        var stream = z_stream()
        // 16 more than the window size selects a gzip header.
        guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .internalError("zlib's inflateInit2 failed")
        }
        defer { inflateEnd(&stream) }
        var contents: [UInt8] = []
        var status = Z_OK
        var input = bytes
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // The ratio holds as for archives.
        let most = min(
            limits.fileBytes,
            max(16 << 20, bytes.count.multipliedReportingOverflow(by: limits.archiveRatio).partialValue))
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(clamping: source.count)
            while status == Z_OK, contents.count <= most {
                piece.withUnsafeMutableBufferPointer { target in
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                }
                contents += piece.prefix(piece.count - Int(stream.avail_out))
                if status == Z_BUF_ERROR || stream.avail_in == 0 && status == Z_OK && stream.avail_out > 0 { break }
            }
        }
        guard contents.count <= most else {
            throw .overLimit(place, what: "the unpacked file", found: "more than \(most) bytes", limit: "\(most) bytes")
        }
        guard status == Z_STREAM_END else {
            throw .badInput(place, reason: "cannot be unpacked: its gzip data are damaged or end too early")
        }
        return contents
    }
}
