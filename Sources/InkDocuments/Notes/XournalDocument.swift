import InkCodecs
import InkEngine

/// Notes of Xournal++ and Xournal (`.xopp`, `.xoj`): a page each, lengths in points (1/72 inch). Strokes with their widths,
/// highlighters, filled shapes, pictures and ruled paper.
///
/// Text is set in DejaVu Sans, whatever font it names. The pages of a PDF below notes are left out with a warning.
struct XournalDocument: FileDocumentReader {
    let what = "a note"
    let label = "xournal"
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

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bytes = bytes
        let limits = context.limits
        let bundle = InputKind.isArchive(bytes) ? try ZipBundle(bytes: bytes, name: place.file, limits: limits) : nil
        let text =
            if let bundle { try Self.content(of: bundle, place, limits) } else {
                try GzipFile.contents(bytes, place: place, limits: limits)
            }
        let root = try XMLNode.read(text, "the note", place: place)
        guard root.name == "xournal" else { throw .badInput(place, reason: "is not a note of Xournal++") }
        var reader = XournalReader(DocumentTree("the note", place: place, limits: limits), bundle)
        return (try reader.project(root), reader.pages.tree.warnings.all)
    }

    private static func content(
        of bundle: ZipBundle, _ place: Place, _ limits: Limits
    ) throws(EngineError) -> [UInt8] {
        guard let text = try bundle.read(try! BundlePath("content.xml"), limitBytes: limits.fileBytes) else {
            throw .badInput(place, reason: "holds no content.xml, it is not a note of Xournal++")
        }
        return text
    }
}

private struct XournalReader {
    var pages: NotePages
    /// What a packed note holds beside its text.
    private let bundle: ZipBundle?

    init(_ tree: DocumentTree, _ bundle: ZipBundle?) {
        pages = NotePages(tree, background: .white)
        self.bundle = bundle
    }

    // What of a note changes nothing, or is named elsewhere. Documents say that text has a font of its own here.
    private static let root = UnreadProperties(
        of: "the note", harmless: ["creator", "version", "fileversion", "<title>", "<preview>", "<audio>"])
    private static let page = UnreadProperties(of: "a page", harmless: [])
    private static let background = UnreadProperties(
        of: "a background", harmless: ["name", "pageno", "domain", "filename"])
    private static let layer = UnreadProperties(of: "a layer", harmless: ["name"])
    private static let stroke = UnreadProperties(
        of: "a stroke", harmless: ["ts", "fn", "capStyle=round"],
        words: ["capStyle": "flat ends of lines, which are round here"])
    private static let picture = UnreadProperties(of: "a picture", harmless: ["text", "ts", "fn"])
    private static let text = UnreadProperties(
        of: "a text", harmless: ["font", "ts", "fn"],
        words: [
            "wrap": "where lines of a text are broken for its width", "align": "how lines of a text are aligned",
            "justify": "how lines of a text are aligned",
        ])

    mutating func project(_ root: XMLNode) throws(EngineError) -> Project {
        let nodes = root.children("page")
        var paper = XournalPaper()
        let papers = nodes.map { node in
            Self.read(node.child("background"), into: &paper)
            return paper
        }
        // Paper of one colour is the background of all pages.
        let ground = Set(papers.map(\.color)).count == 1 ? papers[0].color : .white
        pages.ground = ground
        let reader = self
        for (index, node) in nodes.enumerated() {
            let (width, height) = (node.number("width") ?? 0, node.number("height") ?? 0)
            let path = "page \(index + 1)"
            try pages.add(name: "", width: width, height: height) { (page) throws(EngineError) in
                let paper = papers[index]
                if paper.color != ground {
                    let margin = NotePages.gap / 4
                    try page.addGround(
                        paper.color, Rect(minX: -margin, minY: -margin, maxX: width + margin, maxY: height + margin))
                }
                try reader.addBackground(of: node, paper, width, height, to: &page, path)
                for (number, layer) in node.children("layer").enumerated() {
                    page.close()
                    let path = "\(path), layer \(number + 1)"
                    for element in layer.children { try reader.add(element, to: &page, path) }
                    page.leaveOutUnused(of: layer, Self.layer, at: path)
                }
                page.leaveOutUnused(of: node, Self.page, at: path)
            }
        }
        pages.leaveOutUnused(of: root, Self.root, at: nil)
        var project = try pages.finished()
        project.name = ""
        return project
    }

    // MARK: - Paper

    /// What a page does not say is as on the page before.
    private static func read(_ ground: XMLNode?, into paper: inout XournalPaper) {
        guard let ground, ground.attributes["type"] == "solid" else { return }
        let text = ground.attributes["color"] ?? ""
        if var color = color(XournalPaper.names[text] ?? text) {
            // Xournal++ has no paper that is seen through.
            color.alpha = 255
            paper.color = color
        }
        let config = ground.attributes["config"] ?? ""
        // A copy of the page before is marked as such.
        guard let style = ground.attributes["style"], style != ":copy" else { return }
        (paper.style, paper.config) = (style, config)
    }

