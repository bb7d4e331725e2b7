/// Finds out which points lie inside of a shape, or hardly outside: for dots that are drawn whole (spec section 10.4).
///
/// The space is the canvas. Curves become lines that differ from them by less than `margin`.
struct ShapeInterior {
    private struct Line {
        var from: Point
        var to: Point
    }

    private let rule: FillRule
    private let margin: Double
    private let top: Double
    private let perHeight: Double
    /// The lines that may count for points of each of some strips of the box, from the top.
    private var strips: [[Line]]

    private static let stripsMax = 512

    /// - Parameters:
    ///   - box: contains the points.
    ///   - margin: how far outside points still count as inside, canvas pixels.
    init(_ shape: PreparedShape, box: Rect, margin: Double) {
        rule = shape.rule
        self.margin = margin
        let outer = box.expanded(by: 2 * margin)
        top = outer.minY
        var lines: [Line] = []
        // In the space of the curves a unit is so small that their rule for lines is good enough.
        let unit = margin * 64
        let map = AffineMap(a: 1 / unit, d: 1 / unit).after(shape.map)
        func need(_ box: Rect) -> ShapeCurve.Need {
            if box.maxY * unit < outer.minY || box.minY * unit > outer.maxY || box.minX * unit > outer.maxX {
                return .nothing
            }
            return box.maxX * unit < outer.minX ? .ends : .all
        }
        for group in shape.groups {
            let near = group.box.expanded(by: margin)
            guard near.maxY >= outer.minY, near.minY <= outer.maxY, near.minX <= outer.maxX else { continue }
            var walk = ShapeWalk(group, of: shape.path, map)
            walk.forEach(in: shape.path, map) { curve in
                curve.flatten(need: need) { lines.append(Line(from: unit * $0, to: unit * $1)) }
            }
        }
        strips = [[Line]](repeating: [], count: max(1, min(lines.count, Self.stripsMax)))
        perHeight = Double(strips.count) / max(outer.maxY - outer.minY, 1e-300)
        for line in lines {
            let (first, last) = (min(line.from.y, line.to.y) - margin, max(line.from.y, line.to.y) + margin)
            guard last >= outer.minY, first <= outer.maxY else { continue }
            for strip in strip(first)...strip(last) { strips[strip].append(line) }
        }
    }

    private func strip(_ y: Double) -> Int {
        Int(min(max((y - top) * perHeight, 0), Double(strips.count - 1)))
    }

    func contains(_ p: Point) -> Bool {
        var winding = 0
        for line in strips[strip(p.y)] {
            let (a, b) = (line.from, line.to)
            if isNear(p, a, b) { return true }
            guard (a.y <= p.y) != (b.y <= p.y) else { continue }
            if a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) < p.x { winding += a.y < b.y ? 1 : -1 }
        }
        return rule.contains(winding)
    }

    private func isNear(_ p: Point, _ a: Point, _ b: Point) -> Bool {
        guard p.x >= min(a.x, b.x) - margin, p.x <= max(a.x, b.x) + margin, p.y >= min(a.y, b.y) - margin,
            p.y <= max(a.y, b.y) + margin
        else { return false }
        let (way, offset) = (b - a, p - a)
        let square = way.x * way.x + way.y * way.y
        let share = square > 0 ? min(max((offset.x * way.x + offset.y * way.y) / square, 0), 1) : 0
        return (offset - share * way).length <= margin
    }
}

extension PreparedShape: PatternCover {
    func mark(_ dots: inout DotWindow) {
        let interior = ShapeInterior(self, box: dots.box, margin: DotLattice.margin)
        dots.mark(in: bounds.expanded(by: DotLattice.margin)) { interior.contains($0) }
    }
}
