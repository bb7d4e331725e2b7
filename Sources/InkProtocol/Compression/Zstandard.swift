import CZstd

/// zstd frames (RFC 8878) with the content's size in the header and without a checksum (a block's name is its hash).
public enum Zstandard {
    /// Compression level.
    public enum Level: Int32, Sendable {
        /// About 470 MB/s on pixels.
        case fast = 1
        /// Slightly smaller; about 320 MB/s on pixels.
        case balanced = 3
    }

    /// `content` as one frame.
    ///
    /// - Throws: `badCompression` if the library fails, for lack of memory.
    public static func compress(_ content: [UInt8], level: Level = .fast) throws(ProtocolError) -> [UInt8] {
        var status = 0
        let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(content.count)) { buffer, count in
            status = content.withUnsafeBytes { source in
                ZSTD_compress(buffer.baseAddress, buffer.count, source.baseAddress, source.count, level.rawValue)
            }
            count = ZSTD_isError(status) == 0 ? status : 0
        }
        guard ZSTD_isError(status) == 0 else { throw .badCompression(errorName(status)) }
        return frame
    }

    /// The content of `frame`, which must be exactly one frame.
    ///
    /// Before memory is allocated, the size in the header is checked against `limit` and against the maximum for a
    /// frame of this length. The content must have exactly that size. A frame without a declared size is decompressed
    /// into memory that grows up to `limit`.
    ///
    /// - Throws: `overLimit` for content larger than `limit` bytes, and `badCompression` for anything but one whole
    ///   frame.
    public static func decompress(_ frame: [UInt8], limit: Int) throws(ProtocolError) -> [UInt8] {
        let (declared, frameBytes) = frame.withUnsafeBytes { source in
            (
                ZSTD_getFrameContentSize(source.baseAddress, source.count),
                ZSTD_findFrameCompressedSize(source.baseAddress, source.count)
            )
        }
        // The magic number is checked as well, because a skippable frame looks like an empty one.
        guard declared != contentSizeError, frame.starts(with: frameMagic) else {
            throw .badCompression("not a zstd frame")
        }
        if declared != contentSizeUnknown, declared > UInt64(max(0, limit)) {
            throw .overLimit(what: "decompressed size", found: declared, limit: UInt64(max(0, limit)))
        }
        guard ZSTD_isError(frameBytes) == 0 else { throw .badCompression(errorName(frameBytes)) }
        guard frameBytes == frame.count else {
            throw .badCompression("\(frame.count - frameBytes) bytes after the frame")
        }
        if declared == contentSizeUnknown { return try decompressStream(frame, limit: limit) }
        // A block of at most 128 KiB of content takes at least 4 bytes of a frame.
        let possible = UInt64(frame.count / 4 + 1) << 17
        guard declared <= possible else {
            throw .badCompression("\(frame.count) bytes cannot hold the \(declared) that they declare")
        }
        return try decompressWhole(frame, size: Int(declared))
    }

    /// The size of the content in the frame's header, unverified; nil without a header or size.
    public static func declaredSize(of frame: [UInt8]) -> Int? {
        guard frame.starts(with: frameMagic) else { return nil }
        let declared = frame.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard declared != contentSizeError, declared != contentSizeUnknown else { return nil }
        return Int(exactly: declared)
    }

    /// Whether it begins like a frame.
    public static func isFrame(_ bytes: [UInt8]) -> Bool { bytes.starts(with: frameMagic) }

    private static let frameMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    // ZSTD_CONTENTSIZE_UNKNOWN and _ERROR are macros with a cast, which Swift does not import.
    private static let contentSizeUnknown = UInt64.max
    private static let contentSizeError = UInt64.max - 1
    /// The library's default. A frame that needs a larger window is refused.
    private static let windowLogMax: Int32 = 27

    private static func decompressWhole(_ frame: [UInt8], size: Int) throws(ProtocolError) -> [UInt8] {
        var status = 0
        let content = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            status = frame.withUnsafeBytes { source in
                ZSTD_decompress(buffer.baseAddress, size, source.baseAddress, source.count)
            }
            count = ZSTD_isError(status) == 0 ? status : 0
        }
        guard ZSTD_isError(status) == 0 else { throw .badCompression(errorName(status)) }
        guard content.count == size else {
            throw .badCompression("\(content.count) bytes of content, \(size) declared")
        }
        return content
    }

    private static func decompressStream(_ frame: [UInt8], limit: Int) throws(ProtocolError) -> [UInt8] {
        guard let stream = ZSTD_createDStream() else { throw .badCompression("out of memory") }
        defer { ZSTD_freeDStream(stream) }
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, windowLogMax)
        var content: [UInt8] = []
        var step = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        var position = 0
        while true {
            var produced = 0
            let status = frame.withUnsafeBytes { source in
                step.withUnsafeMutableBytes { target in
                    var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
                    var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                    let status = ZSTD_decompressStream(stream, &output, &input)
                    position = input.pos
                    produced = output.pos
                    return status
                }
            }
            guard ZSTD_isError(status) == 0 else { throw .badCompression(errorName(status)) }
            guard produced <= limit - content.count else {
                throw .overLimit(
                    what: "decompressed size", found: UInt64(content.count + produced), limit: UInt64(max(0, limit)))
            }
            content.append(contentsOf: step[..<produced])
            if status == 0 { return content }
            guard produced > 0 || position < frame.count else { throw .badCompression("the frame is cut") }
        }
    }

    private static func errorName(_ status: Int) -> String { String(cString: ZSTD_getErrorName(status)) }
}
