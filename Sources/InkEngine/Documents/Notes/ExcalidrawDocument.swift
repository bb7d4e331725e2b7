import Glibc

/// Drawings of Excalidraw (`.excalidraw`) on an infinite canvas, with frames as viewports, and its libraries
/// (`.excalidrawlib`), a page each item.
///
/// Lines, arrows and the outlines of shapes become strokes, without the wobble of a hand; freehand lines keep their
/// pressure; fills and text (in DejaVu Sans) become pictures of shapes.
struct ExcalidrawDocument: DocumentReader {
    let endings = [".excalidraw", ".excalidrawlib"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        if endings.contains(where: { head.name.lowercased().hasSuffix($0) }) { return true }
        guard ["an Excalidraw drawing", "an Excalidraw library"].contains(ForeignFormat.name(ofText: head.bytes) ?? "")
        else { return false }
        // A project may have such words in its texts.
        func has(_ key: String) -> Bool { head.bytes.firstRange(of: Array("\"\(key)".utf8)) != nil }
        return !has("canvas") && (has("elements\"") || has("library"))
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not an Excalidraw drawing")
        }
        let digest = SHA256()
        digest.update(label: "excalidraw", bytes)
        let document = try JSONDocument(bytes, file: name, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: name)
        var reader = ExcalidrawReader(root, DocumentTree("the drawing", place: place, limits: context.limits))
        let project = try reader.project()
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: reader.tree.warnings.all, contentDigest: digest.finish()))))
    }
}

private struct ExcalidrawReader {
    private let root: JSONObject
    var tree: DocumentTree

    /// Around what an item of a library shows.
    private static let padding = 10.0

    init(_ root: JSONObject, _ tree: DocumentTree) {
        self.root = root
        self.tree = tree
    }

