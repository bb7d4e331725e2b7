/// Draws the outlines of solid strokes, with the inside on the right: along the tangents of neighbouring discs, and
/// round the outside of each bend.
struct OutlinePen {
    let scale: OutputScale
    /// Canvas pixels.
    let tolerance: Double
    let cornersMax: Int
    /// Whether what was drawn last would have had too many corners.
    private(set) var isFull = false
    private(set) var polygons = Polygons()
    private var tangents: [Tangent] = []
    /// The tangents that bound what is covered so far, and how far along each the outline reaches it.
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

    /// Hulls that follow on each other.
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
                // A joint's number is that of the hull after it.
                let joint = isLeft ? range.lowerBound + hull : range.upperBound - hull
                if joint < range.upperBound { areJoined[joint] = false }
            }
        }
        polygons.endPolygon()
    }

    /// What is covered beside the tangents is bounded by those of them that no other lies beyond, each from where it
    /// meets the one before.
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
        // The last ones may end before they are reached.
        while run.count > 1, run[run.count - 1].from > tangents[run[run.count - 1].tangent].length {
            run.removeLast()
        }
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
    private func slack(_ disc: PreparedStroke.Disc) -> Double { (2 * tolerance * disc.radius).squareRoot() }

    /// Whether the tangents of a disc meet too far from it on the outside of a bend: about as far as the middle of a
    /// chord between the touching points.
    private func isSharp(_ disc: PreparedStroke.Disc, from start: Point, to end: Point) -> Bool {
        let sine = start.x * end.y - start.y * end.x
        guard sine < 0 else { return false }
        // Of half the bend.
        let tangent = sine / (1 + start.x * end.x + start.y * end.y)
        return disc.radius * tangent * tangent > 2 * tolerance
    }

    /// Tangents of an arc of less than half a turn, without that at its end.
    ///
    /// - Parameter skipsUnseen: of parts of the arc that lie outside the picture, only the ends' tangents. The polygon of the
    ///   touching points is then the same in the picture: all of the skipped part lies on one side of it.
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

    /// A box that holds an arc of less than half a turn: its ends, and where their tangents meet.
    private static func bounds(of disc: PreparedStroke.Disc, from start: Point, to end: Point) -> Rect {
        let meeting = (1 / (1 + start.x * end.x + start.y * end.y)) * (start + end)
        var bounds = Rect.empty
        for way in [start, meeting, end] { bounds.formUnion(disc.center + disc.radius * way) }
        return bounds
    }
}

/// A tangent of one side of the stroke, which lies on its right: of two neighbouring discs, or one of those that stand
/// for an arc of a disc.
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
