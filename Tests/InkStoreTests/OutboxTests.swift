import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

/// What is told of ends follows from the store.
@Suite("What others are told of ends")
struct OutboxTests {
    /// - Parameter receivers: by their names.
    private func rules(_ receivers: [String]) -> OutboxRules {
        OutboxRules(
            receivers: receivers, job: { Array("job \($0.number)".utf8) },
            batch: { batch in
                let gone = batch.purged.finished + batch.purged.failed + batch.purged.cancelled
                return Array("batch of \(batch.jobs.count + gone), \(gone) purged".utf8)
            })
    }

    private func store(_ folder: TemporaryFolder, _ receivers: String...) throws -> JobStore {
        let store = try JobStore(path: folder.path(of: "jobs.sqlite"))
        try store.announce(rules(receivers))
        return store
    }

    /// Jobs of one batch.
    private func batch(_ numbers: JobNumber..., content: UInt64 = 1) -> [JobRecord] {
        let prefix = StoreSamples.key(numbers[0]).bytes.prefix(JobStore.batchBytes)
        return numbers.enumerated().map { index, number in
            let key = SubmissionKey(bytes: prefix + [0, 0, 0, UInt8(index)])
            let submission = StoreSamples.submission(key, content: StoreSamples.content(content))
            return JobRecord(
                number: number, key: key, submission: submission.stored, owner: "ada", priority: 0, createdAt: 1)
        }
    }

