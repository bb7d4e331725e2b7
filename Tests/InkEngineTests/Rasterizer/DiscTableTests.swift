import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Disc table")
struct DiscTableTests {
    @Test("a disc anywhere is covered as its polygon is", arguments: 0..<60)
    func coverage(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let radiusX = Double.random(in: (DiscTable.radiusMin * 1.04)...DiscTable.radiusMax, using: &generator)
        let radiusY = radiusX * .random(in: 0.97...1, using: &generator)
        let center = Point(x: .random(in: -4...36, using: &generator), y: .random(in: -4...36, using: &generator))
        let cell = PixelRect(x: 0, y: 0, width: 32, height: 32)
        let table = try #require(DiscTable(radiusX: radiusX, radiusY: radiusY, reach: Int(radiusX.rounded(.up))))
        let discs = RemainingPlane(maxWidth: 32, maxHeight: 32)
        discs.move(to: cell)
        let grid = ink_disc_grid(
            x: center.x, y: center.y, along_x: 0, along_y: 0, across_x: 0, across_y: 0, reach: 0)
        withUnsafePointer(to: grid) { grid in
            withUnsafePointer(to: table.kernelTable) {
                ink_raster_kernels(KernelLevel.selected.c).pointee.multiply_discs(discs.kernelPlane, $0, grid, 1)
            }
        }
        let accumulator = CoverageAccumulator(maxWidth: 32, maxHeight: 32)
        let plane = RemainingPlane(maxWidth: 32, maxHeight: 32)
        plane.move(to: cell)
        let corners = (0...2000).map { step -> Point in
            let turn = sinCos(degrees: 360 * Double(step % 2000) / 2000)
            return Point(x: center.x + radiusX * turn.cos, y: center.y + radiusY * turn.sin)
        }
        accumulator.add(EdgeChain(corners), at: Point(x: 0, y: 0))
        accumulator.multiply(plane, box: cell, alpha: 1)
        let worst = zip(discs.coverage, plane.coverage).map { abs($0 - $1) }.max() ?? 0
        #expect(worst < 0.006, "seed \(seed): radius \(radiusX) x \(radiusY) at \(center)")
    }

    @Test("large and tiny discs are left to their outline")
    func outOfRange() {
        #expect(DiscTable(radiusX: DiscTable.radiusMax + 0.1, radiusY: 1, reach: 8) == nil)
        #expect(DiscTable(radiusX: 1, radiusY: DiscTable.radiusMin * 0.9, reach: 1) == nil)
    }
}
