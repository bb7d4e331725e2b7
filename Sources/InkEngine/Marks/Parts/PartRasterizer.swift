package import CKernels

/// Coverage of a union of convex parts that may overlap. It is exact along a row, and sampled at the middles of
/// `INK_PART_LINES` lines per row of pixels.
///
/// A line's error is at most half its height. A horizontal edge is therefore off by at most 1/128 of the shape's alpha;
/// for sloped edges the errors average out. Owns scratch memory; not shared between threads.
package final class PartRasterizer {
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    private var parts = PartList()
    private var strips = StripTable()
    private var intervals = [ink_interval](
        repeating: ink_interval(), count: PartRasterizer.intervalCount * PartRasterizer.stripHeight)
    private var indices: [Int32] = []

    /// Rows that are drawn together.
    fileprivate static let stripHeight = Int(INK_PART_LANES)

    package init(accumulator: CoverageAccumulator, level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
    }

    /// Adds the coverage of the union of `all`, in canvas space, to the accumulator's cell.
    ///
    /// - Parameters:
    ///   - isCancelled: called now and then. If it returns true, the result must not be used.
    ///   - use: called afterwards with those parts that meet the cell, unless there are none.
    package func add(
        _ all: some Sequence<ConvexPart>, scale: OutputScale, isCancelled: @escaping () -> Bool = { false },
        then use: (ink_part_list) -> Void = { _ in }
    ) {
        defer { if parts.parts.count > PartRasterizer.keptPartsMax { forgetScratch() } }
        parts.fill(with: all, near: accumulator.cell, scale: scale)
        guard !parts.strips.isEmpty else { return }
        let height = accumulator.cell.height
        let lanes = PartRasterizer.stripHeight
        strips.fill(with: parts.strips, count: (height + lanes - 1) / lanes)
        if indices.count < 2 * strips.mostInStrip {
            indices = [Int32](repeating: 0, count: 2 * strips.mostInStrip)
        }
        let deltas = accumulator.kernelDeltas
        withScratch(isCancelled) { scratch in
            for top in stride(from: 0, to: height, by: lanes) {
                if isCancelled() { break }
                strips.withParts(ofStrip: top / lanes) { first, count in
                    kernels.pointee.add_parts(
                        deltas, Int32(top), Int32(min(lanes, height - top)), parts.parts, parts.discs, parts.edges,
                        first, count, scratch)
                }
            }
        }
        parts.withKernelList(use)
    }

    /// Scratch memory for more parts is not kept; 3 MB.
    private static let keptPartsMax = 16_384
    /// Number of intervals per line for which memory is always reserved.
    private static let intervalCount = 512

    private func forgetScratch() {
        parts = PartList()
        strips = StripTable()
        indices = []
    }

    private func withScratch(_ isCancelled: @escaping () -> Bool, _ body: (ink_part_scratch) -> Void) {
        intervals.withUnsafeMutableBufferPointer { intervals in
            indices.withUnsafeMutableBufferPointer { indices in
                guard let intervals = intervals.baseAddress, let indices = indices.baseAddress else { return }
                withUnsafePointer(to: isCancelled) { isCancelled in
                    body(
                        ink_part_scratch(
                            intervals: intervals, interval_count: PartRasterizer.intervalCount, indices: indices,
                            is_cancelled: { $0?.assumingMemoryBound(to: (() -> Bool).self).pointee() ?? false },
                            context: isCancelled))
                }
            }
        }
    }
}

/// The parts that meet a cell, in the form that kernels take.
private struct PartList {
    private(set) var parts: [ink_part] = []
    private(set) var discs: [ink_part_disc] = []
    private(set) var edges: [ink_part_edge] = []
    /// The strips of rows of the cell that each part meets.
    private(set) var strips: [ClosedRange<Int>] = []

    mutating func fill(with all: some Sequence<ConvexPart>, near cell: PixelRect, scale: OutputScale) {
        parts.removeAll(keepingCapacity: true)
        discs.removeAll(keepingCapacity: true)
        edges.removeAll(keepingCapacity: true)
        strips.removeAll(keepingCapacity: true)
        for part in all { take(part, near: cell, scale: scale) }
    }

    /// Calls `body` with the parts in the form that kernels take.
    func withKernelList(_ body: (ink_part_list) -> Void) {
        parts.withUnsafeBufferPointer { parts in
            discs.withUnsafeBufferPointer { discs in
                edges.withUnsafeBufferPointer { edges in
                    guard let first = parts.baseAddress, let discs = discs.baseAddress, let edges = edges.baseAddress
                    else { return }
                    body(ink_part_list(parts: first, discs: discs, edges: edges, count: parts.count))
                }
            }
        }
    }