    mutating func project() throws(EngineError) -> Project {
        if let items = root.value.field("libraryItems") ?? root.value.field("library") {
            return try library(items)
        }
        guard let elements = try root.array("elements") else { throw root.error("elements", "is missing") }
        let state = root.value.field("appState")
        var project = Project(
            canvasSize: nil,
            background: state?.field("viewBackgroundColor")?.string.flatMap { CSSColor.parse($0) } ?? .white)
        var page = NotePage(origin: Point(x: 0, y: 0), tree)
        for (index, value) in elements.elements.enumerated() {
            let element = try JSONObject(value, path: .element(root.path("elements"), index), file: root.file)
            try add(element, to: &page, viewports: &project.viewports)
        }
        try page.close()
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
            let padding = Self.padding
            let name = item.kind == .object ? item.field("name")?.string ?? "" : ""
            var unused: [Viewport] = []
            let reader = self
            try pages.add(
                name: name, width: box.maxX - box.minX + 2 * padding, height: box.maxY - box.minY + 2 * padding
            ) { (page) throws(EngineError) in
                var moved = NotePage(
                    origin: Point(x: page.origin.x - box.minX + padding, y: page.origin.y - box.minY + padding),
                    page.tree,
                    counts: page.strokeCounts)
                for value in elements.elements {
                    try reader.add(
                        try JSONObject(value, path: path, file: reader.root.file), to: &moved, viewports: &unused)
                }
                try moved.close()
                page = moved
            }
        }
        tree = pages.tree
        return try pages.finished()
    }

    private func add(
        _ object: JSONObject, to page: inout NotePage, viewports: inout [Viewport]
    ) throws(EngineError) {
        guard let element = ExcalidrawElement(object) else {
            throw .badInput(Place(file: object.file, path: object.path.text), reason: "has no type, place and size")
        }
        guard !element.isDeleted else { return }
        let path = object.path.text ?? ""
        switch element.type {
        case "rectangle", "diamond", "ellipse":
            try add(shape: element.outline, isClosed: true, element, to: &page)
        case "line", "arrow", "draw":
            let points = element.curve
            guard let first = points.first, let last = points.last else { return }
            let isClosed = points.count > 2 && (last - first).length < 8
            try add(shape: points, isClosed: isClosed, element, to: &page)
            try addHeads(element, points, to: &page)
        case "freedraw": try addFreehand(element, to: &page)
        case "text": try addText(element, to: &page, path)
        case "image": try addImage(element, to: &page, path)
        case "frame", "magicframe":
            let name = object.value.field("name")?.string ?? ""
            viewports.append(
                Viewport(
                    name: name.isEmpty ? "Frame \(viewports.count + 1)" : name, center: element.center,
                    size: CanvasSize(width: max(element.width, 1), height: max(element.height, 1))))
        case "selection": break
        default: page.leaveOut("an element of the kind \(shownText(element.type, limit: 40))", at: path)
        }
    }

    private func add(
        shape points: [Point], isClosed: Bool, _ element: ExcalidrawElement, to page: inout NotePage
    ) throws(EngineError) {
        if isClosed, let fill = element.fill { try add(fill: fill, points, element, to: &page) }
        guard let color = element.stroke else { return }
        let outline = isClosed && element.type != "line" && element.type != "draw" ? points + [points[0]] : points
        let line = outline.map { NotePage.WidePoint(x: $0.x, y: $0.y, width: element.strokeWidth) }
        for dash in NotePage.dashes(line, element.dashes) { try page.addLine(dash, color: color) }
    }

    private func add(
        fill color: RGBA8, _ points: [Point], _ element: ExcalidrawElement, to page: inout NotePage
    ) throws(EngineError) {
        guard element.fillStyle != "solid" else { return try page.addShape([points], color: color) }
        // Rough lines at 41 degrees, four widths apart, half as wide as the outline.
        let gap = 4 * element.strokeWidth
        for angle in element.fillStyle == "cross-hatch" ? [-41.0, 49] : [-41] {
            for (from, to) in NotePage.hatching(points, angle: angle, gap: gap) {
                try page.addLine(
                    [
                        .init(x: from.x, y: from.y, width: element.strokeWidth / 2),
                        .init(x: to.x, y: to.y, width: element.strokeWidth / 2),
                    ], color: color, name: "Fill")
            }
        }
    }

    private func addHeads(
        _ element: ExcalidrawElement, _ points: [Point], to page: inout NotePage
    ) throws(EngineError) {
        guard let color = element.stroke, points.count > 1 else { return }
        let isArrow = element.type == "arrow"
        let total = zip(points, points.dropFirst()).reduce(0) { $0 + ($1.1 - $1.0).length }
        for (head, ordered) in [
            (element.endHead ?? (isArrow ? "arrow" : nil), points), (element.startHead, points.reversed()),
        ] {
            guard let head, let tip = ordered.last,
                let from = ordered.last(where: { ($0 - tip).length > min(6, total / 4) })
            else { continue }
            let along = (1 / (tip - from).length) * (tip - from)
            let size = min(head == "arrow" ? 30 : 15, total / 2)
            func corner(_ degrees: Double, _ length: Double) -> Point {
                let (sine, cosine) = sinCos(degrees: degrees)
                return tip - length * Point(x: cosine * along.x - sine * along.y, y: sine * along.x + cosine * along.y)
            }
            func line(_ a: Point, _ b: Point) throws(EngineError) {
                try page.addLine(
                    [
                        .init(x: a.x, y: a.y, width: element.strokeWidth),
                        .init(x: b.x, y: b.y, width: element.strokeWidth),
                    ],
                    color: color)
            }
            switch head {
            case "triangle", "triangle_outline":
                let corners = [tip, corner(25, size), corner(-25, size)]
                if head == "triangle" { try page.addShape([corners], color: color) }
                for index in 0..<3 { try line(corners[index], corners[(index + 1) % 3]) }
            case "dot", "circle", "circle_outline":
                let middle = tip - (size / 2) * along
                let circle = (0...32).map { step -> Point in
                    let (sine, cosine) = sinCos(degrees: 11.25 * Double(step))
                    return middle + (size / 2) * Point(x: cosine, y: sine)
                }
                if head != "circle_outline" { try page.addShape([circle], color: color) }
                for (a, b) in zip(circle, circle.dropFirst()) { try line(a, b) }
            case "bar": try line(corner(90, size / 2), corner(-90, size / 2))
            default:
                try line(corner(20, size), tip)
                try line(tip, corner(-20, size))
            }
        }
    }

    /// As perfect-freehand widens lines: with the pressure, or with the speed where there is none.
    private func addFreehand(_ element: ExcalidrawElement, to page: inout NotePage) throws(EngineError) {
        guard let color = element.stroke else { return }
        let points = element.points
        let size = 4.25 * element.strokeWidth
        let given = element.object.value.field("pressures").map { $0.elements.compactMap(\.number) } ?? []
        let simulates = element.object.value.field("simulatePressure")?.bool ?? (given.count != points.count)
        var pressure = 0.25
        var line: [NotePage.WidePoint] = []
        for (index, point) in points.enumerated() {
            if !simulates, index < given.count {
                pressure = min(max(given[index], 0), 1)
            } else if index > 0 {
                let speed = min(1, (point - points[index - 1]).length / size)
                pressure = min(1, pressure + (min(1, 1 - speed) - pressure) * (speed * 0.275))
            }
            let radius = size * sin(max(0, 0.5 - 0.6 * (0.5 - pressure)) * .pi / 2)
            line.append(.init(x: point.x, y: point.y, width: 2 * radius))
        }
        if let fill = element.fill, points.count > 2, (points[0] - points[points.count - 1]).length < 8 {
            try add(fill: fill, points, element, to: &page)
        }
        try page.addLine(line, color: color, isFreehand: true)
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
        try page.addText(
            text, x: element.x + align * element.width, y: element.y + (height - size) / 2 + 0.8 * size, size: size,
            lineHeight: height, align: align, color: color, turned: element.turned, path: path)
    }

    private func addImage(_ element: ExcalidrawElement, to page: inout NotePage, _ path: String) throws(EngineError) {
        guard let id = element.object.value.field("fileId")?.string,
            let file = root.value.field("files")?.member(named: id), let url = file.field("dataURL")?.string,
            let comma = url.utf8.firstIndex(of: UInt8(ascii: ","))
        else { return page.leaveOut("a picture that is not in the file", at: path) }
        let text = Array(url.utf8[url.utf8.index(after: comma)...])
        guard let bytes = try? text.withUnsafeBufferPointer({ try Base64.decode($0) }) else {
            return page.leaveOut("a damaged picture", at: path)
        }
        try page.addPicture(
            bytes,
            Placement(
                x: element.x, y: element.y, width: element.width, height: element.height,
                rotation: element.angle * 180 / .pi), opacity: element.opacity, path: path)
    }
}

