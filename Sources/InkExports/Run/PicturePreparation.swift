import InkBroker
package import InkCodecs
import InkDocuments
package import InkEngine
import InkPlanning
import InkSystem

/// What to do with one planned picture once its project has been read.
enum PreparedPicture: Sendable {
    case ready(PictureRequest)
    /// It is made together with an earlier one, of this size.
    case joined(PixelSize)
    /// The file that is there shows the same.
    case unchanged(PixelSize)
    case failed(PictureFailure)
}

/// Prepares pictures on the reader's thread: sizes, layers, digests, existing files.
struct PicturePreparation: Sendable {
    var arguments: ExportArguments
    /// Laid over each picture.
    var overlays: Overlays?
    var policy: ExistingFilePolicy
    var limits: Limits
    var rendererVersion: String
    /// The digest stored in a complete picture at this path; nil if there is none.
    var storedDigest: @Sendable (String) -> [UInt8]?
    var sha256: @Sendable ([UInt8]) -> [UInt8]

    func prepare(_ picture: PlannedPicture, id: Int, input: ExportInput, opened: OpenedProject) -> PreparedPicture {
        do {
            return try decide(picture, id: id, input: input, opened: opened)
        } catch {
            return .failed(PictureFailure(error))
        }
    }

    /// The pictures of one project, with those that are files of one picture as one request: at the first of them.
    /// - Parameter firstID: of the first picture; the others follow.
    func prepare(
        _ pictures: [PlannedPicture], firstID: Int, input: ExportInput, opened: OpenedProject
    ) -> [PreparedPicture] {
        var prepared: [PreparedPicture] = []
        var open: (index: Int, request: PictureRequest)?
        for (offset, picture) in pictures.enumerated() {
            if let index = open?.index, !pictures[index].isSamePicture(as: picture) { open = nil }
            let one = prepare(picture, id: firstID + offset, input: input, opened: opened)
            guard case .ready(let request) = one, request.options.encoding.bytesMax == nil else {
                prepared.append(one)
                continue
            }
            if open == nil {
                open = (offset, request)
                prepared.append(one)
            } else {
                open?.request.add(request)
                prepared.append(.joined(request.size))
            }
            if let open { prepared[open.index] = .ready(open.request) }
        }
        return prepared
    }

    private func decide(
        _ picture: PlannedPicture, id: Int, input: ExportInput, opened: OpenedProject
    ) throws(ExportError) -> PreparedPicture {
        let policy = input.traits.isPicture ? arguments.ifExists ?? .fail : policy
        let size: PixelSize
        let exists: Bool
        var options: PictureOptions
        do throws(EngineError) {
            let place = Place(file: input.shownName)
            options = try picture.options(arguments, of: opened.project, place: place)
            // Pages that were not planned, such as those of standard input: a broker does not know of them.
            if options.view == nil, opened.project.hasPages { options.view = .index(0) }
            if let fault = opened.project.content(of: options.view)?.fault { throw .badInput(place, reason: fault) }
            // Without a resolution the rounded picture has the size of the paper, which a plot has by itself.
            if case .resolution(let dots, _) = picture.size, opened.project.metadata.unitsPerInch != nil {
                options.dotsPerInch = options.encoding.format == PictureCodecs.plot.format ? dots : nil
            }
            if let box = picture.part?.box {
                size = box
            } else {
                size = try picture.size.outputSize(
                    canvas: try options.canvas(of: opened.project, place: place), limits: limits, place: place)
            }
            try ExportSize.check(size, limits: limits, place: place)
            try options.checkFormats(size, place: place)
            exists = try FileSystem.status(picture.output) != nil
        } catch {
            throw .engine(error)
        }
        var opened = opened
        if arguments.layers == .visible {
            opened.keepOnly(opened.project.content(of: options.view))
        } else {
            options.layers = try arguments.layers.drawnLayers(
                of: ProjectOutline(opened.project), layer: picture.layer, file: input.shownName)
        }
        opened = try laidOver(picture, opened, size, &options, input)
        let content = PictureContent(
            contentDigest: opened.contentDigest, options: options, size: size, rendererVersion: rendererVersion)
        let digest = content.digest(sha256)
        options.digest = picture.part == nil ? digest : nil
        if exists, policy == .fail {
            return .failed(
                PictureFailure(
                    kind: .inputOutput,
                    reason: "\(picture.output): already exists; --if-exists overwrite replaces it, suffix keeps both"))
        }
        if exists, policy == .skipUnchanged, storedDigest(picture.output) == digest { return .unchanged(size) }
        var request = PictureRequest(
            id: id, name: input.shownName, project: opened.project, size: size, options: options,
            output: picture.output, replacesFile: policy.replacesFiles, contentDigest: opened.contentDigest,
            text: opened.text, warnings: opened.warnings, wantsFileDigest: arguments.run.wantsFileDigests)
        do throws(EngineError) {
            let codec = try PictureCodecs.codec(options.encoding.format)
            let place = Place(file: input.shownName)
            var own = options
            let page = try opened.project.page(options.view, place: place)
            own.view = page.view
            let recipe = try codec.recipe(page.project, own, size: size, options.encoding, place: place)
            request.formatWarnings = recipe.warnings
        } catch {
            throw .engine(error)
        }
        return .ready(request)
    }
}

