import Glibc
import InkBroker
import InkEngine
import InkProtocol
import InkStore
import InkSystem

/// Executes the state's actions on the disk.
extension ServiceLoop {
    func examine(_ key: SubmissionKey, _ source: ProjectSource) {
        let (store, contents, mailbox) = (parts.store, parts.contents, mailbox)
        asking.run {
            // If it cannot be read now, it is found when the job is entered.
            let known = (try? store.known(key)) ?? nil
            var hasContent = true
            if case .content(let id, let byteCount, _) = source { hasContent = contents.has(id, byteCount: byteCount) }
            mailbox.post(.event(.examined(key, known: known, hasContent: hasContent)))
        }
    }

    func journal(_ token: JournalToken, _ entries: [JournalEntry]) {
        let now = SystemClock.unixMilliseconds
        let dated = entries.map { entry in
            // The state has no clock.
            switch entry {
            case .accept(var record):
                record.createdAt = now
                return JournalEntry.accept(record)
            case .enter(var records):
                for index in records.indices { records[index].createdAt = now }
                return .enter(records)
            case .ended(let job, let ending, let notice, _, let story):
                return .ended(job, ending, notice: notice, at: now, story: story)
            default: return entry
            }
        }
        let (mailbox, board) = (mailbox, parts.board)
        parts.journal.append(dated) { result in
            if case .success(let outcomes) = result {
                board.note(zip(dated, outcomes).flatMap { entry, outcome in entry.jobs(after: outcome) })
            }
            mailbox.post(.journalled(token, result))
        }
    }

    func take(_ token: JournalToken, _ result: Result<[JournalOutcome], StoreError>) {
        switch result {
        case .failure(let fault): note(fault, RefusalLog.Kind(token), token.job)
        // Other kinds of entries may still be refused.
        case .success where token == .probe: endRefusal()
        case .success: lookForRoom()
        }
        tell(.committed(token, result))
    }

    /// While ends of jobs use the reserve, no new jobs are accepted.
    func lookForRoom() {
        if refusal == nil, !parts.store.hasReserve {
            note(.full(path: parts.data.path), .probe)
        }
    }

    /// Logs a refusal of the disk, so that operators can see it.
    func note(_ fault: StoreError, _ kind: RefusalLog.Kind, _ job: JobNumber? = nil) {
        // With a quota that is used up, the disk itself has no problem.
        if case .quota = fault {} else { refusal = fault.description }
        let now = SystemClock.milliseconds
        guard let count = refusals.count(kind, job, now: now) else { return }
        onEvent(
            FarmNote(
                .error, "store.refused", job: job, reason: "\(kind.rawValue): \(fault)",
                details: [("refused", .number(count))]))
    }

    /// Tests whether the disk accepts entries again.
    func probe() {
        guard refusal != nil else { return }
        journal(.probe, [.probe])
    }

    private func endRefusal() {
        refusal = nil
        refusals = RefusalLog()
        onEvent(FarmNote(.info, "store.recovered"))
    }

    // MARK: - Contents

    func beginContent(_ id: UploadID, _ byteCount: UInt64) {
        do throws(StoreError) {
            incoming[id] = try parts.contents.begin(id.content, byteCount: byteCount)
            tell(.contentBegun(id))
        } catch {
            if case .quota = error { lacksRoom = true }
            fail(id, error)
        }
    }

    func writeContent(_ id: UploadID, _ offset: UInt64) {
        guard let content = incoming[id] else { return }
        let (bytes, mailbox) = (arrivedBytes, mailbox)
        receiving.run {
            do throws(StoreError) {
                try content.write(bytes, at: offset)
                mailbox.post(.event(.contentWritten(id, through: offset + UInt64(bytes.count))))
            } catch {
                mailbox.post(.contentFailed(id, error))
            }
        }
    }

    func finishContent(_ id: UploadID) {
        guard let content = incoming.removeValue(forKey: id) else { return }
        let mailbox = mailbox
        receiving.run {
            do throws(StoreError) {
                try content.finish()
                mailbox.post(.event(.contentStored(id)))
            } catch {
                mailbox.post(.contentFailed(id, error))
            }
        }
    }

    func fail(_ id: UploadID, _ fault: StoreError) {
        if fault.isTemporary { note(fault, .submission) }
        tell(.contentFailed(id, fault))
    }

    func discard(_ content: IncomingContent) { receiving.run { content.discard() } }

    // MARK: - Jobs that are not in memory

    func lookUp(_ session: SessionID, _ jobs: [JobNumber]) {
        let (store, mailbox) = (parts.store, mailbox)
        asking.run {
            var notices: [Notice] = []
            for job in jobs {
                do throws(StoreError) {
                    guard let record = try store.record(job) else {
                        notices.append(Notice(id: 0, job: job, ending: .unknown))
                        continue
                    }
                    // If the job continues, it is or will be in memory, and the client asks again.
                    if case .ended(let ending) = record.state {
                        notices.append(
                            Notice(
                                id: record.notice, job: job, submission: ContentID(hashing: record.submission),
                                ending: ending))
                    }
                } catch {
                    mailbox.post(.log(FarmNote(.error, "store.unreadable", job: job, reason: "\(error)")))
                }
            }
            mailbox.post(.event(.lookedUp(session, notices)))
        }
    }

    func reload(_ jobs: [JobNumber]) {
        let (store, mailbox) = (parts.store, mailbox)
        asking.run {
            var records: [JobRecord] = []
            var unread: [JobNumber] = []
            for job in jobs {
                do throws(StoreError) {
                    if let record = try store.record(job) { records.append(record) }
                } catch {
                    if unread.isEmpty {
                        mailbox.post(.log(FarmNote(.error, "store.unreadable", job: job, reason: "\(error)")))
                    }
                    unread.append(job)
                }
            }
            mailbox.post(.event(.reloaded(records)))
            if !unread.isEmpty { mailbox.post(.unread(unread)) }
        }
    }

    /// Checks whether the picture of a crashed life has its final name, or can be renamed now.
    func recover(_ job: JobNumber, _ seal: SealedPicture) {
        let mailbox = mailbox
        fetching.run {
            let isPublished = seal.picture.isFile(at: seal.target) || SealedFile.publish(seal)
            mailbox.post(.event(.recovered(job, isPublished ? seal.picture : nil)))
        }
    }
}
