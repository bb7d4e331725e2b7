import InkCodecs
import InkDocuments
package import InkEngine
import InkSystem

/// A run of exports: `plan` finds projects and decides which pictures to export, `run` lets a farm render them, and an
/// `ExportReport` has the results. An `ExportObserver` follows the progress, an `ExportControl` can stop the run.
package struct Exports {
    /// A farm elsewhere, and how to reach it.
    package struct Remote: Sendable {
        package var options: RemoteOptions
        package var connector: FarmConnector

        package init(_ options: RemoteOptions, _ connector: @escaping FarmConnector) {
            self.options = options
            self.connector = connector
        }
    }

    /// Projects that have been read and are not yet on a broker's disk.
    private static let sentAtOnce = 16

    private var arguments: ExportArguments
    private let repeated: RepeatedExports?
    private let limits: Limits
    private let environment: ExportEnvironment
    /// Watermarks to lay over the pictures; nil: none.
    private let overlays: Overlays?
    /// The broker that renders; nil: this process does.
    private let remote: Remote?
    private let observer: any ExportObserver
    private var control: ExportControl
    private var clock: Stopwatch
    /// The inputs of one round of a watch, and further files that no picture may replace.
    private var round: (inputs: [ExportInput], protected: [String])?
    /// Whether the process ends with the run, so its threads need not be stopped first.
    package var endsWithProcess = false

    /// - Parameters:
    ///   - repeated: the exports of an earlier run, of which `arguments` are the options.
    ///   - clock: began with the command.
    /// - Throws: `configuration` before anything is touched; as `Overlays.init`.
    package init(
        _ arguments: ExportArguments, repeating repeated: RepeatedExports? = nil, limits: Limits,
        environment: ExportEnvironment, remote: Remote? = nil, observer: any ExportObserver, control: ExportControl,
        clock: Stopwatch = Stopwatch()
    ) throws(ExportError) {
        self.arguments = arguments
        self.repeated = repeated
        self.limits = limits
        self.environment = environment
        overlays = arguments.overlays.isEmpty ? nil : try Overlays(arguments.overlays, limits: limits)
        var remote = remote
        remote?.options.replacesFiles = arguments.ifExists?.replacesFiles ?? true
        self.remote = remote
        self.observer = observer
        self.control = control
        self.clock = clock
        try FileSystem.checkPresetFolders(arguments.presetFolders)
    }

    /// The exports of these inputs alone, whatever the paths of the arguments; without what a run writes when it ends.
    ///
    /// - Parameter protected: files beside the inputs that no picture may replace.
    func round(of inputs: [ExportInput], protecting protected: [String], control: ExportControl) -> Exports {
        var exports = self
        exports.round = (inputs, protected)
        exports.control = control
        exports.clock = Stopwatch()
        // The process goes on, so the threads of each round must end.
        exports.endsWithProcess = false
        exports.arguments.run.reportPath = nil
        exports.arguments.run.keepsGoing = true
        return exports
    }

    /// What of a watch can be checked before there are inputs.
    /// - Throws: as `plan`.
    func checkRequest() throws(ExportError) {
        try checkLibraries(arguments.options.files.map(\.encoding))
        if let path = arguments.run.reportPath {
            try ExportError.wrapping(try FileSystem.checkWritable(path))
        }
    }

    /// The plan of a run.
    package struct Planned: Sendable {
        package var inputs: [ExportInput]
        package var skipped: SkippedFiles
        package var plan: ExportPlan
        /// The records of projects that could not be planned.
        package var failed: [ExportRecord]
        package var policy: ExistingFilePolicy
        /// Animations of projects whose pages follow each other, by their paths.
        package var animations: [String: Animation]
        /// Has read the projects, and reads them again.
        package var opener: any ProjectOpener
        /// The part of the run to which the plan's pictures belong; nil: it is the whole run.
        package var shard: PlannedShard?
    }

    /// Finds the projects and decides which pictures to export, without writing anything.
    /// - Throws: if the request cannot be met.
    package func plan() throws(ExportError) -> Planned {
        try checkLibraries(arguments.options.files.map(\.encoding))
        var found = try FoundProjects(
            arguments, known: round?.inputs ?? repeated?.inputs, observer: observer)
        try arguments.checkShard(found.inputs)
        let policy = policy(for: found.inputs)
        let opener = environment.makeOpener(
            ReadingChoices(
                presetFolders: arguments.presetFolders, limits: limits, textUse: textUse(policy),
                takesMerged: arguments.takesMerged, brush: arguments.brush,
                paper: arguments.paper))
        found.readOutlines(with: opener)
        var failed = found.failures.map { ExportRecord(input: $0.input, failure: $0.failure) }
        var plan = try makePlan(found, policy, &failed)
        // Photos have their own formats.
        try checkLibraries(plan.pictures.compactMap(\.encoding))
        for file in filesBeside { try checkPath(file.path, option: file.option, found.inputs, plan) }
        try checkDifferent()
        // A part of a run has no contact sheet.
        if repeated?.isPart != true, let contact = contactSheet(plan.pictures.map { ($0.output, $0.file == 0) }) {
            try check(try contact.get())
        }
        var animations: [String: Animation] = [:]
        for (index, outline) in found.outlines { animations[found.inputs[index].path] = outline.animation }
        // After all checks, so that every part makes those of the whole run.
        let shard = arguments.run.shard.map { PlannedShard(shard: $0, plan: Shard.plan(of: found.inputs)) }
        if let shard { plan.keep { shard.shard.contains(found.inputs[$0]) } }
        return Planned(
            inputs: found.inputs, skipped: found.skipped, plan: plan, failed: failed, policy: policy,
            animations: animations, opener: opener, shard: shard)
    }

    /// - Throws: `unavailable` where this process lacks what a format needs. Elsewhere it is the workers that need it.
    private func checkLibraries(_ encodings: [PictureEncoding]) throws(ExportError) {
        guard remote == nil else { return }
        for format in Set(encodings.map(\.format)) {
            guard let codec = PictureCodecs.codec(of: format), let package = codec.missingPackage else { continue }
            throw .unavailable(
                "\(codec.name) cannot be written: the package \(package) is not installed (apt-get install \(package); \"ink doctor\" shows all)"
            )
        }
    }

    /// Plans and exports the pictures; returns when all have ended.
    package func execute() throws(ExportError) -> FinishedExports {
        // An unusable farm is reported before the search for projects.
        let farm = try makeFarm()
        return try run(try plan(), on: farm)
    }

    /// Exports the pictures of a plan of this run; returns when all have ended.
    package func run(_ planned: Planned) throws(ExportError) -> FinishedExports {
        try run(planned, on: try makeFarm())
    }

    private var workers: Int { arguments.run.workers ?? UsableCores.count() }

    private func makeFarm() throws(ExportError) -> any ExportFarm {
        guard let remote else { return environment.makeFarm(workers, limits, arguments.run.cache) }
        return try RemoteFarm(remote.options, remote.connector)
    }

    private func run(_ planned: Planned, on farm: any ExportFarm) throws(ExportError) -> FinishedExports {
        let isFarmNeeded = !arguments.run.isDryRun && !planned.plan.pictures.isEmpty
        // A remote farm's renderer, which pictures are compared by, is known once the farm has answered. A signal ends
        // this wait at once, because nothing has been written.
        if remote != nil, isFarmNeeded { try start(farm) }
        control.endPlanning()
        let preparation = PicturePreparation(
            arguments: arguments, overlays: overlays, policy: planned.policy, limits: limits,
            rendererVersion: farm.rendererVersion,
            storedDigest: environment.storedDigest, sha256: environment.sha256)
        var run = ExportRun(
            inputs: planned.inputs, plan: planned.plan, failed: planned.failed, preparation: preparation,
            opener: planned.opener, farm: farm, observer: observer, queue: control.queue, run: arguments.run,
            readAheadCount: remote == nil ? 2 * workers + 2 : Self.sentAtOnce)
        if remote == nil { ProcessMemory.keepHeaps() }
        try run.execute { () throws(ExportError) in
            if remote == nil, isFarmNeeded { try start(farm) }
        }
        var finished = FinishedExports(
            records: run.records, stoppedBy: run.stoppedBy, milliseconds: clock.milliseconds, policy: planned.policy,
            rendererVersion: farm.rendererVersion, workers: farm.threadCount, broker: remote?.options.endpoint)
        finished.skipped = planned.skipped
        finished.shard = planned.shard
        finished.otherFailures = [
            writeBook(finished), writeSheet(finished, planned.animations), writeContactSheet(finished),
        ]
        .compactMap(\.self)
        // After success nothing is in progress, and the system ends the threads of an exiting process sooner. After a
        // failure the farm may still be removing unfinished files, and results of tiles may still be on their way to the
        // disk.
        let isLeft = endsWithProcess && remote == nil && finished.exitCode == .done && arguments.run.cache == nil
        if !isLeft { farm.stop() }
        return finished
    }

    /// Joins the PDF files of all pictures, in the order of the plan, where that is asked for.
    private func writeBook(_ finished: FinishedExports) -> PictureFailure? {
        writeJoined(arguments.run.bookPath, of: .pdf, "pages", finished) { (path, made) throws(EngineError) in
            let software = arguments.options.hasMetadata ? "ink \(ProgramVersion.text)" : nil
            try BookWriting(path: path, pages: made.map(\.output), software: software).run()
        }
    }

    /// Writes a file of all pictures of a format, where that is asked for.
    private func writeJoined(
        _ path: String?, of format: PictureFormat, _ parts: String, _ finished: FinishedExports,
        _ write: (_ path: String, _ made: [(record: ExportRecord, output: String)]) throws(EngineError) -> Void
    ) -> PictureFailure? {
        guard let path, !arguments.run.isDryRun else { return nil }
        if repeated?.isPart == true { return leftAsItWas(path, parts, finished) }
        // A project that could not be read has no names of pictures.
        let all = finished.records.filter { record in
            guard let output = record.output else { return true }
            return PictureCodecs.codec(ofFile: output)?.format == format
        }
        let made = all.filter { $0.state == .done || $0.state == .skipped }
            .compactMap { record in record.output.map { (record: record, output: $0) } }
        guard made.count == all.count, !made.isEmpty else {
            observer.error("\(path): not written, \(all.count - made.count) of its \(all.count) \(parts) are missing")
            return nil
        }
        return told { () throws(EngineError) in try write(path, made) }
    }

    /// A project that may be unchanged is packed only once it is known to have changed. A project read with limits of
    /// its own is serialized, because the broker has other limits and then reads only what is drawn. The same holds for one
    /// with overlays.
    private func textUse(_ policy: ExistingFilePolicy) -> TextUse {
        guard remote != nil, !arguments.run.isDryRun, arguments.limitsPath == nil, overlays == nil else { return .none }
        return policy == .skipUnchanged ? .packed : .packedAtOnce
    }

    private func start(_ farm: any ExportFarm) throws(ExportError) {
        try rethrowing(try farm.start { [queue = control.queue] in queue.post(.farm($0)) }, as: ExportError.farm)
    }

    // MARK: - Sheets

    /// The files that are written beside the pictures, and what asks for them.
    private var filesBeside: [(option: String, path: String)] {
        let run = arguments.run
        let all = [
            ("--report", run.reportPath), ("--pdf-book", run.bookPath), ("--sheet", run.sheetPath),
            ("--sheet", run.sheetPath.map(SheetWriting.description)), ("--contact-sheet", run.contactSheet?.path),
        ]
        return all.compactMap { option, path in path.map { (option, $0) } }
    }

    /// That files beside the pictures have names of their own.
    private func checkDifferent() throws(ExportError) {
        var seen: [FilePlace: String] = [:]
        for (option, path) in filesBeside {
            let name = option == "--report" ? "the report" : option
            if let other = seen.updateValue(name, forKey: FilePlace(path)) {
                throw .usage("\(option): \(path) is also \(other)")
            }
        }
    }

    /// Says that a file of all pictures is not written, since only some of them are made again; nil where none are.
    private func leftAsItWas(_ path: String, _ parts: String, _ finished: FinishedExports) -> PictureFailure? {
        if finished.records.isEmpty { return nil }
        let failure = PictureFailure(
            kind: .exportFailed,
            reason: "\(path): left as it was, since this run makes only some of its \(parts); to write it, repeat "
                + "the run without --failed, with --if-exists skip-unchanged")
        observer.error(failure.reason)
        return failure
    }

    /// Writes the sprite sheet of all pictures, where that is asked for.
    private func writeSheet(_ finished: FinishedExports, _ animations: [String: Animation]) -> PictureFailure? {
        writeJoined(arguments.run.sheetPath, of: .png, "pictures", finished) { (path, made) throws(EngineError) in
            let pictures = made.map {
                SheetWriting.Picture($0.record, path: $0.output, animations[$0.record.input.path])
            }
            try SheetWriting(path: path, pictures: pictures, limits: sheetLimits).run()
        }
    }

    /// Writes the contact sheet of all pictures, where that is asked for.
    private func writeContactSheet(_ finished: FinishedExports) -> PictureFailure? {
        guard !arguments.run.isDryRun, finished.stoppedBy == nil, !finished.records.isEmpty else { return nil }
        let files = finished.records.map { record in
            (path: record.output ?? record.input.shownName, isFirst: !record.isFurtherFile && record.file == 0)
        }
        if repeated?.isPart == true, let contact = arguments.run.contactSheet {
            return leftAsItWas(contact.path, "pictures", finished)
        }
        guard let sheet = contactSheet(files), case .success(var writing) = sheet else { return nil }
        let there = Set(
            finished.records.filter { $0.state == .done || $0.state == .skipped }.compactMap(\.output))
        for index in writing.pictures.indices {
            writing.pictures[index].isThere = there.contains(writing.pictures[index].path)
        }
        return told { [writing] () throws(EngineError) in try writing.run() }
    }

    /// What writes the contact sheet; nil if none is asked for, or there is nothing to show.
    ///
    /// - Parameter files: of all pictures; of each picture the first file is marked.
    private func contactSheet(_ files: [(path: String, isFirst: Bool)]) -> Result<ContactWriting, ExportError>? {
        guard let contact = arguments.run.contactSheet, !files.isEmpty else { return nil }
        var pictures: [ContactWriting.Picture] = []
        func canBeShown(_ path: String) -> Bool { ImageDecoders.endings.contains { path.hasEnding($0) } }
        for (index, file) in files.enumerated() {
            if index > 0, !file.isFirst {
                // The first file of a picture that can be shown.
                let last = pictures.count - 1
                if canBeShown(pictures[last].path) || !canBeShown(file.path) { continue }
                pictures.removeLast()
            }
            pictures.append(
                ContactWriting.Picture(path: file.path, label: file.path.splitPath().name, isThere: false))
        }
        do throws(ExportError) {
            var fonts = OverlayFonts()
            for path in arguments.overlays.fonts { try fonts.add(path) }
            return .success(
                ContactWriting(
                    arguments: contact, pictures: pictures, limits: sheetLimits,
                    fonts: try fonts.chosen(weight: OverlayFonts.regular), threads: workers))
        } catch {
            return .failure(error)
        }
    }

    /// That a contact sheet can show its pictures, and its format hold it.
    private func check(_ contact: ContactWriting) throws(ExportError) {
        let path = contact.arguments.path
        for picture in contact.pictures where !ImageDecoders.endings.contains(where: { picture.path.hasEnding($0) }) {
            throw .usage("--contact-sheet: it cannot show \(picture.label); add png to --format")
        }
        guard let codec = PictureCodecs.codec(ofFile: path) else { return }
        let size = contact.sheet.size
        guard size.longestEdge <= codec.edgePixelsMax else {
            throw .engine(
                .overLimit(
                    Place(file: path), what: "the contact sheet", found: "\(size) pixels",
                    limit: "\(codec.edgePixelsMax) pixels in \(codec.name)"))
        }
    }

    /// Pictures are read row by row, so they may be as large as they can be written.
    private var sheetLimits: Limits {
        var limits = limits
        limits.imagePixels = max(limits.imagePixels, limits.outputPixels)
        return limits
    }

    private func told(_ body: () throws(EngineError) -> Void) -> PictureFailure? {
        do throws(EngineError) {
            try body()
            return nil
        } catch {
            observer.error(error.advised)
            return PictureFailure(error)
        }
    }

    /// Pictures of photos replace nothing where that is not asked for; `PicturePreparation` sees to those among others.
    private func policy(for inputs: [ExportInput]) -> ExistingFilePolicy {
        if let asked = arguments.ifExists { return asked }
        if !inputs.isEmpty, inputs.allSatisfy(\.traits.isPicture) { return .fail }
        return isSingle(inputs) ? .overwrite : .skipUnchanged
    }

    /// Whether the inputs are a single project that was named itself.
    private func isSingle(_ inputs: [ExportInput]) -> Bool {
        repeated == nil && arguments.paths.count == 1 && inputs.count == 1 && inputs[0].tree.isEmpty
            && inputs[0].path == arguments.paths[0]
    }

    private func makePlan(
        _ found: FoundProjects, _ policy: ExistingFilePolicy, _ failed: inout [ExportRecord]
    ) throws(ExportError) -> ExportPlan {
        let inputs = found.inputs
        var plan = try ExportPlan(
            inputs: inputs, outlines: found.outlines, arguments: arguments,
            protecting: (overlays?.files ?? []) + (round?.protected ?? []),
            resolve: FileSystem.resolved)
        if let repeated {
            let unread = Set(failed.map(\.input))
            for record in repeated.records(missingIn: plan) where !unread.contains(record.input) {
                observer.error(record.failure?.reason ?? "")
                failed.append(record)
            }
            plan = try plan.repeating(
                repeated.contains, of: inputs, resolve: FileSystem.resolved, output: repeated.output)
        }
        if policy == .suffix {
            // A file that cannot be examined counts as existing; the export then fails with the system's message.
            plan.avoidExisting(resolve: FileSystem.resolved) { (try? FileSystem.status($0)) != .some(.none) }
        }
        return plan
    }

    /// A file beside the pictures may replace an older one, but no input and no picture.
    private func checkPath(
        _ path: String, option: String, _ inputs: [ExportInput], _ plan: ExportPlan
    ) throws(ExportError) {
        if try ExportError.wrapping(try FileSystem.status(path)?.isFolder == true) {
            throw .usage("\(option): \(path) is a folder")
        }
        let lists = arguments.paths.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        var read = inputs.filter { !$0.isStandardInput }.map(\.path)
        read += lists + [arguments.limitsPath].compactMap(\.self) + (overlays?.files ?? [])
        let place = FilePlace(path)
        for other in read where FilePlace(other) == place {
            throw .usage("\(option): \(path) would replace the input \(other)")
        }
        for picture in plan.pictures where FilePlace(picture.output) == place {
            throw .usage("\(option): \(path) is also the name of a picture")
        }
        for input in inputs where input.isTemplateFolder && place.isInside(FilePlace(input.path)) {
            throw .usage("\(option): \(path) lies inside the input \(input.path)")
        }
        try ExportError.wrapping(try FileSystem.checkWritable(path))
    }
}
