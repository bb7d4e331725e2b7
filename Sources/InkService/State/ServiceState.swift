import InkProtocol
import InkStore
import InkSystem

/// Decides about jobs and clients: what is accepted, requested, stored, started and reported. A state machine that
/// takes events and returns actions.
///
/// It uses no socket, disk or clock (times are arguments, in milliseconds of any monotonic clock). Jobs that have ended
/// are not in memory. A waiting job takes a few hundred bytes; its project is on the disk.
struct ServiceState: Sendable {
    let limits: ServiceLimits
    let rules: ServiceRules

    /// A job that has not ended, or whose end is not durable yet.
    struct Job: Sendable {
        enum Phase: Hashable, Sendable {
            case waiting
            /// The mark that its project is being read is being stored.
            case starting
            /// The broker has it; `isRead` once its project has been read and split.
            case active(isRead: Bool)
            /// Its picture may have its final name; the disk is being asked.
            case recovering
            /// Its end is being stored.
            case ending(JobEnding, notice: UInt64, story: [UInt8])
        }

        var phase = Phase.waiting
        var priority: Int
        var weight: Int
        var owner: String
        /// `Submission.digest`; nil if the stored submission cannot be read.
        var submission: ContentID?
        var crashes = 0
        /// Whether it is not started, and its tasks stay at the broker.
        var isPaused = false
        /// Whether it took no place of the jobs that may run at some time, and may now run beyond their number.
        var tookNoPlace = false
        /// Whether one worker makes all of its picture.
        var isAlone = false
        var wantsCancel = false
        /// Orders to cancel it that wait for its end.
        var cancellations: [OrderID] = []
        var watchers: Set<SessionID> = []
    }

    struct Session: Sendable {
        var owner: String
        var watched: Set<JobNumber> = []
        /// Notices sent but not confirmed, and when each was last sent.
        var openNotices: [UInt64: (notice: Notice, sentAt: UInt64, repeats: Int)] = [:]
        /// Ended jobs to look up when there is room for more notices.
        var backlog: [JobNumber] = []
    }

    /// A submission without an answer.
    struct Submitting: Sendable {
        enum Phase: Hashable, Sendable {
            case examining
            case waitingForContent
            case committing
        }

        var session: SessionID
        var submission: Submission
        /// Increases with each submission: jobs are numbered in the order of submission.
        let place: UInt64
        var phase = Phase.examining
        var job: JobNumber?
    }

    /// A content being received, or waiting for its turn.
    struct Upload: Sendable {
        enum Phase: Hashable, Sendable {
            case queued
            case beginning
            case receiving
            case finishing
        }

        let number: UInt64
        var byteCount: UInt64
        var phase = Phase.queued
        var sender: SessionID
        /// Bytes that have arrived; and bytes that are on the disk.
        var arrived: UInt64 = 0
        var written: UInt64 = 0
        /// The end of the requested data.
        var requested: UInt64 = 0
        /// When bytes last arrived, and when they were last requested.
        var lastActivity: UInt64
        var askedAt: UInt64 = 0

        func id(of content: ContentID) -> UploadID { UploadID(content: content, number: number) }
    }

    var jobs: [JobNumber: Job] = [:]
    var queue = AdmissionQueue()
    var sessions: [SessionID: Session] = [:]
    var submitting: [SubmissionKey: Submitting] = [:]
    /// Batches that wait for the disk, with their owners.
    var entering: [EntryID: (owner: String, submissions: [Submission])] = [:]
    var lastSubmission: UInt64 = 0
    var uploads: [ContentID: Upload] = [:]
    var lastUpload: UInt64 = 0
    /// Uploads that wait for a place, in order of arrival.
    var uploadLine: [ContentID] = []
    /// Jobs whose end the disk has refused and not accepted since, with the time of the first refusal.
    var stuckEnds: [JobNumber: UInt64] = [:]
    /// Those among them whose end is to be written again.
    var refusedEnds: Set<JobNumber> = []
    /// Orders that wait for the disk.
    var orders: [OrderID: OpenOrder] = [:]
    /// Jobs that are queued again and are being read from the disk, with the sessions that wait for their new end.
    var returning: [JobNumber: Set<SessionID>] = [:]
    /// The jobs that the broker has, or is about to get.
    var activeJobs: Set<JobNumber> = []
    /// How many pictures that are made alone may be under way beside the others.
    var aloneAtOnce = 0
    var nextJob: JobNumber
    var nextNotice: UInt64
    var isStopping = false
    /// No job is started before this time, because the disk refused the mark or the system lacks a resource.
    var startsAgainAt: UInt64 = 0
    var lastRefusedRetry: UInt64 = 0
    var actions: [ServiceAction] = []

