import Dispatch
import Glibc
import InkBroker
import InkEngine
import InkJSON
import InkProtocol
import InkStore

/// Pictures, orders and questions of clients.
extension ServiceLoop {
    // MARK: - Pictures

    func fetch(_ job: JobNumber, _ offset: UInt64, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        let (end, isBeyond) = offset.addingReportingOverflow(ProtocolLimits.transferWindowBytes)
        let range = offset..<(isBeyond ? .max : end)
        let download = ClientPeer.Download(job: job, range: range)
        guard !peer.downloads.contains(download) else { return }
        guard peer.followed[job]?.contains(range) != true else { return }
        guard peer.openWindows < ClientPeer.downloadsMax else {
            refuse(session, "it asks for too much at once")
            return
        }
        if let run = runs[job], run.isFetched {
            peers[session]?.followed[job, default: []].append(range)
            continueDownload(of: job, session)
        } else {
            peers[session]?.downloads.append(download)
            readNext(session)
        }
    }

    /// Sends clients what they have asked for of an unfinished picture and is there now.
    func continueDownloads(of job: JobNumber) {
        for id in peers.keys.sorted() { continueDownload(of: job, id) }
    }

    private func continueDownload(of job: JobNumber, _ session: SessionID) {
        guard let picture = runs[job]?.picture, let peer = peers[session], var ranges = peer.followed[job],
            let index = ranges.firstIndex(where: { $0.lowerBound < UInt64(picture.byteCount) }),
            // What is written until one has been read goes together.
            !peer.downloads.contains(where: { $0.job == job })
        else { return }
        let range = ranges.remove(at: index)
        let end = min(range.upperBound, UInt64(picture.byteCount))
        if end < range.upperBound { ranges.insert(end..<range.upperBound, at: index) }
        peers[session]?.followed[job] = ranges.isEmpty ? nil : ranges
        peers[session]?.downloads.append(
            ClientPeer.Download(job: job, range: range.lowerBound..<end, unfinished: picture.path))
        readNext(session)
    }

    /// The rest of a picture that is finished; of one that is not, or is begun anew, that it is not there.
    func endFollowing(_ job: JobNumber, _ end: ExportEnd) {
        for id in peers.keys.sorted() {
            guard let ranges = peers[id]?.followed.removeValue(forKey: job) else { continue }
            guard case .ended(.finished(let picture)) = end else {
                send(.pictureMissing(job, reason: "it is not finished"), to: id)
                continue
            }
            for range in ranges where range.lowerBound < picture.byteCount {
                peers[id]?.downloads.append(ClientPeer.Download(job: job, range: range))
            }
            readNext(id)
        }
    }

    /// Reads the next window, one at a time for each client, and only when the last one has gone.
    func readNext(_ session: SessionID) {
        guard let peer = peers[session], !peer.isReading, let next = peer.downloads.first else { return }
        peers[session]?.downloads.removeFirst()
        peers[session]?.isReading = true
        let (path, mailbox) = (PictureFolder.path(of: next.job, in: parts.data), mailbox)
        fetching.async {
            mailbox.post(.read(session, Self.window(of: path, next)))
        }
    }

