import Foundation
import InkEngine
import InkReference
import InkTestSupport
import Testing

/// Shapes, gradients and masks of version 1.3, each drawn by the engine and by the reference (spec 7).
@Suite("Agreement: shapes of version 1.3")
struct ShapeAgreementTests {
    @Test("paths that cross themselves, under transforms", arguments: 0..<24)
    func paths(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let shape = maker.shape()
        try maker.compare(shapes: [shape])
    }

    @Test("shapes over each other, erasing too, with gradients", arguments: 0..<16)
    func gradients(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let shapes = (0..<3).map { index in
            var shape = maker.shape()
            if index != 1 { shape.fill = .gradient(maker.gradient()) }
            if maker.chance(0.25) { shape.mode = .erase }
            return shape
        }
        try maker.compare(shapes: shapes)
    }

    @Test("fills of patterns", arguments: 0..<16)
    func patterns(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let types: [BrushType] = [.parallelLines, .crossHatch, .dots, .waves]
        var brush = maker.stroke(types[seed % 4]).brush
        maker.setMarks(of: &brush)
        (brush.anchor, brush.opacity, brush.dynamics) = (.canvas, 1, .standard(brush.type, .canvas))
        if seed % 8 == 2 { brush.edge = .whole }
        var shape = maker.shape()
        shape.fill = .pattern(brush)
        try maker.compare(shapes: [shape])
    }

    @Test("masks of shapes over fills with gradients", arguments: 0..<16)
    func masks(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        var fill = Layer(opacity: 0.9)
        fill.kind = .fill(.gradient(maker.gradient()))
        fill.maskShapes = (0..<2).map { _ in
            var shape = maker.shape()
            if maker.chance(0.4) { shape.fill = .gradient(maker.gradient()) }
            return shape
        }
        if seed % 2 == 0 {
            var erase = maker.shape()
            erase.mode = .erase
            fill.maskShapes?.append(erase)
        }
        try maker.compare([fill], what: "\(fill)")
    }

    @Test("pictures by their nearest samples", arguments: 0..<12)
    func nearest(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let size = PixelSize(width: maker.whole(1...20), height: maker.whole(1...20))
        let image = StraightImage(
            size: size,
            rgba: (0..<size.area).flatMap { _ in
                let color = maker.color()
                return [color.red, color.green, color.blue, color.alpha]
            })
        var layer = Layer(contentImage: encoded(size))
        layer.contentFilter = .nearest
        if seed % 3 > 0 {
            layer.contentPlacement = Placement(
                x: maker.number(-5...30), y: maker.number(-5...20), width: maker.number(5...50),
                height: maker.number(5...40), rotation: seed % 3 == 1 ? 90 * Double(seed % 4) : maker.number(0...360))
        }
        try maker.compare([layer], images: DecodedImages([.content(layerIndex: 0): image]), what: "\(layer)")
    }
}

extension AgreementMaker {
    fileprivate mutating func compare(shapes: [Shape], _ location: SourceLocation = #_sourceLocation) throws {
        var layer = Layer()
        layer.shapes = shapes
        try compare([layer], what: "\(shapes)", location)
    }

    /// A path of up to three subpaths of all kinds of segments, open or closed.
    fileprivate mutating func shape() -> Shape {
        var path = ShapePath()
        for _ in 0..<whole(1...3) {
            path.move(to: place())
            for _ in 0..<whole(2...5) {
                switch whole(0...3) {
                case 0: path.line(to: place())
                case 1: path.quadratic(place(), to: place())
                case 2: path.cubic(place(), place(), to: place())
                default: addArc(to: &path)
                }
            }
            if chance(0.6) { path.close() }
        }
        var transform = AffineMap.identity
        if chance(0.5) {
            transform = AffineMap(
                a: number(-1.2...1.2), b: number(-1.2...1.2), c: number(-1.2...1.2), d: number(-1.2...1.2),
                x: number(0...40), y: number(0...30))
        }
        return Shape(
            path: path, transform: transform, rule: pick(FillRule.allCases), fill: .color(color()),
            opacity: chance(0.5) ? 1 : number(0.1...1))
    }

    /// A line to where an arc of an ellipse begins, and the arc.
    private mutating func addArc(to path: inout ShapePath) {
        let center = place()
        let (u, v) = (Point(x: number(1...20), y: number(-9...9)), Point(x: number(-9...9), y: number(1...20)))
        let (start, sweep) = (number(-3...3), number(-6...6))
        func onEllipse(_ t: Double) -> Point {
            Point(x: center.x + cos(t) * u.x + sin(t) * v.x, y: center.y + cos(t) * u.y + sin(t) * v.y)
        }
        path.line(to: onEllipse(start))
        path.arc(center: center, u: u, v: v, start: start, sweep: sweep, to: onEllipse(start + sweep))
    }

    fileprivate mutating func gradient() -> Gradient {
        var offsets = (0..<whole(1...5)).map { _ in number(0...1) }.sorted()
        if offsets.count > 2, chance(0.3) { offsets[1] = offsets[0] }
        let stops = offsets.map { Gradient.Stop(offset: $0, color: color()) }
        if chance(0.5) { return Gradient(kind: .linear(from: place(), to: place()), stops: stops) }
        return Gradient(kind: .radial(center: place(), radius: number(0...40)), stops: stops)
    }
}
