import CKernels

/// Draws strokes that uncover a pattern that lies still on the canvas: the intersection of the pattern with the stroke's
/// footprint, which is a solid stroke.
///
/// Footprint and pattern are drawn one after the other, each exactly, and multiplied. That is exact except for pixels
/// that both cover in part. There the polygons are intersected, or where the footprint's outline meets itself, the
/// covered area follows from that of the union of both.
///
/// Owns its scratch memory; not shared between threads.
final class CanvasPatternPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let level: KernelLevel
    private let accumulator: CoverageAccumulator
    /// 0 everywhere between strokes.
    private let covered: KernelPlane<Float>
    private let parts: PartRasterizer
    private let unions: UnionTile
    private var patterns: [PatternKey: CanvasPattern] = [:]
    private var patternBytes = 0
    // Scratch memory.
    private var groups: [UInt8]
    private var bands: [Int32]
    private var mixed: [ink_pixel]
    private var edges: [Double] = []
    private var edgeScratch: [Double] = []
    /// Of each pixel of the cell, row by row: whether the footprint's outline cannot be used there, and whether the pixel
    /// is mixed besides. Empty until needed.
    private var states: [UInt8] = []
    private let statesMax: Int

    private static let untidy: UInt8 = 1
    private static let untidyMixed: UInt8 = 2
    private static let groupSize = Int(INK_GROUP_SIZE)
    private static let groupStride = Int(INK_MARKS_STRIDE)
    private static let patternBytesMax = 4 << 20
    /// Scratch memory for more edges is not kept.
    private static let keptEdgesMax = 16_384

    private struct PatternKey: Hashable {
        var brush: Brush
        var scale: OutputScale
    }

    /// - Parameters:
    ///   - accumulator: clean before and after each call; may be shared, as may `covered`, which is 0, and `parts`.
    init(
        maxWidth: Int, maxHeight: Int, accumulator: CoverageAccumulator, covered: KernelPlane<Float>,
        parts: PartRasterizer, level: KernelLevel
    ) {
        self.accumulator = accumulator
        self.covered = covered
        self.parts = parts
        self.level = level
        kernels = ink_raster_kernels(level.c)
        unions = UnionTile(level: level)
        let size = CanvasPatternPainter.groupSize
        let rows = (maxHeight + size - 1) / size
        statesMax = maxWidth * maxHeight
        groups = [UInt8](repeating: 0, count: CanvasPatternPainter.groupStride * rows)
        bands = [Int32](repeating: 0, count: 2 * rows)
        mixed = [ink_pixel](repeating: ink_pixel(), count: size * (maxWidth + size))
    }

    /// The pattern of a brush at one size of the export.
    func pattern(for brush: Brush, scale: OutputScale) -> CanvasPattern {
        // What does not change the pattern.
        var brush = brush
        brush.opacity = 1
        brush.size = 1
        brush.color = .black
        brush.dynamics = BrushDynamics()
        let key = PatternKey(brush: brush, scale: scale)
        if let pattern = patterns[key] { return pattern }
        let pattern = CanvasPattern(brush, scale: scale, level: level)
        if patternBytes + pattern.byteCount > CanvasPatternPainter.patternBytesMax {
            patterns.removeAll()
            patternBytes = 0
        }
        patterns[key] = pattern
        patternBytes += pattern.byteCount
        return pattern
    }

    /// Multiplies `plane` by the transmittance of a stroke.
    ///
    /// - Parameters:
    ///   - path: the footprint.
    ///   - pattern: not an even one, which is drawn as a solid stroke.
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    func paint(
        _ path: SolidPath, alpha: Float, _ pattern: CanvasPattern, scale: OutputScale, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool
    ) {
        let cell = accumulator.cell
        let box = scale.pixels(of: path.bounds)
        guard alpha > 0, !path.discs.isEmpty, box.intersects(cell) else { return }
        clearGroups()
        if path.holds(cell, scale: scale) {
            markGroups(of: cell)
            if case .table = pattern.way {
                for row in 0..<cell.height { covered.row(cell, row).update(repeating: 1, count: cell.width) }
                mix(pattern, edges: nil)
                multiply(plane, alpha: alpha)
            } else {
                addPattern(pattern, scale: scale, isCancelled: isCancelled)
                accumulator.multiply(plane, box: cell, alpha: alpha)
            }
            return
        }
        guard let outline = path.outline(scale, isCancelled: isCancelled) else { return }
        var tiles = addFootprint(outline, box, scale: scale, isCancelled: isCancelled)
        if case .parts = pattern.way { tiles = allTiles(outline, box) }
        setBands()
        addPattern(pattern, scale: scale, isCancelled: isCancelled)
        mix(pattern, edges: pattern.isMixed ? outline.polygons : nil)
        if pattern.isMixed {
            for tile in tiles where !isCancelled() { intersect(tile, pattern, scale: scale, isCancelled: isCancelled) }
        }
        if !tiles.isEmpty { states.withUnsafeMutableBufferPointer { $0.update(repeating: 0) } }
        multiply(plane, alpha: alpha)
    }

    // MARK: Groups of pixels

    private var bandCount: Int {
        (accumulator.cell.height + CanvasPatternPainter.groupSize - 1) / CanvasPatternPainter.groupSize
    }

    private func clearGroups() {
        groups.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        for band in bands.indices { bands[band] = band % 2 == 0 ? .max : 0 }
    }

    /// Marks the groups that meet a part of the cell, and widens their bands.
    private func markGroups(of rect: PixelRect) {
        let cell = accumulator.cell
        let size = CanvasPatternPainter.groupSize
        let (left, right) = (rect.x - cell.x, rect.x + rect.width - cell.x)
        for band in (rect.y - cell.y) / size...(rect.y + rect.height - 1 - cell.y) / size {
            for column in left / size...(right - 1) / size {
                groups[band * CanvasPatternPainter.groupStride + column] = 1
            }
            bands[2 * band] = min(bands[2 * band], Int32(left))
            bands[2 * band + 1] = max(bands[2 * band + 1], Int32(right))
        }
    }

    /// Widens each band to the groups that are marked in it.
    private func setBands() {
        let size = CanvasPatternPainter.groupSize
        let columns = (accumulator.cell.width + size - 1) / size
        for band in 0..<bandCount {
            let row = band * CanvasPatternPainter.groupStride
            guard let first = (0..<columns).first(where: { groups[row + $0] != 0 }),
                let last = (0..<columns).last(where: { groups[row + $0] != 0 })
            else { continue }
            bands[2 * band] = min(bands[2 * band], Int32(first * size))
            bands[2 * band + 1] = max(bands[2 * band + 1], Int32(min((last + 1) * size, accumulator.cell.width)))
        }
    }

    /// The pixels of a band, counted from the cell's first; nil if there are none.
    private func box(ofBand band: Int) -> ink_box? {
        let size = CanvasPatternPainter.groupSize
        guard bands[2 * band] < bands[2 * band + 1] else { return nil }
        return ink_box(
            left: bands[2 * band], top: Int32(band * size), right: bands[2 * band + 1],
            bottom: Int32(min((band + 1) * size, accumulator.cell.height)))
    }

    // MARK: Footprint and pattern

    /// A part of the cell in which the footprint is the union of hulls.
    private struct Tile {
        var rect: PixelRect
        var outline: SolidOutline
        /// Nil: all hulls.
        var crossing: SolidOutline.Crossing?

        /// Whether a disc of the crossing contains all of it.
        func isHeld(_ scale: OutputScale) -> Bool {
            let near = NearCell(rect, scale: scale)
            return crossing?.hulls.contains { near.isHeld(by: outline.discs[Int($0)]) } ?? false
        }

        func hulls(_ scale: OutputScale) -> [ConvexPart] {
            let near = NearCell(rect, scale: scale)
            let indices = crossing.map { outline.hulls(of: $0, near: near) } ?? outline.hulls(near: near)
            return indices.map { outline.hull(Int($0)) }
        }
    }

    /// Adds the footprint's coverage to `covered`, and marks its groups. Returns the tiles in which its outline cannot be
    /// used.
    private func addFootprint(
        _ outline: SolidOutline, _ box: PixelRect, scale: OutputScale, isCancelled: @escaping () -> Bool
    ) -> [Tile] {
        guard outline.isOfUse else {
            parts.add(outline.hulls, scale: scale, isCancelled: isCancelled)
            accumulator.add(to: covered, box: box, weight: 1)
            let tiles = allTiles(outline, box)
            for tile in tiles { markGroups(of: tile.rect) }
            return tiles
        }
        accumulator.add(outline.polygons)
        groups.withUnsafeMutableBufferPointer { groups in
            guard let first = groups.baseAddress else { return }
            accumulator.addFootprint(to: covered, rows: box.rows, groups: first)
        }
        let tiles = outline.crossings.flatMap { self.tiles($0.block, outline, $0) }
        for tile in tiles {
            if isCancelled() { break }
            markGroups(of: tile.rect)
            if tile.isHeld(scale) {
                for row in 0..<tile.rect.height {
                    covered.row(tile.rect, row).update(repeating: 1, count: tile.rect.width)
                }
                continue
            }
            unions.cover(tile.rect, tile.hulls(scale), scale: scale, isCancelled: isCancelled) { rows in
                for row in 0..<tile.rect.height {
                    covered.row(tile.rect, row).update(from: rows.row(tile.rect, row), count: tile.rect.width)
                }
            }
        }
        return tiles
    }

    private func allTiles(_ outline: SolidOutline, _ box: PixelRect) -> [Tile] {
        tiles(box.withBorder, outline, nil)
    }

    /// The part of a block within the cell, cut into tiles.
    private func tiles(_ block: PixelRect, _ outline: SolidOutline, _ crossing: SolidOutline.Crossing?) -> [Tile] {
        let cell = accumulator.cell
        let rows = block.rows.clamped(to: cell.rows)
        let columns = block.columns.clamped(to: cell.columns)
        if states.isEmpty, !rows.isEmpty, !columns.isEmpty {
            states = [UInt8](repeating: 0, count: statesMax)
        }
        var tiles: [Tile] = []
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: UnionTile.size) {
            for x in stride(from: columns.lowerBound, to: columns.upperBound, by: UnionTile.size) {
                let rect = PixelRect(
                    x: x, y: y, width: min(UnionTile.size, columns.upperBound - x),
                    height: min(UnionTile.size, rows.upperBound - y))
                tiles.append(Tile(rect: rect, outline: outline, crossing: crossing))
                for row in 0..<rect.height {
                    for column in 0..<rect.width {
                        states[state(rect.x + column - cell.x, rect.y + row - cell.y)] = CanvasPatternPainter.untidy
                    }
                }
            }
        }
        return tiles
    }

    private func state(_ column: Int, _ row: Int) -> Int { row * accumulator.cell.width + column }

    /// Adds the pattern where it may be uncovered to the accumulator.
    private func addPattern(_ pattern: CanvasPattern, scale: OutputScale, isCancelled: @escaping () -> Bool) {
        switch pattern.way {
        case .even, .table: break
        case .parts:
            parts.add(pattern.parts(near: accumulator.cell), scale: scale, isCancelled: isCancelled)
            for band in 0..<bandCount {
                bands[2 * band] = 0
                bands[2 * band + 1] = Int32(accumulator.cell.width)
            }
        case .chain(let chain):
            let deltas = accumulator.kernelDeltas
            chain.withKernelChain { chain in
                pattern.withKernelMotif { motif in
                    kernels.pointee.add_motif(deltas, chain, motif, groups, &bands)
                }
            }
        }
    }

    // MARK: Intersection

    /// Multiplies the footprint's coverage by that of the pattern.
    ///
    /// - Parameter polygons: those of the footprint; nil if intersections are not needed.
    private func mix(_ pattern: CanvasPattern, edges polygons: Polygons?) {
        let (plane, deltas) = (covered.kernelPlane, accumulator.kernelDeltas)
        var edgeCount: Int?
        for band in 0..<bandCount {
            guard var box = box(ofBand: band) else { continue }
            var count = 0
            if case .table = pattern.way {
                pattern.withKernelMotif { motif in
                    pattern.withKernelTable { table in
                        count = kernels.pointee.mix_table(plane, motif, table, &box, &mixed)
                    }
                }
            } else {
                count = kernels.pointee.mix_deltas(plane, deltas, &box, &mixed)
            }
            guard let polygons, count > 0 else { continue }
            count = takeUntidy(count)
            guard count > 0 else { continue }
            let found = edgeCount ?? takeEdges(of: polygons)
            edgeCount = found
            pattern.withKernelMotif { motif in
                kernels.pointee.mixed_areas(plane, motif, edges, found, mixed, count, &edgeScratch)
            }
        }
        if edges.count > 4 * CanvasPatternPainter.keptEdgesMax { (edges, edgeScratch) = ([], []) }
    }

    /// Takes those of `count` mixed pixels out of the list that lie in tiles. Returns how many are left.
    private func takeUntidy(_ count: Int) -> Int {
        guard !states.isEmpty else { return count }
        var left = 0
        for index in 0..<count {
            let pixel = mixed[index]
            let state = state(Int(pixel.column), Int(pixel.row))
            if states[state] == 0 {
                mixed[left] = pixel
                left += 1
            } else {
                states[state] = CanvasPatternPainter.untidyMixed
            }
        }
        return left
    }

    private func takeEdges(of polygons: Polygons) -> Int {
        var found = 0
        if edges.count < 4 * polygons.corners.count {
            edges = [Double](repeating: 0, count: 4 * polygons.corners.count)
        }
        polygons.withKernelPolygons { corners, counts in
            found = kernels.pointee.footprint_edges(
                covered.kernelPlane, corners, counts, polygons.counts.count, &edges)
        }
        if edgeScratch.count < 10 * found { edgeScratch = [Double](repeating: 0, count: 10 * found) }
        return found
    }

    /// Computes the mixed pixels of a tile.
    private func intersect(
        _ tile: Tile, _ pattern: CanvasPattern, scale: OutputScale, isCancelled: @escaping () -> Bool
    ) {
        let cell = accumulator.cell
        let rect = tile.rect
        func index(_ row: Int, _ column: Int) -> Int { state(rect.x + column - cell.x, rect.y + row - cell.y) }
        func isMixed(_ row: Int, _ column: Int) -> Bool {
            states[index(row, column)] == CanvasPatternPainter.untidyMixed
        }
        guard (0..<rect.height).contains(where: { row in (0..<rect.width).contains { isMixed(row, $0) } }) else {
            return
        }
        unions.intersect(
            rect, tile.hulls(scale), pattern.parts(near: rect), scale: scale, isCancelled: isCancelled
        ) { rows in
            for row in 0..<rect.height {
                let (from, to) = (rows.row(rect, row), covered.row(rect, row))
                for column in 0..<rect.width where isMixed(row, column) { to[column] = from[column] }
            }
        }
    }

    /// Multiplies `plane` by the transmittance, and sets `covered` to 0.
    private func multiply(_ plane: RemainingPlane, alpha: Float) {
        for band in 0..<bandCount {
            guard var box = box(ofBand: band) else { continue }
            kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, &box, alpha)
            plane.markDrawn(box)
        }
    }
}

