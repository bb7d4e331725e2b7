import InkEngine

extension PlotLines {
    /// The lines that one pen draws, with fewer of them: straight lines on one another become one, lines whose ends meet
    /// are joined, points that change nothing are left out, and no dot is touched twice.
    ///
    /// - Parameter tolerance: how far things may be moved, a fraction of the width of a pen.
    func joined(tolerance: Double) -> PlotLines {
        var dots: Set<Cell> = []
        var straight: [(Point, Point)] = []
        var other = PlotLines()
        for index in 0..<count {
            if isDot(index) {
                if dots.insert(Cell(start(index), tolerance)).inserted { other.add(self[index]) }
            } else if range(index).count == 2 {
                straight.append((start(index), end(index)))
            } else {
                other.add(self[index])
            }
        }
        for (a, b) in PlotLines.merged(straight, tolerance: tolerance) { other.add([a, b]) }
        return other.joinedAtEnds(tolerance: tolerance)
    }

    /// A square of a grid.
    private struct Cell: Hashable {
        var x: Int
        var y: Int

        init(_ point: Point, _ edge: Double) {
            func whole(_ value: Double) -> Int { Int(min(max((value / edge).rounded(), -1e15), 1e15)) }
            (x, y) = (whole(point.x), whole(point.y))
        }

        init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    }

    // MARK: Lines on one another

    /// Steps of a quarter turn that count as one direction.
    private static let directions = 4000.0

    /// A straight line, by its direction and distance from the origin.
    private struct Bar {
        var direction: Int
        var offset: Double
        var from: Double
        var to: Double
    }

    /// The unit vector of a direction, 0 to 2 * `directions`.
    private static func unit(_ direction: Int) -> Point {
        let turn = Double(direction) / directions
        let way = Point(x: 1 - turn, y: turn <= 1 ? turn : 2 - turn)
        return (1 / way.length) * way
    }

    private static func merged(_ lines: [(Point, Point)], tolerance: Double) -> [(Point, Point)] {
        var bars = lines.map { a, b -> Bar in
            var way = b - a
            if way.y < 0 || (way.y == 0 && way.x < 0) { way = -1 * way }
            // Grows with the angle, from 0 to 2; nothing but arithmetic, so it is the same everywhere.
            let turn = way.x >= 0 ? way.y / (way.x + way.y) : 1 - way.x / (way.y - way.x)
            var direction = Int((turn * directions).rounded())
            if direction == Int(2 * directions) { direction = 0 }
            let along = unit(direction)
            let middle = 0.5 * (a + b)
            let (one, other) = (a.x * along.x + a.y * along.y, b.x * along.x + b.y * along.y)
            return Bar(
                direction: direction, offset: middle.y * along.x - middle.x * along.y, from: min(one, other),
                to: max(one, other))
        }
        bars.sort { ($0.direction, $0.offset, $0.from, $0.to) < ($1.direction, $1.offset, $1.from, $1.to) }
        var merged: [(Point, Point)] = []
        var start = 0
        while start < bars.count {
            var end = start
            while end < bars.count, bars[end].direction == bars[start].direction,
                bars[end].offset - bars[start].offset <= tolerance
            {
                end += 1
            }
            let along = unit(bars[start].direction)
            func add(_ bar: Bar) {
                func point(_ way: Double) -> Point {
                    Point(x: way * along.x - bar.offset * along.y, y: way * along.y + bar.offset * along.x)
                }
                merged.append((point(bar.from), point(bar.to)))
            }
            var open: Bar?
            for bar in bars[start..<end].sorted(by: { ($0.from, $0.offset) < ($1.from, $1.offset) }) {
                if var wide = open, bar.from <= wide.to + tolerance {
                    wide.to = max(wide.to, bar.to)
                    open = wide
                } else {
                    if let open { add(open) }
                    open = bar
                }
            }
            if let open { add(open) }
            start = end
        }
        return merged
    }

