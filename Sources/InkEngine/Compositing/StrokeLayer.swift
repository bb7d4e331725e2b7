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
                apply(
                    painted.mark, rounding: block.runs.roundings[painted.run], scale: scale, to: layer,
                    isBlank: &isBlank)
            }
            withoutActuallyEscaping(isCancelled) { isCancelled in
                painter.paint(mark, scale: scale, cell: cell, into: remaining, isCancelled: isCancelled)
            }
            painted = (mark, run)
        }
        if let painted {
            apply(
                painted.mark, rounding: block.runs.roundings[painted.run], scale: scale, to: layer,
                isBlank: &isBlank)
        }
    }

    /// Applies the transmittance of a run of marks to the layer.
    ///
    /// - Parameter rounding: see `StrokeRuns.roundings`.
    private func apply(
        _ mark: PreparedMark, rounding: UInt16, scale: OutputScale, to planes: SharePlanes, isBlank: inout Bool
    ) {
        if isBlank, remaining.isDrawn {
            planes.clear()
            isBlank = false
        }
        defer { withExtendedLifetime(planes) {} }
        let layer = planes.rows(from: 0)
        let plane = remaining.kernelPlane
        guard mark.mode == .paint else {
            return remaining.drain { box in
                withUnsafePointer(to: box) { box in
                    withUnsafePointer(to: layer) { kernels.pointee.erase(plane, box, $0, rounding) }
                }
            }
        }
        switch mark.ink {
        case .gradient(let gradient, let map):
            let field = GradientField(gradient, map: scale.map.after(map))
            remaining.drain { paint(field, $0, layer, rounding) }
        case .color(let color):
            // 255 is 65,535.
            let channels: InlineArray<3, UInt16> = [
                UInt16(color.red) * 257, UInt16(color.green) * 257, UInt16(color.blue) * 257,
            ]
            remaining.drain { box in
                withUnsafePointer(to: box) { box in
                    withUnsafePointer(to: layer) { layer in
                        withUnsafeBytes(of: channels) {
                            kernels.pointee.paint(
                                plane, box, layer, $0.assumingMemoryBound(to: UInt16.self).baseAddress!, rounding)
                        }
                    }
                }
            }
        }
    }

    /// Paints the part that the transmittance lacks in the colours of a gradient, and makes it complete again.
    private func paint(_ field: GradientField, _ box: ink_box, _ layer: ink_shares, _ rounding: UInt16) {
        let cell = remaining.pixels.cell
        let all = Float(RemainingPlane.all)
        let rounding = Float(rounding) / 65_536
        for row in Int(box.top)..<Int(box.bottom) {
            let kept = remaining.pixels.values + row * remaining.pixels.stride
            let first = row * layer.stride
            for column in Int(box.left)..<Int(box.right) where kept[column] != RemainingPlane.all {
                // Products with the largest share are slightly too small.
                let share = kept[column] <= 16 ? 1 : Float(RemainingPlane.all - kept[column]) / all
                kept[column] = RemainingPlane.all
                let color = field.color(column: cell.x + column, row: cell.y + row)
                let rest = 1 - share * color.w
                func paint(_ plane: UnsafeMutablePointer<UInt16>, _ value: Float) {
                    let sum = Float(plane[first + column]) * rest + all * share * value
                    plane[first + column] = UInt16(min(sum + rounding, all))
                }
                paint(layer.red, color.x)
                paint(layer.green, color.y)
                paint(layer.blue, color.z)
                paint(layer.alpha, color.w)
            }
        }
    }
}
