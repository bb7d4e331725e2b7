import Glibc
import InkCodecs
import InkEngine

/// Goes through an SVG's elements in the order in which they are drawn, and adds their outlines and areas to a page.
struct SVGStrokesWalk {
    private(set) var page: NotePage
    private let root: XMLNode
    private let canvasMap: AffineMap
    /// Canvas pixels between a curve and the chords of its points: a fifth of a pixel in a picture of 8K.
    private let tolerance: Double
    /// Whether areas become shapes; else they are left out.
    private let takesFills: Bool
    private var sheet = SVGStyleSheet()
    private var nodes: [String: XMLNode] = [:]
    private var elementCount = 0
    /// The name of the layer that Inkscape made of a group.
    private var layerName: String?

    private static let depthMax = 256

    /// Turns of a curve between two of its points: fewer than those that count as corners of a line.
    private static let turnMax = 8 * Double.pi / 180

    init(_ root: XMLNode, _ map: AffineMap, _ canvas: PixelSize, _ page: NotePage, takesFills: Bool) {
        self.root = root
        self.takesFills = takesFills
        canvasMap = map
        tolerance = Double(canvas.longestEdge) / 40_000
        self.page = page
        collect(root)
        if sheet.hasOthers {
            self.page.leaveOut("rules of style sheets for more than a name, classes and an id", at: nil)
        }
    }

    private mutating func collect(_ node: XMLNode) {
        if let id = node.attributes["id"], nodes[id] == nil { nodes[id] = node }
        if node.name == "style" { sheet.add(node.text) }
        for child in node.children { collect(child) }
    }

    /// - Throws: as `NotePage.addLine`; `badInput` for a drawing that `use` makes endless.
    mutating func run() throws(EngineError) {
        let size = SVGRules.size(
            width: root.attributes["width"], height: root.attributes["height"], viewBox: root.attributes["viewBox"])
        try visit(root, State(map: canvasMap, width: size.width, height: size.height), isRoot: true)
        page.close()
    }

    // MARK: - Elements

    private struct State {
        var map: AffineMap
        /// The viewport, user units.
        var width: Double
        var height: Double
        var opacity = 1.0
        /// User units.
        var fontSize = 16.0
        /// Values that children take over.
        var inherited: [String: String] = [:]
        /// Elements around, those of `use` included.
        var depth = 0

        var diagonal: Double { ((width * width + height * height) / 2).squareRoot() }
    }

    private static let inheritedNames = [
        "fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "color", "visibility", "stroke-dasharray",
        "stroke-dashoffset", "stroke-linecap", "fill-rule", "marker", "marker-start", "marker-mid", "marker-end",
    ]

    private mutating func visit(_ node: XMLNode, _ outer: State, isRoot: Bool = false) throws(EngineError) {
        elementCount += 1
        guard elementCount <= SVGDocument.elementsMax else {
            throw .badInput(
                page.tree.place,
                reason: "the SVG draws more than \(SVGDocument.elementsMax) elements, those of <use> included")
        }
        let style = sheet.declarations(of: node, isRoot: isRoot)
        guard outer.depth < Self.depthMax else {
            throw .badInput(
                page.tree.place,
                reason: "the SVG repeats itself by <use>, or is more than \(Self.depthMax) elements deep")
        }
        guard style["display"] != "none" else { return }
        var state = outer
        state.depth += 1
        for name in Self.inheritedNames {
            if let value = style[name], value != "inherit" { state.inherited[name] = value }
        }
        state.fontSize = length(style["font-size"], in: outer, of: outer.fontSize) ?? outer.fontSize
        // What is visible in a hidden group stays visible.
        let isHidden = ["hidden", "collapse"].contains(state.inherited["visibility"] ?? "")
        state.opacity *= Self.fraction(style["opacity"])
        guard state.opacity > 0 else { return }
        if !isRoot { state.map = state.map.after(SVGTransform.read(style["transform"])) }
        nameEffects(style)
        switch node.name {
        case "svg": try visitViewport(node, style, state, isRoot: isRoot)
        case "g", "a":
            let isLayer = node.attributes["groupmode"] == "layer"
            if isLayer { page.close() }
            let outerName = layerName
            if isLayer { layerName = node.attributes["label"] ?? node.attributes["id"] }
            for child in node.children { try visit(child, state) }
            if isLayer {
                page.close()
                layerName = outerName
            }
        case "switch":
            // The first that needs nothing of the viewer.
            if let first = node.children.first(where: { SVGRules.conditions.isDisjoint(with: $0.attributes.names) }) {
                try visit(first, state)
            }
        case "use": try visitUse(node, style, state)
        case "text": page.leaveOut("text", at: nil)
        case "image": page.leaveOut("pictures", at: nil)
        case "foreignObject": page.leaveOut("foreign objects", at: nil)
        case "animate", "animateTransform", "animateMotion", "set": page.leaveOut("animations", at: nil)
        default:
            guard !isHidden, let outline = try outline(of: node, style, state) else { return }
            try add(outline, node, style, state)
        }
    }

