/// How the winding number at a pixel's left border changes with the height, in a row of pixels.
///
/// Each edge that has been passed adds what it changes at its two ends. What the edges of a chain change where they join
/// cancels, so the result does not depend on how much of a chain was seen.
struct RowWinding {
    /// The winding number at the row's upper border.
    private(set) var first = 0
    /// How much it changes further down, all in all.
    private(set) var changeCount = 0
    private let changes: UnsafeMutablePointer<Int32>
    /// A bit for each height at which it changes, and one for each word of them.
    private let bits: UnsafeMutablePointer<UInt64>
    private let words: UnsafeMutablePointer<UInt64>

    private static let bitWords = ShapeEdges.unit / 64

    init() {
        changes = .allocate(capacity: ShapeEdges.unit)
        changes.initialize(repeating: 0, count: ShapeEdges.unit)
        bits = .allocate(capacity: Self.bitWords)
        bits.initialize(repeating: 0, count: Self.bitWords)
        words = .allocate(capacity: Self.bitWords / 64)
        words.initialize(repeating: 0, count: Self.bitWords / 64)
    }

    func deallocate() {
        changes.deallocate()
        bits.deallocate()
        words.deallocate()
    }

    /// The change at a height between the row's borders.
    @inline(__always)
    func change(at y: Int) -> Int { Int(changes[y]) }

    /// Adds an edge from `top` to `bottom`, which differ.
    @inline(__always)
    mutating func add(_ top: Int, _ bottom: Int, _ winding: Int) {
        if top == 0 { first += winding } else { change(top, by: winding) }
        if bottom < ShapeEdges.unit { change(bottom, by: -winding) }
    }

    private mutating func change(_ y: Int, by winding: Int) {
        let before = Int(changes[y])
        changes[y] = Int32(truncatingIfNeeded: before + winding)
        changeCount += abs(before + winding) - abs(before)
        if before == 0 {
            bits[y >> 6] |= 1 << UInt64(y & 63)
            words[y >> 12] |= 1 << UInt64((y >> 6) & 63)
        } else if before + winding == 0 {
            bits[y >> 6] &= ~(1 << UInt64(y & 63))
            if bits[y >> 6] == 0 { words[y >> 12] &= ~(1 << UInt64((y >> 6) & 63)) }
        }
    }

    /// Calls `body` with each change and its height, from the top.
    @inline(__always)
    func forEachChange(_ body: (_ y: Int, _ change: Int) -> Void) {
        if changeCount == 0 { return }
        for place in 0..<Self.bitWords / 64 {
            var some = words[place]
            while some != 0 {
                let word = place << 6 + some.trailingZeroBitCount
                some &= some - 1
                var left = bits[word]
                while left != 0 {
                    let y = word << 6 + left.trailingZeroBitCount
                    left &= left - 1
                    body(y, Int(changes[y]))
                }
            }
        }
    }

    mutating func clear() {
        first = 0
        guard changeCount > 0 else { return }
        for place in 0..<Self.bitWords / 64 {
            while words[place] != 0 {
                let word = place << 6 + words[place].trailingZeroBitCount
                words[place] &= words[place] - 1
                while bits[word] != 0 {
                    changes[word << 6 + bits[word].trailingZeroBitCount] = 0
                    bits[word] &= bits[word] - 1
                }
            }
        }
        changeCount = 0
    }
}

/// The part of an edge within a pixel, from top to bottom, in 1/65,536 pixel from the pixel's corner.
struct PixelPiece: BitwiseCopyable {
    var x0: Int
    var y0: Int
    var x1: Int
    var y1: Int
    var winding: Int
}

extension FillRule {
    /// Whether places of a winding number are inside.
    @inline(__always)
    func contains(_ winding: Int) -> Bool { self == .nonzero ? winding != 0 : winding & 1 != 0 }

    /// The covered share of a pixel in which two neighbouring winding numbers occur, of which this is the mean.
    ///
    /// - Parameters:
    ///   - sum: the mean times `one`.
    @inline(__always)
    func share(_ sum: Int, of one: Int) -> Int {
        if self == .nonzero { return min(abs(sum), one) }
        let rest = abs(sum) % (2 * one)
        return min(rest, 2 * one - rest)
    }
}

/// What is inside a pixel through which several parts of an outline run: between the heights at which they begin, end and
/// cross, their order is the same, so what lies inside consists of trapezoids.
final class PixelArea {
    /// A piece, from top to bottom.
    private struct Side: BitwiseCopyable {
        var x: Double
        var top: Double
        var bottom: Double
        var slope: Double
        var winding: Int

        @inline(__always)
        func x(at y: Double) -> Double { x + (y - top) * slope }
    }

    /// Where a side crosses a line.
    private struct Crossing: BitwiseCopyable {
        var x: Double
        var side: Int
    }

    private struct Change: BitwiseCopyable {
        var y: Double
        var winding: Int
    }

    /// The trapezoids of the last pixel, as x and y of the ends of their left sides, from the top, and of their right
    /// sides, from the bottom: in pixels from the pixel's corner. Only if asked for.
    let trapezoids = Growing<Double>()
    private let sides = Growing<Side>()
    private let heights = Growing<Double>()
    private let changes = Growing<Change>()
    private let crossings = Growing<Crossing>()