/// Coverages by unions of parts in a small part of a cell.
///
/// Owns its scratch memory; not shared between threads.
private final class UnionTile {
    /// In pixels.
    static let size = 64

    private let accumulator: CoverageAccumulator
    private let parts: PartRasterizer
    private let plane: KernelPlane<Float>

    init(level: KernelLevel) {
        accumulator = CoverageAccumulator(maxWidth: UnionTile.size, maxHeight: UnionTile.size, level: level)
        parts = PartRasterizer(accumulator: accumulator, level: level)
        plane = KernelPlane(maxWidth: UnionTile.size, maxHeight: UnionTile.size, value: 0)
    }

    /// Calls `body` with the coverage by some parts.
    func cover(
        _ rect: PixelRect, _ all: [ConvexPart], scale: OutputScale, isCancelled: @escaping () -> Bool,
        _ body: (KernelPlane<Float>) -> Void
    ) {
        begin(rect)
        add(all, weight: 1, rect, scale, isCancelled)
        body(plane)
        end(rect)
    }

    /// Calls `body` with the coverage by both the first and the second parts.
    func intersect(
        _ rect: PixelRect, _ first: [ConvexPart], _ second: [ConvexPart], scale: OutputScale,
        isCancelled: @escaping () -> Bool, _ body: (KernelPlane<Float>) -> Void
    ) {
        begin(rect)
        // All three with the same lines.
        add(first, weight: 1, rect, scale, isCancelled)
        add(second, weight: 1, rect, scale, isCancelled)
        add(first + second, weight: -1, rect, scale, isCancelled)
        body(plane)
        end(rect)
    }

    private func begin(_ rect: PixelRect) {
        accumulator.move(to: rect)
        plane.move(to: rect)
    }

    private func add(
        _ all: [ConvexPart], weight: Float, _ rect: PixelRect, _ scale: OutputScale, _ isCancelled: @escaping () -> Bool
    ) {
        parts.add(all, scale: scale, isCancelled: isCancelled)
        accumulator.add(to: plane, box: rect, weight: weight)
    }

    private func end(_ rect: PixelRect) {
        // Kernels write whole vectors.
        for row in 0..<rect.height { plane.row(rect, row).update(repeating: 0, count: (rect.width + 15) / 16 * 16) }
    }
}
