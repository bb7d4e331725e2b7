import Glibc
public import InkProtocol
import InkSystem
import Synchronization

/// The jobs of a broker in a SQLite database. Changes survive a power failure once `apply` has returned.
///
/// Safe to share. Writing and reading use separate connections, so readers do not wait for the disk.
public final class JobStore: Sendable {
    /// Identifies a store permanently.
    public let storeID: SubmissionKey
    /// Whether the database came from elsewhere, such as a backup, and was therefore made a different store.
    public let isRestored: Bool
    /// Path of the database.
    public let path: String

    /// More than the number of jobs that a store accepts after its last backup.
    private static let restoredGap: UInt64 = 1_000_000
    private let folder: DataFolder?
    private let writer: Mutex<Connection>
    /// The highest numbers that are on the disk.
    private let given: Mutex<GivenNumbers>
    /// nil for a database in memory, which has only one connection.
    private let reader: SharedConnection?
    /// Who gets notices of ends; nil: nobody.
    let outbox = Mutex<OutboxRules?>(nil)

    /// A connection is accessed only under its lock.
    private struct Connection: @unchecked Sendable {
        let database: Database
    }

    private final class SharedConnection: Sendable {
        let connection: Mutex<Connection>

        init(_ connection: Connection) { self.connection = Mutex(connection) }
    }

    /// Opens or creates the database. `:memory:` creates one that exists as long as the object.
    ///
    /// - Parameter folder: the data folder; nil: do not check whether the database is the one that the folder's last
    ///   broker left.
    public init(path: String, in folder: DataFolder? = nil) throws(StoreError) {
        self.path = path
        self.folder = folder
        if path != ":memory:" {
            // SQLite would make it readable for others. The files next to it take their mode from it.
            try StoreError.wrapping { () throws(SystemFailure) in
                _ = try FileDescriptor(
                    opening: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600, operation: "open")
            }
        }
        let opened: Opened
        do throws(StoreError) {
            opened = try Opened(path, in: folder)
        } catch {
            // Jobs must be reachable so that they can be purged.
            guard error.isOutOfSpace, let folder, folder.releaseReserve() else { throw error }
            opened = try Opened(path, in: folder)
        }
        isRestored = opened.isRestored
        storeID = try Self.identity(opened.database)
        given = Mutex(
            GivenNumbers(
                job: try Self.number("job", opened.database), notice: try Self.number("notice", opened.database)))
        writer = Mutex(Connection(database: opened.database))
        reader = path == ":memory:" ? nil : SharedConnection(Connection(database: try Database(path: path)))
        // If there is no room, the first new job reports it.
        try? folder?.keepReserve()
    }

    private struct Opened {
        let database: Database
        let isRestored: Bool

        init(_ path: String, in folder: DataFolder?) throws(StoreError) {
            database = try Database(path: path)
            try JobStore.prepare(database)
            guard let folder else {
                isRestored = false
                return
            }
            isRestored = try JobStore.settle(database, in: folder)
        }
    }

    /// Makes the tables of a new database, and refuses one that has others.
    private static func prepare(_ database: Database) throws(StoreError) {
        var version = 0
        try database.query("PRAGMA user_version") { (row) throws(StoreError) in
            version = Int(row.integer(0))
            return false
        }
        var tables: Set<String> = []
        try database.query("SELECT name FROM sqlite_master WHERE type = 'table'") { (row) throws(StoreError) in
            tables.insert(row.text(0))
            return true
        }
        if version == 0, tables.isEmpty {
            return try database.transaction { () throws(StoreError) in try database.run(schema) }
        }
        guard version > 0, tables.isSuperset(of: ["facts", "jobs"]) else {
            throw .corrupt(path: database.path, .database("it is not a database of jobs"))
        }
        guard version == schemaVersion else { throw .otherSchema(path: database.path, version: version) }
    }

