import InkProtocol

extension SchedulerState {
    /// The broken invariants of the state, one line each; empty if the state is valid. For tests, after every event.
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
            let job = jobs[task.job]
            let queues = [job?.retries ?? [], suspects, job?.missing ?? [], job.map { Array($0.sought) } ?? []]
            let waits = queues.reduce(0) { sum, queue in sum + queue.count { $0 == task.id } }
            let isWaiting = waits == 1 && task.leases.isEmpty
            // During a race, two workers hold it.
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
            let positions = job.tasks.compactMap { tasks[$0]?.position }
            if positions.count != job.tasks.count { broken.append("\(job.id): a task without a record") }
            if Set(positions).count != positions.count { broken.append("\(job.id): a task twice") }
            broken += job.graph.brokenStages(with: positions).map { "\(job.id): \($0)" }
        }
        return broken
    }
}

extension StageGraph {
    /// - Parameter positions: of the tasks that have been dispatched and not accepted.
    fileprivate func brokenStages(with positions: [TaskPosition]) -> [String] {
        var broken: [String] = []
        for (number, progress) in stages.enumerated() {
            let (stage, begun, accepted) = (progress.stage, progress.begun, progress.accepted)
            let name = "stage \(number)"
            if let window = stage.window, begun - progress.written > window {
                broken.append("\(name): beyond its window")
            }
            if progress.written > accepted { broken.append("\(name): more written than accepted") }
            if begun != progress.open.count + accepted {
                broken.append("\(name): \(begun) groups begun, \(progress.open.count) open and \(accepted) accepted")
            }
            let undispatched = progress.current == nil ? 0 : stage.tasks - progress.nextIndex
            let missing = progress.open.values.reduce(0, +) - undispatched
            let known = positions.count { $0.stage == number }
            if known != missing { broken.append("\(name): \(missing) results missing, \(known) tasks known") }
            if begun > 0, !isOpen(stage) { broken.append("\(name): begun before its inputs are complete") }
            guard !progress.sources.isEmpty else { continue }
            let received =
                progress.sources.count * (begun + progress.ready.count + progress.waiting.count)
                - progress.waiting.values.reduce(0, +)
            let sent = progress.sources.reduce(0) { $0 + stages[$1].accepted }
            if received != sent { broken.append("\(name): \(received) groups received, \(sent) sent") }
        }
        return broken
    }
}
