public import InkBroker
public import InkEngine
public import InkProtocol
import InkStore

/// The broker's key, and the keys of those whom it serves.
public struct ServiceSecurity: Sendable {
    public var pair: CurveKeyPair
    public var workers: AllowList
    public var clients: AllowList

    public init(pair: CurveKeyPair, workers: AllowList, clients: AllowList) {
        self.pair = pair
        self.workers = workers
        self.clients = clients
    }

    static let workersDomain = "workers"
    static let clientsDomain = "clients"
}

/// The terms on which a farm's broker serves.
public struct ServiceConfiguration: Sendable {
    /// For people.
    public var name = "broker"
    /// The program's name and version; goes into pictures.
    public var software = "ink"
    /// Where clients connect: `tcp://host:port`, `ipc://path`, `inproc://name`.
    public var clientsEndpoint: String
    /// Who may come in; nil: everybody.
    public var security: ServiceSecurity?
    /// Holds the jobs, their projects and pictures; made if missing.
    public var dataFolder: String
    /// Workers' side.
    public var broker: BrokerConfiguration
    public var limits = ServiceLimits()
    /// Exports that run at a time.
    public var activeJobs = 8
    /// Of projects.
    public var projectLimits = Limits()
    public var presetFolders: [String] = []
    /// Folders below which clients may name projects by path; absolute.
    public var inputRoots: [String] = []
    /// The folder below which pictures are written for clients; absolute. nil: none are.
    public var outputRoot: String?
    /// Projects and pictures in the data folder, bytes.
    public var quotaBytes = 64 << 30
    /// Ended jobs are forgotten and their pictures removed after this, milliseconds; nil: never.
    public var retentionMilliseconds: Int? = 7 * 86_400_000
    /// Interval of heartbeats to a client that gets nothing else, milliseconds.
    public var heartbeatMilliseconds = 1_000
    /// A client that has been silent this long is gone, milliseconds.
    public var livenessMilliseconds = 15_000

    public init(clientsEndpoint: String, dataFolder: String, broker: BrokerConfiguration) {
        self.clientsEndpoint = clientsEndpoint
        self.dataFolder = dataFolder
        self.broker = broker
    }

    /// Looks whether a service could use its data folder, or make it, and changes nothing.
    ///
    /// - Throws: `store`.
    public func checkFolders() throws(ServiceError) {
        do throws(StoreError) { try DataFolder.check(path: dataFolder) } catch { throw .store(error) }
    }
}
