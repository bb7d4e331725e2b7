import InkTestSupport
import Testing

@testable import InkEngine

/// Dots that the border of a stroke does not cut (spec section 10.4), against many points a pixel.
@Suite("Whole dots")
struct WholeDotTests {
    private let size = PixelSize(width: 48, height: 40)
    private var cell: PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }

    private func stroke(
        spacing: Double, radius: Double, scale: Double = 1, size: Double = 20, _ generator: inout SeededGenerator
    ) -> Stroke {
        var brush = Brush(
            type: .dots, rotation: .random(in: 0...360, using: &generator), spacing: spacing, scale: scale,
            anchor: .canvas, size: size,
            dynamics: BrushDynamics(
                pressureAffectsOpacity: false, pressureAffectsSize: .random(using: &generator)))
        (brush.dotRadius, brush.edge) = (radius, .whole)
        let points = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            StrokePoint(
                x: .random(in: 0...48, using: &generator), y: .random(in: 0...40, using: &generator),
                pressure: .random(in: 0...1, using: &generator))
        }
        var stroke = Stroke(brush: brush, points: points)
        stroke.isClosed = .random(using: &generator)
        return stroke
    }

    private func painted(
        _ stroke: Stroke, origin: Point = Point(x: 0, y: 0), cells: [PixelRect]? = nil, level: KernelLevel = .selected
    ) -> [Float] {
        let scale = OutputScale(canvas: CanvasSize(size), output: size, patternOrigin: origin)
        let prepared = PreparedStroke(stroke)
        let painter = StrokePainter(maxWidth: size.width, maxHeight: size.height, level: level)
        var pixels = [Float](repeating: 0, count: size.area)
        for cell in cells ?? [cell] {
            let plane = RemainingPlane(maxWidth: size.width, maxHeight: size.height)
            plane.move(to: cell)
            painter.paint(prepared, scale: scale, cell: cell, into: plane)
            for (index, value) in plane.coverage.enumerated() {
                pixels[(cell.y + index / cell.width) * size.width + cell.x + index % cell.width] = value
            }
        }
        return pixels
    }

    /// Whether a point is inside of a stroke's footprint, of one of the discs along it. How far it is outside of them is
    /// a convex function along each segment, so its least value is found by halving.
    private func isUncovered(_ p: Point, by discs: [PreparedStroke.Disc]) -> Bool {
        if let only = discs.first, discs.count == 1 { return (p - only.center).length <= only.radius + 1e-5 }
        return zip(discs, discs.dropFirst()).contains { a, b in
            if (p - a.center).length > max(a.radius, b.radius) + (b.center - a.center).length + 1 { return false }
            func outside(_ t: Double) -> Double {
                (p - a.center - t * (b.center - a.center)).length - a.radius - t * (b.radius - a.radius)
            }
            var (low, high) = (0.0, 1.0)
            for _ in 0..<60 {
                let (first, second) = ((2 * low + high) / 3, (low + 2 * high) / 3)
                if outside(first) < outside(second) { high = second } else { low = first }
            }
            return min(outside(0), outside(1), outside((low + high) / 2)) <= 1e-5
        }
    }

    private func sampled(_ stroke: Stroke, origin: Point = Point(x: 0, y: 0)) -> [Double] {
        let brush = stroke.brush
        let discs = SmoothedPath(stroke).samples.map { sample in
            PreparedStroke.Disc(
                center: sample.position,
                radius: brush.size / 2 * brush.scale * brush.dynamics.size(sample.pressure))
        }
        let turn = sinCos(degrees: brush.rotation)
        let (period, radius) = (brush.spacing * brush.scale, brush.dotRadius * brush.scale)
        let reach = Int(80 / period) + 1
        var dots: [Point] = []
        for i in -reach...reach {
            for j in -reach...reach {
                let (u, v) = (Double(i) * period, Double(j) * period)
                let dot = origin + Point(x: u * turn.cos - v * turn.sin, y: u * turn.sin + v * turn.cos)
                if isUncovered(dot, by: discs) { dots.append(dot) }
            }
        }
        let samples = 16
        return (0..<size.area).map { index in
            let (x, y) = (Double(index % size.width), Double(index / size.width))
            let near = dots.filter { ($0 - Point(x: x + 0.5, y: y + 0.5)).length <= radius + 1 }
            if near.isEmpty { return 0 }
            var inside = 0
            for line in 0..<samples {
                for column in 0..<samples {
                    let p = Point(
                        x: x + (Double(column) + Double(line * 7 % samples) / Double(samples)) / Double(samples),
                        y: y + (Double(line) + 0.5) / Double(samples))
                    if near.contains(where: { ($0 - p).length <= radius }) { inside += 1 }
                }
            }
            return Double(inside) / Double(samples * samples)
        }
    }

    private static let kinds: [(spacing: Double, radius: Double)] = [
        (6, 2), (6, 3.4), (5, 4.5), (3, 9), (9, 0.8), (40, 18),
    ]

    @Test("those whose centres are inside are drawn whole, the others not at all", arguments: 0..<12)
    func againstPoints(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (spacing, radius) = WholeDotTests.kinds[seed % 6]
        let stroke = stroke(spacing: spacing, radius: radius, &generator)
        let errors = zip(painted(stroke), sampled(stroke)).map { abs(Double($0) - $1) }
        #expect((errors.max() ?? 1) < 0.05, "seed \(seed)")
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.005, "seed \(seed)")
    }

    @Test("a centre on the outline is inside")
    func ties() {
        var brush = Brush(
            type: .dots, spacing: 8, anchor: .canvas, size: 16, dynamics: .standard(.dots, .canvas))
        (brush.edge, brush.dotRadius) = (.whole, 1.5)
        // A disc of radius 8 about a dot holds four more on its outline.
        let stroke = Stroke(brush: brush, points: [StrokePoint(x: 24, y: 16)])
        #expect(abs(painted(stroke).reduce(0, +) - Float(5 * Double.pi * 1.5 * 1.5)) < 0.1)
        var smaller = stroke
        smaller.brush.size = 15.9999
        #expect(abs(painted(smaller).reduce(0, +) - Float(Double.pi * 1.5 * 1.5)) < 0.1)
    }

    @Test("tiles do not show, and every level of kernels gives the same", arguments: 0..<12)
    func tiles(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (spacing, radius) = WholeDotTests.kinds[seed % 6]
        let stroke = stroke(spacing: spacing, radius: radius, &generator)
        let whole = painted(stroke)
        for (width, height) in [(7, 5), (16, 40), (32, 1), (13, 17)] {
            let cells = stride(from: 0, to: size.height, by: height).flatMap { y in
                stride(from: 0, to: size.width, by: width).map { x in
                    PixelRect(x: x, y: y, width: min(width, size.width - x), height: min(height, size.height - y))
                }
            }
            #expect(painted(stroke, cells: cells) == whole, "seed \(seed), cells of \(width) x \(height)")
        }
        for level in KernelLevel.available { #expect(painted(stroke, level: level) == whole, "\(level.name)") }
    }

    @Test("a pattern that begins far away")
    func farOrigin() {
        var generator = SeededGenerator(seed: 4)
        let stroke = stroke(spacing: 6, radius: 2, &generator)
        let turn = sinCos(degrees: stroke.brush.rotation)
        let near = painted(stroke)
        let far = painted(stroke, origin: Point(x: 6e9 * turn.cos, y: 6e9 * turn.sin))
        #expect(zip(near, far).allSatisfy { abs($0 - $1) < 1e-3 })
    }

    @Test(
        "extreme dots end soon",
        arguments: [
            (1e-6, 64e-6), (1e-300, 64e-300), (0.05, 3.2), (0.3, 0.2), (0.3, 19.2), (1e9, 64e9), (1e300, 1e300),
        ])
    func extremes(spacing: Double, radius: Double) {
        var generator = SeededGenerator(seed: 5)
        let stroke = stroke(spacing: spacing, radius: radius, &generator)
        #expect(painted(stroke).allSatisfy { $0 >= 0 && $0 <= 1 })
    }

    @Test("dots that leave no gaps widen the stroke by their radius, however close they are")
    func closeDots() {
        var brush = Brush(type: .dots, spacing: 0.05, anchor: .canvas, size: 16, dynamics: .standard(.dots, .canvas))
        (brush.edge, brush.dotRadius) = (.whole, 3.2)
        let tap = Stroke(brush: brush, points: [StrokePoint(x: 24, y: 20)])
        #expect(abs(painted(tap).reduce(0, +) - Float(Double.pi * 11.2 * 11.2)) < 8)
    }
}
