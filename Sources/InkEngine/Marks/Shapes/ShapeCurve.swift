/// A segment of a shape: a line, a Bézier curve or an arc of an ellipse.
///
/// Curves become lines by a rule that depends on the curve alone, in output pixels, and never on a tile.
struct ShapeCurve {
    private enum Kind {
        case line
        /// begin + t (a + t (b + t c))
        case polynomial(a: Point, b: Point, c: Point)
        case arc(u: Point, v: Point, start: Double, sweep: Double)
    }

    let begin: Point
    let end: Point
    /// A bound of the length of the second derivative, t from 0 to 1.
    let bend: Double
    private let kind: Kind

    init(_ begin: Point, _ end: Point) {
        (self.begin, self.end, bend, kind) = (begin, end, 0, .line)
    }

    init(_ begin: Point, _ control: Point, _ end: Point) {
        let (a, b) = (control - begin, begin - control + (end - control))
        (self.begin, self.end, bend) = (begin, end, 2 * b.length)
        kind = .polynomial(a: 2 * a, b: b, c: Point(x: 0, y: 0))
    }

    init(_ begin: Point, _ first: Point, _ second: Point, _ end: Point) {
        let (a, b) = (first - begin, begin - first + (second - first))
        let other = first - second + (end - second)
        (self.begin, self.end, bend) = (begin, end, 6 * max(b.length, other.length))
        kind = .polynomial(a: 3 * a, b: 3 * b, c: other - b)
    }

    /// An arc of the ellipse center + cos(t) u + sin(t) v. Its places are found from where it begins, which is more exact
    /// than from a centre that is far away.
    ///
    /// - Parameters:
    ///   - start: radians.
    ///   - sweep: radians.
    init(_ begin: Point, u: Point, v: Point, start: Double, sweep: Double, _ end: Point) {
        (self.begin, self.end) = (begin, end)
        let isArc = start.isFinite && sweep.isFinite && sweep != 0
        bend = isArc ? min((u.length + v.length) * sweep * sweep, 1e100) : 0
        kind = isArc ? .arc(u: u, v: v, start: start, sweep: sweep) : .line
    }

    /// A box that contains it.
    var bounds: Rect { bounds(begin, end, share: 1) }

    /// Adds a part of the curve likewise.
    ///
    /// - Parameters:
    ///   - begin: where the part begins.
    ///   - end: where it ends.
    ///   - share: how much of the range of t the part has.
    @inline(__always)
    private func bounds(_ begin: Point, _ end: Point, share: Double) -> Rect {
        let reach = bend * share * share / 8
        return Rect(
            minX: min(begin.x, end.x) - reach, minY: min(begin.y, end.y) - reach, maxX: max(begin.x, end.x) + reach,
            maxY: max(begin.y, end.y) + reach)
    }

    /// The place at t, 0...1.
    private func at(_ t: Double) -> Point {
        switch kind {
        case .line: return begin + t * (end - begin)
        case .polynomial(let a, let b, let c):
            return Point(
                x: begin.x + t * (a.x + t * (b.x + t * c.x)), y: begin.y + t * (a.y + t * (b.y + t * c.y)))
        case .arc(let u, let v, let start, let sweep):
            let half = t * sweep / 2
            let middle = sinCos(radians: start + half)
            return begin + (2 * sinCos(radians: half).sin) * (middle.cos * v - middle.sin * u)
        }
    }

    /// The binary logarithm of the number of lines that differ from it by at most 1/128.
    private var level: Int {
        // Curves of which doubles do not hold single pixels are not worth the work.
        guard bend <= Self.bendMax else { return Self.farLevel }
        var level = 0
        var lines = 1.0
        while lines * lines < 16 * bend {
            lines *= 2
            level += 1
        }
        return level
    }

    private static let bendMax = 0x1p44
    private static let farLevel = 8
    /// Curves of more lines are divided step by step, so that parts that nobody sees cost little.
    private static let plainLevelMax = 4

    /// What the receiver of lines does not need.
    enum Need {
        case all
        /// Only where it begins and ends.
        case ends
        case nothing
    }

    /// Calls `line` with the ends of the lines that it becomes, one after the other.
    ///
    /// - Parameter need: what is needed of what lies in a box.
    @inline(__always)
    func flatten(need: (Rect) -> Need, line: (Point, Point) -> Void) {
        guard bend > 0 else { return line(begin, end) }
        let level = level
        guard level > Self.plainLevelMax else {
            let count = 1 << level
            var last = begin
            for index in 1..<max(count, 1) {
                let next = at(Double(index) / Double(count))
                line(last, next)
                last = next
            }
            return line(last, end)
        }
        var left: [(level: Int, index: Int, begin: Point, end: Point)] = [(0, 0, begin, end)]
        while let part = left.popLast() {
            let share = 1 / Double(1 << part.level)
            let need = need(bounds(part.begin, part.end, share: share))
            if need == .nothing { continue }
            if need == .ends || part.level == level {
                line(part.begin, part.end)
                continue
            }
            let middle = at((Double(part.index) + 0.5) * share)
            left.append((part.level + 1, 2 * part.index + 1, middle, part.end))
            left.append((part.level + 1, 2 * part.index, part.begin, middle))
        }
    }
}
