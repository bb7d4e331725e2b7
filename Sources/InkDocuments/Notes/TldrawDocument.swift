import Glibc
import InkCodecs
import InkEngine

/// Drawings of tldraw (`.tldr`): a page each page that shows something.
///
/// Lines, arrows and the outlines of shapes become strokes that wobble as in tldraw; freehand lines keep their pressure;
/// fills and text (in DejaVu Sans) become pictures of shapes.
struct TldrawDocument: DocumentReader {
    let endings = [".tldr"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        head.name.lowercased().hasSuffix(".tldr") || ForeignFormat.name(ofText: head.bytes) == "a tldraw drawing"
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not a tldraw drawing")
        }
        let digest = SHA256()
        digest.update(label: "tldraw", bytes)
        let document = try JSONDocument(bytes, file: name, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: name)
        var reader = try TldrawReader(root, DocumentTree("the drawing", place: place, limits: context.limits))
        let project = try reader.project()
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: reader.tree.warnings.all, contentDigest: digest.finish()))))
    }
}

private struct TldrawReader {
    var tree: DocumentTree
    private var pages: [JSONNode] = []
    private var assets: [String: JSONNode] = [:]
    /// By their parents' identifiers.
    private var shapes: [String: [JSONNode]] = [:]
    private var records: [String: JSONNode] = [:]
    /// What ends of arrows are tied to: by the arrow's identifier and the end.
    private var bindings: [String: JSONNode] = [:]

    private static let padding = 32.0

    init(_ root: JSONObject, _ tree: DocumentTree) throws(EngineError) {
        self.tree = tree
        guard let records = try root.array("records") else { throw root.error("records", "is missing") }
        for record in records.elements {
            switch record.field("typeName")?.string {
            case "page": pages.append(record)
            case "asset": if let id = record.field("id")?.string { assets[id] = record }
            case "shape":
                // Records are a tree if their names are unique; otherwise they could lead to themselves.
                if let id = record.field("id")?.string {
                    guard self.records.updateValue(record, forKey: id) == nil else {
                        self.tree.leaveOut("a shape with the identifier of another", at: shownText(id, limit: 60))
                        continue
                    }
                }
                if let parent = record.field("parentId")?.string { shapes[parent, default: []].append(record) }
            case "binding":
                let props = record.field("props")
                if let arrow = record.field("fromId")?.string, let end = props?.field("terminal")?.string {
                    bindings["\(arrow) \(end)"] = record
                }
            default: break
            }
        }
        let pageNames = Set(pages.compactMap { $0.field("id")?.string })
        for parent in shapes.keys {
            shapes[parent]?.removeAll { record in record.field("id")?.string.map(pageNames.contains) ?? false }
        }
        func index(_ record: JSONNode) -> String { record.field("index")?.string ?? "" }
        pages.sort { index($0) < index($1) }
        for parent in shapes.keys { shapes[parent]?.sort { index($0).utf8.lexicographicallyPrecedes(index($1).utf8) } }
    }

    mutating func project() throws(EngineError) -> Project {
        var pages = NotePages(tree, background: TldrawColors.ground)
        for record in self.pages {
            guard let id = record.field("id")?.string else { continue }
            // What it covers is known when it has been drawn.
            var scratch = NotePage(
                origin: Point(x: 0, y: 0), DocumentTree(tree.what, place: tree.place, limits: tree.limits))
            try add(allOf: id, .identity, opacity: 1, depth: 0, to: &scratch)
            try scratch.close()
            guard let box = Project(canvasSize: nil, layers: scratch.layers).visibleBounds else { continue }
            let padding = Self.padding
            let reader = self
            try pages.add(
                name: self.pages.count > 1 ? record.field("name")?.string ?? "" : "",
                width: box.maxX - box.minX + 2 * padding, height: box.maxY - box.minY + 2 * padding
            ) { (page) throws(EngineError) in
                var moved = NotePage(
                    origin: Point(x: page.origin.x - box.minX + padding, y: page.origin.y - box.minY + padding),
                    page.tree,
                    counts: page.strokeCounts)
                try reader.add(allOf: id, .identity, opacity: 1, depth: 0, to: &moved)
                try moved.close()
                page = moved
            }
        }
        tree = pages.tree
        return try pages.finished()
    }

