import InkBroker
import InkEngine
import InkSystem
import InkJSON
import Synchronization

/// Runs export commands in this process and measures them.
final class BenchRunner: Sendable {
    private struct State {
        var queue: EventQueue<ExportRun.Event>?
        var stoppedBy: StopSignal?
    }

    private let environment: CommandEnvironment
    private let workers: Int
    /// Where the pictures go.
    private let folder: String
    private let state = Mutex(State())
    private let child = ChildProcess()

    init(_ environment: CommandEnvironment, workers: Int, folder: String) {
        var environment = environment
        // Signals are the benchmark's, which outlives each command.
        environment.handlesSignals = false
        environment.endsWithCommand = false
        let console = environment.console
        if console.terminalSize() != nil {
            // The line that tells the progress gives way to what goes wrong.
            environment.console.writeError = { console.writeError("\r\u{1b}[K" + $0) }
        }
        self.environment = environment
        self.workers = workers
        self.folder = folder
    }

    var stoppedBy: StopSignal? { state.withLock(\.stoppedBy) }

    /// Ends the command that runs, and lets no other begin.
    func stop(_ signal: StopSignal) {
        state.withLock { state in
            state.stoppedBy = signal
            state.queue?.post(.stop(signal))
        }
        child.stop()
    }

    /// Exports once.
    /// - Returns: nil after `stop`.
    /// - Throws: when a picture fails; the failure has been reported.
    func measure(_ subject: BenchSubject) throws(BenchFailure) -> BenchSample? {
        let queue = EventQueue<ExportRun.Event>()
        let isStopped = state.withLock { state in
            state.queue = queue
            return state.stoppedBy != nil
        }
        if isStopped { return nil }
        let finished: FinishedExports
        do {
            finished = try ExportCommand(command(subject), environment, queue: queue).execute()
        } catch {
            environment.console.error(error.description)
            throw BenchFailure(exitCode: error.exitCode, paths: [])
        }
        if stoppedBy != nil { return nil }
        guard finished.exitCode == .done else {
            let failed = finished.records.filter { $0.state == .failed }.map(\.input.path)
            throw BenchFailure(exitCode: finished.exitCode, paths: Set(failed))
        }
        var phases = PhaseTimes()
        for record in finished.records { phases.add(record.phases) }
        return BenchSample(
            milliseconds: finished.milliseconds,
            pictures: finished.records.map { record in
                BenchSample.Picture(
                    milliseconds: record.milliseconds ?? 0, edge: record.pixels?.longestEdge ?? 0)
            }, phases: phases)
    }

    /// Peak memory of the export as a separate process, bytes: this process also holds what earlier exports left.
    /// nil where that cannot be had, and after `stop`.
    func peakBytes(_ subject: BenchSubject) -> Int? {
        guard let program = environment.program else { return nil }
        let report = folder + ".json"
        let options = options(subject).sorted { $0.key < $1.key }.flatMap { name, values in ["--\(name)"] + values }
        guard child.run(program, ["export"] + options + ["--report", report, "--"] + subject.paths),
            let text = try? FileSystem.read(report, limitBytes: 1 << 30)
        else { return nil }
        return (try? JSONReader.read(text))?["summary"]?["peakBytes"]?.integer
    }

    private func command(_ subject: BenchSubject) -> ParsedCommand {
        ParsedCommand(name: "export", values: options(subject).merging(["PATH": subject.paths]) { $1 })
    }

    private func options(_ subject: BenchSubject) -> [String: [String]] {
        [
            "output": [folder], "name": ["{n}.png"], "size": [subject.size.name], "workers": [String(workers)],
            "if-exists": [ExistingFilePolicy.overwrite.rawValue], "quiet": [],
        ]
    }
}

/// An export of a benchmark that failed.
struct BenchFailure: Error, Hashable, Sendable {
    var exitCode: ExitCode
    /// The projects that failed; none when it was the command.
    var paths: Set<String>
}
