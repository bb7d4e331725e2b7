import InkCodecs
package import InkEngine

/// Something that is wrong with a template.
package struct TemplateFinding: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable {
        /// The template cannot be used, or not as it says.
        case error
        /// It can be used, but probably not as it was meant.
        case warning
    }

    package var severity: Severity
    /// A place in the manifest, such as `manifest.json: layers[2].mask`, or a file; empty for all of it.
    package var place: String
    package var reason: String

    package init(_ severity: Severity, _ place: String, _ reason: String) {
        self.severity = severity
        self.place = place
        self.reason = reason
    }
}

/// Checks all of a template, beyond the first error.
///
/// It is read by the reader of templates; whenever that finds an error, it is noted, the value at its place is taken
/// out of the manifest, and reading starts again. So there are no rules beside the reader's own.
package struct TemplateValidation {
    /// More errors are not looked for.
    package static let errorsMax = 100

    package private(set) var findings: [TemplateFinding] = []
    private let path: String
    private let limits: Limits
    private let manifestFile: String
    /// Paths of errors in the manifest, whose consequences are no findings.
    private var clearedPaths: [String] = []

    /// - Throws: `io` if the system refuses to read the template.
    package init(path: String, limits: Limits) throws(EngineError) {
        self.path = path
        self.limits = limits
        manifestFile = path + "/" + FolderBundle.manifestName
        let files: TemplateFiles
        do throws(EngineError) {
            files = try TemplateFiles(path: path, limits: limits)
        } catch {
            if case .io = error { throw error }
            add(error)
            return
        }
        try check(files)
    }

    package var errorCount: Int { findings.count { $0.severity == .error } }
    package var warningCount: Int { findings.count - errorCount }

    private mutating func add(_ error: EngineError) {
        switch error {
        case .badInput(let place, let reason), .unavailable(let place, let reason): add(place, reason)
        case .overLimit(let place, let what, let found, let limit):
            add(place, "\(what) is \(found), the limit is \(limit)")
        case .io, .cancelled, .internalError: findings.append(TemplateFinding(.error, "", error.description))
        }
    }

    private mutating func add(_ place: Place, _ reason: String) {
        let isManifest = place.file == manifestFile
        let shown = [isManifest ? FolderBundle.manifestName : nil, place.path].compactMap(\.self)
        findings.append(TemplateFinding(.error, shown.joined(separator: ": "), reason))
    }

    private mutating func warn(_ place: String, _ reason: String) {
        findings.append(TemplateFinding(.warning, place, reason))
    }

    private mutating func check(_ files: TemplateFiles) throws(EngineError) {
        let patched = PatchedBundle(files.bundle)
        guard try isText(patched) else { return }
        while findings.count < Self.errorsMax {
            do throws(EngineError) {
                let reading = try TemplateReader.read(patched, file: path, limits: limits)
                checkImages(of: reading.project, patched)
                add(reading.warnings, patched)
                checkLayers(reading.project, patched)
                try checkFiles(files, reading.project, patched)
                return
            } catch {
                if case .io = error { throw error }
                if !isConsequence(error) { add(error) }
                guard try patch(patched, around: error) else { return }
            }
        }
        warn("", "more than \(Self.errorsMax) errors; others are not shown")
    }

    /// Whether the manifest is JSON at all, without which there are no places in it. What is wrong is noted.
    private mutating func isText(_ bundle: PatchedBundle) throws(EngineError) -> Bool {
        do throws(EngineError) {
            let text = try bundle.read(TemplateReader.manifestPath, limitBytes: limits.fileBytes) ?? []
            _ = try JSONDocument(text, file: manifestFile, limits: limits)
            return true
        } catch {
            if case .io = error { throw error }
            add(error)
            return false
        }
    }

    /// Whether something is only missed because it has been taken away.
    private func isConsequence(_ error: EngineError) -> Bool {
        guard case .badInput(let place, _) = error, place.file == manifestFile, let path = place.path else {
            return false
        }
        return clearedPaths.contains { $0 == path || $0.hasPrefix(path + ".") }
    }

    /// Takes away what an error is about. Returns false if that is unknown.
    private mutating func patch(_ bundle: PatchedBundle, around error: EngineError) throws(EngineError) -> Bool {
        let place: Place
        switch error {
        case .badInput(let at, _), .unavailable(let at, _), .overLimit(let at, _, _, _): place = at
        case .io, .cancelled, .internalError: return false
        }
        guard var jsonPath = place.path else { return false }
        guard place.file == manifestFile else { return bundle.replaceImage(jsonPath) }
        guard var text = try bundle.read(TemplateReader.manifestPath, limitBytes: limits.fileBytes) else {
            return false
        }
        // What is required and was taken away already takes what is around it along.
        while !JSONPlace.clear(&text, path: jsonPath) {
            guard let end = jsonPath.lastIndex(where: { $0 == "." || $0 == "[" }), end > jsonPath.startIndex else {
                // A base image gives the canvas that the manifest does not.
                return jsonPath == "canvasSize" && bundle.replaceImage("base.png")
            }
            jsonPath = String(jsonPath[..<end])
        }
        clearedPaths.append(jsonPath)
        bundle.manifest = text
        return true
    }

    private mutating func add(_ warnings: [ReadingWarning], _ bundle: PatchedBundle) {
        for warning in warnings {
            // A mask or canvas that was taken away is missed no more.
            if warning.kind == .missingMask,
                clearedPaths.contains(where: { $0.hasPrefix(warning.path ?? "") })
            {
                continue
            }
            let places = [warning.file, warning.path].compactMap(\.self).joined(separator: ": ")
            let more = warning.count > 1 ? " (and \(warning.count - 1) more)" : ""
            warn(places, warning.reason + more)
        }
    }

    // MARK: - Beyond what reading looks at

    private mutating func checkImages(of project: Project, _ bundle: PatchedBundle) {
        var seen: Set<[UInt8]> = []
        func check(_ image: EncodedImage?, isMask: Bool, _ what: String) {
            guard let image, seen.insert(Array("\(isMask) \(image.place)".utf8)).inserted else { return }
            let place = Place(file: path, path: image.place)
            do throws(EngineError) {
                let info = try ImageDecoders.decode(
                    image.bytes, as: isMask ? .mask : .color, place: place, limits: limits
                ) { _ in }
                if isMask, info.maskBounds == nil, !bundle.isReplaced(image.place) {
                    warn(image.place, "\(what) is 0 everywhere, nothing of it shows")
                }
            } catch {
                add(error)
                return
            }
            let (canvas, size) = (project.canvasSize, image.size)
            // Stretched by more than a pixel.
            let height = canvas.height * Double(size.width) / max(1, canvas.width)
            if !image.header.isVector, clearedPaths.isEmpty, !bundle.hasReplaced, abs(height - Double(size.height)) > 1
            {
                warn(image.place, "\(what) is \(size), it is stretched over the canvas of \(canvas)")
            }
        }
        check(project.baseImage, isMask: false, "the base image")
        for layer in project.layers { check(layer.maskImage, isMask: true, "the mask of \(layer.shownName)") }
    }

    private mutating func checkLayers(_ project: Project, _ bundle: PatchedBundle) {
        if project.layers.isEmpty { warn("\(FolderBundle.manifestName): layers", "there is no layer") }
        var ids: Set<String> = []
        var masks: [String: Int] = [:]
        for (index, layer) in project.layers.enumerated() {
            let place = "\(FolderBundle.manifestName): layers[\(index)]"
            if !layer.id.isEmpty, !ids.insert(layer.id).inserted {
                warn(place + ".id", "\"\(shownText(layer.id))\" is the id of another layer too")
            }
            if layer.suggestedPattern == nil, !clearedPaths.contains(where: { $0.hasPrefix("layers[\(index)]") }) {
                warn(place, "\(layer.shownName) suggests no pattern, previews leave it empty")
            }
            guard let mask = layer.maskImage, !bundle.isReplaced(mask.place) else { continue }
            if let other = masks[mask.place] {
                warn(place, "\(layer.shownName) has the same mask as layers[\(other)]")
            } else {
                masks[mask.place] = index
            }
        }
    }

    private mutating func checkFiles(
        _ files: TemplateFiles, _ project: Project, _ bundle: PatchedBundle
    ) throws(EngineError) {
        let manifest = try bundle.read(TemplateReader.manifestPath, limitBytes: limits.fileBytes) ?? []
        var used: Set<String> = [FolderBundle.manifestName, "preview.png", "guide.png"]
        used.formUnion(([project.baseImage] + project.layers.map(\.maskImage)).compactMap { $0?.place })
        let paths = try files.paths()
        let named = try TemplateReader.namedPictures(manifest, file: manifestFile, limits: limits)
        for (key, named) in named {
            used.insert(named)
            if !paths.contains(named) {
                warn("\(FolderBundle.manifestName): \(key)", "there is no file \"\(shownText(named))\" in the template")
            }
        }
        if !paths.contains("preview.png"), named.isEmpty {
            warn("", "there is no preview.png; ink template preview makes it")
        }
        for path in paths where !used.contains(path) && !bundle.isReplaced(path) {
            do throws(EngineError) {
                // What cannot be read, such as a link, cannot be packed either.
                if let path = try? BundlePath(path) { _ = try files.bundle.read(path, limitBytes: limits.fileBytes) }
                warn(shownText(path), "belongs to no layer")
            } catch {
                if case .io = error { throw error }
                add(error)
            }
        }
    }
}

/// A template with some of its files replaced.
private final class PatchedBundle: TemplateBundle {
    private let bundle: any TemplateBundle
    private var replaced: Set<String> = []
    /// Files are read again and again, but only once from the template.
    private var kept: [[UInt8]: [UInt8]] = [:]
    /// A manifest in place of the template's; nil: it stays as it is.
    var manifest: [UInt8]?

    init(_ bundle: any TemplateBundle) { self.bundle = bundle }

    var hasReplaced: Bool { !replaced.isEmpty }

    func isReplaced(_ path: String) -> Bool { replaced.contains(path) }

    /// Lets a picture be read as a small one from now on. Returns whether it was not so already.
    func replaceImage(_ path: String) -> Bool { replaced.insert(path).inserted }

    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]? {
        if path == TemplateReader.manifestPath, let manifest { return manifest }
        if replaced.contains(path.text) {
            return try WholePNG.pixel()
        }
        let key = Array(path.text.utf8)
        if let bytes = kept[key], bytes.count <= limitBytes { return bytes }
        let bytes = try bundle.read(path, limitBytes: limitBytes)
        if let bytes { kept[key] = bytes }
        return bytes
    }

    func names(limits: Limits) throws(EngineError) -> [String] { try bundle.names(limits: limits) }
}
