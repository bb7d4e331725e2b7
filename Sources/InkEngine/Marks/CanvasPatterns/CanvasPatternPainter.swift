import CKernels

/// Draws strokes that uncover a pattern that lies still on the canvas: the intersection of the pattern with the stroke's
/// footprint, which is a solid stroke.
///
/// Footprint and pattern are drawn one after the other, each exactly, and multiplied. That is exact except for pixels
/// that both cover in part. There the polygons are intersected, or where the footprint's outline meets itself, the
/// pattern and the union of the footprint's hulls, line by line.
///
/// Owns its scratch memory; not shared between threads.
final class CanvasPatternPainter: MarkPainter {
    let kernels: UnsafePointer<ink_raster>
    private let level: KernelLevel
    let accumulator: CoverageAccumulator
    /// 0 everywhere between strokes.
    let covered: KernelPlane<Float>
    private let parts: PartRasterizer
    let unions: UnionTile
    private let solids: SolidPainter
    private let wholeDots: WholeDotPainter
    private var patterns: [PatternKey: CanvasPattern] = [:]
    private var patternBytes = 0
    // Scratch memory.
    private var groups: [UInt8]
    private var bands: [Int32]
    var mixed: [ink_pixel]
    private var edges: [Double] = []
    private var edgeScratch: [Double] = []
    private var columns: [Int32] = []
    private var areas = [Float](repeating: 0, count: UnionTile.size)

    private static let groupSize = Int(INK_GROUP_SIZE)
    private static let groupStride = Int(INK_MARKS_STRIDE)
    private static let patternBytesMax = 4 << 20
    /// Scratch memory for more edges is not kept.
    private static let keptEdgesMax = 16_384

    private struct PatternKey: Hashable {
        var brush: Brush
        var scale: OutputScale
    }

