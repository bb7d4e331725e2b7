/// The outline of a solid stroke at one size of the export, and where it does not do because it meets itself.
///
/// The stroke is the union of the hulls of neighbouring discs. Hulls that lead on smoothly share one outline; where
/// those that do not, or that are no neighbours, come near each other, areas would be counted twice: such blocks of
/// pixels are left to the union of the hulls.
struct SolidOutline: Sendable {
    /// A block of pixels in which the outline meets itself.
    struct Crossing: Sendable {
        var block: PixelRect
        /// The hulls that reach into it, ascending.
        var hulls: [Int32] = []
    }

    /// Canvas pixels.
    let discs: [PreparedStroke.Disc]
    /// Output pixels.
    private(set) var polygons = Polygons()
    private(set) var crossings: [Crossing] = []
    /// Whether there is an outline at all: there is none of strokes that are too far from the picture, too wide or too
    /// tangled.
    private(set) var isOfUse = true

    /// How many corners an outline may have, and how many hulls all crossings together; more for long strokes.
    private static let sizeMax = 1 << 18

    /// Nil when it was cancelled.
    ///
    /// - Parameters:
    ///   - discs: canvas pixels; not empty.
    ///   - isCancelled: asked now and then.
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
        self.crossings = crossings.trimmed
    }

    /// Bytes that it takes.
    var byteCount: Int {
        crossings.reduce(discs.capacity * MemoryLayout<PreparedStroke.Disc>.stride + polygons.byteCount + 256) {
            // An array of its own.
            $0 + MemoryLayout<Crossing>.stride + 48 + $1.hulls.capacity * MemoryLayout<Int32>.stride
        }
    }

    /// Hulls that are looked at without a look at whether they are still wanted.
    private static let hullsAtOnce = 256

    /// The hulls of all discs, canvas pixels.
    var hulls: some Sequence<ConvexPart> { (0..<max(discs.count - 1, 1)).lazy.map { hull($0) } }

    /// The hull of a disc and the next one, or of the only disc; canvas pixels.
    func hull(_ index: Int) -> ConvexPart {
        let first = discs[index]
        guard index + 1 < discs.count else { return .disc(center: first.center, radius: first.radius) }
        return .hull(first, discs[index + 1])
    }

    /// The hulls of a crossing that may meet a cell; of those that hold all of it one alone.
    func hulls(of crossing: Crossing, near cell: NearCell) -> [Int32] {
        if let all = crossing.hulls.first(where: { cell.isHeld(by: discs[Int($0)]) }) { return [all] }
        return crossing.hulls.filter { index in
            let (first, second) = (discs[Int(index)], discs[min(Int(index) + 1, discs.count - 1)])
            var bounds = first.bounds
            bounds.formUnion(second.bounds)
            return cell.meets(bounds)
        }
    }

    /// Whether a stroke is so near the picture that its outline's points are exact, and not so wide that they are too many.
    private static func isNear(_ discs: [PreparedStroke.Disc], scale: OutputScale) -> Bool {
        discs.allSatisfy { disc in
            let center = scale.output(disc.center)
            return abs(center.x) < farthest && abs(center.y) < farthest && disc.radius * scale.largest < farthest
        }
    }

    /// Output pixels.
    private static let farthest = 1e6

    /// An outline that may meet itself.
    private struct Tangle {
        var hulls: [StrokeHull]
        var polygons = Polygons()
        /// Whether the outline is whole where a hull follows on the one before.
        var areJoined: [Bool]
    }

    /// Nil when it would have too many corners.
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

    /// What is known of a block that hulls reach into, hull by hull.
    private struct Visit {
        /// The first hull, from 1 on; 0 before any.
        var first: Int32 = 0
        /// The last one so far; where the outline meets itself, the crossing, from -1 down.
        var last: Int32 = 0
    }

    /// Nil when too many hulls reach into them.
    private static func crossings(
        _ discs: [PreparedStroke.Disc], _ outline: Tangle, scale: OutputScale, hullsMax: Int, _ isCancelled: () -> Bool
    ) -> [Crossing]? {
        let hulls = outline.hulls
        let blocks = PixelBlocks(discs, scale: scale)
        var visits = [Visit](repeating: Visit(), count: blocks.count)
        var crossings: [Crossing] = []
        /// First of each row of blocks, counted from 1, then of all above it.
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
                    // Hulls that follow on each other and lead within 60 degrees of the first do not meet again.
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
