import InkEngine

/// Goes through the elements of a picture, from the bottom up, and writes them in any format.
struct VectorWalk<File: VectorWriter> {
    private let scene: VectorScene
    private let marks: VectorMarks
    private var file: File
    private var warnings: [ReadingWarning] = []
    private var stampsInAll = 0

    init(_ scene: VectorScene, _ file: File) {
        self.scene = scene
        self.file = file
        marks = VectorMarks(scene)
    }

    /// - Returns: What became an image because the format has no words for it.
    mutating func write() throws(EngineError) -> [ReadingWarning] {
        try file.begin()
        try write(scene.picture.elements, isTop: true)
        try file.end()
        return warnings
    }

    // MARK: Elements

    /// Writes siblings, with what lies under them at the top.
    private mutating func write(_ siblings: [DrawnTree.Element], isTop: Bool) throws(EngineError) {
        let elements = siblings.flatMap { spread($0) }
        var rest = elements[...]
        if let last = elements.lastIndex(where: { blendingFault($0) != nil }) {
            for element in elements[...last] {
                if let fault = blendingFault(element) {
                    warn(
                        element, "\(fault): the layer and all that lies under it are an image in the \(File.name) file")
                }
            }
            try writeImage(
                elements[...last].flatMap(\.layers),
                background: isTop ? scene.picture.background : .transparent,
                includesBaseImage: isTop && scene.picture.hasBaseImage)
            for element in elements[...last] { try writeTexts(under: element) }
            rest = elements[(last + 1)...]
        } else if isTop {
            if scene.picture.background.alpha > 0 { try file.fill(scene.picture.background) }
            if scene.picture.hasBaseImage {
                try writeImage([], background: .transparent, includesBaseImage: true)
            }
        }
        for element in rest { try write(element) }
    }

    /// The elements of groups that pass through and change nothing, instead of the groups.
    private func spread(_ element: DrawnTree.Element) -> [DrawnTree.Element] {
        let layer = element.layer
        guard element.isPassThrough, element.clipped.isEmpty, layer.opacity == 1, !layer.isMasked else {
            return [element]
        }
        return element.children.flatMap { spread($0) }
    }

    /// Why an element cannot be blended in the format; nil if it can.
    private func blendingFault(_ element: DrawnTree.Element) -> String? {
        if element.isPassThrough {
            // Normal blending is associative: what passes through might as well have been put together before.
            return element.isNormal ? nil : "\(File.name) has no groups that pass through with an opacity or a mask"
        }
        return element.layer.blendMode.isInVectorFormats
            ? nil : "\(File.name) has no blend mode \(element.layer.blendMode.rawValue)"
    }

    private mutating func warn(_ element: DrawnTree.Element, _ reason: String) {
        warnings.append(ReadingWarning(.other, at: element.path, reason))
    }

    private mutating func write(_ element: DrawnTree.Element) throws(EngineError) {
        let layer = element.layer
        let fault = marksFault(layer) ?? clippingFault(element)
        if let fault {
            warn(element, "\(fault): the layer is an image in the \(File.name) file")
            var own = element.unblended
            if element.clipped.isEmpty { (own.layer.maskImage, own.layer.maskShapes) = (nil, nil) }
            let group = self.group(of: element, mask: element.clipped.isEmpty ? try writeMask(of: layer) : nil)
            try file.open(group)
            try writeImage(own.layers, background: .transparent, isPixelated: own.isPixelated)
            try writeTexts(under: element)
            return try file.close(group)
        }
        guard element.clipped.isEmpty else { return try writeClipped(element) }
        let group = self.group(of: element, mask: try writeMask(of: layer))
        try file.open(group)
        switch layer.kind {
        case .fill(let paint):
            if let color = paint.color {
                try file.fill(color)
            } else if File.takesMarks {
                try marks.write(VectorShape(filling: paint, scene: scene), to: &file)
            }
        case .group: try write(element.children, isTop: false)
        case .layer: try writeMarks(of: layer)
        }
        try file.close(group)
    }

    // MARK: Clipping

    /// Why elements cannot be clipped to another; nil if they can.
    ///
    /// Elements are clipped by being blended onto the base's colour without its alpha. If the base has one colour, that
    /// is an area of this colour, and the base's alpha is a mask.
    private func clippingFault(_ element: DrawnTree.Element) -> String? {
        if element.clipped.isEmpty { return nil }
        if let fault = element.clipped.lazy.compactMap({ self.blendingFault($0) }).first { return fault }
        return colorOfAll(element.layer) == nil
            ? "\(File.name) has no elements that are clipped to one of several colours" : nil
    }

