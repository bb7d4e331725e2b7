import InkBroker
import InkEngine
import InkExports
import InkService
import InkStore
import InkSystem

extension ServiceConfiguration {
    /// What the settings mean for the service. Reads the keys.
    init(_ arguments: BrokerArguments) throws(CommandError) {
        var broker = BrokerConfiguration(endpoint: arguments.workersEndpoint)
        broker.heartbeatMilliseconds = arguments.heartbeatMilliseconds
        broker.livenessMilliseconds = arguments.livenessMilliseconds
        broker.leaseMilliseconds = arguments.leaseMilliseconds
        broker.blockMemoryBytes = arguments.blockMemoryBytes
        broker.spillBytes = arguments.spillBytes
        broker.spillFolder = arguments.spillFolder
        broker.verifyShare = arguments.verifyShare
        broker.resultFolder = arguments.cacheFolder.map(FileSystem.absolute)
        broker.resultBytes = arguments.cacheBytes
        self.init(
            clientsEndpoint: arguments.clientsEndpoint, dataFolder: FileSystem.resolved(arguments.dataFolder),
            broker: broker)
        name = arguments.name
        software = "ink \(ProgramVersion.text)"
        security = try arguments.security()
        limits.queuedJobs = arguments.queueLimit
        activeJobs = arguments.activeExports
        projectLimits = arguments.limits
        if let fitting = Memory.read().projectBytesMax {
            projectLimits.fileBytes = min(projectLimits.fileBytes, fitting)
        }
        presetFolders = arguments.presetFolders
        // Clients may name files through links or by the links' targets.
        var known: Set<String> = []
        inputRoots = arguments.inputRoots.flatMap { [FileSystem.absolute($0), FileSystem.resolved($0)] }
            .filter { known.insert($0).inserted }
        outputRoot = arguments.outputRoot.map(FileSystem.resolved)
        quotaBytes = arguments.quotaBytes
        retentionMilliseconds = arguments.retentionMilliseconds
        heartbeatMilliseconds = arguments.heartbeatMilliseconds
        livenessMilliseconds = arguments.livenessMilliseconds
    }
}

extension CommandError {
    init(_ error: ServiceError) {
        let kind: ExitCode
        switch error {
        case .configuration, .broker(.configuration): kind = .configuration
        case .store(let cause):
            switch cause {
            case .locked, .unsafeFolder, .otherSchema: kind = .configuration
            case .database, .full, .corrupt, .quota, .file, .wrongContent, .damaged, .folderGone: kind = .inputOutput
            }
        // The address is in use, or not one of this machine.
        case .transport, .broker(.transport), .noThread, .broker(.noThread): kind = .inputOutput
        case .broker, .ended: kind = .internalError
        }
        self = .farm(PictureFailure(kind: kind, reason: error.description))
    }
}
