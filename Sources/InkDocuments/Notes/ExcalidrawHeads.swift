import InkEngine

/// Heads of arrows.
extension ExcalidrawSketch {
    /// The corners of a head.
    private struct Head {
        /// Where it touches.
        var tip: Point
        /// Behind the tip, on the line.
        var base: Point
        /// The base, turned about the tip to both sides.
        var sides: [Point]
    }

    /// Draws a head at an end of an arrow.
    ///
    /// - Parameter background: of the drawing, which hollow heads are filled with.
    func head(
        _ name: String, isAtStart: Bool, of outline: [RoughSketch.Step], _ color: RGBA8, _ background: RGBA8
    ) -> [Part] {
        var style = element.style(isContinuous: false)
        if !element.isEarly { style.roughness = min(style.roughness, 1) }
        func corners(size: Double, degrees: Double = 25, share: Double = 0.5, offset: Double = 0) -> Head? {
            self.corners(
                isAtStart: isAtStart, of: outline, size: size, degrees: degrees, share: share, offset: offset)
        }
        func line(_ from: Point, _ to: Point) -> [Part] {
            draw(.lines([from, to], isClosed: false), style, fill: nil, stroke: color, dashes: element.headDashes).parts
        }
        func polygon(_ points: [Point], isFilled: Bool) -> [Part] {
            draw(
                .lines(points + [points[0]], isClosed: true), style, fill: isFilled ? color : background, stroke: color
            ).parts
        }
        func circle(scale: Double = 1, offset: Double = 0, isFilled: Bool) -> [Part] {
            guard let head = corners(size: 15, offset: offset) else { return [] }
            let diameter = max(scale * ((head.base - head.tip).length + element.strokeWidth - 2), 0)
            var round = style
            (round.roughness, round.misfit) = (min(style.roughness, 0.5), 0.05)
            let arm = head.tip - Point(x: diameter / 2, y: diameter / 2)
            return draw(
                .ellipse(width: diameter, height: diameter), round, fill: isFilled ? color : background, stroke: color
            ).parts.map { part in
                var part = part
                part.steps = part.steps.map { $0.moved(by: arm) }
                return part
            }
        }
        func bar(offset: Double = 0) -> [Part] {
            corners(size: 20, offset: offset).map { line($0.sides[0], $0.sides[1]) } ?? []
        }
        /// The foot of a crow: its toes end beside the tip.
        func foot() -> [Part] {
            guard let head = corners(size: 15) else { return [] }
            return [-25.0, 25].flatMap { line(Self.turn(head.tip, about: head.base, $0), head.base) }
        }
        switch name.replacing("crowfoot", with: "cardinality") {
        case "dot", "circle": return circle(isFilled: true)
        case "circle_outline": return circle(isFilled: false)
        case "triangle", "triangle_outline":
            guard let head = corners(size: 15) else { return [] }
            return polygon([head.tip] + head.sides, isFilled: name == "triangle")
        case "diamond", "diamond_outline":
            guard let head = corners(size: 12, share: 0.25) else { return [] }
            let back = head.tip + 2 * (head.base - head.tip)
            return polygon([head.tip, head.sides[0], back, head.sides[1]], isFilled: name == "diamond")
        case "cardinality_one": return bar()
        case "cardinality_many": return foot()
        case "cardinality_one_or_many": return foot() + bar(offset: -0.25)
        case "cardinality_exactly_one": return bar(offset: -0.5) + bar()
        case "cardinality_zero_or_one":
            return circle(scale: 0.8, offset: 1.5, isFilled: false) + bar(offset: -0.5)
        case "cardinality_zero_or_many": return foot() + circle(scale: 0.8, offset: 1.5, isFilled: false)
        default:
            let isBar = name == "bar"
            let head = corners(size: isBar ? 15 : element.isEarly ? 30 : 25, degrees: isBar ? 90 : 20)
            return head.map { head in head.sides.flatMap { line($0, head.tip) } } ?? []
        }
    }

    /// The corners of a head that points as the line does a little before its end.
    private func corners(
        isAtStart: Bool, of outline: [RoughSketch.Step], size: Double, degrees: Double, share: Double, offset: Double
    ) -> Head? {
        let index = isAtStart ? 1 : outline.count - 1
        guard index > 0, index < outline.count, case .curve(let first, let second, let end) = outline[index] else {
            return nil
        }
        let start = outline[index - 1].end
        let (t, u) = (0.3, 0.7)
        let before = (u * u * u) * end + (3 * t * u * u) * second + (3 * t * t * u) * first + (t * t * t) * start
        let tip = isAtStart ? start : end
        let distance = (tip - before).length
        let ends = isAtStart ? Array(element.points.prefix(2)) : element.points.suffix(2).reversed()
        guard distance > 0, ends.count == 2 else { return nil }
        let arm = (min(size, share * (ends[0] - ends[1]).length) / distance) * (tip - before)
        let place = tip - offset * arm
        return Head(
            tip: place, base: place - arm, sides: [-degrees, degrees].map { Self.turn(place - arm, about: place, $0) })
    }

    private static func turn(_ point: Point, about middle: Point, _ degrees: Double) -> Point {
        let (sine, cosine) = sinCos(degrees: degrees)
        let arm = point - middle
        return middle + Point(x: cosine * arm.x - sine * arm.y, y: sine * arm.x + cosine * arm.y)
    }
}

extension RoughSketch.Step {
    fileprivate func moved(by arm: Point) -> Self {
        switch self {
        case .move(let point): .move(point + arm)
        case .line(let point): .line(point + arm)
        case .curve(let first, let second, let end): .curve(first + arm, second + arm, end + arm)
        }
    }
}
