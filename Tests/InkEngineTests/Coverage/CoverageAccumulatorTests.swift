import CKernels
import Foundation
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Coverage accumulator")
struct CoverageAccumulatorTests {
    enum Form: CaseIterable {
        case chain
        /// Made for a larger polygon, and moved.
        case scaledChain
        case polygon
    }

    /// The coverage of `polygon` in every pixel of `cell`, row-major, through an accumulator of that cell.
    private func coverage(
        _ polygon: [Point], as form: Form, cell: PixelRect, level: KernelLevel = .selected
    ) -> [Float] {
        let accumulator = CoverageAccumulator(maxWidth: cell.width, maxHeight: cell.height, level: level)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        accumulator.move(to: cell)
        plane.move(to: cell)
        // The second time shows whether the first has left the accumulator clean.
        for alpha: Float in [0, 1] {
            switch form {
            case .chain:
                accumulator.add(EdgeChain(polygon + polygon.prefix(1)), at: Point(x: 0, y: 0))
                accumulator.multiply(plane, box: PixelRect(x: -100, y: -100, width: 300, height: 300), alpha: alpha)
            case .scaledChain:
                let factor: Float = 0.7
                let move = Point(x: -7.3, y: 12.9)
                let larger = (polygon + polygon.prefix(1)).map { (1 / Double(factor)) * ($0 + move) }
                let places = [ink_point(x: -move.x, y: -move.y)]
                places.withUnsafeBufferPointer { accumulator.add(EdgeChain(larger), factor: factor, at: $0) }
                accumulator.multiply(plane, box: PixelRect(x: -100, y: -100, width: 300, height: 300), alpha: alpha)
            case .polygon:
                accumulator.add(Polygons([polygon]))
                accumulator.multiplyPolygons(plane, rows: -100..<200, alpha: alpha)
            }
        }
        let result = plane.coverage
        return result
    }

    /// How far the coverage of any pixel of a square cell is from the clipped polygon's area.
    private func worstError(_ polygon: [Point], as form: Form, edge: Int) -> Double {
        let actual = coverage(polygon, as: form, cell: PixelRect(x: 0, y: 0, width: edge, height: edge))
        var worst = 0.0
        for y in 0..<edge {
            for x in 0..<edge {
                let expected = clippedArea(polygon, x: Double(x), y: Double(y))
                worst = max(worst, abs(Double(actual[y * edge + x]) - expected))
            }
        }
        return worst
    }

    @Test("the covered area of every pixel is that of the clipped polygon", arguments: Form.allCases, 0..<60)
    func exactArea(form: Form, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let polygon = generator.convexPolygon(radii: 0.05...20)
        let worst = worstError(polygon, as: form, edge: 32)
        #expect(worst < 2e-4, "\(form), seed \(seed)")
    }

