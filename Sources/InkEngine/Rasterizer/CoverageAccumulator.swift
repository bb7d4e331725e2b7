import CKernels

/// Turns edges and spans into the exact area that a shape covers of each pixel of a cell.
///
/// Each edge adds, in every row it crosses, its height to the cells it passes, split between a cell and the next one by
/// where in the cell it passes; the running sum along a row is then the covered area (the signed-area method of
/// FreeType's and font-rs' rasterizers). Everything added is a whole number of 1/65,536 pixel, computed from the edge's
/// own ends and never from the cell's, so sums do not depend on the order of the edges or on how the picture is cut.
///
/// Memory: `width + 2` Int32 a row. Not shared between threads.
final class CoverageAccumulator {
    /// The cell, output pixels.
    private(set) var cell: PixelRect
    private let capacity: (width: Int, height: Int)
    private let stride: Int
    /// Row-major; each element is the change of the running sum at that column.
    private let deltas: UnsafeMutablePointer<Int32>
    /// First touched column of each row, `capacity.width + 2` when none.
    private let firstTouched: UnsafeMutablePointer<Int32>
    private let lastTouched: UnsafeMutablePointer<Int32>

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
    }

    deinit {
        deltas.deallocate()
        firstTouched.deallocate()
        lastTouched.deallocate()
    }

    /// Moves the accumulator, which must be clean, to another cell.
    func move(to cell: PixelRect) {
        precondition(cell.width <= capacity.width && cell.height <= capacity.height, "the cell is too large")
        self.cell = cell
    }

    /// Adds the edge from (x0, y0) to (x1, y1), output pixels.
    func addEdge(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
        edgeWriter.add(x0, y0, x1, y1)
    }

    /// The accumulator's memory as a value that loops can keep in registers; valid until the accumulator moves.
    var edgeWriter: EdgeWriter {
        EdgeWriter(
            left: cell.x, top: cell.y, width: cell.width, height: cell.height, stride: stride, deltas: deltas,
            firstTouched: firstTouched, lastTouched: lastTouched)
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
        let share = EdgeWriter.nearest(Double(weight) * (x - Double(column + cell.x)))
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
    ///   - plane: what is left of the backdrop, moved to the same cell.
    ///   - box: what holds the whole shape, output pixels; must not depend on the cell.
    func multiply(_ plane: RemainingPlane, box: PixelRect, alpha: Float) {
        let drawn = plane.pixels.box(of: box)
        if drawn.top < drawn.bottom {
            for row in Int(drawn.top)..<Int(drawn.bottom) where lastTouched[row] >= 0 {
                let first = max(firstTouched[row], drawn.left)
                let target = plane.pixels.values + row * plane.pixels.stride
                _ = multiply(target, row: row, from: Int(first), to: Int(drawn.right), alpha: alpha)
            }
        }
        plane.markDrawn(drawn)
        clean()
    }

    /// Multiplies a row from `first` to the last column that can have any coverage; returns the end.
    private func multiply(
        _ target: UnsafeMutablePointer<Float>, row: Int, from first: Int, to end: Int, alpha: Float
    ) -> Int {
        let base = deltas + row * stride
        let endOfChange = min(Int(lastTouched[row]) + 1, end)
        var sum: Int32 = 0
        var column = Int(firstTouched[row])
        while column < first {
            sum &+= base[column]
            column &+= 1
        }
        // Four running sums at a time: each lane adds those before it, in two steps.
        let share = alpha * (1 / 65_536)
        while column &+ 4 <= endOfChange {
            var sums = UnsafeRawPointer(base + column).loadUnaligned(as: SIMD4<Int32>.self)
            sums &+= SIMD4(0, sums.x, sums.y, sums.z)
            sums &+= SIMD4(0, 0, sums.x, sums.y)
            sums &+= SIMD4(repeating: sum)
            sum = sums.w
            let magnitude = sums.replacing(with: 0 &- sums, where: sums .< 0)
            let covered = SIMD4<Float>(magnitude.replacing(with: 65_536, where: magnitude .> 65_536))
            let place = UnsafeMutableRawPointer(target + column)
            let kept = place.loadUnaligned(as: SIMD4<Float>.self) * (1 - share * covered)
            place.storeBytes(of: kept, as: SIMD4<Float>.self)
            column &+= 4
        }
        while column < endOfChange {
            sum &+= base[column]
            target[column] *= 1 - share * Float(min(abs(sum), 65_536))
            column &+= 1
        }
        guard sum != 0 else { return column }
        let kept = 1 - share * Float(min(abs(sum), 65_536))
        while column < end {
            target[column] *= kept
            column &+= 1
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
