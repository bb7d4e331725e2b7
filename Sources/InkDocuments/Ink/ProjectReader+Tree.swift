import InkEngine

/// The layer tree and viewports (spec section 8).
extension ProjectParser {
    /// The elements of `layers` in a project or a group; `depth` counts the levels of the tree from 1.
    mutating func readElements(_ object: JSONObject, depth: Int) throws(EngineError) -> [Layer] {
        guard let array = try object.array("layers") else { return [] }
        let path = object.path("layers")
        guard depth <= Limits.treeDepth || array.count == 0 else {
            throw .overLimit(
                Place(file: file, path: path.text), what: "the depth of the layer tree", found: "\(depth)",
                limit: "\(Limits.treeDepth)")
        }
        let what = depth == 1 ? "the number of layers" : "the number of layers up to here"
        try checkCount(elementCount + array.count, limits.layers, of: what, at: path)
        elementCount += array.count
        var layers: [Layer] = []
        layers.reserveCapacity(array.count)
        for (index, value) in array.elements.enumerated() {
            let element = try collecting(in: object) { (parser) throws(EngineError) in
                let element = try JSONObject(
                    value, path: .element(path, index), file: parser.file, faults: object.faults)
                return try parser.readElement(element, depth: depth)
            }
            if let element { layers.append(element) }
        }
        addClippingWarnings(layers, at: path)
        return layers
    }

    private mutating func readElement(_ object: JSONObject, depth: Int) throws(EngineError) -> Layer {
        let type = try object.string("type") ?? "layer"
        let kinds: [String: FormatObject] = ["layer": .layer, "group": .group, "fill": .fill]
        guard let kind = kinds[type] else {
            throw object.error(
                "type",
                "unknown type \"\(shownText(type))\", must be layer, group or fill"
                    + didYouMean(type, among: kinds.keys.sorted()))
        }
        addUnknownKeys(object, kind)
        switch kind {
        case .group: try refuseUndrawn(object, in: "a group", except: ["layers"])
        case .fill: try refuseUndrawn(object, in: "a fill", except: ["color"])
        default:
            try refuseUndrawn(object, in: "a layer", except: ["strokes", "shapes", "contentImage", "contentFile"])
        }
        var layer = try readLayerProperties(object)
        layer.isClipped = try object.bool("clipped") ?? false
        layer.maskImage = try readImage(object, "maskImage", "maskFile")
        layer.maskPlacement = try readPlacement(object, "maskPlacement", of: layer.maskImage)
        layer.maskOutside = try object.fraction("maskOutside") ?? 0
        layer.maskShapes = try readShapes(object, "maskShapes", of: layer)
        switch kind {
        case .group:
            let isPassThrough = try object.bool("passThrough") ?? false
            layer.kind = .group(try readElements(object, depth: depth + 1), isPassThrough: isPassThrough)
        case .fill:
            if object.value.field("color") == nil { throw object.error("color", "is missing") }
            let paint = try readPaint(object, "color", isShape: false, limit: limits.coordinate)
            layer.kind = .fill(paint ?? .color(.black))
        default:
            layer.contentImage = try readImage(object, "contentImage", "contentFile")
            layer.contentPlacement = try readPlacement(object, "contentPlacement", of: layer.contentImage)
            layer.contentFilter = try object.named("contentFilter") ?? .lanczos
            layer.shapes = try readShapes(object, "shapes", of: layer) ?? []
            layer.strokes = try readStrokes(object, layer: layer)
        }
        return layer
    }

