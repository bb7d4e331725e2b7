import InkEngine
import InkProtocol

/// The worker's decisions: events in, actions out. It uses no socket, clock or thread; times are milliseconds of any
/// monotonic clock.
///
/// A connection begins with `hello` and is usable once the broker has answered `welcome`. If the broker falls silent,
/// everything of that connection is dropped, because the broker has given the tasks to others by then, and a new
/// connection is made.
struct WorkerState {
    let hello: Hello
    let helloMilliseconds: Int64

    /// State of the conversation with the broker.
    enum Phase: Hashable {
        case idle
        /// A hello has been sent but not answered.
        case greeting
        case serving(Welcome)
        case stopped(WorkerEnding)
    }

    private(set) var phase = Phase.idle
    private(set) var isDraining = false
    /// Whether the broker has accepted the worker.
    var isServing: Bool { if case .serving = phase { true } else { false } }
    var tasks = TaskTable()
    var blocks = BlockRequests()
    private var outbox = ResultOutbox()
    /// Running tasks whose results are no longer needed.
    private var cancelled: Set<RunID> = []
    private var line: LineWindow
    private let firstLine: LineWindow
    private var received = PartsReceived()
    var actions: [WorkerAction] = []
    private var lastSent: Int64 = 0
    private var lastHeard: Int64 = 0
    private var helloDeadline: Int64 = 0
    /// Hellos sent since the last answer.
    private(set) var failedHellos: Int64 = 0
    /// Whether bytes have arrived since the last `underWay`.
    private var hasReceived = false
    private var underWayAt: Int64 = 0
    /// A third of the shortest deadline of all tasks of this session.
    private var patience: Int64 = .max
    /// Until when a worker that is leaving still answers.
    private var staysUntil: Int64 = 0

    /// Tasks that the broker sent before it read the goodbye are refused during this time; otherwise they would be lost
    /// with the connection.
    static let farewellMilliseconds: Int64 = 100

    /// If this many bytes of results wait for the line, no more are taken from the render threads.
    private static let outboxBytes = 4 << 20

    /// - Parameter line: the window of a new connection.
    init(hello: Hello, helloMilliseconds: Int64, line: LineWindow = .unbounded) {
        self.hello = hello
        self.helloMilliseconds = helloMilliseconds
        self.line = line
        firstLine = line
    }

    /// Whether the render threads' results should be passed on now.
    var wantsResults: Bool { outbox.byteCount < Self.outboxBytes }

    /// Processes an event and returns the actions.
    ///
    /// - Parameter hold: asks the cache for a block; true if it exists, and is then held until a `release` contains it.
    mutating func handle(_ event: WorkerEvent, now: Int64, hold: (BlockID) -> Bool) -> [WorkerAction] {
        if case .stopped = phase { return [] }
        actions = []
        switch event {
        case .started: connect(now: now)
        case .received(let message):
            lastHeard = now
            receive(message, now: now, hold: hold)
        case .produced(let run, let sequence, let bytes):
            if tasks.key(of: run) != nil, !cancelled.contains(run) {
                outbox.add(bytes, sequence: sequence, of: run)
            } else {
                actions.append(.discard(bytes, sequence: sequence))
            }
        case .finished(let run, let outcome): finish(run, outcome)
        case .tick: tick(now: now)
        case .drainRequested: drain(now: now)
        }
        requestBlocks()
        sendResults(now: now)
        stopIfDrained(now: now)
        if actions.contains(where: { if case .send = $0 { true } else { false } }) { lastSent = now }
        return actions
    }

    /// When `tick` next has something to do; nil: never.
    var nextTick: Int64? {
        switch phase {
        case .idle, .stopped: nil
        case .greeting: helloDeadline
        case .serving(let welcome):
            min(
                lastSent + Int64(welcome.heartbeatMilliseconds), lastHeard + Int64(welcome.livenessMilliseconds),
                tasks.isEmpty || !line.isBounded ? .max : underWayAt, isDraining && tasks.isEmpty ? staysUntil : .max)
        }
    }

    // MARK: Connection

    private mutating func connect(now: Int64) {
        phase = .greeting
        // Doubles up to eight times the first, so that a farm without a broker does not spin.
        helloDeadline = now + helloMilliseconds << min(3, failedHellos)
        failedHellos += 1
        actions += [.connect, .send(.hello(hello))]
    }

    private mutating func tick(now: Int64) {
        switch phase {
        case .idle, .stopped: break
        case .greeting:
            if now >= helloDeadline { connect(now: now) }
        case .serving(let welcome):
            if now - lastHeard >= Int64(welcome.livenessMilliseconds) {
                dropEverything()
                if !isDraining { connect(now: now) }
                return
            }
            if let total = received.acknowledgement() { actions.append(.send(.acknowledge(total))) }
            tellUnderWay(now: now)
            if actions.isEmpty, now - lastSent >= Int64(welcome.heartbeatMilliseconds) {
                actions.append(.send(.heartbeat))
            }
        }
    }

