import InkProtocol
import InkStore

/// What clients watch, are told and order.
extension ServiceState {
    mutating func leave(_ session: SessionID, now: UInt64) {
        guard let old = sessions.removeValue(forKey: session) else { return }
        for job in old.watched { jobs[job]?.watchers.remove(session) }
        leaveSubmissions(session, now: now)
        for token in orders.keys {
            if case .order(session, _) = token { orders[token] = nil }
        }
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

    /// Looks for the ends of jobs as far as there is room for notices; the rest waits.
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
            // One that was queued again meanwhile will have another end.
            if jobs[notice.job] != nil || returning[notice.job] != nil {
                watch([notice.job], session, now: now)
            } else {
                tell(notice, session, now: now)
            }
        }
    }

    /// The ends of jobs that are queued again are not told any more.
    private mutating func takeBack(_ numbers: [JobNumber]) {
        for number in numbers where jobs[number] == nil { returning[number] = returning[number] ?? [] }
        for session in sessions.keys {
            for (id, open) in sessions[session]?.openNotices ?? [:] where returning[open.notice.job] != nil {
                sessions[session]?.openNotices[id] = nil
                // Who waited for the old end waits for the new one.
                returning[open.notice.job]?.insert(session)
            }
        }
    }

    /// Sends a notice, or remembers its job when too many have not been taken.
    mutating func tell(_ notice: Notice, _ session: SessionID, now: UInt64) {
        guard let entry = sessions[session], entry.openNotices[notice.id] == nil || notice.id == 0 else { return }
        sessions[session]?.watched.remove(notice.job)
        if entry.openNotices.count >= limits.openNotices {
            if entry.backlog.count < limits.watchedJobs { sessions[session]?.backlog.append(notice.job) }
            return
        }
        // A job that does not exist has no notice to take.
        if notice.id != 0 { sessions[session]?.openNotices[notice.id] = (notice, now) }
        actions.append(.send(session, .notice(notice)))
    }

    mutating func taken(_ ids: [UInt64], _ session: SessionID) {
        guard sessions[session] != nil else { return }
        for id in ids { sessions[session]?.openNotices[id] = nil }
        guard let waiting = sessions[session]?.backlog, !waiting.isEmpty else { return }
        sessions[session]?.backlog = []
        lookUp(waiting, session)
    }

    mutating func repeatNotices(now: UInt64) {
        for session in sessions.keys.sorted() {
            for (id, open) in sessions[session]?.openNotices ?? [:]
            where now >= open.sentAt + rules.repeatMilliseconds {
                sessions[session]?.openNotices[id]?.sentAt = now
                actions.append(.send(session, .notice(open.notice)))
            }
        }
    }

    // MARK: - Orders

    /// Purging and draining are not the state's affair and do not come here.
    mutating func carryOut(_ order: Order, of session: SessionID, now: UInt64) {
        switch order.action {
        case .cancel(let numbers): cancel(numbers, order.number, session)
        case .priority(let numbers, let priority): setPriority(numbers, priority, order.number, session)
        case .retry(let numbers):
            let token = JournalToken.order(session, order.number)
            // Said again before the disk has answered: that answer is for both.
            guard orders[token] == nil else { return }
            orders[token] = OrderResult(number: order.number, code: .done, count: 0, text: "")
            actions.append(.journal(token, numbers.map { .retried($0) }))
            retries[token] = numbers
        case .purge, .drain: break
        }
    }

    private mutating func cancel(_ numbers: [JobNumber], _ order: UInt32, _ session: SessionID) {
        var others: [JobNumber] = []
        for number in numbers {
            switch jobs[number]?.phase {
            case .waiting: end(number, .cancelled, story: [])
            case .starting, .recovering: jobs[number]?.wantsCancel = true
            case .active:
                jobs[number]?.wantsCancel = true
                actions.append(.cancelExport(number))
            case .ending, nil: others.append(number)
            }
        }
        answer(session, order, of: numbers, without: others, "not under way, or unknown")
    }

    private mutating func setPriority(
        _ numbers: [JobNumber], _ priority: Int, _ order: UInt32, _ session: SessionID
    ) {
        var others: [JobNumber] = []
        var entries: [JournalEntry] = []
        for number in numbers {
            guard let job = jobs[number] else {
                others.append(number)
                continue
            }
            if case .ending = job.phase {
                others.append(number)
                continue
            }
            jobs[number]?.priority = priority
            entries.append(.priority(number, priority))
            if job.phase == .waiting {
                queue.insert(number, priority: priority, weight: job.weight, owner: job.owner)
            } else {
                actions.append(.setPriority(number, priority))
            }
        }
        guard !entries.isEmpty else {
            return answer(session, order, of: numbers, without: others, "not under way, or unknown")
        }
        let token = JournalToken.order(session, order)
        orders[token] = result(order, of: numbers, without: others, "not under way, or unknown")
        actions.append(.journal(token, entries))
    }

    mutating func orderCommitted(_ token: JournalToken, _ result: Result<[JournalOutcome], StorageFault>) {
        guard case .order(let session, let number) = token else { return }
        let retried = retries.removeValue(forKey: token)
        let prepared = orders.removeValue(forKey: token)
        switch result {
        case .failure(let fault):
            actions.append(
                .send(session, .orderDone(OrderResult(number: number, code: .refused, count: 0, text: fault.text))))
        case .success(let outcomes):
            if let retried {
                let pairs = zip(retried, outcomes)
                let again = pairs.filter { $0.1 == .done }.map(\.0)
                if !again.isEmpty {
                    takeBack(again)
                    actions.append(.reload(again))
                }
                let others = pairs.filter { $0.1 != .done }.map(\.0)
                answer(session, number, of: retried, without: others, "neither failed nor cancelled")
            } else if let prepared {
                actions.append(.send(session, .orderDone(prepared)))
            }
        }
    }

    private mutating func answer(
        _ session: SessionID, _ order: UInt32, of numbers: [JobNumber], without others: [JobNumber], _ why: String
    ) {
        actions.append(.send(session, .orderDone(result(order, of: numbers, without: others, why))))
    }

    private func result(
        _ order: UInt32, of numbers: [JobNumber], without others: [JobNumber], _ why: String
    ) -> OrderResult {
        let done = numbers.count - others.count
        return OrderResult(
            number: order, code: others.isEmpty ? .done : done > 0 ? .partly : .refused, count: UInt64(done),
            text: others.isEmpty ? "" : "\(why): \(others.shownText)")
    }
}
