import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Disc table")
struct DiscTableTests {
    @Test("a disc anywhere is covered as its polygon is", arguments: 0..<200)
    func coverage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let disc = Disc(
            radiusX: .random(in: (DiscTable.radiusMin * 1.04)...DiscTable.radiusMax, using: &generator),
            flatness: .random(in: 0.97...1, using: &generator), &generator)
        let table = try #require(
            DiscTable(radiusX: disc.radiusX, radiusY: disc.radiusY, reach: Int(disc.radiusX.rounded(.up))))
        let worst = worstError(of: table.kernelTable, for: disc)
        // Discs of a pixel or two pass from pixel to pixel in fewer phases.
        // A flatter border takes more of a pixel in a step: as the root of the radius.
        let bound: Float = disc.radiusX < 1.2 ? 0.012 : disc.radiusX < DiscTable.radiusOfFewMax ? 0.006 : 0.008
        #expect(worst < bound, "seed \(seed): \(disc)")
    }

    @Test("a disc between two tables in size is covered as its polygon is", arguments: 0..<200)
    func coverageBetweenSizes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let step = 1 / DiscPainter.sizesPerPixel
        let radius = Double.random(in: DiscTable.radiusMin * 1.04...DiscTable.radiusOfFewMax - step, using: &generator)
        let flatness = Double.random(in: 0.97...1, using: &generator)
        let reach = Int((radius + step).rounded(.up))
        let share = Double.random(in: 0..<1, using: &generator)
        let disc = Disc(radiusX: radius + share * step, flatness: flatness, &generator)
        let smaller = try #require(DiscTable(radiusX: radius, radiusY: radius * flatness, reach: reach))
        let larger = try #require(
            DiscTable(radiusX: radius + step, radiusY: (radius + step) * flatness, reach: reach))
        let worst = withExtendedLifetime((smaller, larger)) {
            worstError(of: smaller.kernelTable(towards: larger, share: share), for: disc)
        }
        #expect(worst < 0.01, "seed \(seed): \(disc)")
    }

    private struct Disc {
        var radiusX: Double
        var radiusY: Double
        var center: Point

        init(radiusX: Double, flatness: Double, _ generator: inout SeededGenerator) {
            self.radiusX = radiusX
            radiusY = radiusX * flatness
            center = Point(x: .random(in: -4...36, using: &generator), y: .random(in: -4...36, using: &generator))
        }
    }

    /// How far what a table gives for a disc is from what its polygon covers of a pixel, at most.
    private func worstError(of table: ink_disc_table, for disc: Disc) -> Float {
        let cell = PixelRect(x: 0, y: 0, width: 32, height: 32)
        let discs = RemainingPlane(maxWidth: 32, maxHeight: 32)
        discs.move(to: cell)
        let grid = ink_disc_grid(
            x: disc.center.x, y: disc.center.y, along_x: 0, along_y: 0, across_x: 0, across_y: 0, reach: 0)
        withUnsafePointer(to: grid) { grid in
            withUnsafePointer(to: table) {
                ink_raster_kernels(KernelLevel.selected.c).pointee.multiply_discs(discs.kernelPlane, $0, grid, 1)
            }
        }
        let accumulator = CoverageAccumulator(maxWidth: 32, maxHeight: 32)
        let plane = RemainingPlane(maxWidth: 32, maxHeight: 32)
        plane.move(to: cell)
        let corners = (0...2000).map { step -> Point in
            let turn = sinCos(degrees: 360 * Double(step % 2000) / 2000)
            return Point(x: disc.center.x + disc.radiusX * turn.cos, y: disc.center.y + disc.radiusY * turn.sin)
        }
        accumulator.add(EdgeChain(corners), at: Point(x: 0, y: 0))
        accumulator.multiply(plane, box: cell, alpha: 1)
        return zip(discs.coverage, plane.coverage).map { abs($0 - $1) }.max() ?? 0
    }

    @Test("large and tiny discs are left to their outline")
    func outOfRange() {
        #expect(DiscTable(radiusX: DiscTable.radiusMax + 0.1, radiusY: 1, reach: 8) == nil)
        #expect(DiscTable(radiusX: 1, radiusY: DiscTable.radiusMin * 0.9, reach: 1) == nil)
    }
}
