import CKernels

/// The coverage of discs of one size, computed from a fine outline for each sub-pixel position at which they are drawn.
///
/// For dots that are drawn many times at one place, where the errors of a `DiscTable` would add up. In these cases most
/// positions recur immediately.
final class DiscStencils {
    /// Along x and y, in output pixels.
    private var radius = Point(x: 0, y: 0)
    /// How far a disc reaches, in whole pixels.
    private(set) var reach = 0
    private var rows = 0
    private var lanes = 0
    private var outline = EdgeChain([])
    private let accumulator: CoverageAccumulator
    /// 0 everywhere, except while a disc is drawn.
    private let covered: KernelPlane<Float>
    private let values: UnsafeMutablePointer<UInt16>
    /// The position of the stencil in each slot, in 1/65,536 pixel: 16 bits for the column, then 16 for the row.
    private let phases: UnsafeMutablePointer<UInt32?>

    /// As many as sixteen stamps have discs; at most one megabyte.
    private static let countBits = 11
    private static let count = 1 << countBits

    init(level: KernelLevel) {
        let edge = DiscStencils.rows(reach: Int(DiscTable.radiusOfFewMax.rounded(.up)))
        accumulator = CoverageAccumulator(maxWidth: edge, maxHeight: edge, level: level)
        covered = KernelPlane(maxWidth: edge, maxHeight: edge, value: 0)
        phases = .allocate(capacity: DiscStencils.count)
        phases.initialize(repeating: nil, count: DiscStencils.count)
        // Kernels also read the entries of the next phases and multiply them by 0, so there are three more entries.
        let size = (DiscStencils.count + 3) * edge * DiscStencils.lanes(rows: edge)
        values = .allocate(capacity: size)
        values.initialize(repeating: 0, count: size)
    }

    deinit {
        phases.deallocate()
        values.deallocate()
    }

    /// Switches to discs of these radii along x and y, in output pixels. Returns false if computing their outline is as
    /// fast.
    func prepare(radius: Point) -> Bool {
        guard min(radius.x, radius.y) > 0, max(radius.x, radius.y) <= DiscTable.radiusOfFewMax else { return false }
        guard radius != self.radius else { return true }
        self.radius = radius
        reach = Int(max(radius.x, radius.y).rounded(.up))
        rows = DiscStencils.rows(reach: reach)
        lanes = DiscStencils.lanes(rows: rows)
        let fineness = Pattern.Fineness.fine
        outline = EdgeChain(
            DiscTable.circle(
                radiusX: radius.x, radiusY: radius.y, corners: fineness.corners(radius: max(radius.x, radius.y))),
            areaMax: fineness.areaMax)
        let cell = PixelRect(x: 0, y: 0, width: rows, height: rows)
        accumulator.move(to: cell)
        covered.move(to: cell)
        phases.update(repeating: nil, count: DiscStencils.count)
        return true
    }

    /// A table that contains only the disc with this centre, in output pixels, for a grid that places it at the start
    /// of the pixel `pixel`. Valid until the next call.
    @inline(__always)
    func table(x: Double, y: Double) -> (table: ink_disc_table, pixel: (x: Double, y: Double)) {
        let column = Int((x * 65_536).rounded()), row = Int((y * 65_536).rounded())
        let phase = UInt32(truncatingIfNeeded: column) << 16 | UInt32(UInt16(truncatingIfNeeded: row))
        // Without the shift, only the lower half of the columns would count.
        let index = Int(((phase ^ phase >> 15) &* 0x9E37_79B1) >> (32 - UInt32(DiscStencils.countBits)))
        let stencil = values + index * rows * lanes
        if phases[index] != phase {
            phases[index] = phase
            fill(stencil, phase)
        }
        let table = ink_disc_table(
            values: stencil, larger: nil, larger_share: 0, phase_bits: 0, reach: Int32(reach), rows: Int32(rows),
            lanes: Int32(lanes))
        return (table, (Double(column >> 16), Double(row >> 16)))
    }

    private func fill(_ stencil: UnsafeMutablePointer<UInt16>, _ phase: UInt32) {
        let place = Point(
            x: Double(reach) + Double(phase >> 16) / 65_536, y: Double(reach) + Double(phase & 0xFFFF) / 65_536)
        accumulator.add(outline, at: place)
        accumulator.add(to: covered, box: accumulator.cell, weight: Float(RemainingPlane.all))
        for row in 0..<rows {
            let line = covered.values + row * covered.stride
            for column in 0..<rows {
                stencil[row * lanes + column] = UInt16(clamping: Int(line[column].rounded()))
                line[column] = 0
            }
            for column in rows..<lanes { stencil[row * lanes + column] = 0 }
        }
    }

    /// Rows of a disc at any position in its pixel.
    private static func rows(reach: Int) -> Int { 2 * reach + 2 }
    private static func lanes(rows: Int) -> Int { (rows + 7) / 8 * 8 }
}
