import InkProtocol
import InkStore

/// Watches and notices of clients.
extension ServiceState {
    mutating func leave(_ session: SessionID, now: UInt64) {
        guard let old = sessions.removeValue(forKey: session) else { return }
        for job in old.watched { jobs[job]?.watchers.remove(session) }
        leaveSubmissions(session, now: now)
        leaveOrders(session)
    }

    // MARK: - Watching

    mutating func watch(_ numbers: [JobNumber], _ session: SessionID, now: UInt64) {
        guard sessions[session] != nil else { return }
        var ended: [JobNumber] = []
        for number in numbers {
            if returning[number] != nil {
                returning[number]?.insert(session)
            } else if jobs[number] == nil {
                ended.append(number)
            } else if (sessions[session]?.watched.count ?? 0) < limits.watchedJobs {
                jobs[number]?.watchers.insert(session)
                sessions[session]?.watched.insert(number)
            }
        }
        lookUp(ended, session)
    }

    /// Looks up the ends of jobs as far as there is room for notices; the rest waits.
    private mutating func lookUp(_ numbers: [JobNumber], _ session: SessionID) {
        guard let entry = sessions[session], !numbers.isEmpty else { return }
        let room = max(0, limits.openNotices - entry.openNotices.count)
        let now = numbers.prefix(min(room, ProtocolLimits.jobsPerMessage))
        let later = numbers.dropFirst(now.count).prefix(max(0, limits.watchedJobs - entry.backlog.count))
        sessions[session]?.backlog.append(contentsOf: later)
        if !now.isEmpty { actions.append(.lookUp(session, Array(now))) }
    }

    mutating func lookedUp(_ notices: [Notice], _ session: SessionID, now: UInt64) {
        for notice in notices {
            // A job that has been queued again will have another end.
            if jobs[notice.job] != nil || returning[notice.job] != nil {
                watch([notice.job], session, now: now)
            } else {
                tell(notice, session, now: now)
            }
        }
    }

    /// Sends a notice; if too many are unconfirmed, keeps its job for later.
    mutating func tell(_ notice: Notice, _ session: SessionID, now: UInt64) {
        guard let entry = sessions[session], entry.openNotices[notice.id] == nil || notice.id == 0 else { return }
        sessions[session]?.watched.remove(notice.job)
        if entry.openNotices.count >= limits.openNotices {
            if entry.backlog.count < limits.watchedJobs { sessions[session]?.backlog.append(notice.job) }
            return
        }
        // The notice of a job that does not exist needs no confirmation.
        if notice.id != 0 { sessions[session]?.openNotices[notice.id] = (notice, now, 0) }
        actions.append(.send(session, .notice(notice)))
    }

    mutating func taken(_ ids: [UInt64], _ session: SessionID) {
        guard sessions[session] != nil else { return }
        for id in ids { sessions[session]?.openNotices[id] = nil }
        guard let waiting = sessions[session]?.backlog, !waiting.isEmpty else { return }
        sessions[session]?.backlog = []
        lookUp(waiting, session)
    }

    /// A notice stays open until its picture has arrived. On a slow line there are many open notices. They are repeated
    /// at increasing intervals, so that they leave room for the pictures.
    mutating func repeatNotices(now: UInt64) {
        for session in sessions.keys.sorted() {
            for (id, open) in sessions[session]?.openNotices ?? [:]
            where now >= open.sentAt + rules.repeatMilliseconds << UInt64(min(open.repeats, 6)) {
                sessions[session]?.openNotices[id]?.sentAt = now
                sessions[session]?.openNotices[id]?.repeats += 1
                actions.append(.send(session, .notice(open.notice)))
            }
        }
    }
}
