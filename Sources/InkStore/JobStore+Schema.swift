extension JobStore {
    /// The number of the schema; another one for each change, also of what the columns hold.
    static let schemaVersion = 2

    /// The tables:
    ///
    /// - `facts`: the store's name, the last life, and the highest numbers given.
    /// - `jobs`: `state` and `detail` are a `StoredState`.
    /// - `batches`: each with the number of its first job. By the jobs alone, a list of them would pass over all.
    /// - `entries`: batches that were entered as a whole, and how many of their jobs have ended and been purged.
    /// - `outbox`: notices that have not been delivered.
    static let schema = """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            name TEXT NOT NULL,
            submission BLOB NOT NULL,
            content BLOB,
            owner TEXT NOT NULL,
            priority INTEGER NOT NULL,
            paused INTEGER NOT NULL DEFAULT 0,
            state INTEGER NOT NULL,
            detail BLOB NOT NULL,
            crashes INTEGER NOT NULL,
            created INTEGER NOT NULL,
            ended INTEGER,
            notice INTEGER NOT NULL,
            warnings BLOB,
            story BLOB
        ) STRICT;
        CREATE INDEX jobs_unfinished ON jobs (number) WHERE state < 3;
        CREATE INDEX jobs_open ON jobs (key) WHERE state < 3;
        CREATE INDEX jobs_ended ON jobs (ended) WHERE ended IS NOT NULL;
        CREATE INDEX jobs_state ON jobs (state);
        CREATE INDEX jobs_content ON jobs (content) WHERE content IS NOT NULL AND state <> 3;
        CREATE INDEX jobs_name ON jobs (name, number);
        CREATE INDEX jobs_priority ON jobs (priority, number);
        CREATE TABLE batches (first INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE) STRICT;
        CREATE TABLE entries (
            batch BLOB PRIMARY KEY, digest BLOB NOT NULL, jobs INTEGER NOT NULL, finished INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT, receiver TEXT NOT NULL, id BLOB NOT NULL, event TEXT NOT NULL,
            batch BLOB NOT NULL, job INTEGER, body BLOB NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
            due INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX outbox_due ON outbox (receiver, due, number);
        CREATE INDEX outbox_batch ON outbox (batch, job);
        PRAGMA user_version = \(schemaVersion)
        """
}
