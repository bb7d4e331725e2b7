import CKernels

/// Puts the strokes of a layer onto a cell of it.
final class StrokeLayer {
    private let kernels: UnsafePointer<ink_raster>
    private let painter: StrokePainter
    /// Of use to pictures that are not opaque only, which are few.
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

    /// Draws some strokes of a block onto `layer`, whose planes cover `cell`.
    ///
    /// - Parameters:
    ///   - indices: ascending, each an index of the block's strokes.
    ///   - isOpaque: whether the finished picture is; if it is not, the colour of the faintest ink will show.
    ///   - isBlank: whether the layer is transparent, whatever its planes hold; they are filled when the first stroke meets
    ///     the cell, and this becomes false.
    ///   - isCancelled: asked before every stroke and now and then in one; when it is so, what is drawn is of no use.
    func draw(
        _ indices: [Int], of block: PreparedStrokeBlock, scale: OutputScale, cell: PixelRect, isOpaque: Bool,
        onto layer: SharePlanes, isBlank: inout Bool, isCancelled: () -> Bool
    ) {
        let painter = isOpaque ? painter : exactPainter
        remaining.move(to: cell)
        let near = NearCell(cell, scale: scale)
        /// The last stroke that was painted; what it and those of its run before it left is still to be applied.
        var painted: (stroke: PreparedStroke, run: Int32)?
        for index in indices where near.meets(block.bounds[index]) {
            if isCancelled() { break }
            guard let stroke = block.strokes[index] else { preconditionFailure("a stroke that is seen is not there") }
            let run = block.runs[index]
            if let painted, painted.run != run {
                apply(painted.stroke, run: painted.run, to: layer, isBlank: &isBlank)
            }
            withoutActuallyEscaping(isCancelled) { isCancelled in
                painter.paint(stroke, scale: scale, cell: cell, into: remaining, isCancelled: isCancelled)
            }
            painted = (stroke, run)
        }
        if let painted { apply(painted.stroke, run: painted.run, to: layer, isBlank: &isBlank) }
    }

    /// Uses up what the strokes of a run left of the layer.
    ///
    /// - Parameter run: every run rounds at another place between two shares. To the nearest, thousands of faint runs would all
    ///   be rounded away; and by the pixel or the tile it must not differ, for then tiles would show.
    private func apply(_ stroke: PreparedStroke, run: Int32, to planes: SharePlanes, isBlank: inout Bool) {
        if isBlank, remaining.isDrawn {
            planes.clear()
            isBlank = false
        }
        defer { withExtendedLifetime(planes) {} }
        let layer = planes.rows(from: 0)
        let plane = remaining.kernelPlane
        let rounding = UInt16(truncatingIfNeeded: 32_768 &+ Int(run) &* StrokeLayer.goldenShare)
        let nothing: UInt16 = stroke.isOpaque ? StrokeLayer.roundedOff : 0
        let color = stroke.brush.color
        // 255 is 65,535.
        let channels: InlineArray<3, UInt16> = [
            UInt16(color.red) * 257, UInt16(color.green) * 257, UInt16(color.blue) * 257,
        ]
        remaining.drain { box in
            withUnsafePointer(to: box) { box in
                withUnsafePointer(to: layer) { layer in
                    switch stroke.mode {
                    case .erase: kernels.pointee.erase(plane, box, layer, rounding, nothing)
                    case .paint:
                        withUnsafeBytes(of: channels) {
                            kernels.pointee.paint(
                                plane, box, layer, $0.assumingMemoryBound(to: UInt16.self).baseAddress!, rounding,
                                nothing)
                        }
                    }
                }
            }
        }
    }

    /// 65,536 over the golden ratio: its multiples are spread evenly, however many there are.
    private static let goldenShare = 40_503
    /// More than what rounding leaves of a pixel that an opaque stamp covers, 1/65,535: five at most have been seen.
    private static let roundedOff: UInt16 = 16
}
