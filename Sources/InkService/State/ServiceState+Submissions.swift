import InkBroker
import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkStore
import InkSystem

/// From a submission to the stored job.
extension ServiceState {
    mutating func submit(_ submission: Submission, from session: SessionID, now: UInt64) {
        guard sessions[session] != nil else { return }
        let key = submission.key
        if var entry = submitting[key] {
            guard entry.submission == submission else {
                actions.append(.send(session, .rejected(key, Self.conflict)))
                return
            }
            // Repeated, possibly over a new connection, which gets the answer.
            entry.session = session
            submitting[key] = entry
            if case .content(let id, _, _) = entry.submission.source, uploads[id] != nil {
                adopt(id, by: session, now: now)
            }
            return
        }
        if let rejection = refusal() {
            actions.append(.send(session, .rejected(key, rejection)))
            return
        }
        // Rule violations are reported only if there is no such job yet.
        lastSubmission += 1
        submitting[key] = Submitting(session: session, submission: submission, place: lastSubmission)
        actions.append(.examine(key, submission.source))
    }

    private static let conflict = Rejection(code: .invalid, text: "this key was used for another submission")

    /// Why submissions are rejected, for now or, if there are more than there can ever be, for good.
    private func refusal(of count: Int = 1) -> Rejection? {
        func busy(_ text: String) -> Rejection {
            Rejection(code: .busy, retryMilliseconds: rules.busyMilliseconds, text: text)
        }
        if isStopping { return busy("the broker is stopping") }
        guard count <= limits.queuedJobs else {
            let text = "these are \(count) jobs, and at most \(limits.queuedJobs) (--queue-limit) may wait"
            return Rejection(code: .invalid, text: text)
        }
        if submitting.count + entering.count >= limits.openSubmissions { return busy("too many open submissions") }
        let open = jobs.count + submitting.count + entering.values.reduce(0) { $0 + $1.submissions.count }
        if open > limits.queuedJobs - count { return busy("\(jobs.count) jobs wait already") }
        return nil
    }

    // MARK: - Batches

    /// Enters all jobs of a batch or none.
    mutating func enter(_ id: EntryID, _ owner: String, _ submissions: [Submission]) {
        if let rejection = refusal(of: submissions.count) ?? submissions.lazy.compactMap(fault).first {
            actions.append(.answerEntry(id, .rejected(rejection)))
            return
        }
        entering[id] = (owner, submissions)
        let records = submissions.map { submission in
            defer { nextJob += 1 }
            return JobRecord(
                number: nextJob, key: submission.key, submission: submission.stored, owner: owner,
                priority: submission.priority, createdAt: 0)
        }
        actions.append(.journal(.enter(id), [.enter(records)]))
    }

    /// The disk's answer to an `enter`.
    mutating func enterCommitted(_ id: EntryID, _ result: Result<[JournalOutcome], StoreError>) {
        guard let entry = entering.removeValue(forKey: id) else { return }
        switch result {
        case .failure(let fault): actions.append(.answerEntry(id, .rejected(rejection(fault))))
        case .success(let outcomes):
            guard case .entered(let numbers, let isNew)? = outcomes.first else {
                actions.append(.answerEntry(id, .conflict))
                return
            }
            if isNew {
                for (number, submission) in zip(numbers, entry.submissions) {
                    enqueue(number, Job(submission, owner: entry.owner))
                }
            }
            actions.append(.answerEntry(id, .entered(numbers, isNew: isNew)))
        }
    }

    private func rejection(_ fault: StoreError) -> Rejection {
        Rejection(code: .storage, retryMilliseconds: Int(rules.storageRetryMilliseconds), text: fault.description)
    }

