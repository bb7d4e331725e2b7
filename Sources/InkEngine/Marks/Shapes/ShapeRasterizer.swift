/// Computes the exact area of each pixel that shapes cover, row by row, whether their outlines meet themselves or not.
///
/// Places are whole numbers of 1/65,536 pixel that depend on the shape and the scale alone. Where only one part of the
/// outline runs through a pixel, its area follows from signed areas as in `CoverageAccumulator`. Other pixels are cut into
/// trapezoids. Both depend on what is in the pixel and not on the tile.
///
/// Owns its scratch memory; not shared between threads.
final class ShapeRasterizer {
    /// The part of an edge within a row of pixels. Places are counted from the row's and the rectangle's corner.
    private struct Strip: BitwiseCopyable {
        /// Its left and right end.
        var xl: Int
        var yl: Int
        var xr: Int
        var yr: Int
        var winding: Int
        /// Its height at the current column's left border, or where it begins.
        var y: Int
        /// The next one that begins in the same column; -1 for none.
        var next: Int32

        /// The height at a place between its ends.
        @inline(__always)
        func y(at x: Int) -> Int {
            let width = xr - xl
            let way = ((x - xl) * abs(yr - yl) + width / 2) / width
            return yl < yr ? yl + way : yl - way
        }
    }

    private static let unit = ShapeEdges.unit
    /// If more edges count for a part of a cell, its halves are drawn one after the other.
    private static let edgesMax = 1 << 18

    @exclusivity(unchecked)
    private var outline = ShapeEdges()
    @exclusivity(unchecked)
    private var winding = RowWinding()
    private let area = PixelArea()
    private let strips = Growing<Strip>()
    /// The strips that reach into the current column.
    private let open = Growing<Int32>()
    private let pieces = Growing<PixelPiece>()
    /// The edges that reach into the current row.
    private let active = Growing<Int32>()
    /// The next edge that begins in the same row; -1 for none.
    private let nextEdge = Growing<Int32>()
    private let rowHeads: UnsafeMutablePointer<Int32>
    /// The first strip that begins in each column; -1 for none, and a bit for each that has some.
    private let columnHeads: UnsafeMutablePointer<Int32>
    private let columnBits: UnsafeMutablePointer<UInt64>
    private let columnWords: Int

    init(maxWidth: Int, maxHeight: Int) {
        rowHeads = .allocate(capacity: maxHeight)
        columnHeads = .allocate(capacity: maxWidth)
        columnHeads.initialize(repeating: -1, count: maxWidth)
        columnWords = (maxWidth + 63) / 64
        columnBits = .allocate(capacity: columnWords)
        columnBits.initialize(repeating: 0, count: columnWords)
    }

    deinit {
        winding.deallocate()
        rowHeads.deallocate()
        columnHeads.deallocate()
        columnBits.deallocate()
    }

    /// What becomes known of a shape in a row of pixels.
    protocol Receiver {
        /// Whether `partial` is to be called.
        var needsTrapezoids: Bool { get }
        /// Gets a pixel that is covered in part.
        ///
        /// - Parameter trapezoids: its covered parts, as in `PixelArea`; empty where that is too much.
        mutating func partial(column: Int, row: Int, trapezoids: Growing<Double>)
        /// Gets the columns of a row outside of which nothing is covered.
        mutating func finish(row: Int, columns: Range<Int>)
    }

    /// Sets the coverage of the pixels of a rectangle.
    ///
    /// - Parameters:
    ///   - rect: in output pixels; not larger than the rasterizer's size.
    ///   - plane: contains the rectangle, and is 0 there.
    ///   - receiver: is called for each row in which anything is covered, with places of the output.
    func cover(
        _ shape: PreparedShape, scale: OutputScale, rect: PixelRect, in plane: KernelPlane<Float>,
        _ receiver: inout some Receiver, isCancelled: () -> Bool
    ) {
        let isAll = outline.collect(
            shape, scale: scale, rect: rect, countMax: rect.height > 1 ? Self.edgesMax : .max, isCancelled: isCancelled)
        if isCancelled() { return }
        guard isAll else {
            let half = rect.height / 2
            for (y, height) in [(rect.y, half), (rect.y + half, rect.height - half)] {
                let part = PixelRect(x: rect.x, y: y, width: rect.width, height: height)
                cover(shape, scale: scale, rect: part, in: plane, &receiver, isCancelled: isCancelled)
            }
            return
        }
        guard outline.edges.count > 0 else { return }
        sortByRow(rect)
        active.count = 0
        for row in 0..<rect.height {
            if row % 16 == 15, isCancelled() { return }
            beginRow(row, rect)
            let values = plane.row(rect, row)
            let covered = sweep(rect, row: row, shape.rule, into: values, &receiver)
            if !covered.isEmpty {
                receiver.finish(row: rect.y + row, columns: rect.x + covered.lowerBound..<rect.x + covered.upperBound)
            }
            winding.clear()
        }
    }

