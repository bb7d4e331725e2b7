import Dispatch
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkStore

@Suite("The journal", .timeLimit(.minutes(5)))
struct JournalTests {
    private let folder: TemporaryFolder
    private let store: JobStore

    init() throws {
        folder = try TemporaryFolder()
        store = try JobStore(path: folder.path(of: "jobs.sqlite"))
    }

    /// What was told to callers, in order.
    private final class Answers: Sendable {
        private let list = Mutex<[(caller: Int, result: Result<[JournalOutcome], StoreError>)]>([])
        var all: [(caller: Int, result: Result<[JournalOutcome], StoreError>)] { list.withLock { $0 } }
        var callers: [Int] { all.map(\.caller) }
        var failures: [StoreError] {
            all.compactMap { if case .failure(let error) = $0.result { error } else { nil } }
        }

        func done(_ caller: Int) -> Journal.Done {
            { result in self.list.withLock { $0.append((caller, result)) } }
        }
    }

    /// Keeps the journal busy until `release`; then everything appended meanwhile is there at once.
    private struct Brake {
        private let semaphore = DispatchSemaphore(value: 0)

        init(_ journal: Journal) {
            let isHeld = DispatchSemaphore(value: 0)
            let semaphore = semaphore
            journal.append([]) { _ in
                isHeld.signal()
                semaphore.wait()
            }
            isHeld.wait()
        }

        func release() { semaphore.signal() }
    }

    private static func accepted(_ jobs: JobNumber...) -> [JournalOutcome] { jobs.map { .accepted($0, isNew: true) } }

    @Test func callersGetTheirOwnOutcomes() throws {
        let journal = try Journal(store: store)
        let answers = Answers()
        let brake = Brake(journal)
        journal.append([.accept(StoreSamples.record(1)), .accept(StoreSamples.record(2))], answers.done(0))
        journal.append([], answers.done(1))
        journal.append([.starting(1), .starting(9), .accept(StoreSamples.record(2))], answers.done(2))
        brake.release()
        journal.flush()
        #expect(answers.callers == [0, 1, 2])
        let results = try answers.all.map { try $0.result.get() }
        #expect(results == [Self.accepted(1, 2), [], [.done, .unchanged, .accepted(2, isNew: false)]])
        #expect(journal.statistics == JournalStatistics(commits: 2, entries: 5))
    }

    @Test(
        "Callers that come while it is busy share commits",
        arguments: [(512, 1), (100, 2), (7, 29), (1, 200), (0, 200)])
    func sharedCommits(maxBatch: Int, commits: Int) throws {
        let journal = try Journal(store: store, maxBatch: maxBatch)
        let answers = Answers()
        let brake = Brake(journal)
        for caller in 0..<200 {
            journal.append([.accept(StoreSamples.record(JobNumber(caller + 1)))], answers.done(caller))
        }
        brake.release()
        journal.stop()
        #expect(answers.callers == Array(0..<200))
        #expect(journal.statistics == JournalStatistics(commits: commits + 1, entries: 200))
    }

