/// An image in a vector picture, of its size: a part of the project that somebody else renders.
public struct VectorImage: Sendable {
    /// Siblings of the top level, all visible.
    public var layers: [Layer]
    public var background: RGBA8
    public var includesBaseImage: Bool

    /// A project that shows the image and nothing else.
    public func project(of project: Project) -> Project {
        var own = project
        own.layers = layers
        own.background = background
        if !includesBaseImage { own.baseImage = nil }
        return own
    }
}

/// What a vector picture needs while it is written.
public struct VectorPictureTools {
    /// Takes the file's bytes in order.
    public var write: ([UInt8]) throws(EngineError) -> Void
    /// Renders an image, and gives the path of a PNG file, which is read once.
    public var render: (VectorImage) throws(EngineError) -> String
    /// Called now and then.
    public var isCancelled: () -> Bool

    public init(
        write: @escaping ([UInt8]) throws(EngineError) -> Void,
        render: @escaping (VectorImage) throws(EngineError) -> String, isCancelled: @escaping () -> Bool
    ) {
        self.write = write
        self.render = render
        self.isCancelled = isCancelled
    }
}

/// Writes a picture as an SVG file: strokes as lines and areas, layers as groups. What the format cannot say becomes an
/// image of the picture's size.
///
/// The text is made stroke by stroke; memory does not grow with it.
public struct VectorPicture {
    private let project: Project
    private let options: PictureOptions
    private let output: PixelSize
    private let canvas: CanvasSize
    private let view: ViewMap?
    private let background: RGBA8
    private let text: [PictureText]
    private let tools: VectorPictureTools
    private let limits: VectorLimits
    private var marks: VectorMarks
    private var warnings: [ReadingWarning] = []
    private var stampsInAll = 0
    private var crc = crc32([])

    /// - Parameters:
    ///   - output: the picture's size in pixels, which images have.
    ///   - name: of the project, in errors.
    ///   - text: what the file says about itself.
    /// - Throws: as `Project.viewport`.
    public init(
        _ project: Project, options: PictureOptions, output: PixelSize, name: String, text: [PictureText],
        tools: VectorPictureTools
    ) throws(EngineError) {
        try self.init(
            project, options: options, output: output, name: name, text: text, tools: tools, limits: VectorLimits())
    }

    init(
        _ project: Project, options: PictureOptions, output: PixelSize, name: String, text: [PictureText],
        tools: VectorPictureTools, limits: VectorLimits
    ) throws(EngineError) {
        let viewport = try project.viewport(options.view, place: Place(file: name))
        self.project = project
        self.options = options
        self.output = output
        self.text = text
        self.tools = tools
        self.limits = limits
        canvas = viewport?.size ?? project.canvasSize
        view = viewport.map { ViewMap($0) }
        var background = options.background ?? project.background
        if options.colorMode == .rgb, !background.isOpaque { background = background.flattenedOnWhite }
        self.background = background
        marks = VectorMarks(
            canvas: canvas, output: output, patternOrigin: view?.point(Point(x: 0, y: 0)) ?? Point(x: 0, y: 0),
            limits: limits)
    }

    /// Changes whenever the same project may give another file.
    public static let version = "svg 1 of \(TileRenderer.version)"

    /// Writes the file.
    ///
    /// - Returns: What became an image because the format has no words for it.
    /// - Throws: what the tools throw, and `EngineError.internalError` if cancelled.
    public mutating func write() throws(EngineError) -> [ReadingWarning] {
        try writeHead()
        try write(VectorElement.elements(of: project, options), isTop: true)
        try emit("</svg>\n")
        if let digest = options.digest.flatMap({ PictureDigest(bytes: $0) }) {
            try tools.write(SVGSeal.text(digest, crc: crc))
        }
        return warnings
    }

    private mutating func emit(_ bytes: [UInt8]) throws(EngineError) {
        if tools.isCancelled() { throw .internalError("cancelled") }
        crc = crc32(bytes, seed: crc)
        try tools.write(bytes)
    }

    private mutating func emit(_ text: String) throws(EngineError) { try emit(Array(text.utf8)) }

    // MARK: Head

