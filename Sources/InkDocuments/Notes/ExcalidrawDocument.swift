import Glibc
import InkCodecs
import InkEngine

/// Drawings of Excalidraw (`.excalidraw`) on an infinite canvas, with frames as viewports, and its libraries
/// (`.excalidrawlib`), a page each item.
///
/// Lines, arrows, hatchings and the outlines of shapes become strokes that wobble as in Excalidraw; freehand lines keep
/// their pressure; fills and text (in DejaVu Sans) become pictures of shapes.
struct ExcalidrawDocument: FileDocumentReader {
    let what = "an Excalidraw drawing"
    let label = "excalidraw"
    let endings = [".excalidraw", ".excalidrawlib"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        if endings.contains(where: { head.name.lowercased().hasSuffix($0) }) { return true }
        guard [.excalidraw, .excalidrawLibrary].contains(TextFormat(of: head.bytes)) else { return false }
        // A project may have such words in its texts.
        func has(_ key: String) -> Bool { head.bytes.holds("\"\(key)") }
        return !has("canvas") && (has("elements\"") || has("library"))
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let document = try JSONDocument(bytes, file: place.file, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: place.file)
        var reader = try ExcalidrawReader(root, DocumentTree("the drawing", place: place, limits: context.limits))
        return (try reader.project(), reader.tree.warnings.all)
    }
}

private struct ExcalidrawReader {
    private let root: JSONObject
    var tree: DocumentTree
    private let background: RGBA8
    /// What the labels of lines cover, by the identifiers of the lines.
    private var labels: [String: Rect] = [:]

    /// Around what an item of a library shows.
    private static let padding = 10.0

    init(_ root: JSONObject, _ tree: DocumentTree) throws(EngineError) {
        self.root = root
        self.tree = tree
        let named = root.value.field("appState")?.field("viewBackgroundColor")?.string
        background = named.flatMap { CSSColor.parse($0) } ?? .white
        let items = (root.value.field("libraryItems") ?? root.value.field("library"))?.elements.map { item in
            item.kind == .array ? item : item.field("elements") ?? item
        }
        for list in items ?? [root.value.field("elements") ?? root.value] where list.kind == .array {
            try findLabels(list)
        }
    }

    private mutating func findLabels(_ list: JSONNode) throws(EngineError) {
        var lines: [(id: String, middle: Point)] = []
        for value in list.elements where value.kind == .object {
            // Only these matter, and freehand lines have many points.
            let type = value.field("type")?.string
            guard type == "text" || type == "arrow",
                let element = ExcalidrawElement(try JSONObject(value, path: .root, file: root.file)), !element.isDeleted
            else { continue }
            if element.type == "text", let owner = value.field("containerId")?.string {
                labels[owner] = Rect(
                    minX: element.x, minY: element.y, maxX: element.x + element.width, maxY: element.y + element.height)
            } else if element.type == "arrow", let id = value.field("id")?.string, let middle = element.middleOfLine {
                lines.append((id, middle))
            }
        }
        // Labels of arrows lie on their middle, wherever the file has them.
        for (id, middle) in lines {
            guard let label = labels[id] else { continue }
            let (x, y) = ((label.maxX - label.minX) / 2, (label.maxY - label.minY) / 2)
            labels[id] = Rect(minX: middle.x - x, minY: middle.y - y, maxX: middle.x + x, maxY: middle.y + y)
        }
    }

    mutating func project() throws(EngineError) -> Project {
        if let items = root.value.field("libraryItems") ?? root.value.field("library") {
            return try library(items)
        }
        guard let elements = try root.array("elements") else { throw root.error("elements", "is missing") }
        var project = Project(canvasSize: nil, background: background)
        project.hasColorProfiles = true
        var page = NotePage(origin: Point(x: 0, y: 0), tree)
        let objects = try elements.elements.enumerated().map { (index, value) throws(EngineError) in
            try JSONObject(value, path: .element(root.path("elements"), index), file: root.file)
        }
        try add(objects, to: &page, viewports: &project.viewports)
        page.close()
        tree = page.tree
        project.layers = page.layers
        return project
    }

