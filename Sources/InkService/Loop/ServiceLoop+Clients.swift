import InkProtocol
import InkStore
import InkSystem

/// Messages from and to clients.
extension ServiceLoop {
    func take(_ message: ReceivedMessage) {
        let route = message.parts[0]
        let incoming: ClientMessage
        do throws(ProtocolError) {
            incoming = try ClientMessage(frame: message.parts[1])
        } catch {
            if let session = sessions[route] {
                refuse(session, "a message cannot be read: \(error)")
            } else if let refusal = error.refusal {
                post(refusal, to: route)
                logRefusal(error.description, message)
            }
            return
        }
        if case .hello(let name) = incoming {
            welcome(name, route, userID: message.userID)
            return
        }
        guard let session = sessions[route], let peer = peers[session], peer.userID == message.userID else {
            post(.unknownSession, to: route)
            return
        }
        peers[session]?.lastHeard = SystemClock.milliseconds
        take(incoming, from: session)
    }

    /// Logs the refusal of an unknown peer.
    private func logRefusal(_ reason: String, _ message: ReceivedMessage) {
        let address = message.peerAddress.map { [("address", FarmNote.Value.text($0))] } ?? []
        parts.onEvent(
            FarmNote(.warning, "client.refused", client: message.userID, reason: reason, details: address))
    }

    func take(_ message: ClientMessage, from session: SessionID) {
        switch message {
        case .hello, .heartbeat: break
        case .submit(let submission): tell(.submitted(session, submission))
        case .contentPart(let part):
            if peers[session]?.line.isBounded == true {
                peers[session]?.received.take(part.bytes.count)
                unacknowledged.insert(session)
            }
            arrivedBytes = part.bytes
            tell(.contentArrived(session, part.id, offset: part.offset, count: part.bytes.count))
            arrivedBytes = []
        case .contentUnavailable(let id, let reason): tell(.contentUnavailable(session, id, reason: reason))
        case .watch(let jobs): tell(.watched(session, jobs))
        case .noticesTaken(let notices): tell(.noticesTaken(session, notices))
        case .pictureRequest(let job, let offset): fetch(job, offset, session)
        case .order(let order): carryOut(order, session)
        case .question(let question): ask(question, session)
        case .goodbye: lose(session, "it left")
        case .acknowledge(let total):
            peers[session]?.line.acknowledge(total, now: SystemClock.milliseconds)
            sendParts(session)
        }
    }

    /// Acknowledges received contents to clients.
    func acknowledge() {
        for id in unacknowledged.sorted() {
            if let total = peers[id]?.received.acknowledgement() { send(.acknowledge(total), to: id) }
        }
        unacknowledged.removeAll()
    }

    private func welcome(_ name: String, _ route: [UInt8], userID: String?) {
        if let old = sessions[route] { lose(old, "it started a new session") }
        guard stopping != .now else { return }
        guard peers.count < configuration.limits.sessions else {
            post(.refuse(reason: "the broker serves \(peers.count) clients already; try again later"), to: route)
            return
        }
        lastSession += 1
        let id = SessionID(rawValue: lastSession)
        let now = SystemClock.milliseconds
        peers[id] = ClientPeer(
            id: id, route: route, name: name, owner: userID ?? name, userID: userID,
            line: LineWindow(endpoint: configuration.clientsEndpoint), lastHeard: now, lastSent: now,
            queued: queues.makePeer())
        sessions[route] = id
        onEvent(FarmNote(.debug, "client.joined", client: userID ?? name))
        send(
            .welcome(
                ClientWelcome(
                    brokerName: configuration.name, storeID: parts.store.storeID,
                    heartbeatMilliseconds: configuration.heartbeatMilliseconds,
                    livenessMilliseconds: configuration.livenessMilliseconds)), to: id)
        // It may have been dropped before the welcome was sent.
        if peers[id] != nil { tell(.joined(id, owner: userID ?? name)) }
    }

    /// Ends the session of a client that violates the protocol.
    func refuse(_ session: SessionID, _ reason: String) {
        send(.refuse(reason: reason), to: session)
        lose(session, reason)
    }

    func lose(_ session: SessionID, _ reason: String) {
        guard let peer = peers.removeValue(forKey: session) else { return }
        sessions[peer.route] = nil
        peer.life.end()
        peer.queued.remove(peer.unsentBytes + peer.readingBytes)
        answerBytes -= peer.answerBytes
        onEvent(FarmNote(.debug, "client.left", client: peer.owner, reason: reason))
        tell(.left(session))
    }

