/// The outline of a solid stroke at one size of the export, and where it does not do because it meets itself.
///
/// The stroke is the union of the hulls of neighbouring discs. Hulls that lead on smoothly share one outline; where
/// those that do not, or that are no neighbours, come near each other, areas would be counted twice: such blocks of
/// pixels are left to the union of the hulls.
struct SolidOutline: Sendable {
    /// A block of pixels in which the outline meets itself.
    struct Crossing: Sendable {
        var block: PixelRect
        /// The hulls that reach into it, ascending; each from a disc to the next, or the only disc.
        var hulls: [Int]
    }

    /// Canvas pixels.
    let discs: [PreparedStroke.Disc]
    /// Output pixels.
    private(set) var polygons = Polygons()
    private(set) var crossings: [Crossing] = []

    /// - Parameter discs: canvas pixels; not empty.
    init(_ discs: [PreparedStroke.Disc], scale: OutputScale) {
        self.discs = discs
        guard SolidOutline.isNear(discs, scale: scale) else {
            let everywhere = PixelRect(x: -1_000_000, y: -1_000_000, width: 2_000_000, height: 2_000_000)
            crossings = [Crossing(block: everywhere, hulls: Array(0..<max(discs.count - 1, 1)))]
            return
        }
        let hulls = zip(discs, discs.dropFirst()).map { StrokeHull($0, $1) }
        var pen = OutlinePen(scale: scale, tolerance: DiscPath.tolerancePixels / scale.largest)
        guard !hulls.isEmpty else {
            pen.addCircle(discs[0])
            polygons = pen.polygons
            return
        }
        // Whether the outline is whole where a hull follows on the one before.
        var areJoined = [Bool](repeating: true, count: hulls.count)
        var first = 0
        while first < hulls.count {
            areJoined[first] = false
            var end = first + 1
            if hulls[first].isTapered {
                while end < hulls.count, hulls[end].follows(on: hulls[end - 1]) { end += 1 }
                pen.addStrand(discs, hulls, first..<end, areJoined: &areJoined)
            } else {
                pen.addCircle(discs[first].radius > discs[end].radius ? discs[first] : discs[end])
            }
            first = end
        }
        polygons = pen.polygons
        crossings = SolidOutline.crossings(discs, hulls, areJoined: areJoined, scale: scale)
    }

    /// Whether a stroke is so near the picture that its outline's points are exact, and not so wide that they are too
    /// many.
    private static func isNear(_ discs: [PreparedStroke.Disc], scale: OutputScale) -> Bool {
        discs.allSatisfy { disc in
            let center = scale.output(disc.center)
            return max(abs(center.x), abs(center.y)) < 1e8 && disc.radius * scale.largest < 1e6
        }
    }

    /// Hull `index`, canvas pixels.
    func hull(_ index: Int) -> ConvexPart {
        let first = discs[index]
        guard index + 1 < discs.count else { return .disc(center: first.center, radius: first.radius) }
        return .hull(first, discs[index + 1])
    }

    /// What is known of a block that hulls reach into, hull by hull.
    private struct Visit {
        /// The first hull, from 1 on; 0 before any.
        var first: Int32 = 0
        /// The last one so far; where the outline meets itself, the crossing, from -1 down.
        var last: Int32 = 0
    }

    private static func crossings(
        _ discs: [PreparedStroke.Disc], _ hulls: [StrokeHull], areJoined: [Bool], scale: OutputScale
    ) -> [Crossing] {
        let blocks = StrokeBlocks(discs, scale: scale)
        var visits = [Visit](repeating: Visit(), count: blocks.count)
        var crossings: [Crossing] = []
        for (index, hull) in hulls.enumerated() {
            let number = Int32(index) + 1
            blocks.forEachBlock(discs[index], discs[index + 1]) { block in
                let visit = visits[block]
                if visit.first == 0 {
                    visits[block] = Visit(first: number, last: number)
                } else if visit.last > 0 {
                    let first = hulls[Int(visit.first) - 1].along
                    // Hulls that follow on each other and lead within 60 degrees of the first do not meet again.
                    let isStraightOn =
                        visit.last == number - 1 && areJoined[index]
                        && first.x * hull.along.x + first.y * hull.along.y >= 0.5
                    if !isStraightOn { crossings.append(Crossing(block: blocks.rect(block), hulls: [])) }
                    visits[block].last = isStraightOn ? number : Int32(-crossings.count)
                }
            }
        }
        guard !crossings.isEmpty else { return [] }
        for index in hulls.indices {
            blocks.forEachBlock(discs[index], discs[index + 1]) { block in
                let last = Int(visits[block].last)
                if last < 0 { crossings[-last - 1].hulls.append(index) }
            }
        }
        return crossings
    }
}
