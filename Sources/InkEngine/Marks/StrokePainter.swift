import CKernels

/// Draws prepared strokes and shapes into the transmittance of a cell.
///
/// A painter is for one thread. It keeps the painters of the kinds of marks that it has drawn, with their scratch memory
/// and caches.
final class StrokePainter {
    private let tools: PainterTools
    private var painters: [ObjectIdentifier: any MarkPainter] = [:]
    private lazy var shapes = ShapePainter(tools)
    /// For shapes whose alpha changes along the stroke.
    private lazy var fading = FadingPainter(tools)

    /// - Parameter isExact: for pictures that are not opaque, in which the colour of the faintest ink is visible.
    init(maxWidth: Int, maxHeight: Int, isExact: Bool = false, level: KernelLevel = .selected) {
        tools = PainterTools(maxWidth: maxWidth, maxHeight: maxHeight, isExact: isExact, level: level)
    }

    /// Multiplies `plane`, which covers `cell`, by the transmittance of a mark.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ mark: PreparedMark, scale: OutputScale, cell: PixelRect, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool = { false }
    ) {
        switch mark {
        case .stroke(let stroke):
            paint(stroke, scale: scale, cell: cell, into: plane, isCancelled: isCancelled)
        case .shape(let shape):
            tools.accumulator.move(to: cell)
            tools.covered.move(to: cell)
            shapes.paint(shape, scale: scale, into: plane, isCancelled: isCancelled)
        }
    }

    /// Multiplies `plane`, which covers `cell`, by the transmittance of the stroke.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, cell: PixelRect, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool = { false }
    ) {
        guard NearCell(cell, scale: scale).meets(stroke.bounds) else { return }
        tools.accumulator.move(to: cell)
        tools.covered.move(to: cell)
        let painter = painter(stroke.painter)
        if let line = stroke.fadingLine {
            fading.paint(stroke, along: line, by: painter, scale: scale, into: plane, isCancelled)
        } else {
            painter.paint(stroke, scale: scale, into: plane, isCancelled: isCancelled)
        }
    }

    private func painter(_ type: any MarkPainter.Type) -> any MarkPainter {
        if let painter = painters[ObjectIdentifier(type)] { return painter }
        let painter = type.init(tools)
        painters[ObjectIdentifier(type)] = painter
        return painter
    }
}

/// Draws the strokes of some kinds of marks. For one thread.
protocol MarkPainter: AnyObject, SendableMetatype {
    init(_ tools: PainterTools)

    /// Multiplies `plane` by the transmittance of a stroke that was prepared for this painter.
    ///
    /// - Parameters:
    ///   - plane: covers the cell that `tools` were moved to.
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool)
}

/// What the painters of a thread share. Accumulator and plane are clean before and after each call of a painter.
final class PainterTools {
    /// Size of the planes to draw on.
    let maxWidth: Int
    let maxHeight: Int
    /// For pictures in which every hundredth of a pixel is visible.
    let isExact: Bool
    let level: KernelLevel
    let kernels: UnsafePointer<ink_raster>
    let accumulator: CoverageAccumulator
    /// 0 everywhere.
    let covered: KernelPlane<Float>
    let parts: PartRasterizer
    let outlines: OutlinePainter

    init(maxWidth: Int, maxHeight: Int, isExact: Bool = false, level: KernelLevel = .selected) {
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.isExact = isExact
        self.level = level
        kernels = ink_raster_kernels(level.c)
        accumulator = CoverageAccumulator(maxWidth: maxWidth, maxHeight: maxHeight, level: level)
        covered = KernelPlane(maxWidth: maxWidth, maxHeight: maxHeight, value: 0)
        parts = PartRasterizer(accumulator: accumulator, level: level)
        outlines = OutlinePainter(accumulator: accumulator, parts: parts)
    }
}
