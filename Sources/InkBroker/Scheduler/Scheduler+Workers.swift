import InkPlanning
import InkProtocol

/// Workers that leave or are silent, and timeouts.
extension SchedulerState {
    mutating func drain(_ id: WorkerID) {
        workers[id]?.isDraining = true
        workers[id]?.reservedFor = nil
    }

    mutating func lose(_ id: WorkerID, reason: String, delivered: Set<AttemptID>? = nil, now: UInt64) {
        guard let holdings = workers[id]?.holdings.keys else { return }
        // If several tasks were lost, any can be the cause; only a task that was alone is known to be. Tasks that never
        // reached the worker cannot be.
        let suspects = delivered.map(Set(holdings).intersection) ?? Set(holdings)
        remove(id, reason: reason, now: now) {
            !suspects.contains($0) ? .innocent : suspects.count == 1 ? .counts : .suspicious
        }
    }

    /// Drops a worker whose results are wrong. Its other tasks are not to blame.
    mutating func dismiss(_ id: WorkerID, reason: String, now: UInt64) {
        remove(id, reason: reason, now: now) { _ in .innocent }
        actions.append(.dismiss(id, reason: reason))
    }

    private mutating func remove(_ id: WorkerID, reason: String, now: UInt64, verdict: (AttemptID) -> Verdict) {
        guard let worker = workers[id] else { return }
        let leased = worker.holdings.filter { $0.value.isLease }.keys.sorted()
        for attempt in leased { endLease(id, attempt, reason: reason, verdict: verdict(attempt), now: now) }
        workers[id] = nil
        forgetHeld(of: id)
    }

    mutating func sweep(now: UInt64) {
        giveUpOrphans(now: now)
        for id in workers.keys.sorted() {
            guard let worker = workers[id] else { continue }
            let overdue = worker.holdings.filter { $0.value.isLease && $0.value.deadline <= now }.keys.sorted()
            for attempt in overdue {
                // Not cancelled: a late result is still accepted.
                workers[id]?.endLease(attempt)
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

    /// Fails jobs whose renderer version has left while other workers are there; such jobs can start again.
    private mutating func giveUpOrphans(now: UInt64) {
        for id in jobs.keys.sorted() {
            guard let version = jobs[id]?.version else { continue }
            let isServed =
                (workers.crews[version]?.usable ?? 0) > 0
                || workers.values.contains { $0.version == version && $0.leaseCount > 0 }
            guard !isServed, workers.crews.values.contains(where: { $0.usable > 0 }) else {
                jobs[id]?.orphanedSince = nil
                continue
            }
            let since = jobs[id]?.orphanedSince ?? now
            jobs[id]?.orphanedSince = since
            if now - min(now, since) >= rules.rendererWait { failJob(id, .rendererGone(version: version)) }
        }
    }

    /// Fails jobs that no worker can work on any more.
    mutating func watchForWorkers(now: UInt64) {
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

    func leaseTime(of cost: TaskCost) -> UInt64 {
        let (scaled, overflow) = cost.nanoseconds.multipliedReportingOverflow(by: rules.leasePerEstimate)
        let hour: UInt64 = 3_600_000_000_000
        return overflow ? hour : max(rules.leaseMin, min(scaled, hour))
    }
}
