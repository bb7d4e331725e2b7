import InkEngine
import InkProtocol
import Synchronization

/// Who gets notices of ends, and in which words. Notices are written in the transaction of the end itself, so that it
/// outlives the broker, the purge of the job, and everything but its delivery.
public struct OutboxRules: Sendable {
    /// The names of the receivers, which stay the same from life to life.
    public var receivers: [String]
    /// The text for the end of a job.
    public var job: @Sendable (JobRecord) -> [UInt8]
    /// The text for the end of the last job of a batch of several.
    public var batch: @Sendable (StoredBatch) -> [UInt8]

    /// The kind of a notice about one job.
    public static let jobEnded = "job.ended"
    /// The kind of a notice about the last job of a batch.
    public static let batchEnded = "batch.ended"

    public init(
        receivers: [String], job: @escaping @Sendable (JobRecord) -> [UInt8],
        batch: @escaping @Sendable (StoredBatch) -> [UInt8]
    ) {
        self.receivers = receivers
        self.job = job
        self.batch = batch
    }
}

/// A batch as it was entered, whatever has been purged of it since.
public struct StoredBatch: Sendable {
    public var id: [UInt8]
    /// Those that are still there.
    public var jobs: [StoredJobState]
    /// Jobs that have been purged.
    public var purged = Purged()

    /// Counts of purged jobs by their ends.
    public struct Purged: Sendable {
        public var finished = 0
        public var failed = 0
        public var cancelled = 0
    }
}

/// Something that a receiver has not taken yet.
public struct OutboxItem: Hashable, Sendable {
    /// Increases with each.
    public var number: Int64
    /// Shared by those of one end, and the same for each try.
    public var id: String
    public var event: String
    public var body: [UInt8]
    public var tries: Int

    public init(number: Int64, id: String, event: String, body: [UInt8], tries: Int) {
        self.number = number
        self.id = id
        self.event = event
        self.body = body
        self.tries = tries
    }
}

extension JobStore {
    /// Sets who gets notices of ends from now on. To be called before jobs can end.
    ///
    /// - Returns: how many untold notices were removed because their receivers are not among these.
    /// - Throws: if the disk does not take it.
    @discardableResult
    public func announce(_ rules: OutboxRules) throws(StoreError) -> Int {
        outbox.withLock { $0 = rules.receivers.isEmpty ? nil : rules }
        return try write { (database) throws(StoreError) in
            var known: [String] = []
            try database.query("SELECT DISTINCT receiver FROM outbox") { (row) throws(StoreError) in
                known.append(row.text(0))
                return true
            }
            var removed = 0
            for receiver in known where !rules.receivers.contains(receiver) {
                removed += try database.change("DELETE FROM outbox WHERE receiver = ?", [.text(receiver)])
            }
            return removed
        }
    }

    /// The notices that a receiver gets now, in the order of the ends as far as nothing had to be put off.
    ///
    /// - Parameter now: seconds since 1970.
    public func undelivered(to receiver: String, now: Int64, limit: Int) throws(StoreError) -> [OutboxItem] {
        try read { (database) throws(StoreError) in
            var found: [OutboxItem] = []
            let sql = """
                SELECT number, id, event, body, tries FROM outbox WHERE receiver = ? AND due <= ?
                ORDER BY due, number LIMIT ?
                """
            let values: [SQLValue] = [.text(receiver), .integer(now), .integer(Int64(limit))]
            try database.query(sql, values) { (row) throws(StoreError) in
                found.append(
                    OutboxItem(
                        number: row.integer(0), id: row.blob(1).hexadecimal, event: row.text(2), body: row.blob(3),
                        tries: Int(row.integer(4))))
                return true
            }
            return found
        }
    }

    /// Removes what has been delivered or given up, and puts off what has failed.
    ///
    /// - Parameter due: seconds since 1970.
    public func settle(
        done: [Int64], putOff: [(number: Int64, tries: Int, due: Int64)]
    ) throws(StoreError) {
        try write { (database) throws(StoreError) in
            for number in done { try database.change("DELETE FROM outbox WHERE number = ?", [.integer(number)]) }
            for item in putOff {
                try database.change(
                    "UPDATE outbox SET tries = ?, due = ? WHERE number = ?",
                    [.integer(Int64(item.tries)), .integer(item.due), .integer(item.number)])
            }
        }
    }

    // MARK: - In the transactions of others

    /// Writes the notices of a job that has just ended.
    static func tell(
        _ job: JobNumber, _ ending: JobEnding, at time: Int64, _ rules: OutboxRules, _ database: Database
    ) throws(StoreError) {
        let record: JobRecord
        do throws(StoreError) {
            guard let found = try self.record(job, database) else { return }
            record = found
        } catch {
            // A damaged row has no more to tell, and ends nevertheless.
            guard case .corrupt = error else { throw error }
            record = JobRecord(
                number: job, key: SubmissionKey(bytes: [UInt8](repeating: 0, count: 16)), submission: [], owner: "",
                priority: 0, state: .ended(ending), createdAt: time, endedAt: time)
        }
        let id = Array(record.key.bytes.prefix(batchBytes))
        try put(OutboxRules.jobEnded, batch: id, job: job, rules.job(record), rules, database)
        guard try entered(id, database) > 1 else { return }
        var isOpen = false
        let sql = "SELECT 1 FROM jobs WHERE key >= ? AND key <= ? AND state < 3 LIMIT 1"
        try database.query(sql, keys(from: id)) { (_) throws(StoreError) in
            isOpen = true
            return false
        }
        if isOpen { return }
        try put(OutboxRules.batchEnded, batch: id, job: nil, rules.batch(try batch(id, database)), rules, database)
    }

    private static func put(
        _ event: String, batch: [UInt8], job: JobNumber?, _ body: [UInt8], _ rules: OutboxRules, _ database: Database
    ) throws(StoreError) {
        let id = SubmissionKey.random().bytes
        for receiver in rules.receivers {
            try database.change(
                "INSERT INTO outbox (receiver, id, event, batch, job, body) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(receiver), .blob(id), .text(event), .blob(batch), job.map { SQLValue($0) } ?? .null,
                    .blob(body),
                ])
        }
    }

    /// A job is queued again: notices of its end, and of its batch's, that nobody has received are removed.
    static func untell(_ job: JobNumber, _ database: Database) throws(StoreError) {
        try database.change(
            """
            DELETE FROM outbox WHERE batch = (SELECT substr(key, 1, \(batchBytes)) FROM jobs WHERE number = ?1)
            AND (job = ?1 OR job IS NULL)
            """, [SQLValue(job)])
    }

    /// The number of jobs that a batch was entered with; 0 if it was not entered as a whole.
    private static func entered(_ batch: [UInt8], _ database: Database) throws(StoreError) -> Int {
        var count = 0
        try database.query("SELECT jobs FROM entries WHERE batch = ?", [.blob(batch)]) { (row) throws(StoreError) in
            count = Int(row.integer(0))
            return false
        }
        return count
    }

    private static func batch(_ id: [UInt8], _ database: Database) throws(StoreError) -> StoredBatch {
        var batch = StoredBatch(id: id, jobs: try states(keyPrefix: id, database))
        let sql = "SELECT finished, failed, cancelled FROM entries WHERE batch = ?"
        try database.query(sql, [.blob(id)]) { (row) throws(StoreError) in
            batch.purged = StoredBatch.Purged(
                finished: Int(row.integer(0)), failed: Int(row.integer(1)), cancelled: Int(row.integer(2)))
            return false
        }
        return batch
    }
}
