/// Draws stamps in ways of its own, and others by the outline of their pattern.
protocol StampPainter: MarkPainter {
    var tools: PainterTools { get }

    /// Multiplies `plane` by the transmittance of stamps of a stroke, one after the other. Returns false, and does
    /// nothing, if they must not be drawn together.
    ///
    /// - Parameter stamps: those that may meet the cell.
    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool

    /// Multiplies `plane` by the transmittance of a stamp. Returns false, and does nothing, for stamps that are to be
    /// drawn by their outline.
    ///
    /// - Parameter box: contains the stamp, in output pixels.
    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool

    /// Adds `weight` times the coverage by a stamp of `brush` to `covered`. Returns false, and does nothing, as above.
    func add(
        _ stamp: Stamp, of brush: Brush, scale: OutputScale, box: PixelRect, weight: Float,
        to covered: KernelPlane<Float>
    ) -> Bool
}

/// Draws all stamps by the outline of their pattern.
final class OutlineStampPainter: StampPainter {
    let tools: PainterTools

    init(_ tools: PainterTools) { self.tools = tools }
}

extension StampPainter {
    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool { false }

    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool { false }

    func add(
        _ stamp: Stamp, of brush: Brush, scale: OutputScale, box: PixelRect, weight: Float,
        to covered: KernelPlane<Float>
    ) -> Bool { false }

    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        guard case .stamps(let stamps) = stroke.marks else { return }
        let cell = tools.accumulator.cell
        let pattern = tools.outlines.pattern(for: stroke, scale: scale)
        let near = NearCell(cell, scale: scale, reach: stroke.brush.stampReach)
        let visible = stamps.visible(near, isCancelled: isCancelled)
        if stroke.isFaint { return paintFaintly(visible, of: stroke.brush, pattern, scale: scale, into: plane) }
        if paint(visible, of: stroke, scale: scale, into: plane) { return }
        for stamp in visible {
            let box = scale.pixels(of: pattern.bounds(at: stamp))
            // Tables reach one pixel further, in whichever cell that pixel is.
            guard box.withBorder.intersects(cell), !paint(stamp, of: stroke, scale: scale, box: box, into: plane),
                box.intersects(cell)
            else { continue }
            tools.outlines.paint(stamp, of: pattern, scale: scale, box: box, into: plane)
        }
    }

    /// Draws stamps so faint that rounding would lose the transmittance of each. Their depths, alpha times coverage,
    /// are added up. The transmittance is exp(-depth), which differs from the product of (1 - alpha * coverage) by less
    /// than 1/1000.
    private func paintFaintly(
        _ stamps: some Sequence<Stamp>, of brush: Brush, _ pattern: Pattern, scale: OutputScale,
        into plane: RemainingPlane
    ) {
        let (accumulator, covered) = (tools.accumulator, tools.covered)
        for stamp in stamps {
            let box = scale.pixels(of: pattern.bounds(at: stamp))
            guard box.intersects(accumulator.cell) else { continue }
            if !add(stamp, of: brush, scale: scale, box: box, weight: stamp.alpha, to: covered) {
                tools.outlines.add(stamp, of: pattern, scale: scale)
                accumulator.add(to: covered, box: box, weight: stamp.alpha)
            }
            plane.markDrawn(covered.box(of: box))
        }
        plane.multiplyDepth(covered, tools.kernels)
    }
}
