package import InkEngine

extension ShapePath {
    /// The path as SVG's path data, from which `SVGPathData` reads it. Lines and curves read back the same; so do arcs
    /// that were read from short numbers. Others read back within 1e-12 of their size, in parts where they need to be.
    package var data: [UInt8] {
        var text = PathText()
        var (first, last) = (0, Point(x: 0, y: 0))
        for verb in verbs {
            let own = points[first..<first + verb.pointCount]
            first += verb.pointCount
            switch verb {
            case .move: text.add("M", own)
            case .line: text.add("L", own)
            case .quadratic: text.add("Q", own)
            case .cubic: text.add("C", own)
            case .arc: text.add(PathArc(own), from: last, depth: 0)
            case .close: text.bytes.append(UInt8(ascii: "Z"))
            }
            last = own.last ?? last
        }
        return text.bytes
    }
}

private struct PathText {
    var bytes: [UInt8] = []

    mutating func add(_ command: Unicode.Scalar, _ points: some Sequence<Point>) {
        add(command, numbers: points.flatMap { [$0.x, $0.y] })
    }

    private mutating func add(_ command: Unicode.Scalar, numbers: [Double]) {
        bytes.append(UInt8(ascii: command))
        for (index, number) in numbers.enumerated() {
            if index > 0, number.sign == .plus { bytes.append(UInt8(ascii: " ")) }
            bytes.appendShortest(number)
        }
    }

    /// The parts of arcs that are halved at most so often.
    private static let depthMax = 4

    mutating func add(_ arc: PathArc, from: Point, depth: Int) {
        if let numbers = arc.numbers(from: from) { return add("A", numbers: numbers) }
        guard depth < Self.depthMax else {
            var path = ShapePath()
            path.move(to: from)
            arc.addCurves(to: &path)
            var curves = path.points.dropFirst()
            while !curves.isEmpty {
                add("C", curves.prefix(3))
                curves = curves.dropFirst(3)
            }
            return
        }
        let halves = arc.halves
        add(halves.0, from: from, depth: depth + 1)
        add(halves.1, from: halves.0.end, depth: depth + 1)
    }
}

extension PathArc {
    var halves: (PathArc, PathArc) {
        func part(_ start: Double, to end: Point) -> PathArc {
            PathArc([center, u, v, Point(x: start, y: sweep / 2), end])
        }
        return (part(start, to: place(0.5)), part(start + sweep / 2, to: end))
    }

    /// The numbers of SVG's command for an arc that reads back as this one; nil if there is none.
    func numbers(from: Point) -> [Double]? {
        // A whole turn ends where it begins, which SVG takes for nothing.
        guard abs(sweep) < 2 * .pi, from != end else { return nil }
        // The axes are the singular values of the matrix with the columns u and v, turned by the left vectors' angle.
        let (e, f) = (Point(x: u.x + v.y, y: u.y - v.x), Point(x: u.x - v.y, y: u.y + v.x))
        let (sum, difference) = (e.length / 2, f.length / 2)
        let (long, short) = (sum + difference, abs(sum - difference))
        let isRound = difference < 1e-12 * sum
        let turn = isRound ? 0 : (angle(of: e) + angle(of: f)) / 2 * (180 / Double.pi)
        let isClockwise = (sweep > 0) == (u.x * v.y - u.y * v.x > 0)
        let tolerance = 1e-12 * max(abs(end.x), abs(end.y), long)
        /// The numbers, and whether they read back the same; nil where they read back as another arc.
        func attempt(_ rx: Double, _ ry: Double, _ turn: Double) -> (numbers: [Double], isSame: Bool)? {
            var read = ShapePath()
            read.move(to: from)
            let isLarge = abs(sweep) > .pi
            guard
                read.arc(
                    to: end, radiusX: rx, radiusY: ry, turn: turn, isLarge: isLarge, isClockwise: isClockwise),
                read.verbs.last == .arc
            else { return nil }
            let arc = PathArc(read.points[1...])
            // Five places tell one ellipse from another, and the ends are the same.
            let isNear = [0.25, 0.5, 0.75].allSatisfy { (arc.place($0) - place($0)).length <= tolerance }
            return isNear ? ([rx, ry, turn, isLarge ? 1 : 0, isClockwise ? 1 : 0, end.x, end.y], arc == self) : nil
        }
        // The numbers that the arc was read from were probably short; half an ellipse is best said by radii that are
        // too small by a bit, which are scaled up.
        var near: [Double]?
        for (rx, ry, turn) in [(long, short, turn), (short, long, turn > 0 ? turn - 90 : turn + 90)] {
            for scale in [1e3, 1e6, 1e9, 1e12] {
                for rule in [FloatingPointRoundingRule.toNearestOrEven, .down] {
                    func short(_ value: Double, _ rule: FloatingPointRoundingRule = .toNearestOrEven) -> Double {
                        let rounded = (value * scale).rounded(rule) / scale
                        return rounded.isFinite ? rounded : value
                    }
                    guard let found = attempt(short(rx, rule), short(ry, rule), short(turn)) else { continue }
                    if found.isSame { return found.numbers }
                    near = near ?? found.numbers
                }
            }
        }
        return near ?? attempt(long, short, turn)?.numbers
    }
}
