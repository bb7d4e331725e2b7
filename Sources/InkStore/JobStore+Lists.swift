public import InkProtocol

/// Which jobs of a store, and in which order.
public struct StoredJobQuery: Sendable {
    /// What jobs are sorted by.
    public enum Order: Sendable {
        case number, name, priority
        /// Only jobs that have ended.
        case ended
    }

    /// Jobs in one of these states; nil: all.
    public var states: States?
    public var owner: String?
    /// A part of the name, looked for by `NameSearch`.
    public var name: String?
    /// The beginning of the key.
    public var keyPrefix: [UInt8]?
    public var order = Order.number
    public var isDescending = true
    public var limit = 100
    /// The last job of the page before.
    public var after: Position?

    /// A choice of states.
    public struct States: Sendable {
        public var finished = false
        public var failed = false
        public var cancelled = false
        public var paused = false
        public var running = false
        public var queued = false
        /// The jobs that the broker has begun, which the store does not know.
        public var begun: [JobNumber] = []

        public init() {}
    }

    /// A job's place in an order.
    public struct Position: Hashable, Sendable {
        public var number: JobNumber
        /// What it is ordered by: a name, or a number in decimal digits.
        public var value: String

        public init(number: JobNumber, value: String) {
            self.number = number
            self.value = value
        }
    }

    public init() {}
}

/// What counts of one of a batch's jobs.
public struct StoredJobState: Sendable {
    public var number: JobNumber
    /// nil if it has not ended.
    public var ending: Ending?
    public var isPaused: Bool
    /// Milliseconds since 1970.
    public var createdAt: Int64
    public var endedAt: Int64?
    /// The name of its document.
    public var name: String

    /// How a job ended.
    public enum Ending: Sendable {
        case finished, failed, cancelled
    }
}

extension JobStore {
    /// A page of jobs, and the place where the next begins; nil after the last.
    ///
    /// - Complexity: O(jobs passed over); without filters O(limit).
    public func list(_ query: StoredJobQuery) throws(StoreError) -> (
        records: [JobRecord], next: StoredJobQuery.Position?
    ) {
        var conditions: [String] = []
        var values: [SQLValue] = []
        if let owner = query.owner {
            conditions.append("owner = ?")
            values.append(.text(owner))
        }
        if let name = query.name {
            conditions.append("\(Database.nameSearch)(name, ?)")
            values.append(.text(name))
        }
        if let prefix = query.keyPrefix {
            conditions.append("key >= ? AND key <= ?")
            values += Self.keys(from: prefix)
        }
        if let states = query.states {
            // One text for all choices, since prepared statements are kept.
            conditions.append(
                """
                (state IN (SELECT value FROM json_each(?)) OR state < 3 AND CASE WHEN paused THEN ?
                WHEN number IN (SELECT value FROM json_each(?)) THEN ? ELSE ? END)
                """)
            let codes = [
                (states.finished, StoredState.finishedCode), (states.failed, StoredState.failedCode),
                (states.cancelled, StoredState.cancelledCode),
            ].filter(\.0).map { Int($0.1) }
            let begun = states.begun.map { Int(clamping: $0) }
            values += [
                .text(Self.list(codes)), .integer(states.paused ? 1 : 0), .text(Self.list(begun)),
                .integer(states.running ? 1 : 0), .integer(states.queued ? 1 : 0),
            ]
        }
        let column =
            switch query.order {
            case .number: "number"
            case .name: "name"
            case .priority: "priority"
            case .ended: "ended"
            }
        if query.order == .ended { conditions.append("ended IS NOT NULL") }
        let direction = query.isDescending ? "DESC" : "ASC"
        if let after = query.after {
            let sign = query.isDescending ? "<" : ">"
            if query.order == .number {
                conditions.append("number \(sign) ?")
            } else {
                conditions.append("(\(column), number) \(sign) (?, ?)")
                values.append(query.order == .name ? .text(after.value) : .integer(Int64(after.value) ?? 0))
            }
            values.append(SQLValue(after.number))
        }
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let order = query.order == .number ? "number \(direction)" : "\(column) \(direction), number \(direction)"
        let sql =
            "SELECT \(Self.columns), name FROM jobs \(condition) ORDER BY \(order) LIMIT ?"
        values.append(.integer(Int64(query.limit) + 1))
        return try read { (database) throws(StoreError) in
            var records: [JobRecord] = []
            var last: StoredJobQuery.Position?
            var hasMore = false
            try database.query(sql, values) { (row) throws(StoreError) in
                guard records.count < query.limit else {
                    hasMore = true
                    return false
                }
                let record = try Self.record(row)
                records.append(record)
                let value =
                    switch query.order {
                    case .number: ""
                    case .name: row.text(13)
                    case .priority: "\(record.priority)"
                    case .ended: "\(record.endedAt ?? 0)"
                    }
                last = StoredJobQuery.Position(number: record.number, value: value)
                return true
            }
            return (records, hasMore ? last : nil)
        }
    }

    /// The bytes of a key that the jobs of a batch share.
    public static let batchBytes = 12

    /// The newest batches, by the numbers of their first jobs.
    ///
    /// - Parameter before: only those whose first jobs have lower numbers.
    /// - Complexity: O(limit).
    public func batches(
        before: JobNumber?, limit: Int
    ) throws(StoreError) -> [(id: [UInt8], first: JobNumber)] {
        try read { (database) throws(StoreError) in
            var found: [(id: [UInt8], first: JobNumber)] = []
            let sql = "SELECT id, first FROM batches WHERE first < ? ORDER BY first DESC LIMIT ?"
            let values = [before.map { SQLValue($0) } ?? .integer(.max), .integer(Int64(limit))]
            try database.query(sql, values) { (row) throws(StoreError) in
                found.append((row.blob(0), row.number(1)))
                return true
            }
            return found
        }
    }

    /// The states of the jobs whose keys begin with these bytes, by their keys.
    public func states(keyPrefix: [UInt8]) throws(StoreError) -> [StoredJobState] {
        try read { (database) throws(StoreError) in try Self.states(keyPrefix: keyPrefix, database) }
    }

    static func states(keyPrefix: [UInt8], _ database: Database) throws(StoreError) -> [StoredJobState] {
        var found: [StoredJobState] = []
        let sql =
            "SELECT number, state, paused, created, ended, name FROM jobs WHERE key >= ? AND key <= ? ORDER BY key"
        try database.query(sql, keys(from: keyPrefix)) { (row) throws(StoreError) in
            let ending: StoredJobState.Ending? =
                switch row.integer(1) {
                case StoredState.finishedCode: .finished
                case StoredState.failedCode: .failed
                case StoredState.cancelledCode: .cancelled
                default: nil
                }
            found.append(
                StoredJobState(
                    number: row.number(0), ending: ending, isPaused: row.integer(2) != 0,
                    createdAt: row.integer(3), endedAt: row.isNull(4) ? nil : row.integer(4), name: row.text(5)))
            return true
        }
        return found
    }

    /// The first and the last key that begins with these bytes.
    static func keys(from prefix: [UInt8]) -> [SQLValue] {
        let room = max(0, 16 - prefix.count)
        return [
            .blob(prefix + [UInt8](repeating: 0, count: room)), .blob(prefix + [UInt8](repeating: 255, count: room)),
        ]
    }

    private static func list(_ numbers: [Int]) -> String { "[\(numbers.map(String.init).joined(separator: ","))]" }
}
