import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct PlacedStampsTests {
    private let canvas = PixelSize(width: 600, height: 400)

    @Test("near a cell are exactly the stamps that are found one by one", arguments: 0..<30)
    func visible(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let stamps = (0..<Int.random(in: 0...100, using: &generator)).map { _ in
            Stamp(
                center: Point(
                    x: .random(in: -50...650, using: &generator), y: .random(in: -50...450, using: &generator)),
                along: Point(x: 1, y: 0), size: 1, alpha: Bool.random(using: &generator) ? 0.5 : 0)
        }
        let cell = PixelRect(x: 100, y: 50, width: 200, height: 100)
        let near = NearCell(cell, scale: OutputScale(canvas: canvas, output: canvas), reach: 20)
        let expected = stamps.indices.filter { stamps[$0].alpha > 0 && near.contains(stamps[$0].center) }
        var visible = PlacedStamps(stamps).visible(near)
        var found: [Int] = []
        while let index = visible.nextIndex() { found.append(index) }
        #expect(found == expected, "seed \(seed)")
        #expect(PlacedStamps(stamps).visible(near).map(\.center) == expected.map { stamps[$0].center })
    }

    @Test("a stroke's bounds hold every pixel it touches", arguments: BrushType.allCases, 0..<6)
    func bounds(type: BrushType, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let points = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
            StrokePoint(
                x: .random(in: 200...400, using: &generator), y: .random(in: 150...250, using: &generator),
                pressure: .random(in: 0...1, using: &generator))
        }
        let brush = Brush(
            type: type, rotation: .random(in: 0...360, using: &generator),
            spacing: .random(in: 2...12, using: &generator), opacity: 1,
            scale: .random(in: 0.5...2, using: &generator), lineWidth: .random(in: 0.5...8, using: &generator))
        let stroke = PreparedStroke(Stroke(brush: brush, points: points))
        // Painted in one cell, whose own test the whole canvas passes.
        let cell = PixelRect(x: 0, y: 0, width: canvas.width, height: canvas.height)
        let painter = StrokePainter(maxWidth: canvas.width, maxHeight: canvas.height, isExact: true)
        let plane = RemainingPlane(maxWidth: canvas.width, maxHeight: canvas.height)
        plane.move(to: cell)
        painter.paint(stroke, scale: OutputScale(canvas: canvas, output: canvas), cell: cell, into: plane)
        var touched = Rect.empty
        for y in 0..<canvas.height {
            for x in 0..<canvas.width where plane.kernelPlane.values[y * plane.kernelPlane.stride + x] < .max {
                touched.formUnion(Point(x: Double(x), y: Double(y)))
                touched.formUnion(Point(x: Double(x + 1), y: Double(y + 1)))
            }
        }
        let bounds = stroke.bounds.expanded(by: 1)
        #expect(!touched.isEmpty)
        let isInside =
            touched.minX >= bounds.minX && touched.minY >= bounds.minY && touched.maxX <= bounds.maxX
            && touched.maxY <= bounds.maxY
        #expect(isInside, "seed \(seed): \(touched) is beyond \(stroke.bounds)")
    }
}
