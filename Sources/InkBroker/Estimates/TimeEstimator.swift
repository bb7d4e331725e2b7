import Glibc
import InkProtocol

/// Estimates how long jobs still take, from what their work is planned to cost and what work has cost so far.
///
/// A value without a clock: times are arguments, nanoseconds of any monotonic clock. Each kind of work has a ratio of
/// measured time to estimate, learned over all jobs and corrected within a job. Intervals are as wide as earlier
/// estimates of the same sort were wrong.
struct TimeEstimator: Sendable {
    /// The number of threads of all workers.
    var threads = 0
    private var jobs: [JobID: JobEstimate] = [:]
    private var places = 0
    private(set) var learned = LearnedRatios()
    private var errors: [ErrorSort: ErrorHistory] = [:]
    /// Time that threads were occupied, and that they spent on tasks; older times count less.
    private var occupied = Self.assumedTime / Self.assumedEfficiency
    private var worked = Self.assumedTime
    private var lastTask: UInt64 = 0
    /// Whether no task has been done since there were none: those that began together are all still to end.
    private var isStarting = true
    /// Statistics of jobs that have ended: how many, and the mean and variance of the time of their tasks.
    private var ended = (count: 0, mean: 0.0, variance: 0.0)

    private static let assumedTime = 300e6
    private static let assumedEfficiency = 0.93
    /// What a task's time weighs when the next one ends.
    private static let decay = 0.99
    /// The share of a job's time by which an estimate may be wrong: the last milliseconds are no concern.
    private static let slack = 0.01

    // MARK: - Events

    mutating func submitted(_ id: JobID, _ size: RoughSize?, priority: Int, weight: Int, now: UInt64) {
        places += 1
        let size =
            size
            ?? RoughSize(
                kind: .unknown, work: ended.count > 0 ? ended.mean : Self.unknownWork, prepare: 20e6)
        jobs[id] = JobEstimate(size, priority: priority, weight: weight, place: places, now: now)
    }

    /// Nanoseconds of the tasks of a job of which nothing is known.
    private static let unknownWork = 2e9

    mutating func prioritySet(_ id: JobID, _ priority: Int) { jobs[id]?.priority = priority }

    /// A paused job has no time left, and takes none from others.
    mutating func pauseSet(_ id: JobID, _ isPaused: Bool, now: UInt64) { jobs[id]?.pause(isPaused, now: now) }

    mutating func began(_ id: JobID, now: UInt64) { jobs[id]?.begin(now: now) }

    /// As `JobEstimate.prepared`.
    mutating func prepared(_ id: JobID, _ work: PictureWork, images: [Double], preparation: UInt64, now: UInt64) {
        jobs[id]?.prepared(work, images: images, preparation: preparation, now: now)
    }

    mutating func setAlone(_ id: JobID, _ isAlone: Bool) { jobs[id]?.isAlone = isAlone }

    /// As `JobEstimate.made`.
    mutating func made(_ id: JobID, _ phases: PhaseTimes, now: UInt64) { jobs[id]?.made(phases, now: now) }

    mutating func planned(_ id: JobID, _ work: PictureWork, now: UInt64) { jobs[id]?.planned(work, now: now) }

    /// A task goes to a worker; `underWay` are then on the way in all.
    mutating func dispatched(underWay: Int) { if underWay <= 1 { isStarting = true } }

    /// A worker has done a task.
    ///
    /// - Parameters:
    ///   - estimate: nanoseconds, for an image.
    ///   - underWay: tasks of all jobs that workers had.
    mutating func done(
        _ id: JobID, _ role: TaskRole, _ claimed: PhaseTimes, estimate: Double, underWay: Int, now: UInt64
    ) {
        // Workers are not believed that something took longer than an hour; sums of larger numbers could overflow.
        var phases = PhaseTimes()
        phases.add(claimed, atMost: 3_600_000_000_000)
        if !isStarting {
            let time = phases.decode + phases.raster + phases.composite + phases.encode
            let busy = Double(max(1, min(underWay, threads)))
            occupied = occupied * Self.decay + Double(now - min(now, lastTask)) * busy
            worked = worked * Self.decay + Double(time)
        }
        (lastTask, isStarting) = (now, false)
        jobs[id]?.done(role, phases, estimate: estimate, now: now)
    }

