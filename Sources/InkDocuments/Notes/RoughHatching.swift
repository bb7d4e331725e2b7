import Glibc
import InkEngine

/// Hatchings of shapes.
extension RoughSketch {
    enum Hatching {
        case lines
        case crossed
        case zigzag
    }

    /// Hatches a polygon.
    ///
    /// - Returns: nil where it would take too many lines.
    mutating func hatching(_ polygon: [Point], _ kind: Hatching) -> [Step]? {
        var steps: [Step] = []
        for angle in kind == .crossed ? [Self.angle, Self.angle + 90] : [Self.angle] {
            guard let rows = rows(in: polygon, angle: angle) else { return nil }
            for (from, to) in rows {
                if kind != .zigzag {
                    steps += line(from, to, isFill: true)
                } else if (to - from).length > 0 {
                    let radians = Self.angle * .pi / 180
                    let side = Point(
                        x: max(style.gap, 0.1) / 2 * cos(radians), y: -max(style.gap, 0.1) / 2 * sin(radians))
                    steps += line(from - side, to, isFill: true) + line(from + side, to, isFill: true)
                }
            }
        }
        return steps
    }

    /// Degrees, clockwise from the x axis.
    private static let angle = -41.0
    private static let rowsMax = 20_000.0
    /// Where rows are walked in steps of 1, the most of them between two lines.
    private static let walkMax = 64.0

    private struct Edge {
        let minY: Double
        let maxY: Double
        /// Where it begins, later where the row crosses it.
        var x: Double
        let slope: Double
    }

    /// Parallel lines inside of a polygon. Their ends are rounded to whole numbers in the turned drawing.
    private mutating func rows(in polygon: [Point], angle: Double) -> [(Point, Point)]? {
        let gap = (max(style.gap, 0.1) + 0.5).rounded(.down)
        var step = style.hatchesEvenly || gap > Self.walkMax ? max(gap, 0.1) : 1
        if !style.hatchesEvenly, style.roughness >= 1, draw() > 0.7, gap > 0 { step = gap }
        let radians = (angle + 90) * .pi / 180
        let (cosine, sine) = (cos(radians), sin(radians))
        let turned = polygon.map { Point(x: $0.x * cosine - $0.y * sine, y: $0.x * sine + $0.y * cosine) }
        var edges = turned.indices.compactMap { index -> Edge? in
            let (a, b) = (turned[index], turned[(index + 1) % turned.count])
            guard a.y != b.y else { return nil }
            return Edge(
                minY: min(a.y, b.y), maxY: max(a.y, b.y), x: a.y < b.y ? a.x : b.x, slope: (b.x - a.x) / (b.y - a.y))
        }
        edges.sort { ($0.minY, $0.x, $0.maxY) < ($1.minY, $1.x, $1.maxY) }
        guard let first = edges.first else { return [] }
        let height = edges.reduce(first.maxY) { max($0, $1.maxY) } - first.minY
        guard height / max(gap, 0.1) < Self.rowsMax else { return nil }

        var lines: [(Point, Point)] = []
        var active: [Edge] = []
        var (next, y, row) = (0, first.minY, 0.0)
        while next < edges.count || !active.isEmpty {
            while next < edges.count, edges[next].minY <= y {
                active.append(edges[next])
                next += 1
            }
            active.removeAll { $0.maxY <= y }
            active.sort { $0.x < $1.x }
            if step != 1 || row.truncatingRemainder(dividingBy: max(gap, 0.1)) == 0 {
                func back(_ edge: Edge) -> Point {
                    let x = (edge.x + 0.5).rounded(.down)
                    return Point(x: x * cosine + y * sine, y: y * cosine - x * sine)
                }
                for pair in stride(from: 0, to: active.count - 1, by: 2) {
                    lines.append((back(active[pair]), back(active[pair + 1])))
                }
            }
            y += step
            row += 1
            for index in active.indices { active[index].x += step * active[index].slope }
        }
        return lines
    }

    // MARK: - Polygons of curves

    /// The corners of what a path surrounds.
    ///
    /// - Parameter tolerance: how far curves may bend from the lines between the corners, roughly.
    func corners(of path: [Step], tolerance: Double) -> [Point] {
        var corners: [Point] = []
        var curve: [Point] = []
        for step in path {
            switch step {
            case .move(let point), .line(let point):
                corners += curve
                curve = []
                corners.append(point)
            case .curve(let first, let second, let end):
                Self.flatten(curve.last ?? corners.last ?? Point(x: 0, y: 0), first, second, end, tolerance, &curve)
            }
        }
        return Self.simplified(corners + curve, by: (1 + style.roughness) / 2)
    }

    /// The corners of what a curve through points surrounds.
    func corners(through points: [Point]) -> [Point] {
        guard let first = points.first, points.count > 2 else { return points }
        // Three points are the first of their curve too.
        let through = points.count == 3 ? [first] + points : points
        var corners: [Point] = []
        for index in 0..<(through.count - 1) {
            let (b, c) = (through[index], through[index + 1])
            let (a, d) = (index > 0 ? through[index - 1] : b, index + 2 < through.count ? through[index + 2] : c)
            Self.flatten(b, b + (1.0 / 6) * (c - a), c + (1.0 / 6) * (b - d), c, 10, &corners)
        }
        return Self.simplified(corners, by: (1 + style.roughness) / 2)
    }

    private static func flatten(
        _ a: Point, _ b: Point, _ c: Point, _ d: Point, _ tolerance: Double, _ points: inout [Point], depth: Int = 0
    ) {
        func square(_ value: Double) -> Double { value * value }
        let x = max(square(3 * b.x - 2 * a.x - d.x), square(3 * c.x - 2 * d.x - a.x))
        let y = max(square(3 * b.y - 2 * a.y - d.y), square(3 * c.y - 2 * d.y - a.y))
        guard x + y >= tolerance, depth < 10 else {
            if points.last.map({ ($0 - a).length > 1 }) ?? true { points.append(a) }
            return points.append(d)
        }
        func middle(_ a: Point, _ b: Point) -> Point { a + 0.5 * (b - a) }
        let (ab, bc, cd) = (middle(a, b), middle(b, c), middle(c, d))
        let (abc, bcd) = (middle(ab, bc), middle(bc, cd))
        let half = middle(abc, bcd)
        flatten(a, ab, abc, half, tolerance, &points, depth: depth + 1)
        flatten(half, bcd, cd, d, tolerance, &points, depth: depth + 1)
    }

    /// Without points that are nearer than a distance to the lines between the others (Ramer, Douglas and Peucker).
    static func simplified(_ points: [Point], by distance: Double) -> [Point] {
        guard points.count > 2 else { return points }
        var isKept = [Bool](repeating: false, count: points.count)
        (isKept[0], isKept[points.count - 1]) = (true, true)
        var open = [0..<points.count]
        while let range = open.popLast() {
            let (a, b) = (points[range.lowerBound], points[range.upperBound - 1])
            let along = b - a
            let square = along.x * along.x + along.y * along.y
            var (farthest, most) = (0, 0.0)
            for index in range.dropFirst().dropLast() {
                let arm = points[index] - a
                let share = square == 0 ? 0 : min(max((arm.x * along.x + arm.y * along.y) / square, 0), 1)
                let away = (arm - share * along).length
                if away > most { (farthest, most) = (index, away) }
            }
            guard most > distance else { continue }
            isKept[farthest] = true
            open += [range.lowerBound..<(farthest + 1), farthest..<range.upperBound]
        }
        return points.indices.filter { isKept[$0] }.map { points[$0] }
    }
}
