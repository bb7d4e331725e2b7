import InkEngine

/// What pens draw of elements, and what these hide of all that was drawn before them.
struct PlotDrawing {
    struct Ink {
        var lines = PlotLines()
        /// Lines round areas, which are not seen where an area of the same colour lies under them.
        var borders = PlotLines()
    }

    /// By the numbers of pens; empty ones too, so that what is asked for does not depend on masks.
    var inks: [Int: Ink] = [:]
    var covers: [PlotCover] = []
    /// The widths of the lines of marks by their numbers, in canvas pixels.
    var widths: [Int: Double] = [:]

    var isEmpty: Bool { inks.isEmpty && covers.isEmpty }

    mutating func add(_ other: PlotDrawing) {
        for (pen, ink) in other.inks {
            inks[pen, default: Ink()].lines.add(ink.lines)
            inks[pen, default: Ink()].borders.add(ink.borders)
        }
        covers += other.covers
        widths.merge(other.widths) { own, _ in own }
    }

    mutating func cut(to cut: PlotCut) {
        func inside(_ lines: PlotLines) -> PlotLines {
            lines.cut(
                shows: { point, _ in cut.contains(point) },
                parts: { cut.parts(from: $0, to: $1, width: widths[$2] ?? 0).ranges })
        }
        for (pen, ink) in inks { inks[pen] = Ink(lines: inside(ink.lines), borders: inside(ink.borders)) }
        for index in covers.indices { covers[index].cut(to: cut) }
    }

    /// Takes away what is hidden by what was drawn later, after which nothing hides any more.
    ///
    /// - Parameter paper: the colour of what lies under everything; nil if that is not opaque.
    mutating func hide(page: Rect, paper: RGBA8?, colors: (Int) -> RGBA8) {
        let hiding = covers.isEmpty && paper == nil ? nil : PlotHiding(covers, page: page, paper: paper)
        for (pen, ink) in inks {
            guard let hiding else {
                inks[pen]?.lines.add(ink.borders)
                inks[pen]?.borders = PlotLines()
                continue
            }
            func visible(_ lines: PlotLines, border: RGBA8?) -> PlotLines {
                lines.cut(
                    shows: { hiding.shows($0, depth: $1) },
                    parts: { hiding.visible(from: $0, to: $1, depth: $2, border: border) })
            }
            var lines = covers.isEmpty ? ink.lines : visible(ink.lines, border: nil)
            lines.add(visible(ink.borders, border: colors(pen)))
            inks[pen] = Ink(lines: lines)
        }
        covers = []
    }
}

/// Draws marks as lines.
struct PlotPen: VectorDrawing {
    static let hasAreas = false

    let limit: Int
    let scene: VectorScene
    /// How far lines may be from the curves that they stand for, in canvas pixels.
    let tolerance: Double
    /// The number of the pen that draws.
    var number = 0
    /// The number of the mark that is drawn.
    var depth = 0
    private(set) var hasFills = false
    var drawing = PlotDrawing()
    private var footprint: (any PlotArea)?
    private var shape: PlotPath
    private var lineCount = 0

    init(_ scene: VectorScene, tolerance: Double) {
        limit = scene.limits.plotLines
        self.scene = scene
        self.tolerance = tolerance
        shape = PlotPath(tolerance: tolerance)
    }

    var tooMany: EngineError {
        .overLimit(scene.place, what: "the plot", found: "more than \(limit) lines", limit: "\(limit) lines")
    }

    func path(_ line: LineStyle?) -> PlotPath { PlotPath(tolerance: tolerance, page: scene.page) }

    /// Counts the pen that draws as used.
    ///
    /// - Parameter width: of the lines, in canvas pixels; 0 for the outlines of areas.
    mutating func begin(width: Double = 0) {
        drawing.inks[number, default: PlotDrawing.Ink()].lines.depth = depth
        drawing.widths[depth] = width
    }

    mutating func add(_ lines: PlotLines) throws(EngineError) {
        try count(lines)
        drawing.inks[number, default: PlotDrawing.Ink()].lines.add(lines.with(depth: depth))
    }

    mutating func add(borders: PlotLines) throws(EngineError) {
        try count(borders)
        drawing.inks[number, default: PlotDrawing.Ink()].borders.add(borders.with(depth: depth))
    }

    private mutating func count(_ lines: PlotLines) throws(EngineError) {
        lineCount += lines.count
        guard lineCount <= limit else { throw tooMany }
    }

    /// Adds parallel lines inside of an area.
    ///
    /// - Parameter step: from a line to the next one, in canvas pixels.
    mutating func hatch(_ region: PlotRegion, step: Point) throws(EngineError) {
        let box = region.box
        let distance = step.length
        let across = (1 / distance) * step
        let along = Point(x: across.y, y: -across.x)
        var (low, high) = (Double.infinity, -Double.infinity)
        var (start, end) = (Double.infinity, -Double.infinity)
        for x in [box.minX, box.maxX] {
            for y in [box.minY, box.maxY] {
                let (u, v) = (x * along.x + y * along.y, x * across.x + y * across.y)
                (low, high, start, end) = (min(low, v), max(high, v), min(start, u), max(end, u))
            }
        }
        let (first, last) = ((low / distance).rounded(.up), (high / distance).rounded(.down))
        guard first <= last else { return }
        guard last - first < Double(limit) else { throw tooMany }
        var lines = PlotLines()
        for index in Int(first)...Int(last) {
            let middle = (Double(index) * distance) * across
            lines.add([middle + start * along, middle + end * along])
        }
        try add(lines.cut(to: region))
    }

