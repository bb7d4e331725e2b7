import CKernels

/// Draws strokes of contour lines: stamp j is seven lines from across stamp j to across stamp j + 1.
final class ContourPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    private let covered: KernelPlane<Float>
    private let parts: PartRasterizer
    private var polygons = Polygons()

    /// - Parameters:
    ///   - accumulator, covered: clean before and after each call; may be shared.
    init(accumulator: CoverageAccumulator, covered: KernelPlane<Float>, parts: PartRasterizer, level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
        self.covered = covered
        self.parts = parts
    }

    /// Multiplies into `plane` what each stamp that meets the accumulator's cell leaves of each pixel.
    func paint(
        _ stamps: PlacedStamps, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool
    ) {
        let brush = stroke.brush
        let near = NearCell(accumulator.cell, scale: scale, reach: PreparedStroke.contourReach(of: brush))
        // A pixel's diagonal between two lines keeps them out of one pixel.
        let gap = 1.5 / min(scale.x, scale.y)
        defer { if stroke.isFaint { plane.multiplyDepth(covered, kernels) } }
        var visible = stamps.visible(near, isCancelled: isCancelled)
        while let (stamp, next) = visible.nextPair() {
            var contour = ink_contour(
                start: ink_contour_end(stamp), end: ink_contour_end(next), spacing: brush.spacing,
                width: brush.lineWidth * stamp.size, gap: gap, scale_x: scale.x, scale_y: scale.y)
            let draw = stroke.isFaint ? kernels.pointee.add_contour : kernels.pointee.multiply_contour
            if draw(plane.kernelPlane, covered.kernelPlane, &contour, stamp.alpha) { continue }
            paint(
                ContourLines(from: stamp, to: next, brush: brush), alpha: stamp.alpha, isFaint: stroke.isFaint,
                scale: scale, into: plane)
        }
    }

    /// Draws lines that are long, or lie over more than the next one: by their edges if none lies over another, else as parts.
    private func paint(
        _ lines: ContourLines, alpha: Float, isFaint: Bool, scale: OutputScale, into plane: RemainingPlane
    ) {
        let box = scale.pixels(of: lines.bounds)
        guard box.intersects(accumulator.cell) else { return }
        if isFaint { plane.markDrawn(covered.box(of: box)) }
        guard lines.areApart, max(box.width, box.height) < BarPainter.sizeMax else {
            parts.add(lines.parts, scale: scale)
            if isFaint {
                accumulator.add(to: covered, box: box, weight: alpha)
            } else {
                accumulator.multiply(plane, box: box, alpha: alpha)
            }
            return
        }
        polygons.removeAll()
        lines.append(to: &polygons, scale)
        accumulator.add(polygons)
        if isFaint {
            accumulator.addPolygons(to: covered, rows: box.rows, weight: alpha)
        } else {
            accumulator.multiplyPolygons(plane, rows: box.rows, alpha: alpha)
        }
    }
}

extension ink_contour_end {
    init(_ stamp: Stamp) {
        let across = stamp.across
        self.init(x: stamp.center.x, y: stamp.center.y, across_x: across.x, across_y: across.y, size: stamp.size)
    }
}
