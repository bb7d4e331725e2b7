import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

/// Lines far apart are drawn one by one, row by row: strokes of such brushes alone, from lines along the rows to upright ones,
/// of one size and of many, that cross others and that do not.
@Suite("Lines one by one")
struct LineKernelTests {
    private static let edge = 192
    private static let whole = PixelRect(x: 0, y: 0, width: edge, height: edge)

    /// A stroke across the picture, of whose brush no pixel meets two lines.
    private struct Sample: CustomStringConvertible {
        let brush: Brush
        let stroke: PreparedStroke
        let description: String

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            let width = Double.random(in: 1.05...8, using: &generator)
            brush = Brush(
                type: seed % 2 == 0 ? .parallelLines : .crossHatch, rotation: .random(in: 0..<360, using: &generator),
                spacing: width + .random(in: 2.9...16, using: &generator), opacity: 0.8,
                scale: [0.6, 1, 1, 1.7, 2.4].randomElement(using: &generator) ?? 1, lineWidth: width,
                dynamics: BrushDynamics(pressureAffectsOpacity: true, pressureAffectsSize: seed % 3 == 0))
            var place = Point(x: 20, y: 96)
            let points = (0..<5).map { _ -> StrokePoint in
                place = place + Point(x: 36, y: .random(in: -40...40, using: &generator))
                return StrokePoint(x: place.x, y: place.y, pressure: .random(in: 0.4...1, using: &generator))
            }
            stroke = PreparedStroke(Stroke(brush: brush, points: points))
            description = "seed \(seed): \(brush)"
        }

        func coverage(in cell: PixelRect, level: KernelLevel = .selected, isExact: Bool = false) -> [Float] {
            let painter = StrokePainter(
                maxWidth: cell.width, maxHeight: cell.height, isExact: isExact, level: level)
            let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
            plane.move(to: cell)
            let canvas = PixelSize(width: LineKernelTests.edge, height: LineKernelTests.edge)
            painter.paint(
                stroke, scale: OutputScale(canvas: CanvasSize(canvas), output: canvas), cell: cell, into: plane)
            return plane.coverage
        }
    }

    @Test("cover what they cover exactly", arguments: UInt64(0)..<120)
    func exactness(seed: UInt64) {
        let sample = Sample(seed: seed)
        let drawn = sample.coverage(in: LineKernelTests.whole)
        let exact = sample.coverage(in: LineKernelTests.whole, isExact: true)
        let touched = exact.count { $0 > 0 }
        #expect(touched > 300, "\(sample)")
        let errors = zip(drawn, exact).map { abs($0 - $1) * 255 }
        let mean = errors.reduce(0, +) / Float(touched)
        let far = Double(errors.count { $0 > 6 }) / Double(touched)
        #expect(far <= 0.004 && mean <= 0.4, "\(sample): \(far) of the pixels off by more than 6, mean \(mean)")
    }

    @Test("cover the same in tiles of any size, whatever was drawn before", arguments: UInt64(0)..<40)
    func tiles(seed: UInt64) {
        let sample = Sample(seed: seed)
        let whole = sample.coverage(in: LineKernelTests.whole)
        let edge = [9, 16, 23, 50][Int(seed) % 4]
        for y in stride(from: 0, to: LineKernelTests.edge, by: edge) {
            for x in stride(from: 0, to: LineKernelTests.edge, by: edge) {
                let cell = PixelRect(
                    x: x, y: y, width: min(edge, LineKernelTests.edge - x), height: min(edge, LineKernelTests.edge - y))
                let tile = sample.coverage(in: cell)
                let isSame = (0..<cell.height).allSatisfy { row in
                    let first = (y + row) * LineKernelTests.edge + x
                    return tile[(row * cell.width)..<((row + 1) * cell.width)]
                        .elementsEqual(whole[first..<(first + cell.width)])
                }
                #expect(isSame, "\(sample), cell \(cell)")
            }
        }
    }

    @Test("cover the same by the kernels of every level", arguments: UInt64(0)..<40)
    func levels(seed: UInt64) {
        let sample = Sample(seed: seed)
        let expected = sample.coverage(in: LineKernelTests.whole, level: .scalar)
        for level in KernelLevel.available {
            let isSame = sample.coverage(in: LineKernelTests.whole, level: level) == expected
            #expect(isSame, "\(sample), \(level)")
        }
    }

    @Test("fit their chunks at any angle, or are not drawn so", arguments: [1.05, 1.5, 3, 7, 14])
    func chunks(width: Double) {
        var widths: Set<Int32> = []
        for rotation in stride(from: 0.0, to: 180, by: 0.7) {
            let turn = sinCos(degrees: rotation)
            let stamp = Stamp(
                center: Point(x: 0, y: 0), along: Point(x: turn.cos, y: turn.sin), size: 1, alpha: 1)
            let brush = Brush(type: .parallelLines, rotation: rotation, spacing: width + 4, lineWidth: width)
            let canvas = PixelSize(width: 100, height: 100)
            let bars = Bars.kernelBars(of: stamp, brush, OutputScale(canvas: CanvasSize(canvas), output: canvas))[0]
            let chunk = bars.chunkWidth
            widths.insert(chunk)
            // Across: the line, and half a pixel's shadow on either side.
            let met = (width + abs(turn.cos) + abs(turn.sin)) / abs(turn.sin)
            #expect(chunk == 0 || met <= Double(chunk) + 1e-9, "\(rotation): \(met) pixels, \(chunk)")
            #expect(chunk != 0 || met > 31.999 || abs(turn.sin) < 0.05, "\(rotation): \(met) pixels")
        }
        #expect(widths.count >= 2)
    }

    /// Where an edge of the output is rounded up, ends may lie along the pixels while sides do not.
    @Test(
        "are drawn where the scales of both axes differ much", .timeLimit(.minutes(5)),
        arguments: [(0.1, 90.05, 1.2, 6.0), (0.3, 90.09, 1.2, 6), (0.1, 90.03, 9, 14), (4.5, 0.02, 1.2, 6)])
    func skewedScales(y: Double, rotation: Double, width: Double, spacing: Double) {
        let canvas = PixelSize(width: 200, height: 1000)
        let scale = OutputScale(canvas: CanvasSize(canvas), output: PixelSize(width: 200, height: Int(1000 * y)))
        let cell = PixelRect(x: 0, y: 0, width: 200, height: min(256, Int(1000 * y)))
        for isSized in [false, true] {
            let brush = Brush(
                type: .parallelLines, rotation: rotation, spacing: spacing, scale: 2, lineWidth: width,
                dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: isSized))
            let points = [0.4, 0.7, 1].map {
                StrokePoint(x: 60 + 80 * $0, y: min(90 + 100 * $0, 100 / y), pressure: $0)
            }
            let stroke = PreparedStroke(Stroke(brush: brush, points: points))
            let coverage = [true, false].map { isExact in
                let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
                plane.move(to: cell)
                StrokePainter(maxWidth: cell.width, maxHeight: cell.height, isExact: isExact)
                    .paint(stroke, scale: scale, cell: cell, into: plane)
                return plane.coverage
            }
            #expect(coverage[0].contains { $0 > 0 })
            let mean = zip(coverage[0], coverage[1]).reduce(0) { $0 + abs($1.0 - $1.1) } / Float(cell.area) * 255
            #expect(mean < 0.5, "\(brush): off by \(mean) of 255 on an average")
        }
    }
}
