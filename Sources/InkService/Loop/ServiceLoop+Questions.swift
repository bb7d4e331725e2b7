import Dispatch
import InkBroker
import InkJSON
import InkProtocol
import InkStore
import InkSystem

/// Questions of clients.
extension ServiceLoop {
    func ask(_ question: Question, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        guard peer.openQuestions < ClientPeer.questionsMax else {
            refuse(session, "it asks for too much at once")
            return
        }
        peers[session]?.openQuestions += 1
        let (store, number) = (parts.store, question.number)
        switch question.topic {
        case .status:
            let (broker, mailbox) = (parts.broker, mailbox)
            askStore(peer) {
                let counts = Result { () throws(StoreError) in try store.counts() }
                broker.report { report in mailbox.post(.status(session, number, counts, report)) }
            }
        case .jobs(let after, let limit):
            let phases = state.jobs.mapValues(\.phase)
            answer(peer, number) { () throws(StoreError) in
                let records = try store.records(after: after, limit: limit + 1)
                let jobs = records.prefix(limit).map { JobAnswer.json($0, phases[$0.number]) }
                return JSONValue.object([("jobs", .array(jobs)), ("more", .bool(records.count > limit))]).text()
            }
        case .job(let job):
            let phase = state.jobs[job]?.phase
            let progress = runs[job].map { ($0.done, $0.total) }
            answer(peer, number) { () throws(StoreError) in
                let record = try store.record(job)
                return (record.map { JobAnswer.json($0, phase, progress: progress) } ?? .null).text()
            }
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

    private func askStore(_ peer: ClientPeer, _ body: @escaping @Sendable () -> Void) {
        let life = peer.life
        // Nobody waits for what a session asked that is over.
        asking.async { if !life.isOver { body() } }
    }

    /// Answers with a JSON text from the store, or with why it cannot be read.
    private func answer(
        _ peer: ClientPeer, _ number: UInt32, _ text: @escaping @Sendable () throws(StoreError) -> String
    ) {
        let (session, mailbox) = (peer.id, mailbox)
        askStore(peer) {
            do throws(StoreError) {
                mailbox.post(.answer(session, number, try text()))
            } catch {
                mailbox.post(.log(FarmNote(.error, "store.unreadable", reason: "\(error)")))
                let problem = JSONValue.object([("problem", .string("\(error)"))])
                mailbox.post(.answer(session, number, problem.text()))
            }
        }
    }

    /// Sends a JSON text in parts; one that is too large is answered with null.
    func answer(_ session: SessionID, _ number: UInt32, _ text: String) {
        peers[session]?.openQuestions -= 1
        var bytes = Array(text.utf8)
        if bytes.count > Int(ProtocolLimits.answerBytes) { bytes = Array("null".utf8) }
        for start in stride(from: 0, to: bytes.count, by: ProtocolLimits.partBytes) {
            let part = Array(bytes[start..<min(bytes.count, start + ProtocolLimits.partBytes)])
            send(
                .answerPart(
                    AnswerPart(number: number, offset: UInt64(start), totalBytes: UInt64(bytes.count), bytes: part)),
                to: session)
        }
    }

    func statusText(_ counts: Result<StoreCounts, StoreError>, _ report: BrokerReport) -> String {
        let now = SystemClock.milliseconds
        let ended = try? counts.get()
        var store: [(String, JSONValue)] = [
            ("usedBytes", .integer(parts.contents.usedBytes)), ("quotaBytes", .integer(configuration.quotaBytes)),
        ]
        if case .failure(let error) = counts { store.append(("problem", .string("\(error)"))) }
        let rates = throughput.rates(now: now, startedAt: startedAt)
        let exports = runs.keys.sorted().prefix(1000).map { job -> JSONValue in
            let run = runs[job]
            return .object([
                ("job", .integer(Int(clamping: job))), ("name", .string(run?.name ?? "")),
                ("owner", .string(run?.owner ?? "")), ("done", .integer(run?.done ?? 0)),
                ("total", .integer(run?.total ?? 0)),
            ])
        }
        let document = JSONValue.object([
            (
                "broker",
                .object([
                    ("name", .string(configuration.name)), ("version", .string(configuration.software)),
                    ("uptimeSeconds", .integer(Int(now - startedAt) / 1000)),
                    ("state", .string(stopping == .no ? "serving" : "draining")),
                ])
            ),
            (
                "jobs",
                .object([
                    ("queued", .integer(state.queue.count)), ("running", .integer(state.activeJobs.count)),
                    ("finished", .optional(ended?.finished)), ("failed", .optional(ended?.failed)),
                    ("cancelled", .optional(ended?.cancelled)),
                ])
            ),
            ("queue", .object([("limit", .integer(configuration.limits.queuedJobs))])),
            ("clients", .integer(peers.count)),
            ("workers", .array(report.workers.map(JobAnswer.json))),
            ("exports", .array(Array(exports))),
            (
                "throughput",
                .object([
                    ("picturesPerMinute", .number(rates.picturesPerMinute)),
                    ("tasksPerSecond", .number(rates.tasksPerSecond)),
                    ("megapixelsPerSecond", .number(rates.megapixels)),
                ])
            ),
            (
                "tasks",
                .object([
                    ("dispatched", .integer(report.tasksDispatched)), ("finished", .integer(report.tasksFinished)),
                    ("failed", .integer(report.tasksFailed)), ("raced", .integer(report.tasksRaced)),
                    ("verified", .integer(report.tasksVerified)),
                ])
            ),
            ("store", .object(store)),
            (
                "memory",
                .object([
                    ("blockBytes", .integer(report.blockBytes)), ("spilledBytes", .integer(report.spilledBytes)),
                ])
            ),
        ])
        return document.text()
    }
}