    /// Where shapes lie: turned, then moved.
    private struct Frame {
        var x = 0.0
        var y = 0.0
        /// Radians, clockwise.
        var angle = 0.0

        static let identity = Frame()

        /// Reads the frame of a shape, in what it lies in.
        init?(_ record: JSONNode) {
            x = record.field("x")?.number ?? 0
            y = record.field("y")?.number ?? 0
            angle = record.field("rotation")?.number ?? 0
            guard x.isFinite, y.isFinite, angle.isFinite else { return nil }
        }

        private init() {}

        private init(x: Double, y: Double, angle: Double) { (self.x, self.y, self.angle) = (x, y, angle) }

        func point(_ point: Point) -> Point {
            let (sine, cosine) = sinCos(degrees: angle * 180 / .pi)
            return Point(x: x + cosine * point.x - sine * point.y, y: y + sine * point.x + cosine * point.y)
        }

        /// The other way.
        func local(_ point: Point) -> Point {
            let (sine, cosine) = sinCos(degrees: angle * 180 / .pi)
            let (dx, dy) = (point.x - x, point.y - y)
            return Point(x: cosine * dx + sine * dy, y: cosine * dy - sine * dx)
        }

        func inner(_ inner: Frame) -> Frame {
            let corner = point(Point(x: inner.x, y: inner.y))
            return Frame(x: corner.x, y: corner.y, angle: angle + inner.angle)
        }
    }

    /// Adds all that lies on a page or in a frame: marks of highlighters show below everything else, too.
    private func add(
        allOf parent: String, _ frame: Frame, opacity: Double, depth: Int, to page: inout NotePage
    ) throws(EngineError) {
        for isBelow in [true, false] {
            try add(childrenOf: parent, frame, opacity: opacity, depth: depth, isBelow: isBelow, to: &page)
        }
    }

    /// - Parameter isBelow: whether only what marks of highlighters show below everything else is added.
    private func add(
        childrenOf parent: String, _ frame: Frame, opacity: Double, depth: Int, isBelow: Bool, to page: inout NotePage
    ) throws(EngineError) {
        guard depth < Limits.treeDepth - 2 else {
            return page.leaveOut("shapes more than \(Limits.treeDepth - 2) deep", at: nil)
        }
        for record in shapes[parent] ?? [] {
            guard let own = Frame(record) else { continue }
            let shape = Shape(
                record, frame: frame.inner(own),
                opacity: opacity * min(max(record.field("opacity")?.number ?? 1, 0), 1))
            if shape.type == "frame" {
                if !isBelow { try add(frame: shape, depth: depth, to: &page) }
                continue
            }
            if !isBelow || shape.type == "highlight" { try add(shape, isBelow: isBelow, to: &page) }
            if !shape.id.isEmpty {
                try add(
                    childrenOf: shape.id, shape.frame, opacity: shape.opacity, depth: depth + 1, isBelow: isBelow,
                    to: &page)
            }
        }
    }

    /// Adds what lies in a frame, cut at its edges.
    private func add(frame shape: Shape, depth: Int, to page: inout NotePage) throws(EngineError) {
        page.leaveOutUnused(of: shape.unused.holder, shape.unused.known, at: shownText(shape.id, limit: 60))
        guard !shape.id.isEmpty else { return }
        let name = shape.props?.field("name")?.string ?? ""
        try page.addClipped(to: .rectangle, shape.place, name: name.isEmpty ? "Frame" : name) {
            (page) throws(EngineError) in
            try add(allOf: shape.id, shape.frame, opacity: shape.opacity, depth: depth + 1, to: &page)
        }
    }

    private struct Shape {
        private let record: JSONNode
        let type: String
        let id: String
        let props: JSONNode?
        let frame: Frame
        let opacity: Double

