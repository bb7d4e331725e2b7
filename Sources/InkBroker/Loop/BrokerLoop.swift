import InkEngine
import InkProtocol
import InkSystem

/// What a loop is made of.
struct LoopParts: Sendable {
    var configuration: BrokerConfiguration
    var context: ZeroMQContext
    var container: PictureContainer
    var mailbox: Mailbox<LoopCommand>
    var local: LocalBlocks?
    var onEvent: @Sendable (BrokerEvent) -> Void
}

/// The broker's thread: waits for messages, commands and time, asks the scheduler, carries out what it says.
///
/// Never waits for a disk or a calculation; those are on the lanes.
final class BrokerLoop {
    let configuration: BrokerConfiguration
    let container: PictureContainer
    let mailbox: Mailbox<LoopCommand>
    let onEvent: @Sendable (BrokerEvent) -> Void
    let socket: ZeroMQSocket
    /// Cuts projects into blocks.
    let cutting = Lane("cutting")
    /// Writes bands, in order.
    let writing = Lane("writing")
    /// Bring files to the disk and rename them; several, so that journals can share a commit.
    let syncing = (1...4).map { Lane("syncing-\($0)") }

    let encoder: BlockEncoder
    var scheduler: SchedulerState
    var store: BlockStore
    /// Submitted and not begun, in order of submission.
    var waiting: [(job: ExportJob, submitted: UInt64)] = []
    var jobs: [JobID: JobRun] = [:]
    /// The export that a block was last held for: its traffic is counted there.
    var owners: [BlockID: JobID] = [:]
    var peers: [WorkerID: Peer] = [:]
    /// Those to whom something is still to be sent.
    var behind: Set<WorkerID> = []
    var sessions: [[UInt8]: WorkerID] = [:]
    var lastWorker: UInt64 = 0
    var livesBegun: UInt64 = 0
    var counters = TaskCounters()
    var isStopping = false
    private var events: [SchedulerEvent] = []
    private var isPumping = false
    private var lastTick: UInt64 = 0
    private var cpuMark: UInt64 = 0
    private var isBusy = false

    /// Messages taken in before time and the others are looked at again.
    private static let messagesPerTurn = 256

    /// - Throws: `BrokerError.transport` when the endpoint cannot be bound.
    init(_ parts: LoopParts) throws(BrokerError) {
        configuration = parts.configuration
        container = parts.container
        mailbox = parts.mailbox
        onEvent = parts.onEvent
        scheduler = SchedulerState(rules: BrokerLoop.rules(parts.configuration))
        store = BlockStore(
            memoryBytesMax: parts.configuration.blockMemoryBytes, spillBytesMax: parts.configuration.spillBytes,
            folder: parts.configuration.spillFolder, local: parts.local)
        encoder = parts.local.map(BlockEncoder.local) ?? .standard
        do throws(ProtocolError) {
            var options = ZeroMQSocketOptions()
            // Messages of up to 1 MiB: what a slow worker has not taken yet stays bounded.
            options.highWaterMark = 64
            options.security = parts.configuration.security
            socket = try ZeroMQSocket(.router, context: parts.context, options: options)
            try socket.bind(parts.configuration.endpoint)
        } catch {
            throw .transport(error.description)
        }
    }

    private static func rules(_ configuration: BrokerConfiguration) -> SchedulerRules {
        func nanoseconds(_ milliseconds: Int) -> UInt64 { UInt64(max(0, min(milliseconds, 1 << 40))) * 1_000_000 }
        var rules = SchedulerRules()
        rules.leaseMin = nanoseconds(configuration.leaseMilliseconds)
        rules.dismissalGrace = nanoseconds(configuration.dismissalMilliseconds)
        rules.verifyShare = configuration.verifyShare
        rules.workerWait = configuration.workerWaitMilliseconds.map(nanoseconds)
        return rules
    }

