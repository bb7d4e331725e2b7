import Glibc
import InkEngine

/// How a shape is sketched.
struct RoughStyle: Equatable {
    /// 0: with a ruler; 2 is the most that Excalidraw offers.
    var roughness = 1.0
    /// Lines are drawn once, not twice.
    var isSingle = false
    /// Lines meet in the corners.
    var keepsCorners = false
    /// Between lines of a hatching.
    var gap = 4.0
    /// Hatchings are one line a gap, as before version 4.5 of rough.js; else whether rows are walked or jumped is drawn
    /// by lot.
    var hatchesEvenly = false
    /// How far an ellipse may be from its size, a share of it.
    var misfit = 0.0
}

/// Sketches shapes as rough.js does, to the random number: of the same seed, style and shape come the same lines, so a
/// drawing wobbles as in the program that made it.
///
/// Each shape begins with a sketch of its own.
struct RoughSketch {
    enum Step: Equatable {
        case move(Point)
        case line(Point)
        case curve(Point, Point, Point)

        var end: Point {
            switch self {
            case .move(let point), .line(let point), .curve(_, _, let point): point
            }
        }
    }

    var style: RoughStyle
    private let seed: Int32
    private var random: Random

    /// How far points stray at a roughness of 1.
    private static let reach = 2.0
    private static let ellipseSteps = 9.0

    init(_ style: RoughStyle, seed: Int32) {
        self.style = style
        self.seed = seed
        random = Random(seed)
    }

    /// Lehmer's generator with 48271, in 32 bits.
    private struct Random {
        private var state: Int32

        /// A seed of 0 would stay there.
        init(_ seed: Int32) { state = seed == 0 ? 1 : seed }

        /// 0..<1
        mutating func next() -> Double {
            state = state &* 48271
            return Double(state & Int32.max) / 0x1p31
        }
    }

    /// 0..<1
    mutating func draw() -> Double { random.next() }

    private mutating func offset(_ low: Double, _ high: Double, _ gain: Double = 1) -> Double {
        style.roughness * gain * (random.next() * (high - low) + low)
    }

    private mutating func near(_ point: Point, _ reach: Double, _ gain: Double = 1) -> Point {
        let x = point.x + offset(-reach, reach, gain)
        return Point(x: x, y: point.y + offset(-reach, reach, gain))
    }

    // MARK: - Shapes

    enum Shape {
        case lines([Point], isClosed: Bool)
        case curve([Point])
        case path([Step])
        /// From 0, 0.
        case ellipse(width: Double, height: Double)
    }

    enum Fill {
        case area
        case hatching(Hatching)
    }

    /// Sketches a shape, which also is how much of the random numbers its fill finds used.
    ///
    /// - Returns: nil for a fill that would take too many lines.
    mutating func draw(_ shape: Shape, fill: Fill?) -> (outline: [Step], fill: [Step]?) {
        let outline: [Step]
        let area: (inout RoughSketch) -> [Step]
        let corners: (RoughSketch) -> [Point]
        switch shape {
        case .lines(let points, let isClosed):
            outline = lines(through: points, isClosed: isClosed)
            (area, corners) = ({ $0.area(points) }, { _ in points })
        case .curve(let points):
            outline = curve(through: points)
            (area, corners) = ({ $0.area { $0.curve(through: points) } }, { $0.corners(through: points) })
        case .path(let path):
            outline = self.outline(path)
            (area, corners) = ({ $0.area { $0.outline(path) } }, { $0.corners(of: path, tolerance: 1) })
        case .ellipse(let width, let height):
            let ellipse = ellipse(Point(x: width / 2, y: height / 2), width: width, height: height)
            let sketched = self.outline(ellipse)
            outline = sketched.steps
            (area, corners) = ({ $0.outline(ellipse).steps }, { _ in sketched.corners })
        }
        switch fill {
        case nil: return (outline, [])
        case .area: return (outline, area(&self))
        case .hatching(let kind): return (outline, hatching(corners(self), kind))
        }
    }

