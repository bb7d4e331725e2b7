import CKernels

/// The coverage of discs of one size, of a fine outline and worked out for each sub-pixel position that they are drawn at.
///
/// For dots that are drawn many times at one place, where what a `DiscTable` misses would add up. As they are, a position is
/// mostly met again at once.
final class DiscStencils {
    /// Along x and y, output pixels.
    private var radius = Point(x: 0, y: 0)
    /// How far a disc reaches, whole pixels.
    private(set) var reach = 0
    private var rows = 0
    private var lanes = 0
    private var outline = EdgeChain([])
    private let accumulator: CoverageAccumulator
    /// 0 everywhere between discs.
    private let covered: KernelPlane<Float>
    private let values: UnsafeMutablePointer<UInt16>
    /// Of which position the stencil at each place is, 1/65,536 pixel: the column's 16 bits, then the row's.
    private let phases: UnsafeMutablePointer<UInt32?>

    /// As many as sixteen stamps have discs, of a megabyte at most.
    private static let countBits = 11
    private static let count = 1 << countBits

    init(level: KernelLevel) {
        let edge = DiscStencils.rows(reach: Int(DiscTable.radiusOfFewMax.rounded(.up)))
        accumulator = CoverageAccumulator(maxWidth: edge, maxHeight: edge, level: level)
        covered = KernelPlane(maxWidth: edge, maxHeight: edge, value: 0)
        phases = .allocate(capacity: DiscStencils.count)
        phases.initialize(repeating: nil, count: DiscStencils.count)
        // Kernels read the entries of the next phases as well and multiply them by nothing: three more than there are.
        let size = (DiscStencils.count + 3) * edge * DiscStencils.lanes(rows: edge)
        values = .allocate(capacity: size)
        values.initialize(repeating: 0, count: size)
    }

    deinit {
        phases.deallocate()
        values.deallocate()
    }

    /// Turns to discs of these radii along x and y, output pixels; false when their outline is worked out as fast.
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

    /// A table of nothing but the disc whose centre lies there, output pixels, for a grid that puts it at the beginning of
    /// the pixel `pixel`; valid until the next one is asked for.
    @inline(__always)
    func table(x: Double, y: Double) -> (table: ink_disc_table, pixel: (x: Double, y: Double)) {
        let column = Int((x * 65_536).rounded()), row = Int((y * 65_536).rounded())
        let phase = UInt32(truncatingIfNeeded: column) << 16 | UInt32(UInt16(truncatingIfNeeded: row))
        // Of columns the low half alone would count.
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

    /// Of a disc anywhere in its pixel.
    private static func rows(reach: Int) -> Int { 2 * reach + 2 }
    private static func lanes(rows: Int) -> Int { (rows + 7) / 8 * 8 }
}
