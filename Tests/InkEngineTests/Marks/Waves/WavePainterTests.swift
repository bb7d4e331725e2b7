import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Waves by tables")
struct WavePainterTests {
    private static let size = PixelSize(width: 200, height: 200)

    /// From lines that nearly touch to lines far apart.
    private func randomBrush(_ generator: inout SeededGenerator) -> Brush {
        let rotation =
            Bool.random(using: &generator)
            ? Double(Int.random(in: 0...8, using: &generator)) * 45 : .random(in: -400...400, using: &generator)
        return Brush(
            type: .waves, rotation: rotation, spacing: .random(in: 3.5...12, using: &generator),
            scale: .random(in: 0.8...2.2, using: &generator), lineWidth: .random(in: 0.5...2.5, using: &generator))
    }

    /// What a stroke takes of each pixel of a cell.
    private func coverage(
        of brush: Brush, along points: [Point], cell: PixelRect, isExact: Bool = false,
        level: KernelLevel = .selected, output: PixelSize = size
    ) -> [Float] {
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height, isExact: isExact, level: level)
        let stroke = PreparedStroke(Stroke(brush: brush, points: points.map { StrokePoint(x: $0.x, y: $0.y) }))
        painter.paint(
            stroke, scale: OutputScale(canvas: CanvasSize(WavePainterTests.size), output: output), cell: cell,
            into: plane)
        return plane.coverage
    }

    private func whole(_ size: PixelSize) -> PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }

    @Test("a stamp is what its outline covers", arguments: 0..<60)
    func againstOutlines(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let brush = randomBrush(&generator)
        let center = Point(x: .random(in: 98...102, using: &generator), y: .random(in: 98...102, using: &generator))
        // The two scales of an export differ by rounding.
        compare(brush, at: center, output: PixelSize(width: 200, height: seed % 4 == 0 ? 199 : 200), "seed \(seed)")
    }

    @Test(
        "wide lines of steep waves, small and large stamps too",
        arguments: [
            (20.0, 7.0, 0.0, 1.0), (24, 9, 0, 1), (16, 6, 0, 1), (14, 6, 30, 1), (12, 5, 45, 1), (1000, 5, 10, 0.005),
            (129, 8.2, 10, 0.145), (40, 3, 75, 0.3), (12, 2, 20, 0.6), (5, 1, 20, 0.45), (6, 1, 60, 4),
        ])
    func unusualWaves(spacing: Double, width: Double, rotation: Double, scale: Double) {
        let brush = Brush(type: .waves, rotation: rotation, spacing: spacing, scale: scale, lineWidth: width)
        compare(brush, at: Point(x: 100.3, y: 99.8), output: WavePainterTests.size, "\(brush)")
    }

    private func compare(_ brush: Brush, at center: Point, output: PixelSize, _ name: String) {
        let expected = coverage(of: brush, along: [center], cell: whole(output), isExact: true, output: output)
        let covered = coverage(of: brush, along: [center], cell: whole(output), output: output)
        // Of 255, as pictures show it.
        let errors = zip(covered, expected).map { 255 * abs(Double($0) - Double($1)) }
        let drawn = Double(expected.count { $0 > 0 })
        let worst = errors.max() ?? 0
        let mean = errors.reduce(0, +) / drawn
        let far = Double(errors.count { $0 > 6 }) / drawn
        #expect(worst < 8 && mean < 0.8 && far < 0.001, "\(name), \(brush): \(worst), mean \(mean), far \(far)")
    }

    @Test("nearly all brushes are drawn by tables")
    func tablesAreUsed() {
        var byTable = 0
        for seed in 0..<60 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let brush = randomBrush(&generator)
            let painter = WavePainter(PainterTools(maxWidth: 200, maxHeight: 200))
            let plane = RemainingPlane(maxWidth: 200, maxHeight: 200)
            plane.move(to: whole(WavePainterTests.size))
            let points = [StrokePoint(x: 100, y: 100), StrokePoint(x: 100 + brush.spacing * brush.scale, y: 100)]
            let stroke = PreparedStroke(Stroke(brush: brush, points: points))
            guard case .stamps(let stamps) = stroke.marks else { continue }
            let scale = OutputScale(canvas: CanvasSize(WavePainterTests.size), output: WavePainterTests.size)
            if painter.paint(stamps.all, of: stroke, scale: scale, into: plane) { byTable += 1 }
        }
        #expect(byTable >= 50)
    }

    @Test("every level of kernels takes exactly the same, and a cell what the whole picture does", arguments: 0..<20)
    func levelsAndCells(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var brush = randomBrush(&generator)
        brush.opacity = 0.6
        let points = (0..<3).map { _ in
            Point(x: .random(in: -10...210, using: &generator), y: .random(in: -10...210, using: &generator))
        }
        let picture = whole(WavePainterTests.size)
        let expected = coverage(of: brush, along: points, cell: picture, level: .scalar)
        for level in KernelLevel.available {
            let isSame = coverage(of: brush, along: points, cell: picture, level: level) == expected
            #expect(isSame, "seed \(seed), \(level)")
        }
        let x = Int.random(in: 0..<180, using: &generator)
        let y = Int.random(in: 0..<180, using: &generator)
        let cell = PixelRect(
            x: x, y: y, width: .random(in: 1...(200 - x), using: &generator),
            height: .random(in: 1...(200 - y), using: &generator))
        let part = cell.rows.flatMap { row in expected[(row * 200 + x)..<(row * 200 + x + cell.width)] }
        #expect(coverage(of: brush, along: points, cell: cell) == part, "seed \(seed), \(cell)")
    }

    @Test("a section is where a line across meets the wave", arguments: [(6.0, 1.0), (12, 2.5), (4, 1.5), (20, 4)])
    func sections(spacing: Double, width: Double) {
        let sections = WaveSections(spacing: spacing, width: width, step: 0.25, margin: 1)
        let line = (0...32).map { step -> Point in
            let t = -10 + 20 * Double(step) / 32
            return Point(x: t, y: spacing / 4 * sinPi(2 * t / 10))
        }
        /// Whether a place lies within half a width of the line, before its ends.
        func contains(_ p: Point) -> Bool {
            func dot(_ a: Point, _ b: Point) -> Double { a.x * b.x + a.y * b.y }
            let isAtEnd = p.x > 10 - width / 2 && dot(p - line[32], line[32] - line[31]) > 0
            return !isAtEnd
                && zip(line, line.dropFirst()).contains { a, b in
                    let t = min(max(dot(p - a, b - a) / dot(b - a, b - a), 0), 1)
                    return (p - (a + t * (b - a))).length <= width / 2
                }
        }
        /// How much of the line across at `x` the line has, and the middle of it.
        func met(at x: Double) -> (width: Double, middle: Double) {
            let heights = stride(from: -spacing, through: spacing, by: 0.005)
            let inside = heights.filter { contains(Point(x: x, y: $0)) }
            return (Double(inside.count) * 0.005, ((inside.first ?? 0) + (inside.last ?? 0)) / 2)
        }
        sections.withMiddle { middle in
            for index in 0...46 {
                // Where the line ends a section stands for what is around it, to halfway to the next ones.
                let parts = (Double(index) + 0.5) * 0.25 > 10 - width / 2 ? 16 : 1
                let places = (0..<parts).map { Double(index) + (Double($0) + 0.5) / Double(parts) - 0.5 }
                let around = places.map { met(at: $0 * 0.25) }
                let width = around.map(\.width).reduce(0, +) / Double(parts)
                let section = middle[index]
                let widthFound = Double(section.width) / 65_536 * spacing
                #expect(abs(widthFound - width) < 0.02, "at \(Double(index) * 0.25)")
                if width > 0.1 {
                    let height = around.map { $0.width * $0.middle }.reduce(0, +) / Double(parts) / width
                    let found = Double(Int16(bitPattern: section.middle)) / 65_536 * spacing
                    #expect(abs(found - height) < 0.02, "at \(Double(index) * 0.25)")
                }
                #expect(middle[-index].middle == 0 &- section.middle && middle[-index].width == section.width)
            }
        }
    }
}
