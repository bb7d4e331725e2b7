import InkExports

/// The settings of `ink worker`, checked one by one and against each other.
struct WorkerArguments: Hashable, Sendable {
    var endpoint: String
    var threads: Int
    var name: String
    var cacheBytes: Int
    /// Both or none.
    var keyPath: String?
    var brokerKeyPath: String?
    var log: LogArguments

    /// - Parameters:
    ///   - standardName: the worker's default name.
    ///   - usableCores: its default number of threads.
    /// - Throws: `usage`, `configuration`, `engine`.
    init(_ settings: Settings, standardName: String, usableCores: Int) throws(CommandError) {
        typealias Own = WorkerSetting
        guard let endpoint = settings.text(Own.broker) else { throw settings.refusal(Own.broker, "is needed") }
        guard let cacheBytes = settings.bytes(Own.cache) else { throw settings.refusal(Own.cache, "is needed") }
        self.endpoint = endpoint
        self.cacheBytes = cacheBytes
        threads = settings.count(Own.threads) ?? min(512, usableCores)
        name = settings.text(Own.name) ?? standardName
        keyPath = settings.text(KeySetting.key)
        brokerKeyPath = settings.text(KeySetting.brokerKey)
        log = LogArguments(settings)
        try settings.requireKeysOrLoopback(Own.broker)
    }
}
