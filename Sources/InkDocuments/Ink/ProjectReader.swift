import InkCodecs
package import InkEngine

/// Reads project files (`.ink`): JSON, UTF-8, versions 1.x.
///
/// Decisions in addition to the format's rules:
/// - A missing `version` is read as 1.0, with a warning. `canvasSize` is required, everything else is optional.
/// - Lengths (`spacing`, `scale`, `lineWidth`) have the same limit as coordinates.
/// - A stroke without points stays in the project and draws nothing.
/// - `createdAt`, `modifiedAt` and `metadata` do not affect pixels, so a value of the wrong type is ignored with a
///   warning.
/// - `null` as an element of a point means the default, except for x and y.
public enum ProjectReader {
    /// Reads a project.
    ///
    /// - Parameters:
    ///   - bytes: the file; consumed, and freed as soon as it is parsed. Give it 64 bytes of spare capacity, as
    ///     `InputFile` does, to avoid a copy.
    ///   - file: its name in messages.
    ///   - companions: the presets that strokes name, and the image files.
    ///   - limits: larger projects are rejected.
    ///   - faults: gets all errors; nil where the first is enough.
    /// - Throws: `badInput` or `overLimit` with the path inside the file; the first error.
    /// - Complexity: linear in the size of the file.
    package static func read(
        _ bytes: consuming [UInt8], file: String, companions: any CompanionFiles = FolderCompanions(), limits: Limits,
        faults: FaultList? = nil
    ) throws(EngineError) -> ProjectReading {
        guard bytes.count <= limits.fileBytes else {
            throw InputFile.overLimit(file: file, count: bytes.count, limit: limits.fileBytes)
        }
        try InputKind.requireProjectText(bytes, file: file)
        let hashing = BackgroundDigest(label: "project", copy bytes)
        let start = JSONDocument.start(of: bytes)
        try JSONDocument.checkValueCount(bytes[start...], file: file, limits: limits)
        let fresh = ProjectParser(file: file, companions: companions, limits: limits)
        var parser = fresh
        let digest: SHA256
        let project: Project
        if let read = try parser.readWithoutBulk(bytes[start...]) {
            project = read
            digest = hashing.finish()
        } else {
            // The bytes are changed from here on, so nobody else may read them.
            digest = hashing.finish()
            let document = try JSONDocument(bytes, file: file, limits: limits)
            parser = fresh
            for repair in document.repairs { parser.warnings.add("\(repair)") }
            project = try parser.readProject(
                try JSONObject(document.root, path: .root, file: file, faults: faults))
            if let first = faults?.kept.first { throw first }
            withExtendedLifetime(document) {}
        }
        for preset in parser.presetsUsed.sorted(by: { $0.key < $1.key }) {
            digest.update(label: "preset", preset.value.contentDigest)
        }
        parser.images.update(digest)
        return ProjectReading(
            project: project, warnings: parser.warnings.all, contentDigest: digest.finish(),
            isSelfContained: !parser.namesPreset && parser.images.isEmpty)
    }
}

/// The state of one reading.
struct ProjectParser {
    let file: String
    let presets: PresetLibrary
    /// The limits; on an infinite canvas with its limit of coordinates.
    private(set) var limits: Limits
    let images: ImageFiles
    var warnings: Warnings
    /// Whether to warn only of keys that are similar to a known one, because the file's version is later than this
    /// program's.
    var isNewer = false
    /// Whether the file's version is 1.2 or later.
    private var has12 = false
    var presetsUsed: [String: BrushPreset] = [:]
    /// Whether a stroke names a preset, found or not.
    var namesPreset = false
    /// Over the whole tree, for the limits.
    var elementCount = 0
    var strokeCount = 0
    var pointCount = 0
    var (shapeCount, segmentCount) = (0, 0)
    /// Segments of the symbols themselves, drawn or not.
    var symbolSegmentCount = 0
    /// By their ids.
    var symbols: [String: ReadPath] = [:]
    /// The numbers, from 1, of the strokes whose points are not in the document.
    var strokesWithoutPoints: [Int] = []
    /// What is not in the document; nil if the document is complete.
    var bulk: ProjectText?

    /// - Parameter warningFile: the file that warnings are about; nil for the input itself.
    init(
        file: String, companions: any CompanionFiles = FolderCompanions(), limits: Limits, warningFile: String? = nil
    ) {
        self.file = file
        images = ImageFiles(companions, limits: limits)
        warnings = Warnings(file: warningFile)
        presets = PresetLibrary(companions, limits: limits)
        self.limits = limits
    }