    /// The lines of steps, a piece of points for each move.
    ///
    /// - Parameter isSmooth: whether a smooth curve will be drawn through the points, of which fewer do then.
    static func pieces(_ steps: [Step], isSmooth: Bool = false) -> [[Point]] {
        var pieces: [[Point]] = []
        for step in steps {
            switch step {
            case .move(let point): pieces.append([point])
            case .line(let point): pieces[pieces.count - 1].append(point)
            case .curve(let first, let second, let end):
                guard let start = pieces.last?.last else { continue }
                let bend = max((start - 2 * first + second).length, (first - 2 * second + end).length)
                let count = min(max(4, ((isSmooth ? 0.7 : 4) * bend.squareRoot()).rounded(.up)), 64)
                for index in 1...Int(count) {
                    let t = Double(index) / count
                    let u = 1 - t
                    pieces[pieces.count - 1].append(
                        (u * u * u) * start + (3 * u * u * t) * first + (3 * u * t * t) * second + (t * t * t) * end)
                }
            }
        }
        return pieces
    }

    // MARK: - Outlines

    /// - Parameter isFill: lines of a hatching are drawn twice in each style.
    mutating func line(_ a: Point, _ b: Point, isFill: Bool = false) -> [Step] {
        let first = stroke(a, b, isSecond: false)
        return style.isSingle && !isFill ? first : first + stroke(a, b, isSecond: true)
    }

    private mutating func stroke(_ a: Point, _ b: Point, isSecond: Bool) -> [Step] {
        let along = b - a
        let length = along.length
        let gain = length < 200 ? 1 : length > 500 ? 0.4 : -0.0016668 * length + 1.233334
        let full = 10 * Self.reach > length ? length / 10 : Self.reach
        let reach = isSecond ? full / 2 : full
        let share = 0.2 + random.next() * 0.2
        let (sideX, sideY) = (Self.reach * along.y / 200, -Self.reach * along.x / 200)
        let x = offset(-sideX, sideX, gain)
        let bend = Point(x: x, y: offset(-sideY, sideY, gain))
        let from = style.keepsCorners ? a : near(a, reach, gain)
        let first = near(bend + a + share * along, reach, gain)
        let second = near(bend + a + (2 * share) * along, reach, gain)
        return [.move(from), .curve(first, second, style.keepsCorners ? b : near(b, reach, gain))]
    }

    mutating func lines(through points: [Point], isClosed: Bool) -> [Step] {
        guard points.count > 2 else { return points.count == 2 ? line(points[0], points[1]) : [] }
        var steps: [Step] = []
        for (a, b) in zip(points, points.dropFirst()) { steps += line(a, b) }
        return isClosed ? steps + line(points[points.count - 1], points[0]) : steps
    }

    mutating func curve(through points: [Point]) -> [Step] {
        let first = curve(near: points, 1 + 0.2 * style.roughness)
        guard !style.isSingle else { return first }
        // The second has random numbers of its own.
        var other = RoughSketch(style, seed: seed &+ 1)
        return first + other.curve(near: points, 1.5 * (1 + 0.22 * style.roughness))
    }

    private mutating func curve(near points: [Point], _ reach: Double) -> [Step] {
        guard let first = points.first, let last = points.last else { return [] }
        var strayed = [near(first, reach), near(first, reach)]
        for point in points.dropFirst() { strayed.append(near(point, reach)) }
        if points.count > 1 { strayed.append(near(last, reach)) }
        return spline(strayed)
    }

    /// A smooth curve from the second point to the last but one.
    private mutating func spline(_ points: [Point]) -> [Step] {
        switch points.count {
        case ..<2: return []
        case 2: return stroke(points[0], points[1], isSecond: true)
        case 3: return [.move(points[1]), .curve(points[1], points[2], points[2])]
        default:
            var steps = [Step.move(points[1])]
            for index in 1..<(points.count - 2) {
                let (a, b, c, d) = (points[index - 1], points[index], points[index + 1], points[index + 2])
                steps.append(.curve(b + (1.0 / 6) * (c - a), c + (1.0 / 6) * (b - d), c))
            }
            return steps
        }
    }

    struct Ellipse {
        var center: Point
        var radiusX: Double
        var radiusY: Double
        /// Radians.
        var increment: Double
    }

