import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Shapes")
struct ShapeCoverageTests {
    private static let size = PixelSize(width: 48, height: 40)

    /// The winding numbers of a path, by rays from sample points: curves as 400 lines each.
    private struct SampledPath {
        private var edges: [(Point, Point)] = []

        init(_ path: ShapePath, _ place: (Point) -> Point) {
            var (current, start, index) = (Point(x: 0, y: 0), Point(x: 0, y: 0), 0)
            let points = path.points
            for verb in path.verbs {
                let from = current
                func line(_ to: Point) {
                    edges.append((place(current), place(to)))
                    current = to
                }
                func curve(_ at: (Double) -> Point) { for step in 1...400 { line(at(Double(step) / 400)) } }
                switch verb {
                case .move:
                    line(start)
                    (current, start) = (points[index], points[index])
                case .line: line(points[index])
                case .quadratic:
                    let (a, b) = (points[index], points[index + 1])
                    curve { t in (1 - t) * (1 - t) * from + (2 * t * (1 - t)) * a + (t * t) * b }
                case .cubic:
                    let (a, b, c) = (points[index], points[index + 1], points[index + 2])
                    curve { t in
                        let s = 1 - t
                        return s * s * s * from + (3 * s * s * t) * a + (3 * s * t * t) * b + (t * t * t) * c
                    }
                case .arc:
                    let (center, u, v, angles) = (
                        points[index], points[index + 1], points[index + 2], points[index + 3]
                    )
                    curve { t in
                        let turn = sinCos(degrees: (angles.x + t * angles.y) * 180 / .pi)
                        return center + turn.cos * u + turn.sin * v
                    }
                    line(points[index + 4])
                case .close: line(start)
                }
                index += verb.pointCount
            }
            edges.append((place(current), place(start)))
        }