/// What elements of a drawing share.
private struct ExcalidrawElement {
    let object: JSONObject
    let type: String
    let x: Double
    let y: Double
    let width: Double
    let height: Double
    /// Radians, clockwise.
    let angle: Double
    let isDeleted: Bool
    /// 0...1
    let opacity: Double
    let strokeWidth: Double
    let fillStyle: String
    /// Turned, in the drawing's coordinates.
    private(set) var points: [Point] = []

    /// nil without a type and a place.
    init?(_ object: JSONObject) {
        let value = object.value
        guard let type = value.field("type")?.string, let x = value.field("x")?.number, let y = value.field("y")?.number
        else { return nil }
        self.object = object
        self.type = type
        (self.x, self.y) = (x, y)
        width = value.field("width")?.number ?? 0
        height = value.field("height")?.number ?? 0
        angle = value.field("angle")?.number ?? 0
        isDeleted = value.field("isDeleted")?.bool ?? false
        opacity = min(max((value.field("opacity")?.number ?? 100) / 100, 0), 1)
        strokeWidth = min(max(value.field("strokeWidth")?.number ?? 1, 0.01), 1e4)
        fillStyle = value.field("fillStyle")?.string ?? "hachure"
        if let list = value.field("points") {
            for point in list.elements {
                let numbers = point.elements.prefix(2).compactMap(\.number)
                if numbers.count == 2 { points.append(Point(x: x + numbers[0], y: y + numbers[1])) }
            }
            // Lines turn about the middle of what they cover.
            var box = Rect.empty
            for point in points { box.formUnion(point) }
            if angle != 0, !box.isEmpty {
                let middle = Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
                points = points.map { turned($0, about: middle) }
            }
        }
    }