extension PicturePreparation {
    /// The project with what is laid over it in this picture. A picture of one layer alone gets no overlays.
    private func laidOver(
        _ picture: PlannedPicture, _ opened: OpenedProject, _ size: PixelSize, _ options: inout PictureOptions,
        _ input: ExportInput
    ) throws(ExportError) -> OpenedProject {
        guard let overlays, picture.layer == nil else { return opened }
        var opened = opened
        if opened.project.pages != nil {
            // They are laid over a page, which is then a project as any other.
            let view = options.view
            (opened.project, options.view) = try ExportError.wrapping { () throws(EngineError) in
                try opened.project.page(view, place: Place(file: input.shownName))
            }
            opened.contentDigest = SHA256.digest(opened.contentDigest + Array(view?.canonicalText.utf8 ?? "".utf8))
        }
        return try ExportError.wrapping(try opened.laidOver(by: overlays, size, &options, name: input.shownName))
    }
}

extension Project {
    /// The page that a view shows, where pages have nothing in common.
    func content(of view: ViewChoice?) -> PageContent? {
        guard case .index(let index) = view, pageContents.indices.contains(index) else { return nil }
        return pageContents[index]
    }
}

extension OpenedProject {
    /// Leaves out the other pages, so that a picture depends on nothing but what it shows.
    fileprivate mutating func keepOnly(_ page: PageContent?) {
        guard let page, let layer = page.layer else { return }
        project.layers = [project.layers[layer]]
        // They are said of layers that are gone.
        project.pageContents = []
        contentDigest = page.digest
    }

    /// With overlays for a picture of these options, which are changed to show them.
    ///
    /// - Throws: as `Overlays.adding`.
    package func laidOver(
        by overlays: Overlays, _ size: PixelSize, _ options: inout PictureOptions, name: String
    ) throws(EngineError) -> OpenedProject {
        let result = try overlays.adding(
            to: project, contentDigest: contentDigest, size: size, options: options, place: Place(file: name))
        options.layers = options.layers.map { $0 + result.layers }
        options.view = result.view
        var opened = self
        opened.project = result.project
        opened.contentDigest = result.contentDigest
        opened.warnings += result.warnings
        // The project's own text does not have the overlays.
        opened.text = nil
        return opened
    }
}

/// Everything that determines the bytes of a picture.
package struct PictureContent: Sendable {
    /// The digest of the project with its presets, template and images.
    package var contentDigest: [UInt8]
    /// Without a digest.
    package var options: PictureOptions
    package var size: PixelSize
    package var rendererVersion: String

    /// SHA-256 of the content, the options, the size and the renderer, each on a line of its own, so that different
    /// values never give the same text.
    package func digest(_ sha256: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let format = options.encoding.format
        let version =
            PictureCodecs.codec(of: format)?.isVector == true
            ? VectorPicture.version(of: format, renderer: rendererVersion) : rendererVersion
        let lines = ["ink picture 1", contentDigest.hexadecimal, options.canonicalText, size.description, version]
        return sha256(Array(lines.joined(separator: "\n").utf8))
    }
}
