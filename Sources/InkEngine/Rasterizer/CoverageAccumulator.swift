/// Turns edges and spans into the exact area that a shape covers of each pixel of a cell.
///
/// Each edge adds, in every row it crosses, its height to the cells it passes, split between a cell and the next one by
/// where in the cell it passes; the running sum along a row is then the covered area (the signed-area method of
/// FreeType's and font-rs' rasterizers). Everything added is a whole number of 1/65,536 pixel, computed from the edge's
/// own ends and never from the cell's, so sums do not depend on the order of the edges or on how the picture is cut.
///
/// Memory: `width + 2` Int32 a row. Not shared between threads.
final class CoverageAccumulator {
    /// Units in a fully covered pixel.
    private static let one = 65_536.0

    /// The cell, output pixels.
    private(set) var cell: PixelRect
    private let capacity: (width: Int, height: Int)
    private let stride: Int
    /// Row-major; each element is the change of the running sum at that column.
    private let deltas: UnsafeMutablePointer<Int32>
    /// First touched column of each row, `capacity.width + 2` when none.
    private let firstTouched: UnsafeMutablePointer<Int32>
    private let lastTouched: UnsafeMutablePointer<Int32>
    private let coverage: UnsafeMutablePointer<Float>

    init(maxWidth: Int, maxHeight: Int) {
        capacity = (maxWidth, maxHeight)
        stride = maxWidth + 2
        cell = PixelRect(x: 0, y: 0, width: maxWidth, height: maxHeight)
        deltas = .allocate(capacity: stride * maxHeight)
        deltas.initialize(repeating: 0, count: stride * maxHeight)
        firstTouched = .allocate(capacity: maxHeight)
        firstTouched.initialize(repeating: Int32(stride), count: maxHeight)
        lastTouched = .allocate(capacity: maxHeight)
        lastTouched.initialize(repeating: -1, count: maxHeight)
        coverage = .allocate(capacity: maxWidth)
        coverage.initialize(repeating: 0, count: maxWidth)
    }

    deinit {
        deltas.deallocate()
        firstTouched.deallocate()
        lastTouched.deallocate()
        coverage.deallocate()
    }

    /// Moves the accumulator, which must be clean, to another cell.
    func move(to cell: PixelRect) {
        precondition(cell.width <= capacity.width && cell.height <= capacity.height, "the cell is too large")
        self.cell = cell
    }

    /// Adds the edge from (x0, y0) to (x1, y1), output pixels.
    func addEdge(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
        if y0 < y1 {
            addDownwardEdge(x0, y0, x1, y1, sign: 1)
        } else if y1 < y0 {
            addDownwardEdge(x1, y1, x0, y0, sign: -1)
        }
    }

