import InkEngine

/// Writes pictures as PDF files of lines and areas, of one page.
///
/// What a group draws is kept, packed, until the group ends, because PDF has no streams inside of streams.
struct PDFWriter: VectorWriter {
    static let name = "pdf"
    static let hasAreas = true
    static let imageFormat = PictureFormat.pdf

    private typealias Numbers = PDFAssembler.Numbers

    private let scene: VectorScene
    private let description: PictureDescription
    private var output: VectorOutput
    private var body = PDFBody()
    private let profile, metadata, info: Int
    /// Streams that are not complete, each inside of the one before; the first is the page's.
    private var contents: [PDFContent] = []
    /// The numbers of stamps' forms.
    private var shapes: [Shape: Int] = [:]
    private var symbols: [SymbolForm: Int] = [:]
    private var gradients: [VectorGradient: PDFGradient] = [:]
    private var font: PDFTextFont?
    private var form = 0
    private var isClipping = false

    private struct Shape: Hashable {
        var lines: VectorStampShape
        /// Whether it is an area.
        var isThin: Bool
    }

    private struct SymbolForm: Hashable {
        var symbol: VectorSymbol
        var rule: FillRule
    }

    init(_ scene: VectorScene) {
        self.scene = scene
        output = VectorOutput(scene)
        description = scene.description
        for _ in Numbers.catalog...Numbers.contents { _ = body.reserve() }
        profile = body.reserve()
        metadata = XMPPacket.makeWithExif(description) == nil ? 0 : body.reserve()
        info = PDFAssembler.info(description) == nil ? 0 : body.reserve()
    }

    func path(_ line: LineStyle?) -> PDFPath {
        guard let line, isThin(line) else { return PDFPath(decimals: scene.decimals) }
        return PDFPath(decimals: scene.decimals + 1, outlining: line)
    }

    /// Whether a line becomes an area: readers make lines a whole pixel wide at least, and move them to whole pixels.
    private func isThin(_ line: LineStyle, scale: Double = 1) -> Bool {
        line.width * scale * scene.scale.largest <= PDFWriter.thinPixels
    }

    private static let thinPixels = 1.05

    /// How a path is painted that became an area.
    private func drawn(_ paint: VectorPaint, scale: Double = 1) -> VectorPaint {
        guard let line = paint.line, isThin(line, scale: scale) else { return paint }
        return VectorPaint(color: paint.color, alpha: paint.alpha)
    }

    private var bounds: String {
        "[0 0 \(PDFText.factor(scene.canvas.width)) \(PDFText.factor(scene.canvas.height))]"
    }

    private mutating func draw(_ text: String) throws(EngineError) { try draw(Array(text.utf8)) }

    private mutating func draw(_ text: [UInt8]) throws(EngineError) { try contents[contents.count - 1].add(text) }

    private mutating func change(_ change: (inout PDFContent) -> [UInt8]) throws(EngineError) {
        try draw(change(&contents[contents.count - 1]))
    }

    // MARK: File

    mutating func begin() throws(EngineError) {
        var bytes = body.add(PDFAssembler.header)
        let packet = XMPPacket.makeWithExif(description)
        bytes += body.object(
            Numbers.catalog,
            PDFAssembler.catalog(
                pages: Numbers.pages, profile: profile, metadata: packet == nil ? nil : metadata))
        bytes += body.object(Numbers.pages, "<< /Type /Pages /Kids [\(Numbers.page) 0 R] /Count 1 >>")
        bytes += body.stream(profile, "/N 3", SRGBProfile.bytes)
        if let packet { bytes += body.stream(metadata, "/Type /Metadata /Subtype /XML", packet) }
        if let info = PDFAssembler.info(description) { bytes += body.object(self.info, info) }
        try output.write(bytes)
        try openContent(isBase: true)
        let page = self.page
        try draw(
            "\(PDFText.factor(page.width / scene.canvas.width)) 0 0 "
                + "\(PDFText.factor(-page.height / scene.canvas.height)) 0 \(PDFText.factor(page.height)) cm\n")
    }

    private var page: PDFPage {
        PDFPage(fitting: scene.output, scene.picture.encoding, description.density)
    }

    mutating func end() throws(EngineError) {
        let content = contents.removeLast()
        let stream = try content.end()
        if let font { try output.write(font.objects(&body)) }
        var bytes = body.stream(Numbers.contents, "/Filter /FlateDecode", stream)
        bytes += body.object(
            Numbers.page, page.dictionary(isTransparent: true, resources: content.resources))
        bytes += body.ending(info: info, digest: description.digest)
        try output.write(bytes)
    }

    /// - Parameter isBase: whether the graphics state of no other stream is continued.
    private mutating func openContent(isBase: Bool = false) throws(EngineError) {
        contents.append(try PDFContent(scene.picture.encoding.effort, isPage: contents.isEmpty))
        // Some readers make thin lines a whole pixel wide unless they are told not to.
        if isBase { try change { Array("/\($0.state("/SA false")) gs\n".utf8) } }
    }