    /// The only colour of an element, or nil.
    private func colorOfAll(_ layer: Layer) -> RGBA8? {
        if case .fill(let paint) = layer.kind { return paint.color }
        guard case .layer = layer.kind, layer.contentImage == nil else { return nil }
        if let fill = scene.suggestedFill(layer) { return fill.color }
        var color: RGBA8?
        let shapes = layer.shapes.lazy.filter { $0.mode == .paint }.map(\.fill.onlyColor)
        let strokes = layer.strokes.lazy.filter { $0.mode == .paint }.map { RGBA8?.some($0.brush.color) }
        for own in [AnySequence(shapes), AnySequence(strokes)].joined() {
            guard let own, color ?? own == own else { return nil }
            color = own
        }
        return color
    }

    private mutating func writeClipped(_ element: DrawnTree.Element) throws(EngineError) {
        let layer = element.layer
        guard var color = colorOfAll(layer) else { return }
        var own = element
        var mask = try writeMask(of: layer)
        if case .fill = layer.kind {
            own.layer.opacity *= Double(color.alpha) / 255
        } else {
            let alpha = try file.beginMask()
            let masked = VectorGroup(mask: mask)
            try file.open(masked)
            try writeMarks(of: layer, color: .white)
            try file.close(masked)
            try file.endMask()
            mask = alpha
        }
        color.alpha = 255
        let group = self.group(of: own, mask: mask)
        try file.open(group)
        try file.fill(color)
        try writeTexts(of: layer)
        for clipped in element.clipped { try write(clipped) }
        try file.close(group)
    }

    // MARK: Groups and masks

    /// Writes the mask of a layer, if it has one.
    ///
    /// - Returns: The mask's number.
    private mutating func writeMask(of layer: Layer) throws(EngineError) -> Int? {
        guard let shapes = layer.maskShapes, shapesFault(shapes) == nil else {
            if !layer.isMasked { return nil }
            let number = try file.beginMask()
            try writeImage([layer.shownMask], background: .black)
            try file.endMask()
            return number
        }
        var image = layer
        image.maskShapes = nil
        let inner = VectorGroup(mask: try writeMask(of: image))
        let number = try file.beginMask()
        try file.open(inner)
        try writeShapes(shapes[...], color: .white)
        try file.close(inner)
        try file.endMask()
        return number
    }

    private func group(of element: DrawnTree.Element, mask: Int?) -> VectorGroup {
        let layer = element.layer
        var group = VectorGroup(name: layer.name.isEmpty ? layer.id : layer.name, opacity: layer.opacity, mask: mask)
        if case .group = layer.kind { group.isIsolated = true }
        if !element.clipped.isEmpty { group.isIsolated = true }
        group.holdsModes = !(element.children + element.clipped).allSatisfy(\.isNormal)
        if !element.isPassThrough { group.blendMode = layer.blendMode }
        return group
    }

    // MARK: Marks

    /// Why the marks of a layer cannot be written; nil if they can.
    private mutating func marksFault(_ layer: Layer) -> String? {
        guard case .layer = layer.kind else { return nil }
        if let fill = scene.suggestedFill(layer) { return marks.fault(fill) }
        var stamps = 0
        if let fault = shapesFault(layer.shapes) { return fault }
        for stroke in layer.strokes {
            if let fault = marks.fault(scene.stroke(stroke), stamps: &stamps) { return fault }
        }
        if layer.runs.count(where: { $0.mode == .erase }) > scene.limits.erasures {
            return "marks that erase alternate with others too often"
        }
        if stampsInAll + stamps > scene.limits.stampsInAll {
            return "the picture has more than \(scene.limits.stampsInAll) stamps"
        }
        stampsInAll += stamps
        return nil
    }

    /// - Parameter color: nil: that of each stroke.
    private mutating func writeMarks(of layer: Layer, color: RGBA8? = nil) throws(EngineError) {
        if var fill = scene.suggestedFill(layer) {
            fill.color = color ?? fill.color
            guard File.takesMarks else { return }
            return try marks.write(fill: fill, to: &file)
        }
        let runs = layer.runs
        // What is painted first is inside the masks of all that is erased.
        var masks: [Int] = []
        for run in runs where run.mode == .erase {
            masks.append(try file.beginMask())
            try file.fill(.white)
            try write(run, of: layer, color: .black)
            try file.endMask()
        }
        var groups = masks.map { VectorGroup(mask: $0) }
        for group in groups.reversed() { try file.open(group) }
        if layer.contentImage != nil {
            var content = Layer(contentImage: layer.contentImage)
            (content.contentPlacement, content.contentFilter) = (layer.contentPlacement, layer.contentFilter)
            try writeImage([content], background: .transparent, isPixelated: layer.contentFilter == .nearest)
        }
        for run in runs {
            if run.mode == .erase {
                try file.close(groups.removeFirst())
            } else {
                try write(run, of: layer, color: color)
            }
        }
        if color == nil { try writeTexts(of: layer) }
    }

