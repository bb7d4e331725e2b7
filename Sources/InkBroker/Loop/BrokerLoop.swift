import InkEngine
import InkPlanning
import InkProtocol
import InkSystem

/// What a loop is made of.
struct LoopParts: Sendable {
    var configuration: BrokerConfiguration
    var context: ZeroMQContext
    var makeAssembler: AssemblerMaker
    var mailbox: Mailbox<LoopCommand>
    var local: LocalBlocks?
    var spill: any SpillStorage
    var onEvent: @Sendable (BrokerEvent) -> Void
}

/// The broker's thread: waits for messages, commands and time, asks the scheduler, carries out what it says.
///
/// Never waits for a disk or a calculation; those are on the lanes.
final class BrokerLoop {
    let configuration: BrokerConfiguration
    let makeAssembler: AssemblerMaker
    let mailbox: Mailbox<LoopCommand>
    let onEvent: @Sendable (BrokerEvent) -> Void
    let socket: ZeroMQSocket
    /// Cuts projects into blocks.
    let cutting: Lane
    /// Writes bands, in order.
    let writing: Lane
    /// Bring files to the disk and rename them; several, so that journals can share a commit.
    let syncing: LaneGroup
    /// Brings blocks to the disk, in order.
    let spilling: Lane
    /// Reads them back for workers.
    let reading: Lane
    /// Makes digests of results, keeps replays.
    let checking: Lane
    /// Looks results up and keeps them; nil where none are.
    let results: KeptResults?
    var lookUps = LookUps()

    let encoder: BlockEncoder
    var scheduler: SchedulerState
    var store: BlockStore
    var exports: ExportsState
    /// The targets of exports whose bands are not all in, from the time when their projects are read.
    var targets: [JobID: PictureTarget] = [:]
    /// The export that a block was last held for: its traffic is counted there.
    var owners: [BlockID: JobID] = [:]
    var peers: [WorkerID: Peer] = [:]
    let queues = SendQueues()
    /// Those to whom something is still to be sent.
    var behind: Set<WorkerID> = []
    /// Those of whom parts have come that have not been acknowledged.
    var unacknowledged: Set<WorkerID> = []
    /// Results whose digests are being made.
    var digesting: [AttemptID: WorkerID] = [:]
    var sessions: [[UInt8]: WorkerID] = [:]
    var lastWorker: UInt64 = 0
    var counters = TaskCounters()
    var estimator = TimeEstimator()
    private var events: [SchedulerEvent] = []
    private var isPumping = false
    private var lastTick: UInt64 = 0
    private var cpuMark: UInt64 = 0
    private var isBusy = false
    /// Whether messages are received. Not while too much waits for the disk: then it waits with the workers.
    private(set) var isTakingIn = true

    /// Messages taken in before time and the others are looked at again.
    private static let messagesPerTurn = 256

