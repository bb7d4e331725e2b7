import InkProtocol

/// Submissions that have neither been accepted nor finally rejected.
struct SubmissionTable {
    enum Phase: Hashable {
        case waiting
        case sent(repeatAt: Int64)
        /// The broker was busy.
        case backingOff(until: Int64)
    }

    struct Entry {
        var submission: Submission
        var phase = Phase.waiting
        /// Number of repetitions or rejections since the last success.
        var tries = 0
        var contentFailures = 0
        /// Must not be sent again once the broker has rejected it.
        var isWithdrawn = false
    }

    var entries: [SubmissionKey: Entry] = [:]
    /// Sent or backing off, in order of submission; few.
    var inFlight: [SubmissionKey] = []
    private var waiting: [SubmissionKey] = []
    private var head = 0

    mutating func add(_ submission: Submission) {
        entries[submission.key] = Entry(submission: submission)
        waiting.append(submission.key)
    }

    mutating func nextWaiting() -> SubmissionKey? {
        guard head < waiting.count else { return nil }
        defer {
            head += 1
            if head > 64, head * 2 > waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
        }
        return waiting[head]
    }

    mutating func remove(_ key: SubmissionKey) -> Submission? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        inFlight.removeAll { $0 == key }
        return entry.submission
    }

    /// When to send one again.
    var nextTime: Int64? {
        inFlight.compactMap { key in
            switch entries[key]?.phase {
            case .sent(let time), .backingOff(let time): time
            case .waiting, nil: nil
            }
        }.min()
    }
}

extension ClientState {
    mutating func submit(_ submission: Submission, _ content: ContentSource?, now: Int64) {
        guard submissions.entries[submission.key] == nil else { return }
        if let reason = ClientState.defect(of: submission, content) {
            let rejection = Rejection(code: .invalid, text: reason)
            actions.append(.emit(.rejected(submission.key, rejection)))
            return
        }
        submissions.add(submission)
        if case .content(let id, let byteCount, _) = submission.source, let content {
            uploads.hold(id, content, byteCount: byteCount)
        }
        sendWaiting(now: now)
    }

    /// Why a submission cannot be sent; nil if it can.
    private static func defect(of submission: Submission, _ content: ContentSource?) -> String? {
        do throws(ProtocolError) { _ = try ClientMessage.submit(submission).encoded() } catch { return "\(error)" }
        guard case .content(_, let byteCount, _) = submission.source else { return nil }
        guard let content else { return "the submission names a content and comes without it" }
        guard content.byteCount == byteCount else {
            return "the content has \(content.byteCount) bytes, the submission says \(byteCount)"
        }
        return nil
    }

    /// A session has started; submissions of an earlier one are sent again, with the same keys.
    mutating func sendSubmissions(now: Int64) {
        for key in submissions.inFlight {
            if case .sent = submissions.entries[key]?.phase { send(key, now: now) }
        }
        sendWaiting(now: now)
    }

    private mutating func sendWaiting(now: Int64) {
        while isServing, submissions.inFlight.count < rules.submissionsInFlight,
            let key = submissions.nextWaiting()
        {
            // It may have been withdrawn.
            guard submissions.entries[key] != nil else { continue }
            submissions.inFlight.append(key)
            send(key, now: now)
        }
    }

    private mutating func send(_ key: SubmissionKey, now: Int64) {
        guard let entry = submissions.entries[key] else { return }
        let time = ClientRules.doubled(rules.submissionRepeatTime, entry.tries)
        let delay = jittered(time)
        submissions.entries[key]?.phase = .sent(repeatAt: now + delay)
        send(.submit(entry.submission))
    }

    mutating func repeatSubmissions(now: Int64) {
        for key in submissions.inFlight {
            switch submissions.entries[key]?.phase {
            case .sent(let time) where time <= now:
                submissions.entries[key]?.tries += 1
                send(key, now: now)
            case .backingOff(let time) where time <= now: send(key, now: now)
            default: break
            }
        }
    }

    mutating func accepted(_ key: SubmissionKey, _ job: JobNumber, now: Int64) {
        guard let submission = submissions.remove(key) else { return }
        release(submission)
        jobs.expect(job, of: submission.digest)
        actions.append(.emit(.accepted(key, job)))
        // There is room again, so the others need not wait the full time.
        for other in submissions.inFlight { submissions.entries[other]?.tries = 0 }
        sendWaiting(now: now)
    }

    mutating func rejected(_ key: SubmissionKey, _ rejection: Rejection, now: Int64) {
        guard let entry = submissions.entries[key] else { return }
        var isTemporary = rejection.code.isTemporary
        if rejection.code == .content, case .content(let id, _, _) = entry.submission.source, !uploads.hasFailed(id) {
            // Another client may have announced the same content and left.
            submissions.entries[key]?.contentFailures += 1
            isTemporary = entry.contentFailures + 1 < rules.contentAttempts
        }
        guard isTemporary, !entry.isWithdrawn else {
            _ = submissions.remove(key)
            release(entry.submission)
            actions.append(.emit(.rejected(key, rejection)))
            sendWaiting(now: now)
            return
        }
        let time = max(Int64(rejection.retryMilliseconds), rules.busyTime)
        let delay = jittered(ClientRules.doubled(time, entry.tries))
        submissions.entries[key]?.tries += 1
        submissions.entries[key]?.phase = .backingOff(until: now + delay)
        actions.append(.emit(.busy(key, retryMilliseconds: Int(delay), reason: rejection.text)))
    }

    /// Ends submissions that the broker does not have with `rejected`; for those in progress, the answer decides.
    mutating func withdraw(_ keys: [SubmissionKey], now: Int64) {
        for key in keys {
            switch submissions.entries[key]?.phase {
            case .sent: submissions.entries[key]?.isWithdrawn = true
            case .waiting, .backingOff:
                guard let submission = submissions.remove(key) else { continue }
                release(submission)
                actions.append(.emit(.rejected(key, Rejection(code: .busy, text: "it was withdrawn"))))
            case nil: break
            }
        }
        sendWaiting(now: now)
    }

    private mutating func release(_ submission: Submission) {
        if case .content(let id, _, _) = submission.source { uploads.release(id) }
    }
}