    /// - Parameters:
    ///   - nextJob, nextNotice: higher than all numbers ever used.
    init(
        limits: ServiceLimits = ServiceLimits(), rules: ServiceRules = ServiceRules(), nextJob: JobNumber,
        nextNotice: UInt64
    ) {
        self.limits = limits
        self.rules = rules
        self.nextJob = nextJob
        self.nextNotice = nextNotice
    }

    /// How many waiting jobs are likely to have begun once each of these has: those of a higher priority, and those before
    /// it. Without numbers of jobs that do not wait.
    ///
    /// - Complexity: O(jobs log(numbers)).
    func counts(upTo numbers: some Sequence<JobNumber>) -> [JobNumber: Int] {
        var marks: [(Int, JobNumber)] = []
        for number in numbers {
            guard let job = jobs[number], job.phase == .waiting else { continue }
            marks.append((-job.priority, number))
        }
        marks.sort(by: <)
        guard !marks.isEmpty else { return [:] }
        var counts = [Int](repeating: 0, count: marks.count)
        for (number, job) in jobs where job.phase == .waiting {
            // The first mark that this job is not behind.
            var (low, high) = (0, marks.count)
            while low < high {
                let middle = (low + high) / 2
                if marks[middle] < (-job.priority, number) { low = middle + 1 } else { high = middle }
            }
            if low < marks.count { counts[low] += 1 }
        }
        var (sum, found) = (0, [JobNumber: Int]())
        for (mark, count) in zip(marks, counts) {
            sum += count
            found[mark.1] = sum
        }
        return found
    }

    /// Whether nothing is under way, and nobody waits for an answer to a submission.
    var isIdle: Bool { activeJobs.isEmpty && submitting.isEmpty && entering.isEmpty }

    /// Contents that must stay for submissions in progress.
    var contentsInUse: Set<ContentID> {
        var contents = Set(uploads.keys)
        for submission in submitting.values.map(\.submission) + entering.values.flatMap(\.submissions) {
            if case .content(let id, _, _) = submission.source { contents.insert(id) }
        }
        return contents
    }

    /// Restores jobs of an earlier life, before any event; they start with the first event.
    mutating func restore(_ records: [JobRecord]) -> [ServiceAction] {
        actions.removeAll()
        for record in records { restore(record) }
        return actions
    }

    /// Ends a job of an earlier life that cannot be restored.
    mutating func giveUp(_ number: JobNumber, reason: String) -> [ServiceAction] {
        actions.removeAll()
        giveUp(number, owner: "", reason: reason)
        return actions
    }

    private mutating func giveUp(_ number: JobNumber, owner: String, reason: String) {
        jobs[number] = Job(priority: 0, weight: 1, owner: owner)
        end(number, .failed(.internalError, text: "the job cannot be resumed: \(reason)"), story: [])
    }

    private mutating func restore(_ record: JobRecord) {
        guard jobs[record.number] == nil else { return }
        let submission: Submission
        do throws(ProtocolError) { submission = try Submission(stored: record.submission) } catch {
            if case .ended = record.state { return }
            return giveUp(record.number, owner: record.owner, reason: UnreadableJob.submission(error).description)
        }
        var job = Job(
            priority: record.priority, weight: submission.weight, owner: record.owner,
            submission: ContentID(hashing: record.submission), crashes: record.crashes, isPaused: record.isPaused)
        switch record.state {
        case .ended: return
        case .queued: enqueue(record.number, job)
        case .publishing(let seal):
            guard seal.isRenamed else {
                actions.append(.journal(.note, [.queued(record.number, crashes: job.crashes)]))
                return enqueue(record.number, job)
            }
            job.phase = .recovering
            jobs[record.number] = job
            actions.append(.recover(record.number, seal))
        case .starting:
            job.crashes += 1
            guard job.crashes < rules.crashesMax else {
                jobs[record.number] = job
                let text = "the broker died \(job.crashes) times while it read this project; it is not tried again"
                end(record.number, .failed(.internalError, text: text), story: [])
                return
            }
            actions.append(.journal(.note, [.queued(record.number, crashes: job.crashes)]))
            enqueue(record.number, job)
        }
    }

