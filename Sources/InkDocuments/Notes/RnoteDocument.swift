import Glibc
import InkCodecs
import InkEngine

/// Notes of rnote (`.rnote`) on an infinite canvas: brush strokes with their pressure, shapes, text and pictures, in the
/// order in which they were drawn.
struct RnoteDocument: FileDocumentReader {
    let what = "a note of rnote"
    let label = "rnote"
    let endings = [".rnote"]

    func recognizes(_ head: DocumentHead) -> Bool {
        if head.name.lowercased().hasSuffix(".rnote") { return true }
        guard head.bytes.starts(with: [0x1F, 0x8B]), let text = RawInflate.gzipHead(head.bytes, limit: 4096) else {
            return false
        }
        return text.holds("\"engine_snapshot\"")
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let text = try GzipFile.contents(bytes, place: place, limits: context.limits)
        let document = try JSONDocument(text, file: place.file, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        guard let snapshot = document.root.field("data")?.field("engine_snapshot"),
            let components = snapshot.field("stroke_components"), components.kind == .array
        else { throw .badInput(place, reason: "is not a note of rnote: it has no strokes of an engine snapshot") }
        var page = NotePage(
            origin: Point(x: 0, y: 0), DocumentTree("the note", place: place, limits: context.limits))
        let ground =
            snapshot.field("document")?.field("background")
            ?? snapshot.field("document")?.field("config")?.field("background")
        if let pattern = ground?.field("pattern")?.string, pattern != "none" {
            page.leaveOut("ruled paper (\(shownText(pattern, limit: 20)))", at: nil)
        }
        for (number, stroke) in Self.ordered(components, snapshot.field("chrono_components")) {
            try RnoteStroke.add(stroke, to: &page, "stroke \(number + 1)")
        }
        page.close()
        let background = ground?.field("color").flatMap(RnoteStroke.color) ?? .white
        var project = Project(canvasSize: nil, background: background, layers: page.layers)
        project.hasColorProfiles = true
        return (project, page.tree.warnings.all)
    }

    /// Strokes by their layer, then by their time. Pictures lie below what is written.
    private static func ordered(_ components: JSONNode, _ times: JSONNode?) -> [(number: Int, stroke: JSONNode)] {
        var order: [(layer: Int, time: Double)] = []
        for node in times?.elements.map({ $0 }) ?? [] {
            let value = node.field("value")
            let layer: Int
            switch value?.field("layer") {
            case let name? where name.string == "document": layer = 0
            case let name? where name.string == "image": layer = 1
            case let name? where name.string == "highlighter": layer = 2
            default: layer = 3 + Int(max(0, min(value?.field("layer")?.field("user_layer")?.number ?? 0, 1e6)))
            }
            order.append((layer, value?.field("t")?.number ?? 0))
        }
        let strokes = components.elements.enumerated().compactMap { number, node in
            node.field("value").map { (number: number, stroke: $0) }
        }
        func key(_ number: Int) -> (Int, Double, Int) {
            number < order.count ? (order[number].layer, order[number].time, number) : (3, 0, number)
        }
        return strokes.sorted { key($0.number) < key($1.number) }
    }
}

/// One element of a note.
private enum RnoteStroke {
    static func add(_ node: JSONNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        if let stroke = node.field("brushstroke") {
            try addBrush(stroke, to: &page, path)
        } else if let shape = node.field("shapestroke") {
            try addShape(shape, to: &page, path)
        } else if let text = node.field("textstroke") {
            try addText(text, to: &page, path)
        } else if let picture = node.field("vectorimage") {
            guard let svg = picture.field("svg_data")?.string, let place = placement(picture.field("rectangle")) else {
                return page.leaveOut("a picture without a place", at: path)
            }
            try page.addPicture(Array(svg.utf8), place, path: path)
        } else if let picture = node.field("bitmapimage") {
            try addBitmap(picture, to: &page, path)
        } else {
            page.leaveOut("an element of the kind \(shownText(node.keys.first ?? "?", limit: 40))", at: path)
        }
    }

