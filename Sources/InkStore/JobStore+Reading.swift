public import InkEngine
public import InkProtocol

/// Jobs by number and key, and all of them in order.
extension JobStore {
    /// The lowest number that no job has ever had.
    public func nextJobNumber() throws(StoreError) -> JobNumber { try fact("job") + 1 }

    /// The lowest id that no notice has ever had.
    public func nextNotice() throws(StoreError) -> UInt64 { try fact("notice") + 1 }

    private func fact(_ name: String) throws(StoreError) -> UInt64 {
        try read { (database) throws(StoreError) in try Self.number(name, database) }
    }

    static let columns =
        "number, key, submission, owner, priority, state, detail, crashes, created, ended, notice, warnings, paused"

    static func record(_ row: SQLRow) throws(StoreError) -> JobRecord {
        let key = row.blob(1)
        let what = "state of job \(row.number(0))"
        guard key.count == 16 else {
            throw .corrupt(path: row.path, .database("\(what): its key has \(key.count) bytes"))
        }
        let state = try row.value(what) { () throws(ProtocolError) in
            try StoredState(code: row.integer(5), detail: row.blob(6))
        }
        return JobRecord(
            number: row.number(0), key: SubmissionKey(bytes: key), submission: row.blob(2), owner: row.text(3),
            priority: Int(row.integer(4)), isPaused: row.integer(12) != 0, state: state, crashes: Int(row.integer(7)),
            createdAt: row.integer(8),
            endedAt: row.isNull(9) ? nil : row.integer(9), notice: row.number(10),
            warnings: row.isNull(11) ? [] : try warnings(row))
    }

    private static func warnings(_ row: SQLRow) throws(StoreError) -> [String] {
        try row.value("warnings of job \(row.number(0))") { () throws(ProtocolError) in
            var reader = ByteReader(row.blob(11))
            var lines: [String] = []
            for _ in 0..<(try reader.integer("warnings", in: 0...1000)) {
                lines.append(try reader.text("warning", limit: .max))
            }
            return lines
        }
    }

    /// Passes every job that has not ended to the caller, ascending, one at a time; damaged rows go to `onDamage`.
    public func forEachUnfinished(
        _ body: (JobRecord) -> Void, onDamage: (JobNumber, StoreError) -> Void = { _, _ in }
    ) throws(StoreError) {
        try read { (database) throws(StoreError) in
            let sql = "SELECT \(Self.columns) FROM jobs WHERE state < 3 ORDER BY number"
            try database.query(sql) { (row) throws(StoreError) in
                do throws(StoreError) { body(try Self.record(row)) } catch { onDamage(row.number(0), error) }
                return true
            }
        }
    }

    /// The job of that number; nil if there is none.
    public func record(_ job: JobNumber) throws(StoreError) -> JobRecord? {
        try read { (database) throws(StoreError) in try Self.record(job, database) }
    }

    static func record(_ job: JobNumber, _ database: Database) throws(StoreError) -> JobRecord? {
        var found: JobRecord?
        let sql = "SELECT \(columns) FROM jobs WHERE number = ?"
        try database.query(sql, [SQLValue(job)]) { (row) throws(StoreError) in
            found = try record(row)
            return false
        }
        return found
    }

    /// At most `limit` jobs with numbers above `after`, ascending.
    public func records(after: JobNumber, limit: Int) throws(StoreError) -> [JobRecord] {
        try read { (database) throws(StoreError) in
            var found: [JobRecord] = []
            let sql = "SELECT \(Self.columns) FROM jobs WHERE number > ? ORDER BY number LIMIT ?"
            try database.query(sql, [SQLValue(after), .integer(Int64(limit))]) { (row) throws(StoreError) in
                found.append(try Self.record(row))
                return true
            }
            return found
        }
    }

    /// What a key stands for; nil if there is no such job, or it has been purged.
    public func known(_ key: SubmissionKey) throws(StoreError) -> KnownSubmission? {
        try read { (database) throws(StoreError) in try Self.known(key, database) }
    }

    static func known(_ key: SubmissionKey, _ database: Database) throws(StoreError) -> KnownSubmission? {
        var found: KnownSubmission?
        let sql = "SELECT number, submission FROM jobs WHERE key = ?"
        try database.query(sql, [.blob(key.bytes)]) { (row) throws(StoreError) in
            found = KnownSubmission(job: row.number(0), submission: ContentID(hashing: row.blob(1)))
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
            do throws(ProtocolError) {
                return try Zstandard.decompress(found, limit: Self.storyBytesMax)
            } catch {
                throw .corrupt(path: path, .value("the story of job \(job)", error))
            }
        }
    }

    /// The numbers of jobs by state.
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
}

/// The job of a submission's key.
public struct KnownSubmission: Hashable, Sendable {
    public var job: JobNumber
    /// `Submission.digest`.
    public var submission: ContentID

    public init(job: JobNumber, submission: ContentID) {
        self.job = job
        self.submission = submission
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
