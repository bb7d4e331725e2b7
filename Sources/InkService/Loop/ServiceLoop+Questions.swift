import CSystem
import InkBroker
import InkJSON
import InkProtocol
import InkStore
import InkSystem

/// Questions of clients.
extension ServiceLoop {
    /// Number of answers that are prepared at the same time. Each takes a few megabytes while it is prepared, and then
    /// waits for its client.
    private static let answersAtOnce = 4
    /// If this many bytes of answers wait for clients, no further answers are prepared.
    private static let answerBytesMax = 32 << 20

    func ask(_ question: Question, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        guard peer.questions.count < ClientPeer.questionsMax else {
            refuse(session, "it asks for too much at once")
            return
        }
        peers[session]?.questions.append(question)
        if peer.questions.isEmpty { inquirers.append(session) }
        askNext()
    }

    /// Begins to answer the next questions, one client after the other, while there is room for the answers.
    func askNext() {
        let now = SystemClock.milliseconds
        var (index, isHeldBack) = (0, false)
        while index < inquirers.count, !isHeldBack {
            let session = inquirers[index]
            guard let peer = peers[session] else {
                inquirers.remove(at: index)
                continue
            }
            // A client that has not received its last answer gets no other.
            guard peer.unsent.isEmpty, peer.answers.isEmpty, let question = peer.questions.first else {
                index += 1
                continue
            }
            guard openAnswers < Self.answersAtOnce, answerBytes < Self.answerBytesMax else {
                isHeldBack = true
                continue
            }
            inquirers.remove(at: index)
            peers[session]?.isAsking = true
            openAnswers += 1
            begin(question, peer)
        }
        if !isHeldBack || openAnswers > 0 { lastAnswering = now }
        guard now - lastAnswering >= UInt64(configuration.livenessMilliseconds) else { return }
        lastAnswering = now
        makeRoomForAnswers(now)
    }

    /// Clients that read nothing must not block the others. Drops clients that have read nothing of their answers for a
    /// while; if there are none, the one with the most unread data.
    private func makeRoomForAnswers(_ now: UInt64) {
        let answered = peers.values.filter { !$0.answers.isEmpty }
        var slow = answered.filter { $0.answers[0].lastMoved + UInt64(configuration.livenessMilliseconds) <= now }
        if slow.isEmpty, let slowest = answered.max(by: { $0.answerBytes < $1.answerBytes }) { slow = [slowest] }
        for peer in slow { lose(peer.id, "it does not read its answers, and others wait for theirs") }
    }

    /// Returns the memory of large answers to the system when all have been sent. The C library itself keeps free
    /// memory between blocks that are still in use.
    func returnMemory() {
        guard answeredBytes >= Self.answerBytesMax, openAnswers == 0, answerBytes == 0 else { return }
        answeredBytes = 0
        malloc_trim(0)
    }

    /// Makes an answer's slot free for the next one.
    private func endAnswer(_ session: SessionID) {
        openAnswers -= 1
        guard peers[session]?.isAsking == true else { return }
        peers[session]?.isAsking = false
        peers[session]?.questions.removeFirst()
        if peers[session]?.questions.isEmpty == false { inquirers.append(session) }
    }

    private func begin(_ question: Question, _ peer: ClientPeer) {
        let (store, number, session) = (parts.store, question.number, peer.id)
        switch question.topic {
        case .status:
            let (broker, mailbox) = (parts.broker, mailbox)
            asking.run {
                let counts = Result { () throws(StoreError) in try store.counts() }
                broker.report { report in mailbox.post(.status(session, number, counts, report)) }
            }
        case .jobs(let after, let limit):
            let phases = Dictionary(uniqueKeysWithValues: state.jobs.keys.map { ($0, shownPhase(of: $0)) })
            let stuck = Set(state.stuckEnds.keys)
            answer(peer, number) { () throws(StoreError) in
                let records = try store.records(after: after, limit: limit + 1)
                let jobs = records.prefix(limit).map {
                    JobAnswer.json($0, phases[$0.number] ?? nil, isStuck: stuck.contains($0.number))
                }
                return (["jobs": .array(jobs), "more": .bool(records.count > limit)] as JSONValue).text()
            }
        case .job(let job):
            guard state.jobs[job]?.phase == .waiting else { return answer(job, runs[job]?.timeLeft, peer, number) }
            parts.broker.report { [mailbox] report in mailbox.post(.waiting(session, number, job, report)) }
        case .story(let job):
            if let run = runs[job] {
                answer(session, number, run.story.text(job: job))
                return
            }
            answer(peer, number) { () throws(StoreError) in
                let story = try store.story(job) ?? []
                return story.isEmpty ? "null" : String(decoding: story, as: UTF8.self)
            }
        }
    }

