/// Numbers or structures in memory that grows, without checks, which would take a third of the time; for one thread.
final class Growing<Element: BitwiseCopyable> {
    @exclusivity(unchecked)
    private(set) var values: UnsafeMutablePointer<Element>
    @exclusivity(unchecked)
    private var capacity = 64
    @exclusivity(unchecked)
    var count = 0

    init() { values = .allocate(capacity: 64) }

    deinit { values.deallocate() }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { grow() }
        (values + count).initialize(to: element)
        count += 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        larger.update(from: values, count: count)
        values.deallocate()
        values = larger
        capacity *= 2
    }
}

/// A line of a shape's outline, from top to bottom, in 1/65,536 output pixel.
struct ShapeEdge: BitwiseCopyable {
    var x0: Int
    var y0: Int
    var x1: Int
    var y1: Int
    /// 1 for a line that runs down, -1 for one that runs up.
    var winding: Int
    var slope: Double

    /// The place at a height between its ends. It depends on the edge alone, so neighbouring rows and tiles agree.
    @inline(__always)
    func x(at y: Int) -> Int {
        let x = x0 + wholeNumber(Double(y - y0) * slope)
        return x0 < x1 ? min(max(x, x0), x1) : min(max(x, x1), x0)
    }
}

/// The nearest whole number to one below 2^51, whatever the processor.
@inline(__always)
func wholeNumber(_ value: Double) -> Int { Int((value + 0x1.8p52) - 0x1.8p52) }

/// The edges of a shape that count for a part of the output: those in its rows and not beyond its right end.
struct ShapeEdges {
    /// Parts of a pixel in which places are given.
    static let unit = 1 << 16

    let edges = Growing<ShapeEdge>()
    private var rect = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// Beyond these bounds there is no picture, output pixels.
    private static let least = -0x1p17
    private static let most = 0x1p18
    /// Coordinates up to this need no clipping.
    private static let plainMax = 0x1p20

    /// Finds the edges. Returns false if there are more than `countMax`.
    ///
    /// - Parameter rect: in output pixels.
    mutating func collect(
        _ shape: PreparedShape, scale: OutputScale, rect: PixelRect, countMax: Int, isCancelled: () -> Bool
    ) -> Bool {
        edges.count = 0
        self.rect = rect
        let map = scale.map.after(shape.map)
        // Rounding moves places by less.
        let margin = 1.0 / 64
        let (left, right) = (Double(rect.x) - margin, Double(rect.x + rect.width) + margin)
        let (top, bottom) = (Double(rect.y) - margin, Double(rect.y + rect.height) + margin)
        func need(_ box: Rect) -> ShapeCurve.Need {
            if box.maxY < top || box.minY > bottom || box.minX > right { return .nothing }
            return box.maxX < left ? .ends : .all
        }
        for (index, group) in shape.groups.enumerated() {
            if index % 256 == 255, isCancelled() { break }
            let box = group.box
            switch need(
                Rect(
                    minX: box.minX * scale.x, minY: box.minY * scale.y, maxX: box.maxX * scale.x,
                    maxY: box.maxY * scale.y
                ).expanded(by: margin))
            {
            case .nothing: continue
            case .ends:
                guard let to = group.to else { continue }
                add(map.place(shape.path.points[group.from]), map.place(shape.path.points[to]))
            case .all:
                var walk = ShapeWalk(group, of: shape.path, map)
                walk.forEach(in: shape.path, map) { curve in
                    switch need(curve.bounds) {
                    case .nothing: break
                    case .ends: add(curve.begin, curve.end)
                    case .all: curve.flatten(need: need) { add($0, $1) }
                    }
                }
                if edges.count > countMax { return false }
            }
        }
        return edges.count <= countMax
    }

    @inline(__always)
    private func add(_ p: Point, _ q: Point) {
        let farthest = max(max(abs(p.x), abs(p.y)), max(abs(q.x), abs(q.y)))
        if farthest <= Self.plainMax { put(p, q) } else { addClipped(p, q) }
    }

    /// Adds what lies within the bounds of all pictures. What lies to the left of them is moved to their left end.
    private func addClipped(_ p: Point, _ q: Point) {
        func y(at x: Double) -> Double {
            let y = p.y + (x - p.x) / (q.x - p.x) * (q.y - p.y)
            return min(max(y, min(p.y, q.y)), max(p.y, q.y))
        }
        func x(at y: Double) -> Double { p.x + (y - p.y) / (q.y - p.y) * (q.x - p.x) }
        func within(_ y: Double) -> Double { min(max(y, Self.least), Self.most) }
        guard p.y != q.y else { return }
        var places = [p]
        if p.x != q.x {
            for bound in p.x < q.x ? [Self.least, Self.most] : [Self.most, Self.least]
            where bound > min(p.x, q.x) && bound < max(p.x, q.x) {
                places.append(Point(x: bound, y: y(at: bound)))
            }
        }
        places.append(q)
        for (from, to) in zip(places, places.dropFirst()) {
            var (begin, end) = (from, to)
            (begin.y, end.y) = (within(begin.y), within(end.y))
            if begin.y != from.y { begin.x = x(at: begin.y) }
            if end.y != to.y { end.x = x(at: end.y) }
            (begin.x, end.x) = (within(begin.x), within(end.x))
            put(begin, end)
        }
    }

    @inline(__always)
    private func put(_ p: Point, _ q: Point) {
        let unit = Double(Self.unit)
        let (px, py, qx, qy) = (
            wholeNumber(p.x * unit), wholeNumber(p.y * unit), wholeNumber(q.x * unit), wholeNumber(q.y * unit)
        )
        guard py != qy else { return }
        let isDown = py < qy
        let (x0, y0, x1, y1) = isDown ? (px, py, qx, qy) : (qx, qy, px, py)
        guard y1 > rect.y * Self.unit, y0 < (rect.y + rect.height) * Self.unit,
            min(x0, x1) < (rect.x + rect.width) * Self.unit
        else { return }
        edges.append(
            ShapeEdge(
                x0: x0, y0: y0, x1: x1, y1: y1, winding: isDown ? 1 : -1,
                slope: Double(x1 - x0) / Double(y1 - y0)))
    }
}