    mutating func accepted(_ id: JobID, _ role: TaskRole, estimate: Double, now: UInt64) {
        jobs[id]?.accepted(role, estimate: estimate, now: now)
    }

    mutating func lookedUp(_ id: JobID, isFound: Bool) { jobs[id]?.lookedUp(isFound: isFound) }

    /// Forgets a job, and learns from one that was finished.
    mutating func ended(_ id: JobID, isFinished: Bool, now: UInt64) {
        guard let job = jobs.removeValue(forKey: id), isFinished else { return }
        for told in job.toldAtMoments(until: now) {
            let truth = Double(now - min(now, told.time))
            let error = log((truth + told.slack) / (told.expected + told.slack))
            // Pictures of an encoding err alike; of one that is new, as others do.
            let (general, others) = (told.sort.general, quantiles(told.sort))
            errors[told.sort, default: ErrorHistory(others, count: 6)].add(error)
            if told.sort != general { errors[general, default: ErrorHistory(general.usual)].add(error) }
        }
        for (kind, ratio) in job.measurements(now: now) {
            learned.learn(kind, ratio: ratio)
            if kind == job.rough.kind { count(ratio * job.rough.total) }
        }
    }

    private mutating func count(_ work: Double) {
        let weight = max(1.0 / 32, 1 / Double(ended.count + 1))
        let step = work - ended.mean
        ended.mean += weight * step
        ended.variance = (1 - weight) * (ended.variance + weight * step * step)
        ended.count += 1
    }

    // MARK: - Questions

    /// What the farm's threads do with their time, 0 to 1.
    private var efficiency: Double { min(1, max(0.05, worked / max(1, occupied))) }

    /// The time left for every job; for none while there is no thread.
    ///
    /// - Parameter underWay: the number of a job's tasks that workers have.
    /// - Complexity: O(jobs · log jobs).
    mutating func timesLeft(now: UInt64, underWay: (JobID) -> Int) -> [JobID: TimeLeft] {
        guard threads > 0 else { return [:] }
        var times: [JobID: TimeLeft] = [:]
        for expectation in expectations(now: now, underWay) {
            times[expectation.id] = tell(expectation, now: now)
        }
        return times
    }

    /// New estimates for the jobs that have had none for a while, the longer the longer they have been going on; in
    /// order of submission.
    mutating func newTimesLeft(now: UInt64, underWay: (JobID) -> Int) -> [(JobID, TimeLeft)] {
        let due = jobs.filter { $0.value.nextTold <= now }
        guard !due.isEmpty else { return [] }
        let times = timesLeft(now: now, underWay: underWay)
        // Many are reported less often.
        let pause = UInt64(jobs.count) * Self.tellingPause
        return due.sorted { $0.value.place < $1.value.place }.compactMap { id, job in
            let age = (now - min(now, job.submitted)) / 20
            jobs[id]?.nextTold = now + max(pause, min(max(age, Self.tellingMin), Self.tellingMax))
            return times[id].map { (id, $0) }
        }
    }

    /// Nanoseconds between two estimates of a job.
    private static let tellingMin: UInt64 = 50_000_000
    private static let tellingMax: UInt64 = 500_000_000
    /// The shortest pause between two estimates, for each job that there is.
    private static let tellingPause: UInt64 = 5_000_000

    /// What a further job like those before adds to the time until all is done; nil before the first has ended.
    var timePerJob: TimeLeft? {
        guard threads > 0, ended.count > 0 else { return nil }
        let scale = 1 / (efficiency * Double(threads) * 1e9)
        let deviation = 1.645 * ended.variance.squareRoot() + 0.25 * ended.mean
        return TimeLeft(
            seconds: scale * ended.mean, low: scale * (ended.mean - deviation), high: scale * (ended.mean + deviation))
    }

    /// The expected nanoseconds of a job, and which shares of them rest on no measurement, and are for whole files.
    private struct Expectation {
        var id: JobID
        var nanoseconds: Double
        var doubt: Double
        var wholes: Double
    }