    static func color(_ node: JSONNode) -> RGBA8? {
        func byte(_ key: StaticString) -> UInt8? {
            node.field(key)?.number.map { UInt8((255 * min(max($0, 0), 1)).rounded()) }
        }
        guard let red = byte("r"), let green = byte("g"), let blue = byte("b"), let alpha = byte("a") else {
            return nil
        }
        return RGBA8(red: red, green: green, blue: blue, alpha: alpha)
    }

    private struct Style {
        var width: Double
        var stroke: RGBA8?
        var fill: RGBA8?
        var curve: String
        var dashes: [Double] = []
    }

    private static func style(_ node: JSONNode?, to page: inout NotePage, _ path: String) -> Style? {
        if node?.field("textured") != nil { page.leaveOut("the texture of a brush", at: path) }
        if node?.field("rough") != nil { page.leaveOut("the wobble and the hatching of rough shapes", at: path) }
        guard let style = node?.field("smooth") ?? node?.field("rough") ?? node?.field("textured") else { return nil }
        let width = min(max(style.field("stroke_width")?.number ?? 2, 0.01), 1e6)
        var found = Style(
            width: width, stroke: style.field("stroke_color").flatMap(color),
            fill: style.field("fill_color").flatMap(color), curve: style.field("pressure_curve")?.string ?? "const")
        switch style.field("line_style")?.string {
        case "dotted": found.dashes = [0.01 * width, 2 * width]
        case "dashed_narrow": found.dashes = [3 * width, 2 * width]
        case "dashed_equidistant": found.dashes = [3 * width, 3 * width]
        case "dashed_wide": found.dashes = [3 * width, 5 * width]
        default: break
        }
        page.leaveOutUnused(of: ReadObject(style, reading: readOfStyle), unreadOfStyle, at: path)
        return found
    }

    private static let readOfStyle: [StaticString] = [
        "stroke_width", "stroke_color", "fill_color", "pressure_curve", "line_style",
    ]
    // Properties of textured and rough lines, which messages name as such, and how lines end, which hardly shows.
    private static let unreadOfStyle = UnreadProperties(
        of: "a line",
        harmless: [
            "line_cap", "piet_stroke_style", "shape_type", "seed", "density", "radii", "distribution", "roughness",
            "bowing", "curve_stepcount", "fill_style", "fill_weight", "hachure_angle", "hachure_gap",
            "disable_multistroke", "disable_multistroke_fill", "preserve_vertices", "simplification",
            "max_randomness_offset",
            "curve_fitting", "curve_tightness", "stroke_line_dash",
        ])
    private static let unreadOfText = UnreadProperties(
        of: "a text",
        harmless: ["font_family", "font_weight", "font_style", "font_stretch", "max_width_enabled=false"],
        words: [
            "ranged_text_attributes": "the fonts and colours of parts of a text",
            "max_width_enabled": "where lines of a text are broken for its width",
        ])

    private static func width(_ style: Style, _ pressure: Double) -> Double {
        let p = min(max(pressure, 0), 1)
        switch style.curve {
        case "linear": return style.width * p
        case "sqrt": return style.width * p.squareRoot()
        case "cbrt": return style.width * cbrt(p)
        case "pow2": return style.width * p * p
        case "pow3": return style.width * p * p * p
        default: return style.width
        }
    }

    private static func point(_ node: JSONNode?) -> Point? {
        let numbers = node?.elements.prefix(2).compactMap(\.number) ?? []
        return numbers.count == 2 ? Point(x: numbers[0], y: numbers[1]) : nil
    }

