import InkCodecs
import InkEngine

/// What readers of painting programs' files share: limits, places in messages, warnings, and order.
struct DocumentTree {
    /// What the file is, such as `the Krita document`.
    let what: String
    let place: Place
    let limits: Limits
    var warnings = Warnings()
    private var elementCount = 0
    /// Pixels of the masks that composite operators became.
    var maskPixelCount = 0

    init(_ what: String, place: Place, limits: Limits) {
        self.what = what
        self.place = place
        self.limits = limits
    }

    /// Warns of something that is not drawn.
    mutating func leaveOut(_ what: String, at path: String?) {
        warnings.add(.leftOut, ofEach: what, at: path, "left out: \(what)")
    }

    /// Warns of something that cannot be drawn, with the first reason.
    mutating func leaveOut(_ what: String, because error: EngineError, at path: String?) {
        let reason = if case .badInput(_, let reason) = error { reason } else { "\(error)" }
        warnings.add(.leftOut, ofEach: what, at: path, "left out: \(what): \(reason)")
    }

    /// Warns of what a reader has not used of a thing, when it has read it.
    mutating func leaveOutUnused(of holder: some PropertyHolder, _ known: UnreadProperties, at path: String?) {
        warnings.addUnused(of: holder, known, at: path)
    }

    mutating func warn(_ line: String) { warnings.add(line) }

    mutating func addGuessedColors(of project: Project) { warnings.addGuessedColors(of: project, isBundle: false) }

    /// What an error for too many elements is about.
    static let layerCount = "the number of layers"

    /// Counts an element at a depth of groups, from 0.
    ///
    /// - Throws: `overLimit`.
    mutating func count(depth: Int) throws(EngineError) {
        elementCount += 1
        guard elementCount <= limits.layers else {
            throw .overLimit(
                place, what: Self.layerCount, found: "more than \(limits.layers)", limit: "\(limits.layers)")
        }
        guard depth < Limits.treeDepth else {
            throw .overLimit(
                place, what: "the depth of groups", found: "more than \(Limits.treeDepth)", limit: "\(Limits.treeDepth)"
            )
        }
    }

    /// A canvas of whole pixels.
    ///
    /// - Throws: `badInput` for none, `overLimit` for one that is too large.
    func canvas(width: Double?, height: Double?) throws(EngineError) -> PixelSize {
        guard let width, let height, width >= 1, height >= 1, width == width.rounded(), height == height.rounded()
        else {
            throw .badInput(place, reason: "\(what) does not say the size of its canvas")
        }
        guard max(width, height) <= Double(limits.edgePixels) else {
            throw .overLimit(
                place, what: "the canvas", found: "\(width)x\(height)", limit: "\(limits.edgePixels) pixels an edge")
        }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// The number in an attribute, or what is usual, with a warning for a text that is no number.
    mutating func number(_ node: XMLNode, _ name: String, usual: Double, at path: String?) -> Double {
        if let number = node.number(name) { return number }
        if let text = node.attributes[name], !text.trimmingBlanks.isEmpty {
            leaveOut("\(name)=\"\(shownText(text, limit: 20))\", which is not a number", at: path)
        }
        return usual
    }

    /// Where an element says that it lies, canvas pixels; nil, with a warning, for what is too far away to be meant.
    mutating func offset(_ node: XMLNode, at path: String?) -> (x: Double, y: Double)? {
        let x = number(node, "x", usual: 0, at: path).rounded()
        let y = number(node, "y", usual: 0, at: path).rounded()
        guard max(abs(x), abs(y)) <= Self.offsetMax else {
            leaveOut("what lies further away than \(Int(Self.offsetMax)) pixels", at: path)
            return nil
        }
        return (x, y)
    }

    private static let offsetMax = 1e6

    /// Lets an image lie at a corner in its own size. One that covers the canvas exactly fills it.
    static func placement(x: Double, y: Double, _ size: PixelSize, canvas: PixelSize) -> Placement? {
        x == 0 && y == 0 && size == canvas
            ? nil : Placement(x: x, y: y, width: Double(size.width), height: Double(size.height))
    }

    func image(_ bytes: [UInt8], _ path: String) throws(EngineError) -> EncodedImage {
        try EncodedImage(checking: bytes, place: Place(file: place.file, path: path), limits: limits)
    }

    /// The picture that a file holds beside its layers, as a project.
    func merged(_ image: EncodedImage) -> Project {
        Project(
            canvasSize: image.size, background: image.header.hasAlpha ? .transparent : .white,
            layers: [Layer(id: "merged", name: "Merged", contentImage: image)])
    }

    /// White where the lowest layer hides it anyway, so that pictures need no alpha.
    static func background(below layers: [Layer], canvas: PixelSize) -> RGBA8 {
        guard let lowest = layers.drawingOrder.first.map({ layers[$0] }), lowest.isVisible, lowest.opacity == 1,
            lowest.blendMode == .normal, lowest.maskImage == nil, lowest.maskShapes == nil,
            let image = lowest.contentImage, !image.header.hasAlpha,
            lowest.contentPlacement?.covers(CanvasSize(canvas)) ?? true
        else { return .transparent }
        return .white
    }
}

extension [Layer] {
    /// In this order, from the bottom to the top.
    var numbered: [Layer] {
        enumerated().map { index, layer in
            var layer = layer
            layer.order = Double(index)
            return layer
        }
    }
}

extension Layer {
    /// Adds a mask. An element that has one already becomes the only element of a group, whose mask is the new one.
    mutating func addMask(_ image: EncodedImage, _ placement: Placement?, outside: Double) {
        if maskImage != nil {
            var outer = self
            (outer.contentImage, outer.contentPlacement, outer.strokes) = (nil, nil, [])
            (outer.shapes, outer.maskShapes) = ([], nil)
            (opacity, blendMode, isVisible, isClipped, order) = (1, .normal, true, false, 0)
            // Elements of a group that passes through go on being blended onto what lies below it.
            let isPassThrough = if case .group(_, true) = kind { true } else { false }
            outer.kind = .group([self], isPassThrough: isPassThrough)
            self = outer
        }
        maskImage = image
        maskPlacement = placement
        maskOutside = outside
    }
}

extension Place {
    /// A file inside of an archive.
    func inside(_ path: String) -> Place { Place(file: file, path: path) }
}

extension XMLNode {
    /// Dots per inch in two attributes; nil where they do not say one.
    func density(_ across: String, _ down: String) -> PictureDensity? {
        guard let across = number(across), let down = number(down) else { return nil }
        return PictureDensity(across: across, down: down)
    }
}
