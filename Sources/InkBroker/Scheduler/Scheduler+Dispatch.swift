import InkPlanning
import InkProtocol

/// Chooses the next task and its worker.
extension SchedulerState {
    /// A task and the worker that gets it.
    struct Choice {
        var job: JobID
        /// Nil for the next task of the job that was never dispatched.
        var task: TaskID?
        var worker: WorkerID
    }

    /// The next dispatch; nil if nothing can or may be dispatched now.
    mutating func choose() -> Choice? {
        guard workers.hasRoom, !jobs.isEmpty else { return nil }
        let order = jobs.values.filter { !$0.isPaused }.map { (priority: $0.priority, pass: $0.pass, id: $0.id) }
            .sorted { ($1.priority, $0.pass, $0.id) < ($0.priority, $1.pass, $1.id) }
        var first: (choice: Choice, priority: Int, cost: UInt64)?
        for job in order {
            if let first, job.priority == first.priority { continue }
            guard let (choice, cost) = offer(of: job.id) else { continue }
            guard let top = first else {
                first = (choice, job.priority, cost.nanoseconds)
                continue
            }
            // Lower priorities get their share, or they would never run.
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

    /// The next task of a job and its worker; nil if the job has nothing for these workers now.
    private func offer(of id: JobID) -> (Choice, TaskCost)? {
        guard let job = jobs[id] else { return nil }
        for id in job.retries {
            guard let task = tasks[id] else { continue }
            var isAllowed = false
            let worker = workers.leastLoaded(version: job.version) { worker, crew in
                guard mayTry(task, on: worker.id, crew) else { return false }
                isAllowed = true
                return worker.fits(task.cost)
            }
            if let worker { return (Choice(job: job.id, task: id, worker: worker), task.cost) }
            if isAllowed { return nil }
        }
        // If a task fits no worker at the moment, the scheduler waits: smaller tasks would starve it.
        guard let (task, cost) = fresh(of: job) else { return nil }
        let remaining = remainingWork(with: cost)
        var rate: Double?
        let worker = workers.leastLoaded(version: job.version) { worker, crew in
            guard worker.fits(cost) else { return false }
            // Whether the other workers would finish everything available before this worker finished this task.
            guard let pace = worker.pace, let best = crew.bestPace(beside: worker.id), pace > 3 * best, let remaining
            else { return true }
            let all = rate ?? crew.rate
            if job.version != nil { rate = all }
            let others = all - Double(worker.credits) / max(1e-9, pace)
            return remaining / others >= pace * Double(cost.nanoseconds)
        }
        return worker.map { (Choice(job: job.id, task: task, worker: $0), cost) }
    }

    /// The next task that was never dispatched; nil as its name: the graph's next.
    private func fresh(of job: ScheduledJob) -> (TaskID?, TaskCost)? {
        if let (position, cost) = job.graph.next, !job.graph.stages[position.stage].stage.isLookedUp {
            return (nil, cost)
        }
        return job.missing.first.flatMap { id in tasks[id].map { (id, $0.cost) } }
    }

    /// Another attempt goes to a different worker as long as there is one; an attempt for comparison always does.
    func mayTry(_ task: TaskRecord, on worker: WorkerID, _ crew: Crew) -> Bool {
        if task.held.contains(where: { $0.worker == worker }) { return false }
        guard task.tried.contains(worker) else { return true }
        return task.tried.count { workers[$0]?.isUsable == true && workers[$0]?.version == workers[worker]?.version }
            >= crew.usable
    }

    /// Estimated nanoseconds of a task and of all tasks that can be dispatched in addition; nil if the remaining work
    /// is not known yet.
    private func remainingWork(with cost: TaskCost) -> Double? {
        var remaining = Double(cost.nanoseconds)
        for job in jobs.values {
            guard let work = job.graph.workBeside else { return nil }
            remaining += work
        }
        return remaining
    }

    mutating func dispatch(_ choice: Choice, now: UInt64) {
        guard let job = jobs[choice.job] else { return }
        let id: TaskID
        if let task = choice.task {
            id = task
            jobs[choice.job]?.retries.removeAll { $0 == task }
            jobs[choice.job]?.missing.removeAll { $0 == task }
        } else {
            guard let (position, cost) = job.graph.next else { return }
            lastTask += 1
            id = TaskID(lastTask)
            tasks[id] = TaskRecord(id: id, job: job.id, position: position, cost: cost)
            jobs[job.id]?.graph.begin(position)
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
        task.tries.append((worker, task.attempts))
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
                    id: attempt, worker: worker, job: job.id, position: task.position, deadline: deadline,
                    isRace: isRace, hasFailed: task.failures > 0 && task.held.isEmpty)))
    }

    /// Reserves workers for suspects, and starts suspects whose worker has become idle.
    ///
    /// At most half of the workers are reserved, so that the other jobs continue.
    mutating func placeSuspects(now: UInt64) {
        guard !suspects.isEmpty else { return }
        let usable = workers.values.filter(\.isUsable)
        var setAside = usable.reduce(0) { $0 + ($1.reservedFor != nil || $1.isolated != nil ? 1 : 0) }
        for id in suspects where setAside < max(1, usable.count / 2) {
            guard let task = tasks[id], !workers.values.contains(where: { $0.reservedFor == id }),
                let job = jobs[task.job], !job.isPaused
            else { continue }
            let version = job.version
            let candidates = workers.values.filter {
                $0.isUsable && (version == nil || $0.version == version) && $0.reservedFor == nil && $0.isolated == nil
                    && mayTry(task, on: $0.id, workers.crews[$0.version] ?? Crew())
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
