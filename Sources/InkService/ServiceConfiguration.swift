public import InkBroker
public import InkEngine
public import InkProtocol
import InkStore

/// The broker's key, and the keys of those that it serves.
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

/// The configuration of a farm's broker.
public struct ServiceConfiguration: Sendable {
    /// For people.
    public var name = "broker"
    /// The program's name and version; written into pictures.
    public var software = "ink"
    /// The endpoint for clients: `tcp://host:port`, `ipc://path`, `inproc://name`.
    public var clientsEndpoint: String
    /// Who may connect; nil: everybody.
    public var security: ServiceSecurity?
    /// The folder for jobs, their projects and pictures; made if missing.
    public var dataFolder: String
    /// The configuration of the workers' side.
    public var broker: BrokerConfiguration
    public var limits = ServiceLimits()
    /// Maximum number of exports that run at the same time.
    public var activeJobs = 8
    /// Limits for projects.
    public var projectLimits = Limits()
    public var presetFolders: [String] = []
    /// Folders below which clients may refer to projects by path; absolute.
    public var inputRoots: [String] = []
    /// The folder below which pictures are written for clients; absolute. nil: none are written.
    public var outputRoot: String?
    /// Maximum size of projects and pictures in the data folder, in bytes.
    public var quotaBytes = 64 << 30
    /// Ended jobs and their pictures are removed after this time, in milliseconds; nil: never.
    public var retentionMilliseconds: Int? = 7 * 86_400_000
    /// A client that receives nothing else gets a heartbeat at this interval, in milliseconds.
    public var heartbeatMilliseconds = 1_000
    /// A client that has been silent this long is lost, in milliseconds.
    public var livenessMilliseconds = 15_000

    public init(clientsEndpoint: String, dataFolder: String, broker: BrokerConfiguration) {
        self.clientsEndpoint = clientsEndpoint
        self.dataFolder = dataFolder
        self.broker = broker
    }

    /// Checks whether a service could use its data folder, or create it, without changing anything.
    ///
    /// - Throws: `store`.
    public func checkFolders() throws(ServiceError) {
        do throws(StoreError) { try DataFolder.check(path: dataFolder) } catch { throw .store(error) }
    }
}