    /// Why a new submission is rejected for good.
    private func fault(of submission: Submission) -> Rejection? {
        if submission.name.isEmpty { return Rejection(code: .invalid, text: "the submission has no name") }
        guard submission.file.isEmpty || submission.file.isPlainRelativePath else {
            return Rejection(code: .invalid, text: "\(submission.file) is not the name of a file below a folder")
        }
        if let reason = Self.sizeFault(of: submission) { return Rejection(code: .invalid, text: reason) }
        if case .content(_, let byteCount, _) = submission.source, byteCount > UInt64(rules.quotaBytes) {
            let text =
                "\(submission.name) has \(byteCount) bytes, more than the broker's --quota of \(rules.quotaBytes)"
            return Rejection(code: .invalid, text: text)
        }
        if case .path(let path) = submission.source, !rules.inputRoots.contains(where: { Self.lies(path, below: $0) }) {
            let text =
                rules.inputRoots.isEmpty
                ? "the broker reads no projects by path: it was given no --input-root"
                : "\(path) does not lie below an --input-root of the broker"
            return Rejection(code: .forbidden, text: text)
        }
        if case .write(let path) = submission.delivery {
            guard rules.outputRoot != nil else {
                return Rejection(code: .forbidden, text: "the broker writes no pictures: it was given no --output-root")
            }
            guard Self.isPlainRelative(path) else {
                return Rejection(code: .forbidden, text: "\(path) is not below the broker's --output-root")
            }
        }
        return nil
    }

    /// What is certain without the project: a size that a format cannot have.
    private static func sizeFault(of submission: Submission) -> String? {
        let options = submission.picture.options
        do throws(EngineError) {
            switch submission.picture.size {
            case .exact(let size): try options.checkFormats(size, place: Place(file: submission.name))
            case .named(let text):
                guard let edge = ExportSize(text)?.longestEdgeMin else { return nil }
                for file in options.files {
                    let codec = try PictureCodecs.codec(file.encoding.format)
                    guard edge > codec.edgePixelsMax else { continue }
                    return
                        "\(submission.name): size \(text) is more than the \(codec.edgePixelsMax) pixels that an edge can "
                        + "have in \(codec.name); choose a smaller size, or another format"
                }
            }
        } catch {
            return "\(error)"
        }
        return nil
    }

    /// Whether an absolute path without `.` and `..` lies below a folder. The reader handles links.
    static func lies(_ path: String, below root: String) -> Bool {
        let prefix = (root == "/" ? "/" : root + "/").utf8
        return path.utf8.starts(with: prefix)
            && isPlainRelative(String(decoding: path.utf8.dropFirst(prefix.count), as: UTF8.self))
    }

    /// Whether a path consists only of names.
    static func isPlainRelative(_ path: String) -> Bool {
        path.isPlainRelativePath && !path.utf8.contains { $0 < 32 || $0 == 127 }
    }

    mutating func examined(_ key: SubmissionKey, _ known: KnownSubmission?, _ hasContent: Bool, now: UInt64) {
        guard let entry = submitting[key], entry.phase == .examining else { return }
        if let known {
            submitting[key] = nil
            let isSame = known.submission == entry.submission.digest
            actions.append(
                .send(entry.session, isSame ? .accepted(key, known.job) : .rejected(key, Self.conflict)))
            return
        }
        if let rejection = fault(of: entry.submission) {
            submitting[key] = nil
            actions.append(.send(entry.session, .rejected(key, rejection)))
            return
        }
        switch entry.submission.source {
        // One that has just been found, but not reported, is waited for too: others may have been submitted before.
        case .content(let id, let byteCount, _) where !hasContent || uploads[id]?.phase == .finishing:
            submitting[key]?.phase = .waitingForContent
            if let upload = uploads[id] {
                if sessions[upload.sender] == nil { adopt(id, by: entry.session, now: now) }
            } else {
                lastUpload += 1
                uploads[id] = Upload(
                    number: lastUpload, byteCount: byteCount, sender: entry.session, lastActivity: now)
                uploadLine.append(id)
                startUploads(now: now)
            }
        case .content, .path: commit(key)
        }
    }

    private mutating func commit(_ key: SubmissionKey) {
        guard let entry = submitting[key] else { return }
        let number = nextJob
        nextJob += 1
        submitting[key]?.phase = .committing
        submitting[key]?.job = number
        let record = JobRecord(
            number: number, key: key, submission: entry.submission.stored,
            owner: sessions[entry.session]?.owner ?? "", priority: entry.submission.priority, createdAt: 0)
        actions.append(.journal(.accept(key), [.accept(record)]))
    }