        /// What is covered of each pixel, of 64 x 64 samples.
        func coverage(_ size: PixelSize, _ rule: FillRule) -> [Double] {
            let samples = 64
            var covered = [Double](repeating: 0, count: size.area)
            for line in 0..<size.height * samples {
                let y = (Double(line) + 0.5) / Double(samples)
                var crossed: [(x: Double, winding: Int)] = []
                for (p, q) in edges where (p.y <= y) != (q.y <= y) {
                    crossed.append((p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x), p.y < q.y ? 1 : -1))
                }
                crossed.sort { $0.x < $1.x }
                var (winding, next) = (0, 0)
                for column in 0..<size.width * samples {
                    let x = (Double(column) + 0.5) / Double(samples)
                    while next < crossed.count, crossed[next].x < x {
                        winding += crossed[next].winding
                        next += 1
                    }
                    if rule == .nonzero ? winding != 0 : winding % 2 != 0 {
                        covered[line / samples * size.width + column / samples] += 1 / Double(samples * samples)
                    }
                }
            }
            return covered
        }
    }

    private static func scale(_ size: PixelSize = size, times: Double = 1) -> OutputScale {
        OutputScale(
            canvas: CanvasSize(width: Double(size.width) / times, height: Double(size.height) / times), output: size)
    }

    private static func painted(
        _ shapes: [Shape], scale: OutputScale, cells: PixelSize? = nil
    ) -> [Float] {
        let size = scale.size
        let cells = cells ?? size
        let painter = StrokePainter(maxWidth: cells.width, maxHeight: cells.height)
        let prepared = shapes.map { PreparedShape($0) }
        var coverage = [Float](repeating: 0, count: size.area)
        for y in stride(from: 0, to: size.height, by: cells.height) {
            for x in stride(from: 0, to: size.width, by: cells.width) {
                let cell = PixelRect(
                    x: x, y: y, width: min(cells.width, size.width - x), height: min(cells.height, size.height - y))
                let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
                plane.move(to: cell)
                for shape in prepared { painter.paint(.shape(shape), scale: scale, cell: cell, into: plane) }
                let covered = plane.coverage
                for row in 0..<cell.height {
                    for column in 0..<cell.width {
                        coverage[(y + row) * size.width + x + column] = covered[row * cell.width + column]
                    }
                }
            }
        }
        return coverage
    }

    /// Any path: curves of all kinds, subpaths that are closed or not, crossings, edges on each other and on pixels.
    private static func path(_ generator: inout SeededGenerator, size: PixelSize = size) -> ShapePath {
        var path = ShapePath()
        let isWhole = Int.random(in: 0..<4, using: &generator) == 0
        func point(_ generator: inout SeededGenerator) -> Point {
            let reach = -8.0...Double(size.width + 8)
            let point = Point(x: .random(in: reach, using: &generator), y: .random(in: reach, using: &generator))
            return isWhole ? Point(x: point.x.rounded(), y: point.y.rounded()) : point
        }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            path.move(to: point(&generator))
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: path.quadratic(point(&generator), to: point(&generator))
                case 1: path.cubic(point(&generator), point(&generator), to: point(&generator))
                case 2: path.close()
                case 3:
                    // From where it begins, which the path must reach first.
                    let center = point(&generator)
                    let u = Point(
                        x: .random(in: -15...15, using: &generator), y: .random(in: -15...15, using: &generator))
                    let v = Point(
                        x: .random(in: -15...15, using: &generator), y: .random(in: -15...15, using: &generator))
                    let (start, sweep) = (
                        Double.random(in: -4...4, using: &generator), Double.random(in: -6...6, using: &generator)
                    )
                    func place(_ angle: Double) -> Point {
                        let turn = sinCos(degrees: angle * 180 / .pi)
                        return center + turn.cos * u + turn.sin * v
                    }
                    path.line(to: place(start))
                    path.arc(center: center, u: u, v: v, start: start, sweep: sweep, to: place(start + sweep))
                default: path.line(to: point(&generator))
                }
            }
        }
        return path
    }

    @Test("cover the area inside of their path", arguments: 0..<60)
    func areas(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let path = Self.path(&generator)
        let times = [1, 0.5, 3][Int(seed % 3)]
        var map = AffineMap.identity
        if seed % 4 == 1 {
            map = AffineMap(a: 0.7, b: 0.4, c: -0.3, d: -0.9, x: 8 / times, y: 30 / times)
        }
        for rule in FillRule.allCases {
            let scale = Self.scale(times: times)
            let painted = Self.painted([Shape(path: path, transform: map, rule: rule)], scale: scale)
            let exact = SampledPath(path) { scale.output(map.point($0)) }.coverage(Self.size, rule)
            let errors = zip(painted, exact).map { abs(Double($0) - $1) }
            let worst = errors.max() ?? 0
            #expect(worst < 0.03, "\(rule), seed \(seed), pixel \(errors.firstIndex(of: worst) ?? 0): \(worst)")
            #expect(errors.reduce(0, +) / Double(errors.count) < 0.001)
        }
    }

    @Test("are the same in cells of any size", arguments: 0..<60)
    func cells(seed: UInt64) {
        var generator = SeededGenerator(seed: seed + 1000)
        var path = Self.path(&generator)
        if seed % 5 == 0 {
            // Longer than a group.
            for _ in 0..<300 {
                path.line(
                    to: Point(x: .random(in: -20...60, using: &generator), y: .random(in: -20...60, using: &generator)))
            }
        }
        for rule in FillRule.allCases {
            let shape = Shape(path: path, rule: rule, opacity: 0.9)
            let whole = Self.painted([shape], scale: Self.scale())
            for cells in [
                PixelSize(width: 7, height: 5), PixelSize(width: 1, height: 40), PixelSize(width: 48, height: 1),
            ] {
                #expect(Self.painted([shape], scale: Self.scale(), cells: cells) == whole, "\(rule), seed \(seed)")
            }
        }
    }

    @Test("draw dots whole whose centres are inside, and no others", arguments: 0..<20)
    func wholeDots(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var brush = Brush(type: .dots, rotation: .random(in: 0...90, using: &generator), spacing: 5, anchor: .canvas)
        brush.edge = .whole
        let path = Self.path(&generator)
        let turn = sinCos(degrees: brush.rotation)
        let (u, v) = (Point(x: 5 * turn.cos, y: 5 * turn.sin), Point(x: -5 * turn.sin, y: 5 * turn.cos))
        for rule in FillRule.allCases {
            let shape = Shape(path: path, rule: rule, fill: .pattern(brush))
            let found = Self.painted([shape], scale: Self.scale())
            #expect(Self.painted([shape], scale: Self.scale(), cells: PixelSize(width: 11, height: 9)) == found)
            // The dots of which a sample at their centre is covered.
            let magnified = PixelSize(width: 8 * Self.size.width, height: 8 * Self.size.height)
            let filled = Self.painted(
                [Shape(path: path, rule: rule)],
                scale: OutputScale(canvas: CanvasSize(Self.size), output: magnified))
            var dots: [Shape] = []
            var doubtful: [Point] = []
            for i in -20...20 {
                for j in -20...20 {
                    let center = Double(i) * u + Double(j) * v
                    let (x, y) = (Int((8 * center.x).rounded(.down)), Int((8 * center.y).rounded(.down)))
                    guard x >= 0, y >= 0, x < magnified.width, y < magnified.height else {
                        // Beside the picture nothing is known of the shape.
                        doubtful.append(center)
                        continue
                    }
                    let cover = filled[y * magnified.width + x]
                    if cover > 0, cover < 1 { doubtful.append(center) }
                    if cover == 1 { dots.append(Shape(path: Self.disc(center, radius: 2))) }
                }
            }
            let expected = Self.painted(dots, scale: Self.scale())
            for row in 0..<Self.size.height {
                for column in 0..<Self.size.width {
                    let place = Point(x: Double(column) + 0.5, y: Double(row) + 0.5)
                    if doubtful.contains(where: { ($0 - place).length < 3 }) { continue }
                    let index = row * Self.size.width + column
                    #expect(abs(found[index] - expected[index]) < 0.02, "\(rule), seed \(seed), \(column), \(row)")
                }
            }
        }
    }

    private static func disc(_ center: Point, radius: Double) -> ShapePath {
        var path = ShapePath()
        let start = center + Point(x: radius, y: 0)
        path.move(to: start)
        path.arc(
            center: center, u: Point(x: radius, y: 0), v: Point(x: 0, y: radius), start: 0, sweep: 2 * .pi, to: start)
        return path
    }
}
