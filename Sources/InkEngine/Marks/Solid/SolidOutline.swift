/// The outline of a solid stroke at one size of the export, and the places where it meets itself and cannot be used.
///
/// The stroke is the union of the hulls of neighbouring discs. Hulls that continue smoothly share one outline. Where
/// other hulls come close to each other, areas would be counted twice. In such blocks of pixels the union of the hulls
/// is drawn instead.
package struct SolidOutline: Sendable {
    /// Blocks of pixels side by side in which the outline meets itself.
    struct Crossing: Sendable {
        var block: PixelRect
        /// The hulls that meet it, ascending.
        var hulls: [Int32] = []

        /// Adds the block on the right.
        mutating func add(_ next: Crossing) {
            block.width += next.block.width
            var own = hulls[...]
            var others = next.hulls[...]
            hulls = []
            while let a = own.first, let b = others.first {
                hulls.append(min(a, b))
                if a <= b { own.removeFirst() }
                if b <= a { others.removeFirst() }
            }
            hulls += own + others
        }
    }

    /// In canvas pixels.
    let discs: [PreparedStroke.Disc]
    /// In output pixels.
    package private(set) var polygons = Polygons()
    private(set) var crossings: [Crossing] = []
    /// Whether there is an outline. Strokes that are too far from the picture, too wide or too tangled have none.
    package private(set) var isOfUse = true

    /// Maximum number of corners of an outline, and of hulls in all crossings together; more for long strokes.
    private static let sizeMax = 1 << 18

    /// Nil if cancelled.
    ///
    /// - Parameters:
    ///   - discs: in canvas pixels; not empty.
    ///   - isCancelled: called now and then.
    init?(_ discs: [PreparedStroke.Disc], scale: OutputScale, isCancelled: () -> Bool = { false }) {
        self.discs = discs.trimmed
        let sizeMax = max(SolidOutline.sizeMax, 4 * discs.count)
        guard SolidOutline.isNear(discs, scale: scale),
            let outline = SolidOutline.outline(discs, scale: scale, cornersMax: sizeMax, isCancelled),
            let crossings = SolidOutline.crossings(discs, outline, scale: scale, hullsMax: sizeMax, isCancelled)
        else {
            if isCancelled() { return nil }
            isOfUse = false
            return
        }
        if isCancelled() { return nil }
        polygons = outline.polygons.trimmed
        self.crossings = SolidOutline.joined(crossings).trimmed
    }

    /// Size in bytes.
    var byteCount: Int {
        crossings.reduce(discs.capacity * MemoryLayout<PreparedStroke.Disc>.stride + polygons.byteCount + 256) {
            // Overhead of the array.
            $0 + MemoryLayout<Crossing>.stride + 48 + $1.hulls.capacity * MemoryLayout<Int32>.stride
        }
    }

    /// Hulls processed between two checks for cancellation.
    private static let hullsAtOnce = 256

    /// The hulls of all discs, in canvas pixels.
    var hulls: some Sequence<ConvexPart> { (0..<hullCount).lazy.map { hull($0) } }

    /// The hull of a disc and the next one, or of the only disc; in canvas pixels.
    func hull(_ index: Int) -> ConvexPart {
        let first = discs[index]
        guard index + 1 < discs.count else { return .disc(center: first.center, radius: first.radius) }
        return .hull(first, discs[index + 1])
    }

    /// The hulls of a crossing that may meet a cell. If one of them contains the whole cell, only that one.
    func hulls(of crossing: Crossing, near cell: NearCell) -> [Int32] {
        if let all = crossing.hulls.first(where: { cell.isHeld(by: discs[Int($0)]) }) { return [all] }
        return crossing.hulls.filter { isNear($0, cell) }
    }

    /// All hulls that may meet a cell, likewise.
    func hulls(near cell: NearCell) -> [Int32] {
        if let all = discs.firstIndex(where: { cell.isHeld(by: $0) }) { return [Int32(min(all, hullCount - 1))] }
        return (0..<Int32(hullCount)).filter { isNear($0, cell) }
    }

    private var hullCount: Int { max(discs.count - 1, 1) }

    private func isNear(_ hull: Int32, _ cell: NearCell) -> Bool {
        var bounds = discs[Int(hull)].bounds
        bounds.formUnion(discs[min(Int(hull) + 1, discs.count - 1)].bounds)
        return cell.meets(bounds)
    }

    /// Whether a stroke is close enough to the picture for exact outline points, and not so wide that it needs too
    /// many.
    private static func isNear(_ discs: [PreparedStroke.Disc], scale: OutputScale) -> Bool {
        discs.allSatisfy { disc in
            let center = scale.output(disc.center)
            return abs(center.x) < farthest && abs(center.y) < farthest && disc.radius * scale.largest < farthest
        }
    }

    /// In output pixels.
    private static let farthest = 1e6

    /// An outline that may meet itself.
    private struct Tangle {
        var hulls: [StrokeHull]
        var polygons = Polygons()
        /// Whether the outline continues from the previous hull to each hull.
        var areJoined: [Bool]
    }

    /// Nil if it would have too many corners.
    private static func outline(
        _ discs: [PreparedStroke.Disc], scale: OutputScale, cornersMax: Int, _ isCancelled: () -> Bool
    ) -> Tangle? {
        let hulls = zip(discs, discs.dropFirst()).map { StrokeHull($0, $1) }
        var outline = Tangle(hulls: hulls, areJoined: [Bool](repeating: true, count: hulls.count))
        var pen = OutlinePen(
            scale: scale, tolerance: DiscPath.tolerancePixels / scale.largest, cornersMax: cornersMax)
        if hulls.isEmpty { pen.addCircle(discs[0]) }
        var first = 0
        while first < hulls.count, !pen.isFull {
            if first % hullsAtOnce == 0, isCancelled() { return nil }
            outline.areJoined[first] = false
            var end = first + 1
            if hulls[first].isTapered {
                while end < hulls.count, hulls[end].follows(on: hulls[end - 1]) { end += 1 }
                pen.addStrand(discs, hulls, first..<end, areJoined: &outline.areJoined)
            } else {
                pen.addCircle(discs[first].radius > discs[end].radius ? discs[first] : discs[end])
            }
            first = end
        }
        outline.polygons = pen.polygons
        return pen.isFull ? nil : outline
    }

    /// Crossings that lie side by side become one, since what hulls cover of a row is found for all its pixels at once.
    private static func joined(_ crossings: [Crossing]) -> [Crossing] {
        let sorted = crossings.sorted { ($0.block.y, $0.block.x) < ($1.block.y, $1.block.x) }
        return sorted.reduce(into: []) { joined, next in
            if let last = joined.last?.block, last.y == next.block.y, last.x + last.width == next.block.x,
                last.width + next.block.width <= joinedWidthMax
            {
                joined[joined.count - 1].add(next)
            } else {
                joined.append(next)
            }
        }
    }

    /// In pixels.
    private static let joinedWidthMax = 64

    /// State of a block that hulls meet, while hulls are processed in order.
    private struct Visit {
        /// The first hull, counted from 1; 0 before any.
        var first: Int32 = 0
        /// The last hull so far. If the outline meets itself, the crossing, counted from -1 downwards.
        var last: Int32 = 0
    }

    /// Nil if too many hulls meet the blocks.
    private static func crossings(
        _ discs: [PreparedStroke.Disc], _ outline: Tangle, scale: OutputScale, hullsMax: Int, _ isCancelled: () -> Bool
    ) -> [Crossing]? {
        let hulls = outline.hulls
        let blocks = PixelBlocks(discs, scale: scale)
        var visits = [Visit](repeating: Visit(), count: blocks.count)
        var crossings: [Crossing] = []
        /// First the count of each row of blocks, from index 1, then the sum of all rows above.
        var crossingsAbove = [Int](repeating: 0, count: blocks.rowCount + 1)
        for (index, hull) in hulls.enumerated() {
            if index % hullsAtOnce == 0, isCancelled() { return nil }
            let number = Int32(index) + 1
            blocks.forEachBlock(discs[index], discs[index + 1]) { block in
                let visit = visits[block]
                if visit.first == 0 {
                    visits[block] = Visit(first: number, last: number)
                } else if visit.last > 0 {
                    let first = hulls[Int(visit.first) - 1].along
                    // Consecutive hulls whose direction is within 60 degrees of the first one do not meet again.
                    let isStraightOn =
                        visit.last == number - 1 && outline.areJoined[index]
                        && first.x * hull.along.x + first.y * hull.along.y >= 0.5
                    if !isStraightOn {
                        crossings.append(Crossing(block: blocks.rect(block)))
                        crossingsAbove[blocks.row(ofBlock: block) + 1] += 1
                    }
                    visits[block].last = isStraightOn ? number : Int32(-crossings.count)
                }
            }
        }
        for row in 0..<blocks.rowCount { crossingsAbove[row + 1] += crossingsAbove[row] }
        var count = 0
        for index in hulls.indices where !crossings.isEmpty && count < hullsMax {
            if index % hullsAtOnce == 0, isCancelled() { return nil }
            let rows = blocks.rows(discs[index], discs[index + 1])
            guard crossingsAbove[rows.upperBound + 1] > crossingsAbove[rows.lowerBound] else { continue }
            blocks.forEachBlock(discs[index], discs[index + 1]) { block in
                let last = Int(visits[block].last)
                guard last < 0, count < hullsMax else { return }
                crossings[-last - 1].hulls.append(Int32(index))
                count += 1
            }
        }
        return count < hullsMax ? crossings : nil
    }
}
