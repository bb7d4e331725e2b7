import Glibc
import InkBroker
import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkStore
import InkSystem

/// Passes jobs to the broker, and handles their ends.
extension ServiceLoop {
    /// Reads the job's record from the store, outside the loop, and starts it.
    func start(_ job: JobNumber) {
        let (store, mailbox) = (parts.store, mailbox)
        asking.run {
            mailbox.post(.launch(job, Result { () throws(StoreError) in try store.record(job) }))
        }
    }

    func launch(_ number: JobNumber, _ found: Result<JobRecord?, StoreError>) {
        guard let entry = state.jobs[number] else { return }
        let record: JobRecord
        let submission: Submission
        do throws(UnreadableJob) { (record, submission) = try UnreadableJob.submission(of: found) } catch {
            let ending = JobEnding.failed(.internalError, text: "the job cannot be read: \(error)")
            tell(.exportEnded(number, .ended(ending), story: []))
            return
        }
        let isFetched = submission.delivery == .fetch
        let target: String
        switch submission.delivery {
        case .fetch: target = PictureFolder.path(of: number, in: parts.data)
        case .write(let path): target = (configuration.outputRoot ?? parts.data.picturesFolder) + "/" + path
        }
        let reservation = PictureReservation(in: parts.contents)
        runs[number] = RunningJob(
            name: submission.name, file: submission.file, owner: record.owner, startedAt: SystemClock.milliseconds,
            isFetched: isFetched, reservation: reservation)
        let loader = JobLoader(configuration: configuration, contents: parts.contents, onEvent: onEvent)
        let (journal, mailbox) = (parts.journal, mailbox)
        var job = ExportJob(
            id: JobID(number), name: submission.name,
            source: .document(DocumentSource { () throws(BrokerError) in try loader.open(submission) }),
            limits: configuration.projectLimits, destination: target, priority: entry.priority, weight: entry.weight)
        if case .content(_, let byteCount, _) = submission.source { job.byteCount = Int(clamping: byteCount) }
        job.pixelCount = submission.picture.size.usualArea
        job.encoding = submission.picture.options.encoding
        job.othersWaiting = state.queue.count(ofAtLeast: entry.priority)
        job.isPrivate = isFetched
        // One file is kept, sent and counted.
        job.makesFolders = !isFetched
        job.replaces = JobLoader.replacesFiles(submission)
        job.temporaryTag = "\(parts.store.storeID)-\(number)"
        job.seal = { sealed throws(BrokerError) in
            if isFetched {
                do throws(StoreError) { try reservation.take(bytes: sealed.picture.byteCount) } catch {
                    mailbox.post(.lackOfRoom)
                    throw .output(
                        path: sealed.target, operation: "keep within --quota (purge ended jobs, or raise it)",
                        errno: EDQUOT)
                }
            }
            try SealWriter.write(.publishing(number, sealed), to: journal, name: submission.name)
        }
        onEvent(FarmNote(.info, "job.started", job: number, details: [("name", .text(submission.name))]))
        parts.broker.submit(job)
        if entry.isPaused { parts.broker.setPaused(JobID(number), true) }
        if entry.wantsCancel { parts.broker.cancel(JobID(number)) }
    }

    /// Stores warnings for later questions about the job.
    private func keep(_ warnings: [String], of job: JobNumber) {
        let lines = Self.kept(warnings)
        onEvent(
            FarmNote(
                .warning, "job.warnings", job: job, reason: lines.first, details: [("count", .number(lines.count))]))
        let mailbox = mailbox
        parts.journal.append([.warned(job, lines)]) { result in
            guard case .failure(let error) = result else { return }
            mailbox.post(.refused(error, .note, job))
        }
    }

    /// Maximum bytes of a job's warnings in the store.
    private static let warningBytesMax = 64 << 10

    /// The lines that fit, and the number of the others.
    private static func kept(_ lines: [String]) -> [String] {
        var room = warningBytesMax
        let kept = lines.prefix { line in
            room -= line.utf8.count
            return room >= 0
        }
        let left = lines.count - kept.count
        return kept + (left > 0 ? ["and \(left) more warnings"] : [])
    }

    func take(_ event: BrokerEvent) {
        if takeErrand(event) { return }
        switch event {
        case .started: break
        case .planned(let id, let tiles): runs[id.rawValue]?.tiles = tiles
        case .warned(let id, let lines): keep(lines, of: id.rawValue)
        case .prepared(let id): tell(.prepared(id.rawValue))
        case .alone(let id, let isAlone, let atOnce): tell(.alone(id.rawValue, isAlone, atOnce: atOnce))
        case .progress(let id, let done, let total):
            runs[id.rawValue]?.done = done
            runs[id.rawValue]?.total = total
            parts.board.note([id.rawValue])
            tell(.progressed(id.rawValue, done: done, total: total, timeLeft: runs[id.rawValue]?.timeLeft))
        case .timeLeft(let id, let time):
            runs[id.rawValue]?.timeLeft = time + endings.timeLeft
            parts.board.note([id.rawValue])
            guard let run = runs[id.rawValue], run.total > 0 else { return }
            tell(.progressed(id.rawValue, done: run.done, total: run.total, timeLeft: run.timeLeft))
        case .written(let id, let picture):
            runs[id.rawValue]?.picture = picture
            continueDownloads(of: id.rawValue)
        case .finished(let id, let picture):
            throughput.add(pictures: 1, pixels: picture.size.area, now: SystemClock.milliseconds)
            history.add(
                FinishedExport(
                    job: id.rawValue, endedAt: SystemClock.unixMilliseconds, nanoseconds: picture.rendering,
                    pixels: picture.size.area))
            ended(id.rawValue, .ended(.finished(picture.lasting)))
        case .failed(let id, let error): ended(id.rawValue, ExportEnd(error))
        case .worker(let event): log(event)
        case .task(let note): add(note)
        case .resultsLost(let reason): onEvent(FarmNote(.warning, "results.lost", reason: reason))
        }
    }