    private func sortByRow(_ rect: PixelRect) {
        rowHeads.initialize(repeating: -1, count: rect.height)
        nextEdge.count = 0
        for index in 0..<outline.edges.count {
            let row = max(outline.edges.values[index].y0 >> 16 - rect.y, 0)
            nextEdge.append(rowHeads[row])
            rowHeads[row] = Int32(truncatingIfNeeded: index)
        }
    }

    /// Cuts the edges of a row into strips. Those to the left of the rectangle are passed at once.
    private func beginRow(_ row: Int, _ rect: PixelRect) {
        let top = (rect.y + row) * Self.unit
        let bottom = top + Self.unit
        var index = rowHeads[row]
        while index >= 0 {
            active.append(index)
            index = nextEdge.values[Int(index)]
        }
        strips.count = 0
        var kept = 0
        let (left, width) = (rect.x * Self.unit, rect.width * Self.unit)
        for place in 0..<active.count {
            let number = active.values[place]
            let edge = outline.edges.values[Int(number)]
            let upper = edge.y0 < top ? (edge.x(at: top), top) : (edge.x0, edge.y0)
            let lower = edge.y1 > bottom ? (edge.x(at: bottom), bottom) : (edge.x1, edge.y1)
            if edge.y1 > bottom {
                active.values[kept] = number
                kept += 1
            }
            let (x0, y0, x1, y1) = (upper.0 - left, upper.1 - top, lower.0 - left, lower.1 - top)
            if max(x0, x1) <= 0 {
                winding.add(y0, y1, edge.winding)
                continue
            }
            let isRight = x0 <= x1
            var strip = Strip(
                xl: isRight ? x0 : x1, yl: isRight ? y0 : y1, xr: isRight ? x1 : x0, yr: isRight ? y1 : y0,
                winding: edge.winding, y: isRight ? y0 : y1, next: -1)
            guard strip.xl < width else { continue }
            if strip.xl < 0 {
                strip.y = strip.y(at: 0)
                if strip.y != strip.yl { winding.add(min(strip.y, strip.yl), max(strip.y, strip.yl), edge.winding) }
            }
            let column = max(strip.xl, 0) >> 16
            strip.next = columnHeads[column]
            columnHeads[column] = Int32(truncatingIfNeeded: strips.count)
            columnBits[column >> 6] |= 1 << UInt64(column & 63)
            strips.append(strip)
        }
        active.count = kept
    }

    /// The first column from `column` on in which strips begin; nil if there is none.
    @inline(__always)
    private func nextStart(from column: Int) -> Int? {
        var word = column >> 6
        guard word < columnWords else { return nil }
        var bits = columnBits[word] & (UInt64.max << UInt64(column & 63))
        while bits == 0 {
            word += 1
            guard word < columnWords else { return nil }
            bits = columnBits[word]
        }
        return word << 6 + bits.trailingZeroBitCount
    }

    /// Goes through the columns of a row. Returns those outside of which nothing is covered.
    private func sweep(
        _ rect: PixelRect, row: Int, _ rule: FillRule, into values: UnsafeMutablePointer<Float>,
        _ receiver: inout some Receiver
    ) -> Range<Int> {
        let one = 2 * Self.unit * Self.unit
        let toShare = 1 / Float(one)
        var (first, end) = (rect.width, 0)
        /// The area to the right of what has been passed: its height, signed.
        var passed = heightPassed
        var column = 0
        open.count = 0
        while column < rect.width {
            if open.count == 0 {
                let next = nextStart(from: column) ?? rect.width
                if next > column {
                    pieces.count = 0
                    let share = share(passed * (2 * Self.unit), one, toShare, rule)
                    if share > 0 {
                        (values + column).update(repeating: share, count: next - column)
                        (first, end) = (min(first, column), next)
                        if share < 1, receiver.needsTrapezoids {
                            _ = area.area(pieces, left: winding, rule: rule, needsTrapezoids: true)
                            for place in column..<next {
                                receiver.partial(
                                    column: rect.x + place, row: rect.y + row, trapezoids: area.trapezoids)
                            }
                        }
                    }
                }
                column = next
                if column == rect.width { break }
            }
            let left = column << 16
            passed += openStrips(of: column, left)
            let sum = passed * (2 * Self.unit) + cutPieces(left)
            let share = share(sum, one, toShare, rule)
            if share > 0 {
                values[column] = share
                (first, end) = (min(first, column), column + 1)
                if share < 1, receiver.needsTrapezoids {
                    _ = area.area(pieces, left: winding, rule: rule, needsTrapezoids: true)
                    receiver.partial(column: rect.x + column, row: rect.y + row, trapezoids: area.trapezoids)
                }
            }
            passed += passStrips(left)
            column += 1
        }
        return first < end ? first..<end : 0..<0
    }

    /// The signed height of the edges to the left of the rectangle.
    private var heightPassed: Int {
        var sum = winding.first * Self.unit
        winding.forEachChange { sum += $1 * (Self.unit - $0) }
        return sum
    }

