import InkEngine
import InkProtocol

/// What entries of the journal change.
extension JobStore {
    /// - Parameter rules: who gets notices of ends; nil: nobody.
    static func apply(
        _ entry: JournalEntry, _ rules: OutboxRules?, _ database: Database
    ) throws(StoreError) -> JournalOutcome {
        func move(_ job: JobNumber, to state: StoredState, from codes: String) throws(StoreError) -> JournalOutcome {
            let changed = try database.change(
                "UPDATE jobs SET state = ?, detail = ? WHERE number = ? AND state IN (\(codes))",
                [.integer(state.code), .blob(state.detail), SQLValue(job)])
            return changed == 1 ? .done : .unchanged
        }
        switch entry {
        case .accept(let record): return try accept(record, database)
        case .enter(let records): return try enter(records, database)
        case .starting(let job):
            let outcome = try move(job, to: .starting, from: "0, 1")
            if outcome == .done {
                try database.change("UPDATE jobs SET warnings = NULL WHERE number = ?", [SQLValue(job)])
            }
            return outcome
        case .warned(let job, let lines):
            var writer = ByteWriter()
            writer.integer(lines.count)
            for line in lines { writer.text(line, limit: .max) }
            let changed = try database.change(
                "UPDATE jobs SET warnings = ? WHERE number = ?", [.blob(writer.bytes), SQLValue(job)])
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
            guard changed == 1 else { return .unchanged }
            if let rules { try tell(job, ending, at: time, rules, database) }
            return .done
        case .retried(let job):
            let changed = try database.change(
                """
                UPDATE jobs SET state = 0, detail = x'', ended = NULL, notice = 0, story = NULL, crashes = 0, paused = 0
                WHERE number = ? AND state IN (4, 5)
                """, [SQLValue(job)])
            guard changed == 1 else { return .unchanged }
            try untell(job, database)
            return .done
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
            var state: Int64 = 0
            try database.query(
                "DELETE FROM jobs WHERE number = ? AND state >= 3 RETURNING key, state", [SQLValue(job)]
            ) { (row) throws(StoreError) in
                batch = Array(row.blob(0).prefix(batchBytes))
                state = row.integer(1)
                return true
            }
            guard let batch else { return .unchanged }
            // Its end still counts when that of the batch is reported.
            try database.change(
                """
                UPDATE entries SET finished = finished + (?2 = \(StoredState.finishedCode)),
                failed = failed + (?2 = \(StoredState.failedCode)),
                cancelled = cancelled + (?2 = \(StoredState.cancelledCode)) WHERE batch = ?1
                """, [.blob(batch), .integer(state)])
            for (table, column) in [("batches", "id"), ("entries", "batch")] {
                try database.change(
                    """
                    DELETE FROM \(table) WHERE \(column) = ?
                    AND NOT EXISTS (SELECT 1 FROM jobs WHERE key >= ? AND key <= ?)
                    """, [.blob(batch)] + keys(from: batch))
            }
            return .done
        }
    }

    private static func accept(_ record: JobRecord, _ database: Database) throws(StoreError) -> JournalOutcome {
        if let known = try known(record.key, database) {
            return known.submission == ContentID(hashing: record.submission)
                ? .accepted(known.job, isNew: false) : .conflict
        }
        try insert(record, database)
        return .accepted(record.number, isNew: true)
    }

    private static func enter(_ records: [JobRecord], _ database: Database) throws(StoreError) -> JournalOutcome {
        guard let first = records.first else { return .entered([], isNew: true) }
        let batch = Array(first.key.bytes.prefix(batchBytes))
        let digest = SHA256.digest(records.flatMap { ContentID(hashing: $0.submission).digest })
        var known: [UInt8]?
        let sql = "SELECT digest FROM entries WHERE batch = ?"
        try database.query(sql, [.blob(batch)]) { (row) throws(StoreError) in
            known = row.blob(0)
            return false
        }
        if let known {
            guard known == digest else { return .conflict }
            return .entered(try states(keyPrefix: batch, database).map(\.number), isNew: false)
        }
        for record in records {
            guard try self.known(record.key, database) == nil else { return .conflict }
        }
        for record in records { try insert(record, database) }
        try database.change(
            "INSERT INTO entries (batch, digest, jobs) VALUES (?, ?, ?)",
            [.blob(batch), .blob(digest), .integer(Int64(records.count))])
        return .entered(records.map(\.number), isNew: true)
    }

    private static func insert(_ record: JobRecord, _ database: Database) throws(StoreError) {
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
    }

    /// Records the highest number of a kind, which stays even if its row is removed.
    static func raise(_ name: String, to value: UInt64, _ database: Database) throws(StoreError) {
        try database.change(
            """
            INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, [.text(name), SQLValue(value)])
    }

    private static func compressed(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
        // If there is no memory for compression, the story is stored as it is: JSON does not begin like a frame.
        (try? Zstandard.compress(bytes, level: .balanced)) ?? bytes
    }
}