    @Test("Calls of many threads are carried out in the order of each")
    func order() throws {
        let (threads, rounds) = (8, 200)
        let journal = try Journal(store: store)
        let answers = Answers()
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let job = JobNumber(thread + 1)
            for round in 0..<rounds {
                let entry = round == 0 ? JournalEntry.accept(StoreSamples.record(job)) : .priority(job, round)
                journal.append([entry], answers.done(thread * rounds + round))
            }
        }
        journal.flush()
        #expect(answers.failures == [])
        for thread in 0..<threads {
            let own = answers.callers.filter { $0 / rounds == thread }
            #expect(own == Array((thread * rounds)..<((thread + 1) * rounds)), "thread \(thread)")
            #expect(try store.record(JobNumber(thread + 1))?.priority == rounds - 1)
        }
        let statistics = journal.statistics
        #expect(statistics.entries == threads * rounds)
        #expect(statistics.commits < threads * rounds, "\(statistics)")
    }

    @Test("After a flush, everything appended before is settled")
    func flush() throws {
        let store = try JobStore(path: ":memory:")
        let journal = try Journal(store: store)
        journal.flush()
        let missing = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<4_000 {
                let isDone = Flag()
                journal.append([]) { _ in isDone.raise() }
                journal.flush()
                if !isDone.isRaised { missing.add(1, ordering: .relaxed) }
            }
        }
        #expect(missing.load(ordering: .relaxed) == 0)
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isRaised: Bool { value.load(ordering: .acquiring) }
        func raise() { value.store(true, ordering: .releasing) }
    }

    @Test func callsInsideAnAnswerAreCarriedOutLater() throws {
        let journal = try Journal(store: store)
        let answers = Answers()
        journal.append([.accept(StoreSamples.record(1))]) { _ in
            journal.append([.starting(1)], answers.done(1))
        }
        journal.flush()
        #expect(try answers.all.map { try $0.result.get() } == [[.done]])
        #expect(try store.record(1)?.state == .starting)
    }

    @Test("One that cannot be done does not take those with it that share its commit")
    func oneBad() throws {
        let journal = try Journal(store: store)
        let answers = Answers()
        let brake = Brake(journal)
        for caller in 1...9 {
            var record = StoreSamples.record(JobNumber(caller))
            if caller == 5 { record.number = 1 }
            journal.append([.accept(record), .starting(record.number)], answers.done(caller))
        }
        brake.release()
        journal.flush()
        #expect(answers.callers == Array(1...9))
        #expect(answers.failures.count == 1)
        for (caller, result) in answers.all {
            if caller == 5 {
                #expect("\(result)".contains("UNIQUE"))
            } else {
                #expect(try result.get() == [.accepted(JobNumber(caller), isNew: true), .done])
            }
        }
        #expect(try store.records(after: 0, limit: 99).map(\.number) == [1, 2, 3, 4, 6, 7, 8, 9])
        #expect(journal.statistics == JournalStatistics(commits: 9, entries: 16))
    }

    @Test("While the store fails every caller is told; afterwards it goes on")
    func failingStore() throws {
        let journal = try Journal(store: store)
        let other = try Database(path: store.path)
        try other.run("ALTER TABLE jobs RENAME TO hidden")
        let answers = Answers()
        for caller in 1...50 { journal.append([.accept(StoreSamples.record(JobNumber(caller)))], answers.done(caller)) }
        journal.flush()
        #expect(answers.callers == Array(1...50))
        #expect(answers.failures.count == 50)
        #expect(answers.failures.allSatisfy { "\($0)".contains("no such table: jobs") && $0.isTemporary })
        #expect(journal.statistics == JournalStatistics())
        try other.run("ALTER TABLE hidden RENAME TO jobs")
        journal.append([.accept(StoreSamples.record(60))], answers.done(60))
        journal.flush()
        #expect(try answers.all.last?.result.get() == Self.accepted(60))
        #expect(try store.records(after: 0, limit: 99).map(\.number) == [60])
    }

    // MARK: - A full disk

    private static func largeRecord(_ number: JobNumber) -> JobRecord {
        var random = SeededGenerator(seed: number)
        var record = StoreSamples.record(number)
        record.submission = random.bytes(8_000)
        return record
    }

    @Test(
        "On a full disk every caller is told; with room again it goes on",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func fullDisk() throws {
        let disk = try #require(try SmallDisk(byteCount: 4 << 20))
        let path = disk.path + "/jobs.sqlite"
        var done: [JobRecord] = []
        do {
            let store = try JobStore(path: path)
            let journal = try Journal(store: store)
            for round in 0..<3 {
                let records = (1...20).map { Self.largeRecord(JobNumber(100 * round + $0)) }
                let (full, room) = (Answers(), Answers())
                disk.fill()
                for record in records { journal.append([.accept(record)], full.done(0)) }
                journal.flush()
                #expect(full.failures == [StoreError](repeating: .full(path: path), count: 20), "round \(round)")
                #expect(try store.records(after: 0, limit: 999) == done, "round \(round)")
                disk.makeRoom()
                for record in records { journal.append([.accept(record)], room.done(0)) }
                journal.flush()
                #expect(room.failures == [], "round \(round)")
                done += records
                #expect(try store.records(after: 0, limit: 999) == done, "round \(round)")
            }
        }
        let store = try JobStore(path: path)
        #expect(try store.records(after: 0, limit: 999) == done)
        #expect(try store.nextJobNumber() == 221)
    }

    @Test(
        "A store cannot be made on a full disk, but afterwards",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func madeOnFullDisk() throws {
        let disk = try #require(try SmallDisk(byteCount: 1 << 20))
        let path = disk.path + "/jobs.sqlite"
        disk.fill()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try JobStore(path: path) }
            #expect(error?.isTemporary == true, "\(error as Any)")
        }
        disk.makeRoom()
        let store = try JobStore(path: path)
        #expect(try store.apply([.accept(StoreSamples.record(1))]) == Self.accepted(1))
    }
}
