import Glibc
import InkCodecs
import InkEngine

/// A picture of a pack that has been opened: a project, and what of it is shown.
struct PackImage: Sendable {
    /// Without the layers that are not drawn and without its background; the base image is the lowest layer.
    var project: Project
    /// The part of the world that is shown; nil: the canvas.
    var viewport: Viewport?
    var scaling: PackPicture.Scaling
    /// For messages.
    var place: Place

    var canvas: CanvasSize { viewport?.size ?? project.canvasSize }

    /// The image that is all of the picture; nil for a drawing.
    var image: EncodedImage? {
        guard viewport == nil, project.layers.count == 1, let layer = project.layers.first,
            let image = layer.contentImage,
            layer.contentPlacement == nil, layer.opacity == 1, layer.blendMode == .normal, layer.isVisible,
            layer.maskImage == nil, layer.maskShapes == nil, layer.shapes.isEmpty, layer.strokes.isEmpty
        else { return nil }
        return image
    }
}

/// The pictures of a pack, each opened once.
struct PackPictures: Sendable {
    /// By their numbers in the pack.
    let images: [PackImage]

    /// - Parameters:
    ///   - file: names the pack in messages.
    ///   - digest: gets what the pictures depend on.
    /// - Throws: `badInput` for what is no picture or has a wrong path, `io` for one that is missing, `overLimit`.
    init(
        of pack: Pack, file: String, companions: any CompanionFiles, limits: Limits, _ digest: SHA256,
        _ warnings: inout Warnings
    ) throws(EngineError) {
        var images: [PackImage] = []
        var bytesLeft = limits.fileBytes
        for picture in pack.pictures {
            images.append(
                try Self.open(
                    picture, file: file, companions: companions, limits: limits, digest, &bytesLeft, &warnings))
        }
        self.images = images
    }

    /// The page of an item, in the size of its base.
    func viewport(ofItem item: Int, in pack: Pack) -> Viewport {
        let size = images[pack.makings[item].base].canvas
        return Viewport(
            name: pack.items[item].id, center: Point(x: size.width / 2, y: size.height / 2), size: size)
    }

    private static func open(
        _ picture: PackPicture, file: String, companions: any CompanionFiles, limits: Limits, _ digest: SHA256,
        _ bytesLeft: inout Int, _ warnings: inout Warnings
    ) throws(EngineError) -> PackImage {
        let filePlace = Place(file: file, path: picture.filePlace)
        // The path has been checked when the pack was read.
        guard let path = try? BundlePath(picture.file), let name = CompanionName(.image, utf8: Array(path.text.utf8))
        else { throw .badInput(filePlace, reason: "the path \"\(shownText(picture.file))\" is too long") }
        let isFolder = path.text.lowercased().hasSuffix(".inktemplate")
        let content: DocumentContent
        if isFolder {
            content = .folder
        } else {
            switch try companions.answer(to: name, limitBytes: bytesLeft) {
            // Until it is known, a pixel stands for it, so that all others are asked for, too.
            case nil: content = .file(try WholePNG.pixel())
            case .file(let bytes, _):
                bytesLeft -= bytes.count
                content = .file(bytes)
            case .nowhere:
                throw .badInput(
                    filePlace, reason: "names a file, but the pack has no folder here; give the pack by its path")
            case .missing, .presetFolders: throw .io(path: picture.file, operation: "open", errno: ENOENT)
            }
        }
        let reading: ProjectReading
        do throws(EngineError) {
            reading = try read(content, picture, NestedCompanions(companions, document: path), limits)
        } catch {
            throw error.moved(to: Place(file: file, path: picture.place), from: picture.file)
        }
        digest.update(label: "picture", reading.contentDigest)
        for warning in reading.warnings {
            let inside = warning.file.map { "\(picture.file)/\($0)" } ?? picture.file
            warnings.add(warning.kind, file: inside, at: warning.path, warning.reason, count: warning.count)
        }
        return try image(reading.project, picture, Place(file: file, path: picture.place))
    }

    private static func read(
        _ content: consuming DocumentContent, _ picture: PackPicture, _ companions: NestedCompanions, _ limits: Limits
    ) throws(EngineError) -> ProjectReading {
        let reader = DocumentReaders.reader(of: DocumentHead(content, name: picture.file))
        guard !reader.isImported, !(reader is PackDocument) else {
            throw .badInput(Place(file: picture.file), reason: "is no picture")
        }
        var page: Result<DocumentPage, EngineError>?
        try reader.read(
            content.decoded(for: reader), name: picture.file,
            DocumentContext(limits: limits, companions: companions)
        ) { page = page ?? $0 }
        guard let page else { throw .badInput(Place(file: picture.file), reason: "has no page") }
        return try page.get().reading
    }