    private mutating func nameEffects(_ style: [String: String]) {
        for (name, what) in [
            ("clip-path", "clipping: what it cuts off is drawn"), ("mask", "masks: what they hide is drawn"),
            ("filter", "filters"),
        ] {
            if let value = style[name], value != "none" { page.leaveOut(what, at: nil) }
        }
    }

    private mutating func visitViewport(
        _ node: XMLNode, _ style: [String: String], _ outer: State, isRoot: Bool
    ) throws(EngineError) {
        var state = outer
        if !isRoot {
            let (width, height) = (
                length(style["width"], in: outer, of: outer.width) ?? outer.width,
                length(style["height"], in: outer, of: outer.height) ?? outer.height
            )
            let corner = AffineMap(
                x: length(style["x"], in: outer, of: outer.width) ?? 0,
                y: length(style["y"], in: outer, of: outer.height) ?? 0)
            if node.name == "svg" { state.map = state.map.after(corner) }
            (state.width, state.height) = (width, height)
        }
        guard state.width > 0, state.height > 0,
            let box = SVGTransform.viewBox(
                node.attributes["viewBox"], node.attributes["preserveAspectRatio"], width: state.width,
                height: state.height)
        else { return }
        state.map = state.map.after(box.map)
        (state.width, state.height) = (box.width, box.height)
        for child in node.children { try visit(child, state) }
    }

    private mutating func visitUse(_ node: XMLNode, _ style: [String: String], _ outer: State) throws(EngineError) {
        guard let target = (node.attributes["href"]?.dropFirst()).flatMap({ nodes[String($0)] }) else { return }
        var state = outer
        state.map = state.map.after(
            AffineMap(
                x: length(style["x"], in: outer, of: outer.width) ?? 0,
                y: length(style["y"], in: outer, of: outer.height) ?? 0))
        guard target.name == "symbol" || target.name == "svg" else { return try visit(target, state) }
        elementCount += 1
        var own = sheet.declarations(of: target)
        for name in Self.inheritedNames where own[name] != nil { state.inherited[name] = own[name] }
        state.opacity *= Self.fraction(own["opacity"])
        // Its size is that of the use where that has one.
        for name in ["width", "height"] { own[name] = style[name] ?? own[name] }
        try visitViewport(target, own, state, isRoot: false)
    }

    // MARK: - Outlines

    /// A length in user units.
    ///
    /// - Parameter whole: what percents are of.
    private func length(_ text: String?, in state: State, of whole: Double) -> Double? {
        text.flatMap { SVGRules.signedLength($0, ofPercent: whole, em: state.fontSize) }
    }

    private static func fraction(_ text: String?) -> Double {
        guard let text = text?.trimmingBlanks, let number = SVGNumbers.all(text).first else { return 1 }
        return min(max(text.hasSuffix("%") ? number / 100 : number, 0), 1)
    }

