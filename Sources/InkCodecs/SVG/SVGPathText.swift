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
        // A whole turn ends where it begins, which SVG takes for nothing; nearly one is ill-conditioned.
        guard abs(sweep) < 6, from != end else { return nil }
        // The axes are the singular values of the matrix with the columns u and v, turned by the left vectors' angle.
        let (e, f) = (Point(x: u.x + v.y, y: u.y - v.x), Point(x: u.x - v.y, y: u.y + v.x))
        let (sum, difference) = (e.length / 2, f.length / 2)
        let (long, short) = (sum + difference, abs(sum - difference))
        let isRound = difference < 1e-12 * sum
        let turn = isRound ? 0 : (angle(of: e) + angle(of: f)) / 2 * (180 / Double.pi)
        let isClockwise = (sweep > 0) == (u.x * v.y - u.y * v.x > 0)
        let size = max(abs(end.x), abs(end.y), long)
        var best: (error: Double, numbers: [Double])?
        func attempt(_ rx: Double, _ ry: Double, _ turn: Double) {
            var read = ShapePath()
            read.move(to: from)
            let isLarge = abs(sweep) > .pi
            guard
                read.arc(
                    to: end, radiusX: rx, radiusY: ry, turn: turn, isLarge: isLarge, isClockwise: isClockwise),
                read.verbs.last == .arc
            else { return }
            let arc = PathArc(read.points[1...])
            var error = 0.0
            if arc != self {
                // Five places tell one ellipse from another, and the ends are the same.
                for share in [0.25, 0.5, 0.75] { error = max(error, (arc.place(share) - place(share)).length) }
                error = max(error, .leastNonzeroMagnitude)
            }
            if error < best?.error ?? .infinity {
                best = (error, [rx, ry, turn, isLarge ? 1 : 0, isClockwise ? 1 : 0, end.x, end.y])
            }
        }
        // The numbers that the arc was read from were probably short; half an ellipse is best said by radii that are
        // too small by a bit, which are scaled up.
        let scales = [1e3, 1e6, 1e9, 1e12]
        for (rx, ry, turn) in [(long, short, turn), (short, long, turn > 0 ? turn - 90 : turn + 90)] {
            for scale in scales where best?.error != 0 {
                attempt(
                    (rx * scale).rounded() / scale, (ry * scale).rounded() / scale, (turn * scale).rounded() / scale)
            }
            for shrink in [1, 1 - 0x1p-50] where best?.error != 0 { attempt(rx * shrink, ry * shrink, turn) }
        }
        return best.flatMap { $0.error <= 1e-12 * size ? $0.numbers : nil }
    }
}
