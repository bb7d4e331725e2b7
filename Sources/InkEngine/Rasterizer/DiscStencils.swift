import CKernels

/// The exact coverage of discs of one size, worked out for each sub-pixel position that they are drawn at.
///
/// For dots that are drawn many times at one place, where what a `DiscTable` misses would add up. As they are, a position is
/// mostly met again at once.
final class DiscStencils {
    /// Radii along x and y, output pixels.
    let radius: Point
    /// How far one reaches, whole pixels.
    let reach: Int
    private let rows: Int
    private let lanes: Int
    private let outline: EdgeChain
    private let accumulator: CoverageAccumulator
    /// 0 everywhere between discs.
    private let covered: KernelPlane<Float>
    private let values: UnsafeMutablePointer<UInt16>
    /// Of which position the stencil at each place is, 1/65,536 pixel: the column's 16 bits, then the row's.
    private let phases: UnsafeMutablePointer<UInt32?>

    /// Of the number of stencils: as many as sixteen stamps have discs, of a megabyte at most.
    private static let countBits = 11

    /// Stencils for discs of these radii, output pixels; nil when a disc's outline is worked out as fast.
    init?(radius: Point, level: KernelLevel) {
        guard min(radius.x, radius.y) > 0, max(radius.x, radius.y) <= DiscTable.radiusMax else { return nil }
        self.radius = radius
        reach = Int(max(radius.x, radius.y).rounded(.up))
        rows = 2 * reach + 2
        lanes = (rows + 7) / 8 * 8
        outline = EdgeChain(
            DiscTable.circle(radiusX: radius.x, radiusY: radius.y), areaMax: Pattern.Fineness.fine.areaMax)
        accumulator = CoverageAccumulator(maxWidth: rows, maxHeight: rows, level: level)
        covered = KernelPlane(maxWidth: rows, maxHeight: rows, value: 0)
        phases = .allocate(capacity: 1 << DiscStencils.countBits)
        phases.initialize(repeating: nil, count: 1 << DiscStencils.countBits)
        // Kernels read the entries of the next phases as well and multiply them by nothing: three more than there are.
        let count = ((1 << DiscStencils.countBits) + 3) * rows * lanes
        values = .allocate(capacity: count)
        values.initialize(repeating: 0, count: count)
    }

    deinit {
        phases.deallocate()
        values.deallocate()
    }

    /// A table of nothing but the disc whose centre lies there in its pixel, output pixels, for a grid that puts it at the
    /// beginning of that pixel, `pixel`; valid until the next one is asked for.
    @inline(__always)
    func table(x: Double, y: Double) -> (table: ink_disc_table, pixel: (x: Double, y: Double)) {
        let x = Int((x * 65_536).rounded()), y = Int((y * 65_536).rounded())
        let phase = UInt32(truncatingIfNeeded: x) << 16 | UInt32(UInt16(truncatingIfNeeded: y))
        let index = Int((phase &* 0x9E37_79B1) >> (32 - UInt32(DiscStencils.countBits)))
        let stencil = values + index * rows * lanes
        if phases[index] != phase {
            phases[index] = phase
            fill(stencil, phase)
        }
        let table = ink_disc_table(
            values: stencil, larger: nil, larger_share: 0, phase_bits: 0, reach: Int32(reach), rows: Int32(rows),
            lanes: Int32(lanes))
        return (table, (Double(x >> 16), Double(y >> 16)))
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
        }
    }
}