    private static func image(
        _ found: Project, _ picture: PackPicture, _ place: Place
    ) throws(EngineError) -> PackImage {
        var project = found
        let choice = picture.viewport.map { ViewChoice(place: $0) ?? .named($0) }
        let viewport = try project.viewport(choice, place: place)
        let numbers = try picture.layers.map { (names) throws(EngineError) in
            try project.layers.numbers(named: names, place: place)
        }
        project.layers = DrawnTree(project.layers, chosen: numbers).elements.flatMap(\.layers)
        if let base = project.baseImage, numbers == nil {
            project.layers.insert(Layer(id: "base", contentImage: base), at: 0)
        }
        project.baseImage = nil
        project.background = .transparent
        // Errors of pixels that are decoded later name the pack's picture.
        project.layers.placeImages(at: place.path ?? "")
        let image = PackImage(project: project, viewport: viewport, scaling: picture.scaling, place: place)
        guard image.canvas.width > 0, image.canvas.height > 0 else {
            throw .badInput(place, reason: "has no canvas")
        }
        return image
    }
}

extension [Layer] {
    /// Names the place of images in messages.
    fileprivate mutating func placeImages(at place: String) {
        for index in indices {
            if self[index].contentImage?.place == "" { self[index].contentImage?.place = place }
            if case .group(var children, let isPassThrough) = self[index].kind {
                children.placeImages(at: place)
                self[index].kind = .group(children, isPassThrough: isPassThrough)
            }
        }
    }

    /// The numbers of the elements that names or ids stand for: of the top level, or inside of groups as `group/layer`.
    fileprivate func numbers(named names: [String], place: Place) throws(EngineError) -> [Int] {
        var found: Set<Int> = []
        for name in names {
            let own = numbers(named: name[...], from: 0)
            guard !own.isEmpty else {
                let known = flatMap { [$0.name, $0.id] }.filter { !$0.isEmpty }
                throw .badInput(
                    place, reason: "there is no layer \"\(shownText(name))\"" + didYouMean(name, among: known))
            }
            found.formUnion(own)
        }
        return found.sorted()
    }

    private func numbers(named name: Substring, from first: Int) -> [Int] {
        var (byID, byName, number): ([Int], [Int], Int) = ([], [], first)
        for layer in self {
            for (text, isID) in [(layer.id, true), (layer.name, false)] where !text.isEmpty {
                var inside: [Int] = []
                if name == text {
                    inside = [number]
                } else if name.hasPrefix(text + "/") {
                    inside = layer.children.numbers(named: name.dropFirst(text.count + 1), from: number + 1)
                }
                if isID { byID += inside } else { byName += inside }
            }
            number += 1 + layer.children.elementCount
        }
        return byID.isEmpty ? byName : byID
    }
}

extension EngineError {
    /// The error of a document inside another, as one of the other at a place.
    fileprivate func moved(to place: Place, from file: String) -> EngineError {
        func reason(_ inner: Place, _ text: String) -> String {
            "\(file): " + (inner.path.map { "\($0): " } ?? "") + text
        }
        switch self {
        case .badInput(let inner, let text): return .badInput(place, reason: reason(inner, text))
        case .unavailable(let inner, let text): return .unavailable(place, reason: reason(inner, text))
        case .overLimit(let inner, let what, let found, let limit):
            return .overLimit(place, what: reason(inner, what), found: found, limit: limit)
        case .io, .cancelled, .internalError: return self
        }
    }
}

/// The companions of a document that is itself a companion: in its folder, or inside of it.
private struct NestedCompanions: CompanionFiles {
    private let companions: any CompanionFiles
    private let document: BundlePath

    init(_ companions: any CompanionFiles, document: BundlePath) {
        self.companions = companions
        self.document = document
    }

    func answer(to name: CompanionName, limitBytes: Int) throws(EngineError) -> CompanionAnswer? {
        guard let path = name.path else { return try companions.answer(to: name, limitBytes: limitBytes) }
        let folder = name.kind == .folderFile ? document.components : document.components.dropLast()
        let whole = (folder + path.components).joined(separator: "/")
        guard let outer = CompanionName(.image, utf8: Array(whole.utf8)) else { return .missing }
        return try companions.answer(to: outer, limitBytes: limitBytes)
    }
}
