package import InkEngine

extension MarkList {
    /// The strokes; none for shapes.
    package var strokes: [Stroke] { if case .strokes(let strokes) = self { strokes } else { [] } }

    /// The shapes; none for strokes.
    package var shapes: [Shape] { if case .shapes(let shapes) = self { shapes } else { [] } }
}

/// Valid shapes of all kinds, from a seed.
extension SeededGenerator {
    private mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &self) }
    private mutating func coin() -> Bool { .random(using: &self) }

    private mutating func place(_ reach: Double) -> Point {
        Point(x: number(-reach...reach), y: number(-reach...reach))
    }

    /// - Parameter reach: of its places from the origin.
    package mutating func path(reach: Double) -> ShapePath {
        var path = ShapePath()
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            path.move(to: place(reach))
            for _ in 0..<Int.random(in: 0...5, using: &self) {
                switch Int.random(in: 0...3, using: &self) {
                case 0: path.line(to: place(reach))
                case 1: path.quadratic(place(reach), to: place(reach))
                case 2: path.cubic(place(reach), place(reach), to: place(reach))
                default: addArc(to: &path, reach: reach)
                }
            }
            if coin() { path.close() }
        }
        return path
    }

    /// An arc of any ellipse, with a line to where it begins.
    private mutating func addArc(to path: inout ShapePath, reach: Double) {
        let (center, u, v) = (place(reach / 2), place(reach / 4), place(reach / 4))
        let (start, sweep) = (number(-4...4), number(-6...6) * number(0...1))
        func point(_ t: Double) -> Point {
            let (sine, cosine) = sinCos(degrees: t * (180 / Double.pi))
            return Point(x: center.x + cosine * u.x + sine * v.x, y: center.y + cosine * u.y + sine * v.y)
        }
        path.line(to: point(start))
        path.arc(center: center, u: u, v: v, start: start, sweep: sweep, to: point(start + sweep))
    }

    /// - Parameter isFill: of an element, which cannot be a pattern.
    package mutating func paint(isFill: Bool = false) -> Paint {
        let kind = Int.random(in: 0...(isFill ? 2 : 3), using: &self)
        if kind == 0 { return .color(rgba()) }
        if kind == 3 {
            let types = BrushType.allCases.filter(\.canLieStill)
            var brush = Brush(
                type: types.randomElement(using: &self)!, rotation: number(-90...90), spacing: number(2...20),
                scale: number(0.5...2), lineWidth: number(0.5...4), anchor: .canvas)
            brush.dotRadius = number(0.5...5)
            brush.edge = PatternEdge.allCases.randomElement(using: &self)!
            return .pattern(brush)
        }
        let offsets = (0..<Int.random(in: 1...5, using: &self)).map { _ in number(0...1) }.sorted()
        let stops = offsets.map { Gradient.Stop(offset: $0, color: rgba()) }
        return .gradient(
            Gradient(
                kind: kind == 1
                    ? .linear(from: place(50), to: place(50)) : .radial(center: place(50), radius: number(0...50)),
                stops: stops))
    }

    private mutating func rgba() -> RGBA8 {
        let word = next()
        return RGBA8(
            red: UInt8(truncatingIfNeeded: word), green: UInt8(truncatingIfNeeded: word >> 8),
            blue: UInt8(truncatingIfNeeded: word >> 16), alpha: coin() ? 255 : UInt8(truncatingIfNeeded: word >> 24))
    }

    /// - Parameters:
    ///   - count: of the shapes, some of which share a symbol.
    ///   - reach: of their paths' places.
    package mutating func shapes(_ count: Int, reach: Double = 100) -> [Shape] {
        let symbols = (0..<2).map { Symbol(id: "s\($0)", path: path(reach: reach)) }
        return (0..<count).map { _ in
            let symbol = coin() ? symbols.randomElement(using: &self) : nil
            var shape = Shape(
                path: symbol?.path ?? path(reach: reach), symbol: symbol?.id,
                rule: FillRule.allCases.randomElement(using: &self)!, fill: paint(),
                opacity: coin() ? 1 : number(0.1...1), mode: Int.random(in: 0...3, using: &self) == 0 ? .erase : .paint)
            if coin() {
                shape.transform = AffineMap(
                    a: number(-2...2), b: number(-2...2), c: number(-2...2), d: number(-2...2),
                    x: number(-reach...reach), y: number(-reach...reach))
            }
            return shape
        }
    }
}
