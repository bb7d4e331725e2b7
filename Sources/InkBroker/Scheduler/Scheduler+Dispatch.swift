import InkEngine
import InkProtocol

/// Whose turn it is.
extension SchedulerState {
    /// A task and the worker that gets it.
    struct Choice {
        var job: JobID
        /// Nil for the job's next fresh task.
        var task: TaskID?
        var worker: WorkerID
    }

    /// The next dispatch, or nil when nothing can or may be dispatched now.
    mutating func choose() -> Choice? {
        let free = workers.values.filter(\.takesMore)
        guard !free.isEmpty, !jobs.isEmpty else { return nil }
        let order = jobs.values.sorted { ($1.priority, $0.pass, $0.id) < ($0.priority, $1.pass, $1.id) }
        var first: (choice: Choice, priority: Int, cost: UInt64)?
        for job in order {
            if let first, job.priority == first.priority { continue }
            guard let (choice, cost) = offer(of: job, free) else { continue }
            guard let top = first else {
                first = (choice, job.priority, cost.nanoseconds)
                continue
            }
            // The lower priorities have their share, or nobody would ever come to them.
            if lowerDue >= cost.nanoseconds {
                lowerDue -= cost.nanoseconds
                return choice
            }
            lowerDue = lowerDue.saturatingSum(top.cost / rules.lowerShare)
            return top.choice
        }
        if first != nil { lowerDue = 0 }
        return first?.choice
    }

    /// What a job would have done next, and by whom; nil when it has nothing for these workers now.
    private func offer(of job: JobRecord, _ free: [WorkerRecord]) -> (Choice, TaskCost)? {
        let able = job.version.map { version in free.filter { $0.version == version } } ?? free
        guard !able.isEmpty else { return nil }
        for id in job.retries {
            guard let task = tasks[id] else { continue }
            let allowed = able.filter { mayTry(task, on: $0) }
            guard !allowed.isEmpty else { continue }
            return bestFit(task.cost, among: allowed).map { (Choice(job: job.id, task: id, worker: $0), task.cost) }
        }
        // A task that fits nobody at the moment is waited for: smaller ones would starve it.
        guard let (_, cost) = job.fresh else { return nil }
        let quick = able.filter { !isTooSlow($0, for: cost) }
        return bestFit(cost, among: quick).map { (Choice(job: job.id, task: nil, worker: $0), cost) }
    }

    /// Another try goes to another worker as long as there is one; one to compare with, always.
    func mayTry(_ task: TaskRecord, on worker: WorkerRecord) -> Bool {
        if task.held.contains(where: { $0.worker == worker.id }) { return false }
        return !task.tried.contains(worker.id)
            || !workers.values.contains {
                $0.isUsable && $0.version == worker.version && !task.tried.contains($0.id)
            }
    }

    /// Whether the others would be done with all that they can do before this worker were done with one more task.
    private func isTooSlow(_ worker: WorkerRecord, for cost: TaskCost) -> Bool {
        guard let pace = worker.pace else { return false }
        let others = workers.values.filter { $0.id != worker.id && $0.isUsable && $0.version == worker.version }
        guard let best = others.compactMap(\.pace).min(), pace > 3 * best else { return false }
        var remaining = Double(cost.nanoseconds)
        for job in jobs.values {
            // Nobody knows how much is to come: then every hand is welcome.
            guard let work = job.workBeside else { return false }
            remaining += work
        }
        let rate = others.reduce(0) { $0 + Double($1.credits.tasks) / max(1e-9, $1.pace ?? best) }
        return remaining / rate < pace * Double(cost.nanoseconds)
    }

    /// The least loaded worker that has room for the task.
    func bestFit(_ cost: TaskCost, among candidates: [WorkerRecord]) -> WorkerID? {
        func load(_ worker: WorkerRecord) -> (Int, Int, WorkerID) {
            (worker.holdings.count * 1000 / worker.credits.tasks, worker.usedBytes, worker.id)
        }
        return candidates.filter { $0.fits(cost) }.min { load($0) < load($1) }?.id
    }

    mutating func dispatch(_ choice: Choice, now: UInt64) {
        guard let job = jobs[choice.job] else { return }
        let id: TaskID
        if let task = choice.task {
            id = task
            jobs[choice.job]?.retries.removeAll { $0 == task }
        } else {
            guard let (role, cost) = job.fresh else { return }
            lastTask += 1
            id = TaskID(lastTask)
            tasks[id] = TaskRecord(id: id, job: job.id, role: role, cost: cost)
            jobs[job.id]?.takeFresh()
            jobs[job.id]?.tasks.insert(id)
        }
        lend(id, to: choice.worker, now: now)
    }

    /// Counts the attempt, then gives the task to the worker.
    mutating func lend(_ id: TaskID, to worker: WorkerID, now: UInt64, isRace: Bool = false) {
        guard var task = tasks[id], let job = jobs[task.job] else { return }
        task.attempts += 1
        let deadline = now.saturatingSum(leaseTime(of: task.cost))
        let attempt = AttemptID(task: id, attempt: task.attempts)
        task.leases.append(Lease(worker: worker, attempt: task.attempts, since: now, deadline: deadline))
        tasks[id] = task
        if job.version == nil { jobs[job.id]?.version = workers[worker]?.version }
        counters.dispatched += 1
        counters.work = counters.work.saturatingSum(task.cost.nanoseconds)
        if isRace {
            counters.raced += 1
            counters.racedWork = counters.racedWork.saturatingSum(task.cost.nanoseconds)
        }
        workers[worker]?.take(attempt, cost: task.cost, deadline: deadline)
        virtualTime = max(virtualTime, job.pass)
        jobs[job.id]?.pass = job.pass.saturatingSum(max(1, task.cost.nanoseconds / job.weight))
        actions.append(
            .dispatch(
                Dispatch(
                    id: attempt, worker: worker, job: job.id, role: task.role, deadline: deadline,
                    isRace: isRace)))
    }

    /// Reserves workers for suspects, and starts those whose worker has become empty.
    ///
    /// At most half of the workers are set aside, so that the other jobs go on.
    mutating func placeSuspects(now: UInt64) {
        guard !suspects.isEmpty else { return }
        let usable = workers.values.filter(\.isUsable)
        var setAside = usable.reduce(0) { $0 + ($1.reservedFor != nil || $1.isolated != nil ? 1 : 0) }
        for id in suspects where setAside < max(1, usable.count / 2) {
            guard let task = tasks[id], !workers.values.contains(where: { $0.reservedFor == id }) else { continue }
            let version = jobs[task.job]?.version
            let candidates = workers.values.filter {
                $0.isUsable && (version == nil || $0.version == version) && $0.reservedFor == nil && $0.isolated == nil
                    && mayTry(task, on: $0)
            }
            guard let worker = candidates.min(by: { ($0.holdings.count, $0.id) < ($1.holdings.count, $1.id) })
            else { continue }
            workers[worker.id]?.reservedFor = id
            setAside += 1
        }
        for id in workers.keys.sorted() {
            guard let worker = workers[id], let task = worker.reservedFor, worker.holdings.isEmpty else { continue }
            workers[id]?.reservedFor = nil
            suspects.removeAll { $0 == task }
            lend(task, to: id, now: now)
            let alone = workers[id]?.holdings.keys.first
            workers[id]?.isolated = alone
        }
    }
}

extension UInt64 {
    func saturatingSum(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
