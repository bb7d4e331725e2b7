import InkEngine
import InkSystem
import InkJSON
import Synchronization

/// `ink export`: finds projects, plans pictures, renders them, reports.
struct ExportCommand {
    /// Projects that are read and not yet on a broker's disk.
    private static let sentAtOnce = 16

    private let environment: CommandEnvironment
    private let parsed: ParsedCommand
    private let arguments: ExportArguments
    private let repeated: RepeatedExports?
    private let limits: Limits
    /// nil: this process renders.
    private let remote: RemoteOptions?
    private let queue: EventQueue<ExportRun.Event>
    private let clock = Stopwatch()

    /// - Parameter queue: an outside `stop` event in it ends the run.
    /// - Throws: `usage`, `configuration` before anything is touched.
    init(
        _ given: ParsedCommand, _ environment: CommandEnvironment, queue: EventQueue<ExportRun.Event> = EventQueue()
    ) throws(CommandError) {
        self.environment = environment
        self.queue = queue
        if let path = given.value("from-report") {
            if given.isGiven("PATH") {
                throw .usage("--from-report takes its paths from the report; PATH cannot be given")
            }
            for name in ["output", "name", "size", "layers", "each-layer"] where given.isGiven(name) {
                throw .usage("--from-report takes pictures and names from the report; --\(name) cannot be used")
            }
            let repeated = try RepeatedExports(path: path, onlyFailed: given.isGiven("failed"))
            self.repeated = repeated
            var parsed = repeated.options.overridden(by: given)
            parsed = parsed.overridden(
                by: ParsedCommand(name: "export", values: ["PATH": repeated.inputs.map(\.path)]))
            // The report's choice between these two gives way to the one on the command line.
            if given.isGiven("keep-going") { parsed = parsed.filtered { $0 != "fail-fast" } }
            if given.isGiven("fail-fast") { parsed = parsed.filtered { $0 != "keep-going" } }
            self.parsed = parsed
        } else {
            if given.isGiven("failed") { throw .usage("--failed needs --from-report") }
            repeated = nil
            parsed = given
        }
        if let repeated, repeated.inputs.isEmpty {
            // Having nothing to repeat is not an error; the arguments only have to be well formed.
            let stand = parsed.overridden(by: ParsedCommand(name: "export", values: ["PATH": ["-"]]))
            arguments = try ExportArguments(stand)
        } else {
            arguments = try ExportArguments(parsed)
        }
        limits = try environment.limits(arguments.limitsPath)
        var remote = try Self.remoteOptions(given, environment)
        remote?.replacesFiles = arguments.ifExists?.replacesFiles ?? true
        self.remote = remote
        try FileSystem.checkPresetFolders(arguments.presetFolders)
    }

    /// The broker of `--broker`; the environment or a config file alone does not send projects away.
    private static func remoteOptions(
        _ given: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> RemoteOptions? {
        guard given.isGiven("broker") else {
            for name in RemoteSetting.all.map(\.name) where given.isGiven(name) {
                throw .usage("--\(name) needs --broker")
            }
            return nil
        }
        if given.isGiven("workers") {
            throw .usage("--workers and --broker cannot be used together: the farm has its own workers")
        }
        return try RemoteOptions(given, environment)
    }

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let command = try ExportCommand(parsed, environment)
        return try command.report(try command.execute())
    }

    /// Does everything but report.
    func execute() throws(CommandError) -> FinishedExports {
        let workers = arguments.run.workers ?? UsableCores.count()
        let phase = RunPhase()
        if environment.handlesSignals {
            let queue = queue
            try Interrupts.watch { signal in
                // Nothing has been written.
                if phase.isPlanning { Interrupts.leave(signal) }
                queue.post(.stop(signal))
            }
        }
        let farm: any ExportFarm =
            if let remote { try RemoteFarm(remote, environment) } else { environment.makeFarm(workers, limits) }
        var found = try FoundProjects(arguments, known: repeated?.inputs, console: environment.console)
        let inputs = found.inputs
        let policy = arguments.ifExists ?? (isSingle(inputs) ? .overwrite : .skipUnchanged)
        let opener = environment.makeOpener(arguments.presetFolders, limits, textUse(policy))
        found.readOutlines(with: opener)
        var failed = found.failures.map { ExportRecord(input: $0.input, failure: $0.failure) }
        let plan = try makePlan(found, policy, &failed)
        try checkReportPath(inputs, plan)

        let isFarmNeeded = !arguments.run.isDryRun && !plan.pictures.isEmpty
        // The renderer of a farm elsewhere is known when it has answered, and pictures are compared by it. While it is waited
        // for it can be given up by a signal at once: nothing has been written.
        if remote != nil, isFarmNeeded { try start(farm) }
        phase.endPlanning()
        let preparation = PicturePreparation(
            arguments: arguments, policy: policy, limits: limits, rendererVersion: farm.rendererVersion,
            storedDigest: environment.storedDigest, sha256: environment.sha256)
        var run = ExportRun(
            inputs: inputs, plan: plan, failed: failed, preparation: preparation,
            opener: opener, farm: farm, console: environment.console, queue: queue, run: arguments.run,
            readAheadCount: remote == nil ? workers + 2 : Self.sentAtOnce)
        if remote == nil { ProcessMemory.keepHeaps() }
        try run.execute { () throws(CommandError) in
            if remote == nil, isFarmNeeded { try start(farm) }
        }
        let finished = FinishedExports(
            records: run.records, stoppedBy: run.stoppedBy, milliseconds: clock.milliseconds, policy: policy,
            rendererVersion: farm.rendererVersion,
            workers: farm.threadCount)
        // Where all went well nothing is under way any more, and the threads of a process that ends now are taken down sooner
        // by the system. Where something failed the farm may still be removing what it left.
        let isLeft = environment.endsWithCommand && remote == nil && finished.exitCode == .done
        if !isLeft { farm.stop() }
        return finished
    }