    /// Until `stop` has been posted and every export has ended.
    func run() {
        cpuMark = SystemClock.threadNanoseconds
        while true {
            do throws(ProtocolError) {
                var items = [mailbox.wakeUp.pollItem, socket.pollItem()]
                _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: isBusy ? 1 : tickMilliseconds)
                if items[0].isReadable { for command in mailbox.take() { carryOut(command) } }
                try receive()
            } catch {
                failEverything(.transport(error.description))
                isStopping = true
            }
            passTime()
            isBusy = flush()
            shareCPU()
            if isStopping, jobs.isEmpty { break }
        }
        if configuration.releasesWorkers { for id in peers.keys.sorted() { send(.drain, to: id) } }
        // What was given up is removed from the disk before the broker says that it has stopped.
        writing.wait()
        for lane in syncing { lane.wait() }
    }

    private var tickMilliseconds: Int {
        max(1, min(25, configuration.heartbeatMilliseconds / 2, configuration.livenessMilliseconds / 4))
    }

    private func receive() throws(ProtocolError) {
        for _ in 0..<BrokerLoop.messagesPerTurn {
            guard let message = try socket.receive() else { return }
            guard message.parts.count == 2, message.discardedParts == 0 else {
                if let route = message.parts.first, let worker = sessions[route] {
                    refuse(worker, "a message has not one part of at most \(ProtocolLimits.frameBytes) bytes")
                }
                continue
            }
            take(message)
        }
    }

    private func carryOut(_ command: LoopCommand) {
        switch command {
        case .submit(let job): submit(job)
        case .cancel(let id): cancel(id)
        case .setPriority(let id, let priority): setPriority(id, priority)
        case .drainWorkers(let name, let reply): reply(drainWorkers(named: name))
        case .report(let reply): reply(report)
        case .stop: stop()
        case .laneAnswer(let life, let answer): take(answer, of: life)
        }
    }

    private func passTime() {
        let now = SystemClock.nanoseconds
        guard now - lastTick >= UInt64(tickMilliseconds) * 1_000_000 else { return }
        lastTick = now
        keepPeersAlive(now: now)
        tell(.tick)
    }

    /// What the loop has spent since the last time, in equal parts to the exports under way.
    private func shareCPU() {
        let cpu = SystemClock.threadNanoseconds
        defer { cpuMark = cpu }
        guard !jobs.isEmpty else { return }
        let share = (cpu - cpuMark) / UInt64(jobs.count)
        for id in jobs.keys { jobs[id]?.brokerCPU += share }
    }

    // MARK: - The scheduler

    /// Gives the scheduler an event and carries out its actions; events that arise meanwhile come after.
    func tell(_ event: SchedulerEvent) {
        events.append(event)
        guard !isPumping else { return }
        isPumping = true
        var next = 0
        while next < events.count {
            for action in scheduler.handle(events[next], now: SystemClock.nanoseconds) { perform(action) }
            next += 1
        }
        events.removeAll(keepingCapacity: true)
        isPumping = false
    }

    private func perform(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch): self.dispatch(dispatch)
        case .cancel(let worker, let attempt): send(.cancel(attempt.task), to: worker)
        case .planTiles(let id): planTiles(id)
        case .accept(let worker, let attempt, _, _): accept(attempt, from: worker)
        case .hold: break
        case .drop(let worker, let attempt): forget(attempt, of: worker)
        case .jobComplete: break
        case .jobFailed(let id, let failure):
            fail(id, BrokerLoop.error(of: failure, export: jobs[id]?.name ?? "\(id)", replay: keep(failure, of: id)))
        case .dismiss(let worker, let reason): dismiss(worker, reason)
        }
    }

    private static func error(of failure: JobFailure, export: String, replay: String?) -> BrokerError {
        switch failure {
        case .badInput(_, let error): .refused(error)
        case .attemptsExhausted(let role, let story):
            .taskFailed(export: export, task: role.description, story: story, replay: replay)
        case .rendererGone(let version): .rendererGone(export: export, version: version)
        case .noWorkers(let waited): .noWorkers(export: export, waitedMilliseconds: waited / 1_000_000)
        }
    }
}
