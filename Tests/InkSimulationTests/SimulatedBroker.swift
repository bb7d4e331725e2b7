import InkCodecs
import InkEngine
import InkStore
import InkTestSupport

@testable import InkBroker
@testable import InkProtocol
@testable import InkService

enum BrokerStep {
    case nothing
    case service(ServiceEvent)
    case commit
    case launch(JobNumber)
    case answered(ExportLife, LaneAnswer)
    case lookedUp(TaskID, ExportLife, TaskRole, BlockID?)
    case kept(BlockID, KeptResult)
    case synced(ExportLife, PictureReport)
    case unpacked(ExportLife, PictureReport)
    case renamed(ExportLife)
    case described(ExportLife)
}

/// The broker's process: the real states, and as little as possible around them.
final class SimulatedBroker {
    unowned let farm: Farm
    let life: Int
    var service: ServiceState
    var scheduler: SchedulerState
    /// What the scheduler has not heard yet.
    var events: [SchedulerEvent] = []
    var exports: ExportsState
    /// Exports that have not ended.
    var pictures: [JobNumber: Picture] = [:]
    var blocks: [BlockID: HeldBlock] = [:]
    var lookUps = LookUps()
    /// Blocks of results on their way to the disk.
    var keeping: [BlockID] = []
    var peers: [WorkerID: Peer] = [:]
    var workerOf: [Connection: WorkerID] = [:]
    var sessionOf: [Connection: SessionID] = [:]
    var clientOf: [SessionID: (index: Int, connection: Connection)] = [:]
    var heard: [Connection: UInt64] = [:]
    var lastPeer: UInt64 = 0
    /// Bytes that are there of the contents that come in.
    var incoming: [UploadID: UInt64] = [:]
    /// What clients have ordered to cancel.
    var cancellations: [OrderID: [JobNumber]] = [:]
    var pendingJournal: [(JournalToken, [JournalEntry])] = []
    var isCommitting = false
    var lastBeat: UInt64 = 0
    /// Jobs whose seal is on its way to the disk.
    var sealing: [JobNumber: ExportLife] = [:]

    struct Peer {
        var index: Int
        var connection: Connection
        var version: String
        var assemblies: [AttemptID: Assembly] = [:]
    }

    struct Assembly {
        var life: ExportLife
        var role: TaskRole
        var assembler: ResultAssembler
        var result = TaskResult()
        var isBad = false
        var isDone = false
    }

    struct Picture {
        var accepted: Set<TaskPosition> = []
        /// Tiles whose results were looked up, and those that had one.
        var sought: Set<TaskPosition> = []
        var found: Set<TaskPosition> = []
        var keys: TileKeys?
        /// The renderer's.
        var version: String?
        /// Bands in the order in which they went to the file.
        var file: [String] = []
        /// Whether a write has failed: nothing is written any more.
        var isClosed = false
    }

    struct HeldBlock {
        var frame: [UInt8]
        var count = 0
    }

    static let width = 32

    init(_ farm: Farm, life: Int) {
        self.farm = farm
        self.life = life
        var limits = ServiceLimits()
        if farm.weather.smallQueues {
            limits.queuedJobs = 3
            limits.openSubmissions = 2
            limits.openUploads = 1
            limits.openNotices = 1
        }
        var rules = ServiceRules()
        rules.activeJobs = 2
        rules.overtakingJobs = 1
        service = ServiceState(
            limits: limits, rules: rules, nextJob: (try? farm.disk.store.nextJobNumber()) ?? 1,
            nextNotice: (try? farm.disk.store.nextNotice()) ?? 1)
        var terms = SchedulerRules()
        terms.leaseMin = 5_000_000_000
        terms.dismissalGrace = 5_000_000_000
        terms.verifyShare = farm.weather.verifyShare
        scheduler = SchedulerState(rules: terms)
        // A window of three rows; the service has up to three under way.
        exports = ExportsState(
            rules: ExportRules(
                activeMax: 1, overtaking: 1, reorderBytes: 3 * 16 * (1 + 3 * Self.width),
                aloneNanoseconds: farm.weather.keepsResults ? 0 : ExportRules().aloneNanoseconds))
    }

    func start() {
        var records: [InkStore.JobRecord] = []
        do { try farm.disk.store.forEachUnfinished { records.append($0) } } catch { farm.problem("\(error)") }
        farm.note("broker starts, life \(life), \(records.count) jobs")
        perform(service.restore(records))
        tell(.tick)
    }