        init(_ record: JSONNode, frame: Frame, opacity: Double) {
            self.record = record
            type = record.field("type")?.string ?? ""
            id = record.field("id")?.string ?? ""
            props = record.field("props")
            self.frame = frame
            self.opacity = opacity
        }

        private var size: String { props?.field("size")?.string ?? "m" }
        var scale: Double { min(max(props?.field("scale")?.number ?? 1, 0.01), 100) }
        var strokeWidth: Double { (["s": 2, "m": 3.5, "l": 5, "xl": 10][size] ?? 3.5) * scale }
        var fontSize: Double { (["s": 18, "m": 24, "l": 36, "xl": 44][size] ?? 24) * scale }
        var labelSize: Double { (["s": 18, "m": 22, "l": 26, "xl": 32][size] ?? 22) * scale }
        var arrowLabelSize: Double { (["s": 18, "m": 20, "l": 24, "xl": 28][size] ?? 20) * scale }
        /// A size that makes the text fit, or what the usual one is multiplied by.
        var noteTextSize: Double {
            let given = props?.field("fontSizeAdjustment")?.number ?? 0
            return given > 4 ? min(given, 1000) * scale : labelSize * (given > 0 ? given : 1)
        }
        var noteSize: (width: Double, height: Double) {
            (200 * scale, (200 + max(props?.field("growY")?.number ?? 0, 0)) * scale)
        }
        var width: Double { props?.field("w")?.number ?? 0 }
        var height: Double { (props?.field("h")?.number ?? 0) + (props?.field("growY")?.number ?? 0) }

