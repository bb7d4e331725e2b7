import InkBroker
import InkCodecs
import InkEngine
package import InkExports
import InkJSON
import InkPlanning
import InkProtocol
import InkSystem
import Synchronization

/// Runs exports in this process and measures them.
package final class BenchRunner: Sendable {
    private struct State {
        var control: ExportControl?
        var stoppedBy: StopSignal?
    }

    private let environment: ExportEnvironment
    private let program: String?
    private let observer: any ExportObserver
    private let workers: Int
    /// Where the pictures go.
    private let folder: String
    private let state = Mutex(State())
    private let child = ChildProcess()

    /// - Parameters:
    ///   - program: the path of this program, to run it as another process; nil if that is not possible.
    ///   - folder: where the pictures go.
    package init(
        _ environment: ExportEnvironment, program: String?, workers: Int, folder: String,
        observer: any ExportObserver
    ) {
        self.environment = environment
        self.program = program
        self.workers = workers
        self.folder = folder
        self.observer = observer
    }

    package var stoppedBy: StopSignal? { state.withLock(\.stoppedBy) }

    /// Ends the exports that run, and lets no others begin.
    package func stop(_ signal: StopSignal) {
        state.withLock { state in
            state.stoppedBy = signal
            state.control?.stop(signal)
        }
        child.stop()
    }

    /// Exports once.
    /// - Returns: nil after `stop`.
    /// - Throws: when a picture fails; the failure has been reported.
    func measure(_ subject: BenchSubject) throws(BenchFailure) -> BenchSample? {
        let control = ExportControl()
        let isStopped = state.withLock { state in
            state.control = control
            return state.stoppedBy != nil
        }
        if isStopped { return nil }
        let finished: FinishedExports
        do {
            finished = try exports(subject, control).execute()
        } catch {
            observer.error(error.description)
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
        guard let program = program else { return nil }
        let report = folder + ".json"
        let options = options(subject).sorted { $0.key < $1.key }.flatMap { name, values in ["--\(name)"] + values }
        guard child.run(program, ["export"] + options + ["--report", report, "--"] + subject.paths) else { return nil }
        // A run without a readable report has no figure, as one that fails.
        let text = try? FileSystem.read(report, limitBytes: 1 << 30)
        return text.flatMap { try? JSONReader.read($0) }?["summary"]?["peakBytes"]?.integer
    }

    /// What `options` say.
    private func exports(_ subject: BenchSubject, _ control: ExportControl) throws(ExportError) -> Exports {
        let arguments = ExportArguments(
            paths: subject.paths, output: folder, sizes: [subject.size], name: try NameTemplate(Self.name),
            options: PictureOptions(), layers: .visible, ifExists: .overwrite, run: RunArguments(workers: workers))
        return try Exports(
            arguments, limits: Limits(), environment: environment, observer: observer, control: control)
    }

    private static let name = "{n}.png"

    /// The options of a command line, for a run in another process.
    private func options(_ subject: BenchSubject) -> [String: [String]] {
        [
            "output": [folder], "name": [Self.name], "size": [subject.size.name], "workers": [String(workers)],
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
