import InkEngine
import InkExports
import InkHTTP
import InkSystem

/// The settings of `ink broker`, checked one by one and against each other.
struct BrokerArguments: Sendable {
    var workersEndpoint: String
    var clientsEndpoint: String
    var name: String
    /// The path of the broker's secret key; nil: no keys.
    var keyPath: String?
    /// Empty without keys.
    var allowWorkers: String
    var allowClients: String
    var dataFolder: String
    var inputRoots: [String]
    var outputRoot: String?
    var spillFolder: String
    var limits: Limits
    var presetFolders: [String]
    var queueLimit: Int
    var activeExports: Int
    var blockMemoryBytes: Int
    var spillBytes: Int
    var quotaBytes: Int
    /// Where results of tiles are kept; nil: nowhere.
    var cacheFolder: String?
    var cacheBytes: Int
    /// Settings of the HTTP front; nil: there is none.
    var http: HTTPArguments?
    /// Receivers of notices that jobs have ended.
    var notices: [NoticeTarget]
    /// Where spans of jobs go; nil: nowhere.
    var traceEndpoint: String?
    /// 0 to 1.
    var verifyShare: Double
    var retentionMilliseconds: Int
    var heartbeatMilliseconds: Int
    var livenessMilliseconds: Int
    var leaseMilliseconds: Int
    var drainMilliseconds: Int
    var log: LogArguments

    /// - Parameters:
    ///   - hostName: the broker's default name.
    ///   - readLimits: the limits in a file.
    /// - Throws: `usage`, `configuration`, `engine`; nothing has been touched then.
    init(
        _ settings: Settings, hostName: String, readLimits: (String?) throws(CommandError) -> Limits
    ) throws(CommandError) {
        func needed<Value>(_ value: Value?, _ setting: SettingSyntax) throws(CommandError) -> Value {
            guard let value else { throw settings.refusal(setting, "is needed") }
            return value
        }
        typealias Own = BrokerSetting
        workersEndpoint = try needed(settings.text(Own.workers), Own.workers)
        clientsEndpoint = try needed(settings.text(Own.clients), Own.clients)
        name = settings.text(Own.name) ?? hostName
        keyPath = settings.text(Own.key)
        allowWorkers = settings.text(Own.allowWorkers) ?? ""
        allowClients = settings.text(Own.allowClients) ?? ""
        dataFolder = try needed(settings.text(Own.data), Own.data)
        inputRoots = settings.texts(Own.inputRoot)
        outputRoot = settings.text(Own.outputRoot)
        spillFolder = try needed(settings.text(Own.spillFolder), Own.spillFolder)
        presetFolders = settings.texts(Own.presets)
        queueLimit = try needed(settings.count(Own.queueLimit), Own.queueLimit)
        activeExports = try needed(settings.count(Own.active), Own.active)
        blockMemoryBytes = try needed(settings.bytes(Own.blockMemory), Own.blockMemory)
        spillBytes = try needed(settings.bytes(Own.spill), Own.spill)
        quotaBytes = try needed(settings.bytes(Own.quota), Own.quota)
        cacheFolder = settings.text(Own.cache)
        cacheBytes = try needed(settings.bytes(Own.cacheSize), Own.cacheSize)
        verifyShare = try needed(settings.share(Own.verify), Own.verify)
        retentionMilliseconds = try needed(settings.milliseconds(Own.retention), Own.retention)
        heartbeatMilliseconds = try needed(settings.milliseconds(Own.heartbeat), Own.heartbeat)
        livenessMilliseconds = try needed(settings.milliseconds(Own.liveness), Own.liveness)
        leaseMilliseconds = try needed(settings.milliseconds(Own.lease), Own.lease)
        drainMilliseconds = try needed(settings.milliseconds(Own.drainTime), Own.drainTime)
        log = LogArguments(settings)
        http = try HTTPArguments(settings)
        notices = try NoticeTarget.read(settings)
        traceEndpoint = settings.text(Own.otlp)
        if let traceEndpoint, !traceEndpoint.hasPrefix("http://"), !traceEndpoint.hasPrefix("https://") {
            throw settings.refusal(Own.otlp, "\"\(traceEndpoint)\" is not an http or https address")
        }

        if livenessMilliseconds < 2 * heartbeatMilliseconds {
            throw settings.refusal(
                Own.liveness, "\(livenessMilliseconds) ms is less than two heartbeats of \(heartbeatMilliseconds) ms")
        }
        // With `:*` the system chooses the ports, so both endpoints may be spelled alike.
        if workersEndpoint == clientsEndpoint, !workersEndpoint.hasSuffix(":*") {
            throw settings.refusal(Own.clients, "\(clientsEndpoint) is the endpoint of the workers")
        }
        try Self.checkKeys(settings)
        for setting in [Own.workers, Own.clients] { try settings.requireListening(setting) }
        for setting in [Own.inputRoot, Own.outputRoot, Own.spillFolder, Own.presets] {
            try settings.requireFolders(setting)
        }
        let folder = dataFolder
        let status = try CommandError.wrapping(try FileSystem.status(folder))
        if let status, !status.isFolder { throw settings.refusal(Own.data, "\(dataFolder): not a folder") }
        limits = try readLimits(settings.text(Own.limits))
    }

    private static func checkKeys(_ settings: Settings) throws(CommandError) {
        typealias Own = BrokerSetting
        let hasKey = settings.isSet(Own.key)
        for setting in [Own.allowWorkers, Own.allowClients] {
            if hasKey, !settings.isSet(setting) {
                throw settings.refusal(Own.key, "also needs --\(setting.name), or nobody could connect")
            }
            if !hasKey, settings.isSet(setting) {
                throw settings.refusal(setting, "also needs --key, the broker's secret key")
            }
            try settings.requireKeys(setting)
        }
        try settings.requireKeys(Own.key)
        for endpoint in [Own.workers, Own.clients] { try settings.requireKeyOrLoopback(endpoint, hasKey: hasKey) }
    }
}