    /// Writes the latest content as a form.
    private mutating func closeForm(_ number: Int, _ entries: String) throws(EngineError) {
        let content = contents.removeLast()
        let stream = try content.end()
        try output.write(
            body.stream(
                number,
                "/Type /XObject /Subtype /Form \(entries) /Resources \(content.resources) /Filter /FlateDecode", stream)
        )
    }

    // MARK: Groups and masks

    private static let group = "/Group << /S /Transparency /CS /DeviceRGB /I true >>"

    mutating func open(_ group: VectorGroup) throws(EngineError) {
        if group.isForm { try openContent() }
    }

    mutating func close(_ group: VectorGroup) throws(EngineError) {
        guard group.isForm else { return }
        let number = body.reserve()
        try closeForm(number, "/BBox \(bounds) \(PDFWriter.group)")
        let alpha = PDFText.number(group.opacity)
        var state = "/CA \(alpha) /ca \(alpha) /BM /\(group.blendMode.pdfName)"
        if let mask = group.mask { state += " /SMask << /S /Luminosity /G \(mask) 0 R >>" }
        try change { content in
            Array("q /\(content.state(state)) gs /\(content.object(number)) Do Q\n".utf8)
        }
    }

    mutating func beginMask() throws(EngineError) -> Int {
        try openContent(isBase: true)
        let number = body.reserve()
        contents[contents.count - 1].number = number
        return number
    }

    mutating func endMask() throws(EngineError) {
        try closeForm(contents[contents.count - 1].number, "/BBox \(bounds) \(PDFWriter.group)")
    }

    // MARK: Marks

    mutating func fill(_ color: RGBA8) throws(EngineError) {
        try change { $0.paint(VectorPaint(color: color, alpha: Double(color.alpha) / 255)) }
        try draw("0 0 \(PDFText.factor(scene.canvas.width)) \(PDFText.factor(scene.canvas.height)) re f\n")
    }

    mutating func begin(_ paint: VectorPaint, inside footprint: VectorFootprint?) throws(EngineError) {
        isClipping = footprint != nil
        if let footprint {
            var outline = path(nil)
            footprint.write(to: &outline, scale: scene.scale)
            try change { $0.save() }
            try draw(outline.takeText() + Array((footprint.rule == .evenodd ? "W* n\n" : "W n\n").utf8))
        }
        let paint = drawn(paint)
        try change { $0.paint(paint) }
    }

    mutating func add(_ path: inout PDFPath) throws(EngineError) { try draw(path.takeText()) }

    mutating func end(_ paint: VectorPaint) throws(EngineError) {
        try draw(drawn(paint).line == nil ? "f\n" : "S\n")
        if isClipping { try change { $0.restore() } }
    }

    mutating func begin(_ stamps: VectorStamps) throws(EngineError) {
        let paint = drawn(
            VectorPaint(color: stamps.color, alpha: stamps.alpha ?? 1, line: stamps.line), scale: stamps.scaleMax)
        form = try define(Shape(lines: stamps.shape, isThin: paint.line == nil), stamps.line)
        try change { $0.paint(paint) }
    }

    mutating func add(_ stamp: Stamp, of stamps: VectorStamps) throws(EngineError) {
        let (decimals, form) = (scene.decimals, form)
        try change { content in
            var text = stamps.alpha == nil ? content.alpha(Double(stamp.alpha)) : []
            text.add("q ")
            if stamps.areAlike {
                text.add("1 0 0 1 ")
            } else {
                for value in [stamp.along.x, stamp.along.y, stamp.across.x, stamp.across.y] {
                    text.add(stamp.size * value, decimals: decimals + 2)
                    text.add(" ")
                }
            }
            text.add(stamp.center.x, decimals: decimals)
            text.add(" ")
            text.add(stamp.center.y, decimals: decimals)
            text.add(" cm /\(content.object(form)) Do Q\n")
            return text
        }
    }

    mutating func end(_ stamps: VectorStamps) throws(EngineError) {}

    /// The number of a shape's form, which is written if it is not yet.
    private mutating func define(_ shape: Shape, _ line: LineStyle) throws(EngineError) -> Int {
        if let known = shapes[shape] { return known }
        if shapes.count >= scene.limits.definitions { shapes.removeAll() }
        let number = body.reserve()
        shapes[shape] = number
        var path = PDFPath(
            decimals: shape.lines.isFinal ? scene.decimals + 1 : scene.decimals + 2,
            outlining: shape.isThin ? line : nil)
        shape.lines.write(to: &path)
        try openContent()
        try draw(path.takeText() + Array((shape.isThin ? "f\n" : "S\n").utf8))
        let reach = PDFText.factor(shape.lines.reach)
        try closeForm(number, "/BBox [-\(reach) -\(reach) \(reach) \(reach)]")
        return number
    }

    // MARK: Shapes

