import Dispatch
import InkBroker
public import InkCodecs
public import InkPlanning
public import InkProtocol
public import InkStore
import InkSystem
import Synchronization

/// A farm's broker as a service: accepts jobs from clients, stores them on disk, and has workers do them.
///
///     let service = try FarmService(configuration: configuration, context: context, onEvent: log)
///     try service.start()
///     ...
///     service.drain()
///     service.waitUntilEnded()
public final class FarmService: Sendable {
    let configuration: ServiceConfiguration
    private let context: ZeroMQContext
    let mailbox: Mailbox<ServiceCommand>
    private let authenticator: Authenticator?
    let broker: Broker
    let data: DataFolder
    let store: JobStore
    let contents: ContentFolder
    private let lastTurn = Atomic<UInt64>(SystemClock.milliseconds)
    private let endListeners = Mutex<[@Sendable (JobNumber) -> Void]>([])

    /// - Parameter listener: called on the service's thread when a job's end is on the disk; must return soon.
    public func onEnd(_ listener: @escaping @Sendable (JobNumber) -> Void) {
        endListeners.withLock { $0.append(listener) }
    }

    /// How long ago the service's loop last turned.
    public var millisecondsSinceTurn: UInt64 {
        // The turn may be later than a clock that was read before it.
        let (turn, now) = (lastTurn.load(ordering: .relaxed), SystemClock.milliseconds)
        return now - min(now, turn)
    }

    /// Sets who gets notices of ends, and how. To be called before `start`.
    ///
    /// - Parameter receivers: names that stay the same from life to life.
    /// - Returns: how many untold notices were removed because their receivers are not among these.
    /// - Throws: `store`.
    public func announce(
        to receivers: [String], job: @escaping @Sendable (JobFacts) -> [UInt8],
        batch: @escaping @Sendable (BatchFacts) -> [UInt8]
    ) throws(ServiceError) -> Int {
        let rules = OutboxRules(receivers: receivers, job: { job(JobFacts($0, nil)) }, batch: { batch(BatchFacts($0)) })
        do throws(StoreError) { return try store.announce(rules) } catch { throw .store(error) }
    }

    /// The notices that a receiver gets now.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: `store`.
    public func undelivered(to receiver: String, now: Int64, limit: Int) throws(ServiceError) -> [OutboxItem] {
        do throws(StoreError) { return try store.undelivered(to: receiver, now: now, limit: limit) } catch {
            throw .store(error)
        }
    }

    /// Removes what has been delivered or given up, and puts off what has failed.
    ///
    /// - Throws: `store`.
    public func settle(
        done: [Int64], putOff: [(number: Int64, tries: Int, due: Int64)]
    ) throws(ServiceError) {
        do throws(StoreError) { try store.settle(done: done, putOff: putOff) } catch { throw .store(error) }
    }

    func tellEnd(_ job: JobNumber) { for listener in endListeners.withLock({ $0 }) { listener(job) } }

    /// Which jobs have changed.
    public let board = ChangeBoard()
    private let onEvent: @Sendable (FarmNote) -> Void
    private let ended = DispatchSemaphore(value: 0)
    private let endpoint = Mutex("")

    /// Opens the store; nothing is served yet.
    ///
    /// - Parameters:
    ///   - makeAssembler: makes the assembler of a picture's file.
    ///   - onEvent: called on the service's threads; must return soon.
    public init(
        configuration: ServiceConfiguration, context: ZeroMQContext,
        makeAssembler: @escaping AssemblerMaker = PictureCodecs.assembler,
        onEvent: @escaping @Sendable (FarmNote) -> Void
    ) throws(ServiceError) {
        self.configuration = configuration
        self.context = context
        self.onEvent = onEvent
        do throws(ProtocolError) { mailbox = try Mailbox() } catch { throw .transport(error) }
        do throws(StoreError) {
            data = try DataFolder(path: configuration.dataFolder)
            store = try JobStore(path: data.jobsPath, in: data)
            contents = try ContentFolder(folder: data.path, quotaBytes: configuration.quotaBytes)
        } catch {
            throw .store(error)
        }
        if store.isRestored {
            onEvent(
                FarmNote(
                    .warning, "store.restored",
                    reason: "the data folder is a copy or was restored; clients of the original have to start again"))
        }
        do throws(ProtocolError) {
            authenticator = try configuration.security.map { security throws(ProtocolError) in
                try Authenticator(context: context) { domain, key, address in
                    let list =
                        switch domain {
                        case ServiceSecurity.workersDomain: security.workers
                        case ServiceSecurity.clientsDomain: security.clients
                        default: AllowList?.none
                        }
                    let owner = list?.owner(of: key)
                    if owner == nil {
                        onEvent(
                            FarmNote(
                                .warning, "key.refused", reason: "its key is not among those of the \(domain)",
                                details: [("key", .text(key)), ("address", .text(address))]))
                    }
                    return owner
                }
            }
        } catch {
            throw .transport(error)
        }
        var settings = configuration.broker
        if let security = configuration.security {
            settings.security = .server(security.pair, domain: ServiceSecurity.workersDomain)
        }
        settings.notesTasks = true
        settings.releasesWorkers = false
        settings.replayFolder = settings.replayFolder ?? data.replaysFolder
        // The service limits the number of active exports.
        settings.activeExports = 10_000
        settings.workerWaitMilliseconds = nil
        let mailbox = mailbox
        do throws(BrokerError) {
            broker = try Broker(configuration: settings, context: context, makeAssembler: makeAssembler) { event in
                mailbox.post(.broker(event))
            }
        } catch {
            throw .broker(error)
        }
    }