    /// What was on its way to the disk is there or not, and nobody was told.
    func die() {
        checkFolders()
        guard isCommitting, farm.chance(0.5) else { return }
        let entries = pendingJournal.flatMap(\.1)
        if let outcomes = try? farm.disk.store.apply(entries) { farm.disk.note(entries, outcomes) }
    }

    func later(_ step: BrokerStep, _ range: ClosedRange<UInt64> = 1...8) {
        farm.at(farm.pick(range)) { .brokerStep(life: life, step) }
    }

    func take(_ step: BrokerStep) {
        switch step {
        case .nothing: break
        case .service(let event): tell(event)
        case .commit: commit()
        case .launch(let job): launch(job)
        case .answered(let life, let answer): take(answer, of: life)
        case .lookedUp(let task, let life, let role, let key): lookedUp(task, life, role, key)
        case .kept(let key, let result): keep(result, as: key)
        case .synced(let life, let ending): synced(life, ending)
        case .unpacked(let life, let ending): unpacked(life, ending)
        case .renamed(let life): renamed(life)
        case .described(let life): described(life)
        }
    }

    func tick() {
        let now = farm.now
        for connection in heard.filter({ now > $0.value + 3_000 }).keys.sorted() {
            if let worker = workerOf[connection] { lose(worker, "silent") }
            if let session = sessionOf[connection] { lose(session) }
            heard[connection] = nil
        }
        if now >= lastBeat + 1_000 {
            lastBeat = now
            for id in peers.keys.sorted() { send(.heartbeat, to: id) }
            for session in clientOf.keys.sorted() { send(.heartbeat, to: session) }
        }
        schedule(.tick)
        advance(.diskAdvanced)
        tell(.tick)
    }

    // MARK: - Messages

    func take(_ message: FromPeer, from connection: Connection) {
        switch message {
        case .worker(let index, let message): take(message, index, connection)
        case .client(let index, let message): take(message, index, connection)
        }
    }

    func take(_ message: WorkerMessage, _ index: Int, _ connection: Connection) {
        if case .hello(let hello) = message {
            if let old = workerOf[connection] { lose(old, "connected anew") }
            lastPeer += 1
            let id = WorkerID(rawValue: lastPeer)
            peers[id] = Peer(index: index, connection: connection, version: hello.rendererVersion)
            workerOf[connection] = id
            heard[connection] = farm.now
            send(.welcome(Welcome(heartbeatMilliseconds: 1000, livenessMilliseconds: 3000)), to: id)
            schedule(
                .workerJoined(
                    id, name: hello.workerName, version: hello.rendererVersion,
                    credits: WorkerCredits(tasks: hello.taskCredits, bytes: Int(clamping: hello.byteCredits))))
            return
        }
        guard let worker = workerOf[connection] else {
            farm.send(connection, .toWorker(index, connection, .unknownWorker))
            return
        }
        heard[connection] = farm.now
        switch message {
        case .hello, .heartbeat, .acknowledge, .underWay: break
        case .blockRequest(let ranges):
            for range in ranges {
                guard let frame = blocks[range.id]?.frame, range.offset < UInt64(frame.count) else {
                    send(.blockMissing(range.id), to: worker)
                    continue
                }
                let part = BlockPart(
                    id: range.id, offset: range.offset, totalBytes: UInt64(frame.count),
                    bytes: Array(frame[Int(range.offset)...]))
                send(.blockPart(part), to: worker)
            }
        case .resultPart(let part):
            let id = AttemptID(task: part.task, attempt: part.attempt)
            guard var assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
            do {
                for item in try assembly.assembler.append(part) { try add(item, to: &assembly) }
            } catch { assembly.isBad = true }
            peers[worker]?.assemblies[id] = assembly
            schedule(.taskProgressed(worker, id))
        case .taskDone(let done): finish(done, worker)
        case .taskFailed(let failed): take(failed, worker)
        case .goodbye(.draining): schedule(.workerDraining(worker))
        case .goodbye(.left): lose(worker, "left")
        }
    }

