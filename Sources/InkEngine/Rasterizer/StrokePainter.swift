import CKernels

/// Draws prepared strokes into what is left of a cell's backdrop.
///
/// One painter serves one thread; it owns its scratch memory and keeps the patterns it has worked out.
final class StrokePainter {
    private let accumulator: CoverageAccumulator
    private let bars: BarPainter
    private var patterns: [PatternKey: Pattern] = [:]
    private var patternPoints = 0
    private var discTables: [DiscKey: DiscTable] = [:]
    /// The coverage of a stamp of discs over the cell; 0 between stamps.
    private let discCoverage: UnsafeMutablePointer<Float>

    private struct PatternKey: Hashable {
        var type: BrushType
        var spacing: Double
        var lineWidth: Double
        var pixelsPerUnit: Double
    }

    private struct DiscKey: Hashable {
        var radiusX: Double
        var radiusY: Double
    }

    init(maxWidth: Int, maxHeight: Int, level: KernelLevel = .selected) {
        bars = BarPainter(kernels: ink_raster_kernels(level.c), maxWidth: maxWidth, maxHeight: maxHeight)
        accumulator = CoverageAccumulator(maxWidth: maxWidth, maxHeight: maxHeight)
        discCoverage = .allocate(capacity: maxWidth * maxHeight)
        discCoverage.initialize(repeating: 0, count: maxWidth * maxHeight)
    }

    deinit { discCoverage.deallocate() }

    /// Multiplies into `plane`, which covers `cell`, what the stroke leaves of each pixel.
    func paint(_ stroke: PreparedStroke, scale: OutputScale, cell: PixelRect, into plane: RemainingPlane) {
        accumulator.move(to: cell)
        bars.move(to: cell)
        switch stroke.marks {
        case .stamps(let stamps): paint(stamps, brush: stroke.brush, scale: scale, into: plane)
        case .contour(let stamps): paintContour(stamps, brush: stroke.brush, scale: scale, into: plane)
        case .solid(let discs, let alpha): paintSolid(discs, alpha: alpha, scale: scale, into: plane)
        }
    }

    // MARK: Stamps

    private func paint(_ stamps: [Stamp], brush: Brush, scale: OutputScale, into plane: RemainingPlane) {
        if let table = discTable(for: brush, scale: scale) {
            paintDiscs(stamps, brush: brush, table: table, scale: scale, into: plane)
            return
        }
        let pattern = pattern(for: brush, scale: scale)
        let isBars = brush.type == .parallelLines || brush.type == .crossHatch
        for stamp in stamps where stamp.alpha > 0 {
            let box = scale.pixels(of: StrokePainter.bounds(of: pattern, at: stamp))
            guard box.intersects(accumulator.cell) else { continue }
            if isBars {
                bars.paint(stamp, of: brush, scale: scale, box: plane.pixels.box(of: box), into: plane)
                continue
            }
            switch pattern.shape {
            case .outline(let outline): add(outline, at: stamp, scale: scale)
            case .parts(let parts):
                var rasterizer = PartRasterizer(scale: scale)
                rasterizer.add(parts.map { $0.placed(at: stamp) }, to: accumulator)
            }
            accumulator.multiply(plane, box: box, alpha: stamp.alpha)
        }
    }

    /// The box of canvas space that holds a stamp.
    private static func bounds(of pattern: Pattern, at stamp: Stamp) -> Rect {
        let halfWidth =
            stamp.size * (abs(stamp.along.x) * pattern.halfExtent.x + abs(stamp.along.y) * pattern.halfExtent.y)
        let halfHeight =
            stamp.size * (abs(stamp.along.y) * pattern.halfExtent.x + abs(stamp.along.x) * pattern.halfExtent.y)
        return Rect(
            minX: stamp.center.x - halfWidth, minY: stamp.center.y - halfHeight,
            maxX: stamp.center.x + halfWidth, maxY: stamp.center.y + halfHeight)
    }