    /// Refuses what would be drawn in an element of another kind, and would not be seen in this one.
    ///
    /// - Parameters:
    ///   - kind: of the element, with its article.
    ///   - known: what this kind draws.
    func refuseUndrawn(_ object: JSONObject, in kind: String, except known: Set<String>) throws(EngineError) {
        func refuse(_ key: StaticString, _ advice: String) throws(EngineError) {
            guard !known.contains("\(key)"), let found = object.value.field(key),
                found.kind != .array || found.count > 0
            else { return }
            try object.refuse(object.error(key, "\(kind) does not draw \(key); \(advice)"))
        }
        let isProject = object.path.text == nil
        if !isProject {
            try refuse("layers", "an element that has layers needs \"type\": \"group\"")
            try refuse("color", "an element that is a colour needs \"type\": \"fill\"")
        }
        let inLayer = "put it into a layer" + (kind == "a group" ? " of the group" : "")
        try refuse("strokes", inLayer)
        try refuse("shapes", inLayer)
        try refuse("contentImage", inLayer)
        try refuse("contentFile", inLayer)
    }

    private mutating func addClippingWarnings(_ layers: [Layer], at path: JSONPath) {
        for stack in layers.clippingStacks where layers[stack.base].isClipped {
            let place = JSONPath.field(.element(path, stack.base), "clipped").text
            warnings.add(
                .other, at: place,
                "there is no unclipped element below \(layers[stack.base].shownName), it is drawn unclipped")
        }
    }

    /// - Parameter image: supplies the size if the placement has none.
    private mutating func readPlacement(
        _ object: JSONObject, _ key: StaticString, of image: EncodedImage?
    ) throws(EngineError) -> Placement? {
        guard let found = try object.object(key) else { return nil }
        addUnknownKeys(found, .placement)
        let own = image?.size ?? PixelSize(width: 1, height: 1)
        let placement = Placement(
            x: try found.coordinate("x", limits: limits) ?? 0, y: try found.coordinate("y", limits: limits) ?? 0,
            width: try found.length("width", limits: limits) ?? Double(own.width),
            height: try found.length("height", limits: limits) ?? Double(own.height),
            rotation: try found.number("rotation") ?? 0)
        return image == nil ? nil : placement
    }

    /// - Parameter canvas: the size of a viewport without one; nil for an infinite canvas.
    mutating func readViewports(_ root: JSONObject, canvas: CanvasSize?) throws(EngineError) -> [Viewport] {
        guard let array = try root.array("viewports") else { return [] }
        let path = root.path("viewports")
        try checkCount(array.count, limits.layers, of: "the number of viewports", at: path)
        var viewports: [Viewport] = []
        for (index, value) in array.elements.enumerated() {
            let viewport = try collecting(in: root) { (parser) throws(EngineError) in
                let object = try JSONObject(
                    value, path: .element(path, index), file: parser.file, faults: root.faults)
                return try parser.readViewport(object, canvas: canvas)
            }
            if let viewport { viewports.append(viewport) }
        }
        return viewports
    }

    private mutating func readViewport(_ object: JSONObject, canvas: CanvasSize?) throws(EngineError) -> Viewport {
        addUnknownKeys(object, .viewport)
        guard let center = try object.object("center") else { throw object.error("center", "is missing") }
        addUnknownKeys(center, .position)
        guard let x = try center.coordinate("x", limits: limits) else { throw center.error("x", "is missing") }
        guard let y = try center.coordinate("y", limits: limits) else { throw center.error("y", "is missing") }
        let zoom = try object.number("zoom") ?? 1
        guard Viewport.zooms.contains(zoom) else {
            throw object.error("zoom", "is \(shownNumber(zoom)), must be from 1e-9 to 1e9")
        }
        var size = canvas
        if let found = try object.object("size") {
            addUnknownKeys(found, .viewportSize)
            guard let width = try found.length("width", limits: limits) else {
                throw found.error("width", "is missing")
            }
            guard let height = try found.length("height", limits: limits) else {
                throw found.error("height", "is missing")
            }
            size = CanvasSize(width: width, height: height)
        }
        guard let size else { throw object.error("size", "is missing, and an infinite canvas has none") }
        return Viewport(
            name: try object.string("name") ?? "", center: Point(x: x, y: y), zoom: zoom,
            rotation: try object.number("rotation") ?? 0, size: size)
    }
}
