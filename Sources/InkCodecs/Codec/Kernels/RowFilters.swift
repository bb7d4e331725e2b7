import CKernels
import InkEngine

/// PNG's five predictors of a byte from its neighbours (PNG specification, 9.2).
enum RowFilter: UInt8, CaseIterable {
    case none = 0
    case sub = 1
    case up = 2
    case average = 3
    case paeth = 4
}

/// Filtering of rows by the kernels of a level. Every level gives the same bytes.
///
/// `row`, `prior` (the row above) and `out` have `count` bytes each. `pixel` is the number of bytes per pixel (at most
/// `count`). `out` must not overlap the others.
struct RowFilters {
    private let kernels: ink_filters

    init(level: KernelLevel = .selected) { kernels = ink_filters_kernels(level.c).pointee }

    /// Filters a row. None and Sub do not read `prior`.
    func apply(
        _ filter: RowFilter, row: UnsafePointer<UInt8>, prior: UnsafePointer<UInt8>, count: Int, pixel: Int,
        out: UnsafeMutablePointer<UInt8>
    ) {
        kernels.apply(UInt32(filter.rawValue), row, prior, count, pixel, out)
    }

    /// Restores filtered rows of `count` bytes in place; each row follows its filter byte.
    ///
    /// - Parameters:
    ///   - rows: one byte beyond them may be read.
    ///   - prior: the restored row above the first one, or zeros; one byte beyond it may be read.
    /// - Returns: Whether all filters were valid.
    func undo(
        rows: UnsafeMutablePointer<UInt8>, rowCount: Int, prior: UnsafePointer<UInt8>, count: Int, pixel: Int
    ) -> Bool {
        kernels.undo(rows, rowCount, prior, count, pixel)
    }

    /// Estimates the bits of filtered bytes: the sum of the bit lengths of their distances from 0, modulo 256. It
    /// compares filters better than the sum of the distances (PNG specification, 12.8), which a few edges dominate.
    func cost(of bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 { kernels.cost(bytes, count) }

    /// The Adler-32 of `count` bytes.
    func adler32(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt32 { kernels.adler32(bytes, count) }
}