    /// Reads a project with its points and images straight from the text.
    ///
    /// - Returns: nil for anything unusual, such as an error. The state is then useless, and the text has to be read as
    /// a   whole.
    /// - Throws: `overLimit`, without reading the text as a whole.
    mutating func readWithoutBulk(_ text: ArraySlice<UInt8>) throws(EngineError) -> Project? {
        try text.withUnsafeBufferPointer { (text) throws(EngineError) -> Project? in
            guard let bulk = ProjectText(text, limits: limits) else { return nil }
            defer {
                bulk.stopReading()
                self.bulk = nil
            }
            guard let document = JSONDocument(bulk, limits: limits) else { return nil }
            self.bulk = bulk
            do throws(EngineError) {
                var project = try readProject(try JSONObject(document.root, path: .root, file: file))
                // The points have been read with the limit of the canvas that the text seemed to have.
                guard project.isInfinite == bulk.isInfinite else { return nil }
                addPoints(of: bulk, to: &project)
                withExtendedLifetime(document) {}
                return bulk.isSound ? project : nil
            } catch {
                if case .overLimit = error { throw error }
                return nil
            }
        }
    }

    mutating func readProject(_ root: JSONObject) throws(EngineError) -> Project {
        try readVersion(root)
        addUnknownKeys(root, .project)
        try refuseUndrawn(root, in: "a project", except: [])
        var project = Project(canvasSize: try readCanvas(root))
        if project.isInfinite { limits.coordinate = max(limits.coordinate, Limits.worldCoordinate) }
        project.hasColorProfiles = has12
        project.id = try root.string("id") ?? ""
        project.name = try root.string("name") ?? ""
        project.createdAt = descriptiveText(root, "createdAt")
        project.modifiedAt = descriptiveText(root, "modifiedAt")
        if let text = try root.string("background") {
            if let color = RGBA8(hex: text) {
                project.background = color
            } else {
                try root.refuse(
                    root.error(
                        "background", "\"\(shownText(text))\" is not #rgb, #rrggbb, #rrggbbaa or transparent"))
            }
        }
        project.baseImage = try readImage(root, "baseImage", "baseFile")
        if project.isInfinite, let image = project.baseImage {
            try root.refuse(
                .badInput(
                    Place(file: file, path: image.place),
                    reason: "an infinite canvas has no borders that a base image could fill; place it in a layer"))
        }
        project.viewports = try readViewports(root, canvas: project.isInfinite ? nil : project.canvasSize)
        project.metadata = readMetadata(root)
        project.symbols = try readSymbols(root)
        project.layers = try readElements(root, depth: 1)
        try readCarriedWarnings(root)
        warnings.addGuessedColors(of: project, isBundle: false)
        return project
    }

    mutating func addUnknownKeys(_ object: JSONObject, _ kind: FormatObject) {
        warnings.addUnknownKeys(of: object, kind, onlyMisspelt: isNewer)
    }

    /// The warnings about the input that this project was made from, before it was sent.
    private mutating func readCarriedWarnings(_ root: JSONObject) throws(EngineError) {
        guard let array = try root.array("readingWarnings") else { return }
        for line in array.elements {
            guard let text = line.string else {
                throw root.error("readingWarnings", "must hold strings, holds \(line.kind.words)")
            }
            warnings.add(.carried, at: nil, shownText(text, limit: 1000))
        }
    }

    private mutating func readVersion(_ root: JSONObject) throws(EngineError) {
        guard let found = root.value.field("version") else {
            warnings.add(.missingVersion, at: "version", "is missing, read as 1.0")
            return
        }
        let text: String
        switch found.kind {
        case .string: text = found.string ?? ""
        case .number: text = shownNumber(found.number ?? 0)
        default:
            try root.refuse(root.error("version", "must be a string such as \"1.1\", is \(found.kind.words)"))
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let isNumeric = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }
        guard isNumeric, parts.first == "1" else {
            try root.refuse(
                root.error("version", "\"\(shownText(text))\" is not supported, this program reads versions 1.x"))
            return
        }
        isNewer = Self.isNewer(version: text)
        has12 = Self.minor(version: text) >= 2
    }

    /// Whether a version is later than 1.3, the last one whose keys this program knows.
    static func isNewer(version: String) -> Bool { minor(version: version) > 3 }