    /// Restores the jobs of its last life and begins to serve. Call it once.
    public func start() throws(ServiceError) {
        let journal: Journal
        do throws(SystemFailure) { journal = try Journal(store: store) } catch { throw .noThread(errno: error.errno) }
        let state: ServiceState
        do throws(StoreError) {
            state = ServiceState(
                limits: configuration.limits, rules: rules(), nextJob: try store.nextJobNumber(),
                nextNotice: try store.nextNotice())
        } catch {
            throw .store(error)
        }
        do throws(BrokerError) { try broker.start() } catch { throw .broker(error) }
        let parts = ServiceParts(
            configuration: configuration, context: context, mailbox: mailbox, broker: broker, data: data, store: store,
            journal: journal, contents: contents, board: board,
            onTurn: { [weak self] in self?.lastTurn.store(SystemClock.milliseconds, ordering: .relaxed) },
            onEnd: { [weak self] job in self?.tellEnd(job) }, onEvent: onEvent)
        let bound = DispatchSemaphore(value: 0)
        let outcome = StartOutcome()
        do throws(SystemFailure) {
            try PosixThread("service") { [ended] in
                do throws(ServiceError) {
                    let loop = try ServiceLoop(parts, state: state)
                    outcome.endpoint.withLock { $0 = loop.socket.boundEndpoint }
                    bound.signal()
                    loop.run()
                } catch {
                    outcome.failure.withLock { $0 = error }
                    bound.signal()
                }
                ended.signal()
            }.detach()
        } catch {
            outcome.failure.withLock { $0 = .noThread(errno: error.errno) }
            bound.signal()
        }
        bound.wait()
        if let failure = outcome.failure.withLock({ $0 }) {
            broker.stop()
            throw failure
        }
        let clients = outcome.endpoint.withLock { $0 }
        endpoint.withLock { $0 = clients }
    }

    private final class StartOutcome: Sendable {
        let failure = Mutex<ServiceError?>(nil)
        let endpoint = Mutex("")
    }

    /// The endpoint for clients, after `start`, with the port that the system chose.
    public var clientsEndpoint: String { endpoint.withLock { $0 } }
    /// The endpoint for workers, after `start`, with the port that the system chose.
    public var workersEndpoint: String { broker.boundEndpoint }

    private func rules() -> ServiceRules {
        var rules = ServiceRules()
        rules.activeJobs = configuration.activeJobs
        rules.quotaBytes = configuration.quotaBytes
        rules.inputRoots = configuration.inputRoots
        rules.outputRoot = configuration.outputRoot
        return rules
    }

    /// Accepts and starts no more jobs. Ends when running jobs have ended or, after this many milliseconds, as `stop`
    /// does. Waiting jobs stay in the store.
    public func drain(withinMilliseconds milliseconds: Int? = nil) {
        mailbox.post(.drain(until: milliseconds.map { SystemClock.milliseconds + UInt64(max(0, $0)) }))
    }

    /// Stops soon. Running jobs start again with the next broker.
    public func stop() { mailbox.post(.stop) }

    /// Returns when nothing is served any more; the store is still open.
    public func waitForEnd() {
        ended.wait()
        ended.signal()
    }

    /// Returns when the service has ended.
    public func waitUntilEnded() {
        waitForEnd()
        authenticator?.stop()
        store.close()
        data.release()
    }
}
