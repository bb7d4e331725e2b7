import InkProtocol
import InkStore

/// From a stored job to its durable end.
extension ServiceState {
    mutating func enqueue(_ number: JobNumber, _ job: Job) {
        var job = job
        job.phase = .waiting
        job.isAlone = false
        jobs[number] = job
        activeJobs.remove(number)
        line(up: number, job)
    }

    /// A paused job has no place among those that wait for their turn.
    mutating func line(up number: JobNumber, _ job: Job) {
        if !job.isPaused { queue.insert(number, priority: job.priority, weight: job.weight, owner: job.owner) }
    }

    /// How many jobs are where. Those whose end the disk has refused do not count.
    var counts: (queued: Int, running: Int, paused: Int) {
        var counts = (queued: queue.count, running: 0, paused: 0)
        counts.paused = jobs.values.count { $0.isPaused }
        let recovering = jobs.values.count { $0.phase == .recovering && !$0.isPaused }
        counts.queued += recovering
        counts.running = jobs.count - counts.queued - counts.paused - stuckEnds.count
        return counts
    }

    /// The jobs that run, and how many places of those that may run they take. The broker holds little for a picture that
    /// a worker makes alone, so that threads decide how many of them there are.
    private var running: (jobs: Set<JobNumber>, places: Int) {
        let running = activeJobs.filter { jobs[$0]?.isPaused != true }
        let alone = running.count { jobs[$0]?.isAlone == true }
        return (running, running.count - min(alone, aloneAtOnce))
    }

    mutating func setAlone(_ number: JobNumber, _ isAlone: Bool, atOnce: Int) {
        aloneAtOnce = atOnce
        guard jobs[number] != nil, activeJobs.contains(number) else { return }
        jobs[number]?.isAlone = isAlone
        jobs[number]?.tookNoPlace = true
    }

    /// Starts the next jobs as long as there is room.
    mutating func begin(now: UInt64) {
        guard !isStopping, now >= startsAgainAt else { return }
        while let highest = queue.highestPriority {
            let (running, count) = running
            let mayOvertake =
                count < rules.activeJobs + rules.overtakingJobs
                && running.allSatisfy { (jobs[$0]?.priority ?? .min) < highest }
            // A job that overtakes must not take another job's turn.
            guard count < rules.activeJobs || mayOvertake,
                let number = count < rules.activeJobs ? queue.take() : queue.takeHighest()
            else { return }
            jobs[number]?.phase = .starting
            activeJobs.insert(number)
            actions.append(.journal(.starting(number), [.starting(number)]))
        }
    }

    mutating func startingCommitted(_ number: JobNumber, _ result: Result<[JournalOutcome], StoreError>, now: UInt64) {
        guard var job = jobs[number], job.phase == .starting else { return }
        if job.wantsCancel {
            end(number, .cancelled, story: [])
            return
        }
        if case .failure = result {
            // Without the mark, a project that crashes the broker would crash it again and again. Try later.
            enqueue(number, job)
            startsAgainAt = now + rules.storageRetryMilliseconds
            return
        }
        if job.isPaused { return putBack(number, job) }
        job.phase = .active(isRead: false)
        jobs[number] = job
        actions.append(.start(number))
    }

    /// A job that was paused before it was started waits again.
    private mutating func putBack(_ number: JobNumber, _ job: Job) {
        actions.append(.journal(.note, [.queued(number, crashes: job.crashes)]))
        enqueue(number, job)
    }

    mutating func prepared(_ number: JobNumber) {
        guard let job = jobs[number], job.phase == .active(isRead: false) else { return }
        jobs[number]?.phase = .active(isRead: true)
        actions.append(.journal(.note, [.queued(number, crashes: job.crashes)]))
    }

    mutating func exportEnded(_ number: JobNumber, _ end: ExportEnd, story: [UInt8], now: UInt64) {
        guard let job = jobs[number], case .active = job.phase else { return }
        switch end {
        case .ended(.cancelled) where !job.wantsCancel:
            // The broker is stopping. The job is on disk and starts again with the broker.
            jobs[number]?.phase = .recovering
            activeJobs.remove(number)
            actions.append(.journal(.note, [.queued(number, crashes: job.crashes)]))
        case .ended(let ending): self.end(number, ending, story: story)
        case .again, .later:
            if case .later = end { startsAgainAt = now + rules.storageRetryMilliseconds }
            actions.append(.journal(.note, [.queued(number, crashes: job.crashes)]))
            if job.wantsCancel { self.end(number, .cancelled, story: story) } else { enqueue(number, job) }
        }
    }

    /// Writes the end of a job to disk; it is reported once stored.
    mutating func end(_ number: JobNumber, _ ending: JobEnding, story: [UInt8]) {
        guard jobs[number] != nil else { return }
        queue.remove(number)
        activeJobs.remove(number)
        jobs[number]?.phase = .ending(ending, notice: nextNotice, story: story)
        nextNotice += 1
        journalEnd(number)
    }

    mutating func journalEnd(_ number: JobNumber) {
        guard case .ending(let ending, let notice, let story)? = jobs[number]?.phase else { return }
        actions.append(.journal(.ended(number), [.ended(number, ending, notice: notice, at: 0, story: story)]))
    }

    mutating func endCommitted(
        _ number: JobNumber, _ result: Result<[JournalOutcome], StoreError>, now: UInt64
    ) {
        guard let job = jobs[number], case .ending(let ending, let id, _) = job.phase else { return }
        guard case .success = result else {
            stuckEnds[number] = stuckEnds[number] ?? now
            refusedEnds.insert(number)
            return
        }
        jobs[number] = nil
        stuckEnds[number] = nil
        actions.append(.told(number, ending))
        let notice = Notice(id: id, job: number, submission: job.submission, ending: ending)
        for session in job.watchers.sorted() { tell(notice, session, now: now) }
        ended(number, ending, for: job.cancellations)
    }

    mutating func recovered(_ number: JobNumber, _ isPublished: PictureReport?) {
        guard let job = jobs[number], job.phase == .recovering else { return }
        if let picture = isPublished {
            end(number, .finished(picture), story: [])
        } else {
            actions.append(.journal(.note, [.queued(number, crashes: job.crashes)]))
            if job.wantsCancel { end(number, .cancelled, story: []) } else { enqueue(number, job) }
        }
    }

    mutating func committed(_ token: JournalToken, _ result: Result<[JournalOutcome], StoreError>, now: UInt64) {
        switch token {
        case .accept(let key): acceptCommitted(key, result)
        case .enter(let id): enterCommitted(id, result)
        case .starting(let number): startingCommitted(number, result, now: now)
        case .ended(let number): endCommitted(number, result, now: now)
        case .order(let id): orderCommitted(id, result)
        case .note, .probe: break
        }
    }
}
