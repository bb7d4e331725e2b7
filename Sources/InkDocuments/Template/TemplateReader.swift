import InkCodecs
public import InkEngine

/// Reads template bundles: an `.inktemplate` folder, or the same as a zip archive.
///
/// A bundle contains `manifest.json`, `base.png` and `layers/*_mask.png`; `preview.png` and `guide.png` are not read.
/// It becomes a project whose layers have masks and no content.
///
/// Keys of the manifest; others are ignored, null is the same as absent:
/// - `id`, `name`, `createdAt`, `modifiedAt`; `author` and `license`, at the top or inside `metadata`;
/// - `canvasSize {width, height}`, by default the size of the base image;
/// - `baseImage`, the path of the base image, by default `base.png` where there is one;
/// - `layers[]` with `id`, `name`, `order`, `opacity`, `blendMode`, `isVisible`, `suggestedPattern` as in a project,
/// and   the path of the mask as `mask`, `maskImage`, `maskPath` or `maskFile`, by default `layers/<id>_mask.png`, then
///   `layers/<name>_mask.png`; a layer without a mask is read with a warning.
///
/// Paths are relative to the bundle and use `/`. A path that is absolute, contains `..` or a backslash, or leads
/// through a symbolic link is an error. Composed and decomposed accents are the same, because systems differ in them.
public enum TemplateReader {
    /// The most bytes of a manifest, which usually has a few kilobytes.
    private static let manifestBytesMax = 64 << 20

    /// The most bytes of a manifest within the limits of a document.
    static func manifestBytes(_ limits: Limits) -> Int { min(manifestBytesMax, limits.fileBytes) }

    /// Reads a bundle from a folder or a zip archive.
    ///
    /// - Throws: `badInput`, `overLimit`, `io`.
    public static func read(path: String, limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
        if try InputFile.isFolder(path) {
            return try read(FolderBundle(path: path), file: path, limits: limits)
        }
        let bytes = try InputFile.read(path: path, limitBytes: limits.fileBytes)
        return try read(archive: bytes, file: path, limits: limits)
    }

    /// Opens a bundle without reading it.
    ///
    /// - Throws: `badInput` for what is neither a folder nor a zip archive, `io`.
    static func bundle(path: String, limits: Limits) throws(EngineError) -> any TemplateBundle {
        if try InputFile.isFolder(path) { return try FolderBundle(path: path) }
        let bytes = try InputFile.read(path: path, limitBytes: limits.fileBytes)
        guard InputKind.isArchive(bytes) else {
            throw .badInput(Place(file: path), reason: "is neither a folder nor a zip archive, it is not a template")
        }
        return try ZipBundle(bytes: bytes, name: path, limits: limits)
    }

    /// Reads a bundle from the bytes of a zip archive; `file` names it in messages.
    static func read(archive bytes: consuming [UInt8], file: String, limits: Limits) throws(EngineError)
        -> ProjectReading
    {
        guard !bytes.isEmpty else { throw .badInput(Place(file: file), reason: "the file is empty") }
        guard InputKind.isArchive(bytes) else { throw .badInput(Place(file: file), reason: "is not a zip archive") }
        let foreign = ForeignFormat.name(of: copy bytes)
        let bundle: ZipBundle
        do throws(EngineError) {
            bundle = try ZipBundle(bytes: bytes, name: file, limits: limits)
        } catch {
            throw foreign.map { .badInput(Place(file: file), reason: "is \($0), not a template") } ?? error
        }
        return try read(bundle, file: file, foreign: foreign, limits: limits)
    }

    /// The pictures that a manifest names and that are not read: their keys, and their paths inside the template.
    static func namedPictures(
        _ manifest: [UInt8], file: String, limits: Limits
    ) throws(EngineError) -> [(key: String, path: String)] {
        let document = try JSONDocument(manifest, file: file, limits: limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: file)
        var named: [(String, String)] = []
        for key in unreadKeys {
            // What is no path inside the template names no picture of it.
            guard let text = root.value.field(key)?.string, let path = try? BundlePath(text) else { continue }
            named.append(("\(key)", path.text))
        }
        return named
    }

    fileprivate static let unreadKeys: [StaticString] = ["preview", "guide"]

    static let manifestPath = try! BundlePath(FolderBundle.manifestName)

    static func read(
        _ bundle: any TemplateBundle, file: String, foreign: String? = nil, limits: Limits
    ) throws(EngineError) -> ProjectReading {
        guard let manifest = try bundle.read(manifestPath, limitBytes: manifestBytes(limits)) else {
            let reason = foreign.map { "is \($0), not a template" }
            throw .badInput(
                Place(file: file), reason: reason ?? "there is no manifest.json in it, it is not a template")
        }
        let manifestFile = file + "/manifest.json"
        try InputKind.requireProjectText(manifest, file: manifestFile)
        var parser = TemplateParser(
            bundle: bundle, file: file,
            parser: ProjectParser(
                file: manifestFile, limits: limits, warningFile: manifestPath.text))
        parser.digest.update(label: "manifest", manifest)
        let document = try JSONDocument(manifest, file: manifestFile, limits: limits)
        for repair in document.repairs { parser.parser.warnings.add("manifest.json: \(repair)") }
        let project = try parser.readProject(try JSONObject(document.root, path: .root, file: manifestFile))
        withExtendedLifetime(document) {}
        return ProjectReading(
            project: project, warnings: parser.parser.warnings.all, contentDigest: parser.digest.finish())
    }
}