    /// Takes the strips that begin in a column. Returns the signed height of those that lie on its left border.
    private func openStrips(of column: Int, _ left: Int) -> Int {
        var passed = 0
        var index = columnHeads[column]
        guard index >= 0 else { return 0 }
        columnHeads[column] = -1
        columnBits[column >> 6] &= ~(1 << UInt64(column & 63))
        while index >= 0 {
            let strip = strips.values[Int(index)]
            if strip.xr <= left {
                let (top, bottom) = (min(strip.yl, strip.yr), max(strip.yl, strip.yr))
                winding.add(top, bottom, strip.winding)
                passed += strip.winding * (bottom - top)
            } else {
                open.append(index)
            }
            index = strip.next
        }
        return passed
    }

    /// What a strip has of a column: where it enters and leaves.
    @inline(__always)
    private func leave(_ strip: Strip, _ left: Int) -> (x: Int, y: Int) {
        let right = left + Self.unit
        return strip.xr <= right ? (strip.xr - left, strip.yr) : (Self.unit, strip.y(at: right))
    }

    /// Makes `pieces` those of the pixel. Returns the signed area to the right of them, times two.
    private func cutPieces(_ left: Int) -> Int {
        pieces.count = 0
        var sum = 0
        for place in 0..<open.count {
            let strip = strips.values[Int(open.values[place])]
            let x = max(strip.xl - left, 0)
            let out = leave(strip, left)
            guard strip.y != out.y else { continue }
            let isDown = strip.y < out.y
            let piece =
                isDown
                ? PixelPiece(x0: x, y0: strip.y, x1: out.x, y1: out.y, winding: strip.winding)
                : PixelPiece(x0: out.x, y0: out.y, x1: x, y1: strip.y, winding: strip.winding)
            sum += strip.winding * (piece.y1 - piece.y0) * (2 * Self.unit - x - out.x)
            pieces.append(piece)
        }
        return sum
    }

    /// Passes the column's pieces, and drops the strips that end in it. Returns their signed height.
    private func passStrips(_ left: Int) -> Int {
        var (kept, passed) = (0, 0)
        for place in 0..<open.count {
            let index = open.values[place]
            let strip = strips.values[Int(index)]
            let y = leave(strip, left).y
            if y != strip.y {
                let (top, bottom) = (min(y, strip.y), max(y, strip.y))
                winding.add(top, bottom, strip.winding)
                passed += strip.winding * (bottom - top)
            }
            if strip.xr > left + Self.unit {
                strips.values[Int(index)].y = y
                open.values[kept] = index
                kept += 1
            }
        }
        open.count = kept
        return passed
    }

    // MARK: Pixels

    /// The coverage of a pixel with the current pieces.
    ///
    /// - Parameters:
    ///   - sum: the mean of the winding number, times `one`.
    private func share(_ sum: Int, _ one: Int, _ toShare: Float, _ rule: FillRule) -> Float {
        if winding.changeCount == 0 {
            if pieces.count == 0 { return rule.contains(winding.first) ? 1 : 0 }
            if pieces.count == 1 { return Float(rule.share(sum, of: one)) * toShare }
        }
        var (least, most) = (winding.first - winding.changeCount, winding.first + winding.changeCount)
        for index in 0..<pieces.count {
            if pieces.values[index].winding < 0 { least -= 1 } else { most += 1 }
        }
        if rule == .nonzero, least > 0 || most < 0 { return 1 }
        if most - least <= 1 || rule == .nonzero && (least == 0 && most == 1 || least == -1 && most == 0) || isChain {
            return Float(rule.share(sum, of: one)) * toShare
        }
        return Float(min(max(area.area(pieces, left: winding, rule: rule), 0), 1))
    }

    /// Whether only one part of the outline, which goes up or down all the way, runs through the pixel, perhaps from its
    /// left border: the winding number then has two values that differ by 1.
    private var isChain: Bool {
        let count = pieces.count
        guard count > 0, count <= 4 else { return count == 0 && winding.changeCount <= 1 }
        let values = pieces.values
        for index in 1..<max(count, 1) {
            var place = index
            while place > 0, values[place - 1].y0 > values[place].y0 {
                swap(&values[place - 1], &values[place])
                place -= 1
            }
        }
        for index in 1..<max(count, 1) {
            let (upper, lower) = (values[index - 1], values[index])
            guard upper.winding == lower.winding, upper.x1 == lower.x0, upper.y1 == lower.y0 else { return false }
        }
        var left = winding.changeCount
        let (upper, lower) = (values[0], values[count - 1])
        if upper.x0 == 0, upper.y0 > 0, winding.change(at: upper.y0) == -upper.winding { left -= 1 }
        if lower.x1 == 0, lower.y1 < Self.unit, winding.change(at: lower.y1) == lower.winding { left -= 1 }
        return left == 0
    }
}
