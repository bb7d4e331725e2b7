import CSQLite
import Glibc
import InkProtocol
import InkSystem

/// A connection to a SQLite database, used by one thread at a time.
final class Database {
    let path: String
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// Opens or creates it: WAL mode, and every commit is on the disk before it returns.
    init(path: String) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
            let isFull = opened.map { Self.isOutOfSpace($0) } ?? false
            sqlite3_close(opened)
            if isFull { throw .full(path: path) }
            throw .database(path: path, operation: "open", code: code, message: message)
        }
        handle = opened
        sqlite3_busy_timeout(handle, 10_000)
        try addNameSearch()
        if path != ":memory:" {
            try run("PRAGMA journal_mode=WAL")
            try run("PRAGMA synchronous=FULL")
            // Pages of 4 KiB. On a small disk, a larger log would take the space needed to move its contents into the
            // database.
            try run("PRAGMA wal_autocheckpoint=250")
            try run("PRAGMA journal_size_limit=\(250 * 4096)")
        }
        // The database and its statements belong to the broker alone; a damaged file must not change their meaning.
        try run("PRAGMA trusted_schema=OFF")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    /// A function of SQL: whether `NameSearch` of its second argument finds its first.
    static let nameSearch = "finds_name"

    private func addNameSearch() throws(StoreError) {
        let code = sqlite3_create_function_v2(
            handle, Self.nameSearch, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, count, values in
                guard count == 2, let values else { return }
                func text(_ index: Int) -> String {
                    let start = sqlite3_value_text(values[index])
                    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[index])))
                    return String(decoding: bytes, as: UTF8.self)
                }
                sqlite3_result_int(context, NameSearch(text(1)).finds(text(0)) ? 1 : 0)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, "prepare it") }
    }

    /// Runs statements without values and results, separated by semicolons.
    func run(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, "change it") }
    }

    /// Moves the contents of the log into the database, and empties the log.
    func checkpoint() throws(StoreError) { try run("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Runs `body` in a transaction: all of it or nothing. On a full disk it empties the log and runs `body` once more.
    func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        do throws(StoreError) {
            return try attempt(body)
        } catch {
            guard case .full = error else { throw error }
            // The full disk is what ails both.
            let full = error
            do throws(StoreError) { try checkpoint() } catch { throw full }
            return try attempt(body)
        }
    }

    private func attempt<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        try run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already rolled back.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Runs a statement with these values and passes every row to `row`, which returns whether to continue.
    func query(
        _ sql: String, _ values: [SQLValue] = [], _ row: (SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: statement, at: Int32(index + 1)) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code, "read or change it") }
            guard try row(SQLRow(statement: statement, path: path)) else { return }
        }
    }

    /// Runs a statement. Returns the number of rows that it changed.
    @discardableResult
    func change(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        try query(sql, values) { (_) throws(StoreError) in true }
        return Int(sqlite3_changes(handle))
    }

    private func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code, "prepare a statement") }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) throws(StoreError) {
        // SQLITE_TRANSIENT, a cast that Swift does not import: the bytes are copied.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
            case .blob(let bytes):
                // An empty array has no address, and a null address would mean NULL.
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, Int32(clamping: bytes.count), transient)
            }
        guard code == SQLITE_OK else { throw failure(code, "bind a value") }
    }

    private static func isOutOfSpace(_ handle: OpaquePointer) -> Bool {
        let errno = sqlite3_system_errno(handle)
        return errno == ENOSPC || errno == EDQUOT
    }

    private func failure(_ code: Int32, _ operation: String) -> StoreError {
        switch code & 0xFF {
        case SQLITE_FULL: .full(path: path)
        // The files next to the database need space too.
        case SQLITE_IOERR where Self.isOutOfSpace(handle), SQLITE_CANTOPEN where Self.isOutOfSpace(handle):
            .full(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(path: path, .database(String(cString: sqlite3_errmsg(handle))))
        default:
            .database(path: path, operation: operation, code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}

/// A value of a column.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    init(_ number: UInt64) { self = .integer(Int64(bitPattern: number)) }
}

/// A row of results; valid until the next step.
struct SQLRow {
    fileprivate let statement: OpaquePointer
    let path: String

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    /// The result of `read` for a column that this program wrote.
    func value<T>(_ what: String, _ read: () throws(ProtocolError) -> T) throws(StoreError) -> T {
        do throws(ProtocolError) { return try read() } catch {
            throw .corrupt(path: path, .value(what, error))
        }
    }
}
