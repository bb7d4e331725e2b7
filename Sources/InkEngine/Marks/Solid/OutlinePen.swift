/// Draws the outlines of solid strokes, with the inside on the right: along the common tangents of neighbouring discs,
/// and round the outside of each bend.
struct OutlinePen {
    let scale: OutputScale
    /// Canvas pixels.
    let tolerance: Double
    let cornersMax: Int
    /// Whether the last outline had too many corners.
    private(set) var isFull = false
    private(set) var polygons = Polygons()
    private var tangents: [Tangent] = []
    /// The tangents that bound the covered area so far, and where the outline meets each of them.
    private var run: [(tangent: Int, from: Double)] = []

    init(scale: OutputScale, tolerance: Double, cornersMax: Int) {
        self.scale = scale
        self.tolerance = tolerance
        self.cornersMax = cornersMax
    }

    private mutating func move(to point: Point) { polygons.append(scale.output(point)) }

    mutating func addCircle(_ disc: PreparedStroke.Disc) {
        guard polygons.corners.count < cornersMax else {
            isFull = true
            return
        }
        let quarters = [Point(x: 1, y: 0), Point(x: 0, y: -1), Point(x: -1, y: 0), Point(x: 0, y: 1)]
        tangents.removeAll(keepingCapacity: true)
        for (index, quarter) in quarters.enumerated() {
            addArc(disc, from: quarter, to: quarters[(index + 1) % 4], hull: 0, skipsUnseen: true)
        }
        for tangent in tangents { move(to: tangent.start) }
        polygons.endPolygon()
    }

    /// Adds a sequence of smoothly connected hulls.
    mutating func addStrand(
        _ discs: [PreparedStroke.Disc], _ hulls: [StrokeHull], _ range: Range<Int>, areJoined: inout [Bool]
    ) {
        for isLeft in [true, false] {
            tangents.removeAll(keepingCapacity: true)
            var last = isLeft ? -1 * hulls[range.lowerBound].along : hulls[range.upperBound - 1].along
            for hull in 0..<range.count {
                guard polygons.corners.count + tangents.count < cornersMax else {
                    isFull = true
                    return
                }
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
                // A joint has the number of the hull after it.
                let joint = isLeft ? range.lowerBound + hull : range.upperBound - hull
                if joint < range.upperBound { areJoined[joint] = false }
            }
        }
        polygons.endPolygon()
    }

    /// Adds one side. The area beside the tangents is bounded by those tangents beyond which no other lies, each from
    /// its intersection with the previous one.
    ///
    /// - Parameter breaks: called with the hulls before which the side is not continuous.
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
            // A tangent that replaces others must extend over the range that they bounded.
            let slack = slack(tangent.disc)
            if meeting.own >= last.from
                && (areNeighbors || meeting.own <= tangents[last.tangent].length + slack && meeting.other >= -slack)
            {
                run.append((index, meeting.other))
            } else {
                addMeetings()
                addJoints((last.tangent + 1)..<(index + 1), breaks)
                run.removeAll(keepingCapacity: true)
                run.append((index, 0))
            }
        }
        // The last tangents may end before their intersections.
        while run.count > 1, run[run.count - 1].from > tangents[run[run.count - 1].tangent].length {
            run.removeLast()
        }
        addMeetings()
        addJoints((run[run.count - 1].tangent + 1)..<tangents.count, breaks)
    }

    /// Adds the intersections of consecutive tangents of the run.
    private mutating func addMeetings() {
        for (index, from) in run.dropFirst() { move(to: tangents[index].point(from)) }
    }

    /// Connects tangents through the discs' centres: the covered area is correct, but may be counted twice.
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

    /// How far from its touching point a tangent is as good as the disc.
    private func slack(_ disc: PreparedStroke.Disc) -> Double { (2 * tolerance * disc.radius).squareRoot() }

    /// Whether the tangents of a disc meet too far from it on the outside of a bend: about as far as the middle of a
    /// chord between the touching points.
    private func isSharp(_ disc: PreparedStroke.Disc, from start: Point, to end: Point) -> Bool {
        let sine = start.x * end.y - start.y * end.x
        guard sine < 0 else { return false }
        // The tangent of half the bend.
        let tangent = sine / (1 + start.x * end.x + start.y * end.y)
        return disc.radius * tangent * tangent > 2 * tolerance
    }

    /// Adds tangents for an arc of less than half a turn, without the one at its end.
    ///
    /// - Parameter skipsUnseen: for parts of the arc outside the picture, adds only the tangents of their ends. Within
    ///   the picture the polygon of the touching points is the same, because each skipped part lies on one side of the
    ///   picture.
    private mutating func addArc(
        _ disc: PreparedStroke.Disc, from start: Point, to end: Point, hull: Int, skipsUnseen: Bool = false
    ) {
        let sum = start + end
        let length = sum.length
        // Twice the cosine of half the arc.
        if disc.radius * (2 - length) <= 2 * tolerance || length == 0
            || skipsUnseen && scale.isOutside(OutlinePen.bounds(of: disc, from: start, to: end))
        {
            tangents.append(Tangent(normal: start, disc: disc, length: 0, hull: hull))
        } else {
            let middle = (1 / length) * sum
            addArc(disc, from: start, to: middle, hull: hull, skipsUnseen: skipsUnseen)
            addArc(disc, from: middle, to: end, hull: hull, skipsUnseen: skipsUnseen)
        }
    }

    /// A box that contains an arc of less than half a turn: its ends, and the intersection of their tangents.
    private static func bounds(of disc: PreparedStroke.Disc, from start: Point, to end: Point) -> Rect {
        let meeting = (1 / (1 + start.x * end.x + start.y * end.y)) * (start + end)
        var bounds = Rect.empty
        for way in [start, meeting, end] { bounds.formUnion(disc.center + disc.radius * way) }
        return bounds
    }
}

/// A tangent on one side of the stroke, which lies on its right. It touches two neighbouring discs, or represents part
/// of an arc of one disc.
private struct Tangent {
    /// Unit vector from the disc's centre to the touching point.
    let normal: Point
    /// The disc that it touches first.
    let disc: PreparedStroke.Disc
    /// Distance to where it touches the second disc.
    let length: Double
    /// The hull of this side that it belongs to.
    let hull: Int

    var direction: Point { Point(x: normal.y, y: -normal.x) }
    var start: Point { disc.center + disc.radius * normal }

    /// The point at this distance from where it touches the first disc.
    func point(_ length: Double) -> Point { start + length * direction }

    /// The sine of the turn to another tangent; negative if the outside of the bend is on this side.
    func turn(to other: Tangent) -> Double { normal.x * other.normal.y - normal.y * other.normal.x }

    /// Distance along each of the two lines to their intersection.
    func meeting(_ other: Tangent) -> (own: Double, other: Double) {
        let sine = turn(to: other)
        // Almost no bend: use the touching points.
        guard abs(sine) > 1e-6 else { return (length, 0) }
        let step = other.start - start
        return (
            -(step.x * other.normal.x + step.y * other.normal.y) / sine,
            -(step.x * normal.x + step.y * normal.y) / sine
        )
    }
}
