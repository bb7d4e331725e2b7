import CTIFF
import CZstd
import InkEngine

/// Packs strips of rows. Each sample is stored as its distance from the pixel to the left (predictor 2), except in files
/// without compression.
final class TIFFPieceEncoder: PieceEncoder {
    private let filters: RowFilters
    private let deflater: BandDeflater
    private var strip = RowBuffer(byteCount: 0)
    private var packed = RowBuffer(byteCount: 0)
    private let zstd: OpaquePointer

    init(level: KernelLevel = .selected) {
        filters = RowFilters(level: level)
        deflater = BandDeflater(level: level)
        guard let zstd = ZSTD_createCCtx() else { preconditionFailure("no memory for a compressor") }
        self.zstd = zstd
    }

    deinit { ZSTD_freeCCtx(zstd) }

    /// Positions in the compressor's window have 32 bits.
    private static let rowByteCountMax = 1 << 26

    /// Rows in memory that the caller of `encode` keeps alive.
    private struct Rows {
        let pixels: UnsafePointer<UInt8>
        let count: Int
        let rowByteCount: Int
        let bytesPerPixel: Int

        var byteCount: Int { count * rowByteCount }
    }

    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        let bytesPerPixel = rows.format.bytesPerPixel
        let rowByteCount = rows.width.multipliedReportingOverflow(by: bytesPerPixel)
        guard rows.width > 0, !rowByteCount.overflow, rowByteCount.partialValue < TIFFPieceEncoder.rowByteCountMax
        else { throw .internalError("a strip of width \(rows.width) cannot be encoded") }
        let (rowCount, rest) = rows.pixels.count.quotientAndRemainder(dividingBy: rowByteCount.partialValue)
        guard let base = rows.pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), rowCount > 0, rest == 0 else {
            throw .internalError("\(rows.pixels.count) bytes are not rows of \(rows.width) pixels")
        }
        var strips: [[UInt8]] = []
        for first in stride(from: 0, to: rowCount, by: TIFFStrips.rowsPerStrip) {
            let strip = Rows(
                pixels: base + first * rowByteCount.partialValue,
                count: min(TIFFStrips.rowsPerStrip, rowCount - first), rowByteCount: rowByteCount.partialValue,
                bytesPerPixel: bytesPerPixel)
            strips.append(try pack(strip, encoding.picture))
        }
        return EncodedPiece(
            rowCount: rowCount, rawByteCount: rows.pixels.count, adler32: Adler32.empty, bytes: TIFFStrips.join(strips))
    }

    private func pack(_ rows: Rows, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8] {
        switch encoding.stripCompression {
        case .deflate: return try deflate(rows, encoding.effort)
        case .none: return Array(UnsafeBufferPointer(start: rows.pixels, count: rows.byteCount))
        case .lzw:
            filter(rows)
            let room = room(ink_lzw_bound(rows.byteCount))
            let count = ink_lzw_encode(strip.base, rows.byteCount, room)
            return Array(UnsafeBufferPointer(start: room, count: count))
        case .zstd:
            filter(rows)
            let bound = ZSTD_compressBound(rows.byteCount)
            let room = room(bound)
            let count = ZSTD_compressCCtx(zstd, room, bound, strip.base, rows.byteCount, encoding.effort.zstdLevel)
            guard ZSTD_isError(count) == 0 else {
                throw .internalError("zstd: \(String(cString: ZSTD_getErrorName(count)))")
            }
            return Array(UnsafeBufferPointer(start: room, count: count))
        }
    }

    private func room(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        if packed.byteCount < byteCount { packed = RowBuffer(byteCount: byteCount) }
        return packed.base
    }

    /// Filters all rows into `strip`.
    private func filter(_ rows: Rows) {
        if strip.byteCount < rows.byteCount { strip = RowBuffer(byteCount: rows.byteCount) }
        filter(rows, 0..<rows.count, into: strip.base)
    }

    private func filter(_ rows: Rows, _ range: Range<Int>, into: UnsafeMutablePointer<UInt8>) {
        var into = into
        for y in range {
            let row = rows.pixels + y * rows.rowByteCount
            filters.apply(
                .sub, row: row, prior: row, count: rows.rowByteCount, pixel: rows.bytesPerPixel, out: into)
            into += rows.rowByteCount
        }
    }

    /// Bytes that are filtered at a time, as in `BandEncoder`.
    private static let blockByteCount = 256 << 10

    /// A zlib stream (RFC 1950).
    private func deflate(_ rows: Rows, _ effort: EncodingEffort) throws(EngineError) -> [UInt8] {
        deflater.begin(try bestStart(rows, effort))
        var bytes: [UInt8] = [0x78, 0x01]
        var adler32 = Adler32.empty
        let rowsPerBlock = max(1, TIFFPieceEncoder.blockByteCount / rows.rowByteCount)
        for first in stride(from: 0, to: rows.count, by: rowsPerBlock) {
            let block = first..<min(first + rowsPerBlock, rows.count)
            let room = try deflater.room(rowCount: block.count)
            filter(rows, block, into: room)
            let byteCount = block.count * rows.rowByteCount
            let sum = Adler32.checksum(UnsafeRawBufferPointer(start: room, count: byteCount))
            adler32 = Adler32.combine(adler32, sum, lengthB: byteCount)
            deflater.write(rowCount: block.count, end: block.upperBound < rows.count ? .more : .last) { bytes += $0 }
        }
        return bytes + bigEndian(adler32)
    }

    /// How to compress the rows, by a trial on some of them.
    private func bestStart(_ rows: Rows, _ effort: EncodingEffort) throws(EngineError) -> BandDeflater.Start {
        func start(_ search: DeflateSearch) -> BandDeflater.Start {
            BandDeflater.Start(
                search: search, filteredRowByteCount: rows.rowByteCount, bytesPerPixel: rows.bytesPerPixel,
                coarseness: effort == .fast ? 4 : effort == .balanced ? 3 : 0, estimate: nil)
        }
        let first = rows.count / 2
        let sample = first..<min(rows.count, first + (effort == .fast ? 1 : 2))
        var candidates = [start(.runs), start(.pixels)]
        var bits: [UInt64] = []
        for number in candidates.indices {
            deflater.begin(candidates[number])
            filter(rows, sample, into: try deflater.room(rowCount: sample.count))
            bits.append(deflater.estimate(rowCount: sample.count, number: number))
            candidates[number].estimate = number
        }
        let best = bits[1] < bits[0] ? 1 : 0
        switch effort {
        // Runs are found faster, which justifies a slightly larger result.
        case .fast: return candidates[bits[0] <= bits[best] + bits[best] / 2 ? 0 : best]
        case .balanced: return candidates[bits[0] <= bits[best] + bits[best] / 32 ? 0 : best]
        case .small:
            candidates[best].search = .cheapest
            return candidates[best]
        }
    }
}

extension EncodingEffort {
    fileprivate var zstdLevel: Int32 {
        switch self {
        case .fast: 1
        case .balanced: 9
        case .small: 19
        }
    }
}