    /// - Parameter color: nil: that of each mark.
    private mutating func write(_ run: LayerRun, of layer: Layer, color: RGBA8?) throws(EngineError) {
        guard File.takesMarks else { return }
        if run.areShapes { return try writeShapes(layer.shapes[run.range], color: color) }
        for stroke in layer.strokes[run.range] {
            try marks.write(scene.prepared(stroke), color: color ?? stroke.brush.color, to: &file)
        }
    }

    /// - Parameter color: of those that paint; nil: that of each. Others are black where there is one.
    private mutating func writeShapes(_ shapes: ArraySlice<Shape>, color: RGBA8?) throws(EngineError) {
        guard File.takesMarks else { return }
        for shape in shapes {
            let own = shape.mode == .erase && color != nil ? .black : color
            try marks.write(VectorShape(shape, color: own, scene: scene), to: &file)
        }
    }

    private mutating func writeTexts(of layer: Layer) throws(EngineError) {
        guard File.takesMarks else { return }
        for text in VectorText.all(layer.shapes, scene: scene) where !marks.isHidden(text.box) { try file.draw(text) }
    }

    /// Writes the texts of an element of which an image is shown.
    private mutating func writeTexts(under element: DrawnTree.Element) throws(EngineError) {
        try writeTexts(of: element.layer)
        for inner in element.children + element.clipped { try writeTexts(under: inner) }
    }

    /// Why shapes cannot be written; nil if they can.
    private func shapesFault(_ shapes: [Shape]) -> String? {
        shapes.lazy.compactMap { self.marks.fault(VectorShape($0, scene: self.scene)) }.first
    }

    private mutating func writeImage(
        _ layers: [Layer], background: RGBA8, includesBaseImage: Bool = false, isPixelated: Bool = false
    ) throws(EngineError) {
        let image = VectorImage(
            layers: layers, background: background, includesBaseImage: includesBaseImage, format: File.imageFormat)
        try file.addImage(try scene.tools.image(image), isPixelated: isPixelated)
    }
}

extension DrawnTree.Element {
    /// Whether all that this blends onto what lies below it is blended normally.
    fileprivate var isNormal: Bool {
        isPassThrough ? children.allSatisfy(\.isNormal) : layer.blendMode == .normal
    }
}

extension DrawnTree.Element {
    /// Whether an image of this shows nothing but pixels of pictures.
    fileprivate var isPixelated: Bool {
        layer.contentImage != nil && layer.contentFilter == .nearest && layer.strokes.isEmpty && layer.shapes.isEmpty
            && clipped.isEmpty
    }
}

extension Paint {
    /// The colour that it has everywhere, whatever its alpha.
    fileprivate var onlyColor: RGBA8? {
        switch self {
        case .color(let color): RGBA8(red: color.red, green: color.green, blue: color.blue)
        case .pattern(let brush): brush.color
        case .gradient: nil
        }
    }
}

/// Marks of a layer that are of one sort and mode.
struct LayerRun {
    var mode: StrokeMode
    var areShapes: Bool
    /// Which of the layer's shapes or strokes.
    var range: Range<Int>
}

extension Layer {
    var isMasked: Bool { maskImage != nil || maskShapes != nil }

    /// A white area with this layer's mask.
    var shownMask: Layer {
        var shown = Layer(maskImage: maskImage)
        shown.kind = .fill(.color(.white))
        (shown.maskPlacement, shown.maskOutside, shown.maskShapes) = (maskPlacement, maskOutside, maskShapes)
        return shown
    }

    /// Runs of marks in drawing order.
    var runs: [LayerRun] { Self.runs(shapes.map(\.mode), areShapes: true) + Self.runs(strokes.map(\.mode)) }

    private static func runs(_ modes: [StrokeMode], areShapes: Bool = false) -> [LayerRun] {
        var runs: [LayerRun] = []
        for (index, mode) in modes.enumerated() {
            if let last = runs.last, last.mode == mode {
                runs[runs.count - 1].range = last.range.lowerBound..<(index + 1)
            } else {
                runs.append(LayerRun(mode: mode, areShapes: areShapes, range: index..<(index + 1)))
            }
        }
        return runs
    }
}

extension BlendMode {
    /// Whether CSS and PDF have it, in a form that most readers know.
    fileprivate var isInVectorFormats: Bool {
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
