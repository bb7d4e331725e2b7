/// Filters and deflates bands of pixels. One for each thread: its buffers, about two megabytes and a few rows, are kept
/// from band to band. A band gives the same bytes on every processor.
///
/// How a band is packed is found by trial on a part of its rows. Line art with flat areas is smallest unfiltered,
/// as strings of pixels that were seen before; photographs and grain filtered, with hardly anything repeated.
public final class BandEncoder: PieceEncoder {
    private let level: KernelLevel
    private var filter: BandFilter?
    private let deflater: BandDeflater

    public init(level: KernelLevel = .selected) {
        self.level = level
        deflater = BandDeflater(level: level)
    }

    /// Encodes a band.
    ///
    /// - Parameters:
    ///   - pixels: rows of `width` pixels of `format`, without padding; at least one row.
    ///   - width: pixels.
    ///   - format: of the pixels.
    ///   - encoding: effort, and whether the band is the last one.
    /// - Throws: `EngineError.internalError` when `pixels` is not a whole number of rows above 0, or a row is too large
    ///   (2^29 bytes), or there is no memory.
    public func encode(
        pixels: UnsafeRawBufferPointer, width: Int, format: PixelFormat, encoding: PieceEncoding
    ) throws(EngineError) -> EncodedPiece {
        let rowByteCount = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard width > 0, !rowByteCount.overflow, rowByteCount.partialValue < BandEncoder.rowByteCountMax else {
            throw .internalError("a band of width \(width) cannot be encoded")
        }
        let (rowCount, rest) = pixels.count.quotientAndRemainder(dividingBy: rowByteCount.partialValue)
        guard let base = pixels.baseAddress, rowCount > 0, rest == 0 else {
            throw .internalError("a band of \(pixels.count) bytes is not rows of \(rowByteCount.partialValue)")
        }
        let band = Band(
            pixels: base.assumingMemoryBound(to: UInt8.self), rowCount: rowCount, bytesPerPixel: format.bytesPerPixel,
            filter: filter(width: width, bytesPerPixel: format.bytesPerPixel))
        let packing = try bestPacking(of: band, effort: encoding.picture.effort)
        return try deflate(band, packing: packing, encoding: encoding)
    }

