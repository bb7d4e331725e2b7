import CKernels

/// The coverage of one disc at every sub-pixel position: a table of exact coverages at phases of the centre's position in
/// its pixel, between which it is interpolated.
///
/// Serves the discs of the `dots` pattern, of which a stamp has 121 and a stroke thousands of one radius.
final class DiscTable {
    /// How finely a table tells positions apart.
    enum Fineness: Int32 {
        /// 17 x 17 phases. Coverage changes so evenly with the position that this is off by less than 0.012, three levels of
        /// 255, at the worst place.
        case usual = 4
        /// 33 x 33 phases, off by less than 0.005.
        case fine = 5
    }

    /// A smaller disc crosses a pixel's border within a few phases, so that interpolation would be off; output pixels.
    static let radiusMin = 0.5
    /// Tables for larger discs would cost more than they save, output pixels.
    static let radiusMax = 7.0

    private let values: UnsafeMutablePointer<UInt16>
    let byteCount: Int
    /// The table as kernels take it; valid as long as this object.
    let kernelTable: ink_disc_table

    /// A table for discs of these radii along x and y, output pixels (they differ by the rounding of the output's
    /// size); nil when they are too small or too large.
    init?(radiusX: Double, radiusY: Double, fineness: Fineness = .usual) {
        let radius = max(radiusX, radiusY)
        guard min(radiusX, radiusY) >= DiscTable.radiusMin, radius <= DiscTable.radiusMax else { return nil }
        let reach = Int(radius.rounded(.up))
        let rows = 2 * reach + 2
        let lanes = (rows + 7) / 8 * 8
        let cell = PixelRect(x: 0, y: 0, width: lanes, height: rows)
        let accumulator = CoverageAccumulator(maxWidth: lanes, maxHeight: rows)
        let plane = RemainingPlane(maxWidth: lanes, maxHeight: rows)
        plane.move(to: cell)
        let circle = EdgeChain(DiscTable.circle(radiusX: radiusX, radiusY: radiusY))
        let phases = 1 << Int(fineness.rawValue)
        let side = phases + 1
        byteCount = side * side * rows * lanes * MemoryLayout<UInt16>.stride
        values = .allocate(capacity: side * side * rows * lanes)
        var next = values
        for v in 0..<side {
            for u in 0..<side {
                accumulator.add(
                    circle,
                    at: Point(
                        x: Double(reach) + Double(u) / Double(phases),
                        y: Double(reach) + Double(v) / Double(phases)))
                accumulator.multiply(plane, box: cell, alpha: 1)
                for row in 0..<rows {
                    let line = plane.pixels.values + row * plane.pixels.stride
                    for column in 0..<lanes {
                        next[column] = RemainingPlane.all - line[column]
                        line[column] = RemainingPlane.all
                    }
                    next += lanes
                }
            }
        }
        kernelTable = ink_disc_table(
            values: values, phase_bits: fineness.rawValue, reach: Int32(reach), rows: Int32(rows), lanes: Int32(lanes))
    }

    deinit { values.deallocate() }

    /// A closed polygon of the ellipse's area, so fine that its outline is within 1/1000 pixel.
    private static func circle(radiusX: Double, radiusY: Double) -> [Point] {
        let count = 96
        let unitArea = sinPi(2 / Double(count)) * Double(count) / 2
        let outset = (Double.pi / unitArea).squareRoot()
        return (0...count).map { step in
            let turn = sinCos(degrees: 360 * Double(step % count) / Double(count))
            return Point(x: radiusX * outset * turn.cos, y: radiusY * outset * turn.sin)
        }
    }
}
