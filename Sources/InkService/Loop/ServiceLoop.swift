import Glibc
import InkBroker
import InkProtocol
import InkStore
import InkSystem

/// The parts of a service's loop.
struct ServiceParts: Sendable {
    var configuration: ServiceConfiguration
    var context: ZeroMQContext
    var mailbox: Mailbox<ServiceCommand>
    var broker: Broker
    var data: DataFolder
    var store: JobStore
    var journal: Journal
    var contents: ContentFolder
    var board: ChangeBoard
    var onTurn: @Sendable () -> Void
    var onEnd: @Sendable (JobNumber) -> Void
    var onEvent: @Sendable (FarmNote) -> Void
}

/// The service's thread. Messages of clients, time and results of other threads go into the state; the loop executes
/// the state's actions.
///
/// It never waits for a disk: the store is queried on a lane, contents are written on another, and the journal has a
/// thread of its own.
final class ServiceLoop {
    let parts: ServiceParts
    let configuration: ServiceConfiguration
    let mailbox: Mailbox<ServiceCommand>
    let socket: ZeroMQSocket
    let onEvent: @Sendable (FarmNote) -> Void
    /// Queries to the store.
    let asking: Lane
    /// Received contents.
    let receiving: Lane
    /// Sent pictures, and removals.
    let fetching: Lane

    var state: ServiceState
    var peers: [SessionID: ClientPeer] = [:]
    var errands: [JobID: Errand] = [:]
    /// Clients in the same process.
    var locals: [SessionID: LocalClient] = [:]
    /// Who waits for the answers to batches.
    private var entries: [EntryID: @Sendable (EntryAnswer) -> Void] = [:]
    private var lastEntry: UInt64 = 0
    let queues = SendQueues()
    /// Clients whose next question waits for its turn; each once.
    var inquirers: [SessionID] = []
    /// Number of answers being prepared.
    var openAnswers = 0
    /// Bytes of answers that are ready but not sent yet.
    var answerBytes = 0
    /// Bytes of answers since memory was last returned to the system.
    var answeredBytes = 0
    /// When an answer could last be started, or none was waiting.
    var lastAnswering: UInt64 = 0
    var sessions: [[UInt8]: SessionID] = [:]
    /// Sessions with received parts that have not been acknowledged.
    var unacknowledged: Set<SessionID> = []
    var lastSession: UInt64 = 0
    var incoming: [UploadID: IncomingContent] = [:]
    /// The bytes of the event that is being handled.
    var arrivedBytes: [UInt8] = []
    var runs: [JobNumber: RunningJob] = [:]
    /// Workers that are connected to the broker.
    var workerCount = 0
    var throughput = Throughput()
    var history: History
    var endings = Endings()
    let startedAt = SystemClock.milliseconds
    var stopping = Stopping.no
    /// The latest end of draining, in monotonic milliseconds.
    private var drainEnd: UInt64?
    private var events: [ServiceEvent] = []
    private var isPumping = false
    private var lastTick: UInt64 = 0
    private var lastCleaning: UInt64 = 0
    /// Whether a content found no room since contents were last removed.
    var lacksRoom = false
    /// Jobs whose records could not be read, to be tried again.
    private var unread: [JobNumber] = []
    private var lastReload: UInt64 = 0
    private var isBusy = false
    /// Why the disk refused an entry, until it accepts one again.
    var refusal: String?
    var refusals = RefusalLog()
    private var lastProbe: UInt64 = 0
    private var lastSample: UInt64 = 0

    enum Stopping {
        case no
        /// Running jobs are finished; none is started.
        case draining
        case now
    }

    private static let messagesPerTurn = 256
    static let tickMilliseconds = 100
    /// Time between two looks at how many threads are busy.
    private static let samplingMilliseconds: UInt64 = 2000
    /// Time between two searches for jobs whose retention is over.
    private static let cleaningMilliseconds: UInt64 = 60_000
    /// Time between two searches if there is little room, or the store could not be read.
    private static let hurryMilliseconds: UInt64 = 5000