    /// The disk's answer to an `accept`.
    mutating func acceptCommitted(_ key: SubmissionKey, _ result: Result<[JournalOutcome], StoreError>) {
        guard let entry = submitting.removeValue(forKey: key) else { return }
        switch result {
        case .failure(let fault): actions.append(.send(entry.session, .rejected(key, rejection(fault))))
        case .success(let outcomes):
            guard case .accepted(let number, let isNew)? = outcomes.first else {
                actions.append(.send(entry.session, .rejected(key, Self.conflict)))
                return
            }
            if isNew { enqueue(number, Job(entry.submission, owner: sessions[entry.session]?.owner ?? "")) }
            actions.append(.send(entry.session, .accepted(key, number)))
        }
    }

    // MARK: - Contents

    private mutating func startUploads(now: UInt64) {
        var open = uploads.values.count { $0.phase != .queued }
        while !uploadLine.isEmpty {
            if open >= limits.openUploads {
                // State kept for a client that may return makes room for a connected one.
                let kept = uploads.filter { sessions[$0.value.sender] == nil && $0.value.phase == .receiving }
                guard let oldest = kept.min(by: { $0.value.lastActivity < $1.value.lastActivity }) else { return }
                uploads[oldest.key] = nil
                actions.append(.discardContent(oldest.value.id(of: oldest.key)))
                open -= 1
            }
            let id = uploadLine.removeFirst()
            guard let upload = uploads[id], upload.phase == .queued else { continue }
            uploads[id]?.phase = .beginning
            uploads[id]?.lastActivity = now
            open += 1
            actions.append(.beginContent(upload.id(of: id), byteCount: upload.byteCount))
        }
    }

    mutating func begun(_ id: UploadID, now: UInt64) {
        guard upload(id)?.phase == .beginning else { return }
        uploads[id.content]?.phase = .receiving
        uploads[id.content]?.lastActivity = now
        request(id.content, now: now)
    }

    /// nil if it has been abandoned, even if the same content is being received again.
    private func upload(_ id: UploadID) -> Upload? {
        guard let upload = uploads[id.content], upload.number == id.number else { return nil }
        return upload
    }

    /// Requests the next window from the sender.
    private mutating func request(_ id: ContentID, now: UInt64) {
        guard let upload = uploads[id], upload.phase == .receiving, upload.arrived < upload.byteCount else { return }
        let count = min(ProtocolLimits.transferWindowBytes, upload.byteCount - upload.arrived)
        uploads[id]?.requested = upload.arrived + count
        uploads[id]?.askedAt = now
        actions.append(.send(upload.sender, .contentRequest(id, offset: upload.arrived, byteCount: count)))
    }

    /// Only the next requested bytes are accepted; others will be sent again.
    mutating func take(_ id: ContentID, offset: UInt64, count: Int, from session: SessionID, now: UInt64) {
        guard let upload = uploads[id], upload.phase == .receiving, upload.sender == session,
            offset == upload.arrived, count > 0, UInt64(count) <= upload.requested - upload.arrived
        else { return }
        uploads[id]?.arrived += UInt64(count)
        uploads[id]?.lastActivity = now
        actions.append(.writeContent(upload.id(of: id), offset: offset))
    }

    mutating func written(_ id: UploadID, _ through: UInt64, now: UInt64) {
        guard let upload = upload(id), upload.phase == .receiving else { return }
        uploads[id.content]?.written = max(upload.written, through)
        if through >= upload.byteCount {
            uploads[id.content]?.phase = .finishing
            actions.append(.finishContent(id))
        } else if through >= upload.requested {
            request(id.content, now: now)
        }
    }

    mutating func stored(_ id: UploadID, now: UInt64) {
        guard upload(id)?.phase == .finishing else { return }
        uploads[id.content] = nil
        for key in waiting(for: id.content) { commit(key) }
        startUploads(now: now)
    }

