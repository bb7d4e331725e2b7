import InkExports

extension RemoteOptions {
    /// - Throws: `usage`, `configuration`, `engine`.
    init(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) {
        let settings = try Settings(
            RemoteSetting.all, parsed: parsed, variables: environment.variables, file: environment.userSettings)
        guard let endpoint = settings.text(RemoteSetting.broker) else {
            throw settings.refusal(RemoteSetting.broker, "is needed")
        }
        self.init(
            endpoint: endpoint, keyPath: settings.text(KeySetting.key),
            brokerKeyPath: settings.text(KeySetting.brokerKey),
            timeoutMilliseconds: settings.milliseconds(RemoteSetting.timeout))
        try settings.requireKeysOrLoopback(RemoteSetting.broker)
    }
}
