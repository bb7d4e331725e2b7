/// The outline of a solid stroke at one size of the export, and where it does not do because it meets itself.
///
/// The outline runs along the tangents of neighbouring discs, round the outside of each bend and to the tangents' meeting
/// point on its inside. Where hulls that are no neighbours come near each other, or a bend is narrower than the stroke is wide,
/// the areas beside its edges overlap; those blocks of pixels are left to the union of the hulls.
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
            let last = max(discs.count - 1, 1)
            crossings = [Crossing(block: everywhere, hulls: Array(0..<last))]
            return
        }
        let hulls = zip(discs, discs.dropFirst()).map { Hull($0, $1) }
        var pen = Pen(scale: scale, tolerance: DiscPath.tolerancePixels / scale.largest)
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

    /// Whether all of a stroke is so near the picture that its outline's points are exact.
    private static func isNear(_ discs: [PreparedStroke.Disc], scale: OutputScale) -> Bool {
        discs.allSatisfy { disc in
            let center = scale.output(disc.center)
            return max(abs(center.x), abs(center.y), disc.radius * scale.largest) < 1e6
        }
    }

    /// The hull of two discs.
    private struct Hull {
        /// From the first to the second; of length 1.
        var along = Point(x: 0, y: 0)
        /// From the discs' centres to where the tangents touch, on the left and on the right of the way.
        var left = Point(x: 0, y: 0)
        var right = Point(x: 0, y: 0)
        /// From one touching point to the other.
        var tangentLength = 0.0
        /// Whether neither disc holds the other.
        var isTapered = false
        /// Whether the tangents lead nearly where the way does.
        var isSlender = false

        init(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) {
            let step = second.center - first.center
            let distance = step.length
            let difference = first.radius - second.radius
            guard distance > abs(difference) else { return }
            isTapered = true
            along = (1 / distance) * step
            let across = Point(x: -along.y, y: along.x)
            let sine = difference / distance
            let cosine = (1 - sine * sine).squareRoot()
            left = sine * along + cosine * across
            right = sine * along - cosine * across
            tangentLength = distance * cosine
            isSlender = abs(sine) < 0.3
        }

        /// Whether it leads on within 60 degrees, so that both have one outline.
        func follows(on hull: Hull) -> Bool {
            isSlender && hull.isSlender && along.x * hull.along.x + along.y * hull.along.y >= 0.5
        }
    }

    /// Hull `index`, canvas pixels.
    func hull(_ index: Int) -> ConvexPart {
        let first = discs[index]
        guard index + 1 < discs.count else { return .disc(center: first.center, radius: first.radius) }
        return .hull(first, discs[index + 1])
    }

    // MARK: Outline

    /// A tangent of one side of the stroke, which lies on its right: of two neighbouring discs, or one of those that stand for
    /// an arc of a disc.
    private struct Tangent {
        /// From the disc's centre to where it touches; of length 1.
        let normal: Point
        /// The disc that it touches first.
        let disc: PreparedStroke.Disc
        /// To where it touches the second disc.
        let length: Double
        /// Which hull of the side it belongs to.
        let hull: Int

        var direction: Point { Point(x: normal.y, y: -normal.x) }
        var start: Point { disc.center + disc.radius * normal }

        /// The point at this length from where it touches the first disc.
        func point(_ length: Double) -> Point { start + length * direction }

        /// The sine of the turn to another tangent; below 0 when the bend's outside is here.
        func turn(to other: Tangent) -> Double { normal.x * other.normal.y - normal.y * other.normal.x }

        /// How far along both their lines meet.
        func meeting(_ other: Tangent) -> (own: Double, other: Double) {
            let sine = turn(to: other)
            // Hardly any bend: at the touching points.
            guard abs(sine) > 1e-6 else { return (length, 0) }
            let step = other.start - start
            return (
                -(step.x * other.normal.x + step.y * other.normal.y) / sine,
                -(step.x * normal.x + step.y * normal.y) / sine
            )
        }
    }

    /// Draws outlines with the inside on the right.
    private struct Pen {
        let scale: OutputScale
        /// Canvas pixels.
        let tolerance: Double
        private(set) var polygons = Polygons()
        private var count = 0
        private var tangents: [Tangent] = []
        private var run: [(tangent: Int, from: Double)] = []

        init(scale: OutputScale, tolerance: Double) {
            self.scale = scale
            self.tolerance = tolerance
        }

        private mutating func move(to point: Point) {
            polygons.append(scale.output(point))
            count += 1
        }

        private mutating func close() {
            polygons.endPolygon(corners: count)
            count = 0
        }

        mutating func addCircle(_ disc: PreparedStroke.Disc) {
            let quarters = [Point(x: 1, y: 0), Point(x: 0, y: -1), Point(x: -1, y: 0), Point(x: 0, y: 1)]
            tangents.removeAll(keepingCapacity: true)
            for (index, quarter) in quarters.enumerated() {
                addArc(disc, from: quarter, to: quarters[(index + 1) % 4], hull: 0)
            }
            for tangent in tangents { move(to: tangent.start) }
            close()
        }

        /// Hulls that follow on each other.
        mutating func addStrand(
            _ discs: [PreparedStroke.Disc], _ hulls: [Hull], _ range: Range<Int>, areJoined: inout [Bool]
        ) {
            for isLeft in [true, false] {
                tangents.removeAll(keepingCapacity: true)
                var last = isLeft ? -1 * hulls[range.lowerBound].along : hulls[range.upperBound - 1].along
                for hull in 0..<range.count {
                    let index = isLeft ? range.lowerBound + hull : range.upperBound - 1 - hull
                    let normal = isLeft ? hulls[index].left : hulls[index].right
                    let disc = discs[isLeft ? index : index + 1]
                    // Before the first hull, half of a cap.
                    if hull == 0 || isSharp(disc, from: last, to: normal) {
                        addArc(disc, from: last, to: normal, hull: hull)
                    }
                    tangents.append(Tangent(normal: normal, disc: disc, length: hulls[index].tangentLength, hull: hull))
                    last = normal
                }
                let end = isLeft ? hulls[range.upperBound - 1].along : -1 * hulls[range.lowerBound].along
                addArc(discs[isLeft ? range.upperBound : range.lowerBound], from: last, to: end, hull: range.count)
                addSide { hull in
                    // A joint's number is that of the hull after it.
                    let joint = isLeft ? range.lowerBound + hull : range.upperBound - hull
                    if joint < range.upperBound { areJoined[joint] = false }
                }
            }
            close()
        }

        /// What is covered beside the tangents is bounded by those of them that no other lies beyond, each from where it meets
        /// the one before.
        ///
        /// - Parameter breaks: told before which hulls the side is not whole.
        private mutating func addSide(breaks: (Int) -> Void) {
            run.removeAll(keepingCapacity: true)
            run.append((0, 0))
            move(to: tangents[0].start)
            for index in tangents.indices.dropFirst() {
                let tangent = tangents[index]
                var meeting = tangents[run[run.count - 1].tangent].meeting(tangent)
                var areNeighbors = true
                while run.count > 1, meeting.own < run[run.count - 1].from {
                    run.removeLast()
                    meeting = tangents[run[run.count - 1].tangent].meeting(tangent)
                    areNeighbors = false
                }
                let last = run[run.count - 1]
                // What bounds in place of what lay between must do so where it is.
                let reach = reach(tangent.disc)
                if meeting.own >= last.from
                    && (areNeighbors || meeting.own <= tangents[last.tangent].length + reach && meeting.other >= -reach)
                {
                    run.append((index, meeting.other))
                } else {
                    addMeetings()
                    addJoints((last.tangent + 1)..<(index + 1), breaks)
                    run.removeAll(keepingCapacity: true)
                    run.append((index, 0))
                }
            }
            // The last ones may end before they are reached.
            while run.count > 1, run[run.count - 1].from > tangents[run[run.count - 1].tangent].length { run.removeLast() }
            addMeetings()
            addJoints((run[run.count - 1].tangent + 1)..<tangents.count, breaks)
        }

        /// Where each tangent of the run meets the one before.
        private mutating func addMeetings() {
            for (index, from) in run.dropFirst() { move(to: tangents[index].point(from)) }
        }

        /// From tangent to tangent by way of the discs' centres: what is covered is right, but may be covered twice.
        private mutating func addJoints(_ range: Range<Int>, _ breaks: (Int) -> Void) {
            for index in range {
                let tangent = tangents[index]
                let last = tangents[index - 1]
                move(to: last.point(last.length))
                if last.turn(to: tangent) > 0 { move(to: tangent.disc.center) }
                move(to: tangent.start)
                breaks(tangent.hull)
            }
        }

        /// How far from where it touches a tangent is as good as the disc.
        private func reach(_ disc: PreparedStroke.Disc) -> Double { (2 * tolerance * disc.radius).squareRoot() }

        /// Whether the tangents of a disc meet too far from it on the outside of a bend: about as far as the middle of a chord
        /// between the touching points.
        private func isSharp(_ disc: PreparedStroke.Disc, from start: Point, to end: Point) -> Bool {
            let sine = start.x * end.y - start.y * end.x
            guard sine < 0 else { return false }
            // Of half the bend.
            let tangent = sine / (1 + start.x * end.x + start.y * end.y)
            return disc.radius * tangent * tangent > 2 * tolerance
        }

        /// Tangents of an arc of less than half a turn, without that at its end.
        private mutating func addArc(_ disc: PreparedStroke.Disc, from start: Point, to end: Point, hull: Int) {
            let sum = start + end
            let length = sum.length
            // Twice the cosine of half the arc.
            if disc.radius * (2 - length) <= 2 * tolerance || length == 0 {
                tangents.append(Tangent(normal: start, disc: disc, length: 0, hull: hull))
            } else {
                let middle = (1 / length) * sum
                addArc(disc, from: start, to: middle, hull: hull)
                addArc(disc, from: middle, to: end, hull: hull)
            }
        }
    }

    // MARK: Crossings

    /// What is known of a block that hulls reach into, hull by hull.
    private struct Visit {
        /// The first hull, from 1 on; 0 before any.
        var first: Int32 = 0
        /// The last one so far; where the outline meets itself, the crossing, from -1 down.
        var last: Int32 = 0
    }

    private static func crossings(
        _ discs: [PreparedStroke.Disc], _ hulls: [Hull], areJoined: [Bool], scale: OutputScale
    ) -> [Crossing] {
        let blocks = Blocks(discs, scale: scale)
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

    /// Blocks of the output's pixels that hold a stroke.
    private struct Blocks {
        private let scale: OutputScale
        private let left: Int
        private let top: Int
        private let width: Int
        private let height: Int
        private let columns: Int
        private let rows: Int

        /// A stroke's outline is looked at in this many blocks at most.
        private static let countMax = 1 << 18

        init(_ discs: [PreparedStroke.Disc], scale: OutputScale) {
            self.scale = scale
            var bounds = Rect.empty
            var radius = 0.0
            for disc in discs {
                let center = scale.output(disc.center)
                bounds.formUnion(center)
                radius = max(radius, disc.radius)
            }
            radius *= scale.largest
            bounds = bounds.expanded(by: radius + 1)
            func whole(_ value: Double) -> Int { Int(value.rounded(.down)) }
            // Some blocks across the stroke.
            var height = 4
            while true {
                let width = 2 * height
                let (left, top) = (whole(bounds.minX) & -width, whole(bounds.minY) & -height)
                let columns = (whole(bounds.maxX) - left) / width + 1
                let rows = (whole(bounds.maxY) - top) / height + 1
                if Double(2 * height) >= radius, columns * rows <= Blocks.countMax {
                    (self.left, self.top, self.width, self.height) = (left, top, width, height)
                    (self.columns, self.rows) = (columns, rows)
                    return
                }
                height *= 2
            }
        }

        var count: Int { columns * rows }

        func rect(_ block: Int) -> PixelRect {
            PixelRect(x: left + block % columns * width, y: top + block / columns * height, width: width, height: height)
        }

        /// Calls `body` with the blocks that the hull of two discs may reach into.
        @inline(__always)
        func forEachBlock(
            _ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc, _ body: (Int) -> Void
        ) {
            let a = scale.output(first.center)
            let b = scale.output(second.center)
            // Coverage is worked out in 1/65,536 pixel.
            let radius = max(first.radius, second.radius) * scale.largest + 0.01
            let firstRow = row(min(a.y, b.y) - radius)
            let lastRow = row(max(a.y, b.y) + radius)
            let isLong = abs(b.x - a.x) > Double(2 * width) && lastRow > firstRow
            for row in firstRow...lastRow {
                var (from, to) = (min(a.x, b.x), max(a.x, b.x))
                if isLong, a.y != b.y {
                    // Of the way only what lies in the row of blocks or a radius above or below.
                    let rowTop = Double(top + row * height) - radius
                    let rowBottom = Double(top + (row + 1) * height) + radius
                    let slope = (b.x - a.x) / (b.y - a.y)
                    let atTop = a.x + (rowTop - a.y) * slope
                    let atBottom = a.x + (rowBottom - a.y) * slope
                    from = min(max(from, min(atTop, atBottom)), to)
                    to = max(min(to, max(atTop, atBottom)), from)
                }
                for column in column(from - radius)...column(to + radius) { body(row * columns + column) }
            }
        }

        private func row(_ y: Double) -> Int { index(y - Double(top), size: height, count: rows) }
        private func column(_ x: Double) -> Int { index(x - Double(left), size: width, count: columns) }

        private func index(_ place: Double, size: Int, count: Int) -> Int {
            Int(min(max(place / Double(size), 0), Double(count - 1)))
        }
    }
}
