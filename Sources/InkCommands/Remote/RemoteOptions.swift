/// How a client's command reaches its broker.
struct RemoteOptions: Hashable, Sendable {
    var endpoint: String
    /// Both or none.
    var keyPath: String?
    var brokerKeyPath: String?
    /// How long to wait for an answer from the broker, milliseconds; nil: the command's default.
    var timeoutMilliseconds: Int?
    /// Whether fetched pictures replace existing files.
    var replacesFiles = true

    init(endpoint: String, timeoutMilliseconds: Int?) {
        self.endpoint = endpoint
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// - Throws: `usage`, `configuration`, `engine`.
    init(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) {
        let settings = try Settings(
            RemoteSetting.all, parsed: parsed, variables: environment.variables, file: environment.userSettings)
        guard let endpoint = settings.text(RemoteSetting.broker) else {
            throw settings.refusal(RemoteSetting.broker, "is needed")
        }
        self.endpoint = endpoint
        keyPath = settings.text(KeySetting.key)
        brokerKeyPath = settings.text(KeySetting.brokerKey)
        timeoutMilliseconds = settings.milliseconds(RemoteSetting.timeout)
        try settings.requireKeysOrLoopback(RemoteSetting.broker)
    }
}
