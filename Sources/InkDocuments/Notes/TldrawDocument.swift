import Glibc
import InkCodecs
import InkEngine

/// Drawings of tldraw (`.tldr`): a page each page that shows something.
///
/// Lines, arrows and the outlines of shapes become strokes that wobble as in tldraw; freehand lines keep their pressure;
/// fills and text (in DejaVu Sans) become pictures of shapes.
struct TldrawDocument: FileDocumentReader {
    let what = "a tldraw drawing"
    let label = "tldraw"
    let endings = [".tldr"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        head.name.lowercased().hasSuffix(".tldr") || TextFormat(of: head.bytes) == .tldraw
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let document = try JSONDocument(bytes, file: place.file, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: place.file)
        var reader = try TldrawReader(root, DocumentTree("the drawing", place: place, limits: context.limits))
        return (try reader.project(), reader.tree.warnings.all)
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
            scratch.close()
            guard let box = Project(canvasSize: nil, layers: scratch.layers).visibleBounds else { continue }
            let reader = self
            let name = self.pages.count > 1 ? record.field("name")?.string ?? "" : ""
            try pages.add(name: name, showing: box, margin: Self.padding) { (page) throws(EngineError) in
                try reader.add(allOf: id, .identity, opacity: 1, depth: 0, to: &page)
            }
        }
        tree = pages.tree
        return try pages.finished()
    }

    /// Adds all that lies on a page or in a frame: marks of highlighters show below everything else, too.
    private func add(
        allOf parent: String, _ frame: TldrawFrame, opacity: Double, depth: Int, to page: inout NotePage
    ) throws(EngineError) {
        for isBelow in [true, false] {
            try add(childrenOf: parent, frame, opacity: opacity, depth: depth, isBelow: isBelow, to: &page)
        }
    }

    /// - Parameter isBelow: whether only what marks of highlighters show below everything else is added.
    private func add(
        childrenOf parent: String, _ frame: TldrawFrame, opacity: Double, depth: Int, isBelow: Bool,
        to page: inout NotePage
    ) throws(EngineError) {
        guard depth < Limits.treeDepth - 2 else {
            return page.leaveOut("shapes more than \(Limits.treeDepth - 2) deep", at: nil)
        }
        for record in shapes[parent] ?? [] {
            guard let own = TldrawFrame(record) else { continue }
            let shape = TldrawShape(
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
    private func add(frame shape: TldrawShape, depth: Int, to page: inout NotePage) throws(EngineError) {
        page.leaveOutUnused(of: shape.unused.holder, shape.unused.known, at: shownText(shape.id, limit: 60))
        guard !shape.id.isEmpty else { return }
        let name = shape.props?.field("name")?.string ?? ""
        try page.addClipped(to: .rectangle, shape.place, name: name.isEmpty ? "Frame" : name) {
            (page) throws(EngineError) in
            try add(allOf: shape.id, shape.frame, opacity: shape.opacity, depth: depth + 1, to: &page)
        }
    }

    private func add(_ shape: TldrawShape, isBelow: Bool, to page: inout NotePage) throws(EngineError) {
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
    private func addLines(_ pieces: [TldrawInk.Piece], _ shape: TldrawShape, to page: inout NotePage)
        throws(EngineError)
    {
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

    private func addFreehand(_ shape: TldrawShape, isBelow: Bool, to page: inout NotePage) throws(EngineError) {
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

    private func addArrow(_ shape: TldrawShape, to page: inout NotePage) throws(EngineError) {
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
        var target: TldrawShape?

        /// Where the way from another place meets the target's box, a little before it.
        func edge(towards other: Point, _ frame: TldrawFrame) -> Point {
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

    private func end(_ key: StaticString, of arrow: TldrawShape) -> ArrowEnd {
        let node = arrow.props?.field(key)
        var found = ArrowEnd(place: Point(x: node?.field("x")?.number ?? 0, y: node?.field("y")?.number ?? 0))
        // Once part of the arrow, now a record of its own.
        let binding = bindings["\(arrow.id) \(key)"]
        guard let id = (binding?.field("toId") ?? node?.field("boundShapeId"))?.string,
            let props = binding?.field("props") ?? node, let record = records[id], let frame = frame(of: record)
        else { return found }
        let target = TldrawShape(record, frame: frame, opacity: 1)
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
    private func frame(of record: JSONNode) -> TldrawFrame? {
        guard var frame = TldrawFrame(record) else { return nil }
        var parent = record.field("parentId")?.string.flatMap { records[$0] }
        for _ in 0..<Limits.treeDepth {
            guard let node = parent, let outer = TldrawFrame(node) else { return frame }
            frame = outer.inner(frame)
            parent = node.field("parentId")?.string.flatMap { records[$0] }
        }
        return nil
    }

    private func addArrow(
        from start: Point, to finish: Point, _ shape: TldrawShape, to page: inout NotePage
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
            func arc(_ turn: Double) -> [Point] {
                (0...48).map { step in
                    let (sine, cosine) = sinCos(degrees: turn * half * Double(step) / 48)
                    return center + Point(x: cosine * from.x - sine * from.y, y: sine * from.x + cosine * from.y)
                }
            }
            points = arc(-turn)
            if ((points.last ?? finish) - finish).length > 0.01 * chord.length { points = arc(turn) }
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
    private func addLabel(_ shape: TldrawShape, at place: Point, to page: inout NotePage) throws(EngineError) -> Rect {
        let text = shape.text
        guard text.contains(where: { !$0.isWhitespace }) else { return .empty }
        let (size, lineHeight) = (shape.arrowLabelSize, 1.35 * shape.arrowLabelSize)
        let count = Double(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count)
        return try page.addText(
            text, x: place.x, y: place.y - (count - 1) / 2 * lineHeight + 0.35 * size, size: size,
            lineHeight: lineHeight, align: 0.5, color: shape.labelColor, path: shownText(shape.id, limit: 60))
    }

    private func addLabel(
        _ shape: TldrawShape, size: Double, middle: Bool, width: Double? = nil, height: Double? = nil,
        color: RGBA8? = nil,
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

    private func addImage(_ shape: TldrawShape, to page: inout NotePage) throws(EngineError) {
        let path = shownText(shape.id, limit: 60)
        let asset = shape.props?.field("assetId")?.string.flatMap { assets[$0] }
        let url = asset?.field("props")?.field("src")?.string
        try page.addPicture(dataURL: url?.hasPrefix("data:") == true ? url : nil, shape.picture, path: path)
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
