import InkPlanning
import InkProtocol
import InkSystem

/// What the estimates of the time left rest on, and who receives them.
extension BrokerLoop {
    /// How many tasks workers have.
    var tasksUnderWay: Int { exports.active.keys.reduce(0) { $0 + scheduler.tasksUnderWay(of: $1) } }

    func tellTimesLeft(now: UInt64) {
        for (id, time) in estimator.newTimesLeft(now: now, underWay: scheduler.tasksUnderWay) {
            onEvent(.timeLeft(id, time))
        }
    }

    /// Until all that the broker has is done; nil without workers, and if there is nothing.
    var timeLeft: TimeLeft? {
        let times = estimator.timesLeft(now: SystemClock.nanoseconds, underWay: scheduler.tasksUnderWay)
        return times.values.reduce(nil) { $0?.joined($1) ?? $1 }
    }

    /// Counts the threads again, because workers have come or gone.
    func countThreads() { estimator.threads = peers.values.reduce(0) { $0 + ($1.isDraining ? 0 : $1.threads) } }

    func noteForEstimates(_ event: ExportEvent) {
        let now = SystemClock.nanoseconds
        switch event {
        case .submitted(let job) where job.isEstimated:
            estimator.submitted(job.id, RoughSize(job), priority: job.priority, weight: job.weight, now: now)
        case .prioritySet(let id, let priority): estimator.prioritySet(id, priority)
        case .pauseSet(let id, let isPaused): estimator.pauseSet(id, isPaused, now: now)
        case .answered(let life, .prepared(let prepared)):
            guard exports[life] != nil, let work = prepared.work else { return }
            estimator.prepared(
                life.job, work, images: prepared.draft.images.map { Double($0.decodingNanoseconds) },
                preparation: prepared.time.elapsed, now: now)
        case .answered(let life, .planned(let planned)):
            guard let export = exports[life] else { return }
            estimator.planned(life.job, planned.plan.work, now: now)
            if export.isMade { estimator.made(life.job, export.counts.phases, now: now) }
        case .accepted(let life, let role, let result) where role.isReading:
            guard let export = exports[life], let draft = result.draft, let work = draft.work else { return }
            estimator.prepared(
                life.job, work, images: draft.images.map { Double($0.decodingNanoseconds) },
                preparation: export.counts.phases.prepare, now: now)
        case .accepted(let life, let role, _):
            guard let export = exports[life] else { return }
            let estimate = Double(export.image(of: role)?.decodingNanoseconds ?? 0)
            estimator.accepted(life.job, role, estimate: estimate, now: now)
        default: break
        }
    }

    func noteForEstimates(_ phases: PhaseTimes, _ assembly: Assembly) {
        guard let export = exports[assembly.life] else { return }
        estimator.done(
            assembly.life.job, assembly.role, phases,
            estimate: Double(export.image(of: assembly.role)?.decodingNanoseconds ?? 0), underWay: tasksUnderWay,
            now: SystemClock.nanoseconds)
    }

    func noteForEstimates(_ event: BrokerEvent) {
        let now = SystemClock.nanoseconds
        switch event {
        case .started(let id): estimator.began(id, now: now)
        case .alone(let id, let isAlone, _): estimator.setAlone(id, isAlone)
        case .finished(let id, _): estimator.ended(id, isFinished: true, now: now)
        case .failed(let id, _): estimator.ended(id, isFinished: false, now: now)
        default: break
        }
    }
}

extension SchedulerState {
    /// How many of a job's tasks workers have.
    func tasksUnderWay(of id: JobID) -> Int {
        guard let job = jobs[id] else { return 0 }
        return max(0, job.tasks.count - job.sought.count - job.missing.count - job.retries.count)
    }
}
