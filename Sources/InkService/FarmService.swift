import Dispatch
import InkBroker
import InkEngine
public import InkProtocol
import InkStore
import Synchronization

/// A farm's broker as a service: takes jobs from clients, keeps them on the disk, has them done by workers.
///
///     let service = try FarmService(configuration: configuration, context: context, container: .png, onEvent: log)
///     try service.start()
///     ...
///     service.drain()
///     service.waitUntilEnded()
public final class FarmService: Sendable {
    private let configuration: ServiceConfiguration
    private let context: ZeroMQContext
    private let mailbox: Mailbox<ServiceCommand>
    private let broker: Broker
    private let data: DataFolder
    private let store: JobStore
    private let contents: ContentFolder
    private let onEvent: @Sendable (FarmEvent) -> Void
    private let ended = DispatchSemaphore(value: 0)
    private let isRunning = Mutex(false)

    /// Opens the store; nothing is served yet.
    ///
    /// - Parameters:
    ///   - container: how compressed rows become a file.
    ///   - onEvent: called on the service's threads; must return soon.
    public init(
        configuration: ServiceConfiguration, context: ZeroMQContext, container: PictureContainer,
        onEvent: @escaping @Sendable (FarmEvent) -> Void
    ) throws(ServiceError) {
        self.configuration = configuration
        self.context = context
        self.onEvent = onEvent
        do throws(ProtocolError) { mailbox = try Mailbox() } catch { throw .transport(error) }
        do throws(StoreError) {
            data = try DataFolder(path: configuration.dataFolder)
            store = try JobStore(path: data.jobsPath)
            contents = try ContentFolder(folder: data.path, quotaBytes: configuration.quotaBytes)
        } catch {
            throw .store(error)
        }
        var settings = configuration.broker
        settings.notesTasks = true
        settings.replayFolder = settings.replayFolder ?? data.replaysFolder
        // The service decides how many are under way.
        settings.activeExports = 10_000
        settings.workerWaitMilliseconds = nil
        let mailbox = mailbox
        do throws(BrokerError) {
            broker = try Broker(configuration: settings, context: context, container: container) { event in
                mailbox.post(.broker(event))
            }
        } catch {
            throw .broker(error)
        }
    }

    /// Takes up the jobs of its last life and begins to serve. Call it once.
    public func start() throws(ServiceError) {
        let records: [JobRecord]
        let state: ServiceState
        do throws(StoreError) {
            records = try store.unfinished()
            state = ServiceState(
                limits: configuration.limits, rules: rules(), nextJob: try store.nextJobNumber(),
                nextNotice: try store.nextNotice())
        } catch {
            throw .store(error)
        }
        do throws(BrokerError) { try broker.start() } catch { throw .broker(error) }
        let parts = ServiceParts(
            configuration: configuration, context: context, mailbox: mailbox, broker: broker, data: data, store: store,
            journal: Journal(store: store), contents: contents, onEvent: onEvent)
        let bound = DispatchSemaphore(value: 0)
        let failure = Mutex<ServiceError?>(nil)
        let outcome = StartOutcome()
        _ = failure
        isRunning.withLock { $0 = true }
        DispatchQueue(label: "ink.service.loop").async { @Sendable [ended] in
            do throws(ServiceError) {
                let loop = try ServiceLoop(parts, state: state)
                bound.signal()
                loop.run(restoring: records)
            } catch {
                outcome.failure.withLock { $0 = error }
                bound.signal()
            }
            ended.signal()
        }
        bound.wait()
        if let failure = outcome.failure.withLock({ $0 }) {
            broker.stop()
            throw failure
        }
    }

    private final class StartOutcome: Sendable {
        let failure = Mutex<ServiceError?>(nil)
    }

    private func rules() -> ServiceRules {
        var rules = ServiceRules()
        rules.activeJobs = configuration.activeJobs
        rules.inputRoots = configuration.inputRoots
        rules.outputRoot = configuration.outputRoot
        return rules
    }

    /// Takes no more jobs and begins none; ends when those under way have ended. Waiting jobs stay in the store.
    public func drain() { mailbox.post(.drain) }

    /// Ends soon: what is under way begins again in the next life.
    public func stop() { mailbox.post(.stop) }

    /// Returns when the service has ended.
    public func waitUntilEnded() {
        ended.wait()
        ended.signal()
    }
}
