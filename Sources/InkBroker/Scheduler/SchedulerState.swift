import InkEngine
import InkProtocol

/// Decides which worker does what and when: a state machine that takes events and returns actions.
///
/// No socket, no disk, no clock (times are arguments, nanoseconds of any monotonic clock), no randomness: the same
/// events give the same actions. Memory is bounded by the reorder windows of the jobs: tasks have a record only from
/// their first dispatch until their result.
struct SchedulerState: Sendable {
    let rules: SchedulerRules
    private(set) var jobs: [JobID: JobRecord] = [:]
    private(set) var workers: [WorkerID: WorkerRecord] = [:]
    private(set) var tasks: [TaskID: TaskRecord] = [:]
    /// Suspects that wait to be tried alone, oldest first.
    private(set) var suspects: [TaskID] = []
    private var lastTask: UInt64 = 0
    /// The turns of the job that was served last; a new job starts here, so that it neither waits nor takes over.
    private var virtualTime: UInt64 = 0
    private var unmannedSince: UInt64?
    private var actions: [SchedulerAction] = []

    init(rules: SchedulerRules = SchedulerRules()) { self.rules = rules }

    /// Takes one event and says what is to be done, in order.
    mutating func handle(_ event: SchedulerEvent, now: UInt64) -> [SchedulerAction] {
        actions.removeAll(keepingCapacity: true)
        apply(event, now: now)
        placeSuspects(now: now)
        while let choice = choose() { dispatch(choice, now: now) }
        watchForWorkers(now: now)
        return actions
    }

    private mutating func apply(_ event: SchedulerEvent, now: UInt64) {
        switch event {
        case .jobAdded(let id, let priority, let weight, let decodes):
            guard jobs[id] == nil else { return }
            jobs[id] = JobRecord(id: id, priority: priority, weight: weight, decodes: decodes, pass: virtualTime)
            if decodes.isEmpty { actions.append(.planTiles(id)) }
        case .tilesPlanned(let id, let schedule):
            guard let job = jobs[id], job.schedule == nil, job.decodesLeft == 0, schedule.rows > 0,
                schedule.columns > 0, schedule.window > 0, schedule.needsEncoding || schedule.columns == 1
            else { return }
            jobs[id]?.schedule = schedule
        case .rowsWritten(let id, let rows):
            guard let job = jobs[id] else { return }
            jobs[id]?.rowsWritten = max(job.rowsWritten, min(rows, job.rowsAccepted))
        case .priorityChanged(let id, let priority): jobs[id]?.priority = priority
        case .jobDropped(let id): removeJob(id)
        case .workerJoined(let id, let name, let credits):
            if workers[id] == nil { workers[id] = WorkerRecord(id: id, name: name, credits: credits) }
        case .workerDraining(let id): drain(id)
        case .workerLost(let id, let reason): lose(id, reason: reason, now: now)
        case .taskProgressed(let worker, let attempt): renew(worker, attempt, now: now)
        case .taskFinished(let worker, let attempt): finish(worker, attempt)
        case .taskFailed(let worker, let attempt, let fault): fail(worker, attempt, fault, now: now)
        case .tick: sweep(now: now)
        }
    }
}

// MARK: - Results

extension SchedulerState {
    private mutating func finish(_ worker: WorkerID, _ attempt: AttemptID) {
        guard workers[worker]?.giveBack(attempt) != nil, let task = tasks[attempt.task] else {
            actions.append(.drop(worker, attempt))
            return
        }
        actions.append(.accept(worker, attempt, task.job, task.role))
        callBack(task)
        forget(task)
        switch jobs[task.job]?.accept(task.role) {
        case .planTiles: actions.append(.planTiles(task.job))
        case .complete:
            jobs[task.job] = nil
            actions.append(.jobComplete(task.job))
        case .more, nil: break
        }
    }

    private mutating func fail(_ worker: WorkerID, _ attempt: AttemptID, _ fault: TaskFault, now: UInt64) {
        guard let holding = workers[worker]?.giveBack(attempt), let task = tasks[attempt.task] else { return }
        if case .badInput(let error) = fault {
            failJob(task.job, .badInput(task.role, error))
            return
        }
        // A try that is no longer leased has been counted when its lease ended.
        guard holding.isLease else { return }
        if case .transient(let reason) = fault {
            endLease(worker, attempt, reason: reason, verdict: .counts, now: now)
        } else {
            // A worker that leaves or has no room is no fault of the task, unless it goes on like that for ever.
            let verdict: Verdict = task.attempts < rules.attemptsMax ? .innocent : .counts
            endLease(worker, attempt, reason: "not taken on", verdict: verdict, now: now)
        }
    }

