public import InkEngine

/// Filters and deflates bands of pixels. Each thread needs its own encoder, whose buffers (about two megabytes and a
/// few rows) are reused from band to band. A band gives the same bytes on every processor.
///
/// The encoder chooses a method by trial on part of the rows. Line art with flat areas is smallest unfiltered,
/// compressed as repeated strings of pixels. Photographs and grain are smallest filtered, with hardly any repetition.
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
    ///   - width: in pixels.
    ///   - format: of the pixels.
    ///   - encoding: effort, and whether the band is the last one.
    /// - Throws: `EngineError.internalError` if `pixels` is not a positive whole number of rows, if a row is too large
    ///   (2^29 bytes), or if there is no memory.
    public func encode(
        pixels: UnsafeRawBufferPointer, width: Int, format: PixelFormat, encoding: PieceEncoding
    ) throws(EngineError) -> EncodedPiece {
        try encode(pixels: pixels, width: width, bytesPerPixel: format.bytesPerPixel, encoding: encoding)
    }

    /// Encodes pixels of 1, 3 or 4 bytes.
    package func encode(
        pixels: UnsafeRawBufferPointer, width: Int, bytesPerPixel: Int, encoding: PieceEncoding
    ) throws(EngineError) -> EncodedPiece {
        let rowByteCount = width.multipliedReportingOverflow(by: bytesPerPixel)
        guard width > 0, !rowByteCount.overflow, rowByteCount.partialValue < BandEncoder.rowByteCountMax else {
            throw .internalError("a band of width \(width) cannot be encoded")
        }
        let (rowCount, rest) = pixels.count.quotientAndRemainder(dividingBy: rowByteCount.partialValue)
        guard let base = pixels.baseAddress, rowCount > 0, rest == 0 else {
            throw .internalError("a band of \(pixels.count) bytes is not rows of \(rowByteCount.partialValue)")
        }
        let band = Band(
            pixels: base.assumingMemoryBound(to: UInt8.self), rowCount: rowCount, bytesPerPixel: bytesPerPixel,
            filter: filter(width: width, bytesPerPixel: bytesPerPixel))
        let packing = try bestPacking(of: band, effort: encoding.picture.effort)
        return try deflate(band, packing: packing, encoding: encoding)
    }

    public func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        try encode(pixels: rows.pixels, width: rows.width, format: rows.format, encoding: encoding)
    }

    /// Encodes pixels in an array.
    public func encode(
        pixels: [UInt8], width: Int, format: PixelFormat, encoding: PieceEncoding
    ) throws(EngineError) -> EncodedPiece {
        try pixels.withUnsafeBufferPointer { (buffer) throws(EngineError) in
            try encode(pixels: UnsafeRawBufferPointer(buffer), width: width, format: format, encoding: encoding)
        }
    }

    /// Positions in the compressor's window have 32 bits.
    private static let rowByteCountMax = 1 << 29

    /// The rows of a band, whose memory the caller of `encode` keeps alive, and their filters.
    private struct Band {
        let pixels: UnsafePointer<UInt8>
        let rowCount: Int
        let bytesPerPixel: Int
        let filter: BandFilter
    }

    /// The method for a band's rows.
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

    /// Stripes of rows that represent the band.
    private func sample(of band: Band, effort: EncodingEffort) -> [Range<Int>] {
        let stripe =
            switch effort {
            case .fast: 1
            case .balanced: 2
            case .small: 3
            }
        // A single row must not be the first, which has no row above.
        let first = stripe == 1 ? min(1, band.rowCount - 1) : 0
        return stride(from: first, to: band.rowCount, by: 64).map { $0..<min($0 + stripe, band.rowCount) }
    }

    private func bestPacking(of band: Band, effort: EncodingEffort) throws(EngineError) -> Packing {
        // One filter per eight rows, and symbols counted in an eighth of the literals, cost 0.3% of size and save a
        // fifth of the time. `fast` goes further.
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
                    // The search takes four gray samples for a pixel.
                    bytesPerPixel: band.bytesPerPixel == 1 ? 4 : band.bytesPerPixel, coarseness: UInt32(coarseness),
                    estimate: nil))
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
            // Searching only for runs is faster, which justifies a slightly larger result; searching only for long runs
            // is faster still.
            guard bits[0] <= bits[best] + bits[best] / 2 else { return candidates[best] }
            return candidates[bits[2] <= bits[0] + bits[0] / 16 ? 2 : 0]
        case .balanced: return candidates[bits[0] <= bits[best] + bits[best] / 32 ? 0 : best]
        case .small:
            var packing = candidates[best]
            packing.start.search = .cheapest
            return packing
        }
    }

    /// Estimated bits of the stripes.
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

    /// Bytes that are filtered at a time. They should stay in the cache until they are deflated.
    private static let blockByteCount = 256 << 10

    private func deflate(_ band: Band, packing: Packing, encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        deflater.begin(packing.start)
        var result = EncodedPiece(rowCount: band.rowCount, rawByteCount: 0, adler32: Adler32.empty, bytes: [])
        let rowByteCount = band.filter.filteredRowByteCount
        // So that the bytes are moved at most once as they grow.
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
