import CKernels

/// Draws stamps of discs that do not overlap, by tables of one disc.
final class DiscPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let covered: KernelPlane<Float>
    private let fineness: DiscTable.Fineness
    private var tables: [Radii: DiscTable] = [:]
    private var tableBytes = 0
    private var last: (radii: Radii, table: DiscTable)?

    /// Output pixels, along x and y.
    private struct Radii: Hashable {
        var x: Double
        var y: Double
    }

    /// - Parameters:
    ///   - covered: 0 everywhere before and after each call; may be shared.
    ///   - isExact: whether a hundredth of a disc's coverage shows.
    init(covered: KernelPlane<Float>, isExact: Bool, level: KernelLevel) {
        fineness = isExact ? .fine : .usual
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
        guard step >= 2 * radius, step * max(scale.x, scale.y) < DiscPainter.stepMax,
            let table = table(radius: radius, of: brush, scale: scale)
        else { return false }
        let grid = ink_disc_grid(
            x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, along_x: stamp.along.x * step * scale.x,
            along_y: stamp.along.y * step * scale.y, across_x: stamp.across.x * step * scale.x,
            across_y: stamp.across.y * step * scale.y, reach: 5)
        let box = plane.pixels.box(of: box)
        plane.markDrawn(box)
        withUnsafePointer(to: grid) { grid in
            withUnsafePointer(to: table.kernelTable) { table in
                // A pixel's diagonal between two discs keeps them out of one pixel.
                if (step - 2 * radius) * min(scale.x, scale.y) >= 1.5 {
                    kernels.pointee.multiply_discs(plane.kernelPlane, table, grid, stamp.alpha)
                } else {
                    kernels.pointee.add_discs(covered.kernelPlane, table, grid)
                    withUnsafePointer(to: box) {
                        kernels.pointee.multiply_covered(
                            plane.kernelPlane, covered.kernelPlane, $0, stamp.alpha)
                    }
                }
            }
        }
        return true
    }

    private func table(radius: Double, of brush: Brush, scale: OutputScale) -> DiscTable? {
        var radii = Radii(x: radius * scale.x, y: radius * scale.y)
        // Discs of one size may lie at the same place of their pixels all along a stroke, and over those of ten stamps before.
        var fineness = DiscTable.Fineness.fine
        if brush.dynamics.pressureAffectsSize {
            fineness = self.fineness
            // Pressure gives every stamp a size of its own: tables are made at steps that show as little as a table's.
            let steps = fineness == .fine ? 128.0 : 64.0
            radii = Radii(x: (radii.x * steps).rounded() / steps, y: (radii.y * steps).rounded() / steps)
        }
        if let last, last.radii == radii { return last.table }
        if let table = tables[radii] {
            last = (radii, table)
            return table
        }
        guard let table = DiscTable(radiusX: radii.x, radiusY: radii.y, fineness: fineness) else { return nil }
        if tableBytes + table.byteCount > DiscPainter.tableBytesMax {
            tables.removeAll()
            tableBytes = 0
        }
        tables[radii] = table
        tableBytes += table.byteCount
        last = (radii, table)
        return table
    }

    /// Of discs further apart whole numbers of 2^-32 pixels would overflow, output pixels.
    private static let stepMax = 1e7

    /// Enough for what pressure makes of a brush.
    private static let tableBytesMax = 16 << 20
}
