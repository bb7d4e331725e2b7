import InkEngine

/// The paper that pages are laid out for, as a person asks for it. What is nil is the document's own.
public struct PaperChoice: Hashable, Sendable {
    /// The sizes of paper by their names.
    public enum Size: String, CaseIterable, Hashable, Sendable {
        case a4, letter, a5

        /// The shorter and the longer edge, points.
        var points: (short: Double, long: Double) {
            switch self {
            case .a4: (210 / 25.4 * 72, 297 / 25.4 * 72)
            case .letter: (612, 792)
            case .a5: (148 / 25.4 * 72, 210 / 25.4 * 72)
            }
        }
    }

    public var size: Size?
    /// Whether the longer edge of the paper lies at the bottom; counts with a size.
    public var isLandscape = false
    /// The distance between the edges of the paper and what is drawn, points.
    public var margin: Double?
    /// The height of a staff of five lines, points.
    public var staffHeight: Double?
    /// Whether marks show where the corners of a drawing are.
    public var hasCropMarks = false

    public init() {}

    /// The size of the paper in points; nil where none is asked for.
    var page: CanvasSize? {
        guard let (short, long) = size?.points else { return nil }
        return isLandscape ? CanvasSize(width: long, height: short) : CanvasSize(width: short, height: long)
    }

    /// Puts what a document shows on pages of the paper, each fitted and in the middle, and white paper around it.
    ///
    /// - Parameter hasPaper: whether the document is laid out for the paper already.
    /// - Throws: `badInput` for a margin that leaves no room, and where nothing is visible.
    func apply(to reading: inout ProjectReading, hasPaper: Bool, place: Place) throws(EngineError) {
        guard self != PaperChoice() else { return }
        let digest = SHA256()
        digest.update(label: "document", reading.contentDigest)
        digest.update(label: "paper", Array("\(self)".utf8))
        reading.contentDigest = digest.finish()
        guard let page, !hasPaper else { return }
        let room = margin ?? Self.standardMargin
        let (width, height) = (page.width - 2 * room, page.height - 2 * room)
        guard width > 0, height > 0 else {
            throw .badInput(place, reason: "the margin leaves no room on the paper; choose a smaller --paper-margin")
        }
        var project = reading.project
        // What else there are of viewports is not a picture of its own.
        let shown = project.hasPages ? project.viewports : [try Self.whole(project, place)]
        var paper = Layer(id: Self.layerID, name: "Paper", order: .greatestFiniteMagnitude)
        project.viewports = shown.map { view in
            let scale = min(width / view.size.width, height / view.size.height)
            let fitted = Viewport(
                name: view.name, center: view.center, zoom: view.zoom * scale, rotation: view.rotation, size: page)
            let drawing = CanvasSize(width: view.size.width * scale, height: view.size.height * scale)
            paper.shapes += shapes(around: drawing, on: fitted)
            return fitted
        }
        project.hasPages = true
        project.metadata.unitsPerInch = 72
        project.layers.append(paper)
        reading.project = project
    }

    private static let layerID = "ink-paper"
    private static let standardMargin = 10 / 25.4 * 72

    /// All that a project shows where nothing else is said.
    private static func whole(_ project: Project, _ place: Place) throws(EngineError) -> Viewport {
        if let view = try project.viewport(nil, place: place) { return view }
        let size = project.canvasSize
        return Viewport(center: Point(x: size.width / 2, y: size.height / 2), size: size)
    }

    /// A frame of paper around a drawing, which hides what lies beyond its edges, and the marks at its corners.
    private func shapes(around drawing: CanvasSize, on view: Viewport) -> [Shape] {
        let (page, turn) = (view.size, sinCos(degrees: -view.rotation))
        func map(_ x: Double, _ y: Double) -> Point {
            let (x, y) = ((x - page.width / 2) / view.zoom, (y - page.height / 2) / view.zoom)
            return Point(x: view.center.x + turn.cos * x - turn.sin * y, y: view.center.y + turn.sin * x + turn.cos * y)
        }
        func box(_ minX: Double, _ minY: Double, _ maxX: Double, _ maxY: Double) -> ShapePath {
            var path = ShapePath()
            path.move(to: map(minX, minY))
            for (x, y) in [(maxX, minY), (maxX, maxY), (minX, maxY)] { path.line(to: map(x, y)) }
            path.close()
            return path
        }
        func joined(_ paths: [ShapePath]) -> ShapePath {
            ShapePath(verbs: paths.flatMap(\.verbs), points: paths.flatMap(\.points)) ?? ShapePath()
        }
        let (left, top) = ((page.width - drawing.width) / 2, (page.height - drawing.height) / 2)
        let (right, bottom) = (page.width - left, page.height - top)
        // The frame reaches beyond the page, so that none of its edges shows what is below.
        let frame = joined([
            box(-page.width, -page.height, 2 * page.width, 2 * page.height), box(left, top, right, bottom),
        ])
        var shapes = [Shape(path: frame, rule: .evenodd, fill: .color(.white))]
        guard hasCropMarks else { return shapes }
        let (gap, length, half) = (2 / 25.4 * 72, 5 / 25.4 * 72, 0.125)
        var marks: [ShapePath] = []
        for (x, side) in [(left, -1.0), (right, 1.0)] {
            for (y, level) in [(top, -1.0), (bottom, 1.0)] {
                let (near, far) = (x + side * gap, x + side * (gap + length))
                marks.append(box(min(near, far), y - half, max(near, far), y + half))
                let (low, high) = (y + level * gap, y + level * (gap + length))
                marks.append(box(x - half, min(low, high), x + half, max(low, high)))
            }
        }
        shapes.append(Shape(path: joined(marks)))
        return shapes
    }
}
