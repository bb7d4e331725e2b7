import Dispatch
public import InkCodecs
public import InkPlanning
public import InkProtocol
import InkSystem
import Synchronization

/// Cuts exports into tasks, has them done by the workers that connect to it, and writes the pictures.
///
/// Runs on a thread of its own beside lanes (cutting, writing, syncing, spilling, reading, checking); touches no pixels. All methods can be
/// called from any thread.
public final class Broker: Sendable {
    private let configuration: BrokerConfiguration
    private let context: ZeroMQContext
    private let makeAssembler: AssemblerMaker
    private let local: LocalBlocks?
    private let spill: any SpillStorage
    private let onEvent: @Sendable (BrokerEvent) -> Void
    private let mailbox: Mailbox<LoopCommand>
    private let lifecycle = Mutex(Lifecycle.idle)
    private let ended = DispatchSemaphore(value: 0)
    private let endpoint = Mutex("")

    private enum Lifecycle {
        case idle
        case running
        case stopped
    }

    /// - Parameters:
    ///   - makeAssembler: how pieces become a file.
    ///   - local: shared with all workers that connect, which are in this process; nil when they may be anywhere.
    ///   - onEvent: called on the broker's thread, in order; must return soon and must not call `stop`.
    /// - Throws: `BrokerError.configuration`; `.transport` when the process has no descriptor left.
    public convenience init(
        configuration: BrokerConfiguration, context: ZeroMQContext,
        makeAssembler: @escaping AssemblerMaker = PictureCodecs.assembler,
        local: LocalBlocks? = nil, onEvent: @escaping @Sendable (BrokerEvent) -> Void
    ) throws(BrokerError) {
        try self.init(
            configuration: configuration, context: context, makeAssembler: makeAssembler, local: local,
            spill: NamelessFile(in: configuration.spillFolder), onEvent: onEvent)
    }

    /// - Parameter spill: where blocks beyond the memory budget go.
    init(
        configuration: BrokerConfiguration, context: ZeroMQContext,
        makeAssembler: @escaping AssemblerMaker = PictureCodecs.assembler,
        local: LocalBlocks? = nil, spill: any SpillStorage, onEvent: @escaping @Sendable (BrokerEvent) -> Void
    ) throws(BrokerError) {
        try configuration.validate()
        self.spill = spill
        self.configuration = configuration
        self.context = context
        self.makeAssembler = makeAssembler
        self.local = local
        self.onEvent = onEvent
        do throws(ProtocolError) { mailbox = try Mailbox() } catch { throw .transport(error) }
    }

    deinit { stop() }

    /// Begins to listen for workers. Call it once.
    ///
    /// - Throws: `BrokerError.transport` when the endpoint cannot be bound; `noThread` when the system does not give the
    ///   threads that it needs, all of which are started here.
    public func start() throws(BrokerError) {
        let isFirst = lifecycle.withLock { state in
            guard state == .idle else { return false }
            state = .running
            return true
        }
        guard isFirst else { throw .internalError("a broker is started once") }
        let bound = DispatchSemaphore(value: 0)
        let outcome = StartOutcome()
        let ended = ended
        let parts = LoopParts(
            configuration: configuration, context: context, makeAssembler: makeAssembler, mailbox: mailbox,
            local: local,
            spill: spill, onEvent: onEvent)
        do throws(SystemFailure) {
            try PosixThread("broker") {
                do throws(BrokerError) {
                    let loop = try BrokerLoop(parts)
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
            lifecycle.withLock { $0 = .stopped }
            throw failure
        }
        let address = outcome.endpoint.withLock { $0 }
        endpoint.withLock { $0 = address }
    }

    private final class StartOutcome: Sendable {
        let failure = Mutex<BrokerError?>(nil)
        let endpoint = Mutex("")
    }

    /// Where workers connect, after `start`; with the port that the system chose.
    public var boundEndpoint: String { endpoint.withLock { $0 } }

    /// Takes an export on. Events report whatever comes of it, refusals too.
    public func submit(_ job: ExportJob) { mailbox.post(.submit(job)) }

    /// Ends an export with `BrokerError.cancelled`, unless its file is being finished already.
    public func cancel(_ job: JobID) { mailbox.post(.cancel(job)) }

    /// Changes whose turn comes first.
    public func setPriority(_ job: JobID, _ priority: Int) { mailbox.post(.setPriority(job, priority)) }

    /// Gives no further task of an export to workers, or lets it go on.
    public func setPaused(_ job: JobID, _ isPaused: Bool) { mailbox.post(.setPaused(job, isPaused)) }

    /// Breaks with the workers of a name; others do what they held. `reply` gets their number, on the broker's thread.
    public func dismissWorkers(named name: String, reply: @escaping @Sendable (Int) -> Void) {
        mailbox.post(.dismissWorkers(name: name, reply: reply))
    }

    /// Lets the workers of a name finish what they hold and leave; `reply` gets their number, on the broker's thread.
    public func drainWorkers(named name: String, reply: @escaping @Sendable (Int) -> Void) {
        mailbox.post(.drainWorkers(name: name, reply: reply))
    }

    /// Says how the broker stands, on the broker's thread.
    public func report(_ reply: @escaping @Sendable (BrokerReport) -> Void) { mailbox.post(.report(reply)) }

    /// Cancels every export, lets the workers go and waits until the broker's thread has ended.
    public func stop() {
        let wasRunning = lifecycle.withLock { state in
            defer { state = .stopped }
            return state == .running
        }
        guard wasRunning else { return }
        mailbox.post(.stop)
        ended.wait()
    }
}