    private mutating func dropEverything() {
        blocks.removeAll()
        // Their runs will not end a second time.
        for run in tasks.runs where outbox.hasEnded(run) { release(tasks.finish(run).released) }
        discard(outbox.removeAll())
        cancelled = []
        let (released, runs) = tasks.abandonAll()
        release(released)
        actions += runs.map { .cancelRun($0) }
    }

    private mutating func drain(now: Int64) {
        guard !isDraining else { return }
        isDraining = true
        if isServing { sayGoodbye(now: now) }
    }

    private mutating func sayGoodbye(now: Int64) {
        actions.append(.send(.goodbye(.draining)))
        staysUntil = now + WorkerState.farewellMilliseconds
    }

    private mutating func stopIfDrained(now: Int64) {
        guard isDraining, tasks.isEmpty, phase != .idle, !isServing || now >= staysUntil else { return }
        if case .stopped = phase { return }
        // Also while greeting: the broker may have received the hello and count on this worker.
        actions.append(.send(.goodbye(.left)))
        stop(.drained)
    }

    private mutating func stop(_ ending: WorkerEnding) {
        phase = .stopped(ending)
        actions.append(.stop(ending))
    }

    // MARK: Messages

    private mutating func receive(_ message: BrokerMessage, now: Int64, hold: (BlockID) -> Bool) {
        switch (message, phase) {
        case (.welcome(let welcome), .greeting):
            failedHellos = 0
            phase = .serving(welcome)
            line = firstLine
            received = PartsReceived()
            patience = .max
            if isDraining { sayGoodbye(now: now) }
        case (.refuse(let reason), .greeting), (.refuse(let reason), .serving):
            dropEverything()
            stop(.refused(reason: reason))
        case (.task(let assignment), .serving): accept(assignment, hold: hold, now: now)
        case (.blockPart(let part), .serving):
            if line.isBounded { received.take(part.bytes.count) }
            hasReceived = true
            take(part, hold: hold)
        case (.blockMissing(let id), .serving):
            failWaiting(for: id, because: "the broker does not have block \(id)")
        case (.cancel(let task), .serving): cancel(task)
        case (.drain, .serving): drain(now: now)
        case (.unknownWorker, .serving):
            // The broker has given the tasks to others, or has forgotten them.
            dropEverything()
            if !isDraining { connect(now: now) }
        case (.acknowledge(let total), .serving): line.acknowledge(total, now: UInt64(max(0, now)))
        // A heartbeat is only a sign of life. Other messages do not belong to this phase and are ignored.
        default: break
        }
    }

    // MARK: Tasks

    private mutating func accept(_ assignment: TaskAssignment, hold: (BlockID) -> Bool, now: Int64) {
        let key = TaskAttempt(task: assignment.task, attempt: assignment.attempt)
        guard !tasks.contains(key) else { return }
        patience = min(patience, max(1, Int64(assignment.deadlineMilliseconds) / 3))
        if tasks.isEmpty { underWayAt = now + patience }
        if isDraining { return fail(key, .cancelled, "the worker is leaving") }
        if tasks.count >= hello.taskCredits { return fail(key, .cancelled, "the worker has no credit left") }
        switch assignment.payload {
        case .block(let id):
            tasks.add(key, resultLimitBytes: assignment.resultLimitBytes)
            tasks.wait(key, forPayload: id)
            blocks.want(id, for: key)
        case .inline(let bytes):
            tasks.add(key, resultLimitBytes: assignment.resultLimitBytes)
            unpack(bytes, of: key, hold: hold)
        }
    }

    private mutating func unpack(_ bytes: [UInt8], of key: TaskAttempt, hold: (BlockID) -> Bool) {
        do throws(ProtocolError) {
            let task = try WorkerTask(decoding: bytes)
            var missing: Set<BlockID> = []
            for id in task.blocks {
                if hold(id) {
                    tasks.addHeld(id, to: key)
                } else {
                    missing.insert(id)
                    blocks.want(id, for: key)
                }
            }
            tasks.wait(key, with: task, for: missing)
            runIfReady(key)
        } catch {
            release(tasks.remove(key))
            fail(key, .internalError, "the task cannot be read: \(error)")
        }
    }

    private mutating func runIfReady(_ key: TaskAttempt) {
        if let run = tasks.startIfReady(key) { actions.append(.run(run)) }
    }

