import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkJSON
import InkPlanning
import InkSystem

/// `ink pack`: renders the items of packs and puts them into bundles.
struct PackCommand {
    private let environment: CommandEnvironment
    private let arguments: PackArguments
    private let shown: ShownArguments
    private let remote: RemoteOptions?
    private let limits: Limits
    private let control = ExportControl()

    private init(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) {
        self.environment = environment
        arguments = try PackArguments(parsed)
        shown = try ShownArguments(parsed)
        limits = try environment.limits(arguments.limitsPath)
        remote = try ExportCommand.remoteOptions(parsed, environment)
    }

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        if parsed.isGiven("list-targets") { return try listTargets(environment) }
        if let name = parsed.value("show-target") { return try showTarget(name, environment) }
        let command = try PackCommand(parsed, environment)
        if environment.handlesSignals {
            let control = command.control
            try Interrupts.watch { signal in
                if control.isPlanning { Interrupts.leave(signal) }
                control.stop(signal)
            }
        }
        return try command.run()
    }

    private func run() throws(CommandError) -> ExitCode {
        let packs = PackExports(
            arguments, limits: limits, environment: environment.exports,
            remote: remote.map { Exports.Remote($0, environment.connect) },
            observer: ConsoleObserver(environment.console, shown), control: control)
        let finished = try packs.execute()
        if let path = arguments.run.reportPath {
            try CommandError.wrapping { () throws(EngineError) in
                try FileSystem.writeAtomically(Array((finished.json.text() + "\n").utf8), to: path)
            }
        }
        if shown.printsJSON {
            try environment.console.print(finished.json.text())
        } else if !shown.isQuiet {
            try show(finished)
        }
        guard finished.exitCode == .done, let contact = arguments.run.contactSheet, !arguments.run.isDryRun else {
            return finished.exitCode
        }
        return try writeContactSheet(contact)
    }

    private func show(_ finished: FinishedPacks) throws(CommandError) {
        let console = environment.console
        for plan in finished.plans {
            try console.printText(plan.output.escapingControls())
            for file in plan.files { try console.printText("  \(file.escapingControls())") }
        }
        for record in finished.records where record.state != .failed {
            let state = record.state == .unchanged ? ", unchanged" : ""
            try console.printText(
                "\(record.output.escapingControls()) (\(record.fileCount) files, \(record.byteCount) bytes\(state))")
        }
        if !arguments.run.isDryRun { try console.printText(finished.summary) }
    }

    /// The items at 1x with their ids, as an export of the packs makes it.
    private func writeContactSheet(_ contact: ContactArguments) throws(CommandError) -> ExitCode {
        let folder = try CommandError.wrapping(try TemporaryFolder.make("ink-pack"))
        defer { TemporaryFolder.remove(folder) }
        var run = RunArguments(workers: arguments.run.workers)
        run.contactSheet = contact
        guard let own = ExportSize("1x") else { return .done }
        var export = ExportArguments(
            paths: arguments.paths, output: folder + "/", sizes: [own], name: try NameTemplate("{viewport}.{ext}"),
            options: PictureOptions(), layers: .visible, ifExists: .overwrite, run: run)
        export.limitsPath = arguments.limitsPath
        return try Exports(
            export, limits: limits, environment: environment.exports,
            observer: ConsoleObserver(environment.console, ShownArguments(isQuiet: true)), control: ExportControl()
        ).execute().exitCode
    }

    // MARK: - Targets

    private static func listTargets(_ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        var rows: [(String, String)] = []
        for name in TargetRecipes.names {
            do throws(TargetError) {
                let recipe = try TargetRecipes.recipe(named: name)
                rows.append((name, recipe?.title ?? ""))
            } catch {
                throw .engine(.internalError("the recipe \(name): \(error)"))
            }
        }
        let width = rows.map(\.0.count).max() ?? 0
        for (name, title) in rows {
            try environment.console.printText(
                name + String(repeating: " ", count: width - name.count + 2) + title)
        }
        return .done
    }

    private static func showTarget(
        _ name: String, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        guard let recipe = TargetRecipes.texts.first(where: { $0.name == name }) else {
            throw .usage("--show-target: there is no target \"\(name)\"\(didYouMean(name, among: TargetRecipes.names))")
        }
        try environment.console.print(String(decoding: recipe.text, as: UTF8.self).droppingLastNewlines())
        return .done
    }
}

extension PackArguments {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        let paths = parsed.all("PATH")
        guard !paths.isEmpty, paths.allSatisfy({ !$0.isEmpty }) else {
            throw .usage("a PATH is needed: a pack, or a folder of packs (see \"ink help pack\")")
        }
        guard paths.count(where: { $0 == "-" }) <= 1 else { throw .usage("standard input (-) can be read only once") }
        self.init(paths: paths, output: parsed.value("output"), run: try RunArguments(parsed))
        targets = parsed.list("target")
        items = parsed.list("items")
        if let text = parsed.value("bundle") {
            guard let bundling = PackTarget.Bundling(rawValue: text) else {
                throw TextValue.noChoice(text, option: "--bundle", among: PackTarget.Bundling.allCases.map(\.rawValue))
            }
            self.bundling = bundling
        }
        for text in parsed.all("set") {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw .usage("--set: \"\(text)\" is not NAME=VALUE")
            }
            values.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
        }
        writesFolders = parsed.isGiven("folder")
        bumps = parsed.isGiven("bump")
        if let text = parsed.value("if-exists") {
            guard let policy = ExistingFilePolicy(rawValue: text) else {
                throw TextValue.noChoice(
                    text, option: "--if-exists", among: ExistingFilePolicy.allCases.map(\.rawValue))
            }
            ifExists = policy
        }
        limitsPath = parsed.value("limits")
    }
}
