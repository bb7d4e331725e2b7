import InkProtocol

extension SchedulerState {
    /// What is wrong with the state, one line a broken rule; empty when it is sound. For tests, after every event.
    ///
    /// - Complexity: O(state).
    var brokenInvariants: [String] {
        brokenWorkers + brokenTasks + brokenJobs
    }

    private var brokenWorkers: [String] {
        var broken: [String] = []
        if workers.crews != workers.crewsCountedAnew { broken.append("the workers' order is not that of the workers") }
        for worker in workers.values {
            let name = "worker \(worker.id.rawValue)"
            let bytes = worker.holdings.values.reduce(0) { $0 + $1.bytes }
            if bytes != worker.usedBytes { broken.append("\(name): \(worker.usedBytes) bytes counted, \(bytes) held") }
            if worker.holdings.count > worker.credits.tasks { broken.append("\(name): more tasks than credits") }
            if bytes > worker.credits.bytes, worker.holdings.count > 1 {
                broken.append("\(name): more bytes than credits")
            }
            if worker.isolated != nil, worker.holdings.count != 1 { broken.append("\(name): a suspect is not alone") }
            if let isolated = worker.isolated, worker.holdings[isolated] == nil {
                broken.append("\(name): isolated without its task")
            }
            if let task = worker.reservedFor, !suspects.contains(task) {
                broken.append("\(name): reserved for a task that does not wait")
            }
            if worker.leaseCount != worker.holdings.values.count(where: \.isLease) {
                broken.append("\(name): \(worker.leaseCount) leases counted")
            }
            for (attempt, holding) in worker.holdings where holding.isLease {
                let leases = tasks[attempt.task]?.leases ?? []
                if !leases.contains(where: { $0.worker == worker.id && $0.attempt == attempt.attempt }) {
                    broken.append("\(name): holds a lease that task \(attempt.task.rawValue) does not know")
                }
            }
        }
        return broken
    }

    private var brokenTasks: [String] {
        var broken: [String] = []
        for task in tasks.values {
            let name = "task \(task.id.rawValue)"
            if jobs[task.job]?.tasks.contains(task.id) != true { broken.append("\(name): its job does not know it") }
            if task.failures >= rules.failuresMax { broken.append("\(name): failed too often and goes on") }
            let waits =
                (jobs[task.job]?.retries.filter { $0 == task.id }.count ?? 0)
                + suspects.filter { $0 == task.id }.count
            let isWaiting = waits == 1 && task.leases.isEmpty
            // Two hold it while it is raced.
            let isHeld = waits == 0 && (1...2).contains(task.leases.count)
            if !isWaiting, !isHeld {
                broken.append("\(name): \(task.leases.count) leases, \(waits) places in queues")
            }
            for lease in task.leases {
                let attempt = AttemptID(task: task.id, attempt: lease.attempt)
                if workers[lease.worker]?.holdings[attempt]?.isLease != true {
                    broken.append("\(name): leased to a worker that does not hold it")
                }
            }
        }
        for id in checked where tasks[id]?.held.isEmpty != false {
            broken.append("task \(id.rawValue): nothing to compare")
        }
        for id in suspects where tasks[id]?.isSuspect != true { broken.append("task \(id.rawValue): not a suspect") }
        return broken
    }

    private var brokenJobs: [String] {
        var broken: [String] = []
        for job in jobs.values {
            let roles = job.tasks.compactMap { tasks[$0]?.role }
            if roles.count != job.tasks.count { broken.append("\(job.id): a task without a record") }
            if Set(roles).count != roles.count { broken.append("\(job.id): a task twice") }
            guard let schedule = job.schedule else { continue }
            if job.nextRow - job.rowsWritten > schedule.window { broken.append("\(job.id): beyond its window") }
            if job.rowsWritten > job.rowsAccepted { broken.append("\(job.id): more written than accepted") }
            let encoding = roles.filter { if case .encode = $0 { true } else { false } }.count
            let begun = job.nextRow + (job.nextColumn > 0 ? 1 : 0)
            let accounted = job.openRows.count + job.encodable.count + encoding + job.rowsAccepted
            if begun != accounted { broken.append("\(job.id): \(begun) rows begun, \(accounted) accounted for") }
        }
        return broken
    }
}