    private mutating func library(_ items: JSONNode) throws(EngineError) -> Project {
        var pages = NotePages(tree, background: .white)
        for (index, item) in items.elements.enumerated() {
            // The first version has lists of elements.
            guard let elements = item.kind == .array ? item : item.field("elements"), elements.kind == .array else {
                throw .badInput(tree.place, reason: "item \(index + 1) of the library has no elements")
            }
            var box = Rect.empty
            let path = JSONPath.element(root.path("libraryItems"), index)
            for value in elements.elements {
                if let bounds = ExcalidrawElement(try JSONObject(value, path: path, file: root.file))?.bounds {
                    box.formUnion(bounds)
                }
            }
            guard !box.isEmpty else { continue }
            let name = item.kind == .object ? item.field("name")?.string ?? "" : ""
            var unused: [Viewport] = []
            let reader = self
            try pages.add(name: name, showing: box, margin: Self.padding) { (page) throws(EngineError) in
                let objects = try elements.elements.map { (value) throws(EngineError) in
                    try JSONObject(value, path: path, file: reader.root.file)
                }
                try reader.add(objects, to: &page, viewports: &unused)
            }
        }
        tree = pages.tree
        return try pages.finished()
    }

    /// Adds elements in their order. Those of a frame are cut at its edges.
    private func add(
        _ objects: [JSONObject], to page: inout NotePage, viewports: inout [Viewport]
    ) throws(EngineError) {
        var elements: [ExcalidrawElement] = []
        var frames: [String: ExcalidrawElement] = [:]
        for object in objects {
            guard let element = ExcalidrawElement(object) else {
                throw .badInput(Place(file: object.file, path: object.path.text), reason: "has no type, place and size")
            }
            guard !element.isDeleted else { continue }
            elements.append(element)
            if element.isFrame, let id = object.value.field("id")?.string { frames[id] = element }
        }
        var index = 0
        while index < elements.count {
            let id = elements[index].frameID
            let run = elements[index...].prefix { $0.frameID == id }
            index += run.count
            guard let frame = id.flatMap({ frames[$0] }) else {
                for element in run { try add(element, to: &page, viewports: &viewports) }
                continue
            }
            let place = Placement(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
            try page.addClipped(to: .rounded(Self.frameRadius), place, name: Self.name(of: frame, "Frame")) {
                (page) throws(EngineError) in
                for var element in run {
                    element.opacity *= frame.opacity
                    try add(element, to: &page, viewports: &viewports)
                }
            }
        }
    }

    /// The radius of a frame's corners.
    private static let frameRadius = 8.0

    private static func name(of frame: ExcalidrawElement, _ usual: String) -> String {
        let name = frame.object.value.field("name")?.string ?? ""
        return name.isEmpty ? usual : name
    }

    private func add(
        _ element: ExcalidrawElement, to page: inout NotePage, viewports: inout [Viewport]
    ) throws(EngineError) {
        let object = element.object
        guard element.isInReach else {
            throw .badInput(
                Place(file: object.file, path: object.path.text), reason: "has a point beyond 10^9, or none")
        }
        let path = object.path.text ?? ""
        switch element.type {
        case "rectangle", "diamond", "ellipse", "line", "arrow", "draw": try add(shapeOf: element, to: &page, path)
        case "freedraw":
            try add(shapeOf: element, to: &page, path)
            try addFreehand(element, to: &page)
        case "text": try addText(element, to: &page, path)
        case "image": try addImage(element, to: &page, path)
        case "frame", "magicframe":
            viewports.append(
                Viewport(
                    name: Self.name(of: element, "Frame \(viewports.count + 1)"), center: element.center,
                    size: CanvasSize(width: max(element.width, 1), height: max(element.height, 1))))
        case "selection": return
        default: return page.leaveOut("an element of the kind \(shownText(element.type, limit: 40))", at: path)
        }
        let unused = element.unused
        page.leaveOutUnused(of: unused.holder, unused.known, at: path)
    }

    private func add(
        shapeOf element: ExcalidrawElement, to page: inout NotePage, _ path: String
    ) throws(EngineError) {
        let sketch = ExcalidrawSketch(element, background: background)
        // A line leaves room for its label.
        let label = element.isLine ? element.object.value.field("id")?.string.flatMap { labels[$0] } : nil
        if sketch.isTooDense { page.leaveOut("a hatching of too many lines", at: path) }
        for part in sketch.parts {
            let pieces = RoughSketch.pieces(part.steps, isSmooth: part.lineWidth != nil).map {
                $0.map { element.placed($0, about: sketch.middle) }
            }
            guard let width = part.lineWidth else {
                try page.addShape(pieces, rule: part.rule, color: part.color)
                continue
            }
            // Where lines of a part cross, they are no darker.
            var color = part.color
            color.alpha = 255
            if !part.color.isOpaque { page.close() }
            for piece in pieces {
                let line = piece.map { NotePage.WidePoint(x: $0.x, y: $0.y, width: width) }
                for dash in NotePage.dashes(line, part.dashes) {
                    for rest in NotePage.cut(dash, by: label ?? .empty) {
                        try page.addLine(
                            rest, color: color, layerOpacity: Double(part.color.alpha) / 255, name: part.name,
                            isFreehand: true)
                    }
                }
            }
            if !part.color.isOpaque { page.close() }
        }
    }

    private func addFreehand(_ element: ExcalidrawElement, to page: inout NotePage) throws(EngineError) {
        guard let color = element.stroke else { return }
        let given = element.object.value.field("pressures").map { $0.elements.compactMap(\.number) } ?? []
        let line = FreehandLine(
            size: 4.25 * element.strokeWidth, thinning: 0.6, streamline: 0.5,
            simulatesPressure: element.object.value.field("simulatePressure")?.bool
                ?? (given.count != element.points.count)
        ) { sin($0 * .pi / 2) }
        let middle = element.middleOfPoints
        try page.addLine(
            line.widths(element.points, pressures: given).map { point in
                let place = element.placed(Point(x: point.x, y: point.y), about: middle)
                return NotePage.WidePoint(x: place.x, y: place.y, width: point.width)
            }, color: color, isFreehand: true)
    }

    private func addText(_ element: ExcalidrawElement, to page: inout NotePage, _ path: String) throws(EngineError) {
        let value = element.object.value
        guard let text = value.field("text")?.string, let color = element.stroke else { return }
        let size = value.field("fontSize")?.number ?? 20
        let height = (value.field("lineHeight")?.number ?? 1.25) * size
        let align: Double =
            switch value.field("textAlign")?.string {
            case "center": 0.5
            case "right": 1
            default: 0
            }
        // Where the label of an arrow lies.
        let label = value.field("containerId")?.string.flatMap { labels[$0] }
        let shift = label.map { Point(x: $0.minX - element.x, y: $0.minY - element.y) } ?? Point(x: 0, y: 0)
        try page.addText(
            text, x: element.x + align * element.width, y: element.y + (height - size) / 2 + 0.8 * size, size: size,
            lineHeight: height, align: align, width: element.width, color: color,
            turned: { shift + element.turned($0) }, path: path)
    }

    private func addImage(_ element: ExcalidrawElement, to page: inout NotePage, _ path: String) throws(EngineError) {
        let id = element.object.value.field("fileId")?.string
        let file = id.flatMap { root.value.field("files")?.member(named: $0) }
        try page.addPicture(dataURL: file?.field("dataURL")?.string, element.picture, path: path)
    }
}
