/// A shape with what finds the parts of it that meet a cell; independent of the export's size.
public struct PreparedShape: Sendable {
    /// Some neighbouring segments: a part of one subpath, or several whole subpaths.
    struct Group: Sendable {
        var verbs: Range<Int>
        /// The index of the first one's first point.
        var firstPoint: Int
        /// The indices of the points where the segments begin and where their subpath does.
        var from: Int
        var start: Int
        /// The index of the point where they end; nil for whole subpaths, which end where they begin.
        var to: Int?
        /// Whether the subpath ends here, with a line to its start.
        var endsSubpath: Bool
        /// A box that contains them, canvas pixels.
        var box = Rect.empty
    }

    /// What colours a mark has.
    enum Ink: Sendable {
        /// The alpha does not count here.
        case color(RGBA8)
        /// In coordinates from which the map leads to the canvas.
        case gradient(Gradient, AffineMap)
    }

    let path: ShapePath
    /// From the path's coordinates to the canvas.
    let map: AffineMap
    let rule: FillRule
    let mode: StrokeMode
    /// 0...1; a gradient's own comes in addition.
    let alpha: Float
    let ink: Ink
    /// The pattern of which the shape shows a part; nil: the shape is filled.
    let pattern: Brush?
    let groups: [Group]
    /// A box that contains the shape, without what dots that are drawn whole have beyond its outline; canvas pixels, empty if
    /// the shape draws nothing.
    package let bounds: Rect

    private static let groupSegmentsMax = 64

    public init(_ shape: Shape) {
        path = shape.path
        map = shape.transform
        rule = shape.rule
        mode = shape.mode
        // Erasing takes away by opacity and coverage, whatever the colours.
        let isErasing = shape.mode == .erase
        switch shape.fill {
        case .color(let color):
            (ink, pattern) = (.color(color), nil)
            alpha = Float(isErasing ? shape.opacity : shape.opacity * Double(color.alpha) / 255)
        case .gradient(let gradient):
            (ink, pattern) = (isErasing ? .color(.black) : .gradient(gradient, shape.transform), nil)
            alpha = Float(shape.opacity)
        case .pattern(let brush):
            (ink, pattern) = (.color(brush.color), brush)
            alpha = Float(isErasing ? shape.opacity : shape.opacity * brush.opacity)
        }
        groups = shape.transform.isSingular || alpha == 0 ? [] : Self.groups(shape.path, shape.transform)
        bounds = groups.reduce(into: Rect.empty) { $0.formUnion($1.box) }
    }

    /// Size in a cache, in bytes; a path that shapes share is counted with each of them.
    var byteCount: Int {
        512 + path.points.count * MemoryLayout<Point>.stride + path.verbs.count + groups.count
            * MemoryLayout<Group>.stride
    }

    private static func groups(_ path: ShapePath, _ map: AffineMap) -> [Group] {
        var groups: [Group] = []
        /// How many segments the last group has, if it consists of whole subpaths.
        var wholeCount: Int?
        var (verb, start) = (0, 0)
        while verb < path.verbs.count {
            let end = path.verbs[(verb + 1)...].firstIndex(of: .move) ?? path.verbs.count
            var (from, point) = (start, start)
            let isWhole = end - verb <= groupSegmentsMax
            for first in stride(from: verb, to: end, by: groupSegmentsMax) {
                let verbs = first..<min(first + groupSegmentsMax, end)
                var group = Group(
                    verbs: verbs, firstPoint: point, from: from, start: start, endsSubpath: verbs.upperBound == end)
                var walk = ShapeWalk(group, of: path, map)
                walk.forEach(in: path, map) { group.box.formUnion($0.bounds) }
                for verb in path.verbs[verbs] {
                    point += verb.pointCount
                    from = verb == .close ? start : point - 1
                }
                if !isWhole { group.to = group.endsSubpath ? start : from }
                if isWhole, let last = wholeCount, last + verbs.count <= groupSegmentsMax {
                    groups[groups.count - 1].verbs = groups[groups.count - 1].verbs.lowerBound..<end
                    groups[groups.count - 1].box.formUnion(group.box)
                    wholeCount = last + verbs.count
                } else {
                    groups.append(group)
                    wholeCount = isWhole ? verbs.count : nil
                }
            }
            (verb, start) = (end, point)
        }
        return groups.filter { !$0.box.isEmpty }
    }
}

/// Goes through the segments of a path.
struct ShapeWalk {
    /// Where the next segment begins and where its subpath does, in the space of the curves.
    private var from: Point
    private var start: Point
    private let verbs: Range<Int>
    /// The index of the next segment's first point.
    private var point: Int

    private let endsSubpath: Bool

    init(_ group: PreparedShape.Group, of path: ShapePath, _ map: AffineMap) {
        from = map.place(path.points[group.from])
        start = map.place(path.points[group.start])
        verbs = group.verbs
        point = group.firstPoint
        endsSubpath = group.endsSubpath
    }

    /// Calls `body` with each segment under a map, and with the line that closes a subpath where it ends.
    ///
    /// - Parameter body: never gets a segment of no extent.
    @inline(__always)
    mutating func forEach(in path: ShapePath, _ map: AffineMap, _ body: (ShapeCurve) -> Void) {
        path.verbs.withUnsafeBufferPointer { all in
            path.points.withUnsafeBufferPointer { points in
                for verb in verbs {
                    let verb = all[verb]
                    let curve: ShapeCurve
                    switch verb {
                    case .move:
                        let next = map.place(points[point])
                        curve = ShapeCurve(from, start)
                        (from, start) = (next, next)
                    case .line: curve = ShapeCurve(from, map.place(points[point]))
                    case .quadratic:
                        curve = ShapeCurve(from, map.place(points[point]), map.place(points[point + 1]))
                    case .cubic:
                        curve = ShapeCurve(
                            from, map.place(points[point]), map.place(points[point + 1]), map.place(points[point + 2]))
                    case .arc:
                        curve = ShapeCurve(
                            from, u: map.way(points[point + 1]), v: map.way(points[point + 2]),
                            start: points[point + 3].x, sweep: points[point + 3].y, map.place(points[point + 4]))
                    case .close: curve = ShapeCurve(from, start)
                    }
                    point += verb.pointCount
                    if verb != .move { from = curve.end }
                    if curve.end != curve.begin || curve.bend > 0 { body(curve) }
                }
            }
        }
        if endsSubpath, from != start { body(ShapeCurve(from, start)) }
    }
}

extension AffineMap {
    /// Whether areas become 0, or what cannot be computed with.
    package var isSingular: Bool {
        let area = a * d - b * c
        return area == 0 || !area.isFinite
    }

    /// A place, of which no coordinate is infinite.
    func place(_ p: Point) -> Point { point(p).bounded }

    /// A direction and distance.
    func way(_ p: Point) -> Point { Point(x: a * p.x + c * p.y, y: b * p.x + d * p.y).bounded }
}

extension Point {
    /// With coordinates whose squares are not infinite.
    fileprivate var bounded: Point {
        func bounded(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, -1e100), 1e100) }
        return Point(x: bounded(x), y: bounded(y))
    }
}