    /// Jobs of one priority take turns by weight and by what the scheduler takes their tasks for, which may be far from what
    /// they take; those of a lower priority, and those that wait, come after.
    private func expectations(
        now: UInt64, _ underWay: (JobID) -> Int
    ) -> [Expectation] {
        struct Entry {
            var id: JobID
            var job: JobEstimate
            var demand: JobEstimate.Demand

            /// Turns until it is done, and what each takes the threads.
            var turns: Double { max(1, demand.turns) / job.weight }
            var pace: Double { demand.threads / turns }
        }
        let efficiency = efficiency
        let entries = jobs.filter { !$0.value.isPaused }.map { id, job in
            Entry(
                id: id, job: job,
                demand: job.demand(
                    learned, threads: threads, underWay: underWay(id), efficiency: efficiency, now: now))
        }.sorted { a, b in
            let (waitsA, waitsB) = (a.job.phase == .waiting, b.job.phase == .waiting)
            return waitsA != waitsB
                ? waitsB : (b.job.priority, a.job.place) < (a.job.priority, b.job.place)
        }
        var results: [Expectation] = []
        var (before, lane) = (0.0, 0.0)
        // Each that ends makes room for one of them.
        var waiting = entries.count { $0.job.phase == .waiting }
        var index = 0
        while index < entries.count {
            // Those that take turns; one that waits is alone.
            let first = entries[index].job
            let end =
                first.phase == .waiting
                ? index + 1
                : entries[index...].firstIndex { $0.job.phase == .waiting || $0.job.priority != first.priority }
                    ?? entries.count
            let group = entries[index..<end]
            // What a turn of all of them takes the threads.
            var pace = group.reduce(0) { $0 + $1.pace }
            var (turn, time) = (0.0, before)
            var ends: [JobID: Double] = [:]
            for entry in group.sorted(by: { $0.turns < $1.turns }) {
                time += (entry.turns - turn) * pace / Double(threads)
                turn = entry.turns
                if waiting > 0 { waiting -= 1 } else { pace -= entry.pace }
                ends[entry.id] = time
            }
            for entry in group {
                lane += entry.demand.lane
                let shared = (ends[entry.id] ?? 0) + entry.demand.finish
                let alone = (first.phase == .waiting ? before : 0) + lane + entry.demand.path
                let expected = max(shared, alone)
                // Turns that others take are as uncertain as they are.
                let doubt = entry.demand.doubtful + max(0, expected - alone) * 0.3
                results.append(
                    Expectation(
                        id: entry.id, nanoseconds: expected, doubt: doubt / max(1, expected),
                        wholes: entry.demand.wholes / max(1, expected)))
            }
            before += group.reduce(0) { $0 + $1.demand.threads } / Double(threads)
            index = end
        }
        return results
    }

    /// The errors to expect of an estimate.
    private func quantiles(_ sort: ErrorSort) -> ErrorHistory.Usual {
        (errors[sort] ?? errors[sort.general])?.quantiles ?? sort.usual
    }

    /// The interval of an estimate, which is kept for the comparison.
    private mutating func tell(_ expectation: Expectation, now: UInt64) -> TimeLeft? {
        let (id, expected) = (expectation.id, expectation.nanoseconds)
        guard let job = jobs[id] else { return nil }
        let elapsed = job.begun.map { Double(now - min(now, $0)) }
        let progress = elapsed.map { $0 / max(1, $0 + expected) }
        let sort = ErrorSort(
            progress: progress, doubt: expectation.doubt, isAlone: jobs.count == 1, isWhole: expectation.wholes > 0.5,
            encoding: job.encoding)
        let slack = Self.slack * ((elapsed ?? 0) + expected) + 1e6
        jobs[id]?.tell(.init(time: now, expected: expected, slack: slack, sort: sort))
        let quantiles = quantiles(sort)
        func seconds(_ error: Double) -> Double { ((expected + slack) * exp(error) - slack) / 1e9 }
        return TimeLeft(
            seconds: seconds(quantiles.middle), low: seconds(quantiles.low), high: seconds(quantiles.high))
    }
}
