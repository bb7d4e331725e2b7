/// The outline of a shape: subpaths of lines, curves and elliptical arcs, in the shape's own coordinates.
///
/// Copies share their memory, so a symbol is there once however many shapes draw it.
public struct ShapePath: Hashable, Sendable {
    public enum Verb: UInt8, Hashable, Sendable, CaseIterable {
        /// Begins a subpath; one point.
        case move = 0
        /// One point.
        case line = 1
        /// A control point and the end.
        case quadratic = 2
        /// Two control points and the end.
        case cubic = 3
        /// The places `center + cos(t) u + sin(t) v` of an ellipse, t from a start over a sweep in radians: the centre,
        /// u, v, start and sweep as x and y, and the end, which is exact.
        case arc = 4
        /// Ends the subpath at its beginning; no point.
        case close = 5

        /// How many points it has.
        public var pointCount: Int {
            switch self {
            case .move, .line: 1
            case .quadratic: 2
            case .cubic: 3
            case .arc: 5
            case .close: 0
            }
        }
    }

    /// The first of a path that is not empty is a move.
    public private(set) var verbs: [Verb] = []
    /// Those of all verbs, one after the other.
    public private(set) var points: [Point] = []

    public init() {}

    /// A rectangle, clockwise from its corner with the smallest coordinates.
    public init(box: Rect) {
        move(to: Point(x: box.minX, y: box.minY))
        line(to: Point(x: box.maxX, y: box.minY))
        line(to: Point(x: box.maxX, y: box.maxY))
        line(to: Point(x: box.minX, y: box.maxY))
        close()
    }

    /// A path from its parts; nil if they do not belong together.
    public init?(verbs: [Verb], points: [Point]) {
        guard verbs.first ?? .move == .move, verbs.reduce(0, { $0 + $1.pointCount }) == points.count else { return nil }
        self.verbs = verbs
        self.points = points
    }

    public var isEmpty: Bool { verbs.isEmpty }

    /// How many segments it has: lines, curves, arcs and closings.
    public var segmentCount: Int { verbs.count { $0 != .move } }

    /// Begins a subpath. A move right behind another one takes its place, since nothing lies between them; so a path has
    /// at most one move more than segments.
    public mutating func move(to point: Point) {
        guard verbs.last == .move else { return add(.move, [point]) }
        points[points.count - 1] = point
    }
    public mutating func line(to point: Point) { add(.line, [point]) }
    public mutating func quadratic(_ control: Point, to point: Point) { add(.quadratic, [control, point]) }
    public mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
        add(.cubic, [first, second, point])
    }
    public mutating func close() { add(.close, []) }

    /// - Parameters:
    ///   - start: radians.
    ///   - sweep: radians; negative from v to u.
    ///   - end: where the arc ends, exactly.
    public mutating func arc(center: Point, u: Point, v: Point, start: Double, sweep: Double, to end: Point) {
        add(.arc, [center, u, v, Point(x: start, y: sweep), end])
    }

    private mutating func add(_ verb: Verb, _ new: [Point]) {
        precondition(verb == .move || !verbs.isEmpty, "a path begins with a move")
        verbs.append(verb)
        points.append(contentsOf: new)
    }

    /// The subpaths of both.
    package func appending(_ other: ShapePath) -> ShapePath {
        var both = self
        both.verbs += other.verbs
        both.points += other.points
        return both
    }

    /// The path under a map; arcs of ellipses stay such.
    package func mapped(_ map: AffineMap) -> ShapePath {
        func vector(_ point: Point) -> Point {
            Point(x: map.a * point.x + map.c * point.y, y: map.b * point.x + map.d * point.y)
        }
        var made = self
        var first = 0
        for verb in verbs {
            for index in first..<first + verb.pointCount {
                switch (verb, index - first) {
                case (.arc, 1), (.arc, 2): made.points[index] = vector(points[index])
                case (.arc, 3): break
                default: made.points[index] = map.point(points[index])
                }
            }
            first += verb.pointCount
        }
        return made
    }
}
