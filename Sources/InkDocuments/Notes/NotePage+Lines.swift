import InkEngine

/// What lines of points become before they are strokes.
extension NotePage {
    /// The points of a line where its dashes are, lengths of lines and gaps in turns. A line of more than a million dashes
    /// has none.
    ///
    /// - Parameter offset: how far behind the beginning of the first dash the line begins.
    static func dashes(_ points: [WidePoint], _ lengths: [Double], offset: Double = 0) -> [[WidePoint]] {
        let period = lengths.reduce(0, +)
        guard lengths.allSatisfy({ $0 >= 0 && $0.isFinite }), period > 1e-6, let first = points.first else {
            return [points]
        }
        func distance(_ a: WidePoint, _ b: WidePoint) -> Double { Point(x: b.x - a.x, y: b.y - a.y).length }
        let total = zip(points, points.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }
        guard total / period * Double(lengths.count) < 1e6 else { return [points] }
        var (dashes, dash): ([[WidePoint]], [WidePoint]) = ([], [first])
        var (index, left) = (0, lengths[0])
        let whole = lengths.count % 2 == 0 ? period : 2 * period
        var skipped = offset.truncatingRemainder(dividingBy: whole)
        if skipped < 0 { skipped += whole }
        while skipped >= left, skipped > 0 {
            skipped -= left
            index = (index + 1) % (lengths.count % 2 == 0 ? lengths.count : 2 * lengths.count)
            left = lengths[index % lengths.count]
        }
        left -= skipped
        if index % 2 != 0 { dash = [] }
        for (from, to) in zip(points, points.dropFirst()) {
            let length = distance(from, to)
            var done = 0.0
            while length - done > left {
                done += left
                let point = between(from, to, done / length)
                if index % 2 == 0 {
                    dashes.append(dash + [point])
                    dash = []
                } else {
                    dash = [point]
                }
                index = (index + 1) % (lengths.count % 2 == 0 ? lengths.count : 2 * lengths.count)
                left = max(lengths[index % lengths.count], 1e-6)
            }
            left -= length - done
            if index % 2 == 0 { dash.append(to) }
        }
        if dash.count > 1 { dashes.append(dash) }
        return dashes
    }

    /// A line without its ends, or with longer ones for a length below 0, both along its first and last piece; what is too
    /// short becomes its middle.
    ///
    /// - Returns: nil for what has no length to lose.
    static func shortened(_ points: [WidePoint], by length: Double) -> [WidePoint]? {
        let total = zip(points, points.dropFirst()).reduce(0) {
            $0 + Point(x: $1.1.x - $1.0.x, y: $1.1.y - $1.0.y).length
        }
        // Dashes without length are a little longer.
        guard total > 1e-5 else { return length < 0 ? points : nil }
        func cut(_ points: [WidePoint]) -> [WidePoint] {
            var (rest, left) = (points[...], min(length, total / 2 * (1 - 1e-9)))
            while rest.count > 1 {
                let (from, to) = (rest[rest.startIndex], rest[rest.startIndex + 1])
                let size = Point(x: to.x - from.x, y: to.y - from.y).length
                if size > 0, left <= size {
                    rest[rest.startIndex].x += (to.x - from.x) * left / size
                    rest[rest.startIndex].y += (to.y - from.y) * left / size
                    break
                }
                left -= size
                rest = rest.dropFirst()
            }
            return Array(rest)
        }
        return cut(cut(points).reversed()).reversed()
    }

    /// Where the way between two points is inside of a box, as shares of it; nil: nowhere.
    private static func inside(_ from: WidePoint, _ to: WidePoint, _ box: Rect) -> (enter: Double, leave: Double)? {
        var (enter, leave) = (0.0, 1.0)
        for (start, way, low, high) in [
            (from.x, to.x - from.x, box.minX, box.maxX), (from.y, to.y - from.y, box.minY, box.maxY),
        ] {
            if way == 0 {
                if start <= low || start >= high { return nil }
                continue
            }
            let (a, b) = ((low - start) / way, (high - start) / way)
            (enter, leave) = (max(enter, min(a, b)), min(leave, max(a, b)))
        }
        return enter < leave ? (enter, leave) : nil
    }

