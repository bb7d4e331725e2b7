import Glibc
import InkEngine

/// Lines as tldraw's style "draw" has them: twice, each time with points that stray a little, and with rounded corners.
struct TldrawInk {
    typealias Step = RoughSketch.Step

    /// A line, or an outline where it is closed.
    struct Piece {
        var steps: [Step]
        var isClosed: Bool
        /// Whether the first and the last point stay where they are.
        var keepsEnds = false

        init(_ points: [Point], isClosed: Bool, keepsEnds: Bool = false) {
            steps = points.enumerated().map { $0.offset == 0 ? .move($0.element) : .line($0.element) }
            (self.isClosed, self.keepsEnds) = (isClosed, keepsEnds)
        }

        init(_ steps: [Step], isClosed: Bool, keepsEnds: Bool = false) {
            (self.steps, self.isClosed, self.keepsEnds) = (steps, isClosed, keepsEnds)
        }

        /// With the line back to its beginning.
        var closed: [Step] {
            guard isClosed, let first = steps.first?.end, let last = steps.last?.end else { return steps }
            return max(abs(first.x - last.x), abs(first.y - last.y)) <= 1e-6 ? steps : steps + [.line(first)]
        }
    }

    /// The width of the line, drawing's units.
    var lineWidth: Double
    /// What the random numbers come from.
    var seed: String

    func outline(_ pieces: [Piece]) -> [Step] {
        (0..<2).flatMap { pass in
            var random = TldrawRandom(seed + String(pass))
            return pieces.flatMap { draw($0, stray: lineWidth / 3, &random) }
        }
    }

    /// What a fill covers.
    func area(_ piece: Piece) -> [Step] {
        var random = TldrawRandom(seed + "0")
        return draw(piece, stray: 0, &random)
    }

    /// The length and the directions of the way to a point.
    private struct Way {
        /// From its beginning and its end, of length 1, as tldraw points them: along a line both backwards.
        var start: Point
        var end: Point
        var length: Double
        var isLine: Bool
    }

    private func draw(_ piece: Piece, stray: Double, _ random: inout TldrawRandom) -> [Step] {
        let path = piece.closed
        guard path.count > 1 else { return [] }
        let ways = path.indices.map { $0 == 0 ? nil : Self.way(from: path[$0 - 1].end, path[$0]) }
        func next(_ index: Int) -> Way? {
            index + 1 < path.count ? ways[index + 1] : piece.isClosed ? ways[1] : nil
        }
        func round(_ before: Way?, _ after: Way?) -> Double {
            guard let before, let after, before.isLine, after.isLine else { return 0 }
            let cosine = before.end.x * after.start.x + before.end.y * after.start.y
            let angle = acos(min(max(cosine, -1), 1))
            return min(max(2 * (1 - angle / .pi), 0), 1) * 2 * lineWidth
        }
        var (steps, first): ([Step], Point) = ([], Point(x: 0, y: 0))
        for (index, step) in path.enumerated() {
            let isLast = index == path.count - 1
            let (before, after) = (ways[index], next(index))
            let roundness = round(before, after)
            let shortest = min(before?.length ?? .infinity, after?.length ?? .infinity)
            let reach = piece.keepsEnds && (index == 0 || isLast) ? 0 : stray
            let most = max(0, min(reach, (shortest - 2 * roundness) / 4))
            var offset = first
            if !(piece.isClosed && isLast) {
                let x = random.next() * most
                offset = Point(x: x, y: random.next() * most)
            }
            let corner = step.end + offset
            var start = corner
            var end = corner
            if let before { start = corner + min(roundness, before.length / 4) * before.end }
            if let after { end = corner - min(roundness, after.length / 4) * after.start }
            switch step {
            case .move:
                first = offset
                // An outline begins behind the rounding of its last corner.
                if piece.isClosed, let after {
                    end = corner - min(round(ways[path.count - 1], after), after.length / 4) * after.start
                }
                steps.append(.move(end))
            case .line:
                guard roundness > 0 else {
                    steps.append(.line(corner))
                    continue
                }
                steps.append(.line(start))
                steps.append(
                    .curve(start + (2.0 / 3) * (corner - start), end + (2.0 / 3) * (corner - end), end))
            case .curve(let one, let two, _): steps.append(.curve(one + offset, two + offset, corner))
            }
        }
        return steps
    }