    mutating func ellipse(_ center: Point, width: Double, height: Double) -> Ellipse {
        let size = (2 * Double.pi * ((width * width / 4 + height * height / 4) / 2).squareRoot()).squareRoot()
        let count = max(Self.ellipseSteps, Self.ellipseSteps / 200.squareRoot() * size).rounded(.up)
        let (x, y) = (abs(width / 2), abs(height / 2))
        let radiusX = x + offset(-x * style.misfit, x * style.misfit)
        return Ellipse(
            center: center, radiusX: radiusX, radiusY: y + offset(-y * style.misfit, y * style.misfit),
            increment: 2 * .pi / count)
    }

    /// - Returns: the outline, and corners of what it surrounds.
    mutating func outline(_ ellipse: Ellipse) -> (steps: [Step], corners: [Point]) {
        // The inner call is made first.
        let inner = offset(0.4, 1)
        let overlap = ellipse.increment * offset(0.1, inner)
        let (around, corners) = points(of: ellipse, reach: 1, overlap: overlap)
        let first = spline(around)
        guard !style.isSingle, style.roughness != 0 else { return (first, corners) }
        return (first + spline(points(of: ellipse, reach: 1.5, overlap: 0).around), corners)
    }

    private mutating func points(
        of ellipse: Ellipse, reach: Double, overlap: Double
    ) -> (around: [Point], corners: [Point]) {
        var corners: [Point] = []
        func place(_ angle: Double, _ share: Double = 1) -> Point {
            Point(
                x: ellipse.center.x + share * ellipse.radiusX * cos(angle),
                y: ellipse.center.y + share * ellipse.radiusY * sin(angle))
        }
        guard style.roughness != 0 else {
            let increment = ellipse.increment / 4
            var angle = 0.0
            while angle <= 2 * .pi {
                corners.append(place(angle))
                angle += increment
            }
            return ([place(-increment)] + corners + [place(0), place(increment)], corners)
        }
        let start = offset(-0.5, 0.5) - .pi / 2
        let before = near(place(start - ellipse.increment, 0.9), reach)
        var angle = start
        while angle < 2 * .pi + start - 0.01 {
            corners.append(near(place(angle), reach))
            angle += ellipse.increment
        }
        var around = [before] + corners
        around.append(near(place(start + 2 * .pi + overlap / 2), reach))
        around.append(near(place(start + overlap, 0.98), reach))
        around.append(near(place(start + overlap / 2, 0.9), reach))
        return (around, corners)
    }

    /// Sketches a path of lines and curves.
    mutating func outline(_ path: [Step]) -> [Step] {
        var (steps, current): ([Step], Point) = ([], Point(x: 0, y: 0))
        for step in path {
            switch step {
            case .move: break
            case .line(let end): steps += line(current, end)
            case .curve(let first, let second, let end):
                for isSecond in style.isSingle ? [false] : [false, true] {
                    let reach = isSecond ? Self.reach + 0.3 : Self.reach
                    steps.append(.move(isSecond && !style.keepsCorners ? near(current, Self.reach) : current))
                    // The end is drawn by lot first.
                    let last = style.keepsCorners ? end : near(end, reach)
                    let control = near(first, reach)
                    steps.append(.curve(control, near(second, reach), last))
                }
            }
            current = step.end
        }
        return steps
    }

    // MARK: - Areas of one colour

    /// The area of a polygon.
    mutating func area(_ polygon: [Point]) -> [Step] {
        guard polygon.count > 2 else { return [] }
        return polygon.enumerated().map { index, point in
            index == 0 ? .move(near(point, Self.reach)) : .line(near(point, Self.reach))
        }
    }

    /// The area inside of what `draw` outlines: once, and rougher than the outline.
    mutating func area(_ draw: (inout RoughSketch) -> [Step]) -> [Step] {
        let kept = style
        defer { style = kept }
        style.isSingle = true
        if style.roughness != 0 { style.roughness += 0.8 }
        let steps = draw(&self)
        return steps.enumerated().filter { index, step in
            if index > 0, case .move = step { false } else { true }
        }.map(\.element)
    }
}
