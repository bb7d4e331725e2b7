import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

/// Canvas patterns (spec section 8.1) against many points a pixel, each tested by the section's words.
@Suite("Canvas patterns")
struct CanvasPatternTests {
    static let size = PixelSize(width: 32, height: 24)
    /// Pressure changes nothing.
    private static let plain = BrushDynamics(pressureAffectsOpacity: false)
    static let types: [BrushType] = [.parallelLines, .crossHatch, .dots, .waves]

    /// The points of a brush's pattern.
    struct SampledPattern {
        let brush: Brush
        let origin: Point
        let turn: (sin: Double, cos: Double)
        let wave: [Point]

        init(_ brush: Brush, origin: Point) {
            self.brush = brush
            self.origin = origin
            turn = sinCos(degrees: brush.rotation)
            wave = (0...16).map { step in
                let t = brush.waveLength / 16 * Double(step)
                return Point(x: t, y: brush.spacing / 4 * sinPi(2 * t / brush.waveLength))
            }
        }

        /// Whether the pattern covers a point, in canvas pixels.
        func covers(_ p: Point) -> Bool {
            let (x, y) = (p.x - origin.x, p.y - origin.y)
            let u = (x * turn.cos + y * turn.sin) / brush.scale
            let v = (y * turn.cos - x * turn.sin) / brush.scale
            let period = brush.spacing
            func isInLine(_ place: Double) -> Bool {
                abs(place.remainder(dividingBy: period)) <= brush.lineWidth / 2 || brush.lineWidth >= period
            }
            switch brush.type {
            case .parallelLines: return isInLine(v)
            case .crossHatch: return isInLine(v) || isInLine(u)
            case .dots:
                let (a, b) = (u.remainder(dividingBy: period), v.remainder(dividingBy: period))
                let reach = Int((brush.dotRadius / period).rounded(.up))
                return (-reach...reach).contains { i in
                    (-reach...reach).contains { j in
                        let (x, y) = (a - Double(i) * period, b - Double(j) * period)
                        return x * x + y * y <= brush.dotRadius * brush.dotRadius
                    }
                }
            case .waves:
                let (a, b) = (u.remainder(dividingBy: brush.waveLength), v.remainder(dividingBy: period))
                let step = brush.waveLength / 16
                let reach = Int((brush.lineWidth / 2 / period).rounded(.up)) + 1
                let steps = Int((brush.lineWidth / 2 / step).rounded(.up)) + 1
                let middle = Int((a / step).rounded(.down))
                for line in -reach...reach {
                    for step in (middle - steps)...(middle + steps)
                    where isNear(Point(x: a, y: b - Double(line) * period), step) {
                        return true
                    }
                }
                return false
            case .contourLines, .solid: return true
            }
        }

        private func isNear(_ p: Point, _ step: Int) -> Bool {
            func vertex(_ step: Int) -> Point {
                Point(x: brush.waveLength / 16 * Double(step), y: wave[step & 15].y)
            }
            let (a, b) = (vertex(step), vertex(step + 1))
            let way = b - a
            let offset = p - a
            let share = min(max((offset.x * way.x + offset.y * way.y) / (way.x * way.x + way.y * way.y), 0), 1)
            return (offset - share * way).length <= brush.lineWidth / 2
        }
    }

    /// The share of each pixel that pattern and footprint cover together, by points.
    private func sampled(
        _ stroke: Stroke, origin: Point = Point(x: 0, y: 0), scale: OutputScale, samples: Int = 16
    ) -> [Double] {
        guard case .canvas(let path, _) = PreparedStroke(stroke).marks else { return [] }
        let hulls =
            path.discs.count == 1
            ? [ConvexPart.disc(center: path.discs[0].center, radius: path.discs[0].radius)]
            : zip(path.discs, path.discs.dropFirst()).map { ConvexPart.hull($0, $1) }
        let pattern = SampledPattern(stroke.brush, origin: origin)
        let size = scale.size
        var coverage = [Double](repeating: 0, count: size.area)
        for line in 0..<(size.height * samples) {
            let y = (Double(line) + 0.5) / Double(samples) / scale.y
            let intervals = hulls.map { $0.interval(atY: y) }.filter { $0.start < $0.end }
            if intervals.isEmpty { continue }
            let first = intervals.reduce(Double.infinity) { min($0, $1.start) }
            let last = intervals.reduce(-Double.infinity) { max($0, $1.end) }
            for column in 0..<(size.width * samples) {
                // Not on the same columns in every line.
                let x = (Double(column) + Double(line * 7 % samples) / Double(samples)) / Double(samples) / scale.x
                guard first <= x, x < last, intervals.contains(where: { $0.start <= x && x < $0.end }) else { continue }
                if pattern.covers(Point(x: x, y: y)) {
                    coverage[line / samples * size.width + column / samples] += 1 / Double(samples * samples)
                }
            }
        }
        return coverage
    }

