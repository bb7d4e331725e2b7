import InkEngine
import InkExports
import InkProtocol
import InkReading
import InkWorker
import Synchronization

/// `ink worker`: renders for a broker until it is stopped.
struct WorkerCommand {
    private let environment: CommandEnvironment
    private let arguments: WorkerArguments

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        if let path = parsed.value("replay") { return try ReplayCommand.run(path, environment) }
        if parsed.isGiven("check-config") {
            return try ServiceSettings.check(WorkerSetting.all, parsed, environment) { settings throws(CommandError) in
                _ = try readArguments(settings).security()
            }
        }
        let arguments = try ServiceSettings.asConfiguration { () throws(CommandError) -> WorkerArguments in
            try readArguments(try ServiceSettings.read(WorkerSetting.all, parsed, environment))
        }
        return try WorkerCommand(environment: environment, arguments: arguments).execute()
    }

    private static func readArguments(_ settings: Settings) throws(CommandError) -> WorkerArguments {
        try WorkerArguments(
            settings, standardName: "\(ProcessFacts.hostName())-\(ProcessFacts.processID())",
            usableCores: UsableCores.count())
    }

    private func execute() throws(CommandError) -> ExitCode {
        var configuration = WorkerConfiguration(
            endpoint: arguments.endpoint, name: arguments.name, rendererVersion: TileRenderer.version,
            threads: arguments.threads)
        configuration.cacheBytes = arguments.cacheBytes
        configuration.security = try arguments.security()
        let control = WorkerControl()
        if environment.handlesSignals {
            Interrupts.ignoreHangUp()
            try Interrupts.watch { _ in control.requestDrain() }
        }
        // Created only now, so that its thread does not receive the signals.
        let log = try Log(
            format: arguments.log.format, level: arguments.log.level, write: environment.console.writeError)
        defer { log.close() }
        let (name, broker) = (arguments.name, arguments.endpoint)
        log.record(
            LogRecord(
                .info, "worker.started",
                [
                    "worker": .text(name), "version": .text(ProgramVersion.text),
                    "renderer": .text(configuration.rendererVersion), "threads": .integer(arguments.threads),
                    "broker": .text(broker), "keys": .text(configuration.security == nil ? "none" : "curve"),
                ]))
        do throws(WorkerError) {
            let context: ZeroMQContext
            do throws(ProtocolError) { context = try ZeroMQContext() } catch { throw .transport(error) }
            let worker = try Worker(
                configuration: configuration, context: context,
                runner: EngineTaskRunner(threads: arguments.threads, documents: TaskDocuments())
            ) { news in
                // Reported when it is waited for.
                if case .failed = news { return }
                log.record(LogRecord(news, worker: name, broker: broker))
            }
            try worker.start()
            control.began(worker)
            try worker.waitUntilEnded()
        } catch {
            return try log.fail("worker.failed", .farm(PictureFailure(error)))
        }
        log.record(LogRecord(.info, "worker.stopped", ["worker": .text(name)]))
        return .done
    }
}

/// Carries a signal to a worker, also one that comes before it runs. Where that takes long the signal is not heeded,
/// and ends the process.
private final class WorkerControl: Sendable {
    private struct State {
        var worker: Worker?
        var isDrainRequested = false
    }

    private let state = Mutex(State())

    func began(_ worker: Worker) {
        let isDrainRequested = state.withLock { state in
            state.worker = worker
            return state.isDrainRequested
        }
        if isDrainRequested { drain(worker) }
    }

    func requestDrain() {
        let worker = state.withLock { state in
            state.isDrainRequested = true
            return state.worker
        }
        if let worker { drain(worker) }
    }

    private func drain(_ worker: Worker) {
        Interrupts.heed()
        worker.requestDrain()
    }
}

extension WorkerArguments {
    /// The worker's key and the broker's; nil without keys.
    func security() throws(CommandError) -> SocketSecurity? {
        try Keys.security(role: .worker, keyPath: keyPath, brokerKeyPath: brokerKeyPath)
    }
}
