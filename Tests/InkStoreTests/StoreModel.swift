import InkEngine
import InkProtocol
import InkTestSupport

@testable import InkStore

/// What a store must do, in a dictionary.
struct StoreModel {
    struct Job {
        var record: JobRecord
        var content: ContentID?
        var story: [UInt8]?
    }

    private(set) var jobs: [JobNumber: Job] = [:]
    /// The submissions of batches that were entered as a whole.
    private var entries: [[UInt8]: [[UInt8]]] = [:]
    private(set) var lastJob: JobNumber = 0
    private(set) var lastNotice: UInt64 = 0

    /// Nil when the store must refuse the batch; then nothing is changed.
    mutating func apply(_ entries: [JournalEntry]) -> [JournalOutcome]? {
        var changed = self
        var outcomes: [JournalOutcome] = []
        for entry in entries {
            guard let outcome = changed.apply(entry) else { return nil }
            outcomes.append(outcome)
        }
        self = changed
        return outcomes
    }

    private mutating func apply(_ entry: JournalEntry) -> JournalOutcome? {
        switch entry {
        case .accept(let record):
            if let older = jobs.values.first(where: { $0.record.key == record.key }) {
                return older.record.submission == record.submission
                    ? .accepted(older.record.number, isNew: false) : .conflict
            }
            guard jobs[record.number] == nil else { return nil }
            var job = Job(record: record)
            if case .content(let id, _, _)? = (try? Submission(stored: record.submission))?.source { job.content = id }
            jobs[record.number] = job
            lastJob = max(lastJob, record.number)
            return .accepted(record.number, isNew: true)
        case .enter(let records):
            let batch = records[0].key.bytes.prefix(JobStore.batchBytes)
            let known = jobs.values.filter { $0.record.key.bytes.starts(with: batch) }.map(\.record)
            if let submissions = entries[Array(batch)] {
                guard submissions == records.map(\.submission) else { return .conflict }
                let sorted = known.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
                return .entered(sorted.map(\.number), isNew: false)
            }
            if records.contains(where: { record in known.contains { $0.key == record.key } }) { return .conflict }
            for record in records {
                guard apply(.accept(record)) != nil else { return nil }
            }
            entries[Array(batch)] = records.map(\.submission)
            return .entered(records.map(\.number), isNew: true)
        case .starting(let number):
            return change(number, where: { $0 == .queued || $0 == .starting }) {
                $0.record.state = .starting
                $0.record.warnings = []
            }
        case .warned(let number, let lines): return change(number, where: { _ in true }) { $0.record.warnings = lines }
        case .queued(let number, let crashes):
            return change(number, where: \.isUnfinished) {
                $0.record.state = .queued
                $0.record.crashes = crashes
            }
        case .publishing(let number, let seal):
            return change(number, where: \.isUnfinished) { $0.record.state = .publishing(seal) }
        case .ended(let number, let ending, let notice, let time, let story):
            lastNotice = max(lastNotice, notice)
            return change(number, where: \.isUnfinished) {
                $0.record.state = .ended(ending == .unknown ? .cancelled : ending)
                $0.record.notice = notice
                $0.record.endedAt = time
                $0.story = story.isEmpty ? nil : story
            }
        case .retried(let number):
            return change(number, where: { !$0.isUnfinished && !$0.isFinished }) {
                $0.record.state = .queued
                $0.record.notice = 0
                $0.record.endedAt = nil
                $0.record.crashes = 0
                $0.record.isPaused = false
                $0.story = nil
            }
        case .priority(let number, let priority):
            return change(number, where: \.isUnfinished) { $0.record.priority = priority }
        case .paused(let number, let isPaused):
            return change(number, where: \.isUnfinished) { $0.record.isPaused = isPaused }
        case .probe: return .done
        case .purged(let number):
            let outcome = change(number, where: { !$0.isUnfinished }) { _ in }
            guard outcome == .done, let key = jobs.removeValue(forKey: number)?.record.key else { return outcome }
            let batch = key.bytes.prefix(JobStore.batchBytes)
            if !jobs.values.contains(where: { $0.record.key.bytes.starts(with: batch) }) {
                entries[Array(batch)] = nil
            }
            return outcome
        }
    }

    private mutating func change(
        _ number: JobNumber, where allows: (StoredState) -> Bool, _ body: (inout Job) -> Void
    ) -> JournalOutcome {
        guard var job = jobs[number], allows(job.record.state) else { return .unchanged }
        body(&job)
        jobs[number] = job
        return .done
    }

    // MARK: - Comparison

