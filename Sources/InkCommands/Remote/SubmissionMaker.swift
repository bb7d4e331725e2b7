import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkProtocol
import InkSystem

/// Makes submissions of projects, as the options of `ink submit` say.
struct SubmissionMaker {
    /// A picture's submission.
    struct Made {
        var picture: PlannedPicture
        var submission: Submission
        var content: ContentSource?
    }

    let arguments: ExportArguments
    let priority: Int
    private let environment: CommandEnvironment
    /// Below the broker's output root; nil: the broker keeps the pictures.
    private let into: String?
    private let isShared: Bool
    private let limits: Limits
    private let opener: any ProjectOpener
    /// Watermarks to lay over the pictures; nil: none.
    private let overlays: Overlays?
    private let onWarning: @Sendable (String) -> Void

    /// The options `into` and `name` count only for where the pictures go.
    var isWritten: Bool { into != nil }

    /// As the options of `ink submit` say.
    ///
    /// - Throws: as below.
    init(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment, onWarning: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        let priority = try parsed.value("priority").map { text throws(CommandError) in
            try PriorityText.read(text, option: "--priority")
        }
        try self.init(
            ExportArguments(parsed), into: parsed.value("into"), isShared: parsed.isGiven("shared"),
            priority: priority ?? JobPriority.bulk, environment, onWarning: onWarning)
    }

    /// - Parameters:
    ///   - into: a folder below the broker's output root; nil: the broker keeps the pictures.
    ///   - isShared: whether the broker itself reads the projects.
    ///   - onWarning: receives what readers of projects warn of.
    /// - Throws: `usage` and others, before anything is read.
    init(
        _ arguments: ExportArguments, into: String? = nil, isShared: Bool, priority: Int,
        _ environment: CommandEnvironment, onWarning: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        self.onWarning = onWarning
        self.environment = environment
        self.arguments = arguments
        self.isShared = isShared
        self.priority = priority
        try Self.checkFiles(of: arguments)
        self.into = try into.map { text throws(CommandError) in try Self.relative(text) }
        if isShared, arguments.paths.contains("-") {
            throw .usage("--shared cannot read a project from standard input (-)")
        }
        if isShared, !arguments.presetFolders.isEmpty {
            throw .usage("--shared: the broker reads the project, with its own presets; --presets cannot be used")
        }
        if isShared, arguments.run.isStrict {
            throw .usage(
                "--shared: the broker reads the project, \"ink status JOB\" shows its warnings; --strict cannot be used"
            )
        }
        if isShared, arguments.outputMargin != nil {
            throw .usage(
                "--shared: the broker reads the project, and a margin on paper depends on what it shows; give --margin in "
                    + "canvas pixels, as a number without a unit")
        }
        if isShared, !arguments.overlays.isEmpty {
            throw .usage(
                "--shared: the broker reads the project, and overlays are laid over it here; they cannot be used together"
            )
        }
        try FileSystem.checkPresetFolders(arguments.presetFolders)
        limits = try environment.limits(arguments.limitsPath)
        overlays = arguments.overlays.isEmpty ? nil : try Overlays(arguments.overlays, limits: limits)
        let sendsText = !isShared && arguments.limitsPath == nil && overlays == nil
        opener = environment.exports.makeOpener(
            ReadingChoices(
                presetFolders: arguments.presetFolders, limits: limits, textUse: sendsText ? .packedAtOnce : .none))
    }

    /// - Throws: `usage` for files that a broker does not make.
    private static func checkFiles(of arguments: ExportArguments) throws(CommandError) {
        let codecs = arguments.options.files.compactMap { PictureCodecs.codec(of: $0.encoding.format) }
        if let layered = codecs.first(where: \.isLayered) {
            throw .usage("--format: a broker does not make \(layered.name); use ink export --broker")
        }
        if arguments.bytesMax != nil {
            throw .usage("--max-bytes: a broker does not look for the quality; use ink export --broker")
        }
        if let folder = codecs.first(where: \.isFolder) {
            throw .usage(
                "--format: \(folder.name) is a folder, which a broker does not make; use ink export --broker, or szi")
        }
        if let vector = codecs.first(where: \.isVector) {
            throw .usage("a farm does not make \(vector.name) files; use ink export")
        }
    }

    /// The name of a picture's file: below the broker's output root, or below the searched folder.
    func fileName(_ picture: PlannedPicture, of input: ExportInput) -> String {
        let name = picture.output.splitPath().name
        return isWritten ? picture.output : input.tree.reduce("") { $0.appendingPath($1) }.appendingPath(name)
    }

    /// A folder below the broker's output root, without a slash at its end.
    private static func relative(_ text: String) throws(CommandError) -> String {
        var path = text[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isHere = path == "."
        if !text.hasSuffix("/"), OutputPlace.isPicture(text) {
            throw .usage(
                "--into: \(text) looks like a file, but a folder is needed; for a folder of this name use --into \(text)/"
            )
        }
        guard isHere || !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw .usage("--into: \"\(text)\" is absolute, leaves the broker's output root or has an empty part")
        }
        return isHere ? "" : String(path)
    }