    public func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        try encode(pixels: rows.pixels, width: rows.width, format: rows.format, encoding: encoding)
    }

    /// The same for pixels in an array.
    public func encode(
        pixels: [UInt8], width: Int, format: PixelFormat, encoding: PieceEncoding
    ) throws(EngineError) -> EncodedPiece {
        try pixels.withUnsafeBufferPointer { (buffer) throws(EngineError) in
            try encode(pixels: UnsafeRawBufferPointer(buffer), width: width, format: format, encoding: encoding)
        }
    }

    /// Places in the compressor's window have 32 bits.
    private static let rowByteCountMax = 1 << 29

    /// The rows of a band, which whoever called `encode` holds, and what filters them.
    private struct Band {
        let pixels: UnsafePointer<UInt8>
        let rowCount: Int
        let bytesPerPixel: Int
        let filter: BandFilter
    }

    /// What becomes of a band's rows.
    private struct Packing {
        var strategy: FilterStrategy
        var start: BandDeflater.Start
    }

    private func filter(width: Int, bytesPerPixel: Int) -> BandFilter {
        if let filter, filter.matches(width: width, bytesPerPixel: bytesPerPixel) { return filter }
        let filter = BandFilter(width: width, bytesPerPixel: bytesPerPixel, level: level)
        self.filter = filter
        return filter
    }

    /// Stripes of rows that stand for the band.
    private func sample(of band: Band, effort: EncodingEffort) -> [Range<Int>] {
        let stripe =
            switch effort {
            case .fast: 1
            case .balanced: 2
            case .small: 3
            }
        // One row alone must not be the first, which has none above it.
        let first = stripe == 1 ? min(1, band.rowCount - 1) : 0
        return stride(from: first, to: band.rowCount, by: 64).map { $0..<min($0 + stripe, band.rowCount) }
    }

    private func bestPacking(of band: Band, effort: EncodingEffort) throws(EngineError) -> Packing {
        // A filter for eight rows, and symbols counted in an eighth of the literals, cost 0.3% and save a fifth of the time.
        // `fast` goes further.
        let (period, coarseness) =
            switch effort {
            case .fast: (16, 4)
            case .balanced: (8, 3)
            case .small: (1, 0)
            }
        let filtering = FilterStrategy.cheapest(period: period)
        func packing(_ strategy: FilterStrategy, _ search: DeflateSearch) -> Packing {
            Packing(
                strategy: strategy,
                start: .init(
                    search: search, filteredRowByteCount: band.filter.filteredRowByteCount,
                    bytesPerPixel: band.bytesPerPixel, coarseness: UInt32(coarseness), estimate: nil))
        }
        var candidates = [
            packing(filtering, .runs), packing(.none, .pixels),
            packing(filtering, effort == .fast ? .longRuns : .pixels),
        ]
        let stripes = sample(of: band, effort: effort)
        var bits: [UInt64] = []
        for number in candidates.indices {
            bits.append(try estimate(candidates[number], stripes, of: band, number: number))
            candidates[number].start.estimate = number
        }
        let best = bits.indices.min { bits[$0] < bits[$1] } ?? 0
        switch effort {
        case .fast:
            // Looking for runs alone is faster, which is worth something; looking for long ones faster again.
            guard bits[0] <= bits[best] + bits[best] / 2 else { return candidates[best] }
            return candidates[bits[2] <= bits[0] + bits[0] / 16 ? 2 : 0]
        case .balanced: return candidates[bits[0] <= bits[best] + bits[best] / 32 ? 0 : best]
        case .small:
            var packing = candidates[best]
            packing.start.search = .cheapest
            return packing
        }
    }

    /// About how many bits the stripes take.
    private func estimate(
        _ packing: Packing, _ stripes: [Range<Int>], of band: Band, number: Int
    ) throws(EngineError) -> UInt64 {
        let rowCount = stripes.reduce(0) { $0 + $1.count }
        deflater.begin(packing.start)
        var room = try deflater.room(rowCount: rowCount)
        for stripe in stripes {
            band.filter.filter(stripe, of: band.pixels, strategy: packing.strategy, out: room)
            room += stripe.count * band.filter.filteredRowByteCount
        }
        return deflater.estimate(rowCount: rowCount, number: number)
    }

    /// What is filtered at a time, bytes: it should stay in the cache until it is deflated.
    private static let blockByteCount = 256 << 10

    private func deflate(_ band: Band, packing: Packing, encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        deflater.begin(packing.start)
        var result = EncodedPiece(rowCount: band.rowCount, rawByteCount: 0, adler32: Adler32.empty, bytes: [])
        let rowByteCount = band.filter.filteredRowByteCount
        // So that the bytes are moved once at most as they grow.
        result.bytes.reserveCapacity(band.rowCount * rowByteCount / 2)
        let rowsPerBlock = max(1, BandEncoder.blockByteCount / rowByteCount)
        for first in stride(from: 0, to: band.rowCount, by: rowsPerBlock) {
            let rows = first..<min(first + rowsPerBlock, band.rowCount)
            let room = try deflater.room(rowCount: rows.count)
            band.filter.filter(rows, of: band.pixels, strategy: packing.strategy, out: room)
            let byteCount = rows.count * rowByteCount
            let adler32 = Adler32.checksum(UnsafeRawBufferPointer(start: room, count: byteCount))
            result.adler32 = Adler32.combine(result.adler32, adler32, lengthB: byteCount)
            result.rawByteCount += byteCount
            let end: DeflateEnd = rows.upperBound < band.rowCount ? .more : encoding.isLast ? .last : .flush
            deflater.write(rowCount: rows.count, end: end) { result.bytes += $0 }
        }
        return result
    }
}
