import InkCodecs
import InkEngine

/// OpenRaster files (`.ora`), as Krita, GIMP and MyPaint write them: layers and groups with modes, operators and opacities.
/// One page.
///
/// The format has neither masks nor colours of other spaces. What a program writes beside its rules, such as modes and
/// attributes of its own, is left out with a warning. With `context.takesMerged` the picture that the file itself holds is taken.
struct OpenRasterDocument: FileDocumentReader {
    let what = "an OpenRaster file"
    let label = "ora"
    let endings = [".ora"]
    let hasOwnSize = true
    let holdsMerged = true

    func recognizes(_ head: DocumentHead) -> Bool {
        InputKind.isArchive(head.bytes)
            && (head.name.lowercased().hasSuffix(".ora") || ArchiveType.of(head.bytes) == "image/openraster")
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bundle = try ZipBundle(bytes: bytes, name: place.file, limits: context.limits)
        var reader = OpenRasterReader(bundle, place: place, limits: context.limits)
        var project = context.takesMerged ? try reader.merged() : try reader.project()
        project.hasColorProfiles = true
        reader.tree.addGuessedColors(of: project)
        return (project, reader.tree.warnings.all)
    }
}

private struct OpenRasterReader {
    private let bundle: ZipBundle
    private let place: Place
    private var canvas = PixelSize(width: 0, height: 0)
    var tree: DocumentTree

    private static let stackBytesMax = 16 << 20

    init(_ bundle: ZipBundle, place: Place, limits: Limits) {
        self.bundle = bundle
        self.place = place
        tree = DocumentTree("the OpenRaster file", place: place, limits: limits)
    }

    private func file(_ path: String, limitBytes: Int? = nil) throws(EngineError) -> [UInt8]? {
        let bundlePath: BundlePath
        do throws(BundlePath.Fault) { bundlePath = try BundlePath(path) } catch {
            throw .badInput(place.inside("stack.xml"), reason: "the path \"\(shownText(path))\" \(error.reason)")
        }
        return try bundle.read(bundlePath, limitBytes: limitBytes ?? tree.limits.fileBytes)
    }

    func merged() throws(EngineError) -> Project {
        guard let bytes = try file("mergedimage.png") else {
            throw .badInput(place, reason: "holds no merged picture (mergedimage.png)")
        }
        var project = tree.merged(try tree.image(bytes, "mergedimage.png"))
        project.metadata.density = MetadataCarriers(of: bytes).density
        return project
    }

    mutating func project() throws(EngineError) -> Project {
        guard let text = try file("stack.xml", limitBytes: Self.stackBytesMax) else {
            throw .badInput(place, reason: "holds no stack.xml, it is not an OpenRaster file")
        }
        let root = try XMLNode.read(text, "stack.xml", place: place)
        canvas = try tree.canvas(width: root.number("w"), height: root.number("h"))
        guard root.name == "image", let stack = root.child("stack") else {
            throw .badInput(place.inside("stack.xml"), reason: "has no <stack> in an <image>")
        }
        var layers: [Layer] = []
        try add(stack, "", to: &layers, depth: 0, x: 0, y: 0)
        layers = layers.numbered
        tree.leaveOutUnused(of: root, Self.knownOfImages, at: nil)
        var project = Project(
            canvasSize: canvas, background: DocumentTree.background(below: layers, canvas: canvas), layers: layers)
        project.metadata.density = root.density("xres", "yres")
        return project
    }

