import CKernels

/// The coverage of one disc at every sub-pixel position: a table of exact coverages at phases of the centre's position
/// in its pixel, with interpolation between them.
///
/// For the discs of the `dots` pattern: a stamp has 121 of them, and a stroke has thousands of one radius.
final class DiscTable {
    /// 33 x 33 phases, between which coverage is off by less than 0.006; by 0.012 for discs as small as two pixels, and
    /// by 0.008 for those of more than seven. All along a stroke, discs may have almost the same sub-pixel position and
    /// lie on those of the ten stamps before. With 17 x 17 phases, the error would be too large in a picture that such
    /// discs fill.
    private static let phaseBits = 5

    /// A smaller disc crosses a pixel's border within a few phases, which makes interpolation inaccurate. In output
    /// pixels.
    static let radiusMin = 0.5
    /// Larger discs are drawn by their outline. Rows of 2 * 15 + 2 pixels would still fit `INK_PLANE_MARGIN`, but such
    /// a table takes 2 MB. In output pixels.
    static let radiusMax = 12.0
    /// Tables of larger discs take some milliseconds, which pays only for a stroke with many equal stamps. In output
    /// pixels.
    static let radiusOfFewMax = 7.0

    /// Unit of the sums: coverage is summed in integers of this fraction of a pixel.
    private static let sumParts = 12

    private let values: UnsafeMutablePointer<UInt16>
    let byteCount: Int
    /// The table in the form that kernels take; valid as long as this object.
    let kernelTable: ink_disc_table

    /// A table for discs of these radii along x and y, in output pixels (they differ by the rounding of the output's
    /// size); nil if they are too small or too large.
    ///
    /// - Parameter reach: pixels in either direction that the layout provides for, at least the larger radius.
    init?(radiusX: Double, radiusY: Double, reach: Int) {
        guard min(radiusX, radiusY) >= DiscTable.radiusMin, max(radiusX, radiusY) <= DiscTable.radiusMax else {
            return nil
        }
        let rows = 2 * reach + 2
        let lanes = (rows + 7) / 8 * 8
        let phases = 1 << DiscTable.phaseBits
        let side = phases + 1
        byteCount = side * side * rows * lanes * MemoryLayout<UInt16>.stride
        // Entries of sixteen pixels per row then begin at a cache line.
        values = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
            .bindMemory(to: UInt16.self, capacity: side * side * rows * lanes)
        let sums = DiscTable.sums(radiusX: radiusX, radiusY: radiusY, reach: reach, phases: phases)
        let stride = phases * (rows + 1) + 1
        let parts = Int32(DiscTable.sumParts * phases * phases)
        var next = values
        sums.withUnsafeBufferPointer { sums in
            for v in 0..<side {
                for u in 0..<side {
                    for row in 0..<rows {
                        let top = (phases * (row + 1) - v) * stride
                        let bottom = top + phases * stride
                        for column in 0..<rows {
                            let left = phases * (column + 1) - u
                            let right = left + phases
                            let area =
                                sums[bottom + right] &- sums[bottom + left] &- sums[top + right] &+ sums[top + left]
                            let covered = (Int32(bitPattern: area) &+ parts / 2) / parts
                            next[column] = UInt16(clamping: covered)
                        }
                        for column in rows..<lanes { next[column] = 0 }
                        next += lanes
                    }
                }
            }
        }
        kernelTable = ink_disc_table(
            values: values, larger: nil, larger_share: 0, phase_bits: Int32(DiscTable.phaseBits), reach: Int32(reach),
            rows: Int32(rows), lanes: Int32(lanes))
    }

    /// The table for discs whose size is between these and larger ones, whose table must have the same layout.
    ///
    /// - Parameter share: position between the two sizes, 0..<1.
    func kernelTable(towards larger: DiscTable, share: Double) -> ink_disc_table {
        var table = kernelTable
        table.larger = UnsafePointer(larger.values)
        table.larger_share = UInt16(share * 65_536)
        return table
    }

    /// A summed-area table of the disc on pixels as small as one phase step, with the centre `reach + 1` pixels from
    /// the first one. Each entry is the sum of the coverage above and to the left, times `sumParts`, modulo 2^32. The
    /// coverage of any square is then the sum of four entries.
    ///
    /// Interpolation between the coverages themselves would on average be off by 1/12 of the curvature in both
    /// directions. Therefore a small pixel counts 16/12, and each of its four neighbours reduces it by 1/12.
    private static func sums(radiusX: Double, radiusY: Double, reach: Int, phases: Int) -> [UInt32] {
        let edge = phases * (2 * reach + 3)
        let cell = PixelRect(x: 0, y: 0, width: edge, height: edge)
        let accumulator = CoverageAccumulator(maxWidth: edge, maxHeight: edge)
        let plane = RemainingPlane(maxWidth: edge, maxHeight: edge)
        plane.move(to: cell)
        let scale = Double(phases)
        let center = Double(phases * (reach + 1))
        accumulator.add(
            EdgeChain(DiscTable.circle(radiusX: radiusX * scale, radiusY: radiusY * scale, corners: 128)),
            at: Point(x: center, y: center))
        accumulator.multiply(plane, box: cell, alpha: 1)
        let stride = edge + 1
        var sums = [UInt32](repeating: 0, count: stride * stride)
        let parts = UInt32(sumParts)
        for row in 0..<edge {
            let line = plane.pixels.values + row * plane.pixels.stride
            // Pixels at the edges contain nothing of the disc; the plane's margins contain the value of an unpainted
            // pixel.
            let above = row > 0 ? line - plane.pixels.stride : line
            let below = row < edge - 1 ? line + plane.pixels.stride : line
            var covered: UInt32 = 0
            for column in 0..<edge {
                let around =
                    UInt32(line[column - 1]) + UInt32(line[column + 1]) + UInt32(above[column]) + UInt32(below[column])
                // The plane holds transmittance, not coverage.
                covered &+= parts * UInt32(RemainingPlane.all) &- (parts + 4) * UInt32(line[column]) &+ around
                sums[(row + 1) * stride + column + 1] = sums[row * stride + column + 1] &+ covered
            }
        }
        return sums
    }

    deinit { values.deallocate() }

    /// A closed polygon with the area of the ellipse.
    static func circle(radiusX: Double, radiusY: Double, corners count: Int) -> [Point] {
        let unitArea = sinPi(2 / Double(count)) * Double(count) / 2
        let outset = (Double.pi / unitArea).squareRoot()
        return (0...count).map { step in
            let turn = sinCos(degrees: 360 * Double(step % count) / Double(count))
            return Point(x: radiusX * outset * turn.cos, y: radiusY * outset * turn.sin)
        }
    }
}