    /// If a pixel has more pieces and changes, it is cut into rows of equal height. They are so many that errors are not seen.
    private static let exactMax = 16
    private static let rows = 64
    private static let unit = Double(ShapeEdges.unit)

    /// The covered area, 0...1. It depends on what is in the pixel and not on the order of the pieces.
    func area(
        _ pieces: Growing<PixelPiece>, left: RowWinding, rule: FillRule, needsTrapezoids: Bool = false
    ) -> Double {
        trapezoids.count = 0
        sides.count = 0
        for index in 0..<pieces.count {
            let piece = pieces.values[index]
            sides.append(
                Side(
                    x: Double(piece.x0), top: Double(piece.y0), bottom: Double(piece.y1),
                    slope: Double(piece.x1 - piece.x0) / Double(piece.y1 - piece.y0), winding: piece.winding))
        }
        changes.count = 0
        left.forEachChange { changes.append(Change(y: Double($0), winding: $1)) }
        let isExact = sides.count + changes.count <= Self.exactMax
        findHeights(isExact: isExact)
        var area = 0.0
        var winding = left.first
        var nextChange = 0
        for index in 1..<heights.count {
            let (top, bottom) = (heights.values[index - 1], heights.values[index])
            guard top < bottom else { continue }
            let middle = (top + bottom) / 2
            while nextChange < changes.count, changes.values[nextChange].y < middle {
                winding += changes.values[nextChange].winding
                nextChange += 1
            }
            area += (bottom - top) * length(at: middle, winding, rule)
            if needsTrapezoids, isExact { addTrapezoids(top, bottom, winding, rule) }
        }
        return area / (Self.unit * Self.unit)
    }

    /// Makes `heights` those between which the order of the sides is the same, or rows of equal height.
    private func findHeights(isExact: Bool) {
        heights.count = 0
        guard isExact else {
            for row in 0...Self.rows { heights.append(Double(row) * (Self.unit / Double(Self.rows))) }
            return
        }
        heights.append(0)
        heights.append(Self.unit)
        for index in 0..<changes.count { heights.append(changes.values[index].y) }
        for index in 0..<sides.count {
            let side = sides.values[index]
            heights.append(side.top)
            heights.append(side.bottom)
            for other in 0..<index { addCrossing(side, sides.values[other]) }
        }
        let values = heights.values
        for index in 1..<heights.count {
            let height = values[index]
            var place = index
            while place > 0, values[place - 1] > height {
                values[place] = values[place - 1]
                place -= 1
            }
            values[place] = height
        }
    }

    private func addCrossing(_ a: Side, _ b: Side) {
        let (top, bottom) = (max(a.top, b.top), min(a.bottom, b.bottom))
        guard top < bottom else { return }
        let (before, after) = (a.x(at: top) - b.x(at: top), a.x(at: bottom) - b.x(at: bottom))
        guard before < 0 && after > 0 || before > 0 && after < 0 else { return }
        heights.append(top + (bottom - top) * (before / (before - after)))
    }

    /// How much of a line is inside; `crossings` become the sides that it crosses, from left to right.
    private func length(at y: Double, _ start: Int, _ rule: FillRule) -> Double {
        crossings.count = 0
        let isFew = sides.count <= 64
        for index in 0..<sides.count {
            let side = sides.values[index]
            guard side.top < y, y < side.bottom else { continue }
            let crossing = Crossing(x: side.x(at: y), side: index)
            var place = crossings.count
            crossings.append(crossing)
            guard isFew else { continue }
            let values = crossings.values
            while place > 0, values[place - 1].x > crossing.x {
                values[place] = values[place - 1]
                place -= 1
            }
            values[place] = crossing
        }
        if !isFew {
            var all = UnsafeMutableBufferPointer(start: crossings.values, count: crossings.count)
            all.sort { $0.x < $1.x }
        }
        var (winding, last, length) = (start, 0.0, 0.0)
        for index in 0..<crossings.count {
            let crossing = crossings.values[index]
            if rule.contains(winding) { length += crossing.x - last }
            last = crossing.x
            winding += sides.values[crossing.side].winding
        }
        if rule.contains(winding) { length += Self.unit - last }
        return length
    }

    /// Adds what is inside between two heights at which the order of `crossings` is the same.
    private func addTrapezoids(_ top: Double, _ bottom: Double, _ start: Int, _ rule: FillRule) {
        var winding = start
        var begin: (upper: Double, lower: Double)? = rule.contains(winding) ? (0, 0) : nil
        func end(_ upper: Double, _ lower: Double) {
            guard let from = begin else { return }
            begin = nil
            for value in [from.upper, top, from.lower, bottom, lower, bottom, upper, top] {
                trapezoids.append(value / Self.unit)
            }
        }
        for index in 0..<crossings.count {
            let side = sides.values[crossings.values[index].side]
            winding += side.winding
            guard rule.contains(winding) != (begin != nil) else { continue }
            let (upper, lower) = (side.x(at: top), side.x(at: bottom))
            if begin == nil { begin = (upper, lower) } else { end(upper, lower) }
        }
        end(Self.unit, Self.unit)
    }
}
