import InkEngine

/// How the filters of a band's rows are chosen.
enum FilterStrategy: Hashable {
    /// All rows stay unfiltered.
    case none
    /// The filter with the lowest cost, chosen for every `period`-th row and used for the following ones.
    case cheapest(period: Int)
}

/// Filters the rows of one band. The band is treated as a picture of its own: its first row has no row above.
///
/// Every access is within `rowCount` rows of `rowByteCount` bytes of `pixels`, whose size the caller has checked, or
/// within the scratch row allocated here.
final class BandFilter {
    private let rowByteCount: Int
    private let bytesPerPixel: Int
    private let filters: RowFilters
    private let scratch: RowBuffer

    /// Bytes of a filtered row: the filter number and the row.
    var filteredRowByteCount: Int { rowByteCount + 1 }

    /// - Precondition: `width` is above 0.
    init(width: Int, bytesPerPixel: Int, level: KernelLevel) {
        precondition(width > 0)
        self.bytesPerPixel = bytesPerPixel
        rowByteCount = width * bytesPerPixel
        filters = RowFilters(level: level)
        scratch = RowBuffer(byteCount: rowByteCount)
    }

    func matches(width: Int, bytesPerPixel: Int) -> Bool {
        self.bytesPerPixel == bytesPerPixel && rowByteCount == width * bytesPerPixel
    }

    /// Filters `rows` of the band that begins at `pixels`.
    ///
    /// - Precondition: `out` has room for `filteredRowByteCount` bytes per row.
    func filter(
        _ rows: Range<Int>, of pixels: UnsafePointer<UInt8>, strategy: FilterStrategy,
        out: UnsafeMutablePointer<UInt8>
    ) {
        var out = out
        var filter = RowFilter.none
        var decidedRows = 0
        for y in rows {
            let row = pixels + y * rowByteCount
            if case .cheapest(let period) = strategy {
                if y == 0 {
                    filter = .sub
                } else if decidedRows == 0 {
                    filter = cheapestFilter(row)
                    decidedRows = period
                }
                decidedRows -= y == 0 ? 0 : 1
            }
            out[0] = filter.rawValue
            apply(filter, row: row, prior: y == 0 ? row : row - rowByteCount, out: out + 1)
            out += filteredRowByteCount
        }
    }

    /// - Precondition: There is a row above `row`.
    private func cheapestFilter(_ row: UnsafePointer<UInt8>) -> RowFilter {
        var best = RowFilter.none
        var least = filters.cost(of: row, count: rowByteCount)
        for filter in [RowFilter.sub, .up, .average, .paeth] {
            apply(filter, row: row, prior: row - rowByteCount, out: scratch.base)
            let cost = filters.cost(of: scratch.base, count: rowByteCount)
            if cost < least {
                least = cost
                best = filter
            }
        }
        return best
    }

    private func apply(
        _ filter: RowFilter, row: UnsafePointer<UInt8>, prior: UnsafePointer<UInt8>, out: UnsafeMutablePointer<UInt8>
    ) {
        filters.apply(filter, row: row, prior: prior, count: rowByteCount, pixel: bytesPerPixel, out: out)
    }
}