    mutating func fill(_ color: RGBA8) { hasFills = true }

    mutating func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) {
        switch footprint {
        case .stroke(let path): self.footprint = PlotFootprint(path.discs)
        case .shape(let shape): self.footprint = region(of: shape) ?? Rect.empty
        case nil: self.footprint = nil
        }
    }

    /// The inside of a shape; nil if nothing of it is on the page.
    func region(of shape: VectorShape, slack: Double = 0) -> PlotRegion? {
        var outline = path(nil)
        shape.placed.write(to: &outline, tolerance: tolerance)
        return PlotRegion(outline.takeLines(), rule: shape.rule, page: scene.page, slack: slack)
    }

    mutating func add(_ path: inout PlotPath) throws(EngineError) {
        let lines = path.takeLines()
        try add(footprint.map { lines.cut(to: $0) } ?? lines)
    }

    mutating func end(_ paint: VectorPaint) { footprint = nil }

    mutating func begin(_ stamps: VectorStamps) {
        shape = PlotPath(tolerance: tolerance)
        stamps.shape.write(to: &shape)
        shape.end()
    }

    mutating func add(_ stamp: Stamp, of stamps: VectorStamps) throws(EngineError) {
        let (center, along, across) = (stamp.center, stamp.size * stamp.along, stamp.size * stamp.across)
        if stamps.areAlike {
            try add(shape.lines.map { center + $0 })
        } else {
            try add(shape.lines.map { center + $0.x * along + $0.y * across })
        }
    }

    mutating func end(_ stamps: VectorStamps) {}
}

extension VectorScene {
    /// All that a plot shows, in canvas pixels.
    var page: Rect { Rect(minX: 0, minY: 0, maxX: canvas.width, maxY: canvas.height) }
}

/// A path whose lines are kept.
struct PlotPath: VectorPathText {
    private(set) var lines = PlotLines()
    private let tolerance: Double
    private let page: Rect
    /// Where the line that ended began, which is where the next one begins if it does not move.
    private var start: Point?

    /// - Parameters:
    ///   - tolerance: how far lines may be from curves.
    ///   - page: outside of it lines may be anywhere else outside of it, if curves have many.
    init(tolerance: Double, page: Rect = .empty) { (self.tolerance, self.page) = (tolerance, page) }

    var isEmpty: Bool { lines.points.isEmpty }
    var byteCount: Int { lines.points.count * MemoryLayout<Point>.stride }

    mutating func takeLines() -> PlotLines {
        lines.end()
        defer { lines = PlotLines() }
        return lines
    }

    mutating func move(to point: Point) {
        lines.end()
        lines.add(point)
        start = nil
    }

    mutating func line(to point: Point) {
        if let start { lines.add(start) }
        start = nil
        lines.add(point)
    }

    mutating func quadratic(_ control: Point, to point: Point) {
        let from = start ?? lines.points.last ?? point
        cubic(from + (2.0 / 3) * (control - from), point + (2.0 / 3) * (control - point), to: point)
    }

    mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
        flatten(start ?? lines.points.last ?? first, first, second, point)
    }

    private mutating func flatten(_ from: Point, _ first: Point, _ second: Point, _ point: Point) {
        // A chord is off by an eighth of the second derivative.
        let bend = max((from - 2 * first + second).length, (first - 2 * second + point).length)
        let count = min(max((0.75 * bend / tolerance).squareRoot().rounded(.up), 1), 1e9)
        if count > PlotPath.chordsAtOnce {
            var box = Rect.empty
            for corner in [from, first, second, point] { box.formUnion(corner) }
            if box.intersection(page).isEmpty { return line(to: point) }
            let middle = 0.5 * (first + second)
            let (near, far) = (0.5 * (from + first), 0.5 * (second + point))
            let (one, other) = (0.5 * (near + middle), 0.5 * (middle + far))
            let halfway = 0.5 * (one + other)
            flatten(from, near, one, halfway)
            return flatten(halfway, other, far, point)
        }
        for index in 1..<max(Int(count), 1) {
            let (t, s) = (Double(index) / count, 1 - Double(index) / count)
            line(to: (s * s * s) * from + (3 * s * s * t) * first + (3 * s * t * t) * second + (t * t * t) * point)
        }
        line(to: point)
    }

    /// Curves of more chords are divided, and what of them lies beyond the page is left straight.
    private static let chordsAtOnce = 64.0

    mutating func close() {
        guard let first = lines.openStart else { return }
        lines.add(first)
        lines.end()
        start = first
    }

    mutating func end() { lines.end() }

    mutating func polygon(_ points: some Sequence<Point>) {
        lines.end()
        lines.add(points)
    }
}