        /// Its lower right corner; that of text, which has no height, by its lines.
        var box: Point {
            let lines = Double(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
            return Point(x: width, y: type == "text" ? lines * 1.35 * fontSize : height)
        }

        /// Placements turn about their middle, shapes about their corner.
        var place: Placement {
            let center = frame.point(Point(x: width / 2, y: height / 2))
            return Placement(
                x: center.x - width / 2, y: center.y - height / 2, width: width, height: height,
                rotation: frame.angle * 180 / .pi)
        }

        /// A picture is mirrored, then cut.
        var picture: NotePicture {
            var picture = NotePicture(place: place, opacity: opacity)
            picture.isMirroredAcross = props?.field("flipX")?.bool ?? false
            picture.isMirroredDown = props?.field("flipY")?.bool ?? false
            guard let crop = props?.field("crop"), crop.kind == .object else { return picture }
            func corner(_ key: StaticString, _ axis: StaticString, _ usual: Double) -> Double {
                min(max(crop.field(key)?.field(axis)?.number ?? usual, 0), 1)
            }
            let (left, right) = (corner("topLeft", "x", 0), corner("bottomRight", "x", 1))
            let (top, bottom) = (corner("topLeft", "y", 0), corner("bottomRight", "y", 1))
            if right - left > 1e-6, bottom - top > 1e-6 {
                picture.part = Rect(minX: left, minY: top, maxX: right, maxY: bottom)
            }
            if crop.field("isCircle")?.bool == true { picture.outline = .ellipse }
            return picture
        }

        // MARK: - What is not read

        private static let read: [String: [StaticString]] = [
            "geo": [
                "geo", "dash", "w", "h", "growY", "scale", "labelColor", "color", "fill", "size", "align",
                "verticalAlign", "text", "richText",
            ],
            "draw": [
                "segments", "color", "fill", "dash", "size", "isClosed", "isPen", "scale", "scaleX", "scaleY",
            ],
            "highlight": ["segments", "color", "size", "isPen", "scale", "scaleX", "scaleY"],
            "line": ["points", "spline", "color", "dash", "size", "scale"],
            "arrow": [
                "start", "end", "bend", "arrowheadStart", "arrowheadEnd", "color", "dash", "labelColor",
                "labelPosition", "scale", "size", "text", "richText",
            ],
            "note": [
                "color", "labelColor", "scale", "size", "align", "verticalAlign", "growY", "fontSizeAdjustment", "text",
                "richText",
            ],
            "text": ["w", "color", "scale", "size", "align", "textAlign", "text", "richText"],
            "image": ["w", "h", "assetId", "crop", "flipX", "flipY"],
            "frame": ["w", "h", "name"],
        ]

        /// What changes no picture. Documents say that text has a font of its own here, and frames are not drawn.
        private static let harmless: [String: Set<String>] = [
            "geo": ["font", "url", "autoSize"], "draw": ["isComplete"], "highlight": ["isComplete"],
            "line": ["handles"],
            "arrow": ["font", "fill", "kind=arc", "elbowMidPoint", "url"],
            "note": ["font", "url", "textLastEditedBy"], "text": ["font", "autoSize", "h"],
            "image": ["playing", "url", "altText"], "frame": ["color"],
        ]

        /// What of it its reader does not use, and how messages name it.
        var unused: (holder: ReadObject, known: UnreadProperties) {
            (
                ReadObject(props ?? record, reading: props == nil ? ["props"] : Self.read[type] ?? []),
                UnreadProperties(
                    of: "a shape of the kind \(shownText(type, limit: 40))",
                    harmless: props == nil ? Set(record.keys) : Self.harmless[type] ?? [],
                    words: ["kind": "the corners of arrows, which are straight here"])
            )
        }

        private func faded(_ color: RGBA8, by share: Double = 1) -> RGBA8 {
            var color = color
            color.alpha = UInt8((Double(color.alpha) * opacity * share).rounded())
            return color
        }

        /// The colour of a highlighter's mark, which shows above other shapes and, stronger, below them.
        func highlight(isBelow: Bool) -> RGBA8 {
            faded(TldrawColors.highlight(props?.field("color")?.string), by: isBelow ? 0.82 : 0.35)
        }

        var color: RGBA8 { faded(TldrawColors.line(props?.field("color")?.string)) }
        var noteColor: RGBA8 { faded(TldrawColors.note(props?.field("color")?.string)) }
        var noteTextColor: RGBA8 { faded(.black) }
        var labelColor: RGBA8 {
            let hasOwn = type != "text"
            return faded(TldrawColors.line(props?.field(hasOwn ? "labelColor" : "color")?.string))
        }
        /// How far apart the bumps of a cloud are.
        private var bump: Double { ["s": 50, "m": 70, "l": 100, "xl": 130][size] ?? 70 }
        var fill: RGBA8? {
            switch props?.field("fill")?.string {
            case "solid": faded(TldrawColors.fill(props?.field("color")?.string))
            case "semi", "pattern": faded(RGBA8(red: 0xFC, green: 0xFF, blue: 0xFE))
            case "fill": color
            case "lined-fill": faded(TldrawColors.lined(props?.field("color")?.string))
            default: nil
            }
        }
        /// The colour of the short lines of a pattern.
        var fillDashes: RGBA8? {
            props?.field("fill")?.string == "pattern" ? TldrawColors.pattern(props?.field("color")?.string) : nil
        }
        /// Whether its lines wobble.
        var isInky: Bool { (props?.field("dash")?.string ?? "draw") == "draw" }

        var dashes: [Double] {
            switch props?.field("dash")?.string {
            case "dashed": [2 * strokeWidth, 2 * strokeWidth]
            case "dotted": [strokeWidth / 100, 2 * strokeWidth]
            default: []
            }
        }

        var outline: [TldrawInk.Piece] {
            TldrawOutline(
                width: width, height: height, lineWidth: strokeWidth, isInky: isInky, bump: bump, scale: scale, seed: id
            ).pieces(props?.field("geo")?.string ?? "")
        }

        func freehand(isHighlight: Bool, isPen: Bool) -> FreehandLine {
            if isHighlight {
                return FreehandLine(size: 1.12 * fontSize, thinning: 0, streamline: 0.5, simulatesPressure: false)
            }
            let width = strokeWidth + scale
            var line = FreehandLine(
                size: width, thinning: 0, streamline: 0.64 + 0.1 * min(max((width - 9) / 7, 0), 1),
                simulatesPressure: isInky && !isPen)
            line.smoothsPressure = true
            if isPen { line.streamline = 0.62 }
            guard isInky else { return line }
            line.thinning = isPen ? 0.62 : 0.5
            if isPen { line.size = 1 + 1.2 * width }
            line.easing = { isPen ? 0.65 * $0 + 0.35 * sin($0 * .pi / 2) : sin($0 * .pi / 2) }
            return line
        }

        /// The text: plain in old files, in paragraphs in new ones.
        var text: String {
            if let text = props?.field("text")?.string { return text }
            func words(_ node: JSONNode, depth: Int) -> String {
                guard depth < 32 else { return "" }
                if node.field("type")?.string == "hardBreak" { return "\n" }
                return (node.field("text")?.string ?? "")
                    + (node.field("content")?.elements.map { words($0, depth: depth + 1) }.joined() ?? "")
            }
            return props?.field("richText")?.field("content")?.elements.map { words($0, depth: 0) }.joined(
                separator: "\n") ?? ""
        }
    }