    private func painted(_ stroke: Stroke, scale: OutputScale, level: KernelLevel = .selected) -> [Float] {
        let cell = PixelRect(x: 0, y: 0, width: scale.size.width, height: scale.size.height)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        StrokePainter(maxWidth: cell.width, maxHeight: cell.height, level: level).paint(
            PreparedStroke(stroke), scale: scale, cell: cell, into: plane)
        return plane.coverage
    }

    private func scale(
        _ size: PixelSize = size, times factor: Double = 1, origin: Point = Point(x: 0, y: 0)
    ) -> OutputScale {
        OutputScale(
            canvas: CanvasSize(width: Double(size.width) / factor, height: Double(size.height) / factor), output: size,
            patternOrigin: origin)
    }

    /// A stroke on the canvas of `size`, somewhat like a hand's.
    private func stroke(_ brush: Brush, _ generator: inout SeededGenerator, size: PixelSize = size, times: Double = 1)
        -> Stroke
    {
        let (width, height) = (Double(size.width) / times, Double(size.height) / times)
        let count = Int.random(in: 1...7, using: &generator)
        let points = (0..<count).map { _ in
            StrokePoint(
                x: .random(in: 0...width, using: &generator), y: .random(in: 0...height, using: &generator),
                pressure: .random(in: 0...1, using: &generator), azimuth: .random(in: 0...360, using: &generator))
        }
        return Stroke(brush: brush, points: points)
    }

