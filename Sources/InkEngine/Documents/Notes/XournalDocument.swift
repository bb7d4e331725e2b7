/// Notes of Xournal++ and Xournal (`.xopp`, `.xoj`): a page each, lengths in points (1/72 inch). Strokes with their widths,
/// highlighters, filled shapes, pictures and ruled paper.
///
/// Text is set in DejaVu Sans, whatever font it names. The pages of a PDF below notes are left out with a warning.
struct XournalDocument: DocumentReader {
    let endings = [".xopp", ".xoj"]
    let mayHavePages = true

    func recognizes(_ head: DocumentHead) -> Bool {
        let bytes = head.bytes
        let isNamed = endings.contains { head.name.lowercased().hasSuffix($0) }
        if InputKind.isArchive(bytes) {
            return isNamed || ArchiveType.of(bytes)?.hasPrefix("application/xournal") == true
        }
        return isNamed
            || Self.begins(bytes.starts(with: [0x1F, 0x8B]) ? RawInflate.gzipHead(bytes, limit: 4096) ?? [] : bytes)
    }

    private static func begins(_ text: [UInt8]) -> Bool {
        text.prefix(1024).holds("<xournal")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not a note")
        }
        let digest = SHA256()
        digest.update(label: "xournal", bytes)
        let text = try Self.text(bytes, name: name, limits: context.limits)
        let root = try XMLNode.read(text, "the note", place: place)
        guard root.name == "xournal" else { throw .badInput(place, reason: "is not a note of Xournal++") }
        var reader = XournalReader(DocumentTree("the note", place: place, limits: context.limits))
        let project = try reader.project(root)
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: reader.pages.tree.warnings.all, contentDigest: digest.finish()))))
    }

    /// The XML of a note: in gzip, in an archive, or as it is.
    private static func text(_ bytes: [UInt8], name: String, limits: Limits) throws(EngineError) -> [UInt8] {
        let place = Place(file: name)
        if InputKind.isArchive(bytes) {
            let bundle = try ZipBundle(bytes: bytes, name: name, limits: limits)
            guard let text = try bundle.read(try! BundlePath("content.xml"), limitBytes: limits.fileBytes) else {
                throw .badInput(place, reason: "holds no content.xml, it is not a note of Xournal++")
            }
            return text
        }
        return try GzipFile.contents(bytes, place: place, limits: limits)
    }
}

private struct XournalReader {
    var pages: NotePages
    private var paper: (color: RGBA8, style: String) = (.white, "plain")

    init(_ tree: DocumentTree) { pages = NotePages(tree, background: .white) }

    mutating func project(_ root: XMLNode) throws(EngineError) -> Project {
        for (index, node) in root.children("page").enumerated() {
            let (width, height) = (node.number("width") ?? 0, node.number("height") ?? 0)
            var paper = paper
            try pages.add(name: "", width: width, height: height) { (page) throws(EngineError) in
                try Self.addPaper(of: node, width, height, &paper, to: &page, "page \(index + 1)")
                for (number, layer) in node.children("layer").enumerated() {
                    try page.close()
                    for element in layer.children {
                        try Self.add(element, to: &page, "page \(index + 1), layer \(number + 1)")
                    }
                }
            }
            self.paper = paper
        }
        var project = try pages.finished()
        project.name = ""
        return project
    }

    // MARK: - Paper

    private static func addPaper(
        of node: XMLNode, _ width: Double, _ height: Double, _ paper: inout (color: RGBA8, style: String),
        to page: inout NotePage, _ path: String
    ) throws(EngineError) {
        guard let ground = node.child("background") else { return }
        switch ground.attributes["type"] {
        case "solid":
            if let color = color(ground.attributes["color"]) { paper.color = color }
            // A copy of the page before is marked as such.
            if let style = ground.attributes["style"], style != ":copy" { paper.style = style }
        case "pdf": page.leaveOut("pages of a PDF below notes", at: path)
        case "pixmap":
            if ground.text.trimmingBlanks.isEmpty {
                page.leaveOut("a background picture in another file, which is not opened", at: path)
            }
        default: break
        }
        let margin = NotePages.gap / 4
        if paper.color != .white {
            try page.addGround(
                paper.color, Rect(minX: -margin, minY: -margin, maxX: width + margin, maxY: height + margin))
        }
        try addRules(paper.style, width, height, to: &page)
    }

