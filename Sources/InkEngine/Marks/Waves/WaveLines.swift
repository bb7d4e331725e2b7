/// The lines of the `waves` pattern at size 1: polylines of equal steps along x, displaced across by a sine.
struct WaveLines {
    private let spacing: Double
    private let width: Double
    private let pixelsPerUnit: Double
    private let lineIndices: ClosedRange<Int>
    private let waveLength: Double

    /// Maximum area between a chord of a round join and its arc, in output pixels. It is reduced in proportion for a
    /// line that covers less than twenty.
    private static let areaMax = 0.002

    init(_ pattern: Pattern.Properties) {
        spacing = pattern.spacing
        width = pattern.lineWidth
        pixelsPerUnit = pattern.pixelsPerUnit
        lineIndices = pattern.lineIndices
        waveLength = pattern.waveLength
    }

    /// The middle line's vertices. The other lines are translated across by multiples of the spacing.
    private var middleLine: [Point] {
        let steps = WaveMark.stampSteps(waveLength: waveLength)
        return (0...steps).map { WaveMark.stampVertex($0, of: steps, spacing: spacing, waveLength: waveLength) }
    }

    /// The outline of the union of the lines; nil if they are so wide that they meet themselves or a neighbour.
    func outline() -> Outline? {
        let line = middleLine
        guard !neighboursTouch(line), let there = side(of: line), let back = side(of: line.reversed()) else {
            return nil
        }
        // Forwards along one side and back along the other, with the same orientation as a quad's corners.
        let ring = Array((there + back + there.prefix(1)).reversed())
        let places = lineIndices.map { Point(x: 0, y: Double($0) * spacing) }
        return Outline([Outline.Chain(ring, copies: places)])
    }

    /// The parts of the union.
    func parts() -> [ConvexPart] {
        let line = middleLine
        return lineIndices.flatMap { i in
            polygons(of: line.map { Point(x: $0.x, y: $0.y + Double(i) * spacing) }).map { .polygon($0) }
        }
    }

    /// The pieces of a line with its width: each step's rectangle, and for each round join the sector between the two
    /// outer corners.
    private func polygons(of line: [Point]) -> [[Point]] {
        let steps = (1..<line.count).map { k -> [Point] in
            let (start, end) = (line[k - 1], line[k])
            let half = width / 2 / (end - start).length
            let side = Point(x: -(end.y - start.y) * half, y: (end.x - start.x) * half)
            return [start - side, end - side, end + side, start + side]
        }
        return steps + (1..<(line.count - 1)).map { join(line[$0 - 1], line[$0], line[$0 + 1]) }
    }

    /// Whether a line with its width may reach its neighbour at one spacing; may return true unnecessarily.
    private func neighboursTouch(_ line: [Point]) -> Bool {
        let slopes = (1..<line.count).map { abs((line[$0].y - line[$0 - 1].y) / (line[$0].x - line[$0 - 1].x)) }
        let steepest = slopes.max() ?? 0
        return width * (1 + steepest * steepest).squareRoot() >= spacing * 0.999
    }

    /// The side of a polyline at +90 degrees of its direction. On the outside of a bend it is an arc; on the inside,
    /// the sides of the two steps meet. Nil if a step is too short for its two inner corners.
    private func side(of line: [Point]) -> [Point]? {
        let half = width / 2
        let directions = (1..<line.count).map { k -> Point in
            let step = line[k] - line[k - 1]
            return (1 / step.length) * step
        }
        var normal = Point(x: -directions[0].y, y: directions[0].x)
        var side = [line[0] + half * normal]
        var cutFromLast = 0.0
        for k in 1..<directions.count {
            let next = Point(x: -directions[k].y, y: directions[k].x)
            // Sine and cosine of the turn. A positive turn bends towards this side.
            let sine = directions[k - 1].x * directions[k].y - directions[k - 1].y * directions[k].x
            let cosine = directions[k - 1].x * directions[k].x + directions[k - 1].y * directions[k].y
            // tan(turn / 2) = sin / (1 + cos).
            let cut = sine > 0 ? half * sine / (1 + cosine) : 0
            if cut + cutFromLast > (line[k] - line[k - 1]).length { return nil }
            cutFromLast = cut
            if sine > 0 {
                side.append(line[k] + half * normal - cut * directions[k - 1])
            } else {
                side += arc(from: normal, to: next).map { line[k] + half * $0 }
            }
            normal = next
        }
        if cutFromLast > (line[line.count - 1] - line[line.count - 2]).length { return nil }
        side.append(line[line.count - 1] + half * normal)
        return side
    }

    /// The sector of a round join at `b`.
    private func join(_ a: Point, _ b: Point, _ c: Point) -> [Point] {
        func normal(_ step: Point) -> Point { (1 / step.length) * Point(x: -step.y, y: step.x) }
        let before = normal(b - a)
        let after = normal(c - b)
        // For a bend to the right, the outside is on the left.
        let side = before.x * after.y - before.y * after.x > 0 ? -1.0 : 1.0
        return [b] + arc(from: side * before, to: side * after).map { b + (width / 2) * $0 }
    }

    /// Unit vectors from `a` to `b`, both included, subdivided until the chords of a round join are close enough to its
    /// arc.
    private func arc(from a: Point, to b: Point) -> [Point] {
        let covered = 2 * Pattern.halfLength * width * pixelsPerUnit * pixelsPerUnit
        let areaMax = WaveLines.areaMax * min(covered / 20, 1)
        var arc = [a, b]
        while arc.count < 64 {
            let radius = width / 2 * pixelsPerUnit
            let sagitta = radius * (1 - (arc[0] + arc[1]).length / 2)
            // Two thirds of the rectangle over the chord.
            guard 2 / 3 * sagitta * radius * (arc[1] - arc[0]).length > areaMax else { break }
            var finer = [arc[0]]
            for k in 1..<arc.count {
                let sum = arc[k - 1] + arc[k]
                finer.append((1 / sum.length) * sum)
                finer.append(arc[k])
            }
            arc = finer
        }
        return arc
    }
}