/// The state of reading one bundle.
private struct TemplateParser {
    let bundle: any TemplateBundle
    let file: String
    var parser: ProjectParser
    let digest = SHA256()
    /// Images by the bytes of their paths, because equivalent names may be two files. Each image is read once.
    private var images: [[UInt8]: EncodedImage] = [:]
    private var imageBytes = 0

    init(bundle: any TemplateBundle, file: String, parser: ProjectParser) {
        self.bundle = bundle
        self.file = file
        self.parser = parser
    }

    mutating func readProject(_ root: JSONObject) throws(EngineError) -> Project {
        parser.isNewer = root.value.field("version")?.string.map(ProjectParser.isNewer) ?? false
        // An app may store more in a template than what is drawn.
        addUnknownKeys(root, .manifest, onlyMisspelt: true)
        for key in TemplateReader.unreadKeys where root.value.field(key)?.kind == .string {
            _ = try path(root, key)
        }
        let base = try readImage(root, keys: ["baseImage"], defaults: ["base.png"])
        var project: Project
        if let size = try root.object("canvasSize") {
            addUnknownKeys(size, .size)
            project = Project(canvasSize: try parser.readSize(size))
        } else if let base {
            try checkCanvas(base.size)
            project = Project(canvasSize: base.size)
        } else {
            throw root.error("canvasSize", "is missing, and there is no base image to take it from")
        }
        project.baseImage = base
        project.id = try root.string("id") ?? ""
        project.name = try root.string("name") ?? ""
        project.createdAt = parser.descriptiveText(root, "createdAt")
        project.modifiedAt = parser.descriptiveText(root, "modifiedAt")
        project.metadata.author = parser.descriptiveText(root, "author")
        project.metadata.license = parser.descriptiveText(root, "license")
        if let metadata = root.value.field("metadata"), metadata.kind == .object {
            let object = try JSONObject(metadata, path: root.path("metadata"), file: root.file)
            addUnknownKeys(object, .metadata, onlyMisspelt: true)
            project.metadata.author = project.metadata.author ?? parser.descriptiveText(object, "author")
            project.metadata.license = project.metadata.license ?? parser.descriptiveText(object, "license")
        }
        if let layers = try root.array("layers") {
            let path = root.path("layers")
            try parser.checkCount(layers.count, parser.limits.layers, of: "the number of layers", at: path)
            for (index, value) in layers.elements.enumerated() {
                let object = try JSONObject(value, path: .element(path, index), file: root.file)
                project.layers.append(try readLayer(object))
            }
        }
        parser.warnings.addGuessedColors(of: project, isBundle: true)
        return project
    }

    private mutating func addUnknownKeys(_ object: JSONObject, _ kind: FormatObject, onlyMisspelt: Bool = false) {
        parser.warnings.addUnknownKeys(of: object, kind, onlyMisspelt: onlyMisspelt || parser.isNewer)
    }

    private func checkCanvas(_ size: PixelSize) throws(EngineError) {
        guard size.longestEdge <= parser.limits.edgePixels else {
            throw .overLimit(
                Place(file: file), what: "the canvas edge (from the base image)", found: "\(size.longestEdge) pixels",
                limit: "\(parser.limits.edgePixels) pixels")
        }
    }

    private mutating func readLayer(_ object: JSONObject) throws(EngineError) -> Layer {
        addUnknownKeys(object, .manifestLayer)
        var layer = try parser.readLayerProperties(object)
        let names = [layer.id, layer.name].filter { !$0.isEmpty }
        let defaults = names.map { "layers/\($0)_mask.png" }
        layer.maskImage = try readImage(
            object, keys: ["mask", "maskImage", "maskPath", "maskFile"], defaults: defaults)
        if layer.maskImage == nil {
            let looked = defaults.isEmpty ? "" : ", there is no " + defaults.joined(separator: " or ")
            parser.warnings.add(
                .missingMask, at: object.path.text, "\(layer.shownName) has no mask\(shownText(looked, limit: 200))")
        }
        return layer
    }

    /// The image named by the first of `keys` that is present; otherwise the first of `defaults` that exists.
    private mutating func readImage(
        _ object: JSONObject, keys: [StaticString], defaults: [String]
    ) throws(EngineError) -> EncodedImage? {
        for key in keys {
            guard let path = try path(object, key) else { continue }
            guard let image = try readImage(path) else {
                throw object.error(key, "there is no file \"\(shownText(path.text))\" in the template")
            }
            return image
        }
        for text in defaults {
            // A layer may have any name; if it is not a path inside the bundle, it names no file.
            guard let path = try? BundlePath(text) else { continue }
            if let image = try readImage(path) { return image }
        }
        return nil
    }

    /// - Throws: if the path leaves the bundle, even if the file is not read.
    private func path(_ object: JSONObject, _ key: StaticString) throws(EngineError) -> BundlePath? {
        guard let text = try object.string(key) else { return nil }
        return try rethrowing(try BundlePath(text)) { (error: BundlePath.Fault) in
            object.error(key, "the path \"\(shownText(text))\" \(error.reason)")
        }
    }

    private mutating func readImage(_ path: BundlePath) throws(EngineError) -> EncodedImage? {
        let key = Array(path.text.utf8)
        if let image = images[key] { return image }
        // All of them are in memory together, like a single file.
        guard let png = try bundle.read(path, limitBytes: parser.limits.fileBytes - imageBytes) else { return nil }
        digest.update(label: path.text, png)
        let image = try EncodedImage(checking: png, place: Place(file: file, path: path.text), limits: parser.limits)
        images[key] = image
        imageBytes += png.count
        return image
    }
}
