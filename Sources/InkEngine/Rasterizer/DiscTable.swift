/// The coverage of one disc at every sub-pixel position: a table of exact coverages at 33 x 33 phases, between which
/// it is interpolated. Coverage changes so evenly with the position that this is off by less than 0.004, one level of 255.
///
/// Serves the discs of the `dots` pattern, of which a stamp has 121 and a stroke thousands of one radius.
struct DiscTable {
    /// Steps between two phases of one pixel.
    private static let phases = 32
    /// A smaller disc crosses a pixel's border within a few phases, so that interpolation would be off; output pixels.
    static let radiusMin = 0.5
    /// Tables for larger discs would cost more than they save, output pixels.
    static let radiusMax = 8.0

    /// The patch of pixels round the one that holds the centre: `side` squared, `reach` to either side.
    let reach: Int
    let side: Int
    /// A row is padded to whole vectors.
    private let rowStride: Int
    /// Patches by phase, y outermost: (phases + 1)^2 of them.
    private let values: [Float]

    /// A table for discs of these radii along x and y, output pixels (they differ by the rounding of the output's
    /// size); nil when they are too small or too large.
    init?(radiusX: Double, radiusY: Double) {
        let radius = max(radiusX, radiusY)
        guard min(radiusX, radiusY) >= DiscTable.radiusMin, radius <= DiscTable.radiusMax else { return nil }
        reach = Int(radius.rounded(.up)) + 1
        side = 2 * reach + 1
        rowStride = (side + 7) / 8 * 8
        let cell = PixelRect(x: 0, y: 0, width: side, height: side)
        let accumulator = CoverageAccumulator(maxWidth: side, maxHeight: side)
        let plane = RemainingPlane(maxWidth: side, maxHeight: side)
        plane.move(to: cell)
        let circle = DiscTable.circle(radiusX: radiusX, radiusY: radiusY)
        var values: [Float] = []
        values.reserveCapacity((DiscTable.phases + 1) * (DiscTable.phases + 1) * rowStride * side)
        for v in 0...DiscTable.phases {
            for u in 0...DiscTable.phases {
                let x = Double(reach) + Double(u) / Double(DiscTable.phases)
                let y = Double(reach) + Double(v) / Double(DiscTable.phases)
                for k in circle.indices.dropFirst() {
                    accumulator.addEdge(
                        x + circle[k - 1].x, y + circle[k - 1].y, x + circle[k].x, y + circle[k].y)
                }
                accumulator.multiply(plane, box: cell, alpha: 1)
                for row in 0..<side {
                    for column in 0..<rowStride {
                        values.append(column < side ? 1 - plane.pixels.values[row * plane.pixels.stride + column] : 0)
                    }
                }
                for row in 0..<side {
                    (plane.pixels.values + row * plane.pixels.stride).update(repeating: 1, count: side)
                }
            }
        }
        self.values = values
    }

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

    /// Adds the coverage of the disc at (x, y), output pixels, to `target`, the pixels of `cell`, where they meet.
    func add(x: Double, y: Double, cell: PixelRect, to target: UnsafeMutablePointer<Float>) {
        let left = Int(x.rounded(.down))
        let top = Int(y.rounded(.down))
        let u = (x - Double(left)) * Double(DiscTable.phases)
        let v = (y - Double(top)) * Double(DiscTable.phases)
        let column = min(Int(u), DiscTable.phases - 1)
        let row = min(Int(v), DiscTable.phases - 1)
        let shareX = Float(u - Double(column))
        let shareY = Float(v - Double(row))
        let weights = (
            (1 - shareX) * (1 - shareY), shareX * (1 - shareY), (1 - shareX) * shareY, shareX * shareY
        )
        let originX = left - reach - cell.x
        let originY = top - reach - cell.y
        let firstColumn = max(0, -originX)
        let endColumn = min(side, cell.width - originX)
        let firstRow = max(0, -originY)
        let endRow = min(side, cell.height - originY)
        guard firstColumn < endColumn, firstRow < endRow else { return }
        let patch = rowStride * side
        values.withUnsafeBufferPointer { values in
            let a = values.baseAddress! + (row * (DiscTable.phases + 1) + column) * patch
            let b = a + patch
            let c = a + (DiscTable.phases + 1) * patch
            let d = c + patch
            for y in firstRow..<endRow {
                let line = target + (originY + y) * cell.width + originX
                let offset = y * rowStride
                for x in firstColumn..<endColumn {
                    line[x] +=
                        (a[offset + x] * weights.0 + b[offset + x] * weights.1)
                        + (c[offset + x] * weights.2 + d[offset + x] * weights.3)
                }
            }
        }
    }
}