    /// The first read of the store that is not as it must be.
    func difference(from store: JobStore, _ random: inout SeededGenerator) throws -> String? {
        let expected = jobs.values.map(\.record).sorted { $0.number < $1.number }
        let limit = random.int(1...50)
        var found: [JobRecord] = []
        while true {
            let page = try store.records(after: found.last?.number ?? 0, limit: limit)
            found += page
            guard page.count == limit else { break }
        }
        if let (job, other) = zip(expected, found).first(where: { $0 != $1 }) {
            return "job \(job.number): \(Self.difference(of: other, from: job))"
        }
        guard expected.count == found.count else { return "\(found.count) jobs, not \(expected.count)" }

        var unfinished: [JobRecord] = []
        try store.forEachUnfinished { unfinished.append($0) }
        guard unfinished == expected.filter(\.state.isUnfinished) else { return "unfinished jobs" }
        guard try store.counts() == counts else { return "counts \(try store.counts()), not \(counts)" }
        let references = Set(jobs.values.filter { !$0.record.state.isFinished }.compactMap(\.content))
        guard try store.contentReferences() == references else { return "content references" }
        let next = (try store.nextJobNumber(), try store.nextNotice())
        guard next == (lastJob + 1, lastNotice + 1) else { return "next numbers \(next)" }

        let (time, count) = (Int64(random.int(0...100)), random.int(0...20))
        let ended = expected.filter { $0.endedAt.map { $0 < time } ?? false }
            .sorted { ($0.endedAt ?? 0, $0.number) < ($1.endedAt ?? 0, $1.number) }
        let endedFound = try store.ended(before: time, limit: count)
        guard endedFound == ended.prefix(count).map(\.number) else { return "ended before \(time): \(endedFound)" }

        for number in [JobNumber(random.int(1...Int(lastJob + 2)))]
            + expected.map(\.number).shuffled(using: &random).prefix(8)
        {
            let job = jobs[number]
            guard try store.record(number) == job?.record else { return "record of job \(number)" }
            guard try store.story(number) == job?.story else { return "story of job \(number)" }
            if let key = job?.record.key, try store.known(key)?.job != number { return "key of job \(number)" }
        }
        guard try store.known(SubmissionKey(bytes: random.bytes(16)))?.job == nil else { return "a key nobody has" }
        return nil
    }

    private static func difference(of record: JobRecord, from expected: JobRecord) -> String {
        for (value, other) in zip(Mirror(reflecting: record).children, Mirror(reflecting: expected).children)
        where "\(value)" != "\(other)" { return "\(value), not \(other)" }
        return "nothing"
    }

    private var counts: StoreCounts {
        var counts = StoreCounts()
        for job in jobs.values {
            switch job.record.state {
            case .queued, .starting, .publishing: counts.unfinished += 1
            case .ended(.finished): counts.finished += 1
            case .ended(.failed): counts.failed += 1
            case .ended(.cancelled), .ended(.unknown): counts.cancelled += 1
            }
        }
        return counts
    }

    // MARK: - Random changes

    /// A batch that may do everything but has an entry that the store must refuse in one of `refusedEvery` cases.
    func batch(_ count: Int, refusedEvery: Int? = nil, _ random: inout SeededGenerator) -> [JournalEntry] {
        var next = lastJob + 1
        let keys = jobs.values.map(\.record.key).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        var entries = (0..<count).map { _ in entry(&next, keys, &random) }
        if let refusedEvery, random.int(1...refusedEvery) == 1, let taken = jobs.keys.min() {
            // Not one that an entry before has purged.
            entries.removeAll { $0 == .purged(taken) }
            let record = record(taken, SubmissionKey(bytes: random.bytes(16)), &random)
            entries.insert(.accept(record), at: random.int(0...entries.count))
        }
        return entries
    }

    private func entry(
        _ next: inout JobNumber, _ keys: [SubmissionKey], _ random: inout SeededGenerator
    ) -> JournalEntry {
        // Mostly jobs that are there, some of this batch, some that are purged or were never there.
        let job = JobNumber(random.int(max(1, Int(next) - 30)...Int(next)))
        switch random.int(0...15) {
        case 15:
            // Mostly a new batch, or one that is known, as it was or with other submissions.
            let known = entries.keys.sorted { $0.lexicographicallyPrecedes($1) }.randomElement(using: &random)
            let batch = random.chance(40) ? known ?? random.bytes(12) : random.bytes(12)
            let again = random.chance(50) ? entries[batch] : nil
            return .enter(
                (0..<(again?.count ?? random.int(1...3))).map { index in
                    defer { next += 1 }
                    var record = record(next, SubmissionKey(bytes: batch + [0, 0, 0, UInt8(index)]), &random)
                    if let again { record.submission = again[index] }
                    return record
                })
        case 0...4:
            let key = random.chance(15) ? keys.randomElement(using: &random) : nil
            defer { next += UInt64(random.int(1...2)) }
            return .accept(record(next, key ?? SubmissionKey(bytes: random.bytes(16)), &random))
        case 5: return .starting(job)
        case 6: return .queued(job, crashes: random.int(0...3))
        case 7: return .publishing(job, random.seal())
        case 8...10:
            let story = random.chance(30) ? [] : random.bytes(random.int(1...300))
            return .ended(
                job, random.ending(), notice: UInt64(random.int(1...1_000)), at: Int64(random.int(0...99)),
                story: story)
        case 11: return .retried(job)
        case 12 where random.int(0...1) == 0: return .paused(job, random.int(0...1) == 1)
        case 12: return .priority(job, random.int(-10...10))
        case 13: return .warned(job, (0..<random.int(0...3)).map { _ in random.text() })
        default: return .purged(job)
        }
    }

    private func record(
        _ number: JobNumber, _ key: SubmissionKey, _ random: inout SeededGenerator
    ) -> JobRecord {
        let content = random.chance(70) ? StoreSamples.content(UInt64(random.int(1...20))) : nil
        let submission =
            random.chance(10)
            ? random.bytes(random.int(0...40)) : StoreSamples.submission(key, content: content).stored
        return JobRecord(
            number: number, key: key, submission: submission, owner: random.text(), priority: random.int(-10...10),
            crashes: random.int(0...2), createdAt: Int64(bitPattern: random.next()))
    }
}

extension StoredState {
    fileprivate var isUnfinished: Bool { if case .ended = self { false } else { true } }
    fileprivate var isFinished: Bool { if case .ended(.finished) = self { true } else { false } }
}
