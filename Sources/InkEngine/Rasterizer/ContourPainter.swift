import CKernels

/// Draws strokes of contour lines: stamp j is seven lines from across stamp j to across stamp j + 1.
final class ContourPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    private let covered: KernelPlane<Float>
    private let parts: PartRasterizer
    private var polygons = Polygons()
    private var shared = ConvexPolygons()

    /// Longer lines are drawn by their edges, output pixels.
    private static let reachMax = Double(INK_CONVEX_REACH_MAX)

    /// - Parameters:
    ///   - accumulator, covered: clean before and after each call; may be shared.
    init(accumulator: CoverageAccumulator, covered: KernelPlane<Float>, parts: PartRasterizer, level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
        self.covered = covered
        self.parts = parts
    }

    /// Multiplies into `plane` what each stamp that meets the accumulator's cell leaves of each pixel.
    func paint(_ stamps: PlacedStamps, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane) {
        let brush = stroke.brush
        let near = NearCell(accumulator.cell, scale: scale, reach: PreparedStroke.contourReach(of: brush))
        // A pixel's diagonal between two lines keeps them out of one pixel.
        let gap = 1.5 / min(scale.x, scale.y)
        defer { if stroke.isFaint { plane.multiplyDepth(covered, kernels) } }
        var visible = stamps.visible(near)
        while let index = visible.nextIndex(), index + 1 < stamps.all.count {
            let stamp = stamps.all[index]
            let lines = ContourLines(from: stamp, to: stamps.all[index + 1], brush: brush, gap: gap)
            let box = scale.pixels(of: lines.bounds)
            guard box.intersects(accumulator.cell) else { continue }
            guard max(box.width, box.height) < BarPainter.sizeMax else {
                parts.add(lines.parts, scale: scale)
                accumulator.multiply(plane, box: box, alpha: stamp.alpha)
                continue
            }
            polygons.removeAll()
            lines.append(to: &polygons, scale, shared: &shared)
            if lines.reach * scale.largest < ContourPainter.reachMax {
                drawShort(lines, alpha: stamp.alpha, isFaint: stroke.isFaint, box: box, into: plane)
            } else {
                accumulator.add(polygons)
                if stroke.isFaint {
                    accumulator.addPolygons(to: covered, rows: box.rows, weight: stamp.alpha)
                    plane.markDrawn(covered.box(of: box))
                } else {
                    accumulator.multiplyPolygons(plane, rows: box.rows, alpha: stamp.alpha)
                }
            }
        }
    }

    /// Draws the polygons of lines that are no longer than kernels for small polygons take.
    private func drawShort(
        _ lines: ContourLines, alpha: Float, isFaint: Bool, box: PixelRect, into plane: RemainingPlane
    ) {
        let box = plane.pixels.box(of: box)
        plane.markDrawn(box)
        polygons.withKernelPolygons { corners, counts in
            if isFaint {
                kernels.pointee.add_convex(covered.kernelPlane, corners, counts, polygons.counts.count, alpha)
            } else if lines.areApart {
                kernels.pointee.multiply_convex(plane.kernelPlane, corners, counts, polygons.counts.count, alpha)
            } else {
                kernels.pointee.add_convex(covered.kernelPlane, corners, counts, polygons.counts.count, 1)
                withUnsafePointer(to: box) {
                    kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, $0, alpha)
                }
            }
        }
    }
}