    private static func minor(version: String) -> Int {
        let parts = version.split(separator: ".", maxSplits: 2)
        // A number too large for an integer is certainly later.
        return parts.count > 1 ? Int(parts[1]) ?? .max : 0
    }

    /// nil for an infinite canvas. Where errors are collected, one of a pixel stands for a canvas without a size.
    private mutating func readCanvas(_ root: JSONObject) throws(EngineError) -> PixelSize? {
        let size = try root.object("canvasSize")
        if let canvas = try root.string("canvas") {
            if canvas != "infinite" {
                try root.refuse(
                    root.error("canvas", "\"\(shownText(canvas))\" is not infinite; canvasSize gives a size"))
            }
            if size != nil { try root.refuse(root.error("canvasSize", "an infinite canvas has no size")) }
            return nil
        }
        let none = PixelSize(width: 1, height: 1)
        guard let size else {
            if root.value.field("canvasSize") == nil {
                try root.refuse(root.error("canvasSize", "is missing: this is not an Ink project"))
            }
            return none
        }
        addUnknownKeys(size, .size)
        return try collecting(in: root) { (parser) throws(EngineError) in try parser.readSize(size) } ?? none
    }

    /// A canvas size in whole pixels within the limits.
    func readSize(_ object: JSONObject) throws(EngineError) -> PixelSize {
        func edge(_ key: StaticString) throws(EngineError) -> Int {
            guard let number = try object.number(key) else { throw object.error(key, "is missing") }
            guard number >= 1, number.rounded(.towardZero) == number else {
                throw object.error(key, "is \(shownNumber(number)), must be a whole number of pixels, at least 1")
            }
            guard number <= Double(limits.edgePixels) else {
                throw .overLimit(
                    object.place(key), what: "the canvas edge", found: "\(shownNumber(number)) pixels",
                    limit: "\(limits.edgePixels) pixels")
            }
            return Int(number)
        }
        return PixelSize(width: try edge("width"), height: try edge("height"))
    }

    /// The image in one key, or in the file that the other key names.
    func readImage(
        _ object: JSONObject, _ key: StaticString, _ fileKey: StaticString
    ) throws(EngineError) -> EncodedImage? {
        do throws(EngineError) {
            return try readImageOrThrow(object, key, fileKey)
        } catch {
            return try object.refuse(error)
        }
    }

    private func readImageOrThrow(
        _ object: JSONObject, _ key: StaticString, _ fileKey: StaticString
    ) throws(EngineError) -> EncodedImage? {
        let path = try object.string(fileKey)
        guard let text = try object.utf8(key) else {
            return try path.flatMap { (path) throws(EngineError) in try images.read(path, at: object.place(fileKey)) }
        }
        guard path == nil else { throw object.error(fileKey, "stands beside \(key), must be one of both") }
        if let name = Self.path(in: text) {
            throw object.error(
                key,
                "\"\(shownText(name))\" is a path, but \(key) holds a picture itself, in base64; "
                    + "write \"\(fileKey)\": \"\(shownText(name))\" for a file in the project's folder")
        }
        if let bulk, let value = object.value.field(key), let text = bulk.string(of: value) {
            return try EncodedImage(base64: text, takesBlanks: false, place: object.place(key), limits: limits)
        }
        return try EncodedImage(base64: text, place: object.place(key), limits: limits)
    }

    /// A text that names a file of a picture; nil for others. Base64 has no points.
    private static func path(in text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.count <= 1024 else { return nil }
        let name = String(decoding: text, as: UTF8.self).trimmingBlanks
        let lowercased = name.lowercased()
        return ImageDecoders.endings.contains { lowercased.hasSuffix($0) } ? name : nil
    }

    private mutating func readMetadata(_ root: JSONObject) -> ProjectMetadata {
        guard let found = root.value.field("metadata") else { return ProjectMetadata() }
        // Not an error, because it does not affect the picture.
        guard let metadata = try? JSONObject(found, path: root.path("metadata"), file: file) else {
            warnings.add(.leftOut, at: "metadata", "is \(found.kind.words), left out")
            return ProjectMetadata()
        }
        addMetadataKeys(metadata)
        var read = ProjectMetadata(
            author: descriptiveText(metadata, "author"), license: descriptiveText(metadata, "license"))
        read.exif = descriptiveBytes(metadata, "exif")
        read.xmp = descriptiveBytes(metadata, "xmp")
        read.density = density(metadata)
        if let found = metadata.value.field("unitsPerInch") {
            if let units = found.number, PictureOptions.dotsPerInchRange.contains(units) {
                read.unitsPerInch = units
            } else {
                warnings.add(
                    .leftOut, at: metadata.path("unitsPerInch").text, "must be a number from 1 to 100,000, left out")
            }
        }
        return read
    }

