import InkEngine
import InkExports
import InkJSON
import InkSystem

/// `ink export`: finds projects, plans pictures, renders them, reports.
struct ExportCommand {
    private let environment: CommandEnvironment
    private let parsed: ParsedCommand
    private let run: RunArguments
    private let shown: ShownArguments
    private let control = ExportControl()
    private let exports: Exports
    private let arguments: ExportArguments

    /// - Throws: `usage`, `configuration` before anything is touched.
    private init(
        _ given: ParsedCommand, _ environment: CommandEnvironment, _ folder: String?
    ) throws(CommandError) {
        let clock = Stopwatch()
        let given = try given.withShard(of: environment.variables)
        self.environment = environment
        let repeated = try Self.repeated(given)
        if let repeated {
            var parsed = ParsedCommand(name: "export", values: repeated.options).overridden(by: given)
            parsed = parsed.overridden(
                by: ParsedCommand(name: "export", values: ["PATH": repeated.inputs.map(\.path)]))
            // The command line's choice between these two replaces the report's.
            if given.isGiven("keep-going") { parsed = parsed.filtered { $0 != "fail-fast" } }
            if given.isGiven("fail-fast") { parsed = parsed.filtered { $0 != "keep-going" } }
            self.parsed = parsed
        } else {
            parsed = given
        }
        var arguments: ExportArguments
        if let repeated, repeated.inputs.isEmpty {
            // Nothing to repeat is not an error; the arguments only have to be well formed.
            let stand = parsed.overridden(by: ParsedCommand(name: "export", values: ["PATH": ["-"]]))
            arguments = try ExportArguments(stand)
        } else {
            arguments = try ExportArguments(parsed)
        }
        if let folder { arguments.output = folder + "/" }
        self.arguments = arguments
        run = arguments.run
        shown = try ShownArguments(parsed)
        let limits = try environment.limits(arguments.limitsPath)
        let remote = try Self.remoteOptions(given, environment)
        var exports = try Exports(
            arguments, repeating: repeated, limits: limits, environment: environment.exports,
            remote: remote.map { Exports.Remote($0, environment.connect) },
            observer: ConsoleObserver(environment.console, shown, listsSkipped: shown.isVerbose || run.isDryRun),
            control: control, clock: clock)
        exports.endsWithProcess = environment.endsWithCommand
        self.exports = exports
    }

    /// The run of `--from-report`; nil without.
    private static func repeated(_ given: ParsedCommand) throws(CommandError) -> RepeatedExports? {
        guard let path = given.value("from-report") else {
            if given.isGiven("failed") { throw .usage("--failed needs --from-report") }
            return nil
        }
        if given.isGiven("PATH") {
            throw .usage("--from-report takes its paths from the report; PATH cannot be given")
        }
        for name in ["output", "name", "size", "layers", "each-layer"] where given.isGiven(name) {
            throw .usage("--from-report takes pictures and names from the report; --\(name) cannot be used")
        }
        return try RepeatedExports(path: path, onlyFailed: given.isGiven("failed")) { name in
            CommandSyntax.export.options.contains { $0.key == name && $0.kind != .arguments }
        }
    }