    init(_ tools: PainterTools) {
        accumulator = tools.accumulator
        covered = tools.covered
        parts = tools.parts
        level = tools.level
        kernels = tools.kernels
        unions = UnionTile(level: level)
        solids = SolidPainter(tools)
        wholeDots = WholeDotPainter(tools)
        let size = CanvasPatternPainter.groupSize
        let rows = (tools.maxHeight + size - 1) / size
        groups = [UInt8](repeating: 0, count: CanvasPatternPainter.groupStride * rows)
        bands = [Int32](repeating: 0, count: 2 * rows)
        mixed = [ink_pixel](repeating: ink_pixel(), count: size * (tools.maxWidth + size))
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

    func paint(
        _ stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane, isCancelled: @escaping () -> Bool
    ) {
        guard case .canvas(let footprint, let alpha) = stroke.marks else { return }
        if let dots = DotLattice(stroke.brush, scale: scale) {
            wholeDots.paint(
                dots, under: footprint, alpha: alpha, scale: scale, into: plane, isCancelled: isCancelled)
            return
        }
        let pattern = pattern(for: stroke.brush, scale: scale)
        if case .even(let share) = pattern.way {
            solids.paint(footprint, alpha: alpha * Float(share), scale: scale, into: plane, isCancelled)
        } else {
            paint(footprint, alpha: alpha, pattern, scale: scale, into: plane, isCancelled: isCancelled)
        }
    }

    /// - Parameters:
    ///   - path: the footprint.
    ///   - pattern: not an even one.
    private func paint(
        _ path: SolidPath, alpha: Float, _ pattern: CanvasPattern, scale: OutputScale, into plane: RemainingPlane,
        isCancelled: @escaping () -> Bool
    ) {
        let cell = accumulator.cell
        let box = scale.pixels(of: path.bounds)
        guard alpha > 0, !path.discs.isEmpty, box.intersects(cell) else { return }
        clearGroups()
        let isOfParts = if case .parts = pattern.way { true } else { false }
        if !isOfParts, path.holds(cell, scale: scale) {
            markGroups(of: cell)
            if case .table = pattern.way {
                for row in 0..<cell.height { covered.row(cell, row).update(repeating: 1, count: cell.width) }
                mix(pattern, edges: nil)
                multiply(plane, alpha: alpha)
            } else {
                addPattern(pattern)
                accumulator.multiply(plane, box: cell, alpha: alpha)
            }
            return
        }
        guard let outline = path.outline(scale, isCancelled: isCancelled) else { return }
        if isOfParts {
            for rect in tiles(of: box.withBorder) where !isCancelled() {
                unions.intersect(
                    rect, Array(Tile(rect: rect, outline: outline).hulls(scale)), pattern.parts(near: rect),
                    scale: scale,
                    isCancelled: isCancelled
                ) { rows in
                    for row in 0..<rect.height {
                        covered.row(rect, row).update(from: rows.row(rect, row), count: rect.width)
                    }
                }
                markGroups(of: rect)
            }
        } else {
            let tiles = addFootprint(outline, box, scale: scale)
            setBands()
            addPattern(pattern)
            mix(pattern, edges: pattern.isMixed ? outline.polygons : nil)
            for tile in tiles where !isCancelled() { cover(tile, pattern, scale: scale, isCancelled: isCancelled) }
        }
        multiply(plane, alpha: alpha)
    }

    // MARK: Groups of pixels

    var bandCount: Int {
        (accumulator.cell.height + CanvasPatternPainter.groupSize - 1) / CanvasPatternPainter.groupSize
    }

    func clearGroups() {
        groups.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        for band in bands.indices { bands[band] = band % 2 == 0 ? .max : 0 }
    }

    /// Marks the groups that meet a part of the cell, and widens their bands.
    func markGroups(of rect: PixelRect) {
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
    func setBands() {
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
    func box(ofBand band: Int) -> ink_box? {
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

        func hulls(_ scale: OutputScale) -> some Sequence<ConvexPart> {
            let near = NearCell(rect, scale: scale)
            let indices = crossing.map { outline.hulls(of: $0, near: near) } ?? outline.hulls(near: near)
            return indices.lazy.map { [outline] in outline.hull(Int($0)) }
        }
    }

    /// Adds the footprint's coverage to `covered`, and marks its groups. Returns the tiles in which its outline cannot be
    /// used; there `covered` is 1.
    private func addFootprint(_ outline: SolidOutline, _ box: PixelRect, scale: OutputScale) -> [Tile] {
        var tiles: [Tile] = []
        if outline.isOfUse {
            accumulator.add(outline.polygons)
            groups.withUnsafeMutableBufferPointer { groups in
                guard let first = groups.baseAddress else { return }
                accumulator.addFootprint(to: covered, rows: box.rows, groups: first)
            }
            for crossing in outline.crossings {
                tiles += self.tiles(of: crossing.block).map { Tile(rect: $0, outline: outline, crossing: crossing) }
            }
        } else {
            tiles = self.tiles(of: box.withBorder).map { Tile(rect: $0, outline: outline) }
        }
        for tile in tiles {
            markGroups(of: tile.rect)
            for row in 0..<tile.rect.height {
                covered.row(tile.rect, row).update(repeating: 1, count: tile.rect.width)
            }
        }
        return tiles
    }

    /// Multiplies the pattern's coverage, which `covered` is in a tile, by that of the footprint.
    private func cover(_ tile: Tile, _ pattern: CanvasPattern, scale: OutputScale, isCancelled: @escaping () -> Bool) {
        guard !tile.isHeld(scale) else { return }
        let rect = tile.rect
        unions.cover(rect, tile.hulls(scale), scale: scale, isCancelled: isCancelled) { rows, list in
            for row in 0..<rect.height where !isCancelled() {
                let (footprint, pixels) = (rows.row(rect, row), covered.row(rect, row))
                columns.removeAll(keepingCapacity: true)
                for column in 0..<rect.width {
                    if CanvasPatternPainter.some.contains(footprint[column]),
                        CanvasPatternPainter.some.contains(pixels[column])
                    {
                        columns.append(Int32(rect.x + column))
                    }
                    pixels[column] *= footprint[column]
                }
                guard let list, pattern.isMixed, !columns.isEmpty else { continue }
                pattern.withKernelMotif { motif in
                    kernels.pointee.shared_areas(motif, list, Int32(rect.y + row), columns, columns.count, &areas)
                }
                for (column, area) in zip(columns, areas) { pixels[Int(column) - rect.x] = area }
            }
        }
    }

    /// Coverage for which the product with another is not exact enough.
    private static let some: ClosedRange<Float> = 1.0 / 512...511.0 / 512

    /// The part of a block within the cell, cut into tiles.
    func tiles(of block: PixelRect) -> [PixelRect] {
        let rows = block.rows.clamped(to: accumulator.cell.rows)
        let columns = block.columns.clamped(to: accumulator.cell.columns)
        let size = UnionTile.size
        return stride(from: rows.lowerBound, to: rows.upperBound, by: size).flatMap { y in
            stride(from: columns.lowerBound, to: columns.upperBound, by: size).map { x in
                PixelRect(
                    x: x, y: y, width: min(size, columns.upperBound - x), height: min(size, rows.upperBound - y))
            }
        }
    }

    /// Adds the pattern where it may be uncovered to the accumulator.
    func addPattern(_ pattern: CanvasPattern) {
        guard case .chain(let chain) = pattern.way else { return }
        let deltas = accumulator.kernelDeltas
        chain.withKernelChain { chain in
            pattern.withKernelMotif { motif in
                kernels.pointee.add_motif(deltas, chain, motif, groups, &bands)
            }
        }
    }

    // MARK: Intersection

    /// Multiplies the footprint's coverage by that of the pattern.
    ///
    /// - Parameter polygons: those of the footprint; nil if intersections are not needed.
    private func mix(_ pattern: CanvasPattern, edges polygons: Polygons?) {
        var edgeCount: Int?
        mix(pattern) { count in
            guard let polygons else { return }
            let found = edgeCount ?? takeEdges(of: polygons)
            edgeCount = found
            pattern.withKernelMotif { motif in
                kernels.pointee.mixed_areas(covered.kernelPlane, motif, edges, found, mixed, count, &edgeScratch)
            }
        }
        if edges.count > 4 * CanvasPatternPainter.keptEdgesMax { (edges, edgeScratch) = ([], []) }
    }

    /// Multiplies coverage by that of the pattern, and calls `body` with the number of pixels of `mixed` for which this is not
    /// exact, if there are any, band by band.
    func mix(_ pattern: CanvasPattern, _ body: (Int) -> Void) {
        for band in 0..<bandCount {
            guard var box = box(ofBand: band) else { continue }
            var count = 0
            if case .table = pattern.way {
                pattern.withKernelMotif { motif in
                    pattern.withKernelTable { table in
                        count = kernels.pointee.mix_table(covered.kernelPlane, motif, table, &box, &mixed)
                    }
                }
            } else {
                count = kernels.pointee.mix_deltas(covered.kernelPlane, accumulator.kernelDeltas, &box, &mixed)
            }
            if count > 0 { body(count) }
        }
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
        let room = Int(INK_MIXED_SCRATCH) * found
        if edgeScratch.count < room { edgeScratch = [Double](repeating: 0, count: room) }
        return found
    }

    /// Multiplies `plane` by the transmittance, and sets `covered` to 0.
    func multiply(_ plane: RemainingPlane, alpha: Float) {
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
final class UnionTile {
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

    /// Calls `body` with the coverage by some parts, and with the parts as kernels take them, nil if none is near.
    func cover(
        _ rect: PixelRect, _ all: some Sequence<ConvexPart>, scale: OutputScale, isCancelled: @escaping () -> Bool,
        _ body: (KernelPlane<Float>, ink_part_list?) -> Void
    ) {
        begin(rect)
        var isDone = false
        parts.add(all, scale: scale, isCancelled: isCancelled) { list in
            accumulator.add(to: plane, box: rect, weight: 1)
            body(plane, list)
            isDone = true
        }
        if !isDone { body(plane, nil) }
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