    // MARK: Ends that meet

    /// An end of a line.
    private struct End {
        var line: Int
        var isStart: Bool
    }

    private func joinedAtEnds(tolerance: Double) -> PlotLines {
        // The latest end of each square, and for each end the one before it in its square: twice the line, and one more
        // for its end.
        var latest: [Cell: Int32] = [:]
        var before = Array(repeating: Int32(-1), count: 2 * count)
        for index in 0..<count where !isDot(index) {
            for end in [2 * index, 2 * index + 1] {
                let cell = Cell(end & 1 == 0 ? start(index) : self.end(index), tolerance)
                before[end] = latest[cell] ?? -1
                latest[cell] = Int32(end)
            }
        }
        var isUsed = Array(repeating: false, count: count)
        func place(_ end: End) -> Point { end.isStart ? start(end.line) : self.end(end.line) }
        /// The nearest end of a line that is left.
        func next(to point: Point) -> End? {
            let cell = Cell(point, tolerance)
            var best: (end: End, distance: Double)?
            for y in (cell.y - 1)...(cell.y + 1) {
                for x in (cell.x - 1)...(cell.x + 1) {
                    var number = latest[Cell(x: x, y: y)] ?? -1
                    while number >= 0 {
                        let end = End(line: Int(number / 2), isStart: number & 1 == 0)
                        number = before[Int(number)]
                        let distance = (place(end) - point).length
                        guard !isUsed[end.line], distance <= tolerance, distance < best?.distance ?? .infinity else {
                            continue
                        }
                        best = (end, distance)
                    }
                }
            }
            return best?.end
        }
        /// Lines from a point on, each as it is drawn.
        func chain(from point: Point) -> [Point] {
            var chain: [Point] = []
            var last = point
            while let end = next(to: last) {
                isUsed[end.line] = true
                let line = self[end.line]
                if end.isStart { chain += line.dropFirst() } else { chain += line.reversed().dropFirst() }
                last = chain[chain.count - 1]
            }
            return chain
        }
        var joined = PlotLines()
        for index in 0..<count where !isUsed[index] {
            isUsed[index] = true
            if isDot(index) {
                joined.add(self[index])
                continue
            }
            let forward = chain(from: end(index))
            let backward = chain(from: start(index))
            let line = Array(backward.reversed()) + Array(self[index]) + forward
            joined.add(PlotLines.simplified(line, tolerance: tolerance / 5))
        }
        return joined
    }

    /// A line without the points from which it is nowhere farther than the tolerance (Douglas and Peucker).
    static func simplified(_ line: [Point], tolerance: Double) -> [Point] {
        guard line.count > 2 else { return line }
        var isKept = Array(repeating: false, count: line.count)
        (isKept[0], isKept[line.count - 1]) = (true, true)
        var open = [(0, line.count - 1)]
        while let (first, last) = open.popLast() {
            let way = line[last] - line[first]
            let length = way.length
            var farthest = (index: first, distance: tolerance)
            for index in (first + 1)..<max(last, first + 1) {
                let from = line[index] - line[first]
                // Beyond the ends of the chord the way to them counts.
                let t = length > 0 ? (from.x * way.x + from.y * way.y) / (length * length) : 0
                let distance = (from - min(max(t, 0), 1) * way).length
                if distance > farthest.distance { farthest = (index, distance) }
            }
            guard farthest.index > first else { continue }
            isKept[farthest.index] = true
            open.append((first, farthest.index))
            open.append((farthest.index, last))
        }
        return line.indices.filter { isKept[$0] }.map { line[$0] }
    }

    // MARK: Order

    /// These lines in a shorter order, some of them from the other end, each as near as can be to the one before.
    func sorted() -> PlotLines {
        var ends = PlotEnds(self)
        var sorted = PlotLines()
        var last = Point(x: 0, y: 0)
        while let (index, isStart) = ends.takeNearest(to: last) {
            if isStart { sorted.add(self[index]) } else { sorted.add(self[index].reversed()) }
            last = isStart ? end(index) : start(index)
        }
        return sorted
    }
}

