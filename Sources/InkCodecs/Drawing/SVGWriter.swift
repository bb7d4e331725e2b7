import InkEngine

/// Writes pictures as SVG.
struct SVGWriter: VectorWriter {
    static let name = "svg"
    static let hasAreas = true
    static let imageFormat = PictureFormat.png

    private let scene: VectorScene
    private var output: VectorOutput
    /// Names of stamps that are defined.
    private var shapes: [VectorStampShape: Int] = [:]
    private var symbols: [VectorSymbol: String] = [:]
    /// The ids of the project's symbols that are taken.
    private var symbolIDs: Set<String> = []
    private var gradients: [VectorGradient: Int] = [:]
    private var lastName = 0
    /// The name of the shape whose stamps are written, and what is not yet written of them.
    private var shape = 0
    private var pending: [UInt8] = []

    /// Bytes of stamps that are written at once.
    private static let pendingBytes = 1 << 16

    init(_ scene: VectorScene) {
        self.scene = scene
        output = VectorOutput(scene)
    }

    func path(_ line: LineStyle?) -> VectorPath { VectorPath(decimals: scene.decimals) }

    private mutating func newName() -> Int {
        lastName += 1
        return lastName
    }

    // MARK: File

    mutating func begin() throws(EngineError) {
        let density = scene.description.density
        var head = SVGHead.start(
            width: length(scene.output.width, density?.across), height: length(scene.output.height, density?.down))
        // The two scales differ by rounding.
        head.addSize("viewBox=\"0 0 ", scene.canvas, between: " ")
        head.add(" preserveAspectRatio=\"none\">\n")
        SVGHead.addText(scene.description.text, to: &head)
        try output.write(head)
    }

    private func length(_ edge: Int, _ dpi: Double?) -> String {
        guard let dpi else { return "\(edge)" }
        var text: [UInt8] = []
        text.addLength(Double(edge) / dpi)
        return String(decoding: text, as: UTF8.self) + "in"
    }

    mutating func end() throws(EngineError) { try SVGHead.end(&output, digest: scene.description.digest) }

    // MARK: Groups and masks

    mutating func open(_ group: VectorGroup) throws(EngineError) {
        var text: [UInt8] = []
        text.add("<g")
        if let name = group.name {
            text.add(" inkscape:groupmode=\"layer\"")
            if !name.isEmpty {
                text.add(" inkscape:label=\"")
                text.add(name.xmlEscaped)
                text.add("\"")
            }
        }
        if group.opacity < 1 {
            text.add(" opacity=\"")
            text.add(group.opacity, decimals: 5)
            text.add("\"")
        }
        if let mask = group.mask { text.add(" mask=\"url(#m\(mask))\"") }
        var styles: [String] = []
        if group.isIsolated { styles.append("isolation:isolate") }
        if group.blendMode != .normal { styles.append("mix-blend-mode:\(group.blendMode.hyphenatedName)") }
        if !styles.isEmpty { text.add(" style=\"\(styles.joined(separator: ";"))\"") }
        text.add(">\n")
        try output.write(text)
    }

    mutating func close(_ group: VectorGroup) throws(EngineError) { try output.write("</g>\n") }

    mutating func beginMask() throws(EngineError) -> Int {
        let name = newName()
        var text: [UInt8] = []
        text.addSize(
            "<mask id=\"m\(name)\" maskUnits=\"userSpaceOnUse\" x=\"0\" y=\"0\" width=\"", scene.canvas)
        text.add(">\n")
        try output.write(text)
        return name
    }

    mutating func endMask() throws(EngineError) { try output.write("</mask>\n") }

    // MARK: Marks

    mutating func fill(_ color: RGBA8) throws(EngineError) {
        var text: [UInt8] = []
        text.addSize("<rect width=\"", scene.canvas)
        text.addPaint("fill", color, alpha: Double(color.alpha) / 255)
        text.add("/>\n")
        try output.write(text)
    }

