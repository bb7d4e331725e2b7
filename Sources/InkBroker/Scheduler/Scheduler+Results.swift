import InkPlanning
import InkProtocol

/// Ends of leases: results, failures, retries.
extension SchedulerState {
    mutating func finish(_ worker: WorkerID, _ attempt: AttemptID, _ digest: [UInt8], now: UInt64) {
        guard workers[worker]?.giveBack(attempt) != nil, let task = tasks[attempt.task] else {
            let isHeld = tasks[attempt.task]?.held.contains { $0.worker == worker && $0.attempt == attempt.attempt }
            // The worker reported it twice; a held result stays held.
            if isHeld != true { actions.append(.drop(worker, attempt)) }
            return
        }
        if let lease = task.leases.first(where: { $0.worker == worker && $0.attempt == attempt.attempt }) {
            workers[worker]?.learn(nanoseconds: now - min(now, lease.since), estimate: task.cost.nanoseconds)
        }
        if wantsDigest(task.id) {
            check(worker, attempt, digest, now: now)
        } else {
            settle(task, worker, attempt, now: now)
        }
    }

    /// Completes the task with this result.
    mutating func settle(_ task: TaskRecord, _ worker: WorkerID, _ attempt: AttemptID, now: UInt64) {
        // The losers of a race were slow, but will never report how long they took. Learn it here.
        for lease in task.leases where lease.worker != worker {
            // They would have needed about the same time again.
            workers[lease.worker]?.learn(
                atLeast: (now - min(now, lease.since)).saturatingProduct(2), estimate: task.cost.nanoseconds)
        }
        actions.append(.accept(worker, attempt, task.job, task.position))
        callBack(task)
        forget(task)
        jobs[task.job]?.graph.accept(task.position)
        advance(task.job)
    }

    /// Continues a job whose tasks so far are complete: plans its other stages, or ends it.
    mutating func advance(_ id: JobID) {
        guard let graph = jobs[id]?.graph, graph.isComplete else { return }
        guard graph.isPlanned else { return actions.append(.planStages(id)) }
        jobs[id] = nil
        actions.append(.jobComplete(id))
    }

    mutating func fail(_ worker: WorkerID, _ attempt: AttemptID, _ fault: TaskFault, now: UInt64) {
        guard let holding = workers[worker]?.giveBack(attempt), let task = tasks[attempt.task] else { return }
        if case .badInput(let error) = fault {
            failJob(task.job, .badInput(task.position, error))
            return
        }
        if case .malformed(let reason) = fault {
            if holding.isLease { endLease(worker, attempt, reason: reason, verdict: .counts, now: now) }
            dismiss(worker, reason: reason, now: now)
            return
        }
        // An attempt without a lease was counted when its lease ended.
        guard holding.isLease else { return }
        if case .transient(let reason) = fault {
            endLease(worker, attempt, reason: reason, verdict: .counts, now: now)
        } else {
            // If a worker leaves or has no room, the task is not to blame, unless this never stops.
            let verdict: Verdict = task.attempts < rules.attemptsMax ? .innocent : .counts
            endLease(worker, attempt, reason: "not taken on", verdict: verdict, now: now)
        }
    }

    mutating func renew(_ worker: WorkerID, _ attempt: AttemptID, now: UInt64) {
        guard let task = tasks[attempt.task], workers[worker]?.holdings[attempt]?.isLease == true,
            let index = task.leases.firstIndex(where: { $0.worker == worker && $0.attempt == attempt.attempt })
        else { return }
        let deadline = now.saturatingSum(leaseTime(of: task.cost))
        tasks[attempt.task]?.leases[index].deadline = deadline
        workers[worker]?.renew(attempt, deadline: deadline)
    }

    /// What the end of a lease implies about the task.
    enum Verdict {
        case counts
        /// One of several tasks that were lost together.
        case suspicious
        case innocent
    }

    /// Ends a worker's lease on a task without a result, and queues the task again or fails its job.
    ///
    /// The caller updates the worker's holding, if it still has one.
    mutating func endLease(
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
            failJob(task.job, .attemptsExhausted(task.position, story: task.story))
        } else if task.leases.isEmpty {
            if task.isSuspect { suspects.append(task.id) } else { jobs[task.job]?.retries.append(task.id) }
        }
    }

    /// Ends all work on a task whose result is not needed. Workers stay busy with it until they answer.
    mutating func callBack(_ task: TaskRecord) {
        // Attempts past their deadline are still running, too.
        for entry in task.tries {
            let attempt = AttemptID(task: task.id, attempt: entry.attempt)
            guard workers[entry.worker]?.holdings[attempt] != nil else { continue }
            workers[entry.worker]?.endLease(attempt)
            actions.append(.cancel(entry.worker, attempt))
        }
    }

    mutating func forget(_ task: TaskRecord) {
        tasks[task.id] = nil
        checked.remove(task.id)
        jobs[task.job]?.tasks.remove(task.id)
        jobs[task.job]?.sought.remove(task.id)
        jobs[task.job]?.missing.removeAll { $0 == task.id }
        if task.leases.isEmpty || task.isSuspect {
            jobs[task.job]?.retries.removeAll { $0 == task.id }
            suspects.removeAll { $0 == task.id }
        }
        if task.isSuspect {
            for id in workers.keys where workers[id]?.reservedFor == task.id { workers[id]?.reservedFor = nil }
        }
    }

    mutating func removeJob(_ id: JobID) {
        guard let job = jobs[id] else { return }
        for taskID in job.tasks.sorted() {
            guard let task = tasks[taskID] else { continue }
            callBack(task)
            for result in task.held { drop(result, of: taskID) }
            forget(task)
        }
        jobs[id] = nil
    }

    mutating func failJob(_ id: JobID, _ failure: JobFailure) {
        guard jobs[id] != nil else { return }
        removeJob(id)
        actions.append(.jobFailed(id, failure))
    }
}