    /// The outline of a shape in user units; nil for what is none.
    private mutating func outline(
        of node: XMLNode, _ style: [String: String], _ state: State
    ) throws(EngineError) -> ShapePath? {
        func x(_ name: String) -> Double { length(style[name], in: state, of: state.width) ?? 0 }
        func y(_ name: String) -> Double { length(style[name], in: state, of: state.height) ?? 0 }
        func ellipse(_ center: Point, _ rx: Double, _ ry: Double) -> ShapePath? {
            guard rx > 0, ry > 0 else { return nil }
            var path = ShapePath()
            path.move(to: center + Point(x: rx, y: 0))
            path.arc(
                center: center, u: Point(x: rx, y: 0), v: Point(x: 0, y: ry), start: 0, sweep: 2 * .pi,
                to: center + Point(x: rx, y: 0))
            path.close()
            return path
        }
        switch node.name {
        case "path":
            let data = SVGPathData(style["d"] ?? "")
            if data.fault != nil {
                page.leaveOut("what stands behind a mistake in the data of a path", at: node.attributes["id"])
            }
            return data.path
        case "line":
            var path = ShapePath()
            path.move(to: Point(x: x("x1"), y: y("y1")))
            path.line(to: Point(x: x("x2"), y: y("y2")))
            return path
        case "polyline", "polygon":
            let numbers = SVGNumbers.all(node.attributes["points"] ?? "")
            guard numbers.count >= 4 else { return nil }
            var path = ShapePath()
            path.move(to: Point(x: numbers[0], y: numbers[1]))
            for index in 1..<(numbers.count / 2) {
                path.line(to: Point(x: numbers[2 * index], y: numbers[2 * index + 1]))
            }
            if node.name == "polygon" { path.close() }
            return path
        case "circle":
            let r = length(style["r"], in: state, of: state.diagonal) ?? 0
            return ellipse(Point(x: x("cx"), y: y("cy")), r, r)
        case "ellipse":
            let (rx, ry) = radii(style, state)
            return ellipse(Point(x: x("cx"), y: y("cy")), rx, ry)
        case "rect":
            let (width, height) = (x("width"), y("height"))
            guard width > 0, height > 0 else { return nil }
            let (rx, ry) = radii(style, state)
            return Self.rectangle(
                Point(x: x("x"), y: y("y")), width, height, min(rx, width / 2), min(ry, height / 2))
        default: return nil
        }
    }

    /// The two radii of a corner. One that is not given, or is negative, is as the other one.
    private func radii(_ style: [String: String], _ state: State) -> (Double, Double) {
        func radius(_ name: String, _ whole: Double) -> Double? {
            length(style[name], in: state, of: whole).flatMap { $0 < 0 ? nil : $0 }
        }
        let (rx, ry) = (radius("rx", state.width), radius("ry", state.height))
        return (rx ?? ry ?? 0, ry ?? rx ?? 0)
    }

    private static func rectangle(
        _ corner: Point, _ width: Double, _ height: Double, _ rx: Double, _ ry: Double
    ) -> ShapePath {
        func at(_ x: Double, _ y: Double) -> Point { corner + Point(x: x, y: y) }
        var path = ShapePath()
        path.move(to: at(rx, 0))
        let isRound = rx > 0 && ry > 0
        for (before, after) in [
            (at(width - rx, 0), at(width, ry)), (at(width, height - ry), at(width - rx, height)),
            (at(rx, height), at(0, height - ry)), (at(0, ry), at(rx, 0)),
        ] {
            path.line(to: before)
            if isRound {
                _ = path.arc(to: after, radiusX: rx, radiusY: ry, turn: 0, isLarge: false, isClockwise: true)
            }
        }
        path.close()
        return path
    }

    // MARK: - Strokes

