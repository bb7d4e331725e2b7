/// Adds edges to a coverage accumulator: the accumulator's geometry and memory as one value without references, so that
/// the loop over an outline keeps it in registers.
struct EdgeWriter {
    /// Units in a fully covered pixel.
    private static let one = 65_536.0

    /// The cell, output pixels.
    let left: Int
    let top: Int
    let width: Int
    let height: Int
    /// As in `CoverageAccumulator`, whose memory these are: `height` rows of `stride` elements, `stride > width`.
    let stride: Int
    let deltas: UnsafeMutablePointer<Int32>
    let firstTouched: UnsafeMutablePointer<Int32>
    let lastTouched: UnsafeMutablePointer<Int32>

    /// Adds the edge from (x0, y0) to (x1, y1), output pixels.
    @inline(__always)
    func add(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
        if y0 < y1 {
            addDownwardEdge(x0, y0, x1, y1, sign: 1)
        } else if y1 < y0 {
            addDownwardEdge(x1, y1, x0, y0, sign: -1)
        }
    }

    private func addDownwardEdge(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, sign: Int32) {
        let right = Double(left &+ width)
        // What lies right of the cell changes no sum inside it. Absurd sizes overflow to infinities, which have no slope.
        guard y1 > Double(top), y0 < Double(top &+ height), min(x0, x1) < right, (x1 - x0).isFinite, (y1 - y0).isFinite
        else { return }
        let firstRow = y0 > Double(top) ? Int(y0) : top
        let endRow = y1 < Double(top &+ height) ? Int(y1) &+ 1 : top &+ height
        let slope = (x1 - x0) / (y1 - y0)
        // All of the edge inside the cell, with room for rounding: no clipping in any row.
        let isInside = min(x0, x1) >= Double(left) + 1e-6 && max(x0, x1) < right - 1e-6
        var origin = Double(firstRow)
        var enterY = max(y0, origin)
        var enterX = enterY == y0 ? x0 : x0 + (enterY - y0) * slope
        var row = firstRow &- top
        while row < endRow &- top {
            let leaveY = min(y1, origin + 1)
            let leaveX = leaveY == y1 ? x1 : x0 + (leaveY - y0) * slope
            if isInside {
                addInside(row, enterX, enterY - origin, leaveX, leaveY - origin, sign)
            } else {
                addClipped(row, enterX, enterY - origin, leaveX, leaveY - origin, sign)
            }
            enterX = leaveX
            enterY = leaveY
            origin += 1
            row &+= 1
        }
    }

    /// The whole number nearest to a value of at most some millions: what is left in the low bits when a number so
    /// large that it has no fraction is added. Cheaper than a checked conversion and rounds the same everywhere.
    @inline(__always)
    static func nearest(_ value: Double) -> Int32 {
        Int32(truncatingIfNeeded: (value + 6_755_399_441_055_744).bitPattern)
    }

    /// Height in units of a position inside a row, 0...1.
    @inline(__always)
    private func units(_ y: Double) -> Int32 { EdgeWriter.nearest(y * EdgeWriter.one) }

    /// Adds the part inside one row of a downward edge that lies in the cell; `ya` and `yb` are measured from the row's
    /// top.
    @inline(__always)
    private func addInside(_ row: Int, _ xa: Double, _ ya: Double, _ xb: Double, _ yb: Double, _ sign: Int32) {
        let total = units(yb) &- units(ya)
        if total == 0 { return }
        let start = min(xa, xb)
        let end = max(xa, xb)
        let column = Int(start) &- left
        let columnStart = Double(column &+ left)
        guard end <= columnStart + 1 else {
            addAcrossColumns(row, start, end, xa <= xb ? (ya, yb, sign) : (yb, ya, 0 &- sign))
            return
        }
        let base = deltas + row &* stride
        let share = EdgeWriter.nearest(Double(total) * ((start + end) * 0.5 - columnStart))
        base[column] &+= sign &* (total &- share)
        base[column &+ 1] &+= sign &* share
        touch(row, column, column &+ 1)
    }

    /// The same for an edge that may reach beyond the cell's sides.
    private func addClipped(_ row: Int, _ xa: Double, _ ya: Double, _ xb: Double, _ yb: Double, _ sign: Int32) {
        let start = min(xa, xb)
        let end = max(xa, xb)
        if start >= Double(left + width) { return }
        if end <= Double(left) {
            deltas[row * stride] &+= sign &* (units(yb) &- units(ya))
            touch(row, 0, 0)
        } else if start >= Double(left) {
            addInside(row, xa, ya, xb, yb, sign)
        } else {
            addAcrossColumns(row, start, end, xa <= xb ? (ya, yb, sign) : (yb, ya, -sign))
        }
    }

    /// The part of an edge inside a row where it crosses several columns, walked from left to right; `y` is the height
    /// at its left and right end.
    private func addAcrossColumns(
        _ row: Int, _ start: Double, _ end: Double, _ y: (left: Double, right: Double, sign: Int32)
    ) {
        let base = deltas + row &* stride
        let slope = (y.right - y.left) / (end - start)
        var x = start
        var height = units(y.left)
        var column = 0
        if start < Double(left) {
            // All columns left of the cell count as one that lies before it. The share that the last of them passes on
            // to the cell's first column is in that sum.
            x = Double(left)
            let here = units(y.left + (x - start) * slope)
            base[0] &+= y.sign &* (here &- height)
            height = here
        } else {
            column = Int(start) &- left
        }
        let firstColumn = column
        var columnStart = Double(column &+ left)
        while column < width {
            let isLast = end <= columnStart + 1
            let leaveX = isLast ? end : columnStart + 1
            let here = isLast ? units(y.right) : units(y.left + (leaveX - start) * slope)
            let part = here &- height
            let share = EdgeWriter.nearest(Double(part) * ((x + leaveX) * 0.5 - columnStart))
            base[column] &+= y.sign &* (part &- share)
            base[column &+ 1] &+= y.sign &* share
            column &+= 1
            if isLast { break }
            x = leaveX
            height = here
            columnStart = leaveX
        }
        touch(row, firstColumn, column)
    }

    @inline(__always)
    private func touch(_ row: Int, _ first: Int, _ last: Int) {
        firstTouched[row] = min(firstTouched[row], Int32(truncatingIfNeeded: first))
        lastTouched[row] = max(lastTouched[row], Int32(truncatingIfNeeded: last))
    }
}
