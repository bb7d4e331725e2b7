import InkProtocol
import InkStore

/// An order without an answer; the answer waits for the disk.
enum OpenOrder: Hashable, Sendable {
    /// Not carried out yet: some of its jobs are queued again, and not in memory.
    case waiting(OrderAction)
    /// The answer once the order is stored.
    case prepared(OrderResult)
    case retry([JobNumber])
    case cancel(Cancellation)

    struct Cancellation: Hashable, Sendable {
        let jobs: [JobNumber]
        /// The jobs whose end is not on the disk.
        var open: Set<JobNumber> = []
        /// The jobs that did not end because of the order.
        var others: [JobNumber] = []
        /// Whether one of the others had ended already, but the disk had not accepted its end.
        var isEnding = false
    }
}

/// Orders of clients.
extension ServiceState {
    /// Purging and draining are handled outside the state.
    mutating func carryOut(_ order: Order, of session: SessionID, now: UInt64) {
        let id = OrderID(session: session, number: order.number)
        // Repeated before the disk has answered: one answer serves both.
        guard sessions[session] != nil, orders[id] == nil else { return }
        let count = orders.keys.count { $0.session == session }
        guard count < limits.openOrders else {
            let text = "\(count) orders of this client wait for the disk already"
            answer(id, OrderResult(number: order.number, code: .refused, count: 0, text: text))
            return
        }
        if awaits(order.action, comingBack.union(waitingOrders.flatMap(\.action.jobs))) {
            orders[id] = .waiting(order.action)
        } else {
            carryOut(order.action, id)
        }
    }

    private mutating func carryOut(_ action: OrderAction, _ id: OrderID) {
        switch action {
        case .cancel(let jobs): cancel(jobs.withoutRepetitions, id)
        case .priority(let jobs, let priority): setPriority(jobs.withoutRepetitions, priority, id)
        case .pause(let jobs): setPaused(jobs.withoutRepetitions, true, id)
        case .resume(let jobs): setPaused(jobs.withoutRepetitions, false, id)
        case .retry(let jobs):
            let jobs = jobs.withoutRepetitions
            orders[id] = .retry(jobs)
            actions.append(.journal(.order(id), jobs.map { .retried($0) }))
        case .purge, .drain, .dismiss: break
        }
    }

    // MARK: - Jobs that are queued again

    /// Jobs that will be in memory again, or may be.
    var comingBack: Set<JobNumber> {
        var jobs = Set(returning.keys)
        for case .retry(let numbers) in orders.values { jobs.formUnion(numbers) }
        return jobs
    }

    /// Whether an order has to wait for some of the jobs. Whether one is queued again the disk says, whatever waits.
    func awaits(_ action: OrderAction, _ jobs: Set<JobNumber>) -> Bool {
        if case .retry = action { return false }
        return !jobs.isEmpty && !jobs.isDisjoint(with: action.jobs)
    }

    /// A client's in the order of their numbers.
    var waitingOrders: [(id: OrderID, action: OrderAction)] {
        let waiting = orders.compactMap { id, order -> (id: OrderID, action: OrderAction)? in
            guard case .waiting(let action) = order else { return nil }
            return (id, action)
        }
        return waiting.sorted { ($0.id.session, $0.id.number) < ($1.id.session, $1.id.number) }
    }

    /// Carries out the orders that have waited for jobs which are there now.
    mutating func carryOutWaiting() {
        var awaited = comingBack
        for (id, action) in waitingOrders {
            if awaits(action, awaited) {
                // What is ordered later about its jobs comes later.
                awaited.formUnion(action.jobs)
            } else {
                orders[id] = nil
                carryOut(action, id)
            }
        }
    }

    // MARK: - What is ordered

    private mutating func cancel(_ numbers: [JobNumber], _ id: OrderID) {
        var cancellation = OpenOrder.Cancellation(jobs: numbers)
        for number in numbers {
            switch jobs[number]?.phase {
            case .waiting: end(number, .cancelled, story: [])
            case .starting, .recovering: jobs[number]?.wantsCancel = true
            case .active:
                jobs[number]?.wantsCancel = true
                actions.append(.cancelExport(number))
            // Cancelled by an earlier order that is not on disk yet.
            case .ending(.cancelled, _, _): break
            case .ending:
                cancellation.isEnding = true
                cancellation.others.append(number)
                continue
            case nil:
                cancellation.others.append(number)
                continue
            }
            cancellation.open.insert(number)
            jobs[number]?.cancellations.append(id)
        }
        orders[id] = .cancel(cancellation)
        answerCancellation(id)
    }

    /// A job's end is durable. Answers orders to cancel it: it was cancelled, or finished before it could be.
    mutating func ended(_ number: JobNumber, _ ending: JobEnding, for cancellations: [OrderID]) {
        for id in cancellations {
            guard case .cancel(var cancellation)? = orders.removeValue(forKey: id) else { continue }
            cancellation.open.remove(number)
            if ending != .cancelled { cancellation.others.append(number) }
            orders[id] = .cancel(cancellation)
            answerCancellation(id)
        }
    }