    /// Processes one event and returns the actions.
    mutating func handle(_ event: ServiceEvent, now: UInt64) -> [ServiceAction] {
        actions.removeAll(keepingCapacity: true)
        switch event {
        case .joined(let session, let owner): sessions[session] = Session(owner: owner)
        case .left(let session): leave(session, now: now)
        case .submitted(let session, let submission): submit(submission, from: session, now: now)
        case .contentArrived(let session, let id, let offset, let count):
            take(id, offset: offset, count: count, from: session, now: now)
        case .contentUnavailable(let session, let id, let reason):
            if uploads[id]?.sender == session { fail(id, .content, reason, now: now) }
        case .watched(let session, let numbers): watch(numbers, session, now: now)
        case .noticesTaken(let session, let ids): taken(ids, session)
        case .ordered(let session, let order): carryOut(order, of: session, now: now)
        case .entered(let id, let owner, let submissions): enter(id, owner, submissions)
        case .examined(let key, let known, let hasContent): examined(key, known, hasContent, now: now)
        case .contentBegun(let id): begun(id, now: now)
        case .contentWritten(let id, let through): written(id, through, now: now)
        case .contentStored(let id): stored(id, now: now)
        case .contentFailed(let id, let fault): failed(id, fault, now: now)
        case .committed(let token, let result): committed(token, result, now: now)
        case .lookedUp(let session, let notices): lookedUp(notices, session, now: now)
        case .reloaded(let records):
            for record in records {
                restore(record)
                for session in returning.removeValue(forKey: record.number)?.sorted() ?? [] {
                    watch([record.number], session, now: now)
                }
            }
            carryOutWaiting()
        case .recovered(let job, let picture): recovered(job, picture)
        case .prepared(let job): prepared(job)
        case .alone(let job, let isAlone, let atOnce): setAlone(job, isAlone, atOnce: atOnce)
        case .progressed(let job, let done, let total, let timeLeft):
            for session in jobs[job]?.watchers.sorted() ?? [] {
                actions.append(.send(session, .progress(job, done: done, total: total, timeLeft: timeLeft)))
            }
        case .exportEnded(let job, let end, let story): exportEnded(job, end, story: story, now: now)
        case .stopping: isStopping = true
        case .tick: tick(now: now)
        }
        begin(now: now)
        return actions
    }

    private mutating func tick(now: UInt64) {
        repeatNotices(now: now)
        repeatRequests(now: now)
        for (number, since) in stuckEnds where now >= since + rules.repeatMilliseconds {
            answerCancellations(of: number)
        }
        guard !refusedEnds.isEmpty, now >= lastRefusedRetry + rules.storageRetryMilliseconds else { return }
        lastRefusedRetry = now
        for number in refusedEnds.sorted() { journalEnd(number) }
        refusedEnds = []
    }
}

extension SealedPicture {
    /// Whether it is a file, which has its name as soon as it is renamed. The archive of a picture that is a folder lies
    /// elsewhere, and nobody knows how much of the picture has its place: it is made again.
    fileprivate var isRenamed: Bool { temporary.splitPath().folder == target.splitPath().folder }
}

/// The rules and timeouts of a service.
struct ServiceRules: Hashable, Sendable {
    /// Maximum number of exports that run at the same time.
    var activeJobs = 8
    /// Additional exports for jobs with a higher priority than all running ones.
    var overtakingJobs = 4
    /// A job fails if the broker crashed this many times while it read the project.
    var crashesMax = 3
    /// Waiting time in the answer "busy, try again".
    var busyMilliseconds = 1_000
    var storageRetryMilliseconds: UInt64 = 2_000
    /// Notices and content requests are repeated after this time.
    var repeatMilliseconds: UInt64 = 5_000
    /// A content is abandoned if its sender is silent for this long.
    var uploadPatienceMilliseconds: UInt64 = 60_000
    /// A larger content will never have room. In bytes.
    var quotaBytes = Int.max
    /// Roots for `ProjectSource.path`; absolute, without a slash at the end.
    var inputRoots: [String] = []
    /// Root for `PictureDelivery.write`.
    var outputRoot: String?
}