    private func add(_ shape: Shape, isBelow: Bool, to page: inout NotePage) throws(EngineError) {
        switch shape.type {
        case "group": break
        case "draw", "highlight": try addFreehand(shape, isBelow: isBelow, to: &page)
        case "line":
            let points = shape.props?.field("points").map(Self.points) ?? []
            guard points.count > 1 else { return }
            let isSpline = shape.props?.field("spline")?.string == "cubic" && points.count > 2
            try addLines(
                [isSpline ? Self.spline(points) : .init(points, isClosed: false, keepsEnds: true)], shape, to: &page)
        case "arrow": try addArrow(shape, to: &page)
        case "geo":
            try addLines(shape.outline, shape, to: &page)
            try addLabel(shape, size: shape.labelSize, middle: true, to: &page)
        case "note":
            let (edge, height) = shape.noteSize
            let corners = [(0, 0), (edge, 0), (edge, height), (0, height)].map { Point(x: $0.0, y: $0.1) }.map(
                shape.frame.point)
            try page.addShape([corners], color: shape.noteColor)
            let ownColor = shape.props?.field("labelColor")?.string ?? "black"
            try addLabel(
                shape, size: shape.noteTextSize, middle: true, width: edge, height: height,
                color: ownColor == "black" ? shape.noteTextColor : nil, to: &page)
        case "text": try addLabel(shape, size: shape.fontSize, middle: false, to: &page)
        case "image": try addImage(shape, to: &page)
        default:
            return page.leaveOut(
                "a shape of the kind \(shownText(shape.type, limit: 40))", at: shownText(shape.id, limit: 60))
        }
        if !isBelow {
            page.leaveOutUnused(of: shape.unused.holder, shape.unused.known, at: shownText(shape.id, limit: 60))
        }
    }

    /// Points of a list, or of an object whose values have an order.
    private static func points(_ list: JSONNode) -> [Point] {
        let nodes =
            list.kind == .object
            ? list.keys.compactMap { list.member(named: $0) }.sorted {
                ($0.field("index")?.string ?? "") < ($1.field("index")?.string ?? "")
            } : Array(list.elements)
        return nodes.compactMap { node in
            guard let x = node.field("x")?.number, let y = node.field("y")?.number else { return nil }
            return Point(x: x, y: y)
        }
    }

    /// A smooth curve through points.
    private static func spline(_ points: [Point]) -> TldrawInk.Piece {
        var steps = [RoughSketch.Step.move(points[0])]
        let last = points.count - 1
        for index in 0..<last {
            let (b, c) = (points[index], points[index + 1])
            let first = index == 0 ? b : b + (1.25 / 6) * (c - points[index - 1])
            steps.append(.curve(first, index + 1 == last ? c : c - (1.25 / 6) * (points[index + 2] - b), c))
        }
        return .init(steps, isClosed: false, keepsEnds: true)
    }