    private static func way(from start: Point, _ step: Step) -> Way {
        func unit(_ arm: Point) -> Point { arm.length > 0 ? (1 / arm.length) * arm : Point(x: 0, y: 0) }
        guard case .curve(let first, let second, let end) = step else {
            let back = unit(start - step.end)
            return Way(start: back, end: back, length: (start - step.end).length, isLine: back.length > 0)
        }
        let points = RoughSketch.pieces([.move(start), step])[0]
        let length = zip(points, points.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).length }
        return Way(start: unit(first - start), end: unit(second - end), length: length, isLine: false)
    }

    // MARK: - Clouds

    /// Bumps around a pill, of arcs of circles.
    ///
    /// - Parameter bump: how far apart they are, about.
    static func cloud(width: Double, height: Double, bump: Double, scale: Double, seed: String) -> Piece {
        func perimeter(_ width: Double, _ height: Double) -> Double {
            let short = min(width, height)
            return 2 * (.pi * short / 2 + max(width, height) - short)
        }
        let around = perimeter(width, height)
        let count = Int(min(max((around / bump).rounded(.up), 6, (around / min(width, height)).rounded(.up)), 1000))
        let bulge = around / Double(count) * 0.2
        let inner = (x: max(width - 2 * bulge, 1), y: max(height - 2 * bulge, 1))
        let padding = Point(x: (width - inner.x) / 2, y: (height - inner.y) / 2)
        let distance = perimeter(inner.x, inner.y) / Double(count)
        let points = pill(width: inner.x, height: inner.y, count: count).map { padding + $0 }
        // The bumps sway, those near the beginning first.
        var random = TldrawRandom(seed)
        let (swayX, swayY) = (width < 20 ? 0 : 0.3 * bulge * scale, height < 20 ? 0 : 0.3 * bulge * scale)
        var swayed = points
        for index in 0..<(count / 2) {
            for index in [index, count - index - 1] {
                let x = swayed[index].x + random.next() * swayX
                swayed[index] = Point(x: x, y: swayed[index].y + random.next() * swayY)
            }
        }
        var steps = [Step.move(swayed[0])]
        for index in 0..<count {
            let other = (index + 1) % count
            let (from, to) = (swayed[index], swayed[other])
            let chord = points[other] - points[index]
            let apart = chord.length
            guard apart > 0, (to - from).length > 0 else { continue }
            let out = (max(padding.x, padding.y) + distance - apart) * (to - from).length / apart
            var top = points[index] + 0.5 * chord + (out / apart) * Point(x: chord.y, y: -chord.x)
            top = Point(x: min(max(top.x, 0), width), y: min(max(top.y, 0), height))
            steps += arc(from, to, through: top)
        }
        return Piece(steps, isClosed: true)
    }

    /// Points at equal distances around a shape of two half circles and two lines.
    private static func pill(width: Double, height: Double, count: Int) -> [Point] {
        let radius = min(width, height) / 2
        let long = max(width, height) - 2 * radius
        let isWide = width > height
        let total = 2 * (.pi * radius + long)
        return (0..<count).map { index in
            var way = total * Double(index) / Double(count)
            var isBack = false
            if way > long + .pi * radius { (way, isBack) = (way - long - .pi * radius, true) }
            // As seen on a level pill from its upper left; an upright one is turned by a right angle.
            var point = Point(x: radius + way, y: 0)
            if way > long {
                let (sine, cosine) = sinCos(degrees: (way - long) / radius * 180 / .pi - 90)
                point = Point(x: radius + long + radius * cosine, y: radius + radius * sine)
            }
            if isBack { point = Point(x: 2 * radius + long - point.x, y: 2 * radius - point.y) }
            return isWide ? point : Point(x: width - point.y, y: point.x)
        }
    }

    /// The smaller arc, clockwise, of the circle that goes through three points, as curves of at most 90 degrees.
    private static func arc(_ from: Point, _ to: Point, through top: Point) -> [Step] {
        let (b, c) = (to - from, top - from)
        let cross = 2 * (b.x * c.y - b.y * c.x)
        guard abs(cross) > 1e-9 else { return [.line(to)] }
        let (bb, cc) = (b.x * b.x + b.y * b.y, c.x * c.x + c.y * c.y)
        let radius = Point(x: (c.y * bb - b.y * cc) / cross, y: (b.x * cc - c.x * bb) / cross).length
        // The centre that makes it the smaller arc, on the right of the way.
        let half = b.length / 2
        let away = max(radius * radius - half * half, 0).squareRoot()
        let center = from + 0.5 * b + (away / b.length) * Point(x: -b.y, y: b.x)
        let (start, arm) = (from - center, to - center)
        var sweep = atan2(arm.y, arm.x) - atan2(start.y, start.x)
        if sweep < 0 { sweep += 2 * .pi }
        let count = max(1, min(4, (sweep / (.pi / 2)).rounded(.up)))
        let handle = 4.0 / 3 * tan(sweep / count / 4)
        return (0..<Int(count)).map { index in
            func place(_ index: Int) -> Point {
                let (sine, cosine) = sinCos(degrees: sweep / count * Double(index) * 180 / .pi)
                return Point(x: cosine * start.x - sine * start.y, y: sine * start.x + cosine * start.y)
            }
            let (a, b) = (place(index), place(index + 1))
            return .curve(
                center + a + handle * Point(x: -a.y, y: a.x), center + b - handle * Point(x: -b.y, y: b.x), center + b)
        }
    }
}

/// The random numbers of tldraw (xorshift), which begin with a text.
struct TldrawRandom {
    private var (x, y, z, w): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)

    init(_ seed: String) {
        for unit in Array(seed.utf16) + [UInt16](repeating: 0, count: 64) {
            x ^= UInt32(unit)
            _ = next()
        }
    }

    /// -1..<1
    mutating func next() -> Double {
        let mixed = x ^ (x << 11)
        (x, y, z) = (y, z, w)
        w ^= (w >> 19) ^ mixed ^ (mixed >> 8)
        return Double(Int32(bitPattern: w)) / 0x1p31
    }
}