    @Test("edges of any length, wherever they lead", arguments: 0..<40)
    func longEdges(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 2_000)
        let reach = pow(10, Double.random(in: 1.5...4.5, using: &generator))
        let triangle = (0..<3).map { _ in
            Point(
                x: 24 + .random(in: -reach...reach, using: &generator),
                y: 24 + .random(in: -reach...reach, using: &generator))
        }
        let worst = worstError(triangle, as: .polygon, edge: 48)
        #expect(worst < 1e-3, "seed \(seed)")
    }

    @Test("edges that end next to a pixel's corner: neither rounding nor cells show", arguments: 0..<200)
    func nearPixelCorners(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 4_000)
        func near(_ range: ClosedRange<Int>) -> Double {
            Double(Int.random(in: range, using: &generator))
                + Double(Int.random(in: -4...4, using: &generator)) / 65_536
        }
        let corner = Point(x: near(340...350), y: near(340...350))
        let triangle = [
            corner, Point(x: .random(in: 5...340, using: &generator), y: .random(in: 5...340, using: &generator)),
            Point(x: near(5...350), y: near(340...350)),
        ]
        let size = 360
        let whole = coverage(triangle, as: .polygon, cell: PixelRect(x: 0, y: 0, width: size, height: size))
        let x = Int(corner.x.rounded())
        let y = Int(corner.y.rounded()) - 8
        for cell in [
            PixelRect(x: x, y: y, width: size - x, height: size - y), PixelRect(x: x - 3, y: y, width: 7, height: 9),
        ] {
            let part = coverage(triangle, as: .polygon, cell: cell)
            for row in 0..<cell.height {
                for column in 0..<cell.width {
                    let expected = whole[(cell.y + row) * size + cell.x + column]
                    #expect(part[row * cell.width + column] == expected, "seed \(seed), \(cell), \(column), \(row)")
                }
            }
        }
    }

    @Test("polygons that turn the other way take their area away")
    func areasAdd() {
        let square = [Point(x: 2.5, y: 3.25), Point(x: 20, y: 3.25), Point(x: 20, y: 17), Point(x: 2.5, y: 17)]
        let accumulator = CoverageAccumulator(maxWidth: 32, maxHeight: 32)
        let plane = RemainingPlane(maxWidth: 32, maxHeight: 32)
        accumulator.add(Polygons([square, square.reversed()]))
        accumulator.multiplyPolygons(plane, rows: 0..<32, alpha: 1)
        #expect(plane.coverage.allSatisfy { $0 == 0 })
        let hole = [Point(x: 5, y: 6), Point(x: 5, y: 8), Point(x: 8, y: 8), Point(x: 8, y: 6)]
        accumulator.add(Polygons([square, hole]))
        accumulator.multiplyPolygons(plane, rows: 0..<32, alpha: 1)
        let coverage = plane.coverage
        let area: Float = coverage.reduce(0, +)
        let expected: Float = 17.5 * 13.75 - 6
        #expect(abs(area - expected) < 0.01)
        #expect(coverage[7 * 32 + 6] == 0)
    }

    @Test("what a smaller cell did not see is forgotten in a larger one")
    func growingCells() {
        let accumulator = CoverageAccumulator(maxWidth: 16, maxHeight: 16)
        let plane = RemainingPlane(maxWidth: 16, maxHeight: 16)
        func draw(from top: Double, to bottom: Double, height: Int) {
            let cell = PixelRect(x: 0, y: 0, width: 16, height: height)
            accumulator.move(to: cell)
            plane.move(to: cell)
            accumulator.add(
                Polygons([[Point(x: 5, y: top), Point(x: 9, y: top), Point(x: 9, y: bottom), Point(x: 5, y: bottom)]]))
            accumulator.multiplyPolygons(plane, rows: 0..<16, alpha: 1)
        }
        draw(from: 7.5, to: 8.3, height: 8)
        plane.drain { box in
            for row in box.top..<box.bottom {
                (plane.pixels.values + Int(row) * plane.pixels.stride).update(repeating: RemainingPlane.all, count: 16)
            }
        }
        draw(from: 6.5, to: 7, height: 16)
        var boxes: [ink_box] = []
        plane.drain { boxes.append($0) }
        #expect(boxes.allSatisfy { $0.bottom <= 8 } && boxes.count == 1)
    }

    @Test("a chain at several places is what it is at each")
    func places() {
        let corners = [(0.3, 0.1), (5.2, 1.7), (3.9, 4.4), (0.3, 0.1)].map { Point(x: $0.0, y: $0.1) }
        let places = [(1.25, 2.5), (20.7, 3.1), (10.1, 12.9), (31.0, 30.2), (-2.5, 25)].map { Point(x: $0.0, y: $0.1) }
        let together = CoverageAccumulator(maxWidth: 32, maxHeight: 32)
        let alone = CoverageAccumulator(maxWidth: 32, maxHeight: 32)
        let chain = EdgeChain(corners)
        places.map { ink_point(x: $0.x, y: $0.y) }.withUnsafeBufferPointer {
            together.add(chain, factor: 1, at: $0)
        }
        for place in places { alone.add(chain, at: place) }
        let coverages = [together, alone].map { accumulator in
            let plane = RemainingPlane(maxWidth: 32, maxHeight: 32)
            accumulator.multiply(plane, box: PixelRect(x: 0, y: 0, width: 32, height: 32), alpha: 1)
            return plane.coverage
        }
        #expect(coverages[0] == coverages[1])
        #expect(coverages[0].contains { $0 > 0.9 })
    }

    @Test("every level of kernels gives the same numbers", arguments: Form.allCases, 0..<20)
    func levels(form: Form, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 3_000)
        let polygon = generator.convexPolygon(radii: 0.05...20)
        let cell = PixelRect(x: 3, y: 1, width: 29, height: 30)
        let expected = coverage(polygon, as: form, cell: cell, level: .scalar)
        for level in KernelLevel.available {
            #expect(coverage(polygon, as: form, cell: cell, level: level) == expected, "seed \(seed), \(level)")
        }
    }

    @Test("a cell shows the same numbers as the whole picture there", arguments: Form.allCases, 0..<60)
    func cellsDoNotShow(form: Form, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 1_000)
        let polygon = generator.convexPolygon(radii: 0.05...20)
        let whole = coverage(polygon, as: form, cell: PixelRect(x: 0, y: 0, width: 32, height: 32))
        let x = Int.random(in: 0..<31, using: &generator)
        let y = Int.random(in: 0..<31, using: &generator)
        let cell = PixelRect(
            x: x, y: y, width: .random(in: 1...(32 - x), using: &generator),
            height: .random(in: 1...(32 - y), using: &generator))
        let part = coverage(polygon, as: form, cell: cell)
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                #expect(part[row * cell.width + column] == whole[(y + row) * 32 + x + column], "seed \(seed), \(cell)")
            }
        }
    }
}