    private mutating func add(
        _ outline: ShapePath, _ node: XMLNode, _ style: [String: String], _ state: State
    ) throws(EngineError) {
        func value(_ name: String) -> String? { state.inherited[name] }
        if ["marker", "marker-start", "marker-mid", "marker-end"].contains(where: { value($0) ?? "none" != "none" }),
            ["path", "line", "polyline", "polygon"].contains(node.name)
        {
            page.leaveOut("markers", at: nil)
        }
        let line = paint(value("stroke") ?? "none", value("stroke-opacity"), state)
        // A line has no inside.
        let fill = node.name == "line" ? nil : paint(value("fill") ?? "black", value("fill-opacity"), state)
        let scale = style["vector-effect"] == "non-scaling-stroke" ? 1 : state.map.scale
        let width = (value("stroke-width").map { length($0, in: state, of: state.diagonal) ?? 1 } ?? 1) * scale
        if let fill {
            if takesFills {
                let path = outline.mapped(state.map)
                try page.addShape(
                    path, path.controlBox, rule: value("fill-rule") == "evenodd" ? .evenodd : .nonzero, color: fill,
                    name: layerName ?? "Shapes")
            } else {
                page.leaveOut("fills, which would need too many layers between the strokes", at: nil)
            }
        }
        guard let color = line, width > 0 else { return }
        let dashes = dashLengths(state).map { $0 * scale }
        let offset = (value("stroke-dashoffset").flatMap { length($0, in: state, of: state.diagonal) } ?? 0) * scale
        let hasFlatEnds = value("stroke-linecap") ?? "butt" == "butt"
        for subpath in try flattened(outline, state.map) {
            let points = subpath.points
            var total = 0.0
            for (a, b) in zip(points, points.dropFirst()) { total += (b - a).length }
            // A line without length shows only where its ends stand out.
            if total == 0, hasFlatEnds || !subpath.hasSegments { continue }
            let wide = points.map { NotePage.WidePoint(x: $0.x, y: $0.y, width: width) }
            // Lengths of dashes may be in a measure of the path's own.
            let own = node.attributes["pathLength"].flatMap { SVGNumbers.all($0).first }.flatMap { $0 > 0 ? $0 : nil }
            let measure = own.map { total / ($0 * scale) } ?? 1
            // A round end adds as much as a flat one that lies so far out; dashes keep the size that they have with theirs.
            let ends = width * .pi / 8 - (value("stroke-linecap") == "square" ? width / 2 : 0)
            let hasOwnEnds = !dashes.isEmpty && value("stroke-linecap") != "round"
            for dash in NotePage.dashes(wide, dashes.map { $0 * measure }, offset: offset * measure) {
                guard let line = hasOwnEnds ? NotePage.shortened(dash, by: ends) : dash else { continue }
                try page.addLine(line, color: color, name: layerName ?? "Strokes")
            }
        }
    }

    /// The lengths of dashes and gaps, user units; none where no gap is left between dashes.
    private func dashLengths(_ state: State) -> [Double] {
        let words = (state.inherited["stroke-dasharray"] ?? "").split { $0 == "," || $0.isWhitespace }
        let lengths = words.compactMap { length(String($0), in: state, of: state.diagonal) }
        guard lengths.count == words.count, lengths.allSatisfy({ $0 >= 0 }) else { return [] }
        let hasGaps = lengths.count % 2 != 0 || stride(from: 1, to: lengths.count, by: 2).contains { lengths[$0] > 0 }
        return hasGaps ? lengths : []
    }

    /// A colour with its opacity; nil where nothing is drawn.
    private mutating func paint(_ text: String, _ opacity: String?, _ state: State, depth: Int = 0) -> RGBA8? {
        let text = text.trimmingBlanks
        var color: RGBA8?
        if text.hasPrefix("url("), let end = text.firstIndex(of: ")") {
            let id = text[..<end].dropFirst(4).filter { !"#\"' ".contains($0) }
            let fallback = text[text.index(after: end)...].trimmingBlanks
            switch nodes[id]?.name {
            case "linearGradient", "radialGradient":
                page.leaveOut("gradients: their mean colour stands for them", at: nil)
                color = meanColor(of: id, state)
            case let name?:
                page.leaveOut("paints of the kind <\(shownText(name, limit: 40))>: black stands for them", at: nil)
                color = .black
            case nil: return fallback.isEmpty || depth > 0 ? nil : paint(fallback, opacity, state, depth: depth + 1)
            }
        } else {
            color = Self.color(text, state)
        }
        let found = color.map { Self.faded($0, by: Self.fraction(opacity) * state.opacity) }
        return found.flatMap { $0.alpha > 0 ? $0 : nil }
    }

    private static func color(_ text: String, _ state: State) -> RGBA8? {
        CSSColor.parse(text.lowercased() == "currentcolor" ? state.inherited["color"] ?? "black" : text)
    }