    init(_ parts: ServiceParts, state: ServiceState) throws(ServiceError) {
        self.parts = parts
        configuration = parts.configuration
        mailbox = parts.mailbox
        onEvent = parts.onEvent
        self.state = state
        history = History(startedAt: SystemClock.milliseconds)
        do throws(SystemFailure) {
            asking = try Lane("service-ask")
            receiving = try Lane("service-receive")
            fetching = try Lane("service-fetch")
        } catch {
            throw .noThread(errno: error.errno)
        }
        do throws(ProtocolError) {
            var options = ZeroMQSocketOptions()
            // Limits messages too small to be counted in `queues`, and messages of up to 1 MiB from clients.
            options.highWaterMark = 64
            options.receivedHighWaterMark = 8
            if let security = parts.configuration.security {
                options.security = .server(security.pair, domain: ServiceSecurity.clientsDomain)
            }
            socket = try ZeroMQSocket(.router, context: parts.context, options: options)
            try socket.bind(parts.configuration.clientsEndpoint)
        } catch {
            throw .transport(error)
        }
    }

    /// Runs until `stop`, or until `drain` is complete.
    func run() {
        restore()
        while true {
            do throws(ProtocolError) {
                var items = [mailbox.wakeUp.pollItem, socket.pollItem()] + socket.listeningItems
                _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: isBusy ? 2 : Self.tickMilliseconds)
                if items[0].isReadable { for command in mailbox.take() { carryOut(command) } }
                turnAway()
                try receive()
            } catch {
                onEvent(FarmNote(.error, "clients.socket", reason: "\(error)"))
                stopping = .now
            }
            passTime()
            parts.onTurn()
            isBusy = flush()
            if stopping == .now || stopping == .draining && state.isIdle { break }
        }
        leave()
    }

    private func turnAway() {
        guard let reason = socket.turnAway() else { return }
        onEvent(FarmNote(.warning, "client.refused", reason: reason))
    }

    /// Restores the jobs of the last life, some at a time.
    private func restore() {
        var records: [JobRecord] = []
        var count = 0
        var sealed: Set<String> = []
        func hand(over limit: Int) {
            guard records.count > limit else { return }
            count += records.count
            perform(state.restore(records))
            records.removeAll(keepingCapacity: true)
        }
        do throws(StoreError) {
            try parts.store.forEachUnfinished(
                { record in
                    if case .publishing(let seal) = record.state { sealed.insert(seal.temporary) }
                    records.append(record)
                    hand(over: 1000)
                },
                onDamage: { job, error in
                    // Only this job is lost, not those after it.
                    onEvent(FarmNote(.error, "store.unreadable", job: job, reason: "\(error)"))
                    perform(state.giveUp(job, reason: "its record is damaged"))
                })
            // Before any job begins, because its file may have such a name.
            removeUnfinishedPictures(except: sealed)
        } catch {
            onEvent(FarmNote(.error, "store.unreadable", reason: "\(error)"))
        }
        hand(over: 0)
        if count > 0 { onEvent(FarmNote(.info, "jobs.restored", details: [("jobs", .number(count))])) }
        lookForRoom()
        tell(.tick)
        removeForgottenPictures()
        removeUnusedContents()
    }

    private func receive() throws(ProtocolError) {
        defer { acknowledge() }
        for _ in 0..<Self.messagesPerTurn {
            guard let message = try socket.receive() else { return }
            guard message.parts.count == 2, message.discardedParts == 0 else {
                if let route = message.parts.first, let session = sessions[route] {
                    refuse(session, "a message has not one part of at most \(ProtocolLimits.frameBytes) bytes")
                }
                continue
            }
            take(message)
        }
    }

    private func carryOut(_ command: ServiceCommand) {
        switch command {
        case .event(let event): tell(event)
        case .joined(let session, let client): join(session, client)
        case .sent(let session, let message): take(message, ofLocal: session)
        case .departed(let session): depart(session)
        case .enter(let submissions, let owner, let answer):
            lastEntry += 1
            entries[EntryID(rawValue: lastEntry)] = answer
            tell(.entered(EntryID(rawValue: lastEntry), owner: owner, submissions))
        case .errand(let id, let errand): errands[id] = errand
        case .look(let body): body(self)
        case .broker(let event): take(event)
        case .launch(let job, let record): launch(job, record)
        case .read(let session, let messages, let rest): take(messages, rest: rest, session)
        case .send(let session, let message): send(message, to: session)
        case .answer(let session, let number, let text): answer(session, number, text)
        case .status(let session, let number, let counts, let report):
            answer(session, number, statusText(counts, report))
        case .waiting(let session, let number, let job, let report):
            answer(waiting: job, report, session, number)
        case .log(let event): onEvent(event)
        case .refused(let fault, let kind, let job): note(fault, kind, job)
        case .journalled(let token, let result): take(token, result)
        case .contentFailed(let id, let fault): fail(id, fault)
        case .unread(let jobs): unread += jobs
        case .lackOfRoom: lacksRoom = true
        case .purged: removeUnusedContents()
        case .drain(let end):
            stopping = .draining
            drainEnd = end
            tell(.stopping)
        case .stop: stopping = .now
        }
    }

    private func passTime() {
        let now = SystemClock.milliseconds
        guard now - lastTick >= UInt64(Self.tickMilliseconds) else { return }
        lastTick = now
        if let drainEnd, now >= drainEnd { stopping = .now }
        keepPeersAlive(now: now)
        history.pass(queued: counts.queued, now: now)
        if now - lastSample >= Self.samplingMilliseconds {
            lastSample = now
            parts.broker.report { [mailbox] report in
                let busy = report.threadsBusy
                mailbox.post(.look { $0.history.add(threadsBusy: busy) })
            }
        }
        returnMemory()
        tell(.tick)
        if !unread.isEmpty, now - lastReload >= Self.hurryMilliseconds {
            lastReload = now
            reload(unread)
            unread.removeAll()
        }
        if now - lastProbe >= Self.hurryMilliseconds {
            lastProbe = now
            probe()
        }
        let pause = lacksRoom || parts.contents.isNearlyFull ? Self.hurryMilliseconds : Self.cleaningMilliseconds
        guard now - lastCleaning >= pause else { return }
        lastCleaning = now
        if let retention = configuration.retentionMilliseconds {
            purge(endedBefore: SystemClock.unixMilliseconds - Int64(retention), then: { _ in })
        } else {
            removeUnusedContents()
        }
    }

    /// Running jobs stay in the store and start again with the broker.
    private func leave() {
        parts.broker.stop()
        for command in mailbox.take() { carryOut(command) }
        for id in state.activeJobs.sorted() {
            // A project that is being read when the program is stopped is not suspected.
            if let job = state.jobs[id] { parts.journal.append([.queued(id, crashes: job.crashes)]) { _ in } }
        }
        for content in incoming.values { content.discard() }
        for lane in [asking, receiving, fetching] { lane.wait() }
        parts.journal.stop()
        for command in mailbox.take() { carryOut(command) }
        _ = flush()
    }

    // MARK: - The state

    /// Passes an event to the state and executes its actions; events that these cause are handled as well.
    func tell(_ event: ServiceEvent) {
        events.append(event)
        guard !isPumping else { return }
        isPumping = true
        var next = 0
        while next < events.count {
            perform(state.handle(events[next], now: SystemClock.milliseconds))
            next += 1
        }
        events.removeAll(keepingCapacity: true)
        isPumping = false
    }

    private func perform(_ actions: [ServiceAction]) { for action in actions { perform(action) } }

    private func perform(_ action: ServiceAction) {
        switch action {
        case .send(let session, let message): send(message, to: session)
        case .answerEntry(let id, let answer): entries.removeValue(forKey: id)?(answer)
        case .examine(let key, let source): examine(key, source)
        case .beginContent(let id, let byteCount): beginContent(id, byteCount)
        case .writeContent(let id, let offset): writeContent(id, offset)
        case .finishContent(let id): finishContent(id)
        case .discardContent(let id): if let content = incoming.removeValue(forKey: id) { discard(content) }
        case .journal(let token, let entries): journal(token, entries)
        case .start(let job): start(job)
        case .cancelExport(let job): parts.broker.cancel(JobID(job))
        case .setPriority(let job, let priority): parts.broker.setPriority(JobID(job), priority)
        case .setPaused(let job, let isPaused):
            runs[job]?.timeLeft = nil
            parts.broker.setPaused(JobID(job), isPaused)
        case .lookUp(let session, let jobs): lookUp(session, jobs)
        case .reload(let jobs): reload(jobs)
        case .recover(let job, let seal): recover(job, seal)
        case .told(let job, let ending): logEnd(job, ending)
        }
    }
}
