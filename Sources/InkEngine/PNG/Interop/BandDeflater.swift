import CKernels

/// What follows the rows given to a `BandDeflater`.
enum DeflateEnd {
    /// More rows of the same band.
    case more
    /// The band ends: up to a byte boundary, and what comes after refers to nothing before (a full flush).
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

/// What repetitions a `BandDeflater` looks for.
enum DeflateSearch {
    /// Runs of one byte.
    case runs
    /// Runs of one byte: all of at least 63, and some of 32 and more.
    case longRuns
    /// Pixels and strings of pixels.
    case pixels
    /// Strings of bytes, and the cheapest way to put the rows together of them.
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

/// Compresses filtered rows to raw deflate (RFC 1951), band by band; reused, because its state is large: 400 KB and
/// about six bytes for each byte of the rows that it is given at a time. The bytes are the same at every level of
/// kernels.
///
/// `begin`, then `room` and `write` in turns until the band ends; or `room` and `estimate`.
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

    /// What a band begins with.
    struct Start {
        var search: DeflateSearch
        /// A filter's number and the pixels of a row.
        var filteredRowByteCount: Int
        var bytesPerPixel: Int
        /// Of many literals in a row all are counted, a half, a quarter, an eighth or a sixteenth, for 0 to 4: faster, and a
        /// little larger.
        var coarseness: UInt32
        /// The number of an estimate, from which the costs of symbols are taken at first.
        var estimate: Int?
    }

    /// Forgets all rows given before.
    func begin(_ start: Start) {
        ink_deflater_begin(
            deflater, start.search.c, start.filteredRowByteCount, start.bytesPerPixel, start.coarseness,
            Int32(start.estimate ?? -1))
    }

    /// Where the next `rowCount` filtered rows are to be put, good until the next call.
    ///
    /// - Throws: `EngineError.internalError` when there is no memory.
    func room(rowCount: Int) throws(EngineError) -> UnsafeMutablePointer<UInt8> {
        guard let room = ink_deflater_room(deflater, rowCount) else {
            throw .internalError("no memory for \(rowCount) rows to be compressed")
        }
        return room
    }

    /// About how many bits the rows just put would take, when nothing was written before. What is learnt of the costs
    /// of symbols is kept under `number`.
    ///
    /// - Precondition: `number` is 0 to 3.
    func estimate(rowCount: Int, number: Int) -> UInt64 {
        precondition((0...3).contains(number))
        return ink_deflater_estimate(deflater, rowCount, Int32(number))
    }

    /// Compresses the rows just put and hands on what comes out.
    func write(rowCount: Int, end: DeflateEnd, output handOn: (UnsafeBufferPointer<UInt8>) -> Void) {
        let bound = ink_deflater_bound(deflater, rowCount)
        if output.byteCount < bound { output = RowBuffer(byteCount: bound) }
        let count = ink_deflater_write(deflater, rowCount, end.c, output.base)
        handOn(UnsafeBufferPointer(start: output.base, count: count))
    }
}