    private func addBackground(
        of node: XMLNode, _ paper: XournalPaper, _ width: Double, _ height: Double, to page: inout NotePage,
        _ path: String
    ) throws(EngineError) {
        guard let ground = node.child("background") else { return }
        switch ground.attributes["type"] {
        case "pdf": page.leaveOut("pages of a PDF below notes", at: path)
        case "pixmap":
            let whole = Placement(x: 0, y: 0, width: width, height: height)
            let name = ground.attributes["filename"] ?? ground.text.trimmingBlanks
            let isInside = bundle != nil && ground.attributes["domain"] == "attach"
            let isDrawn = isInside ? try addAttachment(name, whole, to: &page, path) : false
            if !isDrawn {
                page.leaveOut("a background picture in another file, which is not opened", at: path)
            }
        default: try addRules(paper, width, height, to: &page, path)
        }
        page.leaveOutUnused(of: ground, Self.background, at: path)
    }

    private func addRules(
        _ paper: XournalPaper, _ width: Double, _ height: Double, to page: inout NotePage, _ path: String
    ) throws(EngineError) {
        switch paper.ruling(width: width, height: height) {
        case .unknown: page.leaveOut("ruled paper of the kind \(shownText(paper.style, limit: 40))", at: path)
        case .tooMany: page.leaveOut("ruled paper of too many lines", at: path)
        case .marks(let marks, let settings):
            for setting in settings {
                page.leaveOut("the setting \(shownText(setting, limit: 20)) of ruled paper", at: path)
            }
            for mark in marks {
                try page.addLine(
                    mark.points.map { .init(x: $0.x, y: $0.y, width: mark.width) }, color: mark.color, name: "Paper")
            }
        }
        page.closePaper()
    }

    // MARK: - Elements

    /// Adds a picture that lies in the archive of a packed note.
    ///
    /// - Returns: whether there is such a file.
    private func addAttachment(
        _ name: String, _ place: Placement, to page: inout NotePage, _ path: String
    ) throws(EngineError) -> Bool {
        // A name that is no path inside the archive names no file of it.
        guard let bundle, let file = try? BundlePath(name) else { return false }
        let bytes: [UInt8]
        do throws(EngineError) {
            guard let found = try bundle.read(file, limitBytes: page.tree.limits.fileBytes) else { return false }
            bytes = found
        } catch {
            guard let reason = error.leftOutReason else { throw error }
            page.leaveOut("a picture: \(reason)", at: path)
            return true
        }
        try add(bytes, place, to: &page, path)
        return true
    }

    private func add(
        _ bytes: [UInt8], _ place: Placement, to page: inout NotePage, _ path: String
    ) throws(EngineError) {
        if bytes.starts(with: "%PDF".utf8) { return page.leaveOut("a formula, which is a PDF", at: path) }
        try page.addPicture(bytes, place, path: path)
    }

    private func add(_ node: XMLNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        switch node.name {
        case "stroke":
            try Self.addStroke(node, to: &page, path)
            page.leaveOutUnused(of: node, Self.stroke, at: path)
        case "image", "teximage":
            try addPicture(node, to: &page, path)
            page.leaveOutUnused(of: node, Self.picture, at: path)
        case "text":
            try Self.addText(node, to: &page, path)
            page.leaveOutUnused(of: node, Self.text, at: path)
        // When what follows was recorded.
        case "timestamp": break
        default: page.leaveOut("<\(shownText(node.name, limit: 40))>", at: path)
        }
    }

    private func addPicture(_ node: XMLNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        let (text, attachment) = (Array(node.text.utf8), node.child("attachment"))
        guard let left = node.number("left"), let top = node.number("top"), let right = node.number("right"),
            let bottom = node.number("bottom"), right > left, bottom > top
        else { return page.leaveOut("a picture without a place", at: path) }
        let place = Placement(x: left, y: top, width: right - left, height: bottom - top)
        if let name = attachment?.attributes["path"] {
            guard try !addAttachment(name, place, to: &page, path) else { return }
            return page.leaveOut("a picture in another file, which is not in the archive", at: path)
        }
        guard let bytes = Base64.bytes(of: text), !bytes.isEmpty else {
            return page.leaveOut("a picture in another file, or damaged", at: path)
        }
        try add(bytes, place, to: &page, path)
    }

    private static func addText(_ node: XMLNode, to page: inout NotePage, _ path: String) throws(EngineError) {
        guard let size = node.number("size"), let x = node.number("x"), let y = node.number("y"),
            let color = color(node.attributes["color"])
        else { return page.leaveOut("text without a place", at: path) }
        // Its upper left corner is given; DejaVu Sans stands 0.93 em above the baseline.
        try page.addText(
            node.text, x: x, y: y + 0.93 * size, size: size, lineHeight: 1.17 * size, color: color, path: path)
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
        "yellow": "#ffff00", "white": "#ffffff", "": "#000000",
    ]

    private static func color(_ text: String?) -> RGBA8? {
        guard let text else { return nil }
        return RGBA8(hex: names[text] ?? text)
    }
}
