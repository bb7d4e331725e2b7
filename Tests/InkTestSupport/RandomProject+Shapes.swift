import InkCodecs
import InkEngine

/// What version 1.3 adds to drawings.
extension ProjectMaker {
    /// About as large as the canvas; partly off it, at times.
    mutating func shapes(_ counts: ClosedRange<Int>, canvas: PixelSize) -> [Shape] {
        (0..<integer(counts)).map { _ in shape(canvas: canvas) }
    }

    private mutating func shape(canvas: PixelSize) -> Shape {
        let edge = Double(canvas.longestEdge)
        var shape = Shape(path: ShapePath())
        if chance(0.3), !symbols.isEmpty {
            let symbol = pick(symbols)
            (shape.path, shape.symbol) = (symbol.path, symbol.id)
        } else {
            shape.path = path(size: number(0.1...0.6) * edge)
        }
        let (sine, cosine) = sinCos(degrees: pick([0, 90, number(-400...400)]))
        let (sx, sy) = (number(0.4...1.6), pick([1, -1, number(0.4...1.6)]))
        shape.transform = AffineMap(
            a: sx * cosine, b: sx * sine, c: -sy * sine, d: sy * cosine,
            x: origin.x + number(0...1) * Double(canvas.width), y: origin.y + number(0...1) * Double(canvas.height))
        if chance(0.2) { shape.transform.c += number(-1...1) }
        if chance(0.05) { (shape.transform.c, shape.transform.d) = (0, 0) }
        shape.rule = pick(FillRule.allCases)
        shape.fill = paint(canvas: canvas, isShape: true)
        shape.opacity = chance(0.5) ? 1 : number(0...1)
        shape.mode = chance(0.2) ? .erase : .paint
        if chance(0.3) { (shape.text, shape.textOf) = ("a word", pick([nil, "line 1", "line 2"])) }
        return shape
    }

    /// - Parameter isShape: whether it is in the coordinates of a shape, and may be a pattern.
    mutating func paint(canvas: PixelSize, isShape: Bool) -> Paint {
        if share(options.gradientShare) {
            let (corner, edge) = (isShape ? Point(x: 0, y: 0) : origin, Double(canvas.longestEdge) / (isShape ? 3 : 1))
            let from = Point(x: corner.x + number(-0.2...1) * edge, y: corner.y + number(-0.2...1) * edge)
            let to = chance(0.05) ? from : Point(x: corner.x + number(0...1) * edge, y: corner.y + number(0...1) * edge)
            var offsets = (0..<integer(1...5)).map { _ in pick([0, 1, 0.5, number(0...1)]) }
            offsets.sort()
            let stops = offsets.map {
                Gradient.Stop(offset: $0, color: anyColor(alpha: pick([255, UInt8(integer(0...255))])))
            }
            let kind: Gradient.Kind =
                chance(0.5)
                ? .linear(from: from, to: to) : .radial(center: from, radius: chance(0.05) ? 0 : number(0.1...1) * edge)
            return .gradient(Gradient(kind: kind, stops: stops))
        }
        if isShape, share(options.gradientShare / 2) {
            var brush = Brush(
                type: pick(BrushType.allCases.filter(\.canLieStill)), rotation: pick([0, 45, number(-360...720)]),
                spacing: number(2...14), scale: number(0.5...2), lineWidth: number(0.3...4), anchor: .canvas,
                color: anyColor())
            addMarks(to: &brush)
            return .pattern(brush)
        }
        return .color(anyColor(alpha: pick([255, UInt8(integer(1...255))])))
    }

    /// Smoothing, closing, and settings of the brush.
    mutating func addLineSettings(to stroke: inout Stroke) {
        stroke.smoothing = pick(Smoothing.allCases)
        stroke.isClosed = chance(0.35)
        addMarks(to: &stroke.brush)
        stroke.brush.lines = pick([1, 3, 7, 7, 9])
        stroke.brush.caps = pick(LineCaps.allCases)
        stroke.brush.followsPath = chance(0.4)
        if chance(0.3) { stroke.brush.stampSpacing = stroke.brush.spacing * number(1...2) }
        stroke.brush.dynamics.minimumSize = pick([0.5, 0, number(0...1)])
        stroke.brush.dynamics.minimumOpacity = pick([0, number(0...1)])
    }

    private mutating func addMarks(to brush: inout Brush) {
        if chance(0.4) { brush.dotRadius = number(0.3...1.2) * brush.spacing }
        if chance(0.4) { brush.waveLength = number(2...30) }
        if chance(0.4) { brush.edge = .whole }
    }

    /// A path about 0, 0, as far as `size` from there: straight, curved and round pieces, at times crossing each other.
    mutating func path(size: Double) -> ShapePath {
        func place() -> String { "\(number(-size...size)) \(number(-size...size)) " }
        var text = ""
        for _ in 0..<integer(1...2) {
            text += "M" + place()
            for _ in 0..<integer(1...5) {
                switch integer(0...4) {
                case 0: text += "L" + place()
                case 1: text += "Q" + place() + place()
                case 2: text += "C" + place() + place() + place()
                case 3: text += "T" + place()
                default:
                    text +=
                        "A\(number(0.2...1) * size) \(number(0.2...1) * size) \(integer(-90...90)) "
                        + "\(integer(0...1)) \(integer(0...1)) " + place()
                }
            }
            if chance(0.7) { text += "Z" }
        }
        return SVGPathData(text).path
    }
}