    /// The disk does not accept a job's end, possibly for long. Answers the orders for it with that.
    mutating func answerCancellations(of number: JobNumber) {
        for id in jobs[number]?.cancellations ?? [] {
            guard case .cancel(var cancellation)? = orders[id] else { continue }
            cancellation.isEnding = true
            cancellation.open.remove(number)
            cancellation.others.append(number)
            orders[id] = .cancel(cancellation)
            answerCancellation(id)
        }
        jobs[number]?.cancellations = []
    }

    private mutating func answerCancellation(_ id: OrderID) {
        guard case .cancel(let cancellation)? = orders[id], cancellation.open.isEmpty else { return }
        orders[id] = nil
        let why =
            cancellation.isEnding ? "already ended (not yet stored), or unknown" : Self.notOpen
        answer(id, of: cancellation.jobs, without: cancellation.others, why)
    }

    private static let notOpen = "not under way, or unknown"

    private mutating func setPriority(_ numbers: [JobNumber], _ priority: Int, _ id: OrderID) {
        change(numbers, id) { state, number, job in
            state.jobs[number]?.priority = priority
            job.priority = priority
            if job.phase == .waiting {
                state.line(up: number, job)
            } else {
                state.actions.append(.setPriority(number, priority))
            }
            return .priority(number, priority)
        }
    }

    private mutating func setPaused(_ numbers: [JobNumber], _ isPaused: Bool, _ id: OrderID) {
        change(numbers, id) { state, number, job in
            state.jobs[number]?.isPaused = isPaused
            state.jobs[number]?.tookNoPlace = true
            job.isPaused = isPaused
            if job.phase == .waiting {
                if isPaused { state.queue.remove(number) } else { state.line(up: number, job) }
            } else if case .active = job.phase {
                state.actions.append(.setPaused(number, isPaused))
            }
            return .paused(number, isPaused)
        }
    }

    /// Changes those of the jobs that have not ended, and stores the entries.
    private mutating func change(
        _ numbers: [JobNumber], _ id: OrderID,
        _ change: (inout ServiceState, JobNumber, inout Job) -> JournalEntry
    ) {
        var others: [JobNumber] = []
        var entries: [JournalEntry] = []
        for number in numbers {
            guard var job = jobs[number] else {
                others.append(number)
                continue
            }
            if case .ending = job.phase {
                others.append(number)
                continue
            }
            entries.append(change(&self, number, &job))
        }
        guard !entries.isEmpty else {
            return answer(id, of: numbers, without: others, Self.notOpen)
        }
        orders[id] = .prepared(result(id, of: numbers, without: others, Self.notOpen))
        actions.append(.journal(.order(id), entries))
    }

    mutating func orderCommitted(_ id: OrderID, _ result: Result<[JournalOutcome], StoreError>) {
        guard let order = orders.removeValue(forKey: id) else { return }
        defer { if case .retry = order { carryOutWaiting() } }
        switch (result, order) {
        case (.failure(let fault), _):
            answer(id, OrderResult(number: id.number, code: .refused, count: 0, text: fault.description))
        case (.success(let outcomes), .retry(let jobs)):
            let pairs = zip(jobs, outcomes)
            let again = pairs.filter { $0.1 == .done }.map(\.0)
            if !again.isEmpty {
                takeBack(again)
                actions.append(.reload(again))
            }
            let others = pairs.filter { $0.1 != .done }.map(\.0)
            answer(id, of: jobs, without: others, "neither failed nor cancelled, or unknown")
        case (.success, .prepared(let result)): answer(id, result)
        case (.success, .cancel), (.success, .waiting): break
        }
    }

    /// The ends of jobs that are queued again are no longer reported.
    private mutating func takeBack(_ numbers: [JobNumber]) {
        for number in numbers where jobs[number] == nil { returning[number] = returning[number] ?? [] }
        for session in sessions.keys {
            for (id, open) in sessions[session]?.openNotices ?? [:] where returning[open.notice.job] != nil {
                sessions[session]?.openNotices[id] = nil
                // Clients that waited for the old end now wait for the new one.
                returning[open.notice.job]?.insert(session)
            }
        }
    }

    /// The answers are no longer needed. What was ordered is done nevertheless.
    mutating func leaveOrders(_ session: SessionID) {
        orders = orders.filter { id, order in
            switch order {
            case .retry, .waiting: true
            case .prepared, .cancel: id.session != session
            }
        }
    }

    private mutating func answer(
        _ id: OrderID, of numbers: [JobNumber], without others: [JobNumber], _ why: String
    ) {
        answer(id, result(id, of: numbers, without: others, why))
    }

    private mutating func answer(_ id: OrderID, _ result: OrderResult) {
        if sessions[id.session] != nil { actions.append(.send(id.session, .orderDone(result))) }
    }

    private func result(
        _ id: OrderID, of numbers: [JobNumber], without others: [JobNumber], _ why: String
    ) -> OrderResult {
        let done = numbers.count - others.count
        return OrderResult(
            number: id.number, code: others.isEmpty ? .done : done > 0 ? .partly : .refused, count: UInt64(done),
            text: others.isEmpty ? "" : "\(why): \(others.shownText)")
    }
}

extension OrderAction {
    /// The jobs that it names.
    fileprivate var jobs: [JobNumber] {
        switch self {
        case .cancel(let jobs), .retry(let jobs), .priority(let jobs, _), .pause(let jobs), .resume(let jobs): jobs
        case .purge, .drain, .dismiss: []
        }
    }
}
