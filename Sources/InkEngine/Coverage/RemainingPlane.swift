import CKernels

/// The transmittance of the strokes of one colour: T = product of (1 - alpha * coverage), in 1/65,535. The colour is
/// applied once for all of them.
///
/// Records the blocks of pixels in which anything was drawn. Not shared between threads.
final class RemainingPlane {
    /// The value of a pixel where nothing was drawn.
    static let all = UInt16.max

    let pixels: KernelPlane<UInt16>
    private let drawn: DrawnBlocks

    init(maxWidth: Int, maxHeight: Int) {
        pixels = KernelPlane(maxWidth: maxWidth, maxHeight: maxHeight, value: RemainingPlane.all)
        drawn = DrawnBlocks(maxWidth: maxWidth, maxHeight: maxHeight)
    }

    /// The plane in the form that kernels take; valid until it moves.
    var kernelPlane: ink_kept {
        let cell = pixels.cell
        return ink_kept(
            values: pixels.values, stride: pixels.stride, left: Int32(cell.x), top: Int32(cell.y),
            width: Int32(cell.width), height: Int32(cell.height), drawn: drawn.bits)
    }

    /// Moves the plane to a cell. The plane must be clean.
    func move(to cell: PixelRect) {
        pixels.move(to: cell)
        drawn.move(to: cell)
    }

    /// Records that something may be drawn inside a box.
    func markDrawn(_ box: ink_box) { drawn.mark(box) }

    /// Multiplies by exp(-depth) where anything may be drawn, and sets `depth` to 0 there.
    func multiplyDepth(_ depth: KernelPlane<Float>, _ kernels: UnsafePointer<ink_raster>) {
        drawn.forEach { box in
            withUnsafePointer(to: box) { kernels.pointee.multiply_depth(kernelPlane, depth.kernelPlane, $0) }
        }
    }

    /// Whether anything may be drawn.
    var isDrawn: Bool { !drawn.isEmpty }

    /// Calls `body` with disjoint boxes that contain everything that may be drawn, and forgets them. `body` must reset
    /// the pixels to `all`.
    func drain(_ body: (ink_box) -> Void) { drawn.drain(body) }
}
