import InkBroker
import InkProtocol

/// Clients in the same process.
extension ServiceLoop {
    func join(_ session: SessionID, _ client: LocalClient) {
        locals[session] = client
        tell(.joined(session, owner: client.owner))
    }

    func depart(_ session: SessionID) {
        guard locals.removeValue(forKey: session) != nil else { return }
        tell(.left(session))
    }

    func take(_ message: ClientMessage, ofLocal session: SessionID) {
        guard locals[session] != nil else { return }
        take(message, from: session)
    }

    /// The phase of a job as people see it: one that needs a worker and has none waits, whatever the broker has done
    /// for it.
    func shownPhase(of number: JobNumber) -> ServiceState.Job.Phase? {
        let phase = state.jobs[number]?.phase
        switch phase {
        case .starting: return .waiting
        case .active: return runs[number]?.isUnderWay(workers: workerCount) == true ? phase : .waiting
        default: return phase
        }
    }

    /// How many jobs are where, as `shownPhase` has it.
    var counts: (queued: Int, running: Int, paused: Int) {
        var counts = state.counts
        let waiting = state.activeJobs.count { shownPhase(of: $0) == .waiting && state.jobs[$0]?.isPaused == false }
        counts.queued += waiting
        counts.running -= waiting
        return counts
    }

    /// What is known here of jobs that have not ended.
    func live(_ numbers: [JobNumber]) -> [JobNumber: LiveJob] {
        var found: [JobNumber: LiveJob] = [:]
        for number in numbers {
            guard let phase = shownPhase(of: number) else { continue }
            var live = LiveJob()
            switch phase {
            case .waiting, .recovering: break
            case .starting: live.isRunning = true
            case .active(let isRead):
                live.isRunning = true
                live.phase = isRead ? .rendering : .reading
            case .ending:
                live.isRunning = true
                live.phase = .ending
            }
            if let run = runs[number] { (live.done, live.total, live.timeLeft) = (run.done, run.total, run.timeLeft) }
            if live.total > 0, live.done == live.total { live.phase = .ending }
            found[number] = live
        }
        return found
    }

    /// Until the last job of each of these groups has ended; nil if that is not known.
    func timesLeft(of groups: [[JobNumber]], _ report: BrokerReport) -> [TimeLeft?] {
        let groups = groups.map { numbers in
            numbers.compactMap { number in state.jobs[number].map { (number: number, job: $0) } }
        }
        // The waiting one whose turn comes last.
        let last = groups.map { jobs in
            jobs.filter { $0.job.phase == .waiting }
                .max { (-$0.job.priority, $0.number) < (-$1.job.priority, $1.number) }?.number
        }
        let counts = state.counts(upTo: last.compactMap(\.self))
        return zip(groups, last).map { jobs, last in
            guard !jobs.isEmpty, !jobs.contains(where: \.job.isPaused) else { return nil }
            if let last { return report.timeLeft(with: counts[last] ?? 0) }
            return jobs.compactMap { runs[$0.number]?.timeLeft }.max { $0.seconds < $1.seconds }
        }
    }

    func tiles(of number: JobNumber) -> JobTiles? {
        guard let run = runs[number], let tiles = run.tiles else { return nil }
        return JobTiles(tiles: tiles, done: run.tilesDone)
    }
}
