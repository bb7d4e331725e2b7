import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Stroke painter")
struct StrokePainterTests {
    private static let size = PixelSize(width: 160, height: 96)

    /// A stroke of any kind with any settings, from thin and close to wide and far apart.
    private func randomStroke(_ generator: inout SeededGenerator) -> Stroke {
        let type = BrushType.allCases.randomElement(using: &generator) ?? .dots
        let rotation =
            Bool.random(using: &generator)
            ? Double(Int.random(in: 0...8, using: &generator)) * 45 : .random(in: -400...400, using: &generator)
        let brush = Brush(
            type: type, rotation: rotation, spacing: .random(in: 1...14, using: &generator), opacity: 0.9,
            scale: [0.3, 0.7, 1, 1, 1.6, 5].randomElement(using: &generator) ?? 1,
            lineWidth: .random(in: 0.2...4, using: &generator),
            dynamics: BrushDynamics(
                pressureAffectsOpacity: .random(using: &generator), pressureAffectsSize: .random(using: &generator),
                tiltAffectsRotation: .random(using: &generator)))
        var place = Point(x: .random(in: 0...160, using: &generator), y: .random(in: 0...96, using: &generator))
        let points = (0..<Int.random(in: 1...5, using: &generator)).map { _ -> StrokePoint in
            place =
                place + Point(x: .random(in: -30...30, using: &generator), y: .random(in: -30...30, using: &generator))
            return StrokePoint(
                x: place.x, y: place.y, pressure: .random(in: 0...1, using: &generator),
                azimuth: .random(in: 0...360, using: &generator))
        }
        return Stroke(brush: brush, points: points)
    }

    /// What the strokes take of each pixel of a cell.
    private func coverage(
        _ strokes: [PreparedStroke], cell: PixelRect, level: KernelLevel = .selected, canvas: PixelSize = size
    ) -> [Float] {
        let painter = StrokePainter(maxWidth: cell.width, maxHeight: cell.height, level: level)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        plane.move(to: cell)
        let scale = OutputScale(canvas: canvas, output: StrokePainterTests.size)
        for stroke in strokes { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
        return plane.coverage
    }

    private func randomStrokes(seed: Int) -> [PreparedStroke] {
        var generator = SeededGenerator(seed: UInt64(seed))
        return (0..<4).map { _ in PreparedStroke(randomStroke(&generator)) }
    }

    @Test("every level of kernels takes exactly the same", arguments: 0..<60)
    func levels(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
        let expected = coverage(strokes, cell: cell, level: .scalar)
        for level in KernelLevel.available {
            let isSame = coverage(strokes, cell: cell, level: level) == expected
            #expect(isSame, "seed \(seed), level \(level)")
        }
    }

    @Test("a cell shows exactly what the whole picture shows there", arguments: 0..<60)
    func cells(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        var generator = SeededGenerator(seed: UInt64(seed) + 1000)
        let whole = coverage(strokes, cell: PixelRect(x: 0, y: 0, width: 160, height: 96))
        for _ in 0..<4 {
            let x = Int.random(in: 0..<160, using: &generator)
            let y = Int.random(in: 0..<96, using: &generator)
            let cell = PixelRect(
                x: x, y: y, width: .random(in: 1...(160 - x), using: &generator),
                height: .random(in: 1...(96 - y), using: &generator))
            let part = coverage(strokes, cell: cell)
            let expected = cell.rows.flatMap { row in whole[(row * 160 + x)..<(row * 160 + x + cell.width)] }
            let first = part.indices.first { part[$0] != expected[$0] }
            #expect(
                first == nil,
                "seed \(seed), cell \(cell), pixel \(first ?? 0): \(part[first ?? 0]), not \(expected[first ?? 0])")
        }
    }

    @Test("what cells of other sizes were drawn before does not show", arguments: 0..<20)
    func otherCellsBefore(seed: Int) {
        let strokes = randomStrokes(seed: seed)
        let painter = StrokePainter(maxWidth: 160, maxHeight: 96)
        let plane = RemainingPlane(maxWidth: 160, maxHeight: 96)
        let scale = OutputScale(canvas: StrokePainterTests.size, output: StrokePainterTests.size)
        for cell in [
            PixelRect(x: 40, y: 10, width: 37, height: 29), PixelRect(x: 0, y: 0, width: 160, height: 96),
        ] {
            plane.move(to: cell)
            for stroke in strokes { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
            let isSame = plane.coverage == coverage(strokes, cell: cell)
            #expect(isSame, "seed \(seed), \(cell)")
            for row in 0..<cell.height {
                (plane.pixels.values + row * plane.pixels.stride).update(
                    repeating: RemainingPlane.all, count: cell.width)
            }
        }
    }

    @Test("all that may differ from 1 is in the boxes handed on, once", arguments: 0..<20)
    func drawnBoxes(seed: Int) {
        let cell = PixelRect(x: 3, y: 5, width: 150, height: 77)
        let painter = StrokePainter(maxWidth: 150, maxHeight: 77)
        let plane = RemainingPlane(maxWidth: 150, maxHeight: 77)
        plane.move(to: cell)
        let scale = OutputScale(canvas: StrokePainterTests.size, output: StrokePainterTests.size)
        for stroke in randomStrokes(seed: seed) { painter.paint(stroke, scale: scale, cell: cell, into: plane) }
        let taken = plane.coverage
        var counts = [Int](repeating: 0, count: cell.area)
        plane.drain { box in
            for row in Int(box.top)..<Int(box.bottom) {
                for column in Int(box.left)..<Int(box.right) { counts[row * 150 + column] += 1 }
            }
        }
        for index in counts.indices {
            #expect(counts[index] <= 1 && (taken[index] == 0 || counts[index] == 1), "seed \(seed), pixel \(index)")
        }
    }

    @Test(
        "absurd sizes are drawn or left out, not followed",
        arguments: BrushType.allCases, [1e4, 1e6, 1e9, 1e160, 1e300])
    func absurdSizes(type: BrushType, scale: Double) {
        for lineWidth in [1e-300, 1, 1e300] {
            let brush = Brush(type: type, rotation: 33, spacing: 5, scale: scale, lineWidth: lineWidth)
            let points = [StrokePoint(x: 40, y: 40), StrokePoint(x: 1e7, y: -1e7)]
            let cell = PixelRect(x: 0, y: 0, width: 160, height: 96)
            #expect(
                coverage([PreparedStroke(Stroke(brush: brush, points: points))], cell: cell).allSatisfy { $0 >= -1e-3 })
        }
    }
}