    private mutating func finish(_ run: RunID, _ outcome: RunOutcome) {
        var outcome = outcome
        if cancelled.remove(run) != nil { outcome = .cancelled }
        if case .done(let resultBytes, let phases) = outcome, tasks.key(of: run) != nil {
            outbox.end(run, resultBytes: resultBytes, phases: phases)
            return
        }
        let (key, released) = tasks.finish(run)
        release(released)
        // Without a key, the run belongs to a connection that is gone, or was cancelled and answered already.
        guard let key else { return }
        discard(outbox.remove(run))
        switch outcome {
        case .done: break
        case .failed(let error):
            actions.append(.send(.taskFailed(TaskFailed(task: key.task, attempt: key.attempt, error: error))))
        case .cancelled: fail(key, .cancelled, "cancelled")
        }
    }

    /// Sends as much of the results as the line has room for.
    private mutating func sendResults(now: Int64) {
        guard isServing else { return }
        while let next = outbox.next(&line, now: now) {
            switch next {
            case .part(let run, let sequence, let bytes):
                guard let key = tasks.key(of: run) else { continue }
                let part = ResultPart(task: key.task, attempt: key.attempt, sequence: sequence, bytes: bytes)
                actions.append(.send(.resultPart(part)))
            case .end(let run, let partCount, let resultBytes, let phases):
                let (key, released) = tasks.finish(run)
                release(released)
                guard let key else { continue }
                let done = TaskDone(
                    task: key.task, attempt: key.attempt, partCount: partCount, resultBytes: resultBytes,
                    phases: phases)
                actions.append(.send(.taskDone(done)))
            }
        }
    }

    private mutating func discard(_ pieces: [ResultOutbox.Unsent]) {
        actions += pieces.map { .discard($0.bytes, sequence: $0.sequence) }
    }

    /// Reports in time to the broker which tasks are delayed only because the line is busy: tasks whose blocks are
    /// arriving, and all tasks while results wait to be sent.
    private mutating func tellUnderWay(now: Int64) {
        guard line.isBounded, now >= underWayAt else { return }
        underWayAt = now + min(patience, 60_000)
        let attempts = !outbox.isEmpty ? tasks.all : hasReceived ? tasks.waitingForBlocks : []
        hasReceived = false
        for start in stride(from: 0, to: attempts.count, by: ProtocolLimits.tasksPerMessage) {
            actions.append(.send(.underWay(Array(attempts[start...].prefix(ProtocolLimits.tasksPerMessage)))))
        }
    }

    private mutating func cancel(_ task: TaskID) {
        for key in tasks.keys(of: task) {
            if let run = tasks.run(of: key) {
                let isOver = outbox.hasEnded(run)
                discard(outbox.remove(run))
                if isOver {
                    finish(run, .cancelled)
                } else {
                    cancelled.insert(run)
                    actions.append(.cancelRun(run))
                }
            } else {
                blocks.forget(key)
                release(tasks.remove(key))
                fail(key, .cancelled, "cancelled")
            }
        }
    }

    private mutating func fail(_ key: TaskAttempt, _ kind: TaskFailureKind, _ text: String) {
        actions.append(
            .send(.taskFailed(TaskFailed(task: key.task, attempt: key.attempt, kind: kind, text: text))))
    }

    private mutating func release(_ ids: [BlockID]) {
        if !ids.isEmpty { actions.append(.release(ids)) }
    }

    // MARK: Blocks

    private mutating func requestBlocks() {
        guard case .serving = phase else { return }
        let ranges = blocks.nextRequests()
        if !ranges.isEmpty { actions.append(.send(.blockRequest(ranges))) }
    }

    private mutating func take(_ part: BlockPart, hold: (BlockID) -> Bool) {
        do throws(ProtocolError) {
            switch try blocks.append(part) {
            case .waiting: break
            case .needsMore(let range): actions.append(.send(.blockRequest([range])))
            case .complete(let block): deliver(block, to: blocks.complete(block.id), hold: hold)
            }
        } catch {
            failWaiting(for: part.id, because: "\(error)")
        }
    }

    private mutating func deliver(_ block: Block, to waiting: [TaskAttempt], hold: (BlockID) -> Bool) {
        let readers = waiting.filter { !tasks.isWaiting($0, forPayload: block.id) }
        // Also without readers (all cancelled), because a neighbouring tile may need it.
        if !readers.isEmpty || waiting.isEmpty { actions.append(.store(block, holders: readers.count)) }
        for key in readers {
            tasks.arrived(block.id, for: key)
            runIfReady(key)
        }
        for key in waiting where tasks.isWaiting(key, forPayload: block.id) {
            do throws(ProtocolError) {
                unpack(try block.content(limit: ProtocolLimits.taskBytes), of: key, hold: hold)
            } catch {
                release(tasks.remove(key))
                fail(key, .internalError, "the task cannot be read: \(error)")
            }
        }
    }

    private mutating func failWaiting(for id: BlockID, because reason: String) {
        for key in blocks.complete(id) {
            blocks.forget(key)
            release(tasks.remove(key))
            fail(key, .internalError, reason)
        }
    }
}