/// The ends of lines that are not drawn yet, in squares that are divided into four again and again.
private struct PlotEnds {
    private let lines: PlotLines
    private let depth: Int
    private var box = Rect.empty
    /// Ends in each square, for each depth row by row.
    private var counts: [[Int32]]
    /// The ends of each of the smallest squares: twice the line, and one more for its end.
    private var cells: [[Int32]]

    init(_ lines: PlotLines) {
        self.lines = lines
        for point in lines.points { box.formUnion(point) }
        var depth = 0
        while depth < 10, 1 << (2 * depth) < lines.count { depth += 1 }
        self.depth = depth
        counts = (0...depth).map { Array(repeating: 0, count: 1 << (2 * $0)) }
        cells = Array(repeating: [], count: 1 << (2 * depth))
        for index in 0..<lines.count {
            for end in 0..<2 {
                let (x, y) = cell(place(2 * index + end))
                cells[y << depth + x].append(Int32(2 * index + end))
                for level in 0...depth { counts[level][(y >> (depth - level)) << level + x >> (depth - level)] += 1 }
            }
        }
    }

    private func place(_ end: Int) -> Point { end & 1 == 0 ? lines.start(end / 2) : lines.end(end / 2) }

    private func cell(_ point: Point) -> (Int, Int) {
        let side = Double(1 << depth)
        func index(_ value: Double, _ low: Double, _ high: Double) -> Int {
            high > low ? Int(min(max((value - low) / (high - low) * side, 0), side - 1)) : 0
        }
        return (index(point.x, box.minX, box.maxX), index(point.y, box.minY, box.maxY))
    }

    /// Takes out the line with the nearest end.
    mutating func takeNearest(to point: Point) -> (index: Int, isStart: Bool)? {
        guard counts[0][0] > 0 else { return nil }
        var best = (end: -1, square: Double.infinity)
        search(0, 0, 0, point, &best)
        for end in [best.end, best.end ^ 1] {
            let (x, y) = cell(place(end))
            cells[y << depth + x].removeAll { $0 == Int32(end) }
            for level in 0...depth { counts[level][(y >> (depth - level)) << level + x >> (depth - level)] -= 1 }
        }
        return (best.end / 2, best.end & 1 == 0)
    }

    private func search(_ level: Int, _ x: Int, _ y: Int, _ point: Point, _ best: inout (end: Int, square: Double)) {
        if level == depth {
            for end in cells[y << depth + x] {
                let way = place(Int(end)) - point
                let square = way.x * way.x + way.y * way.y
                if square < best.square || (square == best.square && Int(end) < best.end) { best = (Int(end), square) }
            }
            return
        }
        let below = level + 1
        var near: [(square: Double, x: Int, y: Int)] = []
        for (nextX, nextY) in [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)]
        where counts[below][nextY << below + nextX] > 0 {
            near.append((distance(below, nextX, nextY, point), nextX, nextY))
        }
        near.sort { ($0.square, $0.y, $0.x) < ($1.square, $1.y, $1.x) }
        for square in near where square.square <= best.square { search(below, square.x, square.y, point, &best) }
    }

    /// The square of the distance to a square.
    private func distance(_ level: Int, _ x: Int, _ y: Int, _ point: Point) -> Double {
        let side = Double(1 << level)
        let (width, height) = ((box.maxX - box.minX) / side, (box.maxY - box.minY) / side)
        let (left, top) = (box.minX + Double(x) * width, box.minY + Double(y) * height)
        let alongX = max(left - point.x, 0, point.x - left - width)
        let alongY = max(top - point.y, 0, point.y - top - height)
        return alongX * alongX + alongY * alongY
    }
}
