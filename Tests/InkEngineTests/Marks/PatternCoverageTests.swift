import InkTestSupport
import Testing

@testable import InkEngine

/// The points of a stamp in pattern space, straight from the specification, 3.3 and 10.4.
private struct SampledStamp {
    let brush: Brush
    let indices: ClosedRange<Int>
    /// The vertices of the middle wave.
    let wave: [Point]

    init(_ brush: Brush) {
        self.brush = brush
        indices = -(brush.lines / 2)...(brush.lines / 2)
        let steps = Int(max(32, (320 / brush.waveLength).rounded(.up)))
        wave = (0...steps).map { step in
            let t = -10 + 20 * Double(step) / Double(steps)
            return Point(x: t, y: brush.spacing / 4 * sinPi(2 * t / brush.waveLength))
        }
    }

    func contains(_ p: Point) -> Bool {
        switch brush.type {
        case .parallelLines: return inLines(p)
        case .crossHatch: return inLines(p) || inLines(Point(x: p.y, y: -p.x))
        case .dots:
            for i in -5...5 {
                for j in -5...5 {
                    let (x, y) = (p.x - Double(i) * brush.spacing, p.y - Double(j) * brush.spacing)
                    if x * x + y * y <= brush.dotRadius * brush.dotRadius { return true }
                }
            }
            return false
        case .waves:
            for i in indices where inWave(Point(x: p.x, y: p.y - Double(i) * brush.spacing)) { return true }
            return false
        default: return false
        }
    }

    private func inLines(_ p: Point) -> Bool {
        guard abs(p.x) <= 10 else { return false }
        for i in indices where abs(p.y - Double(i) * brush.spacing) <= brush.lineWidth / 2 { return true }
        return false
    }

    private func inWave(_ q: Point) -> Bool {
        let half = brush.lineWidth / 2
        guard abs(q.y) <= brush.spacing / 4 + half else { return false }
        let steps = wave.count - 1
        let middle = (q.x + 10) / 20 * Double(steps)
        let reach = half / 20 * Double(steps) + 1
        let first = Int(max(middle - reach, 1)), last = Int(min(middle + reach + 1, Double(steps)))
        guard first <= last else { return false }
        for k in first...last {
            let step = wave[k] - wave[k - 1]
            let offset = q - wave[k - 1]
            let along = (offset.x * step.x + offset.y * step.y) / step.length
            let across = (offset.y * step.x - offset.x * step.y) / step.length
            if along >= 0, along <= step.length, abs(across) <= half { return true }
            if k < steps, inJoin(q, wave[k - 1], wave[k], wave[k + 1]) { return true }
        }
        return false
    }

    /// In the sector of the disc at b that lies beyond both steps' ends, on the outside of the bend.
    private func inJoin(_ p: Point, _ a: Point, _ b: Point, _ c: Point) -> Bool {
        func dot(_ u: Point, _ v: Point) -> Double { u.x * v.x + u.y * v.y }
        return (p - b).length <= brush.lineWidth / 2 && dot(p - b, b - a) >= 0 && dot(p - b, c - b) <= 0
    }
}

