import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Shapes that nobody would draw")
struct HostileShapeTests {
    private static let size = PixelSize(width: 64, height: 48)
    private static let scale = OutputScale(canvas: CanvasSize(size), output: size)

    private func coverage(_ shape: Shape, scale: OutputScale = scale) -> [Float] {
        let cell = PixelRect(x: 0, y: 0, width: scale.size.width, height: scale.size.height)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        StrokePainter(maxWidth: cell.width, maxHeight: cell.height).paint(
            .shape(PreparedShape(shape)), scale: scale, cell: cell, into: plane)
        return plane.coverage
    }

    private func triangle(_ factor: Double) -> ShapePath {
        var path = ShapePath()
        path.move(to: Point(x: -factor, y: -factor))
        path.line(to: Point(x: factor, y: -factor))
        path.line(to: Point(x: factor, y: factor))
        return path
    }

    @Test("are as large as numbers get", arguments: [1e3, 1e7, 1e12, 1e30, 1e200, 1e308])
    func huge(factor: Double) {
        let found = coverage(Shape(path: triangle(factor)))
        #expect(found.allSatisfy { $0 >= 0 && $0 <= 1 })
        // Doubles do not hold a place between ends that are farther away.
        if factor > 1e12 { return }
        // The diagonal goes through all corners of pixels with x = y.
        for row in 0..<48 {
            for column in 0..<64 {
                let expected: Float = column == row ? 0.5 : column > row ? 1 : 0
                #expect(abs(found[row * 64 + column] - expected) < 0.01, "\(column), \(row)")
            }
        }
    }

    @Test("have arcs of radius 10^300")
    func hugeArcs() {
        for radius in [1e5, 1e12, 1e80, 1e300] {
            var path = ShapePath()
            path.move(to: Point(x: 10, y: 10))
            path.line(to: Point(x: 50, y: 10))
            // From (50, 10) to (50, 40), nearly straight.
            path.arc(
                center: Point(x: 50 - radius, y: 25), u: Point(x: radius, y: 0), v: Point(x: 0, y: radius),
                start: -15 / radius, sweep: 30 / radius, to: Point(x: 50, y: 40))
            path.line(to: Point(x: 10, y: 40))
            let found = coverage(Shape(path: path))
            #expect(abs(found.reduce(0, +) - 1200) < 0.1, "\(radius): \(found.reduce(0, +))")
            // And those that go all the way round.
            var round = ShapePath()
            round.move(to: Point(x: radius, y: 0))
            round.arc(
                center: Point(x: 0, y: 0), u: Point(x: radius, y: 0), v: Point(x: 0, y: radius), start: 0,
                sweep: 2 * .pi, to: Point(x: radius, y: 0))
            if radius < 1e100 { #expect(coverage(Shape(path: round)).allSatisfy { $0 > 0.99 }, "\(radius)") }
        }
    }

    @Test("are nothing where their map has no area, or their numbers are none")
    func singular() {
        let maps = [
            AffineMap(a: 1, b: 2, c: 2, d: 4), AffineMap(a: 0, b: 0, c: 0, d: 0), AffineMap(a: .infinity),
            AffineMap(a: 1e300, b: 0, c: 0, d: 1e300), AffineMap(a: 1e-300, b: 0, c: 0, d: 1e-300),
        ]
        for map in maps {
            #expect(coverage(Shape(path: triangle(100), transform: map)).allSatisfy { $0 == 0 }, "\(map)")
        }
        let lost = AffineMap(x: 1e308, y: 1e308)
        #expect(coverage(Shape(path: triangle(1e308), transform: lost)).allSatisfy { $0 >= 0 && $0 <= 1 })
        #expect(coverage(Shape(path: ShapePath())).allSatisfy { $0 == 0 })
    }

    @Test("have a hundred thousand edges in one pixel, or over all of them")
    func tangled() {
        var generator = SeededGenerator(seed: 5)
        for reach in [0.9, 60] {
            for rule in FillRule.allCases {
                var path = ShapePath()
                path.move(to: Point(x: 3, y: 3))
                for _ in 0..<(reach < 1 ? 100_000 : 3_000) {
                    path.line(
                        to: Point(
                            x: 3 + .random(in: 0...reach, using: &generator),
                            y: 3 + .random(in: 0...reach, using: &generator)))
                }
                let found = coverage(Shape(path: path, rule: rule))
                #expect(found.allSatisfy { $0 >= 0 && $0 <= 1 })
                // In the middle of them.
                #expect(found[reach < 1 ? 3 * 64 + 3 : 30 * 64 + 30] > 0.3)
            }
        }
    }

    @Test("curl as far as curves can")
    func farCurves() {
        for factor in [1e6, 1e13, 1e40, 1e307] {
            var path = ShapePath()
            path.move(to: Point(x: 0, y: 0))
            path.cubic(
                Point(x: factor, y: -factor), Point(x: -factor, y: factor), to: Point(x: 64, y: 48))
            path.quadratic(Point(x: factor, y: factor), to: Point(x: 0, y: 0))
            #expect(coverage(Shape(path: path)).allSatisfy { $0 >= 0 && $0 <= 1 })
        }
    }

    @Test("have extents that are those of their curves", arguments: 0..<100)
    func extents(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number(_ reach: Double) -> Double { .random(in: -reach...reach, using: &generator) }
        func point() -> Point { Point(x: number(20), y: number(20)) }
        let map = AffineMap(a: number(2), b: number(2), c: number(2), d: number(2), x: number(9), y: number(9))
        let (from, first, second, end) = (point(), point(), point(), point())
        let (u, v, start, sweep) = (point(), point(), number(4), number(6))
        func turned(_ angle: Double) -> Point {
            let turn = sinCos(radians: angle)
            return end + turn.cos * u + turn.sin * v
        }
        var path = ShapePath()
        path.move(to: Point(x: 900, y: 900))
        path.move(to: from)
        path.cubic(first, second, to: end)
        path.quadratic(first, to: turned(start))
        path.arc(center: end, u: u, v: v, start: start, sweep: sweep, to: turned(start + sweep))
        var box = Rect.empty
        for step in 0...4000 {
            let t = Double(step) / 4000
            let s = 1 - t
            box.formUnion(
                map.point(
                    s * s * s * from + (3 * s * s * t) * first + ((3 * s * t * t) * second + (t * t * t) * end)))
            box.formUnion(map.point(s * s * end + (2 * s * t) * first + (t * t) * turned(start)))
            box.formUnion(map.point(turned(start + t * sweep)))
        }
        let found = path.extent(under: map)
        for (a, b) in [(found.minX, box.minX), (found.minY, box.minY), (box.maxX, found.maxX), (box.maxY, found.maxY)] {
            #expect(a <= b + 1e-9 && a > b - 1e-3, "\(found), \(box)")
        }
    }
}
