import InkBench
import InkBroker
import InkEngine
import InkExports
import InkJSON
import InkSystem

/// `ink bench`: measures export times on this machine.
struct BenchCommand {
    private let environment: CommandEnvironment
    private let arguments: BenchArguments
    private let earlier: BenchReport?

    /// - Throws: before anything is made: `usage`, `configuration`, or that a file cannot be written.
    private init(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) {
        self.environment = environment
        arguments = try BenchArguments(parsed)
        earlier = try arguments.comparePath.map { path throws(CommandError) in try BenchReport.read(path) }
        try Self.checkOutputs(arguments)
    }

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try BenchCommand(parsed, environment).execute()
    }

    private func execute() throws(CommandError) -> ExitCode {
        let folder = try CommandError.wrapping(try TemporaryFolder.make("ink-bench"))
        defer { TemporaryFolder.remove(folder) }
        let workers = arguments.workers ?? UsableCores.count()
        let runner = BenchRunner(
            environment.exports, program: environment.program, workers: workers,
            folder: folder.appendingPath("pictures"), observer: runObserver)
        if environment.handlesSignals {
            try Interrupts.watch { signal in
                Interrupts.heed()
                runner.stop(signal)
            }
        }
        let date = UTCTime.text(unixMilliseconds: SystemClock.unixMilliseconds)
        var finder = BenchSubjects(
            sizes: arguments.sizes, projects: arguments.projects, environment: environment.exports,
            observer: ConsoleObserver(environment.console, ShownArguments(isQuiet: true)))
        let subjects = try finder.find(scenesIn: folder) { runner.stoppedBy != nil }
        if let signal = runner.stoppedBy { return signal.exitCode }
        try refuseReplacedInputs(subjects)
        let load = OthersLoad()
        var measuring = BenchMeasuring(runner, runs: arguments.runs, sha256: environment.exports.sha256)
        let results = measuring.results(of: subjects, onRun: showProgress)
        environment.console.clearLive()
        let failures = finder.failures + measuring.failures
        let othersShare = load.share()
        if let signal = runner.stoppedBy { return signal.exitCode }
        // The failure has been reported.
        if results.isEmpty { return .combining(failures) }
        let report = BenchReport(
            program: ProgramVersion.text, rendererVersion: TileRenderer.version, date: date, machine: .read(),
            workers: workers, othersShare: othersShare, results: results)
        try tell(report)
        return .combining(failures)
    }

    /// Observes the exports, which are not shown; the progress line makes way for errors.
    private var runObserver: ConsoleObserver {
        var console = environment.console
        if console.terminalSize() != nil {
            let writeError = console.writeError
            console.writeError = { writeError("\r\u{1b}[K" + $0) }
        }
        return ConsoleObserver(console, ShownArguments(isQuiet: true))
    }

    /// Writes all results that can be written, so that minutes of measuring are not lost.
    private func tell(_ report: BenchReport) throws(CommandError) {
        let comparison = earlier.map { BenchComparison(report, with: $0) }
        var failure: CommandError?
        func attempt(_ write: () throws(CommandError) -> Void) {
            do throws(CommandError) {
                try write()
            } catch {
                if failure != nil { environment.console.error(error.description) }
                failure = failure ?? error
            }
        }
        func write(_ text: String, to path: String?) throws(CommandError) {
            guard let path else { return }
            try CommandError.wrapping(try FileSystem.writeAtomically(Array(text.utf8), to: path))
        }
        attempt { () throws(CommandError) in
            try environment.console.printText(BenchText(report: report, comparison: comparison).text)
        }
        attempt { () throws(CommandError) in
            try write(report.json(comparison).text() + "\n", to: arguments.jsonPath)
        }
        attempt { () throws(CommandError) in
            try write(BenchChart(report: report, comparison: comparison).svg, to: arguments.chartPath)
        }
        if let failure { throw failure }
    }

    /// Checks beforehand that the files can be written, so that minutes of measuring are not lost.
    private static func checkOutputs(_ arguments: BenchArguments) throws(CommandError) {
        var places: [FilePlace: String] = [:]
        for (option, path) in arguments.outputs {
            if try CommandError.wrapping(try FileSystem.status(path)?.isFolder == true) {
                throw .usage("\(option): \(path) is a folder")
            }
            if let other = places.updateValue(option, forKey: FilePlace(path)) {
                throw .usage("\(other) and \(option) would both be \(path)")
            }
            try CommandError.wrapping(try FileSystem.checkWritable(path))
        }
        if let chart = arguments.chartPath, let compare = arguments.comparePath,
            FilePlace(chart) == FilePlace(compare)
        {
            throw .usage("--chart: \(chart) would replace the report of --compare")
        }
    }

    /// A report may replace an older report, but not an input or a picture.
    private func refuseReplacedInputs(_ subjects: [BenchSubject]) throws(CommandError) {
        let read = Set(subjects.flatMap(\.paths).map { FilePlace($0) })
        for (option, path) in arguments.outputs where read.contains(FilePlace(path)) {
            throw .usage("\(option): \(path) would replace a project")
        }
    }

    private func showProgress(_ subject: BenchCase, _ run: Int) {
        guard let size = environment.console.terminalSize() else { return }
        let what = run > 0 ? "Run \(run) of \(arguments.runs)" : "Warming up"
        environment.console.show(["\(what): \(subject.scene.escapingControls()), \(subject.size)"], size: size)
    }
}