@Suite("Stamp patterns")
struct PatternCoverageTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var type: BrushType
        var spacing: Double
        var width: Double
        var rotation: Double
        var size: Double
        var lines = 7
        var dotRadius = 2.0
        var waveLength = 10.0

        var brush: Brush {
            var brush = Brush(type: type, rotation: rotation, spacing: spacing, scale: size, lineWidth: width)
            (brush.lines, brush.dotRadius, brush.waveLength) = (lines, dotRadius, waveLength)
            return brush
        }

        var testDescription: String {
            "\(type) spacing \(spacing) width \(width) rotation \(rotation) size \(size) \(lines) \(dotRadius) \(waveLength)"
        }
    }

    static let cases: [Case] = [
        Case(type: .parallelLines, spacing: 6, width: 1.5, rotation: 0, size: 1),
        Case(type: .parallelLines, spacing: 4, width: 1, rotation: 33, size: 1.3),
        Case(type: .parallelLines, spacing: 2, width: 3, rotation: 71, size: 1),
        Case(type: .crossHatch, spacing: 6, width: 1.5, rotation: 20, size: 1),
        Case(type: .crossHatch, spacing: 3, width: 1, rotation: 45, size: 0.8),
        Case(type: .crossHatch, spacing: 2, width: 2.5, rotation: 10, size: 1),
        Case(type: .dots, spacing: 6, width: 1, rotation: 15, size: 1),
        Case(type: .dots, spacing: 3.5, width: 1, rotation: 15, size: 1),
        Case(type: .dots, spacing: 3, width: 1, rotation: 0, size: 1.5),
        Case(type: .dots, spacing: 2.5, width: 1, rotation: 50, size: 1),
        Case(type: .dots, spacing: 1, width: 1, rotation: 50, size: 1),
        Case(type: .waves, spacing: 6, width: 1.5, rotation: 0, size: 1),
        Case(type: .waves, spacing: 12, width: 1.5, rotation: 30, size: 1),
        Case(type: .waves, spacing: 5, width: 1, rotation: 200, size: 0.7),
        Case(type: .waves, spacing: 4, width: 5, rotation: 10, size: 1),
        Case(type: .waves, spacing: 12, width: 4, rotation: 80, size: 1),
        Case(type: .waves, spacing: 6, width: 4, rotation: 30, size: 1),
        Case(type: .waves, spacing: 6, width: 5.5, rotation: 300, size: 0.9),
        Case(type: .waves, spacing: 3, width: 9, rotation: 120, size: 1),
        Case(type: .waves, spacing: 1, width: 1.5, rotation: 12, size: 1),
        Case(type: .waves, spacing: 9, width: 12, rotation: 60, size: 0.8),
        Case(type: .waves, spacing: 14, width: 30, rotation: 45, size: 0.5),
        Case(type: .parallelLines, spacing: 6, width: 2, rotation: 33, size: 1, lines: 1),
        Case(type: .parallelLines, spacing: 3, width: 1, rotation: 33, size: 1, lines: 15),
        Case(type: .parallelLines, spacing: 1, width: 0.6, rotation: 71, size: 1.2, lines: 63),
        Case(type: .parallelLines, spacing: 1, width: 2, rotation: 20, size: 1, lines: 21),
        Case(type: .parallelLines, spacing: 1e-6, width: 1, rotation: 20, size: 1, lines: 63),
        Case(type: .crossHatch, spacing: 6, width: 2, rotation: 20, size: 1, lines: 3),
        Case(type: .crossHatch, spacing: 2, width: 0.8, rotation: 45, size: 1, lines: 25),
        Case(type: .crossHatch, spacing: 4, width: 5, rotation: 10, size: 1, lines: 1),
        Case(type: .dots, spacing: 6, width: 1, rotation: 15, size: 1, dotRadius: 0.7),
        Case(type: .dots, spacing: 6, width: 1, rotation: 15, size: 1, dotRadius: 2.9),
        Case(type: .dots, spacing: 6, width: 1, rotation: 15, size: 1, dotRadius: 3.6),
        Case(type: .dots, spacing: 4, width: 1, rotation: 50, size: 1, dotRadius: 7),
        Case(type: .dots, spacing: 0.5, width: 1, rotation: 50, size: 1, dotRadius: 32),
        Case(type: .dots, spacing: 1e-6, width: 1, rotation: 50, size: 1, dotRadius: 64e-6),
        Case(type: .waves, spacing: 6, width: 1.5, rotation: 30, size: 1, lines: 3),
        Case(type: .waves, spacing: 3, width: 1, rotation: 12, size: 1, lines: 15, waveLength: 20),
        Case(type: .waves, spacing: 6, width: 1, rotation: 75, size: 1, waveLength: 5),
        Case(type: .waves, spacing: 6, width: 1, rotation: 30, size: 1, waveLength: 37),
        Case(type: .waves, spacing: 4, width: 1, rotation: 30, size: 1, lines: 1, waveLength: 0.5),
        Case(type: .waves, spacing: 6, width: 2, rotation: 30, size: 1, waveLength: 1e6),
        Case(type: .waves, spacing: 1e-6, width: 2, rotation: 30, size: 1, lines: 21, waveLength: 30),
    ]

    @Test("one stamp covers the union of its parts", arguments: cases)
    func coverageOfOneStamp(_ test: Case) {
        let side = 112
        let brush = test.brush
        let center = Point(x: 56.3, y: 55.8)
        let stroke = PreparedStroke(Stroke(brush: brush, points: [StrokePoint(x: center.x, y: center.y)]))
        let cell = PixelRect(x: 0, y: 0, width: side, height: side)
        let plane = RemainingPlane(maxWidth: side, maxHeight: side)
        plane.move(to: cell)
        let scale = OutputScale(canvas: CanvasSize(cell.size), output: cell.size)
        StrokePainter(maxWidth: side, maxHeight: side).paint(stroke, scale: scale, cell: cell, into: plane)

        let coverage = plane.coverage
        let expected = SampledStamp(brush)
        let samples = 8
        let turn = sinCos(degrees: test.rotation)
        var worst = 0.0
        var sum = 0.0
        for y in stride(from: 0, to: side, by: 16) {
            for x in 0..<side {
                var inside = 0
                for sy in 0..<samples {
                    for sx in 0..<samples {
                        let dx = Double(x) + (Double(sx) + 0.5) / Double(samples) - center.x
                        let dy = Double(y) + (Double(sy) + 0.5) / Double(samples) - center.y
                        let local = Point(
                            x: (dx * turn.cos + dy * turn.sin) / test.size,
                            y: (dy * turn.cos - dx * turn.sin) / test.size)
                        if expected.contains(local) { inside += 1 }
                    }
                }
                let error = abs(
                    Double(coverage[y * side + x]) - Double(inside) / Double(samples * samples))
                worst = max(worst, error)
                sum += error
            }
        }
        // 8 x 8 samples are off by up to 1/8 along an edge that is parallel to their grid.
        #expect(worst < 0.13)
        #expect(sum / Double(side * side / 16) < 0.006)
    }

    /// What one stamp covers of a picture of so many pixels of a canvas of 1,000 x 1,000, pixels.
    private func area(of brush: Brush, edge: Int) -> Double {
        let cell = PixelRect(x: 0, y: 0, width: edge, height: edge)
        let plane = RemainingPlane(maxWidth: edge, maxHeight: edge)
        plane.move(to: cell)
        StrokePainter(maxWidth: edge, maxHeight: edge).paint(
            PreparedStroke(Stroke(brush: brush, points: [StrokePoint(x: 503.7, y: 517.1)])),
            scale: OutputScale(canvas: CanvasSize(width: 1000, height: 1000), output: cell.size), cell: cell,
            into: plane
        )
        return plane.coverage.reduce(0) { $0 + Double($1) }
    }

    /// Dots of a twentieth of a pixel lie there by the dozen, and lines no wider: what each lacks adds up.
    @Test(
        "one stamp covers as much of the picture, however small that is",
        arguments: [
            Brush(type: .dots, rotation: 15, spacing: 6), Brush(type: .dots, rotation: 15, spacing: 3),
            Brush(type: .dots, rotation: 15, spacing: 3.9), Brush(type: .dots, rotation: 15, spacing: 3.99),
            Brush(type: .waves, rotation: 30, spacing: 6, lineWidth: 1),
            Brush(type: .waves, rotation: 70, spacing: 12, scale: 2, lineWidth: 2),
            Brush(type: .waves, rotation: 30, spacing: 52, lineWidth: 2.1),
            Brush(type: .parallelLines, rotation: 33, spacing: 4, lineWidth: 1),
            Brush(type: .crossHatch, rotation: 33, spacing: 4, lineWidth: 1),
        ])
    func coverageOfSmallPictures(_ brush: Brush) {
        let whole = area(of: brush, edge: 1000) / 1_000_000
        for edge in [500, 250, 125, 60, 30, 16] {
            let covered = area(of: brush, edge: edge) / Double(edge * edge)
            #expect(abs(covered / whole - 1) < 0.006, "\(edge) pixels: \(covered / whole) of what it should be")
        }
    }
}
