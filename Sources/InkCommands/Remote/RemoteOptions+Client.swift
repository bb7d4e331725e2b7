import InkClient
import InkEngine
import InkExports
import InkProtocol

extension RemoteOptions {
    /// A connection that has been started.
    func connect(
        _ environment: CommandEnvironment, onEvent: @escaping @Sendable (FarmClientEvent) -> Void = { _ in }
    ) throws(CommandError) -> any FarmConnection {
        try connect(environment.connect, onEvent: onEvent)
    }

    /// Creates a client over ZeroMQ without starting it.
    func client(_ onEvent: @escaping @Sendable (FarmClientEvent) -> Void) throws(CommandError) -> any FarmConnection {
        var configuration = FarmClientConfiguration(endpoint: endpoint, name: Self.clientName())
        configuration.replacesFiles = replacesFiles
        configuration.security = try Keys.security(role: .client, keyPath: keyPath, brokerKeyPath: brokerKeyPath)
        let context = try rethrowing(try ZeroMQContext()) { CommandError.farm(PictureFailure($0, "client")) }
        return try rethrowing(
            try FarmClient(configuration: configuration, context: context, onEvent: onEvent),
            as: CommandError.init(ofFarm:))
    }

    /// `USER@HOST`: jobs of clients without keys take turns by this name.
    private static func clientName() -> String {
        let variables = ProcessFacts.variables()
        let user = variables["USER"] ?? variables["LOGNAME"] ?? "user"
        return "\(user.escapingControls().prefix(64))@\(ProcessFacts.hostName())"
    }
}