    private mutating func renew(_ worker: WorkerID, _ attempt: AttemptID, now: UInt64) {
        guard let task = tasks[attempt.task], workers[worker]?.holdings[attempt]?.isLease == true,
            let index = task.leases.firstIndex(where: { $0.worker == worker && $0.attempt == attempt.attempt })
        else { return }
        let deadline = now.saturatingSum(leaseTime(of: task.cost))
        tasks[attempt.task]?.leases[index].deadline = deadline
        workers[worker]?.holdings[attempt]?.deadline = deadline
    }

    /// What the end of a lease says about the task.
    private enum Verdict {
        case counts
        /// One of several that were lost together.
        case suspicious
        case innocent
    }

    /// Ends a worker's lease on a task without a result, and queues the task again or fails its job.
    ///
    /// The worker's holding, if it still has one, is the caller's to change.
    private mutating func endLease(
        _ worker: WorkerID, _ attempt: AttemptID, reason: String, verdict: Verdict, now: UInt64
    ) {
        guard var task = tasks[attempt.task],
            let index = task.leases.firstIndex(where: { $0.worker == worker && $0.attempt == attempt.attempt })
        else { return }
        let lease = task.leases.remove(at: index)
        let name = workers[worker]?.name ?? "a worker"
        let milliseconds = (now - min(now, lease.since)) / 1_000_000
        task.note("attempt \(attempt.attempt) on \(name): \(reason) after \(milliseconds) ms", limit: rules.storyLines)
        task.tried.insert(worker)
        switch verdict {
        case .counts: task.failures += 1
        case .suspicious: task.isSuspect = true
        case .innocent: break
        }
        tasks[task.id] = task
        if task.failures >= rules.failuresMax {
            failJob(task.job, .attemptsExhausted(task.role, story: task.story))
        } else if task.leases.isEmpty {
            if task.isSuspect { suspects.append(task.id) } else { jobs[task.job]?.retries.append(task.id) }
        }
    }

    /// Ends all work on a task whose result is not needed; workers stay busy with it until they answer.
    private mutating func callBack(_ task: TaskRecord) {
        for lease in task.leases {
            workers[lease.worker]?.holdings[AttemptID(task: task.id, attempt: lease.attempt)]?.isLease = false
        }
        guard task.attempts > 1 || !task.leases.isEmpty else { return }
        // Tries past their deadline are still at work, too.
        for id in workers.keys.sorted() {
            let held = workers[id]?.holdings.keys.filter { $0.task == task.id }.sorted() ?? []
            for attempt in held { actions.append(.cancel(id, attempt)) }
        }
    }

    private mutating func forget(_ task: TaskRecord) {
        tasks[task.id] = nil
        jobs[task.job]?.tasks.remove(task.id)
        if task.leases.isEmpty || task.isSuspect {
            jobs[task.job]?.retries.removeAll { $0 == task.id }
            suspects.removeAll { $0 == task.id }
            for id in workers.keys where workers[id]?.reservedFor == task.id { workers[id]?.reservedFor = nil }
        }
    }

    private mutating func removeJob(_ id: JobID) {
        guard let job = jobs[id] else { return }
        for taskID in job.tasks.sorted() {
            guard let task = tasks[taskID] else { continue }
            callBack(task)
            forget(task)
        }
        jobs[id] = nil
    }

    private mutating func failJob(_ id: JobID, _ failure: JobFailure) {
        guard jobs[id] != nil else { return }
        removeJob(id)
        actions.append(.jobFailed(id, failure))
    }
}

// MARK: - Workers and time

extension SchedulerState {
    private mutating func drain(_ id: WorkerID) {
        workers[id]?.isDraining = true
        workers[id]?.reservedFor = nil
    }

    private mutating func lose(_ id: WorkerID, reason: String, now: UInt64) {
        guard let worker = workers[id] else { return }
        let leased = worker.holdings.filter { $0.value.isLease }.keys.sorted()
        // Of several tasks any can have been the cause; only one that was alone is known to have been there.
        for attempt in leased {
            let verdict: Verdict = worker.holdings.count == 1 ? .counts : .suspicious
            endLease(id, attempt, reason: reason, verdict: verdict, now: now)
        }
        workers[id] = nil
    }

    private mutating func sweep(now: UInt64) {
        for id in workers.keys.sorted() {
            guard let worker = workers[id] else { continue }
            let overdue = worker.holdings.filter { $0.value.isLease && $0.value.deadline <= now }.keys.sorted()
            for attempt in overdue {
                // Not cancelled: a result that is merely late is still welcome.
                workers[id]?.holdings[attempt]?.isLease = false
                endLease(id, attempt, reason: "past its deadline", verdict: .counts, now: now)
            }
            let isStuck = worker.holdings.values.contains { $0.deadline.saturatingSum(rules.dismissalGrace) <= now }
            if isStuck {
                let reason = "held a task long past its deadline"
                lose(id, reason: reason, now: now)
                actions.append(.dismiss(id, reason: reason))
            }
        }
    }