    /// Whether the database differs from the one that the folder's last broker left. It then becomes a different store,
    /// with numbers that no job has had. Otherwise clients would confuse new jobs with those that they knew by the same
    /// numbers.
    private static func settle(_ database: Database, in folder: DataFolder) throws(StoreError) -> Bool {
        var known: String?
        try database.query("SELECT value FROM facts WHERE name = 'life'") { (row) throws(StoreError) in
            known = row.text(0)
            return false
        }
        var given = GivenNumbers(
            job: try number("job", database), notice: try number("notice", database))
        guard let life = folder.newLife() else { return false }
        let last = try folder.lastLife()
        // A database that contains lower numbers than those assigned is an earlier one, whatever life it contains.
        let isBehind = last.map { $0.given.job > given.job || $0.given.notice > given.notice } ?? false
        let isForeign = isBehind || (known.map { last?.lives.contains($0) != true } ?? false)
        if isForeign {
            given.job = max(given.job + restoredGap, last?.given.job ?? 0)
            given.notice = max(given.notice + restoredGap, last?.given.notice ?? 0)
        }
        // Both lives stay valid if a crash occurs before the database contains the new one.
        try folder.write(
            lives: (isForeign ? [] : known.map { [$0] } ?? []) + [life], given: last?.given ?? GivenNumbers())
        try database.transaction { () throws(StoreError) in
            if isForeign {
                try database.change("DELETE FROM facts WHERE name = 'store'", [])
                try raise("job", to: given.job, database)
                try raise("notice", to: given.notice, database)
            }
            try database.change(
                "INSERT INTO facts VALUES ('life', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [.text(life)])
        }
        try folder.write(lives: [life], given: given)
        return isForeign
    }

    /// The value of a numeric fact; 0 if there is none.
    static func number(_ name: String, _ database: Database) throws(StoreError) -> UInt64 {
        var value: UInt64 = 0
        try database.query("SELECT value FROM facts WHERE name = ?", [.text(name)]) { (row) throws(StoreError) in
            value = row.number(0)
            return false
        }
        return value
    }

    private static func identity(_ database: Database) throws(StoreError) -> SubmissionKey {
        var found: [UInt8] = []
        try database.query("SELECT value FROM facts WHERE name = 'store'") { (row) throws(StoreError) in
            found = row.blob(0)
            return false
        }
        if found.count == 16 { return SubmissionKey(bytes: found) }
        let fresh = SubmissionKey.random()
        try database.change("INSERT INTO facts VALUES ('store', ?)", [.blob(fresh.bytes)])
        return fresh
    }

    // MARK: - Writing

    /// Applies changes in one transaction, durable on return; `outcomes[i]` is the outcome of `entries[i]`.
    ///
    /// On an almost full disk, new jobs are refused while there is still room for the ends of others and for purges.
    ///
    /// If it throws, nothing has been changed.
    public func apply(_ entries: [JournalEntry]) throws(StoreError) -> [JournalOutcome] {
        if let folder, !folder.isInPlace { throw .folderGone(path: folder.path) }
        let canWait = entries.contains(where: \.canWait)
        if canWait { try folder?.keepReserve() }
        let outcomes: [JournalOutcome]
        do throws(StoreError) {
            outcomes = try change(entries)
        } catch {
            guard error.isOutOfSpace, !canWait, let folder, folder.releaseReserve() else { throw error }
            outcomes = try change(entries)
        }
        remember(entries, outcomes)
        return outcomes
    }

    private func change(_ entries: [JournalEntry]) throws(StoreError) -> [JournalOutcome] {
        let rules = outbox.withLock { $0 }
        return try write { (database) throws(StoreError) in
            var outcomes: [JournalOutcome] = []
            outcomes.reserveCapacity(entries.count)
            for entry in entries { outcomes.append(try Self.apply(entry, rules, database)) }
            return outcomes
        }
    }

    /// Runs `body` in a transaction, durable on return.
    func write<T: Sendable>(_ body: (Database) throws(StoreError) -> T) throws(StoreError) -> T {
        try use(writer) { (database) throws(StoreError) in
            try database.transaction { () throws(StoreError) in try body(database) }
        }
    }

    /// Records the highest numbers outside the database, because a restored database would not contain them.
    private func remember(_ entries: [JournalEntry], _ outcomes: [JournalOutcome]) {
        guard let folder else { return }
        var jobs = outcomes.compactMap { outcome -> JobNumber? in
            switch outcome {
            case .accepted(let number, isNew: true): number
            case .entered(let numbers, isNew: true): numbers.max()
            default: nil
            }
        }
        var notices = entries.compactMap { entry -> UInt64? in
            if case .ended(_, _, let notice, _, _) = entry { notice } else { nil }
        }
        guard !jobs.isEmpty || !notices.isEmpty else { return }
        given.withLock { given in
            jobs.append(given.job)
            notices.append(given.notice)
            given = GivenNumbers(job: jobs.max() ?? 0, notice: notices.max() ?? 0)
            folder.note(given)
        }
    }

    /// Whether there is room for the ends of jobs. Without it, no new jobs are accepted.
    public var hasReserve: Bool { folder?.hasReserve ?? true }

    /// Moves the contents of the log into the database. The database file can then be copied alone.
    ///
    /// If this fails, the log remains and is read with the database at the next start.
    public func close() {
        // The next start does it.
        try? use(writer) { (database) throws(StoreError) in try database.checkpoint() }
        // Without this, a copy made during this life and written over the folder's own files would appear valid.
        try? folder?.endLife()
    }

    func read<T: Sendable>(_ body: (Database) throws(StoreError) -> T) throws(StoreError) -> T {
        if let reader { return try use(reader.connection, body) }
        return try use(writer, body)
    }

    private func use<T: Sendable>(
        _ connection: borrowing Mutex<Connection>, _ body: (Database) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        let result: Result<T, StoreError> = connection.withLock { connection in
            do throws(StoreError) { return .success(try body(connection.database)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
