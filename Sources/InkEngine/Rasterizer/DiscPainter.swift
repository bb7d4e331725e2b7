import CKernels

/// Draws stamps of discs that do not overlap, by tables of one disc.
final class DiscPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let covered: KernelPlane<Float>
    private var tables: [TableKey: DiscTable] = [:]
    private var tableBytes = 0

    /// What a table is made of.
    private struct TableKey: Hashable {
        var radiusX: Double
        var radiusY: Double
        var reach: Int
    }

    /// - Parameter covered: 0 everywhere before and after each call; may be shared.
    init(covered: KernelPlane<Float>, level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        self.covered = covered
    }

    /// Multiplies into `plane` what a stamp leaves of each pixel; false, and nothing done, for discs that overlap or are of
    /// a size for which there are no tables.
    ///
    /// - Parameter box: what holds the stamp, output pixels.
    func paint(_ stamp: Stamp, of brush: Brush, scale: OutputScale, box: PixelRect, into plane: RemainingPlane) -> Bool
    {
        let step = brush.spacing * stamp.size
        let radius = Pattern.dotRadius * stamp.size
        guard step >= 2 * radius, step * max(scale.x, scale.y) < DiscPainter.stepMax else { return false }
        let grid = ink_disc_grid(
            x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, along_x: stamp.along.x * step * scale.x,
            along_y: stamp.along.y * step * scale.y, across_x: stamp.across.x * step * scale.x,
            across_y: stamp.across.y * step * scale.y, reach: 5)
        // A pixel's diagonal between two discs keeps them out of one pixel.
        let areApart = (step - 2 * radius) * min(scale.x, scale.y) >= 1.5
        let box = plane.pixels.box(of: box)
        return withTable(radius: radius, isOfOtherSize: stamp.size != brush.scale, scale: scale) { table in
            plane.markDrawn(box)
            withUnsafePointer(to: grid) { grid in
                if areApart {
                    kernels.pointee.multiply_discs(plane.kernelPlane, table, grid, stamp.alpha)
                } else {
                    kernels.pointee.add_discs(covered.kernelPlane, table, grid)
                    withUnsafePointer(to: box) {
                        kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, $0, stamp.alpha)
                    }
                }
            }
        }
    }

    /// Calls `draw` with the table of discs of this radius, canvas pixels; false, and nothing done, when there is none.
    private func withTable(
        radius: Double, isOfOtherSize: Bool, scale: OutputScale, draw: (UnsafePointer<ink_disc_table>) -> Void
    ) -> Bool {
        // Dots of full size lie as far apart as the stamps, so over each other, and miss the same: they have their own table.
        guard isOfOtherSize else {
            let (x, y) = (radius * scale.x, radius * scale.y)
            let key = TableKey(radiusX: x, radiusY: y, reach: Int(max(x, y).rounded(.up)))
            guard let table = table(key) else { return false }
            withUnsafePointer(to: table.kernelTable, draw)
            return true
        }
        // Pressure gives every stamp, or every stroke, a size of its own: between tables of two sizes coverage changes evenly enough.
        let steps = radius * scale.largest * DiscPainter.sizesPerPixel
        let smallerStep = steps.rounded(.down)
        // Of the larger one, for both: they are laid out alike.
        let reach = Int(((smallerStep + 1) / DiscPainter.sizesPerPixel).rounded(.up))
        func key(_ step: Double) -> TableKey {
            let perUnit = step / DiscPainter.sizesPerPixel / scale.largest
            return TableKey(radiusX: scale.x * perUnit, radiusY: scale.y * perUnit, reach: reach)
        }
        guard let larger = table(key(smallerStep + 1)), let smaller = table(key(smallerStep)) else { return false }
        withExtendedLifetime((smaller, larger)) {
            withUnsafePointer(to: smaller.kernelTable(towards: larger, share: steps - smallerStep), draw)
        }
        return true
    }

    private func table(_ key: TableKey) -> DiscTable? {
        if let table = tables[key] { return table }
        guard let table = DiscTable(radiusX: key.radiusX, radiusY: key.radiusY, reach: key.reach) else { return nil }
        if tableBytes + table.byteCount > DiscPainter.tableBytesMax {
            tables.removeAll()
            tableBytes = 0
        }
        tables[key] = table
        tableBytes += table.byteCount
        return table
    }

    /// Of discs further apart whole numbers of 2^-32 pixels would overflow, output pixels.
    private static let stepMax = 1e7

    /// Sizes of tables, between two of which coverage is off by less than 0.01.
    static let sizesPerPixel = 24.0
    /// Enough for what pressure makes of the largest brush, 41 MB.
    private static let tableBytesMax = 48 << 20
}
