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

    @inline(__always)
    func x(at y: Double) -> Double {
        Double(x0) + (y - Double(y0)) * (Double(x1 - x0) / Double(y1 - y0))
    }
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
    /// The trapezoids of the last pixel, as x and y of the ends of their left sides, from the top, and of their right
    /// sides, from the bottom: in pixels from the pixel's corner. Only if asked for.
    let trapezoids = Growing<Double>()
    private var heights: [Double] = []
    private var changes: [(y: Int, change: Int)] = []
    private var crossed: [(x: Double, piece: Int)] = []

    /// If a pixel has more pieces and changes, it is cut into rows of equal height. They are so many that errors are not seen.
    static let exactMax = 24
    private static let rows = 64

    /// The covered area, 0...1. It depends on what is in the pixel and not on the order of the pieces.
    func area(
        _ pieces: Growing<PixelPiece>, left: RowWinding, rule: FillRule, needsTrapezoids: Bool = false
    ) -> Double {
        let unit = Double(ShapeEdges.unit)
        trapezoids.count = 0
        changes.removeAll(keepingCapacity: true)
        left.forEachChange { changes.append(($0, $1)) }
        heights.removeAll(keepingCapacity: true)
        let isExact = pieces.count + changes.count <= Self.exactMax
        if isExact {
            heights += [0, unit]
            for change in changes { heights.append(Double(change.y)) }
            for i in 0..<pieces.count {
                let piece = pieces.values[i]
                heights.append(Double(piece.y0))
                heights.append(Double(piece.y1))
                for j in 0..<i { addCrossing(piece, pieces.values[j]) }
            }
            heights.sort()
        } else {
            for row in 0...Self.rows { heights.append(Double(row) * (unit / Double(Self.rows))) }
        }
        var area = 0.0
        var winding = left.first
        var nextChange = 0
        for (top, bottom) in zip(heights, heights.dropFirst()) where top < bottom {
            let middle = (top + bottom) / 2
            while nextChange < changes.count, Double(changes[nextChange].y) < middle {
                winding += changes[nextChange].change
                nextChange += 1
            }
            area += (bottom - top) * length(pieces, at: middle, winding, rule)
            if needsTrapezoids, isExact { addTrapezoids(pieces, top, bottom, winding, rule) }
        }
        return area / (unit * unit)
    }

    /// How much of a line is inside; `crossed` becomes the pieces that cross it.
    @inline(__always)
    private func length(_ pieces: Growing<PixelPiece>, at y: Double, _ start: Int, _ rule: FillRule) -> Double {
        crossed.removeAll(keepingCapacity: true)
        for index in 0..<pieces.count {
            let piece = pieces.values[index]
            guard Double(piece.y0) < y, y < Double(piece.y1) else { continue }
            let entry = (x: piece.x(at: y), piece: index)
            crossed.append(entry)
            var place = crossed.count - 1
            if crossed.count > 32 { continue }
            while place > 0, crossed[place - 1].x > entry.x {
                crossed[place] = crossed[place - 1]
                place -= 1
            }
            crossed[place] = entry
        }
        if crossed.count > 32 { crossed.sort { ($0.x, $0.piece) < ($1.x, $1.piece) } }
        var (winding, last, length) = (start, 0.0, 0.0)
        for (x, index) in crossed {
            if rule.contains(winding) { length += x - last }
            last = x
            winding += pieces.values[index].winding
        }
        if rule.contains(winding) { length += Double(ShapeEdges.unit) - last }
        return length
    }

    private func addCrossing(_ a: PixelPiece, _ b: PixelPiece) {
        let (top, bottom) = (Double(max(a.y0, b.y0)), Double(min(a.y1, b.y1)))
        guard top < bottom else { return }
        let (before, after) = (a.x(at: top) - b.x(at: top), a.x(at: bottom) - b.x(at: bottom))
        guard before < 0 && after > 0 || before > 0 && after < 0 else { return }
        heights.append(top + (bottom - top) * (before / (before - after)))
    }

    /// Adds what is inside between two heights at which the order of `crossed` is the same.
    private func addTrapezoids(
        _ pieces: Growing<PixelPiece>, _ top: Double, _ bottom: Double, _ start: Int, _ rule: FillRule
    ) {
        let unit = Double(ShapeEdges.unit)
        var winding = start
        var begin: (upper: Double, lower: Double)? = rule.contains(winding) ? (0, 0) : nil
        func end(_ upper: Double, _ lower: Double) {
            guard let from = begin else { return }
            begin = nil
            for value in [from.upper, top, from.lower, bottom, lower, bottom, upper, top] {
                trapezoids.append(value / unit)
            }
        }
        for (_, index) in crossed {
            let piece = pieces.values[index]
            winding += piece.winding
            guard rule.contains(winding) != (begin != nil) else { continue }
            let (upper, lower) = (piece.x(at: top), piece.x(at: bottom))
            if begin == nil { begin = (upper, lower) } else { end(upper, lower) }
        }
        end(unit, unit)
    }
}
