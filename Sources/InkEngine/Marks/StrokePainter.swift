import CKernels

/// Draws prepared strokes into the transmittance of a cell.
///
/// A painter is for one thread. It owns its scratch memory and caches what it has computed for brushes.
final class StrokePainter {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    /// 0 everywhere between stamps.
    private let covered: KernelPlane<Float>
    private let bars: BarPainter
    private let discs: DiscPainter
    /// Nil for pictures in which every hundredth of a pixel is visible.
    private let waves: WavePainter?
    private let outlines: OutlinePainter
    private let contours: ContourPainter
    private let parts: PartRasterizer
    private let crossings: CrossingPainter
    private let canvasPatterns: CanvasPatternPainter

    /// - Parameter isExact: for pictures that are not opaque, in which the colour of the faintest ink is visible.
    init(maxWidth: Int, maxHeight: Int, isExact: Bool = false, level: KernelLevel = .selected) {
        accumulator = CoverageAccumulator(maxWidth: maxWidth, maxHeight: maxHeight, level: level)
        kernels = ink_raster_kernels(level.c)
        covered = KernelPlane(maxWidth: maxWidth, maxHeight: maxHeight, value: 0)
        bars = BarPainter(
            maxWidth: maxWidth, maxHeight: maxHeight, accumulator: accumulator, isExact: isExact, level: level)
        discs = DiscPainter(covered: covered, isExact: isExact, level: level)
        waves = isExact ? nil : WavePainter(level: level)
        parts = PartRasterizer(accumulator: accumulator, level: level)
        contours = ContourPainter(
            maxWidth: maxWidth, maxHeight: maxHeight, accumulator: accumulator, sums: covered, level: level)
        crossings = CrossingPainter(level: level)
        canvasPatterns = CanvasPatternPainter(
            maxWidth: maxWidth, maxHeight: maxHeight, accumulator: accumulator, covered: covered, parts: parts,
            level: level)
        outlines = OutlinePainter(accumulator: accumulator, parts: parts)
    }

    /// Multiplies `plane`, which covers `cell`, by the transmittance of the stroke.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, cell: PixelRect, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool = { false }
    ) {
        guard NearCell(cell, scale: scale).meets(stroke.bounds) else { return }
        accumulator.move(to: cell)
        covered.move(to: cell)
        switch stroke.marks {
        case .stamps(let stamps): paint(stamps, of: stroke, scale: scale, into: plane, isCancelled)
        case .contour(let stamps):
            contours.paint(stamps, of: stroke.brush, scale: scale, into: plane, isCancelled: isCancelled)
        case .solid(let path, let alpha): paintSolid(path, alpha: alpha, scale: scale, into: plane, isCancelled)
        case .canvas(let path, let alpha):
            let pattern = canvasPatterns.pattern(for: stroke.brush, scale: scale)
            if case .even(let share) = pattern.way {
                paintSolid(path, alpha: alpha * Float(share), scale: scale, into: plane, isCancelled)
            } else {
                canvasPatterns.paint(
                    path, alpha: alpha, pattern, scale: scale, into: plane, isCancelled: isCancelled)
            }
        }
    }

    // MARK: Stamps

    private func paint(
        _ stamps: PlacedStamps, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane,
        _ isCancelled: @escaping () -> Bool
    ) {
        let brush = stroke.brush
        let pattern = outlines.pattern(for: stroke, scale: scale)
        let near = NearCell(accumulator.cell, scale: scale, reach: Pattern.reach(of: brush))
        let visible = stamps.visible(near, isCancelled: isCancelled)
        if stroke.isFaint {
            paintFaintly(visible, of: brush, pattern, scale: scale, into: plane)
            return
        }
        if brush.type == .parallelLines || brush.type == .crossHatch,
            bars.paint(visible, of: stroke, scale: scale, into: plane)
        {
            return
        }
        if brush.type == .waves, waves?.paint(visible, of: stroke, scale: scale, into: plane) == true { return }
        for stamp in visible {
            let box = scale.pixels(of: pattern.bounds(at: stamp))
            // Tables reach one pixel further, in whichever cell that pixel is.
            guard box.withBorder.intersects(accumulator.cell) else { continue }
            switch brush.type {
            case .parallelLines where bars.paint(stamp, of: stroke, scale: scale, box: box, into: plane),
                .crossHatch where bars.paint(stamp, of: stroke, scale: scale, box: box, into: plane):
                continue
            case .dots where discs.paint(stamp, of: stroke, scale: scale, box: box, into: plane):
                continue
            case _ where box.intersects(accumulator.cell):
                outlines.paint(stamp, of: pattern, scale: scale, box: box, into: plane)
            default: continue
            }
        }
    }

    /// Draws stamps so faint that rounding would lose the transmittance of each. Their depths, alpha times coverage,
    /// are added up. The transmittance is exp(-depth), which differs from the product of (1 - alpha * coverage) by less
    /// than 1/1000.
    private func paintFaintly(
        _ stamps: some Sequence<Stamp>, of brush: Brush, _ pattern: Pattern, scale: OutputScale,
        into plane: RemainingPlane
    ) {
        for stamp in stamps {
            let box = scale.pixels(of: pattern.bounds(at: stamp))
            guard box.intersects(accumulator.cell) else { continue }
            let isOfLines = brush.type == .parallelLines || brush.type == .crossHatch
            if !isOfLines || !bars.add(stamp, of: brush, scale: scale, box: box, weight: stamp.alpha, to: covered) {
                outlines.add(stamp, of: pattern, scale: scale)
                accumulator.add(to: covered, box: box, weight: stamp.alpha)
            }
            plane.markDrawn(covered.box(of: box))
        }
        plane.multiplyDepth(covered, kernels)
    }

    // MARK: Solid strokes

    private func paintSolid(
        _ path: SolidPath, alpha: Float, scale: OutputScale, into plane: RemainingPlane,
        _ isCancelled: @escaping () -> Bool
    ) {
        guard alpha > 0, !path.discs.isEmpty else { return }
        let box = scale.pixels(of: path.bounds)
        guard box.intersects(accumulator.cell) else { return }
        guard let outline = path.outline(scale, isCancelled: isCancelled) else { return }
        guard outline.isOfUse else {
            parts.add(outline.hulls, scale: scale, isCancelled: isCancelled)
            accumulator.multiply(plane, box: box, alpha: alpha)
            return
        }
        crossings.keep(outline.crossings, of: plane)
        accumulator.add(outline.polygons)
        accumulator.multiplyPolygons(plane, rows: box.rows, alpha: alpha)
        crossings.paint(outline, alpha: alpha, scale: scale, into: plane, isCancelled: isCancelled)
    }
}