    private func add(_ outline: Outline, at stamp: Stamp, scale: OutputScale) {
        // Pattern space to output pixels: x' = xx x + xy y + x0, and y' likewise.
        let xx = scale.x * stamp.size * stamp.along.x
        let xy = -scale.x * stamp.size * stamp.along.y
        let yx = scale.y * stamp.size * stamp.along.y
        let yy = scale.y * stamp.size * stamp.along.x
        let x0 = scale.x * stamp.center.x
        let y0 = scale.y * stamp.center.y
        let reach = scale.largest * stamp.size
        let cell = accumulator.cell
        let writer = accumulator.edgeWriter
        outline.points.withUnsafeBufferPointer { points in
            for chain in outline.chains {
                let centerX = xx * chain.center.x + xy * chain.center.y + x0
                let centerY = yx * chain.center.x + yy * chain.center.y + y0
                let radius = chain.radius * reach + 1
                guard centerY + radius > Double(cell.y), centerY - radius < Double(cell.y + cell.height),
                    centerX - radius < Double(cell.x + cell.width)
                else { continue }
                let first = points[chain.range.lowerBound]
                var fromX = xx * first.x + xy * first.y + x0
                var fromY = yx * first.x + yy * first.y + y0
                for index in chain.range.dropFirst() {
                    let point = points[index]
                    let toX = xx * point.x + xy * point.y + x0
                    let toY = yx * point.x + yy * point.y + y0
                    writer.add(fromX, fromY, toX, toY)
                    fromX = toX
                    fromY = toY
                }
            }
        }
    }

    private func pattern(for brush: Brush, scale: OutputScale) -> Pattern {
        // Whatever pressure does, a stamp's size is at most the brush's scale.
        let key = PatternKey(
            type: brush.type, spacing: brush.spacing, lineWidth: brush.lineWidth,
            pixelsPerUnit: brush.scale * scale.largest)
        if let pattern = patterns[key] { return pattern }
        let pattern = Pattern(
            type: key.type, spacing: key.spacing, lineWidth: key.lineWidth, pixelsPerUnit: key.pixelsPerUnit)
        if patternPoints > 1_000_000 {
            patterns.removeAll()
            patternPoints = 0
        }
        patterns[key] = pattern
        if case .outline(let outline) = pattern.shape { patternPoints += outline.points.count }
        return pattern
    }

    // MARK: Discs

    /// The table that serves a brush of discs that do not overlap and are all of one size; nil for other brushes.
    private func discTable(for brush: Brush, scale: OutputScale) -> DiscTable? {
        guard brush.type == .dots, brush.spacing >= 2 * Pattern.dotRadius, !brush.dynamics.pressureAffectsSize else {
            return nil
        }
        let radius = Pattern.dotRadius * brush.scale
        let key = DiscKey(radiusX: radius * scale.x, radiusY: radius * scale.y)
        if let table = discTables[key] { return table }
        guard let table = DiscTable(radiusX: key.radiusX, radiusY: key.radiusY) else { return nil }
        if discTables.count >= 16 { discTables.removeAll() }
        discTables[key] = table
        return table
    }

    private func paintDiscs(
        _ stamps: [Stamp], brush: Brush, table: DiscTable, scale: OutputScale, into plane: RemainingPlane
    ) {
        let cell = accumulator.cell
        let reach = 5 * 2.0.squareRoot() * brush.spacing * brush.scale + Pattern.dotRadius * brush.scale
        // A patch reaches a pixel further than its disc.
        let margin = 3 / min(scale.x, scale.y)
        for stamp in stamps where stamp.alpha > 0 {
            var bounds = Rect.empty
            bounds.formUnion(stamp.center)
            let box = scale.pixels(of: bounds.expanded(by: reach + margin))
            guard box.intersects(cell) else { continue }
            let step = brush.spacing * stamp.size
            for j in -5...5 {
                for i in -5...5 {
                    let center =
                        stamp.center + (Double(i) * step) * stamp.along + (Double(j) * step) * stamp.across
                    let x = center.x * scale.x
                    let y = center.y * scale.y
                    // Also keeps positions within what fits a whole number.
                    guard x > Double(cell.x) - 16, x < Double(cell.x + cell.width) + 16, y > Double(cell.y) - 16,
                        y < Double(cell.y + cell.height) + 16
                    else { continue }
                    table.add(x: x, y: y, cell: cell, to: discCoverage)
                }
            }
            multiplyDiscs(plane, box: box, alpha: stamp.alpha)
        }
    }