    /// Adds a part unless it lies outside the cell.
    private mutating func take(_ part: ConvexPart, near cell: PixelRect, scale: OutputScale) {
        let bounds = part.bounds
        let top = bounds.minY * scale.y
        let bottom = bounds.maxY * scale.y
        // One pixel more, because of rounding.
        guard bounds.minX * scale.x < Double(cell.x + cell.width + 1), bounds.maxX * scale.x > Double(cell.x - 1) else {
            return
        }
        guard top < Double(cell.y + cell.height), bottom > Double(cell.y) else { return }
        let first = Int(max(top.rounded(.down), Double(cell.y))) - cell.y
        let last = Int(min(bottom, Double(cell.y + cell.height - 1))) - cell.y
        guard first <= last else { return }
        // Coordinates are kept small, so that Float holds them to a thousandth of a pixel. For a part that begins far
        // outside the picture, Float needs to hold only what is near the picture. Large discs become polygons for that
        // reason.
        let middle = scale.output(part.place)
        guard middle.x.isFinite, middle.y.isFinite else { return }
        let origin = Point(
            x: PartList.whole(middle.x, near: cell.x), y: PartList.whole(middle.y, near: cell.y))
        let (firstDisc, firstEdge) = (discs.count, edges.count)
        switch part {
        case .disc(let center, let radius):
            add(PreparedStroke.Disc(center: center, radius: radius), from: origin, near: cell, scale)
        case .quad(let a, let b, let c, let d):
            add(a, b, from: origin, scale)
            add(b, c, from: origin, scale)
            add(c, d, from: origin, scale)
            add(d, a, from: origin, scale)
        case .polygon(let corners): add(corners, from: origin, scale)
        case .capsule(let a, let b, let quad):
            add(a, from: origin, near: cell, scale)
            add(b, from: origin, near: cell, scale)
            // The other two sides of the quad lie within the discs.
            add(quad.a, quad.b, from: origin, scale)
            add(quad.c, quad.d, from: origin, scale)
        }
        strips.append(first / PartRasterizer.stripHeight...last / PartRasterizer.stripHeight)
        parts.append(
            ink_part(
                origin_x: Int32(origin.x), origin_y: Int32(origin.y), top: Float(top - origin.y) - 1e-3,
                bottom: Float(bottom - origin.y) + 1e-3, first_disc: Int32(firstDisc),
                disc_count: Int32(discs.count - firstDisc), first_edge: Int32(firstEdge),
                edge_count: Int32(edges.count - firstEdge)))
    }

    private mutating func add(
        _ disc: PreparedStroke.Disc, from origin: Point, near cell: PixelRect, _ scale: OutputScale
    ) {
        guard disc.radius > 0 else { return }
        guard disc.radius * scale.largest <= LargeDisc.radiusMin else {
            add(LargeDisc.polygon(of: disc, near: cell, scale: scale), from: origin, scale)
            return
        }
        let center = scale.output(disc.center) - origin
        discs.append(
            ink_part_disc(
                x: Float(center.x), y: Float(center.y), radius_x: Float(disc.radius * scale.x),
                per_radius_y: Float(1 / (disc.radius * scale.y))))
    }

    private mutating func add(_ corners: [Point], from origin: Point, _ scale: OutputScale) {
        for (index, corner) in corners.enumerated() {
            add(corner, corners[(index + 1) % corners.count], from: origin, scale)
        }
    }

    private mutating func add(_ start: Point, _ end: Point, from origin: Point, _ scale: OutputScale) {
        let (a, b) = (scale.output(start) - origin, scale.output(end) - origin)
        let (upper, lower) = a.y < b.y ? (a, b) : (b, a)
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        let top = max(upper.y, -PartList.edgeReach)
        let bottom = min(lower.y, PartList.edgeReach)
        guard Float(top) < Float(bottom) else { return }
        edges.append(
            ink_part_edge(
                x: Float(upper.x + (top - upper.y) * slope), top: Float(top), bottom: Float(bottom),
                slope: Float(slope)))
    }

    /// A whole pixel at a position, or near the cell's zone.
    private static func whole(_ place: Double, near cell: Int) -> Double {
        let start = Double(cell / zoneSize * zoneSize)
        return start + min(max(place.rounded(.down) - start, places.lowerBound), places.upperBound)
    }

    /// Pictures larger than this, which exceed the default limits, are divided into zones, in output pixels: all cells
    /// of a zone use the same origin.
    private static let zoneSize = Limits().edgePixels
    /// Range of a zone and its surroundings, from the zone's start, in output pixels.
    private static let places = -1024.0...66_560.0
    /// Maximum distance of a zone's points from an origin, in output pixels.
    private static let edgeReach = 70_000.0
}

/// Assigns parts to strips of rows of a cell: the parts' indices, strip after strip.
private struct StripTable {
    private(set) var mostInStrip = 0
    private var indices: [Int32] = []
    private var starts: [Int] = []
    private var next: [Int] = []

    mutating func fill(with ranges: [ClosedRange<Int>], count: Int) {
        starts.removeAll(keepingCapacity: true)
        starts.append(contentsOf: repeatElement(0, count: count + 1))
        for range in ranges { for strip in range { starts[strip + 1] += 1 } }
        mostInStrip = starts.max() ?? 0
        for strip in 0..<count { starts[strip + 1] += starts[strip] }
        indices.removeAll(keepingCapacity: true)
        indices.append(contentsOf: repeatElement(0, count: starts[count]))
        next = starts
        for (index, range) in ranges.enumerated() {
            for strip in range {
                indices[next[strip]] = Int32(index)
                next[strip] += 1
            }
        }
    }

    /// Calls `body` with the indices of a strip's parts, unless there are none.
    func withParts(ofStrip strip: Int, _ body: (UnsafePointer<Int32>, Int) -> Void) {
        let range = starts[strip]..<starts[strip + 1]
        guard !range.isEmpty else { return }
        indices.withUnsafeBufferPointer { all in
            if let first = all.baseAddress { body(first + range.lowerBound, range.count) }
        }
    }
}
