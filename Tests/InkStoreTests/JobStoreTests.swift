import Dispatch
import Foundation
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

@Suite("The jobs of a broker")
struct JobStoreTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "jobs.sqlite")
    }

    private func store() throws -> JobStore { try JobStore(path: path) }

    @Test func acceptedJobIsReadBack() throws {
        let store = try store()
        var record = StoreSamples.record(7, content: StoreSamples.content(1), owner: "Jürgen\n墨\0x")
        (record.crashes, record.priority) = (2, -10)
        #expect(try store.nextJobNumber() == 1 && store.nextNotice() == 1)
        #expect(try store.apply([.accept(record)]) == [.accepted(7, isNew: true)])
        for store in [store, try self.store()] {
            #expect(try store.record(7) == record)
            #expect(try store.known(record.key)?.job == 7)
            #expect(try store.record(6) == nil)
            #expect(try store.known(StoreSamples.key(6))?.job == nil)
            #expect(try store.story(7) == nil)
            #expect(try store.nextJobNumber() == 8)
        }
    }

    @Test("The same key again is the older job, and none with another document, also within a batch")
    func sameKey() throws {
        let store = try store()
        let record = StoreSamples.record(1, content: StoreSamples.content(1))
        var again = StoreSamples.record(2, content: StoreSamples.content(2), owner: "bob")
        again.key = record.key
        let outcomes = try store.apply([.accept(record), .accept(again), .accept(StoreSamples.record(3))])
        #expect(outcomes == [.accepted(1, isNew: true), .conflict, .accepted(3, isNew: true)])
        again.number = 9
        #expect(try store.apply([.accept(again)]) == [.conflict])
        var same = record
        same.number = 10
        #expect(try store.apply([.accept(same)]) == [.accepted(1, isNew: false)])
        #expect(try store.records(after: 0, limit: 9) == [record, StoreSamples.record(3)])
        #expect(try store.contentReferences() == [StoreSamples.content(1)])
        #expect(try store.nextJobNumber() == 4)
    }

    /// Each state with the entries that it allows; the others leave it as it is.
    @Test func eachStateAllowsItsChanges() throws {
        let finished = JobEnding.finished(StoreSamples.picture)
        let failed = JobEnding.failed(.inputOutput, text: "ü")
        let states: [(name: String, [JournalEntry])] = [
            ("none", []), ("queued", [.accept(StoreSamples.record(1))]),
            ("starting", [.accept(StoreSamples.record(1)), .starting(1)]),
            ("publishing", [.accept(StoreSamples.record(1)), .publishing(1, StoreSamples.seal)]),
            ("finished", [.accept(StoreSamples.record(1)), StoreSamples.ended(1, finished)]),
            ("failed", [.accept(StoreSamples.record(1)), StoreSamples.ended(1, failed)]),
            ("cancelled", [.accept(StoreSamples.record(1)), StoreSamples.ended(1, .cancelled)]),
        ]
        let unended: Set = ["queued", "starting", "publishing"]
        let changes: [(JournalEntry, from: Set<String>, to: StoredState?)] = [
            (.starting(1), ["queued", "starting"], .starting),
            (.queued(1, crashes: 5), unended, .queued),
            (.publishing(1, StoreSamples.seal), unended, .publishing(StoreSamples.seal)),
            (.ended(1, finished, notice: 9, at: 77, story: [1]), unended, .ended(finished)),
            (.ended(1, failed, notice: 9, at: 77, story: [1]), unended, .ended(failed)),
            (.ended(1, .cancelled, notice: 9, at: 77, story: []), unended, .ended(.cancelled)),
            (.retried(1), ["failed", "cancelled"], .queued), (.purged(1), ["finished", "failed", "cancelled"], nil),
        ]
        for (name, entries) in states {
            for (change, from, to) in changes {
                let store = try JobStore(path: ":memory:")
                _ = try store.apply(entries)
                let (before, storyBefore) = (try store.record(1), try store.story(1))
                let isAllowed = from.contains(name)
                #expect(try store.apply([change]) == [isAllowed ? .done : .unchanged], "\(name): \(change)")
                let after = try store.record(1)
                if isAllowed {
                    #expect(after?.state == to, "\(name): \(change)")
                } else {
                    #expect(after == before, "\(name): \(change)")
                    #expect(try store.story(1) == storyBefore, "\(name): \(change)")
                }
            }
            let store = try JobStore(path: ":memory:")
            _ = try store.apply(entries)
            let isAllowed = unended.contains(name)
            #expect(try store.apply([.priority(1, -7)]) == [isAllowed ? .done : .unchanged], "\(name)")
            #expect(try store.record(1)?.priority == (name == "none" ? nil : isAllowed ? -7 : 1), "\(name)")
        }
    }

    @Test func onlyQueuedChangesCrashes() throws {
        let store = try store()
        func crashes(_ entry: JournalEntry) throws -> Int? {
            _ = try store.apply([entry])
            return try store.record(1)?.crashes
        }
        #expect(try crashes(.accept(StoreSamples.record(1))) == 0)
        #expect(try crashes(.queued(1, crashes: 2)) == 2)
        #expect(try crashes(.starting(1)) == 2)
        #expect(try crashes(StoreSamples.ended(1, .cancelled)) == 2)
        #expect(try crashes(.queued(1, crashes: 3)) == 2)
        #expect(try crashes(.retried(1)) == 0)
    }

    @Test func retriedJobHasNoEnd() throws {
        let store = try store()
        let record = StoreSamples.record(1, content: StoreSamples.content(1))
        _ = try store.apply([
            .accept(record), .ended(1, .failed(.noWorkers, text: ""), notice: 4, at: 50, story: Array("{}".utf8)),
        ])
        var ended = record
        (ended.state, ended.endedAt, ended.notice) = (.ended(.failed(.noWorkers, text: "")), 50, 4)
        #expect(try store.record(1) == ended)
        #expect(try store.story(1) == Array("{}".utf8))
        #expect(try store.ended(before: 51, limit: 9) == [1])
        _ = try store.apply([.retried(1)])
        #expect(try store.record(1) == record)
        #expect(try store.story(1) == nil)
        #expect(try store.ended(before: .max, limit: 9) == [])
        #expect(try unfinished(store) == [1])
        #expect(try store.nextNotice() == 5)
    }

    private func unfinished(_ store: JobStore) throws -> [JobNumber] {
        var found: [JobNumber] = []
        try store.forEachUnfinished { found.append($0.number) }
        return found
    }

    @Test("Numbers, notices and the name of the store outlast everything")
    func neverReused() throws {
        var storeID: SubmissionKey?
        do {
            let store = try store()
            storeID = store.storeID
            let outcomes = try store.apply([
                .accept(StoreSamples.record(7)), .accept(StoreSamples.record(3)),
                .ended(7, .cancelled, notice: 9, at: 1, story: []), .ended(3, .cancelled, notice: 5, at: 1, story: []),
                .purged(7), .purged(3),
            ])
            #expect(outcomes.suffix(2) == [.done, .done])
            #expect(try store.counts() == StoreCounts())
        }
        for _ in 0..<2 {
            let store = try store()
            #expect(store.storeID == storeID)
            #expect(try store.nextJobNumber() == 8)
            #expect(try store.nextNotice() == 10)
            #expect(try store.known(StoreSamples.key(7))?.job == nil)
        }
        var again = StoreSamples.record(8)
        again.key = StoreSamples.key(7)
        #expect(try store().apply([.accept(again)]) == [.accepted(8, isNew: true)])
        #expect(try JobStore(path: folder.path(of: "other.sqlite")).storeID != storeID)
    }

    @Test func storiesAreReadBack() throws {
        var random = SeededGenerator(seed: 1)
        let stories = [
            [], [0], Array("{\"tiles\": []}".utf8), random.bytes(10_000), [UInt8](repeating: 32, count: 3 << 20),
            // A zstd frame itself.
            try Zstandard.compress(random.bytes(100)),
        ]
        _ = try store().apply(
            stories.enumerated().flatMap { index, story in
                let job = JobNumber(index + 1)
                return [
                    JournalEntry.accept(StoreSamples.record(job)),
                    .ended(job, .cancelled, notice: job, at: 1, story: story),
                ]
            })
        let store = try store()
        for (index, story) in stories.enumerated() {
            #expect(try store.story(JobNumber(index + 1)) == (story.isEmpty ? nil : story), "\(index)")
        }
        #expect(try store.story(99) == nil)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size < 200_000, "\(status.st_size) bytes")
    }

    /// One job in each state, 1 to 6, all with a content of their own but the last, which has a path.
    private func oneOfEach() throws -> JobStore {
        let store = try store()
        _ = try store.apply(
            (1...6).map { .accept(StoreSamples.record($0, content: StoreSamples.content($0))) } + [
                .accept(StoreSamples.record(7)), .starting(2), .publishing(3, StoreSamples.seal),
                StoreSamples.ended(4, .finished(StoreSamples.picture), at: 300),
                StoreSamples.ended(5, .failed(.badInput, text: ""), at: 100),
                StoreSamples.ended(6, .cancelled, at: 200),
            ])
        return store
    }

    @Test func everyStateIsCounted() throws {
        var counts = StoreCounts()
        #expect(try store().counts() == counts)
        (counts.unfinished, counts.finished, counts.failed, counts.cancelled) = (4, 1, 1, 1)
        #expect(try oneOfEach().counts() == counts)
    }

    @Test func unfinishedJobsComeInOrder() throws { #expect(try unfinished(oneOfEach()) == [1, 2, 3, 7]) }

    @Test func endedJobsComeOldestFirst() throws {
        let store = try oneOfEach()
        #expect(try store.ended(before: 100, limit: 9) == [])
        #expect(try store.ended(before: 101, limit: 9) == [5])
        #expect(try store.ended(before: 300, limit: 9) == [5, 6])
        #expect(try store.ended(before: .max, limit: 9) == [5, 6, 4])
        #expect(try store.ended(before: .max, limit: 2) == [5, 6])
        #expect(try store.ended(before: .max, limit: 0) == [])
    }

    @Test("Contents are needed until the picture is there")
    func references() throws {
        let store = try oneOfEach()
        #expect(try store.contentReferences() == Set([1, 2, 3, 5, 6].map(StoreSamples.content)))
        _ = try store.apply([.purged(5), .retried(6), StoreSamples.ended(1, .finished(StoreSamples.picture))])
        #expect(try store.contentReferences() == Set([2, 3, 6].map(StoreSamples.content)))
    }

    /// A job of a batch.
    private func entry(_ number: JobNumber, batch: UInt8, _ index: UInt8) -> JournalEntry {
        var record = StoreSamples.record(number)
        let prefix = [UInt8](repeating: batch, count: JobStore.batchBytes)
        record.key = SubmissionKey(bytes: prefix + [0, 0, 0, index])
        return .accept(record)
    }

    @Test("Batches come newest first, in pages, as long as they have a job")
    func batches() throws {
        let store = try store()
        // The third and the fourth arrive at once.
        _ = try store.apply([
            entry(1, batch: 9, 0), entry(2, batch: 9, 1), entry(3, batch: 255, 0), entry(4, batch: 0, 0),
            entry(5, batch: 7, 0), entry(6, batch: 0, 1), entry(7, batch: 7, 1), entry(7, batch: 7, 1),
        ])
        func pages(of limit: Int, _ store: JobStore) throws -> [[UInt8]] {
            var (found, before) = ([[UInt8]](), JobNumber?.none)
            while true {
                let page = try store.batches(before: before, limit: limit)
                #expect(page.allSatisfy { $0.id == [UInt8](repeating: $0.id[0], count: JobStore.batchBytes) })
                if page.isEmpty { return found }
                found.append(page.map { $0.id[0] })
                before = page.last?.first
            }
        }
        #expect(try pages(of: 10, store) == [[7, 0, 255, 9]])
        #expect(try pages(of: 3, store) == [[7, 0, 255], [9]])
        #expect(try pages(of: 2, self.store()) == [[7, 0], [255, 9]])
        // Its place does not change with its jobs.
        for job in [1, 3] as [JobNumber] {
            _ = try store.apply([StoreSamples.ended(job, .cancelled), .purged(job)])
        }
        #expect(try store.apply([.purged(4), .purged(99)]) == [.unchanged, .unchanged])
        #expect(try pages(of: 10, store) == [[7, 0, 9]])
        #expect(try store.apply([entry(8, batch: 255, 0)]) == [.accepted(8, isNew: true)])
        #expect(try pages(of: 10, store) == [[255, 7, 0, 9]])
    }

    @Test func jobsComeInPages() throws {
        let store = try oneOfEach()
        #expect(try store.records(after: 0, limit: 3).map(\.number) == [1, 2, 3])
        #expect(try store.records(after: 3, limit: 3).map(\.number) == [4, 5, 6])
        #expect(try store.records(after: 6, limit: 3).map(\.number) == [7])
        #expect(try store.records(after: 7, limit: 3) == [])
        #expect(try store.records(after: 0, limit: 0) == [])
    }

    @Test("Of a batch that cannot be done, nothing is done")
    func allOrNothing() throws {
        let store = try store()
        _ = try store.apply([.accept(StoreSamples.record(1))])
        var other = StoreSamples.record(1)
        other.key = StoreSamples.key(2)
        let error = #expect(throws: StoreError.self) {
            try store.apply([
                .starting(1), .accept(StoreSamples.record(5)), StoreSamples.ended(5, .cancelled), .accept(other),
            ])
        }
        #expect(error?.description.contains("UNIQUE") == true)
        #expect(try store.records(after: 0, limit: 9) == [StoreSamples.record(1)])
        #expect(try store.nextJobNumber() == 2 && store.nextNotice() == 1)
        #expect(try store.apply([.starting(1)]) == [.done])
        #expect(try store.apply([]) == [])
    }

    @Test func readersSeeWholeBatches() throws {
        let store = try store()
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            do {
                for batch in 0..<100 {
                    if thread == 0 {
                        let first = JobNumber(batch * 10)
                        _ = try store.apply((1...10).map { .accept(StoreSamples.record(first + $0)) })
                    } else if thread == 1 {
                        #expect(try store.counts().unfinished % 10 == 0)
                    } else {
                        #expect(try store.records(after: 0, limit: 10_000).count % 10 == 0)
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(try store.counts().unfinished == 1_000)
    }

    @Test func filesAreForTheirOwner() throws {
        let store = try oneOfEach()
        try withExtendedLifetime(store) {
            #expect(try folder.contents() == ["jobs.sqlite", "jobs.sqlite-shm", "jobs.sqlite-wal"])
            for name in try folder.contents() { #expect(Files.mode(folder.path(of: name)) == 0o600, "\(name)") }
        }
    }

    // MARK: - What is refused

    private func refusal() throws -> StoreError { try #require(#expect(throws: StoreError.self) { try store() }) }

    @Test("A database with the tables of another version is refused and left as it is", arguments: [-1, 1])
    func otherSchema(difference: Int) throws {
        do { _ = try oneOfEach() }
        let own = JobStore.schemaVersion
        let other = own + difference
        try Database(path: path).run("PRAGMA user_version = \(other)")
        #expect(try refusal() == .otherSchema(path: path, version: other))
        #expect(
            try refusal().description
                == "\(path): was made by another version of this program (schema \(other), not \(own)); "
                + "use that version, or another data folder")
        #expect(try refusal().isTemporary == false)
        try Database(path: path).run("PRAGMA user_version = \(own)")
        #expect(try store().counts().unfinished == 4)
    }

    @Test(
        "The database of another program is refused and gets no tables of ours",
        arguments: [
            "CREATE TABLE songs (name TEXT)", "CREATE TABLE jobs (name TEXT)",
            "CREATE TABLE songs (name TEXT); PRAGMA user_version = 1", "PRAGMA user_version = 1",
            "PRAGMA user_version = -1",
        ])
    func foreign(sql: String) throws {
        try Database(path: path).run(sql)
        let before = try folder.read("jobs.sqlite")
        let error = try refusal()
        guard case .corrupt(path, .database("it is not a database of jobs")) = error else { throw error }
        #expect(!error.isTemporary)
        #expect(try folder.read("jobs.sqlite") == before)
    }

    @Test func filesThatAreNoDatabasesAreRefused() throws {
        try folder.write([UInt8](repeating: 65, count: 5_000), to: "jobs.sqlite")
        let error = try refusal()
        guard case .corrupt(path, _) = error else { throw error }
        #expect(error.description == "\(path): is damaged: file is not a database; restore a backup")
        #expect(try folder.read("jobs.sqlite") == [UInt8](repeating: 65, count: 5_000))
    }

    @Test func damagedPagesAreNoticed() throws {
        do {
            let store = try store()
            _ = try store.apply((1...500).map { .accept(StoreSamples.record($0)) })
        }
        var bytes = try folder.read("jobs.sqlite")
        try #require(bytes.count > 100_000)
        for index in 8_192..<(bytes.count - 8_192) { bytes[index] = UInt8(truncatingIfNeeded: index &* 37) }
        try folder.write(bytes, to: "jobs.sqlite")
        let error = #expect(throws: StoreError.self) {
            let store = try store()
            _ = try store.records(after: 0, limit: 1_000)
        }
        guard case .corrupt(path, _)? = error else { throw try #require(error) }
        #expect(error?.description.hasSuffix("; restore a backup") == true)
    }

    @Test func damagedStateIsNamed() throws {
        let store = try oneOfEach()
        try Database(path: path).run(
            "UPDATE jobs SET state = 9 WHERE number = 4; UPDATE jobs SET detail = x'05' WHERE number = 3")
        let first = #expect(throws: StoreError.self) { try store.record(4) }
        #expect(first?.description.contains("is damaged: state of job 4") == true, "\(first as Any)")
        guard case .corrupt(path, .value("state of job 4", .badValue("state", _, "9", _)))? = first else {
            throw try #require(first)
        }
        // The others are handed out.
        var whole: [JobNumber] = []
        var damaged: [(job: JobNumber, error: StoreError)] = []
        try store.forEachUnfinished({ whole.append($0.number) }, onDamage: { damaged.append(($0, $1)) })
        #expect(whole == [1, 2, 7] && damaged.map(\.job) == [3])
        #expect(damaged[0].error.description.contains("is damaged: state of job 3"), "\(damaged)")
        #expect(!damaged[0].error.isTemporary)
        #expect(try store.record(5)?.number == 5)
        try Database(path: path).run("UPDATE jobs SET key = x'0102' WHERE number = 5")
        let third = #expect(throws: StoreError.self) { try store.record(5) }
        #expect(third?.description.contains("its key has 2 bytes") == true, "\(third as Any)")
    }

    @Test func pathsThatCannotBeOpenedAreNamed() throws {
        let missing = folder.path(of: "missing/jobs.sqlite")
        #expect(throws: StoreError.file(path: missing, operation: "open", errno: ENOENT)) {
            try JobStore(path: missing)
        }
        #expect(throws: StoreError.file(path: folder.path, operation: "open", errno: EISDIR)) {
            try JobStore(path: folder.path)
        }
        try #require(symlink(folder.path(of: "elsewhere"), path) == 0)
        #expect(try refusal() == .file(path: path, operation: "open", errno: ELOOP))
        #expect(try folder.contents() == ["jobs.sqlite"])
    }

    @Test("Errors say what to do, in one line, and whether to come again")
    func errors() {
        let id = StoreSamples.content(1)
        let errors: [(StoreError, Bool, String)] = [
            (.database(path: "/d", operation: "open", code: 5, message: "locked"), true, "cannot open: locked"),
            (.full(path: "/d"), true, "make room"), (.locked(path: "/d"), false, "another broker"),
            (.otherSchema(path: "/d", version: 9), false, "schema 9"),
            (.corrupt(path: "/d", .database("r")), false, "backup"),
            (.quota(neededBytes: 5, limitBytes: 7), true, "--quota"),
            (.quota(neededBytes: 7, limitBytes: 5), false, "--quota"),
            (.file(path: "/d", operation: "read", errno: EACCES), false, "cannot read: Permission denied"),
            (.file(path: "/d", operation: "write", errno: ENOSPC), true, "No space left"),
            (.wrongContent(found: id, expected: id), false, id.description),
            (.unsafeFolder(path: "/d", reason: "r"), false, "/d: r"),
        ]
        for (error, isTemporary, part) in errors {
            #expect(error.isTemporary == isTemporary, "\(error)")
            #expect("\(error)".contains(part) && !"\(error)".contains("\n"), "\(error)")
        }
    }
}