    private func ended(_ job: JobNumber, _ end: ExportEnd) {
        let run = runs.removeValue(forKey: job)
        endings.begin(job, now: SystemClock.milliseconds)
        switch end {
        case .again(let reason), .later(let reason):
            onEvent(FarmNote(.warning, "job.restarted", job: job, reason: reason))
        case .ended: break
        }
        if case .ended(.finished) = end {} else { run?.reservation.giveBack() }
        endFollowing(job, end)
        tell(.exportEnded(job, end, story: Array((run?.story.text(job: job) ?? "").utf8)))
    }

    private func add(_ note: TaskNote) {
        let now = SystemClock.milliseconds
        let job = note.job.rawValue
        if note.what == .finished {
            throughput.add(tasks: 1, now: now)
            history.addTask()
        }
        switch note.what {
        case .dispatched, .raced, .found:
            if runs[job]?.hasBegun == false {
                runs[job]?.hasBegun = true
                parts.board.note([job])
            }
        default: break
        }
        if let tile = note.tile, note.what == .finished || note.what == .found {
            runs[job]?.tilesDone.append((tile, note.worker))
            history.addTile(isFound: note.what == .found)
            parts.board.note([job])
        }
        if let started = runs[job]?.startedAt { runs[job]?.story.add(note, at: now - min(now, started)) }
        let level: FarmNote.Level = note.what.reason == nil ? .debug : .warning
        onEvent(
            FarmNote(
                level, "task.\(note.what.name)", job: job, task: note.task, worker: note.worker,
                reason: note.what.reason, details: [("attempt", .number(Int(note.attempt)))]))
    }

    private func log(_ note: WorkerNote) {
        let before = workerCount
        switch note.what {
        case .joined: workerCount += 1
        case .left: workerCount -= 1
        case .draining, .refused: break
        }
        // Jobs wait without workers.
        if (before == 0) != (workerCount == 0) { parts.board.note(state.activeJobs) }
        var details: [(name: String, value: FarmNote.Value)] = []
        if let address = note.address { details.append(("address", .text(address))) }
        if let key = note.keyName { details.append(("key", .text(key))) }
        let event: FarmNote =
            switch note.what {
            case .joined: FarmNote(.info, "worker.joined", worker: note.worker, details: details)
            case .draining: FarmNote(.info, "worker.draining", worker: note.worker, details: details)
            case .left(let reason):
                FarmNote(.warning, "worker.left", worker: note.worker, reason: reason, details: details)
            case .refused(let reason):
                FarmNote(.warning, "worker.refused", worker: note.worker, reason: reason, details: details)
            }
        onEvent(event)
    }

    func logEnd(_ job: JobNumber, _ ending: JobEnding) {
        history.count(ending)
        parts.onEnd(job)
        endings.end(job, now: SystemClock.milliseconds)
        switch ending {
        case .finished(let picture):
            onEvent(
                FarmNote(
                    .info, "job.finished", job: job,
                    details: [
                        ("ms", .number(Int(picture.elapsed / 1_000_000))), ("pixels", .text(picture.size.description)),
                        ("bytes", .number(picture.byteCount)),
                    ]))
        case .failed(_, let text): onEvent(FarmNote(.warning, "job.failed", job: job, reason: text))
        case .cancelled: onEvent(FarmNote(.info, "job.cancelled", job: job))
        case .unknown: break
        }
    }
}

/// Waits on one of the broker's lanes until the store has recorded that a picture is complete; the picture may then be
/// renamed.
enum SealWriter {
    static func write(_ entry: JournalEntry, to journal: Journal, name: String) throws(BrokerError) {
        let answer = Answer<Result<[JournalOutcome], StoreError>>()
        journal.append([entry]) { result in answer.give(result) }
        if case .failure(let error) = answer.wait() { throw .journal(export: name, Cause(error)) }
    }
}

extension ExportEnd {
    init(_ error: BrokerError) {
        switch error {
        // Out of file descriptors: not the job's fault, and others will release theirs.
        case .refused(.io(_, _, EMFILE)), .refused(.io(_, _, ENFILE)), .output(_, _, EMFILE), .output(_, _, ENFILE),
            .spill(_, EMFILE), .spill(_, ENFILE):
            self = .later(reason: error.description)
        case .refused(.badInput), .refused(.overLimit), .refused(.unavailable):
            self = .ended(.failed(.badInput, text: error.description))
        case .refused(.io), .source, .output, .spill, .targetNotAFile, .journal, .results:
            self = .ended(.failed(.inputOutput, text: error.description))
        case .noWorkers: self = .ended(.failed(.noWorkers, text: error.description))
        case .cancelled, .refused(.cancelled): self = .ended(.cancelled)
        case .rendererGone: self = .again(reason: error.description)
        case .refused(.internalError), .taskFailed, .packing, .internalError, .configuration, .transport,
            .noThread:
            self = .ended(.failed(.internalError, text: error.description))
        }
    }
}

extension SizeSpec {
    /// Output pixels; of a size that depends on the canvas, those of a usual one.
    fileprivate var usualArea: Double? {
        switch self {
        case .exact(let size): Double(size.width) * Double(size.height)
        case .named(let name):
            switch ExportSize(name) {
            case .longestEdge(let edge, _): 0.75 * Double(edge) * Double(edge)
            case .fit(let box): Double(box.width) * Double(box.height)
            case .factor, .resolution, nil: nil
            }
        }
    }
}