    /// Lines and an outline, which is first and closed, with its fill.
    private func addLines(_ pieces: [TldrawInk.Piece], _ shape: Shape, to page: inout NotePage) throws(EngineError) {
        let ink = TldrawInk(lineWidth: shape.strokeWidth, seed: shape.id)
        func placed(_ steps: [RoughSketch.Step]) -> [[Point]] {
            RoughSketch.pieces(steps).map { $0.map(shape.frame.point) }
        }
        if let first = pieces.first, first.isClosed, let fill = shape.fill {
            try page.addShape(
                placed(shape.isInky ? ink.area(first) : first.steps), color: fill, dashes: shape.fillDashes)
        }
        for points in placed(shape.isInky ? ink.outline(pieces) : pieces.flatMap(\.closed)) {
            let line = points.map { NotePage.WidePoint(x: $0.x, y: $0.y, width: shape.strokeWidth) }
            for dash in NotePage.dashes(line, shape.dashes) { try page.addLine(dash, color: shape.color) }
        }
    }

    private func addFreehand(_ shape: Shape, isBelow: Bool, to page: inout NotePage) throws(EngineError) {
        let isHighlight = shape.type == "highlight"
        let isPen = shape.props?.field("isPen")?.bool ?? false
        let (scaleX, scaleY) = (
            shape.props?.field("scaleX")?.number ?? 1, shape.props?.field("scaleY")?.number ?? 1
        )
        var (places, pressures): ([Point], [Double]) = ([], [])
        for segment in shape.props?.field("segments")?.elements.map({ $0 }) ?? [] {
            guard let points = TldrawPoints.read(segment),
                points.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
            else {
                return page.leaveOut("a damaged freehand line", at: shownText(shape.id, limit: 60))
            }
            var found = points.map { Point(x: scaleX * $0.x, y: scaleY * $0.y) }
            if segment.field("type")?.string == "straight", found.count == 2 {
                // As dense as a hand would draw it.
                let count = min(max(4, ((found[1] - found[0]).length / 16).rounded(.down)), 10_000)
                let (start, way) = (found[0], found[1] - found[0])
                found = (0..<Int(count)).map { start + (Double($0) / (count - 1)) * way }
            }
            places += found
            pressures += found.indices.map { min(max(points[min($0, points.count - 1)].z, 0), 1) }
        }
        let line = shape.freehand(isHighlight: isHighlight, isPen: isPen).widths(
            places, pressures: isPen ? pressures : []
        ).map { point in
            let place = shape.frame.point(Point(x: point.x, y: point.y))
            return NotePage.WidePoint(x: place.x, y: place.y, width: point.width)
        }
        if shape.props?.field("isClosed")?.bool == true, let fill = shape.fill {
            try page.addShape(
                [line.map { Point(x: $0.x, y: $0.y) }], color: fill, dashes: shape.fillDashes)
        }
        for dash in NotePage.dashes(line, isHighlight ? [] : shape.dashes) {
            try page.addLine(
                dash, color: isHighlight ? shape.highlight(isBelow: isBelow) : shape.color,
                name: isHighlight ? "Highlighter" : "Strokes", isFreehand: true)
        }
    }

    private func addArrow(_ shape: Shape, to page: inout NotePage) throws(EngineError) {
        var (start, finish) = (end("start", of: shape), end("end", of: shape))
        (start.place, finish.place) = (
            start.edge(towards: finish.place, shape.frame), finish.edge(towards: start.place, shape.frame)
        )
        try addArrow(from: start.place, to: finish.place, shape, to: &page)
    }

    /// Where an arrow ends, in its own coordinates.
    private struct ArrowEnd {
        var place: Point
        /// What it is tied to, and ends before.
        var target: Shape?

        /// Where the way from another place meets the target's box, a little before it.
        func edge(towards other: Point, _ frame: Frame) -> Point {
            guard let target else { return place }
            let (inside, outside) = (
                target.frame.local(frame.point(place)), target.frame.local(frame.point(other))
            )
            let way = outside - inside
            let gap = 10 + target.strokeWidth / 2
            let box = target.box
            var share = 1.0
            if way.x != 0 { share = min(share, ((way.x > 0 ? box.x + gap : -gap) - inside.x) / way.x) }
            if way.y != 0 { share = min(share, ((way.y > 0 ? box.y + gap : -gap) - inside.y) / way.y) }
            // Two shapes that overlap hide no arrow.
            guard share > 0, share < 1 else { return place }
            return frame.local(target.frame.point(inside + share * way))
        }
    }