    private static func window(of path: String, _ download: ClientPeer.Download) -> [ServiceMessage] {
        func missing(_ reason: String) -> [ServiceMessage] { [.pictureMissing(download.job, reason: reason)] }
        var file: Int32 = -1
        if let unfinished = download.unfinished { file = open(unfinished, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        // It may have been finished since.
        if file < 0 { file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard file >= 0 else { return missing("the broker keeps no picture of this job (any more)") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, let offset = Int(exactly: download.range.lowerBound), offset < status.st_size
        else { return missing("the picture has no byte \(download.range.lowerBound)") }
        let total = Int(status.st_size)
        let end = min(total, Int(clamping: download.range.upperBound))
        var messages: [ServiceMessage] = []
        var position = offset
        while position < end {
            let count = min(ProtocolLimits.transferPartBytes, end - position)
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                initialized = max(0, pread(file, buffer.baseAddress, count, position))
            }
            guard !bytes.isEmpty else { return missing("the picture cannot be read") }
            messages.append(
                .picturePart(
                    PicturePart(
                        job: download.job, offset: UInt64(position),
                        totalBytes: download.unfinished == nil ? UInt64(total) : nil, bytes: bytes)))
            position += bytes.count
        }
        return messages
    }

    // MARK: - Orders

    func carryOut(_ order: Order, _ session: SessionID) {
        let mailbox = mailbox
        let name = peers[session]?.owner
        switch order.action {
        case .cancel(let jobs): pass(on: order, "cancel", jobs, session)
        case .retry(let jobs): pass(on: order, "retry", jobs, session)
        case .priority(let jobs, _): pass(on: order, "priority", jobs, session)
        case .purge(let jobs, let seconds):
            let done: @Sendable (PurgeOutcome) -> Void = { outcome in
                mailbox.post(.send(session, .orderDone(outcome.result(order.number))))
            }
            if jobs.isEmpty {
                let milliseconds = Int64(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
                let age = seconds > UInt64(Int64.max / 1000) ? Int64.max : milliseconds
                let now = ServiceClock.unixMilliseconds
                // Of those that ended in this very millisecond, too.
                purge(endedBefore: now - min(now, age) + (seconds == 0 ? 1 : 0), then: done)
            } else {
                purge(jobs, then: done)
            }
        case .drain(let worker):
            onEvent(FarmEvent(.info, "order.drain", worker: worker, client: name))
            parts.broker.drainWorkers(named: worker) { count in
                let result = OrderResult(
                    number: order.number, code: count > 0 ? .done : .refused, count: UInt64(count),
                    text: count > 0 ? "" : "there is no worker \(worker)")
                mailbox.post(.send(session, .orderDone(result)))
            }
        }
    }

    private func pass(on order: Order, _ what: String, _ jobs: [JobNumber], _ session: SessionID) {
        let numbers = jobs.prefix(20).map(String.init).joined(separator: ",") + (jobs.count > 20 ? ",..." : "")
        onEvent(
            FarmEvent(
                .info, "order", client: peers[session]?.owner, details: [("order", what), ("jobs", numbers)]))
        tell(.ordered(session, order))
    }

    // MARK: - Questions

    func ask(_ question: Question, _ session: SessionID) {
        guard let peer = peers[session] else { return }
        guard peer.openQuestions < ClientPeer.questionsMax else {
            refuse(session, "it asks for too much at once")
            return
        }
        peers[session]?.openQuestions += 1
        let (store, mailbox, number, life) = (parts.store, mailbox, question.number, peer.life)
        func askStore(_ body: @escaping @Sendable () -> Void) {
            // Nobody waits for what a session asked that is over.
            asking.async { if !life.isOver { body() } }
        }
        switch question.topic {
        case .status:
            let broker = parts.broker
            askStore {
                let counts = (try? store.counts()) ?? StoreCounts()
                broker.report { report in mailbox.post(.status(session, number, counts, report)) }
            }
        case .jobs(let after, let limit):
            let phases = state.jobs.mapValues(\.phase)
            askStore {
                let records = (try? store.records(after: after, limit: limit + 1)) ?? []
                let jobs = records.prefix(limit).map { JobAnswer.json($0, phases[$0.number]) }
                let answer = JSONValue.object([("jobs", .array(jobs)), ("more", .bool(records.count > limit))])
                mailbox.post(.answer(session, number, answer.text()))
            }
        case .job(let job):
            let phase = state.jobs[job]?.phase
            let progress = runs[job].map { ($0.done, $0.total) }
            askStore {
                let record = (try? store.record(job)) ?? nil
                let answer = record.map { JobAnswer.json($0, phase, progress: progress) } ?? .null
                mailbox.post(.answer(session, number, answer.text()))
            }
        case .story(let job):
            if let run = runs[job] {
                answer(session, number, run.story.text(job: job))
                return
            }
            askStore {
                let story = (try? store.story(job)) ?? nil
                let text = story.map { String(decoding: $0, as: UTF8.self) } ?? ""
                mailbox.post(.answer(session, number, text.isEmpty ? "null" : text))
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

    func statusText(_ counts: StoreCounts, _ report: BrokerReport) -> String {
        let now = ServiceClock.milliseconds
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
                    ("finished", .integer(counts.finished)), ("failed", .integer(counts.failed)),
                    ("cancelled", .integer(counts.cancelled)),
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
            (
                "store",
                .object([
                    ("usedBytes", .integer(parts.contents.usedBytes)),
                    ("quotaBytes", .integer(configuration.quotaBytes)),
                ])
            ),
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

/// Answers about jobs and workers.
enum JobAnswer {
    static func json(_ record: JobRecord, _ phase: ServiceState.Job.Phase?, progress: (Int, Int)? = nil) -> JSONValue {
        let submission = try? Submission(stored: record.submission)
        var members: [(String, JSONValue)] = [
            ("job", .integer(Int(clamping: record.number))), ("name", .string(submission?.name ?? "")),
            ("state", .string(state(record, phase))), ("priority", .integer(record.priority)),
            ("owner", .string(record.owner)), ("submittedAt", .integer(Int(record.createdAt))),
        ]
        switch submission?.picture.size {
        case .exact(let size): members.append(("size", .string(size.description)))
        case .named(let name): members.append(("size", .string(name)))
        case nil: break
        }
        if case .write(let path) = submission?.delivery { members.append(("output", .string(path))) }
        if let ended = record.endedAt { members.append(("endedAt", .integer(Int(ended)))) }
        if let (done, total) = progress {
            members += [("done", .integer(done)), ("total", .integer(total))]
        }
        switch record.state {
        case .ended(.failed(_, let text)): members.append(("reason", .string(text)))
        case .ended(.finished(let picture)):
            members.append(
                (
                    "picture",
                    .object([
                        ("width", .integer(picture.size.width)), ("height", .integer(picture.size.height)),
                        ("bytes", .integer(Int(clamping: picture.byteCount))),
                        ("sha256", .string(hexadecimal(picture.digest))),
                        ("milliseconds", .number(Double(picture.elapsed) / 1e6)),
                    ])
                ))
        default: break
        }
        return .object(members)
    }

    private static func state(_ record: JobRecord, _ phase: ServiceState.Job.Phase?) -> String {
        if case .ended(let ending) = record.state {
            switch ending {
            case .finished: return "finished"
            case .failed: return "failed"
            case .cancelled: return "cancelled"
            case .unknown: return "unknown"
            }
        }
        switch phase {
        case .starting, .active, .ending: return "running"
        case .waiting, .recovering, nil: return "queued"
        }
    }

    static func json(_ worker: WorkerReport) -> JSONValue {
        .object([
            ("name", .string(worker.name)), ("renderer", .string(worker.rendererVersion)),
            ("protocol", .integer(Int(worker.protocolVersion))), ("threads", .integer(worker.threads)),
            ("held", .integer(worker.tasksHeld)), ("done", .integer(worker.tasksDone)),
            ("lastHeardMilliseconds", .integer(worker.millisecondsSinceHeard)),
            ("state", .string(worker.isDraining ? "draining" : worker.tasksHeld > 0 ? "busy" : "idle")),
            ("key", .optional(worker.keyName)), ("address", .optional(worker.address)),
        ])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
