import CISAL
import CZlib
import Glibc

/// What follows the bytes given to a `Deflater`.
enum DeflateEnd {
    /// More bytes of the same band.
    case more
    /// The band ends: up to a byte boundary, and what comes after refers to nothing before (a full flush).
    case flush
    /// The stream ends.
    case last
}

/// Compresses bytes to raw deflate (RFC 1951), band by band; reused, because its state is large.
protocol Deflater: AnyObject {
    /// Forgets everything given before.
    func begin() throws(EngineError)

    /// Compresses `bytes` and hands on what comes out.
    ///
    /// - Precondition: Fewer than 2^31 bytes.
    func deflate(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, end: DeflateEnd, output: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(EngineError)
}

/// ISA-L's igzip at level 1 or 2. The output may differ between processors; what it decompresses to does not.
final class ISALDeflater: Deflater {
    private let stream: UnsafeMutablePointer<isal_zstream>
    private let ownsStream: Bool
    private let level: UInt32
    private let levelBuffer: RowBuffer
    private let output = RowBuffer(byteCount: 128 << 10)
    private var isFresh = true

    /// The first bytes after `begin` are compressed by themselves.
    ///
    /// ISA-L 2.30 puts one entry into its table at a place that depends on the stream's address, when its fast loop
    /// meets the first byte of a stream (`write_first_byte` in igzip_icf_body_h1_gr_bt.asm hashes a register that was
    /// not set). At some addresses, one in hundreds, a band then came out a few bytes longer or shorter, the same pixels
    /// in it. Few bytes and a flush go through another loop, and are history for the fast one.
    private static let headByteCount = 8

    /// - Parameters:
    ///   - level: 1 or 2.
    ///   - stream: where its state lies; nil: in memory of its own.
    init(level: Int, stream: UnsafeMutablePointer<isal_zstream>? = nil) {
        precondition(level == 1 || level == 2)
        self.level = UInt32(level)
        // ISAL_DEF_LVL1_DEFAULT and ISAL_DEF_LVL2_DEFAULT, which Swift cannot import: 4 KiB, two bytes for each of 8 Ki
        // or 32 Ki hash entries, four bytes for each of 64 Ki tokens.
        levelBuffer = RowBuffer(byteCount: (4 << 10) + (level == 1 ? 16 << 10 : 64 << 10) + (256 << 10))
        ownsStream = stream == nil
        self.stream = stream ?? .allocate(capacity: 1)
        begin()
    }

    deinit { if ownsStream { stream.deallocate() } }

    func begin() {
        // What an earlier band left in the hash tables must not decide which matches this one finds.
        memset(stream, 0, MemoryLayout<isal_zstream>.size)
        memset(levelBuffer.base, 0, levelBuffer.byteCount)
        isal_deflate_init(stream)
        stream.pointee.level = level
        stream.pointee.level_buf = levelBuffer.base
        stream.pointee.level_buf_size = UInt32(levelBuffer.byteCount)
        isFresh = true
    }

    func deflate(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, end: DeflateEnd, output handOn: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(EngineError) {
        var rest = bytes[...]
        if isFresh, bytes.count > ISALDeflater.headByteCount {
            isFresh = false
            let head = bytes[..<ISALDeflater.headByteCount]
            try run(.init(rebasing: head), flush: SYNC_FLUSH, isLast: false, handOn)
            rest = bytes[ISALDeflater.headByteCount...]
        }
        try run(.init(rebasing: rest), flush: end == .flush ? FULL_FLUSH : NO_FLUSH, isLast: end == .last, handOn)
    }

    private func run(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, flush: Int32, isLast: Bool,
        _ handOn: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(EngineError) {
        stream.pointee.next_in = bytes.baseAddress
        stream.pointee.avail_in = UInt32(bytes.count)
        stream.pointee.flush = UInt16(flush)
        stream.pointee.end_of_stream = isLast ? 1 : 0
        // Output that just fills the buffer may or may not be all: only an unfilled one says so.
        repeat {
            stream.pointee.next_out = output.base
            stream.pointee.avail_out = UInt32(output.byteCount)
            let status = isal_deflate(stream)
            guard status == COMP_OK else { throw .internalError("isal_deflate failed with \(status)") }
            handOn(UnsafeBufferPointer(start: output.base, count: output.byteCount - Int(stream.pointee.avail_out)))
        } while stream.pointee.avail_out == 0 && stream.pointee.internal_state.state != ZSTATE_END
        guard stream.pointee.avail_in == 0 else { throw .internalError("isal_deflate left bytes behind") }
    }
}

/// zlib at level 8: level 9 takes up to three times as long on hatched line art and is smaller by less than 0.3%, or
/// larger.
final class ZlibDeflater: Deflater {
    private let stream: UnsafeMutablePointer<z_stream>
    private let output = RowBuffer(byteCount: 128 << 10)

    init() throws(EngineError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A negative window size asks for raw deflate; memory level 9 makes the longest blocks.
        let status = deflateInit2_(
            stream, 8, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .internalError("zlib's deflateInit2 failed with \(status)") }
    }

    deinit {
        // Of a stream that could not be set up it frees nothing.
        deflateEnd(stream)
        stream.deallocate()
    }

    func begin() throws(EngineError) {
        let status = deflateReset(stream)
        guard status == Z_OK else { throw .internalError("zlib's deflateReset failed with \(status)") }
    }

    func deflate(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, end: DeflateEnd, output handOn: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws(EngineError) {
        stream.pointee.next_in = bytes.baseAddress
        stream.pointee.avail_in = UInt32(bytes.count)
        let flush =
            switch end {
            case .more: Z_NO_FLUSH
            case .flush: Z_FULL_FLUSH
            case .last: Z_FINISH
            }
        repeat {
            stream.pointee.next_out = output.base
            stream.pointee.avail_out = UInt32(output.byteCount)
            let status = CZlib.deflate(stream, flush)
            // Z_BUF_ERROR only says that there was nothing left to do.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw .internalError("zlib's deflate failed with \(status)")
            }
            handOn(UnsafeBufferPointer(start: output.base, count: output.byteCount - Int(stream.pointee.avail_out)))
        } while stream.pointee.avail_out == 0
        guard stream.pointee.avail_in == 0 else { throw .internalError("zlib's deflate left bytes behind") }
    }
}
