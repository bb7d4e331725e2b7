import InkBroker
import InkEngine
import InkSystem
import InkJSON

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
        let folder = try asCommand { () throws(EngineError) in try TemporaryFolder.make("ink-bench") }
        defer { TemporaryFolder.remove(folder) }
        let workers = arguments.workers ?? UsableCores.count()
        let runner = BenchRunner(environment, workers: workers, folder: folder.appendingPath("pictures"))
        if environment.handlesSignals {
            try Interrupts.watch { signal in
                Interrupts.heed()
                runner.stop(signal)
            }
        }
        let date = LogTime.text(LogTime.now())
        var finder = BenchSubjects(arguments, environment)
        var subjects = try finder.find(scenesIn: folder) { runner.stoppedBy != nil }
        if let signal = runner.stoppedBy { return signal.exitCode }
        try refuseReplacedInputs(subjects)
        var failures = finder.failures
        let load = OthersLoad()
        let results = measure(&subjects, runner, &failures)
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

    /// All subjects in turns, so that whatever else the machine does meanwhile meets each of them alike. A project that fails
    /// is left out from then on.
    private func measure(
        _ subjects: inout [BenchSubject], _ runner: BenchRunner, _ failures: inout [ExitCode]
    ) -> [BenchResult] {
        defer { environment.console.clearLive() }
        var measured: [Measured?] = subjects.map { _ in Measured() }
        while true {
            let waiting = subjects.indices.filter { (measured[$0]?.samples.count ?? .max) < arguments.runs }
            if waiting.isEmpty { break }
            for index in waiting {
                let subject = subjects[index]
                showProgress(measured[index], subject)
                do throws(BenchFailure) {
                    guard let sample = try runner.measure(subject) else { return [] }
                    measured[index]?.add(sample) { runner.peakBytes(subject) }
                } catch {
                    failures.append(error.exitCode)
                    measured[index] = nil
                    guard !error.paths.isEmpty,
                        let others = subject.leaving(out: error.paths, sha256: environment.sha256)
                    else { continue }
                    // The others are measured anew: their time together is another.
                    subjects[index] = others
                    measured[index] = Measured()
                }
            }
        }
        return zip(subjects, measured).compactMap { subject, measured in
            measured.map { BenchResult(subject: subject.subject, samples: $0.samples, peakBytes: $0.peakBytes) }
        }
    }

    /// What is known of a subject so far.
    private struct Measured {
        private(set) var isWarm = false
        private(set) var samples: [BenchSample] = []
        private(set) var peakBytes: Int?

        /// The first time warms up; what memory the export takes is asked then.
        mutating func add(_ sample: BenchSample, peakBytes: () -> Int?) {
            if isWarm {
                samples.append(sample)
            } else {
                isWarm = true
                self.peakBytes = peakBytes()
            }
        }
    }

    /// Minutes of measuring are told by what can be written, whatever cannot.
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
            try asCommand { () throws(EngineError) in try FileSystem.writeAtomically(Array(text.utf8), to: path) }
        }
        attempt { () throws(CommandError) in
            try environment.console.print(BenchText(report: report, comparison: comparison).text)
        }
        attempt { () throws(CommandError) in
            try write(report.json(comparison).text() + "\n", to: arguments.jsonPath)
        }
        attempt { () throws(CommandError) in
            try write(BenchChart(report: report, comparison: comparison).svg, to: arguments.chartPath)
        }
        if let failure { throw failure }
    }

    /// Minutes of measuring should not end with a file that cannot be written.
    private static func checkOutputs(_ arguments: BenchArguments) throws(CommandError) {
        var places: [FilePlace: String] = [:]
        for (option, path) in arguments.outputs {
            if try asCommand({ () throws(EngineError) in try FileSystem.status(path)?.isFolder == true }) {
                throw .usage("\(option): \(path) is a folder")
            }
            if let other = places.updateValue(option, forKey: FilePlace(path)) {
                throw .usage("\(other) and \(option) would both be \(path)")
            }
            try asCommand { () throws(EngineError) in try FileSystem.checkWritable(path) }
        }
        if let chart = arguments.chartPath, let compare = arguments.comparePath,
            FilePlace(chart) == FilePlace(compare)
        {
            throw .usage("--chart: \(chart) would replace the report of --compare")
        }
    }

    /// A report may replace an older report, but no input and no picture.
    private func refuseReplacedInputs(_ subjects: [BenchSubject]) throws(CommandError) {
        let read = Set(subjects.flatMap(\.paths).map { FilePlace($0) })
        for (option, path) in arguments.outputs where read.contains(FilePlace(path)) {
            throw .usage("\(option): \(path) would replace a project")
        }
    }

    private func showProgress(_ measured: Measured?, _ subject: BenchSubject) {
        guard let measured, let size = environment.console.terminalSize() else { return }
        let what = measured.isWarm ? "Run \(measured.samples.count + 1) of \(arguments.runs)" : "Warming up"
        let line = "\(what): \(subject.subject.scene.escapingControls()), \(subject.subject.size)"
        environment.console.show([line], size: size)
    }
}
