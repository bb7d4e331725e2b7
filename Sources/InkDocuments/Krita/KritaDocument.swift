import Glibc
import InkCodecs
import InkEngine

/// Krita's documents (`.kra`): paint layers, groups, vector layers, fills, clones, transparency masks, inherited alpha. One
/// page.
///
/// Filters, transformations, colouring by masks, file layers, and modes that have no like are left out with a warning each.
/// With `context.takesMerged` the picture that the file itself holds is taken.
struct KritaDocument: FileDocumentReader {
    let what = "a Krita document"
    let label = "kra"
    let endings = [".kra"]
    let hasOwnSize = true
    let holdsMerged = true

    func recognizes(_ head: DocumentHead) -> Bool {
        let name = head.name.lowercased()
        return InputKind.isArchive(head.bytes)
            && (name.hasSuffix(".kra") || name.hasSuffix(".krz")
                || ["application/x-krita", "application/x-kra"].contains(ArchiveType.of(head.bytes)))
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let bundle = try ZipBundle(bytes: bytes, name: place.file, limits: context.limits)
        var reader = KritaReader(bundle, place: place, limits: context.limits)
        var project = context.takesMerged ? try reader.merged() : try reader.project()
        project.hasColorProfiles = true
        reader.tree.addGuessedColors(of: project)
        return (project, reader.tree.warnings.all)
    }
}

private struct KritaReader {
    private let bundle: ZipBundle
    private let place: Place
    var tree: DocumentTree
    private var canvas = PixelSize(width: 0, height: 0)
    /// The folder of the layers' files.
    private var folder = ""
    private var colorSpace = "RGBA"
    /// Elements by their identifiers, for clones.
    private var sources: [String: XMLNode] = [:]
    /// Files that have been read, by their paths: clones and their sources share them.
    private var pictures: [String: (image: EncodedImage, origin: (x: Int, y: Int))] = [:]

    private static let documentBytesMax = 16 << 20

    init(_ bundle: ZipBundle, place: Place, limits: Limits) {
        self.bundle = bundle
        self.place = place
        tree = DocumentTree("the Krita document", place: place, limits: limits)
    }