    mutating func draw(_ shape: VectorShape) throws(EngineError) {
        let isEvenOdd = shape.rule == .evenodd
        switch shape.fill {
        case .color(let color, let alpha):
            try change { $0.paint(VectorPaint(color: color, alpha: alpha)) }
            if let symbol = scene.symbol(of: shape) {
                let number = try define(SymbolForm(symbol: symbol, rule: shape.rule), shape.path)
                return try change {
                    Array("q \(PDFText.matrix(shape.map)) cm /\($0.object(number)) Do Q\n".utf8)
                }
            }
            try draw(outline(of: shape) + Array((isEvenOdd ? "f*\n" : "f\n").utf8))
        case .gradient(let gradient, let alpha):
            let own = try define(gradient)
            try change { content in
                var text = content.save() + content.alpha(alpha)
                if let mask = own.mask {
                    text.add("/\(content.state("/SMask << /S /Luminosity /G \(mask) 0 R >>")) gs\n")
                }
                return text
            }
            try draw(outline(of: shape) + Array((isEvenOdd ? "W* n\n" : "W n\n").utf8))
            try change { content in
                let name = content.object(own.colors, .shading)
                return Array("\(PDFText.matrix(gradient.map)) cm /\(name) sh\n".utf8) + content.restore()
            }
        case .pattern: return
        }
    }

    private func outline(of shape: VectorShape) -> [UInt8] {
        var path = path(nil)
        shape.placed.write(to: &path, tolerance: scene.curveTolerance)
        return path.takeText()
    }

    /// The number of a symbol's form, which is written if it is not yet.
    private mutating func define(_ form: SymbolForm, _ path: ShapePath) throws(EngineError) -> Int {
        if let known = symbols[form] { return known }
        if symbols.count >= scene.limits.definitions { symbols.removeAll() }
        let number = body.reserve()
        symbols[form] = number
        var text = PDFPath(decimals: form.symbol.decimals)
        path.write(to: &text, tolerance: form.symbol.tolerance)
        try openContent()
        try draw(text.takeText() + Array((form.rule == .evenodd ? "f*\n" : "f\n").utf8))
        let box = path.controlBox
        let bounds = [box.minX - 1, box.minY - 1, box.maxX + 1, box.maxY + 1].map(PDFText.factor)
        try closeForm(number, "/BBox [\(bounds.joined(separator: " "))]")
        return number
    }

    /// The numbers of a gradient's objects, which are written if they are not yet.
    private mutating func define(_ gradient: VectorGradient) throws(EngineError) -> PDFGradient {
        if let known = gradients[gradient] { return known }
        if gradients.count >= scene.limits.definitions { gradients.removeAll() }
        var made = PDFGradient(colors: body.reserve())
        try output.write(body.object(made.colors, gradient.shading(ofAlpha: false)))
        if !gradient.isOpaque {
            let alphas = body.reserve()
            try output.write(body.object(alphas, gradient.shading(ofAlpha: true)))
            let mask = try beginMask()
            try change {
                Array("\(PDFText.matrix(gradient.map)) cm /\($0.object(alphas, .shading)) sh\n".utf8)
            }
            try endMask()
            made.mask = mask
        }
        gradients[gradient] = made
        return made
    }

    mutating func draw(_ text: VectorText) throws(EngineError) {
        var font = self.font ?? PDFTextFont(&body)
        let show = font.show(text)
        let number = font.number
        self.font = font
        try change { Array("q BT /\($0.object(number, .font)) ".utf8) + show + Array("ET Q\n".utf8) }
    }

    // MARK: Images

    /// Pixels stay pixels anyway: no image asks for interpolation.
    mutating func addImage(_ file: [UInt8], isPixelated: Bool) throws(EngineError) {
        let place = scene.place
        let source = PDFBook.Source(byteCount: file.count) { count, offset in Array(file[offset..<(offset + count)]) }
        guard let file = try PDFPageFile(source) else { throw .internalError("an image is not a pdf file") }
        let own = try file.objects(under: Numbers.image, place: place)
        var numbers: [Int: Int] = [:]
        for number in own { numbers[number] = body.reserve() }
        for number in own {
            try file.copy(number, numbers, to: &body, place: place) { (bytes) throws(EngineError) in
                try output.write(bytes)
            }
        }
        let image = numbers[Numbers.image] ?? 0
        let (width, height) = (PDFText.factor(scene.canvas.width), PDFText.factor(scene.canvas.height))
        try change { content in
            content.alpha(1) + Array("q \(width) 0 0 -\(height) 0 \(height) cm /\(content.object(image)) Do Q\n".utf8)
        }
    }
}

extension VectorGroup {
    /// Whether what is inside has to be put together before it is drawn.
    fileprivate var isForm: Bool {
        opacity < 1 || blendMode != .normal || mask != nil || (isIsolated && holdsModes)
    }
}

extension BlendMode {
    /// - Precondition: it is in vector formats.
    fileprivate var pdfName: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}