    private func check(
        _ painted: [Float], _ expected: [Double], worst limit: Double, mean meanLimit: Double, _ text: String
    ) {
        let errors = zip(painted, expected).map { abs(Double($0) - $1) }
        let worst = errors.max() ?? 0
        let mean = errors.reduce(0, +) / Double(errors.count)
        let place = errors.firstIndex(of: worst) ?? 0
        #expect(
            worst < limit && mean < meanLimit,
            """
            \(text): worst \(worst) at \(place % CanvasPatternTests.size.width), \
            \(place / CanvasPatternTests.size.width) (\(painted[place]), not \(expected[place])), mean \(mean)
            """)
    }

    @Test("a pattern is uncovered exactly, border included", arguments: types, 0..<8)
    func coverage(type: BrushType, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let times = [1, 2, 0.5, 4][seed % 4]
        let brush = Brush(
            type: type,
            rotation: seed % 3 == 0 ? Double(seed / 3 % 4) * 90 : .random(in: -360...720, using: &generator),
            spacing: .random(in: 2...14, using: &generator), scale: .random(in: 0.4...2, using: &generator),
            lineWidth: .random(in: 0.2...3, using: &generator), anchor: .canvas,
            size: .random(in: 4...24, using: &generator),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: false, pressureAffectsSize: seed % 2 == 0, tiltAffectsRotation: seed % 5 == 0))
        let stroke = stroke(brush, &generator, times: times)
        let scale = scale(times: times)
        check(
            painted(stroke, scale: scale), sampled(stroke, scale: scale), worst: 0.045, mean: 0.005,
            "\(type), seed \(seed)")
    }

    @Test(
        "very close and very wide patterns", arguments: types,
        [0.01, 0.05, 0.1, 0.25, 0.4, 0.7, 1.2, 40, 300, 1e5, 1e12])
    func extremes(type: BrushType, spacing: Double) {
        var generator = SeededGenerator(seed: 7)
        let unit = type == .dots ? spacing / 6 : 1
        // Points at equal distances do not tell better what lines cover that are hardly further apart.
        let isClose = spacing < 0.5
        let brush = Brush(
            type: type, rotation: 33, spacing: type == .dots ? 6 : spacing, scale: unit,
            lineWidth: min(spacing * 0.35, 2000), anchor: .canvas, size: 20 / unit,
            dynamics: CanvasPatternTests.plain)
        let stroke = stroke(brush, &generator)
        check(
            painted(stroke, scale: scale()), sampled(stroke, scale: scale()), worst: isClose ? 0.12 : 0.05,
            mean: isClose ? 0.025 : 0.008,
            "\(type), spacing \(spacing)")
    }

    @Test("lines wider than their spacing cover everything", arguments: types)
    func wide(type: BrushType) {
        var generator = SeededGenerator(seed: 3)
        let brush = Brush(
            type: type, rotation: 20, spacing: 2, lineWidth: 9, anchor: .canvas, size: 18,
            dynamics: CanvasPatternTests.plain)
        let stroke = stroke(brush, &generator)
        check(
            painted(stroke, scale: scale()), sampled(stroke, scale: scale()), worst: 0.045, mean: 0.005, "\(type)")
        var solid = stroke
        solid.brush.type = .solid
        solid.brush.lineWidth = brush.size
        #expect(painted(stroke, scale: scale()) == painted(solid, scale: scale()))
    }

    @Test(
        "dots of other radii and waves of other lengths", arguments: [0.3, 1.2, 2.9, 3.4, 4.1, 9],
        0..<2 as Range<UInt64>)
    func settings(factor: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for type in [BrushType.dots, .waves] {
            var brush = Brush(
                type: type, rotation: 33, spacing: 6, lineWidth: 1.5, anchor: .canvas, size: 14,
                dynamics: CanvasPatternTests.plain)
            (brush.dotRadius, brush.waveLength) = (factor, 9 * factor)
            let stroke = stroke(brush, &generator)
            check(
                painted(stroke, scale: scale()), sampled(stroke, scale: scale()), worst: 0.05, mean: 0.006,
                "\(type), \(factor), seed \(seed)")
        }
    }

    @Test("a tap of a very large brush is even at any rotation", arguments: types, [0.0, 13, 45, 90, 201.5])
    func fill(type: BrushType, rotation: Double) {
        let brush = Brush(
            type: type, rotation: rotation, anchor: .canvas, size: 500, dynamics: CanvasPatternTests.plain)
        let stroke = Stroke(brush: brush, points: [StrokePoint(x: 16, y: 12)])
        check(
            painted(stroke, scale: scale()), sampled(stroke, scale: scale()), worst: 0.045, mean: 0.01,
            "\(type), rotation \(rotation)")
    }

    @Test("a pattern that begins far away", arguments: types, [1e3, 1e9, -1e12])
    func farOrigin(type: BrushType, distance: Double) {
        var generator = SeededGenerator(seed: 11)
        let brush = Brush(
            type: type, rotation: 77, spacing: 5, scale: 1.3, anchor: .canvas, size: 12,
            dynamics: CanvasPatternTests.plain)
        let stroke = stroke(brush, &generator)
        let origin = Point(x: distance + 0.25, y: -0.7 * distance)
        let far = scale(origin: origin)
        check(
            painted(stroke, scale: far), sampled(stroke, origin: origin, scale: far), worst: 0.045, mean: 0.005,
            "\(type), \(distance)")
    }

    @Test("every level of kernels gives the same", arguments: types, 0..<6)
    func levels(type: BrushType, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let brush = Brush(
            type: type, rotation: 29, spacing: [6, 1, 3][seed % 3], lineWidth: 0.4, anchor: .canvas, size: 12)
        let stroke = stroke(brush, &generator)
        let all = KernelLevel.available.map { painted(stroke, scale: scale(times: 1.5), level: $0) }
        #expect(all.allSatisfy { $0 == all[0] }, "\(type), seed \(seed)")
    }

    @Test("tiles do not show", arguments: types, 0..<8)
    func tiles(type: BrushType, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let brush = Brush(
            type: type, rotation: .random(in: 0...90, using: &generator), spacing: [6, 1.1, 60, 20_000][seed % 4],
            lineWidth: 0.6, anchor: .canvas, size: seed % 3 == 0 ? 60 : 14)
        let stroke = PreparedStroke(stroke(brush, &generator))
        let size = CanvasPatternTests.size
        func paint(_ cells: [PixelRect]) -> [UInt16] {
            let painter = StrokePainter(maxWidth: size.width, maxHeight: size.height)
            let plane = RemainingPlane(maxWidth: size.width, maxHeight: size.height)
            var pixels = [UInt16](repeating: 0, count: size.area)
            for cell in cells {
                plane.move(to: cell)
                painter.paint(stroke, scale: scale(), cell: cell, into: plane)
                for row in 0..<cell.height {
                    for column in 0..<cell.width {
                        pixels[(cell.y + row) * size.width + cell.x + column] = plane.pixels.row(cell, row)[column]
                    }
                    plane.pixels.row(cell, row).update(
                        repeating: RemainingPlane.all, count: (cell.width + 15) / 16 * 16)
                }
                plane.drain { _ in }
            }
            return pixels
        }
        let whole = paint([PixelRect(x: 0, y: 0, width: size.width, height: size.height)])
        for (width, height) in [(7, 5), (16, 40), (32, 1), (13, 17)] {
            let cells = stride(from: 0, to: size.height, by: height).flatMap { y in
                stride(from: 0, to: size.width, by: width).map { x in
                    PixelRect(
                        x: x, y: y, width: min(width, size.width - x), height: min(height, size.height - y))
                }
            }
            #expect(paint(cells) == whole, "\(type), seed \(seed), cells of \(width) x \(height)")
        }
    }
}
