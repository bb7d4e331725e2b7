import CKernels

/// Computes from outlines the exact area of each pixel of a cell that a shape covers.
///
/// In each row that it crosses, an edge adds its height to the pixels it passes, split between a pixel and the next
/// ones by its position in the pixel. The running sum along a row is then the covered area (the signed-area method of
/// the rasterizers of FreeType and font-rs). Everything added is an integer in 1/65,536 pixel, computed from the edge's
/// own ends and never from the cell's. Sums therefore do not depend on the order of the edges or on the tiling of the
/// picture.
///
/// Owns its memory; not shared between threads.
package final class CoverageAccumulator {
    /// The cell, in output pixels.
    private(set) var cell: PixelRect
    private let kernels: UnsafePointer<ink_raster>
    private let capacity: (width: Int, height: Int)
    private let stride: Int
    private let memory: UnsafeMutablePointer<Int32>
    /// The cell's first pixel. Row-major; each element is the change of the running sum at that column.
    private let deltas: UnsafeMutablePointer<Int32>
    /// At the cell's first row: where polygons are. Marks of the rows above and below are not used.
    private let marks: UnsafeMutablePointer<UInt8>
    private let markCount: Int

    private static let margin = Int(INK_PLANE_MARGIN)
    private static let marksStride = Int(INK_MARKS_STRIDE)

    package init(maxWidth: Int, maxHeight: Int, level: KernelLevel = .selected) {
        kernels = ink_raster_kernels(level.c)
        capacity = (maxWidth, maxHeight)
        stride = (maxWidth + 15) / 16 * 16 + 2 * CoverageAccumulator.margin
        cell = PixelRect(x: 0, y: 0, width: maxWidth, height: maxHeight)
        // One row above the cell and one below it take everything outside.
        let count = stride * (maxHeight + 2)
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0, count: count)
        deltas = memory + stride + CoverageAccumulator.margin
        precondition(maxWidth <= 16 * CoverageAccumulator.marksStride, "the accumulator is too wide")
        markCount = CoverageAccumulator.marksStride * (maxHeight + 2)
        let allMarks = UnsafeMutablePointer<UInt8>.allocate(capacity: markCount)
        allMarks.initialize(repeating: 0, count: markCount)
        marks = allMarks + CoverageAccumulator.marksStride
    }

    deinit {
        memory.deallocate()
        (marks - CoverageAccumulator.marksStride).deallocate()
    }

    /// Moves the accumulator, which must be clean, to another cell.
    package func move(to cell: PixelRect) {
        precondition(cell.width <= capacity.width && cell.height <= capacity.height, "the cell is too large")
        // Margins of a smaller cell are no longer margins.
        if cell.size != self.cell.size {
            memory.update(repeating: 0, count: stride * (capacity.height + 2))
            (marks - CoverageAccumulator.marksStride).update(repeating: 0, count: markCount)
        }
        self.cell = cell
    }

    /// The changes in the form that kernels take; valid until the accumulator moves.
    var kernelDeltas: ink_deltas {
        ink_deltas(
            values: deltas, stride: Int32(stride), left: Int32(cell.x), top: Int32(cell.y), width: Int32(cell.width),
            height: Int32(cell.height), marks: marks)
    }

    /// Adds a chain of edges at `place`, in output pixels.
    func add(_ chain: EdgeChain, at place: Point) {
        withUnsafePointer(to: ink_point(x: place.x, y: place.y)) {
            add(chain, factor: 1, at: UnsafeBufferPointer(start: $0, count: 1))
        }
    }

    /// Adds a chain of edges, scaled by `factor`, 0...1, at each of several positions, in output pixels.
    func add(_ chain: EdgeChain, factor: Float, at places: UnsafeBufferPointer<ink_point>) {
        guard let first = places.baseAddress else { return }
        chain.withKernelChain { kernels.pointee.add_chain(kernelDeltas, $0, factor, first, places.count) }
    }

    /// Adds the areas of polygons.
    package func add(_ polygons: Polygons) {
        polygons.withKernelPolygons { corners, counts in
            kernels.pointee.add_polygons(kernelDeltas, corners, counts, polygons.counts.count)
        }
    }

    /// Multiplies the plane by `1 - alpha * coverage` where polygons are, and leaves the accumulator clean.
    ///
    /// - Parameters:
    ///   - plane: moved to the same cell.
    ///   - rows: contain all polygons, in output pixels.
    func multiplyPolygons(_ plane: RemainingPlane, rows: Range<Int>, alpha: Float) {
        let rows = rowsOfCell(rows)
        kernels.pointee.multiply_marked(plane.kernelPlane, kernelDeltas, rows.lowerBound, rows.upperBound, alpha)
    }

    /// Adds `weight * coverage` where polygons are to a plane of the same cell, and leaves the accumulator clean.
    package func addPolygons(to plane: KernelPlane<Float>, rows: Range<Int>, weight: Float) {
        let rows = rowsOfCell(rows)
        kernels.pointee.add_marked(plane.kernelPlane, kernelDeltas, rows.lowerBound, rows.upperBound, weight)
    }

    /// Adds the coverage where polygons are to a plane of the same cell, sets the bytes of the groups of pixels where
    /// anything is, as kernels do, and leaves the accumulator clean.
    func addFootprint(to plane: KernelPlane<Float>, rows: Range<Int>, groups: UnsafeMutablePointer<UInt8>) {
        let rows = rowsOfCell(rows)
        kernels.pointee.add_footprint(plane.kernelPlane, kernelDeltas, rows.lowerBound, rows.upperBound, groups)
    }

    /// Counted from the cell's first row. Rounding may have moved an edge to the next row.
    private func rowsOfCell(_ rows: Range<Int>) -> Range<Int32> {
        let rows = (rows.lowerBound - 1..<rows.upperBound + 1).clamped(to: cell.rows)
        return Int32(rows.lowerBound - cell.y)..<Int32(rows.upperBound - cell.y)
    }

    /// Multiplies the plane by `1 - alpha * coverage` inside `box`, and leaves the accumulator clean.
    ///
    /// - Parameters:
    ///   - plane: moved to the same cell.
    ///   - box: contains the whole shape, in output pixels; must not depend on the cell.
    func multiply(_ plane: RemainingPlane, box: PixelRect, alpha: Float) {
        let drawn = plane.pixels.box(of: box)
        guard drawn.left < drawn.right, drawn.top < drawn.bottom else { return }
        withUnsafePointer(to: drawn) {
            kernels.pointee.multiply_deltas(plane.kernelPlane, kernelDeltas, $0, alpha)
        }
        plane.markDrawn(drawn)
    }

    /// Adds `weight * coverage` inside `box` to a plane of the same cell, and leaves the accumulator clean.
    package func add(to plane: KernelPlane<Float>, box: PixelRect, weight: Float) {
        let drawn = plane.box(of: box)
        guard drawn.left < drawn.right, drawn.top < drawn.bottom else { return }
        withUnsafePointer(to: drawn) {
            kernels.pointee.add_deltas(plane.kernelPlane, kernelDeltas, $0, weight)
        }
    }
}