    func finish(_ done: TaskDone, _ worker: WorkerID) {
        let id = AttemptID(task: done.task, attempt: done.attempt)
        guard var assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        let isWhole = (try? assembly.assembler.finish(done)) != nil
        guard !assembly.isBad, isWhole else {
            return reject(id, of: worker, "it is not whole")
        }
        let isComparable = exports[assembly.life]?.compares(assembly.assembler.kind, of: assembly.role)
        if scheduler.wantsDigest(id.task), isComparable == false {
            forget(id, of: worker)
            return schedule(.taskFailed(worker, id, .cancelled))
        }
        let isWanted = scheduler.isOpen(id.task)
        if isWanted, let fault = exports[assembly.life]?.complete(&assembly.result, of: assembly.role) {
            judge(fault, id, of: worker, assembly)
            return reject(id, of: worker, fault)
        }
        assembly.isDone = true
        peers[worker]?.assemblies[id] = assembly
        let digest =
            assembly.role.isReading
            ? digest(ofReading: assembly.result)
            : assembly.result.band?.bytes ?? assembly.result.pixels?.digest ?? [1]
        schedule(.taskFinished(worker, id, digest: digest))
    }

    func lose(_ worker: WorkerID, _ reason: String) {
        guard peers[worker] != nil else { return }
        remove(worker)
        schedule(.workerLost(worker, reason: reason))
    }

    func send(_ message: BrokerMessage, to worker: WorkerID) {
        guard let peer = peers[worker] else { return }
        farm.send(peer.connection, .toWorker(peer.index, peer.connection, message))
    }

    func take(_ message: ClientMessage, _ index: Int, _ connection: Connection) {
        if case .hello(let name) = message {
            if let old = sessionOf[connection] { lose(old) }
            lastPeer += 1
            let session = SessionID(rawValue: lastPeer)
            sessionOf[connection] = session
            clientOf[session] = (index, connection)
            heard[connection] = farm.now
            send(
                .welcome(
                    ClientWelcome(
                        brokerName: "b", storeID: farm.disk.store.storeID, heartbeatMilliseconds: 1000,
                        livenessMilliseconds: 3000)), to: session)
            tell(.joined(session, owner: name))
            return
        }
        guard let session = sessionOf[connection] else {
            farm.send(connection, .toClient(index, connection, .unknownSession))
            return
        }
        heard[connection] = farm.now
        switch message {
        case .hello, .heartbeat, .acknowledge, .pictureRequest, .question: break
        case .submit(let submission): tell(.submitted(session, submission))
        case .contentPart(let part):
            tell(.contentArrived(session, part.id, offset: part.offset, count: part.bytes.count))
        case .contentUnavailable(let id, let reason): tell(.contentUnavailable(session, id, reason: reason))
        case .watch(let jobs): tell(.watched(session, jobs))
        case .noticesTaken(let ids): tell(.noticesTaken(session, ids))
        case .order(let order):
            if case .cancel(let jobs) = order.action {
                cancellations[OrderID(session: session, number: order.number)] = jobs
            }
            tell(.ordered(session, order))
        case .goodbye: lose(session)
        }
    }

    func lose(_ session: SessionID) {
        guard let client = clientOf.removeValue(forKey: session) else { return }
        sessionOf[client.connection] = nil
        tell(.left(session))
    }

    func send(_ message: ServiceMessage, to session: SessionID) {
        guard let client = clientOf[session] else { return }
        farm.send(client.connection, .toClient(client.index, client.connection, message))
    }

    // MARK: - The service's actions

    func tell(_ event: ServiceEvent) { perform(service.handle(event, now: farm.now)) }

    func perform(_ actions: [ServiceAction]) {
        for action in actions { perform(action) }
    }