    private func answer(_ job: JobNumber, _ timeLeft: TimeLeft?, _ peer: ClientPeer, _ number: UInt32) {
        let (phase, isStuck, store) = (shownPhase(of: job), state.stuckEnds[job] != nil, parts.store)
        let progress = runs[job].map { ($0.done, $0.total) }
        answer(peer, number) { () throws(StoreError) in
            let record = try store.record(job)
            let json = record.map {
                JobAnswer.json(
                    $0, phase, isStuck: isStuck, progress: progress, timeLeft: timeLeft, showsWarnings: true)
            }
            return (json ?? .null).text()
        }
    }

    /// Answers about a job that waited when it was asked about.
    func answer(waiting job: JobNumber, _ report: BrokerReport, _ session: SessionID, _ number: UInt32) {
        guard let peer = peers[session] else { return answer(session, number, "null") }
        let timeLeft =
            runs[job].map(\.timeLeft) ?? report.timeLeft(with: state.counts(upTo: [job])[job] ?? 0)
        answer(job, timeLeft, peer, number)
    }

    /// Answers with a JSON text from the store, or with the reason why it cannot be read.
    private func answer(
        _ peer: ClientPeer, _ number: UInt32, _ text: @escaping @Sendable () throws(StoreError) -> String
    ) {
        let (session, mailbox, life) = (peer.id, mailbox, peer.life)
        asking.run {
            // The session of the question has ended.
            guard !life.isOver else { return mailbox.post(.answer(session, number, "null")) }
            do throws(StoreError) {
                mailbox.post(.answer(session, number, try text()))
            } catch {
                mailbox.post(.log(FarmNote(.error, "store.unreadable", reason: "\(error)")))
                let problem: JSONValue = ["problem": .string("\(error)")]
                mailbox.post(.answer(session, number, problem.text()))
            }
        }
    }

    /// Sends a JSON text in parts, as the line takes them. A text that is too large is replaced by null.
    func answer(_ session: SessionID, _ number: UInt32, _ text: String) {
        endAnswer(session)
        guard peers[session] != nil else { return }
        var bytes = Array(text.utf8)
        if bytes.count > Int(ProtocolLimits.answerBytes) { bytes = Array("null".utf8) }
        peers[session]?.answers.append(
            ClientPeer.OutgoingAnswer(number: number, text: bytes, lastMoved: SystemClock.milliseconds))
        answerBytes += bytes.count
        answeredBytes += bytes.count
        sendParts(session)
    }

    func statusText(_ stored: Result<StoreCounts, StoreError>, _ report: BrokerReport) -> String {
        let status = status(stored, report)
        let exports = runs.keys.sorted().prefix(1000).map { job -> JSONValue in
            let run = runs[job]
            return [
                "job": .integer(Int(clamping: job)), "name": .string(run?.name ?? ""),
                "file": .string(run?.file ?? ""), "owner": .string(run?.owner ?? ""),
                "done": .integer(run?.done ?? 0), "total": .integer(run?.total ?? 0),
                "timeLeft": JobAnswer.json(run?.timeLeft),
            ]
        }
        let document: JSONValue = [
            "broker": status.brokerJSON,
            "jobs": [
                "queued": .integer(status.queued), "running": .integer(status.running),
                "paused": .integer(status.paused), "ending": .integer(state.stuckEnds.count),
                "finished": .optional(status.finished), "failed": .optional(status.failed),
                "cancelled": .optional(status.cancelled),
            ],
            "queue": ["limit": .integer(status.queueLimit)],
            "clients": .integer(status.clients),
            "workers": .array(report.workers.map(JobAnswer.json)),
            "exports": .array(Array(exports)),
            "timeLeft": JobAnswer.json(status.timeLeft),
            "throughput": status.throughputJSON,
            "tasks": [
                "dispatched": .integer(report.tasksDispatched), "finished": .integer(report.tasksFinished),
                "failed": .integer(report.tasksFailed), "raced": .integer(report.tasksRaced),
                "verified": .integer(report.tasksVerified), "found": .integer(report.tasksFound),
            ],
            "store": status.storeJSON,
            "memory": [
                "blockBytes": .integer(report.blockBytes), "spilledBytes": .integer(report.spilledBytes),
                "queuedBytes": .integer(report.queuedBytes + queues.count + answerBytes),
            ],
        ]
        return document.text()
    }
}

extension BrokerReport {
    /// Until the broker has done what it has, and so many further jobs.
    func timeLeft(with jobs: Int) -> TimeLeft? {
        guard jobs > 0 else { return timeLeft }
        guard let each = timePerJob else { return nil }
        // The spread of single jobs evens out, a common error does not.
        let (count, share) = (Double(jobs), 0.25 + 0.75 / Double(jobs).squareRoot())
        let further = TimeLeft(
            seconds: count * each.seconds, low: count * (each.seconds - share * (each.seconds - each.low)),
            high: count * (each.seconds + share * (each.high - each.seconds)))
        return timeLeft.map { $0 + further } ?? further
    }
}
