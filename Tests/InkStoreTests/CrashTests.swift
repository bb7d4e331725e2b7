import Dispatch
import Foundation
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkStore

@Suite("Crashes", .serialized, .timeLimit(.minutes(5)))
struct CrashTests {
    private static let names = ["jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm"]

    private static func copy(_ source: TemporaryFolder, to target: TemporaryFolder, names: [String] = names) throws {
        for name in names { try target.write(source.read(name), to: name) }
    }

    @Test("What was there when the power went is there afterwards, all of it", arguments: 0..<30)
    func copies(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try StoreModelTests.folder()
        let store = try JobStore(path: folder.path(of: "jobs.sqlite"))
        let other = try Database(path: store.path)
        var model = StoreModel()
        for batch in 0..<random.int(5...20) {
            let entries = model.batch(random.int(1...60), &random)
            let before = (
                model: model, database: try folder.read("jobs.sqlite"), wal: try folder.read("jobs.sqlite-wal")
            )
            let outcomes = model.apply(entries)
            #expect(try store.apply(entries) == outcomes, "seed \(seed), batch \(batch)")

            // The index is made anew from the log when it is not there.
            let copy = try StoreModelTests.folder()
            try Self.copy(folder, to: copy, names: random.chance(50) ? Self.names : Self.names.dropLast())
            let whole = try JobStore(path: copy.path(of: "jobs.sqlite"))
            #expect(whole.storeID == store.storeID)
            let difference = try model.difference(from: whole, &random)
            try #require(difference == nil, "seed \(seed), batch \(batch)")

            // The batch was not on the disk as a whole, unless the log has been carried into the database meanwhile.
            let wal = try folder.read("jobs.sqlite-wal")
            if try wal.count > before.wal.count && folder.read("jobs.sqlite") == before.database {
                let torn = try StoreModelTests.folder()
                var bytes = wal
                let place = random.int(before.wal.count...(wal.count - 1))
                if random.chance(50) { bytes.removeSubrange(place...) } else { bytes[place] ^= 1 << random.int(0...7) }
                try Self.copy(folder, to: torn, names: random.chance(50) ? Self.names : ["jobs.sqlite"])
                try torn.write(bytes, to: "jobs.sqlite-wal")
                let store = try JobStore(path: torn.path(of: "jobs.sqlite"))
                let difference = try before.model.difference(from: store, &random)
                try #require(difference == nil, "seed \(seed), batch \(batch), torn at \(place) of \(wal.count)")
            }
            if random.chance(20) {
                let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random)!
                try other.run("PRAGMA wal_checkpoint(\(mode))")
            }
        }
    }

    // MARK: - SIGKILL

    /// Where a process that will be killed, and the one that started it, find each other.
    private static func meetingPlace(of process: pid_t) -> String {
        NSTemporaryDirectory() + "/ink-store-killed-\(process)"
    }

    /// Each call is for three jobs: all are accepted, the first is ended.
    private static func call(_ first: JobNumber) -> [JournalEntry] {
        [
            .accept(StoreSamples.record(first)), .accept(StoreSamples.record(first + 1)),
            .ended(first, .cancelled, notice: first, at: 1, story: StoreSamples.key(first).bytes),
            .accept(StoreSamples.record(first + 2)),
        ]
    }

    /// Writes until it is killed; what the journal has acknowledged is appended to a file, 8 bytes each.
    private static func writeUntilKilled(in folder: String) throws {
        let store = try JobStore(path: folder + "/jobs.sqlite")
        let journal = try Journal(store: store)
        let file = open(folder + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let places = DispatchSemaphore(value: Int.random(in: 1...64))
        let hasBegun = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            hasBegun.wait()
            usleep(UInt32.random(in: 0...30_000))
            kill(getpid(), SIGKILL)
        }
        var first = try store.nextJobNumber()
        while true {
            places.wait()
            let job = first
            journal.append(call(job)) { result in
                guard case .success = result else { fatalError("\(result)") }
                _ = withUnsafeBytes(of: job) { write(file, $0.baseAddress!, 8) }
                hasBegun.signal()
                places.signal()
            }
            first += 3
        }
    }

    @Test("What was acknowledged before SIGKILL is there afterwards, and nothing is there by halves")
    func killed() async throws {
        let folder = Self.meetingPlace(of: getpid())
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for round in 0..<6 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try CrashTests.writeUntilKilled(in: CrashTests.meetingPlace(of: getppid()))
            }
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/acknowledged")))
            let last = bytes.suffix(8).reversed().reduce(JobNumber(0)) { $0 << 8 | JobNumber($1) }
            let store = try JobStore(path: folder + "/jobs.sqlite")
            let records = try store.records(after: 0, limit: .max)
            let count = JobNumber(records.count)
            #expect(count % 3 == 0 && count >= last + 2, "round \(round): \(count) jobs, \(last) acknowledged")
            #expect(records.map(\.number) == Array(1...count), "round \(round)")
            for record in records where record.number % 3 == 1 {
                try #require(record.state == .ended(.cancelled) && record.notice == record.number, "\(record)")
                try #require(try store.story(record.number) == StoreSamples.key(record.number).bytes)
            }
            #expect(try store.counts().cancelled == records.count / 3)
            #expect(try store.nextJobNumber() == count + 1 && store.nextNotice() == count - 1)
        }
    }
}
