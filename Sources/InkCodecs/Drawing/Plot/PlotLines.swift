import InkEngine

/// Open lines, one after the other.
struct PlotLines {
    private(set) var points: [Point] = []
    /// Behind the last point of each line.
    private(set) var ends: [Int] = []
    /// The numbers of the marks that the lines belong to.
    private(set) var depths: [Int] = []
    /// That of lines that are completed from now on.
    var depth = 0

    var count: Int { ends.count }
    var isEmpty: Bool { ends.isEmpty }

    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    subscript(index: Int) -> ArraySlice<Point> { points[range(index)] }

    /// The beginning of the line that is not complete.
    var openStart: Point? { points.count > (ends.last ?? 0) ? points[ends.last ?? 0] : nil }

    func start(_ index: Int) -> Point { points[range(index).lowerBound] }
    func end(_ index: Int) -> Point { points[ends[index] - 1] }

    /// Whether a line is one point, which is touched.
    func isDot(_ index: Int) -> Bool { range(index).count == 2 && start(index) == end(index) }

    /// A point of the line that is not complete.
    mutating func add(_ point: Point) { points.append(point) }

    /// Completes a line; one of a single point becomes a dot.
    mutating func end() {
        let start = ends.last ?? 0
        guard points.count > start else { return }
        if points.count == start + 1 { points.append(points[start]) }
        ends.append(points.count)
        depths.append(depth)
    }

    mutating func add(_ line: some Sequence<Point>) {
        points += line
        end()
    }

    mutating func add(_ other: PlotLines) {
        let base = points.count
        points += other.points
        ends += other.ends.map { base + $0 }
        depths += other.depths
    }

    /// How far the pen goes without drawing, from the origin on.
    var travel: Double {
        var (sum, last) = (0.0, Point(x: 0, y: 0))
        for index in 0..<count {
            sum += (start(index) - last).length
            last = end(index)
        }
        return sum
    }

    /// How far the pen goes while it draws.
    var length: Double {
        (0..<count).reduce(0) { sum, index in
            zip(self[index], self[index].dropFirst()).reduce(sum) { $0 + ($1.1 - $1.0).length }
        }
    }

    /// These lines, as those of a mark.
    func with(depth: Int) -> PlotLines {
        var lines = self
        lines.depths = Array(repeating: depth, count: count)
        return lines
    }

    func map(_ transform: (Point) -> Point) -> PlotLines {
        var lines = self
        for index in points.indices { lines.points[index] = transform(points[index]) }
        return lines
    }

    /// The parts of the lines that are inside of an area.
    func cut(to area: some PlotArea) -> PlotLines {
        cut(shows: { point, _ in area.contains(point) }, parts: { a, b, _ in area.parts(from: a, to: b) })
    }

    /// - Parameters:
    ///   - shows: whether a dot of a mark is kept.
    ///   - parts: what is kept of a line of a mark, as `PlotArea.parts`.
    func cut(
        shows: (Point, Int) -> Bool, parts: (Point, Point, Int) -> [ClosedRange<Double>]
    ) -> PlotLines {
        var cut = PlotLines()
        for index in 0..<count {
            cut.depth = depths[index]
            if isDot(index) {
                if shows(start(index), depths[index]) { cut.add(self[index]) }
                continue
            }
            let line = self[index]
            var isOpen = false
            for (a, b) in zip(line, line.dropFirst()) {
                func point(_ t: Double) -> Point { t <= 0 ? a : t >= 1 ? b : a + t * (b - a) }
                var reached = 0.0
                for part in parts(a, b, depths[index]) {
                    if !isOpen || part.lowerBound > reached {
                        cut.end()
                        cut.add(point(part.lowerBound))
                    }
                    cut.add(point(part.upperBound))
                    (isOpen, reached) = (true, part.upperBound)
                }
                if reached < 1 {
                    cut.end()
                    isOpen = false
                }
            }
            cut.end()
        }
        return cut
    }
}

/// Something that lines are cut to.
protocol PlotArea {
    func contains(_ point: Point) -> Bool
    /// The parts of a line that are inside, 0 to 1, in ascending order and apart.
    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>]
    /// Likewise, with what runs no farther outside of the edge than a distance, as far as that can be seen.
    func parts(from a: Point, to b: Point, reach: Double) -> [ClosedRange<Double>]
    /// Likewise, without what runs along the edge.
    func innerParts(from a: Point, to b: Point) -> [ClosedRange<Double>]
    /// Whether all of a box is inside, or nothing of it; nil: neither, or it is not known.
    func isInside(_ box: Rect) -> Bool?
}

extension PlotArea {
    func parts(from a: Point, to b: Point, reach: Double) -> [ClosedRange<Double>] { parts(from: a, to: b) }
    func innerParts(from a: Point, to b: Point) -> [ClosedRange<Double>] { parts(from: a, to: b) }
    func isInside(_ box: Rect) -> Bool? { nil }
}

extension Rect: PlotArea {
    func isInside(_ box: Rect) -> Bool? {
        if box.minX >= minX, box.maxX <= maxX, box.minY >= minY, box.maxY <= maxY { return true }
        return box.maxX < minX || box.minX > maxX || box.maxY < minY || box.minY > maxY ? false : nil
    }

    func contains(_ point: Point) -> Bool {
        point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY
    }

    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>] {
        let way = b - a
        var part = 0.0...1.0
        for (start, step, low, high) in [(a.x, way.x, minX, maxX), (a.y, way.y, minY, maxY)] {
            guard step != 0 else {
                if start < low || start > high { return [] }
                continue
            }
            let (one, other) = ((low - start) / step, (high - start) / step)
            guard let inside = part.clipped(min(one, other), max(one, other)) else { return [] }
            part = inside
        }
        return [part]
    }
}

extension ClosedRange<Double> {
    func clipped(_ low: Double, _ high: Double) -> ClosedRange<Double>? {
        let (from, to) = (Swift.max(lowerBound, low), Swift.min(upperBound, high))
        return from < to ? from...to : nil
    }
}