    private static func between(_ from: WidePoint, _ to: WidePoint, _ share: Double) -> WidePoint {
        var point = from
        point.x += (to.x - from.x) * share
        point.y += (to.y - from.y) * share
        point.width += (to.width - from.width) * share
        return point
    }

    private static func isInside(_ point: WidePoint, _ box: Rect) -> Bool {
        point.x > box.minX && point.x < box.maxX && point.y > box.minY && point.y < box.maxY
    }

    /// The parts of a line that lie outside of a box.
    static func cut(_ line: [WidePoint], by box: Rect) -> [[WidePoint]] {
        guard !box.isEmpty, let first = line.first else { return [line] }
        var (parts, part): ([[WidePoint]], [WidePoint]) = ([], isInside(first, box) ? [] : [first])
        for (from, to) in zip(line, line.dropFirst()) {
            guard let (enter, leave) = inside(from, to, box) else {
                part.append(to)
                continue
            }
            if enter > 0 { parts.append(part + [between(from, to, enter)]) }
            part = leave < 1 ? [between(from, to, leave), to] : []
        }
        if part.count > 1 || line.count == 1 && !part.isEmpty { parts.append(part) }
        return parts
    }

    /// The parts of a line that lie inside of a box.
    static func parts(of line: [WidePoint], inside box: Rect) -> [[WidePoint]] {
        guard !box.isEmpty, let first = line.first else { return [] }
        if line.count == 1 { return isInside(first, box) ? [line] : [] }
        var (parts, part): ([[WidePoint]], [WidePoint]) = ([], [])
        for (from, to) in zip(line, line.dropFirst()) {
            guard let (enter, leave) = inside(from, to, box) else {
                if part.count > 1 { parts.append(part) }
                part = []
                continue
            }
            if enter > 0 || part.isEmpty {
                if part.count > 1 { parts.append(part) }
                part = [enter > 0 ? between(from, to, enter) : from]
            }
            part.append(leave < 1 ? between(from, to, leave) : to)
            if leave < 1 {
                parts.append(part)
                part = []
            }
        }
        if part.count > 1 { parts.append(part) }
        return parts
    }

    /// The subpaths of a path without arcs, whose curves become short lines.
    static func polygons(of path: ShapePath) -> [[Point]] {
        var (polygons, first): ([[Point]], Int) = ([], 0)
        for verb in path.verbs {
            let own = path.points[first..<first + verb.pointCount]
            first += own.count
            switch verb {
            case .move: polygons.append(Array(own))
            case .close: break
            default:
                let from = polygons[polygons.count - 1].suffix(1)
                for step in 1...(own.count > 1 ? 24 : 1) {
                    // De Casteljau's places between the points.
                    var points = from + own
                    while points.count > 1 {
                        points =
                            zip(points, points.dropFirst()).map { a, b in
                                a + (own.count > 1 ? Double(step) / 24 : 1) * (b - a)
                            }[...]
                    }
                    polygons[polygons.count - 1] += points
                }
            }
        }
        return polygons
    }

    /// The part of a polygon inside of a box, after Sutherland and Hodgman: what lies outside is drawn onto the box's border,
    /// where it has no area.
    static func cut(polygon: [Point], to box: Rect) -> [Point] {
        guard !box.isEmpty else { return [] }
        var corners = polygon
        // How far inside of each border a point lies.
        let borders: [(Point) -> Double] = [
            { $0.x - box.minX }, { box.maxX - $0.x }, { $0.y - box.minY }, { box.maxY - $0.y },
        ]
        for inside in borders {
            guard var last = corners.last else { return [] }
            var kept: [Point] = []
            for corner in corners {
                let (before, after) = (inside(last), inside(corner))
                if (before < 0) != (after < 0) {
                    let share = before / (before - after)
                    kept.append(last + share * (corner - last))
                }
                if after >= 0 { kept.append(corner) }
                last = corner
            }
            corners = kept
        }
        return corners
    }
}