    private mutating func writeHead() throws(EngineError) {
        var head: [UInt8] = []
        head.add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        head.add("<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"")
        head.add(" xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" version=\"1.1\"")
        for (name, edge) in [("width", output.width), ("height", output.height)] {
            head.add(" \(name)=\"")
            if let dpi = options.dotsPerInch {
                head.addLength(Double(edge) / dpi)
                head.add("in\"")
            } else {
                head.add("\(edge)\"")
            }
        }
        head.add(" viewBox=\"0 0 ")
        head.addLength(canvas.width)
        head.add(" ")
        head.addLength(canvas.height)
        // The two scales differ by rounding.
        head.add("\" preserveAspectRatio=\"none\">\n")
        addText(to: &head)
        try emit(head)
    }

    private func addText(to head: inout [UInt8]) {
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

    // MARK: Elements

    /// Writes siblings, with what lies under them at the top.
    private mutating func write(_ siblings: [VectorElement], isTop: Bool) throws(EngineError) {
        let elements = siblings.flatMap { spread($0) }
        var rest = elements[...]
        if let last = elements.lastIndex(where: { blendingFault($0) != nil }) {
            for element in elements[...last] {
                if let fault = blendingFault(element) {
                    warn(element, "\(fault): the layer and all that lies under it are an image in the svg file")
                }
            }
            try writeImage(
                VectorImage(
                    layers: elements[...last].flatMap(\.pictured).inFileOrder,
                    background: isTop ? background : .transparent,
                    includesBaseImage: isTop && options.includesBaseImage))
            rest = elements[(last + 1)...]
        } else if isTop {
            if background.alpha > 0 { try emit(marks.rectangle(background)) }
            if options.includesBaseImage, project.baseImage != nil {
                try writeImage(VectorImage(layers: [], background: .transparent, includesBaseImage: true))
            }
        }
        for element in rest { try write(element) }
    }

    /// The elements of groups that pass through and change nothing, instead of the groups.
    private func spread(_ element: VectorElement) -> [VectorElement] {
        let layer = element.layer
        guard element.isPassThrough, element.clipped.isEmpty, layer.opacity == 1, layer.maskImage == nil else {
            return [element]
        }
        return element.children.flatMap { spread($0) }
    }

    /// Why an element cannot be blended in the format; nil if it can.
    private func blendingFault(_ element: VectorElement) -> String? {
        if element.isPassThrough {
            // Normal blending is associative: what passes through might as well have been put together before.
            return element.isNormal ? nil : "svg has no groups that pass through with an opacity or a mask"
        }
        return element.layer.blendMode.isInSVG ? nil : "svg has no blend mode \(element.layer.blendMode.rawValue)"
    }

    private mutating func warn(_ element: VectorElement, _ reason: String) {
        warnings.append(ReadingWarning(.other, at: element.path, reason))
    }

    private mutating func write(_ element: VectorElement) throws(EngineError) {
        let layer = element.layer
        let fault = marksFault(layer) ?? clippingFault(element)
        if let fault {
            warn(element, "\(fault): the layer is an image in the svg file")
            var own = element
            own.layer.opacity = 1
            own.layer.blendMode = .normal
            own.layer.maskImage = element.clipped.isEmpty ? nil : layer.maskImage
            try openGroup(element, mask: element.clipped.isEmpty ? try imageMask(of: layer) : nil)
            try writeImage(
                VectorImage(layers: own.pictured, background: .transparent, includesBaseImage: false))
            return try emit("</g>\n")
        }
        guard element.clipped.isEmpty else { return try writeClipped(element) }
        try openGroup(element, mask: try imageMask(of: layer))
        switch layer.kind {
        case .fill(let color): try emit(marks.rectangle(color))
        case .group: try write(element.children, isTop: false)
        case .layer: try writeMarks(of: layer)
        }
        try emit("</g>\n")
    }

    // MARK: Clipping

    /// Why elements cannot be clipped to another; nil if they can.
    ///
    /// Elements are clipped by being blended onto the base's colour without its alpha. If the base has one colour, that
    /// is an area of this colour, and the base's alpha is a mask.
    private func clippingFault(_ element: VectorElement) -> String? {
        if element.clipped.isEmpty { return nil }
        if let fault = element.clipped.lazy.compactMap({ self.blendingFault($0) }).first { return fault }
        return colorOfAll(element.layer) == nil
            ? "svg has no elements that are clipped to one of several colours" : nil
    }

    /// The only colour of an element, or nil.
    private func colorOfAll(_ layer: Layer) -> RGBA8? {
        if case .fill(let color) = layer.kind { return color }
        guard case .layer = layer.kind, layer.contentImage == nil else { return nil }
        if let fill = suggestedFill(layer) { return fill.color }
        let painted = layer.strokes.lazy.filter { $0.mode == .paint }
        guard let color = painted.first?.brush.color, painted.allSatisfy({ $0.brush.color == color }) else {
            return nil
        }
        return color
    }

    private mutating func writeClipped(_ element: VectorElement) throws(EngineError) {
        let layer = element.layer
        guard var color = colorOfAll(layer) else { return }
        var own = element
        var mask = try imageMask(of: layer)
        if case .fill = layer.kind {
            own.layer.opacity *= Double(color.alpha) / 255
        } else {
            let alpha = try beginMask()
            try emit(mask.map { "<g mask=\"url(#m\($0))\">\n" } ?? "<g>\n")
            try writeMarks(of: layer, color: .white)
            try emit("</g>\n</mask>\n")
            mask = alpha
        }
        color.alpha = 255
        try openGroup(own, mask: mask)
        try emit(marks.rectangle(color))
        for clipped in element.clipped { try write(clipped) }
        try emit("</g>\n")
    }

    // MARK: Groups and masks

    /// Writes the mask of a layer, if it has one.
    ///
    /// - Returns: The mask's name.
    private mutating func imageMask(of layer: Layer) throws(EngineError) -> Int? {
        if layer.maskImage == nil { return nil }
        let name = try beginMask()
        var shown = Layer(maskImage: layer.maskImage)
        shown.kind = .fill(.white)
        (shown.maskPlacement, shown.maskOutside) = (layer.maskPlacement, layer.maskOutside)
        try writeImage(VectorImage(layers: [shown], background: .black, includesBaseImage: false))
        try emit("</mask>\n")
        return name
    }

    private mutating func openGroup(_ element: VectorElement, mask: Int?) throws(EngineError) {
        let layer = element.layer
        var text: [UInt8] = []
        text.add("<g inkscape:groupmode=\"layer\"")
        let name = layer.name.isEmpty ? layer.id : layer.name
        if !name.isEmpty {
            text.add(" inkscape:label=\"")
            text.add(name.xmlEscaped)
            text.add("\"")
        }
        if layer.opacity < 1 {
            text.add(" opacity=\"")
            text.add(layer.opacity, decimals: 5)
            text.add("\"")
        }
        if let mask { text.add(" mask=\"url(#m\(mask))\"") }
        var styles: [String] = []
        if case .group = layer.kind {
            styles.append("isolation:isolate")
        } else if !element.clipped.isEmpty {
            styles.append("isolation:isolate")
        }
        if layer.blendMode != .normal, !element.isPassThrough {
            styles.append("mix-blend-mode:\(layer.blendMode.hyphenatedName)")
        }
        if !styles.isEmpty { text.add(" style=\"\(styles.joined(separator: ";"))\"") }
        text.add(">\n")
        try emit(text)
    }

    private mutating func beginMask() throws(EngineError) -> Int {
        let name = marks.newName()
        var text: [UInt8] = []
        text.add("<mask id=\"m\(name)\" maskUnits=\"userSpaceOnUse\" x=\"0\" y=\"0\" width=\"")
        text.addLength(canvas.width)
        text.add("\" height=\"")
        text.addLength(canvas.height)
        text.add("\">\n")
        try emit(text)
        return name
    }

    // MARK: Marks

    private func onCanvas(_ stroke: Stroke) -> Stroke { view?.stroke(stroke) ?? stroke }

    private func suggestedFill(_ layer: Layer) -> Brush? {
        guard layer.strokes.isEmpty, layer.contentImage == nil, options.fillsSuggested,
            let pattern = layer.suggestedPattern
        else { return nil }
        // Contour lines have no stroke to follow.
        let type = pattern.type == .contourLines ? .parallelLines : pattern.type
        let brush = Brush(
            type: type, rotation: pattern.rotation, spacing: pattern.spacing, anchor: .canvas, color: pattern.color)
        return view?.brush(brush) ?? brush
    }

    /// Why the marks of a layer cannot be written; nil if they can.
    private mutating func marksFault(_ layer: Layer) -> String? {
        guard case .layer = layer.kind else { return nil }
        if let fill = suggestedFill(layer) { return marks.fault(fill) }
        var stamps = 0
        var erasures = 0
        var last = StrokeMode.paint
        for stroke in layer.strokes {
            if stroke.mode == .erase, last == .paint { erasures += 1 }
            last = stroke.mode
            if let fault = marks.fault(onCanvas(stroke), stamps: &stamps) { return fault }
        }
        if erasures > limits.erasures { return "strokes that erase alternate with others too often" }
        if stampsInAll + stamps > limits.stampsInAll {
            return "the picture has more than \(limits.stampsInAll) stamps"
        }
        stampsInAll += stamps
        return nil
    }

    /// - Parameter color: nil: that of each stroke.
    private mutating func writeMarks(of layer: Layer, color: RGBA8? = nil) throws(EngineError) {
        if var fill = suggestedFill(layer) {
            fill.color = color ?? fill.color
            return try emit(marks.fill(fill))
        }
        // Runs of strokes of one mode.
        var runs: [Range<Int>] = []
        for (index, stroke) in layer.strokes.enumerated() {
            if let last = runs.last, layer.strokes[last.lowerBound].mode == stroke.mode {
                runs[runs.count - 1] = last.lowerBound..<(index + 1)
            } else {
                runs.append(index..<(index + 1))
            }
        }
        // What is painted first is inside the masks of all that is erased.
        var masks: [Int] = []
        for run in runs where layer.strokes[run.lowerBound].mode == .erase {
            let name = try beginMask()
            try emit(marks.rectangle(.white))
            try writeStrokes(layer.strokes[run], color: .black)
            try emit("</mask>\n")
            masks.append(name)
        }
        for name in masks.reversed() { try emit("<g mask=\"url(#m\(name))\">\n") }
        if layer.contentImage != nil {
            var content = Layer(contentImage: layer.contentImage)
            content.contentPlacement = layer.contentPlacement
            try writeImage(VectorImage(layers: [content], background: .transparent, includesBaseImage: false))
        }
        for run in runs {
            if layer.strokes[run.lowerBound].mode == .erase {
                try emit("</g>\n")
            } else {
                try writeStrokes(layer.strokes[run], color: color)
            }
        }
    }

    /// Stamps of a stroke that are kept while it is written.
    private static let keptStampsMax = 1 << 16

    /// - Parameter color: nil: that of each stroke.
    private mutating func writeStrokes(_ strokes: ArraySlice<Stroke>, color: RGBA8?) throws(EngineError) {
        for stroke in strokes {
            let prepared = PreparedStroke(
                onCanvas(stroke), keptStampsMax: VectorPicture.keptStampsMax, isCancelled: tools.isCancelled)
            var crc = crc
            try marks.write(prepared, color: color ?? stroke.brush.color) { [tools] (bytes) throws(EngineError) in
                if tools.isCancelled() { throw .internalError("cancelled") }
                crc = crc32(bytes, seed: crc)
                try tools.write(bytes)
            }
            self.crc = crc
        }
    }

    // MARK: Images

    private mutating func writeImage(_ image: VectorImage) throws(EngineError) {
        let path = try tools.render(image)
        guard let file = try BufferedFile(regularFileAt: path) else {
            throw .internalError("an image of the svg file is missing")
        }
        var text: [UInt8] = []
        text.add("<image width=\"")
        text.addLength(canvas.width)
        text.add("\" height=\"")
        text.addLength(canvas.height)
        text.add("\" preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,")
        try emit(text)
        var rest: [UInt8] = []
        while let bytes = try file.readUpTo(BufferedFile.bufferByteCount) {
            rest += bytes
            let whole = rest.count / 3 * 3
            try emit(Base64.encode(Array(rest.prefix(whole))))
            rest.removeFirst(whole)
        }
        try emit(Base64.encode(rest))
        try emit("\"/>\n")
    }
}

extension BlendMode {
    /// Whether CSS has it in a form that most readers know.
    fileprivate var isInSVG: Bool {
        switch self {
        case .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight,
            .difference, .exclusion, .hue, .saturation, .color, .luminosity:
            true
        case .plus, .linearDodge, .linearBurn, .linearLight, .vividLight, .pinLight, .hardMix, .subtract, .divide,
            .darkerColor, .lighterColor:
            false
        }
    }
}

extension RGBA8 {
    /// Opaque.
    fileprivate var flattenedOnWhite: RGBA8 {
        func flat(_ value: UInt8) -> UInt8 {
            UInt8((Double(value) * Double(alpha) / 255 + 255 - Double(alpha)).rounded())
        }
        return RGBA8(red: flat(red), green: flat(green), blue: flat(blue))
    }
}
