import CKernels

/// Draws stamps of discs that do not overlap: by tables of one disc, or by stencils if stamps share discs.
final class DiscPainter: StampPainter {
    let tools: PainterTools
    private let kernels: UnsafePointer<ink_raster>
    private let covered: KernelPlane<Float>
    private var tables: [TableKey: DiscTable] = [:]
    private var tableBytes = 0
    private lazy var stencils = DiscStencils(level: tools.level)

    /// The properties that determine a table.
    private struct TableKey: Hashable {
        var radiusX: Double
        var radiusY: Double
        var reach: Int
    }

    init(_ tools: PainterTools) {
        self.tools = tools
        kernels = tools.kernels
        covered = tools.covered
    }

    /// Returns false for discs that overlap or that are better drawn by their outline.
    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool {
        let distance = stroke.brush.spacing * stamp.size
        let radius = stroke.brush.dotRadius * stamp.size
        guard distance >= 2 * radius, distance * max(scale.x, scale.y) < DiscPainter.distanceMax else { return false }
        let grid = ink_disc_grid(
            x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, along_x: stamp.along.x * distance * scale.x,
            along_y: stamp.along.y * distance * scale.y, across_x: stamp.across.x * distance * scale.x,
            across_y: stamp.across.y * distance * scale.y, reach: 5)
        // At a distance of a pixel's diagonal, no pixel meets two discs.
        let areApart = (distance - 2 * radius) * min(scale.x, scale.y) >= 1.5
        let draw: Draw = { [kernels, covered] table, grid in
            withUnsafePointer(to: grid) {
                if areApart {
                    kernels.pointee.multiply_discs(plane.kernelPlane, table, $0, stamp.alpha)
                } else {
                    kernels.pointee.add_discs(covered.kernelPlane, table, $0)
                }
            }
        }
        let isDrawn =
            switch stroke.dotSharing {
            case .none:
                withTable(
                    radius: radius, isOfOtherSize: stamp.size != stroke.brush.scale,
                    radiusMax: stroke.stampCount < DiscPainter.manyStamps
                        ? DiscTable.radiusOfFewMax : DiscTable.radiusMax,
                    scale: scale
                ) { draw($0, grid) }
            // Stencils that are used only once take longer than the outline.
            case .near: false
            case .exact: drawOneByOne(grid, radius: scale.output(Point(x: radius, y: radius)), draw)
            }
        guard isDrawn else { return false }
        let box = plane.pixels.box(of: box)
        plane.markDrawn(box)
        if !areApart {
            withUnsafePointer(to: box) {
                kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, $0, stamp.alpha)
            }
        }
        return true
    }

    /// Draws the discs of a grid from a table.
    private typealias Draw = (UnsafePointer<ink_disc_table>, ink_disc_grid) -> Void

    /// Calls `draw` for each disc that meets the cell, as a grid of its own with its stencil. Returns false, and does
    /// nothing, if discs are too large for stencils.
    ///
    /// - Parameter radius: along x and y, in output pixels.
    private func drawOneByOne(_ grid: ink_disc_grid, radius: Point, _ draw: Draw) -> Bool {
        guard stencils.prepare(radius: radius) else { return false }
        let stencils = stencils
        let reach = Double(stencils.reach) + 1
        let cell = covered.cell
        let columns = Double(cell.x) - reach...Double(cell.x + cell.width) + reach
        let rows = Double(cell.y) - reach...Double(cell.y + cell.height) + reach
        for j in -grid.reach...grid.reach {
            for i in -grid.reach...grid.reach {
                let x = grid.x + Double(i) * grid.along_x + Double(j) * grid.across_x
                let y = grid.y + Double(i) * grid.along_y + Double(j) * grid.across_y
                guard columns.contains(x), rows.contains(y) else { continue }
                let (table, pixel) = stencils.table(x: x, y: y)
                let disc = ink_disc_grid(
                    x: pixel.x, y: pixel.y, along_x: 0, along_y: 0, across_x: 0, across_y: 0, reach: 0)
                withUnsafePointer(to: table) { draw($0, disc) }
            }
        }
        return true
    }

    /// Calls `draw` with the table of discs of this radius, in canvas pixels. Returns false, and does nothing, if there
    /// is none.
    ///
    /// - Parameter radiusMax: the largest disc for which a table of exactly its size is made, in output pixels.
    private func withTable(
        radius: Double, isOfOtherSize: Bool, radiusMax: Double, scale: OutputScale,
        draw: (UnsafePointer<ink_disc_table>) -> Void
    ) -> Bool {
        // Dots of full size are as far apart as the stamps. They coincide and have the same errors, so they get a table
        // of their own.
        guard isOfOtherSize else {
            let (x, y) = (radius * scale.x, radius * scale.y)
            guard max(x, y) <= radiusMax else { return false }
            let key = TableKey(radiusX: x, radiusY: y, reach: Int(max(x, y).rounded(.up)))
            guard let table = table(key) else { return false }
            withUnsafePointer(to: table.kernelTable, draw)
            return true
        }
        // The larger of two tables has ink in pixels that the disc does not reach.
        if tools.isExact { return false }
        // With pressure, every stamp or stroke has a size of its own. Between tables of two sizes, coverage changes
        // linearly enough.
        let steps = radius * scale.largest * DiscPainter.sizesPerPixel
        let smallerStep = steps.rounded(.down)
        guard smallerStep + 1 <= DiscTable.radiusOfFewMax * DiscPainter.sizesPerPixel else { return false }
        // The reach of the larger table, for both: they must have the same layout.
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

    /// The coordinates of discs further apart would overflow, at 2^-32 pixels. In output pixels.
    private static let distanceMax = 1e7

    /// Number of stamps that justifies a table of large discs.
    private static let manyStamps = 64
    /// Tables per pixel of radius; between two of them coverage is off by less than 0.01.
    static let sizesPerPixel = 24.0
    /// Enough for all sizes that pressure makes of the largest brush, 41 MB.
    private static let tableBytesMax = 48 << 20
}
