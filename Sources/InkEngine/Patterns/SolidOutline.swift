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

    /// The tangent of two neighbouring discs on one side of the stroke, which lies on its right.
    private struct Tangent {
        /// From the discs' centres to where it touches; of length 1.
        let normal: Point
        let first: PreparedStroke.Disc
        private let start: Point
        /// Between the touching points.
        let length: Double

        init(_ normal: Point, from first: PreparedStroke.Disc, to second: PreparedStroke.Disc, _ length: Double) {
            self.normal = normal
            self.first = first
            self.length = length
            start = first.center + first.radius * normal
        }

        private var direction: Point { Point(x: normal.y, y: -normal.x) }

        /// The point at this length from where it touches the first disc.
        func point(_ length: Double) -> Point { start + length * direction }

        /// The sine of the turn to another tangent; below 0 when the bend's outside is here.
        func turn(to other: Tangent) -> Double { normal.x * other.normal.y - normal.y * other.normal.x }

        /// How far along both their lines meet.
        func meeting(_ other: Tangent) -> (own: Double, other: Double) {
            let sine = turn(to: other)
            // Hardly any bend: at the touching points.
            guard abs(sine) > 1e-9 else { return (length, 0) }
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
            for (index, quarter) in quarters.enumerated() { addArc(disc, from: quarter, to: quarters[(index + 1) % 4]) }
            close()
        }

        /// Hulls that follow on each other.
        mutating func addStrand(
            _ discs: [PreparedStroke.Disc], _ hulls: [Hull], _ range: Range<Int>, areJoined: inout [Bool]
        ) {
            let start = hulls[range.lowerBound]
            let end = hulls[range.upperBound - 1]
            addCap(discs[range.lowerBound], from: start.right, over: -1 * start.along, to: start.left)
            addSide(range.map { Tangent(hulls[$0].left, from: discs[$0], to: discs[$0 + 1], hulls[$0].tangentLength) }) {
                areJoined[range.lowerBound + $0] = false
            }
            addCap(discs[range.upperBound], from: end.left, over: end.along, to: end.right)
            addSide(
                range.reversed().map {
                    Tangent(hulls[$0].right, from: discs[$0 + 1], to: discs[$0], hulls[$0].tangentLength)
                }
            ) { areJoined[range.upperBound - $0] = false }
            close()
        }

        /// One side of a strand, without the touching points at both of its ends.
        ///
        /// - Parameter breaks: told which tangents the side is not whole before.
        private mutating func addSide(_ tangents: [Tangent], breaks: (Int) -> Void) {
            // Tangents since the last sharp bend to the outside: what is covered beside them is bounded by those of them that
            // no other lies beyond, each from where it meets the one before.
            var run: [(tangent: Int, from: Double)] = [(0, 0)]
            for index in tangents.indices.dropFirst() {
                let tangent = tangents[index]
                if isSharp(tangents[index - 1], tangent) {
                    // The last one may end before it is reached.
                    var last = run.count - 1
                    while last > 0, run[last].from > tangents[run[last].tangent].length { last -= 1 }
                    addMeetings(run[...last], tangents)
                    if last < run.count - 1 {
                        addJoints(tangents, (run[last].tangent + 1)..<index, breaks)
                        breaks(index)
                    }
                    addArc(tangent.first, from: tangents[index - 1].normal, to: tangent.normal)
                    move(to: tangent.point(0))
                    run.removeAll(keepingCapacity: true)
                    run.append((index, 0))
                } else {
                    var meeting = tangents[run[run.count - 1].tangent].meeting(tangent)
                    while run.count > 1, meeting.own < run[run.count - 1].from {
                        run.removeLast()
                        meeting = tangents[run[run.count - 1].tangent].meeting(tangent)
                    }
                    if meeting.own >= run[run.count - 1].from {
                        run.append((index, meeting.other))
                    } else {
                        // All of the first one lies beyond.
                        addJoints(tangents, (run[0].tangent + 1)..<(index + 1), breaks)
                        run[0] = (index, 0)
                    }
                }
            }
            var last = run.count - 1
            while last > 0, run[last].from > tangents[run[last].tangent].length { last -= 1 }
            addMeetings(run[...last], tangents)
            addJoints(tangents, (run[last].tangent + 1)..<tangents.count, breaks)
        }

        private mutating func addCap(_ disc: PreparedStroke.Disc, from start: Point, over middle: Point, to end: Point) {
            addArc(disc, from: start, to: middle)
            addArc(disc, from: middle, to: end)
            move(to: disc.center + disc.radius * end)
        }

        /// Where each tangent of a run meets the one before.
        private mutating func addMeetings(_ run: ArraySlice<(tangent: Int, from: Double)>, _ tangents: [Tangent]) {
            for (index, from) in run.dropFirst() { move(to: tangents[index].point(from)) }
        }

        /// From tangent to tangent through the discs' centres: what is covered is right, but may be covered twice.
        private mutating func addJoints(_ tangents: [Tangent], _ range: Range<Int>, _ breaks: (Int) -> Void) {
            for index in range {
                let disc = tangents[index].first
                move(to: disc.center + disc.radius * tangents[index - 1].normal)
                move(to: disc.center)
                move(to: disc.center + disc.radius * tangents[index].normal)
                breaks(index)
            }
        }

        /// Whether the tangents' meeting point is too far from the disc that both touch, on the outside of a bend. It is about
        /// as far as the middle of a chord between the touching points.
        private func isSharp(_ first: Tangent, _ second: Tangent) -> Bool {
            let sine = first.turn(to: second)
            guard sine < 0 else { return false }
            // Of half the bend.
            let tangent = sine / (1 + first.normal.x * second.normal.x + first.normal.y * second.normal.y)
            return second.first.radius * tangent * tangent > 2 * tolerance
        }

        /// An arc of less than half a turn, without its end.
        private mutating func addArc(_ disc: PreparedStroke.Disc, from start: Point, to end: Point) {
            let sum = start + end
            let length = sum.length
            // Twice the cosine of half the arc.
            if disc.radius * (2 - length) <= 2 * tolerance || length == 0 {
                move(to: disc.center + disc.radius * start)
            } else {
                let middle = (1 / length) * sum
                addArc(disc, from: start, to: middle)
                addArc(disc, from: middle, to: end)
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
            var height = 8
            while true {
                let width = 2 * height
                let (left, top) = (whole(bounds.minX) & -width, whole(bounds.minY) & -height)
                let columns = (whole(bounds.maxX) - left) / width + 1
                let rows = (whole(bounds.maxY) - top) / height + 1
                if Double(height) >= radius, columns * rows <= Blocks.countMax {
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
