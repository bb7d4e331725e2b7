/// How the filter of a band's rows is chosen.
enum FilterStrategy: Hashable {
    /// The same for every row; in the band's first row, where no row above is known, Sub for those that need one.
    case fixed(RowFilter)
    /// The one with the least sum of magnitudes, row by row.
    case leastMagnitude
}

/// Filters the rows of one band. The band is treated as a picture of its own: its first row has none above it.
///
/// Every access is within `rowCount` rows of `rowByteCount` bytes of `pixels`, whose size the caller has checked, or
/// within the scratch rows made here.
final class BandFilter {
    private let rowByteCount: Int
    private let bytesPerPixel: Int
    private let scratch: RowBuffer
    private let best: RowBuffer

    /// The bytes of a row once filtered: the filter's number and the row.
    var filteredRowByteCount: Int { rowByteCount + 1 }

    /// - Precondition: `width` is above 0.
    init(width: Int, bytesPerPixel: Int) {
        precondition(width > 0)
        self.bytesPerPixel = bytesPerPixel
        rowByteCount = width * bytesPerPixel
        scratch = RowBuffer(byteCount: rowByteCount)
        best = RowBuffer(byteCount: rowByteCount)
    }

    func matches(width: Int, bytesPerPixel: Int) -> Bool {
        self.bytesPerPixel == bytesPerPixel && rowByteCount == width * bytesPerPixel
    }

    /// Filters `rows` of the band that begins at `pixels`.
    ///
    /// - Precondition: `out` has room for `filteredRowByteCount` bytes a row.
    func filter(
        _ rows: Range<Int>, of pixels: UnsafePointer<UInt8>, strategy: FilterStrategy,
        out: UnsafeMutablePointer<UInt8>
    ) {
        var out = out
        for y in rows {
            let row = pixels + y * rowByteCount
            switch strategy {
            case .fixed(let filter):
                let usable = y == 0 && filter != .none ? .sub : filter
                out[0] = usable.rawValue
                apply(usable, row: row, isFirst: y == 0, out: out + 1)
            case .leastMagnitude: filterAdaptively(row, isFirst: y == 0, out: out)
            }
            out += filteredRowByteCount
        }
    }

    private func filterAdaptively(_ row: UnsafePointer<UInt8>, isFirst: Bool, out: UnsafeMutablePointer<UInt8>) {
        var into = scratch.base
        var kept = best.base
        var least = UInt64.max
        for filter in isFirst ? [.none, .sub] : RowFilter.allCases {
            apply(filter, row: row, isFirst: isFirst, out: into)
            let sum = RowFilters.sumOfMagnitudes(into, count: rowByteCount)
            guard sum < least else { continue }
            least = sum
            out[0] = filter.rawValue
            swap(&into, &kept)
        }
        (out + 1).update(from: kept, count: rowByteCount)
    }

    private func apply(
        _ filter: RowFilter, row: UnsafePointer<UInt8>, isFirst: Bool, out: UnsafeMutablePointer<UInt8>
    ) {
        // None and Sub, the only ones of a first row, do not look at the row above.
        let prior = isFirst ? row : row - rowByteCount
        RowFilters.apply(filter, row: row, prior: prior, count: rowByteCount, pixel: bytesPerPixel, out: out)
    }
}
