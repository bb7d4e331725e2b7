import Glibc
public import InkProtocol
public import InkEngine
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

    private static let schemaVersion = 1
    /// More than the number of jobs that a store accepts after its last backup.
    private static let restoredGap: UInt64 = 1_000_000
    private let folder: DataFolder?
    private let writer: Mutex<Connection>
    /// The highest numbers that are on the disk.
    private let given: Mutex<GivenNumbers>
    /// nil for a database in memory, which has only one connection.
    private let reader: SharedConnection?

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
            try StoreError.wrapping(path) { () throws(SystemFailure) in
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
            try JobStore.migrate(database)
            guard let folder else {
                isRestored = false
                return
            }
            isRestored = try JobStore.settle(database, in: folder)
        }
    }

    private static func migrate(_ database: Database) throws(StoreError) {
        var version = 0
        try database.query("PRAGMA user_version") { (row) throws(StoreError) in
            version = Int(row.integer(0))
            return false
        }
        guard version <= schemaVersion else { throw .newer(path: database.path, version: version) }
        var tables: Set<String> = []
        try database.query("SELECT name FROM sqlite_master WHERE type = 'table'") { (row) throws(StoreError) in
            tables.insert(row.text(0))
            return true
        }
        guard version == 0 ? tables.isEmpty : version > 0 && tables.isSuperset(of: ["facts", "jobs"]) else {
            throw .corrupt(path: database.path, reason: "it is not a database of jobs")
        }
        var columns: Set<String> = []
        try database.query("SELECT name FROM pragma_table_info('jobs')") { (row) throws(StoreError) in
            columns.insert(row.text(0))
            return true
        }
        if version == schemaVersion, tables.isSuperset(of: ["warnings", "batches"]), columns.contains("name") {
            return
        }
        try database.transaction { () throws(StoreError) in
            // Earlier programs with this schema work without this table, and ignore it.
            if !tables.contains("warnings") {
                try database.run("CREATE TABLE warnings (job INTEGER PRIMARY KEY, lines BLOB NOT NULL) STRICT")
            }
            guard version < schemaVersion else {
                if !columns.contains("name") { try addLists(to: database) }
                if !tables.contains("batches") { try addBatches(to: database) }
                return
            }
            try database.run(
                """
                CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE jobs (
                    number INTEGER PRIMARY KEY,
                    key BLOB NOT NULL UNIQUE,
                    submission BLOB NOT NULL,
                    content BLOB,
                    owner TEXT NOT NULL,
                    priority INTEGER NOT NULL,
                    state INTEGER NOT NULL,
                    detail BLOB NOT NULL,
                    crashes INTEGER NOT NULL,
                    created INTEGER NOT NULL,
                    ended INTEGER,
                    notice INTEGER NOT NULL,
                    story BLOB
                ) STRICT;
                CREATE INDEX jobs_unfinished ON jobs (number) WHERE state < 3;
                CREATE INDEX jobs_ended ON jobs (ended) WHERE ended IS NOT NULL;
                CREATE INDEX jobs_state ON jobs (state);
                CREATE INDEX jobs_content ON jobs (content) WHERE content IS NOT NULL AND state <> 3;
                PRAGMA user_version = 1
                """)
            try addLists(to: database)
            try addBatches(to: database)
        }
    }

    /// Adds the batches, each with the number of its first job. By the jobs alone, a list of them would pass over all.
    private static func addBatches(to database: Database) throws(StoreError) {
        try database.run(
            """
            CREATE TABLE batches (first INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT;
            INSERT INTO batches SELECT min(number), substr(key, 1, \(batchBytes)) AS id FROM jobs GROUP BY id
            """)
    }

    /// Adds what lists of jobs need. Earlier programs with this schema leave it as it is.
    private static func addLists(to database: Database) throws(StoreError) {
        try database.run(
            """
            ALTER TABLE jobs ADD COLUMN name TEXT NOT NULL DEFAULT '';
            ALTER TABLE jobs ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX jobs_name ON jobs (name, number);
            CREATE INDEX jobs_priority ON jobs (priority, number)
            """)
        var names: [(JobNumber, String)] = []
        try database.query("SELECT number, submission FROM jobs") { (row) throws(StoreError) in
            if let submission = try? Submission(stored: row.blob(1)) { names.append((row.number(0), submission.name)) }
            return true
        }
        for (number, name) in names {
            try database.change("UPDATE jobs SET name = ? WHERE number = ?", [.text(name), SQLValue(number)])
        }
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
    private static func number(_ name: String, _ database: Database) throws(StoreError) -> UInt64 {
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
        try use(writer) { (database) throws(StoreError) in
            try database.transaction { () throws(StoreError) in
                var outcomes: [JournalOutcome] = []
                outcomes.reserveCapacity(entries.count)
                for entry in entries { outcomes.append(try Self.apply(entry, database)) }
                return outcomes
            }
        }
    }

    /// Records the highest numbers outside the database, because a restored database would not contain them.
    private func remember(_ entries: [JournalEntry], _ outcomes: [JournalOutcome]) {
        guard let folder else { return }
        var jobs = outcomes.compactMap { outcome -> JobNumber? in
            if case .accepted(let number, isNew: true) = outcome { number } else { nil }
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
        try? use(writer) { (database) throws(StoreError) in try database.checkpoint() }
        // Without this, a copy made during this life and written over the folder's own files would appear valid.
        try? folder?.endLife()
    }

    private static func apply(_ entry: JournalEntry, _ database: Database) throws(StoreError) -> JournalOutcome {
        func move(_ job: JobNumber, to state: StoredState, from codes: String) throws(StoreError) -> JournalOutcome {
            let changed = try database.change(
                "UPDATE jobs SET state = ?, detail = ? WHERE number = ? AND state IN (\(codes))",
                [.integer(state.code), .blob(state.detail), SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        }
        switch entry {
        case .accept(let record): return try accept(record, database)
        case .starting(let job):
            let outcome = try move(job, to: .starting, from: "0, 1")
            if outcome == .done { try forgetWarnings(job, database) }
            return outcome
        case .warned(let job, let lines):
            var writer = ByteWriter()
            writer.integer(lines.count)
            for line in lines { writer.text(line, limit: .max) }
            let changed = try database.change(
                """
                INSERT INTO warnings SELECT number, ? FROM jobs WHERE number = ?
                ON CONFLICT (job) DO UPDATE SET lines = excluded.lines
                """, [.blob(writer.bytes), SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        case .queued(let job, let crashes):
            let outcome = try move(job, to: .queued, from: "0, 1, 2")
            try database.change(
                "UPDATE jobs SET crashes = ? WHERE number = ? AND state = 0", [.integer(Int64(crashes)), SQLValue(job)])
            return outcome
        case .publishing(let job, let seal): return try move(job, to: .publishing(seal), from: "0, 1, 2")
        case .ended(let job, let ending, let notice, let time, let story):
            let state = StoredState.ended(ending)
            let changed = try database.change(
                """
                UPDATE jobs SET state = ?, detail = ?, ended = ?, notice = ?, story = ?
                WHERE number = ? AND state < 3
                """,
                [
                    .integer(state.code), .blob(state.detail), .integer(time), SQLValue(notice),
                    story.isEmpty ? .null : .blob(try compressed(story)), SQLValue(job),
                ])
            try raise("notice", to: notice, database)
            return changed == 1 ? .done : .unchanged
        case .retried(let job):
            let changed = try database.change(
                """
                UPDATE jobs SET state = 0, detail = x'', ended = NULL, notice = 0, story = NULL, crashes = 0, paused = 0
                WHERE number = ? AND state IN (4, 5)
                """, [SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        case .probe:
            // A different value each time, because SQLite does not write an unchanged page.
            try database.change(
                "INSERT INTO facts VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value = 1 - value", [])
            return .done
        case .priority(let job, let priority):
            let changed = try database.change(
                "UPDATE jobs SET priority = ? WHERE number = ? AND state < 3",
                [.integer(Int64(priority)), SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        case .paused(let job, let isPaused):
            let changed = try database.change(
                "UPDATE jobs SET paused = ? WHERE number = ? AND state < 3",
                [.integer(isPaused ? 1 : 0), SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        case .purged(let job):
            var batch: [UInt8]?
            try database.query(
                "DELETE FROM jobs WHERE number = ? AND state >= 3 RETURNING key", [SQLValue(job)]
            ) { (row) throws(StoreError) in
                batch = Array(row.blob(0).prefix(batchBytes))
                return true
            }
            guard let batch else { return .unchanged }
            try forgetWarnings(job, database)
            try database.change(
                "DELETE FROM batches WHERE id = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE key >= ? AND key <= ?)",
                [.blob(batch)] + keys(from: batch))
            return .done
        }
    }

    private static func forgetWarnings(_ job: JobNumber, _ database: Database) throws(StoreError) {
        try database.change("DELETE FROM warnings WHERE job = ?", [SQLValue(job)])
    }

    private static func accept(_ record: JobRecord, _ database: Database) throws(StoreError) -> JournalOutcome {
        if let job = try job(key: record.key, database) { return .accepted(job, isNew: false) }
        var (content, name) = (SQLValue.null, "")
        // A submission that cannot be read has no content to keep; the job ends as soon as it begins.
        if let submission = try? Submission(stored: record.submission) {
            name = submission.name
            if case .content(let id, _, _) = submission.source { content = .blob(id.digest) }
        }
        try database.change(
            """
            INSERT INTO jobs
                (number, key, submission, content, owner, priority, state, detail, crashes, created, notice, name)
            VALUES (?, ?, ?, ?, ?, ?, 0, x'', ?, ?, 0, ?)
            """,
            [
                SQLValue(record.number), .blob(record.key.bytes), .blob(record.submission), content,
                .text(record.owner), .integer(Int64(record.priority)), .integer(Int64(record.crashes)),
                .integer(record.createdAt), .text(name),
            ])
        try database.change(
            "INSERT OR IGNORE INTO batches VALUES (?, ?)",
            [SQLValue(record.number), .blob(Array(record.key.bytes.prefix(batchBytes)))])
        try raise("job", to: record.number, database)
        return .accepted(record.number, isNew: true)
    }

    /// Records the highest number of a kind, which stays even if its row is removed.
    private static func raise(_ name: String, to value: UInt64, _ database: Database) throws(StoreError) {
        try database.change(
            """
            INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, [.text(name), SQLValue(value)])
    }

    private static func compressed(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
        // If there is no memory for compression, the story is stored as it is: JSON does not begin like a frame.
        (try? Zstandard.compress(bytes, level: .balanced)) ?? bytes
    }

    // MARK: - Reading

    /// The lowest number that no job has ever had.
    public func nextJobNumber() throws(StoreError) -> JobNumber { try fact("job") + 1 }

    /// The lowest id that no notice has ever had.
    public func nextNotice() throws(StoreError) -> UInt64 { try fact("notice") + 1 }

    private func fact(_ name: String) throws(StoreError) -> UInt64 {
        try read { (database) throws(StoreError) in try Self.number(name, database) }
    }

    static let columns =
        "number, key, submission, owner, priority, state, detail, crashes, created, ended, notice, warnings.lines, paused"
    static let tables = "jobs LEFT JOIN warnings ON warnings.job = jobs.number"

    static func record(_ row: SQLRow) throws(StoreError) -> JobRecord {
        let key = row.blob(1)
        let state = try row.value("state of job \(row.number(0))") { () throws(ProtocolFailure) in
            guard key.count == 16 else { throw ProtocolFailure(text: "its key has \(key.count) bytes") }
            return try StoredState(code: row.integer(5), detail: row.blob(6))
        }
        return JobRecord(
            number: row.number(0), key: SubmissionKey(bytes: key), submission: row.blob(2), owner: row.text(3),
            priority: Int(row.integer(4)), isPaused: row.integer(12) != 0, state: state, crashes: Int(row.integer(7)),
            createdAt: row.integer(8),
            endedAt: row.isNull(9) ? nil : row.integer(9), notice: row.number(10),
            warnings: row.isNull(11) ? [] : try warnings(row))
    }

    private static func warnings(_ row: SQLRow) throws(StoreError) -> [String] {
        try row.value("warnings of job \(row.number(0))") { () throws(ProtocolFailure) in
            do throws(ProtocolError) {
                var reader = ByteReader(row.blob(11))
                var lines: [String] = []
                for _ in 0..<(try reader.integer("warnings", in: 0...1000)) {
                    lines.append(try reader.text("warning", limit: .max))
                }
                return lines
            } catch {
                throw ProtocolFailure(text: "\(error)")
            }
        }
    }

    /// Passes every job that has not ended to the caller, ascending, one at a time; damaged rows go to `onDamage`.
    public func forEachUnfinished(
        _ body: (JobRecord) -> Void, onDamage: (JobNumber, StoreError) -> Void = { _, _ in }
    ) throws(StoreError) {
        try read { (database) throws(StoreError) in
            let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE state < 3 ORDER BY number"
            try database.query(sql) { (row) throws(StoreError) in
                do throws(StoreError) { body(try Self.record(row)) } catch { onDamage(row.number(0), error) }
                return true
            }
        }
    }

    public func record(_ job: JobNumber) throws(StoreError) -> JobRecord? {
        try read { (database) throws(StoreError) in
            var found: JobRecord?
            let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE number = ?"
            try database.query(sql, [SQLValue(job)]) { (row) throws(StoreError) in
                found = try Self.record(row)
                return false
            }
            return found
        }
    }

    /// At most `limit` jobs with numbers above `after`, ascending.
    public func records(after: JobNumber, limit: Int) throws(StoreError) -> [JobRecord] {
        try read { (database) throws(StoreError) in
            var found: [JobRecord] = []
            let sql = "SELECT \(Self.columns) FROM \(Self.tables) WHERE number > ? ORDER BY number LIMIT ?"
            try database.query(sql, [SQLValue(after), .integer(Int64(limit))]) { (row) throws(StoreError) in
                found.append(try Self.record(row))
                return true
            }
            return found
        }
    }

    /// The job for a submission key; nil if there is none, or it has been purged.
    public func job(key: SubmissionKey) throws(StoreError) -> JobNumber? {
        try read { (database) throws(StoreError) in try Self.job(key: key, database) }
    }

    private static func job(key: SubmissionKey, _ database: Database) throws(StoreError) -> JobNumber? {
        var found: JobNumber?
        try database.query("SELECT number FROM jobs WHERE key = ?", [.blob(key.bytes)]) { (row) throws(StoreError) in
            found = row.number(0)
            return false
        }
        return found
    }

    private static let storyBytesMax = 1 << 30

    /// The JSON text stored with the job's end; nil if there is none.
    public func story(_ job: JobNumber) throws(StoreError) -> [UInt8]? {
        try read { (database) throws(StoreError) in
            var found: [UInt8]?
            try database.query("SELECT story FROM jobs WHERE number = ?", [SQLValue(job)]) { (row) throws(StoreError) in
                if !row.isNull(0) { found = row.blob(0) }
                return false
            }
            guard let found, Zstandard.isFrame(found) else { return found }
            do {
                return try Zstandard.decompress(found, limit: Self.storyBytesMax)
            } catch {
                throw .corrupt(path: path, reason: "the story of job \(job): \(error)")
            }
        }
    }

    public func counts() throws(StoreError) -> StoreCounts {
        try read { (database) throws(StoreError) in
            var counts = StoreCounts()
            try database.query("SELECT state, count(*) FROM jobs GROUP BY state") { (row) throws(StoreError) in
                let count = Int(row.integer(1))
                switch row.integer(0) {
                case StoredState.finishedCode: counts.finished = count
                case StoredState.failedCode: counts.failed = count
                case StoredState.cancelledCode: counts.cancelled = count
                default: counts.unfinished += count
                }
                return true
            }
            return counts
        }
    }

    /// Jobs that ended before a time (milliseconds since 1970), oldest first.
    public func ended(before time: Int64, limit: Int) throws(StoreError) -> [JobNumber] {
        try read { (database) throws(StoreError) in
            var found: [JobNumber] = []
            let sql = "SELECT number FROM jobs WHERE ended IS NOT NULL AND ended < ? ORDER BY ended LIMIT ?"
            try database.query(sql, [.integer(time), .integer(Int64(limit))]) { (row) throws(StoreError) in
                found.append(row.number(0))
                return true
            }
            return found
        }
    }

    /// Contents that jobs still need: unfinished jobs, and those that can be retried.
    public func contentReferences() throws(StoreError) -> Set<ContentID> {
        try read { (database) throws(StoreError) in
            var found: Set<ContentID> = []
            let sql = "SELECT DISTINCT content FROM jobs WHERE content IS NOT NULL AND state <> 3"
            try database.query(sql) { (row) throws(StoreError) in
                let digest = row.blob(0)
                if digest.count == 32 { found.insert(ContentID(digest: digest)) }
                return true
            }
            return found
        }
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

/// Number of jobs in each state.
public struct StoreCounts: Hashable, Sendable {
    public var unfinished = 0
    public var finished = 0
    public var failed = 0
    public var cancelled = 0

    public init() {}
}