    /// - Throws: `BrokerError.transport` when the endpoint cannot be bound, `noThread`.
    init(_ parts: LoopParts) throws(BrokerError) {
        configuration = parts.configuration
        makeAssembler = parts.makeAssembler
        mailbox = parts.mailbox
        onEvent = parts.onEvent
        scheduler = SchedulerState(rules: BrokerLoop.rules(parts.configuration))
        exports = ExportsState(
            rules: BrokerLoop.exportRules(parts.configuration, areWorkersHere: parts.local != nil))
        let encoder = parts.local.map(BlockEncoder.local) ?? .standard
        if let folder = parts.configuration.resultFolder {
            do throws(SystemFailure) {
                results = try KeptResults(folder: folder, bytesMax: parts.configuration.resultBytes) {
                    [onEvent = parts.onEvent] reason in onEvent(.resultsLost(reason: reason))
                }
            } catch {
                throw .results(folder: folder, operation: error.operation, errno: error.errno)
            }
        } else {
            results = nil
        }
        self.encoder = results == nil ? encoder : encoder.digestingStrokes
        do throws(SystemFailure) {
            // Projects are read there.
            cutting = try Lane("broker-cut", stackBytes: PosixThread.standardStackBytes)
            writing = try Lane("broker-write")
            // They wait for the disk, which brings what waits at the same time to it together.
            syncing = try LaneGroup("broker-sync", countMax: 16)
            spilling = try Lane("broker-spill")
            reading = try Lane("broker-read")
            checking = try Lane("broker-check")
        } catch {
            throw .noThread(errno: error.errno)
        }
        let mailbox = parts.mailbox
        store = BlockStore(
            memoryBytesMax: parts.configuration.blockMemoryBytes, spillBytesMax: parts.configuration.spillBytes,
            local: parts.local, storage: parts.spill, lane: spilling, onSpilled: { mailbox.post(.spilled($0)) })
        do throws(ProtocolError) {
            var options = ZeroMQSocketOptions()
            // The mark counts messages too small to be counted in `queues`, and those of up to 1 MiB that workers send.
            options.highWaterMark = 64
            options.receivedHighWaterMark = 8
            options.security = parts.configuration.security
            socket = try ZeroMQSocket(.router, context: parts.context, options: options)
            try socket.bind(parts.configuration.endpoint)
        } catch {
            throw .transport(error)
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

    /// - Parameter areWorkersHere: whether they cut projects, all at once. Otherwise documents are opened one after the
    ///   other, each when the store has room for it.
    private static func exportRules(_ configuration: BrokerConfiguration, areWorkersHere: Bool) -> ExportRules {
        let rules = ExportRules()
        // As much as rows of as many exports.
        let (exports, rowBytes) = (configuration.activeExports, configuration.reorderBytes)
        let (loneBytes, isMore) = exports.multipliedReportingOverflow(by: rowBytes)
        return ExportRules(
            activeMax: configuration.activeExports,
            preparingMax: areWorkersHere ? configuration.activeExports + rules.overtaking : 1,
            reorderBytes: configuration.reorderBytes,
            loneBytes: isMore ? .max : loneBytes,
            // Tiles whose results are kept are looked up, and a worker that makes a picture alone cannot do that.
            aloneNanoseconds: configuration.resultFolder == nil ? rules.aloneNanoseconds : 0)
    }

    /// Until `stop` has been posted and every export has ended.
    func run() {
        cpuMark = SystemClock.threadNanoseconds
        while true {
            do throws(ProtocolError) {
                var items = [mailbox.wakeUp.pollItem]
                if isTakingIn { items.append(socket.pollItem()) }
                items += socket.listeningItems
                _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: isBusy ? 1 : tickMilliseconds)
                if items[0].isReadable { carryOutPosted() }
                takeInAgain()
                turnAway()
                try receive()
            } catch {
                tell(.stopped(.transport(error)))
            }
            passTime()
            isBusy = flush()
            shareCPU()
            if exports.isStopping, exports.active.isEmpty { break }
        }
        if configuration.releasesWorkers { for id in peers.keys.sorted() { send(.drain, to: id) } }
        // What was given up is removed from the disk before the broker says that it has stopped.
        writing.wait()
        for lane in [spilling, reading, checking] { lane.wait() }
        syncing.wait()
        results?.wait()
    }

    /// Begins or stops to receive messages.
    private func takeInAgain() {
        guard isTakingIn == store.isBehind else { return }
        isTakingIn.toggle()
        guard isTakingIn else { return }
        // What they said meanwhile has not been looked at.
        let now = SystemClock.nanoseconds
        for (id, peer) in peers {
            peers[id]?.lastHeard = now
            for attempt in peer.assemblies.keys { tell(.taskProgressed(id, attempt)) }
        }
    }

    private func turnAway() {
        guard let reason = socket.turnAway() else { return }
        onEvent(.worker(WorkerNote(worker: "?", what: .refused(reason: reason))))
    }

    private var tickMilliseconds: Int {
        max(1, min(25, configuration.heartbeatMilliseconds / 2, configuration.livenessMilliseconds / 4))
    }

    private func receive() throws(ProtocolError) {
        defer { acknowledge() }
        for _ in 0..<BrokerLoop.messagesPerTurn where !store.isBehind {
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

    /// Does what has been posted so far.
    func carryOutPosted() { for command in mailbox.take() { carryOut(command) } }

    private func carryOut(_ command: LoopCommand) {
        switch command {
        case .submit(let job): tell(.submitted(job))
        case .cancel(let id): tell(.cancelled(id))
        case .setPriority(let id, let priority): tell(.prioritySet(id, priority))
        case .setPaused(let id, let isPaused): tell(.pauseSet(id, isPaused))
        case .dismissWorkers(let name, let reply): reply(dismissWorkers(named: name))
        case .drainWorkers(let name, let reply): reply(drainWorkers(named: name))
        case .report(let reply): reply(report)
        case .stop: tell(.stopped(nil))
        case .laneAnswer(let life, let answer): take(answer, of: life)
        case .spilled(let block): take(block)
        case .partRead(let worker, let part, let result): take(result, of: part, worker)
        case .digested(let worker, let attempt, let blocks, let result):
            digesting[attempt] = nil
            take(result, of: attempt, worker)
            release(blocks)
        case .lookedUp(let task, let life, let role, let key, let result): take(result, of: task, life, role, key)
        case .blocksServed(let blocks): release(blocks)
        }
    }

    private func passTime() {
        let now = SystemClock.nanoseconds
        guard now - lastTick >= UInt64(tickMilliseconds) * 1_000_000 else { return }
        lastTick = now
        keepPeersAlive(now: now)
        tellTimesLeft(now: now)
        // Signs of progress that have not been looked at keep their tasks.
        guard isTakingIn else { return }
        // What is late now is the broker's.
        for (attempt, worker) in digesting { tell(.taskProgressed(worker, attempt)) }
        excuseReaders(now: now)
        tell(.tick)
    }

    /// Who waits for a disk that takes a good part of a lease is not late. A disk that is well excuses nobody: other tasks'
    /// blocks are read all the time.
    private func excuseReaders(now: UInt64) {
        let patience = UInt64(max(0, configuration.leaseMilliseconds)) * 1_000_000 / 4
        for (id, peer) in peers where peer.isReading && now - min(now, peer.readingSince) >= patience {
            peers[id]?.readingSince = now
            for attempt in peer.assemblies.keys { tell(.taskProgressed(id, attempt)) }
        }
    }

    /// What the loop has spent since the last time, in equal parts to the exports under way.
    private func shareCPU() {
        let cpu = SystemClock.threadNanoseconds
        defer { cpuMark = cpu }
        let ids = exports.active.keys
        guard !ids.isEmpty else { return }
        let share = (cpu - cpuMark) / UInt64(ids.count)
        for id in ids { exports.count(id) { $0.brokerCPU += share } }
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
        case .lookUp(let task, let job, let position, let version): lookUp(task, job, position, version)
        case .acceptFound(let task, _, _): acceptFound(task)
        case .cancel(let worker, let attempt): send(.cancel(attempt.task), to: worker)
        case .planStages(let id): tell(.stagesDone(id))
        case .accept(let worker, let attempt, _, _): accept(attempt, from: worker)
        case .hold: break
        case .drop(let worker, let attempt): forget(attempt, of: worker)
        case .jobComplete: break
        case .jobFailed(let id, let failure):
            guard let export = exports[id] else { break }
            tell(.failed(id, BrokerLoop.error(of: failure, export, replay: keep(failure, of: id))))
        case .dismiss(let worker, let reason): dismiss(worker, reason)
        }
    }

    private static func error(of failure: JobFailure, _ export: Export, replay: String?) -> BrokerError {
        switch failure {
        case .badInput(_, let error): .refused(error)
        case .attemptsExhausted(let position, let story):
            .taskFailed(
                export: export.name, task: export.role(of: position)?.description ?? "a task", story: story,
                replay: replay)
        case .rendererGone(let version): .rendererGone(export: export.name, version: version)
        case .noWorkers(let waited): .noWorkers(export: export.name, waitedMilliseconds: waited / 1_000_000)
        }
    }
}
