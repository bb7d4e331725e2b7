import InkBroker
import InkExports
import InkHTTP
import InkProtocol
import InkService
import InkSystem

/// `ink broker`: serves workers and clients until it is stopped.
struct BrokerCommand {
    /// How long a second signal leaves for the store to be closed, milliseconds.
    private static let haltMilliseconds = 3_000

    private let environment: CommandEnvironment
    private let arguments: BrokerArguments
    private let configuration: ServiceConfiguration

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        if parsed.isGiven("check-config") {
            return try ServiceSettings.check(BrokerSetting.all, parsed, environment) { settings throws(CommandError) in
                let configuration = try ServiceConfiguration(readArguments(settings, environment))
                do throws(ServiceError) { try configuration.checkFolders() } catch { throw CommandError(error) }
            }
        }
        let arguments = try ServiceSettings.asConfiguration { () throws(CommandError) -> BrokerArguments in
            try readArguments(try ServiceSettings.read(BrokerSetting.all, parsed, environment), environment)
        }
        let command = BrokerCommand(
            environment: environment, arguments: arguments, configuration: try ServiceConfiguration(arguments))
        return try command.execute()
    }

    private static func readArguments(
        _ settings: Settings, _ environment: CommandEnvironment
    ) throws(CommandError) -> BrokerArguments {
        try BrokerArguments(settings, hostName: ProcessFacts.hostName()) { path throws(CommandError) in
            try environment.limits(path)
        }
    }

    private func execute() throws(CommandError) -> ExitCode {
        // Thousands of workers and clients, each with a connection.
        OpenFiles.raiseLimit()
        let control = ServiceControl()
        if environment.handlesSignals {
            Interrupts.ignoreHangUp()
            try Interrupts.watch(
                onFirst: { _ in control.requestStop() },
                beforeExit: { control.halt(waitingAtMost: Self.haltMilliseconds) })
        }
        // Created only now, so that its thread does not receive the signals.
        let log = try Log(
            format: arguments.log.format, level: arguments.log.level, write: environment.console.writeError)
        defer { log.close() }
        let note: @Sendable (FarmNote) -> Void = { event in
            if log.isLogged(LogLevel(event.level)) { log.record(LogRecord(event)) }
        }
        let service: FarmService
        do throws(ServiceError) { service = try open(note) } catch {
            return try log.fail("broker.failed", CommandError(error))
        }
        let notifier = Notifier(arguments.notices, service: service, log: note)
        do throws(GatewayError) {
            try notifier.start()
            do throws(ServiceError) { try service.start() } catch { throw .service(error) }
        } catch {
            notifier.stop()
            return try log.fail("broker.failed", CommandError(error))
        }
        let gateway = arguments.http.map { http in
            Gateway(
                http.configuration, service: service, exports: environment.exports,
                presetFolders: arguments.presetFolders,
                options: Set(CommandSyntax.export.options.filter(\.hasName).map(\.key)))
        }
        func giveUp(_ error: GatewayError) throws(CommandError) -> ExitCode {
            service.stop()
            notifier.stop()
            service.waitUntilEnded()
            return try log.fail("broker.failed", CommandError(error))
        }
        var address: String?
        if let gateway, let http = arguments.http {
            do throws(GatewayError) {
                address = http.address(port: try gateway.start())
            } catch {
                return try giveUp(error)
            }
        }
        let tracer = arguments.traceEndpoint.map { endpoint in
            TraceExporter(endpoint: endpoint, service: service, traces: gateway?.traces ?? Traces(), log: note)
        }
        do throws(GatewayError) { try tracer?.start() } catch { return try giveUp(error) }
        log.record(
            LogRecord(
                .info, "broker.started",
                [
                    "name": .text(arguments.name), "version": .text(ProgramVersion.text),
                    "workers": .text(Self.shown(arguments.workersEndpoint, bound: service.workersEndpoint)),
                    "clients": .text(Self.shown(arguments.clientsEndpoint, bound: service.clientsEndpoint)),
                    "http": address.map { .text($0) }, "data": .text(arguments.dataFolder),
                    "keys": .text(configuration.security == nil ? "none" : "curve"),
                ]))
        control.began(service, log, drainMilliseconds: arguments.drainMilliseconds)
        service.waitForEnd()
        // While the store is still open.
        gateway?.stop()
        notifier.stop()
        tracer?.stop()
        service.waitUntilEnded()
        guard control.isStopRequested else {
            let failure = PictureFailure(kind: .unreachable, reason: "the broker's sockets failed; the log says why")
            return try log.fail("broker.failed", .farm(failure))
        }
        log.record(LogRecord(.info, "broker.stopped"))
        control.noteEnd()
        return .done
    }

    /// The endpoint as given, unless the system chose the port or the name has several addresses.
    private static func shown(_ endpoint: String, bound: String) -> String {
        // The broker listens at it already, so it is well formed.
        endpoint.hasSuffix(":*") || (try? Endpoint(endpoint))?.listensByName == true ? bound : endpoint
    }

    private func open(_ log: @escaping @Sendable (FarmNote) -> Void) throws(ServiceError) -> FarmService {
        let context: ZeroMQContext
        do throws(ProtocolError) { context = try ZeroMQContext() } catch { throw .transport(error) }
        return try FarmService(configuration: configuration, context: context, onEvent: log)
    }
}
