import InkProtocol
import InkSystem

/// Messages from and to workers.
extension BrokerLoop {
    /// Pieces of blocks that a worker may have asked for and not got.
    static let wantedPartsMax = 1024
    /// Messages that a worker may leave lying: more than its tasks, their ends and the blocks that it may ask for at once.
    private static let unsentMax = 4 * ProtocolLimits.tasksInHand

    func take(_ received: ReceivedMessage) {
        let route = received.parts[0]
        let message: WorkerMessage
        do throws(ProtocolError) {
            message = try WorkerMessage(frame: received.parts[1])
        } catch {
            if let worker = sessions[route] {
                refuse(worker, "a message cannot be read: \(error)")
            } else if let refusal = error.refusal {
                turnAway(route, received, error.description, refusal: refusal)
            }
            return
        }
        if case .hello(let hello) = message {
            welcome(hello, route, received)
            return
        }
        // A worker that was given up hears nothing any more, and introduces itself again.
        // A connection has one key; a message with another is not this worker's.
        guard let worker = sessions[route], peers[worker]?.keyName == received.userID else {
            post(.unknownWorker, to: route)
            if case .resultPart(let part) = message { store.local?.discard(part.bytes, sequence: part.sequence) }
            return
        }
        peers[worker]?.lastHeard = SystemClock.nanoseconds
        switch message {
        case .hello, .heartbeat: break
        case .blockRequest(let ranges): want(ranges, worker)
        case .resultPart(let part):
            if peers[worker]?.line.isBounded == true {
                peers[worker]?.received.take(part.bytes.count)
                unacknowledged.insert(worker)
            }
            take(part, worker)
        case .taskDone(let done): take(done, worker)
        case .taskFailed(let failed): take(failed, worker)
        case .goodbye(.draining): startDraining(worker)
        case .goodbye(.left): lose(worker, "it left")
        case .acknowledge(let total):
            peers[worker]?.line.acknowledge(total, now: SystemClock.milliseconds)
            if peers[worker]?.hasWork == true { behind.insert(worker) }
        case .underWay(let attempts):
            for attempt in attempts {
                tell(.taskProgressed(worker, AttemptID(task: attempt.task, attempt: attempt.attempt)))
            }
        }
    }

    /// Tells workers how much of their results has come.
    func acknowledge() {
        for id in unacknowledged.sorted() {
            if let total = peers[id]?.received.acknowledgement() { send(.acknowledge(total), to: id) }
        }
        unacknowledged.removeAll()
    }

    private func welcome(_ hello: Hello, _ route: [UInt8], _ received: ReceivedMessage) {
        if let old = sessions[route] { lose(old, "it connected anew") }
        let renderer = configuration.rendererVersion ?? hello.rendererVersion
        guard hello.rendererVersion == renderer else {
            let reason = "this broker takes workers of renderer \(renderer) only, not of \(hello.rendererVersion)"
            turnAway(route, received, reason, name: hello.workerName)
            return
        }
        guard peers.count < configuration.workersMax else {
            turnAway(route, received, "the broker has \(peers.count) workers already")
            return
        }
        guard !exports.isStopping else { return }
        lastWorker += 1
        let id = WorkerID(rawValue: lastWorker)
        let now = SystemClock.nanoseconds
        peers[id] = Peer(
            id: id, route: route, name: hello.workerName, rendererVersion: hello.rendererVersion,
            threads: hello.threads, address: received.peerAddress, keyName: received.userID,
            line: LineWindow(endpoint: configuration.endpoint), lastHeard: now, lastSent: now,
            queued: queues.makePeer())
        sessions[route] = id
        countThreads()
        note(id, .joined)
        send(
            .welcome(
                Welcome(
                    heartbeatMilliseconds: configuration.heartbeatMilliseconds,
                    livenessMilliseconds: configuration.livenessMilliseconds)), to: id)
        // It may be gone before it has been welcomed.
        guard peers[id] != nil else { return }
        let bytes = Int(clamping: hello.byteCredits)
        tell(
            .workerJoined(
                id, name: hello.workerName, version: hello.rendererVersion,
                credits: WorkerCredits(tasks: hello.taskCredits, bytes: bytes)))
    }

    /// Breaks with a worker that does not keep to the protocol.
    func refuse(_ worker: WorkerID, _ reason: String) {
        send(.refuse(reason: reason), to: worker)
        lose(worker, reason)
    }

    func lose(_ worker: WorkerID, _ reason: String) {
        guard let peer = peers[worker] else { return }
        removePeer(worker, reason)
        // Not what the scheduler gives it before it has heard of this, either; nor what it had finished, which did it no harm.
        let delivered = Set(peer.assemblies.filter { !$0.value.isDone }.keys)
            .subtracting(peer.unsent.compactMap(\.attempt))
        tell(.workerLost(worker, reason: reason, delivered: delivered))
    }

