import Foundation
import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

/// Stores that lie where their last broker left them, and others.
@Suite("Restored stores")
struct RestoredStoreTests {
    private let root: TemporaryFolder
    private let path: String

    init() throws {
        root = try TemporaryFolder()
        path = root.path(of: "data")
    }

    /// A life of a broker: what `body` does with the store, and whether it was another's.
    @discardableResult
    private func live(
        in path: String? = nil, _ body: (JobStore, DataFolder) throws -> Void = { _, _ in }
    ) throws -> (id: SubmissionKey, isRestored: Bool, next: JobNumber) {
        let data = try DataFolder(path: path ?? self.path)
        let store = try JobStore(path: data.jobsPath, in: data)
        let next = try store.nextJobNumber()
        try body(store, data)
        store.close()
        data.release()
        return (store.storeID, store.isRestored, next)
    }

    private func accept(_ numbers: ClosedRange<JobNumber>) -> (JobStore, DataFolder) throws -> Void {
        { store, _ in _ = try store.apply(numbers.map { .accept(StoreSamples.record($0)) }) }
    }

    @Test("One that goes on where it was is the same, life after life")
    func same() throws {
        let first = try live(accept: 1...3)
        #expect(!first.isRestored)
        // Moved as a whole, as to another mount point.
        try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
        for place in [path + "-moved", path + "-moved"] {
            let again = try live(in: place)
            #expect(again.id == first.id && !again.isRestored && again.next == 4)
        }
    }

    private func live(accept numbers: ClosedRange<JobNumber>) throws -> (
        id: SubmissionKey, isRestored: Bool, next: JobNumber
    ) { try live(accept(numbers)) }

    @Test("A backup that is put in its place is another store, with numbers that no job has had")
    func backup() throws {
        let first = try live(accept: 1...3)
        // After `close` the database alone is all there is.
        let kept = try Data(contentsOf: URL(fileURLWithPath: path + "/jobs.sqlite"))
        #expect(try live(accept: 4...9).id == first.id)
        for name in ["jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
        try kept.write(to: URL(fileURLWithPath: path + "/jobs.sqlite"))
        let restored = try live { store, _ in
            let (numbers, job) = (
                try store.records(after: 0, limit: 99).map(\.number), try store.job(key: StoreSamples.key(2))
            )
            #expect(numbers == [1, 2, 3] && job == 2)
        }
        #expect(restored.next == 1_000_004)
        #expect(restored.isRestored && restored.id != first.id)
        let after = try live()
        #expect(after.id == restored.id && !after.isRestored && after.next == restored.next)
    }

    @Test("A copy of the whole folder is another store, and its original stays the same")
    func copied() throws {
        let first = try live(accept: 1...3)
        try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
        let copy = try live(in: path + "-copy")
        #expect(copy.isRestored && copy.id != first.id && copy.next > 1_000_000)
        let original = try live()
        #expect(original.id == first.id && !original.isRestored)
    }

    @Test("A crash while a life begins makes no other store of it")
    func crash() throws {
        let first = try live(accept: 1...1)
        // Before the database said that life's name.
        let data = try DataFolder(path: path)
        try data.write(lives: try data.lives() + [try #require(data.newLife())])
        data.release()
        let second = try live()
        #expect(second.id == first.id && !second.isRestored)
    }

    @Test("One of an earlier version of the program is taken as it is")
    func earlier() throws {
        let data = try DataFolder(path: path)
        let id = try JobStore(path: data.jobsPath).storeID
        data.release()
        let life = try live()
        #expect(life.id == id && !life.isRestored)
    }

    @Test("Nothing is entered in a folder that is not in its place any more")
    func gone() throws {
        let data = try DataFolder(path: path)
        let store = try JobStore(path: data.jobsPath, in: data)
        _ = try store.apply([.accept(StoreSamples.record(1))])
        try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
        let entry = JournalEntry.accept(StoreSamples.record(2))
        #expect(throws: StoreError.folderGone(path: path)) { try store.apply([entry]) }
        // Another broker's, which has it for itself.
        let other = try DataFolder(path: path)
        #expect(throws: StoreError.folderGone(path: path)) { try store.apply([entry]) }
        other.release()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + "-moved", toPath: path)
        #expect(try store.apply([entry]) == [.accepted(2, isNew: true)])
    }

    @Test("The log stays small, and is empty at the end")
    func log() throws {
        try live { store, _ in
            for number: JobNumber in 1...1500 { _ = try store.apply([.accept(StoreSamples.record(number))]) }
            let size = try FileManager.default.attributesOfItem(atPath: path + "/jobs.sqlite-wal")[.size] as? Int
            #expect(try #require(size) < 2 << 20)
            store.close()
            let rest = try FileManager.default.attributesOfItem(atPath: path + "/jobs.sqlite-wal")[.size] as? Int
            #expect(rest == 0)
        }
    }
}