    private static func addBrush(_ node: JSONNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        guard let style = style(node.field("style"), to: &page, path), let color = style.stroke, color.alpha > 0,
            let start = node.field("path")?.field("start"), let first = point(start.field("pos"))
        else { return }
        var last = (place: first, pressure: start.field("pressure")?.number ?? 1)
        var line = [NotePage.WidePoint(x: first.x, y: first.y, width: width(style, last.pressure))]
        for segment in node.field("path")?.field("segments")?.elements.map({ $0 }) ?? [] {
            let kind = segment.field("lineto") ?? segment.field("quadbezto") ?? segment.field("cubbezto")
            guard let end = point(kind?.field("end")?.field("pos")) else { continue }
            let pressure = kind?.field("end")?.field("pressure")?.number ?? last.pressure
            let controls = ["cp", "cp1", "cp2"].compactMap { kind?.member(named: $0) }.compactMap(point)
            for (step, place) in curve(last.place, controls, end).enumerated() {
                let count = Double(controls.isEmpty ? 1 : curvePieces)
                let share = Double(step + 1) / count
                line.append(
                    .init(
                        x: place.x, y: place.y, width: width(style, last.pressure + (pressure - last.pressure) * share))
                )
            }
            last = (end, pressure)
        }
        for dash in NotePage.dashes(line, style.dashes) { try page.addLine(dash, color: color, isFreehand: true) }
    }

    private static let curvePieces = 12

    /// The points of a line or curve behind its first.
    private static func curve(_ start: Point, _ controls: [Point], _ end: Point) -> [Point] {
        guard !controls.isEmpty else { return [end] }
        let first = controls.count == 1 ? start + (2.0 / 3) * (controls[0] - start) : controls[0]
        let second = controls.count == 1 ? end + (2.0 / 3) * (controls[0] - end) : controls[1]
        return (1...curvePieces).map { step in
            let t = Double(step) / Double(curvePieces)
            let u = 1 - t
            return (u * u * u) * start + (3 * u * u * t) * first + (3 * u * t * t) * second + (t * t * t) * end
        }
    }

    /// Reads a map of 2 x 3 or 3 x 3 numbers, column by column.
    private static func affine(_ node: JSONNode?) -> AffineMap? {
        let n =
            (node?.field("affine") ?? node?.field("transform")?.field("affine"))?.elements.compactMap(\.number) ?? []
        guard n.allSatisfy(\.isFinite) else { return nil }
        return switch n.count {
        case 6: AffineMap(a: n[0], b: n[1], c: n[2], d: n[3], x: n[4], y: n[5])
        case 9: AffineMap(a: n[0], b: n[1], c: n[3], d: n[4], x: n[6], y: n[7])
        default: nil
        }
    }

    /// A picture's rectangle: half of its size before it is stretched and turned.
    private static func placement(_ node: JSONNode?) -> Placement? {
        guard let half = point(node?.field("cuboid")?.field("half_extents")), let map = affine(node) else { return nil }
        let width = 2 * half.x * Point(x: map.a, y: map.b).length
        let height = 2 * half.y * Point(x: map.c, y: map.d).length
        return Placement(
            x: map.x - width / 2, y: map.y - height / 2, width: width, height: height,
            rotation: atan2(map.b, map.a) * 180 / .pi)
    }