    /// The projects and the pictures of them; what cannot be read goes to the observer and into the failures.
    func find(_ observer: any ExportObserver) throws(CommandError) -> (found: FoundProjects, plan: ExportPlan) {
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
    /// - Parameter name: of the project in messages; nil: its path.
    func make(
        _ pictures: [PlannedPicture], of input: ExportInput, named name: String? = nil
    ) throws(PictureFailure) -> (made: [Made], warnings: [ReadingWarning]) {
        let (source, content, opened) = try self.source(of: input)
        var made: [Made] = []
        for picture in pictures {
            var next: Made
            if let overlays, let opened, picture.layer == nil {
                let (submission, content) = try self.submission(picture, input, opened, overlays)
                next = Made(picture: picture, submission: submission, content: content)
            } else {
                let submission = try self.submission(picture, input, source, opened)
                next = Made(picture: picture, submission: submission, content: content)
            }
            if let name { next.submission.name = name }
            made.append(next)
        }
        return (made, opened?.warnings ?? [])
    }

    /// What the broker receives of a project, and facts about it that only this process needs.
    private func source(
        of input: ExportInput
    ) throws(PictureFailure) -> (ProjectSource, ContentSource?, OpenedProject?) {
        var needsProject = !isShared
        if case .named = arguments.layers { needsProject = true }
        if arguments.layers == .each || arguments.isEachViewport { needsProject = true }
        var opened: OpenedProject?
        if needsProject {
            do throws(EngineError) { opened = try opener.open(input) } catch { throw PictureFailure(error) }
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
        guard !input.isStandardInput, arguments.limitsPath == nil, !input.isTemplateFolder else { return false }
        return Self.isPicture(input.path)
    }

    static func isPicture(_ path: String) -> Bool {
        DocumentReaders.traits(of: FileSystem.beginning(of: path, byteCount: 1 << 16), name: "").isPicture
    }

    private func submission(
        _ picture: PlannedPicture, _ input: ExportInput, _ source: ProjectSource, _ opened: OpenedProject?
    ) throws(PictureFailure) -> Submission {
        var options = picture.options(arguments)
        if let opened {
            do throws(EngineError) {
                options = try picture.options(arguments, of: opened.project, place: Place(file: input.shownName))
            } catch {
                throw PictureFailure(error)
            }
            do throws(CommandError) {
                options.layers = try arguments.layers.drawnLayers(
                    of: ProjectOutline(opened.project), layer: picture.layer, file: input.shownName)
            } catch {
                throw PictureFailure(error)
            }
            // A project that only the broker reads may change before it does.
            if !isShared { options.digest = try digest(picture, input, opened, options) }
        }
        return Submission(
            key: .random(), name: ProjectPacking.name(input.isStandardInput ? input.stem : input.path), source: source,
            picture: PictureSpec(size: .named(picture.size.name), options: options),
            delivery: into == nil ? .fetch : .write(picture.output), priority: priority, file: file(picture))
    }

    /// With overlays each size is a project of its own.
    private func submission(
        _ picture: PlannedPicture, _ input: ExportInput, _ opened: OpenedProject, _ overlays: Overlays
    ) throws(PictureFailure) -> (Submission, ContentSource) {
        var options: PictureOptions
        let laid: OpenedProject
        let size: PixelSize
        do throws(EngineError) {
            options = try picture.options(arguments, of: opened.project, place: Place(file: input.shownName))
        } catch {
            throw PictureFailure(error)
        }
        do throws(CommandError) {
            options.layers = try arguments.layers.drawnLayers(
                of: ProjectOutline(opened.project), layer: nil, file: input.shownName)
        } catch {
            throw PictureFailure(error)
        }
        do throws(EngineError) {
            size = try self.size(picture, input, opened, options)
            laid = try opened.laidOver(by: overlays, size, &options, name: input.shownName)
        } catch {
            throw PictureFailure(error)
        }
        options.digest = PictureContent(
            contentDigest: laid.contentDigest, options: options, size: size, rendererVersion: TileRenderer.version
        ).digest(environment.exports.sha256)
        let prepared = try ProjectPacking.content(
            of: laid.project, warnings: laid.warnings, text: nil, name: input.shownName)
        // The name of a size where it means the same, for people.
        let isNamed = (try? self.size(picture, input, laid, options)) == size
        let spec = isNamed ? SizeSpec.named(picture.size.name) : .exact(size)
        let submission = Submission(
            key: .random(), name: ProjectPacking.name(input.isStandardInput ? input.stem : input.path),
            source: prepared.source, picture: PictureSpec(size: spec, options: options),
            delivery: into == nil ? .fetch : .write(picture.output), priority: priority, file: file(picture))
        return (submission, prepared.content)
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

    /// The digest by which a later `ink export` recognizes the picture.
    private func digest(
        _ picture: PlannedPicture, _ input: ExportInput, _ opened: OpenedProject, _ options: PictureOptions
    ) throws(PictureFailure) -> [UInt8] {
        do throws(EngineError) {
            let size = try self.size(picture, input, opened, options)
            return PictureContent(
                contentDigest: opened.contentDigest, options: options, size: size, rendererVersion: TileRenderer.version
            ).digest(environment.exports.sha256)
        } catch {
            throw PictureFailure(error)
        }
    }
}