    /// As Xournal++ rules its papers, points.
    private static func addRules(
        _ style: String, _ width: Double, _ height: Double, to page: inout NotePage
    ) throws(EngineError) {
        let (blue, gray, pink) = (
            RGBA8(red: 0x40, green: 0xA0, blue: 0xFF), RGBA8(red: 0xBD, green: 0xBD, blue: 0xBD),
            RGBA8(red: 0xFF, green: 0, blue: 0x80)
        )
        func rule(_ color: RGBA8, _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) throws(EngineError) {
            try page.addLine(
                [.init(x: x0, y: y0, width: 0.5), .init(x: x1, y: y1, width: 0.5)], color: color, name: "Paper")
        }
        switch style {
        case "lined", "ruled":
            for y in stride(from: 80, to: height, by: 24) { try rule(blue, 0, y, width, y) }
            if style == "lined" { try rule(pink, 72, 0, 72, height) }
        case "graph":
            for y in stride(from: 14.17, to: height, by: 14.17) { try rule(gray, 0, y, width, y) }
            for x in stride(from: 14.17, to: width, by: 14.17) { try rule(gray, x, 0, x, height) }
        case "dotted":
            for y in stride(from: 14.17, to: height, by: 14.17) {
                for x in stride(from: 14.17, to: width, by: 14.17) {
                    try page.addLine([.init(x: x, y: y, width: 1.5)], color: gray, name: "Paper")
                }
            }
        case "plain", "": break
        default: page.leaveOut("ruled paper of the kind \(shownText(style, limit: 40))", at: nil)
        }
        try page.closePaper()
    }

    // MARK: - Elements

    private static func add(_ node: XMLNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        switch node.name {
        case "stroke": try addStroke(node, to: &page, path)
        case "image", "teximage":
            guard let left = node.number("left"), let top = node.number("top"), let right = node.number("right"),
                let bottom = node.number("bottom"), right > left, bottom > top
            else { return page.leaveOut("a picture without a place", at: path) }
            let text = Array(node.text.utf8)
            guard let bytes = try? text.withUnsafeBufferPointer({ try Base64.decode($0) }), !bytes.isEmpty else {
                return page.leaveOut("a picture in another file, or damaged", at: path)
            }
            if bytes.starts(with: "%PDF".utf8) { return page.leaveOut("a formula, which is a PDF", at: path) }
            try page.addPicture(
                bytes, Placement(x: left, y: top, width: right - left, height: bottom - top), path: path)
        case "text":
            guard let size = node.number("size"), let x = node.number("x"), let y = node.number("y"),
                let color = color(node.attributes["color"])
            else { return page.leaveOut("text without a place", at: path) }
            // Its upper left corner is given; DejaVu Sans stands 0.93 em above the baseline.
            try page.addText(
                node.text, x: x, y: y + 0.93 * size, size: size, lineHeight: 1.17 * size, color: color, path: path)
        default: page.leaveOut("<\(shownText(node.name, limit: 40))>", at: path)
        }
    }

    private static func addStroke(_ node: XMLNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        let numbers = numbers(node.text)
        let widths = numbers.isEmpty ? [] : Self.numbers(node.attributes["width"] ?? "")
        guard numbers.count >= 2, let width = widths.first else { return }
        guard var color = color(node.attributes["color"]) else {
            return page.leaveOut("a stroke whose colour is unknown", at: path)
        }
        let tool = node.attributes["tool"]
        // Old files mark text by opaque highlighters.
        let isHighlighter = tool == "highlighter"
        if isHighlighter, color.isOpaque { color.alpha = 127 }
        if tool == "eraser" { color = .white }
        var points: [NotePage.WidePoint] = []
        for index in 0..<(numbers.count / 2) {
            // One more than segments: the nominal width comes first.
            let own = widths.count > 1 ? widths[min(index + 1, widths.count - 1)] : width
            points.append(.init(x: numbers[2 * index], y: numbers[2 * index + 1], width: max(own, 0)))
        }
        let (mode, opacity): (BlendMode, Double) = isHighlighter ? (.multiply, Double(color.alpha) / 255) : (.normal, 1)
        if isHighlighter { color.alpha = 255 }
        if let fill = node.number("fill"), fill > 0, points.count > 2 {
            var inside = color
            inside.alpha = UInt8((min(fill, 255) * Double(color.alpha) / 255).rounded())
            try page.addShape(
                [points.map { Point(x: $0.x, y: $0.y) }], color: inside, mode: mode, layerOpacity: opacity)
        }
        for dash in NotePage.dashes(points, dashes(node.attributes["style"])) {
            try page.addLine(
                dash, color: color, mode: mode, layerOpacity: opacity, name: isHighlighter ? "Highlighter" : "Strokes")
        }
    }

    private static func dashes(_ style: String?) -> [Double] {
        switch style {
        case "dash": [6, 3]
        case "dot": [0.5, 3]
        case "dashdot": [6, 3, 0.5, 3]
        case let style? where style.hasPrefix("cust:"): numbers(String(style.dropFirst(5)))
        default: []
        }
    }

    /// All numbers of a list; what is none is passed over.
    private static func numbers(_ text: String) -> [Double] {
        text.utf8.split { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }.compactMap { word in
            Double(String(decoding: word, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    private static let names: [String: String] = [
        "black": "#000000", "blue": "#3333cc", "red": "#ff0000", "green": "#008000", "gray": "#808080",
        "lightblue": "#00c0ff", "lightgreen": "#00ff00", "magenta": "#ff00ff", "orange": "#ff8000",
        "yellow": "#ffff00", "white": "#ffffff", "pink": "#ffc0d4", "": "#000000",
    ]

    private static func color(_ text: String?) -> RGBA8? {
        guard let text else { return nil }
        return RGBA8(hex: names[text] ?? text)
    }
}