    private static func faded(_ color: RGBA8, by opacity: Double) -> RGBA8 {
        var color = color
        color.alpha = UInt8((Double(color.alpha) * opacity).rounded())
        return color
    }

    private mutating func meanColor(of id: String, _ state: State) -> RGBA8? {
        var node = nodes[id]
        // Stops may be those of another gradient.
        for _ in 0..<8 {
            let colors = (node?.children("stop") ?? []).compactMap { stop -> RGBA8? in
                let style = sheet.declarations(of: stop)
                return Self.color(style["stop-color"] ?? "black", state).map {
                    Self.faded($0, by: Self.fraction(style["stop-opacity"]))
                }
            }
            func mean(_ part: KeyPath<RGBA8, UInt8>) -> UInt8 {
                UInt8((colors.reduce(0) { $0 + Double($1[keyPath: part]) } / Double(colors.count)).rounded())
            }
            if !colors.isEmpty {
                return RGBA8(red: mean(\.red), green: mean(\.green), blue: mean(\.blue), alpha: mean(\.alpha))
            }
            node = (node?.attributes["href"]?.dropFirst()).flatMap { nodes[String($0)] }
        }
        return nil
    }

    /// A part of an outline on the canvas: points, none of which repeats the one before.
    private struct Subpath {
        var points: [Point]
        /// Whether there is more of it than where it begins.
        var hasSegments = false

        mutating func add(_ point: Point) {
            // Far finer than what is seen at any size, and shorter in a file.
            let place = Point(x: (point.x * 1e4).rounded() / 1e4, y: (point.y * 1e4).rounded() / 1e4)
            if place != points.last { points.append(place) }
        }
    }

    /// - Throws: `overLimit` for more points than a drawing may have.
    private func flattened(_ outline: ShapePath, _ map: AffineMap) throws(EngineError) -> [Subpath] {
        let outline = outline.withoutArcs
        var (subpaths, first): ([Subpath], Int) = ([], 0)
        for verb in outline.verbs {
            let own = outline.points[first..<first + verb.pointCount].map(map.point)
            first += own.count
            if verb == .move { subpaths.append(Subpath(points: [])) }
            var subpath = subpaths.removeLast()
            subpath.hasSegments = verb != .move
            switch verb {
            case .move, .line: subpath.add(own[0])
            case .close: subpath.add(subpath.points[0])
            case .quadratic:
                let from = subpath.points[subpath.points.count - 1]
                let (a, b) = (from + (2.0 / 3) * (own[0] - from), own[1] + (2.0 / 3) * (own[0] - own[1]))
                add(a, b, own[1], to: &subpath)
            case .cubic, .arc: add(own[0], own[1], own[2], to: &subpath)
            }
            let count = subpath.points.count
            subpaths.append(subpath)
            guard count <= page.tree.limits.points else {
                throw .overLimit(
                    page.tree.place, what: "the drawing", found: "more than \(page.tree.limits.points) points",
                    limit: "\(page.tree.limits.points)")
            }
        }
        return subpaths
    }

    private func add(_ b: Point, _ c: Point, _ d: Point, to subpath: inout Subpath) {
        let a = subpath.points[subpath.points.count - 1]
        let count = steps(a, b, c, d)
        for step in 1...count {
            let t = Double(step) / Double(count)
            let u = 1 - t
            subpath.add((u * u * u) * a + (3 * u * u * t) * b + (3 * u * t * t) * c + (t * t * t) * d)
        }
    }

    /// Into how many parts a curve is cut, so that its chords are close to it (Wang) and turn little.
    private func steps(_ a: Point, _ b: Point, _ c: Point, _ d: Point) -> Int {
        let bend = max((a - 2 * b + c).length, (b - 2 * c + d).length)
        let byDistance = (0.75 * bend / tolerance).squareRoot()
        var turn = 0.0
        let arms = [b - a, c - b, d - c].filter { $0.length > 0 }
        for (p, q) in zip(arms, arms.dropFirst()) { turn += abs(atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y)) }
        let count = max(byDistance, turn / Self.turnMax)
        return count.isFinite ? max(1, min(Int(count.rounded(.up)), 2000)) : 1
    }
}
