import InkCodecs
import InkEngine

/// Puts the pages of a note side by side on an infinite canvas, each in a viewport.
struct NotePages {
    private(set) var project: Project
    private(set) var tree: DocumentTree
    private var counts = NotePage.Counts()
    private var nextX = 0.0

    /// Between pages, so that what lies beyond one does not show in the next.
    static let gap = 1000.0

    init(_ tree: DocumentTree, background: RGBA8) {
        self.tree = tree
        project = Project(canvasSize: nil, background: background)
        project.hasColorProfiles = true
    }

    /// Behind all pages.
    var ground: RGBA8 {
        get { project.background }
        set { project.background = newValue }
    }

    mutating func leaveOutUnused(of holder: some PropertyHolder, _ known: UnreadProperties, at path: String?) {
        tree.leaveOutUnused(of: holder, known, at: path)
    }

    /// Adds a page that shows a part of an infinite canvas, with a margin; `draw` fills it in the canvas's coordinates.
    mutating func add(
        name: String, showing box: Rect, margin: Double, _ draw: (inout NotePage) throws(EngineError) -> Void
    ) throws(EngineError) {
        try add(
            name: name, width: box.maxX - box.minX + 2 * margin, height: box.maxY - box.minY + 2 * margin,
            origin: Point(x: nextX - box.minX + margin, y: margin - box.minY), draw)
    }

    /// Adds a page of a size, which `draw` fills.
    ///
    /// - Parameter origin: where 0, 0 of `draw` lies in the world; nil: in the page's corner.
    mutating func add(
        name: String, width: Double, height: Double, origin: Point? = nil,
        _ draw: (inout NotePage) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard width > 0, height > 0, width <= 1e6, height <= 1e6 else {
            throw .badInput(
                tree.place, reason: "\(tree.what) has a page of \(shownNumber(width)) by \(shownNumber(height))")
        }
        try tree.count(depth: 0)
        var page = NotePage(origin: origin ?? Point(x: nextX, y: 0), tree, counts: counts)
        try draw(&page)
        page.close()
        (tree, counts) = (page.tree, page.counts)
        let number = project.layers.count + 1
        var group = Layer(id: "page-\(number)", name: name.isEmpty ? "Page \(number)" : name, order: Double(number))
        group.kind = .group(page.layers, isPassThrough: true)
        project.layers.append(group)
        project.viewports.append(
            Viewport(
                name: name.isEmpty ? "\(number)" : name, center: Point(x: nextX + width / 2, y: height / 2),
                size: CanvasSize(width: width, height: height)))
        nextX += width + Self.gap
    }

    /// The project, whose viewports are pages.
    func finished() throws(EngineError) -> Project {
        guard !project.viewports.isEmpty else { throw .badInput(tree.place, reason: "\(tree.what) has no page") }
        var finished = project
        finished.hasPages = true
        return finished
    }
}