    /// Fails the jobs that nobody can work on any more.
    private mutating func watchForWorkers(now: UInt64) {
        guard let wait = rules.workerWait else { return }
        let isManned = workers.values.contains { $0.isUsable || $0.leaseCount > 0 }
        if isManned || jobs.isEmpty {
            unmannedSince = nil
            return
        }
        let since = unmannedSince ?? now
        unmannedSince = since
        guard now - min(now, since) >= wait else { return }
        unmannedSince = nil
        for id in jobs.keys.sorted() { failJob(id, .noWorkers(waitedNanoseconds: now - since)) }
    }

    private func leaseTime(of cost: TaskCost) -> UInt64 {
        let (scaled, overflow) = cost.nanoseconds.multipliedReportingOverflow(by: rules.leasePerEstimate)
        let hour: UInt64 = 3_600_000_000_000
        return overflow ? hour : max(rules.leaseMin, min(scaled, hour))
    }
}

// MARK: - Dispatch

extension SchedulerState {
    /// A task and the worker that gets it.
    private struct Choice {
        var job: JobID
        /// Nil for the job's next fresh task.
        var task: TaskID?
        var worker: WorkerID
    }

    /// The next dispatch, or nil when nothing can or may be dispatched now.
    private func choose() -> Choice? {
        let free = workers.values.filter(\.takesMore)
        guard !free.isEmpty else { return nil }
        let order = jobs.values.sorted { ($1.priority, $0.pass, $0.id) < ($0.priority, $1.pass, $1.id) }
        for job in order {
            for id in job.retries {
                guard let task = tasks[id] else { continue }
                let allowed = free.filter { mayTry(task, on: $0) }
                guard !allowed.isEmpty else { continue }
                return bestFit(task.cost, among: allowed).map { Choice(job: job.id, task: id, worker: $0) }
            }
            // A task that fits nobody at the moment is waited for: smaller ones would starve it.
            guard let (_, cost) = job.fresh else { continue }
            return bestFit(cost, among: free).map { Choice(job: job.id, task: nil, worker: $0) }
        }
        return nil
    }

    /// Another try goes to another worker as long as there is one.
    private func mayTry(_ task: TaskRecord, on worker: WorkerRecord) -> Bool {
        !task.tried.contains(worker.id)
            || !workers.values.contains { $0.isUsable && !task.tried.contains($0.id) }
    }

    /// The least loaded worker that has room for the task.
    private func bestFit(_ cost: TaskCost, among candidates: [WorkerRecord]) -> WorkerID? {
        func load(_ worker: WorkerRecord) -> (Int, Int, WorkerID) {
            (worker.holdings.count * 1000 / worker.credits.tasks, worker.usedBytes, worker.id)
        }
        return candidates.filter { $0.fits(cost) }.min { load($0) < load($1) }?.id
    }

    private mutating func dispatch(_ choice: Choice, now: UInt64) {
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
    private mutating func lend(_ id: TaskID, to worker: WorkerID, now: UInt64) {
        guard var task = tasks[id], let job = jobs[task.job] else { return }
        task.attempts += 1
        let deadline = now.saturatingSum(leaseTime(of: task.cost))
        let attempt = AttemptID(task: id, attempt: task.attempts)
        task.leases.append(Lease(worker: worker, attempt: task.attempts, since: now, deadline: deadline))
        tasks[id] = task
        workers[worker]?.take(attempt, cost: task.cost, deadline: deadline)
        virtualTime = max(virtualTime, job.pass)
        jobs[job.id]?.pass = job.pass.saturatingSum(max(1, task.cost.nanoseconds / job.weight))
        actions.append(
            .dispatch(Dispatch(id: attempt, worker: worker, job: job.id, role: task.role, deadline: deadline)))
    }

    /// Reserves workers for suspects, and starts those whose worker has become empty.
    ///
    /// At most half of the workers are set aside, so that the other jobs go on.
    private mutating func placeSuspects(now: UInt64) {
        guard !suspects.isEmpty else { return }
        let usable = workers.values.filter(\.isUsable)
        var setAside = usable.reduce(0) { $0 + ($1.reservedFor != nil || $1.isolated != nil ? 1 : 0) }
        for id in suspects where setAside < max(1, usable.count / 2) {
            guard let task = tasks[id], !workers.values.contains(where: { $0.reservedFor == id }) else { continue }
            let candidates = workers.values.filter {
                $0.isUsable && $0.reservedFor == nil && $0.isolated == nil && mayTry(task, on: $0)
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
