/// Finds the circles that touch a line at a point of it and hold nothing of the rest of the line. Their centres are the
/// places to which the point is the nearest one. Canvas pixels.
struct TangentCircles {
    private let samples: [SmoothedPath.Sample]
    /// The number of leaves, a power of two, each of `leafSize` segments.
    private let leafCount: Int
    /// Round what is below each node of a binary tree: those below node i are 2 i and 2 i + 1.
    private var boxes: [Rect]
    /// How much nearer something has to be to count as nearer.
    private let tolerance: Double

    private static let leafSize = 4

    init(_ line: NearestLine, tolerance: Double) {
        samples = line.path.samples
        self.tolerance = tolerance
        let segmentCount = max(samples.count - 1, 0)
        var leafCount = 1
        while leafCount * TangentCircles.leafSize < segmentCount { leafCount *= 2 }
        self.leafCount = leafCount
        boxes = Array(repeating: .empty, count: 2 * leafCount)
        for segment in 0..<segmentCount {
            let leaf = leafCount + segment / TangentCircles.leafSize
            boxes[leaf].formUnion(samples[segment].position)
            boxes[leaf].formUnion(samples[segment + 1].position)
        }
        for node in stride(from: leafCount - 1, to: 0, by: -1) {
            boxes[node] = boxes[2 * node]
            boxes[node].formUnion(boxes[2 * node + 1])
        }
    }

    /// The radius of the largest circle that touches the line at a point and has nothing of it inside.
    ///
    /// - Parameters:
    ///   - point: on the line.
    ///   - across: the unit vector to the circle's centre.
    ///   - own: the segment that the point belongs to, which counts for nothing; nil for a vertex.
    ///   - near: a segment near the point.
    ///   - reach: the result if the circle is larger.
    /// - Complexity: logarithmic in the segments, and linear in those near the circle.
    func radius(at point: Point, across: Point, own: Int?, near: Int, reach: Double) -> Double {
        var radius = reach
        // The nodes nearest to the point along the line come first, because they make the circle small.
        var open = [1]
        let start = leafCount + near / TangentCircles.leafSize
        while let node = open.popLast() {
            let center = point + radius * across
            guard boxes[node].leastDistance(to: center) < radius else { continue }
            if node >= leafCount {
                let first = (node - leafCount) * TangentCircles.leafSize
                for segment in first..<min(first + TangentCircles.leafSize, samples.count - 1) where segment != own {
                    let (a, b) = (samples[segment].position - point, samples[segment + 1].position - point)
                    radius = min(radius, self.radius(touching: a, b, across))
                }
                continue
            }
            var next = 2 * node
            // The one that is visited first is put on the stack last.
            if start >> (next.leadingZeroBitCount - start.leadingZeroBitCount) == next { next += 1 }
            open += [next, next ^ 1]
        }
        return radius
    }

    /// Whether nothing of the line but a segment lies in a box.
    func isFree(_ box: Rect, but own: Int) -> Bool {
        var open = [1]
        while let node = open.popLast() {
            guard !boxes[node].intersection(box).isEmpty else { continue }
            guard node >= leafCount else {
                open += [2 * node, 2 * node + 1]
                continue
            }
            let first = (node - leafCount) * TangentCircles.leafSize
            for segment in first..<min(first + TangentCircles.leafSize, samples.count - 1) where segment != own {
                var own = Rect.empty
                own.formUnion(samples[segment].position)
                own.formUnion(samples[segment + 1].position)
                if !own.intersection(box).isEmpty { return false }
            }
        }
        return true
    }

    /// The radius at which a circle that grows from the origin to one side meets a segment; infinite if it never does.
    private func radius(touching a: Point, _ b: Point, _ across: Point) -> Double {
        let (ahead, other) = (a.x * across.x + a.y * across.y, b.x * across.x + b.y * across.y)
        guard max(ahead, other) > tolerance else { return .infinity }
        /// A point e is inside of a circle round r n if |e - r n| < r.
        func radius(_ end: Point, _ ahead: Double) -> Double {
            guard ahead > tolerance else { return .infinity }
            return max(end.x * end.x + end.y * end.y - tolerance * tolerance, 0) / (2 * (ahead - tolerance))
        }
        let ends = min(radius(a, ahead), radius(b, other))
        let way = b - a
        let length = way.length
        let along = (1 / length) * way
        var normal = Point(x: -along.y, y: along.x)
        var offset = a.x * normal.x + a.y * normal.y
        if offset < 0 { (normal, offset) = (-1 * normal, -offset) }
        let cosine = normal.x * across.x + normal.y * across.y
        let near = (offset + tolerance) / (1 + cosine)
        let touching = offset < tolerance ? max(near, (tolerance - offset) / (1 - cosine)) : near
        guard touching < ends else { return ends }
        let center = touching * across - a
        let place = center.x * along.x + center.y * along.y
        return place >= 0 && place <= length ? touching : ends
    }
}
