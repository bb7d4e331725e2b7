import InkEngine
import InkProtocol

/// What entries of the journal change.
extension JobStore {
    static func apply(_ entry: JournalEntry, _ database: Database) throws(StoreError) -> JournalOutcome {
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