    private static func addShape(_ node: JSONNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        guard let style = style(node.field("style"), to: &page, path), let shape = node.field("shape"),
            let kind = shape.keys.first, let value = shape.member(named: kind)
        else { return }
        var points: [Point] = []
        var isClosed = false
        let (start, end) = (point(value.field("start")), point(value.field("end") ?? value.field("tip")))
        switch kind {
        case "line", "arrow":
            if let start, let end { points = [start, end] }
        case "quadbez", "cubbez":
            let controls = ["cp", "cp1", "cp2"].compactMap { value.member(named: $0) }.compactMap(point)
            if let start, let end { points = [start] + curve(start, controls, end) }
        case "polyline", "polygon":
            if let start { points = [start] + (value.field("path")?.elements.compactMap { point($0) } ?? []) }
            isClosed = kind == "polygon"
        case "rectangle", "rect":
            if let half = point(value.field("cuboid")?.field("half_extents")), let map = affine(value) {
                points = [(-1, -1), (1, -1), (1, 1), (-1, 1)].map {
                    map.point(Point(x: $0.0 * half.x, y: $0.1 * half.y))
                }
                isClosed = true
            }
        case "ellipse":
            if let radii = point(value.field("radii")), let map = affine(value) {
                points = (0..<96).map { step in
                    let (sine, cosine) = sinCos(degrees: 3.75 * Double(step))
                    return map.point(Point(x: radii.x * cosine, y: radii.y * sine))
                }
                isClosed = true
            }
        default: break
        }
        guard points.count > 1 else {
            return page.leaveOut("a shape of the kind \(shownText(kind, limit: 40))", at: path)
        }
        if isClosed, let fill = style.fill, fill.alpha > 0 { try page.addShape([points], color: fill) }
        guard let color = style.stroke, color.alpha > 0 else { return }
        let line = (isClosed ? points + [points[0]] : points).map {
            NotePage.WidePoint(x: $0.x, y: $0.y, width: style.width)
        }
        for dash in NotePage.dashes(line, style.dashes) { try page.addLine(dash, color: color) }
        if kind == "arrow" {
            let along = points[1] - points[0]
            guard along.length > 0 else { return }
            for degrees in [150.0, -150] {
                let (sine, cosine) = sinCos(degrees: degrees)
                let arm = (4 * style.width + 8) / along.length
                let tail =
                    points[1] + arm * Point(x: cosine * along.x - sine * along.y, y: sine * along.x + cosine * along.y)
                try page.addLine(
                    [
                        .init(x: tail.x, y: tail.y, width: style.width),
                        .init(x: points[1].x, y: points[1].y, width: style.width),
                    ],
                    color: color)
            }
        }
    }

    private static func addText(_ node: JSONNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        let style = node.field("text_style")
        guard let text = node.field("text")?.string, let map = affine(node) else {
            return page.leaveOut("text without a place", at: path)
        }
        if let style {
            let read = ReadObject(style, reading: ["font_size", "alignment", "max_width", "color"])
            page.leaveOutUnused(of: read, unreadOfText, at: path)
        }
        let size = style?.field("font_size")?.number ?? 32
        let align: Double =
            switch style?.field("alignment")?.string {
            case "center": 0.5
            case "end": 1
            default: 0
            }
        try page.addText(
            text, x: align * (style?.field("max_width")?.number ?? 0), y: 0.93 * size, size: size,
            lineHeight: 1.17 * size,
            align: align, color: style?.field("color").flatMap(color) ?? .black, turned: map.point, path: path)
    }

    private static func addBitmap(_ node: JSONNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        guard let image = node.field("image"), let text = image.field("data")?.utf8,
            let place = placement(node.field("rectangle") ?? image.field("rectangle")),
            let width = image.field("pixel_width")?.number.flatMap({ Int(exactly: $0) }),
            let height = image.field("pixel_height")?.number.flatMap({ Int(exactly: $0) }),
            width > 0, height > 0, width < 1 << 20, height < 1 << 20, width * height <= page.tree.limits.imagePixels,
            image.field("memory_format")?.string == "R8g8b8a8Premultiplied",
            var pixels = Base64.bytes(of: text), pixels.count == 4 * width * height
        else { return page.leaveOut("a picture that is damaged or of an unknown kind", at: path) }
        for pixel in 0..<(width * height) {
            let alpha = Int(pixels[4 * pixel + 3])
            guard alpha > 0, alpha < 255 else { continue }
            for k in 0..<3 {
                pixels[4 * pixel + k] = UInt8(min(255, (Int(pixels[4 * pixel + k]) * 255 + alpha / 2) / alpha))
            }
        }
        var png = PNGFile(PixelSize(width: width, height: height), bytesPerPixel: 4)
        try png.append(pixels)
        try page.addPicture(png.finish(), place, path: path)
    }
}
