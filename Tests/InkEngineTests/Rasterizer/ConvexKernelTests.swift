import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

/// Kernels that draw small convex polygons pixel by pixel.
@Suite("Convex polygons")
struct ConvexKernelTests {
    enum Way: CaseIterable {
        /// Each polygon by itself.
        case multiplied
        /// The sum of all, then once.
        case added
    }

    /// What polygons cover of every pixel of a cell, row-major.
    private func coverage(
        _ all: [[Point]], _ way: Way, cell: PixelRect, level: KernelLevel = .selected
    ) -> [Float] {
        let kernels = ink_raster_kernels(level.c)
        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
        let covered = KernelPlane<Float>(maxWidth: cell.width, maxHeight: cell.height, value: 0)
        plane.move(to: cell)
        covered.move(to: cell)
        Polygons(all).withKernelPolygons { corners, counts in
            switch way {
            case .multiplied: kernels.pointee.multiply_convex(plane.kernelPlane, corners, counts, all.count, 1)
            case .added:
                kernels.pointee.add_convex(covered.kernelPlane, corners, counts, all.count, 1)
                let box = ink_box(left: 0, top: 0, right: Int32(cell.width), bottom: Int32(cell.height))
                withUnsafePointer(to: box) {
                    kernels.pointee.multiply_covered(plane.kernelPlane, covered.kernelPlane, $0, 1)
                }
            }
        }
        return plane.coverage
    }

    private let whole = PixelRect(x: 0, y: 0, width: 32, height: 32)

    @Test("the covered area of every pixel is that of the clipped polygon", arguments: Way.allCases, 0..<80)
    func exactArea(way: Way, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let polygon = generator.convexPolygon(radii: 0.05...16, cornersMax: Int(INK_CONVEX_CORNERS_MAX))
        let actual = coverage([polygon], way, cell: whole)
        var worst = 0.0
        for y in 0..<32 {
            for x in 0..<32 {
                let expected = clippedArea(polygon, x: Double(x), y: Double(y))
                worst = max(worst, abs(Double(actual[y * 32 + x]) - expected))
                if expected == 0 { #expect(actual[y * 32 + x] == 0, "seed \(seed), \(x), \(y)") }
            }
        }
        #expect(worst < 1e-4, "\(way), seed \(seed)")
    }

    @Test("a rectangle on the borders of pixels covers these pixels and no others", arguments: Way.allCases)
    func wholePixels(way: Way) {
        let (left, top, right, bottom) = (3, 5, 14, 25)
        func corner(_ x: Int, _ y: Int) -> Point { Point(x: Double(x), y: Double(y)) }
        let actual = coverage(
            [[corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)]], way, cell: whole)
        for y in 0..<32 {
            for x in 0..<32 {
                let isInside = (left..<right).contains(x) && (top..<bottom).contains(y)
                // An upright edge is taken to be 1/65,536 pixel wide.
                let expected: ClosedRange<Float> = isInside ? 0.9999...1 : 0...0
                #expect(expected.contains(actual[y * 32 + x]), "\(x), \(y)")
            }
        }
    }

    /// An upright edge's width once lay beyond it, where a cell that begins there did not see it.
    @Test("what is added beside an upright edge on a pixel's border is nothing")
    func borders() {
        let kernels = ink_raster_kernels(KernelLevel.selected.c)
        let covered = KernelPlane<Float>(maxWidth: 32, maxHeight: 32, value: 0)
        let square = [Point(x: 1, y: 0), Point(x: 3, y: 0), Point(x: 3, y: 4), Point(x: 1, y: 4)]
        for polygon in [square, square.reversed()] {
            Polygons([polygon]).withKernelPolygons { kernels.pointee.add_convex(covered.kernelPlane, $0, $1, 1, 1) }
            for row in 0..<4 {
                for column in [0, 3, 4] { #expect(covered.values[row * covered.stride + column] == 0) }
            }
        }
    }

    @Test("polygons that turn the other way take their area away", arguments: 0..<20)
    func areasAdd(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 2_000)
        let polygon = generator.convexPolygon(radii: 1...16)
        let actual = coverage([polygon, polygon.reversed()], .added, cell: whole)
        #expect(actual.allSatisfy { $0 == 0 }, "seed \(seed)")
    }

    @Test("every level of kernels gives the same numbers", arguments: Way.allCases, 0..<40)
    func levels(way: Way, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 3_000)
        let polygons = (0..<4).map { _ in
            generator.convexPolygon(radii: 0.05...16, cornersMax: Int(INK_CONVEX_CORNERS_MAX))
        }
        let cell = PixelRect(x: 3, y: 1, width: 29, height: 30)
        let expected = coverage(polygons, way, cell: cell, level: .scalar)
        for level in KernelLevel.available {
            #expect(coverage(polygons, way, cell: cell, level: level) == expected, "seed \(seed), \(level)")
        }
    }

    @Test("a cell shows the same numbers as the whole picture there", arguments: Way.allCases, 0..<80)
    func cellsDoNotShow(way: Way, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed) + 1_000)
        var polygons = (0..<3).map { _ in generator.convexPolygon(radii: 0.05...16) }
        let (left, right) = (Int.random(in: 0...10, using: &generator), Int.random(in: 11...31, using: &generator))
        let box = Rect(minX: Double(left), minY: 3, maxX: Double(right), maxY: 29.5)
        polygons.append([
            Point(x: box.minX, y: box.minY), Point(x: box.maxX, y: box.minY), Point(x: box.maxX, y: box.maxY),
            Point(x: box.minX, y: box.maxY),
        ])
        let all = coverage(polygons, way, cell: whole)
        let x = Bool.random(using: &generator) ? right : .random(in: 0..<31, using: &generator)
        let y = Int.random(in: 0..<31, using: &generator)
        let cell = PixelRect(
            x: x, y: y, width: .random(in: 1...(32 - x), using: &generator),
            height: .random(in: 1...(32 - y), using: &generator))
        let part = coverage(polygons, way, cell: cell)
        for row in 0..<cell.height {
            for column in 0..<cell.width {
                #expect(part[row * cell.width + column] == all[(y + row) * 32 + x + column], "seed \(seed), \(cell)")
            }
        }
    }
}
