import Glibc
import InkCodecs
import InkEngine

/// Where shapes lie: turned, then moved.
struct TldrawFrame {
    var x = 0.0
    var y = 0.0
    /// Radians, clockwise.
    var angle = 0.0

    static let identity = TldrawFrame()

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

    func inner(_ inner: TldrawFrame) -> TldrawFrame {
        let corner = point(Point(x: inner.x, y: inner.y))
        return TldrawFrame(x: corner.x, y: corner.y, angle: angle + inner.angle)
    }
}

/// A shape of a drawing: its properties, as tldraw shows them.
struct TldrawShape {
    private let record: JSONNode
    let type: String
    let id: String
    let props: JSONNode?
    let frame: TldrawFrame
    let opacity: Double

    init(_ record: JSONNode, frame: TldrawFrame, opacity: Double) {
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