    func perform(_ action: ServiceAction) {
        let disk = farm.disk
        switch action {
        case .send(let session, let message):
            farm.note("tells \(message)")
            remember(message, session)
            send(message, to: session)
        case .examine(let key, let source):
            var hasContent = true
            if case .content(let id, _, _) = source { hasContent = disk.contents.contains(id) }
            later(.service(.examined(key, known: (try? disk.store.known(key)) ?? nil, hasContent: hasContent)))
        case .beginContent(let id, _):
            let isRefused = farm.now < disk.refusesUntil
            let fault = StoreError.full(path: "/data")
            if !isRefused { incoming[id] = 0 }
            later(.service(isRefused ? .contentFailed(id, fault) : .contentBegun(id)))
        case .writeContent(let id, let offset):
            if incoming[id] != offset { farm.problem("\(id): bytes from \(offset) on, after \(incoming[id] ?? 0)") }
            // Parts of four bytes.
            let end = min(offset + 4, SimulatedClient.contentBytes)
            incoming[id] = end
            later(.service(.contentWritten(id, through: end)))
        case .finishContent(let id):
            if incoming.removeValue(forKey: id) != SimulatedClient.contentBytes { farm.problem("\(id) is not whole") }
            disk.contents.insert(id.content)
            later(.service(.contentStored(id)))
        case .discardContent(let id): incoming[id] = nil
        case .journal(let token, let entries):
            pendingJournal.append((token, entries))
            if !isCommitting {
                isCommitting = true
                later(.commit, 1...20)
            }
        case .start(let job): later(.launch(job))
        case .cancelExport(let job): advance(.cancelled(JobID(job)))
        case .setPriority(let job, let priority): advance(.prioritySet(JobID(job), priority))
        case .setPaused(let job, let isPaused): advance(.pauseSet(JobID(job), isPaused))
        case .lookUp(let session, let jobs):
            let notices = jobs.compactMap { job -> Notice? in
                guard let record = (try? disk.store.record(job)) ?? nil else {
                    return Notice(id: 0, job: job, ending: .unknown)
                }
                guard case .ended(let ending) = record.state else { return nil }
                return Notice(
                    id: record.notice, job: job, submission: ContentID(hashing: record.submission), ending: ending)
            }
            later(.service(.lookedUp(session, notices)))
        case .reload(let jobs):
            later(.service(.reloaded(jobs.compactMap { (try? disk.store.record($0)) ?? nil })))
        case .recover(let job, let seal): recover(job, seal)
        case .told, .answerEntry: break
        }
    }

    /// What clients are told must be so, and stay so.
    func remember(_ message: ServiceMessage, _ session: SessionID) {
        switch message {
        case .orderDone(let result) where result.code == .done:
            for job in cancellations[OrderID(session: session, number: result.number)] ?? []
            where !farm.disk.cancelled.contains(job) {
                farm.problem("job \(job) is told to be cancelled, and the disk has not heard of it")
            }
        case .orderDone(let result):
            for job in cancellations[OrderID(session: session, number: result.number)] ?? []
            where service.returning[job] != nil {
                farm.problem("job \(job) is told not to be under way, and is queued again")
            }
        case .accepted(let key, let job):
            if let other = farm.disk.acknowledged[key], other != job { farm.problem("\(key) is \(other) and \(job)") }
            farm.disk.acknowledged[key] = job
            guard let record = (try? farm.disk.store.record(job)) ?? nil, record.key == key else {
                farm.problem("job \(job) was acknowledged and is not in the store")
                return
            }
        case .notice(let notice) where notice.id != 0:
            if let old = farm.disk.told[notice.job], old.notice != notice.id || old.ending != notice.ending {
                farm.problem("job \(notice.job) ended twice: \(old), \(notice)")
            }
            farm.disk.told[notice.job] = (notice.id, notice.ending)
            let record = (try? farm.disk.store.record(notice.job)) ?? nil
            if record?.state != .ended(notice.ending) {
                farm.problem(
                    "job \(notice.job) is told to have ended and has not: \(String(describing: record?.state))")
            }
            if case .finished = notice.ending, !isWhole(notice.job) {
                farm.problem("job \(notice.job) is finished, its picture is not whole")
            }
        default: break
        }
    }

    func commit() {
        isCommitting = false
        let batch = pendingJournal
        pendingJournal = []
        if farm.now < farm.disk.refusesUntil {
            for (token, _) in batch {
                answer(token, .failure(.full(path: "/data")))
            }
            return
        }
        do {
            let entries = batch.flatMap(\.1)
            let outcomes = try farm.disk.store.apply(entries)
            farm.disk.note(entries, outcomes)
            var next = 0
            for (token, entries) in batch {
                answer(token, .success(Array(outcomes[next..<(next + entries.count)])))
                next += entries.count
            }
        } catch { farm.problem("store: \(error)") }
    }

    func answer(_ token: JournalToken, _ result: Result<[JournalOutcome], StoreError>) {
        if case .note = token { return }
        if case .starting(let job) = token, let life = sealing[job] { return sealed(life, result) }
        tell(.committed(token, result))
    }
}
