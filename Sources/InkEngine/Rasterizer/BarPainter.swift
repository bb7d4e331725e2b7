import CKernels

/// Draws stamps of straight lines: bars side by side, in one direction or two.
///
/// Bars at least as wide as a pixel go by tables that all stamps of one direction and size share. Thinner ones, of which
/// a pixel may hold both corners of an end, and bars so close that a pixel may meet two, are worked out exactly one by
/// one.
final class BarPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let isExact: Bool
    /// What the bars of a stamp leave, or cover, of the pixels before the stamp's alpha comes in.
    private let kept: KernelPlane
    private let covered: KernelPlane
    private let along: DirectionTables
    private let across: DirectionTables

    /// The tables of the bars of one direction, and what they were worked out for.
    private final class DirectionTables {
        let strip = UnsafeMutablePointer<Float>.allocate(capacity: Int(INK_STRIP_TABLE_COUNT))
        let end = UnsafeMutablePointer<Float>.allocate(capacity: Int(INK_END_TABLE_COUNT))
        var stripOf: (normal: ink_normal, halfWidth: Double)?
        var endOf: ink_normal?

        deinit {
            strip.deallocate()
            end.deallocate()
        }

        func tables(for bars: ink_bars, _ kernels: ink_raster) -> ink_bar_tables {
            if stripOf.map({ $0.normal == bars.across && $0.halfWidth == bars.half_width }) != true {
                kernels.strip_table(strip, bars.across, bars.half_width)
                stripOf = (bars.across, bars.half_width)
            }
            if endOf.map({ $0 == bars.along }) != true {
                kernels.end_table(end, bars.along)
                endOf = bars.along
            }
            return ink_bar_tables(strip: strip, end: end)
        }
    }

    /// - Parameters:
    ///   - covered: 0 everywhere before and after each call; may be shared.
    ///   - isExact: does without tables.
    init(maxWidth: Int, maxHeight: Int, covered: KernelPlane, isExact: Bool, level: KernelLevel) {
        self.isExact = isExact
        kernels = ink_raster_kernels(level.c)
        kept = KernelPlane(maxWidth: maxWidth, maxHeight: maxHeight, value: 1)
        self.covered = covered
        along = DirectionTables()
        across = DirectionTables()
    }

    func move(to cell: PixelRect) {
        kept.move(to: cell)
        covered.move(to: cell)
    }

    /// Multiplies into `plane` what a stamp of `brush` leaves of each pixel; false, and nothing done, for lines too long for
    /// the arithmetic of kernels.
    ///
    /// - Parameter box: what holds the stamp, output pixels.
    func paint(_ stamp: Stamp, of brush: Brush, scale: OutputScale, box: PixelRect, into plane: RemainingPlane) -> Bool
    {
        guard max(box.width, box.height) < BarPainter.sizeMax else { return false }
        let box = plane.pixels.box(of: box)
        plane.markDrawn(box)
        let lines = Bars(brush, stamp, scale, along: stamp.along, across: stamp.across)
        guard brush.type == .crossHatch else {
            if !isExact, lines.areFast {
                multiply(lines.bars, along, into: plane.pixels, alpha: stamp.alpha)
            } else {
                add(lines, weight: 1)
                multiplyCovered(into: plane, box: box, alpha: stamp.alpha)
            }
            return true
        }
        let others = Bars(brush, stamp, scale, along: stamp.across, across: Point(x: -stamp.along.x, y: -stamp.along.y))
        if !isExact, lines.areFast, others.areFast {
            // What both leave is the product, but for the pixels that the corners of a crossing lie in.
            multiply(lines.bars, along, into: kept, alpha: 1)
            multiply(others.bars, across, into: kept, alpha: 1)
            withUnsafePointer(to: box) {
                kernels.pointee.multiply_kept(plane.pixels.kernelPlane, kept.kernelPlane, $0, stamp.alpha)
            }
        } else {
            add(lines, weight: 1)
            add(others, weight: 1)
            lines.forEachCrossing { add($0, weight: -1) }
            multiplyCovered(into: plane, box: box, alpha: stamp.alpha)
        }
        return true
    }

    /// Positions in a larger box have no fraction to spare in Float.
    private static let sizeMax = 50_000

    /// Multiplies into `plane` what contour lines that do not meet leave of each pixel.
    func paint(_ lines: ContourLines, alpha: Float, scale: OutputScale, box: PixelRect, into plane: RemainingPlane)
        -> Bool
    {
        guard max(box.width, box.height) < BarPainter.sizeMax else { return false }
        let box = plane.pixels.box(of: box)
        plane.markDrawn(box)
        lines.forEachQuad(scale) { add($0, weight: 1) }
        multiplyCovered(into: plane, box: box, alpha: alpha)
        return true
    }

    private func multiply(_ bars: ink_bars, _ direction: DirectionTables, into plane: KernelPlane, alpha: Float) {
        let tables = direction.tables(for: bars, kernels.pointee)
        withUnsafePointer(to: bars) { bars in
            withUnsafePointer(to: tables) { kernels.pointee.multiply_bars(plane.kernelPlane, bars, $0, alpha) }
        }
    }

    private func add(_ bars: Bars, weight: Float) { bars.forEach { add($0, weight: weight) } }

    /// Adds the coverage of a quadrilateral, output pixels.
    private func add(_ quad: Quad, weight: Float) {
        withUnsafeBytes(of: quad) {
            kernels.pointee.add_quad(
                covered.kernelPlane, $0.assumingMemoryBound(to: Double.self).baseAddress!, weight)
        }
    }

    private func multiplyCovered(into plane: RemainingPlane, box: ink_box, alpha: Float) {
        withUnsafePointer(to: box) {
            kernels.pointee.multiply_covered(plane.pixels.kernelPlane, covered.kernelPlane, $0, alpha)
        }
    }
}
