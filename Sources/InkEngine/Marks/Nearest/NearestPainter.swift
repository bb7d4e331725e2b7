import CKernels

/// Draws by the nearest place of a stroke's line: contour lines, or shapes whose alpha changes along it.
///
/// Works through blocks of the output that lie at the same places in every cell, so that nothing depends on the cell. Owns its
/// scratch memory; not shared between threads.
final class NearestPainter {
    private let kernels: UnsafePointer<ink_raster>
    private var ranges: [Int32] = []
    private var scratch: [Float] = []

    private static let blockSize = Int(INK_CONTOUR_BLOCK)
    /// Scratch memory for more segments is not kept.
    private static let keptMax = 16_384

    init(kernels: UnsafePointer<ink_raster>) { self.kernels = kernels }

    /// Multiplies a plane by what lines or a shape leave.
    ///
    /// - Parameters:
    ///   - contour: the lines; those of the kernel.
    ///   - line: along which they are.
    ///   - reach: how far from the line anything is drawn, in canvas pixels.
    ///   - shape: another plane of the same cell, with what a shape leaves; if there is one, it is drawn instead of lines.
    ///   - box: what to draw, in output pixels.
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ contour: ink_contour, along line: NearestLine, reach: Double, shape: RemainingPlane? = nil, box: PixelRect,
        scale: OutputScale, into plane: RemainingPlane, _ isCancelled: () -> Bool
    ) {
        let size = NearestPainter.blockSize
        let cell = plane.pixels.cell
        let rows = box.rows.clamped(to: cell.rows), columns = box.columns.clamped(to: cell.columns)
        guard !rows.isEmpty, !columns.isEmpty else { return }
        let half = Double(size) / 2
        let radius = Point(x: half / scale.x, y: half / scale.y).length
        let shape = shape?.kernelPlane
        line.path.samples.withUnsafeBytes { bytes in
            guard let samples = bytes.bindMemory(to: Double.self).baseAddress else { return }
            var contour = contour
            contour.samples = samples
            for y in blocks(of: rows) {
                for x in blocks(of: columns) {
                    if isCancelled() { return }
                    let center = Point(x: (Double(x) + half) / scale.x, y: (Double(y) + half) / scale.y)
                    let count = line.segments(near: center, radius: radius, reach: reach, into: &ranges)
                    guard count > 0 else { continue }
                    let room = (count + 8) / 8 * 8 + 8
                    if scratch.count < room * Int(INK_CONTOUR_SCRATCH) {
                        scratch = [Float](repeating: 0, count: room * Int(INK_CONTOUR_SCRATCH))
                    }
                    withUnsafePointer(to: shape) { shape in
                        shape.withMemoryRebound(to: ink_kept.self, capacity: 1) { kept in
                            kernels.pointee.multiply_contour(
                                plane.kernelPlane, shape.pointee == nil ? nil : kept, &contour, ranges,
                                ranges.count / 2, Int32(x), Int32(y), &scratch, room)
                        }
                    }
                }
            }
        }
        if scratch.count > NearestPainter.keptMax * Int(INK_CONTOUR_SCRATCH) { scratch = [] }
    }

    /// Where the blocks begin that meet a range of pixels.
    private func blocks(of pixels: Range<Int>) -> StrideTo<Int> {
        let size = NearestPainter.blockSize
        return stride(from: pixels.lowerBound / size * size, to: pixels.upperBound, by: size)
    }
}

extension NearestLine {
    /// What a kernel needs to know about the line of a stroke of this brush, without lines.
    func kernelContour(_ brush: Brush, scale: OutputScale) -> ink_contour {
        let dynamics = brush.dynamics
        let (size, sizeMore) = path.values { dynamics.size($0) }
        let (opacity, opacityMore) = path.values { dynamics.opacity($0) }
        // Replaced wherever it is used.
        let samples = UnsafePointer<Double>(bitPattern: MemoryLayout<Double>.alignment)!
        return ink_contour(
            samples: samples, sample_count: path.samples.count, is_closed: isClosed, cuts_ends: brush.caps == .butt,
            scale: scale.largest, pixel_x: scale.largest / scale.x, pixel_y: scale.largest / scale.y, size_least: size,
            size_more: sizeMore, alpha_least: brush.opacity * opacity, alpha_more: brush.opacity * opacityMore,
            varies: sizeMore != 0 || opacityMore != 0, spacing: 1, half_width: 0, outermost: 0, reach: 1e15)
    }
}

extension SmoothedPath {
    /// What linear values are without pressure, and what full pressure adds. If they are the same all along the line, nothing
    /// is added.
    func values(_ value: (Double) -> Double) -> (least: Double, more: Double) {
        let first = value(samples.first?.pressure ?? 0)
        if samples.allSatisfy({ value($0.pressure) == first }) { return (first, 0) }
        return (value(0), value(1) - value(0))
    }
}