    /// A project that may turn out to be unchanged is not packed before that is known. One that is read by limits of its own
    /// is written anew: the broker, which has others, reads no more of it than is drawn.
    private func textUse(_ policy: ExistingFilePolicy) -> TextUse {
        guard remote != nil, !arguments.run.isDryRun, arguments.limitsPath == nil else { return .none }
        return policy == .skipUnchanged ? .packed : .packedAtOnce
    }

    private func start(_ farm: any ExportFarm) throws(CommandError) {
        do throws(PictureFailure) {
            try farm.start { [queue] in queue.post(.farm($0)) }
        } catch {
            throw .farm(error)
        }
    }

    /// Whether they are one project that was named itself, not many or what a search has found.
    private func isSingle(_ inputs: [ExportInput]) -> Bool {
        repeated == nil && arguments.paths.count == 1 && inputs.count == 1 && inputs[0].tree.isEmpty
            && inputs[0].path == arguments.paths[0]
    }

    private func makePlan(
        _ found: FoundProjects, _ policy: ExistingFilePolicy, _ failed: inout [ExportRecord]
    ) throws(CommandError) -> ExportPlan {
        let inputs = found.inputs
        var plan = try ExportPlan(
            inputs: inputs, outlines: found.outlines, arguments: arguments, resolve: FileSystem.resolved)
        if let repeated {
            let unread = Set(failed.map(\.input))
            for record in repeated.records(missingIn: plan) where !unread.contains(record.input) {
                environment.console.error(record.failure?.reason ?? "")
                failed.append(record)
            }
            plan = try plan.repeating(
                repeated.contains, of: inputs, resolve: FileSystem.resolved, output: repeated.output)
        }
        // A file that cannot be looked at counts as there: the export then fails with the system's words.
        if policy == .suffix {
            plan.avoidExisting(resolve: FileSystem.resolved) { (try? FileSystem.status($0)) != .some(.none) }
        }
        return plan
    }

    /// A report may replace an older report, but no input and no picture.
    private func checkReportPath(_ inputs: [ExportInput], _ plan: ExportPlan) throws(CommandError) {
        guard let path = arguments.run.reportPath else { return }
        if try asCommand({ () throws(EngineError) in try FileSystem.status(path)?.isFolder == true }) {
            throw .usage("--report: \(path) is a folder")
        }
        let lists = arguments.paths.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) }
        let read = inputs.filter { !$0.isStandardInput }.map(\.path) + lists + [arguments.limitsPath].compactMap(\.self)
        let place = FilePlace(path)
        for other in read where FilePlace(other) == place {
            throw .usage("--report: \(path) would replace the input \(other)")
        }
        for picture in plan.pictures where FilePlace(picture.output) == place {
            throw .usage("--report: \(path) is also the name of a picture")
        }
        for input in inputs where input.isTemplateFolder && place.isInside(FilePlace(input.path)) {
            throw .usage("--report: \(path) lies inside the input \(input.path)")
        }
        try asCommand { () throws(EngineError) in try FileSystem.checkWritable(path) }
    }

    private func report(_ finished: FinishedExports) throws(CommandError) -> ExitCode {
        let summary = ExportSummary(finished.records, milliseconds: finished.milliseconds)
        let exitCode = finished.exitCode
        let report = ExportReport(
            records: finished.records, summary: summary, options: reportedOptions(finished.policy),
            folder: FileSystem.currentFolder(), rendererVersion: finished.rendererVersion,
            workers: finished.workers, broker: remote?.endpoint, exitCode: exitCode,
            peakBytes: ProcessMemory.peakBytes())
        // The summary is printed even if the file cannot be written.
        let written = Result { () throws(EngineError) in try arguments.run.reportPath.map(report.write(to:)) }
        do throws(CommandError) {
            if arguments.run.printsJSON {
                try environment.console.print(report.json.text())
            } else if !arguments.run.isQuiet {
                try environment.console.print(summary.text(finished.records))
            }
        } catch {
            // Nothing can be shown on a closed terminal.
            if finished.stoppedBy != .hangUp { throw error }
        }
        if arguments.run.isQuiet, summary.withWarnings > 0 {
            environment.console.warning(
                "\(summary.withWarnings) of \(finished.records.count) pictures have warnings, which --quiet hides and "
                    + "--report lists")
        }
        if case .failure(let error) = written { throw .engine(error) }
        return exitCode
    }

    /// What `--from-report` needs to repeat the run, without how it reports.
    private func reportedOptions(_ policy: ExistingFilePolicy) -> [(name: String, values: [String])] {
        let own: Set = [
            "PATH", "workers", "report", "from-report", "failed", "json", "quiet", "dry-run", "progress", "if-exists",
            "broker", "key", "broker-key", "insecure", "timeout",
        ]
        var options = parsed.values.filter { !own.contains($0.key) }
        options["if-exists"] = [policy.rawValue]
        return options.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

/// The result of an export run.
struct FinishedExports: Sendable {
    var records: [ExportRecord]
    var stoppedBy: StopSignal?
    /// From the start of the command to the last file.
    var milliseconds: Double
    var policy: ExistingFilePolicy
    var rendererVersion: String
    var workers: Int

    var exitCode: ExitCode {
        stoppedBy?.exitCode ?? ExitCode.combining(records.compactMap { $0.failure?.kind })
    }
}

/// Whether a run is still planning, when a signal may end the program at once.
final class RunPhase: Sendable {
    private let planning = Atomic<Bool>(true)

    var isPlanning: Bool { planning.load(ordering: .acquiring) }

    func endPlanning() { planning.store(false, ordering: .releasing) }
}