    var center: Point { Point(x: x + width / 2, y: y + height / 2) }

    func turned(_ point: Point) -> Point { turned(point, about: center) }

    private func turned(_ point: Point, about middle: Point) -> Point {
        guard angle != 0 else { return point }
        let (sine, cosine) = sinCos(degrees: angle * 180 / .pi)
        let arm = point - middle
        return middle + Point(x: cosine * arm.x - sine * arm.y, y: sine * arm.x + cosine * arm.y)
    }

    /// What it covers.
    var bounds: Rect? {
        guard !isDeleted else { return nil }
        var box = Rect.empty
        let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)].map { Point(x: $0.0, y: $0.1) }
        for point in points.isEmpty ? corners.map(turned) : points { box.formUnion(point) }
        return box
    }

    private func color(_ key: StaticString) -> RGBA8? {
        guard var color = object.value.field(key)?.string.flatMap({ CSSColor.parse($0) }), color.alpha > 0 else {
            return nil
        }
        color.alpha = UInt8((Double(color.alpha) * opacity).rounded())
        return color
    }

    var stroke: RGBA8? { color("strokeColor") }
    var fill: RGBA8? { color("backgroundColor") }

    private func head(_ key: StaticString) -> String?? {
        guard let found = object.value.field(key) else { return nil }
        return .some(found.string)
    }
    /// nil: as the element's kind has it, or none.
    var endHead: String? { head("endArrowhead").map { $0 ?? "none" } ?? nil }
    var startHead: String? { (head("startArrowhead") ?? nil) ?? nil }

    var dashes: [Double] {
        switch object.value.field("strokeStyle")?.string {
        case "dashed": [8, 8 + strokeWidth]
        case "dotted": [1.5, 6 + strokeWidth]
        default: []
        }
    }

    private var roundness: Int? { object.value.field("roundness")?.field("type")?.number.flatMap { Int(exactly: $0) } }

    /// Of a rectangle, a diamond or an ellipse; closed.
    var outline: [Point] {
        let (right, bottom) = (x + width, y + height)
        switch type {
        case "ellipse":
            return (0..<96).map { step in
                let (sine, cosine) = sinCos(degrees: 3.75 * Double(step))
                return turned(Point(x: center.x + width / 2 * cosine, y: center.y + height / 2 * sine))
            }
        case "diamond":
            let corners = [
                Point(x: center.x, y: y), Point(x: right, y: center.y), Point(x: center.x, y: bottom),
                Point(x: x, y: center.y),
            ]
            return NotePage.rounded(corners, radius: roundness == nil ? 0 : 0.15 * min(abs(width), abs(height))).map(
                turned)
        default:
            let corners = [
                Point(x: x, y: y), Point(x: right, y: y), Point(x: right, y: bottom), Point(x: x, y: bottom),
            ]
            let edge = min(abs(width), abs(height))
            let radius = roundness == nil ? 0 : roundness == 3 ? min(32, 0.25 * edge) : 0.25 * edge
            return NotePage.rounded(corners, radius: radius).map(turned)
        }
    }

    /// The points of a line, and of the curve through them where it is round.
    var curve: [Point] { roundness == nil || points.count < 3 ? points : NotePage.smoothed(points) }
}