    private func addDownwardEdge(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, sign: Int32) {
        let top = Double(cell.y)
        let bottom = Double(cell.y + cell.height)
        let right = Double(cell.x + cell.width)
        // What lies right of the cell changes no sum inside it. Absurd sizes overflow to infinities, which have no slope.
        guard y1 > top, y0 < bottom, min(x0, x1) < right, (x1 - x0).isFinite, (y1 - y0).isFinite else { return }
        let firstRow = y0 > top ? Int(y0) : cell.y
        let endRow = y1 < bottom ? Int(y1) + 1 : cell.y + cell.height
        let slope = (x1 - x0) / (y1 - y0)
        // All of the edge inside the cell, with room for rounding: no clipping in any row.
        let isInside = min(x0, x1) >= Double(cell.x) + 1e-6 && max(x0, x1) < right - 1e-6
        var origin = Double(firstRow)
        var enterY = max(y0, origin)
        var enterX = enterY == y0 ? x0 : x0 + (enterY - y0) * slope
        var row = firstRow - cell.y
        while row < endRow - cell.y {
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
    private static func nearest(_ value: Double) -> Int32 {
        Int32(truncatingIfNeeded: (value + 6_755_399_441_055_744).bitPattern)
    }

    /// Height in units of a position inside a row, 0...1.
    @inline(__always)
    private func units(_ y: Double) -> Int32 { CoverageAccumulator.nearest(y * CoverageAccumulator.one) }

    /// Adds the part inside one row of a downward edge that lies in the cell; `ya` and `yb` are measured from the row's
    /// top.
    @inline(__always)
    private func addInside(_ row: Int, _ xa: Double, _ ya: Double, _ xb: Double, _ yb: Double, _ sign: Int32) {
        let total = units(yb) &- units(ya)
        if total == 0 { return }
        let start = min(xa, xb)
        let end = max(xa, xb)
        let column = Int(start) &- cell.x
        let columnStart = Double(column &+ cell.x)
        guard end <= columnStart + 1 else {
            addAcrossColumns(row, start, end, xa <= xb ? (ya, yb, sign) : (yb, ya, 0 &- sign))
            return
        }
        let base = deltas + row &* stride
        let share = CoverageAccumulator.nearest(Double(total) * ((start + end) * 0.5 - columnStart))
        base[column] &+= sign &* (total &- share)
        base[column &+ 1] &+= sign &* share
        touch(row, column, column &+ 1)
    }

    /// The same for an edge that may reach beyond the cell's sides.
    private func addClipped(_ row: Int, _ xa: Double, _ ya: Double, _ xb: Double, _ yb: Double, _ sign: Int32) {
        let start = min(xa, xb)
        let end = max(xa, xb)
        if start >= Double(cell.x + cell.width) { return }
        if end <= Double(cell.x) {
            deltas[row * stride] &+= sign &* (units(yb) &- units(ya))
            touch(row, 0, 0)
        } else if start >= Double(cell.x) {
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
        if start < Double(cell.x) {
            // All columns left of the cell count as one that lies before it. The share that the last of them passes on
            // to the cell's first column is in that sum.
            x = Double(cell.x)
            let here = units(y.left + (x - start) * slope)
            base[0] &+= y.sign &* (here &- height)
            height = here
        } else {
            column = Int(start) &- cell.x
        }
        let firstColumn = column
        var columnStart = Double(column &+ cell.x)
        while column < cell.width {
            let isLast = end <= columnStart + 1
            let leaveX = isLast ? end : columnStart + 1
            let here = isLast ? units(y.right) : units(y.left + (leaveX - start) * slope)
            let part = here &- height
            let share = CoverageAccumulator.nearest(Double(part) * ((x + leaveX) * 0.5 - columnStart))
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

    /// Adds `weight` units times the part that start...end covers of each pixel of a row of the cell.
    func addSpan(row: Int, start: Double, end: Double, weight: Int32) {
        guard start < end else { return }
        addStep(row: row, x: start, weight: weight)
        addStep(row: row, x: end, weight: -weight)
    }

    private func addStep(row: Int, x: Double, weight: Int32) {
        guard x < Double(cell.x + cell.width) else { return }
        let base = deltas + row * stride
        guard x > Double(cell.x) else {
            base[0] += weight
            touch(row, 0, 0)
            return
        }
        let column = Int(x) - cell.x
        let share = CoverageAccumulator.nearest(Double(weight) * (x - Double(column + cell.x)))
        base[column] += weight - share
        base[column + 1] += share
        touch(row, column, column + 1)
    }

    @inline(__always)
    private func touch(_ row: Int, _ first: Int, _ last: Int) {
        firstTouched[row] = min(firstTouched[row], Int32(first))
        lastTouched[row] = max(lastTouched[row], Int32(last))
    }

    /// Multiplies what is left of the backdrop by `1 - alpha * coverage` inside `box`, and leaves the accumulator clean.
    ///
    /// - Parameters:
    ///   - box: what holds the whole shape, output pixels; must not depend on the cell.
    ///   - plane: what is left of the backdrop, the cell's pixels with a stride of the cell's width.
    func multiply(_ plane: RemainingPlane, box: PixelRect, alpha: Float) {
        let firstColumn = max(box.x, cell.x) - cell.x
        let endColumn = min(box.x + box.width, cell.x + cell.width) - cell.x
        for row in max(box.y - cell.y, 0)..<max(min(box.y + box.height - cell.y, cell.height), 0)
        where lastTouched[row] >= 0 {
            let first = max(Int(firstTouched[row]), firstColumn)
            let last = sum(row: row, from: first, to: endColumn)
            if first < last { plane.multiply(row: row, from: first, to: last, by: coverage, alpha: alpha) }
        }
        clean()
    }

    /// Writes the covered share of each pixel from `first` to the last one that can have any; returns the end.
    private func sum(row: Int, from first: Int, to end: Int) -> Int {
        let base = deltas + row * stride
        let lastChange = Int(lastTouched[row])
        var sum: Int32 = 0
        var column = Int(firstTouched[row])
        while column < first {
            sum &+= base[column]
            column += 1
        }
        while column < end {
            if column > lastChange, sum == 0 { break }
            if column <= lastChange { sum &+= base[column] }
            coverage[column] = Float(min(abs(sum), 65_536)) * (1 / 65_536)
            column += 1
        }
        return column
    }

    private func clean() {
        for row in 0..<cell.height where lastTouched[row] >= 0 {
            let first = Int(firstTouched[row])
            (deltas + row * stride + first).update(repeating: 0, count: Int(lastTouched[row]) - first + 1)
            firstTouched[row] = Int32(stride)
            lastTouched[row] = -1
        }
    }
}
