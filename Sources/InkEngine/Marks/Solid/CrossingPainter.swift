/// Draws a solid stroke where its outline meets itself. There the stroke is the union of its hulls, computed tile by
/// tile.
///
/// Owns its scratch memory; not shared between threads.
final class CrossingPainter {
    private let accumulator: CoverageAccumulator
    private let parts: PartRasterizer
    private let tile: RemainingPlane
    /// The tiles of the crossings in the cell, and the transmittance of their pixels before the stroke.
    private var tiles: [(crossing: Int, rect: PixelRect)] = []
    private var pixels: [UInt16] = []

    /// Larger blocks of a crossing are cut into tiles of this size, in pixels.
    private static let tileSize = 64

    init(level: KernelLevel) {
        accumulator = CoverageAccumulator(
            maxWidth: CrossingPainter.tileSize, maxHeight: CrossingPainter.tileSize, level: level)
        parts = PartRasterizer(accumulator: accumulator, level: level)
        tile = RemainingPlane(maxWidth: CrossingPainter.tileSize, maxHeight: CrossingPainter.tileSize)
    }

    /// Saves the transmittance of the pixels of a stroke's crossings.
    func keep(_ crossings: [SolidOutline.Crossing], of plane: RemainingPlane) {
        tiles.removeAll(keepingCapacity: true)
        pixels.removeAll(keepingCapacity: true)
        let cell = plane.pixels.cell
        let size = CrossingPainter.tileSize
        for (index, crossing) in crossings.enumerated() {
            let rows = crossing.block.rows.clamped(to: cell.rows)
            let columns = crossing.block.columns.clamped(to: cell.columns)
            for y in stride(from: rows.lowerBound, to: rows.upperBound, by: size) {
                for x in stride(from: columns.lowerBound, to: columns.upperBound, by: size) {
                    let rect = PixelRect(
                        x: x, y: y, width: min(size, columns.upperBound - x), height: min(size, rows.upperBound - y))
                    tiles.append((index, rect))
                    for row in 0..<rect.height {
                        pixels += UnsafeBufferPointer(start: plane.pixels.row(rect, row), count: rect.width)
                    }
                }
            }
        }
    }

    /// Replaces what the outline drew in these pixels by the saved transmittance times that of the stroke.
    ///
    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ outline: SolidOutline, alpha: Float, scale: OutputScale, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool
    ) {
        var position = 0
        for (index, rect) in tiles {
            if isCancelled() { break }
            tile.move(to: rect)
            accumulator.move(to: rect)
            for row in 0..<rect.height {
                pixels.withUnsafeBufferPointer { pixels in
                    guard let kept = pixels.baseAddress else { return }
                    tile.pixels.row(rect, row).update(from: kept + position, count: rect.width)
                }
                position += rect.width
            }
            let hulls = outline.hulls(of: outline.crossings[index], near: NearCell(rect, scale: scale))
            parts.add(hulls.lazy.map { outline.hull(Int($0)) }, scale: scale, isCancelled: isCancelled)
            accumulator.multiply(tile, box: rect, alpha: alpha)
            for row in 0..<rect.height {
                let painted = tile.pixels.row(rect, row)
                plane.pixels.row(rect, row).update(from: painted, count: rect.width)
                // Kernels write whole vectors.
                painted.update(repeating: RemainingPlane.all, count: (rect.width + 15) / 16 * 16)
            }
            tile.drain { _ in }
            plane.markDrawn(plane.pixels.box(of: rect))
        }
    }
}