    func keepPeersAlive(now: UInt64) {
        for id in peers.keys.sorted() {
            guard let peer = peers[id] else { continue }
            if now - min(now, peer.lastHeard) >= UInt64(configuration.livenessMilliseconds) {
                lose(id, "silent for \(configuration.livenessMilliseconds) ms")
                continue
            }
            if now - min(now, peer.lastSent) >= UInt64(configuration.heartbeatMilliseconds), peer.unsent.isEmpty {
                send(.heartbeat, to: id)
            }
            // Data presumed lost makes room.
            sendParts(id)
        }
    }

    // MARK: - Sending

    /// Sends a message, or keeps it until the connection has room. A client that leaves too much unread is dropped.
    func send(_ message: ServiceMessage, to session: SessionID) {
        if let local = locals[session] { return local.onMessage(message) }
        guard peers[session] != nil else { return }
        // The next progress message replaces this one.
        if case .progress = message, peers[session]?.unsent.isEmpty == false { return }
        // Encoding fails only for a part beyond the limits, and parts are cut to them.
        guard let frame = try? message.encoded() else {
            lose(session, "a message to it cannot be written")
            return
        }
        peers[session]?.unsent.append(frame)
        peers[session]?.unsentBytes += frame.count
        peers[session]?.queued.add(frame.count)
        guard flush(session) else { return }
        if peers[session]?.unsentBytes ?? 0 > ClientPeer.unsentBytesMax {
            lose(session, "it does not take its messages")
        }
        if queues.isOverfull, let slowest = queues.slowest(peers.values.map { ($0.id, $0.queued) }) {
            lose(slowest, "it does not take its messages, and too much waits for all clients together")
        }
    }

    /// Sends as much of answers and pictures as the line takes.
    func sendParts(_ session: SessionID) {
        while let peer = peers[session], peer.unsent.isEmpty, let answer = peer.answers.first {
            let partBytes = min(peer.line.partBytes, answer.text.count - answer.sent)
            let now = SystemClock.milliseconds
            guard peers[session]?.line.hasRoom(for: partBytes, now: now) == true else { return }
            let count = queues.room(for: peer.queued, count: partBytes)
            guard count > 0 else { return }
            let end = answer.sent + count
            peers[session]?.line.send(count, now: now)
            answerBytes -= count
            if end == answer.text.count {
                peers[session]?.answers.removeFirst()
            } else {
                peers[session]?.answers[0].sent = end
                peers[session]?.answers[0].lastMoved = now
            }
            send(
                .answerPart(
                    AnswerPart(
                        number: answer.number, offset: UInt64(answer.sent), totalBytes: UInt64(answer.text.count),
                        bytes: Array(answer.text[answer.sent..<end]))), to: session)
        }
        readNext(session)
    }

    /// Sends an answer to an unknown peer.
    private func post(_ message: ServiceMessage, to route: [UInt8]) {
        // A text that is cut to its limit fits a frame.
        if let frame = try? message.encoded() { post(frame, to: route) }
    }

    private func post(_ frame: [UInt8], to route: [UInt8]) {
        // If an unknown peer does not accept the answer, it is dropped.
        _ = try? socket.send([route, frame])
    }

    /// Sends waiting data. Returns whether any is left.
    func flush() -> Bool {
        var isBusy = false
        for id in peers.keys.sorted() where peers[id]?.unsent.isEmpty == false {
            if flush(id) { isBusy = true } else { sendParts(id) }
        }
        askNext()
        return isBusy
    }

    /// Returns whether something is left.
    private func flush(_ session: SessionID) -> Bool {
        guard let peer = peers[session] else { return false }
        var sent = 0
        var failure: String?
        loop: while sent < peer.unsent.count {
            do throws(ProtocolError) {
                switch try socket.send([peer.route, peer.unsent[sent]], countedIn: peer.queued) {
                case .sent: sent += 1
                case .busy: break loop
                case .unreachable:
                    failure = "its connection is gone"
                    break loop
                }
            } catch {
                failure = error.description
                break loop
            }
        }
        if sent > 0 {
            let bytes = peer.unsent[..<sent].reduce(0) { $0 + $1.count }
            peers[session]?.unsentBytes -= bytes
            // ZeroMQ counts its own part.
            peer.queued.remove(bytes)
            peers[session]?.unsent.removeFirst(sent)
            peers[session]?.lastSent = SystemClock.milliseconds
        }
        if let failure {
            lose(session, failure)
            return false
        }
        return sent < peer.unsent.count
    }
}
