/// A run of full-width rows as a piece of a PNG's compressed stream.
public struct EncodedBand: Hashable, Sendable {
    /// Raw deflate (RFC 1951) that begins and ends at a byte boundary and refers to nothing before it. The pieces of a
    /// picture's bands in order, the last made with `isLast`, are one deflate stream.
    public var bytes: [UInt8]
    /// Of the filtered bytes, starting from 1; see `Adler32.combine`.
    public var adler32: UInt32
    /// Bytes before compression: a filter byte and the pixels of each row.
    public var filteredByteCount: Int
    public var rowCount: Int

    public init(bytes: [UInt8], adler32: UInt32, filteredByteCount: Int, rowCount: Int) {
        self.bytes = bytes
        self.adler32 = adler32
        self.filteredByteCount = filteredByteCount
        self.rowCount = rowCount
    }
}

/// Filters and deflates bands of pixels. One for each thread: its buffers, half a megabyte and two rows, are kept
/// from band to band.
///
/// Which filter serves a band is found by trial: a part of its rows is filtered in each way in question and deflated.
/// Line art with flat areas is smallest unfiltered by far, because hatching repeats itself from row to row; the rule
/// of the least sum of magnitudes, which suits photographs and grain, makes it up to half larger.
public final class BandEncoder {
    private var filter: BandFilter?
    private var filtered = RowBuffer(byteCount: 0)
    private let trialDeflater = ISALDeflater(level: 1)
    private let balancedDeflater = ISALDeflater(level: 2)
    private var smallDeflater: ZlibDeflater?

    public init() {}

    /// Encodes a band.
    ///
    /// - Parameters:
    ///   - pixels: rows of `width` pixels of `format`, without padding; at least one row.
    ///   - width: pixels.
    /// - Returns: The band; the bytes of `fast` and `balanced` may differ between processors, what they decompress to is
    ///   the same picture.
    /// - Throws: `EngineError.internalError` when `pixels` is not a whole number of rows above 0, or a row is too large
    ///   (2^31 bytes), or the compressor fails.
    public func encode(
        pixels: UnsafeRawBufferPointer, width: Int, format: OutputFormat, encoding: BandEncoding
    ) throws(EngineError) -> EncodedBand {
        let rowByteCount = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard width > 0, !rowByteCount.overflow, rowByteCount.partialValue < Int(Int32.max) else {
            throw .internalError("a band of width \(width) cannot be encoded")
        }
        let (rowCount, rest) = pixels.count.quotientAndRemainder(dividingBy: rowByteCount.partialValue)
        guard let base = pixels.baseAddress, rowCount > 0, rest == 0 else {
            throw .internalError("a band of \(pixels.count) bytes is not rows of \(rowByteCount.partialValue)")
        }
        let band = Band(
            pixels: base.assumingMemoryBound(to: UInt8.self), rowCount: rowCount,
            filter: filter(width: width, bytesPerPixel: format.bytesPerPixel))
        let strategy = try bestStrategy(for: band, effort: encoding.effort)
        return try deflate(band, strategy: strategy, encoding: encoding)
    }

    /// The same for pixels in an array.
    public func encode(
        pixels: [UInt8], width: Int, format: OutputFormat, encoding: BandEncoding
    ) throws(EngineError) -> EncodedBand {
        try pixels.withUnsafeBufferPointer { (buffer) throws(EngineError) in
            try encode(pixels: UnsafeRawBufferPointer(buffer), width: width, format: format, encoding: encoding)
        }
    }

    /// The rows of a band, which whoever called `encode` holds, and what filters them.
    private struct Band {
        let pixels: UnsafePointer<UInt8>
        let rowCount: Int
        let filter: BandFilter
    }

    private func filter(width: Int, bytesPerPixel: Int) -> BandFilter {
        if let filter, filter.matches(width: width, bytesPerPixel: bytesPerPixel) { return filter }
        let filter = BandFilter(width: width, bytesPerPixel: bytesPerPixel)
        self.filter = filter
        return filter
    }

    /// Rows of the band in `filtered`.
    private func filter(
        _ rows: Range<Int>, of band: Band, strategy: FilterStrategy
    ) -> UnsafeMutableBufferPointer<UInt8> {
        let byteCount = rows.count * band.filter.filteredRowByteCount
        if filtered.byteCount < byteCount { filtered = RowBuffer(byteCount: byteCount) }
        band.filter.filter(rows, of: band.pixels, strategy: strategy, out: filtered.base)
        return UnsafeMutableBufferPointer(start: filtered.base, count: byteCount)
    }

    /// Stripes of rows that stand for the band: as many rows as history can be found in, spread over it.
    private func sample(of band: Band, effort: EncodingEffort) -> [Range<Int>] {
        let stripe = 8
        let period = stripe * (effort == .fast ? 16 : 4)
        return stride(from: 0, to: band.rowCount, by: period).map { $0..<min($0 + stripe, band.rowCount) }
    }

    private func bestStrategy(for band: Band, effort: EncodingEffort) throws(EngineError) -> FilterStrategy {
        let candidates: [FilterStrategy] =
            effort == .fast
            ? [.fixed(.none), .fixed(.up)]
            : [.fixed(.none), .fixed(.sub), .fixed(.up), .fixed(.paeth), .leastMagnitude]
        let stripes = sample(of: band, effort: effort)
        var best = candidates[0]
        var least = Int.max
        for candidate in candidates {
            var byteCount = 0
            trialDeflater.begin()
            for stripe in stripes {
                let bytes = filter(stripe, of: band, strategy: candidate)
                try trialDeflater.deflate(bytes, end: .more) { byteCount += $0.count }
            }
            try trialDeflater.deflate(.init(start: nil, count: 0), end: .last) { byteCount += $0.count }
            if byteCount < least {
                least = byteCount
                best = candidate
            }
        }
        return best
    }

    private func deflater(for effort: EncodingEffort) throws(EngineError) -> any Deflater {
        switch effort {
        case .fast: return trialDeflater
        case .balanced: return balancedDeflater
        case .small:
            if let smallDeflater { return smallDeflater }
            let deflater = try ZlibDeflater()
            smallDeflater = deflater
            return deflater
        }
    }

    /// What is filtered at a time, bytes: it should stay in the cache until it is deflated.
    private static let blockByteCount = 256 << 10

    private func deflate(
        _ band: Band, strategy: FilterStrategy, encoding: BandEncoding
    ) throws(EngineError) -> EncodedBand {
        let deflater = try deflater(for: encoding.effort)
        try deflater.begin()
        var result = EncodedBand(bytes: [], adler32: Adler32.empty, filteredByteCount: 0, rowCount: band.rowCount)
        let rowsPerBlock = max(1, BandEncoder.blockByteCount / band.filter.filteredRowByteCount)
        for first in stride(from: 0, to: band.rowCount, by: rowsPerBlock) {
            let rows = first..<min(first + rowsPerBlock, band.rowCount)
            let bytes = filter(rows, of: band, strategy: strategy)
            let adler32 = Adler32.checksum(UnsafeRawBufferPointer(bytes))
            result.adler32 = Adler32.combine(result.adler32, adler32, lengthB: bytes.count)
            result.filteredByteCount += bytes.count
            let end: DeflateEnd = rows.upperBound < band.rowCount ? .more : encoding.isLast ? .last : .flush
            try deflater.deflate(bytes, end: end) { result.bytes += $0 }
        }
        return result
    }
}
