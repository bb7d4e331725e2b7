import CKernels

/// Draws the strokes and shapes of a layer within a cell.
final class StrokeLayer {
    private let kernels: UnsafePointer<ink_raster>
    private let painter: StrokePainter
    /// Needed only for pictures that are not opaque, which are few.
    private lazy var exactPainter = StrokePainter(
        maxWidth: maxWidth, maxHeight: maxHeight, isExact: true, level: level)
    private let maxWidth: Int
    private let maxHeight: Int
    private let level: KernelLevel
    private let remaining: RemainingPlane

    init(maxWidth: Int, maxHeight: Int, level: KernelLevel = .selected) {
        kernels = ink_raster_kernels(level.c)
        painter = StrokePainter(maxWidth: maxWidth, maxHeight: maxHeight, level: level)
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.level = level
        remaining = RemainingPlane(maxWidth: maxWidth, maxHeight: maxHeight)
    }

    /// Draws some marks of a block onto `layer`, whose planes cover `cell`.
    ///
    /// - Parameters:
    ///   - indices: ascending indices of the block's marks.
    ///   - isOpaque: whether the finished picture is opaque. If not, the colour of the faintest ink is visible.
    ///   - isBlank: whether the layer is transparent, whatever its planes contain. They are filled when the first
    ///     mark meets the cell; this then becomes false.
    ///   - isCancelled: called before every mark, and now and then within one. If it returns true, the result must
    ///     not be used.
    func draw(
        _ indices: [Int], of block: PreparedStrokeBlock, scale: OutputScale, cell: PixelRect, isOpaque: Bool,
        onto layer: SharePlanes, isBlank: inout Bool, isCancelled: () -> Bool
    ) {
        let painter = isOpaque ? painter : exactPainter
        remaining.move(to: cell)
        let near = NearCell(cell, scale: scale)
        /// The last painted mark. Its transmittance, and that of its run, is still to be applied.
        var painted: (mark: PreparedMark, run: Int)?
        for index in indices where near.meets(block.bounds[index]) {
            if isCancelled() { break }
            guard let mark = block.marks[index] else { preconditionFailure("a mark that is seen is not there") }
            let run = Int(block.runs.numbers[index])
            if let painted, painted.run != run {
                apply(painted.mark, rounding: block.runs.roundings[painted.run], to: layer, isBlank: &isBlank)
            }
            withoutActuallyEscaping(isCancelled) { isCancelled in
                painter.paint(mark, scale: scale, cell: cell, into: remaining, isCancelled: isCancelled)
            }
            painted = (mark, run)
        }
        if let painted {
            apply(painted.mark, rounding: block.runs.roundings[painted.run], to: layer, isBlank: &isBlank)
        }
    }

    /// Applies the transmittance of a run of marks to the layer.
    ///
    /// - Parameter rounding: see `StrokeRuns.roundings`.
    private func apply(_ mark: PreparedMark, rounding: UInt16, to planes: SharePlanes, isBlank: inout Bool) {
        if isBlank, remaining.isDrawn {
            planes.clear()
            isBlank = false
        }
        defer { withExtendedLifetime(planes) {} }
        let layer = planes.rows(from: 0)
        let plane = remaining.kernelPlane
        let color = mark.color
        // 255 is 65,535.
        let channels: InlineArray<3, UInt16> = [
            UInt16(color.red) * 257, UInt16(color.green) * 257, UInt16(color.blue) * 257,
        ]
        remaining.drain { box in
            withUnsafePointer(to: box) { box in
                withUnsafePointer(to: layer) { layer in
                    switch mark.mode {
                    case .erase: kernels.pointee.erase(plane, box, layer, rounding)
                    case .paint:
                        withUnsafeBytes(of: channels) {
                            kernels.pointee.paint(
                                plane, box, layer, $0.assumingMemoryBound(to: UInt16.self).baseAddress!, rounding)
                        }
                    }
                }
            }
        }
    }
}
