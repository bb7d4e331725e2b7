import CKernels
import InkEngine

/// What follows the rows passed to a `BandDeflater`.
enum DeflateEnd {
    /// More rows of the same band.
    case more
    /// The band ends: pad to a byte boundary. Later bytes refer to nothing before it (a full flush).
    case flush
    /// The stream ends.
    case last

    fileprivate var c: ink_deflate_end {
        switch self {
        case .more: INK_END_MORE
        case .flush: INK_END_FLUSH
        case .last: INK_END_LAST
        }
    }
}

/// The repetitions that a `BandDeflater` looks for.
enum DeflateSearch {
    /// Runs of one byte.
    case runs
    /// Runs of one byte: all of at least 63 bytes, and some of 32 or more.
    case longRuns
    /// Pixels and strings of pixels.
    case pixels
    /// Strings of bytes, and the cheapest sequence of literals and matches.
    case cheapest

    fileprivate var c: ink_deflate_search {
        switch self {
        case .runs: INK_SEARCH_RUNS
        case .longRuns: INK_SEARCH_LONG_RUNS
        case .pixels: INK_SEARCH_PIXELS
        case .cheapest: INK_SEARCH_CHEAPEST
        }
    }
}

/// Compresses filtered rows to raw deflate (RFC 1951), band by band. It is reused, because its state is large: 400 KB
/// plus about six bytes for each byte of the rows passed at a time. The bytes are the same at every level of kernels.
///
/// Call `begin`, then alternate `room` and `write` until the band ends; or call `room` and `estimate`.
final class BandDeflater {
    private let deflater: OpaquePointer
    private var output = RowBuffer(byteCount: 0)

    init(level: KernelLevel) {
        guard let deflater = ink_deflater_create(level.c) else {
            preconditionFailure("no memory for a compressor")
        }
        self.deflater = deflater
    }

    deinit { ink_deflater_destroy(deflater) }

    /// Parameters of a band.
    struct Start {
        var search: DeflateSearch
        /// Size of a row: the filter number and the pixels.
        var filteredRowByteCount: Int
        var bytesPerPixel: Int
        /// The share of many consecutive literals that is counted: 1, 1/2, 1/4, 1/8 or 1/16, for 0 to 4. A higher
        /// value is faster and compresses slightly less.
        var coarseness: UInt32
        /// Number of an estimate whose symbol costs are used at first.
        var estimate: Int?
    }

    /// Discards all rows passed before.
    func begin(_ start: Start) {
        ink_deflater_begin(
            deflater, start.search.c, start.filteredRowByteCount, start.bytesPerPixel, start.coarseness,
            Int32(start.estimate ?? -1))
    }

    /// Where to write the next `rowCount` filtered rows; valid until the next call.
    ///
    /// - Throws: `EngineError.internalError` if there is no memory.
    func room(rowCount: Int) throws(EngineError) -> UnsafeMutablePointer<UInt8> {
        guard let room = ink_deflater_room(deflater, rowCount) else {
            throw .internalError("no memory for \(rowCount) rows to be compressed")
        }
        return room
    }

    /// Estimated bits of the rows just written, if nothing was compressed before. The symbol costs it learns are stored
    /// under `number`.
    ///
    /// - Precondition: `number` is 0 to 3.
    func estimate(rowCount: Int, number: Int) -> UInt64 {
        precondition((0...3).contains(number))
        return ink_deflater_estimate(deflater, rowCount, Int32(number))
    }

    /// Compresses the rows just written and passes the result to `handOn`.
    func write(rowCount: Int, end: DeflateEnd, output handOn: (UnsafeBufferPointer<UInt8>) -> Void) {
        let bound = ink_deflater_bound(deflater, rowCount)
        if output.byteCount < bound { output = RowBuffer(byteCount: bound) }
        let count = ink_deflater_write(deflater, rowCount, end.c, output.base)
        handOn(UnsafeBufferPointer(start: output.base, count: count))
    }
}
