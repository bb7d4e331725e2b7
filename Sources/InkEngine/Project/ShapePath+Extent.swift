extension ShapePath {
    /// The smallest box that contains the path's curves under a map; empty for a path without segments.
    public func extent(under map: AffineMap) -> Rect {
        var box = Rect.empty
        var (from, start, first) = (Point(x: 0, y: 0), Point(x: 0, y: 0), 0)
        for verb in verbs {
            let points = points[first..<first + verb.pointCount].map { map.point($0) }
            let begin = from
            switch verb {
            case .move: (from, start) = (points[0], points[0])
            case .line: from = points[0]
            case .quadratic:
                from = points[1]
                box.formUnion(extremes: begin, 2 * (points[0] - begin), begin - points[0] + (from - points[0]))
            case .cubic:
                from = points[2]
                let (a, b) = (points[0] - begin, begin - points[0] + (points[1] - points[0]))
                let c = points[0] - points[1] + (from - points[1]) - b
                box.formUnion(extremes: begin, 3 * a, 3 * b, c)
            case .arc:
                from = points[4]
                let angles = self.points[first + 3]
                box.formUnion(
                    arcFrom: begin, to: from, map.way(self.points[first + 1]), map.way(self.points[first + 2]),
                    start: angles.x, sweep: angles.y)
            case .close: from = start
            }
            first += verb.pointCount
            if verb != .move {
                box.formUnion(begin)
                box.formUnion(from)
            }
        }
        return box
    }
}

extension Rect {
    /// Adds the places of begin + t (a + t (b + t c)), t from 0 to 1, at which x or y has an extreme.
    fileprivate mutating func formUnion(
        extremes begin: Point, _ a: Point, _ b: Point, _ c: Point = Point(x: 0, y: 0)
    ) {
        // Where p + 2 q t + 3 r t^2 is 0.
        for (p, q, r) in [(a.x, b.x, c.x), (a.y, b.y, c.y)] {
            let root = max(q * q - 3 * p * r, 0).squareRoot()
            // Both signs are equal, so that nothing cancels.
            let sum = -(q + (q < 0 ? -root : root))
            for t in [sum / (3 * r), p / sum] where t > 0 && t < 1 {
                formUnion(begin + t * (a + t * (b + t * c)))
            }
        }
    }

    /// Adds the places of an arc at which x or y has an extreme.
    fileprivate mutating func formUnion(
        arcFrom begin: Point, to end: Point, _ u: Point, _ v: Point, start: Double, sweep: Double
    ) {
        let (from, to) = (sinCos(radians: start), sinCos(radians: abs(sweep)))
        // Nothing else is certain of an ellipse that is much larger than the arc.
        let bounds = ShapeCurve(begin, u: u, v: v, start: start, sweep: sweep, end).bounds
        for (x, y) in [(u.x, v.x), (u.y, v.y)] {
            let length = (x * x + y * y).squareRoot()
            for side in [length, -length] where length > 0 {
                let (cosine, sine) = (x / side, y / side)
                // Seen from where the arc begins, in the direction in which it goes.
                let along = cosine * from.cos + sine * from.sin
                let across = (sine * from.cos - cosine * from.sin) * (sweep < 0 ? -1 : 1)
                let isBefore = along * to.sin - across * to.cos >= 0
                let isSeen = abs(sweep) <= .pi ? across >= 0 && isBefore : across >= 0 || isBefore
                guard isSeen || abs(sweep) >= 2 * .pi else { continue }
                let place = begin + (cosine - from.cos) * u + (sine - from.sin) * v
                formUnion(
                    Point(
                        x: min(max(place.x, bounds.minX), bounds.maxX), y: min(max(place.y, bounds.minY), bounds.maxY)))
            }
        }
    }
}