    private func texts(_ store: JobStore, _ receiver: String, now: Int64 = 0) throws -> [String] {
        try store.undelivered(to: receiver, now: now, limit: 100).map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func settle(_ store: JobStore, _ receiver: String) throws {
        try store.settle(done: try store.undelivered(to: receiver, now: .max, limit: 100).map(\.number), putOff: [])
    }

    @Test("An end that nobody was told of before a crash is told in the next life, to each receiver")
    func crash() throws {
        let folder = try StoreModelTests.folder()
        do {
            let store = try store(folder, "a", "b")
            _ = try store.apply([.accept(StoreSamples.record(1)), .accept(StoreSamples.record(2))])
            _ = try store.apply([StoreSamples.ended(1, .cancelled), StoreSamples.ended(2, .cancelled)])
            try settle(store, "b")
        }
        let store = try store(folder, "a", "b")
        #expect(try texts(store, "a") == ["job 1", "job 2"])
        #expect(try texts(store, "b").isEmpty)
        let items = try store.undelivered(to: "a", now: 0, limit: 1)
        #expect(items.count == 1 && items[0].event == "job.ended" && items[0].id.count == 32)
    }

    @Test("A job that is purged before anybody was told of its end is told of")
    func purged() throws {
        let store = try store(try StoreModelTests.folder(), "a")
        _ = try store.apply([.accept(StoreSamples.record(1)), StoreSamples.ended(1, .cancelled), .purged(1)])
        #expect(try texts(store, "a") == ["job 1"])
    }

    @Test("A batch is told of once, when all of it has ended, with all of its jobs")
    func batches() throws {
        let folder = try StoreModelTests.folder()
        var store = try store(folder, "a")
        #expect(try store.apply([.enter(batch(1, 2, 3))]) == [.entered([1, 2, 3], isNew: true)])
        _ = try store.apply([StoreSamples.ended(1, .cancelled), StoreSamples.ended(2, .cancelled)])
        #expect(try texts(store, "a") == ["job 1", "job 2"])
        store = try self.store(folder, "a")
        // One that is forgotten before the others have ended still counts.
        _ = try store.apply([.purged(1), StoreSamples.ended(3, .finished(StoreSamples.picture))])
        #expect(try texts(store, "a") == ["job 1", "job 2", "job 3", "batch of 3, 1 purged"])
        try settle(store, "a")
        _ = try store.apply([.purged(2)])
        #expect(try texts(store, "a").isEmpty)
        // What is alone, or was not entered as a whole, has no end of a batch.
        _ = try store.apply([.enter(batch(7)), StoreSamples.ended(7, .cancelled)])
        let single = batch(8, 9)
        _ = try store.apply(single.map { .accept($0) } + [StoreSamples.ended(8, .cancelled)])
        _ = try store.apply([StoreSamples.ended(9, .cancelled)])
        #expect(try texts(store, "a") == ["job 7", "job 8", "job 9"])
    }

    @Test("The end of a job that is queued again is not told any more; its next one is, and its batch's")
    func retried() throws {
        let store = try store(try StoreModelTests.folder(), "a")
        _ = try store.apply([.enter(batch(1, 2)), StoreSamples.ended(1, .cancelled), StoreSamples.ended(2, .cancelled)])
        _ = try store.apply([.retried(1)])
        #expect(try texts(store, "a") == ["job 2"])
        _ = try store.apply([StoreSamples.ended(1, .finished(StoreSamples.picture))])
        #expect(try texts(store, "a") == ["job 2", "job 1", "batch of 2, 0 purged"])
    }

    @Test("Receivers come and go: a new one hears of what ends from then on, one that is gone leaves nothing")
    func receivers() throws {
        let folder = try StoreModelTests.folder()
        var store = try store(folder, "a", "b")
        _ = try store.apply([.accept(StoreSamples.record(1)), StoreSamples.ended(1, .cancelled)])
        store = try JobStore(path: folder.path(of: "jobs.sqlite"))
        #expect(try store.announce(rules(["b", "c"])) == 1)
        _ = try store.apply([.accept(StoreSamples.record(2)), StoreSamples.ended(2, .cancelled)])
        #expect(try texts(store, "a").isEmpty)
        #expect(try texts(store, "b") == ["job 1", "job 2"])
        #expect(try texts(store, "c") == ["job 2"])
        #expect(try store.announce(rules([])) == 3)
        _ = try store.apply([.accept(StoreSamples.record(3)), StoreSamples.ended(3, .cancelled)])
        #expect(try texts(store, "b").isEmpty)
    }

    @Test("What has failed is put off, and does not hold up what comes after it")
    func putOff() throws {
        let folder = try StoreModelTests.folder()
        var store = try store(folder, "a")
        for job in 1...2 as ClosedRange<JobNumber> {
            _ = try store.apply([.accept(StoreSamples.record(job)), StoreSamples.ended(job, .cancelled)])
        }
        let first = try #require(try store.undelivered(to: "a", now: 0, limit: 1).first)
        try store.settle(done: [], putOff: [(first.number, 1, 50)])
        store = try self.store(folder, "a")
        #expect(try texts(store, "a", now: 49) == ["job 2"])
        let again = try store.undelivered(to: "a", now: 50, limit: 9).first { $0.number == first.number }
        #expect(again?.tries == 1 && again?.id == first.id)
    }

    @Test("A batch that is known is entered once; with other submissions it is refused, and nothing changes")
    func keys() throws {
        let store = try store(try StoreModelTests.folder())
        #expect(try store.apply([.enter(batch(1, 2))]) == [.entered([1, 2], isNew: true)])
        var again = batch(1, 2)
        for index in again.indices { again[index].number += 10 }
        #expect(try store.apply([.enter(again)]) == [.entered([1, 2], isNew: false)])
        var other = batch(1, 2, content: 2)
        for index in other.indices { other[index].number += 20 }
        // Fewer, more, and others.
        #expect(try store.apply([.enter(other)]) == [.conflict])
        #expect(try store.apply([.enter(Array(again.prefix(1)))]) == [.conflict])
        #expect(try store.apply([.enter(again + [other[1]])]) == [.conflict])
        #expect(try store.records(after: 0, limit: 9).map(\.number) == [1, 2])
        // What has been purged of it does not come back as long as some of it is there.
        _ = try store.apply([StoreSamples.ended(1, .cancelled), .purged(1)])
        #expect(try store.apply([.enter(again)]) == [.entered([2], isNew: false)])
        _ = try store.apply([StoreSamples.ended(2, .cancelled), .purged(2)])
        #expect(try store.apply([.enter(other)]) == [.entered([21, 22], isNew: true)])
    }

    @Test("A single key stands for one submission")
    func singleKey() throws {
        let store = try store(try StoreModelTests.folder())
        let record = StoreSamples.record(1)
        var other = record
        other.number = 2
        other.submission = StoreSamples.submission(record.key, content: StoreSamples.content(5)).stored
        #expect(try store.apply([.accept(record), .accept(other)]) == [.accepted(1, isNew: true), .conflict])
        other.submission = record.submission
        #expect(try store.apply([.accept(other)]) == [.accepted(1, isNew: false)])
    }
}