    /// Breaks with a worker that the scheduler has given up.
    func dismiss(_ worker: WorkerID, _ reason: String) {
        send(.refuse(reason: reason), to: worker)
        removePeer(worker, reason)
    }

    private func removePeer(_ worker: WorkerID, _ reason: String) {
        guard let peer = peers[worker] else { return }
        peer.queued.remove(peer.unsent.reduce(peer.readingBytes) { $0 + $1.frame.count })
        for (attempt, assembly) in peer.assemblies.sorted(by: { $0.key < $1.key }) where !assembly.isDone {
            note(attempt, assembly.role, of: assembly.life.job, worker, .lost(reason: reason))
        }
        note(worker, .left(reason: reason))
        for attempt in peer.assemblies.keys { forget(attempt, of: worker) }
        peers[worker] = nil
        countThreads()
        sessions[peer.route] = nil
        behind.remove(worker)
    }

    func keepPeersAlive(now: UInt64) {
        let liveness = UInt64(configuration.livenessMilliseconds) * 1_000_000
        let heartbeat = UInt64(configuration.heartbeatMilliseconds) * 1_000_000
        for id in peers.keys.sorted() {
            guard let peer = peers[id] else { continue }
            if isTakingIn, now - min(now, peer.lastHeard) >= liveness {
                lose(id, "silent for \(configuration.livenessMilliseconds) ms")
                continue
            }
            // What is taken for lost on the way makes room.
            if peer.hasWork { behind.insert(id) }
            if now - min(now, peer.lastSent) >= heartbeat, peer.unsent.isEmpty {
                send(.heartbeat, to: id)
            }
        }
    }

    // MARK: - Sending

    /// Sends a message, or keeps it until the connection has room.
    ///
    /// - Parameter attempt: the try that it is the task of, if it is one.
    func send(_ message: BrokerMessage, to worker: WorkerID, attempt: AttemptID? = nil) {
        guard peers[worker] != nil else { return }
        do throws(ProtocolError) {
            let frame = try message.encoded()
            peers[worker]?.unsent.append(UnsentMessage(frame: frame, attempt: attempt))
            peers[worker]?.queued.add(frame.count)
        } catch {
            // Only a text or a task beyond the protocol's limits cannot be written, and both are cut before.
            lose(worker, "a message to it cannot be written: \(error)")
            return
        }
        guard !flushMessages(worker) else { return }
        behind.insert(worker)
        if peers[worker]?.unsent.count ?? 0 > Self.unsentMax { lose(worker, "it does not take its messages") }
        if queues.isOverfull, let slowest = queues.slowest(peers.values.map { ($0.id, $0.queued) }) {
            lose(slowest, "it does not take its messages, and too much waits for all workers together")
        }
    }

    /// Does not take a stranger on, and says so on both sides.
    private func turnAway(
        _ route: [UInt8], _ received: ReceivedMessage, _ reason: String, refusal: [UInt8]? = nil, name: String = "?"
    ) {
        if let refusal { post(refusal, to: route) } else { post(.refuse(reason: reason), to: route) }
        onEvent(
            .worker(
                WorkerNote(
                    worker: name, what: .refused(reason: reason), address: received.peerAddress,
                    keyName: received.userID)))
    }

    /// To a connection that is no worker's.
    private func post(_ message: BrokerMessage, to route: [UInt8]) {
        // A text that is cut to its limit fits a frame.
        if let frame = try? message.encoded() { post(frame, to: route) }
    }

    private func post(_ frame: [UInt8], to route: [UInt8]) {
        // A stranger who does not take the answer goes without.
        _ = try? socket.send([route, frame])
    }

    /// Sends what has been waiting. Returns whether anything still is.
    func flush() -> Bool {
        for id in behind.sorted() {
            let isWaiting = flushMessages(id) && flushParts(id)
            // What waits for room on the line goes on when the worker says that something has arrived.
            if isWaiting || peers[id]?.hasWork != true { behind.remove(id) }
        }
        return !behind.isEmpty
    }

    /// Returns whether all messages have gone.
    private func flushMessages(_ worker: WorkerID) -> Bool {
        while let message = peers[worker]?.unsent.first {
            guard sendNow(message.frame, to: worker) else { return false }
            peers[worker]?.unsent.removeFirst()
            // ZeroMQ's part of it counts by itself.
            peers[worker]?.queued.remove(message.frame.count)
        }
        return peers[worker] != nil
    }

    func sendNow(_ frame: [UInt8], to worker: WorkerID) -> Bool {
        guard let peer = peers[worker] else { return false }
        do throws(ProtocolError) {
            switch try socket.send([peer.route, frame], countedIn: peer.queued) {
            case .sent:
                peers[worker]?.lastSent = SystemClock.nanoseconds
                return true
            case .busy: return false
            case .unreachable: lose(worker, "its connection is gone")
            }
        } catch {
            lose(worker, error.description)
        }
        return false
    }
}
