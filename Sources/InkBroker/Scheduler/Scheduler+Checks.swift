import InkProtocol

/// Verification: a share of the tasks is done by two workers, and the results are compared.
extension SchedulerState {
    /// Whether a result of a task is still wanted.
    func isOpen(_ id: TaskID) -> Bool { tasks[id] != nil }

    /// Whether the result of a task is compared, so that `taskFinished` must have a digest.
    func wantsDigest(_ id: TaskID) -> Bool {
        guard rules.verifyShare > 0 else { return false }
        // The last step of SplitMix64: it selects the same tasks each time, without a pattern.
        var hash = id.rawValue &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        hash ^= hash >> 31
        return Double(hash >> 11) * 0x1p-53 < rules.verifyShare
    }

    /// Takes a result of a task that is compared.
    mutating func check(_ worker: WorkerID, _ attempt: AttemptID, _ digest: [UInt8], now: UInt64) {
        guard var task = tasks[attempt.task] else { return }
        task.leases.removeAll { $0.worker == worker && $0.attempt == attempt.attempt }
        task.tried.insert(worker)
        let result = HeldResult(worker: worker, attempt: attempt.attempt, digest: digest)
        if let equal = task.held.first(where: { $0.digest == digest }) {
            counters.verified += 1
            tasks[task.id] = task
            let odd = task.held.filter { $0.digest != digest }
            for other in odd + [result] { drop(other, of: task.id) }
            settle(task, equal.worker, AttemptID(task: task.id, attempt: equal.attempt), now: now)
            for other in odd {
                dismiss(other.worker, reason: "its result differs from that of two other workers", now: now)
            }
            return
        }
        task.held.append(result)
        tasks[task.id] = task
        checked.insert(task.id)
        actions.append(.hold(worker, attempt))
        guard task.leases.isEmpty, !suspects.contains(task.id), jobs[task.job]?.retries.contains(task.id) == false
        else { return }
        if task.isSuspect { suspects.append(task.id) } else { jobs[task.job]?.retries.append(task.id) }
    }

    /// Ends comparisons for which there is no other worker any more.
    mutating func settleChecks(now: UInt64) {
        for id in checked.sorted() {
            guard let task = tasks[id], task.leases.isEmpty, !hasAnotherWorker(for: task) else { continue }
            switch task.held.count {
            case 0: checked.remove(id)
            case 1:
                counters.unverified += 1
                let only = task.held[0]
                settle(task, only.worker, AttemptID(task: id, attempt: only.attempt), now: now)
            default: disagree(task)
            }
        }
    }

    private func hasAnotherWorker(for task: TaskRecord) -> Bool {
        // Three different results are enough.
        guard task.held.count < 3, let version = jobs[task.job]?.version else { return false }
        return workers.values.contains { worker in
            worker.isUsable && worker.version == version && !task.held.contains { $0.worker == worker.id }
        }
    }

    /// Nobody can tell which result is correct, so none is accepted.
    private mutating func disagree(_ task: TaskRecord) {
        var task = task
        let names = task.held.map { workers[$0.worker]?.name ?? "a worker" }
        for result in task.held { drop(result, of: task.id) }
        task.note("the results of \(names.joined(separator: " and ")) differ", limit: rules.storyLines)
        task.held = []
        task.failures += 1
        tasks[task.id] = task
        checked.remove(task.id)
        if task.failures >= rules.failuresMax {
            failJob(task.job, .attemptsExhausted(task.position, story: task.story))
        }
    }

    mutating func drop(_ result: HeldResult, of task: TaskID) {
        actions.append(.drop(result.worker, AttemptID(task: task, attempt: result.attempt)))
    }

    /// The results that a lost worker has handed in are lost with it.
    mutating func forgetHeld(of worker: WorkerID) {
        for id in checked.sorted() {
            tasks[id]?.held.removeAll { $0.worker == worker }
            if tasks[id]?.held.isEmpty == true { checked.remove(id) }
        }
    }
}
