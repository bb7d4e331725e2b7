import InkProtocol

/// Jobs whose end the client waits for.
struct WatchTable {
    private var watched: Set<JobNumber> = []
    /// Notices that the caller has received but not confirmed.
    private var open: Set<UInt64> = []
    /// The expected submission digests of jobs, as far as they are known. The oldest are dropped beyond the number of
    /// jobs that a client may watch.
    private var submissions: [JobNumber: ContentID] = [:]
    private var oldest: [JobNumber] = []
    private static let submissionsMax = 100_000
    /// When to send the watches again.
    private(set) var nextTime: Int64?

    mutating func expect(_ job: JobNumber, of submission: ContentID) {
        if submissions.updateValue(submission, forKey: job) == nil { oldest.append(job) }
        guard oldest.count > 2 * Self.submissionsMax else { return }
        for job in oldest.prefix(Self.submissionsMax) { submissions[job] = nil }
        oldest.removeFirst(Self.submissionsMax)
    }

    /// Whether a notice belongs to the intended job, and not to another one with the same number. For a failed job no
    /// proof is needed.
    private func isOwn(_ notice: Notice) -> Bool {
        guard let expected = submissions[notice.job] else { return true }
        if case .finished = notice.ending { return notice.submission == expected }
        return notice.submission.map { $0 == expected } ?? true
    }

    func isWatched(_ job: JobNumber) -> Bool { watched.contains(job) }

    mutating func add(_ jobs: [JobNumber]) { watched.formUnion(jobs) }

    /// All jobs, in messages.
    mutating func messages(repeatedAt time: Int64) -> [ClientMessage] {
        nextTime = watched.isEmpty ? nil : time
        return ClientMessage.watches(watched.sorted())
    }

    mutating func expectRepeat(at time: Int64) {
        if nextTime == nil { nextTime = time }
    }

    enum Reception {
        case new
        /// The broker has assigned the number to another job; the intended one is lost.
        case foreign
        /// The caller has received it but not confirmed it.
        case known
        /// It is no longer needed.
        case unwanted
    }

    mutating func receive(_ notice: Notice) -> Reception {
        guard watched.remove(notice.job) != nil else { return open.contains(notice.id) ? .known : .unwanted }
        if watched.isEmpty { nextTime = nil }
        guard isOwn(notice) else { return .foreign }
        // The notice of a job that the broker does not know needs no confirmation, and has id 0.
        if notice.id != 0 { open.insert(notice.id) }
        return .new
    }

    mutating func take(_ id: UInt64) { open.remove(id) }

    /// Stops watching; reports the ends of jobs as far as they are known.
    mutating func forget() -> [Notice] {
        defer { self = WatchTable() }
        return watched.sorted().map { Notice(id: 0, job: $0, ending: .unknown) }
    }
}

extension ClientMessage {
    /// As many `watch` messages as these jobs need.
    static func watches(_ jobs: [JobNumber]) -> [ClientMessage] {
        stride(from: 0, to: jobs.count, by: ProtocolLimits.jobsPerMessage).map { start in
            .watch(Array(jobs[start..<min(jobs.count, start + ProtocolLimits.jobsPerMessage)]))
        }
    }
}

extension ClientState {
    mutating func watch(_ numbers: [JobNumber], now: Int64) {
        jobs.add(numbers)
        guard isServing, !numbers.isEmpty else { return }
        jobs.expectRepeat(at: now + rules.watchRepeatTime)
        for message in ClientMessage.watches(numbers) { send(message) }
    }

    /// A session has begun.
    mutating func sendWatches(now: Int64) {
        for message in jobs.messages(repeatedAt: now + rules.watchRepeatTime) { send(message) }
    }

    mutating func repeatWatches(now: Int64) {
        if let time = jobs.nextTime, time <= now { sendWatches(now: now) }
    }

    mutating func take(_ notice: Notice) {
        if case .finished = notice.ending {} else { unfollow(notice.job) }
        switch jobs.receive(notice) {
        case .new: actions.append(.emit(.notice(notice)))
        case .foreign:
            unfollow(notice.job)
            acknowledge(notice.id)
            actions.append(.emit(.notice(Notice(id: 0, job: notice.job, ending: .unknown))))
        case .known: break
        // The confirmation was lost.
        case .unwanted: acknowledge(notice.id)
        }
    }

    mutating func noticeTaken(_ id: UInt64) {
        jobs.take(id)
        acknowledge(id)
    }

    private mutating func acknowledge(_ id: UInt64) {
        if id != 0 { send(.noticesTaken([id])) }
    }
}