    /// Adds the elements of a group.
    ///
    /// - Parameters:
    ///   - path: the names of the groups around it.
    ///   - layers: what lies below in the nearest group that has a picture of its own.
    ///   - x: of the groups around it, canvas pixels, as old files have it.
    private mutating func add(
        _ stack: XMLNode, _ path: String, to layers: inout [Layer], depth: Int, x: Double, y: Double
    ) throws(EngineError) {
        // Listed from the top to the bottom.
        for (index, node) in stack.children.enumerated().reversed() {
            guard ["stack", "layer"].contains(node.name) else {
                tree.leaveOut("<\(shownText(node.name, limit: 40))>", at: path.isEmpty ? nil : path)
                continue
            }
            try tree.count(depth: depth)
            let name = node.attributes["name"] ?? ""
            let path =
                (path.isEmpty ? "" : path + "/") + (name.isEmpty ? "layer \(index + 1)" : shownText(name, limit: 40))
            var layer = Layer(
                id: node.attributes["uuid"] ?? "", name: name,
                opacity: min(max(tree.number(node, "opacity", usual: 1, at: path), 0), 1),
                isVisible: node.attributes["visibility"] != "hidden")
            let composite = addMode(node, to: &layer, path)
            guard let own = tree.offset(node, at: path) else { continue }
            let (x, y) = (x + own.x, y + own.y)
            if node.name == "stack" {
                // Without a word about it, a group that only holds its elements together does not separate them.
                let isPlain = layer.opacity == 1 && layer.blendMode == .normal && composite == nil
                let isPassThrough = isPlain && node.attributes["isolation"] != "isolate"
                tree.leaveOutUnused(of: node.attributes, Self.knownOfElements, at: path)
                if isPassThrough, layer.isVisible, Self.actsOnBackdrop(node) {
                    // Its elements act on what lies below the group, so it is opened.
                    try add(node, path, to: &layers, depth: depth + 1, x: x, y: y)
                    continue
                }
                var children: [Layer] = []
                try add(node, path, to: &children, depth: depth + 1, x: x, y: y)
                layer.kind = .group(children.numbered, isPassThrough: isPassThrough)
            } else if let source = node.attributes["src"] {
                guard let bytes = try file(source) else {
                    throw .badInput(
                        place.inside("stack.xml"),
                        reason: "the picture \(shownText(source)) of the layer \(path) is missing")
                }
                let image = try tree.image(bytes, shownText(source))
                layer.contentImage = image
                layer.contentPlacement = DocumentTree.placement(x: x, y: y, image.size, canvas: canvas)
            } else {
                tree.leaveOut("a layer without a picture (src)", at: path)
            }
            if node.name == "layer" { tree.leaveOutUnused(of: node, Self.knownOfElements, at: path) }
            if let composite {
                try tree.add(layer, by: composite, to: &layers, canvas: canvas, depth: depth, at: path)
            } else {
                layers.append(layer)
            }
        }
    }

    /// Whether elements of a group do more to what is below them than to be blended onto it.
    private static func actsOnBackdrop(_ stack: XMLNode) -> Bool {
        stack.children.contains { node in
            guard node.attributes["visibility"] != "hidden" else { return false }
            if operation(of: node).composite != nil { return true }
            return node.name == "stack" && node.attributes["isolation"] != "isolate" && actsOnBackdrop(node)
        }
    }

    private static func operation(of node: XMLNode) -> (mode: String, composite: CompositeOperator?) {
        let mode = node.attributes["composite-op"] ?? "svg:src-over"
        let name = String(mode.split(separator: ":", maxSplits: 1).last ?? "")
        // Some programs mark layers that are painted onto those below, whatever their mode.
        let isOnto = node.attributes["alpha-preserve"] == "true"
        return (name, CompositeOperator.byName[name] ?? (isOnto ? .sourceAtop : nil))
    }

    /// - Returns: how the element acts on what is below it, other than by blending.
    private mutating func addMode(_ node: XMLNode, to layer: inout Layer, _ path: String) -> CompositeOperator? {
        let (name, composite) = Self.operation(of: node)
        switch name {
        case "src-over": break
        case "plus", "add": layer.blendMode = .plus
        case _ where CompositeOperator.byName[name] != nil: break
        default:
            if let mode = BlendMode(name: name) ?? KritaModes.modes[name] {
                layer.blendMode = mode
            } else {
                let mode = node.attributes["composite-op"] ?? name
                tree.leaveOut("the mode \(shownText(mode, limit: 40)), drawn as normal", at: path)
            }
        }
        return composite
    }

    // MARK: - What does not change the picture

    private static let knownOfImages = UnreadProperties(
        of: "the picture", harmless: ["version", "xres", "yres", "name", "frame-active", "json-settings"])

    private static let knownOfElements = UnreadProperties(
        of: "a layer",
        harmless: [
            "selected", "edit-locked", "edited", "locked", "initially-selected", "collapsed", "colour-label",
            "mypaint_strokemap", "mypaint_strokemap_v2", "strokemap", "background_tile", "background-tile",
            // Says nothing of layers, and of groups that are isolated by their modes and opacities anyway.
            "isolation",
        ])
}
