import CKernels

/// The transmittance of the strokes of one colour: T = product of (1 - alpha * coverage), in 1/65,535. The colour is
/// applied once for all of them.
///
/// Records the blocks of pixels in which anything was drawn. Not shared between threads.
final class RemainingPlane {
    /// A block's size in pixels.
    static let blockWidth = Int(INK_BLOCK_WIDTH)
    static let blockHeight = Int(INK_BLOCK_HEIGHT)

    /// The value of a pixel where nothing was drawn.
    static let all = UInt16.max

    let pixels: KernelPlane<UInt16>
    /// For each row of blocks, one bit per block.
    private let drawn: UnsafeMutablePointer<UInt64>
    private var blockRows = 0

    init(maxWidth: Int, maxHeight: Int) {
        precondition(maxWidth <= RemainingPlane.blockWidth * UInt64.bitWidth, "the plane is too wide")
        pixels = KernelPlane(maxWidth: maxWidth, maxHeight: maxHeight, value: RemainingPlane.all)
        let count = (maxHeight + RemainingPlane.blockHeight - 1) / RemainingPlane.blockHeight
        drawn = .allocate(capacity: count)
        drawn.initialize(repeating: 0, count: count)
    }

    deinit { drawn.deallocate() }

    /// The plane in the form that kernels take; valid until it moves.
    var kernelPlane: ink_kept {
        let cell = pixels.cell
        return ink_kept(
            values: pixels.values, stride: pixels.stride, left: Int32(cell.x), top: Int32(cell.y),
            width: Int32(cell.width), height: Int32(cell.height), drawn: drawn)
    }

    /// Moves the plane to a cell. The plane must be clean.
    func move(to cell: PixelRect) {
        pixels.move(to: cell)
        blockRows = (cell.height + RemainingPlane.blockHeight - 1) / RemainingPlane.blockHeight
    }

    /// Records that something may be drawn inside a box.
    func markDrawn(_ box: ink_box) {
        guard box.left < box.right, box.top < box.bottom else { return }
        let first = UInt64(box.left) / UInt64(RemainingPlane.blockWidth)
        let last = UInt64(box.right - 1) / UInt64(RemainingPlane.blockWidth)
        let bits = (UInt64.max &>> (63 &- (last &- first))) &<< first
        let height = Int32(RemainingPlane.blockHeight)
        for row in Int(box.top / height)...Int((box.bottom - 1) / height) { drawn[row] |= bits }
    }

    /// Multiplies by exp(-depth) where anything may be drawn, and sets `depth` to 0 there.
    func multiplyDepth(_ depth: KernelPlane<Float>, _ kernels: UnsafePointer<ink_raster>) {
        forEachDrawn { box in
            withUnsafePointer(to: box) { kernels.pointee.multiply_depth(kernelPlane, depth.kernelPlane, $0) }
        }
    }

    /// Whether anything may be drawn.
    var isDrawn: Bool { (0..<blockRows).contains { drawn[$0] != 0 } }

    /// Calls `body` with disjoint boxes that contain everything that may be drawn, and forgets them. `body` must reset
    /// the pixels to `all`.
    func drain(_ body: (ink_box) -> Void) {
        forEachDrawn(body)
        for row in 0..<blockRows { drawn[row] = 0 }
    }

    private func forEachDrawn(_ body: (ink_box) -> Void) {
        let cell = pixels.cell
        for row in 0..<blockRows where drawn[row] != 0 {
            let top = Int32(row * RemainingPlane.blockHeight)
            var bits = drawn[row]
            while bits != 0 {
                let first = bits.trailingZeroBitCount
                let count = (~(bits &>> UInt64(first))).trailingZeroBitCount
                bits &= count + first >= UInt64.bitWidth ? 0 : UInt64.max &<< UInt64(first + count)
                body(
                    ink_box(
                        left: Int32(first * RemainingPlane.blockWidth), top: top,
                        right: Int32(min((first + count) * RemainingPlane.blockWidth, cell.width)),
                        bottom: min(top + Int32(RemainingPlane.blockHeight), Int32(cell.height))))
            }
        }
    }
}