    mutating func failed(_ id: UploadID, _ fault: StoreError, now: UInt64) {
        guard upload(id) != nil else { return }
        fail(id.content, fault.isTemporary ? .storage : .content, fault.description, now: now)
    }

    /// Abandons a content, and rejects all submissions that wait for it. Its place is for the next.
    mutating func fail(_ id: ContentID, _ code: Rejection.Code, _ text: String, now: UInt64) {
        abandon(id, code, text)
        startUploads(now: now)
    }

    private mutating func abandon(_ id: ContentID, _ code: Rejection.Code, _ text: String) {
        guard let upload = uploads.removeValue(forKey: id) else { return }
        if upload.phase == .queued { uploadLine.removeAll { $0 == id } }
        if upload.phase != .queued { actions.append(.discardContent(upload.id(of: id))) }
        let retry = code.isTemporary ? Int(rules.storageRetryMilliseconds) : 0
        for key in waiting(for: id) {
            guard let entry = submitting.removeValue(forKey: key) else { continue }
            let rejection = Rejection(code: code, retryMilliseconds: retry, text: text)
            actions.append(.send(entry.session, .rejected(key, rejection)))
        }
    }

    private func waiting(for id: ContentID) -> [SubmissionKey] {
        submitting.filter { entry in
            guard entry.value.phase == .waitingForContent, case .content(id, _, _) = entry.value.submission.source
            else { return false }
            return true
        }.sorted { $0.value.place < $1.value.place }.map(\.key)
    }

    /// Another client that has the content continues sending it.
    mutating func adopt(_ id: ContentID, by session: SessionID, now: UInt64) {
        guard let upload = uploads[id], upload.sender != session else { return }
        uploads[id]?.sender = session
        uploads[id]?.lastActivity = now
        guard upload.phase == .receiving else { return }
        // Data in flight from the old sender is not awaited; it is requested again once the rest is on disk.
        uploads[id]?.requested = upload.arrived
        uploads[id]?.askedAt = 0
        if upload.written == upload.arrived { request(id, now: now) }
    }

    /// Requested data that did not arrive is requested again. A silent sender is dropped.
    mutating func repeatRequests(now: UInt64) {
        for id in uploads.keys.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) }) {
            guard let upload = uploads[id], upload.phase == .receiving, upload.arrived == upload.written else {
                continue
            }
            if now >= upload.lastActivity + rules.uploadPatienceMilliseconds {
                fail(id, .content, "the client does not send what it announced", now: now)
            } else if sessions[upload.sender] != nil, now >= upload.askedAt + rules.repeatMilliseconds,
                upload.askedAt == 0 || now >= upload.lastActivity + rules.repeatMilliseconds
            {
                // Not while bytes arrive, however slowly: over a slow line they would be sent twice.
                request(id, now: now)
            }
        }
        // Reclaimed places that were not used by a connected client.
        startUploads(now: now)
    }

    /// A session has ended. If another session waits for the same content, it continues sending. Otherwise the bytes
    /// received so far are kept for a while: a client whose line failed comes back and sends the rest. A content that
    /// has come whole is stored.
    mutating func leaveSubmissions(_ session: SessionID, now: UInt64) {
        for (key, entry) in submitting where entry.session == session {
            // A submission being stored will become a job; the client repeats it with the same key.
            if entry.phase != .committing { submitting[key] = nil }
        }
        for id in uploads.keys.sorted(by: { $0.digest.lexicographicallyPrecedes($1.digest) })
        where uploads[id]?.sender == session {
            if let heir = waiting(for: id).first.flatMap({ submitting[$0]?.session }) {
                adopt(id, by: heir, now: now)
                continue
            }
            switch uploads[id]?.phase {
            case .receiving: uploads[id]?.lastActivity = now
            case .finishing, nil: break
            case .queued, .beginning: abandon(id, .content, "the client has left")
            }
        }
        // Only now: what is kept, or continued by others, would make room for what is abandoned next.
        startUploads(now: now)
    }
}

extension ServiceState.Job {
    /// A new one.
    init(_ submission: Submission, owner: String) {
        self.init(
            priority: submission.priority, weight: submission.weight, owner: owner, submission: submission.digest)
    }
}
