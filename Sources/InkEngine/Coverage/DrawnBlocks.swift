import CKernels

/// In which blocks of a cell's pixels anything may be drawn. Owns its memory; not shared between threads.
final class DrawnBlocks {
    /// A block's size, pixels.
    static let width = Int(INK_BLOCK_WIDTH)
    static let height = Int(INK_BLOCK_HEIGHT)

    /// For each row of blocks, a bit for each block.
    let bits: UnsafeMutablePointer<UInt64>
    private var cell: (width: Int32, height: Int32) = (0, 0)
    private var rows = 0

    init(maxWidth: Int, maxHeight: Int) {
        precondition(maxWidth <= DrawnBlocks.width * UInt64.bitWidth, "the plane is too wide")
        let count = (maxHeight + DrawnBlocks.height - 1) / DrawnBlocks.height
        bits = .allocate(capacity: count)
        bits.initialize(repeating: 0, count: count)
    }

    deinit { bits.deallocate() }

    /// Moves to a cell; nothing must be drawn.
    func move(to cell: PixelRect) {
        self.cell = (Int32(cell.width), Int32(cell.height))
        rows = (cell.height + DrawnBlocks.height - 1) / DrawnBlocks.height
    }

    /// Says that something may be drawn inside a box.
    func mark(_ box: ink_box) {
        guard box.left < box.right, box.top < box.bottom else { return }
        let first = UInt64(box.left) / UInt64(DrawnBlocks.width)
        let last = UInt64(box.right - 1) / UInt64(DrawnBlocks.width)
        let marks = (UInt64.max &>> (63 &- (last &- first))) &<< first
        let height = Int32(DrawnBlocks.height)
        for row in Int(box.top / height)...Int((box.bottom - 1) / height) { bits[row] |= marks }
    }

    var isEmpty: Bool { (0..<rows).allSatisfy { bits[$0] == 0 } }

    /// Calls `body` with boxes that hold all that may be drawn, none of which meet.
    func forEach(_ body: (ink_box) -> Void) {
        for row in 0..<rows where bits[row] != 0 {
            let top = Int32(row * DrawnBlocks.height)
            var left = bits[row]
            while left != 0 {
                let first = left.trailingZeroBitCount
                let count = (~(left &>> UInt64(first))).trailingZeroBitCount
                left &= count + first >= UInt64.bitWidth ? 0 : UInt64.max &<< UInt64(first + count)
                body(
                    ink_box(
                        left: Int32(first * DrawnBlocks.width), top: top,
                        right: min(Int32((first + count) * DrawnBlocks.width), cell.width),
                        bottom: min(top + Int32(DrawnBlocks.height), cell.height)))
            }
        }
    }

    /// Does the same, and forgets them.
    func drain(_ body: (ink_box) -> Void) {
        forEach(body)
        for row in 0..<rows { bits[row] = 0 }
    }
}
