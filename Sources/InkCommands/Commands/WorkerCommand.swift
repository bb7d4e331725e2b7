import InkEngine
import InkProtocol
import InkWorker

/// `ink worker`: renders what a broker gives it, until it is told to stop.
struct WorkerCommand {
    private let environment: CommandEnvironment
    private let arguments: WorkerArguments

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        if parsed.isGiven("check-config") {
            return try ServiceSettings.check(WorkerSetting.all, parsed, environment) { settings throws(CommandError) in
                _ = try arguments(settings)
            }
        }
        let settings = try ServiceSettings.read(WorkerSetting.all, parsed, environment)
        return try WorkerCommand(environment: environment, arguments: arguments(settings)).execute()
    }

    private static func arguments(_ settings: Settings) throws(CommandError) -> WorkerArguments {
        try WorkerArguments(
            settings, standardName: "\(ProcessFacts.hostName())-\(ProcessFacts.processID())",
            usableCores: UsableCores.count())
    }

    private func execute() throws(CommandError) -> ExitCode {
        var configuration = WorkerConfiguration(
            endpoint: arguments.endpoint, name: arguments.name, rendererVersion: TileRenderer.version,
            threads: arguments.threads)
        configuration.cacheBytes = arguments.cacheBytes
        let worker: Worker
        do {
            worker = try Worker(
                configuration: configuration, context: try ZeroMQContext(),
                runner: EngineTaskRunner(threads: arguments.threads))
        } catch let error as WorkerError {
            throw .farm(PictureFailure(error))
        } catch {
            throw .farm(PictureFailure(kind: .unreachable, reason: "the worker cannot start: \(error)"))
        }
        do throws(WorkerError) {
            try worker.start()
            try worker.waitUntilEnded()
        } catch {
            throw .farm(PictureFailure(error))
        }
        return .done
    }
}

extension PictureFailure {
    init(_ error: WorkerError) {
        let kind: ExitCode =
            switch error {
            case .refused, .transport: .unreachable
            case .noThread: .inputOutput
            case .configuration: .configuration
            }
        self.init(kind: kind, reason: error.description)
    }
}
