import Foundation
import Glibc
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
                try store.records(after: 0, limit: 99).map(\.number), try store.known(StoreSamples.key(2))?.job
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

    /// The bytes of a file, written over those that are there, so that the file stays the same one.
    private func overwrite(_ path: String, _ bytes: [UInt8]) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        try #require(file >= 0 && write(file, bytes, bytes.count) == bytes.count)
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    @Test("A copy whose file was given the number of its original's inode is another store")
    func sameInode() throws {
        let first = try live(accept: 1...3)
        let copy = path + "-copy"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        var status = stat()
        #expect(stat(copy + "/life", &status) == 0)
        // As if the number had been free again: it is what the copy says of its own file.
        var lines = String(decoding: try bytes(copy + "/life"), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        var words = lines[0].split(separator: " ")
        #expect(words.count == 4 && words[1] != "\(status.st_ino)")
        words[1] = "\(status.st_ino)"
        lines[0] = words.joined(separator: " ")[...]
        try overwrite(copy + "/life", Array(lines.joined(separator: "\n").utf8))
        let life = try live(in: copy)
        #expect(life.isRestored && life.id != first.id && life.next == 1_000_004)
    }

    @Test("A copy that is written over the folder's own files is another store")
    func writtenOver() throws {
        let first = try live(accept: 1...3)
        // The database leaves its log behind, or not.
        let names = ["jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm", "life", "lock"]
        let kept = names.map { try? bytes(path + "/" + $0) }
        #expect(try live(accept: 4...9).id == first.id)
        for (name, bytes) in zip(names, kept) {
            if let bytes { try overwrite(path + "/" + name, bytes) } else { unlink(path + "/" + name) }
        }
        let life = try live()
        #expect(life.isRestored && life.id != first.id && life.next > 1_000_000)
    }

    @Test("A copy of a running broker's folder that is written over it when the broker has ended is another store")
    func writtenOverByItsOwnLife() throws {
        let first = try live(accept: 1...3)
        let names = ["jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm", "life", "lock"]
        var kept: [[UInt8]?] = []
        try live { store, data in
            try accept(4...5)(store, data)
            kept = names.map { try? bytes(path + "/" + $0) }
            try accept(6...9)(store, data)
        }
        for (name, bytes) in zip(names, kept) {
            if let bytes { try overwrite(path + "/" + name, bytes) } else { unlink(path + "/" + name) }
        }
        let life = try live()
        #expect(life.isRestored && life.id != first.id && life.next > 1_000_000)
    }

    @Test("A database of earlier in the same life is another store, and gives no number again")
    func earlierInTheSameLife() throws {
        var kept: [UInt8] = []
        let first = try live { store, _ in
            try accept(1...3)(store, try DataFolder(path: root.path(of: "other")))
            store.close()
            kept = try bytes(path + "/jobs.sqlite")
            _ = try store.apply([.accept(StoreSamples.record(4)), StoreSamples.ended(4, .cancelled)])
        }
        try overwrite(path + "/jobs.sqlite", kept)
        let life = try live()
        #expect(life.isRestored && life.id != first.id && life.next == 1_000_004)
        // And one that is missing.
        try FileManager.default.removeItem(atPath: path + "/jobs.sqlite")
        let empty = try live()
        #expect(empty.isRestored && empty.id != life.id && empty.next > 1_000_003)
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

    @Test("One that no life has had is taken as it is")
    func withoutLife() throws {
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
