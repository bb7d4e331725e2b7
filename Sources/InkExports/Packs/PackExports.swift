import InkCodecs
import InkDocuments
package import InkEngine
import InkPlanning
import InkSystem

/// Makes the bundles of packs: reads packs, has all pictures rendered as those of any export, and puts archives together.
package struct PackExports {
    private let arguments: PackArguments
    private let limits: Limits
    private let environment: ExportEnvironment
    private let remote: Exports.Remote?
    private let observer: any ExportObserver
    private let control: ExportControl
    private let clock: Stopwatch

    package init(
        _ arguments: PackArguments, limits: Limits, environment: ExportEnvironment, remote: Exports.Remote? = nil,
        observer: any ExportObserver, control: ExportControl, clock: Stopwatch = Stopwatch()
    ) {
        self.arguments = arguments
        self.limits = limits
        self.environment = environment
        self.remote = remote
        self.observer = observer
        self.control = control
        self.clock = clock
    }

    /// Makes all bundles; returns when all have ended.
    ///
    /// - Throws: what makes the whole run impossible, before anything is written.
    package func execute() throws(ExportError) -> FinishedPacks {
        var finished = FinishedPacks()
        // Standard input can be read only once.
        let opener = environment.makeOpener(ReadingChoices(limits: limits))
        let jobs = try plan(opener, &finished)
        if arguments.run.isDryRun || jobs.allSatisfy(\.bundles.isEmpty) {
            finished.plans = jobs.flatMap(\.bundles).map(FinishedPacks.Plan.init)
            return finished
        }
        let folder = try ExportError.wrapping { () throws(EngineError) in try TemporaryFolder.make("ink-pack") }
        defer { TemporaryFolder.remove(folder) }
        let (pictures, places) = try self.pictures(of: jobs, in: folder)
        let rendered = try render(pictures, of: jobs, opener)
        finished.stoppedBy = rendered.stoppedBy
        finished.rendererVersion = rendered.rendererVersion
        guard rendered.stoppedBy == nil else { return finished }
        var failures: [String: PictureFailure] = [:]
        for record in rendered.records {
            guard let output = record.output, record.state != .done else { continue }
            failures[output] = record.failure ?? PictureFailure(kind: .exportFailed, reason: "\(output): was not made")
        }
        for job in jobs {
            for (number, planned) in job.bundles.enumerated() {
                let assembly = PackAssembly(
                    job: job, planned: planned, pictures: places[job.input.path]?[number] ?? [:], failures: failures,
                    arguments: arguments, limits: limits, folder: folder)
                let record = assembly.run()
                if let failure = record.failure { observer.error(failure.reason) }
                if let warning = record.warning { observer.warning(warning) }
                finished.records.append(record)
            }
        }
        finished.milliseconds = clock.milliseconds
        return finished
    }

    // MARK: - Plan

    private func plan(
        _ opener: any ProjectOpener, _ finished: inout FinishedPacks
    ) throws(ExportError) -> [PackJob] {
        var jobs: [PackJob] = []
        for found in try InputFinder.find(arguments.paths) {
            switch found {
            case .failure(_, let error): fail(PictureFailure(error), &finished)
            case .input(let input):
                // A search finds projects, too.
                guard arguments.paths.contains(input.path) || input.path.hasEnding(".inkpack") else { continue }
                do throws(PictureFailure) {
                    let opened = try PackFailure.wrapping { () throws(EngineError) in try opener.open(input) }
                    let job = try PackJob(input, arguments, project: opened, limits: limits)
                    if !job.warnings.isEmpty { observer.hasRead(input.shownName, job.warnings) }
                    if arguments.run.isStrict, let refusal = PictureFailure(strictly: job.warnings, of: input.shownName)
                    {
                        throw refusal
                    }
                    jobs.append(job)
                } catch {
                    fail(error, &finished)
                }
            }
        }
        var seen: [FilePlace: String] = [:]
        for job in jobs {
            for bundle in job.bundles {
                let what = "\(job.input.shownName): target \(bundle.bundle.source.recipe.name)"
                if let other = seen.updateValue(what, forKey: FilePlace(bundle.output)) {
                    throw .usage("\(bundle.output) would be the name of two bundles: \(other); \(what)")
                }
            }
        }
        return jobs
    }

    private func fail(_ failure: PictureFailure, _ finished: inout FinishedPacks) {
        observer.error(failure.reason)
        finished.failures.append(failure)
    }

    // MARK: - Pictures

    /// The pictures of all bundles, each at its own path below a folder: by pack, by bundle, by path in the bundle.
    private func pictures(
        of jobs: [PackJob], in folder: String
    ) throws(ExportError) -> ([PlannedPicture], [String: [[String: String]]]) {
        var pictures: [PlannedPicture] = []
        var places: [String: [[String: String]]] = [:]
        guard let own = ExportSize("1x") else { return ([], [:]) }
        for (input, job) in jobs.enumerated() {
            var ofJob: [[String: String]] = []
            // Equal pictures of several bundles are made once.
            var known: [BundlePicture: String] = [:]
            for (number, planned) in job.bundles.enumerated() {
                var ofBundle: [String: String] = [:]
                for file in planned.bundle.files {
                    guard case .picture(let picture) = file.content else { continue }
                    if let there = known[picture] {
                        ofBundle[file.path] = there
                        continue
                    }
                    let output = folder.appendingPath("\(input)/\(number)/\(file.path)")
                    known[picture] = output
                    ofBundle[file.path] = output
                    var encoding = PictureEncoding(format: picture.format)
                    encoding.bytesMax = picture.bytesMax
                    // They are small, and many have a limit of bytes.
                    if picture.format == .png { encoding.effort = .small }
                    var part = BundlePart(background: picture.background)
                    if case .box(let box) = picture.size {
                        part.box = box
                        part.fit = PictureFit(
                            margin: BundlePicture.marginPixels(picture.margin, in: box),
                            alignment: picture.alignment.fit)
                    }
                    // The icon of a pack is a page behind its items.
                    let page = picture.item.map { job.chosen[$0] } ?? job.pack.items.count
                    pictures.append(
                        PlannedPicture(
                            input: input, size: own, viewport: page, encoding: encoding, part: part, output: output))
                }
                ofJob.append(ofBundle)
            }
            places[job.input.path] = ofJob
        }
        return (pictures, places)
    }

    private func render(
        _ pictures: [PlannedPicture], of jobs: [PackJob], _ opener: any ProjectOpener
    ) throws(ExportError) -> FinishedExports {
        var run = arguments.run
        (run.reportPath, run.contactSheet, run.isStrict) = (nil, nil, false)
        let exports = try Exports(
            ExportArguments(
                paths: arguments.paths, output: nil, sizes: [], name: try NameTemplate("{name}.{ext}"),
                options: PictureOptions(), layers: .visible, ifExists: .overwrite, run: run),
            limits: limits, environment: environment, remote: remote, observer: observer, control: control,
            clock: clock)
        let planned = Exports.Planned(
            inputs: jobs.map(\.input), skipped: SkippedFiles(), plan: ExportPlan(pictures), failed: [],
            policy: .overwrite, animations: [:], opener: opener)
        return try exports.run(planned)
    }
}

extension BundlePicture.Alignment {
    fileprivate var fit: PictureFit.Alignment {
        switch self {
        case .top: .top
        case .center: .center
        case .bottom: .bottom
        }
    }
}
