import CKernels

/// Coverage of a union of convex parts that may overlap: exact along a row, sampled at the middles of
/// `INK_PART_LINES` lines a row of pixels.
///
/// A line's error is at most half its height, so a level edge is off by 1/128 of the shape's alpha at most; sloped edges
/// average it out. Owns scratch memory; not shared between threads.
final class PartRasterizer {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    private var parts: [ink_part] = []
    private var discs: [ink_part_disc] = []
    private var edges: [ink_part_edge] = []
    /// The rows of the cell that each part meets.
    private var ranges: [Range<Int>] = []
    private var rows = RowTable()
    private var scratch: [ink_interval] = []

    init(accumulator: CoverageAccumulator, level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
    }

    /// Adds what the union of `all`, canvas space, covers of the accumulator's cell.
    func add(_ all: some Sequence<ConvexPart>, scale: OutputScale) {
        parts.removeAll(keepingCapacity: true)
        discs.removeAll(keepingCapacity: true)
        edges.removeAll(keepingCapacity: true)
        ranges.removeAll(keepingCapacity: true)
        for part in all { take(part, scale: scale) }
        guard !parts.isEmpty else { return }
        rows.fill(with: ranges, height: accumulator.cell.height)
        let most = rows.mostInRow * Int(INK_PART_INTERVALS)
        if scratch.count < most { scratch = [ink_interval](repeating: ink_interval(), count: most) }
        let deltas = accumulator.kernelDeltas
        for row in 0..<accumulator.cell.height {
            let range = rows.range(ofRow: row)
            guard !range.isEmpty else { continue }
            kernels.pointee.add_parts(
                deltas, Int32(row), parts, discs, edges, rows.indices, range.lowerBound, range.count, &scratch)
        }
    }

    /// Takes up a part unless it does not meet the cell.
    private func take(_ part: ConvexPart, scale: OutputScale) {
        let bounds = part.bounds
        let top = bounds.minY * scale.y
        let bottom = bounds.maxY * scale.y
        let cell = accumulator.cell
        // A pixel more, for what is rounded.
        guard bounds.minX * scale.x < Double(cell.x + cell.width + 1), bounds.maxX * scale.x > Double(cell.x - 1) else {
            return
        }
        guard top < Double(cell.y + cell.height), bottom > Double(cell.y) else { return }
        let first = Int(max(top.rounded(.down), Double(cell.y))) - cell.y
        let last = Int(min(bottom, Double(cell.y + cell.height - 1))) - cell.y
        guard first <= last else { return }
        // Places are kept small, so that Float holds them to the thousandth of a pixel; of what begins far outside the
        // picture it holds what is near the picture. Large discs become polygons for it.
        let middle = scale.output(part.place)
        guard middle.x.isFinite, middle.y.isFinite else { return }
        func whole(_ place: Double, near cell: Int) -> Double {
            let start = Double(cell / PartRasterizer.zoneSize * PartRasterizer.zoneSize)
            let places = PartRasterizer.places
            return start + min(max(place.rounded(.down) - start, places.lowerBound), places.upperBound)
        }
        let origin = Point(x: whole(middle.x, near: cell.x), y: whole(middle.y, near: cell.y))
        let (firstDisc, firstEdge) = (discs.count, edges.count)
        func add(_ disc: PreparedStroke.Disc) {
            let center = scale.output(disc.center) - origin
            guard disc.radius > 0 else { return }
            guard disc.radius * scale.largest <= LargeDisc.radiusMin else {
                add(LargeDisc.polygon(of: disc, near: cell, scale: scale))
                return
            }
            discs.append(
                ink_part_disc(
                    x: Float(center.x), y: Float(center.y), radius_x: Float(disc.radius * scale.x),
                    per_radius_y: Float(1 / (disc.radius * scale.y))))
        }
        func add(_ corners: [Point]) {
            for (index, corner) in corners.enumerated() { add(from: corner, to: corners[(index + 1) % corners.count]) }
        }
        func add(from start: Point, to end: Point) {
            let (a, b) = (scale.output(start) - origin, scale.output(end) - origin)
            let (upper, lower) = a.y < b.y ? (a, b) : (b, a)
            let slope = (lower.x - upper.x) / (lower.y - upper.y)
            let top = max(upper.y, -PartRasterizer.edgeReach)
            let bottom = min(lower.y, PartRasterizer.edgeReach)
            guard Float(top) < Float(bottom) else { return }
            edges.append(
                ink_part_edge(
                    x: Float(upper.x + (top - upper.y) * slope), top: Float(top), bottom: Float(bottom),
                    slope: Float(slope)))
        }
        switch part {
        case .disc(let center, let radius): add(PreparedStroke.Disc(center: center, radius: radius))
        case .quad(let a, let b, let c, let d):
            add(from: a, to: b)
            add(from: b, to: c)
            add(from: c, to: d)
            add(from: d, to: a)
        case .polygon(let corners): add(corners)
        case .capsule(let a, let b, let quad):
            add(a)
            add(b)
            // The quad's other two sides lie within the discs.
            add(from: quad.a, to: quad.b)
            add(from: quad.c, to: quad.d)
        }
        ranges.append(first..<(last + 1))
        parts.append(
            ink_part(
                origin_x: Int32(origin.x), origin_y: Int32(origin.y), top: Float(top - origin.y) - 1e-3,
                bottom: Float(bottom - origin.y) + 1e-3, first_disc: Int32(firstDisc),
                disc_count: Int32(discs.count - firstDisc), first_edge: Int32(firstEdge),
                edge_count: Int32(edges.count - firstEdge)))
    }

    /// Larger pictures, which are beyond the limits unless these are raised, are parted for it: all cells of a zone see the
    /// same origin, output pixels.
    private static let zoneSize = Limits().edgePixels
    /// Where a zone, from its start, and what is near it may lie, output pixels.
    private static let places = -1024.0...66_560.0
    /// No zone reaches further from an origin, output pixels.
    private static let edgeReach = 70_000.0
}

/// Which parts reach into which row of a cell: the parts' indices, row after row.
private struct RowTable {
    private(set) var indices: [Int32] = []
    private(set) var mostInRow = 0
    private var starts: [Int] = []
    private var next: [Int] = []

    mutating func fill(with ranges: [Range<Int>], height: Int) {
        starts.removeAll(keepingCapacity: true)
        starts.append(contentsOf: repeatElement(0, count: height + 1))
        for range in ranges { for row in range { starts[row + 1] += 1 } }
        mostInRow = starts.max() ?? 0
        for row in 0..<height { starts[row + 1] += starts[row] }
        indices.removeAll(keepingCapacity: true)
        indices.append(contentsOf: repeatElement(0, count: starts[height]))
        next = starts
        for (index, range) in ranges.enumerated() {
            for row in range {
                indices[next[row]] = Int32(index)
                next[row] += 1
            }
        }
    }

    /// Where the indices of a row's parts are.
    func range(ofRow row: Int) -> Range<Int> { starts[row]..<starts[row + 1] }
}
