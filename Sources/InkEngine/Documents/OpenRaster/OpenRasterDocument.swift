/// OpenRaster files (`.ora`), as Krita, GIMP and MyPaint write them: layers and groups with modes and opacities. One page.
///
/// The format has neither masks nor colours of other spaces. What a program writes beside its rules, such as modes of its
/// own, is left out with a warning. With `context.takesMerged` the picture that the file itself holds is taken.
struct OpenRasterDocument: DocumentReader {
    let endings = [".ora"]
    let hasOwnSize = true
    let holdsMerged = true

    func recognizes(_ head: DocumentHead) -> Bool {
        InputKind.isArchive(head.bytes)
            && (head.name.lowercased().hasSuffix(".ora") || ArchiveType.of(head.bytes) == "image/openraster")
    }

    func read(
        _ content: consuming DocumentContent, name: String, _ context: DocumentContext,
        onPage: (Result<DocumentPage, EngineError>) -> Void
    ) throws(EngineError) {
        let place = Place(file: name)
        guard case .file(let bytes) = consume content else {
            throw .badInput(place, reason: "is a folder, not an OpenRaster file")
        }
        let digest = SHA256()
        digest.update(label: context.takesMerged ? "ora, merged" : "ora", bytes)
        let bundle = try ZipBundle(bytes: bytes, name: name, limits: context.limits)
        var reader = OpenRasterReader(bundle, place: place, limits: context.limits)
        var project = context.takesMerged ? try reader.merged() : try reader.project()
        project.hasColorProfiles = true
        reader.tree.addGuessedColors(of: project)
        onPage(
            .success(
                DocumentPage(
                    reading: ProjectReading(
                        project: project, warnings: reader.tree.warnings.all, contentDigest: digest.finish()))))
    }
}

/// The media type that an archive begins with, as OpenDocument has it: a stored file `mimetype`.
enum ArchiveType {
    static func of(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 38, bytes.dropFirst(30).starts(with: "mimetype".utf8) else { return nil }
        let text = bytes[38...].prefix(64).prefix { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "P") }
        return String(decoding: text, as: UTF8.self)
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
        return tree.merged(try tree.image(bytes, "mergedimage.png"))
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
        let layers = try elements(of: stack, "", depth: 0, x: 0, y: 0)
        return Project(canvasSize: canvas, background: DocumentTree.background(below: layers), layers: layers)
    }

    /// - Parameters:
    ///   - path: the names of the groups around it.
    ///   - x: of the groups around it, canvas pixels, as old files have it.
    private mutating func elements(
        of stack: XMLNode, _ path: String, depth: Int, x: Double, y: Double
    ) throws(EngineError) -> [Layer] {
        var layers: [Layer] = []
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
                id: node.attributes["uuid"] ?? "", name: name, opacity: min(max(node.number("opacity") ?? 1, 0), 1),
                isVisible: node.attributes["visibility"] != "hidden")
            addMode(node, to: &layer, path)
            let own = try tree.offset(node)
            let (x, y) = (x + own.x, y + own.y)
            if node.name == "stack" {
                // Without a word about it, a group that only holds its elements together does not separate them.
                let isPlain = layer.opacity == 1 && layer.blendMode == .normal
                let isPassThrough = isPlain && node.attributes["isolation"] != "isolate"
                layer.kind = .group(
                    try elements(of: node, path, depth: depth + 1, x: x, y: y), isPassThrough: isPassThrough)
            } else if let source = node.attributes["src"] {
                guard let bytes = try file(source) else {
                    throw .badInput(
                        place.inside("stack.xml"),
                        reason: "the picture \(shownText(source)) of the layer \(path) is missing")
                }
                let image = try tree.image(bytes, shownText(source))
                layer.contentImage = image
                layer.contentPlacement = DocumentTree.placement(x: x, y: y, image.size, canvas: canvas)
            }
            layers.append(layer)
        }
        return layers.numbered
    }

    private mutating func addMode(_ node: XMLNode, to layer: inout Layer, _ path: String) {
        let operation = node.attributes["composite-op"] ?? "svg:src-over"
        if node.attributes["alpha-preserve"] == "true" { layer.isClipped = true }
        switch operation {
        case "svg:src-over": break
        case "svg:src-atop": layer.isClipped = true
        case "svg:plus", "svg:add": layer.blendMode = .plus
        default:
            let name = String(operation.split(separator: ":", maxSplits: 1).last ?? "")
            if let mode = BlendMode(name: name) ?? KritaModes.modes[name] {
                layer.blendMode = mode
            } else {
                tree.leaveOut("the mode \(shownText(operation, limit: 40)), drawn as normal", at: path)
            }
        }
    }
}
