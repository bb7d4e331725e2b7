import CKernels

/// A plane of numbers over a cell, with the margins beside its rows that kernels need. Owns its memory.
package final class KernelPlane<Element: BitwiseCopyable> {
    private let memory: UnsafeMutablePointer<Element>
    private let capacity: (width: Int, height: Int)
    private let value: Element
    /// The cell, in output pixels.
    private(set) var cell: PixelRect
    /// Elements from one row to the next.
    let stride: Int
    /// The cell's first pixel.
    let values: UnsafeMutablePointer<Element>

    private static var margin: Int { Int(INK_PLANE_MARGIN) }

    /// Makes a plane for cells of up to this size, filled with `value`.
    package init(maxWidth: Int, maxHeight: Int, value: Element) {
        capacity = (maxWidth, maxHeight)
        self.value = value
        stride = KernelPlane.stride(width: maxWidth)
        // Kernels round columns outwards to whole vectors.
        let count = stride * maxHeight
        memory = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<Element>.stride, alignment: KernelPlane.cacheLine
        ).bindMemory(to: Element.self, capacity: count)
        memory.initialize(repeating: value, count: count)
        values = memory + KernelPlane.margin
        cell = PixelRect(x: 0, y: 0, width: maxWidth, height: maxHeight)
    }

    deinit { memory.deallocate() }

    /// Rows begin at a cache line, so that a kernel that processes whole rows never crosses a cache line with a load.
    private static func stride(width: Int) -> Int { (width + margin - 1) / margin * margin + 2 * margin }

    private static var cacheLine: Int { 64 }

    /// Moves the plane to another cell. All its pixels must have the value that the plane was made with.
    package func move(to cell: PixelRect) {
        precondition(cell.width <= capacity.width && cell.height <= capacity.height, "the cell is too large")
        // Margins of a narrower cell are no longer margins.
        if cell.size != self.cell.size { memory.update(repeating: value, count: stride * capacity.height) }
        self.cell = cell
    }

    /// Start of a row of part of the cell.
    ///
    /// - Parameters:
    ///   - rect: in output pixels.
    ///   - row: counted from the rectangle's first row.
    package func row(_ rect: PixelRect, _ row: Int) -> UnsafeMutablePointer<Element> {
        values + (rect.y + row - cell.y) * stride + rect.x - cell.x
    }

    /// The part within the cell of a box of the output and one pixel round it, which tables may reach. Counted from the
    /// cell's first pixel. Empty boxes have `left >= right` or `top >= bottom`.
    func box(of rect: PixelRect) -> ink_box {
        ink_box(
            left: Int32(max(rect.x - 1 - cell.x, 0)), top: Int32(max(rect.y - 1 - cell.y, 0)),
            right: Int32(min(rect.x + rect.width + 1 - cell.x, cell.width)),
            bottom: Int32(min(rect.y + rect.height + 1 - cell.y, cell.height)))
    }
}

extension KernelPlane<Float> {
    /// The plane in the form that kernels take; valid until it moves.
    var kernelPlane: ink_plane {
        ink_plane(
            values: values, stride: stride, left: Int32(cell.x), top: Int32(cell.y), width: Int32(cell.width),
            height: Int32(cell.height))
    }
}