    private func end(_ key: StaticString, of arrow: Shape) -> ArrowEnd {
        let node = arrow.props?.field(key)
        var found = ArrowEnd(place: Point(x: node?.field("x")?.number ?? 0, y: node?.field("y")?.number ?? 0))
        // Once part of the arrow, now a record of its own.
        let binding = bindings["\(arrow.id) \(key)"]
        guard let id = (binding?.field("toId") ?? node?.field("boundShapeId"))?.string,
            let props = binding?.field("props") ?? node, let record = records[id], let frame = frame(of: record)
        else { return found }
        let target = Shape(record, frame: frame, opacity: 1)
        let isPrecise = props.field("isPrecise")?.bool ?? true
        func share(_ key: StaticString) -> Double {
            isPrecise ? min(max(props.field("normalizedAnchor")?.field(key)?.number ?? 0.5, 0), 1) : 0.5
        }
        found.place = arrow.frame.local(
            target.frame.point(Point(x: share("x") * target.box.x, y: share("y") * target.box.y)))
        if props.field("isExact")?.bool != true { found.target = target }
        return found
    }

    /// Where a shape lies on its page.
    private func frame(of record: JSONNode) -> Frame? {
        guard var frame = Frame(record) else { return nil }
        var parent = record.field("parentId")?.string.flatMap { records[$0] }
        for _ in 0..<Limits.treeDepth {
            guard let node = parent, let outer = Frame(node) else { return frame }
            frame = outer.inner(frame)
            parent = node.field("parentId")?.string.flatMap { records[$0] }
        }
        return nil
    }

    private func addArrow(
        from start: Point, to finish: Point, _ shape: Shape, to page: inout NotePage
    ) throws(EngineError) {
        let bend = shape.props?.field("bend")?.number ?? 0
        let chord = finish - start
        guard chord.length > 0, chord.length.isFinite, bend.isFinite else { return }
        var points = [start, finish]
        if abs(bend) > 1 {
            // Through both ends and a point that lies beside the middle.
            let across = (1 / chord.length) * Point(x: chord.y, y: -chord.x)
            let radius = (chord.length * chord.length / 4 + bend * bend) / (2 * abs(bend))
            let middle = start + 0.5 * chord
            let center = middle + ((bend > 0 ? 1 : -1) * (abs(bend) - radius)) * across
            let (from, to) = (start - center, finish - center)
            let half = Angle.between(from, to, isLong: abs(bend) > radius)
            let turn = bend > 0 ? -1.0 : 1
            points = (0...48).map { step in
                let (sine, cosine) = sinCos(degrees: -turn * half * Double(step) / 48)
                return center + Point(x: cosine * from.x - sine * from.y, y: sine * from.x + cosine * from.y)
            }
            if ((points.last ?? finish) - finish).length > 0.01 * chord.length {
                points = (0...48).map { step in
                    let (sine, cosine) = sinCos(degrees: turn * half * Double(step) / 48)
                    return center + Point(x: cosine * from.x - sine * from.y, y: sine * from.x + cosine * from.y)
                }
            }
        }
        // The arrow leaves room for its label, in the drawing's coordinates.
        let share = min(max(shape.props?.field("labelPosition")?.number ?? 0.5, 0), 1)
        let middle = points[Int((share * Double(points.count - 1)).rounded())]
        let place = shape.frame.point(points.count > 2 ? middle : start + share * chord)
        let label = try addLabel(shape, at: place, to: &page).expanded(by: 4.25)
        // Arrows are straight in each style.
        func addLine(_ points: [Point]) throws(EngineError) {
            let line = points.map(shape.frame.point).map {
                NotePage.WidePoint(x: $0.x, y: $0.y, width: shape.strokeWidth)
            }
            for dash in NotePage.dashes(line, shape.dashes) {
                for rest in NotePage.cut(dash, by: label) { try page.addLine(rest, color: shape.color) }
            }
        }
        try addLine(points)
        for (key, ordered) in [("arrowheadEnd" as StaticString, points), ("arrowheadStart", points.reversed())] {
            guard let head = shape.props?.field(key)?.string, head != "none", let tip = ordered.last,
                let before = ordered.last(where: { ($0 - tip).length > 3 * shape.strokeWidth }) ?? ordered.first
            else { continue }
            let along = (1 / max((tip - before).length, 1e-9)) * (tip - before)
            let size = min(4 * shape.strokeWidth, chord.length / 2)
            func corner(_ degrees: Double) -> Point {
                let (sine, cosine) = sinCos(degrees: degrees)
                return tip - size * Point(x: cosine * along.x - sine * along.y, y: sine * along.x + cosine * along.y)
            }
            if head == "bar" {
                try addLine([corner(90), corner(-90)])
            } else {
                let corners = [corner(30), tip, corner(-30)]
                if head != "arrow" { try page.addShape([corners.map(shape.frame.point)], color: shape.color) }
                try addLine(corners)
            }
        }
    }

