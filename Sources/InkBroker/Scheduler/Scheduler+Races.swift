import InkPlanning
import InkProtocol

/// Races: idle workers repeat the tasks of slow ones. A result that arrives twice costs less than one that all wait
/// for.
extension SchedulerState {
    /// A smaller gain does not justify a second dispatch. In nanoseconds.
    private static let leastGain: Double = 10_000_000
    /// Minimum time between searches for races, because a search takes time. In nanoseconds.
    private static let pause: UInt64 = 5_000_000

    /// Gives tasks of slow workers to idle workers as well, within the budget.
    mutating func race(after event: SchedulerEvent, now: UInt64) {
        switch event {
        case .taskFinished where now >= lastRace.saturatingSum(Self.pause): break
        case .tick, .workerJoined: break
        default: return
        }
        guard !tasks.isEmpty, workers.hasIdleThreads, counters.racedWork < raceBudget else { return }
        lastRace = now
        while let (task, worker) = nextRace(now: now) { lend(task, to: worker, now: now, isRace: true) }
    }

    private func nextRace(now: UInt64) -> (TaskID, WorkerID)? {
        let runners = workers.crews.mapValues { crew in
            let typical = crew.typicalPace ?? 0
            return crew.open.filter(\.hasIdleThread)
                .sorted { ($0.pace ?? typical, $0.id) < ($1.pace ?? typical, $1.id) }
        }
        var found: (task: TaskRecord, worker: WorkerID, rank: (Int, Int, TaskID))?
        for task in tasks.values where task.leases.count == 1 && !task.isSuspect && task.held.isEmpty {
            guard let job = jobs[task.job], !job.isPaused, let version = job.version, let idle = runners[version],
                !idle.isEmpty,
                let typical = workers.crews[version]?.typicalPace, isAffordable(task.cost)
            else { continue }
            // First the tasks that all others wait for, of the jobs with the highest priority.
            let rank = (-job.priority, job.graph.rank(of: task.position), task.id)
            if let found, found.rank < rank { continue }
            let remaining = remainingTime(task.leases[0], task.cost, typical: typical, now: now)
            let runner = idle.first {
                $0.id != task.leases[0].worker && !task.tried.contains($0.id) && $0.fits(task.cost)
            }
            guard let runner else { continue }
            // About half of a turnaround is waiting behind another task; an idle worker has none.
            let fresh = (runner.pace ?? typical) * Double(task.cost.nanoseconds) / 2
            guard remaining > 2 * fresh, remaining - fresh > Self.leastGain else { continue }
            found = (task, runner.id, rank)
        }
        return found.map { ($0.task.id, $0.worker) }
    }

    /// Expected remaining time of a lease, in nanoseconds. If a task has clearly taken longer than it would elsewhere,
    /// it is expected to need the same time again.
    private func remainingTime(_ lease: Lease, _ cost: TaskCost, typical: Double, now: UInt64) -> Double {
        let elapsed = Double(now - min(now, lease.since))
        let expected = (workers[lease.worker]?.pace ?? typical) * Double(cost.nanoseconds)
        let isLate = elapsed > lateness * typical * Double(cost.nanoseconds)
        return max(expected - elapsed, isLate ? elapsed : 0)
    }

    /// A task counts as late if it has taken this many times its expected time. The factor rises as the budget runs
    /// out, so that something is left for the slowest tasks.
    private var lateness: Double { counters.racedWork <= raceBudget / 2 ? 1.5 : 3 }

    private func isAffordable(_ cost: TaskCost) -> Bool {
        counters.racedWork.saturatingSum(cost.nanoseconds) <= raceBudget
    }

    /// Estimated nanoseconds of work that may have been done twice by now.
    private var raceBudget: UInt64 {
        let average = counters.work / UInt64(max(1, counters.dispatched))
        return (counters.work / rules.raceShare).saturatingSum(average.saturatingProduct(rules.raceAllowance))
    }
}

extension UInt64 {
    func saturatingProduct(_ other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