    mutating func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) throws(EngineError) {
        var text: [UInt8] = []
        var clip = ""
        if let footprint {
            let name = newName()
            var outline = path(nil)
            footprint.write(to: &outline, scale: scene.scale)
            text.add("<clipPath id=\"c\(name)\"><path")
            if footprint.rule == .evenodd { text.add(" clip-rule=\"evenodd\"") }
            text.add(" d=\"")
            text += outline.text
            text.add("\"/></clipPath>\n")
            clip = " clip-path=\"url(#c\(name))\""
        }
        if let line = paint.line {
            text.add("<path fill=\"none\"")
            text.addPaint("stroke", paint.color, alpha: paint.alpha)
            text.addLine(line)
        } else {
            text.add("<path")
            text.addPaint("fill", paint.color, alpha: paint.alpha)
        }
        text.add("\(clip) d=\"")
        try output.write(text)
    }

    mutating func add(_ path: inout VectorPath) throws(EngineError) { try output.write(path.takeText()) }

    mutating func end(_ paint: VectorPaint) throws(EngineError) { try output.write("\"/>\n") }

    // MARK: Stamps

    mutating func begin(_ stamps: VectorStamps) throws(EngineError) {
        shape = define(stamps.shape)
        pending.add("<g fill=\"none\"")
        pending.addPaint("stroke", stamps.color, alpha: stamps.alpha ?? 1)
        pending.addLine(stamps.line)
        pending.add(">\n")
    }

    mutating func add(_ stamp: Stamp, of stamps: VectorStamps) throws(EngineError) {
        let (center, decimals) = (stamp.center, scene.decimals)
        pending.add("<use xlink:href=\"#s\(shape)\"")
        if stamps.areAlike {
            pending.add(" x=\"")
            pending.add(center.x, decimals: decimals)
            pending.add("\" y=\"")
            pending.add(center.y, decimals: decimals)
        } else {
            pending.add(" transform=\"matrix(")
            for value in [stamp.along.x, stamp.along.y, stamp.across.x, stamp.across.y] {
                pending.add(stamp.size * value, decimals: decimals + 2)
                pending.add(" ")
            }
            pending.add(center.x, decimals: decimals)
            pending.add(" ")
            pending.add(center.y, decimals: decimals)
            pending.add(")")
        }
        pending.add("\"")
        if stamps.alpha == nil, stamp.alpha < 1 {
            pending.add(" stroke-opacity=\"")
            pending.add(Double(stamp.alpha), decimals: 4)
            pending.add("\"")
        }
        pending.add("/>\n")
        if pending.count > SVGWriter.pendingBytes { try writePending() }
    }

    mutating func end(_ stamps: VectorStamps) throws(EngineError) {
        pending.add("</g>\n")
        try writePending()
    }

    private mutating func writePending() throws(EngineError) {
        try output.write(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// The name of a shape, which is defined if it is not yet.
    private mutating func define(_ shape: VectorStampShape) -> Int {
        if let known = shapes[shape] { return known }
        if shapes.count >= scene.limits.definitions { shapes.removeAll() }
        let name = newName()
        shapes[shape] = name
        var path = VectorPath(decimals: shape.isFinal ? scene.decimals + 1 : scene.decimals + 2)
        shape.write(to: &path)
        pending.add("<defs><path id=\"s\(name)\" d=\"")
        pending += path.text
        pending.add("\"/></defs>\n")
        return name
    }

    // MARK: Shapes

    mutating func draw(_ shape: VectorShape) throws(EngineError) {
        let symbol = scene.symbol(of: shape)
        var paint: [UInt8] = []
        switch shape.fill {
        case .color(let color, let alpha): paint.addPaint("fill", color, alpha: alpha)
        case .gradient(var gradient, let alpha):
            // What a reference is filled with is moved along with it.
            if symbol != nil { gradient.map = .identity }
            paint.add(" fill=\"url(#g\(define(gradient)))\"")
            if alpha < 1 {
                paint.add(" fill-opacity=\"")
                paint.add(alpha, decimals: 4)
                paint.add("\"")
            }
        case .pattern: return
        }
        if shape.rule == .evenodd { paint.add(" fill-rule=\"evenodd\"") }
        if let symbol {
            let name = define(symbol, shape.path)
            pending.add("<use xlink:href=\"#\(name)\"")
            pending += paint
            pending.add(" transform=\"matrix(\(PDFText.matrix(shape.map)))\"/>\n")
        } else {
            var path = path(nil)
            shape.placed.write(to: &path, tolerance: scene.curveTolerance)
            pending.add("<path")
            pending += paint
            pending.add(" d=\"")
            pending += path.takeText()
            pending.add("\"/>\n")
        }
        try writePending()
    }

    /// The id of a symbol, which is defined if it is not yet.
    private mutating func define(_ symbol: VectorSymbol, _ path: ShapePath) -> String {
        if let known = symbols[symbol] { return known }
        if symbols.count >= scene.limits.definitions { symbols.removeAll() }
        let id = newID(of: symbol)
        symbols[symbol] = id
        var text = VectorPath(decimals: symbol.decimals)
        path.write(to: &text, tolerance: symbol.tolerance)
        pending.add("<defs><path id=\"\(id)\" d=\"")
        pending += text.takeText()
        pending.add("\"/></defs>\n")
        return id
    }

    /// The symbol's own id, so that programs find what it is; another one where the file has it already, or may have it.
    private mutating func newID(of symbol: VectorSymbol) -> String {
        let id = symbol.id.utf8
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let isName =
            id.first.map { isLetter($0) } == true
            && id.allSatisfy { isLetter($0) || isDigit($0) || "-_.".utf8.contains($0) }
        // The writer's own names are a letter and a number.
        guard isName, !id.dropFirst().allSatisfy(isDigit),
            symbolIDs.insert(symbol.id).inserted
        else { return "s\(newName())" }
        return symbol.id
    }

    /// The name of a gradient, which is defined if it is not yet.
    private mutating func define(_ gradient: VectorGradient) -> Int {
        if let known = gradients[gradient] { return known }
        if gradients.count >= scene.limits.definitions { gradients.removeAll() }
        let name = newName()
        gradients[gradient] = name
        var values: [(String, Double)]
        let kind: String
        switch gradient.kind {
        case .linear(let from, let to):
            kind = "linearGradient"
            values = [("x1", from.x), ("y1", from.y), ("x2", to.x), ("y2", to.y)]
        case .radial(let center, let radius):
            kind = "radialGradient"
            values = [("cx", center.x), ("cy", center.y), ("r", radius)]
        }
        pending.add("<\(kind) id=\"g\(name)\" gradientUnits=\"userSpaceOnUse\"")
        for (key, value) in values { pending.add(" \(key)=\"\(PDFText.factor(value))\"") }
        if gradient.map != .identity {
            pending.add(" gradientTransform=\"matrix(\(PDFText.matrix(gradient.map)))\"")
        }
        pending.add(">")
        for stop in gradient.stops {
            pending.add("<stop offset=\"")
            pending.add(stop.offset, decimals: 6)
            pending.add("\"")
            pending.addPaint("stop-color", stop.color, alpha: 1)
            if stop.color.alpha < 255 {
                pending.add(" stop-opacity=\"")
                pending.add(Double(stop.color.alpha) / 255, decimals: 4)
                pending.add("\"")
            }
            pending.add("/>")
        }
        pending.add("</\(kind)>\n")
        return name
    }

    mutating func draw(_ text: VectorText) throws(EngineError) {
        pending.add("<text fill-opacity=\"0\" font-family=\"sans-serif\" font-size=\"")
        pending.addLength(text.size)
        pending.add("\" textLength=\"")
        pending.addLength(text.length)
        let place = AffineMap(
            a: text.along.x, b: text.along.y, c: -text.along.y, d: text.along.x, x: text.origin.x, y: text.origin.y)
        pending.add("\" lengthAdjust=\"spacingAndGlyphs\" transform=\"matrix(\(PDFText.matrix(place)))\">")
        pending.add(text.text.xmlEscaped)
        pending.add("</text>\n")
        try writePending()
    }

    // MARK: Images

    /// Bytes of an image that are written at once: a multiple of three.
    private static let imageBytes = 3 << 16

    mutating func addImage(_ file: [UInt8], isPixelated: Bool) throws(EngineError) {
        var text: [UInt8] = []
        text.addSize("<image width=\"", scene.canvas)
        if isPixelated { text.add(" image-rendering=\"pixelated\"") }
        text.add(" preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,")
        try output.write(text)
        for start in stride(from: 0, to: file.count, by: Self.imageBytes) {
            try output.write(Base64.encode(Array(file[start..<min(start + Self.imageBytes, file.count)])))
        }
        try output.write("\"/>\n")
    }
}

/// The beginning and the end of SVG files.
enum SVGHead {
    static let declaration = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)

    /// - Parameters:
    ///   - width: with its unit.
    ///   - height: likewise.
    static func start(width: String, height: String) -> [UInt8] {
        var head = declaration
        head.add("<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"")
        head.add(" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" version=\"1.1\"")
        head.add(" width=\"\(width)\" height=\"\(height)\" ")
        return head
    }

    static func addText(_ text: [PictureText], to head: inout [UInt8]) {
        if text.isEmpty { return }
        if let title = text.first(where: { $0.keyword == .title }) {
            head.add("<title>")
            head.add(title.cleanedText.xmlEscaped)
            head.add("</title>\n")
        }
        head.add("<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"")
        head.add(" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\">")
        head.add("<rdf:Description rdf:about=\"\">")
        for entry in text {
            let name =
                switch entry.keyword {
                case .title: "dc:title"
                case .software: "xmp:CreatorTool"
                case .author: "dc:creator"
                case .copyright: "dc:rights"
                case .creationTime: "dc:date"
                }
            head.add("<\(name)>")
            head.add(entry.cleanedText.xmlEscaped)
            head.add("</\(name)>")
        }
        head.add("</rdf:Description></rdf:RDF></metadata>\n")
    }

    static func end(_ output: inout VectorOutput, digest: PictureDigest?) throws(EngineError) {
        try output.write("</svg>\n")
        if let digest { try output.write(SVGSeal.text(digest, crc: output.crc)) }
    }
}

extension [UInt8] {
    /// Appends a text, width and height, and a quotation mark.
    fileprivate mutating func addSize(_ start: String, _ size: CanvasSize, between: String = "\" height=\"") {
        add(start)
        addLength(size.width)
        add(between)
        addLength(size.height)
        add("\"")
    }

    fileprivate mutating func addPaint(_ name: String, _ color: RGBA8, alpha: Double) {
        add(" \(name)=\"\(color.shortHex)\"")
        guard alpha < 1 else { return }
        add(" \(name)-opacity=\"")
        add(alpha, decimals: 4)
        add("\"")
    }

    fileprivate mutating func addLine(_ line: LineStyle) {
        add(" stroke-width=\"")
        addLength(line.width)
        add("\"")
        if line.hasRoundCaps { add(" stroke-linecap=\"round\"") }
        if line.hasRoundJoins { add(" stroke-linejoin=\"round\"") }
    }
}