    private func file(_ path: String, limitBytes: Int? = nil) throws(EngineError) -> [UInt8]? {
        let bundlePath: BundlePath
        do throws(BundlePath.Fault) { bundlePath = try BundlePath(path) } catch {
            throw .badInput(place.inside("maindoc.xml"), reason: "the path \"\(shownText(path))\" \(error.reason)")
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
        guard let text = try file("maindoc.xml", limitBytes: Self.documentBytesMax) else {
            throw .badInput(place, reason: "holds no maindoc.xml, it is not a Krita document")
        }
        let root = try XMLNode.read(text, "maindoc.xml", place: place)
        guard let picture = root.child("IMAGE"), let layers = picture.child("layers") else {
            throw .badInput(place.inside("maindoc.xml"), reason: "has no <IMAGE> with <layers>")
        }
        canvas = try tree.canvas(width: picture.number("width"), height: picture.number("height"))
        folder = "\(picture.attributes["name"] ?? "")/layers/"
        colorSpace = picture.attributes["colorspacename"] ?? colorSpace
        collect(layers)
        var elements: [Layer] = []
        try add(layers, "", to: &elements, depth: 0)
        elements = elements.numbered
        let ground = picture.child("ProjectionBackgroundColor").flatMap { background($0) }
        tree.leaveOutUnused(of: picture, Self.knownOfPictures, at: nil)
        var project = Project(
            name: picture.attributes["name"] ?? "", canvasSize: canvas,
            background: ground ?? DocumentTree.background(below: elements, canvas: canvas), layers: elements)
        project.metadata.density = picture.density("x-res", "y-res")
        return project
    }

    /// The colour below all layers; nil for none.
    private mutating func background(_ node: XMLNode) -> RGBA8? {
        let text = Array((node.attributes["ColorData"] ?? "").utf8)
        guard let bytes = Base64.bytes(of: text) else {
            tree.leaveOut("the colour of the background, which cannot be read", at: nil)
            return nil
        }
        switch (colorSpace, bytes.count) {
        case ("RGBA", 4):
            return bytes[3] == 0 ? nil : RGBA8(red: bytes[2], green: bytes[1], blue: bytes[0], alpha: bytes[3])
        case ("RGBA16", 8):
            let high = [1, 3, 5, 7].map { bytes[$0] }
            return high[3] == 0 ? nil : RGBA8(red: high[2], green: high[1], blue: high[0], alpha: high[3])
        case _ where bytes.allSatisfy({ $0 == 0 }): return nil
        default:
            tree.leaveOut("the colour of the background, in \(shownText(colorSpace, limit: 40))", at: nil)
            return nil
        }
    }

    private mutating func collect(_ layers: XMLNode) {
        for node in layers.children {
            if let id = node.attributes["uuid"] { sources[id] = node }
            if let children = node.child("layers") { collect(children) }
        }
    }

    /// Adds the elements of a group.
    ///
    /// - Parameter elements: what lies below in the nearest group that has a picture of its own.
    private mutating func add(
        _ layers: XMLNode, _ path: String, to elements: inout [Layer], depth: Int
    ) throws(EngineError) {
        // Listed from the top to the bottom.
        for (index, node) in layers.children.enumerated().reversed() where !Self.isMask(node) {
            try tree.count(depth: depth)
            let name = node.attributes["name"] ?? ""
            let path =
                (path.isEmpty ? "" : path + "/") + (name.isEmpty ? "layer \(index + 1)" : shownText(name, limit: 40))
            if Self.isOpen(node), Self.actsOnBackdrop(node), let children = node.child("layers") {
                // Its elements act on what lies below the group, so it is opened.
                try add(children, path, to: &elements, depth: depth + 1)
                continue
            }
            guard var layer = try element(node, path, depth: depth) else { continue }
            try addMasks(of: node, to: &layer, path, depth: depth)
            tree.leaveOutUnused(of: node, Self.knownOfLayers, at: path)
            // The lowest one has nothing to inherit from.
            if let composite = Self.composite(node), !(elements.isEmpty && Self.inheritsAlpha(node)) {
                try tree.add(layer, by: composite, to: &elements, canvas: canvas, depth: depth, at: path)
            } else {
                elements.append(layer)
            }
        }
    }

    /// Whether it is a group that passes through, and nothing else.
    private static func isOpen(_ node: XMLNode) -> Bool {
        node.attributes["nodetype"] == "grouplayer" && node.attributes["passthrough"] == "1"
            && (node.number("opacity") ?? 255) >= 255 && isVisible(node) && !inheritsAlpha(node)
            && (node.child("masks")?.children ?? []).isEmpty
            && !(node.child("layers")?.children ?? []).contains(where: isMask)
    }

    /// Whether elements of a group do more to what is below them than to be blended onto it.
    private static func actsOnBackdrop(_ node: XMLNode) -> Bool {
        (node.child("layers")?.children ?? []).contains { child in
            isVisible(child) && (composite(child) != nil || isOpen(child) && actsOnBackdrop(child))
        }
    }

    /// How an element acts on what is below it, other than by blending.
    private static func composite(_ node: XMLNode) -> CompositeOperator? {
        if inheritsAlpha(node) { return .sourceAtop }
        return isMask(node) ? nil : CompositeOperator.byName[node.attributes["compositeop"] ?? ""]
    }

    private static func isVisible(_ node: XMLNode) -> Bool { !["0", "false"].contains(node.attributes["visible"]) }

    /// Whether the layer's alpha is switched off: flags of the channels, alpha last.
    private static func inheritsAlpha(_ node: XMLNode) -> Bool {
        let flags = node.attributes["channelflags"] ?? ""
        return flags.last == "0" && flags.dropLast().allSatisfy { $0 == "1" }
    }

    private mutating func element(_ node: XMLNode, _ path: String, depth: Int) throws(EngineError) -> Layer? {
        var layer = Layer(
            id: node.attributes["uuid"] ?? "", name: node.attributes["name"] ?? "",
            opacity: min(max(tree.number(node, "opacity", usual: 255, at: path) / 255, 0), 1),
            isVisible: Self.isVisible(node))
        if let mode = node.attributes["compositeop"], CompositeOperator.byName[mode] == nil,
            mode != "copy" || node.attributes["nodetype"] == "paintlayer"
        {
            if let known = KritaModes.modes[mode] {
                layer.blendMode = known
            } else {
                tree.leaveOut("the mode \(shownText(mode, limit: 40)), drawn as normal", at: path)
            }
        }
        if let flags = node.attributes["channelflags"], flags.contains("0"), !Self.inheritsAlpha(node) {
            tree.leaveOut("channels that are switched off", at: path)
        }
        if node.attributes["layerstyle"] != nil, try hasStyles() { tree.leaveOut("layer styles", at: path) }
        guard let (x, y) = tree.offset(node, at: path) else { return nil }
        switch node.attributes["nodetype"] {
        case "paintlayer":
            if node.attributes["colorspacename"] != nil, node.child("keyframes") != nil || isAnimated(node) {
                tree.leaveOut("frames of an animation but the one that is shown", at: path)
            }
            try addPixels(of: node, to: &layer, path, x: x, y: y)
        case "grouplayer":
            let isPassThrough = node.attributes["passthrough"] == "1"
            var children: [Layer] = []
            if let layers = node.child("layers") { try add(layers, path, to: &children, depth: depth + 1) }
            layer.kind = .group(children.numbered, isPassThrough: isPassThrough)
        case "shapelayer": try addShapes(of: node, to: &layer, path)
        case "clonelayer":
            guard let source = node.attributes["clonefromuuid"].flatMap({ sources[$0] }),
                source.attributes["nodetype"] == "paintlayer"
            else {
                tree.leaveOut("a clone of something else than a paint layer", at: path)
                return layer
            }
            guard let own = tree.offset(source, at: path) else { return nil }
            try addPixels(of: source, to: &layer, path, x: x + own.x, y: y + own.y)
        case "generatorlayer":
            guard let color = try fillColor(node) else {
                tree.leaveOut(
                    "a fill layer (\(shownText(node.attributes["generatorname"] ?? "?", limit: 40)))", at: path)
                return nil
            }
            layer.kind = .fill(.color(color))
            // It fills what was selected when it was made.
            try addMask(node, isSelection: true, to: &layer, path, depth: depth)
        case "adjustmentlayer":
            tree.leaveOut("a filter layer (\(shownText(node.attributes["filtername"] ?? "?", limit: 40)))", at: path)
            return nil
        case "filelayer":
            tree.leaveOut("a layer of another file, which is not opened", at: path)
            return nil
        case let kind:
            tree.leaveOut("a layer of the kind \(shownText(kind ?? "?", limit: 40))", at: path)
            return nil
        }
        return layer
    }

    private func isAnimated(_ node: XMLNode) -> Bool { node.attributes["keyframes"] != nil }

    /// Whether styles of layers are more than empty: Krita names one for every layer that has been asked for it.
    private func hasStyles() throws(EngineError) -> Bool {
        let path = String(folder.dropLast("layers/".count)) + "annotations/layerstyles.asl"
        guard let bytes = try file(path) else { return false }
        return bytes.holds("enabbool\u{1}")
    }

    private mutating func addPixels(
        of node: XMLNode, to layer: inout Layer, _ path: String, x: Double, y: Double
    ) throws(EngineError) {
        let space = node.attributes["colorspacename"] ?? colorSpace
        guard let kind = Self.spaces[space] else {
            return tree.leaveOut("pixels of the kind \(shownText(space, limit: 40))", at: path)
        }
        guard let name = node.attributes["filename"],
            let (image, origin) = try pixels(folder + name, kind, x: x, y: y)
        else {
            if node.attributes["filename"] == nil { tree.leaveOut("a layer that names no file of pixels", at: path) }
            return
        }
        layer.contentImage = image
        layer.contentPlacement = DocumentTree.placement(
            x: Double(origin.x) + x, y: Double(origin.y) + y, image.size, canvas: canvas)
    }

    private typealias Kind = (colors: PackedPicture.Colors, samples: PackedPicture.Samples, isReversed: Bool)

    /// What the pixels of each of Krita's spaces are; alpha is last.
    private static let spaces: [String: Kind] = [
        "RGBA": (.rgb, .integer8, true), "RGBA16": (.rgb, .integer16, true), "RGBAF16": (.rgb, .float16, false),
        "RGBAF32": (.rgb, .float32, false), "GRAYA": (.gray, .integer8, false), "GRAYA16": (.gray, .integer16, false),
        "GRAYAU16": (.gray, .integer16, false), "CMYK": (.cmyk, .integer8, true), "CMYKA16": (.cmyk, .integer16, true),
        "CMYKAU16": (.cmyk, .integer16, true),
        "GRAYAF16": (.gray, .float16, false), "GRAYAF32": (.gray, .float32, false),
    ]

    /// The pixels in a file of tiles; nil where they show nothing.
    private mutating func pixels(
        _ path: String, _ kind: Kind, isMask: Bool = false, x: Double, y: Double
    ) throws(EngineError) -> (image: EncodedImage, origin: (x: Int, y: Int))? {
        let key = "\(path) \(x) \(y)"
        if let known = pictures[key] { return known }
        guard let bytes = try file(path) else {
            throw .badInput(place.inside(path), reason: "the pixels of a layer are missing")
        }
        var picture = PackedPicture(
            size: canvas, colors: kind.colors, samples: kind.samples, hasAlpha: !isMask,
            planes: [.init(channel: PackedPicture.Plane.all, packing: .tiles, range: 0..<bytes.count)])
        picture.isReversed = kind.isReversed
        picture.isBigEndian = false
        picture.isPlain = isMask
        let ground = try file(path + ".defaultpixel", limitBytes: 1 << 10) ?? []
        picture.ground = ground.count == picture.pixelBytes ? ground : [UInt8](repeating: 0, count: picture.pixelBytes)
        picture.profile = isMask ? [] : try file(path + ".icc") ?? []
        let box: PixelRect?
        do throws(PlaneFault) {
            let tiles = try bytes.withUnsafeBufferPointer { (bytes) throws(PlaneFault) in try KritaTiles(bytes) }
            guard tiles.pixelBytes == picture.pixelBytes || tiles.tiles.isEmpty else { throw .damaged }
            let showsGround = isMask ? false : picture.ground.suffix(kind.samples.byteCount).contains { $0 != 0 }
            box = shown(tiles, x: x, y: y, showsGround: showsGround)
        } catch {
            throw .badInput(place.inside(path), reason: error.reason)
        }
        guard let box else { return nil }
        picture.size = PixelSize(width: box.width, height: box.height)
        picture.origin = (box.x, box.y)
        let image = try tree.image(picture.encoded(from: bytes), path)
        pictures[key] = (image, (box.x, box.y))
        return (image, (box.x, box.y))
    }

    /// What of a layer is on the canvas, in the layer's coordinates.
    private func shown(_ tiles: KritaTiles, x: Double, y: Double, showsGround: Bool) -> PixelRect? {
        var box = (left: -Int(x), top: -Int(y), right: canvas.width - Int(x), bottom: canvas.height - Int(y))
        if !showsGround {
            var of = (left: Int.max, top: Int.max, right: Int.min, bottom: Int.min)
            for tile in tiles.tiles {
                of = (
                    min(of.left, tile.x), min(of.top, tile.y), max(of.right, tile.x + tiles.width),
                    max(of.bottom, tile.y + tiles.height)
                )
            }
            box = (
                max(box.left, of.left), max(box.top, of.top), min(box.right, of.right), min(box.bottom, of.bottom)
            )
        }
        guard box.left < box.right, box.top < box.bottom else { return nil }
        return PixelRect(x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top)
    }

    private mutating func addShapes(of node: XMLNode, to layer: inout Layer, _ path: String) throws(EngineError) {
        guard let name = node.attributes["filename"],
            let bytes = try file("\(folder)\(name).shapelayer/content.svg"), !bytes.isEmpty
        else {
            return tree.leaveOut("a vector layer without its shapes", at: path)
        }
        do throws(EngineError) {
            let document = try SVGDocument(
                reading: bytes, place: place.inside("\(path), its shapes"), leavingOut: SVGRules.texts)
            if document.hasLeftOut { tree.leaveOut("text in a vector layer", at: path) }
            layer.contentImage = try tree.image(document.text, "\(path), its shapes")
        } catch {
            tree.leaveOut("shapes that cannot be drawn (\(error))", at: path)
        }
    }

    /// The colour of a fill layer; nil for another fill.
    private func fillColor(_ node: XMLNode) throws(EngineError) -> RGBA8? {
        guard node.attributes["generatorname"] == "color", let name = node.attributes["filename"],
            let bytes = try file("\(folder)\(name).filterconfig", limitBytes: 1 << 20)
        else { return nil }
        // Old files have the text of an XML document inside of another.
        let config = try XMLNode.read(bytes, "the settings of a fill layer", place: place.inside(name))
        guard let text = config.children("param").first(where: { $0.attributes["name"] == "color" })?.text else {
            return nil
        }
        // A colour that cannot be read is none; the layer is then left out with a warning.
        guard let color = try? XMLNode.read(Array(text.utf8), "a colour", place: place), let rgb = color.child("RGB"),
            let red = rgb.number("r"), let green = rgb.number("g"), let blue = rgb.number("b")
        else { return nil }
        let isLinear = rgb.attributes["space"]?.contains("g10") == true
        func byte(_ value: Double) -> UInt8 {
            let light = min(max(value, 0), 1)
            let shown = !isLinear ? light : light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            return UInt8((255 * shown).rounded())
        }
        return RGBA8(red: byte(red), green: byte(green), blue: byte(blue))
    }

    // MARK: - Masks

    private static func isMask(_ node: XMLNode) -> Bool { node.attributes["nodetype"]?.hasSuffix("mask") == true }

    private mutating func addMasks(
        of node: XMLNode, to layer: inout Layer, _ path: String, depth: Int
    ) throws(EngineError) {
        // Masks of groups lie among their layers.
        let masks = (node.child("masks")?.children ?? []) + (node.child("layers")?.children ?? []).filter(Self.isMask)
        for mask in masks where Self.isVisible(mask) {
            switch mask.attributes["nodetype"] {
            case "transparencymask":
                try addMask(mask, isSelection: false, to: &layer, path, depth: depth)
                tree.leaveOutUnused(of: mask, Self.knownOfMasks, at: path)
            case "selectionmask": break
            case "filtermask":
                tree.leaveOut("a filter mask (\(shownText(mask.attributes["filtername"] ?? "?", limit: 40)))", at: path)
            case "transformmask": tree.leaveOut("a transform mask", at: path)
            case "colorizemask": tree.leaveOut("a colorize mask", at: path)
            case let kind: tree.leaveOut("a mask of the kind \(shownText(kind ?? "?", limit: 40))", at: path)
            }
        }
    }

    /// - Parameter isSelection: whether it belongs to the layer itself, and need not be there.
    private mutating func addMask(
        _ mask: XMLNode, isSelection: Bool, to layer: inout Layer, _ path: String, depth: Int
    ) throws(EngineError) {
        guard let name = mask.attributes["filename"] else {
            return tree.leaveOut("a mask that names no file of pixels", at: path)
        }
        let file = "\(folder)\(name).pixelselection"
        if isSelection, try self.file(file) == nil { return }
        guard let (x, y) = tree.offset(mask, at: path) else { return }
        let outside = try self.file(file + ".defaultpixel", limitBytes: 1 << 10)?.first ?? 0
        guard let (image, origin) = try pixels(file, (.gray, .integer8, false), isMask: true, x: x, y: y) else {
            layer.opacity *= Double(outside) / 255
            return
        }
        if layer.maskImage != nil { try tree.count(depth: depth + 1) }
        layer.addMask(
            image,
            DocumentTree.placement(
                x: Double(origin.x) + x, y: Double(origin.y) + y, image.size, canvas: canvas),
            outside: Double(outside) / 255)
    }

    // MARK: - What does not change the picture

    private static let knownOfPictures = UnreadProperties(
        of: "the picture",
        harmless: [
            "mime", "description", "profile", "x-res", "y-res",
            // Tools, guides, views, and the timeline; frames are named where there are any.
            "<GlobalAssistantsColor>", "<MirrorAxis>", "<Palettes>", "<animation>", "<grid>", "<guides>",
            "<assistants>",
            "<resources>", "<audio>", "<audioTracks>", "<storyboard>", "<StoryboardItemList>",
            "<StoryboardCommentList>",
            "<compositions>", "<colorHistory>", "<SoftProofingConfiguration>",
        ])

    private static let layerProperties: Set<String> = [
        "collapsed", "colorlabel", "intimeline", "locked", "onionskin", "selected", "channellockflags",
        "colorspacename", "profile",
        "generatorversion", "filterversion", "clonefrom", "clonetype=0", "pinnedtotimeline", "in-timeline",
    ]

    private static let knownOfLayers = UnreadProperties(
        of: "a layer", harmless: layerProperties.union(["passthrough=0", "keyframes", "filename"]))

    private static let knownOfMasks = UnreadProperties(
        of: "a mask",
        harmless: layerProperties.union(["name", "uuid", "active", "channelflags", "compositeop", "opacity"]))
}