    /// Adds the label of an arrow around a place of the drawing.
    ///
    /// - Returns: what it covers.
    private func addLabel(_ shape: Shape, at place: Point, to page: inout NotePage) throws(EngineError) -> Rect {
        let text = shape.text
        guard text.contains(where: { !$0.isWhitespace }) else { return .empty }
        let (size, lineHeight) = (shape.arrowLabelSize, 1.35 * shape.arrowLabelSize)
        let count = Double(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
        return try page.addText(
            text, x: place.x, y: place.y - (count - 1) / 2 * lineHeight + 0.35 * size, size: size,
            lineHeight: lineHeight, align: 0.5, color: shape.labelColor, path: shownText(shape.id, limit: 60))
    }

    private func addLabel(
        _ shape: Shape, size: Double, middle: Bool, width: Double? = nil, height: Double? = nil, color: RGBA8? = nil,
        to page: inout NotePage
    ) throws(EngineError) {
        let text = shape.text
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        let lineHeight = 1.35 * size
        let count = Double(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
        let align: Double =
            switch (shape.props?.field("align") ?? shape.props?.field("textAlign"))?.string {
            case "start", "start-legacy": 0
            case "end", "end-legacy": 1
            default: 0.5
            }
        let (width, height) = (width ?? shape.width, height ?? shape.height)
        let room = height - count * lineHeight
        let padding = min(16 * shape.scale, max(room / 2, 0))
        let top: Double =
            switch shape.props?.field("verticalAlign")?.string {
            case _ where !middle: 0
            case "start": padding
            case "end": room - padding
            default: room / 2
            }
        try page.addText(
            text, x: align * width, y: top + lineHeight / 2 + 0.35 * size, size: size, lineHeight: lineHeight,
            align: align, width: shape.type == "text" ? width : nil, color: color ?? shape.labelColor,
            turned: shape.frame.point, path: shownText(shape.id, limit: 60))
    }

    private func addImage(_ shape: Shape, to page: inout NotePage) throws(EngineError) {
        let path = shownText(shape.id, limit: 60)
        guard let id = shape.props?.field("assetId")?.string,
            let url = assets[id]?.field("props")?.field("src")?.string,
            url.hasPrefix("data:"), let comma = url.utf8.firstIndex(of: UInt8(ascii: ","))
        else { return page.leaveOut("a picture that is not in the file", at: path) }
        let text = Array(url.utf8[url.utf8.index(after: comma)...])
        guard let bytes = Base64.bytes(of: text) else {
            return page.leaveOut("a damaged picture", at: path)
        }
        try page.addPicture(bytes, shape.picture, path: path)
    }
}

/// Degrees between arms of a circle.
private enum Angle {
    static func between(_ a: Point, _ b: Point, isLong: Bool) -> Double {
        let cosine = (a.x * b.x + a.y * b.y) / max(a.length * b.length, 1e-300)
        let angle = acos(min(max(cosine, -1), 1)) * 180 / .pi
        return isLong ? 360 - angle : angle
    }
}