    /// Two numbers, across and down; anything else is left out with a warning.
    private mutating func density(_ object: JSONObject) -> PictureDensity? {
        guard let found = object.value.field("dotsPerInch") else { return nil }
        let numbers = found.kind == .array ? found.elements.prefix(3).compactMap(\.number) : []
        if numbers.count == 2, let density = PictureDensity(across: numbers[0], down: numbers[1]) { return density }
        warnings.add(
            .leftOut, at: object.path("dotsPerInch").text, "must be two numbers from 1 to 100,000, left out")
        return nil
    }

    /// Bytes in base64 that nothing is drawn from; what is none, or too much for a picture's file, is left out with a warning.
    private mutating func descriptiveBytes(_ object: JSONObject, _ key: StaticString) -> [UInt8]? {
        guard let text = descriptiveText(object, key) else { return nil }
        guard let bytes = Base64.bytes(of: Array(text.utf8)), bytes.count <= MetadataSize.bytesMax else {
            warnings.add(
                .leftOut, at: object.path(key).text,
                "is not base64 or more than \(MetadataSize.bytesMax) bytes, left out")
            return nil
        }
        return bytes
    }

    /// Apps may store anything there.
    mutating func addMetadataKeys(_ metadata: JSONObject) {
        warnings.addUnknownKeys(of: metadata, .metadata, onlyMisspelt: true)
    }

    /// A string that does not affect the picture; a value of another type is ignored with a warning.
    mutating func descriptiveText(_ object: JSONObject, _ key: StaticString) -> String? {
        guard let found = object.value.field(key) else { return nil }
        if found.string == nil {
            warnings.add(.leftOut, at: object.path(key).text, "must be a string, is \(found.kind.words), left out")
        }
        return found.string
    }

    /// The common keys of a project's and a template's layer: everything except images and strokes.
    mutating func readLayerProperties(_ object: JSONObject) throws(EngineError) -> Layer {
        var layer = Layer()
        layer.id = try object.string("id") ?? ""
        layer.name = try object.string("name") ?? ""
        layer.order = try object.number("order") ?? 0
        layer.opacity = try object.fraction("opacity") ?? 1
        layer.isVisible = try object.bool("isVisible") ?? true
        if let name = try object.string("blendMode") {
            if let mode = BlendMode(name: name) {
                layer.blendMode = mode
            } else {
                try object.refuse(
                    object.error(
                        "blendMode",
                        "unknown blend mode \"\(shownText(name))\" in \(layer.shownName)"
                            + didYouMean(name, among: BlendMode.allCases.map(\.rawValue))))
            }
        }
        if let pattern = try object.object("suggestedPattern") {
            addUnknownKeys(pattern, .suggestedPattern)
            layer.suggestedPattern = SuggestedPattern(
                type: try pattern.brushType("type", owner: layer.shownName) ?? .parallelLines,
                rotation: try pattern.number("rotation") ?? 0,
                spacing: try pattern.length("spacing", limits: limits) ?? 6,
                color: try pattern.opaqueColor("color") ?? .black)
        }
        return layer
    }

    /// What a part of the document gives; nil where it is wrong, and errors are collected.
    mutating func collecting<Value>(
        in object: JSONObject, _ read: (inout ProjectParser) throws(EngineError) -> Value
    ) throws(EngineError) -> Value? {
        do throws(EngineError) {
            return try read(&self)
        } catch {
            return try object.refuse(error)
        }
    }

    func checkCount(_ count: Int, _ limit: Int, of what: String, at path: JSONPath) throws(EngineError) {
        guard count > limit else { return }
        throw .overLimit(
            Place(file: file, path: path.text), what: what, found: "\(count)", limit: "\(limit)")
    }
}

extension Layer {
    /// The layer for messages: `layer "Sky"`, or its id if it has no name.
    var shownName: String {
        if name.isEmpty, id.isEmpty { return "a layer without a name" }
        return "layer \"\(shownText(name.isEmpty ? id : name, limit: 40))\""
    }
}