    /// Multiplies the stamp's coverage into the plane, and sets it to 0.
    private func multiplyDiscs(_ plane: RemainingPlane, box: PixelRect, alpha: Float) {
        let cell = accumulator.cell
        let drawn = plane.pixels.box(of: box)
        guard drawn.left < drawn.right, drawn.top < drawn.bottom else { return }
        let first = Int(drawn.left)
        let end = Int(drawn.right)
        for row in Int(drawn.top)..<Int(drawn.bottom) {
            let line = discCoverage + row * cell.width
            let target = plane.pixels.values + row * plane.pixels.stride
            // Where two discs share a pixel, rounding may bring the sum above 1.
            for column in first..<end { target[column] *= 1 - alpha * min(line[column], 1) }
            (line + first).update(repeating: 0, count: end - first)
        }
        plane.markDrawn(drawn)
    }

    // MARK: Contour lines

    /// Stamp j is seven lines from across stamp j to across stamp j + 1.
    private func paintContour(_ stamps: [Stamp], brush: Brush, scale: OutputScale, into plane: RemainingPlane) {
        for (stamp, next) in zip(stamps, stamps.dropFirst()) where stamp.alpha > 0 {
            let width = brush.lineWidth * stamp.size
            let lines = Pattern.lineIndices.map { i -> (start: Point, end: Point) in
                let offset = Double(i) * brush.spacing
                return (
                    stamp.center + (offset * stamp.size) * stamp.across,
                    next.center + (offset * next.size) * next.across
                )
            }
            var bounds = Rect.empty
            for line in lines {
                bounds.formUnion(line.start)
                bounds.formUnion(line.end)
            }
            let box = scale.pixels(of: bounds.expanded(by: width / 2))
            guard box.intersects(accumulator.cell) else { continue }
            let quads = lines.compactMap { LineQuad(from: $0.start, to: $0.end, width: width) }
            if LineQuad.areDisjoint(quads) {
                for quad in quads { add(quad, scale: scale) }
            } else {
                var rasterizer = PartRasterizer(scale: scale)
                rasterizer.add(quads.map(\.part), to: accumulator)
            }
            accumulator.multiply(plane, box: box, alpha: stamp.alpha)
        }
    }

    private func add(_ quad: LineQuad, scale: OutputScale) {
        var from = quad.corners[3]
        for index in 0..<4 {
            let to = quad.corners[index]
            accumulator.addEdge(from.x * scale.x, from.y * scale.y, to.x * scale.x, to.y * scale.y)
            from = to
        }
    }

    // MARK: Solid strokes

    private func paintSolid(
        _ discs: [PreparedStroke.Disc], alpha: Float, scale: OutputScale, into plane: RemainingPlane
    ) {
        guard alpha > 0, let first = discs.first else { return }
        var bounds = Rect.empty
        for disc in discs {
            bounds.formUnion(Point(x: disc.center.x - disc.radius, y: disc.center.y - disc.radius))
            bounds.formUnion(Point(x: disc.center.x + disc.radius, y: disc.center.y + disc.radius))
        }
        let box = scale.pixels(of: bounds)
        guard box.intersects(accumulator.cell) else { return }
        let path = DiscPath(discs, tolerance: DiscPath.tolerancePixels / scale.largest).discs
        let parts =
            path.count == 1
            ? [ConvexPart.disc(center: first.center, radius: first.radius)]
            : zip(path, path.dropFirst()).map { ConvexPart.hull($0, $1) }
        var rasterizer = PartRasterizer(scale: scale)
        rasterizer.add(parts, to: accumulator)
        accumulator.multiply(plane, box: box, alpha: alpha)
    }
}
