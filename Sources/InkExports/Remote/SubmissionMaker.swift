import InkBroker
package import InkClient
import InkCodecs
import InkDocuments
package import InkEngine
import InkPlanning
package import InkProtocol
import InkSystem

/// Makes submissions of projects.
package struct SubmissionMaker {
    /// A picture's submission.
    package struct Made {
        package var picture: PlannedPicture
        package var submission: Submission
        package var content: ContentSource?
    }

    private let arguments: ExportArguments
    private let priority: Int
    private let environment: ExportEnvironment
    /// Below the broker's output root; nil: the broker keeps the pictures.
    private let into: String?
    private let isShared: Bool
    private let limits: Limits
    private let opener: any ProjectOpener
    /// Watermarks to lay over the pictures; nil: none.
    private let overlays: Overlays?
    private let onWarning: @Sendable (String) -> Void

    /// The options `into` and `name` count only for where the pictures go.
    package var isWritten: Bool { into != nil }

    /// - Parameters:
    ///   - into: a folder below the broker's output root; nil: the broker keeps the pictures.
    ///   - isShared: whether the broker itself reads the projects.
    ///   - onWarning: receives what readers of projects warn of.
    /// - Throws: `usage` and others, before anything is read.
    package init(
        _ arguments: ExportArguments, into: String? = nil, isShared: Bool, priority: Int, limits: Limits = Limits(),
        _ environment: ExportEnvironment, onWarning: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ExportError) {
        self.onWarning = onWarning
        self.environment = environment
        self.arguments = arguments
        self.isShared = isShared
        self.priority = priority
        self.into = into
        self.limits = limits
        let shared = "--shared: the broker reads the project, "
        let refusals: [(isDue: Bool, text: String)] = [
            (arguments.paths.contains("-"), "--shared cannot read a project from standard input (-)"),
            (!arguments.presetFolders.isEmpty, shared + "with its own presets; --presets cannot be used"),
            (arguments.run.isStrict, shared + "\"ink status JOB\" shows its warnings; --strict cannot be used"),
            (
                arguments.outputMargin != nil,
                shared + "and a margin on paper depends on what it shows; give --margin in canvas pixels, as a number "
                    + "without a unit"
            ),
            (
                arguments.paper != PaperChoice(),
                shared + "with paper and staves of its own; --paper, --paper-margin and --staff-size cannot be used"
            ),
            (
                !arguments.overlays.isEmpty,
                shared + "and overlays are laid over it here; they cannot be used together"
            ),
        ]
        if isShared, let refusal = refusals.first(where: \.isDue) { throw .usage(refusal.text) }
        try FileSystem.checkPresetFolders(arguments.presetFolders)
        overlays = arguments.overlays.isEmpty ? nil : try Overlays(arguments.overlays, limits: limits)
        let sendsText = !isShared && arguments.limitsPath == nil && overlays == nil
        opener = environment.makeOpener(
            ReadingChoices(
                presetFolders: arguments.presetFolders, limits: limits, textUse: sendsText ? .packedAtOnce : .none,
                paper: arguments.paper))
    }

    /// The name of a picture's file: below the broker's output root, or below the searched folder.
    package func fileName(_ picture: PlannedPicture, of input: ExportInput) -> String {
        let name = picture.output.splitPath().name
        return isWritten ? picture.output : input.tree.reduce("") { $0.appendingPath($1) }.appendingPath(name)
    }

    /// The projects and the pictures of them; what cannot be read goes to the observer and into the failures.
    package func find(_ observer: (any ExportObserver)? = nil) throws(ExportError) -> (
        found: FoundProjects, plan: ExportPlan
    ) {
        var found = try FoundProjects(arguments, observer: observer)
        found.readOutlines(with: opener)
        var planned = arguments
        // A folder, whatever its ending; where a client puts the pictures, their names are relative, too.
        planned.output = into.map { $0.isEmpty ? $0 : $0 + "/" } ?? ""
        let plan = try ExportPlan(
            inputs: found.inputs, outlines: found.outlines, arguments: planned, resolve: into == nil ? nil : { $0 })
        return (found, plan)
    }

    /// The submissions of some pictures of one project.
    ///
    /// - Parameters:
    ///   - known: the project, if it has been read already.
    ///   - name: of the project in messages; nil: its path.
    package func make(
        _ pictures: [PlannedPicture], of input: ExportInput, known: OpenedProject?, named name: String? = nil
    ) throws(PictureFailure) -> (made: [Made], warnings: [ReadingWarning]) {
        let (source, content, opened) = try self.source(of: input, known)
        var made: [Made] = []
        for picture in pictures {
            var next = try self.made(picture, input, source, content, opened)
            if let name { next.submission.name = name }
            made.append(next)
        }
        return (made, opened?.warnings ?? [])
    }

    /// What the broker receives of a project, and facts about it that only this process needs.
    private func source(
        of input: ExportInput, _ known: OpenedProject?
    ) throws(PictureFailure) -> (ProjectSource, ContentSource?, OpenedProject?) {
        var needsProject = !isShared
        if case .named = arguments.layers { needsProject = true }
        if arguments.layers == .each || arguments.isEachViewport { needsProject = true }
        var opened = needsProject ? known : nil
        if needsProject {
            do throws(EngineError) { if known == nil { opened = try opener.open(input) } } catch {
                throw PictureFailure(error)
            }
            let warnings = opened?.warnings ?? []
            for warning in warnings { onWarning("\(input.shownName): \(warning)") }
            if arguments.run.isStrict, let refusal = PictureFailure(strictly: warnings, of: input.shownName) {
                throw refusal
            }
        }
        guard !isShared, let opened else {
            let path = FileSystem.resolved(input.path)
            guard path.hasPrefix("/"), path.utf8.count <= ProtocolLimits.textBytes else {
                throw PictureFailure(kind: .inputOutput, reason: "\(input.path): has no absolute path to send")
            }
            return (.path(path), nil, opened)
        }
        // A picture is sent as it is, piece by piece: as a project it would be in memory twice more.
        if isPicture(input) {
            do throws(ClientError) {
                let prepared = try PreparedContent(file: input.path)
                return (prepared.source, prepared.content, opened)
            } catch {
                throw PictureFailure(error)
            }
        }
        let prepared = try ProjectPacking.content(
            of: opened.project, warnings: opened.warnings, text: opened.text, name: input.shownName)
        return (prepared.source, prepared.content, opened)
    }

    /// Whether an input is a picture by its bytes alone, which is all that a broker sees of it. With limits of its own it
    /// is read here.
    private func isPicture(_ input: ExportInput) -> Bool {
        guard !input.isStandardInput, arguments.limitsPath == nil, arguments.paper == PaperChoice(),
            !input.isTemplateFolder
        else { return false }
        return Self.isPicture(input.path)
    }

    package static func isPicture(_ path: String) -> Bool {
        DocumentReaders.traits(of: FileSystem.beginning(of: path, byteCount: 1 << 16), name: "").isPicture
    }

    private func made(
        _ picture: PlannedPicture, _ input: ExportInput, _ source: ProjectSource, _ content: ContentSource?,
        _ opened: OpenedProject?
    ) throws(PictureFailure) -> Made {
        var (source, content) = (source, content)
        var options = picture.options(arguments)
        var spec = SizeSpec.named(picture.size.name)
        if let opened {
            options = try rethrowing(
                try picture.options(arguments, of: opened.project, place: Place(file: input.shownName))
            ) { PictureFailure($0 as EngineError) }
            // Paper makes a page of a drawing that had none when names were planned.
            if options.view == nil, opened.project.hasPages { options.view = .index(0) }
            do throws(ExportError) {
                options.layers = try arguments.layers.drawnLayers(
                    of: ProjectOutline(opened.project), layer: picture.layer, file: input.shownName)
            } catch {
                throw PictureFailure(error)
            }
            // A project that only the broker reads may change before it does.
            if !isShared {
                var (laid, size) = (opened, PixelSize(width: 0, height: 0))
                do throws(EngineError) {
                    if let fault = opened.project.content(of: options.view)?.fault {
                        throw .badInput(Place(file: input.shownName), reason: fault)
                    }
                    size = try self.size(picture, input, opened, options)
                    if let overlays, picture.layer == nil {
                        laid = try opened.laidOver(by: overlays, size, &options, name: input.shownName)
                    }
                } catch {
                    throw PictureFailure(error)
                }
                options.digest = PictureContent(
                    contentDigest: laid.contentDigest, options: options, size: size,
                    rendererVersion: TileRenderer.version
                ).digest(environment.sha256)
                if overlays != nil, picture.layer == nil {
                    // With overlays each size is a project of its own.
                    let prepared = try ProjectPacking.content(
                        of: laid.project, warnings: laid.warnings, text: nil, name: input.shownName)
                    (source, content) = (prepared.source, prepared.content)
                    // The name of a size where it means the same, for people.
                    if (try? self.size(picture, input, laid, options)) != size { spec = .exact(size) }
                }
            }
        }
        let submission = Submission(
            key: .random(), name: ProjectPacking.name(input.isStandardInput ? input.stem : input.path), source: source,
            picture: PictureSpec(size: spec, options: options),
            delivery: into == nil ? .fetch : .write(picture.output), priority: priority, file: file(picture))
        return Made(picture: picture, submission: submission, content: content)
    }

    /// The name that a client gives the picture; empty if the broker writes it, or for one that no file can have.
    private func file(_ picture: PlannedPicture) -> String {
        let isFit = picture.output.isPlainRelativePath && picture.output.utf8.count <= ProtocolLimits.textBytes
        return into == nil && isFit ? picture.output : ""
    }

    private func size(
        _ picture: PlannedPicture, _ input: ExportInput, _ opened: OpenedProject, _ options: PictureOptions
    ) throws(EngineError) -> PixelSize {
        let place = Place(file: input.shownName)
        let size = try picture.size.outputSize(
            canvas: try options.canvas(of: opened.project, place: place), limits: limits, place: place)
        try options.checkFormats(size, place: place)
        return size
    }
}