    /// The broker of `--broker`. The environment or a config file alone does not send projects to a broker.
    static func remoteOptions(
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
        if given.isGiven("cache") {
            throw .usage("--cache and --broker cannot be used together: the broker has its own (--result-cache)")
        }
        return try RemoteOptions(given, environment)
    }

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard parsed.value("output") == "-" else { return try run(parsed, environment, folder: nil) }
        if environment.console.isOutputTerminal() {
            throw .usage(
                "-o -: standard output is a terminal; send it to a file or a program, as in: ink export ... -o - > FILE"
            )
        }
        // What is wrong with the options is said before anything is made.
        if !parsed.isGiven("from-report") { _ = try ExportArguments(parsed) }
        // Some formats are not written from front to back, so the picture is made before it is printed.
        let folder = try CommandError.wrapping(try TemporaryFolder.make("ink-export"))
        defer { TemporaryFolder.remove(folder) }
        return try run(parsed, environment, folder: folder)
    }

    /// - Parameter folder: where a picture for standard output is made.
    private static func run(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment, folder: String?
    ) throws(CommandError) -> ExitCode {
        let command = try ExportCommand(parsed, environment, folder)
        if command.parsed.isGiven("watch") { return try command.watch() }
        if environment.handlesSignals {
            let control = command.control
            let exitsWithParent = command.parsed.isGiven("exit-with-parent")
            try Interrupts.watch(exitsWithParent: exitsWithParent) { signal in
                // Nothing has been written.
                if control.isPlanning { Interrupts.leave(signal) }
                control.stop(signal)
            }
        }
        let finished = try command.exports.execute()
        return try folder == nil ? command.report(finished) : command.printPicture(finished)
    }

    /// The picture to standard output, without a summary.
    private func printPicture(_ finished: FinishedExports) throws(CommandError) -> ExitCode {
        if finished.exitCode == .done, let path = finished.records.first?.output {
            try environment.console.printFile(path)
        }
        return finished.exitCode
    }

    /// Exports until interrupted.
    private func watch() throws(CommandError) -> ExitCode {
        let control = try WatchControl()
        if environment.handlesSignals {
            try Interrupts.watch(exitsWithParent: parsed.isGiven("exit-with-parent")) { signal in
                if control.stop(signal) { Interrupts.heed() }
            }
        }
        var watch = FolderWatch(
            exports, arguments, observer: ConsoleObserver(environment.console, shown), control: control
        ) { news throws(ExportError) in try show(news) }
        return try report(try watch.run())
    }

    private func show(_ news: WatchNews) throws(CommandError) {
        let console = environment.console
        switch news {
        case .watching(let folders):
            if shown.isQuiet { return }
            console.note("watching \(folders == 1 ? "1 folder" : "\(folders) folders"); Ctrl-C ends it")
        case .ended(let records):
            if shown.isQuiet || shown.printsJSON { return }
            for record in records where record.state == .done {
                let size = record.pixels.map { " (\($0))" } ?? ""
                try console.printText(
                    "\(record.input.shownName.escapingControls()) -> \((record.output ?? "").escapingControls())\(size)"
                )
            }
        case .gone(let path): console.warning("\(path) is gone; it is exported again as soon as it is back")
        case .back(let path): if !shown.isQuiet { console.note("\(path) is back") }
        }
    }

    private func report(_ finished: FinishedExports) throws(CommandError) -> ExitCode {
        let report = ExportReport(finished, options: reportedOptions(finished.policy))
        // The summary is printed even if the file cannot be written.
        let written = Result { () throws(EngineError) in try run.reportPath.map(report.write(to:)) }
        do throws(CommandError) {
            if shown.printsJSON {
                try environment.console.print(report.json.text())
            } else if !shown.isQuiet {
                try environment.console.printText(report.summary.text(finished.records))
            }
        } catch {
            // Nothing can be shown on a closed terminal.
            if finished.stoppedBy != .hangUp { throw error }
        }
        if shown.isQuiet, report.summary.withWarnings > 0 {
            environment.console.warning(
                "\(report.summary.withWarnings) of \(finished.records.count) pictures have warnings, which --quiet hides "
                    + "and --report lists")
        }
        if case .failure(let error) = written { throw .engine(error) }
        return finished.exitCode
    }

    /// What `--from-report` needs to repeat the run, without how it reports.
    private func reportedOptions(_ policy: ExistingFilePolicy) -> [String: [String]] {
        let own: Set = [
            "PATH", "workers", "report", "from-report", "failed", "json", "quiet", "dry-run", "watch", "progress",
            "if-exists", "shard", "exit-with-parent",
            "broker", "key", "broker-key", "insecure", "timeout",
        ]
        var options = parsed.values.filter { !own.contains($0.key) }
        options["if-exists"] = [policy.rawValue]
        return options
    }
}

extension ParsedCommand {
    /// The command with the part that the environment names, for engines that only set variables; as it is where it names
    /// one itself.
    /// - Throws: `usage` if one of the variables lacks the other.
    fileprivate func withShard(of variables: [String: String]) throws(CommandError) -> ParsedCommand {
        let (index, count) = (variables["INK_SHARD"] ?? "", variables["INK_SHARDS"] ?? "")
        if isGiven("shard") || index.isEmpty && count.isEmpty { return self }
        guard !index.isEmpty else {
            throw .usage(
                "INK_SHARDS is set and INK_SHARD is not: set it to the number of the part, from 0, or use --shard")
        }
        if count.isEmpty, !index.contains("/") {
            throw .usage("INK_SHARD is set and INK_SHARDS is not: set it to the number of parts, or use --shard")
        }
        let text = count.isEmpty ? index : "\(index)/\(count)"
        return overridden(by: ParsedCommand(name: name, values: ["shard": [text]]))
    }
}
